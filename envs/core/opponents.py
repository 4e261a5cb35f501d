"""Who holds the seats beside a learner's: bots, and functions that choose for many games.

Shapes: K games of a call, A actions, O observation values.
"""

from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import entry_points
from os import PathLike
from typing import Any

import numpy as np

from hanazono.envs.core.batch import BatchEnv
from hanazono.envs.core.game import Game
from hanazono.envs.core.kernel import Kernel, kernel
from hanazono.envs.core.rng import keyed, mix

Chooser = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
"""Chooses legal actions, integers [K], from observation float32 [K, O], mask int8 [K, A], and
noise uint64 [K], random bits that follow from the deal and the number of decisions."""

Opponent = str | Chooser
Opponents = Opponent | PathLike[str] | Sequence[Opponent | PathLike[str]]

LOADERS = "hanazono.players"  # entry points: load(name, game, num_players, options) -> Chooser
CHANCE = 0x6F70_706F_6E65_6E74  # keeps the opponents' chance apart from that of any deal


def seat_by_seat(
    opponents: Opponents, game: Game, num_players: int, options: Mapping[str, Any]
) -> list[Opponent]:
    """One opponent for each seat but the learner's: bots by name, all others as functions.

    Raises:
        ValueError: for a wrong number of them, or an unknown name.
    """
    others = num_players - 1
    if isinstance(opponents, Sequence) and not isinstance(opponents, str | bytes):
        given = list(opponents)
    else:
        given = [opponents] * others
    named: list[Any] = [str(one) if isinstance(one, PathLike) else one for one in given]
    if len(named) != others:
        raise ValueError(
            f"{num_players} seats need one opponent for all or {others}, got {len(named)}"
        )
    for opponent in named:
        if isinstance(opponent, Kernel):
            raise ValueError(f"{opponent} decides in one game: a bot is named, see guides/bots.md")
        if not isinstance(opponent, str) and not callable(opponent):
            told = "a bot's name, a checkpoint's path or a function"
            raise ValueError(f"an opponent is {told}, got {opponent!r}")
    names = {opponent for opponent in named if isinstance(opponent, str)}
    found = {name: find_opponent(name, game, num_players, options) for name in names}
    return [found[one] if isinstance(one, str) else one for one in named]


def find_opponent(name: str, game: Game, num_players: int, options: Mapping[str, Any]) -> Opponent:
    """The opponent of this name: a bot, or what an installed loader makes of it.

    The environments know no networks. Whoever can turn a name into a player offers that as an
    entry point of the group LOADERS, as hanazono.training does for checkpoints.

    Raises:
        ValueError: if there is no such bot and no loader can use the name.
    """
    if name in game.bots:
        return name
    reasons = []
    for entry in entry_points(group=LOADERS):
        try:
            chooser: Chooser = entry.load()(name, game, num_players, options)
        except ModuleNotFoundError as error:
            reasons.append(f'a {entry.name} needs {error.name}: pip install "hanazono[train]"')
        except ValueError as error:
            reasons.append(str(error))
        else:
            return chooser
    told = "; ".join(reasons) or "nothing installed loads others"
    raise ValueError(f"{game.title} has no bot {name!r} ({', '.join(game.bots)}); {told}")


def ask(opponent: Opponent, batch: BatchEnv, rows: np.ndarray, actions: np.ndarray) -> None:
    """Let the opponent decide in the games `rows` (int64 [K]) and write to those of `actions`.

    Raises:
        ValueError: if a function returns anything but legal actions.
    """
    if isinstance(opponent, str):
        batch.act(opponent, rows, CHANCE, actions)
        return
    mask, deals = batch.action_mask[rows], batch.states["seed"][rows]
    noise = np.empty(len(rows), np.uint64)
    write_noise(deals, batch.states["decisions"][rows], np.uint64(CHANCE), noise)
    chosen = np.asarray(opponent(batch.observation[rows], mask.copy(), noise))
    if chosen.shape != rows.shape or chosen.dtype.kind not in "iu":
        raise ValueError(
            f"{opponent!r} must choose integers of shape {rows.shape}, "
            f"got {chosen.dtype} {chosen.shape}"
        )
    inside = np.clip(chosen, 0, mask.shape[1] - 1)
    wrong = (inside != chosen) | (mask[np.arange(len(rows)), inside] == 0)
    if wrong.any():
        told = f"chose illegal {chosen[wrong]} in the deals {deals[wrong].tolist()}"
        raise ValueError(f"{opponent!r} {told}")
    actions[rows] = chosen


@kernel
def write_noise(seeds: Any, decisions: Any, key: Any, out: Any) -> None:
    """Fill `out` (uint64 [K]) with the bits that a bot with seed `key` gets in such positions."""
    for k in range(out.shape[0]):
        out[k] = keyed(mix(seeds[k] ^ key), decisions[k])
