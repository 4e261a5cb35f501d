"""Count the wins and losses that reach a learner, beside those of the games.

python scripts/compare_rewards.py [--games 400]

Random play by two. First the wrapper of PettingZoo's tutorial for MaskablePPO, on connect_four_v3
(if pettingzoo[classic] is installed) and on Ohanami; then our adapters on Ohanami.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from hanazono.envs import make, make_single_agent, make_single_agent_vector
from hanazono.scripts import peers
from hanazono.scripts.extras import needs
from hanazono.scripts.measure import MissingLibraryError

with needs("train"):
    from rich.console import Console
    from rich.table import Table

    from hanazono.training.sb3_env import make_vec_env

SEATS = 2
SIDE_BY_SIDE = 16

Ends = Iterator[tuple[int, float, float]]
"""Of each seat at each game's end: the seat, its result (above 0 won, below 0 lost), and the sum
of the rewards that the adapter delivered to it."""


def tutorial(env: Any, rng: np.random.Generator) -> Ends:
    """The tutorial's wrapper on an AEC environment: a reward goes to the seat that moved."""
    wrapped = peers.OneSeatAtATime(env)
    while True:
        wrapped.reset(seed=int(rng.integers(2**32)))
        delivered, over = np.zeros(SEATS), False
        while not over:
            mover = env.possible_agents.index(env.agent_selection)
            action = rng.choice(np.flatnonzero(wrapped.action_masks()))
            _, reward, over, _, _ = wrapped.step(action)
            delivered[mover] += float(reward)
        for seat, agent in enumerate(env.possible_agents):
            yield seat, env.rewards[agent], delivered[seat]


def single(rng: np.random.Generator) -> Ends:
    """`SingleAgentEnv`, whose seat changes from game to game."""
    env = make_single_agent("ohanami", SEATS)
    while True:
        _, info = env.reset()
        delivered, over = 0.0, False
        while not over:
            action = rng.choice(np.flatnonzero(info["action_mask"]))
            _, reward, over, _, info = env.step(action)
            delivered += reward
        yield info["seat"], SEATS * info["winner_share"] - 1, delivered


def side_by_side(env: Any, rng: np.random.Generator) -> Ends:
    """`SingleAgentVectorEnv` and `GamesVecEnv`: step, and ask each for the ends of its games."""
    env.reset()
    delivered = np.zeros(SIDE_BY_SIDE)
    while True:
        chance = rng.random((SIDE_BY_SIDE, env.games.batch.game.num_actions))
        seats = env.games.seat.copy()
        _, reward, over, *_, info = env.step((chance * env.action_masks()).argmax(axis=1))
        delivered += reward
        for i in np.flatnonzero(over):
            told = info[i] if isinstance(info, list) else info["final_info"]
            share = told["winner_share"] if isinstance(info, list) else told["winner_share"][i]
            yield seats[i], SEATS * share - 1, delivered[i]
        delivered[over] = 0


def adapters(rng: np.random.Generator) -> Iterator[tuple[str, str, Ends]]:
    """What is compared: adapter, game, and the ends of its games."""
    try:
        yield "PettingZoo's tutorial", "connect_four_v3", tutorial(peers.connect_four(), rng)
    except MissingLibraryError as error:
        print(f"skipped connect_four_v3: {error}", file=sys.stderr)
    yield "PettingZoo's tutorial", "ohanami", tutorial(make("ohanami", SEATS), rng)
    yield "Gymnasium, single", "ohanami", single(rng)
    vector = make_single_agent_vector("ohanami", SIDE_BY_SIDE, SEATS)
    yield "Gymnasium, vector", "ohanami", side_by_side(vector, rng)
    games = make_vec_env("ohanami", SIDE_BY_SIDE, SEATS)
    yield "Stable-Baselines3", "ohanami", side_by_side(games, rng)


def count(ends: Ends, games: int) -> np.ndarray:
    """Of so many games for each seat: int64 [seats, 4], won, wins delivered, lost, losses
    delivered."""
    table = np.zeros((SEATS, 4), np.int64)
    left = np.full(SEATS, games)
    while left.any():
        seat, result, delivered = next(ends)
        if left[seat]:
            left[seat] -= 1
            table[seat] += (result > 0, delivered > 0, result < 0, delivered < 0)
    return table


def main(argv: Sequence[str] | None = None) -> int:
    """Play, count, print; return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=400, help="for each seat (default 400)")
    args = parser.parse_args(argv)
    table = Table(title=f"{args.games} games for each seat")
    for heading in ("adapter", "game"):
        table.add_column(heading, no_wrap=True)
    for heading in ("seat", "won", "delivered", "lost", "delivered"):
        table.add_column(heading, justify="right")
    for adapter, game, ends in adapters(np.random.default_rng(0)):
        for seat, row in enumerate(count(ends, args.games)):
            table.add_row(adapter, game, str(seat), *map(str, row))
    console = Console()
    if not console.is_terminal:
        console.width = 120
    console.print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
