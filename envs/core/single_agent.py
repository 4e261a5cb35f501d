"""Gymnasium: one seat learns, opponents hold the others; a single game and a vector of games."""

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from hanazono.envs.core.batch import check_choice, check_seed
from hanazono.envs.core.game import Game
from hanazono.envs.core.one_seat import OneSeatBatch
from hanazono.envs.core.opponents import Opponents

RENDER_MODES = ("ansi",)
ENV_METADATA = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # some recorders ask for it
VECTOR_METADATA = ENV_METADATA | {"autoreset_mode": AutoresetMode.SAME_STEP}
WHOLE = int | np.integer
Observation = Any  # float32 [..., O], or with the mask in it a dict of that and int8 [..., A]


def observation_space(game: Game, mask_in_observation: bool) -> spaces.Space[Any]:
    """What a seat sees: Box [O], or a Dict of that as "observation" and the "action_mask"."""
    low, high = game.layout.bounds()
    box = spaces.Box(low, high, dtype=np.float32)
    if not mask_in_observation:
        return box
    return spaces.Dict(
        {"observation": box, "action_mask": spaces.Box(0, 1, (game.num_actions,), np.int8)}
    )


def observed(games: OneSeatBatch, rows: Any, mask_in_observation: bool) -> Observation:
    """A copy of what the learner sees in the games `rows`, any index of them."""
    batch = games.batch
    observation = np.array(batch.observation[rows])
    if not mask_in_observation:
        return observation
    return {"observation": observation, "action_mask": np.array(batch.action_mask[rows])}


class SingleAgentEnv(gymnasium.Env[Observation, Any]):
    """One game for one learner, whose seat changes from game to game unless it is fixed.

    An episode is a game; a step is a decision of the learner, and pays all that its seat is paid
    until its next. `info` holds "action_mask" (int8 [A], 1 = legal; all 0 when the game is over)
    and "seat", and at the end "score", "rank" (0 = winner) and "winner_share". The game is never
    truncated. A copy by `copy.deepcopy` or `pickle` goes on where it stands.

    The deal follows from the seed of `reset`; without one, from the deal before. A game that ends
    before the learner had anything to decide is shown once: see `OneSeatBatch`.
    """

    metadata = ENV_METADATA

    def __init__(
        self,
        game: Game,
        num_players: int,
        *,
        mask_in_observation: bool = False,
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        """Prepare the environment; `reset` deals.

        Args:
            game: which game.
            num_players: number of seats.
            mask_in_observation: observe {"observation", "action_mask"} instead of a vector.
            render_mode: None or "ansi" (`render` then returns text).
            settings: `opponents`, `seat`, `reward`, `illegal` and rule options, as `OneSeatBatch`
                takes them.

        Raises:
            ValueError: naming what is allowed.
        """
        if render_mode is not None:
            check_choice("render_mode", render_mode, RENDER_MODES)
        self.render_mode, self.mask_in_observation = render_mode, mask_in_observation
        self.games = OneSeatBatch(game, 1, num_players, **settings)
        self.observation_space = observation_space(game, mask_in_observation)
        self.action_space = spaces.Discrete(game.num_actions)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Deal a game and play until the learner is to decide.

        Args:
            seed: the deal seed, 0 … 2**64 - 1; also starts the order of the seats anew.
            options: ignored; rule options belong to the constructor.
        """
        if seed is not None:
            check_seed(seed)
        super().reset(seed=seed)
        self.games.reset(None if seed is None else np.full(1, seed, np.uint64))
        return self._observed(), self._info()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play `action`, then go on until the learner is to decide again or the game is over.

        Raises:
            ValueError: for an illegal action where illegal="raise"; the game is unchanged. Or of
                an opponent; the game then has to be reset.
            RuntimeError: before the first reset, or when the game is over.
        """
        games = self.games
        action = np.asarray(action)
        if action.size != 1:
            raise ValueError(f"an action is one number, got {action!r}")
        games.step(action.reshape(1))
        over = bool(games.over[0])
        info = self._info()
        if over:
            info |= {k: v[0].item() for k, v in games.results(np.zeros(1, np.int64)).items()}
        return self._observed(), float(games.rewards[0]), over, False, info

    def _observed(self) -> Observation:
        return observed(self.games, 0, self.mask_in_observation)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.action_masks(), "seat": int(self.games.seat[0])}

    def action_masks(self) -> np.ndarray:
        """The legal actions, int8 [A], as sb3-contrib asks for them."""
        return self.games.batch.action_mask[0].copy()

    def set_opponents(self, opponents: Opponents) -> None:
        """Let others hold the other seats in games dealt from now on, see `OneSeatBatch`."""
        self.games.set_opponents(opponents)

    def render(self) -> Any:
        """The table as text, as far as the learner knows it; None without render_mode."""
        return None if self.render_mode is None else text_of(self.games, 0)


class SingleAgentVectorEnv(VectorEnv[Observation, np.ndarray, np.ndarray]):
    """B games side by side, stepped together; game i does what a `SingleAgentEnv` would do.

    A game that ends is dealt anew in the same step (AutoresetMode.SAME_STEP): what it showed last
    is in infos["final_obs"] and infos["final_info"], in the format of `SyncVectorEnv`.
    """

    metadata = VECTOR_METADATA

    def __init__(
        self,
        game: Game,
        num_envs: int,
        num_players: int,
        *,
        mask_in_observation: bool = False,
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        """Prepare the environments; `reset` deals.

        Args:
            game: which game.
            num_envs: B, at least 1.
            num_players: number of seats.
            mask_in_observation: see `SingleAgentEnv`.
            render_mode: see `SingleAgentEnv`.
            settings: as `OneSeatBatch` takes them, `num_threads` among them.

        Raises:
            ValueError: naming what is allowed.
        """
        if render_mode is not None:
            check_choice("render_mode", render_mode, RENDER_MODES)
        self.render_mode, self.mask_in_observation = render_mode, mask_in_observation
        self.num_envs = num_envs
        self.games = OneSeatBatch(game, num_envs, num_players, **settings)
        self.single_observation_space = observation_space(game, mask_in_observation)
        self.single_action_space = spaces.Discrete(game.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self,
        *,
        seed: int | Sequence[int] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observation, dict[str, Any]]:
        """Deal all games.

        Args:
            seed: deal seeds, one for each game, or a number from which they count upwards. By
                default each game goes on from its last seed.
            options: ignored, and may hold no "reset_mask": games are dealt when they end.

        Raises:
            ValueError: for a seed out of range or a wrong number of them.
        """
        if options and "reset_mask" in options:
            raise ValueError("games are dealt anew when they end, so there is no reset_mask")
        deals = None if seed is None else seeds_of(seed, self.num_envs)
        super().reset(seed=int(seed) if isinstance(seed, WHOLE) else None)
        self.games.reset(deals)
        return self._observed(slice(None)), self._infos()

    def step(
        self, actions: np.ndarray
    ) -> tuple[Observation, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play one decision of the learner in every game.

        Args:
            actions: integers [B].

        Returns:
            Observations, rewards float64 [B], terminations and truncations bool [B], infos.

        Raises:
            ValueError: for an illegal action where illegal="raise"; the games are unchanged. Or of
                an opponent; the games then have to be reset.
            RuntimeError: before the first reset.
        """
        games = self.games
        games.step(actions)
        rewards, over = games.rewards.copy(), games.over.copy()
        ended = np.flatnonzero(over)
        final = self._final(ended, over) if len(ended) else {}
        if len(ended):
            games.deal(ended)
        no_truncation = np.zeros(self.num_envs, bool)
        return self._observed(slice(None)), rewards, over, no_truncation, final | self._infos()

    def _observed(self, rows: Any) -> Observation:
        return observed(self.games, rows, self.mask_in_observation)

    def _infos(self) -> dict[str, Any]:
        return for_all({"action_mask": self.action_masks(), "seat": self.games.seat.copy()})

    def _final(self, ended: np.ndarray, over: np.ndarray) -> dict[str, Any]:
        """The entries that tell of the games `ended`, those that are `over`."""
        games, count = self.games, self.num_envs
        observations = np.full(count, None, dtype=object)
        for i in ended:
            observations[i] = self._observed(i)
        facts = {
            "action_mask": games.batch.action_mask[ended],
            "seat": games.seat[ended],
            **games.results(ended),
        }
        told = {"final_obs": observations, "final_info": for_some(facts, over)}
        return told | {f"_{name}": over.copy() for name in told}

    def action_masks(self) -> np.ndarray:
        """The legal actions in each game, int8 [B, A]."""
        return self.games.batch.action_mask.copy()

    def set_opponents(self, opponents: Opponents) -> None:
        """Let others hold the other seats in games dealt from now on, see `OneSeatBatch`."""
        self.games.set_opponents(opponents)

    def render(self) -> Any:
        """The tables as texts, as far as the learner knows them; None without render_mode."""
        if self.render_mode is None:
            return None
        return tuple(text_of(self.games, i) for i in range(self.num_envs))

    def close_extras(self, **_: Any) -> None:
        """Stop the threads."""
        self.games.batch.close()


def text_of(games: OneSeatBatch, index: int) -> str:
    """One table as text, as far as its learner knows it."""
    state = games.batch.states.view(np.recarray)[index]
    return games.batch.game.words.text(state, int(games.seat[index]))


def seeds_of(seed: int | Sequence[int], count: int) -> np.ndarray:
    """Deal seeds uint64 [B] from a list of them or from the first.

    Raises:
        ValueError: for a seed out of range or a wrong number of them.
    """
    if isinstance(seed, WHOLE):
        listed = [int(check_seed(seed)) + i for i in range(count)]
    else:
        listed = list(seed)
    if len(listed) != count:
        raise ValueError(f"{count} games need as many seeds, got {len(listed)}")
    return np.array([check_seed(value) for value in listed], np.uint64)


def for_all(facts: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Infos that all games have: each array [B, ...] with the note that every entry counts."""
    counts = {f"_{name}": np.ones(len(array), bool) for name, array in facts.items()}
    return {**facts, **counts}


def for_some(facts: Mapping[str, np.ndarray], which: np.ndarray) -> dict[str, Any]:
    """Infos that the games `which` (bool [B]) have: arrays [B, ...] of zeros with the facts
    [K, ...] in them, each with the note which entries count."""
    told: dict[str, Any] = {}
    for name, values in facts.items():
        told[name] = np.zeros((len(which), *values.shape[1:]), values.dtype)
        told[name][which] = values
        told[f"_{name}"] = which.copy()
    return told
