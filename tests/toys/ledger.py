"""What the engine pays, noted beside an adapter."""

from collections import defaultdict

import numpy as np

from hanazono.envs.core.one_seat import OneSeatBatch


class Ledger:
    """Notes every reward that the engine pays to any seat, by row and deal.

    Made before the first reset. `of(rows, deals, seat)` is what the games `rows`, when they had
    these deal seeds, paid to `seat` (all int [K]).
    """

    def __init__(self, games: OneSeatBatch) -> None:
        self._paid = defaultdict(lambda: np.zeros(games.batch.game.max_players))
        self._batch, self._advance = games.batch, games.batch.advance
        games.batch.advance = self._noting

    def _noting(self, actions: np.ndarray) -> None:
        self._advance(actions)
        for row in np.flatnonzero(self._batch.rewards.any(axis=1)):
            self._paid[row, self._batch.states["seed"][row]] += self._batch.rewards[row]

    def of(self, rows: np.ndarray, deals: np.ndarray, seat: np.ndarray) -> np.ndarray:
        """Float64 [K]."""
        return np.array([self._paid[r, d][s] for r, d, s in zip(rows, deals, seat, strict=True)])


def deliver(env, games: OneSeatBatch, step, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Play `count` games in every row and hold what arrives beside what the engine pays.

    Args:
        env: an adapter for many games, just made.
        games: the games beneath it.
        step: step(mask) plays and returns rewards [B] and ends [B].
        count: games in each row.

    Returns:
        How often each seat won and lost, by what arrived.
    """
    ledger, size = Ledger(games), games.batch.num_envs
    env.reset()
    delivered, ended = np.zeros(size), np.zeros(size, int)
    won, lost = np.zeros((2, games.batch.num_players), int)
    while ended.min() < count:
        deals, seat = games.batch.states["seed"].copy(), games.seat.copy()
        assert games.batch.action_mask.any(axis=1).all(), "asked where nothing is legal"
        rewards, over = step(games.batch.action_mask)
        delivered += rewards
        rows = np.flatnonzero(over)
        paid = ledger.of(rows, deals[rows], seat[rows])
        np.testing.assert_allclose(delivered[rows], paid, rtol=1e-6)
        np.add.at(won, seat[rows], delivered[rows] > 0)
        np.add.at(lost, seat[rows], delivered[rows] < 0)
        delivered[rows] = 0
        ended[rows] += 1
    return won, lost
