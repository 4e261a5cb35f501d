"""Tables of Ohanami with chosen cards, so that a test can be read like the rulebook.

Everything is counted as at a table: cards by their printed numbers 1 to 120, rows from 1. Seats
count from 0. All decisions go through BatchEnv, which refuses what is not legal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from hanazono.envs.core.batch import BatchEnv
from hanazono.envs.ohanami import GAME, rules

AWAY = 4  # where a discarded card goes, after rows 1 to 3

Move = tuple[int, int]  # a card and its place: row 1, 2, 3 or AWAY


def cards_of(colour: str) -> list[int]:
    """All cards of a colour, ascending."""
    return [n for n in range(1, 121) if rules.COLOUR_NAMES[rules.colour_of(n)] == colour]


class Table:
    """One game for `num_players`, at its first decision.

    `hands` are dealt by seat, first those of round 1, then those of rounds 2 and 3. Each is filled
    up to ten cards from what no hand names, lowest card first. Cards in `aside` are never dealt,
    so that `put` may lay them into gardens.
    """

    def __init__(
        self, num_players: int, hands: Iterable[Sequence[int]] = (), aside: Sequence[int] = ()
    ) -> None:
        self.num_players = num_players
        self.env = BatchEnv(GAME, 1, num_players, auto_reset=False)
        self.env.reset(seed=0)
        self.s: Any = self.env.states.view(np.recarray)[0]
        self._deal([list(hand) for hand in hands], aside)

    def _deal(self, hands: list[list[int]], aside: Sequence[int]) -> None:
        taken = {card for hand in hands for card in hand} | set(aside)
        pile = [card for card in range(1, 121) if card not in taken]
        hands += [[] for _ in range(rules.ROUNDS * self.num_players - len(hands))]
        self.s.packet[:] = 0
        for i, hand in enumerate(hands):
            while len(hand) < rules.HAND:
                hand.append(pile.pop(0))
            round_index, seat = divmod(i, self.num_players)
            ids = np.array(hand) - 1
            self.s.deal[round_index, seat] = ids
            self.s.packet[ids] = seat
        self.s.place[:] = rules.STOCK
        self.s.seen[:] = 0
        rules.deal_round(self.s)
        self.refresh()

    def refresh(self) -> None:
        """Tell the environment that the state was changed by hand."""
        self.env.set_states(self.env.get_states())

    def copy(self) -> Table:
        """The same game again, to try something else."""
        other = Table(self.num_players)
        other.env.set_states(self.env.get_states())
        return other

    # What happens

    def put(self, seat: int, row: int, *cards: int) -> None:
        """Lay cards that were set aside into a row, without a turn."""
        for card in cards:
            assert card - 1 not in self.s.deal[:, : self.num_players], "set the card aside first"
            rules.lay(self.s, seat, card - 1, row - 1)
        self.refresh()

    def decide(self, seat: int, action: int) -> None:
        """The seat, which must be the one to decide, plays an action id."""
        assert self.s.current_player == seat, f"seat {self.s.current_player} is to decide"
        self.env.step(np.array([action]))

    def pick(self, seat: int, *cards: int) -> None:
        for card in cards:
            self.decide(seat, card - 1)

    def place(self, seat: int, card: int, target: int) -> None:
        """Place a picked card in row 1, 2, 3 or AWAY."""
        which = list(self.s.picks[seat]).index(card - 1)
        self.decide(seat, rules.PLACE + rules.TARGETS * which + target - 1)

    def pick_lowest(self, seat: int) -> None:
        """The seat picks the two lowest cards of its hand."""
        self.pick(seat, *self.hand(seat)[:2])

    def turn(self, *moves: tuple[Move, Move] | None) -> None:
        """A whole turn: every seat picks its two cards, then places them, in the order given.

        A seat with None, or none left to say, discards the two lowest cards of its hand.
        """
        pairs = list(moves) + [None] * (self.num_players - len(moves))
        whole = [pair or self._two_away(seat) for seat, pair in enumerate(pairs)]
        for seat, pair in enumerate(whole):
            self.pick(seat, pair[0][0], pair[1][0])
        for seat, pair in enumerate(whole):
            for card, target in pair:
                self.place(seat, card, target)

    def _two_away(self, seat: int) -> tuple[Move, Move]:
        low, next_low = self.hand(seat)[:2]
        return (low, AWAY), (next_low, AWAY)

    def discard_round(self) -> None:
        """The rest of the round, everything discarded."""
        now = self.round
        while self.round == now:
            self.turn()

    # What is on the table

    @property
    def round(self) -> int:
        """1 to 3; 4 when the game is over."""
        return int(self.s.round_index) + 1

    @property
    def over(self) -> bool:
        return bool(self.env.terminated[0])

    @property
    def mover(self) -> int:
        return int(self.s.current_player)

    @property
    def scores(self) -> list[int]:
        return [int(points) for points in self.s.points[: self.num_players]]

    def hand(self, seat: int) -> list[int]:
        """All cards that this seat holds, ascending."""
        code = rules.IN_HAND + rules.packet_of(self.s, seat)
        return [int(c) + 1 for c in np.flatnonzero(self.s.place == code)]

    def row(self, seat: int, row: int) -> list[int]:
        code = rules.LAID + rules.ROWS * seat + row - 1
        cards = [int(c) + 1 for c in np.flatnonzero(self.s.place == code)]
        ends = [self.s.low[seat, row - 1] + 1, self.s.high[seat, row - 1] + 1]
        assert ends == ([cards[0], cards[-1]] if cards else [0, 0])
        assert self.s.length[seat, row - 1] == len(cards)
        return cards

    def deal(self, round_number: int) -> list[set[int]]:
        """The hands of a round by seat, as they are dealt."""
        hands = self.s.deal[round_number - 1, : self.num_players]
        return [{int(c) + 1 for c in hand} for hand in hands]

    def legal(self) -> list[int]:
        """The action ids that the player to decide may play."""
        return [int(action) for action in np.flatnonzero(self.env.action_mask[0])]

    def places_for(self, card: int) -> list[int]:
        """Where the player to decide may place a picked card: rows 1 to 3, AWAY."""
        which = list(self.s.picks[self.mover]).index(card - 1)
        first = rules.PLACE + rules.TARGETS * which
        return [a - first + 1 for a in self.legal() if first <= a < first + rules.TARGETS]

    # What a seat knows

    def view(self, seat: int) -> dict[str, Any]:
        """What the seat knows in words."""
        return GAME.words.view(self.s, seat)

    def pieces(self, seat: int) -> dict[str, np.ndarray]:
        """The pieces of the seat's observation."""
        return GAME.layout.split(self.env.observe(np.array([seat]))[0])

    def known_hand(self, reader: int, seat: int) -> list[int]:
        """Cards that the reader counts to the hand of another seat; both views must agree."""
        away = (seat - reader) % self.num_players
        passes = away if self.s.round_index == 1 else self.num_players - away
        seen = numbers(np.isclose(self.pieces(reader)["known"], (4 - passes) / 3))
        assert seen == self.view(reader)["known_hands"][str(seat)]
        return seen

    def known_discards(self, reader: int) -> list[int]:
        """Cards that the reader knows to be face down; both views must agree."""
        told = self.view(reader)
        laid = {card for garden in told["gardens"] for row in garden for card in row}
        seen = [card for card in numbers(self.pieces(reader)["out"]) if card not in laid]
        assert seen == told["known_discards"]
        return seen


def numbers(flags: np.ndarray) -> list[int]:
    """The card numbers whose flag is set."""
    return [int(c) + 1 for c in np.flatnonzero(flags)]
