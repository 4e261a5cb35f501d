"""The rules of Sakura, one test a rule, in the order of envs/sakura/RULES.md.

See sakura_positions.py for how cards are called and tables are set.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import factorial, prod, sqrt
from typing import Any

import numba
import numpy as np
import pytest

from hanazono.envs.core.aec import EnvState, GameEnv
from hanazono.envs.core.batch import BatchEnv
from hanazono.envs.core.rng import below, keyed
from hanazono.envs.hanafuda.deck import ALL_CARDS, NAMES, cards_of, set_of
from hanazono.envs.sakura import GAME, rules
from rules.sakura_positions import (
    CHERRY,
    CHRYSANTHEMUM,
    CLOVER,
    IRIS,
    LIGHTNING,
    MAPLE,
    MONTHS,
    PAULOWNIA,
    PEONY,
    PINE,
    PLUM,
    WILLOW,
    WISTERIA,
    Table,
    end_round,
    hiki_of,
    last_turn,
    named,
)

DEALS = {2: (8, 8, 24), 3: (7, 6, 21), 4: (5, 8, 20), 5: (4, 8, 20), 6: (3, 12, 18), 7: (3, 6, 21)}
YAKU = {
    "い": [8, 28, 32],
    "ろ": [0, 4, 8],
    "は": [1, 5, 9],
    "に": [21, 33, 37],
    "ほ": [20, 32, 36],
    "へ": [13, 17, 25],
    "と": [12, 16, 24],
    "ち": [24, 29, 36],
}
DRAWS = 40  # resampled states; as plain Python everything is slow, so there are fewer games
MANY_DEALS = 300 if numba.config.DISABLE_JIT else 20_000
GAMES = 4 if numba.config.DISABLE_JIT else 60


# § 1 Cards


def test_four_brights_count_twenty():
    twenties = named("Pine Crane", "Cherry Curtain", "Pampas Moon", "Paulownia Phoenix")
    assert np.flatnonzero(rules.POINTS == 20).tolist() == twenties


def test_ribbons_and_the_shaded_paulownia_count_ten():
    ribbons = [c for c, name in enumerate(NAMES) if name.endswith("ribbon")]
    assert len(ribbons) == 10
    assert np.flatnonzero(rules.POINTS == 10).tolist() == [*ribbons, PAULOWNIA[1]]


def test_animals_and_the_rainman_count_five():
    fives = named(
        "Plum Warbler", "Wisteria Cuckoo", "Iris Bridge", "Peony Butterflies", "Bush clover Boar",
        "Pampas Geese", "Chrysanthemum Sake cup", "Maple Deer", "Willow Swallow", "Willow Rainman",
    )  # fmt: skip
    assert np.flatnonzero(rules.POINTS == 5).tolist() == fives


def test_other_plains_count_nothing_and_all_cards_240():
    assert (rules.POINTS == 0).sum() == 48 - 4 - 11 - 10
    assert rules.POINTS.sum() == 240
    assert rules.card_points(ALL_CARDS) == 240


@pytest.mark.parametrize(("letter", "cards"), YAKU.items())
def test_the_eight_yaku(letter, cards):
    assert cards_of(rules.YAKU[rules.YAKU_LETTERS.index(letter)]) == cards
    assert rules.yaku_held(np.int64(set_of(cards))) == 1
    for card in cards:
        assert rules.yaku_held(np.int64(ALL_CARDS & ~set_of([card]))) == 8 - sum(
            card in other for other in YAKU.values()
        )


def test_four_cards_belong_to_two_yaku():
    cards = [card for yaku in YAKU.values() for card in yaku]
    twice = {card for card in cards if cards.count(card) == 2}
    assert twice == {CHERRY[0], CHRYSANTHEMUM[0], CLOVER[0], MAPLE[0]}


# § 2 Deal


def played(env: BatchEnv, seed: int = 0) -> Iterator[np.ndarray]:
    """Play at random to the end of all games; yields the states of the running games at every
    decision, and at last those of the finished ones."""
    rng = np.random.default_rng(seed)
    while not env.terminated.all():
        yield env.states[env.terminated == 0].copy()
        env.step((env.action_mask * rng.random(env.action_mask.shape)).argmax(1))
    yield env.states.copy()


def dealt(num_games: int, num_players: int, seed: int = 0, **options: int) -> np.ndarray:
    """The states of many games just dealt."""
    env = BatchEnv(GAME, num_games, num_players, options=options)
    env.reset(seed=seed)
    return env.states


def whole_months(cards: int) -> list[int]:
    return [m for m in range(12) if int(cards) >> 4 * m & 15 == 15]


def numbers_of(seed: Any) -> Iterator[Any]:
    """The random numbers of a game, one after another."""
    counter = 0
    while True:
        counter += 1
        yield np.uint64(keyed(np.uint64(seed), np.uint64(counter)))


def shuffled(numbers: Iterator[Any]) -> list[int]:
    """The deck as RULES.md says that it is shuffled."""
    deck = list(range(48))
    for i in range(47):
        j = i + int(below(next(numbers), 48 - i))
        deck[i], deck[j] = deck[j], deck[i]
    return deck


@pytest.mark.parametrize(("num_players", "sizes"), DEALS.items())
def test_cards_dealt_by_number_of_players(num_players, sizes):
    for s in dealt(20, num_players, instant_win=0):
        hand, field, pile = sizes
        assert [int(h).bit_count() for h in s["hand"]] == [hand] * num_players + [0] * (
            7 - num_players
        )
        assert int(s["field"]).bit_count() == field
        assert 48 - s["top"] == pile
        assert num_players * hand + field + pile == 48


@pytest.mark.parametrize("num_players", DEALS)
def test_the_order_of_the_deal_and_of_the_random_numbers(num_players):
    hand_size, field_size, _ = DEALS[num_players]
    for s in dealt(40, num_players, seed=3, instant_win=0):
        numbers = numbers_of(s["seed"])
        assert s["starter"] == s["current_player"] == int(below(next(numbers), num_players))
        deals, field = 0, int(ALL_CARDS)
        while whole_months(field):
            deck, deals = shuffled(numbers), deals + 1
            hands = [deck[p * hand_size :][:hand_size] for p in range(num_players)]
            at = num_players * hand_size
            field = set_of(deck[at : at + field_size])
        assert s["hand"][:num_players].tolist() == [set_of(hand) for hand in hands]
        assert s["field"] == field
        assert s["pile"][s["top"] :].tolist() == deck[at + field_size :]
        assert s["chance"] == 1 + 47 * deals


def test_redeal_while_the_field_holds_a_whole_month():
    states = dealt(MANY_DEALS, 6)
    assert (states["chance"] > 48).any(), "some games were dealt anew"
    assert not any(whole_months(field) for field in states["field"])
    assert set((states["chance"] - 1) % 47) == {0}


def chance_of_no_month(sizes: Sequence[int]) -> Fraction:
    """That no whole month lies in any of these parts of the deck (inclusion-exclusion)."""

    def ways(cards: int, parts: Sequence[int]) -> Fraction:
        return Fraction(
            factorial(cards), prod(map(factorial, parts)) * factorial(cards - sum(parts))
        )

    chance = Fraction(0)
    for months in product(*(range(size // 4 + 1) for size in sizes)):
        left = [size - 4 * count for size, count in zip(sizes, months, strict=True)]
        choices = ways(12, months) * ways(48 - 4 * sum(months), left)
        chance += (-1) ** sum(months) * choices
    return chance / ways(48, sizes)


def assert_frequency(times: int, tries: int, expected: Fraction) -> None:
    """Within 4 standard deviations of the expected frequency."""
    spread = sqrt(expected * (1 - expected) / tries)
    assert abs(times / tries - expected) <= 4 * spread


@pytest.mark.parametrize("num_players", DEALS)
def test_how_often_redeals_and_instant_wins_happen(num_players):
    hand, field, _ = DEALS[num_players]
    states = dealt(MANY_DEALS, num_players, seed=1)
    deals = int((states["chance"] - 1).sum()) // 47
    good_field = chance_of_no_month([field])
    assert_frequency(deals - MANY_DEALS, deals, 1 - good_field)
    instant = 1 - chance_of_no_month([field] + [hand] * num_players) / good_field
    assert_frequency(int((states["stage"] == rules.DECLARE).sum()), MANY_DEALS, instant)


def test_the_first_starter_is_random():
    times = np.bincount(dealt(MANY_DEALS, 7)["starter"], minlength=7)
    for count in times:
        assert_frequency(int(count), MANY_DEALS, Fraction(1, 7))


def test_a_dealt_month_is_laid_open_as_if_captured():
    table = Table(2, [[*PINE, PLUM[0]], [CHERRY[0]]]).lay_open()
    assert table.mover == 0
    assert (table.captured(0), table.hand(0)) == (PINE, [PLUM[0]])
    assert table.legal() == [hiki_of(PINE)]


def test_an_instant_win_is_declared_out_of_turn():
    table = Table(3, [[CHERRY[0]], [CHERRY[1]], [*PINE, PLUM[0]]], starter=1).lay_open()
    assert table.mover == 2
    table.declare(2, PINE)
    assert table.points == [0, 0, 5]
    assert (table.round, table.s.starter) == (1, 2)


@pytest.mark.parametrize(("starter", "first"), [(0, 0), (1, 2), (2, 2)])
def test_of_two_instant_wins_the_first_in_turn_order_counts(starter, first):
    table = Table(3, [PINE, [PLUM[0]], CHERRY], starter=starter).lay_open()
    assert table.mover == first
    table.declare(first, [PINE, [], CHERRY][first])
    assert table.points == [5 * (seat == first) for seat in range(3)]


def test_of_two_months_in_one_hand_the_earlier_is_declared():
    table = Table(2, [[*MAPLE, *PLUM]]).lay_open()
    assert table.legal() == [hiki_of(PLUM)]
    assert (table.captured(0), table.hand(0)) == (PLUM, MAPLE)


def test_no_instant_win_without_the_option():
    states = dealt(MANY_DEALS, 2, instant_win=0)
    whole = np.any([(states["hand"] >> 4 * m & 15 == 15).any(axis=1) for m in range(12)], axis=0)
    assert whole.any()
    assert not (states["stage"] == rules.DECLARE).any()
    assert (states["current_player"] == states["starter"]).all()
    with_option = dealt(MANY_DEALS, 2)["stage"] == rules.DECLARE
    assert np.array_equal(with_option, whole), "the same deals"


def named_in(*cards: int) -> list[str]:
    return [NAMES[card] for card in cards]


def test_the_other_hands_are_not_shown_by_an_instant_win():
    table = Table(2, [PINE, [PLUM[0], CHERRY[0]]]).lay_open()
    assert set(named_in(PLUM[0], CHERRY[0])) <= set(table.view(0)["unseen"])


@pytest.mark.parametrize("num_players", [2, 4])
def test_the_seed_alone_fixes_all_deals(num_players):
    env = BatchEnv(GAME, 8, num_players, auto_reset=False, options={"instant_win": 0})
    env.reset(seeds=np.full(8, 9))
    deals: dict[int, set[Any]] = {}
    for states in played(env):
        for s in states[states["stage"] == rules.PLAY]:
            deal = (s["chance"], *s["dealt"])
            deals.setdefault(int(s["round_index"]), set()).add(deal)
    assert [len(deals[r]) for r in range(3)] == [1, 1, 1]
    assert len({env.states[i].tobytes() for i in range(8)}) > 1, "they were played differently"


# § 3 Matching


def test_a_card_without_a_match_stays_in_the_field():
    table = Table(2, [[PINE[0]]], [PLUM[0]], [CHERRY[2]])
    table.play(0, PINE[0])
    assert table.field == [PINE[0], PLUM[0], CHERRY[2]]
    assert table.captured(0) == []


def test_a_card_must_capture_its_only_match():
    table = Table(2, [[PINE[0]]], [PINE[3], PLUM[0]], [CHERRY[2]])
    table.play(0, PINE[0])
    assert table.captured(0) == [PINE[0], PINE[3]]
    assert table.field == [PLUM[0], CHERRY[2]]


@pytest.mark.parametrize(("taken", "left"), [(PINE[1], PINE[3]), (PINE[3], PINE[1])])
def test_of_two_matches_the_player_chooses_one(taken, left):
    table = Table(2, [[PINE[0], PLUM[1]]], [PINE[1], PINE[3], PLUM[0]], [CHERRY[2]])
    table.play(0, PINE[0])
    assert table.legal() == [PINE[1], PINE[3]]
    assert table.field == [PINE[1], PINE[3], PLUM[0]], "the played card lies beside the field"
    table.take(0, taken)
    assert table.captured(0) == sorted([PINE[0], taken])
    assert table.field == sorted([left, PLUM[0], CHERRY[2]])


def test_with_three_matches_all_four_are_captured():
    table = Table(2, [[PINE[0]]], [*PINE[1:], PLUM[0]], [CHERRY[2]])
    table.play(0, PINE[0])
    assert table.captured(0) == PINE
    assert table.field == [PLUM[0], CHERRY[2]]


def test_any_card_may_be_played_whether_it_matches_or_not():
    table = Table(2, [[PINE[0], PLUM[0], CHERRY[0]]], [PLUM[1]], [MAPLE[0]])
    assert table.legal() == [PINE[0], PLUM[0], CHERRY[0]]


# § 4 Turn


def test_first_the_hand_then_the_pile_then_the_next_seat():
    table = Table(3, [[PINE[0]], [PLUM[0]], [CHERRY[0]]], [PINE[1], MAPLE[1]], [MAPLE[0]])
    table.play(0, PINE[0])
    assert table.captured(0) == [PINE[0], PINE[1], MAPLE[0], MAPLE[1]]
    assert table.mover == 1


def test_seat_0_follows_the_last_seat():
    table = Table(3, [[PINE[0]], [PLUM[0]], [CHERRY[0]]], [], [MAPLE[0]], starter=2)
    table.play(2, CHERRY[0])
    assert table.mover == 0


def test_a_turned_card_without_a_match_stays_and_may_meet_the_card_just_played():
    table = Table(2, [[PINE[0]]], [], [PINE[1]])
    table.play(0, PINE[0])
    assert table.captured(0) == [PINE[0], PINE[1]]


def test_the_player_chooses_for_a_turned_card_too():
    table = Table(2, [[PINE[0]]], [PLUM[1], PLUM[2]], [PLUM[0]])
    table.play(0, PINE[0])
    assert (table.mover, table.legal()) == (0, [PLUM[1], PLUM[2]])
    assert table.s.stage == rules.TAKE_TURNED
    table.take(0, PLUM[2])
    assert table.captured(0) == [PLUM[0], PLUM[2]]
    assert table.field == [PINE[0], PLUM[1]]
    assert table.mover == 1


def test_a_turned_card_with_three_matches_captures_all_four():
    table = Table(2, [[PINE[0]]], PLUM[1:], [PLUM[0]])
    table.play(0, PINE[0])
    assert table.captured(0) == PLUM


@pytest.mark.parametrize("in_hand", [0, 1, 2, 3, 4])
def test_hiki_takes_four_of_a_month_from_hand_and_field_in_every_split(in_hand):
    hand = [*IRIS[:in_hand], PINE[0]]
    table = Table(2, [hand], [*IRIS[in_hand:], PLUM[0]], [CHERRY[0]])
    assert table.legal() == [*sorted(hand), hiki_of(IRIS)]
    table.declare(0, IRIS)
    assert table.captured(0) == IRIS
    assert table.hand(0) == [PINE[0]]
    assert table.field == [PLUM[0], CHERRY[0]], "the pile part of the turn follows"
    assert table.mover == 1


def test_hiki_is_not_compulsory():
    table = Table(2, [[IRIS[0], IRIS[1]]], [IRIS[2], IRIS[3]], [CHERRY[0]])
    table.play(0, IRIS[0])
    table.take(0, IRIS[3])
    assert table.captured(0) == [IRIS[0], IRIS[3]]


def test_hiki_counts_neither_the_pile_nor_other_hands_nor_captured_cards():
    table = Table(2, [[IRIS[0], IRIS[1]], [IRIS[2]]], [IRIS[3]], captured=[[PINE[0]]])
    assert table.legal() == IRIS[:2]
    table = Table(2, [[IRIS[0], IRIS[1]]], [IRIS[2]], captured=[[IRIS[3]]])
    assert table.legal() == IRIS[:2]


def test_of_several_months_any_may_be_declared():
    table = Table(2, [[*PINE[:2], *MAPLE]], PINE[2:], [CHERRY[0]])
    assert table.legal() == [*PINE[:2], *MAPLE, hiki_of(PINE), hiki_of(MAPLE)]
    table.declare(0, MAPLE)
    assert table.captured(0) == MAPLE


def test_hiki_is_not_declared_with_a_turned_card():
    table = Table(2, [[PINE[0], IRIS[0]]], IRIS[1:3], [IRIS[3]])
    table.play(0, PINE[0])
    assert table.legal() == IRIS[1:3], "only the choice of a target"


def test_no_hiki_while_a_target_is_chosen():
    table = Table(2, [[PINE[0], *IRIS]], PINE[1:3])
    table.play(0, PINE[0])
    assert table.legal() == PINE[1:3]


def test_without_a_hand_only_the_pile_part_is_left():
    table = Table(2, [[PINE[0], PINE[1]], []], [], [PLUM[0], CHERRY[0], MAPLE[0]])
    table.play(0, PINE[0])
    assert table.field == [PINE[0], PLUM[0], CHERRY[0]], "seat 1 has turned over the Curtain"
    assert table.mover == 0


def test_a_turn_without_a_hand_may_still_hold_a_choice():
    table = Table(2, [[PINE[0], PINE[1]], []], PLUM[1:3], [CHERRY[0], PLUM[0]])
    table.play(0, PINE[0])
    assert (table.mover, table.legal()) == (1, PLUM[1:3])
    table.take(1, PLUM[1])
    assert table.captured(1) == [PLUM[0], PLUM[1]]
    assert table.mover == 0


def test_hiki_is_not_declared_without_a_hand():
    table = Table(2, [[PINE[0], MAPLE[0]], []], IRIS, [PLUM[0], CHERRY[0]])
    table.play(0, PINE[0])
    assert table.captured(1) == [], "seat 1 could have had the Irises"
    assert (table.mover, table.pile[0]) == (0, PINE[1])


def test_hiki_with_cards_of_the_hand_leads_to_turns_without_a_hand():
    table = Table(2, [[*IRIS], [PINE[0], PINE[1]]], [], [PLUM[0], CHERRY[0], MAPLE[0]])
    table.declare(0, IRIS)
    table.play(1, PINE[0])
    assert table.field == [PINE[0], PLUM[0], CHERRY[0], MAPLE[0]], "seat 0 only turned over"
    assert table.mover == 1


def test_two_players_have_four_turns_each_without_a_hand():
    env = BatchEnv(GAME, GAMES, 2, options={"rounds": 1, "instant_win": 0}, auto_reset=False)
    env.reset(seed=4)
    *running, _ = played(env)
    left = [48 - states["top"][states["stage"] == rules.PLAY] for states in running]
    assert np.concatenate(left).min() == 9, "before the turn of the last card in hand"


def test_the_round_ends_with_the_last_card_of_the_pile():
    table = Table(2, [[PINE[0]], []], PINE[1:2], [PLUM[0]], only_these=True, rounds=1)
    table.play(0, PINE[0])
    assert table.over
    assert table.captured(0) == PINE[:2]


def test_the_last_card_of_the_pile_is_settled_first():
    table = Table(2, [[PINE[0]], []], PLUM[1:3], [PLUM[0]], only_these=True, rounds=1)
    table.play(0, PINE[0])
    assert not table.over
    table.take(0, PLUM[1])
    assert table.over


def test_the_round_ends_only_when_the_pile_is_out_not_when_the_hands_are():
    table = Table(2, [[PINE[0]], []], [], [PLUM[0], CHERRY[0]], only_these=True, rounds=1)
    table.play(0, PINE[0])
    assert table.over
    assert table.field == [PINE[0], PLUM[0], CHERRY[0]], "both cards were turned over"


# § 5 Lightning


def wild(hands=(), field=(), pile=(), num_players=2, **settings) -> Table:
    """A table with the option `lightning`."""
    return Table(num_players, hands, field, pile, lightning=1, **settings)


def test_without_the_option_the_lightning_is_an_ordinary_willow():
    table = Table(2, [[LIGHTNING]], [PLUM[0], WILLOW[0]], [MAPLE[0]])
    table.play(0, LIGHTNING)
    assert table.captured(0) == [WILLOW[0], LIGHTNING]


def test_in_the_field_only_a_willow_takes_the_lightning():
    hands = [[PINE[0], IRIS[0]], [WILLOW[0]]]
    table = wild(hands, [LIGHTNING], [MAPLE[0], CHERRY[0]])
    table.play(0, PINE[0])
    assert table.field == [PINE[0], MAPLE[0], LIGHTNING]
    table.play(1, WILLOW[0])
    assert table.captured(1) == [WILLOW[0], LIGHTNING]


@pytest.mark.parametrize("in_hand", [1, 2, 3])
@pytest.mark.parametrize("willows", [WILLOW, WILLOW[::-1]])  # the Lightning in the field, in hand
def test_the_lightning_counts_as_a_willow_for_hiki(in_hand, willows):
    table = wild([[*willows[:in_hand], PINE[0]]], willows[in_hand:], [MAPLE[0]])
    table.declare(0, WILLOW)
    assert table.captured(0) == WILLOW


def test_played_the_lightning_captures_any_one_card_of_the_field():
    field = [PINE[0], PLUM[1], PLUM[2], WILLOW[0]]
    for target in field:
        table = wild([[LIGHTNING]], field, [MAPLE[0]])
        table.play(0, LIGHTNING)
        assert table.legal() == field
        table.take(0, target)
        assert table.captured(0) == sorted([target, LIGHTNING])
        assert table.field == sorted({*field, MAPLE[0]} - {target})


def test_the_lightning_takes_one_card_also_of_three():
    table = wild([[LIGHTNING]], PINE[1:], [MAPLE[0]])
    table.play(0, LIGHTNING)
    table.take(0, PINE[2])
    assert table.captured(0) == [PINE[2], LIGHTNING]
    assert table.field == [PINE[1], PINE[3], MAPLE[0]]
    table = wild([[LIGHTNING]], WILLOW[:3], [MAPLE[0]])
    table.play(0, LIGHTNING)
    table.take(0, WILLOW[2])
    assert table.captured(0) == WILLOW[2:]


def test_the_lightning_must_take_the_only_card_of_the_field():
    table = wild([[LIGHTNING]], [PINE[2]], [MAPLE[0]])
    table.play(0, LIGHTNING)
    assert table.captured(0) == [PINE[2], LIGHTNING]


def test_in_an_empty_field_the_lightning_stays():
    table = wild([[LIGHTNING]], [], [MAPLE[0]])
    table.play(0, LIGHTNING)
    assert table.field == [MAPLE[0], LIGHTNING]
    assert table.view(0)["lightning"] is None


def test_turned_over_the_lightning_is_wild_too():
    table = wild([[PINE[0]]], [PLUM[0], CHERRY[0]], [LIGHTNING])
    table.play(0, PINE[0])
    assert (table.mover, table.s.stage) == (0, rules.TAKE_TURNED)
    assert table.legal() == [PINE[0], PLUM[0], CHERRY[0]]
    table.take(0, CHERRY[0])
    assert table.captured(0) == [CHERRY[0], LIGHTNING]
    assert table.mover == 1


def test_the_lightning_may_be_turned_over_in_a_turn_without_a_hand():
    table = wild([[PINE[0], PINE[1]], []], [PLUM[0]], [CHERRY[0], LIGHTNING])
    table.play(0, PINE[0])
    assert (table.mover, table.legal()) == (1, [PINE[0], PLUM[0], CHERRY[0]])


@pytest.mark.parametrize("in_hand", [1, 2, 3])
def test_another_players_month_interrupts(in_hand):
    hers, open_cards = PINE[:in_hand], PINE[in_hand:]
    hands = [[LIGHTNING, PEONY[2]], [PEONY[3]], [*hers, PEONY[1]]]
    table = wild(hands, [*open_cards, PLUM[0], CHERRY[0]], [MAPLE[0]], 3)
    table.play(0, LIGHTNING)
    table.take(0, open_cards[0])
    assert table.captured(2) == PINE
    assert table.hand(2) == [PEONY[1]]
    assert (table.mover, table.s.stage) == (0, rules.TAKE_PLAYED), "another target is chosen"
    assert table.legal() == [PLUM[0], CHERRY[0]]
    table.take(0, CHERRY[0])
    assert table.captured(0) == [CHERRY[0], LIGHTNING]
    assert table.field == [PLUM[0], MAPLE[0]]


def test_targets_that_will_be_interrupted_are_offered():
    table = wild([[LIGHTNING], PINE[1:]], [PINE[0], PLUM[0]], [MAPLE[0]])
    table.play(0, LIGHTNING)
    assert table.legal() == [PINE[0], PLUM[0]]


def test_another_target_is_not_interrupted():
    table = wild([[LIGHTNING], PINE[1:]], [PINE[0], PLUM[0]], [MAPLE[0]])
    table.play(0, LIGHTNING)
    table.take(0, PLUM[0])
    assert table.captured(0) == [PLUM[0], LIGHTNING]
    assert table.captured(1) == []
    assert table.hand(1) == PINE[1:]


def test_two_players_together_do_not_interrupt():
    table = wild([[LIGHTNING], PINE[1:3], PINE[3:]], [PINE[0], PLUM[0]], [MAPLE[0]], 3)
    table.play(0, LIGHTNING)
    table.take(0, PINE[0])
    assert table.captured(0) == [PINE[0], LIGHTNING]


def test_several_interrupts_in_a_row():
    hands = [[LIGHTNING, PEONY[0]], [*PINE[2:], *CHERRY[1:]], PLUM[1:]]
    table = wild(hands, [*PINE[:2], PLUM[0], CHERRY[0], MAPLE[0], MAPLE[1]], [MAPLE[2]], 3)
    table.play(0, LIGHTNING)
    table.take(0, PINE[1])
    assert table.legal() == [PLUM[0], CHERRY[0], *MAPLE[:2]]
    table.take(0, PLUM[0])
    assert table.legal() == [CHERRY[0], *MAPLE[:2]]
    table.take(0, CHERRY[0])
    assert table.captured(1) == [*PINE, *CHERRY]
    assert table.captured(2) == PLUM
    table.take(0, MAPLE[0])
    assert table.captured(0) == [MAPLE[0], MAPLE[1], MAPLE[2], LIGHTNING], "then MAPLE[2] came up"


def test_after_interrupts_the_only_target_left_is_taken_without_asking():
    table = wild([[LIGHTNING, IRIS[0]], PINE[1:]], [PINE[0], PLUM[0]], [MAPLE[0], CLOVER[0]])
    table.play(0, LIGHTNING)
    table.take(0, PINE[0])
    assert table.captured(0) == [PLUM[0], LIGHTNING]
    assert table.captured(1) == PINE


def test_with_no_target_left_the_lightning_stays_in_the_field():
    hands = [[LIGHTNING], [*PINE[1:], CLOVER[0]], [*PLUM[1:], CLOVER[1]]]
    table = wild(hands, [PINE[0], PLUM[0]], [MAPLE[0]], 3)
    table.play(0, LIGHTNING)
    table.take(0, PLUM[0])
    assert (table.captured(1), table.captured(2)) == (PINE, PLUM)
    assert table.captured(0) == []
    assert table.field == [MAPLE[0], LIGHTNING]
    assert table.view(0)["lightning"] is None


def test_the_only_target_may_be_interrupted_without_a_decision():
    table = wild([[LIGHTNING], [*PINE[1:], CLOVER[0]]], [PINE[0]], [MAPLE[0]])
    table.play(0, LIGHTNING)
    assert table.captured(1) == PINE
    assert table.field == [MAPLE[0], LIGHTNING]


def test_a_turned_lightning_is_interrupted_too():
    table = wild([[PLUM[0]], [*PINE[1:], CLOVER[0]]], [PINE[0]], [LIGHTNING])
    table.play(0, PLUM[0])
    table.take(0, PINE[0])
    assert table.captured(1) == PINE
    assert table.captured(0) == [PLUM[0], LIGHTNING]


def test_the_interrupting_player_keeps_the_next_turn_with_the_cards_left():
    table = wild([[LIGHTNING], [*PINE[1:], CLOVER[0]]], [PINE[0], PLUM[0]], [MAPLE[0]])
    table.play(0, LIGHTNING)
    table.take(0, PINE[0])
    assert (table.mover, table.legal()) == (1, [CLOVER[0]])


def test_an_interrupting_player_without_cards_left_only_turns_over():
    hands = [[LIGHTNING], PINE[1:], [CLOVER[0]]]
    table = wild(hands, [PINE[0], PLUM[0]], [MAPLE[0], IRIS[0]], 3)
    table.play(0, LIGHTNING)
    table.take(0, PINE[0])
    assert table.field == [IRIS[0], MAPLE[0]], "seat 1 turned over the Bridge"
    assert table.mover == 2


def test_the_own_hiki_never_interrupts():
    table = wild([[LIGHTNING, *PINE[1:]]], [PINE[0], PLUM[0]], [MAPLE[0]])
    table.play(0, LIGHTNING)
    table.take(0, PINE[0])
    assert table.captured(0) == [PINE[0], LIGHTNING]
    assert table.hand(0) == PINE[1:]


def test_a_willow_target_is_never_interrupted():
    table = wild([[LIGHTNING], WILLOW[1:3]], [WILLOW[0], PLUM[0]], [MAPLE[0]])
    table.play(0, LIGHTNING)
    table.take(0, WILLOW[0])
    assert table.captured(0) == [WILLOW[0], LIGHTNING]
    assert table.hand(1) == WILLOW[1:3]


def test_ordinary_captures_are_not_interrupted():
    table = wild([[PINE[3]], PINE[1:3]], [PINE[0]], [MAPLE[0]])
    table.play(0, PINE[3])
    assert table.captured(0) == [PINE[0], PINE[3]]


def at_the_end(target: int, field: Sequence[int], **settings: Any) -> Table:
    """Seat 0 captures the target with the Lightning and turns over the last card, MAPLE[2]."""
    settings = {"rounds": 1, **settings}
    table = wild([[LIGHTNING], []], [target, *field], [MAPLE[2]], only_these=True, **settings)
    table.play(0, LIGHTNING)
    if not table.over:
        table.take(0, target)
    assert table.round == 1
    return table


def test_left_over_cards_of_the_targets_month_go_to_the_user():
    table = at_the_end(PINE[0], [PINE[1], PLUM[1]])
    assert table.captured(0) == [PINE[0], PINE[1], LIGHTNING]
    assert table.field == [PLUM[1], MAPLE[2]]
    assert table.points == [30, 0]


def test_left_over_willows_are_dead():
    table = at_the_end(PINE[0], [PINE[1], WILLOW[2]])
    assert table.field == [MAPLE[2], WILLOW[2]]
    assert table.points == [30, 0]


def test_left_over_willows_go_to_the_user_if_the_target_was_a_willow():
    table = at_the_end(WILLOW[0], [WILLOW[1], WILLOW[2]])
    assert table.captured(0) == WILLOW
    assert table.field == [MAPLE[2]]
    assert table.points == [20, 0]


def test_left_overs_go_to_the_user_also_after_turns_of_others():
    hands, pile = [[LIGHTNING], [PLUM[2]]], [MAPLE[2], MAPLE[3]]
    table = wild(hands, [PINE[0], PINE[1], PLUM[3]], pile, only_these=True, rounds=1)
    table.play(0, LIGHTNING)
    table.take(0, PINE[1])
    assert table.field == [PINE[0], PLUM[3], MAPLE[2]]
    table.play(1, PLUM[2])
    assert table.captured(0) == [PINE[0], PINE[1], LIGHTNING]
    assert table.captured(1) == [PLUM[2], PLUM[3], MAPLE[2], MAPLE[3]]


def test_left_overs_complete_yaku():
    table = at_the_end(PINE[0], [PINE[1]], captured=[[PLUM[1], CHERRY[1]]])
    assert table.points == [20 + 30, -50]


def test_a_lightning_that_lay_in_the_field_has_no_user():
    hands, field = [[WILLOW[0]], []], [LIGHTNING, PINE[0], WILLOW[1]]
    table = wild(hands, field, [MAPLE[2]], only_these=True, rounds=1)
    table.play(0, WILLOW[0])
    table.take(0, LIGHTNING)
    assert table.captured(0) == [WILLOW[0], LIGHTNING]
    assert table.field == [PINE[0], MAPLE[2], WILLOW[1]], "all of it is dead"
    assert table.points == [5, 0]


def test_the_next_round_forgets_the_lightnings_target():
    table = at_the_end(PINE[0], [PINE[1]], rounds=3, instant_win=0)
    assert (table.s.wild_user, table.s.wild_month, table.s.wild_gap) == (-1, -1, 0)
    assert table.view(1)["lightning"] is None


# § 6 Scoring a round


def test_points_of_captured_cards():
    table = end_round(last_turn([[PINE[0], PINE[1]], [PAULOWNIA[1], WILLOW[0]]]))
    assert table.points == [30, 15]


@pytest.mark.parametrize("cards", YAKU.values(), ids=YAKU.keys())
def test_every_yaku_costs_each_opponent_fifty(cards):
    table = end_round(last_turn([[], cards, []], 3))
    assert table.points == [-50, rules.POINTS[cards].sum(), -50]


@pytest.mark.parametrize("cards", YAKU.values(), ids=YAKU.keys())
def test_a_yaku_split_between_players_costs_nothing(cards):
    table = end_round(last_turn([cards[:1], cards[1:]]))
    assert table.points == [rules.POINTS[cards[:1]].sum(), rules.POINTS[cards[1:]].sum()]


def test_the_willow_ribbon_does_not_replace_a_red_ribbon():
    table = end_round(last_turn([[WISTERIA[1], IRIS[1], WILLOW[2]]]))
    assert table.points == [30, 0]


def test_a_card_counts_for_both_of_its_yaku():
    both = sorted({*YAKU["い"], *YAKU["ほ"]})  # the Sake cup is in both
    table = end_round(last_turn([both]))
    assert table.points == [rules.POINTS[both].sum(), -100]


def test_yaku_of_several_opponents_add_up():
    table = end_round(last_turn([YAKU["は"], YAKU["に"], YAKU["へ"], []], 4))
    assert table.points == [30 - 100, 30 - 100, 30 - 100, -150]


def test_example_for_three():
    b = [*YAKU["と"], *YAKU["ほ"], PINE[0], PEONY[1], WILLOW[2], PAULOWNIA[1]]
    c = [*YAKU["は"], WISTERIA[1], IRIS[1]]
    in_turn = [PINE[2], PINE[3], PLUM[2], PLUM[3]]
    a = [card for card in range(48) if card not in (*b, *c, *in_turn)]
    assert [rules.POINTS[cards].sum() for cards in (a, b, c)] == [110, 80, 50]
    table = end_round(last_turn([a, b, c], 3))
    assert table.points == [-40, 30, -50]


def test_an_instant_win_scores_five_and_the_others_nothing():
    table = Table(3, [[PLUM[0]], MAPLE, [PLUM[1]]]).lay_open()
    table.declare(1, MAPLE)
    assert table.points == [0, 5, 0], "neither the cards laid open nor anything else counts"


# § 7 Series and end


@pytest.mark.parametrize("rounds", [1, 3, 6, 12])
@pytest.mark.parametrize("num_players", [2, 7])
def test_a_series_has_so_many_rounds(rounds, num_players):
    table = Table(num_players, rounds=rounds)
    table.env.reset(seed=rounds)
    for round_index in range(rounds):
        assert (table.round, table.over) == (round_index, False)
        table.play_on()
    assert (table.round, table.over) == (rounds, True)
    assert table.legal() == []


def test_three_rounds_by_default():
    assert Table(2).s.rounds == 3


def test_the_winner_of_a_round_starts_the_next():
    table = end_round(last_turn([[PAULOWNIA[1]], [WILLOW[2], IRIS[1]], []], 3, instant_win=0))
    assert (table.s.starter, table.mover) == (1, 1)


def test_the_winner_is_who_has_the_best_score_not_the_most_points():
    captured = [YAKU["は"], [PINE[0], CHERRY[0], PAULOWNIA[0], WILLOW[2]], []]
    table = end_round(last_turn(captured, 3, instant_win=0))
    assert table.points == [30, 20, -50]
    assert table.s.starter == 0


def test_the_winner_may_have_a_negative_score():
    table = end_round(last_turn([YAKU["は"], YAKU["に"], [*YAKU["へ"], PINE[0]]], 3, instant_win=0))
    assert table.points == [-70, -70, -50]
    assert table.s.starter == 2


@pytest.mark.parametrize(("starter", "winner"), [(0, 0), (1, 2), (2, 2)])
def test_among_equals_the_first_in_turn_order_starts(starter, winner):
    captured = [[WILLOW[2]], [], [IRIS[1]]]
    table = end_round(last_turn(captured, 3, starter=starter, instant_win=0))
    assert table.points == [10, 0, 10]
    assert (table.s.starter, table.mover) == (winner, winner)


def test_scores_of_the_rounds_add_up():
    table = last_turn([[WILLOW[2]], [IRIS[1], PINE[1]]])
    table.s.points[:2] = [-30, 7]
    table.s.round_index = 1
    table.refresh()
    assert end_round(table).points == [-20, 27]


def results(captured: Sequence[Sequence[int]]) -> tuple[list[float], list[int], list[float]]:
    """Rewards, ranks and winner shares by seat, from BatchEnv and GameEnv, which must agree."""
    seats = len(captured)
    table = last_turn(captured, seats, rounds=1)
    env = GameEnv(GAME, seats, rounds=1)
    env.set_state(EnvState(table.env.get_states(), (), tuple(env.possible_agents)))
    env.step(PINE[2])
    end_round(table)
    agents = env.possible_agents
    rewards = [env.rewards[agent] for agent in agents]
    ranks = [env.infos[agent]["rank"] for agent in agents]
    assert rewards == table.env.rewards[0, :seats].tolist()
    assert ranks == table.env.final_ranks[0, :seats].tolist()
    assert [env.infos[agent]["score"] for agent in agents] == table.points
    return rewards, ranks, [env.infos[agent]["winner_share"] for agent in agents]


def test_the_highest_total_wins():
    assert results([[], [WILLOW[2]], [PLUM[0]]]) == ([-0.5, 1, -0.5], [2, 0, 1], [0, 1, 0])


def test_equal_totals_share_the_win():
    assert results([[IRIS[1]], [WILLOW[2]]]) == ([0, 0], [0, 0], [0.5, 0.5])
    shared = results([[], [IRIS[1]], [WILLOW[2]]])
    assert shared == ([-0.5, 0.25, 0.25], [2, 0, 0], [0, 0.5, 0.5])


def test_the_table_stays_as_the_last_round_left_it():
    table = end_round(last_turn([[PINE[0]], [PLUM[0]]], rounds=1))
    assert table.captured(0) == [PINE[0], PINE[2], PINE[3], PLUM[2], PLUM[3]]
    assert table.captured(1) == [PLUM[0]]


def test_an_instant_win_may_end_the_series():
    table = Table(2, [PINE], rounds=1).lay_open()
    table.declare(0, PINE)
    assert table.over
    assert table.points == [5, 0]


# § 8 Decisions


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (0, "play Pine Crane"),
        (43, "play Willow Lightning"),
        (48, "declare four Pine"),
        (59, "declare four Paulownia"),
        (60, "no action (60)"),
    ],
)
def test_action_ids_in_words(action, words):
    assert GAME.words.action(Table(2).s, action) == words


def test_taking_in_words():
    table = Table(2, [[PINE[0]]], PINE[1:3])
    table.play(0, PINE[0])
    words = GAME.words.action(table.s, PINE[1])
    assert words == "take Pine poetry ribbon with Pine Crane"


@pytest.mark.parametrize("month", MONTHS)
def test_hiki_ids_are_48_and_the_month(month):
    table = Table(2, [[month[0], month[1]]], month[2:])
    assert [action for action in table.legal() if action >= 48] == [48 + month[0] // 4]


def test_playing_the_only_card_of_a_hand_is_a_decision():
    table = Table(2, [[PINE[0]], [PLUM[0]]], [], [MAPLE[0]])
    table.play(0, PINE[0])
    assert (table.mover, table.legal()) == (1, [PLUM[0]])


def test_captures_of_one_or_three_and_turned_cards_need_no_decision():
    table = Table(2, [[PINE[0]], [CHERRY[0]]], [PINE[1], *MAPLE[1:]], [MAPLE[0]])
    table.play(0, PINE[0])
    assert table.captured(0) == [*PINE[:2], *MAPLE]
    assert table.mover == 1


def test_all_turns_without_a_choice_and_the_next_deal_are_one_step():
    pile = [month[0] for month in MONTHS[2:]]
    hands = [[PINE[0]], [], []]
    table = Table(3, hands, [], pile, only_these=True, instant_win=0)
    table.play(0, PINE[0])
    assert table.round == 1
    assert [len(table.hand(seat)) for seat in range(3)] == [7, 7, 7]


def test_two_choices_in_one_turn():
    table = Table(2, [[PINE[0]]], [*PINE[1:3], *PLUM[1:3]], [PLUM[0]])
    table.play(0, PINE[0])
    table.take(0, PINE[1])
    assert (table.mover, table.legal()) == (0, PLUM[1:3])
    table.take(0, PLUM[2])
    assert table.captured(0) == [*PINE[:2], PLUM[0], PLUM[2]]
    assert table.mover == 1


def test_while_a_card_waits_for_its_target_it_belongs_to_nobody():
    table = Table(2, [[PINE[0], PLUM[0]]], PINE[1:3])
    table.play(0, PINE[0])
    assert (table.hand(0), table.field, table.captured(0)) == ([PLUM[0]], PINE[1:3], [])
    assert table.view(1)["open_card"] == "Pine Crane"


def test_cards_of_others_cannot_be_played():
    table = Table(2, [[PINE[0]], [PLUM[0]]])
    with pytest.raises(ValueError, match=r"player_0 cannot play action 4 \(play Plum Warbler\)"):
        table.play(0, PLUM[0])
    with pytest.raises(ValueError, match=r"declare four Pine.*legal: 0 \(play Pine Crane\)"):
        table.declare(0, PINE)


def test_only_matches_can_be_taken():
    table = Table(2, [[PINE[0]]], [*PINE[1:3], PLUM[0]])
    table.play(0, PINE[0])
    with pytest.raises(ValueError, match=r"take Plum Warbler with Pine Crane"):
        table.take(0, PLUM[0])


# § 9 What a player knows


def told(table: Table, seat: int) -> tuple[Any, ...]:
    """All that the seat is told: its view in words, and the bytes of its observation."""
    pieces = table.pieces(seat)
    return table.view(seat), {name: piece.tobytes() for name, piece in pieces.items()}


def draws(table: Table, reader: int) -> list[Table]:
    """States that are all possible for the reader, who is told the same in each of them."""
    others = [table.resampled(reader, seed) for seed in range(DRAWS)]
    for other in others:
        assert told(other, reader) == told(table, reader)
    return others


def in_midgame(num_players: int, decisions: int = 9, **options: int) -> Table:
    """A table with a usual deal after some decisions, each the first that is legal."""
    table = Table(num_players, **options)
    table.env.reset(seed=2)
    for _ in range(decisions):
        table.decide(table.mover, table.legal()[0])
    return table


def test_a_view_holds_the_own_hand_and_all_that_lies_open():
    hands, field = [[PINE[0]], [PLUM[0], PLUM[1]]], [MAPLE[0]]
    table = Table(2, hands, field, captured=[[], [CHERRY[0]]])
    view = table.view(0)
    assert view["hand"] == ["Pine Crane"]
    assert view["field"] == ["Maple Deer"]
    assert view["captured"][1]["bright"] == ["Cherry Curtain"]
    assert view["hand_sizes"] == [1, 2]
    assert view["pile_size"] == 48 - 5
    assert (view["to_move"], view["starter"], view["round"]) == (0, 0, 0)
    assert not {"hands", "pile"} & set(view)
    assert {"hands", "pile"} <= set(GAME.words.view(table.s, None))


@pytest.mark.parametrize("num_players", [2, 7])
def test_unseen_cards_are_those_of_the_other_hands_and_the_pile(num_players):
    table = in_midgame(num_players, 5)
    for seat in range(num_players):
        others = [c for q in range(num_players) if q != seat for c in table.hand(q)]
        hidden = sorted([*others, *table.pile])
        assert table.view(seat)["unseen"] == named_in(*hidden)
        assert np.flatnonzero(table.pieces(seat)["unseen"]).tolist() == hidden


def test_the_text_for_a_seat_shows_only_its_hand():
    table = Table(2, [[PINE[0]], [PLUM[0]]])
    assert "Plum Warbler" not in GAME.words.text(table.s, 0)
    assert "Plum Warbler" in GAME.words.text(table.s, 1)
    assert "Plum Warbler" in GAME.words.text(table.s, None)


@pytest.mark.parametrize("lightning", [0, 1])
@pytest.mark.parametrize("num_players", [2, 4])
def test_resampling_deals_the_unseen_cards_anew_and_nothing_else(num_players, lightning):
    table = in_midgame(num_players, lightning=lightning)
    for reader in range(num_players):
        others = draws(table, reader)
        for other in others:
            assert conserved(other.env.states)
            for name in ("captured", "field", "open_card", "stage", "points", "top", "wild_user"):
                assert np.array_equal(other.s[name], table.s[name]), name
            assert other.hand(reader) == table.hand(reader)
        assert len({tuple(other.s.hand) for other in others}) > DRAWS / 2
        assert len({tuple(other.pile) for other in others}) == DRAWS


def test_every_unseen_card_may_be_in_the_other_hand():
    table = Table(2, [[PINE[0]], PLUM[:3]])
    held = {card for other in draws(table, 0) for card in other.hand(1)}
    assert len(held) > 30
    assert PINE[0] not in held


def test_deals_to_come_are_unknown():
    table = last_turn([[PINE[0]], [PLUM[0]]], instant_win=0)
    next_fields = {end_round(other).s.field.item() for other in draws(table, 0)}
    assert len(next_fields) == DRAWS


def ended_by_an_instant_win() -> tuple[Table, int]:
    """A series that is over before a card was played, and its winner."""
    table = Table(2, rounds=1)
    table.env.reset(seeds=np.array([60]))
    assert table.s.stage == rules.DECLARE
    winner = int(table.s.current_player)
    table.env.step(np.flatnonzero(table.env.action_mask[0])[:1])
    assert table.s.terminated
    return table, winner


@pytest.mark.parametrize("reader", [0, 1])
def test_after_an_instant_win_the_own_cards_are_still_told(reader):
    table, winner = ended_by_an_instant_win()
    pieces = table.pieces(reader)
    assert pieces["hand"].sum() == (4 if reader == winner else 8)
    assert np.flatnonzero(pieces["hand"]).tolist() == table.hand(reader)
    assert pieces["unseen"].sum() == 48 - 8 - 8 - (0 if reader == winner else 4)
    assert pieces["pile"] == 1
    for name in ("mover", "starter", "stage", "gain", "hiki"):
        assert not pieces[name].any(), "nobody is to decide"


@pytest.mark.parametrize("reader", [0, 1])
def test_the_end_by_an_instant_win_can_be_resampled(reader):
    """Everybody knows then that a hand held a whole month."""
    table, winner = ended_by_an_instant_win()
    for other in draws(table, reader):
        assert other.s.captured[winner] == table.s.captured[winner]


def test_resampling_is_fixed_by_its_seed():
    table = in_midgame(3)
    one, same, other = (table.resampled(1, seed).env.states.tobytes() for seed in (5, 5, 6))
    assert one == same
    assert one != other


def test_cards_put_down_from_the_hand_are_remembered_in_the_round():
    table = Table(2, [[PINE[0], PLUM[0]], IRIS[:3]], [PLUM[1], IRIS[3]], [MAPLE[0], MAPLE[1]])
    table.play(0, PINE[0])
    table.declare(1, IRIS)
    for seat in range(2):
        assert table.view(seat)["put_down"] == [named_in(PINE[0]), named_in(*IRIS[:3])]
    table = end_round(last_turn([], instant_win=0))
    assert table.view(0)["put_down"] == [[], []]


def few_unseen(
    hands: Sequence[Sequence[int]],
    field: Sequence[int] = (),
    pile: Sequence[int] = (),
    **settings: Any,
) -> Table:
    """A table on which seat 0 has captured all cards that are not told."""
    elsewhere = {*hands[0], *hands[1], *field, *pile}
    rest = [card for card in range(48) if card not in elsewhere]
    return Table(2, hands, field, pile, captured=[rest], only_these=True, **settings)


@pytest.mark.parametrize(
    ("instant_win", "possible"), [(1, CLOVER[:2]), (0, [PINE[3], *CLOVER[:2]])]
)
def test_no_instant_win_means_that_nobody_was_dealt_a_month(instant_win, possible):
    hands, pile = [[MAPLE[0]], [CLOVER[0]]], [PINE[3], CLOVER[1]]
    table = few_unseen(hands, [], pile, put_down=[[], PINE[:3]], instant_win=instant_win)
    held = {card for other in draws(table, 0) for card in other.hand(1)}
    assert held == set(possible), "seat 1 has put down three Pines"


def test_while_an_instant_win_is_declared_another_hand_may_hold_a_month():
    table = few_unseen([PINE, [*PLUM[:3], CHERRY[0]]], [], [PLUM[3]]).lay_open()
    assert PLUM in [other.hand(1) for other in draws(table, 0)]


def struck(pines: Sequence[int] = PINE[1:], **settings: Any) -> Table:
    """Seat 0 has taken the Crane with the Lightning, and nobody interrupted. The unseen cards are
    `pines` and two Peonies; all but two of them are in the hand of seat 1."""
    hands = [[LIGHTNING, MAPLE[0], IRIS[1]], [*pines[1:], PEONY[0]]]
    pile = [IRIS[2], pines[0], PEONY[1]]
    table = few_unseen(hands, [PINE[0], IRIS[0]], pile, lightning=1, **settings)
    table.play(0, LIGHTNING)
    table.take(0, PINE[0])
    return table


@pytest.mark.parametrize("instant_win", [0, 1])
def test_no_interrupt_means_that_no_hand_held_the_rest_of_the_month(instant_win):
    table = struck(instant_win=instant_win)
    hands = [other.hand(1) for other in draws(table, 0)]
    assert len({tuple(hand) for hand in hands}) > 2
    assert PINE[1:] not in hands


def test_the_lightnings_user_may_hold_the_rest_of_the_month():
    hands = [[LIGHTNING, *PINE[1:3], PEONY[1]], [MAPLE[0], MAPLE[1]]]
    table = few_unseen(hands, [PINE[0], IRIS[0]], [IRIS[1], PINE[3], PEONY[0]], lightning=1)
    table.play(0, LIGHTNING)
    table.take(0, PINE[0])
    assert PINE[1:] in [other.hand(0) for other in draws(table, 1)]


def test_a_month_of_which_a_card_was_captured_tells_nothing():
    table = struck(PINE[1:3])
    assert table.s.wild_gap == 0
    assert len({tuple(other.hand(1)) for other in draws(table, 0)}) == 6, "two of four cards"


def test_everybody_knows_which_month_the_lightning_captured_from():
    table = struck()
    for seat in range(2):
        assert table.view(seat)["lightning"] == {"by": 0, "month": "Pine"}
        assert np.flatnonzero(table.pieces(seat)["struck"]).tolist() == [0]


def test_seats_are_told_relative_to_the_reader():
    table = Table(3, captured=[[PINE[0]], [], [MAPLE[0]]], starter=2)
    pieces = table.pieces(1)
    assert [np.flatnonzero(row).tolist() for row in pieces["captured"][:3]] == [[], [36], [0]]
    assert pieces["mover"].tolist() == [0, 1, 0, 0, 0, 0, 0]
    assert pieces["hand_size"][3:].tolist() == [0] * 4, "no such seats"


def test_pieces_on_yaku():
    table = Table(2, captured=[YAKU["は"][:2], [MAPLE[0]]])
    yaku = table.pieces(0)["yaku"]
    assert yaku[0, 2] == pytest.approx(2 / 3)
    assert yaku[0, [4, 7]].tolist() == [-1, -1], "seat 1 has the Deer"
    assert yaku[1, 2] == -1
    assert yaku[1, [4, 7]] == pytest.approx(1 / 3)


# § 10 Options


def test_options_and_their_defaults():
    assert {option.name: option.default for option in GAME.options} == {
        "rounds": 3,
        "instant_win": 1,
        "lightning": 0,
    }


@pytest.mark.parametrize(
    ("option", "value", "allowed"),
    [
        ("rounds", 2, r"\[1, 3, 6, 12\]"),
        ("instant_win", 2, r"\[0, 1\]"),
        ("lightning", -1, r"\[0, 1\]"),
    ],
)
def test_wrong_values_are_rejected_with_what_is_allowed(option, value, allowed):
    with pytest.raises(ValueError, match=f"{option}.*{allowed}, got {value}"):
        BatchEnv(GAME, 1, 2, options={option: value})


def test_unknown_options_are_rejected_with_the_known_ones():
    with pytest.raises(ValueError, match=r"no option 'wild'.*rounds, instant_win, lightning"):
        BatchEnv(GAME, 1, 2, options={"wild": 1})


@pytest.mark.parametrize("num_players", [1, 8])
def test_two_to_seven_players(num_players):
    with pytest.raises(ValueError, match=f"2 to 7 players, got num_players={num_players}"):
        BatchEnv(GAME, 1, num_players)


# What holds in every game


def conserved(states: np.ndarray) -> bool:
    """Whether every card lies in exactly one place in each of the states."""
    places = np.arange(48)
    times = np.zeros((len(states), 48), np.int64)
    for cards in (*states["hand"].T, *states["captured"].T, states["field"]):
        times += cards[:, None] >> places & 1
    for i in np.flatnonzero(states["open_card"] >= 0):
        times[i, states["open_card"][i]] += 1
    in_pile = states["pile"].astype(np.int64)
    in_pile[places < states["top"][:, None]] = -1
    times += (in_pile[:, :, None] == places).sum(axis=1)
    return bool((times == 1).all())


def games_to_the_end(num_players: int, **options: int) -> Iterator[np.ndarray]:
    env = BatchEnv(GAME, GAMES, num_players, auto_reset=False, options=options)
    env.reset(seed=num_players)
    return played(env)


@pytest.mark.parametrize("lightning", [0, 1])
@pytest.mark.parametrize("num_players", DEALS)
def test_48_cards_at_every_step_and_never_a_whole_month_in_the_field(num_players, lightning):
    for states in games_to_the_end(num_players, rounds=1, lightning=lightning):
        assert conserved(states)
        for m in range(12):
            assert not (states["field"] >> 4 * m & 15 == 15).any()


@pytest.mark.parametrize("num_players", DEALS)
def test_a_round_ends_with_an_empty_field_and_240_points(num_players):
    *_, finished = games_to_the_end(num_players, rounds=1, instant_win=0)
    for s in finished:
        captured = s["captured"][:num_players]
        assert s["field"] == 0
        assert not s["hand"].any()
        assert captured.sum() == ALL_CARDS
        yaku = sum(rules.yaku_held(cards) for cards in captured)
        assert s["points"].sum() == 240 - 50 * (num_players - 1) * yaku


@pytest.mark.parametrize("num_players", DEALS)
def test_with_the_lightning_only_dead_cards_are_left(num_players):
    *_, finished = games_to_the_end(num_players, rounds=1, instant_win=0, lightning=1)
    for s in finished:
        assert not s["hand"].any()
        if s["wild_month"] >= 0:
            assert s["field"] >> 4 * s["wild_month"] & 15 == 0
            assert s["captured"][s["wild_user"]] & set_of([LIGHTNING])
    assert (finished["wild_month"] >= 0).any(), "the rule was tried"
