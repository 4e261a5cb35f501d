"""Stable-Baselines3: policies made of the project's networks, and a DQN that honours masks.

Both are built from a card (`GamesVecEnv.card`), plain values that say which network it is and
which game it plays. Shapes: B batch, A actions.
"""

from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3 import DQN
from stable_baselines3.common.policies import BasePolicy
from stable_baselines3.dqn.policies import DQNPolicy
from torch import Tensor

from hanazono.models.networks import MLPNetwork, Spec, make_network
from hanazono.models.policy import entropy, masked_log_probs, sample

# The value of an illegal action. It is finite, because the value after the end is this times 0.
ILLEGAL_VALUE = -1e9


def network_of_card(card: dict[str, Any]) -> MLPNetwork:
    """A fresh network as the card describes it."""
    return make_network(card["network"], Spec.from_values(card["spec"]), card["hidden"])


def finite(values: Tensor) -> Tensor:
    """The same values.

    Raises:
        FloatingPointError: if one is infinite or not a number.
    """
    if not torch.isfinite(values).all():
        raise FloatingPointError("the network's output is not finite; try a smaller learning_rate")
    return values


class NetworkPolicy(MaskableActorCriticPolicy):
    """The project's network as a policy of sb3-contrib's MaskablePPO.

    Masks go through `models.policy`: an empty one is an error, and so is none at all.
    """

    def __init__(
        self,
        observation_space: spaces.Space,
        action_space: spaces.Space,
        lr_schedule: Any,
        card: dict[str, Any],
        **settings: Any,
    ) -> None:
        """Build the network of `card`; the other arguments are those of the base class."""
        if isinstance(observation_space, spaces.Dict):
            raise ValueError("NetworkPolicy needs games with mask_in_observation=False")
        self.card = card  # the base class builds the network while it is initialised
        super().__init__(observation_space, action_space, lr_schedule, **settings)

    def _build(self, lr_schedule: Any) -> None:
        self.network = network_of_card(self.card)
        optimizer: Any = self.optimizer_class
        self.optimizer = optimizer(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return super()._get_constructor_parameters() | {"card": self.card}

    def _look(self, obs: Any, action_masks: Any) -> tuple[Tensor, Tensor]:
        """Log-probabilities [B, A] and values [B, 1]."""
        if action_masks is None:
            raise ValueError("a decision needs its mask: give action_masks=env.action_masks()")
        logits, value = self.network(obs)
        mask = torch.as_tensor(action_masks, device=logits.device).reshape(logits.shape)
        return masked_log_probs(finite(logits), mask), value[:, None]

    def forward(
        self, obs: Any, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Actions int64 [B], values [B, 1] and log-probabilities of the actions [B]."""
        log_probs, value = self._look(obs, action_masks)
        action = log_probs.argmax(dim=-1) if deterministic else sample(log_probs)
        return action, value, log_probs.gather(1, action[:, None]).squeeze(1)

    def evaluate_actions(
        self, obs: Any, actions: Tensor, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Values [B, 1], log-probabilities of `actions` [B] and entropies [B]."""
        log_probs, value = self._look(obs, action_masks)
        chosen = log_probs.gather(1, actions.long()[:, None]).squeeze(1)
        return value, chosen, entropy(log_probs)

    def _predict(
        self, observation: Any, deterministic: bool = False, action_masks: Any = None
    ) -> Tensor:
        return self.forward(observation, deterministic, action_masks)[0]

    def get_distribution(self, obs: Any, action_masks: Any = None) -> MaskableDistribution:
        """The masked distribution in the form of sb3-contrib."""
        log_probs, _ = self._look(obs, action_masks)
        return self.action_dist.proba_distribution(action_logits=log_probs)

    def predict_values(self, obs: Any) -> Tensor:
        """Values [B, 1]."""
        return self.network(obs)[1][:, None]


class MaskedQNetwork(BasePolicy):
    """Action values from an observation that carries its mask; an illegal action is worth less
    than any other."""

    def __init__(
        self, observation_space: spaces.Space, action_space: spaces.Space, card: dict[str, Any]
    ) -> None:
        super().__init__(observation_space, action_space)
        self.network = network_of_card(card)

    def forward(self, obs: dict[str, Tensor]) -> Tensor:
        """[B, A] action values."""
        values = finite(self.network(obs["observation"])[0])
        return values.masked_fill(obs["action_mask"] == 0, ILLEGAL_VALUE)

    def _predict(self, observation: Any, deterministic: bool = True) -> Tensor:
        return self(observation).argmax(dim=1)


class NetworkQPolicy(DQNPolicy):
    """The project's network as the policy of `MaskableDQN`."""

    def __init__(
        self,
        observation_space: spaces.Dict,
        action_space: spaces.Discrete,
        lr_schedule: Any,
        card: dict[str, Any],
        **settings: Any,
    ) -> None:
        """Build the networks of `card`; the other arguments are those of the base class."""
        if not isinstance(observation_space, spaces.Dict):
            raise ValueError("MaskableDQN needs games with mask_in_observation=True")
        self.card = card
        super().__init__(observation_space, action_space, lr_schedule, **settings)

    def make_q_net(self) -> Any:
        """A fresh network of action values."""
        space, actions = self.observation_space, self.action_space
        return MaskedQNetwork(space, actions, self.card).to(self.device)

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return super()._get_constructor_parameters() | {"card": self.card}


class MaskableDQN(DQN):
    """DQN on observations that carry their mask ("observation", "action_mask").

    The masks lie in the replay buffer with the observations, so they count in all three places:
    when it plays its best action, when it explores, and in the value of the position reached.
    """

    def _sample_action(
        self, learning_starts: int, action_noise: Any = None, n_envs: int = 1
    ) -> tuple[np.ndarray, np.ndarray]:
        if self._last_obs is None:
            raise RuntimeError("there is no observation yet; call learn()")
        if self.num_timesteps < learning_starts:
            action = random_legal(self._last_obs["action_mask"])
        else:
            action, _ = self.predict(self._last_obs)
        return action, action

    def predict(
        self,
        observation: Any,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[np.ndarray, Any]:
        """The best legal action, or unless `deterministic`, with the present rate of exploration
        and for each row by itself, any legal one."""
        action, state = self.policy.predict(observation, state, episode_start, True)
        if deterministic:
            return action, state
        explore = np.random.random(action.shape) < self.exploration_rate  # noqa: NPY002 as all of DQN
        return np.where(explore, random_legal(observation["action_mask"]), action), state


def random_legal(mask: np.ndarray) -> np.ndarray:
    """Any legal action, all equally likely: [..., A] -> int64 [...]."""
    noise = np.random.random(mask.shape)  # noqa: NPY002 the generator that SB3 seeds
    return np.where(mask > 0, noise, -1.0).argmax(axis=-1)
