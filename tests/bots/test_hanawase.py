"""The scripted players of Hanawase: decisions in chosen positions, and how well they play."""

import numpy as np
import pytest

from bots.playing import choice
from hanazono.envs.core.batch import BatchEnv
from hanazono.envs.hanafuda.deck import NAMES
from hanazono.envs.hanawase import GAME, bots, rules
from rules.hanawase_positions import Table, card, cards

DEALS = 4000


def chosen(table: Table, bot: str) -> str:
    return NAMES[choice(table, bot)]


def test_bots_are_listed_weakest_first():
    assert list(GAME.bots) == ["random", "greedy", "watchful"]


@pytest.mark.parametrize("bot", ["greedy", "watchful"])
def test_captures_the_best_pair(bot):
    hand = "Crane, Boar, Iris plain a, Curtain, Warbler, Butterflies, Sake cup"
    field = "Pine poetry ribbon, Bush clover plain a, Iris plain b, Moon, Deer, Phoenix"
    assert chosen(Table(hands=(hand,), field=field), bot) == "Pine Crane"


@pytest.mark.parametrize("bot", ["greedy", "watchful"])
def test_leaves_the_cheapest_card_when_nothing_matches(bot):
    hand = "Crane, Boar, Iris plain a, Curtain, Warbler, Butterflies, Sake cup"
    field = "Moon, Deer, Geese, Swallow, Phoenix, Cuckoo"
    assert chosen(Table(hands=(hand,), field=field), bot) == "Iris plain a"


@pytest.mark.parametrize("bot", ["greedy", "watchful"])
def test_takes_the_better_of_two_cards(bot):
    table = Table(hands=("Pine plain a",), field="Crane, Pine plain b", pile="Phoenix")
    table.play(0, "Pine plain a")
    assert chosen(table, bot) == "Pine Crane"


def test_greedy_counts_shares_of_yaku():
    s = Table(3).s
    assert bots.card_worth(s, card("Pine plain a")) == 1
    assert bots.card_worth(s, card("Boar")) == pytest.approx(10 + 20 / 3)
    assert bots.card_worth(s, card("Sake cup")) == 10 + 20 / 2 + 20 / 2


def worth(captured: tuple[str, str, str], taken: str) -> float:
    """What capturing these cards is worth to oya when the roles have captured those."""
    s = Table(3).s
    s.captured[:] = [cards(names) for names in captured]
    return float(bots.worth_of(s, 0, np.int64(cards(taken))))


def test_watchful_values_a_card_by_what_it_completes():
    completes = worth(("Sake cup", "", ""), "Curtain, Cherry plain a")
    goes_nowhere = worth(("", "Sake cup", ""), "Curtain, Cherry plain a")
    assert completes > goes_nowhere + 20


def test_watchful_values_denying_a_yaku_that_another_player_nearly_has():
    nearly = worth(("", "Boar, Deer", ""), "Butterflies")
    split = worth(("", "Boar", "Deer"), "Butterflies")
    assert split == pytest.approx(10, abs=0.01), "nobody can complete it any more"
    dry = 1 - 3 * bots.NEXT_CARD**4  # for all three may still complete Ameshima
    denied = bots.NEXT_CARD * 20 * bots.OTHERS_YAKU * dry
    assert nearly == pytest.approx(10 + denied, abs=0.01)


def test_watchful_shuns_rain_while_its_yaku_are_good_and_seeks_it_while_they_are_not():
    s = Table(3).s
    last_willow = np.int64(cards("Lightning"))
    three = cards("Rainman, Swallow, Willow red ribbon")
    s.captured[:] = three | cards("Crane, Warbler, Curtain"), 0, 0
    shuns = bots.yaku_prospect(s, 0, last_willow) - bots.yaku_prospect(s, 0, np.int64(0))
    s.captured[:] = three, cards("Boar, Deer, Butterflies, Moon, Sake cup"), 0
    seeks = bots.yaku_prospect(s, 0, last_willow) - bots.yaku_prospect(s, 0, np.int64(0))
    assert shuns < 0 < seeks


def test_watchful_counts_on_oyanaka_and_fuke_in_its_last_turn():
    s = Table(3).s
    s.turn = 18
    s.captured[:] = cards("Crane, Pine plain a"), 0, 0
    assert bots.card_prospect(s, 0, np.int64(0)) == pytest.approx(21 + bots.QUIET * 60)
    s.captured[:] = cards("Crane"), 0, 0
    assert bots.card_prospect(s, 0, np.int64(0)) == pytest.approx(20 + bots.QUIET * 68)


@pytest.mark.parametrize("bot", ["greedy", "watchful"])
def test_enters_with_a_good_hand_and_retires_with_a_bad_one(bot):
    table = Table(5)
    s, p = table.s, table.mover
    s.hand[p] = cards("Crane, Curtain, Moon, Phoenix, Sake cup, Warbler, Boar")
    assert choice(table, bot) == rules.ENTER
    plains = "Pine plain a, Plum plain a, Cherry plain a, Iris plain a, Peony plain a, "
    s.hand[p] = cards(plains + "Maple plain a, Lightning")
    assert choice(table, bot) == rules.RETIRE


def test_the_first_to_enter_wants_a_better_hand():
    table = Table(5)
    s, p = table.s, table.mover
    s.hand[p] = cards("Crane, Sake cup, Boar, Pine plain a, Plum plain a, Iris plain a, Lightning")
    assert bots.NEXT_HAND < bots.set_worth(s, s.hand[p]) < bots.FIRST_HAND
    assert choice(table, "watchful") == rules.RETIRE
    s.standing[(p + 4) % 5] = rules.ACTIVE
    assert choice(table, "watchful") == rules.ENTER


# How well they play: one round a deal, each deal once from every seat


def gain(bot: str, others: str, num_players: int = 3, deals: int = DEALS) -> tuple[float, float]:
    """Mean points of the bot in a round, and its standard deviation."""
    env = BatchEnv(GAME, num_players * deals, num_players, auto_reset=False, options={"rounds": 1})
    env.reset(seeds=np.repeat(np.arange(deals, dtype=np.uint64), num_players))
    seat = np.tile(np.arange(num_players), deals)
    actions = np.zeros(env.num_envs, np.int64)
    while not env.terminated.all():
        running, own = env.terminated == 0, env.current_player == seat
        env.act(bot, np.flatnonzero(running & own), 1, actions)
        env.act(others, np.flatnonzero(running & ~own), 1, actions)
        env.step(np.where(running, actions, -1))
    points = env.states["points"][np.arange(env.num_envs), seat]
    means = points.reshape(deals, num_players).mean(axis=1)
    return float(means.mean()), float(means.std() / np.sqrt(deals))


def test_watchful_gains_three_points_a_round_from_greedy():
    mean, noise = gain("watchful", "greedy")
    assert abs(mean - 3.5) < 4 * noise
    assert mean > 4 * noise


def test_greedy_gains_forty_points_a_round_from_random():
    mean, noise = gain("greedy", "random", deals=1000)
    assert mean > 30 + 4 * noise


@pytest.mark.parametrize("num_players", [4, 7])
def test_watchful_beats_greedy_where_entering_matters(num_players):
    mean, noise = gain("watchful", "greedy", num_players, deals=2000)
    assert mean > 4 * noise
