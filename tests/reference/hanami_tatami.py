"""HANAMI on tatami boards, played slowly: a second reading of RULES.md, without the kernels.

A card, and the square that belongs to it, is a pair (pattern, number); hands and markers are sets
of such pairs, the deck is a list. Combinations are found by trying all triples of a hand, areas by
joining neighbours pair by pair. Chance comes from outside, as a function that returns a number
below n; shuffling and dealing are done here. Section numbers are those of RULES.md.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import combinations
from pathlib import Path
from typing import Any

Card = tuple[int, int]  # § 1: pattern 0 .. 5, number 1 .. 10
PATTERNS, NUMBERS = 6, 10
CARDS: list[Card] = [(p, n) for p in range(PATTERNS) for n in range(1, NUMBERS + 1)]
WILD: Card = (6, 1)  # comes after all others, as its id 60 does
DONE, SLIDES = 61, 62  # actions (§ 8): pass or slide no more; the first slide
LIMIT = 9  # § 5: no offset is farther from 0
REMOVED = {2: 9, 3: 4, 4: 3}  # § 2
HAND_SIZE = FIELD_SIZE = 5
STAGES = ("give", "take", "first", "second", "third", "wild", "slide")  # § 8
CHOOSING = STAGES[2:5]  # by the number of cards chosen before
SLIDES_AFTER = {"Run": 2, "Group": 1}  # § 5

ICON_FILE = Path(__file__).resolve().parents[2] / "envs" / "hanami_tatami" / "icons.jsonl"
ABOUT, *LINES = [json.loads(line) for line in ICON_FILE.read_text(encoding="utf-8").splitlines()]
ICONS: dict[Card, str] = {
    (p, n): icon for p in range(PATTERNS) for n, icon in enumerate(LINES[p]["icons"], 1)
}
BONUS_CARDS: list[list[dict[str, Any]]] = [line["conditions"] for line in LINES[PATTERNS:]]


def card_id(card: Card) -> int:
    """§ 1, § 8: the number of a card or square, which is also the action that names it."""
    pattern, number = card
    return NUMBERS * pattern + number - 1


def card_of(c: int) -> Card:
    """The card or square with a number."""
    return c // NUMBERS, c % NUMBERS + 1


def ids(cards: Iterable[Card]) -> list[int]:
    """The numbers of some cards, ascending."""
    return sorted(card_id(card) for card in cards)


# § 4: combinations


@cache
def combination(cards: frozenset[Card]) -> str | None:
    """What three different cards, none of them wild, make together."""
    patterns = {pattern for pattern, _ in cards}
    numbers = sorted(number for _, number in cards)
    consecutive = numbers == [numbers[0], numbers[0] + 1, numbers[0] + 2]
    if len(patterns) == 1:
        return "Run" if consecutive else "Flush"
    if len(set(numbers)) == 1:
        return "Group"
    return "Straight" if consecutive else None


@cache
def identities(pair: frozenset[Card]) -> list[Card]:
    """The cards that a wild card can stand for beside two others."""
    return [card for card in CARDS if card not in pair and combination(pair | {card})]


def playable(cards: Iterable[Card]) -> bool:
    """Whether three cards, one of them wild perhaps, can be played."""
    natural = frozenset(cards) - {WILD}
    return bool(identities(natural) if len(natural) == 2 else combination(natural))


def plays(hand: set[Card], chosen: list[Card]) -> list[tuple[Card, ...]]:
    """§ 8: the plays, in ascending order, that begin with the chosen cards."""
    triples = combinations(sorted(hand.union(chosen)), 3)
    return [cards for cards in triples if [*cards[: len(chosen)]] == chosen and playable(cards)]


# § 1, § 5, § 7: boards and areas


@dataclass(frozen=True)
class Boards:
    """The pattern in each row, the top row first, and how far each pattern's board was slid."""

    order: tuple[int, ...]
    offsets: tuple[int, ...] = (0,) * PATTERNS

    def slid(self, k: int) -> Boards:
        """§ 8: after slide k of the twelve."""
        offsets = list(self.offsets)
        offsets[k // 2] += (-1, 1)[k % 2]
        return Boards(self.order, tuple(offsets))

    def fit(self) -> bool:
        """§ 5: no board is too far out."""
        return all(abs(offset) <= LIMIT for offset in self.offsets)

    def place(self, square: Card) -> tuple[int, int]:
        """§ 1: row and column of a square."""
        pattern, number = square
        return self.order.index(pattern), number + self.offsets[pattern]

    def neighbours(self, a: Card, b: Card) -> bool:
        """§ 7.1: side by side on a board, or one above the other."""
        if a[0] == b[0]:
            return abs(a[1] - b[1]) == 1
        (row_a, column_a), (row_b, column_b) = self.place(a), self.place(b)
        return abs(row_a - row_b) == 1 and column_a == column_b

    def corners(self) -> set[Card]:
        """§ 7.1: the ends of the top and the bottom board."""
        return {(p, n) for p in (self.order[0], self.order[-1]) for n in (1, NUMBERS)}

    def best_area(self, markers: set[Card]) -> tuple[int, bool]:
        """§ 7.1: how many squares the largest area has, and whether one so large has a corner."""
        corners = self.corners()
        found = areas(self, frozenset(markers))
        return max(((len(area), bool(area & corners)) for area in found), default=(0, False))

    def area_points(self, markers: set[Card]) -> int:
        """§ 7.1: what the largest area counts."""
        size, corner = self.best_area(markers)
        return 2 * size if corner else size


@lru_cache(maxsize=1000)
def areas(boards: Boards, markers: frozenset[Card]) -> list[set[Card]]:
    """§ 7.1: the squares of a player's markers, as far as they are connected.

    At first every square is alone; then every two neighbours join what they belong to.
    """
    area_of = {square: {square} for square in markers}
    for a, b in combinations(markers, 2):
        if area_of[a] is not area_of[b] and boards.neighbours(a, b):
            area_of[a] |= area_of[b]
            for square in area_of[b]:
                area_of[square] = area_of[a]
    return [area for square, area in area_of.items() if square == min(area)]


# § 7.2: the bonus card


def condition_points(condition: dict[str, Any], own: Counter, everyone: list[Counter]) -> int:
    """What a condition pays for the icons `own`; those of all players are `everyone`."""
    points: int = condition["points"]
    if "most" in condition:
        (icon,) = condition["most"]
        most = max(icons[icon] for icons in everyone)
        return points if own[icon] == most > 0 else 0
    need = Counter(condition["each"] if "each" in condition else condition["once"])
    sets = min(own[icon] // count for icon, count in need.items())
    return points * (sets if "each" in condition else min(sets, 1))


def bonus_points(card: int, own: Counter, others: list[Counter]) -> int:
    """What bonus card number `card` pays one player."""
    everyone = [own, *others]
    return sum(condition_points(condition, own, everyone) for condition in BONUS_CARDS[card])


@dataclass
class Player:
    """One seat: its hand, which of it the others know (§ 9.4), and what it has laid out."""

    hand: set[Card] = field(default_factory=set)
    known: set[Card] = field(default_factory=set)
    played: set[Card] = field(default_factory=set)  # without a wild card
    markers: set[Card] = field(default_factory=set)

    def lay_aside(self, card: Card) -> None:
        """§ 8: a card is given or chosen."""
        self.hand.remove(card)
        self.known.discard(card)

    def icons(self) -> Counter:
        """§ 7.2: the icons on the cards played."""
        return Counter(ICONS[card] for card in self.played)

    def hand_points(self) -> int:
        """§ 7.3: what the hand counts."""
        return sum(3 if card == WILD else -1 for card in self.hand)


class Hanami:
    """A game; it asks for one decision at a time (§ 8)."""

    def __init__(
        self, num_players: int, below: Callable[[int], int], printed_only: bool = False
    ) -> None:
        """§ 2, § 10: `below(n)` returns the next random number, 0 .. n - 1."""
        if num_players not in REMOVED:
            raise ValueError("2 to 4 players")
        self.num_players = num_players
        self.below = below
        self.boards = Boards(tuple(self._shuffled(list(range(PATTERNS)))))
        cards = self._shuffled(CARDS)
        bonus_card = below(len(BONUS_CARDS))
        self.bonus_card = 0 if printed_only else bonus_card
        self.removed, cards = set(cards[: REMOVED[num_players]]), cards[REMOVED[num_players] :]
        self.players = []
        for _ in range(num_players):
            self.players.append(Player({*cards[:HAND_SIZE], WILD}))
            cards = cards[HAND_SIZE:]
        self.field, self.deck = set(cards[:FIELD_SIZE]), cards[FIELD_SIZE:]
        self.finished = False
        self._start_turn(0)

    def _shuffled(self, things: list[Any]) -> list[Any]:
        """§ 2: each place but the last swapped with one from there to the end."""
        things = list(things)
        for i in range(len(things) - 1):
            j = i + self.below(len(things) - i)
            things[i], things[j] = things[j], things[i]
        return things

    def _start_turn(self, seat: int) -> None:
        self.current_player = seat
        self.stage = "give"
        self.given: Card | None = None
        self.chosen: list[Card] = []  # of a play that is not complete
        self.slides_left = 0
        self.slidable: set[int] = set()
        self.last_slide: int | None = None

    @property
    def mover(self) -> Player:
        """The player whose turn it is."""
        return self.players[self.current_player]

    # § 8: what can be done

    def legal_actions(self) -> list[int]:
        """The action ids of the mover, ascending; none when the game is over."""
        if self.finished:
            return []
        if self.stage == "give":
            return ids(self.mover.hand - {WILD})
        if self.stage == "take":
            return ids(self.field)
        if self.stage == "wild":
            return ids(identities(frozenset(self.chosen) - {WILD}))
        if self.stage == "slide":
            return [DONE, *(SLIDES + k for k in self.slides())]
        at = len(self.chosen)
        choices = ids({cards[at] for cards in plays(self.mover.hand, self.chosen)})
        return choices if self.chosen else [*choices, DONE]

    def slides(self) -> list[int]:
        """§ 5: the slides that may be made now, 2 p to the left and 2 p + 1 to the right."""
        taken_back = None if self.last_slide is None else self.last_slide ^ 1
        return [
            k
            for k in range(2 * PATTERNS)
            if k // 2 in self.slidable and k != taken_back and self.boards.slid(k).fit()
        ]

    def step(self, action: int) -> None:
        """Play one decision, and whatever follows without a choice."""
        if action not in self.legal_actions():
            raise ValueError(f"illegal action {action}")
        if action == DONE:
            self._end_turn()
        elif self.stage == "slide":
            self._slide(action - SLIDES)
        elif self.stage == "give":
            self.given = card_of(action)
            self.mover.lay_aside(self.given)
            self.stage = "take"
        elif self.stage == "take":
            self._take(card_of(action))
        elif self.stage == "wild":
            self._play(card_of(action))
        else:
            self._choose(card_of(action))

    def _take(self, card: Card) -> None:
        """§ 3: a card of the field for the one given, for all to see."""
        assert self.given is not None
        self.field = self.field - {card} | {self.given}
        self.given = None
        self.mover.hand.add(card)
        self.mover.known.add(card)
        self.stage = "first"

    def _choose(self, card: Card) -> None:
        """§ 8: the next card of a play; what a wild one stands for is asked for first."""
        self.mover.lay_aside(card)
        self.chosen.append(card)
        if card == WILD:
            self.stage = "wild"
        elif len(self.chosen) < 3:
            self.stage = CHOOSING[len(self.chosen)]
        else:
            self._play(None)

    def _play(self, identity: Card | None) -> None:
        """§ 4, § 5: the play is complete; `identity` is what its wild card stands for."""
        natural = set(self.chosen) - {WILD}
        squares = natural if identity is None else natural | {identity}
        self.mover.played |= natural
        self.mover.markers |= squares - self.taken()
        self.chosen = []
        kind = combination(frozenset(squares))
        if identity is not None or kind not in SLIDES_AFTER:
            self._end_turn()
            return
        self.stage = "slide"
        self.slides_left = SLIDES_AFTER[kind]
        self.slidable = set(range(PATTERNS)) if kind == "Run" else {p for p, _ in squares}

    def _slide(self, k: int) -> None:
        """§ 5: a board moves by one place."""
        self.boards = self.boards.slid(k)
        self.last_slide = k
        self.slides_left -= 1
        if self.slides_left == 0:
            self._end_turn()

    def _end_turn(self) -> None:
        """§ 6: the game is over after the last seat's turn that began without a deck."""
        if not self.deck and self.current_player == self.num_players - 1:
            self._start_turn(self.current_player)  # nothing of the turn is left to see
            self.finished = True
            return
        self.mover.hand |= set(self.deck[:2])
        self.deck = self.deck[2:]
        self._start_turn((self.current_player + 1) % self.num_players)

    # § 7

    def taken(self) -> set[Card]:
        """§ 4: the squares with a marker or a blocker."""
        return self.removed.union(*(player.markers for player in self.players))

    def bonus(self, seat: int) -> int:
        """§ 7.2: what the bonus card pays a seat now."""
        icons = [player.icons() for player in self.players]
        return bonus_points(self.bonus_card, icons.pop(seat), icons)

    def scores(self) -> list[int]:
        """§ 7: the score of each seat now."""
        return [
            self.boards.area_points(player.markers) + self.bonus(seat) + player.hand_points()
            for seat, player in enumerate(self.players)
        ]

    def ranks(self) -> list[int]:
        """§ 7: for each seat how many seats are better."""
        scores = self.scores()
        keys = [(scores[s], -len(player.markers)) for s, player in enumerate(self.players)]
        return [sum(other > mine for other in keys) for mine in keys]

    # § 9

    def aside(self) -> set[Card]:
        """§ 8: the cards given or chosen in this turn that still lie aside."""
        return set(self.chosen) if self.given is None else {self.given}

    def unseen(self, v: int) -> set[Card]:
        """§ 9: the cards that player v sees nowhere and does not know in a hand."""
        seen = self.players[v].hand | self.field | self.removed | self.aside()
        shown = [player.played | player.known for player in self.players]
        return set(CARDS) - seen.union(*shown)

    def contradictions(self, v: int, hands: list[set[Card]], deck: list[Card]) -> list[str]:
        """§ 9: what player v can say against these hands and this deck; nothing to the true."""
        found = []
        others = [seat for seat in range(self.num_players) if seat != v]
        if hands[v] != self.players[v].hand:
            found.append("the own hand")
        if any(not self.players[seat].known <= hands[seat] for seat in others):
            found.append("a known card")
        if any((WILD in self.players[seat].hand) != (WILD in hands[seat]) for seat in others):
            found.append("a wild card")
        hidden = [c for s in others for c in hands[s] - self.players[s].known - {WILD}]
        if sorted([*deck, *hidden]) != sorted(self.unseen(v)):
            found.append("the unseen cards")
        sizes = [len(player.hand) for player in self.players]
        if [len(hand) for hand in hands] != sizes or len(deck) != len(self.deck):
            found.append("how many cards there are")
        if self.chosen and not plays(hands[self.current_player], self.chosen):
            found.append("a play that cannot be completed")
        return found
