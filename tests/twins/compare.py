"""What the comparisons of all games with their twins share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from hanazono.envs.core.game import Game
from hanazono.envs.core.observation import Layout
from hanazono.envs.core.rng import below, keyed


class Comparison(ABC):
    """One game, played by a twin along with the engine's state record.

    A subclass makes the twin and says what there is to compare, each time the engine's answer and
    the twin's, by name. `v` is a seat.
    """

    def __init__(self, game: Game, num_players: int, twin: Any) -> None:
        self.game, self.num_players, self.twin = game, num_players, twin

    @abstractmethod
    def truths(self, s: Any, mask: np.ndarray) -> tuple[dict[str, Any], dict[str, Any]]:
        """The whole state, and the legal actions."""

    @abstractmethod
    def knowledge(self, seen: np.ndarray, v: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """Where the observation `seen` of v says that the cards are."""

    @abstractmethod
    def pieces(self, v: int) -> dict[str, np.ndarray]:
        """Every piece of v's observation, by the twin."""

    @abstractmethod
    def words(self, v: int | None) -> dict[str, Any]:
        """The view of v, or the full one for None, by the twin."""

    @abstractmethod
    def final(self) -> tuple[Sequence[int], Sequence[int]]:
        """Scores and tie-breaks by seat, by the twin."""

    def beliefs(self, s: Any, v: int) -> list[str]:
        """What is wrong with a state that the engine holds possible for v."""
        return []

    def step(self, action: int) -> None:
        """The twin plays an action, which it must find legal."""
        self.twin.step(action)

    def differences(
        self, s: Any, mask: np.ndarray, observations: np.ndarray, thorough: bool
    ) -> list[str]:
        """What engine and twin disagree on now, one line each.

        Args:
            s: the engine's state record.
            mask: its legal actions, int8 [A].
            observations: what each seat sees, float32 [P, O].
            thorough: compare also every number of the observations, the views in words, and what
                may be believed.
        """
        found, view = unequal("", *self.truths(s, mask)), self.game.words.view
        for v in range(self.num_players):
            found += unequal(f"seat {v} knows ", *self.knowledge(observations[v], v))
            if thorough:
                found += unequal_pieces(self.game.layout, observations[v], self.pieces(v), v)
                found += unequal(f"seat {v} reads ", view(s, v), self.words(v))
                found += self.beliefs(s, v)
        if thorough:
            found += unequal("the full view: ", view(s, None), self.words(None))
        return found

    def final_differences(self, scores: np.ndarray, ranks: np.ndarray) -> list[str]:
        """The same for a finished game's scores [P, 2] (scores, tie-breaks) and ranks [P]."""
        n, (points, tie_breaks) = self.num_players, self.final()
        engine = {"scores": scores[:n, 0], "tie-breaks": scores[:n, 1], "ranks": ranks[:n]}
        twin = {"scores": points, "tie-breaks": tie_breaks, "ranks": self.twin.ranks()}
        return unequal(
            "final ", {k: list(v) for k, v in engine.items()}, {k: list(v) for k, v in twin.items()}
        )


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
