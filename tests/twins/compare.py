"""What the twins of all games share: how differences are told, and the stream of chance."""

from __future__ import annotations

from typing import Any

import numpy as np

from hanazono.envs.core.observation import Layout
from hanazono.envs.core.rng import below, keyed


def unequal(context: str, engine: dict[str, Any], twin: dict[str, Any]) -> list[str]:
    """One line for every entry that differs, or that one side lacks."""
    if engine == twin:
        return []
    return [
        f"{context}{name}: engine {engine.get(name)}, twin {twin.get(name)}"
        for name in sorted(engine.keys() | twin.keys())
        if engine.get(name) != twin.get(name)
    ]


def unequal_pieces(
    layout: Layout, seen: np.ndarray, expected: dict[str, np.ndarray], v: int
) -> list[str]:
    """One line for every number of seat v's observation that is not as expected."""
    found = []
    for name, part in layout.split(seen).items():
        rounding = 1e-6 * np.maximum(1, np.abs(expected[name]))
        for at in np.argwhere(np.abs(part - expected[name]) > rounding).tolist():
            told = f"engine {part[*at]:.6f}, twin {expected[name][*at]:.6f}"
            found.append(f"seat {v} observes {name} {at}: {told}")
    return found


class Stream:
    """The numbered draws of a seed, one after another, counted by the twin itself."""

    def __init__(self, seed: int) -> None:
        self.seed, self.drawn = np.uint64(seed), 0

    def __call__(self, n: int) -> int:
        """The next draw as a number 0 … n - 1."""
        self.drawn += 1
        return int(below(np.uint64(keyed(self.seed, self.drawn)), n))
