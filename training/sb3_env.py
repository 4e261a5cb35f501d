"""Stable-Baselines3: many games as one VecEnv, in which one seat learns."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv

from hanazono.envs import get_game
from hanazono.envs.core.game import Game
from hanazono.envs.core.one_seat import OneSeatBatch
from hanazono.envs.core.opponents import Opponent, Opponents
from hanazono.envs.core.single_agent import observation_space, observed, seeds_of
from hanazono.training.players import game_card, network_spec


class GamesVecEnv(VecEnv):
    """B games stepped in one call, as Stable-Baselines3 wants them.

    A game that ends is dealt anew in the same step. Its info then holds "terminal_observation",
    "terminal_mask" (all 0) and the results "score", "rank" (0 = winner) and "winner_share"; other
    infos are empty. Masks come from `action_masks`, for all games at once, and with
    `mask_in_observation` also with every observation, as a learner needs that keeps them.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        num_players: int,
        *,
        mask_in_observation: bool = False,
        **settings: Any,
    ) -> None:
        """Prepare the games; `reset` deals.

        Args:
            game: which game.
            num_envs: B, at least 1.
            num_players: number of seats.
            mask_in_observation: observe {"observation", "action_mask"} instead of a vector.
            settings: as `OneSeatBatch` takes them.

        Raises:
            ValueError: naming what is allowed.
        """
        self.games = OneSeatBatch(game, num_envs, num_players, **settings)
        self.mask_in_observation = mask_in_observation
        self.render_mode = None
        space = observation_space(game, mask_in_observation)
        self._chosen = np.zeros(num_envs, np.int64)
        super().__init__(num_envs, space, spaces.Discrete(game.num_actions))

    def card(self, network: str = "pieces", hidden: Sequence[int] = (128, 128)) -> dict[str, Any]:
        """What a policy of `sb3_policies` is built from, and what a checkpoint says of it: plain
        values. `network` and `hidden` as in `models.networks.make_network`."""
        batch = self.games.batch
        return {
            "network": network,
            "hidden": list(hidden),
            "spec": asdict(network_spec(batch.game)),
            **game_card(batch.game, batch.num_players, self.games.options),
        }

    @property
    def opponents(self) -> list[Opponent]:
        """Who holds the other seats of games dealt from now on, in the order of their turn."""
        return self.games.opponents

    def set_opponents(self, opponents: Opponents) -> None:
        """Let others hold the other seats in games dealt from now on."""
        self.games.set_opponents(opponents)

    def reset(self) -> Any:
        """Deal all games, with the seeds of `seed` if it was called since the last reset."""
        first = self._seeds[0]
        seeds = None if first is None else seeds_of(first, self.num_envs)
        self.games.reset(seeds)
        self._reset_seeds()
        return self._observed(slice(None))

    def step_async(self, actions: np.ndarray) -> None:
        """Keep the actions, integers [B], for `step_wait`."""
        self._chosen = actions

    def step_wait(self) -> tuple[Any, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Play one decision of the learner in every game.

        Returns:
            Observations, rewards float32 [B], ends bool [B], and infos.

        Raises:
            ValueError: for an illegal action where illegal="raise"; the games are unchanged. Or of
                an opponent; the games then have to be reset.
        """
        games = self.games
        games.step(self._chosen)
        rewards, over = games.rewards.astype(np.float32), games.over.copy()
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        ended = np.flatnonzero(over)
        if len(ended):
            results = games.results(ended)
            for k, i in enumerate(ended):
                infos[i] = {
                    "terminal_observation": self._observed(i),
                    "terminal_mask": games.batch.action_mask[i].copy(),
                    "TimeLimit.truncated": False,
                    **{name: values[k].item() for name, values in results.items()},
                }
            games.deal(ended)
        return self._observed(slice(None)), rewards, over, infos

    def _observed(self, rows: Any) -> Any:
        return observed(self.games, rows, self.mask_in_observation)

    def action_masks(self) -> np.ndarray:
        """The legal actions in each game, int8 [B, A]."""
        return self.games.batch.action_mask.copy()

    def close(self) -> None:
        """Stop the threads."""
        self.games.batch.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of this object, which is the same for all games, once for each game."""
        return [getattr(self, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Not possible: the games have no attributes of their own."""
        raise AttributeError(f"games are stepped together; cannot set {attr_name} of single ones")

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> Any:
        """Masks of single games, which sb3-contrib asks for in this way.

        Raises:
            AttributeError: for any other method.
        """
        if method_name != "action_masks":
            raise AttributeError(f"games are stepped together; none has a method {method_name!r}")
        return self.games.batch.action_mask[list(self._get_indices(indices))]

    def env_is_wrapped(
        self, wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]], indices: Any = None
    ) -> list[bool]:
        """No game is wrapped."""
        return [False for _ in self._get_indices(indices)]


def make_vec_env(
    name: str, num_envs: int, num_players: int | None = None, **settings: Any
) -> GamesVecEnv:
    """Games by name: see `GamesVecEnv` for the settings.

    `num_players` is by default the fewest the game allows.
    """
    game = get_game(name)
    return GamesVecEnv(game, num_envs, game.seats(num_players), **settings)
