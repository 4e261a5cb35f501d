"""Tables of Hanawase with chosen cards, so that a test can be read like the rulebook.

Cards are called by their names or the ends of these, as in "Crane, Pine plain a". Seats and roles
count from 0. All decisions go through BatchEnv, which refuses what is not legal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hanazono.envs.core.batch import BatchEnv
from hanazono.envs.hanafuda.deck import ALL_CARDS, CARDS, NAMES, cards_of, set_of
from hanazono.envs.hanawase import GAME, rules

EVERYTHING = int(ALL_CARDS)


def card(name: str) -> int:
    """The only card whose name ends like this."""
    found = [c for c, full in enumerate(NAMES) if full.endswith(name)]
    assert len(found) == 1, f"{name!r} fits {[NAMES[c] for c in found]}"
    return found[0]


def cards(names: str) -> int:
    """The set of the cards with these names, separated by commas."""
    return set_of(card(name) for name in names.split(", ") if name)


def split_by(owners: str) -> list[int]:
    """Three sets from a digit for each card, months apart: the role that has captured it."""
    digits = owners.replace(" ", "")
    assert len(digits) == CARDS
    return [set_of(c for c in range(CARDS) if digits[c] == str(r)) for r in range(3)]


class Table:
    """A game for `num_players`, dealt with `seed` and these options."""

    def __init__(self, num_players: int = 3, seed: int = 0, **options: int) -> None:
        self.num_players = num_players
        self.env = BatchEnv(GAME, 1, num_players, auto_reset=False, options=options)
        self.env.reset(seeds=np.array([seed], np.uint64))
        self.s: Any = self.env.states.view(np.recarray)[0]

    def refresh(self) -> None:
        """Tell the environment that the state was changed by hand."""
        self.env.set_states(self.env.get_states())

    def copy(self) -> Table:
        """The same game again, to try something else."""
        options = {option.name: int(self.s[option.name]) for option in GAME.options}
        other = Table(self.num_players, **options)
        other.env.set_states(self.env.get_states())
        return other

    # What happens

    def decide(self, seat: int, action: int) -> None:
        """The seat, which must be the one to decide, plays an action id."""
        assert self.s.current_player == seat, f"seat {self.s.current_player} is to decide"
        self.env.step(np.array([action]))

    def choose(self, seat: int, name: str) -> None:
        """Play the card from the hand, or take it from the field."""
        self.decide(seat, card(name))

    def enter(self, seat: int) -> None:
        self.decide(seat, rules.ENTER)

    def retire(self, seat: int) -> None:
        self.decide(seat, rules.RETIRE)

    def go_on(self) -> None:
        """Whoever is to decide plays the lowest legal action id."""
        self.decide(self.mover, self.legal()[0])

    # What is on the table

    @property
    def over(self) -> bool:
        return bool(self.env.terminated[0])

    @property
    def mover(self) -> int:
        return int(self.s.current_player)

    @property
    def field(self) -> int:
        return int(self.s.field)

    @property
    def pile(self) -> list[int]:
        """The stock or pile, next card first."""
        return [int(c) for c in self.s.pile[self.s.top :]]

    @property
    def points(self) -> list[int]:
        return [int(points) for points in self.s.points[: self.num_players]]

    @property
    def standing(self) -> str:
        """A letter a seat: undeclared u, active a, retired r, out o."""
        return "".join("uaro"[code] for code in self.s.standing[: self.num_players])

    def hand(self, seat: int) -> int:
        return int(self.s.hand[seat])

    def captured(self, role: int) -> int:
        return int(self.s.captured[role])

    def legal(self) -> list[int]:
        """The action ids that the player to decide may play."""
        return [int(action) for action in np.flatnonzero(self.env.action_mask[0])]

    def paid(self, step: int) -> list[int]:
        """What each seat got in a step of the last settlement."""
        return [int(points) for points in self.s.settlement[step, : self.num_players]]

    # What a seat knows

    def view(self, seat: int) -> dict[str, Any]:
        """What the seat knows in words."""
        return GAME.words.view(self.s, seat)

    def pieces(self, seat: int) -> dict[str, np.ndarray]:
        """The pieces of the seat's observation."""
        return GAME.layout.split(self.env.observe(np.array([seat]))[0])


def in_play(
    hands: Sequence[str] = ("", "", ""),
    field: str = "",
    pile: str = "",
    captured: Sequence[int] = (0, 0, 0),
    turn: int = 0,
    **options: int,
) -> Table:
    """A round for three with seat 0 as oya, `turn` turns finished and these cards in place.

    Hands and pile are filled up, lowest card first, from cards that are named nowhere; at turn 0
    the field too. Cards left over count as captured by oya.
    """
    table = Table(3, **options)
    held = [cards(hand) for hand in hands]
    drawn, lies = [card(name) for name in pile.split(", ") if name], cards(field)
    named = sum(held) | set_of(drawn) | lies | captured[0] | captured[1] | captured[2]
    rest = cards_of(EVERYTHING & ~named)
    for r in range(3):
        size = 7 - (turn + 2 - r) // 3
        while held[r].bit_count() < size:
            held[r] |= 1 << rest.pop(0)
    while turn == 0 and lies.bit_count() < 6:
        lies |= 1 << rest.pop(0)
    while len(drawn) < 21 - turn:
        drawn.append(rest.pop(0))
    s = table.s
    s.dealer, s.turn, s.top, s.field = 0, turn, 27 + turn, lies
    s.actor[:] = 0, 1, 2
    s.hand[:3] = held
    s.captured[:] = captured[0] | set_of(rest), captured[1], captured[2]
    s.pile[:] = [0] * (27 + turn) + drawn
    s.current_player = turn % 3
    table.refresh()
    return table


def settled(captured: Sequence[int], **options: int) -> Table:
    """A table whose round is settled with these cards captured by oya, naka and biki."""
    table = Table(3, **options)
    table.s.actor[:] = 0, 1, 2
    table.s.captured[:] = captured
    rules.settle(table.s)
    return table


def last_turn(captured: Sequence[int], **options: int) -> Table:
    """The same captures before biki's last turn, which takes the rest of them without a choice."""
    months = [m for m in range(12) if (captured[2] >> 4 * m & 15).bit_count() >= 2][:2]
    (played, match), (turned, other) = (cards_of(captured[2] & 15 << 4 * m)[:2] for m in months)
    left = set_of((played, match, turned, other))
    so_far = (captured[0], captured[1], captured[2] & ~left)
    table = in_play(
        ("", "", NAMES[played]), f"{NAMES[match]}, {NAMES[other]}", NAMES[turned], so_far, 20,
        **options,
    )  # fmt: skip
    assert table.captured(0) == captured[0]
    return table
