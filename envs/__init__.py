"""The games of hanazono and every way to step them.

from hanazono.envs import ohanami_v0          # PettingZoo: ohanami_v0.env(num_players=2)
from hanazono.envs import make, make_batch    # by name: make_batch("ohanami", num_envs=1024)
gymnasium.make("hanazono.envs:hanazono/Ohanami-v0", opponents="value_gap")   # one seat learns
"""

if __name__ == "envs":  # two copies of every module would exist
    raise ImportError("import it as hanazono.envs (pip install -e . once; see README)")

from typing import TYPE_CHECKING, Any

import gymnasium
import pettingzoo

if TYPE_CHECKING:
    from hanazono.envs.core.aec import GameEnv
    from hanazono.envs.core.batch import BatchEnv
    from hanazono.envs.core.game import Game
    from hanazono.envs.core.single_agent import SingleAgentEnv, SingleAgentVectorEnv

# One line a game: its name, and the module that holds its GAME. Loaded when first asked for.
GAMES = {
    "ohanami": "hanazono.envs.ohanami",
    "sakura": "hanazono.envs.sakura",
    "hanawase": "hanazono.envs.hanawase",
    "hanami_tatami": "hanazono.envs.hanami_tatami",
    "hanami_parks": "hanazono.envs.hanami_parks",
}
VERSION = 0  # of the environments: hanazono/<game>-v0


def gymnasium_id(name: str) -> str:
    """The id of a game's single-agent environment: "hanazono/HanamiTatami-v0"."""
    return f"hanazono/{name.title().replace('_', '')}-v{VERSION}"


for _name in GAMES:
    pettingzoo.register(
        "aec",
        f"hanazono/{_name}-v{VERSION}",
        entry_point=f"hanazono.envs.{_name}_v{VERSION}:env",
    )
    gymnasium.register(
        gymnasium_id(_name),
        entry_point="hanazono.envs:make_single_agent",
        vector_entry_point="hanazono.envs:make_single_agent_vector",
        kwargs={"game": _name},
    )


def get_game(name: str) -> "Game":
    """The game of this name.

    Raises:
        ValueError: for an unknown name, listing the known ones.
    """
    from hanazono.envs.core.game import load_game

    if name not in GAMES:
        raise ValueError(f"there is no game {name!r}; games: {', '.join(GAMES)}")
    return load_game(GAMES[name])


def make(name: str, num_players: int | None = None, **settings: Any) -> "GameEnv":
    """A PettingZoo AEC environment: see `core.aec.GameEnv` for the settings.

    `num_players` is by default the fewest the game allows.
    """
    from hanazono.envs.core.aec import GameEnv

    game = get_game(name)
    return GameEnv(game, game.seats(num_players), **settings)


def make_batch(
    name: str, num_envs: int, num_players: int | None = None, **settings: Any
) -> "BatchEnv":
    """Many games stepped in one call: see `core.batch.BatchEnv` for the settings."""
    from hanazono.envs.core.batch import BatchEnv

    game = get_game(name)
    return BatchEnv(game, num_envs, game.seats(num_players), **settings)


def make_single_agent(
    game: str, num_players: int | None = None, **settings: Any
) -> "SingleAgentEnv":
    """A Gymnasium environment for one seat: see `core.single_agent.SingleAgentEnv`."""
    from hanazono.envs.core.single_agent import SingleAgentEnv

    played = get_game(game)
    return SingleAgentEnv(played, played.seats(num_players), **settings)


def make_single_agent_vector(
    game: str, num_envs: int, num_players: int | None = None, **settings: Any
) -> "SingleAgentVectorEnv":
    """Many of them, stepped together: see `core.single_agent.SingleAgentVectorEnv`."""
    from hanazono.envs.core.single_agent import SingleAgentVectorEnv

    played = get_game(game)
    return SingleAgentVectorEnv(played, num_envs, played.seats(num_players), **settings)
