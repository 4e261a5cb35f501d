"""Observations are flat float32 vectors made of named pieces; this file keeps their layout."""

import hashlib
import json
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Piece:
    """A named part of an observation.

    Attributes:
        name: unique within a game.
        shape: shape of the part, row-major in the flat vector.
        low, high: inclusive range of its values.
        meaning: one sentence, with encoding and units.
        axis: name of the index that the last dimension runs over ("card", say), so that a
            network can score action "card i" by column i; None if there is no such index.
    """

    name: str
    shape: tuple[int, ...]
    low: float
    high: float
    meaning: str
    axis: str | None = None

    @property
    def size(self) -> int:
        """Number of values."""
        return math.prod(self.shape)


class Layout:
    """The pieces of a game's observation, laid one after another in one flat vector."""

    def __init__(self, pieces: tuple[Piece, ...]) -> None:
        names = [piece.name for piece in pieces]
        if len(set(names)) != len(names):
            raise ValueError(f"pieces need distinct names, got {names}")
        self.pieces = pieces
        self._start: dict[str, int] = {}
        self.size = 0
        for piece in pieces:
            self._start[piece.name] = self.size
            self.size += piece.size

    def start(self, name: str) -> np.int64:
        """Index of the first value of piece `name` in the flat vector.

        An int64, so that a kernel run as plain Python can add a small field such as an int8.
        """
        return np.int64(self._start[name])

    def columns(self, axis: str) -> np.ndarray:
        """Where the pieces over `axis` lie: int64 [features, length of the axis], flat indices."""
        rows = [
            self._start[piece.name] + np.arange(piece.size).reshape(-1, piece.shape[-1])
            for piece in self.pieces
            if piece.axis == axis
        ]
        return np.concatenate(rows) if rows else np.zeros((0, 0), np.int64)

    def split(self, observation: np.ndarray) -> dict[str, np.ndarray]:
        """Name the parts of `observation` ([..., O]): views of shape [..., *piece.shape]."""
        return {piece.name: part for piece, part in self._parts(observation)}

    def _parts(self, observation: np.ndarray) -> Iterator[tuple[Piece, np.ndarray]]:
        if observation.shape[-1] != self.size:
            raise ValueError(
                f"this observation has {self.size} values, got shape {observation.shape}"
            )
        for piece in self.pieces:
            part = observation[..., self._start[piece.name] :][..., : piece.size]
            yield piece, part.reshape(*observation.shape[:-1], *piece.shape)

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Lowest and highest value at every place, two float32 [O]."""
        low = np.concatenate([np.full(p.size, p.low, np.float32) for p in self.pieces])
        high = np.concatenate([np.full(p.size, p.high, np.float32) for p in self.pieces])
        return low, high

    def describe(self) -> str:
        """A table of the pieces: name, place, shape, range, meaning."""
        lines = []
        for p in self.pieces:
            place = f"{self.start(p.name)}:{self.start(p.name) + p.size}"
            lines.append(
                f"{p.name:<12} {place:>10}  {p.shape!s:<12} {p.low:g}..{p.high:g}  {p.meaning}"
            )
        return "\n".join(lines)

    def show(self, observation: np.ndarray) -> str:
        """Print one observation ([O]) by piece: the places and values that are not zero."""
        lines = []
        for piece, part in self._parts(observation):
            entries = [
                f"{','.join(map(str, place))}={part[tuple(place)]:g}" for place in np.argwhere(part)
            ]
            lines.append(f"{piece.name}: {'  '.join(entries) or '-'}")
        return "\n".join(lines)

    def to_json(self) -> list[dict[str, Any]]:
        """The pieces as plain values, for checkpoints."""
        return [asdict(piece) for piece in self.pieces]

    @property
    def schema_hash(self) -> str:
        """Sixteen hex digits that change whenever any piece changes."""
        text = json.dumps(self.to_json(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]
