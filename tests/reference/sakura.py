"""Sakura, played slowly: a second reading of RULES.md, written without the kernels.

Everything is kept the way people at a table would keep it: a card is a pair (month, column), a
hand, the field and the cards before a player are sets of such pairs, the pile is a list. Chance
comes from outside, as a function that returns a number below n; shuffling and dealing are done
here. Section numbers are those of RULES.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

Card = tuple[int, int]  # § 1: month 0 .. 11, column 0 .. 3
MONTHS, COLUMNS = 12, 4
HIKI = 48  # first action that names a month (§ 8)
PENALTY, INSTANT_WIN = 50, 5  # § 6
WILLOW = 10

CRANE, WARBLER, CURTAIN, CUCKOO = (0, 0), (1, 0), (2, 0), (3, 0)
BRIDGE, BUTTERFLIES, BOAR, MOON, GEESE = (4, 0), (5, 0), (6, 0), (7, 0), (7, 1)
SAKE_CUP, DEER, PHOENIX, SHADED = (8, 0), (9, 0), (11, 0), (11, 1)
RAINMAN, SWALLOW, WILLOW_RIBBON, LIGHTNING = ((WILLOW, k) for k in range(COLUMNS))
POETRY_RIBBONS = [(0, 1), (1, 1), (2, 1)]
RED_RIBBONS = [(3, 1), (4, 1), (6, 1)]
BLUE_RIBBONS = [(5, 1), (8, 1), (9, 1)]

POINTS: dict[Card, int] = {  # § 1: the cards that count; all others are 0
    **dict.fromkeys([CRANE, CURTAIN, MOON, PHOENIX], 20),
    **dict.fromkeys([*POETRY_RIBBONS, *RED_RIBBONS, *BLUE_RIBBONS, WILLOW_RIBBON, SHADED], 10),
    **dict.fromkeys([WARBLER, CUCKOO, BRIDGE, BUTTERFLIES, BOAR, GEESE, SAKE_CUP, DEER], 5),
    **dict.fromkeys([RAINMAN, SWALLOW], 5),
}
YAKU: dict[str, set[Card]] = {  # § 1
    "い": {CURTAIN, MOON, SAKE_CUP},
    "ろ": {CRANE, WARBLER, CURTAIN},
    "は": set(POETRY_RIBBONS),
    "に": set(BLUE_RIBBONS),
    "ほ": {BUTTERFLIES, SAKE_CUP, DEER},
    "へ": set(RED_RIBBONS),
    "と": {CUCKOO, BRIDGE, BOAR},
    "ち": {BOAR, GEESE, DEER},
}
SETUP = {2: (8, 8), 3: (7, 6), 4: (5, 8), 5: (4, 8), 6: (3, 12), 7: (3, 6)}  # § 2: hand, field


def month_cards(month: int) -> set[Card]:
    """§ 1: the four cards of a month."""
    return {(month, k) for k in range(COLUMNS)}


def whole_months(cards: set[Card]) -> list[int]:
    """The months of which all four cards are there, earliest first."""
    return [month for month in range(MONTHS) if month_cards(month) <= cards]


def card_id(card: Card) -> int:
    """§ 1, § 8: the number of a card, which is also the action that plays or takes it."""
    month, k = card
    return COLUMNS * month + k


def ids(cards: Iterable[Card]) -> list[int]:
    """The numbers of some cards, ascending."""
    return sorted(card_id(card) for card in cards)


@dataclass
class Player:
    """One seat: its hand, the open cards before it, what it put down, and the series so far.

    `put_down` holds every card that has left the hand this round, in whatever way (§ 9.4).
    """

    hand: set[Card] = field(default_factory=set)
    captured: set[Card] = field(default_factory=set)
    put_down: set[Card] = field(default_factory=set)
    total: int = 0

    def new_round(self, hand: set[Card]) -> None:
        """§ 2: nothing is left of the round before but the total."""
        self.hand, self.captured, self.put_down = hand, set(), set()

    def release(self, cards: set[Card]) -> None:
        """Those of the cards that are in the hand leave it, for all to see."""
        self.put_down |= self.hand & cards
        self.hand -= cards

    def points(self) -> int:
        """§ 6: what the captured cards count."""
        return sum(POINTS.get(card, 0) for card in self.captured)

    def yaku(self) -> list[str]:
        """§ 1: the letters of the yaku captured whole."""
        return [letter for letter, cards in YAKU.items() if cards <= self.captured]


@dataclass(frozen=True)
class WildCapture:
    """§ 5, § 9.3: a capture with the Lightning, by whom and of which month.

    `not_held_together` is what the others learn from its not being interrupted (§ 9.6): nobody
    else's hand held all these cards. None if a card of the month had been captured before.
    """

    seat: int
    month: int
    not_held_together: frozenset[Card] | None


class Sakura:
    """A series; it asks for one decision at a time (§ 8)."""

    def __init__(
        self,
        num_players: int,
        below: Callable[[int], int],
        rounds: int = 3,
        instant_win: bool = True,
        lightning: bool = False,
    ) -> None:
        """§ 2, § 10: `below(n)` returns the next random number, 0 .. n - 1."""
        if num_players not in SETUP:
            raise ValueError("2 to 7 players")
        if rounds not in (1, 3, 6, 12):
            raise ValueError("1, 3, 6 or 12 rounds")
        self.num_players = num_players
        self.below = below
        self.rounds = rounds
        self.instant_win = instant_win
        self.lightning = lightning
        self.players = [Player() for _ in range(num_players)]
        self.rounds_over = 0
        self.field: set[Card] = set()
        self.pile: list[Card] = []
        self.starter = below(num_players)
        self._start_round()

    # § 2

    def _shuffled(self) -> list[Card]:
        """The deck in order, each place swapped with one from there to the end."""
        deck = [(month, k) for month in range(MONTHS) for k in range(COLUMNS)]
        for i in range(47):
            j = i + self.below(48 - i)
            deck[i], deck[j] = deck[j], deck[i]
        return deck

    def _deal(self) -> None:
        """Hands from seat 0 on, the field, the pile; again while a month lies in the field."""
        hand_size, field_size = SETUP[self.num_players]
        deck = self._shuffled()
        for player in self.players:
            player.new_round(set(deck[:hand_size]))
            deck = deck[hand_size:]
        self.field, self.pile = set(deck[:field_size]), deck[field_size:]
        if whole_months(self.field):
            self._deal()

    def _start_round(self) -> None:
        """Deal; the first hand with a whole month lays it open, otherwise the starter begins."""
        self._deal()
        self.wild: WildCapture | None = None
        self.waiting: Card | None = None
        self.to_declare: int | None = None
        self._start_turn(self.starter)
        if not self.instant_win:
            return
        for seat in self.turn_order():
            months = whole_months(self.players[seat].hand)
            if months:
                self.current_player, self.to_declare = seat, months[0]
                self._capture(seat, month_cards(months[0]))
                return

    def turn_order(self) -> list[int]:
        """All seats, from the starter of the round on."""
        return [(self.starter + i) % self.num_players for i in range(self.num_players)]

    # § 4, § 8: what can be done

    @property
    def finished(self) -> bool:
        """§ 7: the series is over."""
        return self.rounds_over == self.rounds

    @property
    def mover(self) -> Player:
        """The player whose turn it is."""
        return self.players[self.current_player]

    @property
    def stage(self) -> str:
        """§ 8: what kind of decision is asked for."""
        if self.to_declare is not None and not self.finished:
            return "declare"
        if self.waiting is None:
            return "play"
        return "take for a played card" if "pile" in self.parts else "take for a turned card"

    def legal_actions(self) -> list[int]:
        """§ 8: the action ids of the mover, ascending; none when the game is over."""
        if self.finished:
            return []
        if self.to_declare is not None:
            return [HIKI + self.to_declare]
        if self.waiting is not None:
            return ids(self._targets()) if self._may_choose() else []
        if "hand" not in self.parts or not self.mover.hand:
            return []
        hikis = whole_months(self.mover.hand | self.field)
        return ids(self.mover.hand) + [HIKI + month for month in hikis]

    def step(self, action: int) -> None:
        """§ 8: play one decision, and whatever follows without a choice."""
        if action not in self.legal_actions():
            raise ValueError(f"illegal action {action}")
        if self.to_declare is not None:
            self._declare()
        elif self.waiting is not None:
            self._take(divmod(action, COLUMNS))
        else:
            self.parts.remove("hand")
            if action >= HIKI:
                self._capture(self.current_player, month_cards(action - HIKI))
            else:
                self.waiting = divmod(action, COLUMNS)
                self.mover.release({self.waiting})
        while not self.finished and not self.legal_actions():
            self._go_on()

    # § 4

    def _start_turn(self, seat: int) -> None:
        self.current_player = seat
        self.parts = ["hand", "pile"]  # the parts of the turn that are still to come

    def _go_on(self) -> None:
        """What happens by itself: settle a card, turn one over, end the turn or the round."""
        if self.waiting is not None:
            self._settle()
        elif "hand" in self.parts:
            self.parts.remove("hand")  # left out with an empty hand
        elif "pile" in self.parts:
            self.parts.remove("pile")
            self.waiting = self.pile.pop(0)
        elif self.pile:
            self._start_turn((self.current_player + 1) % self.num_players)
        else:
            self._collect_left_overs()
            self._end_round(self.round_scores())

    def _capture(self, seat: int, cards: set[Card]) -> None:
        """A player gets cards, from wherever they were."""
        self.players[seat].release(cards)
        self.field -= cards
        self.players[seat].captured |= cards

    # § 3, § 5

    def _is_wild(self) -> bool:
        """§ 5: the card beside the field is the Lightning, and wild."""
        return self.lightning and self.waiting == LIGHTNING

    def _targets(self) -> set[Card]:
        """The field cards that the waiting card can capture."""
        assert self.waiting is not None
        if self._is_wild():
            return set(self.field)
        return self.field & month_cards(self.waiting[0])

    def _may_choose(self) -> bool:
        """§ 3: of two the player chooses; § 5: with the Lightning of any number."""
        count = len(self._targets())
        return count > 1 if self._is_wild() else count == 2

    def _settle(self) -> None:
        """The waiting card stays in the field or captures what it must."""
        assert self.waiting is not None
        targets = self._targets()
        if not targets:
            self.field.add(self.waiting)
            self.waiting = None
        elif self._is_wild():
            self._take(min(targets))
        else:
            self._capture(self.current_player, targets | {self.waiting})
            self.waiting = None

    def _take(self, target: Card) -> None:
        """The waiting card captures one card, unless another player interrupts."""
        assert self.waiting is not None
        if self._is_wild():
            other = self._interrupter(target[0])
            if other is not None:
                self._capture(other, month_cards(target[0]))
                return  # the Lightning still waits, for another target
            self._note_wild_capture(target[0])
        self._capture(self.current_player, {self.waiting, target})
        self.waiting = None

    def _interrupter(self, month: int) -> int | None:
        """§ 5: the other player whose hand and the field hold the whole month."""
        for seat, player in enumerate(self.players):
            if seat != self.current_player and month_cards(month) <= player.hand | self.field:
                return seat
        return None

    def _note_wild_capture(self, month: int) -> None:
        """§ 9.3, § 9.6: what everybody sees and learns when the Lightning captures."""
        captured = set().union(*(player.captured for player in self.players))
        missing = frozenset(month_cards(month) - self.field)
        untouched = not captured & month_cards(month)
        self.wild = WildCapture(self.current_player, month, missing if untouched else None)

    def _collect_left_overs(self) -> None:
        """§ 5: the month's cards in the field go to the Lightning's player; others are dead."""
        if self.wild is not None:
            self._capture(self.wild.seat, self.field & month_cards(self.wild.month))

    # § 2, § 6, § 7

    def _declare(self) -> None:
        """§ 2, § 6: an instant win ends the round; the month stays declared on the last table."""
        winner = self.current_player
        self._end_round([INSTANT_WIN * (seat == winner) for seat in range(self.num_players)])

    def round_scores(self) -> list[int]:
        """§ 6: own points, less 50 for every yaku of an opponent, with the cards captured now."""
        yaku = [len(player.yaku()) for player in self.players]
        return [
            player.points() - PENALTY * (sum(yaku) - own)
            for player, own in zip(self.players, yaku, strict=True)
        ]

    def _end_round(self, scores: list[int]) -> None:
        """§ 7: add up; the best of the round starts the next one, unless it was the last."""
        for player, score in zip(self.players, scores, strict=True):
            player.total += score
        self.starter = next(s for s in self.turn_order() if scores[s] == max(scores))
        self.rounds_over += 1
        if not self.finished:  # otherwise the table stays as it is
            self._start_round()

    def totals(self) -> list[int]:
        """§ 7: the points of all rounds so far, by seat."""
        return [player.total for player in self.players]

    def ranks(self) -> list[int]:
        """§ 7: for each seat how many seats have a higher total."""
        return [sum(other > mine for other in self.totals()) for mine in self.totals()]

    # § 9

    def unseen(self, v: int) -> set[Card]:
        """§ 9: the cards that player v sees nowhere."""
        everything = {(month, k) for month in range(MONTHS) for k in range(COLUMNS)}
        seen = self.players[v].hand | self.field | {self.waiting}
        return everything - seen.union(*(player.captured for player in self.players))

    def contradictions(self, v: int, hands: list[set[Card]], pile: list[Card]) -> list[str]:
        """§ 9: what player v can say against these hands and this pile; nothing against the true.

        A hand and what was put down from it is what was dealt (§ 9.4).
        """
        found = []
        sizes = [len(player.hand) for player in self.players]
        hidden = [*pile, *(card for s, hand in enumerate(hands) if s != v for card in hand)]
        if hands[v] != self.players[v].hand:
            found.append("the own hand")
        if sorted(hidden) != sorted(self.unseen(v)):
            found.append("the unseen cards")
        if [len(hand) for hand in hands] != sizes or len(pile) != len(self.pile):
            found.append("how many cards there are")
        dealt = [hand | player.put_down for hand, player in zip(hands, self.players, strict=True)]
        if self.instant_win and self.to_declare is None and any(map(whole_months, dealt)):
            found.append("a whole month in a dealt hand")
        return found + self._against_interrupt(dealt)

    def _against_interrupt(self, dealt: list[set[Card]]) -> list[str]:
        """§ 9.6: somebody would have interrupted the Lightning."""
        if self.wild is None or self.wild.not_held_together is None:
            return []
        others = [cards for seat, cards in enumerate(dealt) if seat != self.wild.seat]
        held = any(self.wild.not_held_together <= cards for cards in others)
        return ["an interrupt that did not happen"] if held else []
