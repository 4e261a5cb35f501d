"""Tables to sit at, people who type what a test wants, and what a seat cannot know exchanged."""

import io
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
from rich.console import Console

from hanazono.envs import GAMES, get_game
from hanazono.envs.core.batch import BatchEnv
from hanazono.envs.core.game import Game
from hanazono.envs.core.record import GameRecord
from hanazono.training.table import PERSON, Table, take_seats
from hanazono.training.terminal import Terminal

SEAT = 1  # of the person
SHORT = {name: {} for name in GAMES} | {"sakura": {"rounds": 1}, "hanawase": {"rounds": 1}}


def new_record(name: str, seats: int | None = None, seed: int = 3, **options: int) -> GameRecord:
    """A game not yet begun: a person at SEAT, the others the game's bots in turn."""
    game = get_game(name)
    seats = seats or game.min_players
    players = [list(game.bots)[p % len(game.bots)] for p in range(seats)]
    players[SEAT] = PERSON
    options = game.check_options(SHORT[name] | options)
    return GameRecord(name, game.rules_version, seats, seed, (), options, players=tuple(players))


def sit_down(record: GameRecord, file: Path | None = None) -> Table:
    """A table with the players that the record names."""
    game = get_game(record.game)
    return Table(game, record, take_seats(game, record), file)


class Typist:
    """Answers every question with the next line; then the input is at its end."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines, self.asked = iter(lines), []

    def __call__(self, prompt: str) -> str:
        self.asked.append(prompt)
        for line in self.lines:
            return line
        raise EOFError


def screen(width: int = 120) -> Console:
    """A console that keeps what is printed."""
    return Console(file=io.StringIO(), width=width, highlight=False, markup=False)


def printed(console: Console) -> str:
    """What a console has kept."""
    return console.file.getvalue()


def typed(table: Table, *lines: str, width: int = 120) -> str:
    """What is printed when a person types these lines and leaves."""
    console = screen(width)
    Terminal(table, SEAT, console, Typist(lines)).play()
    return printed(console)


def advance(table: Table) -> Table:
    """Let the programs play up to the person's decision."""
    while table.mover in table.companions:
        table.let_play()
    return table


def play_on(table: Table, moves: int | None = None) -> Table:
    """Let the person make so many moves, by default all; each follows from the position."""
    while not advance(table).finished and moves != 0:
        legal = list(table.moves())
        table.play(legal[(7 * table.length + 3) % len(legal)])
        moves = None if moves is None else moves - 1
    return table


def exchange_hidden(table: Table, seat: int, seed: int) -> Table:
    """The same table to the eyes of a seat: in every position all it cannot know is redrawn."""
    game, record = table.game, table.record
    states = np.concatenate(table.states)
    batch = BatchEnv(
        game, len(states), record.num_players, auto_reset=False, options=record.options
    )
    batch.set_states(states)
    seeds = np.random.default_rng(seed).integers(2**63, size=len(states))
    batch.resample_hidden(np.full(len(states), seat), seeds)
    other = Table(game, record, table.companions)
    other.states = [batch.states[k : k + 1].copy() for k in range(len(states))]
    other.env.set_states(other.states[-1])
    return other


def every_game() -> Mapping[str, Game]:
    """The registered games by name."""
    return {name: get_game(name) for name in GAMES}
