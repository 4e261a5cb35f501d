"""BatchEnv: many games of one kind, stepped in one call on all cores."""

import itertools
import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

import numpy as np

from hanazono.envs.core.engine import all_within, bot_loop, engine, first_illegal
from hanazono.envs.core.game import Game
from hanazono.envs.core.kernel import kernel_view
from hanazono.envs.core.rng import spread_seeds

RewardKind = Literal["outcome", "score"]
IllegalKind = Literal["raise", "forfeit"]
REWARDS = ("outcome", "score")
ILLEGAL = ("raise", "forfeit")
LEAST_SHARE = 1024  # games a thread should have to be worth waking; with 256 two were slower


def check_choice(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    """Raise ValueError, naming what is allowed, unless `value` is one of `allowed`."""
    if value not in allowed:
        raise ValueError(f"{name} must be one of {list(allowed)}, got {value!r}")


def available_cores() -> int:
    """Processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class BatchEnv:
    """B games of one kind, each waiting for one decision.

    The arrays are owned by the environment and overwritten by every step; copy what you keep,
    or view them with torch.from_numpy. B = num_envs, P = the most seats the game allows (unused
    seats stay 0), A = actions, O = observation values.

    Attributes:
        observation: float32 [B, O], what the player to decide knows.
        action_mask: int8 [B, A], 1 = legal; all 0 in a finished game.
        current_player: int64 [B].
        rewards: float32 [B, P], paid by the last step.
        terminated: int8 [B], 1 if the last step ended the game. With auto_reset the next game is
            dealt in the same step: observation and mask then belong to it.
        final_scores: float64 [B, P, 2], points and tie-break of the last game that ended.
        final_ranks: int64 [B, P], seats ahead of each seat in that game, 0 = winner.
        states: the game states, structured array [B].
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        num_players: int,
        *,
        reward: RewardKind = "outcome",
        illegal: IllegalKind = "raise",
        auto_reset: bool = True,
        num_threads: int | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """Prepare the batch; `reset` deals.

        Args:
            game: the game, from `hanazono.envs.get_game(name)`.
            num_envs: B, at least 1.
            num_players: seats in every game.
            reward: "outcome" (w = 1/k for each of k winners, pays (n w - 1) / (n - 1)) or "score"
                (own points minus the mean, over the game's scale). Both sum to 0.
            illegal: "raise" an error and change nothing, or "forfeit": the game ends and the mover
                pays 1, shared by the others.
            auto_reset: deal the next game when one ends; otherwise finished games wait.
            num_threads: threads that share the batch, by default one per available core.
            options: rule options of the game.

        Raises:
            ValueError: naming what is allowed.
        """
        if num_envs < 1:
            raise ValueError(f"num_envs must be at least 1, got {num_envs}")
        if num_threads is not None and num_threads < 1:
            raise ValueError(f"num_threads must be at least 1, got {num_threads}")
        check_choice("reward", reward, REWARDS)
        check_choice("illegal", illegal, ILLEGAL)
        self.game, self.num_envs = game, num_envs
        self.reward, self.illegal, self.auto_reset = reward, illegal, auto_reset
        self.states = game.new_states(num_envs, num_players, options or {})
        self.num_players = int(num_players)
        self.observation = np.zeros((num_envs, game.layout.size), np.float32)
        self.action_mask = np.zeros((num_envs, game.num_actions), np.int8)
        self.current_player = np.zeros(num_envs, np.int64)
        self.rewards = np.zeros((num_envs, game.max_players), np.float32)
        self.terminated = np.zeros(num_envs, np.int8)
        self.final_scores = np.zeros((num_envs, game.max_players, 2), np.float64)
        self.final_ranks = np.zeros((num_envs, game.max_players), np.int64)
        self._engine = engine(game)
        self._kernel_states = kernel_view(self.states)
        self._dealt = False
        threads = min(num_threads or available_cores(), max(1, num_envs // LEAST_SHARE))
        cuts = np.linspace(0, num_envs, threads + 1).astype(int).tolist()
        self._shares = list(itertools.pairwise(cuts))
        self._pool = ThreadPoolExecutor(threads - 1) if threads > 1 else None

    def _share_out(self, loop: Callable[..., Any], *arguments: Any) -> list[Any]:
        """Run loop(*arguments, lo, hi) over all games."""
        if self._pool is None:
            return [loop(*arguments, 0, self.num_envs)]
        return self._run(loop, [(*arguments, lo, hi) for lo, hi in self._shares])

    def _run(self, loop: Callable[..., Any], calls: list[tuple[Any, ...]]) -> list[Any]:
        """Run loop(*call) for each call, one a thread, the first in this one."""
        if self._pool is None:
            return [loop(*call) for call in calls]
        others = [self._pool.submit(loop, *call) for call in calls[1:]]
        return [loop(*calls[0]), *(other.result() for other in others)]

    def reset(self, seed: int | None = None, *, seeds: np.ndarray | None = None) -> None:
        """Deal all games anew.

        Args:
            seed: fixes all games from here on; by default from the operating system.
            seeds: uint64 [B], the deal seed of each game, instead of `seed`.

        Raises:
            ValueError: for a seed out of range, a wrong shape, or both arguments.
        """
        if seeds is None:
            seeds = np.empty(self.num_envs, np.uint64)
            spread_seeds(np.uint64(fresh_seed() if seed is None else check_seed(seed)), seeds)
        elif seed is not None:
            raise ValueError("give either seed or seeds, not both")
        seeds = self._check_seeds(seeds)
        self.rewards[:] = 0
        self.terminated[:] = 0
        self._share_out(
            self._engine.reset_games,
            self._kernel_states,
            seeds,
            self.observation,
            self.action_mask,
            self.current_player,
        )
        self._dealt = True

    def step(self, actions: np.ndarray) -> None:
        """Play one action in every game and update all arrays. Finished games stay as they are.

        Args:
            actions: integers [B], the action of `current_player` in each game.

        Raises:
            ValueError: for a wrong shape or dtype, or an illegal action where illegal="raise";
                the games are then unchanged.
            RuntimeError: before the first reset.
        """
        actions = self._check_integers("actions", actions)
        if not self._dealt:
            raise RuntimeError("call reset() before the first step()")
        actions = actions.astype(np.int64, copy=False)
        finished = self.states["terminated"]
        # Not shared out: waking the other threads would take longer than looking.
        wrong = first_illegal(self.action_mask, actions, finished)
        if wrong >= 0:
            actions = self._handle_illegal(wrong, actions)
        self.advance(actions)

    def advance(self, actions: np.ndarray) -> None:
        """`step` without its checks: int64 [B] below A. Games on HOLD wait; illegal actions and
        other negative ones forfeit."""
        self._share_out(
            self._engine.step_games,
            self._kernel_states,
            actions,
            self.auto_reset,
            self.reward == "score",
            self.game.score_scale,
            self.observation,
            self.action_mask,
            self.current_player,
            self.rewards,
            self.terminated,
            self.final_scores,
            self.final_ranks,
        )

    def _handle_illegal(self, index: int, actions: np.ndarray) -> np.ndarray:
        if self.illegal == "raise":
            raise ValueError(
                f"game {index}: "
                + illegal_action(
                    self.game,
                    self.states[index : index + 1],
                    int(actions[index]),
                    self.action_mask[index],
                )
            )
        return np.where((actions >= 0) & (actions < self.game.num_actions), actions, -1)

    def act(self, bot: str, rows: np.ndarray, seed: int, actions: np.ndarray) -> None:
        """Let a scripted player decide in some games.

        Args:
            bot: one of `game.bots`.
            rows: int64 [K], the games.
            seed: fixes the bot's random choices, together with deal and number of decisions.
            actions: int64 [B]; entries `rows` are written.

        Raises:
            ValueError: for an unknown bot, or games that do not exist.
        """
        loop = bot_loop(self.game, bot)
        self._check_rows(rows)
        parts = np.array_split(rows, len(self._shares)) if len(rows) >= 2 * LEAST_SHARE else [rows]
        fixed = (self._kernel_states, self.action_mask)
        self._run(loop, [(*fixed, part, np.uint64(seed), actions) for part in parts])

    def deal(self, rows: np.ndarray, seeds: np.ndarray) -> None:
        """Deal the games `rows` (int64 [K], each once) anew with deal seeds uint64 [K]; the others
        stay as they are.

        Raises:
            RuntimeError: before the first reset.
            ValueError: for rows or seeds out of range, or not as many of both.
        """
        if not self._dealt:
            raise RuntimeError("call reset() before the first deal()")
        self._check_rows(rows)
        seeds = self._check_seeds(seeds, len(rows))
        arrays: list[np.ndarray] = [self.observation, self.action_mask, self.current_player]
        states, turn = self.states[rows], [array[rows] for array in arrays]
        self._engine.reset_games(kernel_view(states), seeds, *turn, 0, len(rows))
        self.states[rows] = states
        for array, part in zip(arrays, turn, strict=True):
            array[rows] = part
        self.rewards[rows] = 0
        self.terminated[rows] = 0

    def observe(self, seats: np.ndarray, rows: np.ndarray | None = None) -> np.ndarray:
        """What the given seat (int64 [B]) knows in each game: a new float32 [B, O].

        With `rows` (int64 [K]) only of those games: seats int64 [K], a new float32 [K, O].
        """
        states = self._kernel_states if rows is None else kernel_view(self.states[rows])
        seats = self._check_seats(seats, len(states))
        observation = np.empty((len(states), self.game.layout.size), np.float32)
        self._engine.observe_games(states, seats, observation)
        return observation

    def _check_seats(self, seats: np.ndarray, count: int | None = None) -> np.ndarray:
        seats = self._check_integers("seats", seats, count)
        if not ((seats >= 0) & (seats < self.num_players)).all():
            raise ValueError(f"seats run from 0 to {self.num_players - 1}, got {seats}")
        return seats.astype(np.int64)

    def _check_rows(self, rows: np.ndarray) -> None:
        if not all_within(rows, self.num_envs):
            raise ValueError(f"rows run from 0 to {self.num_envs - 1}, got {rows}")

    def _check_seeds(self, seeds: np.ndarray, count: int | None = None) -> np.ndarray:
        seeds = self._check_integers("seeds", seeds, count)
        if not (seeds >= 0).all():
            raise ValueError(f"seeds run from 0 to 2**64 - 1, got {seeds.min()}")
        return seeds.astype(np.uint64)

    def _check_integers(
        self, name: str, values: np.ndarray, count: int | None = None
    ) -> np.ndarray:
        values, shape = np.asarray(values), (self.num_envs if count is None else count,)
        if values.shape != shape or values.dtype.kind not in "iu":
            raise ValueError(
                f"{name} must be integers of shape {shape}, got {values.dtype} {values.shape}"
            )
        return values

    def score(self) -> None:
        """Write the scores and ranks of the present states to final_scores and final_ranks."""
        self._engine.score_games(self._kernel_states, self.final_scores, self.final_ranks)

    def resample_hidden(self, seats: np.ndarray, seeds: np.ndarray) -> None:
        """Replace what the given seat (int64 [B]) cannot know in each game by a random state that
        fits what it knows; the same seeds (uint64 [B]) give the same states."""
        self._engine.resample_games(
            self._kernel_states, self._check_seats(seats), self._check_seeds(seeds)
        )
        self.set_states(self.states.copy())

    def get_states(self) -> np.ndarray:
        """A copy of all states; with the same actions they lead to the same games."""
        return self.states.copy()

    def set_states(self, states: np.ndarray) -> None:
        """Go to states that `get_states` returned, of the same game, batch size and seats."""
        fits = states.dtype == self.game.dtype and states.shape == self.states.shape
        if not fits or (states["num_players"] != self.num_players).any():
            raise ValueError(
                f"these are no states of {self.num_envs} games of {self.game.title} "
                f"for {self.num_players} players (got shape {states.shape})"
            )
        self.states[:] = states
        self.rewards[:] = 0
        self._share_out(
            self._engine.write_turns,
            self._kernel_states,
            self.observation,
            self.action_mask,
            self.current_player,
            self.terminated,
        )
        self._dealt = True

    def close(self) -> None:
        """Stop the threads."""
        if self._pool is not None:
            self._pool.shutdown()


def fresh_seed() -> int:
    """63 random bits from the operating system."""
    return int.from_bytes(os.urandom(8), "little") >> 1


def check_seed(seed: Any) -> int:
    """Return `seed` if it is an integer in 0 … 2**64 - 1, else raise ValueError."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= seed < 2**64:
        raise ValueError(f"a seed is an integer from 0 to 2**64 - 1, got {seed!r}")
    return int(seed)


def illegal_action(game: Game, state: np.ndarray, action: int, mask: np.ndarray) -> str:
    """Say who tried what, and what is legal. `state` has shape [1]."""
    s = state.view(np.recarray)[0]
    legal = np.flatnonzero(mask)
    shown = ", ".join(f"{a} ({game.words.action(s, int(a))})" for a in legal[:12])
    more = f" and {len(legal) - 12} more" if len(legal) > 12 else ""
    return (
        f"player_{s.current_player} cannot play action {action} "
        f"({game.words.action(s, action)}) in {game.title}, deal seed {s.seed}; "
        f"legal: {shown}{more}"
    )
