"""Proximal policy optimisation by self-play (Schulman et al. 2017), in one file, top to bottom:
the loss, one update, what is saved and resumed, and the run with its log.

All seats are played by the same policy. Each seat's decisions form a trajectory of their own
(`rollout.seat_advantages`), so the same code serves any number of players.
"""

import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
import yaml
from torch import Tensor, nn
from torch.utils.tensorboard import SummaryWriter

from hanazono.envs.core.batch import BatchEnv
from hanazono.envs.core.game import Game
from hanazono.models.checkpoint import (
    CheckpointError,
    load_tensors,
    save_policy,
    save_tensors,
    whole_file,
)
from hanazono.models.networks import MLPNetwork, make_network
from hanazono.models.policy import Policy, entropy, masked_log_probs
from hanazono.training.config import PPOConfig
from hanazono.training.evaluate import (
    Evaluation,
    against_bots,
    seed_of_measurement,
    strength_scalars,
)
from hanazono.training.opponents import Opponents
from hanazono.training.parallel import GradientThreads
from hanazono.training.players import PolicyPlayer, game_card, network_spec
from hanazono.training.rollout import Rollout, collect, seat_advantages

RUN_FILE = "training.safetensors"
CONFIG_FILE = "config.yaml"


def ppo_loss(
    network: nn.Module, batch: dict[str, Tensor], clip: float, value_coef: float, bonus: float
) -> tuple[Tensor, dict[str, Tensor]]:
    """The clipped surrogate loss, and its parts for the log.

    `batch` holds observation [M, O], mask [M, A], action, log_prob, advantage, target [M].
    """
    logits, value = network(batch["observation"])
    log_probs = masked_log_probs(logits, batch["mask"])
    new = log_probs.gather(1, batch["action"][:, None]).squeeze(1)
    log_ratio = new - batch["log_prob"]
    ratio = log_ratio.exp()
    advantage = batch["advantage"]
    clipped = ratio.clamp(1 - clip, 1 + clip)
    policy_loss = -torch.min(ratio * advantage, clipped * advantage).mean()
    value_loss = (value - batch["target"]).square().mean()
    spread = entropy(log_probs).mean()
    loss = policy_loss + value_coef * value_loss - bonus * spread
    with torch.no_grad():
        parts = {
            "policy": policy_loss.detach(),
            "value": value_loss.detach(),
            "entropy": spread.detach(),
            "clip_fraction": ((ratio - 1).abs() > clip).float().mean(),
            "approx_kl": (ratio - 1 - log_ratio).mean(),
        }
    return loss, parts


class Trainer:
    """A training run: its networks, games and opponents, one `update` after another.

    With the same config and machine, a run gives the same weights bit by bit, also if it is
    killed at any moment and resumed from what `save` wrote last.
    """

    def __init__(self, game: Game, config: PPOConfig) -> None:
        """Set up a new run of `config` on `game`.

        Raises:
            ValueError: for settings the game or the network does not allow.
        """
        self.game, self.config = game, config
        self.generator = torch.Generator().manual_seed(config.seed)
        self.env = BatchEnv(game, config.num_envs, config.num_players, options=config.options)
        self.spec = network_spec(game)
        with torch.random.fork_rng():
            torch.manual_seed(config.seed)
            self.network = self._build()
        self.gradients = GradientThreads(self.network, config.threads)
        self.optimizer = torch.optim.Adam(
            self.network.parameters(), lr=config.learning_rate, eps=1e-5, foreach=True
        )
        self.opponents = Opponents(
            self._build, config.num_envs, config.num_players, config.pool_fraction, config.pool_size
        )
        self.rollout = Rollout.empty(self.env, config.horizon)
        self.env.reset(config.seed)
        self.updates = 0
        self.seconds = 0.0
        self.results: dict[str, float] = {}

    def _build(self) -> MLPNetwork:
        return make_network(self.config.network, self.spec, self.config.hidden)

    @property
    def decisions(self) -> int:
        """Decisions made so far by all seats."""
        return self.updates * self.config.num_envs * self.config.horizon

    @property
    def finished(self) -> bool:
        """Whether the run has its full length."""
        return self.decisions >= self.config.total_decisions

    def update(self) -> dict[str, float]:
        """Play one horizon, learn from it, and return what to log."""
        config, started = self.config, time.perf_counter()
        left = 1 - min(self.decisions / config.total_decisions, 1)
        for group in self.optimizer.param_groups:
            group["lr"] = config.learning_rate * left
        bonus = config.entropy_coef * (0.1 + 0.9 * left)
        collect(
            self.env,
            Policy(self.network),
            self.opponents,
            self.rollout,
            config.score_weight,
            self.generator,
        )
        data, log = self._samples()
        log |= self._learn(data, bonus)
        self.updates += 1
        if self.updates % config.pool_every == 0:
            self.opponents.add(self.network)
        self.seconds += time.perf_counter() - started
        log["speed/decisions_per_second"] = self.decisions / self.seconds
        log["settings/learning_rate"] = config.learning_rate * left
        return log

    def _samples(self) -> tuple[dict[str, Tensor], dict[str, float]]:
        """The learner's closed decisions, as a batch, and figures about the games."""
        r, config = self.rollout, self.config
        value = r.value.numpy()
        advantage, closed = seat_advantages(
            value, r.player, r.rewards, r.terminated, config.gamma, config.gae_lambda
        )
        chosen = torch.from_numpy(np.flatnonzero((closed & r.learner).reshape(-1)))
        target = advantage + value
        picked = {
            "observation": r.observation.flatten(0, 1),
            "mask": r.mask.flatten(0, 1),
            "action": r.action.flatten(),
            "log_prob": r.log_prob.flatten(),
            "advantage": torch.from_numpy(advantage).flatten(),
            "target": torch.from_numpy(target).flatten(),
            "index": chosen,
        }
        error, truth = advantage[closed & r.learner], target[closed & r.learner]
        log = {"games/finished": float(r.games)}
        if len(truth):
            log["losses/explained_variance"] = float(1 - error.var() / max(truth.var(), 1e-8))
        for seat in range(config.num_players if r.games else 0):
            log[f"games/win_share_seat_{seat}"] = float(r.winner_share[seat] / r.games)
        return picked, log

    def _learn(self, data: dict[str, Tensor], bonus: float) -> dict[str, float]:
        """Take gradient steps over shuffled minibatches; return the mean of each logged part.

        Raises:
            RuntimeError: if a gradient is not finite, before it reaches the weights.
        """
        config, index = self.config, data.pop("index")
        if not len(index):  # all decisions are open, as with a horizon of 1
            return {}
        totals: dict[str, float] = {}
        steps = 0

        def loss(network: nn.Module, batch: dict[str, Tensor]) -> tuple[Tensor, dict[str, Tensor]]:
            return ppo_loss(network, batch, config.clip, config.value_coef, bonus)

        # Gathering into the same memory each time is several times faster than into new memory.
        size = min(config.minibatch_size, len(index))
        buffers = {name: values.new_empty(size, *values.shape[1:]) for name, values in data.items()}
        for _ in range(config.epochs):
            order = index[torch.randperm(len(index), generator=self.generator)]
            for rows in torch.tensor_split(order, -(-len(order) // size)):  # of equal size, +- 1
                batch = {
                    name: torch.index_select(values, 0, rows, out=buffers[name][: len(rows)])
                    for name, values in data.items()
                }
                advantage = batch["advantage"]
                scale = advantage.std(correction=0) + 1e-8
                batch["advantage"] = (advantage - advantage.mean()) / scale
                parts = self.gradients.gradient(loss, batch)
                nn.utils.clip_grad_norm_(
                    self.network.parameters(), config.max_grad_norm, error_if_nonfinite=True
                )
                self.optimizer.step()
                steps += 1
                for name, part in parts.items():
                    totals[name] = totals.get(name, 0.0) + float(part)
        return {f"losses/{name}": total / steps for name, total in totals.items()}

    def measure(self) -> dict[str, Evaluation]:
        """Let the policy play its likeliest actions against every bot, on deals of its own."""
        me = PolicyPlayer("policy", Policy(self.network, greedy=True))
        config, seed = self.config, seed_of_measurement(self.config.seed, self.updates)
        return against_bots(
            self.game, me, config.num_players, config.eval_deals, seed, config.options
        )

    def save(self, folder: Path) -> None:
        """Write the policy and everything needed to resume; each file appears whole or not."""
        config = self.config
        tensors = {
            "games": torch.from_numpy(self.env.get_states().view(np.uint8)),
            "chance": self.generator.get_state(),
        }
        tensors |= {f"network.{k}": v for k, v in self.network.state_dict().items()}
        tensors |= {f"opponents.{k}": v for k, v in self.opponents.state().items()}
        for number, moments in self.optimizer.state_dict()["state"].items():
            tensors |= {f"adam.{number}.{k}": v for k, v in moments.items()}
        progress = {"updates": self.updates, "seconds": self.seconds, "results": self.results}
        card = game_card(self.game, config.num_players, config.options) | {
            "training": {
                "decisions": self.decisions,
                "seconds": round(self.seconds, 1),
                "config": asdict(config),
            },
            "results": self.results,
        }
        save_policy(folder, self.network, self.spec, config.network, config.hidden, card)
        # Last, so that a run which was killed between the two files repeats what they lack.
        save_tensors(folder / RUN_FILE, tensors, {"config": asdict(config), "progress": progress})

    def resume(self, folder: Path) -> None:
        """Go on from what `save` wrote.

        Raises:
            CheckpointError: if there is nothing to resume, or it was made with another config
                (only total_decisions may differ).
        """
        tensors, card = load_tensors(folder / RUN_FILE)
        mine = asdict(self.config)
        changed = [
            f"{name} was {value!r}, is now {mine.get(name)!r}"
            for name, value in card["config"].items()
            if name != "total_decisions" and mine.get(name) != value
        ]
        if changed:
            raise CheckpointError(f"cannot resume {folder} with other settings: {changed}")

        def part(prefix: str) -> dict[str, Tensor]:
            cut = len(prefix) + 1
            return {k[cut:]: v for k, v in tensors.items() if k.startswith(prefix + ".")}

        self.network.load_state_dict(part("network"))
        self.opponents.set_state(part("opponents"))
        adam = self.optimizer.state_dict()
        for name, value in part("adam").items():
            number, moment = name.split(".")
            adam["state"].setdefault(int(number), {})[moment] = value
        self.optimizer.load_state_dict(adam)
        self.env.set_states(tensors["games"].numpy().view(self.game.dtype))
        self.generator.set_state(tensors["chance"])
        progress = card["progress"]
        self.updates, self.seconds = progress["updates"], progress["seconds"]
        self.results = progress["results"]


Watcher = Callable[[Trainer, dict[str, float], dict[str, Evaluation] | None], None]


def run(
    trainer: Trainer,
    folder: Path,
    watch: Watcher | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> None:
    """Train to the end, or until stop() says so, logging to TensorBoard and saving in `folder`.

    Args:
        trainer: a new run, or one that was resumed.
        folder: existing and writable.
        watch: called after every update with what was logged and, where one was made, the
            measurement against each bot.
        stop: asked after every update; the run is then saved and can be resumed.
    """
    config = trainer.config
    with whole_file(folder / CONFIG_FILE) as file:
        file.write_text(yaml.safe_dump(asdict(config), sort_keys=False), encoding="utf-8")
    with SummaryWriter(str(folder / "tensorboard"), purge_step=trainer.decisions + 1) as writer:
        if trainer.updates == 0:
            rows = "\n".join(f"|{name}|{value}|" for name, value in asdict(config).items())
            writer.add_text("settings", f"|setting|value|\n|-|-|\n{rows}", 0)
            trainer.save(folder)  # so that a run can be resumed from its first moment
        while not trainer.finished:
            log = trainer.update()
            last = trainer.decisions >= config.total_decisions
            due = config.eval_every > 0 and (last or trainer.updates % config.eval_every == 0)
            strength = trainer.measure() if due else None
            log |= strength_scalars(strength or {})
            for bot, result in (strength or {}).items():
                trainer.results[f"win_share_{bot}"] = result.standings[0].win_share.mean
            for name, value in log.items():
                writer.add_scalar(name, value, trainer.decisions)
            stopping = stop()
            if stopping or last or trainer.updates % config.save_every == 0:
                trainer.save(folder)
            if watch is not None:
                watch(trainer, log, strength)
            if stopping:
                return
