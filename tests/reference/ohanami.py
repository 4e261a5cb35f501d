"""Ohanami, played slowly: a second reading of RULES.md, written without the kernels.

Everything is kept the way people at a table would keep it: a hand is a set of cards that moves
from seat to seat, a garden is three lists of cards in ascending order, and each player has a
sheet of notes that is written at the moment something is seen. Sets and lists, no speed. Section
numbers are those of RULES.md. A card is its id c = 0 .. 119; the printed number is c + 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field

ROUNDS, TURNS, HAND_SIZE, ROWS, CARDS = 3, 5, 10, 3, 120
COLOURS = ("blue", "green", "grey", "pink")
PLACE = 120  # first placing action (§ 8)
DISCARD = 3  # the place after the three rows (§ 8)


def colour(card: int) -> str:
    """§ 1: the colour of a card; the first line of the table that fits decides."""
    number = card + 1
    if number % 7 == 0:
        return "grey"
    if number % 3 == 0:
        return "green"
    return "blue" if number % 2 == 0 else "pink"


@dataclass
class Hand:
    """A physical hand. Its label is the seat it was dealt to and travels along with it (§ 5)."""

    label: int
    cards: set[int]


@dataclass
class Notes:
    """What one player writes down (§ 9).

    `in_hand` holds, by hand label, the cards passed on in that hand this round less those laid
    since; `passed` the same for all hands together; `discards` the known discards of the game.
    """

    in_hand: dict[int, set[int]] = field(default_factory=dict)
    passed: set[int] = field(default_factory=set)
    discards: set[int] = field(default_factory=set)

    def pass_on(self, hand: Hand) -> None:
        """§ 9.3: remember the cards of a hand that is about to leave."""
        self.in_hand[hand.label] = set(hand.cards)
        self.passed |= hand.cards

    def receive(self, hand: Hand) -> None:
        """§ 9.4: a hand that comes back shows which of its cards were discarded meanwhile."""
        if hand.label in self.in_hand:
            self.discards |= self.in_hand.pop(hand.label) - hand.cards

    def see_laid(self, card: int) -> None:
        """§ 9.2: a laid card is public, so it is struck out wherever it was noted."""
        for cards in self.in_hand.values():
            cards.discard(card)
        self.passed.discard(card)

    def end_round(self) -> None:
        """§ 9.4: all hands are used up, so what was passed on and not laid was discarded."""
        self.discards |= self.passed
        self.passed = set()
        self.in_hand = {}


@dataclass
class Player:
    """One seat: its hand, its two picks (None before picking and once placed) and its garden."""

    hand: Hand
    picks: list[int | None] = field(default_factory=lambda: [None, None])
    rows: list[list[int]] = field(default_factory=lambda: [[] for _ in range(ROWS)])
    discarded: set[int] = field(default_factory=set)
    score: int = 0
    notes: Notes = field(default_factory=Notes)

    def laid(self) -> list[int]:
        """§ 4: all cards of the garden."""
        return [card for row in self.rows for card in row]

    def counts(self) -> dict[str, int]:
        """§ 1: how many cards of each colour lie in the garden."""
        seen = [colour(card) for card in self.laid()]
        return {name: seen.count(name) for name in COLOURS}

    def places(self, card: int) -> list[int]:
        """§ 4, § 8: the rows that can take a card, then the discard pile."""
        found = []
        empty_seen = False
        for r, row in enumerate(self.rows):
            if row:
                if card > max(row) or card < min(row):
                    found.append(r)
            elif not empty_seen:
                found.append(r)
                empty_seen = True
        return [*found, DISCARD]

    def round_points(self, round_index: int) -> int:
        """§ 6: the points added at the end of a round (0, 1 or 2)."""
        count = self.counts()
        points = 3 * count["blue"]
        if round_index >= 1:
            points += 4 * count["green"]
        if round_index == 2:
            points += 7 * count["grey"] + sum(range(1, min(count["pink"], 15) + 1))
        return points


class Ohanami:
    """A game with given deals; it asks for one decision at a time (§ 8)."""

    def __init__(self, num_players: int, deals: list[list[list[int]]]) -> None:
        """§ 2: deals[round][seat] lists the ten cards that the seat gets in that round."""
        if num_players not in (2, 3, 4):
            raise ValueError("2 to 4 players")
        if len(deals) != ROUNDS or any(len(deal) != num_players for deal in deals):
            raise ValueError("three rounds, one hand for each seat")
        hands = [hand for deal in deals for hand in deal]
        dealt = [card for hand in hands for card in hand]
        if any(len(hand) != HAND_SIZE for hand in hands) or len(set(dealt)) != len(dealt):
            raise ValueError("hands are ten cards, each card dealt once")
        if not set(dealt) <= set(range(CARDS)):
            raise ValueError("cards are 0 to 119")
        self.num_players = num_players
        self.deals = [[set(hand) for hand in deal] for deal in deals]
        self.players = [Player(Hand(seat, set())) for seat in range(num_players)]
        self.round = 0
        self.turn = 0
        self.placing = False
        self.current_player = 0
        self._deal()

    @property
    def finished(self) -> bool:
        """§ 7: the game is over after the third round."""
        return self.round == ROUNDS

    def _deal(self) -> None:
        """§ 2: every player gets a new hand; gardens stay."""
        for seat, player in enumerate(self.players):
            player.hand = Hand(seat, set(self.deals[self.round][seat]))

    def legal_actions(self) -> list[int]:
        """§ 8: the action ids of the mover, ascending; none when the game is over."""
        if self.finished:
            return []
        player = self.players[self.current_player]
        if not self.placing:
            return sorted(player.hand.cards)
        actions = []
        for k, card in enumerate(player.picks):
            if card is not None:
                actions += [PLACE + 4 * k + place for place in player.places(card)]
        return actions

    def step(self, action: int) -> None:
        """§ 8: play one decision; an illegal one is refused and changes nothing."""
        if action not in self.legal_actions():
            raise ValueError(f"illegal action {action}")
        player = self.players[self.current_player]
        if self.placing:
            k, place = divmod(action - PLACE, 4)
            self._place(player, k, place)
            seat_done = player.picks == [None, None]
        else:
            player.hand.cards.remove(action)
            player.picks[player.picks.index(None)] = action
            seat_done = None not in player.picks
        if seat_done:
            self._next_seat()

    def _place(self, player: Player, k: int, place: int) -> None:
        """§ 4: the k-th picked card goes to a row's end, a new row or the discard pile."""
        card = player.picks[k]
        assert card is not None
        player.picks[k] = None
        if place == DISCARD:
            player.discarded.add(card)
            player.notes.discards.add(card)  # § 9.4: the own discards
            return
        player.rows[place] = sorted([*player.rows[place], card])
        for watcher in self.players:
            watcher.notes.see_laid(card)

    def _next_seat(self) -> None:
        """§ 3, § 4: all seats pick in seat order, then all place in seat order."""
        self.current_player = (self.current_player + 1) % self.num_players
        if self.current_player != 0:
            return
        if not self.placing:
            self.placing = True
            return
        self.placing = False
        self.turn += 1
        if self.turn == TURNS:
            self._end_round()
        else:
            self._pass_hands()

    def _pass_hands(self) -> None:
        """§ 5: rounds 1 and 3 pass to the next seat, round 2 to the one before."""
        direction = -1 if self.round == 1 else 1
        for player in self.players:
            player.notes.pass_on(player.hand)
        leaving = [player.hand for player in self.players]
        for seat, hand in enumerate(leaving):
            self.players[(seat + direction) % self.num_players].hand = hand
        for player in self.players:
            player.notes.receive(player.hand)

    def _end_round(self) -> None:
        """§ 6, § 7: score, close the notes of the round, then deal again or end the game."""
        for player in self.players:
            player.score += player.round_points(self.round)
            player.notes.end_round()
        self.round += 1
        self.turn = 0
        if not self.finished:
            self._deal()

    def scores(self) -> list[int]:
        """§ 6: the points so far by seat."""
        return [player.score for player in self.players]

    def pink(self) -> list[int]:
        """§ 7: the laid pink cards by seat, all of them counted."""
        return [player.counts()["pink"] for player in self.players]

    def winners(self) -> list[int]:
        """§ 7: the seats that share the win; none before the end."""
        if not self.finished:
            return []
        return [seat for seat, rank in enumerate(self.ranks()) if rank == 0]

    def ranks(self) -> list[int]:
        """§ 7: for each seat how many seats are strictly ahead, by points, then pink cards."""
        standing = list(zip(self.scores(), self.pink(), strict=True))
        return [sum(other > mine for other in standing) for mine in standing]

    def _all_laid(self) -> list[int]:
        """§ 4: every laid card of every garden, sorted."""
        return sorted(card for player in self.players for card in player.laid())

    def truth(self) -> dict[str, object]:
        """The full state in plain values (§ 2 to § 6); round 3, turn 0 once finished."""
        return {
            "round": self.round,
            "turn": self.turn,
            "hands": [sorted(player.hand.cards) for player in self.players],
            "picks": [list(player.picks) for player in self.players],
            "rows": [
                [(row[0], row[-1], len(row)) if row else None for row in player.rows]
                for player in self.players
            ],
            "colours": [[p.counts()[name] for name in COLOURS] for p in self.players],
            "laid": self._all_laid(),
            "discarded": [sorted(player.discarded) for player in self.players],
            "scores": self.scores(),
        }

    def knowledge(self, v: int) -> dict[str, object]:
        """§ 9: what player v knows, read off v's own cards, the table and v's notes.

        The known hand of q is v's note on the hand that q holds now; q's unshown picks came out
        of that hand and are still in the note, as are cards of it discarded face down since.
        """
        me = self.players[v]
        known_hands = {
            q: sorted(me.notes.in_hand.get(other.hand.label, set()))
            for q, other in enumerate(self.players)
            if q != v
        }
        return {
            "hand": sorted(me.hand.cards),
            "picks": list(me.picks),
            "laid": self._all_laid(),
            "known_hands": known_hands,
            "known_discards": sorted(me.notes.discards),
            "discard_counts": [len(player.discarded) for player in self.players],
        }
