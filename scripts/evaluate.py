"""Measure players against each other on duplicate deals.

python scripts/evaluate.py --game ohanami --num-players 2 --players DIR value_gap --deals 1000

Every deal is played once for each rotation of the players round the table. Intervals are 95 %
and count deals, not games.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from hanazono.envs import GAMES, get_game
from hanazono.envs.core.record import write_atomically
from hanazono.scripts.arguments import parse_options
from hanazono.scripts.extras import needs

with needs("train"):
    from rich.console import Console
    from rich.table import Table
    from torch.utils.tensorboard import SummaryWriter

    from hanazono.training.evaluate import Evaluation, Standing, evaluate
    from hanazono.training.parallel import one_thread_each
    from hanazono.training.players import load_player


def make_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="hanazono-evaluate",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--game", required=True, help=f"one of: {', '.join(GAMES)}")
    parser.add_argument(
        "--num-players", "--num_players", type=int, help="seats; by default one for each player"
    )
    parser.add_argument(
        "--players",
        nargs="+",
        required=True,
        metavar="PLAYER",
        help="one for each seat: a bot's name, or a checkpoint's folder or file",
    )
    parser.add_argument("--deals", type=int, default=1000, help="number of deals (default 1000)")
    parser.add_argument("--seed", type=int, default=0, help="fixes everything (default 0)")
    parser.add_argument(
        "--options", nargs="*", default=[], metavar="NAME=VALUE", help="rule options"
    )
    parser.add_argument(
        "--sample",
        action="store_true",
        help="learned players draw their actions instead of playing the likeliest",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the result there as well")
    parser.add_argument("--tensorboard", type=Path, metavar="DIR", help="log the result there")
    return parser


def measure(args: argparse.Namespace) -> Evaluation:
    """Load the players and let them play.

    Raises:
        ValueError: for anything wrong with the arguments, saying what is allowed.
    """
    game, options = get_game(args.game), parse_options(args.options)
    given = args.num_players is not None
    seats = game.check_players(args.num_players if given else len(args.players))
    if len(args.players) != seats:
        raise ValueError(f"{seats} seats need {seats} players, got {len(args.players)}")
    for file in (args.json, args.tensorboard):
        if file is not None and not file.absolute().parent.is_dir():
            raise ValueError(f"there is no folder {file.absolute().parent}")
    if args.json is not None and args.json.is_dir():
        raise ValueError(f"{args.json} is a folder, not a file to write")
    if args.tensorboard is not None and args.tensorboard.is_file():
        raise ValueError(f"{args.tensorboard} is a file, not a folder to log in")
    players = [load_player(name, game, seats, options, sample=args.sample) for name in args.players]
    return evaluate(game, players, deals=args.deals, seed=args.seed, options=options)


FIGURES = ("win share", "score margin", "mean score")


def figures(standing: Standing) -> tuple[str, str, str]:
    """A standing as cells of a table, with how far each 95 % interval reaches."""
    share, margin = standing.win_share, standing.margin
    reach = max(share.high - share.mean, share.mean - share.low)
    return (
        f"{share.mean:.1%} ± {reach:.1%}",
        f"{margin.mean:+.2f} ± {margin.high - margin.mean:.2f}",
        f"{standing.score:.1f}",
    )


def show(result: Evaluation, console: Console) -> None:
    """Print the result as a table."""
    table = Table(
        title=f"{result.game}, {result.num_players} players: {result.deals:,} deals from every "
        f"seat, seed {result.seed}",
        caption=f"{result.games:,} games, {result.decisions:,} decisions in {result.seconds:.1f} s",
    )
    table.add_column("player", overflow="fold")
    for title in FIGURES:
        table.add_column(title, justify="right", no_wrap=True)
    for standing in result.standings:
        table.add_row(standing.name, *figures(standing))
    console.print(table)


def log_to_tensorboard(result: Evaluation, folder: Path) -> None:
    """Write the standings as scalars."""
    with SummaryWriter(str(folder)) as writer:
        for s in result.standings:
            writer.add_scalar(f"evaluation/win_share/{s.name}", s.win_share.mean)
            writer.add_scalar(f"evaluation/margin/{s.name}", s.margin.mean)


def main(argv: Sequence[str] | None = None) -> int:
    """Evaluate as the command line says; return the exit status."""
    parser = make_parser()
    args = parser.parse_args(argv)
    one_thread_each()
    try:
        result = measure(args)
    except ValueError as error:
        parser.error(str(error))
    show(result, Console())
    if args.json is not None:
        write_atomically(args.json, (json.dumps(result.to_dict(), indent=2) + "\n").encode())
    if args.tensorboard is not None:
        log_to_tensorboard(result, args.tensorboard)
    return 0


if __name__ == "__main__":
    sys.exit(main())
