"""That the comparison of HANAMI's engine on tatami boards with its twin notices what is wrong."""

import numpy as np
import pytest

from hanazono.envs import get_game
from hanazono.envs.core.record import PREFIX, GameRecord
from hanazono.scripts import check_twin
from hanazono.scripts.check_twin import SideBySide
from reference import hanami_tatami
from reference.hanami_tatami import WILD, Boards
from twins.hanami_tatami import Pair
from twins.planted import assert_every_piece_is_compared, exchange, spoiled

HANAMI = get_game("hanami_tatami")
ONLY = np.ones(1, bool)


def after(seed: int, decisions: int) -> SideBySide:
    """A game for three, some decisions on; nothing is wrong yet."""
    side_by_side = SideBySide(HANAMI, 3, Pair, np.array([seed], np.uint64))
    for _ in range(decisions):
        side_by_side.decide(ONLY)
    side_by_side.compare(ONLY, thorough=True)
    return side_by_side


def choosing() -> SideBySide:
    """Seat 2 has chosen red 5 and 6, which only its red 8 completes, unknown to the others. Two
    boards are slid, and every seat has markers, known cards and no wild card any more."""
    return after(18, 67)


def sliding() -> SideBySide:
    """Seat 1 has played a Run and slid a board once."""
    return after(5, 64)


def lowest(cards):
    return int(cards) & -int(cards)


def swap_cards_of_two_hands(s):
    mine, other = lowest(s.hand[0] & ~s.known[0]), lowest(s.hand[1] & ~s.known[1])
    s.hand[:2] += np.array([other - mine, mine - other])


def swap_two_deck_cards(s):
    s.deck[-2:] = s.deck[-2:][::-1].copy()


def forget_a_known_card(s):
    s.known[1] -= lowest(s.known[1])


def play_for_another(s):
    card = lowest(s.played[1])
    s.played[:2] += np.array([card, -card])


def move_a_marker(s):
    square = lowest(s.markers[1])
    s.markers[:2] += np.array([square, -square])


def lose_a_field_card(s):
    s.field -= lowest(s.field)


def lift_a_blocker(s):
    s.removed -= lowest(s.removed)


def swap_two_boards(s):
    s.order[:2] = s.order[:2][::-1].copy()


def slide_a_board(s):
    s.offset[3] += 1


def choose_another_card(s):
    s.picks[1] += 1


def mistake_the_stage(s):
    s.stage -= 1


def mistake_the_bonus(s):
    s.bonus_points[2] += 2


def miss_a_corner(s):
    s.corner[0] ^= 1


def lose_a_neighbour(s):
    s.beside[2][np.flatnonzero(s.beside[2])[0]] -= 1


def open_another_bonus_card(s):
    s.bonus_card += 1


def draw_once_more(s):
    s.chance += np.uint64(1)


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (swap_cards_of_two_hands, "  seat 0 knows hand: engine"),
        (swap_two_deck_cards, "  deck: engine"),
        (forget_a_known_card, "  seat 2 knows known: engine"),
        (play_for_another, "  played: engine"),
        (move_a_marker, "  seat 2 knows markers: engine"),
        (lose_a_field_card, "  seat 1 knows unseen: engine"),
        (lift_a_blocker, "  removed: engine"),
        (swap_two_boards, "  order: engine"),
        (slide_a_board, "  offsets: engine"),
        (choose_another_card, "  chosen: engine"),
        (mistake_the_stage, "  stage: engine second, twin third"),
        (mistake_the_bonus, "  bonus: engine"),
        (miss_a_corner, "  areas: engine"),
        (lose_a_neighbour, "  beside: engine"),
        (open_another_bonus_card, "  bonus card: engine 1, twin 0"),
        (draw_once_more, "  chance: engine 66, twin 65"),
    ],
)
def test_a_wrong_state_is_found(spoil, told):
    assert told in spoiled(choosing(), spoil)


def forget_the_first_slide(s):
    s.last_slide = -1


def forbid_a_board(s):
    s.slidable &= ~1


def allow_a_third_slide(s):
    s.slides_left += 1


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (forget_the_first_slide, "  legal: engine"),
        (forbid_a_board, "  slidable: engine [1, 2, 3, 4, 5], twin [0, 1, 2, 3, 4, 5]"),
        (allow_a_third_slide, "  slides left: engine 2, twin 1"),
    ],
)
def test_a_wrong_state_is_found_while_boards_are_slid(spoil, told):
    assert told in spoiled(sliding(), spoil)


@pytest.mark.parametrize("position", [choosing, sliding])
def test_a_wrong_number_of_an_observation_is_found(position):
    side_by_side = position()
    assert_every_piece_is_compared(side_by_side, HANAMI.layout)


# What a seat may believe


def hidden(twin, seat):
    """The cards of a hand that nobody else knows."""
    player = twin.players[seat]
    return sorted(player.hand - player.known - {WILD})


def test_the_true_cards_and_those_with_unseen_ones_exchanged_can_be_believed():
    twin = choosing().pairs[0].twin
    hands = [player.hand for player in twin.players]
    for v in range(3):
        assert twin.contradictions(v, hands, twin.deck) == []
    moved = exchange(hands, twin.deck, hidden(twin, 0)[0], twin.deck[3])
    assert twin.contradictions(2, *moved) == []


def test_a_belief_that_moves_an_own_card_is_found():
    twin = choosing().pairs[0].twin
    hands = [player.hand for player in twin.players]
    moved = exchange(hands, twin.deck, hidden(twin, 0)[0], twin.deck[0])
    assert twin.contradictions(0, *moved) == ["the own hand", "the unseen cards"]


def test_a_belief_that_moves_a_known_card_is_found():
    twin = choosing().pairs[0].twin
    hands = [player.hand for player in twin.players]
    moved = exchange(hands, twin.deck, min(twin.players[1].known), twin.deck[0])
    assert "a known card" in twin.contradictions(2, *moved)


def test_a_belief_in_a_play_that_cannot_be_completed_is_found():
    twin = choosing().pairs[0].twin
    hands = [player.hand for player in twin.players]
    (red_8,) = [card for card in hands[2] if hanami_tatami.card_id(card) in twin.legal_actions()]
    verdicts = []
    for card in twin.deck:
        helps = card > twin.chosen[-1] and hanami_tatami.playable([*twin.chosen, card])
        moved = exchange(hands, twin.deck, red_8, card)
        verdicts.append(twin.contradictions(0, *moved))
        assert verdicts[-1] == ([] if helps else ["a play that cannot be completed"])
    assert [] in verdicts
    assert ["a play that cannot be completed"] in verdicts


def test_a_belief_in_a_hand_without_its_wild_card_is_found():
    twin = after(0, 0).pairs[0].twin
    hands = [player.hand for player in twin.players]
    hands[1] = hands[1] - {WILD} | {twin.deck[0]}
    found = twin.contradictions(0, hands, twin.deck[1:])
    assert found == ["a wild card", "how many cards there are"]


# What a random game does not reach


def test_engine_and_twin_agree_where_boards_have_been_slid_as_far_as_they_can():
    side_by_side = SideBySide(HANAMI, 2, Pair, np.arange(8, dtype=np.uint64))
    far = np.random.default_rng(0).choice([-9, -8, 0, 8, 9], (8, 6))
    side_by_side.env.states["offset"] = far
    side_by_side.env.set_states(side_by_side.env.get_states())
    for pair, offsets in zip(side_by_side.pairs, far.tolist(), strict=True):
        pair.twin.boards = Boards(pair.twin.boards.order, tuple(offsets))
    side_by_side.play()
    end = side_by_side.env.states["offset"]
    assert (end != far).any()
    assert abs(end).max() == 9


# What a wrong rule leads to


def test_a_wrong_rule_is_found_and_the_record_holds_the_options(monkeypatch, capsys):
    monkeypatch.setattr(Boards, "corners", lambda boards: set())
    arguments = ["--game", "hanami_tatami", "--decisions", "1", "--num-players", "2"]
    assert check_twin.main(arguments) == 1
    told = capsys.readouterr().out
    assert "  areas: engine" in told
    text = next(word for word in told.split() if word.startswith(PREFIX))
    record = GameRecord.from_string(text, HANAMI)
    assert record.options.keys() == {"printed_only"}
