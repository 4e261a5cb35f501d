"""Programs that sit at a table with people: one decision at a time, and advice in numbers.

A scripted one needs no torch; torch is loaded when the first learned one sits down.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import numpy as np

from hanazono.envs.core.batch import BatchEnv
from hanazono.envs.core.game import Game

BOT_SEED = 0  # a bot's chance follows from this, the deal and the number of the decision


class Companion(Protocol):
    """A player that says how likely it takes which action; it takes the likeliest."""

    name: str

    def weigh(self, table: BatchEnv) -> np.ndarray:
        """Probabilities of all actions, float64 [A], for whoever is to decide in a batch of one.

        The same position gives the same numbers, so a game that is taken up again goes on as it
        would have.
        """


class BotCompanion:
    """A scripted player of the game: it is always sure."""

    def __init__(self, name: str) -> None:
        self.name = name

    def weigh(self, table: BatchEnv) -> np.ndarray:
        """See `Companion.weigh`."""
        action = np.zeros(1, np.int64)
        table.act(self.name, np.zeros(1, np.int64), BOT_SEED, action)
        weights = np.zeros(table.game.num_actions)
        weights[action] = 1.0
        return weights


class LearnedCompanion:
    """The policy of a checkpoint."""

    def __init__(self, name: str, game: Game, num_players: int, options: Mapping[str, int]) -> None:
        """Load the checkpoint `name`, which must have learned just this game.

        Raises:
            CheckpointError: if it cannot be used, saying what differs.
        """
        try:
            from hanazono.models.checkpoint import load_policy
            from hanazono.models.policy import Policy
            from hanazono.training.players import game_card
        except ModuleNotFoundError as error:
            raise ValueError(
                f'{error.name} is not installed; checkpoints need: pip install "hanazono[train]"'
            ) from error
        network, card = load_policy(name, game_card(game, num_players, options))
        self.name = name
        self._policy = Policy(network, greedy=card.get("greedy", False))

    def weigh(self, table: BatchEnv) -> np.ndarray:
        """See `Companion.weigh`."""
        import torch

        seen, mask = torch.from_numpy(table.observation), torch.from_numpy(table.action_mask)
        weights: np.ndarray = self._policy.probabilities(seen, mask)[0].numpy()
        return weights


def invite(name: str, game: Game, num_players: int, options: Mapping[str, int]) -> Companion:
    """The companion called `name`: a bot of the game, or the folder or file of a checkpoint.

    Raises:
        ValueError: if there is neither; CheckpointError, a kind of it, if the checkpoint belongs
            to another game, number of players or options.
    """
    if name in game.bots:
        return BotCompanion(name)
    if not Path(name).exists():
        raise ValueError(unknown_player(name, game))
    return LearnedCompanion(name, game, num_players, options)


def unknown_player(name: str, game: Game) -> str:
    """What to say of a name that nobody has."""
    return (
        f"there is no player {name!r}: neither a bot of {game.title} "
        f"({', '.join(game.bots)}) nor the file or folder of a checkpoint"
    )
