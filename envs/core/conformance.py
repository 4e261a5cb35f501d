"""What every game must keep, checked by playing it: check_game is the first test of a new game.

PettingZoo's tests pass for an environment that shows the opponent's hand, ignores illegal actions
and pays both players; these do not.
"""

import contextlib
import io
import itertools
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from hanazono.envs.core import checks_play, checks_values, leaks
from hanazono.envs.core.game import Game, common_fields, load_game
from hanazono.envs.core.trial import Trial

# What PettingZoo says of every observation that comes with an action mask, in a dict of two.
ONE_ARRAY_WANTED = (
    "Observation space for each agent probably should be gymnasium.spaces.box",
    "Observation is not a NumPy array",
)
SETTINGS = ("game", "num_players", "render_mode", "reward", "illegal")  # no names for options


def check_game(game: Game, *, num_games: int = 8, seed: int = 0) -> None:
    """Check a game with hidden information at every seat count and every value of every option.

    Args:
        game: the game; other processes and pickles find it as `game.module`.GAME.
        num_games: deals that each setting is tried on, at least 4; run time grows with it.
        seed: fixes all deals and choices.

    Raises:
        AssertionError: naming game, seats, options, seed, and deal and step where there are any.
    """
    if num_games < 4:
        raise ValueError(f"num_games must be at least 4, got {num_games}")
    for check_record in RECORD_CHECKS:
        check_record(game)
    trials = all_trials(game, num_games, seed)
    for trial in trials:
        for check in TRIAL_CHECKS:
            check(trial)
    checks_values.check_processes(trials)


def all_trials(game: Game, num_games: int, seed: int) -> list[Trial]:
    """Every seat count with the default options, then once more with other values of all options.

    Together the latter hold every value of each option (of a range, its ends); there are as many
    of them as seat counts or values need.
    """
    seats = range(game.min_players, game.max_players + 1)
    settings = [(n, game.check_options({})) for n in seats]
    most = max((len(option.others) for option in game.options), default=0)
    for i in range(max(most, len(seats)) if most else 0):
        mix = {o.name: o.others[i % len(o.others)] for o in game.options}
        settings.append((seats[i % len(seats)], mix))
    return [Trial(game, n, options, seed, num_games) for n, options in settings]


def check_pettingzoo(trial: Trial) -> None:
    """PettingZoo's own tests pass."""
    with warnings.catch_warnings():  # the package warns of names of its own
        warnings.simplefilter("ignore", DeprecationWarning)
        from pettingzoo.test import api_test, seed_test
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("error")
        for expected in ONE_ARRAY_WANTED:
            warnings.filterwarnings("ignore", expected)
        cycles = min(trial.limit, 200)
        try:
            api_test(trial.env(), num_cycles=cycles)
            seed_test(trial.env, num_cycles=cycles)
        except (AssertionError, UserWarning) as error:
            trial.fail(f"PettingZoo's tests: {error}")


# The record that a game fills in


def require(game: Game, ok: Any, message: str) -> None:
    """Fail with `message` unless `ok`."""
    if not ok:
        raise AssertionError(f"{game.name}: {message}")


def check_record(game: Game) -> None:
    """The game is found again by its module, and its numbers make sense."""
    require(game, load_game(game.module) is game, f"{game.module}.GAME is another object")
    require(game, game.name.isidentifier(), f"its name {game.name!r} is no identifier")
    seats = 2 <= game.min_players <= game.max_players
    require(game, seats, f"seats run from {game.min_players} to {game.max_players}")
    require(game, game.score_scale > 0, f"score_scale is {game.score_scale}")


def check_fields(game: Game) -> None:
    """The state is aligned and holds the common fields; option names collide with nothing."""
    require(game, game.dtype.isalignedstruct, "its state is not aligned")
    for shared in common_fields(game.max_players):
        expected = np.dtype((shared.dtype, shared.shape))
        fits = shared.name in (game.dtype.names or ()) and game.dtype[shared.name] == expected
        require(game, fits, f"field {shared.name!r} is not {expected}")
    for option in game.options:
        usable = option.name.isidentifier() and option.name not in SETTINGS
        require(game, usable, f"an option cannot be called {option.name!r}")
        choice = option.takes(option.default) and len(option.others) > 0
        require(game, choice, f"option {option.name!r} allows {option.allowed}")


def check_actions(game: Game) -> None:
    """The action groups cover every action once; pieces over their index have its length."""
    groups = sorted(game.actions, key=lambda group: group.start)
    covered = [a for group in groups for a in range(group.start, group.start + group.count)]
    whole = covered == list(range(game.num_actions))
    require(game, whole, f"its groups do not cover actions 0 … {game.num_actions - 1} once each")
    for group, piece in itertools.product(groups, game.pieces):
        fits = group.axis is None or group.axis != piece.axis or piece.shape[-1] == group.count
        require(game, fits, f"{piece.name!r} has {piece.shape}, {group.name!r} {group.count} items")


def check_pieces(game: Game) -> None:
    """Every piece has a size, a finite range and a meaning."""
    for piece in game.pieces:
        ranged = math.isfinite(piece.low) and math.isfinite(piece.high) and piece.low < piece.high
        told = piece.size > 0 and bool(piece.meaning)
        require(game, ranged and told, f"piece {piece.name!r} is incomplete")


def check_bots(game: Game) -> None:
    """There is a bot that plays at random, and every bot can be named on a command line."""
    require(game, "random" in game.bots, "it has no bot called 'random'")
    for name in game.bots:
        require(game, name.isidentifier(), f"a bot cannot be called {name!r}")


RECORD_CHECKS: tuple[Callable[[Game], None], ...] = (
    check_record,
    check_fields,
    check_actions,
    check_pieces,
    check_bots,
)

TRIAL_CHECKS: tuple[Callable[[Trial], None], ...] = (
    checks_play.check_common_fields,
    checks_play.check_chance,
    checks_play.check_observations,
    checks_play.check_legal_actions,
    checks_play.check_illegal_actions,
    checks_play.check_seats,
    checks_play.check_forfeits,
    leaks.check_resampling,
    leaks.check_vectors,
    leaks.check_views,
    leaks.check_events,
    leaks.check_bots_are_fair,
    leaks.check_future,
    leaks.check_play_after,
    checks_values.check_copies,
    checks_values.check_return,
    checks_values.check_records,
    checks_values.check_replay,
    checks_values.check_words,
    checks_values.check_sheets,
    checks_play.check_batch,
    check_pettingzoo,
)
