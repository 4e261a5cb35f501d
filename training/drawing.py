"""What a table looks like in a terminal: texts and tables for Rich to print. It decides nothing."""

import itertools
from collections.abc import Iterable, Mapping, Sequence

from rich import box
from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from hanazono.envs.core.game import Game
from hanazono.training.table import PERSON, Event, Table

PLAYER = r"\bplayer_\d+\b"
MOST_LABEL = 22  # signs of a label that has a column


def paint(text: str, game: Game) -> Text:
    """A text of the game with its colours, and with players standing out."""
    painted = Text(text)
    for pattern, colour in game.words.colours.items():
        painted.highlight_regex(pattern, colour)
    painted.highlight_regex(PLAYER, "bold")
    painted.highlight_regex(r"\byou\b", "bold reverse")
    return painted


def position(text: str, game: Game) -> Group:
    """The text of a table: a headline, and lines where what follows a short label is folded
    beside it."""
    headline, *lines = text.splitlines()
    width = max((line.index(":") + 1 for line in lines if is_labelled(line)), default=0)
    drawn: list[RenderableType] = [paint(headline, game)]
    for labelled, run in itertools.groupby(lines, is_labelled):
        if labelled:
            drawn.append(beside_labels(run, width, game))
        else:
            drawn += [paint(line, game) for line in run]
    return Group(*drawn)


def is_labelled(line: str) -> bool:
    """Whether a line begins with a short label, such as "hand: "."""
    return 0 < line.find(": ") <= MOST_LABEL


def beside_labels(lines: Iterable[str], width: int, game: Game) -> Grid:
    """Labelled lines, with a column of that width for their labels."""
    grid = Grid.grid(padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True, min_width=width)
    for line in lines:
        label, _, rest = line.partition(": ")
        grid.add_row(paint(f"{label}:", game), paint(rest, game))
    return grid


def seating(table: Table, seat: int | None) -> str:
    """Who sits where."""
    names = table.record.players or [PERSON] * table.num_players
    listed = (f"player_{p} {'you' if p == seat else name}" for p, name in enumerate(names))
    return ", ".join(listed)


def log(events: Iterable[Event], game: Game) -> Grid:
    """Moves, a line for what a player did in a row."""
    grid = Grid.grid(padding=(0, 1))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for seat, row in itertools.groupby(events, lambda event: event.seat):
        words = " · ".join(event.words for event in row)
        grid.add_row(Text(f"player_{seat}:", "bold"), paint(words, game))
    return grid


def moves(words: Sequence[str], game: Game) -> Columns:
    """Legal moves with their numbers, from 1."""
    width = len(str(len(words)))
    entries = [
        Text.assemble((f"{number:>{width}} ", "bold cyan"), paint(move, game))
        for number, move in enumerate(words, 1)
    ]
    return Columns(entries, padding=(0, 3), column_first=True)


def sheet(points: Mapping[str, Sequence[int]], seat: int | None) -> Grid:
    """A score sheet: a row for each source of points, a column for each player."""
    grid = Grid(box=box.SIMPLE, show_footer=True, header_style="bold")
    totals = [sum(column) for column in zip(*points.values(), strict=True)]
    grid.add_column("points", footer="together")
    for p, total in enumerate(totals):
        name = f"player_{p}{' (you)' if p == seat else ''}"
        grid.add_column(name, footer=str(total), justify="right", no_wrap=True)
    for source, row in points.items():
        grid.add_row(source, *map(str, row))
    return grid


def result(table: Table, seat: int | None) -> str:
    """Who has won a finished game, and with how many points."""
    scores, winners = table.scores(), table.winners()
    names = " and ".join("you" if p == seat else f"player_{p}" for p in winners)
    verb = "share the win" if len(winners) > 1 else "win" if winners == [seat] else "wins"
    listed = ", ".join(f"player_{p} {points:g}" for p, points in enumerate(scores))
    return f"The game is over: {names} {verb}. Points: {listed}"


def advice(name: str, choices: Sequence[tuple[str, float]], game: Game) -> Text:
    """What a companion would do: one move, or several with their probabilities."""
    if choices[0][1] == 1.0:
        told = choices[0][0]
    else:
        told = ", ".join(f"{words} {share:.0%}" for words, share in choices)
    return Text.assemble((f"{name}: ", "bold"), paint(told, game))
