"""Game records: rules version, game, options, seed and actions; they replay exactly."""

import base64
import json
import operator
import os
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from hanazono.envs.core.batch import BatchEnv, check_seed
from hanazono.envs.core.game import Game

PREFIX = "hanazono:"


@dataclass(frozen=True)
class GameRecord:
    """One game, finished or not.

    Attributes:
        forfeited: it ended by an illegal action after `actions`.
        players: who sat where, by seat, if somebody wrote it down; `to_string` leaves it out.
    """

    game: str
    rules_version: int
    num_players: int
    seed: int
    actions: tuple[int, ...]
    options: dict[str, int] = field(default_factory=dict)
    forfeited: bool = False
    players: tuple[str, ...] = ()

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
        """The record with these attributes, such as JSON gives them."""
        if not isinstance(values, dict):
            raise TypeError(f"expected an object, got {type(values).__name__}")
        if not isinstance(values.get("options", {}), dict):
            raise TypeError(f"options are an object, got {values['options']!r}")
        players = values.get("players", [])
        if not isinstance(players, list) or not all(isinstance(name, str) for name in players):
            raise TypeError(f"players are a list of names, got {players!r}")
        actions = tuple(map(operator.index, values["actions"]))
        return cls(**{**values, "actions": actions, "players": tuple(players)})

    def to_string(self, game: Game) -> str:
        """A short text that holds the whole record.

        Each action is written as its place among the legal ones, so a game takes a few dozen
        bytes. The text starts with a checksum.
        """
        digits = [
            (int(table.action_mask[0, :action].sum()), int(table.action_mask[0].sum()))
            for table, action in zip(replay(game, self), self.actions, strict=False)
        ]
        number = 0
        for index, base in reversed(digits):
            number = number * base + index
        head = [self.rules_version, self.num_players, self.seed, len(digits), int(self.forfeited)]
        options = list(game.check_options(self.options).values())
        text = json.dumps([self.game, *head, options], separators=(",", ":"))
        body = text.encode() + b"\0" + number.to_bytes((number.bit_length() + 7) // 8, "big")
        packed = zlib.crc32(body).to_bytes(4, "big") + body
        return PREFIX + base64.urlsafe_b64encode(packed).decode().rstrip("=")

    @classmethod
    def from_string(cls, text: str, game: Game) -> "GameRecord":
        """The record behind a text made by `to_string`.

        Raises:
            ValueError: if the text is damaged, or belongs to another game or rules version.
        """
        head, digits = unpack(text)
        name, version, num_players, seed, count, forfeited, options = head
        names = [option.name for option in game.options]
        empty = cls(name, version, num_players, seed, (), dict(zip(names, options, strict=False)))
        number, actions = int.from_bytes(digits, "big"), []
        table = deal(game, empty)
        for _ in range(count):
            legal = np.flatnonzero(table.action_mask[0])
            number, index = divmod(number, len(legal))
            actions.append(int(legal[index]))
            table.step(legal[index : index + 1])
        return replace(empty, actions=tuple(actions), forfeited=bool(forfeited))


def unpack(text: str) -> tuple[list[Any], bytes]:
    """The parts of a text made by `GameRecord.to_string`: a list that starts with the name of the
    game, and the actions.

    Raises:
        ValueError: if the text is damaged.
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
    return json.loads(head), digits


def deal(game: Game, record: GameRecord) -> BatchEnv:
    """The record's game before its first action, as a batch of one that does not deal anew.

    Raises:
        ValueError: if the record belongs to another game, rules version or options.
    """
    if (record.game, record.rules_version) != (game.name, game.rules_version):
        raise ValueError(
            f"this is a record of {record.game}, rules version {record.rules_version}; it cannot "
            f"be replayed as {game.name}, rules version {game.rules_version}"
        )
    table = BatchEnv(game, 1, record.num_players, auto_reset=False, options=record.options)
    table.reset(seeds=np.full(1, check_seed(record.seed), np.uint64))
    return table


def replay(game: Game, record: GameRecord) -> Iterator[BatchEnv]:
    """Play a record: yield the same batch of one before every action, and after the last.

    A forfeited game ends with one more yield, after the forfeit.

    Raises:
        ValueError: if the record does not belong to `game`, or at an action that is illegal or
            comes after the end, naming its number and what was legal.
    """
    table = deal(game, record)
    yield table
    for number, action in enumerate(record.actions):
        try:
            if table.terminated[0]:
                raise ValueError("the game is over")
            table.step(np.full(1, action, np.int64))
        except (ValueError, OverflowError) as error:
            raise ValueError(f"action number {number} of the record is illegal: {error}") from None
        yield table
    if record.forfeited:
        table.advance(np.full(1, -1, np.int64))
        yield table


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file that appears whole or not at all, also if the process is killed."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
