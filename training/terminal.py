"""People at a table in a terminal: what they type, and what is printed.

Whatever is printed for a seat comes from what that seat may know. Leaving is safe at any moment,
since the table keeps its record on file.
"""

import contextlib
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from rich.console import Console
from rich.markdown import Markdown

from hanazono.envs.core.game import Game
from hanazono.training import drawing
from hanazono.training.companions import invite
from hanazono.training.table import Event, Table

Read = Callable[[str], str]  # asks a question and returns the line typed; EOFError at the end
MOVES_SHOWN = 8  # the last ones made, or those that may be meant
STAY, SHOW_AGAIN = False, True  # what a command answers: whether the table has changed


class Leave(Exception):  # noqa: N818 - no error
    """The person leaves the table."""


LEFT = (Leave, EOFError, KeyboardInterrupt)  # by a command, the end of the input, Ctrl-C


class Terminal:
    """One person's place at a table."""

    def __init__(self, table: Table, seat: int, console: Console, read: Read) -> None:
        """Sit down.

        Args:
            table: the game.
            seat: the person's seat.
            console: where to print.
            read: how a line is asked for.
        """
        self.table, self.seat, self.console, self.read = table, seat, console, read

    def play(self) -> None:
        """Play until the person leaves."""
        with contextlib.suppress(*LEFT):
            while True:
                self.let_others_play()
                self.show()
                self.take_turn()
        say_goodbye(self.table, self.console)

    def let_others_play(self) -> None:
        """Let the programs play up to the person's next decision."""
        while self.table.mover in self.table.companions:
            try:
                self.table.let_play()
            except OSError as error:
                self.console.print(str(error), style="red")
                self.read("the game cannot be saved; Enter tries again: ")

    def show(self) -> None:
        """The news, the table, and the legal moves."""
        table, console = self.table, self.console
        show(table, self.seat, console, len(table.states) - 1, self.news())
        if not table.finished:
            console.print(drawing.moves(list(table.moves().values()), table.game))

    def news(self) -> list[Event]:
        """What the person did last before the others moved, and everything since."""
        events: list[Event] = []
        others = False
        for number in reversed(range(self.table.length)):
            events.append(self.table.event(number, self.seat))
            if events[-1].seat == self.seat and others:
                break
            others |= events[-1].seat != self.seat
        return events[::-1]

    def take_turn(self) -> None:
        """Do what is typed, until the position has changed."""
        prompt = "the game is over" if self.table.finished else "your move"
        while True:
            line = self.read(f"{prompt} (? for help): ").strip()
            try:
                if self.obey(line):
                    return
            except (ValueError, OSError) as error:
                self.console.print(str(error), style="red")

    def obey(self, line: str) -> bool:
        """Do what a line says: a move by number or words, or a command. An empty line shows the
        table again, or leaves it when the game is over."""
        if not line:
            return self.quit("") if self.table.finished else SHOW_AGAIN
        moves = self.table.moves()
        name, _, argument = line.partition(" ")
        command = find_command(name)
        if command is not None and line not in moves.values():
            return command.action(self, argument.strip())
        self.table.play(find_move(moves, line))
        return SHOW_AGAIN

    # Commands

    def hint(self, argument: str) -> bool:
        """What the programs would do in the person's place."""
        if self.table.finished:
            raise ValueError("the game is over")
        table = self.table
        advisers = {companion.name: companion for companion in table.companions.values()}
        if argument:
            options = table.record.options
            advisers = {argument: invite(argument, table.game, table.num_players, options)}
        for name, adviser in advisers.items():
            self.console.print(drawing.advice(name, table.advice(adviser), table.game))
        return STAY

    def undo(self, argument: str) -> bool:
        """Take back the last own move and what followed."""
        self.table.undo(self.seat)
        return SHOW_AGAIN

    def log(self, argument: str) -> bool:
        """All moves."""
        events = [self.table.event(number, self.seat) for number in range(self.table.length)]
        self.page(drawing.log(events, self.table.game))
        return STAY

    def score(self, argument: str) -> bool:
        """The score sheet."""
        self.console.print(drawing.sheet(self.table.sheet(), self.seat))
        return STAY

    def rules(self, argument: str) -> bool:
        """The rules, or the sections whose heading has a word."""
        self.page(Markdown(rules_text(self.table.game, argument)))
        return STAY

    def back(self, argument: str) -> bool:
        """Look at earlier positions."""
        browse(self.table, self.seat, self.console, self.read)
        return SHOW_AGAIN

    def save(self, argument: str) -> bool:
        """Say where the record is kept, or write another copy of it."""
        if argument:
            copy_record(self.table, Path(argument))
        where = argument or self.table.file or "no file; name one"
        self.console.print(f"saved in {where}", soft_wrap=True)
        return STAY

    def help(self, argument: str) -> bool:
        """The commands."""
        self.console.print("A move: its number, or some of its words, such as their beginnings.")
        for name, command in COMMANDS.items():
            shown = f"{name} {command.argument}".strip()
            self.console.print(f"  {command.key}  {shown:<16} {command.meaning}")
        return STAY

    def quit(self, argument: str) -> bool:
        """Leave."""
        raise Leave

    def page(self, content: object) -> None:
        """Print something long, a screen at a time where there is a screen."""
        os.environ.setdefault("LESS", "-FRX")  # colours; end at once if it fits the screen
        paged = self.console.is_terminal
        with self.console.pager(styles=True) if paged else contextlib.nullcontext():
            self.console.print(content)


@dataclass(frozen=True)
class Command:
    """Something else to type than a move."""

    key: str
    argument: str
    meaning: str
    action: Callable[[Terminal, str], bool]


COMMANDS = {
    "hint": Command("h", "[player]", "what the programs at the table would do", Terminal.hint),
    "undo": Command("u", "", "take back your last move and what followed", Terminal.undo),
    "log": Command("l", "", "all moves so far, as you saw them", Terminal.log),
    "score": Command("s", "", "where the points come from", Terminal.score),
    "rules": Command("r", "[word]", "the rules, or the sections named: rules 4", Terminal.rules),
    "back": Command("b", "", "look at earlier positions", Terminal.back),
    "save": Command("w", "[file]", "where the game is kept, or keep a copy", Terminal.save),
    "help": Command("?", "", "this list", Terminal.help),
    "quit": Command("q", "", "leave; the game can be continued", Terminal.quit),
}


def find_command(typed: str) -> Command | None:
    """The command of this name or key."""
    for name, command in COMMANDS.items():
        if typed.lower() in (name, command.key):
            return command
    return None


def find_move(moves: Mapping[int, str], typed: str) -> int:
    """The action that somebody means.

    Args:
        moves: the legal actions in words.
        typed: a number from 1, by place in `moves`; or words of the move in their order, each whole
            or its beginning (of numbers always the whole).

    Raises:
        ValueError: if that fits no move, or several, naming those.
    """
    actions = list(moves)
    if typed.isdecimal() and 1 <= int(typed) <= len(actions):
        return actions[int(typed) - 1]
    for action, words in moves.items():
        if words.lower() == typed.lower():  # also where these words are among another's
            return action
    for fits in (str.__eq__, begins):
        found = [a for a, words in moves.items() if has_in_order(words, typed, fits)]
        if len(found) == 1:
            return found[0]
        if found:
            listed = ", ".join(moves[action] for action in found[:MOVES_SHOWN])
            more = f" and {len(found) - MOVES_SHOWN} more" if len(found) > MOVES_SHOWN else ""
            raise ValueError(f"{typed!r} may be: {listed}{more}")
    if not moves:
        raise ValueError(f"the game is over; {typed!r} is no command (? lists them)")
    raise ValueError(
        f"no move is called {typed!r}; type a number from 1 to {len(actions)} or words of a move"
    )


def begins(word: str, typed: str) -> bool:
    """Whether a word begins as typed; a number has to be whole."""
    return word == typed if typed.isdecimal() else word.startswith(typed)


def has_in_order(words: str, typed: str, fits: Callable[[str, str], bool]) -> bool:
    """Whether each word typed fits a word, in the same order."""
    left = iter(words.lower().split())
    return all(any(fits(word, part) for word in left) for part in typed.lower().split())


def rules_text(game: Game, wanted: str = "") -> str:
    """The rules of the game as Markdown, or the sections with the word in their heading.

    Raises:
        ValueError: if no heading has it, listing them all.
    """
    whole = files(game.module).joinpath("RULES.md").read_text(encoding="utf-8")
    if not wanted:
        return whole
    sections = re.split(r"^(?=## )", whole, flags=re.MULTILINE)[1:]
    headings = [section.partition("\n")[0].removeprefix("## ") for section in sections]
    found = [
        section
        for section, heading in zip(sections, headings, strict=True)
        if has_in_order(heading, wanted, begins)
    ]
    if not found:
        raise ValueError(f"no section is called {wanted!r}; sections: {', '.join(headings)}")
    return "\n".join(found)


def copy_record(table: Table, file: Path) -> None:
    """Keep another copy of the record.

    Raises:
        ValueError: if there is such a file already; OSError if it cannot be written.
    """
    if file.exists():
        raise ValueError(f"{file} exists already; name another file")
    table.record.save(file)


# Without a place at the table


def say_goodbye(table: Table, console: Console) -> None:
    """Where the game is kept."""
    if table.file is not None:
        purpose, option = ("look at it", "replay") if table.finished else ("go on", "continue")
        command = f"python scripts/play.py --{option} {table.file}"
        console.print(f"\nto {purpose}: {command}", soft_wrap=True)


def browse(
    table: Table, seat: int | None, console: Console, read: Read, number: int | None = None
) -> None:
    """Look at the positions of a game, forward and back.

    Args:
        table: the game.
        seat: whose view is shown, None with all cards open.
        console: where to print.
        read: how a line is asked for.
        number: the position to begin with, 0 the deal; by default the present one.
    """
    last = len(table.states) - 1
    place: int | None = last if number is None else number
    while place is not None:
        show_position(table, seat, console, place)
        place = ask_place(read, console, place, last)


def ask_place(read: Read, console: Console, place: int, last: int) -> int | None:
    """The position to go to; None to stop looking."""
    forward = "forward" if place < last else "done"
    while True:
        line = read(f"move {place} of {last} (Enter {forward}, b back, a number, q): ").strip()
        if line == "q" or (line == "" and place == last):
            return None
        if line in ("", "b"):
            return place + 1 if line == "" else max(0, place - 1)
        if line.isdecimal() and int(line) <= last:
            return int(line)
        console.print(f"type Enter, b, q, or a number from 0 to {last}; not {line!r}", style="red")


def show_position(table: Table, seat: int | None, console: Console, place: int) -> None:
    """A position, and the last moves before it."""
    recent = range(max(0, place - MOVES_SHOWN), place)
    show(table, seat, console, place, [table.event(number, seat) for number in recent])


def show(
    table: Table, seat: int | None, console: Console, place: int, events: Sequence[Event]
) -> None:
    """Events, the position that they led to, and at the end of a game the result."""
    console.clear()
    console.rule(table.game.title)
    console.print(drawing.paint(drawing.seating(table, seat), table.game), justify="center")
    if events:
        console.print(drawing.log(events, table.game))
        console.print()
    console.print(drawing.position(table.text(seat, place), table.game))
    if table.finished and place == len(table.states) - 1:
        console.print(drawing.sheet(table.sheet(), seat))
        console.print(drawing.paint(drawing.result(table, seat), table.game))
    console.print()


def watch(table: Table, seat: int | None, console: Console, delay: float) -> None:
    """Let the programs play, with so many seconds between moves."""
    with contextlib.suppress(*LEFT):
        show_position(table, seat, console, table.length)
        while not table.finished:
            time.sleep(delay)
            table.let_play()
            show_position(table, seat, console, table.length)
    say_goodbye(table, console)
