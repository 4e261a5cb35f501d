"""Hanami on park maps for PettingZoo: `env(num_players=2, render_mode=None, ...)`."""

from typing import Any

from hanazono.envs.core.aec import GameEnv
from hanazono.envs.hanami_parks import GAME


def env(num_players: int = 2, **settings: Any) -> GameEnv:
    """An AEC environment for 2 to 4 players; see `GameEnv` for settings, RULES.md for the game."""
    return GameEnv(GAME, num_players, **settings)


raw_env = env  # legality and order are checked by the engine, so there is nothing to wrap
