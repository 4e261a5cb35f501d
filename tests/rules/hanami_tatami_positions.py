"""Tables of HANAMI with chosen cards, so that a test can be read like the rulebook.

Cards and squares are told by pattern and numbers: "green 1 2, red 9". All decisions go through
BatchEnv, which refuses what is not legal.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hanazono.envs.core.batch import BatchEnv
from hanazono.envs.hanami_tatami import GAME, render, rules
from hanazono.envs.hanami_tatami.areas import measure_area
from hanazono.envs.hanami_tatami.cards import (
    ALL_CARDS,
    CARDS,
    NUMBERS,
    PATTERN_NAMES,
    WILD,
    WILD_SET,
)


def ids(text: str) -> list[int]:
    """The card ids of "green 1 2, red 9", in that order."""
    found = []
    for part in filter(None, text.split(", ")):
        name, *numbers = part.split()
        found += [NUMBERS * PATTERN_NAMES.index(name) + int(n) - 1 for n in numbers]
    return found


def card_set(text: str) -> np.int64:
    """The set of the cards of "green 1 2, red 9"."""
    return np.int64(sum(1 << c for c in ids(text)))


class Table:
    """One game at its first decision, boards in the order of the patterns.

    `hands` by seat, `field` and `removed` are dealt as told and filled up with what is told
    nowhere, lowest card first: the removed cards, black before others, the field, the hands.
    """

    def __init__(
        self, num_players: int = 2, *hands: str, field: str = "", removed: str = "", **options: int
    ) -> None:
        self.num_players = num_players
        self.env = BatchEnv(GAME, 1, num_players, auto_reset=False, options=options)
        self.env.reset(seed=0)
        self.s: Any = self.env.states.view(np.recarray)[0]
        self._deal([*hands, *[""] * (num_players - len(hands))], field, removed)

    def _deal(self, hands: list[str], field: str, removed: str) -> None:
        told = ids(", ".join(filter(None, [*hands, field, removed])))
        pool = [c for c in range(CARDS) if c not in told]
        pool.sort(key=lambda c: PATTERN_NAMES[c // NUMBERS] != "black")

        def fill(text: str, count: int) -> np.int64:
            cards = ids(text)
            while len(cards) < count:
                cards.append(pool.pop(0))
            return np.int64(sum(1 << c for c in cards))

        self.s.removed = fill(removed, rules.REMOVED[self.num_players])
        pool.sort()
        self.s.field = fill(field, rules.FIELD)
        for seat, hand in enumerate(hands):
            self.s.hand[seat] = fill(hand, rules.HAND) | WILD_SET
        self.s.deck[:] = 255
        self.s.deck[CARDS - len(pool) :] = pool
        self.s.top = CARDS - len(pool)
        self.s.order[:] = range(len(PATTERN_NAMES))
        self.open_bonus_card(0)

    def open_bonus_card(self, k: int) -> None:
        self.s.bonus_card = k
        for seat in range(self.num_players):
            rules.pay_bonus(self.s, seat)
        self.refresh()

    def refresh(self) -> None:
        """Tell the environment that the state was changed by hand."""
        self.env.set_states(self.env.get_states())

    def copy(self) -> Table:
        """The same game again, to try something else."""
        other = Table(self.num_players, printed_only=int(self.s.printed_only))
        other.env.set_states(self.env.get_states())
        return other

    def resampled(self, seat: int, seed: int) -> Table:
        """A copy in which all that the seat cannot know is dealt anew."""
        other = self.copy()
        other.env.resample_hidden(np.array([seat]), np.array([seed]))
        return other

    # What happens

    def at_play(self) -> Table:
        """Leave the exchange out."""
        self.s.stage = rules.FIRST
        self.refresh()
        return self

    def put(self, seat: int, squares: str) -> None:
        """Lay markers without a play."""
        self.s.markers[seat] |= card_set(squares)
        measure_area(self.s, seat)
        self.refresh()

    def show(self, seat: int, cards: str) -> None:
        """Lay cards before a seat as if they had been played, without markers."""
        self.s.played[seat] |= card_set(cards)
        rules.pay_bonus(self.s, seat)
        self.refresh()

    def decide(self, action: int) -> None:
        self.env.step(np.array([action]))

    def exchange(self, given: str, taken: str) -> None:
        self.decide(*ids(given))
        self.decide(*ids(taken))

    def play(self, cards: str, wild: str = "") -> None:
        """Play these cards, with the wild card as told."""
        for c in sorted(ids(cards)):
            self.decide(c)
        if wild:
            self.decide(WILD)
            self.decide(*ids(wild))

    def slide(self, *slides: str) -> None:
        """Slide boards: "red left", or "done"."""
        for told in slides:
            self.decide(self.slide_id(told))

    def slide_id(self, told: str) -> int:
        if told == "done":
            return rules.DONE
        name, direction = told.split()
        return rules.SLIDES + 2 * PATTERN_NAMES.index(name) + (direction == "right")

    def pass_turn(self) -> None:
        """An exchange of the lowest cards, and no play."""
        self.decide(self.legal()[0])
        self.decide(self.legal()[0])
        self.decide(rules.DONE)

    # What is on the table

    @property
    def mover(self) -> int:
        return int(self.s.current_player)

    @property
    def over(self) -> bool:
        return bool(self.env.terminated[0])

    def legal(self) -> list[int]:
        """The action ids that the player to decide may play."""
        return np.flatnonzero(self.env.action_mask[0]).tolist()

    def can_play(self, cards: str, wild: str = "") -> bool:
        """Whether the play is legal, decision by decision."""
        other, actions = self.copy(), sorted(ids(cards))
        for action in actions + ([WILD, *ids(wild)] if wild else []):
            if action not in other.legal():
                return False
            other.decide(action)
        return True

    def hand(self, seat: int) -> str:
        return render.line(self.s.hand[seat] & ALL_CARDS)

    def markers(self, seat: int) -> str:
        return render.line(self.s.markers[seat])

    def offsets(self) -> dict[str, int]:
        """The offsets that are not 0."""
        return {n: int(o) for n, o in zip(PATTERN_NAMES, self.s.offset, strict=True) if o}

    def score(self, seat: int) -> int:
        return int(rules.score(self.s, seat))

    def area(self, seat: int) -> int:
        """What the largest area pays."""
        return int(rules.area_points(self.s, seat))

    def ranks(self) -> list[int]:
        self.env.score()
        return self.env.final_ranks[0, : self.num_players].tolist()

    def pieces(self, seat: int) -> dict[str, np.ndarray]:
        """The pieces of the seat's observation."""
        return GAME.layout.split(self.env.observe(np.array([seat]))[0])

    def view(self, seat: int) -> dict[str, Any]:
        return GAME.words.view(self.s, seat)


def names(piece: np.ndarray) -> str:
    """The cards that are marked in a piece."""
    return render.line(np.int64(sum(1 << int(c) for c in np.flatnonzero(piece))))
