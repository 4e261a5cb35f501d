"""What the conformance checks share: a game at one setting, games played with it, complaints."""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from hanazono.envs.core.aec import EnvState, GameEnv
from hanazono.envs.core.batch import BatchEnv
from hanazono.envs.core.game import Game
from hanazono.envs.core.rng import spread_seeds


@dataclass(frozen=True)
class Position:
    """A point of a recorded game: its state (structured [1]) and the actions that led there."""

    state: np.ndarray
    actions: tuple[int, ...]


@dataclass(frozen=True)
class History:
    """B whole games, kept until the longest has ended; L = its length.

    Attributes:
        states: structured [L + 1, B], before every action and at the end.
        actions: int64 [L, B].
        lengths: int64 [B], decisions in each game.
    """

    states: np.ndarray
    actions: np.ndarray
    lengths: np.ndarray

    def actions_of(self, index: int) -> list[int]:
        """The actions of game number `index`."""
        actions: list[int] = self.actions[: self.lengths[index], index].tolist()
        return actions

    def position(self, index: int, step: int) -> Position:
        """Game number `index` after `step` actions."""
        state = self.states[step, index : index + 1].copy()
        return Position(state, tuple(self.actions_of(index)[:step]))

    def every_state(self) -> np.ndarray:
        """All states of all games, [K], finished games once."""
        steps, games = np.ogrid[: self.states.shape[0], : self.states.shape[1]]
        return self.states[steps <= self.lengths[games]]


@dataclass(frozen=True, eq=False)
class Trial:
    """A game with a seat count and options, tried on `num_games` deals that follow from `seed`."""

    game: Game
    num_players: int
    options: dict[str, Any]
    seed: int
    num_games: int

    def fail(self, message: str, state: Any = None) -> NoReturn:
        """Raise AssertionError with all that is needed to see it again; `state` is one state."""
        place = f"{self.game.name}, {self.num_players} seats, options {self.options}"
        if state is None:
            raise AssertionError(f"{place}, seed {self.seed}: {message}")
        seed, step = np.ravel(state["seed"])[0], np.ravel(state["decisions"])[0]
        raise AssertionError(f"{place}, seed {self.seed}, deal {seed}, step {step}: {message}")

    def require(self, ok: Any, message: str, state: Any = None) -> None:
        """Fail with `message` unless `ok`."""
        if not ok:
            self.fail(message, state)

    @cached_property
    def seeds(self) -> np.ndarray:
        """The deal seeds of the games, uint64 [num_games]."""
        return self.deal_seeds(self.num_games)

    def deal_seeds(self, count: int) -> np.ndarray:
        """The first deal seeds that follow from `seed`, uint64 [count]."""
        seeds = np.empty(count, np.uint64)
        spread_seeds(np.uint64(self.seed), seeds)
        return seeds

    def rng(self, label: str) -> np.random.Generator:
        """Random choices of one check."""
        return np.random.default_rng([self.seed, self.num_players, zlib.crc32(label.encode())])

    def env(self, **settings: Any) -> GameEnv:
        """A new AEC environment, not yet dealt."""
        return GameEnv(self.game, self.num_players, **settings, **self.options)

    def env_at(self, position: Position, **settings: Any) -> GameEnv:
        """A new AEC environment at a position."""
        env = self.env(**settings)
        env.set_state(self.value(position))
        return env

    def value(self, position: Position) -> EnvState:
        """A position as `GameEnv.set_state` takes it, with all seats at the table."""
        seats = tuple(f"player_{p}" for p in range(self.num_players))
        return EnvState(position.state, position.actions, seats)

    def batch(self, num_envs: int, **settings: Any) -> BatchEnv:
        """A new batch without automatic deals, not yet dealt."""
        settings = {"auto_reset": False, "num_threads": 1} | settings
        return BatchEnv(self.game, num_envs, self.num_players, options=self.options, **settings)

    def batch_at(self, states: np.ndarray, **settings: Any) -> BatchEnv:
        """A new batch in the given states ([K])."""
        table = self.batch(len(states), **settings)
        table.set_states(states)
        return table

    @property
    def limit(self) -> int:
        """The most decisions that a game may take."""
        return self.game.max_decisions(self.num_players, self.options)

    @cached_property
    def history(self) -> History:
        """Every other game is played at random, the rest by the game's bots in turn."""
        names = list(self.game.bots)
        seating: dict[str, list[int]] = {name: [] for name in names}
        for i in range(self.num_games):
            seating["random" if i % 2 == 0 else names[i // 2 % len(names)]].append(i)
        table = self.batch(self.num_games)
        table.reset(seeds=self.seeds)
        states, actions = [table.get_states()], []
        for choice in self.play_out(table, seating):
            states.append(table.get_states())
            actions.append(choice)
        lengths = states[-1]["decisions"].astype(np.int64)
        return History(np.stack(states), np.stack(actions), lengths)

    def play_out(self, table: BatchEnv, seating: dict[str, list[int]]) -> Iterator[np.ndarray]:
        """Let bots (name -> games) play to the end; yield the actions after every step."""
        self.check_turns(table)
        while not table.terminated.all():
            choice = np.full(table.num_envs, -1, np.int64)
            for name, games in seating.items():
                rows = [i for i in games if not table.terminated[i]]
                table.act(name, np.array(rows, np.int64), self.seed, choice)
            try:
                table.step(choice)
            except ValueError as error:
                self.fail(f"a bot chose an illegal action: {error}")
            self.check_turns(table)
            yield choice

    def check_turns(self, table: BatchEnv) -> None:
        """Some action is legal in every running game, none in a finished one; none is too long."""
        some = np.count_nonzero(table.action_mask, axis=1)
        for s, over, legal in zip(table.states, table.terminated, some, strict=True):
            if over:
                self.require(not legal, "actions are legal after the end", s)
            else:
                self.require(legal, f"no action is legal for player_{s['current_player']}", s)
                self.require(s["decisions"] < self.limit, f"longer than {self.limit} decisions", s)

    def positions(self, label: str, count: int) -> list[Position]:
        """A sample of the recorded games: first and last states of two, and `count` others."""
        rng, lengths = self.rng(label), self.history.lengths
        ends = [(i, step) for i in range(2) for step in (0, int(lengths[i]))]
        games = rng.integers(self.num_games, size=count).tolist()
        others = [(i, int(rng.integers(lengths[i]))) for i in games]
        return [self.history.position(i, step) for i, step in dict.fromkeys(ends + others)]


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two arrays are equal to the last bit."""
    if (a.dtype, a.shape) != (b.dtype, b.shape):
        return False
    # Compared in place, where tobytes() would copy both; records have no view as bytes otherwise.
    first, second = (np.ascontiguousarray(part).view(np.uint8) for part in (a, b))
    return np.array_equal(first, second)
