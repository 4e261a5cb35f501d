"""Count the wins and losses that reach a learner, beside those of the games.

python scripts/compare_rewards.py [--game sakura --num-players 3 --games 1000]

Random play. First the wrapper of PettingZoo's tutorial for MaskablePPO, on connect_four_v3 (if
pettingzoo[classic] is installed) and on the game; then, on the game, a loop over AEC and our
adapters.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from hanazono.envs import GAMES, get_game, make, make_single_agent, make_single_agent_vector
from hanazono.scripts import peers
from hanazono.scripts.extras import needs
from hanazono.scripts.measure import MissingLibraryError

with needs("train"):
    from rich.console import Console
    from rich.table import Table

    from hanazono.training.sb3_env import make_vec_env

SIDE_BY_SIDE = 16

Ends = Iterator[tuple[int, float, float]]
"""Of each seat at each game's end: the seat, its result (above 0 won, below 0 lost), and the sum
of the rewards that the adapter delivered to it."""


def outcome(share: float, seats: int) -> float:
    """What a seat is paid that has this share of the win."""
    return (seats * share - 1) / (seats - 1)


def tutorial(env: Any, rng: np.random.Generator) -> Ends:
    """The tutorial's wrapper on an AEC environment: a reward goes to the seat that moved."""
    wrapped = peers.OneSeatAtATime(env)
    while True:
        wrapped.reset(seed=int(rng.integers(2**32)))
        delivered, over = np.zeros(len(env.possible_agents)), False
        while not over:
            mover = env.possible_agents.index(env.agent_selection)
            action = rng.choice(np.flatnonzero(wrapped.action_masks()))
            _, reward, over, _, _ = wrapped.step(action)
            delivered[mover] += float(reward)
        for seat, agent in enumerate(env.possible_agents):
            yield seat, env.rewards[agent], delivered[seat]


def loop(env: Any, rng: np.random.Generator) -> Ends:
    """A plain loop over an AEC environment, which gives every seat what `last` says."""
    while True:
        env.reset(seed=int(rng.integers(2**32)))
        agents = env.possible_agents
        delivered, share = dict.fromkeys(agents, 0.0), dict.fromkeys(agents, 0.0)
        for agent in env.agent_iter():
            observation, reward, over, _, info = env.last()
            delivered[agent] += reward
            if over:
                share[agent] = info["winner_share"]
            mask = observation["action_mask"]
            env.step(None if over else rng.choice(np.flatnonzero(mask)))
        for seat, agent in enumerate(agents):
            yield seat, outcome(share[agent], len(agents)), delivered[agent]


def single(env: Any, rng: np.random.Generator) -> Ends:
    """`SingleAgentEnv`, whose seat changes from game to game."""
    while True:
        _, info = env.reset()
        delivered, over = 0.0, False
        while not over:
            action = rng.choice(np.flatnonzero(info["action_mask"]))
            _, reward, over, _, info = env.step(action)
            delivered += reward
        share, seats = info["winner_share"], env.games.batch.num_players
        yield info["seat"], outcome(share, seats), delivered


def side_by_side(env: Any, rng: np.random.Generator) -> Ends:
    """`SingleAgentVectorEnv` and `GamesVecEnv`: step, and ask each for the ends of its games."""
    env.reset()
    delivered, batch = np.zeros(SIDE_BY_SIDE), env.games.batch
    while True:
        chance = rng.random((SIDE_BY_SIDE, batch.game.num_actions))
        seats = env.games.seat.copy()
        _, reward, over, *_, info = env.step((chance * env.action_masks()).argmax(axis=1))
        delivered += reward
        for i in np.flatnonzero(over):
            told = info[i] if isinstance(info, list) else info["final_info"]
            share = told["winner_share"] if isinstance(info, list) else told["winner_share"][i]
            yield seats[i], outcome(share, batch.num_players), delivered[i]
        delivered[over] = 0


def adapters(name: str, seats: int, rng: np.random.Generator) -> Iterator[tuple[str, str, Ends]]:
    """What is compared: adapter, game, and the ends of its games."""
    try:
        yield "PettingZoo's tutorial", "connect_four_v3", tutorial(peers.connect_four(), rng)
    except MissingLibraryError as error:
        print(f"skipped connect_four_v3: {error}", file=sys.stderr)
    yield "PettingZoo's tutorial", name, tutorial(make(name, seats), rng)
    yield "PettingZoo's AEC", name, loop(make(name, seats), rng)
    yield "Gymnasium, single", name, single(make_single_agent(name, seats), rng)
    vector = make_single_agent_vector(name, SIDE_BY_SIDE, seats)
    yield "Gymnasium, vector", name, side_by_side(vector, rng)
    yield "Stable-Baselines3", name, side_by_side(make_vec_env(name, SIDE_BY_SIDE, seats), rng)


def count(ends: Ends, seats: int, games: int) -> np.ndarray:
    """Of so many games for each seat: int64 [seats, 5], won, wins delivered, lost, losses
    delivered, and games whose delivered sum is not what the game paid."""
    table = np.zeros((seats, 5), np.int64)
    left = np.full(seats, games)
    while left.any():
        seat, paid, delivered = next(ends)
        if left[seat]:
            left[seat] -= 1
            wrong = abs(paid - delivered) > 1e-6
            table[seat] += (paid > 0, delivered > 0, paid < 0, delivered < 0, wrong)
    return table


def main(argv: Sequence[str] | None = None) -> int:
    """Play, count, print; return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--game", choices=list(GAMES), default="ohanami", help="default: ohanami")
    parser.add_argument(
        "--num-players", "--num_players", type=int, help="seats (default: as few as possible)"
    )
    parser.add_argument("--games", type=int, default=400, help="for each seat (default 400)")
    args = parser.parse_args(argv)
    game = get_game(args.game)
    try:
        seats = game.seats(args.num_players)
        if args.games < 1:
            raise ValueError(f"--games must be at least 1, got {args.games}")
    except ValueError as error:
        parser.error(str(error))
    table = Table(title=f"{args.games} games for each seat")
    for heading in ("adapter", "game"):
        table.add_column(heading, no_wrap=True)
    for heading in ("seat", "won", "delivered", "lost", "delivered", "wrong sums"):
        table.add_column(heading, justify="right")
    for adapter, name, ends in adapters(args.game, seats, np.random.default_rng(0)):
        at_table = seats if name == args.game else 2
        for seat, row in enumerate(count(ends, at_table, args.games)):
            table.add_row(adapter, name, str(seat), *map(str, row))
    console = Console()
    if not console.is_terminal:
        console.width = 120
    console.print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
