"""What the comparison of Hanawase with its twin catches, and settlements that play seldom sees."""

import numpy as np
import pytest

from hanazono.envs.hanawase import GAME
from hanazono.scripts.check_twin import DifferenceError, SideBySide, mixture
from reference.hanawase import DECK, TURNS, Hanawase, kind, number
from twins.hanawase import Pair

ALL = np.ones(1, bool)


def table(num_players: int, *seeds: int, **options: int) -> SideBySide:
    return SideBySide(GAME, num_players, Pair, np.array(seeds, np.uint64), options)


def write(side_by_side: SideBySide) -> None:
    """Let the engine take its changed states over."""
    side_by_side.env.set_states(side_by_side.env.get_states())


@pytest.mark.parametrize("num_players", range(3, 8))
def test_games_with_the_default_options_agree(num_players):
    table(num_players, 1).play()


# A wrong state is found


def in_round_two() -> SideBySide:
    """A game for five in round 2 with a seat that is out, ten plays in."""
    side_by_side = table(5, 6)
    twin = side_by_side.pairs[0].twin
    while (twin.round, twin.turn) != (1, 10):
        side_by_side.decide(ALL)
    side_by_side.compare(ALL, thorough=True)
    return side_by_side


def lose_a_card(s):
    s.field &= s.field - 1


def swap_the_next_cards(s):
    s.pile[s.top : s.top + 2] = s.pile[s.top : s.top + 2][::-1].copy()


def swap_two_roles(s):
    s.actor[:2] = s.actor[:2][::-1].copy()


def move_the_dealer(s):
    s.dealer = (s.dealer + 1) % 5


def give_a_point(s):
    s.points[1] += 1


def pay_twice(s):
    s.settlement[2] *= 2


def forget_what_went_back(s):
    s.returned[:] = 0


def miscount_plains(s):
    s.plains_played[0] += 1


def draw_once_more(s):
    s.chance += 1


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lose_a_card, "field: engine"),
        (swap_the_next_cards, "pile: engine"),
        (swap_two_roles, "roles: engine"),
        (move_the_dealer, "dealer: engine"),
        (give_a_point, "points: engine"),
        (pay_twice, "paid: engine"),
        (forget_what_went_back, r"seat \d knows gone: engine"),
        (miscount_plains, "plains: engine"),
        (draw_once_more, "draws: engine"),
    ],
)
def test_a_wrong_state_is_found(spoil, told):
    side_by_side = in_round_two()
    spoil(side_by_side.states[0])
    write(side_by_side)
    with pytest.raises(DifferenceError, match=told):
        side_by_side.compare(ALL, thorough=False)


def test_a_wrong_observation_is_found_by_the_thorough_comparison():
    side_by_side = in_round_two()
    side_by_side.states[0].rounds = 6
    write(side_by_side)
    side_by_side.compare(ALL, thorough=False)
    with pytest.raises(DifferenceError) as error:
        side_by_side.compare(ALL, thorough=True)
    assert "observes rounds_left [0]: engine 0.416667, twin 0.916667" in str(error.value)
    assert "the full view: rounds: engine 6, twin 12" in str(error.value)


class Forgiving(Hanawase):
    """A twin that does not know Fuke."""

    def _settle(self):
        sheet = super()._settle()
        if sheet.verdict == "Fuke":
            sheet.verdict = "valid"
        return sheet


def test_a_wrong_rule_is_found():
    side_by_side = table(3, 1, rounds=1)
    side_by_side.pairs[0].twin.__class__ = Forgiving
    with pytest.raises(DifferenceError, match="verdict: engine Fuke, twin valid"):
        divide(side_by_side, lambda card: 0)


# Settlements of any division of the cards


def divide(side_by_side, share):
    """Play one round, whose captured cards change hands before the last turn, on both sides.

    Args:
        share: share(card) is the role that gets the card, 0 .. 2.
    """
    left = dict(enumerate(side_by_side.pairs))
    while left:
        for i, pair in list(left.items()):
            if pair.twin.turn == TURNS - 1:
                deal_captured(side_by_side.states[i], left.pop(i).twin, share)
        write(side_by_side)
        side_by_side.decide(side_by_side.env.terminated == 0)
    side_by_side.play()


def deal_captured(s, twin, share):
    players = [twin.players[seat] for seat in twin.active]
    taken = sorted(card for player in players for card in player.captured)
    for role, player in enumerate(players):
        player.captured = set()
        s.captured[role] = 0
    for card in taken:
        players[role := share(card)].captured.add(card)
        s.captured[role] |= 1 << number(card)


@pytest.mark.parametrize("seed", range(10))
def test_any_division_of_the_cards_is_settled_alike(seed):
    rng = np.random.default_rng(seed)
    options = mixture(GAME, int(rng.integers(2**62))) | {"rounds": 1}
    favoured = {k: int(rng.integers(3)) for k in sorted({kind(card) for card in DECK})}

    def share(card):
        return favoured[kind(card)] if rng.random() < 0.8 else int(rng.integers(3))

    divide(table(3 + seed % 5, *range(16), **options), share)
