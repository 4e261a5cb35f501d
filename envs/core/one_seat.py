"""Many games in which one seat learns and opponents hold the others.

The adapters for single-agent libraries (Gymnasium in `single_agent.py`, Stable-Baselines3 in
hanazono.training) only translate what happens here. Shapes: B games, P seats, A actions,
O observation values, K games of a call.
"""

from typing import Any, Literal

import numpy as np

from hanazono.envs.core.batch import BatchEnv, IllegalKind, RewardKind, fresh_seed
from hanazono.envs.core.engine import HOLD
from hanazono.envs.core.game import Game
from hanazono.envs.core.kernel import kernel
from hanazono.envs.core.opponents import Opponent, Opponents, ask, seat_by_seat
from hanazono.envs.core.rng import mix, spread_seeds

Seat = int | Literal["rotate"]

LEARNER = -1  # in `holder`: the seat is the learner's
SETTINGS = ("num_players", "opponents", "seat", "reward", "illegal", "num_threads")
KEPT = ("seat", "holder", "rewards", "over", "idle")  # arrays that a copy keeps


class OneSeatBatch:
    """B games, each waiting for the learner's seat to decide; the others decide inside.

    The arrays are overwritten by every call; copy what you keep. A game pays when it ends, and is
    then left as it is until `deal`.

    A game can end before the learner's seat had anything to decide. It is not lost: it waits once
    in its final position, where action 0 is the only legal one and changes nothing; the step
    then pays what the game did and reports its end.

    Attributes:
        batch: the games. Its observation [B, O] and action_mask [B, A] are the learner's; of a
            game that has ended, the final observation and an empty mask.
        seat: int64 [B], the learner's.
        holder: int64 [B, P], who holds each seat: LEARNER or the number of an opponent. It
            changes for a game only when that game is dealt.
        rewards: float64 [B], paid to the learner by the last step.
        over: bool [B], whether the last step reported the end of the game.
        idle: bool [B], whether the game ended before the learner's first decision.
        dealt: whether there are games yet.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        num_players: int,
        *,
        opponents: Opponents = "random",
        seat: Seat = "rotate",
        reward: RewardKind = "outcome",
        illegal: IllegalKind = "raise",
        num_threads: int | None = None,
        **options: Any,
    ) -> None:
        """Prepare the games; `reset` deals.

        Args:
            game: which game.
            num_envs: B, at least 1.
            num_players: P, seats in every game.
            opponents: one for all other seats, or one for each, in the order of their turn after
                the learner's. An opponent is a bot's name, a checkpoint's folder or file (with
                hanazono[train]), or a function: see `opponents.Chooser`.
            seat: the learner's seat, or "rotate": after the first game, whose seat follows from
                its seed, the next seat in each game.
            reward: "outcome" or "score", see `BatchEnv`.
            illegal: "raise" an error and change nothing, or "forfeit": the learner loses.
            num_threads: threads that share the batch, see `BatchEnv`.
            options: rule options of the game.

        Raises:
            ValueError: naming what is allowed.
        """
        self.num_threads, self.options = num_threads, game.check_options(options, SETTINGS)
        self.batch = BatchEnv(
            game, num_envs, num_players, reward=reward, illegal=illegal,
            auto_reset=False, num_threads=num_threads, options=options,
        )  # fmt: skip
        self.fixed_seat = check_seat(seat, self.batch.num_players)
        self.seat = np.zeros(num_envs, np.int64)
        self.holder = np.full((num_envs, self.batch.num_players), LEARNER)
        self.rewards = np.zeros(num_envs)
        self.over, self.idle = np.zeros(num_envs, bool), np.zeros(num_envs, bool)
        self.dealt = False
        self._halted = False  # whether an opponent failed while it was to decide
        self._rows, self._turn = np.arange(num_envs), np.zeros(num_envs, np.int64)
        self._actions = np.zeros(num_envs, np.int64)
        self._players: dict[int, Opponent] = {}  # all that hold a seat now or will, by number
        self._lineup: list[int] = []  # numbers of those who hold seats in games dealt from now on
        self.set_opponents(opponents)

    def set_opponents(self, opponents: Opponents) -> None:
        """Let `opponents` hold the other seats in games dealt from now on; games that run keep
        those they have.

        Raises:
            ValueError: for a wrong number of them, or an unknown name.
        """
        batch = self.batch
        chosen = seat_by_seat(opponents, batch.game, batch.num_players, self.options)
        in_use = set(np.unique(self.holder).tolist())
        self._players = {k: v for k, v in self._players.items() if k in in_use}
        self._lineup = []
        for opponent in chosen:  # one that holds several seats is asked once for all of them
            known = [k for k, v in self._players.items() if v is opponent or v == opponent]
            number = known[0] if known else max(self._players, default=LEARNER) + 1
            self._players[number] = opponent
            self._lineup.append(number)

    @property
    def opponents(self) -> list[Opponent]:
        """Who holds the other seats of games dealt from now on, in the order of their turn."""
        return [self._players[number] for number in self._lineup]

    def reset(self, seeds: np.ndarray | None = None) -> None:
        """Deal all games: with the deal seeds uint64 [B], or else as `deal` does. The first deals
        follow from the operating system's chance."""
        if self.dealt:
            self.deal(self._rows, seeds)
            return
        if seeds is None:
            seeds = np.empty(self.batch.num_envs, np.uint64)
            spread_seeds(np.uint64(fresh_seed()), seeds)
        self.batch.reset(seeds=seeds)
        self.dealt = True
        self._begin(self._rows, seeds)

    def deal(self, rows: np.ndarray, seeds: np.ndarray | None = None) -> None:
        """Deal the games `rows` (int64 [K]) and play until the learner is to decide.

        Args:
            rows: the games, each once.
            seeds: deal seeds uint64 [K]; by default each follows from that of the game before.

        Raises:
            RuntimeError: before the first reset.
        """
        following = next_seeds(self.batch.states["seed"][rows]) if seeds is None else seeds
        self.batch.deal(rows, following)
        self._begin(rows, seeds)

    def _begin(self, rows: np.ndarray, seeds: np.ndarray | None) -> None:
        """Play the games `rows`, just dealt, until the learner is to decide."""
        self._take_seats(rows, seeds)
        self.over[rows] = False
        self._play_on()
        self.idle[rows] = self.batch.terminated[rows] != 0
        self._show_ends(rows)

    def _take_seats(self, rows: np.ndarray, seeds: np.ndarray | None) -> None:
        """Give out the seats of the games `rows`, about to be dealt."""
        seats = self.batch.num_players
        if self.fixed_seat is not None:
            self.seat[rows] = self.fixed_seat
        elif seeds is not None:
            self.seat[rows] = seeds % np.uint64(seats)
        else:
            self.seat[rows] = (self.seat[rows] + 1) % seats
        self.holder[rows, self.seat[rows]] = LEARNER
        for place, number in enumerate(self._lineup, start=1):
            self.holder[rows, (self.seat[rows] + place) % seats] = number

    def step(self, actions: np.ndarray) -> None:
        """Play the learner's action in every game, then go on until it is to decide again.

        Args:
            actions: integers [B]. That of an idle game is ignored.

        Raises:
            ValueError: as `BatchEnv.step`, the games are then unchanged; or if an opponent
                chooses an illegal action.
            RuntimeError: before the first reset, while a finished game waits to be dealt, or after
                an opponent failed, which leaves games in the middle of its turn.
        """
        if self._halted:
            raise RuntimeError("an opponent failed while it was to decide; call reset()")
        if self.over.any():
            raise RuntimeError("the game is over; call reset() to deal the next")
        self.batch.step(actions)
        self._play_on()
        np.not_equal(self.batch.terminated, 0, out=self.over)
        self.rewards.fill(0)
        self.idle.fill(False)
        if self.over.any():
            ended = self.over.nonzero()[0]
            self.rewards[ended] = self.batch.states["rewards"][ended, self.seat[ended]]
            self._show_ends(ended)

    def _play_on(self) -> None:
        """Let the opponents decide until every game is the learner's turn or over."""
        try:
            self._ask_opponents()
        except BaseException:  # also Ctrl-C
            self._halt()
            raise
        self._halted = False

    def _halt(self) -> None:
        """Wait for a reset; what the opponent sees, whose turn it is, is not for the learner."""
        self._halted = True
        self.batch.observation.fill(0)
        self.batch.action_mask.fill(0)

    def _ask_opponents(self) -> None:
        batch, turn = self.batch, self._turn
        while find_turns(batch.terminated, batch.current_player, self.holder, turn):
            self._actions.fill(HOLD)
            for number, opponent in self._players.items():
                rows = (turn == number).nonzero()[0]
                if len(rows):
                    ask(opponent, batch, rows, self._actions)
            batch.advance(self._actions)

    def _show_ends(self, rows: np.ndarray) -> None:
        """Write what the learner sees of those of the games `rows` that have ended."""
        batch = self.batch
        ended = rows[batch.terminated[rows] != 0]
        if len(ended):
            batch.observation[ended] = batch.observe(self.seat[ended], ended)
            batch.action_mask[ended, 0] = self.idle[ended]

    def results(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """Of the finished games `rows` (int64 [K]), for the learner: "score" float64 [K], "rank"
        int64 [K] (0 = winner) and "winner_share" float64 [K]."""
        batch, seat = self.batch, self.seat[rows]
        ranks = batch.final_ranks[rows, : batch.num_players]
        rank = batch.final_ranks[rows, seat]
        share = np.where(rank == 0, 1 / (ranks == 0).sum(axis=1), 0.0)
        return {"score": batch.final_scores[rows, seat, 0], "rank": rank, "winner_share": share}

    def __getstate__(self) -> dict[str, Any]:
        batch = self.batch
        return {
            "place": (batch.game, batch.num_envs, batch.num_players),
            "settings": {
                "seat": "rotate" if self.fixed_seat is None else self.fixed_seat,
                "reward": batch.reward,
                "illegal": batch.illegal,
                "num_threads": self.num_threads,
                **self.options,
            },
            "players": dict(self._players),
            "lineup": list(self._lineup),
            "arrays": {name: getattr(self, name).copy() for name in KEPT},
            "results": (batch.final_scores.copy(), batch.final_ranks.copy()),
            "states": batch.get_states() if self.dealt else None,
            "halted": self._halted,
        }

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__init__(*kept["place"], **kept["settings"])  # type: ignore[misc]
        self._players, self._lineup = kept["players"], kept["lineup"]
        for name, array in kept["arrays"].items():
            getattr(self, name)[:] = array
        self.batch.final_scores[:], self.batch.final_ranks[:] = kept["results"]
        self.dealt = kept["states"] is not None
        if self.dealt:
            self.batch.set_states(kept["states"])
            self._show_ends(self._rows)
        if kept["halted"]:
            self._halt()


def check_seat(seat: Any, num_players: int) -> int | None:
    """The fixed seat, or None for "rotate".

    Raises:
        ValueError: for any other value, naming what is allowed.
    """
    if isinstance(seat, str) and seat == "rotate":
        return None
    whole = isinstance(seat, int | np.integer) and not isinstance(seat, bool)
    if not whole or not 0 <= seat < num_players:
        raise ValueError(f'seat must be "rotate" or 0 to {num_players - 1}, got {seat!r}')
    return int(seat)


def next_seeds(seeds: np.ndarray) -> np.ndarray:
    """The deal seeds that follow upon uint64 [K], as when a `BatchEnv` deals anew."""
    following = np.empty_like(seeds)
    write_next(seeds, following)
    return following


@kernel
def write_next(seeds: Any, out: Any) -> None:
    """Fill `out` (uint64 [K]) with the seeds that follow upon `seeds`."""
    for k in range(out.shape[0]):
        out[k] = mix(seeds[k])


@kernel
def find_turns(terminated: Any, player: Any, holder: Any, turn: Any) -> Any:
    """Write to `turn` (int64 [B]) which opponent is to decide in each game, LEARNER where none is;
    return in how many games one is."""
    count = 0
    for i in range(turn.shape[0]):
        turn[i] = LEARNER if terminated[i] else holder[i, player[i]]
        count += turn[i] != LEARNER
    return count
