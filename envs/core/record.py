"""Game records: rules version, game, options, seed and actions; they replay exactly."""

import base64
import json
import os
import tempfile
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from hanazono.envs.core.engine import engine
from hanazono.envs.core.game import Game
from hanazono.envs.core.kernel import kernel_view

PREFIX = "hanazono:"


@dataclass(frozen=True)
class GameRecord:
    """One game, finished or not. `forfeited`: it ended by an illegal action after `actions`."""

    game: str
    rules_version: int
    num_players: int
    seed: int
    actions: tuple[int, ...]
    options: dict[str, int] = field(default_factory=dict)
    forfeited: bool = False

    def save(self, path: str | Path) -> None:
        """Write the record as JSON; the file appears whole or not at all."""
        write_atomically(Path(path), (json.dumps(asdict(self)) + "\n").encode())

    @classmethod
    def load(cls, path: str | Path) -> "GameRecord":
        """Read a record written by `save`.

        Raises:
            ValueError: if the file is no game record, saying what is wrong.
        """
        try:
            return cls.from_values(json.loads(Path(path).read_text(encoding="utf-8")))
        except (UnicodeDecodeError, json.JSONDecodeError, TypeError, KeyError) as error:
            raise ValueError(f"{path} is no game record: {error}") from error

    @classmethod
    def from_values(cls, values: dict[str, Any]) -> "GameRecord":
        if not isinstance(values, dict):
            raise TypeError(f"expected an object, got {type(values).__name__}")
        return cls(**{**values, "actions": tuple(map(int, values["actions"]))})

    def to_string(self, game: Game) -> str:
        """A short text that holds the whole record.

        Each action is written as its place among the legal ones, so a game takes a few dozen
        bytes. The text starts with a checksum.
        """
        digits = [
            (int(np.searchsorted(np.flatnonzero(mask), action)), int(mask.sum()))
            for (_, mask), action in zip(replay(game, self), self.actions, strict=False)
        ]
        number = 0
        for index, base in reversed(digits):
            number = number * base + index
        head = [self.rules_version, self.num_players, self.seed, len(digits), int(self.forfeited)]
        text = json.dumps([self.game, *head, list(self.options.values())], separators=(",", ":"))
        body = text.encode() + b"\0" + number.to_bytes((number.bit_length() + 7) // 8, "big")
        packed = zlib.crc32(body).to_bytes(4, "big") + body
        return PREFIX + base64.urlsafe_b64encode(packed).decode().rstrip("=")

    @classmethod
    def from_string(cls, text: str, game: Game) -> "GameRecord":
        """The record behind a text made by `to_string`.

        Raises:
            ValueError: if the text is damaged, or belongs to another game or rules version.
        """
        if not text.startswith(PREFIX):
            raise ValueError(f"a game record starts with {PREFIX!r}, got {text[:20]!r}")
        code = text[len(PREFIX) :].strip()
        try:
            packed = base64.urlsafe_b64decode(code + "=" * (-len(code) % 4))
        except ValueError as error:
            raise ValueError(f"this game record is damaged: {error}") from error
        if len(packed) < 5 or zlib.crc32(packed[4:]).to_bytes(4, "big") != packed[:4]:
            raise ValueError("this game record is damaged: its checksum does not fit")
        head, _, digits = packed[4:].partition(b"\0")
        name, version, num_players, seed, count, forfeited, options = json.loads(head)
        names = [option.name for option in game.options]
        empty = cls(name, version, num_players, seed, (), dict(zip(names, options, strict=False)))
        number, actions = int.from_bytes(digits, "big"), []
        positions = Replay(game, empty)
        for _ in range(count):
            legal = np.flatnonzero(positions.mask)
            number, index = divmod(number, len(legal))
            actions.append(int(legal[index]))
            positions.play(actions[-1])
        return replace(empty, actions=tuple(actions), forfeited=bool(forfeited))


class Replay:
    """A record's game, played action by action on one state.

    Attributes:
        state: structured array [1].
        mask: int8 [A], the legal actions; all 0 when the game is over.
    """

    def __init__(self, game: Game, record: GameRecord) -> None:
        """Deal the record's game.

        Raises:
            ValueError: if the record belongs to another game, rules version or options.
        """
        if (record.game, record.rules_version) != (game.name, game.rules_version):
            raise ValueError(
                f"this is a record of {record.game}, rules version {record.rules_version}; "
                f"it cannot be replayed as {game.name}, rules version {game.rules_version}"
            )
        self.game = game
        self.state = game.new_states(1, record.num_players, record.options)
        self._states = kernel_view(self.state)
        self._engine = engine(game)
        self._observation = np.zeros((1, game.layout.size), np.float32)
        self._mask = np.zeros((1, game.num_actions), np.int8)
        self._player = np.zeros(1, np.int64)
        self.mask = self._mask[0]
        seeds = np.full(1, record.seed, np.uint64)
        self._engine.reset_games(
            self._states, seeds, self._observation, self._mask, self._player, 0, 1
        )

    def play(self, action: int) -> None:
        """Play a legal action."""
        seats = self.game.max_players
        self._engine.step_games(
            self._states,
            np.full(1, action, np.int64),
            False,
            False,
            self.game.score_scale,
            self._observation,
            self._mask,
            self._player,
            np.zeros((1, seats), np.float32),
            np.zeros(1, np.int8),
            np.zeros((1, seats, 2), np.float64),
            np.zeros((1, seats), np.int64),
            0,
            1,
        )


def replay(game: Game, record: GameRecord) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield (state [1], action mask [A]) before each action and after the last; both are views.

    Raises:
        ValueError: if the record does not belong to `game`, or at an illegal action, naming its
            number and what was legal.
    """
    positions = Replay(game, record)
    yield positions.state, positions.mask
    for number, action in enumerate(record.actions):
        if not 0 <= action < game.num_actions or not positions.mask[action]:
            from hanazono.envs.core.batch import illegal_action

            told = illegal_action(game, positions.state, action, positions.mask)
            raise ValueError(f"action number {number} of the record is illegal: {told}")
        positions.play(action)
        yield positions.state, positions.mask


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file that appears whole or not at all, also if the process is killed."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
