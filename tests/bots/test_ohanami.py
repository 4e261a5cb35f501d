"""The random bot, and the scripted players of Ohanami: chosen positions, and how well they play."""

import numpy as np
import pytest

from bots.playing import GAMES, choice, play
from hanazono.envs.core.batch import BatchEnv
from hanazono.envs.core.bots import random_bot
from hanazono.envs.ohanami import GAME, bots
from rules.ohanami_positions import AWAY, Table

BOTS = ("random", "smallest_gap", "value_gap")


def picks(table: Table, bot: str) -> list[int]:
    """The two cards that the bot picks for the player to decide, by number."""
    chosen = []
    for _ in range(2):
        action = choice(table, bot)
        chosen.append(action + 1)
        table.decide(table.mover, action)
    return chosen


def placings(table: Table, bot: str) -> list[tuple[int, int]]:
    """The bot places both picks of the player to decide: cards and rows, or AWAY."""
    seat, chosen = table.mover, []
    for _ in range(2):
        action = choice(table, bot)
        which, target = divmod(action - 120, 4)
        chosen.append((int(table.s.picks[seat, which]) + 1, target + 1))
        table.decide(seat, action)
    return chosen


def three_rows(hand: list[int]) -> Table:
    """Seat 0 holds this hand, ten cards, and has rows 20–30, 60–70 and 100."""
    table = Table(2, hands=[hand], aside=[20, 30, 60, 70, 100])
    table.put(0, 1, 20, 30)
    table.put(0, 2, 60, 70)
    table.put(0, 3, 100)
    return table


def hardly_anything_fits() -> Table:
    """Seat 0 holds 61 to 69, which no row takes, and 119, which extends a row by one step."""
    table = Table(2, hands=[[*range(61, 70), 119]], aside=[1, 2, 60, 70, 117, 118])
    table.put(0, 1, 60, 70)
    table.put(0, 2, 2, 118)
    table.put(0, 3, 1, 117)
    return table


# random


def test_random_plays_every_legal_action_equally_often():
    mask = np.zeros(GAME.num_actions, np.int8)
    mask[[3, 50, 127]] = 1
    env = BatchEnv(GAME, 3000, 2)
    env.reset(seed=0)
    env.action_mask[:] = mask
    actions = np.full(3000, -1)
    env.act("random", np.arange(3000), 0, actions)
    times = np.bincount(actions, minlength=GAME.num_actions)
    assert times.sum() == times[[3, 50, 127]].sum() == 3000
    assert abs(times[[3, 50, 127]] - 1000).max() < 4 * np.sqrt(3000 * 2 / 9)


def test_random_follows_its_seed_and_changes_with_it():
    table = Table(2)
    by_seed = [choice(table, "random", seed) for seed in range(12)]
    assert by_seed == [choice(table, "random", seed) for seed in range(12)]
    assert len(set(by_seed)) > 3


def test_random_is_the_engines_own():
    assert GAME.bots["random"] is random_bot


# smallest_gap


def test_smallest_gap_picks_the_cards_closest_to_row_ends():
    table = three_rows([10, 18, 25, 34, 41, 52, 65, 79, 95, 120])
    # 18 lies 2 below row 1, 34 lies 4 above it; 95 lies 5 below row 3
    assert picks(table, "smallest_gap") == [18, 34]


def test_smallest_gap_counts_to_the_nearest_of_all_rows():
    table = three_rows([1, 2, 3, 4, 45, 46, 47, 82, 83, 84])
    # 47 lies 13 below row 2, 46 lies 14, 45 lies 15; 82 lies 12 above row 2, 83 lies 13
    assert picks(table, "smallest_gap") == [82, 47]


def test_smallest_gap_takes_a_misfit_only_when_nothing_fits():
    assert picks(hardly_anything_fits(), "smallest_gap") == [119, 61]


def test_smallest_gap_starts_a_row_rather_than_leave_a_gap_wider_than_fourteen():
    assert bots.NEW_ROW_GAP == 14
    for card, row in ((44, 1), (45, 2)):
        table = Table(2, hands=[[card, 31]], aside=[20, 30])
        table.put(0, 1, 20, 30)
        table.pick(0, card, 31)
        table.pick_lowest(1)
        table.place(0, 31, AWAY)
        action = choice(table, "smallest_gap")
        assert action == 120 + row - 1, f"{card} is {card - 30} above row 1"


def test_smallest_gap_places_the_closer_card_first():
    table = Table(2, hands=[[55, 52]], aside=[40, 50])
    table.put(0, 1, 40, 50)
    table.pick(0, 55, 52)
    table.pick_lowest(1)
    assert placings(table, "smallest_gap") == [(52, 1), (55, 1)]


def test_smallest_gap_discards_only_what_fits_nowhere():
    table = three_rows([25, 65, 119, 120, 1, 2, 3, 4, 5, 6])
    table.pick(0, 25, 119)
    table.pick_lowest(1)
    assert table.places_for(25) == [2, 3, AWAY]
    assert placings(table, "smallest_gap") == [(119, 3), (25, 2)]


# value_gap


def value(table: Table, card: int) -> float:
    return float(bots.card_value(table.s, 0, card - 1))


def test_value_is_points_until_the_end_less_a_quarter_of_the_gap():
    table = three_rows([34, 36, 35, 31, 1, 2, 3, 4, 5, 6])
    assert value(table, 34) == 9 - 0.25 * 4  # blue, round 1
    assert value(table, 36) == 8 - 0.25 * 6  # green
    assert value(table, 35) == 7 - 0.25 * 5  # grey
    assert value(table, 31) == 1 + 4 - 0.25 * 1  # pink, the first, with 4 for those to come


def test_value_gap_takes_points_from_farther_away():
    table = three_rows([31, 34, 1, 2, 3, 4, 5, 6, 119, 120])
    assert picks(table.copy(), "smallest_gap")[0] == 31
    assert picks(table.copy(), "value_gap")[0] == 34
    assert value(table, 34) > value(table, 31)


def test_value_gap_takes_the_closer_of_two_equal_colours():
    table = three_rows([34, 44, 1, 3, 5, 6, 7, 9, 119, 120])
    assert picks(table, "value_gap")[0] == 34


def test_of_cards_that_fit_nowhere_value_gap_takes_the_best():
    assert picks(hardly_anything_fits(), "value_gap") == [119, 62], "62 is blue, 61 pink"


def test_value_gap_places_as_smallest_gap():
    for pair in ((55, 52), (52, 55), (25, 119)):
        table = three_rows([25, 52, 55, 119, 1, 2, 3, 4, 5, 6])
        table.pick(0, *pair)
        table.pick_lowest(1)
        assert placings(table.copy(), "value_gap") == placings(table.copy(), "smallest_gap")


# All of them


@pytest.mark.parametrize("bot", BOTS)
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_every_bot_plays_legal_games_to_the_end(bot, num_players):
    env = play(GAME, (bot,) * num_players, games=50)
    assert env.terminated.all()


def test_bots_are_listed_weakest_first():
    assert tuple(GAME.bots) == BOTS


def test_an_unknown_bot_is_refused():
    with pytest.raises(ValueError, match="no bot 'clever'; its bots: random, smallest_gap"):
        choice(Table(2), "clever")


# How well they play: fixed seeds, by default a table for two


@pytest.mark.parametrize(
    ("bot", "mean"), [("random", 82.1), ("smallest_gap", 177.3), ("value_gap", 178.4)]
)
def test_mean_score_against_itself(bot, mean):
    points = play(GAME, (bot, bot)).final_scores[:, :2, 0].mean(axis=1)  # of both seats, by game
    noise = points.std() / np.sqrt(GAMES)
    assert noise < 0.5
    assert abs(points.mean() - mean) < 4 * noise


def test_value_gap_wins_82_percent_against_smallest_gap():
    first = play(GAME, ("value_gap", "smallest_gap")).rewards[:, 0]
    second = play(GAME, ("smallest_gap", "value_gap")).rewards[:, 1]
    share = (np.concatenate([first, second]) + 1) / 2  # a draw counts as half
    noise = 0.5 / np.sqrt(2 * GAMES)
    assert abs(share.mean() - 0.82) < 4 * noise


def test_smallest_gap_hardly_ever_loses_to_random():
    won = play(GAME, ("smallest_gap", "random"), games=500).rewards[:, 0]
    assert (won == 1).mean() > 0.99


@pytest.mark.parametrize("bot", BOTS)
def test_no_seat_has_an_advantage(bot):
    points = play(GAME, (bot, bot)).final_scores[:, :2, 0]
    lead = points[:, 0] - points[:, 1]
    assert abs(lead.mean()) < 4 * lead.std() / np.sqrt(GAMES)
