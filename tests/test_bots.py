"""The scripted players: what they decide in chosen positions, and how well they play."""

from functools import cache

import numpy as np
import pytest

from hanazono.envs import sakura
from hanazono.envs.core.batch import BatchEnv
from hanazono.envs.core.bots import random_bot
from hanazono.envs.core.game import Game
from hanazono.envs.hanafuda.deck import NAMES, cards_of, set_of
from hanazono.envs.ohanami import GAME, bots
from hanazono.envs.sakura.knowledge import unseen
from rules.positions import AWAY, Table

OHANAMI_BOTS = ("random", "smallest_gap", "value_gap")
SAKURA_BOTS = ("random", "greedy", "careful")
GAMES = 2000


def choice(table: Table, bot: str, seed: int = 0) -> int:
    """The action of the bot for the player to decide."""
    actions = np.full(1, -1)
    table.env.act(bot, np.zeros(1, np.int64), seed, actions)
    return int(actions[0])


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


# greedy and careful, of Sakura


def cards(*starts: str) -> int:
    """The set of all cards whose name starts like this; a plant's name means its four."""
    return set_of(c for c, name in enumerate(NAMES) if name.startswith(starts))


def sakura_table(hand: int, field: int, own: int = 0, rival: int = 0) -> BatchEnv:
    """A table for two whose player to decide has this hand, and has captured `own`."""
    env = BatchEnv(sakura.GAME, 1, 2)
    env.reset(seed=0)
    s, p = env.states.view(np.recarray)[0], int(env.current_player[0])
    s.hand[p], s.field, s.captured[p], s.captured[1 - p] = hand, field, own, rival
    s.hand[1 - p] = set_of(cards_of(unseen(s, p))[:4])
    env.set_states(env.get_states())
    return env


def said(env: BatchEnv, bot: str) -> str:
    """What the bot decides, in words, and does."""
    actions = np.full(1, -1)
    env.act(bot, np.zeros(1, np.int64), 0, actions)
    words = sakura.GAME.words.action(env.states.view(np.recarray)[0], int(actions[0]))
    env.step(actions)
    return words


@pytest.mark.parametrize("bot", SAKURA_BOTS[1:])
def test_sakura_captures_most_points(bot):
    env = sakura_table(cards("Pine plain a", "Plum plain a"), cards("Pine Crane", "Plum Warbler"))
    assert said(env, bot) == "play Pine plain a"


@pytest.mark.parametrize("bot", SAKURA_BOTS[1:])
def test_sakura_takes_the_better_of_two_matches(bot):
    env = sakura_table(cards("Pine plain a"), cards("Pine plain b", "Pine Crane"))
    assert [said(env, bot), said(env, bot)] == [
        "play Pine plain a",
        "take Pine Crane with Pine plain a",
    ]


@pytest.mark.parametrize("bot", SAKURA_BOTS[1:])
def test_sakura_completes_a_yaku_and_prevents_one_rather_than_take_a_bright(bot):
    hand, field = cards("Pine plain a", "Maple plain a"), cards("Pine Crane", "Maple Deer")
    two = cards("Peony Butterflies", "Chrysanthemum Sake cup")
    assert said(sakura_table(hand, field, own=two), bot) == "play Maple plain a"
    assert said(sakura_table(hand, field, rival=two), bot) == "play Maple plain a"


@pytest.mark.parametrize("bot", SAKURA_BOTS[1:])
def test_sakura_knows_that_nobody_can_complete_a_yaku_which_two_players_began(bot):
    hand, field = cards("Pine plain a", "Maple plain a"), cards("Pine Crane", "Maple Deer")
    env = sakura_table(
        hand, field, own=cards("Peony Butterflies"), rival=cards("Chrysanthemum Sake cup")
    )
    assert said(env, bot) == "play Pine plain a"


def test_greedy_gives_the_least_away():
    hand = cards("Plum poetry", "Iris Bridge", "Paulownia shaded", "Paulownia plain a")
    assert said(sakura_table(hand, cards("Maple Deer")), "greedy") == "play Paulownia plain a"


def test_careful_gives_away_what_attracts_no_bright():
    hand, field = cards("Pine plain a", "Wisteria plain a"), cards("Maple Deer")
    assert said(sakura_table(hand, field), "greedy") == "play Pine plain a"
    assert said(sakura_table(hand, field), "careful") == "play Wisteria plain a"


def test_of_equal_captures_careful_lets_wait_the_one_that_nobody_else_can_make():
    hand, field = cards("Plum plain a", "Iris plain a"), cards("Plum poetry", "Iris red")
    gone = cards("Plum Warbler", "Plum plain b")
    assert said(sakura_table(hand, field, own=gone), "greedy") == "play Plum plain a"
    assert said(sakura_table(hand, field, own=gone), "careful") == "play Iris plain a"


def test_careful_lets_hiki_wait():
    hand, field = cards("Pine", "Iris plain a"), cards("Iris plain b")
    assert said(sakura_table(hand, field), "greedy").startswith("declare")
    assert said(sakura_table(hand, field), "careful") == "play Iris plain a"


# All of them


@pytest.mark.parametrize("bot", OHANAMI_BOTS)
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_every_bot_plays_legal_games_to_the_end(bot, num_players):
    env = play(GAME, (bot,) * num_players, games=50)
    assert env.terminated.all()


@pytest.mark.parametrize("bot", SAKURA_BOTS)
@pytest.mark.parametrize("num_players", [2, 5, 7])
@pytest.mark.parametrize("lightning", [0, 1])
def test_every_bot_of_sakura_plays_legal_games_to_the_end(bot, num_players, lightning):
    env = play(sakura.GAME, (bot,) * num_players, games=50, lightning=lightning)
    assert env.terminated.all()


def test_bots_are_listed_weakest_first():
    assert tuple(GAME.bots) == OHANAMI_BOTS
    assert tuple(sakura.GAME.bots) == SAKURA_BOTS


def test_an_unknown_bot_is_refused():
    with pytest.raises(ValueError, match="no bot 'clever'; its bots: random, smallest_gap"):
        choice(Table(2), "clever")


# How well they play: fixed seeds, by default a table for two


@cache
def play(game: Game, players: tuple[str, ...], games: int = GAMES, **options: int) -> BatchEnv:
    """Finished games, deal seeds 0, 1, 2 …, one bot a seat."""
    env = BatchEnv(game, games, len(players), auto_reset=False, options=options)
    env.reset(seeds=np.arange(games))
    actions = np.zeros(games, np.int64)
    while not env.terminated.all():
        for seat, bot in enumerate(players):
            rows = np.flatnonzero((env.current_player == seat) & (env.terminated == 0))
            env.act(bot, rows, 1, actions)
        env.step(actions)
    return env


def wins(bot: str, other: str, seats: int = 2, **options: int) -> np.ndarray:
    """By deal: the bot's share of the win at Sakura against others of one kind, mean of all its
    seats; k winners have 1/k each."""
    shares = np.zeros(GAMES)
    for seat in range(seats):
        players = tuple(bot if p == seat else other for p in range(seats))
        won = play(sakura.GAME, players, **options).final_ranks[:, :seats] == 0
        shares += won[:, seat] / won.sum(axis=1) / seats
    return shares


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


@pytest.mark.parametrize("bot", OHANAMI_BOTS)
def test_no_seat_has_an_advantage(bot):
    points = play(GAME, (bot, bot)).final_scores[:, :2, 0]
    lead = points[:, 0] - points[:, 1]
    assert abs(lead.mean()) < 4 * lead.std() / np.sqrt(GAMES)


@pytest.mark.parametrize(("seats", "percent"), [(2, 56), (4, 28)])
@pytest.mark.parametrize("lightning", [0, 1])
def test_careful_wins_more_than_its_share_against_greedy(seats, percent, lightning):
    shares = wins("careful", "greedy", seats, lightning=lightning)
    noise = shares.std() / np.sqrt(GAMES)
    assert shares.mean() - 2 * noise > 1 / seats
    assert abs(shares.mean() - percent / 100) < 4 * noise


@pytest.mark.parametrize(
    ("bot", "lightning", "percent"),
    [("greedy", 0, 87), ("careful", 0, 90), ("greedy", 1, 89), ("careful", 1, 92)],
)
def test_sakura_bots_win_against_random(bot, lightning, percent):
    shares = wins(bot, "random", lightning=lightning)
    assert abs(shares.mean() - percent / 100) < 4 * shares.std() / np.sqrt(GAMES)
