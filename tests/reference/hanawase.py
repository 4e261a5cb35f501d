"""Hanawase, played slowly: a second reading of RULES.md, written without the kernels.

Everything is kept the way people at a table would keep it: cards are (month, k) as in the table
of § 1 and move between hands, field, pile and the captured cards of the players; a player who is
out notes which cards went back; a settlement is a sheet with one line for every step. Sets, lists
and dictionaries, no speed. Section numbers are those of RULES.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

Card = tuple[int, int]  # month 1 .. 12, k 0 .. 3
Below = Callable[[int], int]  # below(n) is the next draw as a number 0 .. n - 1 (§ 2)

PRINTED: dict[int, tuple[str, str, str, str]] = {
    1: ("bright", "poetry", "plain", "plain"),
    2: ("animal", "poetry", "plain", "plain"),
    3: ("bright", "poetry", "plain", "plain"),
    4: ("animal", "red", "plain", "plain"),
    5: ("animal", "red", "plain", "plain"),
    6: ("animal", "blue", "plain", "plain"),
    7: ("animal", "red", "plain", "plain"),
    8: ("bright", "animal", "plain", "plain"),
    9: ("animal", "blue", "plain", "plain"),
    10: ("animal", "blue", "plain", "plain"),
    11: ("bright", "animal", "red", "plain"),
    12: ("bright", "plain", "plain", "plain"),
}
CRANE, WARBLER, CURTAIN, BUTTERFLIES, BOAR = (1, 0), (2, 0), (3, 0), (6, 0), (7, 0)
MOON, SAKE, DEER, RAINMAN, PHOENIX = (8, 0), (9, 0), (10, 0), (11, 0), (12, 0)
DECK: list[Card] = [(month, k) for month in PRINTED for k in range(4)]
WORTH = {"bright": 20, "animal": 10, "poetry": 5, "red": 5, "blue": 5, "plain": 1}  # § 1
HAND_SIZE, FIELD_SIZE, TURNS, ACTIVE, LIMIT, MEAN = 7, 6, 21, 3, 20, 88
ROLES = ("oya", "naka", "biki")
STEPS = ("yaku", "oyanaka", "cards", "hand yaku")  # § 6, those in which points are paid
FEW = {"oya": 8, "naka": 8, "biki": 10}  # § 6.4
ENTER, RETIRE = 48, 49  # § 8


def number(card: Card) -> int:
    """§ 1: the card number, which is also its action id (§ 8)."""
    month, k = card
    return 4 * (month - 1) + k


def kind(card: Card) -> str:
    """§ 1: bright, animal or plain; a ribbon is poetry, red or blue."""
    month, k = card
    return PRINTED[month][k]


def numbers(cards: set[Card] | list[Card]) -> list[int]:
    """Card numbers, ascending."""
    return sorted(number(card) for card in cards)


def month_cards(month: int) -> set[Card]:
    """§ 1: the four cards of a month."""
    return {(month, k) for k in range(4)}


def all_of(*kinds: str) -> set[Card]:
    """The cards of these kinds, the Willow's ribbon not counted (§ 5)."""
    return {card for card in DECK if kind(card) in kinds and card != (11, 2)}


def shuffled(cards: list[Card], below: Below) -> list[Card]:
    """§ 2, § 3: each place in turn, the last one excepted, changes with it or a later one."""
    cards = list(cards)
    for i in range(len(cards) - 1):
        j = i + below(len(cards) - i)
        cards[i], cards[j] = cards[j], cards[i]
    return cards


# § 5


@dataclass(frozen=True)
class Yaku:
    """A line of the table: any `count` cards of `among`, and all of `needed`."""

    points: int
    count: int
    among: set[Card]
    needed: set[Card] = field(default_factory=set)

    def complete(self, captured: set[Card]) -> bool:
        """§ 5: more cards do no harm."""
        return self.needed <= captured and len(self.among & captured) >= self.count


def exactly(points: int, cards: set[Card]) -> Yaku:
    """A yaku that wants all of these cards."""
    return Yaku(points, len(cards), cards)


DRY = all_of("bright") - {RAINMAN}
RIBBONS = all_of("poetry", "red", "blue")
YAKU = {
    "goko": exactly(100, DRY | {RAINMAN}),
    "shiko": exactly(60, DRY),
    "rainy_four": Yaku(40, 3, DRY, {RAINMAN}),
    "omote_sugawara": exactly(30, {CRANE, WARBLER, CURTAIN}),
    "matsu_kiri_bozu": exactly(20, {CRANE, MOON, PHOENIX}),
    "nanatan": Yaku(40, 7, RIBBONS),
    "aotan": exactly(40, all_of("blue")),
    "akatan": exactly(40, all_of("poetry")),
    "rokutan": Yaku(30, 6, RIBBONS),
    "kusa": exactly(20, all_of("red")),
    "boar_deer_butterfly": exactly(20, {BOAR, DEER, BUTTERFLIES}),
    "hanami": exactly(20, {CURTAIN, SAKE}),
    "tsukimi": exactly(20, {MOON, SAKE}),
    "fujishima": exactly(20, month_cards(4)),
    "kirishima": exactly(20, month_cards(12)),
}
BRIGHT_YAKU = ("goko", "shiko", "rainy_four")
RIBBON_YAKU = ("aotan", "akatan", "kusa")
DEFAULTS = {
    "rounds": 12,
    **{name: yaku.points for name, yaku in YAKU.items()},
    "oyanaka": 30,
    "matsu_kiri_bozu_stacks": 0,
    "nanatan_stacks": 1,
    "hand_yaku": 0,
}


def complete_yaku(captured: set[Card], options: Mapping[str, int]) -> list[str]:
    """§ 5: what is complete, in the table's order; one of 0 points is no yaku (§ 10)."""
    return [name for name, yaku in YAKU.items() if options[name] and yaku.complete(captured)]


def counting_yaku(captured: set[Card], options: Mapping[str, int]) -> list[str]:
    """§ 5: the complete yaku that are paid."""
    names = complete_yaku(captured, options)
    rivals = [name for name in names if name in BRIGHT_YAKU]
    if not options["matsu_kiri_bozu_stacks"]:
        rivals += [name for name in names if name == "matsu_kiri_bozu"]
    best = max(rivals, key=lambda name: options[name], default=None)  # the first if equal
    dropped = set(rivals) - {best}
    if "nanatan" in names:
        dropped.add("rokutan")
        ribbons = {name for name in names if name in RIBBON_YAKU}
        if not options["nanatan_stacks"]:
            together = sum(options[name] for name in ribbons)
            dropped |= ribbons if options["nanatan"] >= together else {"nanatan"}
    return [name for name in names if name not in dropped]


# The table


@dataclass
class Player:
    """One seat. `dealt` is the hand as it was dealt; `gone` notes own cards that went back (§ 9).

    `stand` is "undeclared", "entered", "retired", "forced out", "must play", "blank card", or
    "plays" where nobody declares (three players).
    """

    points: int = 0
    stand: str = "undeclared"
    dealt: set[Card] = field(default_factory=set)
    hand: set[Card] = field(default_factory=set)
    captured: set[Card] = field(default_factory=set)
    plains_played: int = 0
    gone: set[Card] = field(default_factory=set)

    def begin_round(self, hand: set[Card], stand: str) -> None:
        """§ 2: a new hand, and nothing captured."""
        self.dealt, self.hand, self.stand = set(hand), set(hand), stand
        self.captured, self.plains_played, self.gone = set(), 0, set()

    @property
    def out(self) -> bool:
        """§ 3: whether the seat does not play this round."""
        return self.stand in ("retired", "forced out", "blank card")

    def give_back(self) -> set[Card]:
        """§ 3, § 9.2: the hand goes into the pile, and its owner remembers it."""
        self.gone, self.hand = self.hand, set()
        return self.gone

    def card_points(self) -> int:
        """§ 1: what the captured cards count."""
        return sum(WORTH[kind(card)] for card in self.captured)

    def hand_yaku(self) -> int:
        """§ 6.6: from each of the two others, for the hand as dealt."""
        plains = sum(kind(card) == "plain" for card in self.dealt)
        return {6: 20, 7: 30}.get(plains, 0)


class Settlement:
    """§ 6: how a round was settled. Dictionaries are by active seat, in the order of the roles.

    `verdict` is "valid", "Fuke" or "Ameshima-nagashi"; `paid` has a line for every step.
    """

    def __init__(self, players: dict[int, Player]) -> None:
        """Nothing is paid as yet."""
        self.players = players
        self.verdict = "valid"
        self.yaku: dict[int, list[str]] = {seat: [] for seat in players}
        self.paid = {step: dict.fromkeys(players, 0) for step in STEPS}

    def collect(self, step: str, seat: int, points: int) -> None:
        """The seat gets so much from each of the two others."""
        for other in self.players:
            self.paid[step][other] += 2 * points if other == seat else -points

    def gains(self) -> dict[int, int]:
        """§ 7: what each player gained in the round."""
        return {seat: sum(line[seat] for line in self.paid.values()) for seat in self.players}


class Hanawase:
    """A game that takes its chance from `below`; it asks for one decision at a time (§ 8)."""

    def __init__(
        self, num_players: int, below: Below, options: Mapping[str, int] | None = None
    ) -> None:
        """§ 2, § 10: draw the first dealer and deal; options not given have their defaults."""
        if num_players not in range(3, 8):
            raise ValueError("3 to 7 players")
        if not (options or {}).keys() <= DEFAULTS.keys():
            raise ValueError(f"options are {', '.join(DEFAULTS)}")
        self.num_players = num_players
        self.below = below
        self.options = DEFAULTS | dict(options or {})
        self.players = [Player() for _ in range(num_players)]
        self.round = 0
        self.last: Settlement | None = None
        self.dealer = below(num_players)
        self._deal()

    @property
    def finished(self) -> bool:
        """§ 7: the game is over after the last round."""
        return self.round == self.options["rounds"]

    @property
    def declaring(self) -> bool:
        """§ 3: whether it is still open who plays."""
        return not self.active

    # § 2

    def _deal(self) -> None:
        """§ 2: a new round, dealt again while a month lies whole in the field."""
        self.pile: list[Card] = []
        self.active: list[int] = []
        self.turn = 0
        self.turning_over = False  # § 4: the second part of a turn
        self.open_card: Card | None = None  # § 4: the card whose match is to be chosen
        self._deal_once()
        while any(month_cards(month) <= self.field for month in PRINTED):
            self._deal_once()
        self._begin()

    def _deal_once(self) -> None:
        """§ 2: hands of seven, lowest seat first, then the field, then the stock."""
        cards = shuffled(DECK, self.below)
        blank = self.below(7) if self.num_players == 7 else None
        for seat, player in enumerate(self.players):
            size = 0 if seat == blank else HAND_SIZE
            player.begin_round(set(cards[:size]), "undeclared" if size else "blank card")
            cards = cards[size:]
        self.field, self.stock = set(cards[:FIELD_SIZE]), cards[FIELD_SIZE:]

    # § 3

    def _seats_from_dealer(self) -> list[int]:
        """§ 3: all seats counterclockwise, the dealer first."""
        return [(self.dealer + i) % self.num_players for i in range(self.num_players)]

    def _undeclared(self) -> list[int]:
        """§ 3: the seats that are still to declare, in turn."""
        seats = self._seats_from_dealer()
        return [seat for seat in seats if self.players[seat].stand == "undeclared"]

    def _begin(self) -> None:
        """§ 3: with three players everybody plays, otherwise declaring begins."""
        if self.num_players == ACTIVE:
            for player in self.players:
                player.stand = "plays"
            self._start_play(self.stock)

    def _declare(self, stand: str) -> None:
        """§ 3: one seat enters or retires; the rest may be settled by that."""
        self.players[self._undeclared()[0]].stand = stand
        stands = [player.stand for player in self.players]
        if stands.count("entered") == ACTIVE:
            self._end_declaring("forced out")
        elif sum(not player.out for player in self.players) == ACTIVE:
            self._end_declaring("must play")

    def _end_declaring(self, stand: str) -> None:
        """§ 3: the others are out or must play; the hands that are out go into the pile."""
        for seat in self._undeclared():
            self.players[seat].stand = stand
        back = set(self.stock)
        for player in self.players:
            if player.out:
                back |= player.give_back()
        self._start_play(shuffled(sorted(back), self.below))

    def _start_play(self, pile: list[Card]) -> None:
        """§ 3: the three active players in the order of their roles; the pile's top is first."""
        seats = self._seats_from_dealer()
        self.active = [seat for seat in seats if not self.players[seat].out]
        self.pile, self.stock = list(pile), []

    # § 4, § 8

    @property
    def current_player(self) -> int:
        """§ 3, § 4: who decides; after the end nobody, told as seat 0."""
        if self.finished:
            return 0
        if self.declaring:
            return self._undeclared()[0]
        return self.active[self.turn % ACTIVE]

    def matching(self, card: Card) -> set[Card]:
        """§ 4: the cards of its month in the field."""
        return self.field & month_cards(card[0])

    def legal_actions(self) -> list[int]:
        """§ 8: the action ids of the mover, ascending; none when the game is over."""
        if self.finished:
            return []
        if self.declaring:
            return [ENTER, RETIRE]
        if self.open_card is not None:
            return numbers(self.matching(self.open_card))
        return numbers(self.players[self.current_player].hand)

    def step(self, action: int) -> None:
        """§ 8: play one decision; an illegal one is refused and changes nothing."""
        if action not in self.legal_actions():
            raise ValueError(f"illegal action {action}")
        if self.declaring:
            self._declare("entered" if action == ENTER else "retired")
        elif self.open_card is not None:
            self._choose(DECK[action])
        else:
            self._play(DECK[action])

    def _play(self, card: Card) -> None:
        """§ 4.1: any card of the hand."""
        player = self.players[self.current_player]
        player.hand.remove(card)
        player.plains_played += kind(card) == "plain"
        self._compare(card)

    def _turn_over(self) -> None:
        """§ 4.2: the pile's top card; everybody who gave it back sees it go (§ 9.2)."""
        self.turning_over = True
        card = self.pile.pop(0)
        for player in self.players:
            player.gone.discard(card)
        self._compare(card)

    def _compare(self, card: Card) -> None:
        """§ 4: capture, stay, or wait for a choice between two."""
        found = self.matching(card)
        if len(found) == 2:
            self.open_card = card
            return
        if found:
            self._capture({card} | found)
        else:
            self.field.add(card)
        self._go_on()

    def _choose(self, match: Card) -> None:
        """§ 4: one of the two matching cards is captured with the open card."""
        assert self.open_card is not None
        self._capture({self.open_card, match})
        self.open_card = None
        self._go_on()

    def _capture(self, cards: set[Card]) -> None:
        """§ 4: the cards leave the field and lie before the mover."""
        self.players[self.current_player].captured |= cards
        self.field -= cards

    def _go_on(self) -> None:
        """§ 4: the second part of the turn, the next turn, or the settlement."""
        if not self.turning_over:
            self._turn_over()
            return
        self.turning_over = False
        self.turn += 1
        if self.turn == TURNS:
            self._end_round()

    # § 6, § 7

    def _settle(self) -> Settlement:
        """§ 6: all steps in turn."""
        mine = {seat: self.players[seat] for seat in self.active}
        sheet = Settlement(mine)
        if min(player.card_points() for player in mine.values()) <= LIMIT:
            sheet.verdict = "Fuke"
            return sheet
        if any(month_cards(11) <= player.captured for player in mine.values()):
            sheet.verdict = "Ameshima-nagashi"
        else:
            self._pay_yaku(sheet)
            self._pay_oyanaka(sheet)
        for seat, player in mine.items():
            sheet.paid["cards"][seat] = player.card_points() - MEAN
            if self.options["hand_yaku"]:
                sheet.collect("hand yaku", seat, player.hand_yaku())
        return sheet

    def _pay_yaku(self, sheet: Settlement) -> None:
        """§ 6.3: every yaku that counts."""
        for seat, player in sheet.players.items():
            sheet.yaku[seat] = counting_yaku(player.captured, self.options)
            for name in sheet.yaku[seat]:
                sheet.collect("yaku", seat, self.options[name])

    def _pay_oyanaka(self, sheet: Settlement) -> None:
        """§ 6.4: for few captured cards."""
        for role, seat in zip(ROLES, sheet.players, strict=True):
            if len(self.players[seat].captured) <= FEW[role]:
                sheet.collect("oyanaka", seat, self.options["oyanaka"])

    def _end_round(self) -> None:
        """§ 6, § 7: settle, find the next dealer, then deal again or end the game."""
        self.last = self._settle()
        gains = self.last.gains()
        for seat, gain in gains.items():
            self.players[seat].points += gain
        if self.last.verdict != "Fuke":
            self.dealer = max(self.active, key=lambda seat: gains[seat])  # the first if equal
        self.round += 1
        if not self.finished:
            self._deal()

    def scores(self) -> list[int]:
        """§ 7: the points so far by seat."""
        return [player.points for player in self.players]

    def ranks(self) -> list[int]:
        """§ 7: for each seat how many seats are strictly ahead."""
        return [sum(other > mine for other in self.scores()) for mine in self.scores()]

    # § 9

    def knowledge(self, v: int) -> dict[str, object]:
        """§ 9: what player v knows beyond what everybody knows."""
        me = self.players[v]
        return {"hand": numbers(me.hand), "gone": numbers(me.gone)}
