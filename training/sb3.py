"""Stable-Baselines3 from a config: build a model, train it against bots, checkpoints or itself,
measure it on duplicate deals, and save it as a player like any other."""

import copy
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
import yaml
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback, CallbackList
from stable_baselines3.common.utils import LinearSchedule
from stable_baselines3.common.vec_env import VecEnv, VecMonitor

from hanazono.envs.core.batch import BatchEnv
from hanazono.envs.core.opponents import Opponent
from hanazono.models.checkpoint import save_policy, whole_file
from hanazono.models.networks import MLPNetwork, Spec
from hanazono.models.policy import Policy
from hanazono.models.sb3_zip import MODEL_FILE
from hanazono.training.evaluate import (
    Evaluation,
    against_bots,
    seed_of_measurement,
    strength_scalars,
)
from hanazono.training.players import PolicyOpponent
from hanazono.training.sb3_env import GamesVecEnv, make_vec_env
from hanazono.training.sb3_policies import MaskableDQN, NetworkPolicy, NetworkQPolicy

CONFIG_FILE = "config.yaml"
SELF = "self"  # as an opponent: a frozen copy of the learner
ALGORITHMS = ("ppo", "dqn")

Tell = Callable[[int, dict[str, Evaluation]], None]
"""Told after each measurement: decisions so far, and the evaluation against each bot."""


@dataclass(frozen=True)
class SB3Config:
    """Settings of a run with Stable-Baselines3.

    Attributes:
        game: Name of the game.
        num_players: Number of seats.
        options: Rule options of the game, such as '{"rounds": 1}'.
        seed: Fixes weights, deals and actions.
        algorithm: "ppo" is sb3-contrib's MaskablePPO, "dqn" our DQN that honours masks.
        opponents: One for all other seats, or a list with one for each in the order of their
            turn: bots, checkpoints, or "self", a frozen copy of the learner.
        refresh_every: Decisions of the learner between two refreshments of the frozen copy.
        total_steps: Length of the run, in decisions of the learner; PPO rounds it up to whole
            updates of num_envs * horizon.
        num_envs: Games played side by side.
        reward: "score" or "outcome".
        learning_rate: Adam's step size at the start; it falls linearly towards 0.
        gamma: Discount from one decision of the learner to its next.
        batch_size: Decisions in one gradient step.
        horizon: PPO: decisions of each game between two updates.
        epochs: PPO: times each decision is used in an update.
        gae_lambda: PPO: weight of longer advantage estimates.
        entropy_coef: PPO: weight of the entropy bonus.
        buffer_size: DQN: decisions that are kept; each takes two observations of memory.
        train_freq: DQN: decisions of each game between two updates.
        gradient_steps: DQN: gradient steps of an update.
        network: Kind of network, "pieces" or "mlp".
        hidden: Sizes of the hidden layers.
        eval_every: Decisions between two measurements against the bots, of which one more comes at
            the end; 0 for none.
        eval_deals: Deals in one such measurement, each played from every seat.
        save_every: Decisions between two saves.
    """

    game: str = "ohanami"
    num_players: int = 2
    options: dict[str, int | str] = field(default_factory=dict)
    seed: int = 0
    algorithm: str = "ppo"
    opponents: str | list[str] = SELF
    refresh_every: int = 200_000
    total_steps: int = 3_000_000
    num_envs: int = 512
    reward: str = "score"
    learning_rate: float = 2e-3
    gamma: float = 1.0
    batch_size: int = 1024
    horizon: int = 64
    epochs: int = 1
    gae_lambda: float = 0.95
    entropy_coef: float = 0.005
    buffer_size: int = 200_000
    train_freq: int = 4
    gradient_steps: int = 2
    network: str = "pieces"
    hidden: list[int] = field(default_factory=lambda: [128, 128])
    eval_every: int = 500_000
    eval_deals: int = 200
    save_every: int = 500_000

    def __post_init__(self) -> None:
        """Reject settings that cannot work, naming what is allowed."""
        if self.algorithm not in ALGORITHMS:
            raise ValueError(f"algorithm must be one of {ALGORITHMS}, got {self.algorithm!r}")
        for name in ("refresh_every", "total_steps", "num_envs", "batch_size", "horizon", "epochs",
                     "buffer_size", "train_freq", "gradient_steps", "save_every"):  # fmt: skip
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, got {getattr(self, name)}")
        for name in ("gamma", "gae_lambda"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must be from 0 to 1, got {getattr(self, name)}")
        made = self.num_envs * self.horizon
        if self.algorithm == "ppo" and 1 in (self.batch_size, made % self.batch_size):
            raise ValueError(
                f"batch_size={self.batch_size} makes a batch of one decision out of the {made} "
                "(num_envs * horizon) of an update; PPO needs two or more in each"
            )
        if self.learning_rate <= 0:
            raise ValueError(f"learning_rate must be positive, got {self.learning_rate}")
        if not 0 <= self.seed < 2**32:
            raise ValueError(f"seed must be from 0 to 2**32 - 1, got {self.seed}")
        if self.eval_every < 0 or (self.eval_every and self.eval_deals < 2):
            raise ValueError("eval_every must be 0 or more, and eval_deals at least 2")


def network_of(model: BaseAlgorithm) -> MLPNetwork:
    """The network of a model with one of our policies.

    Raises:
        TypeError: for a model with another policy.
    """
    policy: Any = model.policy
    if isinstance(policy, NetworkPolicy):
        return policy.network
    if isinstance(policy, NetworkQPolicy):
        return policy.q_net.network  # type: ignore[return-value]
    raise TypeError(f"this needs a model with NetworkPolicy or NetworkQPolicy, not {type(policy)}")


class FrozenCopy(PolicyOpponent):
    """A learner as it is now, as an opponent; it shares no weights with the learner."""

    def __init__(self, model: BaseAlgorithm) -> None:
        network = copy.deepcopy(network_of(model)).cpu().eval().requires_grad_(False)
        super().__init__(Policy(network, greedy=isinstance(model, MaskableDQN)))


class ModelPlayer:
    """Any model of Stable-Baselines3 that takes masks, as a player for `evaluate`."""

    def __init__(self, name: str, model: BaseAlgorithm) -> None:
        self.name, self.model = name, model

    def act(
        self, env: BatchEnv, rows: np.ndarray, actions: np.ndarray, generator: torch.Generator
    ) -> None:
        """See `Player.act`; it plays the likeliest, or best, action."""
        seen: Any = env.observation[rows]
        mask = env.action_mask[rows]
        if isinstance(self.model.observation_space, spaces.Dict):
            seen = {"observation": seen, "action_mask": mask}
        masks = {} if isinstance(self.model, MaskableDQN) else {"action_masks": mask}
        actions[rows] = self.model.predict(seen, deterministic=True, **masks)[0]


class EveryCallback(BaseCallback):
    """Does something whenever so many decisions have been made since it did it last."""

    def __init__(self, every: int) -> None:
        super().__init__()
        self.every = every
        self._last = 0

    def _on_training_start(self) -> None:
        self._last = self.num_timesteps

    def _on_step(self) -> bool:
        if self.num_timesteps - self._last >= self.every:
            self._last = self.num_timesteps
            self.act()
        return True

    def act(self) -> None:
        """What is to be done."""
        raise NotImplementedError


class EvaluateCallback(EveryCallback):
    """Measures the model against every bot on duplicate deals, masks honoured, and logs it.

    Attributes:
        results: the last evaluation against each bot.
    """

    def __init__(
        self, every: int, deals: int = 200, seed: int = 0, tell: Tell = lambda steps, results: None
    ) -> None:
        """Measure every so many decisions on so many deals, each played from every seat, and
        `tell` the results."""
        super().__init__(every)
        self.deals, self.seed, self.tell = deals, seed, tell
        self.results: dict[str, Evaluation] = {}

    def _on_training_end(self) -> None:
        if self._last < self.num_timesteps:
            self.act()

    def act(self) -> None:
        """Measure now; each time on other deals."""
        games = games_of(self.training_env).games
        self.results = against_bots(
            games.batch.game,
            ModelPlayer("model", self.model),
            games.batch.num_players,
            self.deals,
            seed_of_measurement(self.seed, self.num_timesteps),
            games.options,
        )
        for name, value in strength_scalars(self.results).items():
            self.logger.record(name, value)
        self.logger.dump(self.num_timesteps)
        self.tell(self.num_timesteps, self.results)


class RefreshCallback(EveryCallback):
    """Self-play: at the start and then every so many decisions, a frozen copy of the learner as it
    is takes the seats that hold one, or all if none does, in games dealt from then on."""

    def _on_training_start(self) -> None:
        super()._on_training_start()
        held = [isinstance(one, FrozenCopy) for one in games_of(self.training_env).opponents]
        self._copied = held if any(held) else [True] * len(held)
        self.act()

    def act(self) -> None:
        """Take a copy now."""
        games, copied = games_of(self.training_env), FrozenCopy(self.model)
        seats = zip(self._copied, games.opponents, strict=True)
        games.set_opponents([copied if is_copy else other for is_copy, other in seats])


class SaveCallback(EveryCallback):
    """Saves the model in `folder`, also at the end."""

    def __init__(self, every: int, folder: Path) -> None:
        super().__init__(every)
        self.folder = folder

    def _on_training_end(self) -> None:
        self.act()

    def act(self) -> None:
        """Save now."""
        save_model(self.model, self.folder)


def games_of(env: VecEnv) -> GamesVecEnv:
    """The games beneath all wrappers.

    Raises:
        TypeError: if the environment is not ours.
    """
    games = env.unwrapped
    if not isinstance(games, GamesVecEnv):
        raise TypeError(f"this needs the games of make_vec_env, not {type(games).__name__}")
    return games


def seat_copies(model: BaseAlgorithm, games: GamesVecEnv, opponents: str | Sequence[str]) -> None:
    """Let `opponents` hold the other seats, a frozen copy where they are called "self"."""
    copied = FrozenCopy(model)
    names = [opponents] if isinstance(opponents, str) else opponents
    chosen: list[Opponent] = [copied if name == SELF else name for name in names]
    games.set_opponents(chosen[0] if isinstance(opponents, str) else chosen)


def build(config: SB3Config, folder: Path | None = None) -> BaseAlgorithm:
    """The games and the model of a run; it logs to TensorBoard if a folder is given.

    Raises:
        ValueError: for settings the game or the network does not allow.
    """
    games = make_vec_env(
        config.game, config.num_envs, config.num_players, reward=config.reward,
        mask_in_observation=config.algorithm == "dqn", **config.options,
    )  # fmt: skip
    # PPO asks for the learning rate after the decisions of an update: the last must not get 0.
    updates = max(1, -(-config.total_steps // (config.num_envs * config.horizon)))
    step = config.learning_rate / updates if config.algorithm == "ppo" else 0.0
    common: dict[str, Any] = {
        "learning_rate": LinearSchedule(config.learning_rate + step, step, 1.0),
        "gamma": config.gamma,
        "batch_size": config.batch_size,
        "policy_kwargs": {"card": games.card(config.network, config.hidden)},
        "tensorboard_log": str(folder / "tensorboard") if folder else None,
        "seed": config.seed,
        "device": "cpu",
    }
    env = VecMonitor(games)
    model: BaseAlgorithm
    if config.algorithm == "ppo":
        model = MaskablePPO(
            NetworkPolicy, env, n_steps=config.horizon, n_epochs=config.epochs,
            gae_lambda=config.gae_lambda, ent_coef=config.entropy_coef, **common,
        )  # fmt: skip
    else:
        model = MaskableDQN(
            NetworkQPolicy, env, buffer_size=config.buffer_size, train_freq=config.train_freq,
            gradient_steps=config.gradient_steps, learning_starts=10 * config.batch_size,
            target_update_interval=20 * config.num_envs, exploration_final_eps=0.02, **common,
        )  # fmt: skip
    seat_copies(model, games, config.opponents)
    games.seed(config.seed << 32)  # runs with other seeds get other deals
    return model


def save_model(model: BaseAlgorithm, folder: Path) -> None:
    """Write the policy as a checkpoint of this project, and MODEL_FILE, with which
    Stable-Baselines3 can go on; each file appears whole or not."""
    network, policy = network_of(model), cast(Any, model.policy)
    card = {k: v for k, v in policy.card.items() if k not in ("network", "hidden", "spec")}
    card["greedy"] = isinstance(model, MaskableDQN)  # action values say nothing of likelihood
    card["training"] = {"algorithm": type(model).__name__, "steps": model.num_timesteps}
    spec = Spec.from_values(policy.card["spec"])
    save_policy(folder, network, spec, policy.card["network"], policy.card["hidden"], card)
    with whole_file(folder / MODEL_FILE) as file, file.open("wb") as stream:
        model.save(stream)


def run(
    model: BaseAlgorithm,
    config: SB3Config,
    folder: Path,
    watch: BaseCallback | None = None,
    tell: Tell = lambda steps, results: None,
) -> None:
    """Train to the end, or until `watch` stops it, measuring and saving in `folder`.

    Args:
        model: what `build` made of the config.
        config: the settings.
        folder: existing and writable.
        watch: a callback of Stable-Baselines3.
        tell: see `Tell`.
    """
    with whole_file(folder / CONFIG_FILE) as file:
        file.write_text(yaml.safe_dump(asdict(config), sort_keys=False), encoding="utf-8")
    # It comes first, so that nothing is lost if the last measurement is broken off.
    callbacks: list[BaseCallback] = [SaveCallback(config.save_every, folder)]
    callbacks += [watch] if watch is not None else []
    if config.eval_every:
        callbacks.append(EvaluateCallback(config.eval_every, config.eval_deals, config.seed, tell))
    games = games_of(cast(VecEnv, model.get_env()))
    if any(isinstance(opponent, FrozenCopy) for opponent in games.opponents):
        callbacks.append(RefreshCallback(config.refresh_every))
    model.learn(config.total_steps, callback=CallbackList(callbacks), tb_log_name="sb3")
