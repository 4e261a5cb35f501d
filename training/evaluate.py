"""Evaluation on duplicate deals: every deal is played once with each rotation of the players.

Whatever luck a deal holds, every player has it from every seat. Statistics are taken over deals,
so games of the same deal do not count as independent.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch

from hanazono.envs.core.batch import BatchEnv, check_seed
from hanazono.envs.core.game import Game
from hanazono.envs.core.rng import spread_seeds
from hanazono.training.players import BotPlayer, Player

GAMES_AT_ONCE = 4096
ALPHA = 0.05  # what lies outside of an interval of 95 %
Z95 = 1.959964  # 97.5 % point of the normal distribution


@dataclass(frozen=True)
class Estimate:
    """A mean with its 95 % confidence interval."""

    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, by_deal: np.ndarray) -> "Estimate":
        """From one value a deal, float [D]; the interval is the normal one."""
        mean = float(by_deal.mean())
        spread = float(by_deal.std(ddof=1)) if len(by_deal) > 1 else float("inf")
        half = Z95 * spread / len(by_deal) ** 0.5
        return cls(mean, mean - half, mean + half)

    @classmethod
    def of_shares(cls, by_deal: np.ndarray) -> "Estimate":
        """From one share 0 … 1 a deal. The interval stays from 0 to 1; deals that are all lost, or
        all won, make nothing certain: theirs is that of Clopper and Pearson (1934)."""
        normal, rare = cls.of(by_deal), 1 - (ALPHA / 2) ** (1 / len(by_deal))
        low = 1 - rare if normal.mean == 1 else max(0.0, normal.low)
        high = rare if normal.mean == 0 else min(1.0, normal.high)
        return cls(normal.mean, low, high)

    def __str__(self) -> str:
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]"


@dataclass(frozen=True)
class Standing:
    """How one player did.

    Attributes:
        name: the player's name; a second player of the same name is called name#2.
        win_share: share of the win, 1/k for each of k winners; draws count as halves at 2 seats.
        margin: own score minus the mean score of the others, in points.
        score: mean points.
    """

    name: str
    win_share: Estimate
    margin: Estimate
    score: float


@dataclass(frozen=True)
class Evaluation:
    """The result of `evaluate`. `standings` are in the order the players were named."""

    game: str
    num_players: int
    options: dict[str, int]
    deals: int
    games: int
    seed: int
    decisions: int
    seconds: float
    standings: tuple[Standing, ...]

    def to_dict(self) -> dict[str, Any]:
        """The result as plain JSON values."""
        return asdict(self)


def evaluate(
    game: Game,
    players: Sequence[Player],
    *,
    deals: int,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
) -> Evaluation:
    """Play `deals` deals, each once for every rotation of the players round the table.

    Args:
        game: the game.
        players: one for each seat; the same player may sit twice.
        deals: number of deals, at least 2 for an interval.
        seed: fixes deals and all the players' chance.
        options: rule options.

    Raises:
        ValueError: for a wrong number of players or deals, or a seed out of range.
    """
    seats = game.check_players(len(players))
    if deals < 2:
        raise ValueError(f"deals must be at least 2 for a confidence interval, got {deals}")
    started = time.perf_counter()
    seeds = np.empty(deals, np.uint64)
    spread_seeds(np.uint64(check_seed(seed)), seeds)
    shares = np.zeros((deals, seats))  # of each player, mean over rotations
    points = np.zeros((deals, seats))
    decisions = 0
    generator = torch.Generator().manual_seed(seed)
    chunk = max(1, GAMES_AT_ONCE // seats)
    for first in range(0, deals, chunk):
        part = slice(first, min(first + chunk, deals))
        shares[part], points[part], made = play(
            game, players, seeds[part], generator, options or {}
        )
        decisions += made
    names = distinct([player.name for player in players])
    margins = (points - points.mean(axis=1, keepdims=True)) * seats / (seats - 1)
    return Evaluation(
        game=game.name,
        num_players=seats,
        options=game.check_options(options or {}),
        deals=deals,
        games=deals * seats,
        seed=seed,
        decisions=decisions,
        seconds=time.perf_counter() - started,
        standings=tuple(
            Standing(
                name,
                Estimate.of_shares(shares[:, i]),
                Estimate.of(margins[:, i]),
                float(points[:, i].mean()),
            )
            for i, name in enumerate(names)
        ),
    )


def against_bots(
    game: Game, player: Player, num_players: int, deals: int, seed: int, options: Mapping[str, Any]
) -> dict[str, Evaluation]:
    """The player against every bot of the game, by its name; a bot holds all other seats."""
    return {
        bot: evaluate(
            game,
            [player, *[BotPlayer(bot)] * (num_players - 1)],
            deals=deals,
            seed=seed,
            options=options,
        )
        for bot in game.bots
    }


def seed_of_measurement(seed: int, number: int) -> int:
    """Where the deals of a run's measurement start, so that no two share any."""
    return ((seed + 1) * 1_000_003 + number) % 2**64


def strength_scalars(strength: Mapping[str, Evaluation]) -> dict[str, float]:
    """What is logged of `against_bots`."""
    return {
        f"strength/{kind}_{bot}": getattr(result.standings[0], kind).mean
        for bot, result in strength.items()
        for kind in ("win_share", "margin")
    }


def play(
    game: Game,
    players: Sequence[Player],
    seeds: np.ndarray,
    generator: torch.Generator,
    options: Mapping[str, Any],
) -> tuple[np.ndarray, np.ndarray, int]:
    """Play the deals `seeds` in all rotations, in one batch.

    Returns:
        Win shares and points of each player, each [deals, players] (means over the rotations),
        and the number of decisions made.
    """
    seats, deals = len(players), len(seeds)
    env = BatchEnv(game, deals * seats, seats, auto_reset=False, options=options)
    env.reset(seeds=np.repeat(seeds, seats))
    rotation = np.tile(np.arange(seats), deals)[:, None]
    holder = (np.arange(seats)[None, :] + rotation) % seats  # [games, seats]: player at a seat
    actions = np.zeros(env.num_envs, np.int64)
    everyone = np.arange(env.num_envs)
    decisions = 0
    while True:
        running = env.states["terminated"] == 0
        if not running.any():
            break
        mover = holder[everyone, env.current_player]
        for number, player in enumerate(players):
            rows = np.flatnonzero(running & (mover == number))
            if len(rows):
                player.act(env, rows, actions, generator)
        decisions += int(running.sum())
        env.step(actions)
    env.score()
    winners = env.final_ranks[:, :seats] == 0
    shares = winners / winners.sum(axis=1, keepdims=True)
    return (
        by_player(shares, holder, deals),
        by_player(env.final_scores[:, :seats, 0], holder, deals),
        decisions,
    )


def by_player(by_seat: np.ndarray, holder: np.ndarray, deals: int) -> np.ndarray:
    """Turn values by game and seat into means over rotations, [deals, players]."""
    result = np.zeros_like(by_seat, dtype=np.float64)
    np.put_along_axis(result, holder, by_seat, axis=1)
    return result.reshape(deals, -1, by_seat.shape[1]).mean(axis=1)


def distinct(names: Sequence[str]) -> list[str]:
    """Number repeated names: a, b, a -> a, b, a#2."""
    result: list[str] = []
    for number, name in enumerate(names):
        before = list(names[:number]).count(name)
        result.append(f"{name}#{before + 1}" if before else name)
    return result
