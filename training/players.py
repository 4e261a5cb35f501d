"""Players by name: a bot's name, or the folder or file of a checkpoint."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch

from hanazono.envs.core.batch import BatchEnv
from hanazono.envs.core.game import Game
from hanazono.models.checkpoint import load_policy
from hanazono.models.networks import Group, Spec
from hanazono.models.policy import Policy, draw, masked_log_probs
from hanazono.training.companions import unknown_player


class Player(Protocol):
    """Somebody who can decide in many games at once."""

    name: str

    def act(
        self, env: BatchEnv, rows: np.ndarray, actions: np.ndarray, generator: torch.Generator
    ) -> None:
        """Write a legal action to `actions` (int64 [B]) for each of the games `rows`."""


class BotPlayer:
    """A scripted player of the game."""

    def __init__(self, name: str) -> None:
        self.name = name

    def act(
        self, env: BatchEnv, rows: np.ndarray, actions: np.ndarray, generator: torch.Generator
    ) -> None:
        """See `Player.act`; the bot's own chance follows from the generator's seed."""
        env.act(self.name, rows, generator.initial_seed(), actions)


class PolicyPlayer:
    """A learned player."""

    def __init__(self, name: str, policy: Policy) -> None:
        self.name = name
        self.policy = policy

    def act(
        self, env: BatchEnv, rows: np.ndarray, actions: np.ndarray, generator: torch.Generator
    ) -> None:
        """See `Player.act`."""
        observation = torch.from_numpy(env.observation[rows])
        mask = torch.from_numpy(env.action_mask[rows])
        actions[rows] = self.policy.act(observation, mask, generator).numpy()


class PolicyOpponent:
    """A learned player as an opponent in `envs.core.one_seat`: its only chance is the noise that
    comes with each decision."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy

    @torch.no_grad()
    def __call__(self, observation: np.ndarray, mask: np.ndarray, noise: np.ndarray) -> np.ndarray:
        """See `envs.core.opponents.Chooser`."""
        logits = self.policy.network(torch.from_numpy(observation))[0]
        log_probs = masked_log_probs(logits, torch.from_numpy(mask))
        if self.policy.greedy:
            return log_probs.argmax(dim=-1).numpy()
        uniform = (noise >> np.uint64(11)) * 2.0**-53
        return draw(log_probs, torch.from_numpy(uniform)).numpy()


def network_spec(game: Game) -> Spec:
    """What a network has to know of `game`."""
    groups = tuple(
        Group(group.start, tuple(map(tuple, columns.tolist())))
        for group in sorted(game.actions, key=lambda group: group.start)
        if group.axis is not None and (columns := game.layout.columns(group.axis)).size
    )
    return Spec(game.layout.size, game.num_actions, groups)


def game_card(game: Game, num_players: int, options: Mapping[str, Any]) -> dict[str, Any]:
    """The entries of a checkpoint's card that say which game it plays."""
    return {
        "game": game.name,
        "rules_version": game.rules_version,
        "num_players": num_players,
        "options": game.check_options(options),
        "observation_schema": game.layout.schema_hash,
    }


def load_player(
    name: str,
    game: Game,
    num_players: int,
    options: Mapping[str, Any] | None = None,
    *,
    sample: bool = False,
) -> Player:
    """The player called `name`.

    Args:
        name: a bot of the game, or the path of a checkpoint's file or folder.
        game: what will be played; a checkpoint must have learned just that,
        num_players: with as many seats,
        options: and with the same rule options.
        sample: let a learned player draw its actions instead of playing the likeliest.

    Raises:
        ValueError: if there is neither such a bot nor such a checkpoint.
        CheckpointError: if the checkpoint cannot be used, saying what differs.
    """
    if name in game.bots:
        return BotPlayer(name)
    if not Path(name).exists():
        raise ValueError(unknown_player(name, game))
    network, card = load_policy(name, game_card(game, num_players, options or {}))
    return PolicyPlayer(name, Policy(network, greedy=card.get("greedy", False) or not sample))


def load_opponent(
    name: str, game: Game, num_players: int, options: Mapping[str, Any]
) -> PolicyOpponent:
    """The checkpoint called `name` as an opponent, which plays its likeliest actions.

    pyproject.toml offers this to `envs.core.opponents.find_opponent`.

    Raises:
        ValueError: if there is no such checkpoint, or it cannot be used here.
    """
    if not Path(name).exists():
        raise ValueError(f"{name} is not the file or folder of a checkpoint either")
    network, _ = load_policy(name, game_card(game, num_players, options))
    return PolicyOpponent(Policy(network, greedy=True))
