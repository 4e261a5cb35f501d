"""That the comparison of Sakura's engine with its twin notices what is wrong."""

import numpy as np
import pytest

from hanazono.envs import get_game
from hanazono.envs.core.record import PREFIX, GameRecord
from hanazono.scripts import check_twin
from hanazono.scripts.check_twin import DifferenceError, SideBySide
from reference import sakura
from twins.planted import assert_every_piece_is_compared, exchange
from twins.sakura import Pair

SAKURA = get_game("sakura")
ONLY = np.ones(1, bool)


def in_round_two() -> SideBySide:
    """A game for three with the Lightning: it has captured a Pine in round 2, of which nothing
    else is taken, and a card of seat 1 waits for its target."""
    side_by_side = SideBySide(SAKURA, 3, Pair, np.array([407], np.uint64))
    for _ in range(29):
        side_by_side.decide(ONLY)
    side_by_side.compare(ONLY, thorough=True)
    return side_by_side


def lowest(cards):
    return int(cards) & -int(cards)


def swap_cards_of_two_hands(s):
    mine, other = lowest(s.hand[0]), lowest(s.hand[1])
    s.hand[:2] += np.array([other - mine, mine - other])


def swap_two_pile_cards(s):
    s.pile[-2:] = s.pile[-2:][::-1].copy()


def capture_for_another(s):
    card = lowest(s.captured[1])
    s.captured[:2] += np.array([card, -card])


def lose_a_field_card(s):
    s.field -= lowest(s.field)


def forget_what_was_dealt(s):
    s.dealt[2] = s.hand[2]


def forget_what_nobody_held(s):
    s.wild_gap = 0


def mistake_the_wild_user(s):
    s.wild_user = (s.wild_user + 1) % 3


def mistake_the_part_of_the_turn(s):
    s.stage ^= 1


def let_another_card_wait(s):
    s.open_card = (s.open_card + 4) % 48


def skip_a_round(s):
    s.round_index += 1


def shuffle_once_more(s):
    s.chance += np.uint64(47)


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (swap_cards_of_two_hands, "seat 0 knows hand: engine"),
        (swap_two_pile_cards, "pile: engine"),
        (capture_for_another, "seat 2 knows captured: engine"),
        (lose_a_field_card, "seat 1 knows unseen: engine"),
        (forget_what_was_dealt, "dealt: engine"),
        (forget_what_nobody_held, "not dealt together: engine"),
        (mistake_the_wild_user, r"wild: engine \(2, 0\), twin \(1, 0\)"),
        (mistake_the_part_of_the_turn, "stage: engine take for a turned card, twin take for a pl"),
        (let_another_card_wait, "legal: engine"),
        (skip_a_round, "rounds over: engine 2, twin 1"),
        (shuffle_once_more, "chance: engine"),
    ],
)
def test_a_wrong_state_is_found(spoil, told):
    side_by_side = in_round_two()
    spoil(side_by_side.states[0])
    side_by_side.env.set_states(side_by_side.env.get_states())
    with pytest.raises(DifferenceError, match=told):
        side_by_side.compare(ONLY, thorough=False)


def test_a_wrong_number_of_an_observation_is_found():
    side_by_side = in_round_two()
    assert_every_piece_is_compared(side_by_side, SAKURA.layout)


# What a seat may believe


def test_the_true_cards_and_those_with_unseen_ones_exchanged_can_be_believed():
    twin = in_round_two().pairs[0].twin
    hands = [player.hand for player in twin.players]
    assert twin.contradictions(2, hands, twin.pile) == []
    moved = exchange(hands, twin.pile, min(hands[0]), twin.pile[3])
    assert twin.contradictions(2, *moved) == []


def test_a_belief_that_moves_an_own_card_is_found():
    twin = in_round_two().pairs[0].twin
    hands = [player.hand for player in twin.players]
    moved = exchange(hands, twin.pile, min(hands[2]), twin.pile[0])
    assert twin.contradictions(2, *moved) == ["the own hand", "the unseen cards"]


def test_a_belief_in_a_hand_that_would_have_interrupted_is_found():
    twin = in_round_two().pairs[0].twin
    hands, pile = [player.hand for player in twin.players], twin.pile
    for card in twin.wild.not_held_together - hands[0]:
        spare = min(hands[0] - twin.wild.not_held_together)
        hands, pile = exchange(hands, pile, card, spare)
    assert twin.contradictions(1, hands, pile) == ["an interrupt that did not happen"]


def test_a_belief_in_a_dealt_month_is_found():
    twin = in_round_two().pairs[0].twin
    hands, pile = [player.hand for player in twin.players], twin.pile
    month = next(m for m in range(12) if sakura.month_cards(m) <= twin.unseen(2))
    for card in sakura.month_cards(month) - hands[0]:
        hands, pile = exchange(hands, pile, card, min(hands[0] - sakura.month_cards(month)))
    assert twin.contradictions(2, hands, pile) == ["a whole month in a dealt hand"]


def test_after_an_instant_win_the_true_cards_can_still_be_believed():
    rng = np.random.default_rng(0)
    twin = sakura.Sakura(2, lambda n: int(rng.integers(n)), rounds=1)
    while twin.to_declare is None:
        twin = sakura.Sakura(2, lambda n: int(rng.integers(n)), rounds=1)
    twin.step(twin.legal_actions()[0])
    assert twin.finished
    for v in range(2):
        assert twin.contradictions(v, [player.hand for player in twin.players], twin.pile) == []


# What a wrong rule leads to


def test_a_wrong_rule_is_found_and_the_record_holds_the_options(monkeypatch, capsys):
    monkeypatch.setattr(sakura, "PENALTY", 40)
    assert check_twin.main(["--game", "sakura", "--decisions", "1", "--num-players", "2"]) == 1
    told = capsys.readouterr().out
    assert "  totals: engine" in told
    text = next(word for word in told.split() if word.startswith(PREFIX))
    record = GameRecord.from_string(text, SAKURA)
    assert record.options != SAKURA.check_options({}), "a mixture of the options is played"
