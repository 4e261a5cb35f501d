"""Play games with the engine and with its slow twin side by side, and compare after every decision.

    python scripts/check_twin.py --game ohanami --decisions 1000000 --seed 0

A twin is a second, plain reading of a game's rules. It lives with the tests, so this runs from a
checkout only: tests/twins/<game>.py holds a class Pair, whose methods `TwinPair` describes.
"""

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from hanazono.envs import GAMES, get_game
from hanazono.envs.core.batch import BatchEnv
from hanazono.envs.core.game import Game
from hanazono.envs.core.record import GameRecord

TESTS = Path(__file__).resolve().parents[1] / "tests"
BATCH = 32  # games played at the same time
THOROUGH_EVERY = 31  # decisions; shares no factor with the length of a turn


class TwinPair(Protocol):
    """One game played by a twin: made from a freshly dealt state record, then kept in step."""

    def step(self, action: int) -> None:
        """The twin plays an action."""

    def differences(
        self, s: Any, mask: np.ndarray, observations: np.ndarray, thorough: bool
    ) -> list[str]:
        """What the engine's state, mask [A] and observations [P, O] say that the twin denies.

        Whatever is slow to compare is left out unless `thorough`.
        """

    def final_differences(self, scores: np.ndarray, ranks: np.ndarray) -> list[str]:
        """The same for the scores [P, 2] and ranks [P] of a finished game."""


class DifferenceError(Exception):
    """Engine and twin disagree. The message holds the game's record and the differences."""


def mixture(game: Game, seed: int) -> dict[str, int]:
    """The mix of options number `seed`, counted through all; of a range the default and its ends
    are taken."""
    mix = {}
    for option in reversed(game.options):
        ends = isinstance(option.allowed, range)
        values = [option.default, *option.others] if ends else option.allowed
        seed, i = divmod(seed, len(values))
        mix[option.name] = values[i]
    return mix


@dataclass
class SideBySide:
    """A batch of games, each with its twin. Game i is played by the i-th bot, in turn; its seed
    also picks a mix of rule options, unless `options` are given for all games."""

    game: Game
    num_players: int
    make_pair: Callable[[Any], TwinPair]
    seeds: np.ndarray  # uint64 [B]
    options: Mapping[str, int] | None = None
    decisions: int = 0
    actions: list[list[int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.env = BatchEnv(
            self.game,
            len(self.seeds),
            self.num_players,
            auto_reset=False,
            num_threads=1,
            options=self.options or {},
        )
        if self.options is None:
            self._mix_options()
        self.env.reset(seeds=self.seeds)
        self.states = self.env.states.view(np.recarray)
        self.pairs = [self.make_pair(s) for s in self.states]
        self.actions = [[] for _ in self.seeds]
        others = [bot for bot in self.game.bots if bot != "random"]
        self.bots = np.resize(["random", "random", *others], len(self.seeds))

    def _mix_options(self) -> None:
        for s, seed in zip(self.env.states, self.seeds.tolist(), strict=True):
            for name, value in mixture(self.game, seed).items():
                s[name] = value

    def play(self, thorough_from: int = 0) -> int:
        """Play all games to their end; returns the number of decisions.

        Args:
            thorough_from: the number of the first decision that is compared thoroughly.

        Raises:
            DifferenceError: at the first difference.
        """
        running = np.ones(len(self.seeds), bool)
        moment = -thorough_from
        while running.any():
            self.compare(running, thorough=moment % THOROUGH_EVERY == 0)
            running = ~self.env.terminated.astype(bool)
            self.decide(running)
            moment += 1
        self.env.score()
        for i, pair in enumerate(self.pairs):
            scores, ranks = self.env.final_scores[i], self.env.final_ranks[i]
            self._report(i, pair.final_differences(scores, ranks))
        return self.decisions

    def compare(self, which: np.ndarray, thorough: bool) -> None:
        """Compare the games `which` (bool [B]) as they stand; finished ones always thoroughly."""
        seats = range(self.num_players)
        views = [self.env.observe(np.full(len(self.seeds), seat)) for seat in seats]
        observations = np.stack(views, axis=1)
        for i in np.flatnonzero(which).tolist():
            s = self.states[i]
            deep = thorough or bool(s.terminated)
            mask = self.env.action_mask[i]
            self._report(i, self.pairs[i].differences(s, mask, observations[i], deep))

    def decide(self, running: np.ndarray) -> None:
        """Every game of `running` (bool [B]) plays one decision, on both sides."""
        actions = np.zeros(len(self.seeds), np.int64)
        for bot in np.unique(self.bots):
            self.env.act(str(bot), np.flatnonzero(running & (self.bots == bot)), 0, actions)
        self.env.step(actions)
        for i in np.flatnonzero(running).tolist():
            action = int(actions[i])
            self.actions[i].append(action)
            self.pairs[i].step(action)
        self.decisions += int(running.sum())

    def _report(self, i: int, differences: list[str]) -> None:
        if not differences:
            return
        record = GameRecord(
            game=self.game.name,
            rules_version=self.game.rules_version,
            num_players=self.num_players,
            seed=int(self.seeds[i]),
            actions=tuple(self.actions[i]),
            options={option.name: int(self.states[i][option.name]) for option in self.game.options},
        )
        raise DifferenceError(
            f"{self.game.title} for {self.num_players}, after {len(record.actions)} decisions of "
            f"{record.to_string(self.game)}\n" + "\n".join(f"  {line}" for line in differences)
        )


def find_pair(game: str) -> Callable[[Any], TwinPair]:
    """The class that holds the twin of a game.

    Raises:
        FileNotFoundError: without the tests of a checkout, or where a game has no twin.
    """
    if not (TESTS / "twins" / f"{game}.py").is_file():
        raise FileNotFoundError(
            f"there is no twin of {game} in {TESTS}: twins belong to the tests, "
            "run this from a checkout of the repository"
        )
    if str(TESTS) not in sys.path:
        sys.path.insert(0, str(TESTS))
    pair: Callable[[Any], TwinPair] = import_module(f"twins.{game}").Pair
    return pair


def check(game: Game, num_players: int, decisions: int, seed: int) -> str:
    """Compare at least so many decisions in games for `num_players`; returns a summary line.

    Every other batch is played with the default options, the rest with mixes of them.

    Raises:
        DifferenceError: at the first difference.
    """
    make_pair, rng = find_pair(game.name), np.random.default_rng(seed)
    games = done = 0
    start = time.perf_counter()
    while done < decisions:
        seeds = rng.integers(2**64, size=BATCH, dtype=np.uint64)
        first = int(rng.integers(THOROUGH_EVERY))
        by_default = games // BATCH % 2 == 1
        table = SideBySide(game, num_players, make_pair, seeds, {} if by_default else None)
        done += table.play(thorough_from=first)
        games += BATCH
    taken = time.perf_counter() - start
    return (
        f"{game.title} for {num_players}: {games:,} games, {done:,} decisions, 0 differences "
        f"({taken:.0f} s)"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Check what the command line asks for; returns 1 at the first difference."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--game", choices=list(GAMES), default="ohanami")
    parser.add_argument(
        "--num-players", "--num_players", type=int, help="by default every seat count in turn"
    )
    parser.add_argument(
        "--decisions", type=int, default=1_000_000, help="in all, shared by the seat counts"
    )
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    if options.decisions < 1:
        parser.error(f"--decisions must be at least 1, got {options.decisions}")
    game = get_game(options.game)
    seat_counts = [*range(game.min_players, game.max_players + 1)]
    if options.num_players is not None:
        if options.num_players not in seat_counts:
            parser.error(f"--num-players of {game.title} is one of {seat_counts}")
        seat_counts = [options.num_players]
    share = -(-options.decisions // len(seat_counts))
    try:
        for num_players in seat_counts:
            print(check(game, num_players, share, options.seed), flush=True)
    except FileNotFoundError as error:
        parser.error(str(error))
    except DifferenceError as error:
        print(f"DIFFERENCE: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
