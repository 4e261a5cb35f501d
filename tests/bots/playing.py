"""What scripted players decide, and games between them."""

from functools import cache
from typing import Any

import numpy as np

from hanazono.envs.core.batch import BatchEnv
from hanazono.envs.core.game import Game

GAMES = 2000


def choice(table: Any, bot: str, seed: int = 0) -> int:
    """The action of the bot for the player to decide; `table` is one of tests/rules."""
    actions = np.full(1, -1)
    table.env.act(bot, np.zeros(1, np.int64), seed, actions)
    return int(actions[0])


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


def wins(
    game: Game, bot: str, other: str, seats: int = 2, games: int = GAMES, **options: int
) -> np.ndarray:
    """By deal: the bot's share of the win against others of one kind, mean of all its seats; k
    winners have 1/k each."""
    shares = np.zeros(games)
    for seat in range(seats):
        players = tuple(bot if p == seat else other for p in range(seats))
        won = play(game, players, games, **options).final_ranks[:, :seats] == 0
        shares += won[:, seat] / won.sum(axis=1) / seats
    return shares
