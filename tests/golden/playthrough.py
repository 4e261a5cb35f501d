"""Whole games as readable text: who did what, and how the table looked in between.

A playthrough is kept in a file next to this one. Any change of rules, words, observation or bots
shows in it as a difference that can be read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hanazono.envs import get_game
from hanazono.envs.core.batch import BatchEnv
from hanazono.envs.core.record import GameRecord


@dataclass(frozen=True)
class Playthrough:
    """Which game is played: the bots by seat, the deal seed, and how often the table is shown."""

    game: str
    bots: tuple[str, ...]
    seed: int
    table_every: int  # decisions

    def text(self) -> str:
        """Play the game and tell it."""
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        game, num_players = get_game(self.game), len(self.bots)
        table = BatchEnv(game, 1, num_players, auto_reset=False)
        table.reset(seeds=np.array([self.seed], np.uint64))
        s = table.states.view(np.recarray)[0]
        actions: list[int] = []
        yield from self._head()
        while not table.terminated[0]:
            if len(actions) % self.table_every == 0:
                yield from table_lines(table, f"after {len(actions)} decisions")
            mover, choice = int(s.current_player), np.zeros(1, np.int64)
            table.act(self.bots[mover], np.zeros(1, np.int64), 0, choice)
            words = game.words.action(s, int(choice[0]))
            yield f"{len(actions):>4}  player_{mover}  {words:<24}  {digest(table, mover)}"
            actions.append(int(choice[0]))
            table.step(choice)
        yield from table_lines(table, f"after {len(actions)} decisions, the end")
        yield f"rewards: {table.rewards[0, :num_players].tolist()}"
        record = GameRecord(self.game, game.rules_version, num_players, self.seed, tuple(actions))
        yield f"record: {record.to_string(game)}"

    def _head(self) -> Iterator[str]:
        game = get_game(self.game)
        yield f"{game.title}, rules version {game.rules_version}, deal seed {self.seed}"
        yield from (f"player_{seat}: {bot}" for seat, bot in enumerate(self.bots))
        yield "A decision: number, player, action, and a digest of what the player observes."
        yield "A table: all cards open, then scores, ranks, and the digests of all seats."


def table_lines(table: BatchEnv, title: str) -> Iterator[str]:
    """The table with all cards open, the scores, and what each seat sees as a digest."""
    seats = range(table.num_players)
    table.score()
    yield f"\n--- {title}"
    yield table.game.words.text(table.states.view(np.recarray)[0], None)
    points, tie_break = table.final_scores[0, : table.num_players].T
    yield f"scores: {numbers(points)}  tie-break: {numbers(tie_break)}"
    yield f"ranks: {numbers(table.final_ranks[0, : table.num_players])}"
    yield f"observations: {' '.join(digest(table, seat) for seat in seats)}\n"


def numbers(values: np.ndarray) -> str:
    """The values in one line."""
    return " ".join(f"{value:g}" for value in values)


def digest(table: BatchEnv, seat: int) -> str:
    """Twelve hex digits that depend on every bit of a seat's observation."""
    seen = table.observe(np.array([seat]))[0]
    return hashlib.sha256(seen.astype("<f4").tobytes()).hexdigest()[:12]
