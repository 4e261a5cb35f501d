"""Play against bots and trained players in a terminal, watch them, or look at games again.

python scripts/play.py --game sakura --num-players 3 --opponents random greedy
python scripts/play.py --game ohanami --opponents runs/mine --seat 1 --seed 7
python scripts/play.py --continue                 # the game left last
python scripts/play.py --replay FILE              # any game record, move by move
python scripts/play.py --game sakura --watch      # bots only

The game is kept on file after every move, so it can be left at any moment. Type ? for help.
"""

import argparse
import contextlib
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import platformdirs

from hanazono.envs import GAMES, get_game
from hanazono.envs.core.batch import fresh_seed
from hanazono.envs.core.game import Game
from hanazono.envs.core.record import PREFIX, GameRecord, unpack
from hanazono.scripts.arguments import parse_options
from hanazono.scripts.extras import needs

with needs("play"):
    from rich.console import Console

    from hanazono.training.terminal import LEFT, Terminal, browse, watch

from hanazono.training.table import PERSON, Table, take_seats


def make_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="hanazono-play",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--game", help=f"a new game of one of: {', '.join(GAMES)}")
    what.add_argument(
        "--continue",
        dest="again",
        nargs="?",
        const="",
        metavar="FILE",
        help="go on with a game; without FILE the one left last",
    )
    what.add_argument("--replay", metavar="RECORD", help="a file, or the text of a record")
    parser.add_argument(
        "--num-players", "--num_players", type=int, help="seats (default: as few as possible)"
    )
    parser.add_argument(
        "--opponents",
        nargs="+",
        metavar="PLAYER",
        help="one for all other seats, or one for each: a bot's name, or a checkpoint's folder or "
        "file (default: the strongest bot)",
    )
    parser.add_argument("--seat", type=int, help="your seat, or whose view is shown (default 0)")
    parser.add_argument("--seed", type=int, help="fixes the deal (default: another one each time)")
    parser.add_argument(
        "--options", nargs="*", default=[], metavar="NAME=VALUE", help="rule options"
    )
    parser.add_argument("--record", type=Path, metavar="FILE", help="keep the game in this file")
    parser.add_argument("--watch", action="store_true", help="let programs hold all seats")
    parser.add_argument(
        "--delay", type=float, default=1.0, metavar="S", help="seconds a move when watching"
    )
    return parser


def prepare(args: argparse.Namespace) -> tuple[Table, int | None]:
    """The table, and the seat whose view is shown, None for all cards open.

    Raises:
        ValueError: for anything wrong with the arguments or the record, saying what is allowed.
        OSError: if a file cannot be read or written.
    """
    if args.replay is not None:
        return open_record(args)
    if args.game is not None:
        game, record = new_game(args)
        file = args.record or next_file(game)
        if file.exists():
            raise ValueError(f"{file} holds a game already; --continue it, or name another file")
    else:
        file = Path(args.again) if args.again else last_file()
        record = GameRecord.load(file)
        game = get_game(record.game)
        if args.opponents or not record.players:
            record = replace(record, players=seating(args, game, record.num_players))
    table = Table(game, record, take_seats(game, record), file)
    return table, own_seat(table, args.seat)


def new_game(args: argparse.Namespace) -> tuple[Game, GameRecord]:
    """A game that is still to be played."""
    game = get_game(args.game)
    least = game.min_players
    if args.opponents and len(args.opponents) > 1:
        least = len(args.opponents) + (not args.watch)
    seats = game.check_players(least if args.num_players is None else args.num_players)
    record = GameRecord(
        game=game.name,
        rules_version=game.rules_version,
        num_players=seats,
        seed=fresh_seed() if args.seed is None else args.seed,
        actions=(),
        options=game.check_options(parse_options(args.options)),
        players=seating(args, game, seats),
    )
    return game, record


def seating(args: argparse.Namespace, game: Game, seats: int) -> tuple[str, ...]:
    """Who sits where: one person, or none when watching, and programs."""
    own = 0 if args.seat is None else args.seat
    if own not in range(seats):
        raise ValueError(f"seats run from 0 to {seats - 1}, got {own}")
    programs = args.opponents or [list(game.bots)[-1]]
    wanted = seats if args.watch else seats - 1
    if len(programs) == 1:
        programs = programs * wanted
    if len(programs) != wanted:
        raise ValueError(f"name one opponent, or {wanted} of them; got {len(programs)}")
    return tuple(programs if args.watch else [*programs[:own], PERSON, *programs[own:]])


def own_seat(table: Table, wanted: int | None) -> int | None:
    """The person's seat; where there is no person, the seat whose view is wanted."""
    if not table.people:
        return wanted
    if len(table.people) > 1:
        raise ValueError(f"{len(table.people)} people play this game; a terminal seats one")
    if wanted not in (None, *table.people):
        raise ValueError(f"your seat in this game is {table.people[0]}, not {wanted}")
    return table.people[0]


def open_record(args: argparse.Namespace) -> tuple[Table, int | None]:
    """Any record, to look at. What a person may not know yet stays hidden."""
    text = args.replay
    if text.startswith(PREFIX):
        game = get_game(unpack(text)[0][0])
        record = GameRecord.from_string(text, game)
    else:
        record = GameRecord.load(text)
        game = get_game(record.game)
    if args.seat is not None and args.seat not in range(record.num_players):
        raise ValueError(f"seats run from 0 to {record.num_players - 1}, got {args.seat}")
    table = Table(game, record, {})
    return table, args.seat if table.finished else own_seat(table, args.seat)


def games_folder() -> Path:
    """Where games are kept that nobody named a file for."""
    return platformdirs.user_data_path("hanazono") / "games"


def next_file(game: Game) -> Path:
    """A file for a new game, named by game and time."""
    folder = games_folder()
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"{game.name}-{time.strftime('%Y-%m-%d-%H%M%S')}"
    names = (f"{stem}{count}.json" for count in ("", *(f"-{k}" for k in range(2, 1000))))
    return next(file for name in names if not (file := folder / name).exists())


def last_file() -> Path:
    """The game that was written last.

    Raises:
        ValueError: if there is none.
    """
    found = sorted(games_folder().glob("*.json"), key=lambda file: file.stat().st_mtime)
    if not found:
        raise ValueError(f"no game was left in {games_folder()}; name its file")
    return found[-1]


def main(argv: Sequence[str] | None = None) -> int:
    """Play, watch or replay as the command line says; return the exit status."""
    parser = make_parser()
    args = parser.parse_args(argv)
    try:
        table, seat = prepare(args)
    except (ValueError, OSError) as error:
        parser.error(str(error))
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 - input() then edits lines and remembers them
    console = Console(highlight=False, markup=False)
    if args.replay is not None:
        with contextlib.suppress(*LEFT):
            browse(table, seat, console, input, 0)
    elif table.people:
        Terminal(table, table.people[0], console, input).play()
    else:
        watch(table, seat, console, args.delay)
    return 0


if __name__ == "__main__":
    sys.exit(main())
