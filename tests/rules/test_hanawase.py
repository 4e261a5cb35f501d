"""The rules of Hanawase, one test a rule, in the order of envs/hanawase/RULES.md.

See hanawase_positions.py for how cards are told and tables are set.
"""

from functools import cache
from itertools import combinations
from typing import Any

import numba
import numpy as np
import pytest

from hanazono.envs.core.batch import BatchEnv
from hanazono.envs.hanafuda.deck import ALL_CARDS, CARDS, NAMES
from hanazono.envs.hanawase import GAME, rules
from hanazono.envs.hanawase.render import yaku_names
from hanazono.envs.hanawase.yaku import YAKU_NAMES
from rules.hanawase_positions import BIKI, NAKA, OYA, Table, card, cards, ids, names

SEAT_COUNTS = (3, 4, 5, 6, 7)
SIX = "Pine plain a, Plum plain a, Cherry plain a, Wisteria plain a, Iris plain a, Peony plain a"
compiled_only = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="needs thousands of games, which plain Python is slow at"
)


def dealt(num_games: int, num_players: int, **options: int) -> BatchEnv:
    env = BatchEnv(GAME, num_games, num_players, auto_reset=False, options=options)
    env.reset(seeds=np.arange(num_games))
    return env


def play_at_random(env: BatchEnv) -> None:
    """One decision of the random bot in every game."""
    actions = np.zeros(env.num_envs, np.int64)
    env.act("random", np.arange(env.num_envs), 1, actions)
    env.step(actions)


# § 1 Cards


@pytest.mark.parametrize(
    ("told", "points"),
    [
        ("Crane, Curtain, Moon, Rainman, Phoenix", 20),
        ("Warbler, Cuckoo, Bridge, Butterflies, Boar, Geese, Sake cup, Deer, Swallow", 10),
        ("Pine poetry ribbon, Peony blue ribbon, Iris red ribbon, Willow red ribbon", 5),
        ("Pine plain a, Lightning, shaded plain, Paulownia plain b", 1),
    ],
)
def test_points_of_a_card(told, points):
    assert {int(rules.card_points(cards(name))) for name in told.split(", ")} == {points}
    assert {int(rules.CARD_POINTS[c]) for c in ids(told)} == {points}


def test_all_cards_count_264():
    assert rules.card_points(ALL_CARDS) == rules.CARD_POINTS.sum() == 264


def test_card_numbers_follow_the_months():
    assert [card(told) for told in ("Crane", "Warbler", "Moon", "Geese")] == [0, 4, 28, 29]
    assert ids("Willow") == [40, 41, 42, 43]
    assert ids("Rainman, Swallow, Willow red ribbon, Lightning") == [40, 41, 42, 43]


# § 2 Deal


@pytest.mark.parametrize(
    ("num_players", "hands", "stock"),
    [(3, 3, 21), (4, 4, 14), (5, 5, 7), (6, 6, 0), (7, 6, 0)],
)
def test_seven_cards_each_six_in_the_field_the_rest_is_the_stock(num_players, hands, stock):
    states = dealt(50, num_players).states
    sizes = np.sort(np.bitwise_count(states["hand"]), axis=1)
    assert (sizes == [0] * (7 - hands) + [7] * hands).all()
    assert (np.bitwise_count(states["field"]) == 6).all()
    assert (CARDS - states["top"] == stock).all()


def test_with_seven_players_one_holds_the_blank_card_and_is_out():
    states = dealt(200, 7).states
    assert set(states["blank"]) == set(range(7)), "drawn at random"
    for s in states:
        assert s["hand"][s["blank"]] == 0
        assert s["standing"][s["blank"]] == rules.OUT


@pytest.mark.parametrize("num_players", [3, 4, 5, 6])
def test_with_fewer_players_there_is_no_blank_card(num_players):
    assert (dealt(20, num_players).states["blank"] == -1).all()


def test_everybody_sees_who_holds_the_blank_card():
    table = Table(7, blank=4)
    assert {table.view(seat)["blank"] for seat in range(7)} == {4}
    assert table.standing[4] == "out"


@pytest.mark.parametrize(
    ("num_players", "seed"), [(3, 123), (4, 246), (5, 254), (6, 3562), (7, 3562)]
)
def test_four_cards_of_a_month_in_the_field_are_dealt_again(num_players, seed):
    env = BatchEnv(GAME, 1, num_players)
    env.reset(seeds=np.array([seed]))
    s = env.states[0]
    assert s["chance"] == 1 + 2 * (48 if num_players == 7 else 47), "the dealer, then two deals"
    assert holds_no_month(s["field"])


def holds_no_month(field: int) -> bool:
    return all(int(field) >> 4 * month & 15 != 15 for month in range(12))


@compiled_only
@pytest.mark.parametrize("num_players", SEAT_COUNTS)
def test_one_deal_in_1081_is_dealt_again_at_every_seat_count(num_players):
    states = dealt(20_000, num_players).states
    again = states["chance"] - 1 > (48 if num_players == 7 else 47)
    expected = 20_000 * 12 * 946 / 12_271_512  # 12 months, C(44, 2) other cards, of C(48, 6) fields
    assert abs(again.sum() - expected) < 4 * np.sqrt(expected)
    assert all(map(holds_no_month, states["field"]))


@pytest.mark.parametrize("num_players", SEAT_COUNTS)
def test_the_first_dealer_is_drawn_at_random(num_players):
    states = dealt(200, num_players).states
    assert set(states["dealer"]) == set(range(num_players))


def test_the_seed_alone_fixes_the_first_deal():
    one, other = dealt(3, 5).states, dealt(3, 5).states
    assert one.tobytes() == other.tobytes()
    assert len(np.unique(one["field"])) == 3


# § 3 Enter or retire


def test_with_three_players_everybody_plays():
    table = Table(3)
    assert table.standing == ["active"] * 3
    assert table.phase == "play"


@pytest.mark.parametrize("num_players", [4, 5, 6, 7])
def test_the_dealer_declares_first_then_counterclockwise(num_players):
    table = Table(num_players, dealer=2)
    assert (table.mover, table.phase) == (2, "declare")
    assert table.legal() == [rules.ENTER, rules.RETIRE]
    table.enter(2)
    assert table.mover == 3
    table.enter(3)
    assert table.mover == 4 % num_players


def test_declaring_passes_over_the_holder_of_the_blank_card():
    table = Table(7, dealer=5, blank=6)
    table.enter(5)
    assert table.mover == 0
    assert Table(7, dealer=6, blank=6).mover == 0, "also where that is the dealer"


@pytest.mark.parametrize("num_players", [4, 5, 6, 7])
def test_three_have_entered_and_the_others_are_forced_out(num_players):
    table = Table(num_players)
    table.enter(0, 1, 2)
    assert table.standing == ["active"] * 3 + ["out"] * (num_players - 3)
    assert (table.phase, table.mover) == ("play", 0)


@pytest.mark.parametrize(("num_players", "may_retire"), [(4, 1), (5, 2), (6, 3), (7, 3)])
def test_three_are_left_and_must_play(num_players, may_retire):
    table = Table(num_players)
    table.retire(*range(may_retire))
    blank = ["out"] * (num_players == 7)
    assert table.standing == ["retired"] * may_retire + ["active"] * 3 + blank
    assert (table.phase, table.mover) == ("play", may_retire)


def test_who_has_entered_plays_with_those_who_must():
    table = Table(5)
    table.enter(0)
    table.retire(1)
    table.enter(2)
    assert table.phase == "declare"
    table.retire(3)
    assert table.standing == ["active", "retired", "active", "retired", "active"]


def test_the_last_to_declare_may_still_choose_who_of_the_rest_plays():
    table = Table(6)
    table.enter(0, 1)
    table.retire(2, 3)
    assert (table.phase, table.mover) == ("declare", 4)
    entered, retired = table.copy(), table
    entered.enter(4)
    retired.retire(4)
    assert entered.standing[4:] == ["active", "out"]
    assert retired.standing[4:] == ["retired", "active"]


@pytest.mark.parametrize("num_players", [4, 5, 6, 7])
def test_hands_that_are_out_go_into_a_pile_of_21(num_players):
    table = Table(num_players)
    given = {seat: set(table.hand(seat)) for seat in range(3, num_players)}
    stock = {NAMES[c] for c in table.pile_ids}
    field = table.field
    table.enter(0, 1, 2)
    pile = {NAMES[c] for c in table.pile_ids}
    assert len(table.pile_ids) == 21
    assert pile == stock.union(*given.values())
    assert [len(table.hand(seat)) for seat in range(num_players)] == [7] * 3 + [0] * len(given)
    assert table.field == field


def test_given_back_hands_are_shuffled_with_the_stock():
    orders = set()
    for seed in range(5):
        table = Table(4)
        table.s.seed = seed
        before = int(table.s.chance)
        table.enter(0, 1, 2)
        assert table.s.chance == before + 20
        orders.add(tuple(table.pile_ids))
    assert len(orders) == 5


def test_nobody_pays_for_retiring_or_being_forced_out():
    table = Table(5)
    table.retire(0)
    table.enter(1, 2, 3)
    assert table.points == [0] * 5
    table.finish()
    assert (table.points[0], table.points[4]) == (0, 0)


def test_the_dealer_is_oya_the_next_active_players_naka_and_biki():
    assert Table(3, dealer=1).roles == [1, 2, 0]
    table = Table(6, dealer=4)
    table.enter(4)
    table.retire(5)
    table.enter(0)
    table.retire(1)
    table.enter(2)
    assert table.roles == [4, 0, 2]
    assert table.mover == 4


@pytest.mark.parametrize("num_players", [4, 5, 6, 7])
def test_if_the_dealer_is_out_the_first_active_player_after_is_oya(num_players):
    table = Table(num_players, dealer=2)
    table.retire(2)
    while table.phase == "declare":
        table.enter(table.mover)
    assert table.roles[0] == table.mover == 3
    assert table.s.dealer == 2, "the dealer of the round stays the same"


def test_if_the_dealer_holds_the_blank_card_the_first_active_player_after_is_oya():
    table = Table(7, dealer=6, blank=6)
    table.retire(0)
    table.enter(1, 2, 3)
    assert table.roles == [1, 2, 3]


# § 4 Turns


def test_any_card_of_the_hand_may_be_played():
    table = Table(hands=["Crane, Deer, Boar, Moon, Geese, Swallow, Phoenix"], field=SIX)
    assert table.legal() == sorted(ids("Crane, Deer, Boar, Moon, Geese, Swallow, Phoenix"))
    with pytest.raises(ValueError, match=r"player_0 cannot play action 2 \(play Pine plain a\)"):
        table.play(0, "Pine plain a")


def test_a_card_without_a_match_stays_in_the_field():
    table = Table(hands=["Deer"], field=SIX, pile="Boar")
    table.play(0, "Deer")
    assert table.field == names(SIX + ", Deer, Boar")
    assert table.captured(0) == []


def test_one_matching_card_must_be_captured():
    table = Table(hands=["Crane"], field=SIX, pile="Deer")
    table.play(0, "Crane")
    assert table.captured(0) == names("Crane, Pine plain a")
    assert "Pine plain a" not in table.field
    assert table.mover == 1, "nothing was asked"


def test_of_two_matching_cards_the_player_takes_one():
    field = SIX.replace("Plum plain a", "Pine plain b")
    table = Table(hands=["Crane"], field=field, pile="Deer")
    table.play(0, "Crane")
    assert (table.mover, table.phase) == (0, "choose for the played card")
    assert table.legal() == ids("Pine plain a, Pine plain b")
    assert "Pine Crane" not in table.hand(0) + table.field + table.captured(0)
    for taken, left in (("Pine plain a", "Pine plain b"), ("Pine plain b", "Pine plain a")):
        other = table.copy()
        other.play(0, taken)
        assert other.captured(0) == names(f"Crane, {taken}")
        assert left in other.field
        assert (other.mover, other.phase) == (1, "play")


def test_three_matching_cards_are_all_captured():
    field = "Pine poetry ribbon, Pine plain a, Pine plain b, Boar, Moon, Phoenix"
    table = Table(hands=["Crane"], field=field, pile="Deer")
    table.play(0, "Crane")
    assert table.captured(0) == names("Pine")
    assert table.field == names("Boar, Moon, Phoenix, Deer")


def test_the_card_turned_over_stays_without_a_match():
    table = Table(hands=["Crane"], field=SIX, pile="Deer")
    table.play(0, "Crane")
    assert "Maple Deer" in table.field


def test_the_card_turned_over_captures_its_one_match():
    table = Table(hands=["Deer"], field=SIX, pile="Crane")
    table.play(0, "Deer")
    assert table.captured(0) == names("Crane, Pine plain a")


def test_the_card_turned_over_takes_one_of_two():
    field = SIX.replace("Plum plain a", "Pine plain b")
    table = Table(hands=["Deer"], field=field, pile="Crane")
    table.play(0, "Deer")
    assert (table.mover, table.phase) == (0, "choose for the turned card")
    assert table.view(1)["waiting"] == "Pine Crane"
    assert table.legal() == ids("Pine plain a, Pine plain b")
    table.play(0, "Pine plain b")
    assert table.captured(0) == names("Crane, Pine plain b")
    assert (table.mover, table.phase) == (1, "play")


def test_the_card_turned_over_captures_three():
    field = "Pine poetry ribbon, Pine plain a, Pine plain b, Boar, Moon, Phoenix"
    table = Table(hands=["Deer"], field=field, pile="Crane")
    table.play(0, "Deer")
    assert table.captured(0) == names("Pine")


def test_a_played_card_that_stays_may_be_captured_by_the_card_turned_over():
    table = Table(hands=["Deer"], field=SIX, pile="Maple plain a")
    table.play(0, "Deer")
    assert table.captured(0) == names("Deer, Maple plain a")
    assert table.field == names(SIX)


def test_the_pile_is_turned_over_after_the_choice_for_the_played_card():
    field = "Pine plain a, Pine plain b, Maple plain a, Maple plain b, Boar, Moon"
    table = Table(hands=["Crane"], field=field, pile="Deer, Bridge")
    table.play(0, "Crane")
    assert table.view(0)["pile_size"] == 21
    table.play(0, "Pine plain a")
    assert table.view(0)["pile_size"] == 20
    assert table.phase == "choose for the turned card", "a turn may ask twice"
    table.play(0, "Maple plain b")
    assert table.captured(0) == names("Crane, Pine plain a, Deer, Maple plain b")


def test_captured_cards_lie_open():
    table = Table(hands=["Crane"], field=SIX, pile="Deer")
    table.play(0, "Crane")
    for seat in range(3):
        told = table.view(seat)["captured"][0]
        assert (told["bright"], told["plain"]) == (["Pine Crane"], ["Pine plain a"])


@pytest.mark.parametrize(("num_players", "dealer"), [(3, 0), (3, 2), (5, 3)])
def test_oya_naka_and_biki_take_turns_seven_each(num_players, dealer):
    table = Table(num_players, dealer=dealer, rounds=1)
    while table.phase == "declare":
        table.enter(table.mover)
    order = []
    while not table.over:
        if table.phase == "play":
            order.append(table.mover)
        table.play_lowest()
    assert order == [(dealer + r) % num_players for r in range(3)] * 7


@pytest.mark.parametrize("num_players", SEAT_COUNTS)
def test_after_21_turns_everything_is_captured(num_players):
    table = Table(num_players, rounds=1)
    while not table.over:
        table.play_lowest()
    assert int(np.bitwise_or.reduce(table.s.captured)) == ALL_CARDS
    assert (table.field, table.pile_ids, int(table.s.hand.sum())) == ([], [], 0)


# § 5 Yaku

YAKU = [
    ("Goko", "Crane, Curtain, Moon, Rainman, Phoenix", 100),
    ("Shiko", "Crane, Curtain, Moon, Phoenix", 60),
    ("Rainy Four", "Rainman, Crane, Curtain, Moon", 40),
    ("Omote-Sugawara", "Crane, Warbler, Curtain", 30),
    ("Matsu-Kiri-Bozu", "Crane, Moon, Phoenix", 20),
    ("Aotan", "Peony blue ribbon, Chrysanthemum blue ribbon, Maple blue ribbon", 40),
    ("Akatan", "Pine poetry ribbon, Plum poetry ribbon, Cherry poetry ribbon", 40),
    ("Kusa", "Wisteria red ribbon, Iris red ribbon, Bush clover red ribbon", 20),
    ("Boar-Deer-Butterfly", "Boar, Deer, Butterflies", 20),
    ("Hanami", "Curtain, Sake cup", 20),
    ("Tsukimi", "Moon, Sake cup", 20),
    ("Fujishima", "Wisteria", 20),
    ("Kirishima", "Paulownia", 20),
]
BRIGHTS, AOTAN, AKATAN, KUSA = YAKU[0][1], YAKU[5][1], YAKU[6][1], YAKU[7][1]
RIBBONS = f"{AOTAN}, {AKATAN}, {KUSA}".split(", ")
SIX_LOOSE = ", ".join(RIBBONS[i] for i in (0, 1, 3, 4, 6, 7))  # two of each kind
AOTAN_AND_FOUR = ", ".join(RIBBONS[i] for i in (0, 1, 2, 3, 4, 6, 7))
TWO_AND_ONE = ", ".join(RIBBONS[:7])  # Aotan, Akatan and one more


@cache
def priced(**options: int) -> Any:
    """A state with these options, to be read only."""
    return Table(**options).s


def counted(told: str, **options: int) -> list[str]:
    """The yaku that count for a player who has captured these cards."""
    return yaku_names(int(rules.counted_yaku(priced(**options), cards(told))))


def value(told: str, **options: int) -> int:
    """What each opponent pays to that player for yaku."""
    s = priced(**options)
    return int(rules.points_of(s, rules.counted_yaku(s, cards(told))))


@pytest.mark.parametrize(("name", "told", "points"), YAKU)
def test_a_yaku_is_made_of_all_its_cards(name, told, points):
    assert counted(told) == [name]
    assert value(told) == points
    for c in ids(told):
        rest = ", ".join(NAMES[other] for other in ids(told) if other != c)
        assert name not in counted(rest)


@pytest.mark.parametrize("others", list(combinations(("Crane", "Curtain", "Moon", "Phoenix"), 3)))
def test_rainy_four_is_the_rainman_with_any_three_other_brights(others):
    assert counted("Rainman, " + ", ".join(others)) == ["Rainy Four"]


@pytest.mark.parametrize(("count", "name", "points"), [(7, "Nanatan", 40), (6, "Rokutan", 30)])
def test_nanatan_is_any_seven_ribbons_and_rokutan_any_six(count, name, points):
    for some in combinations(RIBBONS, count):
        assert name in counted(", ".join(some))
    assert all(name not in counted(", ".join(some)) for some in combinations(RIBBONS, count - 1))
    assert priced().value[YAKU_NAMES.index(name)] == points


def test_the_willow_ribbon_counts_for_no_ribbon_yaku():
    assert counted(SIX_LOOSE) == ["Rokutan"]
    assert counted(SIX_LOOSE + ", Willow red ribbon") == ["Rokutan"]
    five = SIX_LOOSE.split(", ")[1:]
    assert counted(", ".join(five) + ", Willow red ribbon") == []


def test_more_cards_do_no_harm_and_all_complete_yaku_count():
    made = counted(", ".join(NAMES))
    replaced = {"Shiko", "Rainy Four", "Matsu-Kiri-Bozu", "Rokutan"}
    assert made == [name for name in YAKU_NAMES if name not in replaced]
    assert value(", ".join(NAMES)) == 100 + 30 + 40 + 40 + 40 + 20 + 20 + 20 + 20 + 20 + 20


@pytest.mark.parametrize(
    ("told", "name"),
    [
        (BRIGHTS, "Goko"),
        ("Crane, Curtain, Moon, Phoenix", "Shiko"),
        ("Rainman, Crane, Moon, Phoenix", "Rainy Four"),
    ],
)
def test_of_the_bright_yaku_only_the_highest_counts(told, name):
    assert counted(told) == [name]


def test_the_options_say_which_bright_yaku_is_the_highest():
    told = "Rainman, Crane, Moon, Phoenix"
    assert counted(told, rainy_four=10) == ["Matsu-Kiri-Bozu"]
    assert counted(BRIGHTS, goko=10) == ["Shiko"]


def test_of_bright_yaku_that_are_worth_the_same_the_first_counts():
    assert counted("Rainman, Crane, Moon, Phoenix", rainy_four=20) == ["Rainy Four"]
    assert counted(BRIGHTS, goko=60) == ["Goko"]


def test_omote_sugawara_counts_beside_the_bright_yaku():
    assert counted("Warbler, " + BRIGHTS) == ["Goko", "Omote-Sugawara"]


def test_hanami_and_tsukimi_share_the_sake_cup_and_both_count():
    assert counted("Curtain, Moon, Sake cup") == ["Hanami", "Tsukimi"]


def test_option_matsu_kiri_bozu_stacks():
    told = "Crane, Curtain, Moon, Phoenix"
    assert counted(told, matsu_kiri_bozu_stacks=1) == ["Shiko", "Matsu-Kiri-Bozu"]
    both = counted(BRIGHTS, matsu_kiri_bozu_stacks=1)
    assert both == ["Goko", "Matsu-Kiri-Bozu"], "of the other three still only one"


def test_nanatan_replaces_rokutan():
    assert counted(AOTAN_AND_FOUR) == ["Nanatan", "Aotan"]


def test_rokutan_counts_beside_aotan_akatan_and_kusa():
    assert counted(f"{AOTAN}, {AKATAN}") == ["Aotan", "Akatan", "Rokutan"]
    assert counted(f"{KUSA}, {AKATAN}") == ["Akatan", "Rokutan", "Kusa"]


def test_nanatan_counts_beside_aotan_akatan_and_kusa():
    assert counted(", ".join(RIBBONS)) == ["Nanatan", "Aotan", "Akatan", "Kusa"]


def test_option_nanatan_stacks_pays_the_better():
    assert counted(TWO_AND_ONE, nanatan_stacks=0) == ["Aotan", "Akatan"], "80 against 40"
    assert counted(AOTAN_AND_FOUR, nanatan_stacks=0, aotan=39) == ["Nanatan"]
    assert counted(AOTAN_AND_FOUR, nanatan_stacks=0) == ["Nanatan"], "if equal, Nanatan"
    assert counted(SIX_LOOSE, nanatan_stacks=0) == ["Rokutan"]


def test_a_yaku_without_points_is_none():
    for name, told, _ in YAKU:
        option = name.lower().replace("-", "_").replace(" ", "_")
        assert name not in counted(told, **{option: 0})
    assert counted(BRIGHTS, goko=0) == ["Shiko"], "so it hides no other"
    assert counted(AOTAN_AND_FOUR, nanatan=0) == ["Aotan", "Rokutan"]


@pytest.mark.parametrize(("name", "told", "points"), YAKU)
def test_every_yaku_takes_its_points_from_its_option(name, told, points):
    option = name.lower().replace("-", "_").replace(" ", "_")
    assert value(told, **{option: 200}) == 200 != points


# § 6 Settlement

# Moves that leave a player 8, 9, … cards and nobody a yaku: see OYA, NAKA and BIKI.
OYA_PLAINS = ", ".join(name for name in OYA.split(", ") if "plain" in name)
NAKA_PLAINS = ", ".join(name for name in NAKA.split(", ") if "plain" in name)
TO_FEW_OYA = {"biki": f"{OYA_PLAINS}, Willow red ribbon"}
TO_FEW_NAKA = {"biki": NAKA_PLAINS}
TO_FEW_BIKI = {"naka": ", ".join(name for name in BIKI.split(", ")[7:13])}
# Biki is left with 20 card points.
TO_FUKE = {
    "oya": "Rainman, Sake cup, Deer, Cherry poetry ribbon, Maple blue ribbon, "
    "Bush clover red ribbon",
    "biki": "shaded plain",
}


def settled(num_players: int = 3, options: dict[str, int] | None = None, **moved: str) -> Table:
    """A table after its first round, see Table.finish."""
    table = Table(num_players, **(options or {}))
    table.finish(**moved)
    return table


def test_example_card_totals_100_90_74():
    table = settled()
    assert [int(rules.card_points(cards(told))) for told in (OYA, NAKA, BIKI)] == [100, 90, 74]
    assert table.paid("cards") == table.points == [12, 2, -14]


def test_example_five_brights():
    table = settled(oya="Moon, Rainman, Phoenix")
    assert table.made(0) == ["Goko"]
    assert table.paid("yaku") == [200, -100, -100]


def test_several_yaku_of_several_players_are_paid_from_each_opponent():
    table = settled(oya="Sake cup", naka="Boar, Deer")
    assert (table.made(0), table.made(1)) == (["Hanami"], ["Boar-Deer-Butterfly"])
    assert table.paid("yaku") == [40 - 20, 40 - 20, -20 - 20]


FUKE_OF_EACH = [
    {"biki": OYA.removeprefix("Crane, ")},
    {"biki": NAKA.removeprefix("Moon, ")},
    TO_FUKE,
]


@pytest.mark.parametrize("moved", FUKE_OF_EACH)
def test_fuke_at_20_card_points_or_less_of_any_active_player(moved):
    assert settled(**moved).verdict == "Fuke"


def test_21_card_points_are_no_fuke():
    assert settled(**TO_FUKE | {"biki": "shaded plain, Maple plain a"}).verdict == "valid"


def test_fuke_pays_nothing_at_all_but_counts_as_a_round():
    table = settled(**TO_FUKE, options={"hand_yaku": 1})
    assert table.points == [0, 0, 0]
    assert not table.s.settlement.any()
    assert table.made(0) == [], "oya had Hanami"
    assert table.s.round_index == 1


@pytest.mark.parametrize(
    "moved",
    [
        FUKE_OF_EACH[0] | {"biki": FUKE_OF_EACH[0]["biki"] + ", Swallow"},
        TO_FUKE | {"oya": TO_FUKE["oya"] + ", Swallow, Lightning"},
    ],
)
def test_fuke_comes_before_ameshima(moved):
    assert settled(**moved).verdict == "Fuke"


@pytest.mark.parametrize("role", ["oya", "naka", "biki"])
def test_ameshima_leaves_out_all_yaku_and_pays_for_cards(role):
    table = settled(**{role: "Willow", **({} if role == "oya" else {"oya": "Sake cup"})})
    assert table.verdict == "Ameshima-nagashi"
    assert table.paid("yaku") == [0, 0, 0]
    assert any(table.paid("cards"))
    assert table.points == table.paid("cards")


def test_ameshima_leaves_out_oyanaka():
    table = settled(biki=NAKA_PLAINS, oya="Willow")
    assert table.verdict == "Ameshima-nagashi"
    assert table.paid("oyanaka") == [0, 0, 0]


def test_three_willow_cards_are_no_ameshima():
    assert settled(oya="Rainman, Swallow").verdict == "valid"


@pytest.mark.parametrize(
    ("moved", "role", "keeps"),
    [(TO_FEW_OYA, 0, "Maple plain a"), (TO_FEW_NAKA, 1, "Iris plain a"),
     (TO_FEW_BIKI, 2, "Plum plain b")],
)  # fmt: skip
def test_oyanaka_at_8_cards_for_oya_and_naka_and_10_for_biki(moved, role, keeps):
    table = settled(**moved)
    assert table.paid("yaku") == [0, 0, 0]
    assert table.paid("oyanaka") == [60 if r == role else -30 for r in range(3)]
    ((to, told),) = moved.items()
    one_more = {to: ", ".join(name for name in told.split(", ") if name != keeps)}
    assert settled(**one_more).paid("oyanaka") == [0, 0, 0], "with one card more"


def test_several_may_claim_oyanaka():
    table = settled(biki=f"{TO_FEW_OYA['biki']}, {NAKA_PLAINS}")
    assert table.paid("oyanaka") == [60 - 30, 60 - 30, -60]


def test_option_oyanaka():
    assert settled(**TO_FEW_NAKA, options={"oyanaka": 7}).paid("oyanaka") == [-7, 14, -7]
    assert settled(**TO_FEW_NAKA, options={"oyanaka": 0}).paid("oyanaka") == [0, 0, 0]


def test_players_who_are_out_neither_pay_nor_get():
    table = Table(5, dealer=1)
    table.retire(1)
    table.enter(2)
    table.retire(3)
    table.finish(oya="Moon, Rainman, Phoenix")
    assert table.paid("yaku") == [-100, 0, 200, 0, -100]
    assert table.points == table.view(1)["last_round"]["gained"]
    assert table.points[1] == table.points[3] == 0


SIX_PLAINS = "Pine plain a, Pine plain b, Plum plain a, Cherry plain a, Iris plain a, Maple plain a"


@pytest.mark.parametrize(
    ("seventh", "paid"), [("Crane", [40, -20, -20]), ("Iris plain b", [60, -30, -30])]
)
def test_option_hand_yaku_pays_for_six_or_seven_plain_cards_dealt(seventh, paid):
    hands = [f"{SIX_PLAINS}, {seventh}", "Boar, Deer, Moon", "Rainman, Swallow, Curtain"]
    for hand_yaku in (1, 0):
        table = Table(hands=hands, hand_yaku=hand_yaku, rounds=1)
        while not table.over:
            table.play_lowest()
        assert table.verdict != "Fuke"
        assert table.paid("hand yaku") == (paid if hand_yaku else [0, 0, 0])


def test_five_plain_cards_are_no_hand_yaku():
    table = Table(hands=[SIX_PLAINS.replace("Maple plain a", "Crane, Warbler")], hand_yaku=1)
    while table.s.round_index == 0:
        table.play_lowest()
    assert table.paid("hand yaku")[0] <= 0


@pytest.mark.parametrize(
    ("moved", "verdict", "paid"),
    [({"oya": "Willow"}, "Ameshima-nagashi", [-20, 40, -20]), (TO_FUKE, "Fuke", [0, 0, 0])],
)
def test_hand_yaku_are_paid_in_ameshima_and_returned_on_fuke(moved, verdict, paid):
    table = Table(hand_yaku=1)
    table.s.plains_played[1] = 6
    table.finish(**moved)
    assert (table.verdict, table.paid("hand yaku")) == (verdict, paid)


# § 7 Next round and end


def test_who_gained_most_deals_the_next_round():
    assert settled().s.dealer == 0
    assert settled(naka="Crane").s.dealer == 1
    assert settled(biki="Crane, Moon").s.dealer == 2


def test_the_gain_with_yaku_decides_not_the_cards():
    table = settled(naka="Boar, Deer", oya="Moon")
    assert table.paid("cards")[0] > table.paid("cards")[1]
    assert table.s.dealer == 1


def test_among_equals_the_first_of_oya_naka_and_biki_deals():
    tied = settled(naka="Willow red ribbon")
    assert tied.paid("cards") == [7, 7, -14]
    assert tied.s.dealer == 0
    four = "Bush clover plain a, Bush clover plain b, Pampas plain a, Pampas plain b"
    tied = Table(dealer=1)
    tied.finish(naka=four, biki="Crane")
    assert tied.points == [6, -12, 6], "seat 2 is naka, seat 0 biki"
    assert tied.s.dealer == 2


def test_the_dealer_stays_after_fuke():
    table = Table(4, dealer=3)
    table.retire(3)
    table.finish(**TO_FUKE)
    assert table.s.dealer == 3, "also one who was out"
    assert table.mover == 3


def test_a_new_round_is_dealt_with_points_kept():
    table = settled()
    assert table.s.round_index == 1
    assert [len(table.hand(seat)) for seat in range(3)] == [7, 7, 7]
    assert (len(table.field), len(table.pile_ids), table.captured(0)) == (6, 21, [])
    assert table.points == [12, 2, -14]


@pytest.mark.parametrize("rounds", [1, 3, 6, 12])
def test_the_game_lasts_the_rounds_of_its_option_and_points_add_up(rounds):
    table = Table(rounds=rounds)
    for finished in range(rounds):
        assert not table.over
        assert table.s.round_index == finished
        table.finish()
    assert table.over
    assert table.points == [12 * rounds, 2 * rounds, -14 * rounds]
    assert table.legal() == []


def test_a_game_has_twelve_rounds_by_default():
    assert GAME.check_options({})["rounds"] == 12


EVEN = "Willow red ribbon, Pine poetry ribbon, Maple plain a, Maple plain b, Iris plain a, "


@pytest.mark.parametrize(
    ("moved", "points", "rewards", "ranks"),
    [
        ({}, [12, 2, -14], [1, -0.5, -0.5], [0, 1, 2]),
        ({"naka": "Willow red ribbon"}, [7, 7, -14], [0.25, 0.25, -0.5], [0, 0, 2]),
        ({"biki": EVEN + "Iris plain b"}, [0, 0, 0], [0, 0, 0], [0, 0, 0]),
        (TO_FUKE, [0, 0, 0], [0, 0, 0], [0, 0, 0]),
    ],
)
def test_most_points_win_and_ties_share_the_win(moved, points, rewards, ranks):
    table = settled(options={"rounds": 1}, **moved)
    assert table.over
    assert table.points == points
    assert table.env.rewards[0, :3].tolist() == rewards
    assert table.env.final_ranks[0, :3].tolist() == ranks


# § 8 Decisions


def test_the_last_card_of_a_hand_is_still_a_decision():
    table = Table(rounds=1)
    while len(table.hand(2)) > 1 or table.mover != 2 or table.phase != "play":
        table.play_lowest()
    assert table.legal() == ids(table.hand(2)[0])


@pytest.mark.parametrize(
    ("action", "words"),
    [(0, "play Pine Crane"), (47, "play Paulownia plain b"), (48, "enter"), (49, "retire"),
     (50, "no action (50)")],
)  # fmt: skip
def test_action_ids_in_words(action, words):
    assert GAME.words.action(Table(4).s, action) == words


def test_taking_a_card_has_the_id_of_the_card_in_the_field():
    field = SIX.replace("Plum plain a", "Pine plain b")
    table = Table(hands=["Crane"], field=field, pile="Deer")
    table.play(0, "Crane")
    assert [GAME.words.action(table.s, a) for a in table.legal()] == [
        "take Pine plain a",
        "take Pine plain b",
    ]
    with pytest.raises(ValueError, match=r"cannot play action 8 \(take Cherry Curtain\)"):
        table.play(0, "Curtain")


def test_nobody_enters_or_retires_in_play():
    table = Table(3)
    for action in (rules.ENTER, rules.RETIRE):
        assert action not in table.legal()
        with pytest.raises(ValueError, match="cannot play"):
            table.decide(0, action)


@pytest.mark.parametrize("num_players", SEAT_COUNTS)
def test_how_many_decisions_a_round_takes(num_players):
    env = dealt(15, num_players, rounds=1)
    while not env.states["terminated"].all():
        play_at_random(env)
    decisions = env.states["decisions"]
    hands = min(num_players, 6)
    may_declare = range(min(3, hands - 3), hands) if num_players > 3 else [0]
    assert decisions.min() >= 21 + may_declare[0]
    assert decisions.max() <= 21 + 12 + may_declare[-1]
    assert GAME.max_decisions(num_players, {"rounds": 1}) == 21 + 12 + may_declare[-1]


# § 9 What a player knows

DRAWS = 12  # resamplings a test looks at


def five_seats() -> Table:
    """Seats 0, 2 and 4 play, seats 1 and 3 have given back their hands; nothing is played yet."""
    table = Table(5, hands=["Crane", "Moon", "Deer", "Boar", "Bridge"])
    table.enter(0)
    table.retire(1)
    table.enter(2)
    table.retire(3)
    return table


def same_to(seat: int, one: Table, other: Table) -> bool:
    return one.view(seat) == other.view(seat) and np.array_equal(
        one.observe(seat), other.observe(seat)
    )


def test_a_player_sees_the_own_hand():
    table = Table(3, hands=["Crane, Moon"])
    assert {"Pine Crane", "Pampas Moon"} < set(table.view(0)["hand"])
    assert table.view(0)["hand"] == [NAMES[c] for c in np.flatnonzero(table.pieces(0)["hand"])]


def test_a_player_does_not_see_other_hands_or_the_stock():
    table = Table(3, hands=["Crane, Moon", "Deer", "Boar"], field=SIX)
    other = Table(3, hands=["Crane, Moon", "Boar", "Deer"], field=SIX)
    assert same_to(0, table, other)
    stacked = table.copy()
    stacked.stack(", ".join(NAMES[c] for c in table.pile_ids[::-1]))
    assert all(same_to(seat, table, stacked) for seat in range(3))


def test_all_that_is_not_seen_is_unseen():
    table = Table(5, hands=["Crane"])
    told = {NAMES[c] for c in np.flatnonzero(table.pieces(0)["unseen"])}
    assert told == set(NAMES) - set(table.hand(0)) - set(table.field)


def test_a_retired_player_sees_the_own_hand_until_the_pile_is_made():
    table = Table(5, hands=["Crane"])
    hand = table.hand(0)
    table.retire(0)
    assert table.view(0)["hand"] == hand
    table.enter(1, 2, 3)
    assert table.view(0)["hand"] == []
    assert table.view(0)["returned"] == hand


def test_hands_given_back_are_hidden_from_others():
    table = five_seats()
    assert table.view(0)["returned"] == table.view(3)["hand"] == []
    swapped = table.copy()
    swapped.s.returned[3] ^= cards("Boar, Moon")
    swapped.s.returned[1] ^= cards("Boar, Moon")
    swapped.refresh()
    assert all(same_to(seat, table, swapped) for seat in (0, 2, 4))
    assert not same_to(1, table, swapped)


def test_a_card_given_back_is_public_when_it_is_turned_over():
    table = five_seats()
    assert "Pampas Moon" in table.view(1)["returned"]
    table.stack("Moon")
    table.play_lowest()
    while table.mover == 0:
        table.play_lowest()
    assert "Pampas Moon" not in table.view(1)["returned"]
    assert len(table.view(1)["returned"]) == 6
    assert not table.pieces(3)["unseen"][card("Moon")]


def test_the_table_is_public():
    table = five_seats()
    table.play_lowest()
    for seat in range(5):
        told = table.view(seat)
        assert told["standing"] == ["active", "retired", "active", "retired", "active"]
        assert told["roles"] == {"oya": 0, "naka": 2, "biki": 4}
        assert told["hand_sizes"] == [6, 0, 7, 0, 7]
        assert (told["dealer"], told["round"], told["rounds"]) == (0, 0, 12)
        assert told["field"] == table.field


def test_a_reader_is_told_seats_and_chairs_from_the_own():
    table = five_seats()
    table.stack("Willow red ribbon")
    told = table.pieces(2)
    assert told["mover"].tolist() == told["dealer"].tolist() == [0, 0, 0, 1, 0, 0, 0]
    assert told["role"][:5].tolist() == [[0, 1, 0], [0] * 3, [0, 0, 1], [1, 0, 0], [0] * 3]
    for reader, chair in ((0, 0), (2, 2), (4, 1), (1, 2), (3, 1)):
        other = table.copy()
        other.s.captured[0], other.s.hand[0] = other.s.hand[0], 0
        seen = np.flatnonzero(other.pieces(reader)["captured"][chair])
        assert [NAMES[c] for c in seen] == table.hand(0)


def test_a_reader_is_told_what_a_card_would_capture():
    field = "Pine plain a, Maple plain a, Maple plain b, Boar, Moon, Swallow"
    told = Table(hands=["Crane, Maple blue ribbon, Deer, Bridge"], field=field).pieces(0)
    flags = [told["captures"][card(name)] for name in ("Crane", "Deer", "Bridge")]
    assert flags == [1, 1, 0]
    gains = [told["gain"][card(name)] * 36 for name in ("Crane", "Maple blue ribbon", "Bridge")]
    assert np.allclose(gains, [21, 6, 0])


def test_progress_tells_cards_held_and_yaku_out_of_reach():
    table = Table(hands=["Curtain"], field=SIX, pile="Deer")
    table.play(0, "Curtain")
    hanami = YAKU_NAMES.index("Hanami")
    for reader, chair in ((0, 0), (1, 2), (2, 1)):
        progress = table.pieces(reader)["progress"]
        told = progress[:, hanami].tolist()
        assert told == [0.5 if j == chair else -1 for j in range(3)]
        assert np.allclose(progress[chair, 0], 1 / 5)


def test_how_the_last_round_was_settled_is_public():
    table = settled(oya="Moon, Rainman, Phoenix")
    for seat in range(3):
        told = table.view(seat)["last_round"]
        assert told["verdict"] == "valid"
        assert told["yaku"] == [["Goko"], [], []]
        assert told["paid"]["yaku"] == [200, -100, -100]


def test_plain_cards_played_from_the_hand_are_counted_openly():
    table = Table(hands=["Pine plain a"], field=SIX.replace("Pine plain a", "Boar"), pile="Moon")
    table.play(0, "Pine plain a")
    assert table.view(2)["plains_played"] == {"oya": 1, "naka": 0, "biki": 0}


@pytest.mark.parametrize("reader", range(5))
def test_resampling_keeps_what_the_reader_knows_and_changes_the_rest(reader):
    table = five_seats()
    table.play_lowest()
    others, piles = set(), set()
    for seed in range(DRAWS):
        other = table.resampled(reader, seed)
        assert same_to(reader, table, other)
        others.add(tuple(tuple(other.hand(seat)) for seat in (0, 2, 4) if seat != reader))
        piles.add(tuple(other.pile_ids))
    assert len(others) == len(piles) == DRAWS


def test_resampling_leaves_the_cards_that_the_reader_gave_back_in_the_pile():
    table = five_seats()
    given = set(table.view(1)["returned"])
    places = set()
    for seed in range(DRAWS):
        other = table.resampled(1, seed)
        assert given <= {NAMES[c] for c in other.pile_ids}
        places.add(other.pile_ids.index(card("Moon")))
    assert len(places) > 3, "their places are unknown"


def test_resampling_may_deal_what_others_gave_back_to_active_players():
    table = five_seats()
    held = set()
    for seed in range(DRAWS):
        other = table.resampled(0, seed)
        assert other.hand(0) == table.hand(0)
        held |= set(other.hand(2) + other.hand(4))
    assert held & set(table.view(1)["returned"])


def test_resampling_before_the_pile_is_made_keeps_the_hand_of_who_has_retired():
    table = Table(6)
    table.retire(0, 1)
    hands = set()
    for seed in range(DRAWS):
        other = table.resampled(0, seed)
        assert other.hand(0) == table.hand(0)
        assert [len(other.hand(seat)) for seat in range(6)] == [7] * 6
        hands.add(tuple(other.hand(1)))
    assert len(hands) == DRAWS


def test_resampling_tells_nothing_of_later_deals():
    table = Table(3)
    fields = set()
    for seed in range(DRAWS):
        other = table.resampled(0, seed)
        other.finish()
        fields.add(tuple(other.field))
    assert len(fields) == DRAWS


# § 10 Options


@pytest.mark.parametrize("name", ["goko", "rainy_four", "kirishima", "oyanaka"])
@pytest.mark.parametrize("wrong", ["20", 20.5, -10, 201, None])
def test_a_wrong_value_is_told_which_are_allowed(name, wrong):
    with pytest.raises(ValueError, match=rf"'{name}'.* an integer from 0 to 200, got {wrong!r}"):
        BatchEnv(GAME, 1, 3, options={name: wrong})


@pytest.mark.parametrize(
    ("name", "wrong", "allowed"),
    [
        ("rounds", 2, r"\[1, 3, 6, 12\]"),
        ("rounds", "12", r"\[1, 3, 6, 12\]"),
        ("hand_yaku", 2, r"\[0, 1\]"),
        ("nanatan_stacks", -1, r"\[0, 1\]"),
        ("matsu_kiri_bozu_stacks", "yes", r"\[0, 1\]"),
    ],
)
def test_a_wrong_choice_is_told_which_are_allowed(name, wrong, allowed):
    with pytest.raises(ValueError, match=f"'{name}' of Hanawase takes one of {allowed}"):
        BatchEnv(GAME, 1, 3, options={name: wrong})


def test_unknown_options_are_told_which_there_are():
    with pytest.raises(ValueError, match=r"no option 'gokou'; its options: rounds, goko, shiko"):
        BatchEnv(GAME, 1, 3, options={"gokou": 100})


@pytest.mark.parametrize("num_players", [2, 8])
def test_hanawase_is_played_by_three_to_seven(num_players):
    with pytest.raises(ValueError, match=r"3 to 7 players"):
        BatchEnv(GAME, 1, num_players)


def test_defaults_are_the_points_of_the_table():
    defaults = GAME.check_options({})
    for name, _, points in YAKU:
        assert defaults[name.lower().replace("-", "_").replace(" ", "_")] == points
    assert (defaults["nanatan"], defaults["rokutan"], defaults["oyanaka"]) == (40, 30, 30)
    stacks = (defaults["matsu_kiri_bozu_stacks"], defaults["nanatan_stacks"])
    assert (*stacks, defaults["hand_yaku"]) == (0, 1, 0)


# What holds in all games


def places(states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How many cards each game holds in all places, and their set."""
    one = np.int64(1)
    in_pile = np.arange(CARDS) >= states["top"][:, None]
    pile = np.where(in_pile, one << states["pile"].astype(np.int64), 0)
    waiting = np.where(states["card"] >= 0, one << states["card"].clip(0).astype(np.int64), 0)
    sets = np.hstack(
        [states["hand"], states["captured"], states["field"][:, None], waiting[:, None], pile]
    )
    return np.bitwise_count(sets).sum(1), np.bitwise_or.reduce(sets, axis=1)


@pytest.mark.parametrize("num_players", SEAT_COUNTS)
def test_48_cards_are_on_the_table_at_every_decision(num_players):
    env = dealt(10, num_players, rounds=1)
    while not env.states["terminated"].all():
        count, together = places(env.states)
        assert (count == CARDS).all()
        assert (together == ALL_CARDS).all()
        play_at_random(env)


@pytest.mark.parametrize("num_players", SEAT_COUNTS)
def test_264_card_points_and_steps_that_sum_to_zero_at_the_end_of_every_round(num_players):
    env = dealt(10, num_players, rounds=3, hand_yaku=1)
    rounds = env.states["round_index"].copy()
    ends = 0
    while not env.states["terminated"].all():
        play_at_random(env)
        for s in env.states[env.states["round_index"] != rounds]:
            ends += 1
            assert (s["settlement"] != 0).any(0).sum() <= 3, "nobody but active players"
            assert (s["settlement"].sum(1) == 0).all(), "88 for each of three is 264"
            assert s["points"].sum() == 0
        rounds = env.states["round_index"].copy()
    assert ends == 30
    for s in env.states:
        assert sum(int(rules.card_points(captured)) for captured in s["captured"]) == 264


@compiled_only
def test_ameshima_comes_in_30_to_33_percent_of_rounds():
    games = 8_000
    env = dealt(games, 3, rounds=1)
    while not env.states["terminated"].all():
        play_at_random(env)
    share = (env.states["last_void"] == rules.AMESHIMA).mean()
    tolerance = 4 * np.sqrt(0.33 * 0.67 / games)  # four standard errors, 0.021
    assert 0.30 - tolerance < share < 0.33 + tolerance
