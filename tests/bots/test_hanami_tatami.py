"""The scripted players of HANAMI: what they decide in chosen positions, and how well they play."""

import numpy as np
import pytest

from bots.playing import choice, play, wins
from hanazono.envs.core.batch import BatchEnv
from hanazono.envs.hanami_tatami import GAME, bots, rules
from hanazono.envs.hanami_tatami.cards import ALL_CARDS, WILD
from rules.hanami_tatami_positions import Table, card_set, ids

BOTS = ("greedy", "planner")


def go_on(table: Table, bot: str) -> list[int]:
    """The bot decides until the turn is over."""
    seat, chosen = table.mover, []
    while table.mover == seat and not table.over:
        chosen.append(choice(table, bot))
        table.decide(chosen[-1])
    return chosen


def without_wild(table: Table) -> Table:
    """The player to decide has used the wild card."""
    table.s.hand[table.mover] &= ALL_CARDS
    table.refresh()
    return table


@pytest.mark.parametrize("bot", BOTS)
def test_the_play_that_joins_the_markers_is_chosen(bot):
    table = without_wild(Table(2, "red 5 7 8, navy 2 5 9").at_play())
    table.put(0, "red 4 6")
    assert go_on(table, bot) == ids("red 5 7 8")
    assert table.area(0) == 5


@pytest.mark.parametrize("bot", BOTS)
def test_the_field_card_that_completes_a_play_is_taken_for_one_that_is_not_needed(bot):
    table = without_wild(Table(2, "red 5 7, green 1, navy 4 9", field="red 6, purple 2 10, navy 2"))
    given, taken, *cards = go_on(table, bot)
    assert given in ids("green 1, navy 4 9")
    assert [taken] == ids("red 6")
    assert cards[:3] == ids("red 5 6 7")


@pytest.mark.parametrize("bot", BOTS)
def test_without_a_combination_a_bot_passes(bot):
    table = without_wild(Table(2, "green 1, red 4, purple 7, yellow 10, navy 4").at_play())
    assert choice(table, bot) == rules.DONE


@pytest.mark.parametrize("bot", BOTS)
def test_the_wild_card_is_played_for_a_square_that_joins_much(bot):
    table = Table(2, "red 2 10, yellow 1, purple 7, navy 5").at_play()
    table.put(0, "red 3 4 5 7 8 9")
    assert go_on(table, bot) == [*ids("red 2 10"), WILD, *ids("red 6")]


@pytest.mark.parametrize("bot", BOTS)
def test_boards_slide_for_more_points_only(bot):
    table = Table(2, "yellow 7 8 9").at_play()
    table.put(0, "green 4 5, red 4, purple 5 6")
    table.play("yellow 7 8 9")
    go_on(table, bot)
    assert table.area(0) >= 5


def test_greedy_does_not_slide_for_nothing():
    table = Table(2, "yellow 7 8 9").at_play()
    table.play("yellow 7 8 9")
    assert choice(table, "greedy") == rules.DONE


def test_planner_sees_two_slides_ahead():
    table = Table(2, "yellow 7 8 9").at_play()
    table.put(0, "green 2 3 4, red 6 7 8")
    table.play("yellow 7 8 9")
    greedy = table.copy()
    go_on(greedy, "greedy")
    go_on(table, "planner")
    assert greedy.area(0) == 3
    assert table.area(0) == 6


def test_planner_slides_to_break_the_area_of_an_opponent():
    table = Table(2, "yellow 7 8 9").at_play()
    table.put(1, "green 10, red 10, purple 10 9 8")
    table.play("yellow 7 8 9")
    go_on(table, "planner")
    assert table.area(1) < 10


def test_planner_waits_with_a_poor_play_but_not_in_the_last_turn():
    table = without_wild(Table(2, "green 2 5 8, red 4, navy 10").at_play())
    assert rules.hand_size(table.s, 0) == 5
    assert bots.may_wait(table.s, 0)
    last = table.copy()
    last.s.top, last.s.deck[:] = 60, 255
    last.refresh()
    assert not bots.may_wait(last.s, 0)
    assert choice(last, "planner") == ids("green 2")[0]


@pytest.mark.parametrize(("num_players", "turns"), [(2, 10), (3, 7), (4, 5)])
def test_turns_left(num_players, turns):
    table, seen = Table(num_players), []
    while not table.over:
        seen.append(int(bots.turns_left(table.s, table.mover)))
        table.pass_turn()
    assert seen == [t for t in range(turns, 0, -1) for _ in range(num_players)]


@pytest.mark.parametrize("bot", BOTS)
def test_deciding_changes_nothing(bot):
    env = BatchEnv(GAME, 4, 2)
    env.reset(seed=1)
    actions = np.zeros(4, np.int64)
    for _ in range(60):
        before = env.get_states().tobytes()
        env.act(bot, np.arange(4), 0, actions)
        assert env.states.tobytes() == before
        env.step(actions)


def test_bots_are_listed_weakest_first():
    assert tuple(GAME.bots) == ("random", *BOTS)


@pytest.mark.parametrize(
    ("better", "worse", "percent"), [("greedy", "random", 96.6), ("planner", "greedy", 61.8)]
)
def test_each_bot_beats_the_one_before(better, worse, percent):
    shares = wins(GAME, better, worse, games=500)
    noise = shares.std() / np.sqrt(len(shares))
    assert shares.mean() - 2 * noise > 0.5
    assert abs(shares.mean() - percent / 100) < 4 * noise


@pytest.mark.parametrize("num_players", [3, 4])
def test_bots_play_at_every_table(num_players):
    env = play(GAME, ("planner", "greedy", "random", "planner")[:num_players], games=10)
    assert env.terminated.all()


def test_shape_prefers_room_to_grow():
    table = Table()
    blocked = table.copy()
    blocked.put(1, "red 4, green 5, purple 5 6")
    squares = card_set("red 5 6")
    assert bots.shape(table.s, squares) > bots.shape(blocked.s, squares)
