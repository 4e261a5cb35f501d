"""The rules of Hanawase, one test a rule, in the order of envs/hanawase/RULES.md.

Cards are called by name; see hanawase_table.py for how tables are set.
"""

import itertools
from collections import Counter

import numpy as np
import pytest

from hanazono.envs.core.aec import EnvState, GameEnv
from hanazono.envs.core.batch import BatchEnv
from hanazono.envs.core.rng import below, keyed
from hanazono.envs.hanafuda.deck import NAMES, cards_of, set_of
from hanazono.envs.hanawase import GAME, rules
from hanazono.envs.hanawase.yaku import RAINY_FOUR, YAKU_NAMES, counted_yaku, points_of
from rules.hanawase_table import (
    EVERYTHING,
    Table,
    card,
    cards,
    in_play,
    last_turn,
    settled,
    split_by,
)

SEAT_COUNTS = (3, 4, 5, 6, 7)
REDEALT = 3562  # a seed whose first deal for seven puts a whole month into the field
GAMES = 12  # games where an invariant is checked; they are played as plain Python too


def dealt(num_players: int, count: int, **options: int) -> BatchEnv:
    """Freshly dealt games with seeds 0, 1, 2 …"""
    env = BatchEnv(GAME, count, num_players, auto_reset=False, options=options)
    env.reset(seeds=np.arange(count, dtype=np.uint64))
    return env


class Stream:
    """The numbered draws of a game, as RULES.md tells them."""

    def __init__(self, seed: int, used: int = 0) -> None:
        self.seed, self.used = seed, used

    def below(self, n: int) -> int:
        self.used += 1
        bits = np.uint64(keyed(np.uint64(self.seed), np.uint64(self.used)))
        return int(below(bits, n))

    def shuffle(self, places: list[int], first: int = 0) -> None:
        for i in range(first, 47):
            j = i + self.below(48 - i)
            places[i], places[j] = places[j], places[i]


# § 1 Cards


@pytest.mark.parametrize(
    ("name", "points"),
    [("Crane", 20), ("Rainman", 20), ("Sake cup", 10), ("Swallow", 10),
     ("Willow red ribbon", 5), ("Pine plain a", 1), ("Lightning", 1), ("shaded plain", 1)],
)  # fmt: skip
def test_points_follow_from_the_rank(name, points):
    assert rules.CARD_POINTS[card(name)] == points
    assert rules.card_points(np.int64(1 << card(name))) == points


def test_all_cards_count_264():
    assert rules.card_points(np.int64(EVERYTHING)) == 264
    assert Counter(rules.CARD_POINTS.tolist()) == {20: 5, 10: 9, 5: 10, 1: 24}


def test_the_best_card_of_a_month_comes_first():
    months = rules.CARD_POINTS.reshape(12, 4).tolist()
    assert all(month == sorted(month, reverse=True) for month in months)


# § 2 Deal


@pytest.mark.parametrize(("num_players", "stock"), [(3, 21), (4, 14), (5, 7), (6, 0), (7, 0)])
def test_seven_cards_each_and_six_in_the_field(num_players, stock):
    table = Table(num_players)
    hands = [table.hand(seat).bit_count() for seat in range(num_players)]
    assert hands == [0 if seat == table.s.blank else 7 for seat in range(num_players)]
    assert table.field.bit_count() == 6
    assert len(table.pile) == stock
    sets = [table.hand(seat) for seat in range(num_players)] + [table.field, set_of(table.pile)]
    assert sum(sets) == EVERYTHING, "no card is dealt twice"


@pytest.mark.parametrize("num_players", SEAT_COUNTS)
def test_the_deal_follows_the_stream_of_chance(num_players):
    table, stream = Table(num_players, seed=5), Stream(5)
    assert table.s.dealer == stream.below(num_players)
    places = list(range(48))
    stream.shuffle(places)
    blank = stream.below(7) if num_players == 7 else -1
    assert table.s.blank == blank
    seats = [seat for seat in range(num_players) if seat != blank]
    for i, seat in enumerate(seats):
        assert table.hand(seat) == set_of(places[7 * i : 7 * i + 7])
    rest = places[7 * len(seats) :]
    assert table.field == set_of(rest[:6])
    assert table.pile == rest[6:]
    assert table.s.chance == stream.used


def test_with_seven_the_holder_of_the_blank_card_is_out():
    states = dealt(7, GAMES).states
    rows = np.arange(GAMES)
    assert (states["standing"][rows, states["blank"]] == rules.OUT).all()
    assert (states["hand"][rows, states["blank"]] == 0).all()
    assert ((states["standing"] == rules.UNDECLARED).sum(axis=1) == 6).all()
    assert (states["current_player"] != states["blank"]).all()


def test_the_second_deal_starts_from_a_new_deck():
    seed = REDEALT
    s = Table(7, seed).s
    assert s.chance == 1 + 2 * 48
    stream, places = Stream(seed), list(range(48))
    assert s.dealer == stream.below(7), "the dealer stays"
    stream.shuffle(places)
    stream.below(7)
    assert any(15 << 4 * m & ~set_of(places[42:]) == 0 for m in range(12))
    places = list(range(48))
    stream.shuffle(places)
    assert s.blank == stream.below(7), "the blank card is dealt again too"
    assert s.field == set_of(places[42:])


def test_other_seeds_deal_other_cards():
    assert len(set(dealt(3, count=50).states["field"].tolist())) == 50


# § 3 Enter or retire


def declaring(num_players: int, dealer: int = 0, blank: int = -1) -> Table:
    """A table before its first declaration, with a chosen dealer and holder of the blank card."""
    seed = 0
    while True:
        table = Table(num_players, seed)
        if table.s.dealer == dealer and blank in (-1, table.s.blank):
            return table
        seed += 1


def test_with_three_players_everybody_plays():
    table = Table(3)
    assert table.standing == "aaa"
    assert table.s.phase == rules.PLAY
    assert rules.ENTER not in table.legal()


def test_the_dealer_declares_first_then_counterclockwise():
    table = declaring(6, dealer=4)
    for seat in (4, 5, 0):
        assert table.legal() == [rules.ENTER, rules.RETIRE]
        table.retire(seat)
    assert table.standing == "raaarr"


def test_the_holder_of_the_blank_card_is_passed_over():
    table = declaring(7, dealer=2, blank=3)
    table.enter(2)
    table.enter(4)
    assert table.standing == "uuaoauu"


def test_a_dealer_with_the_blank_card_declares_nothing():
    table = declaring(7, dealer=2, blank=2)
    assert table.mover == 3


@pytest.mark.parametrize("num_players", SEAT_COUNTS[1:6])
def test_after_three_entries_the_rest_is_forced_out(num_players):
    table = declaring(num_players)
    entered = []
    while table.s.phase == rules.DECLARE:
        entered.append(table.mover)
        table.enter(table.mover)
    assert len(entered) == 3
    expected = ["a" if seat in entered else "o" for seat in range(num_players)]
    assert table.standing == "".join(expected)
    assert list(table.s.actor) == entered


@pytest.mark.parametrize(
    ("num_players", "retired", "standing"),
    [(4, 1, "raaa"), (5, 2, "rraaa"), (6, 3, "rrraaa"), (7, 3, "rrraaao")],
)
def test_when_three_are_left_they_must_play(num_players, retired, standing):
    table = declaring(num_players, blank=6 if num_players == 7 else -1)
    for seat in range(retired):
        assert table.s.phase == rules.DECLARE
        table.retire(seat)
    assert table.standing == standing
    assert table.s.phase == rules.PLAY


def test_some_enter_some_retire():
    table = declaring(5)
    table.retire(0)
    table.enter(1)
    table.enter(2)
    table.enter(3)
    assert table.standing == "raaao", "the third entry forces seat 4 out"


def test_nobody_pays_for_being_out():
    table = declaring(5)
    for _ in range(3):
        table.enter(table.mover)
    assert table.points == [0] * 5


def test_hands_of_players_who_are_out_go_back_into_the_pile():
    table = declaring(5)
    hands, stock, field = [table.hand(seat) for seat in range(5)], table.pile, table.field
    table.retire(0)
    for seat in (1, 2, 3):
        assert table.hand(0) == hands[0], "until all have declared, the hand stays"
        table.enter(seat)
    assert [table.hand(seat) for seat in range(5)] == [0, *hands[1:4], 0]
    assert len(table.pile) == 21
    assert set_of(table.pile) == hands[0] | hands[4] | set_of(stock)
    assert table.field == field


@pytest.mark.parametrize("num_players", SEAT_COUNTS[1:])
def test_the_pile_follows_the_stream_of_chance(num_players):
    table = declaring(num_players)
    stream = Stream(int(table.s.seed), int(table.s.chance))
    while table.s.phase == rules.DECLARE:
        table.retire(table.mover)
    held = sum(table.hand(seat) for seat in range(num_players))
    places = [0] * 27 + cards_of(EVERYTHING & ~held & ~table.field)
    stream.shuffle(places, first=27)
    assert table.pile == places[27:]
    assert table.s.chance == stream.used


def test_with_three_players_the_stock_is_the_pile():
    table = Table(3)
    assert table.s.chance == 1 + 47
    assert len(table.pile) == 21


@pytest.mark.parametrize(
    ("choices", "roles"),
    [("eee", [2, 3, 4]), ("reee", [3, 4, 0]), ("rr", [4, 0, 1]), ("ere", [2, 4, 0])],
)
def test_the_first_active_player_from_the_dealer_on_is_oya(choices, roles):
    table = declaring(5, dealer=2)
    for choice in choices:
        (table.enter if choice == "e" else table.retire)(table.mover)
    while table.s.phase == rules.DECLARE:
        table.enter(table.mover)
    assert list(table.s.actor) == roles
    assert table.mover == roles[0]


# § 4 Turns


def test_a_card_without_match_stays_in_the_field():
    table = in_play(("Crane", "", ""), "Moon", "Phoenix", turn=18)
    table.choose(0, "Crane")
    assert table.field == cards("Moon, Crane, Phoenix")


def test_a_card_captures_its_only_match():
    table = in_play(("Crane", "", ""), "Moon, Pine plain a", "Phoenix", turn=18)
    before = table.captured(0)
    table.choose(0, "Crane")
    assert table.captured(0) & ~before == cards("Crane, Pine plain a")
    assert table.field == cards("Moon, Phoenix")


def test_of_two_matches_the_player_takes_one():
    for taken, left in (("Pine plain a", "Pine plain b"), ("Pine plain b", "Pine plain a")):
        table = in_play(("Crane", "", ""), "Pine plain a, Pine plain b", "Phoenix", turn=18)
        before = table.captured(0)
        table.choose(0, "Crane")
        assert table.legal() == cards_of(cards("Pine plain a, Pine plain b"))
        table.choose(0, taken)
        assert table.captured(0) & ~before == cards(f"Crane, {taken}")
        assert table.field == cards(f"{left}, Phoenix")


def test_three_matches_are_all_captured():
    pines = "Pine poetry ribbon, Pine plain a, Pine plain b"
    table = in_play(("Crane", "", ""), pines, "Phoenix", turn=18)
    before = table.captured(0)
    table.choose(0, "Crane")
    assert table.captured(0) & ~before == cards(f"Crane, {pines}")
    assert table.field == cards("Phoenix")


def test_the_card_turned_over_captures_its_only_match():
    table = in_play(("Crane", "", ""), "Moon", "Geese", turn=18)
    before = table.captured(0)
    table.choose(0, "Crane")
    assert table.captured(0) & ~before == cards("Moon, Geese")
    assert table.field == cards("Crane")


def test_of_two_matches_of_the_card_turned_over_the_player_takes_one():
    table = in_play(("Crane", "", ""), "Moon, Geese", "Pampas plain a", turn=18)
    before = table.captured(0)
    table.choose(0, "Crane")
    assert table.s.phase == rules.CHOOSE_TURNED
    assert table.s.card == card("Pampas plain a")
    table.choose(0, "Geese")
    assert table.captured(0) & ~before == cards("Geese, Pampas plain a")
    assert table.field == cards("Moon, Crane")
    assert table.mover == 1


def test_three_matches_of_the_card_turned_over_are_all_captured():
    table = in_play(("Crane", "", ""), "Moon, Geese, Pampas plain a", "Pampas plain b", turn=18)
    before = table.captured(0)
    table.choose(0, "Crane")
    assert table.captured(0) & ~before == cards("Moon, Geese, Pampas plain a, Pampas plain b")


def test_the_card_turned_over_may_match_the_card_just_played():
    table = in_play(("Crane", "", ""), "Moon", "Pine plain a", turn=18)
    before = table.captured(0)
    table.choose(0, "Crane")
    assert table.captured(0) & ~before == cards("Crane, Pine plain a")


def test_both_parts_of_a_turn_may_ask_for_a_choice():
    field = "Pine plain a, Pine plain b, Moon, Geese"
    table = in_play(("Crane", "", ""), field, "Pampas plain a", turn=18)
    table.choose(0, "Crane")
    assert table.s.phase == rules.CHOOSE_PLAYED
    table.choose(0, "Pine plain a")
    assert table.s.phase == rules.CHOOSE_TURNED
    table.choose(0, "Moon")
    assert table.mover == 1


def test_any_card_of_the_hand_may_be_played_matching_or_not():
    table = in_play(("Crane, Moon, Warbler", "", ""), "Pine plain a", "Phoenix")
    assert table.legal() == cards_of(table.hand(0))
    with pytest.raises(ValueError, match=r"player_0 cannot play action 40 \(play Willow Rainman\)"):
        in_play(("Crane", "Rainman", "")).choose(0, "Rainman")


def test_roles_take_turns_of_one_card_each():
    table = Table(3, seed=3)
    order, turns = list(table.s.actor), []
    while table.s.round_index == 0:
        hand = table.hand(table.mover)
        if table.s.phase == rules.PLAY:
            turns.append(table.mover)
        table.go_on()
        if table.s.round_index == 0 and table.s.phase == rules.PLAY:
            assert hand.bit_count() in (table.hand(turns[-1]).bit_count() + 1, hand.bit_count())
    assert turns == order * 7


def whole_games(num_players: int, count: int, **options: int) -> list[np.ndarray]:
    """The states of random games after every decision, structured [count] each."""
    env, actions, states = dealt(num_players, count, **options), np.zeros(count, np.int64), []
    while not env.terminated.all():
        states.append(env.get_states())
        env.act("random", np.flatnonzero(env.terminated == 0), 1, actions)
        env.step(np.where(env.terminated, -1, actions))
    return [*states, env.get_states()]


@pytest.mark.parametrize("num_players", SEAT_COUNTS)
def test_the_48_cards_are_conserved_at_every_step(num_players):
    for states in whole_games(num_players, GAMES, rounds=3):
        for s in states:
            where = [*s["hand"], *s["captured"], s["field"], set_of(s["pile"][s["top"] :])]
            where.append(1 << int(s["card"]) if s["card"] >= 0 else 0)
            assert sum(map(int, where)) == EVERYTHING
            assert sum(map(int.bit_count, map(int, where))) == 48
            assert all(int(given) & ~set_of(s["pile"][s["top"] :]) == 0 for given in s["returned"])


@pytest.mark.parametrize("num_players", SEAT_COUNTS)
def test_at_the_end_of_a_round_all_cards_are_captured_and_count_264(num_players):
    final = whole_games(num_players, GAMES, rounds=1)[-1]
    for s in final:
        assert sum(map(int, s["captured"])) == EVERYTHING
        assert sum(rules.card_points(captured) for captured in s["captured"]) == 264
        assert (s["field"], s["top"], s["card"]) == (0, 48, -1)
        assert not s["hand"].any()


# § 5 Yaku

YAKU_EXAMPLES = [
    ("Goko", "Crane, Curtain, Moon, Rainman, Phoenix", 100),
    ("Shiko", "Crane, Curtain, Moon, Phoenix", 60),
    ("Rainy Four", "Rainman, Crane, Curtain, Moon", 40),
    ("Rainy Four", "Rainman, Crane, Curtain, Phoenix", 40),
    ("Rainy Four", "Rainman, Crane, Moon, Phoenix", 40),
    ("Rainy Four", "Rainman, Curtain, Moon, Phoenix", 40),
    ("Omote-Sugawara", "Crane, Warbler, Curtain", 30),
    ("Matsu-Kiri-Bozu", "Crane, Moon, Phoenix", 20),
    ("Aotan", "Peony blue ribbon, Chrysanthemum blue ribbon, Maple blue ribbon", 40),
    ("Akatan", "Pine poetry ribbon, Plum poetry ribbon, Cherry poetry ribbon", 40),
    ("Kusa", "Wisteria red ribbon, Iris red ribbon, Bush clover red ribbon", 20),
    ("Boar-Deer-Butterfly", "Boar, Deer, Butterflies", 20),
    ("Hanami", "Curtain, Sake cup", 20),
    ("Tsukimi", "Moon, Sake cup", 20),
    ("Fujishima", "Cuckoo, Wisteria red ribbon, Wisteria plain a, Wisteria plain b", 20),
    ("Kirishima", "Phoenix, shaded plain, Paulownia plain a, Paulownia plain b", 20),
]
RIBBONS = [name for name in NAMES if name.endswith("ribbon")]
COUNTED_RIBBONS = [name for name in RIBBONS if not name.startswith("Willow")]


def yaku(captured: int, **options: int) -> list[str]:
    """The names of the yaku that count for these captured cards."""
    found = int(counted_yaku(Table(3, **options).s, np.int64(captured)))
    return [name for y, name in enumerate(YAKU_NAMES) if found >> y & 1]


def value(captured: int, **options: int) -> int:
    """What each opponent pays for them."""
    s = Table(3, **options).s
    return int(points_of(s, counted_yaku(s, np.int64(captured))))


def test_there_are_fifteen_yaku():
    assert len(YAKU_NAMES) == len(set(YAKU_NAMES)) == 15


@pytest.mark.parametrize(("name", "needed", "points"), YAKU_EXAMPLES)
def test_a_yaku_is_complete_with_its_cards(name, needed, points):
    assert yaku(cards(needed)) == [name]
    assert value(cards(needed)) == points


@pytest.mark.parametrize(("name", "needed", "points"), YAKU_EXAMPLES)
def test_a_yaku_needs_every_one_of_its_cards(name, needed, points):
    for c in cards_of(cards(needed)):
        assert name not in yaku(cards(needed) & ~(1 << c))


@pytest.mark.parametrize(("name", "needed", "points"), YAKU_EXAMPLES)
def test_plain_cards_add_nothing_to_a_yaku(name, needed, points):
    plains = cards("Pine plain a, Plum plain a, Iris plain b, Lightning")
    assert yaku(cards(needed) | plains) == [name]


def test_any_six_ribbons_are_rokutan_and_any_seven_nanatan():
    for size, name in ((6, "Rokutan"), (7, "Nanatan")):
        for chosen in itertools.combinations(COUNTED_RIBBONS, size):
            assert name in yaku(cards(", ".join(chosen)))


def test_the_ribbon_of_willow_does_not_count():
    for size, name in ((6, "Rokutan"), (7, "Nanatan")):
        chosen = [*COUNTED_RIBBONS[: size - 1], "Willow red ribbon"]
        assert name not in yaku(cards(", ".join(chosen)))


def test_rokutan_and_nanatan_points():
    mixed = "Pine poetry ribbon, Plum poetry ribbon, Wisteria red ribbon, Iris red ribbon, "
    mixed += "Peony blue ribbon, Maple blue ribbon"
    assert yaku(cards(mixed)) == ["Rokutan"]
    assert value(cards(mixed)) == 30
    assert value(cards(mixed + ", Cherry poetry ribbon")) == 40 + 40, "Nanatan and Akatan"


@pytest.mark.parametrize(
    ("names", "counted"),
    [
        ("Crane, Curtain, Moon, Rainman, Phoenix", ["Goko"]),
        ("Crane, Curtain, Moon, Phoenix", ["Shiko"]),
        ("Crane, Moon, Rainman, Phoenix", ["Rainy Four"]),
    ],
)
def test_of_four_bright_yaku_only_the_highest_counts(names, counted):
    assert yaku(cards(names)) == counted


def test_the_highest_is_the_one_of_highest_value():
    all_five = cards("Crane, Curtain, Moon, Rainman, Phoenix")
    assert yaku(all_five, goko=30) == ["Shiko"]
    assert yaku(all_five, goko=30, shiko=20) == ["Rainy Four"]
    assert yaku(all_five, matsu_kiri_bozu=200) == ["Matsu-Kiri-Bozu"]


def test_among_bright_yaku_of_equal_value_the_first_counts():
    all_five = cards("Crane, Curtain, Moon, Rainman, Phoenix")
    assert yaku(all_five, shiko=100, rainy_four=100) == ["Goko"]
    assert yaku(all_five, goko=0, rainy_four=60) == ["Shiko"]
    assert yaku(cards("Crane, Moon, Rainman, Phoenix"), matsu_kiri_bozu=40) == ["Rainy Four"]


def test_nanatan_replaces_rokutan():
    seven = cards(", ".join(COUNTED_RIBBONS[:7]))
    assert yaku(seven) == ["Nanatan", "Akatan", "Kusa"]
    assert yaku(seven, rokutan=200) == ["Nanatan", "Akatan", "Kusa"], "whatever they pay"


def test_rokutan_counts_beside_aotan_akatan_and_kusa():
    akatan, kusa = YAKU_EXAMPLES[9][1], YAKU_EXAMPLES[10][1]
    aotan = YAKU_EXAMPLES[8][1]
    assert yaku(cards(f"{akatan}, {kusa}")) == ["Akatan", "Rokutan", "Kusa"]
    assert yaku(cards(f"{aotan}, {akatan}")) == ["Aotan", "Akatan", "Rokutan"]
    assert value(cards(f"{aotan}, {akatan}")) == 40 + 40 + 30


def test_all_nine_ribbons_count_four_times():
    nine = cards(", ".join(COUNTED_RIBBONS))
    assert yaku(nine) == ["Nanatan", "Aotan", "Akatan", "Kusa"]
    assert value(nine) == 40 + 40 + 40 + 20


def test_all_other_yaku_count_together():
    assert yaku(cards("Curtain, Moon, Sake cup")) == ["Hanami", "Tsukimi"]
    names = "Crane, Warbler, Curtain, Moon, Phoenix, Sake cup"
    assert yaku(cards(names)) == ["Shiko", "Omote-Sugawara", "Hanami", "Tsukimi"]
    assert value(cards(names)) == 60 + 30 + 20 + 20


# § 6 Settlement. The digits say which role has captured each card, month by month.

PLAIN_ROUND = split_by("2122 0221 1220 1001 1021 0002 1102 1200 0010 2200 0212 0120")  # no yaku
GOKO_ROUND = split_by("0211 1212 0122 0010 2112 1110 2211 0120 1212 2120 0202 0212")
FUKE_ROUND = split_by("1202 2120 1201 1202 1102 1121 1212 1101 0100 1210 2221 2201")
NEAR_FUKE_ROUND = split_by("2002 1112 2022 1210 2121 1022 1200 2111 1200 1212 1122 1211")
RAIN_ROUND = split_by("1201 2021 0011 2121 2220 0211 0212 0020 2100 0021 1111 1222")
FEW_OYA_ROUND = split_by("2211 0211 1100 0202 1122 2210 2111 1110 2111 1021 2211 2221")
FEW_NAKA_ROUND = split_by("0002 2202 2021 2002 2122 0202 2110 1001 0022 1002 2220 0100")
FEW_BIKI_ROUND = split_by("0211 1201 2001 0121 0010 1001 0110 2002 0002 0110 2110 1221")
FEW_TWO_ROUND = split_by("1101 1201 2110 1021 1011 2212 1211 2111 1121 0111 1110 1021")
NO_FEW_ROUND = split_by("1101 1201 2110 1020 1011 2212 1211 2111 1121 0111 1110 2021")
FEW_IN_RAIN_ROUND = split_by("2002 1211 1222 2212 2121 0111 0221 0011 2222 0122 1111 0112")
YAKU, OYANAKA, CARD_STEP, HANDS = range(4)
NOTHING = [0, 0, 0]


def sizes(captured: list[int]) -> list[int]:
    return [held.bit_count() for held in captured]


def card_totals(captured: list[int]) -> list[int]:
    return [int(rules.card_points(np.int64(held))) for held in captured]


def test_worked_example_of_the_card_totals_100_90_74():
    table = settled(PLAIN_ROUND)
    assert card_totals(PLAIN_ROUND) == [100, 90, 74]
    assert table.paid(CARD_STEP) == [12, 2, -14]
    assert table.paid(YAKU) == table.paid(OYANAKA) == table.paid(HANDS) == NOTHING
    assert table.s.last_void == rules.VALID


def test_worked_example_of_five_brights():
    table = settled(GOKO_ROUND)
    assert table.paid(YAKU) == [200, -100, -100]
    assert table.view(0)["last_round"]["yaku"] == [["Goko"], [], []]


def test_several_holders_pay_each_other():
    both = [cards("Boar, Deer, Butterflies"), cards("Curtain, Sake cup"), 0]
    both[2] = EVERYTHING & ~(both[0] | both[1] | cards("Swallow"))
    both[1] |= cards("Swallow")
    left_out = "rainy_four matsu_kiri_bozu nanatan aotan akatan rokutan kusa fujishima kirishima"
    s = Table(3, **dict.fromkeys(left_out.split(), 0)).s
    s.actor[:], s.captured[:] = (0, 1, 2), both
    rules.settle(s)
    assert s.settlement[YAKU, :3].tolist() == [40 - 20, 40 - 20, -40]


def test_fuke_at_20_points_or_less():
    assert card_totals(FUKE_ROUND)[0] == 20
    table = settled(FUKE_ROUND, hand_yaku=1)
    assert table.s.last_void == rules.FUKE
    assert not table.s.settlement.any()
    assert not table.s.last_yaku.any()
    assert yaku(FUKE_ROUND[1]) == ["Boar-Deer-Butterfly"], "which is not paid"


def test_no_fuke_at_21_points():
    assert card_totals(NEAR_FUKE_ROUND)[0] == 21
    table = settled(NEAR_FUKE_ROUND)
    assert table.s.last_void == rules.VALID
    assert table.paid(CARD_STEP)[0] == 21 - 88


def test_fuke_returns_hand_yaku():
    table = settled(FUKE_ROUND, hand_yaku=1)
    table.s.plains_played[:] = 7, 6, 3
    rules.settle(table.s)
    assert not table.s.settlement.any()


def test_a_void_round_still_counts():
    table = last_turn(FUKE_ROUND)
    table.go_on()
    assert table.s.last_void == rules.FUKE
    assert table.s.round_index == 1
    assert table.points == NOTHING


def test_ameshima_voids_all_yaku_and_only_cards_settle():
    assert yaku(RAIN_ROUND[0]) == ["Boar-Deer-Butterfly"]
    table = settled(RAIN_ROUND)
    assert table.s.last_void == rules.AMESHIMA
    assert table.paid(YAKU) == NOTHING
    assert table.paid(CARD_STEP) == [100 - 88, 95 - 88, 69 - 88]


def test_ameshima_voids_oyanaka_too():
    assert sizes(FEW_IN_RAIN_ROUND)[0] == 8
    assert settled(FEW_IN_RAIN_ROUND).paid(OYANAKA) == NOTHING


def test_ameshima_leaves_hand_yaku_alone():
    table = settled(RAIN_ROUND, hand_yaku=1)
    table.s.plains_played[:] = 6, 0, 0
    rules.settle(table.s)
    assert table.paid(HANDS) == [40, -20, -20]


def test_three_willow_cards_are_no_ameshima():
    assert settled(PLAIN_ROUND).s.last_void == rules.VALID
    for captured in PLAIN_ROUND:
        assert captured & int(rules.WILLOW) != int(rules.WILLOW)


@pytest.mark.parametrize(
    ("captured", "role"), [(FEW_OYA_ROUND, 0), (FEW_NAKA_ROUND, 1), (FEW_BIKI_ROUND, 2)]
)
def test_few_cards_get_30_from_each(captured, role):
    assert sizes(captured)[role] == (8, 8, 10)[role]
    assert settled(captured).paid(OYANAKA) == [60 if r == role else -30 for r in range(3)]


def test_nine_cards_are_too_many_for_oya_and_eleven_for_biki():
    assert sizes(NO_FEW_ROUND)[::2] == [9, 11]
    assert settled(NO_FEW_ROUND).paid(OYANAKA) == NOTHING


def test_several_may_claim_oyanaka():
    assert sizes(FEW_TWO_ROUND)[::2] == [8, 10]
    assert settled(FEW_TWO_ROUND).paid(OYANAKA) == [30, -60, 30]


def test_roles_decide_not_seats():
    table = Table(3)
    table.s.actor[:] = 2, 0, 1
    table.s.captured[:] = FEW_OYA_ROUND
    rules.settle(table.s)
    assert table.paid(OYANAKA) == [-30, -30, 60]
    assert table.paid(CARD_STEP)[2] == card_totals(FEW_OYA_ROUND)[0] - 88


@pytest.mark.parametrize(("plains", "points"), [(5, 0), (6, 20), (7, 30)])
def test_hand_yaku_for_six_or_seven_plains_dealt(plains, points):
    table = settled(PLAIN_ROUND, hand_yaku=1)
    table.s.plains_played[:] = 1, plains, 2
    rules.settle(table.s)
    assert table.paid(HANDS) == [-points, 2 * points, -points]


def test_hand_yaku_are_off_by_default():
    table = settled(PLAIN_ROUND)
    table.s.plains_played[:] = 7, 7, 7
    rules.settle(table.s)
    assert table.paid(HANDS) == NOTHING


def test_all_cards_of_the_dealt_hand_count_for_hand_yaku():
    plains = "Pine plain a, Plum plain a, Cherry plain a, Iris plain a, Peony plain a, "
    plains += "Maple plain a, shaded plain"
    table = in_play((plains, "", ""), rounds=1, hand_yaku=1)
    while not table.over:
        table.go_on()
    assert table.s.plains_played[0] == 7
    if table.s.last_void != rules.FUKE:
        others = sum((0, 0, 0, 0, 0, 0, 20, 30)[n] for n in table.s.plains_played[1:])
        assert table.paid(HANDS)[0] == 60 - others


@pytest.mark.parametrize("num_players", SEAT_COUNTS)
def test_every_step_sums_to_zero(num_players):
    for states in whole_games(num_players, GAMES, rounds=3, hand_yaku=1):
        assert not states["settlement"].sum(axis=2).any()
        assert not states["points"].sum(axis=1).any()


@pytest.mark.parametrize("num_players", SEAT_COUNTS[1:])
def test_players_who_are_out_neither_pay_nor_get(num_players):
    final = whole_games(num_players, GAMES, rounds=1, hand_yaku=1)[-1]
    out = final["standing"] != rules.ACTIVE
    assert out[:, :num_players].sum() == GAMES * (num_players - 3)
    assert not final["points"][out].any()
    assert not final["settlement"].sum(axis=1)[out].any()


# § 7 Next round and end


def test_the_winner_of_the_round_deals_the_next():
    table = last_turn(FEW_NAKA_ROUND)
    table.go_on()
    gains = table.view(0)["last_round"]["gained"]
    assert gains == [105 - 88 - 30, 44 - 88 + 60, 115 - 88 - 30]
    assert table.points == gains
    assert table.s.dealer == gains.index(max(gains)) == 1
    assert table.s.actor[0] == 1


def test_of_equal_winners_the_first_in_turn_deals():
    table = Table(3)
    for actor, winner in (((0, 1, 2), 0), ((2, 0, 1), 2), ((1, 2, 0), 1)):
        table.s.actor[:] = actor
        table.s.settlement[:] = 0
        assert rules.round_winner(table.s) == winner
    table.s.actor[:] = 2, 0, 1
    table.s.settlement[CARD_STEP, :3] = 10, 10, -20
    assert rules.round_winner(table.s) == 0


def test_a_player_who_is_out_never_wins_the_round():
    table = Table(5)
    table.s.actor[:] = 1, 2, 4
    table.s.settlement[:] = 0
    assert rules.round_winner(table.s) == 1


def test_after_fuke_the_dealer_stays():
    for dealer in (0, 1, 2):
        table = last_turn(FUKE_ROUND)
        table.s.dealer = dealer
        table.go_on()
        assert table.s.dealer == dealer


def test_after_fuke_a_dealer_who_was_out_stays():
    table = declaring(4, dealer=3)
    table.retire(3)
    s = table.s
    s.turn, s.phase, s.top, s.field = 20, rules.PLAY, 47, cards("Moon, Crane")
    s.captured[:], s.hand[:], s.returned[:] = FUKE_ROUND, 0, 0
    s.hand[2], s.current_player = cards("Geese"), 2
    s.pile[:47], s.pile[47] = 0, card("Pine plain a")
    taken = cards("Moon, Crane, Geese, Pine plain a")
    for r in range(3):
        s.captured[r] = int(s.captured[r]) & ~taken
    table.refresh()
    table.choose(2, "Geese")
    assert s.last_void == rules.FUKE
    assert s.dealer == 3
    assert table.mover == 3


@pytest.mark.parametrize("rounds", [1, 3, 6, 12])
def test_the_game_ends_after_the_agreed_rounds(rounds):
    table = Table(3, rounds=rounds)
    while not table.over:
        assert table.s.round_index < rounds
        table.go_on()
    assert table.s.round_index == rounds
    assert table.legal() == []


def test_points_add_up_over_the_rounds():
    table, total, last = Table(4, rounds=3), np.zeros(4, int), 0
    while not table.over:
        table.go_on()
        if table.s.round_index > last:
            last += 1
            total += table.view(0)["last_round"]["gained"]
    assert table.points == total.tolist()


@pytest.mark.parametrize(
    ("before", "rewards", "ranks", "shares"),
    [
        ([50, 0, -50], [1.0, -0.5, -0.5], [0, 1, 2], [1, 0, 0]),
        ([0, 10, -10], [0.25, 0.25, -0.5], [0, 0, 2], [1 / 2, 1 / 2, 0]),
        ([-12, -2, 14], [0.0, 0.0, 0.0], [0, 0, 0], [1 / 3, 1 / 3, 1 / 3]),
    ],
)
def test_most_points_win_and_ties_share(before, rewards, ranks, shares):
    table = last_turn(PLAIN_ROUND, rounds=1)  # pays 12, 2, -14
    table.s.points[:3] = before
    env = GameEnv(GAME, 3, rounds=1)
    env.set_state(EnvState(table.env.get_states(), (), tuple(env.possible_agents)))
    env.step(table.legal()[0])
    assert [env.rewards[agent] for agent in env.possible_agents] == rewards
    assert [env.infos[agent]["rank"] for agent in env.possible_agents] == ranks
    assert [env.infos[agent]["winner_share"] for agent in env.possible_agents] == shares
    expected = [points + paid for points, paid in zip(before, (12, 2, -14), strict=True)]
    assert [env.infos[agent]["score"] for agent in env.possible_agents] == expected


# § 8 Decisions


@pytest.mark.parametrize(
    ("action", "words"),
    [(0, "play Pine Crane"), (47, "play Paulownia plain b"), (48, "enter"), (49, "retire"),
     (50, "no action (50)"), (-1, "no action (-1)")],
)  # fmt: skip
def test_action_ids_in_words(action, words):
    assert GAME.words.action(Table(3).s, action) == words


def test_a_choice_is_told_as_taking():
    table = in_play(("Crane", "", ""), "Pine plain a, Pine plain b", "Phoenix", turn=18)
    table.choose(0, "Crane")
    assert GAME.words.action(table.s, card("Pine plain a")) == "take Pine plain a"


def test_the_last_card_of_a_hand_is_still_a_decision():
    table = last_turn(PLAIN_ROUND)
    assert len(table.legal()) == 1
    assert table.s.round_index == 0


def test_a_choice_between_equal_cards_is_still_a_decision():
    table = in_play(("Crane", "", ""), "Pine plain a, Pine plain b", "Phoenix", turn=18)
    table.choose(0, "Crane")
    assert len(table.legal()) == 2


@pytest.mark.parametrize(("num_players", "declarations"), [(3, 0), (4, 3), (5, 4), (6, 5), (7, 5)])
def test_decisions_of_a_round_are_bounded(num_players, declarations):
    most = GAME.max_decisions(num_players, {"rounds": 1})
    assert most == 21 + 12 + declarations
    env = dealt(num_players, GAMES, rounds=1)
    asked: Counter[int] = Counter()
    actions = np.zeros(GAMES, np.int64)
    while not env.terminated.all():
        running = np.flatnonzero(env.terminated == 0)
        asked.update(env.states["phase"][running].tolist())
        env.act("random", running, 1, actions)
        env.step(np.where(env.terminated, -1, actions))
    assert asked[rules.PLAY] == GAMES * 21
    assert env.states["decisions"].max() <= most
    assert asked[rules.DECLARE] <= GAMES * declarations


@pytest.mark.parametrize(("num_players", "longest"), [(4, 3), (5, 4), (6, 5), (7, 5)])
def test_the_longest_declaring(num_players, longest):
    table, asked = declaring(num_players), 0
    while table.s.phase == rules.DECLARE:
        (table.enter if asked < 2 else table.retire)(table.mover)
        asked += 1
    assert asked == longest


# § 9 What a player knows

DRAWS = 12  # resamplings a test looks at


def after_declaring(num_players: int = 5) -> Table:
    """Seat 0 has retired, 1, 2 and 3 play, seat 4 was forced out; some turns are played."""
    table = declaring(num_players)
    table.retire(0)
    for seat in (1, 2, 3):
        table.enter(seat)
    for _ in range(4):
        table.go_on()
    return table


def told(table: Table, seat: int, piece: str) -> int:
    """A set of cards as a piece of the observation."""
    return set_of(np.flatnonzero(table.pieces(seat)[piece]))


def test_a_player_sees_the_own_hand_and_the_field():
    table = Table(3)
    for seat in range(3):
        assert told(table, seat, "hand") == table.hand(seat)
        assert told(table, seat, "field") == table.field
        assert told(table, seat, "unseen") == EVERYTHING & ~table.hand(seat) & ~table.field
        assert table.view(seat)["hand"] == [NAMES[c] for c in cards_of(table.hand(seat))]


def test_captured_cards_are_public():
    table = after_declaring()
    assert sum(table.captured(r) for r in range(3)) > 0
    for seat in (1, 2, 3):
        pieces = table.pieces(seat)["captured"]
        found = [set_of(np.flatnonzero(pieces[j])) for j in range(3)]
        first = list(table.s.actor).index(seat)
        assert found == [table.captured((first + j) % 3) for j in range(3)]


def test_the_hand_stays_in_view_until_the_pile_is_made():
    table = declaring(5)
    hand = table.hand(0)
    table.retire(0)
    assert told(table, 0, "hand") == hand
    assert told(table, 0, "unseen") == EVERYTHING & ~hand & ~table.field


def test_who_is_out_knows_that_the_cards_given_back_are_in_the_pile():
    table = declaring(5)
    hand = table.hand(0)
    table.retire(0)
    for seat in (1, 2, 3):
        table.enter(seat)
    assert cards_of(hand) == [card(name) for name in table.view(0)["returned"]]
    assert told(table, 0, "hand") == 0
    assert told(table, 0, "unseen") & hand == 0
    assert told(table, 1, "unseen") & hand == hand, "others know nothing of them"
    while table.s.round_index == 0:
        given = int(table.s.returned[0])
        assert given == hand & set_of(table.pile)
        table.go_on()
    assert not table.s.returned.any()


def test_a_card_whose_match_is_being_chosen_is_public():
    table = in_play(("Crane", "", ""), "Pine plain a, Pine plain b", "Phoenix", turn=18)
    table.choose(0, "Crane")
    for seat in range(3):
        assert told(table, seat, "waiting") == cards("Crane")
        assert table.view(seat)["waiting"] == "Pine Crane"
    assert told(table, 0, "captures") == cards("Pine plain a, Pine plain b")


def test_a_player_is_told_what_each_card_would_capture():
    hand = "Crane, Boar, Deer"
    field = "Pine plain a, Bush clover red ribbon, Bush clover plain a"
    table = in_play((hand, "", ""), field, turn=12)
    pieces = table.pieces(0)
    assert told(table, 0, "captures") & cards(hand) == cards("Crane, Boar")
    gains = (pieces["gain"] * 36).round().astype(int)
    assert [gains[card(name)] for name in hand.split(", ")] == [21, 15, 0], "the better target"


def test_a_player_is_told_how_far_each_yaku_is():
    own, other = cards("Boar, Deer"), cards("Curtain, Peony blue ribbon")
    s = Table(3).s
    s.captured[:] = own, other, 0
    seen = np.zeros(GAME.layout.size, np.float32)
    GAME.rules.observe(s, s.actor[0], seen)
    progress = GAME.layout.split(seen)["progress"]
    of = YAKU_NAMES.index
    assert progress[0, of("Boar-Deer-Butterfly")] == pytest.approx(2 / 3)
    assert progress[1, of("Boar-Deer-Butterfly")] == -1
    assert progress[0, of("Hanami")] == -1
    assert progress[1, of("Hanami")] == pytest.approx(1 / 2)
    assert progress[2, of("Hanami")] == -1
    assert progress[0, of("Nanatan")] == 0, "a ribbon can be spared"
    assert progress[0, of("Aotan")] == -1


def test_a_player_is_told_what_each_choice_is_worth_to_yaku():
    hand, captured = "Butterflies, Cuckoo, Lightning", (cards("Boar"), cards("Deer"), 0)
    table = in_play((hand, "", ""), "Peony plain a", turn=12)
    table.s.captured[:] = captured
    pieces = table.pieces(0)
    own, theirs = pieces["own_yaku"], pieces["their_yaku"]
    assert own[card("Butterflies")] == 0, "nobody can complete Boar-Deer-Butterfly"
    assert own[card("Cuckoo")] == pytest.approx(-20 / 4 / 100), "it would stay"
    assert theirs[card("Cuckoo")] == pytest.approx(-2 * 20 / 4 / 100)
    assert own[card("Lightning")] == 0
    table.s.captured[:] = cards("Boar, Deer"), 0, 0
    pieces = table.pieces(0)
    assert pieces["own_yaku"][card("Butterflies")] == pytest.approx(20 / 100)
    assert pieces["their_yaku"][card("Butterflies")] == 0


def test_the_rainy_four_is_out_of_reach_without_the_rainman():
    s = Table(3).s
    s.captured[:] = cards("Rainman, Crane"), cards("Curtain"), 0
    seen = np.zeros(GAME.layout.size, np.float32)
    GAME.rules.observe(s, s.actor[0], seen)
    progress = GAME.layout.split(seen)["progress"][:, RAINY_FOUR]
    assert progress == pytest.approx([3 / 5, -1, -1]), "the Rainman counts twice"


def test_seats_are_told_from_the_reader_on():
    table = after_declaring()
    pieces = table.pieces(3)
    assert pieces["mover"].argmax() == (table.mover - 3) % 5
    assert pieces["dealer"].tolist() == [0, 0, 1, 0, 0, 0, 0], "seat 0 sits two places on"
    assert pieces["seated"].tolist() == [1] * 5 + [0] * 2
    assert pieces["standing"].argmax(axis=1)[:5].tolist() == [1, 3, 2, 1, 1]
    assert pieces["role"][0].tolist() == [0, 0, 1]


@pytest.mark.parametrize("reader", range(5))
def test_resampling_changes_only_what_the_reader_cannot_know(reader):
    table = after_declaring()
    view, seen = table.view(reader), table.pieces(reader)
    hidden = [q for q in (1, 2, 3) if q != reader]
    drawn = set()
    for seed in range(DRAWS):
        other = table.copy()
        other.env.resample_hidden(np.array([reader]), np.array([seed]))
        assert other.view(reader) == view
        for name, piece in other.pieces(reader).items():
            assert np.array_equal(piece, seen[name]), name
        cards_now = [other.hand(q) for q in range(5)]
        assert sum(cards_now) | set_of(other.pile) | other.field == EVERYTHING & ~sum(
            other.captured(r) for r in range(3)
        )
        assert int(table.s.returned[reader]) & ~set_of(other.pile) == 0
        drawn.add(tuple(other.hand(q) for q in hidden))
    assert len(drawn) == DRAWS


def test_resampling_shuffles_the_pile_with_the_cards_given_back():
    table, first = after_declaring(), set()
    for seed in range(60):
        other = table.copy()
        other.env.resample_hidden(np.array([0]), np.array([seed]))
        first.add(other.pile[0])
        assert all(int(given) & ~set_of(other.pile) == 0 for given in other.s.returned)
    assert first & set(cards_of(int(table.s.returned[0])))
    assert first - set(cards_of(int(table.s.returned[0])))


def test_resampling_before_the_pile_is_made_deals_hands_and_stock_anew():
    table = declaring(4)
    table.enter(0)
    for reader in range(4):
        other = table.copy()
        other.env.resample_hidden(np.array([reader]), np.array([1]))
        assert other.hand(reader) == table.hand(reader)
        assert set_of(other.pile) != set_of(table.pile)
        assert all(other.hand(q) != table.hand(q) for q in range(4) if q != reader)


def test_resampling_hides_the_deals_to_come():
    table = Table(3)
    table.env.resample_hidden(np.array([0]), np.array([1]))
    assert table.s.seed != 0


def test_nothing_is_hidden_when_the_game_is_over():
    table = last_turn(PLAIN_ROUND, rounds=1)
    table.go_on()
    before = table.env.get_states()
    table.env.resample_hidden(np.array([0]), np.array([1]))
    for name in ("seed", "captured", "pile", "points"):
        assert np.array_equal(table.env.states[name], before[name])


# § 10 Options


def test_defaults_are_those_of_the_rulebook():
    expected = {"rounds": 12, "oyanaka": 30, "hand_yaku": 0}
    expected |= {"matsu_kiri_bozu_stacks": 0, "nanatan_stacks": 1}
    points = [100, 60, 40, 30, 20, 40, 40, 40, 30, 20, 20, 20, 20, 20, 20]
    names = [name.lower().replace("-", "_").replace(" ", "_") for name in YAKU_NAMES]
    assert GAME.check_options({}) == expected | dict(zip(names, points, strict=True))


@pytest.mark.parametrize("y", range(15))
def test_every_yaku_value_is_an_option(y):
    name = YAKU_NAMES[y].lower().replace("-", "_").replace(" ", "_")
    values = Table(3, **{name: 77}).s.value.tolist()
    assert [i for i in range(15) if values[i] == 77] == [y]


def test_a_yaku_of_value_0_is_left_out():
    assert yaku(cards("Curtain, Sake cup"), hanami=0) == []
    assert yaku(cards("Crane, Curtain, Moon, Phoenix"), shiko=0) == ["Matsu-Kiri-Bozu"]
    seven = cards(", ".join(COUNTED_RIBBONS[:7]))
    assert "Rokutan" in yaku(seven, nanatan=0)


def test_oyanaka_is_an_option():
    assert settled(FEW_OYA_ROUND, oyanaka=50).paid(OYANAKA) == [100, -50, -50]
    assert settled(FEW_OYA_ROUND, oyanaka=0).paid(OYANAKA) == NOTHING


def test_matsu_kiri_bozu_may_stack():
    names = "Crane, Moon, Rainman, Phoenix"
    assert yaku(cards(names), matsu_kiri_bozu_stacks=1) == ["Rainy Four", "Matsu-Kiri-Bozu"]
    everything = cards(f"{names}, Curtain")
    assert yaku(everything, matsu_kiri_bozu_stacks=1) == ["Goko", "Matsu-Kiri-Bozu"]
    assert value(everything, matsu_kiri_bozu_stacks=1) == 120


def test_nanatan_may_compete_with_the_small_ribbon_yaku():
    eight = cards(", ".join(name for name in COUNTED_RIBBONS if not name.startswith("Pine")))
    assert yaku(eight, nanatan_stacks=0) == ["Aotan", "Kusa"], "60 against 40"
    assert yaku(eight, nanatan_stacks=0, nanatan=60) == ["Nanatan"], "equal: Nanatan"
    assert yaku(eight, nanatan_stacks=0, nanatan=59) == ["Aotan", "Kusa"]
    assert yaku(eight) == ["Nanatan", "Aotan", "Kusa"]


@pytest.mark.parametrize("bad", ["20", 20.5, 20.0, -10, 201, None, (20,)])
def test_a_value_of_the_wrong_type_or_size_is_refused(bad):
    expected = r"option 'goko' of Hanawase takes an integer from 0 to 200, got "
    with pytest.raises(ValueError, match=expected):
        GAME.check_options({"goko": bad})
    with pytest.raises(ValueError, match=expected):
        GameEnv(GAME, 3, goko=bad)
    with pytest.raises(ValueError, match=expected):
        BatchEnv(GAME, 1, 3, options={"goko": bad})


def test_other_options_list_what_they_take():
    with pytest.raises(ValueError, match=r"'rounds' of Hanawase takes one of \[1, 3, 6, 12\]"):
        GAME.check_options({"rounds": 2})
    with pytest.raises(ValueError, match="has no option 'seven'; its options: rounds, goko"):
        GAME.check_options({"seven": 1})
    with pytest.raises(ValueError, match="3 to 7 players"):
        BatchEnv(GAME, 1, 2)
