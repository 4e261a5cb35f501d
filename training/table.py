"""A table: one game at which people and programs sit. It knows no drawing.

Every position since the deal is kept, so that moves can be taken back and looked at again. The
record is written before a move is made: whatever happens to the program, the file holds the game.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from hanazono.envs.core.batch import illegal_action
from hanazono.envs.core.game import Game
from hanazono.envs.core.record import GameRecord, replay
from hanazono.training.companions import Companion, invite

PERSON = "human"  # name of a seat that no program holds


@dataclass(frozen=True)
class Event:
    """Move number `number` (from 0), made by `seat`, in words for one reader."""

    number: int
    seat: int
    words: str


class Table:
    """A game in progress.

    Attributes:
        game, record: what is played, and the moves so far.
        companions: seat -> the program that holds it; the other seats are people's.
        file: where the record is kept, None nowhere.
        states: the position before each move and the present one, structured [1] each.
        env: the present position, as a batch of one.
    """

    def __init__(
        self,
        game: Game,
        record: GameRecord,
        companions: Mapping[int, Companion],
        file: Path | None = None,
    ) -> None:
        """Sit down at a game, new or begun.

        Raises:
            ValueError: if the record does not replay; OSError if the file cannot be written.
        """
        self.game, self.companions, self.file = game, dict(companions), file
        self.record = record
        self.states: list[np.ndarray] = []
        for self.env in replay(game, record):
            self.states.append(self.env.get_states())
        self._save(record)

    # The position

    @property
    def num_players(self) -> int:
        """Seats at the table."""
        return self.record.num_players

    @property
    def people(self) -> list[int]:
        """The seats of people, as far as the record names them."""
        return [seat for seat, name in enumerate(self.record.players) if name == PERSON]

    @property
    def length(self) -> int:
        """Moves made so far."""
        return len(self.record.actions)

    @property
    def finished(self) -> bool:
        """Whether the game is over."""
        return bool(self.env.terminated[0])

    @property
    def mover(self) -> int | None:
        """The seat that is to decide, None when the game is over."""
        return None if self.finished else int(self.env.current_player[0])

    def moves(self) -> dict[int, str]:
        """The legal actions of the mover, in words."""
        legal = np.flatnonzero(self.env.action_mask[0]).tolist()
        return {action: self.game.words.action(self._state(None), action) for action in legal}

    def _state(self, number: int | None) -> Any:
        """The state before move `number`, by default the present one."""
        states = self.states[-1 if number is None else number]
        return states.view(np.recarray)[0]

    # What a seat may know; seat None sees everything

    def text(self, seat: int | None, number: int | None = None) -> str:
        """The table before move `number`, by default now, as the seat sees it."""
        return self.game.words.text(self._state(number), seat)

    def view(self, seat: int | None, number: int | None = None) -> dict[str, Any]:
        """The same in plain JSON values."""
        return self.game.words.view(self._state(number), seat)

    def event(self, number: int, seat: int | None) -> Event:
        """Move `number` as the seat saw it; after the last one of a forfeited game the forfeit."""
        if number == self.length and self.record.forfeited:
            return Event(number, int(self._state(-1).forfeited), "lose by an illegal move")
        before, after = self._state(number), self._state(number + 1)
        words = self.game.words.event(before, self.record.actions[number], after, seat)
        return Event(number, int(before.current_player), words)

    def sheet(self, number: int | None = None) -> dict[str, list[int]]:
        """Where the points of each seat come from, before move `number`, by default now."""
        return self.game.words.sheet(self._state(number))

    def winners(self) -> list[int]:
        """The seats that won a finished game."""
        self.env.score()
        return np.flatnonzero(self.env.final_ranks[0, : self.num_players] == 0).tolist()

    def scores(self) -> list[float]:
        """The points of each seat."""
        self.env.score()
        return self.env.final_scores[0, : self.num_players, 0].tolist()

    # Playing

    def play(self, action: int) -> None:
        """Make a move for the mover.

        Raises:
            ValueError: if it is illegal; OSError if the record cannot be written. Nothing is
                changed then.
        """
        mask = self.env.action_mask[0]
        if self.finished:
            raise ValueError("the game is over")
        if not (0 <= action < len(mask) and mask[action]):
            raise ValueError(illegal_action(self.game, self.states[-1], action, mask))
        record = replace(self.record, actions=(*self.record.actions, action))
        self._save(record)
        self.env.step(np.full(1, action))
        self.states.append(self.env.get_states())
        self.record = record

    def let_play(self) -> None:
        """Let the program that is to decide make its move."""
        if self.mover is None or self.mover not in self.companions:
            raise ValueError("no program is to decide")
        self.play(int(self.companions[self.mover].weigh(self.env).argmax()))

    def advice(self, companion: Companion, least: float = 0.01) -> list[tuple[str, float]]:
        """What a companion would do in the mover's place: moves in words with their
        probabilities, likeliest first, those below `least` left out."""
        weights, words = companion.weigh(self.env), self.moves()
        order = sorted(words, key=lambda action: -weights[action])
        return [(words[a], float(weights[a])) for a in order if weights[a] >= least]

    def undo(self, seat: int) -> None:
        """Take back everything from the last decision of `seat` on.

        Raises:
            ValueError: if the seat has not decided yet; OSError as in `play`.
        """
        own = [k for k in range(self.length) if self.states[k]["current_player"][0] == seat]
        if not own:
            raise ValueError(f"player_{seat} has made no move yet")
        record = replace(self.record, actions=self.record.actions[: own[-1]], forfeited=False)
        self._save(record)
        del self.states[own[-1] + 1 :]
        self.env.set_states(self.states[-1])
        self.record = record

    def _save(self, record: GameRecord) -> None:
        if self.file is not None:
            record.save(self.file)


def take_seats(game: Game, record: GameRecord) -> dict[int, Companion]:
    """The programs among the players that the record names; the same name is the same companion.

    Raises:
        ValueError: if the record does not name a player for every seat, or one that nobody is.
    """
    names, seats = record.players, record.num_players
    if len(names) != seats:
        raise ValueError(f"{seats} seats need {seats} players, got {list(names)}")
    options = game.check_options(record.options)
    programs = {name: invite(name, game, seats, options) for name in set(names) if name != PERSON}
    return {seat: programs[name] for seat, name in enumerate(names) if name != PERSON}
