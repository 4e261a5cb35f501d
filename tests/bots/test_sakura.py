"""The scripted players of Sakura: what they decide in chosen positions, and how well they play."""

import numpy as np
import pytest

from bots.playing import GAMES, play, wins
from hanazono.envs.core.batch import BatchEnv
from hanazono.envs.hanafuda.deck import NAMES, cards_of, set_of
from hanazono.envs.sakura import GAME
from hanazono.envs.sakura.knowledge import unseen

BOTS = ("random", "greedy", "careful")


def cards(*starts: str) -> int:
    """The set of all cards whose name starts like this; a plant's name means its four."""
    return set_of(c for c, name in enumerate(NAMES) if name.startswith(starts))


def table_for_two(hand: int, field: int, own: int = 0, rival: int = 0) -> BatchEnv:
    """A table for two whose player to decide has this hand, and has captured `own`."""
    env = BatchEnv(GAME, 1, 2)
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
    words = GAME.words.action(env.states.view(np.recarray)[0], int(actions[0]))
    env.step(actions)
    return words


@pytest.mark.parametrize("bot", BOTS[1:])
def test_captures_most_points(bot):
    env = table_for_two(cards("Pine plain a", "Plum plain a"), cards("Pine Crane", "Plum Warbler"))
    assert said(env, bot) == "play Pine plain a"


@pytest.mark.parametrize("bot", BOTS[1:])
def test_takes_the_better_of_two_matches(bot):
    env = table_for_two(cards("Pine plain a"), cards("Pine plain b", "Pine Crane"))
    assert [said(env, bot), said(env, bot)] == [
        "play Pine plain a",
        "take Pine Crane with Pine plain a",
    ]


@pytest.mark.parametrize("bot", BOTS[1:])
def test_completes_a_yaku_and_prevents_one_rather_than_take_a_bright(bot):
    hand, field = cards("Pine plain a", "Maple plain a"), cards("Pine Crane", "Maple Deer")
    two = cards("Peony Butterflies", "Chrysanthemum Sake cup")
    assert said(table_for_two(hand, field, own=two), bot) == "play Maple plain a"
    assert said(table_for_two(hand, field, rival=two), bot) == "play Maple plain a"


@pytest.mark.parametrize("bot", BOTS[1:])
def test_knows_that_nobody_can_complete_a_yaku_which_two_players_began(bot):
    hand, field = cards("Pine plain a", "Maple plain a"), cards("Pine Crane", "Maple Deer")
    env = table_for_two(
        hand, field, own=cards("Peony Butterflies"), rival=cards("Chrysanthemum Sake cup")
    )
    assert said(env, bot) == "play Pine plain a"


def test_greedy_gives_the_least_away():
    hand = cards("Plum poetry", "Iris Bridge", "Paulownia shaded", "Paulownia plain a")
    assert said(table_for_two(hand, cards("Maple Deer")), "greedy") == "play Paulownia plain a"


def test_careful_gives_away_what_attracts_no_bright():
    hand, field = cards("Pine plain a", "Wisteria plain a"), cards("Maple Deer")
    assert said(table_for_two(hand, field), "greedy") == "play Pine plain a"
    assert said(table_for_two(hand, field), "careful") == "play Wisteria plain a"


def test_of_equal_captures_careful_lets_wait_the_one_that_nobody_else_can_make():
    hand, field = cards("Plum plain a", "Iris plain a"), cards("Plum poetry", "Iris red")
    gone = cards("Plum Warbler", "Plum plain b")
    assert said(table_for_two(hand, field, own=gone), "greedy") == "play Plum plain a"
    assert said(table_for_two(hand, field, own=gone), "careful") == "play Iris plain a"


def test_careful_lets_hiki_wait():
    hand, field = cards("Pine", "Iris plain a"), cards("Iris plain b")
    assert said(table_for_two(hand, field), "greedy").startswith("declare")
    assert said(table_for_two(hand, field), "careful") == "play Iris plain a"


@pytest.mark.parametrize("bot", BOTS)
@pytest.mark.parametrize("num_players", [2, 5, 7])
@pytest.mark.parametrize("lightning", [0, 1])
def test_every_bot_plays_legal_games_to_the_end(bot, num_players, lightning):
    env = play(GAME, (bot,) * num_players, games=50, lightning=lightning)
    assert env.terminated.all()


def test_bots_are_listed_weakest_first():
    assert tuple(GAME.bots) == BOTS


# How well they play: fixed seeds


@pytest.mark.parametrize(("seats", "percent"), [(2, 56), (4, 28)])
@pytest.mark.parametrize("lightning", [0, 1])
def test_careful_wins_more_than_its_share_against_greedy(seats, percent, lightning):
    shares = wins(GAME, "careful", "greedy", seats, lightning=lightning)
    noise = shares.std() / np.sqrt(GAMES)
    assert shares.mean() - 2 * noise > 1 / seats
    assert abs(shares.mean() - percent / 100) < 4 * noise


@pytest.mark.parametrize(
    ("bot", "lightning", "percent"),
    [("greedy", 0, 87), ("careful", 0, 90), ("greedy", 1, 89), ("careful", 1, 92)],
)
def test_bots_win_against_random(bot, lightning, percent):
    shares = wins(GAME, bot, "random", lightning=lightning)
    assert abs(shares.mean() - percent / 100) < 4 * shares.std() / np.sqrt(GAMES)
