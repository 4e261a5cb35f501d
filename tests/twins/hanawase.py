"""Hanawase's engine and its slow twin (tests/reference/hanawase.py), held side by side.

Both are asked the same questions, and the answers are compared. Cards are ids 0 to 47 as in the
engine, but names where words are compared. The twin gets its chance from the stream of RULES.md
§ 2, by its own count of the draws.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from hanazono.envs.hanafuda.deck import NAMES
from hanazono.envs.hanawase import GAME
from reference.hanawase import (
    DEFAULTS,
    PRINTED,
    ROLES,
    STEPS,
    WORTH,
    YAKU,
    Card,
    Hanawase,
    Player,
    Yaku,
    kind,
    month_cards,
    number,
    numbers,
)
from twins.compare import Comparison, Stream

LAYOUT = GAME.layout
PART = {
    piece.name: slice(LAYOUT.start(piece.name), LAYOUT.start(piece.name) + piece.size)
    for piece in GAME.pieces
}
CHOICES = ("choose for the played card", "choose for the turned card")
PHASES = ("declare", "play", *CHOICES)
STANDINGS = ("undeclared", "active", "retired", "out")
VERDICTS = ("valid", "Fuke", "Ameshima-nagashi")
YAKU_NAMES = (
    "Goko", "Shiko", "Rainy Four", "Omote-Sugawara", "Matsu-Kiri-Bozu", "Nanatan", "Aotan",
    "Akatan", "Rokutan", "Kusa", "Boar-Deer-Butterfly", "Hanami", "Tsukimi", "Fujishima",
    "Kirishima",
)  # fmt: skip
RANKS = {
    "bright": ("bright",),
    "animal": ("animal",),
    "ribbon": ("poetry", "red", "blue"),
    "plain": ("plain",),
}


class Pair(Comparison):
    """One game, played by the twin along with the engine's state record."""

    def __init__(self, s: Any) -> None:
        """`s` is a freshly dealt state; the twin deals from the same seed."""
        n, self.chance = int(s["num_players"]), Stream(int(s["seed"]))
        options = {name: int(s[name]) for name in DEFAULTS}
        super().__init__(GAME, n, Hanawase(n, self.chance, options))

    def truths(self, s: Any, mask: np.ndarray) -> tuple[dict[str, Any], dict[str, Any]]:
        """The whole state, and the legal actions."""
        return engine_truth(s, mask), truth_of(self.twin) | {"draws": self.chance.drawn}

    def knowledge(self, seen: np.ndarray, v: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """Where the observation of v says that the cards are."""
        return engine_knowledge(seen), self.twin.knowledge(v)

    def pieces(self, v: int) -> dict[str, np.ndarray]:
        """Every piece of v's observation, by the twin."""
        return Sight(self.twin, v).pieces

    def words(self, v: int | None) -> dict[str, Any]:
        """The view of v, or the full one for None, by the twin."""
        rest = all_words(self.twin) if v is None else private_words(self.twin, v)
        return public_words(self.twin) | rest

    def final(self) -> tuple[Sequence[int], Sequence[int]]:
        """Points by seat, and no tie-break."""
        return self.twin.scores(), [0] * self.num_players


# What twin and engine say of the state, in the same terms


def phase(twin: Hanawase) -> str:
    """§ 8: what the mover is to decide."""
    if twin.declaring:
        return "declare"
    if twin.open_card is None:
        return "play"
    return CHOICES[twin.turning_over]


def standing(player: Player) -> str:
    """§ 3: the stand of a seat as far as the engine tells it."""
    if player.stand in ("undeclared", "retired"):
        return player.stand
    return "out" if player.out else "active"


def by_role(twin: Hanawase) -> list[Player]:
    """§ 3: oya, naka and biki; nobody until all have declared."""
    return [twin.players[seat] for seat in twin.active]


def truth_of(twin: Hanawase) -> dict[str, Any]:
    """The full state in plain values (§ 2 to § 7)."""
    none: list[Any] = [] if twin.active else [None] * len(ROLES)
    stands = [player.stand for player in twin.players]
    return {
        "values": [twin.options[name] for name in YAKU],
        "hands": [numbers(player.hand) for player in twin.players],
        "returned": [numbers(player.gone) for player in twin.players],
        "roles": twin.active or none,
        "captured": [numbers(player.captured) for player in by_role(twin)] or [[], [], []],
        "plains": [player.plains_played for player in by_role(twin)] or [0, 0, 0],
        "field": numbers(twin.field),
        "pile": [number(card) for card in twin.pile or twin.stock],
        "standing": [standing(player) for player in twin.players],
        "blank": stands.index("blank card") if "blank card" in stands else None,
        "open": None if twin.open_card is None else number(twin.open_card),
        "points": twin.scores(),
        "dealer": twin.dealer,
        "round": twin.round,
        "turn": twin.turn,
        "finished": twin.finished,
        "mover": None if twin.finished else twin.current_player,
        "phase": None if twin.finished else phase(twin),
        "legal": twin.legal_actions(),
    } | last_round(twin)


def last_round(twin: Hanawase) -> dict[str, Any]:
    """§ 6: how the last round was settled, by seat."""
    seats, sheet = range(twin.num_players), twin.last
    if sheet is None:
        return {
            "verdict": None,
            "yaku": [[] for _ in seats],
            "paid": {step: [0] * twin.num_players for step in STEPS},
        }
    return {
        "verdict": sheet.verdict,
        "yaku": [sheet.yaku.get(seat, []) for seat in seats],
        "paid": {step: [sheet.paid[step].get(seat, 0) for seat in seats] for step in STEPS},
    }


def engine_truth(s: Any, mask: np.ndarray) -> dict[str, Any]:
    """The engine's state in the same terms."""
    n, over = int(s["num_players"]), bool(s["terminated"])
    void = int(s["last_void"])
    return {
        "values": s["value"].tolist(),
        "hands": [in_word(cards) for cards in s["hand"][:n]],
        "returned": [in_word(cards) for cards in s["returned"][:n]],
        "roles": [none_if_negative(seat) for seat in s["actor"]],
        "captured": [in_word(cards) for cards in s["captured"]],
        "plains": s["plains_played"].tolist(),
        "field": in_word(s["field"]),
        "pile": s["pile"].tolist()[int(s["top"]) :],
        "standing": [STANDINGS[code] for code in s["standing"].tolist()[:n]],
        "blank": none_if_negative(s["blank"]),
        "open": none_if_negative(s["card"]),
        "points": s["points"].tolist()[:n],
        "dealer": int(s["dealer"]),
        "round": int(s["round_index"]),
        "turn": int(s["turn"]),
        "finished": over,
        "mover": None if over else int(s["current_player"]),
        "phase": None if over else PHASES[int(s["phase"])],
        "legal": np.flatnonzero(mask).tolist(),
        "draws": int(s["chance"]),
        "verdict": VERDICTS[void] if void in range(len(VERDICTS)) else None,
        "yaku": [
            [name for y, name in enumerate(YAKU) if bits >> y & 1]
            for bits in s["last_yaku"].tolist()[:n]
        ],
        "paid": {
            step: line[:n] for step, line in zip(STEPS, s["settlement"].tolist(), strict=True)
        },
    }


def in_word(word: Any) -> list[int]:
    """The cards whose bits are set."""
    return [c for c, digit in enumerate(f"{int(word):b}"[::-1]) if digit == "1"]


def none_if_negative(value: Any) -> int | None:
    """The engine's -1 stands for nothing."""
    return int(value) if value >= 0 else None


def engine_knowledge(seen: np.ndarray) -> dict[str, Any]:
    """What an observation says, in the terms of `Hanawase.knowledge`.

    A card that lies in none of the pieces is one that its reader gave back (§ 9.2).
    """
    captured = seen[PART["captured"]].reshape(len(ROLES), -1)
    told = sum(seen[PART[name]] for name in ("hand", "field", "unseen", "waiting"))
    return {
        "hand": np.flatnonzero(seen[PART["hand"]]).tolist(),
        "gone": np.flatnonzero(captured.sum(axis=0) + told == 0).tolist(),
    }


# What an observation should be


class Sight:
    """Every piece of one seat's observation, from the twin alone."""

    def __init__(self, twin: Hanawase, v: int) -> None:
        self.twin, self.v = twin, v
        self.me = twin.players[v]
        self.pieces = {piece.name: np.zeros(piece.shape) for piece in GAME.pieces}
        self.chairs = self._chairs()
        self.captured = set().union(*(player.captured for player in twin.players))
        self._cards()
        self._table()
        self._seats()
        for j, player in enumerate(self.chairs):
            self._chair(j, player)
        if not twin.finished:
            self._offers()

    def _chairs(self) -> list[Player]:
        """The active players in turn, from the reader on."""
        n = self.twin.num_players
        seats = sorted(self.twin.active, key=lambda seat: (seat - self.v) % n)
        return [self.twin.players[seat] for seat in seats]

    def _mark(self, name: str, cards: Iterable[Card], value: float = 1) -> None:
        for card in cards:
            self.pieces[name][number(card)] = value

    def _cards(self) -> None:
        """Where the cards are, as far as the reader knows (§ 9)."""
        twin, known = self.twin, self.me.hand | self.twin.field | self.me.gone
        self._mark("hand", self.me.hand)
        self._mark("field", twin.field)
        if twin.open_card is not None:
            self._mark("waiting", [twin.open_card])
            known = known | {twin.open_card}
        unseen = set(all_cards()) - known - self.captured
        self._mark("unseen", unseen)
        shown = {"unseen": unseen, "hand": self.me.hand, "field": twin.field}
        for card in all_cards():
            self._mark("card_points", [card], WORTH[kind(card)] / 20)
            for where, cards in shown.items():
                self._mark(f"month_{where}", [card], len(month_cards(card[0]) & set(cards)) / 4)

    def _offers(self) -> None:
        """§ 4: what a card of the hand, or a card that may be taken, captures now."""
        twin = self.twin
        mine = not twin.declaring and twin.players[twin.current_player] is self.me
        if mine and twin.open_card is not None:
            for card in twin.matching(twin.open_card):
                self._offer(card, [twin.open_card])
        else:
            for card in self.me.hand:
                self._offer(card, most(twin.matching(card)))

    def _offer(self, card: Card, others: list[Card]) -> None:
        """What the card captures: points, and how much it brings the yaku of each chair on."""
        if others:
            points = sum(WORTH[kind(other)] for other in [card, *others])
            self._mark("captures", [card])
            self._mark("gain", [card], points / 36)
        worth = [sum(self._value(player, c) for c in [card, *others]) for player in self.chairs]
        sign = 1 if others else -1
        self._mark("own_yaku", [card], sign * sum(worth[:1]))
        self._mark("their_yaku", [card], sign * sum(worth[1:]))

    def _chair(self, j: int, player: Player) -> None:
        """What an active player has, and how far the yaku are."""
        pieces = self.pieces
        pieces["captured"][j, numbers(player.captured)] = 1
        pieces["willow"][j] = len(player.captured & month_cards(11)) / 4
        pieces["captured_count"][j] = len(player.captured) / 48
        pieces["captured_points"][j] = player.card_points() / 264
        pieces["hand_size"][j] = len(player.hand) / 7
        pieces["plains_played"][j] = player.plains_played / 7
        pieces["chair_points"][j] = player.points / 200
        pieces["progress"][j] = [self._progress(player, yaku) for yaku in YAKU.values()]
        following = [self._next_worth(player, name) for name in YAKU]
        pieces["own_next" if j == 0 else "their_next"] += following

    def _value(self, player: Player, card: Card) -> float:
        """What the next card is worth, over all yaku that this card belongs to."""
        with_card = [name for name, yaku in YAKU.items() if card in yaku.among | yaku.needed]
        return sum(self._next_worth(player, name) for name in with_card)

    def _next_worth(self, player: Player, name: str) -> float:
        """Points · (cards held + 1) / needed / 100 of a yaku that is open, else 0."""
        yaku = YAKU[name]
        progress = self._progress(player, yaku)
        if not 0 <= progress < 1:
            return 0
        return self.twin.options[name] * (progress + 1 / cards_needed(yaku)) / 100

    def _progress(self, player: Player, yaku: Yaku) -> float:
        """Cards held / needed for a yaku; -1 when the others hold too many of its cards."""
        others = self.captured - player.captured
        if len(yaku.among - others) < yaku.count or yaku.needed & others:
            return -1
        held = len(yaku.among & player.captured)
        held += weight(yaku) * len(yaku.needed & player.captured)
        return min(held / cards_needed(yaku), 1)

    def _seats(self) -> None:
        """What is told of every seat, counted from the reader."""
        twin, pieces = self.twin, self.pieces
        for p, player in enumerate(twin.players):
            j = (p - self.v) % twin.num_players
            pieces["points"][j] = player.points / 200
            pieces["standing"][j, STANDINGS.index(standing(player))] = 1
            pieces["seated"][j] = 1
            pieces["dealer"][j] = p == twin.dealer
            if p in twin.active:
                pieces["role"][j, twin.active.index(p)] = 1

    def _table(self) -> None:
        """Phase, mover, pile and rounds."""
        twin, pieces = self.twin, self.pieces
        pieces["pile"][0] = len(twin.pile or twin.stock) / 21
        pieces["rounds_left"][0] = (twin.options["rounds"] - twin.round) / 12
        if not twin.finished:
            pieces["phase"][PHASES.index(phase(twin))] = 1
            pieces["mover"][(twin.current_player - self.v) % twin.num_players] = 1


def all_cards() -> list[Card]:
    """§ 1: every card."""
    return [card for month in PRINTED for card in sorted(month_cards(month))]


def most(found: set[Card]) -> list[Card]:
    """§ 4: what a card captures at best: of two matching cards the one that counts more."""
    by_worth = sorted(found, key=lambda card: -WORTH[kind(card)])
    return by_worth[:1] if len(found) == 2 else by_worth


# What the words should be


def names(cards: Iterable[Card]) -> list[str]:
    """The cards' names, in the order of their numbers."""
    return [NAMES[c] for c in numbers(set(cards))]


def public_words(twin: Hanawase) -> dict[str, Any]:
    """The part of a view that everybody can see."""
    over, truth = twin.finished, truth_of(twin)
    roles = dict(zip(ROLES, twin.active, strict=False)) or None
    return {
        "finished": over,
        "round": None if over else twin.round,
        "rounds": twin.options["rounds"],
        "dealer": twin.dealer,
        "phase": truth["phase"],
        "to_move": truth["mover"],
        "turns_finished": twin.turn,
        "field": names(twin.field),
        "waiting": None if twin.open_card is None else NAMES[number(twin.open_card)],
        "pile_size": len(truth["pile"]),
        "standing": truth["standing"],
        "blank": truth["blank"],
        "roles": roles,
        "hand_sizes": [len(player.hand) for player in twin.players],
        "captured": [captured_words(player) for player in twin.players],
        "plains_played": dict(zip(ROLES, truth["plains"], strict=True)),
        "points": twin.scores(),
        "last_round": last_round_words(twin),
    }


def captured_words(player: Player) -> dict[str, list[str]]:
    """Captured cards by rank."""
    return {
        rank: names(card for card in player.captured if kind(card) in kinds)
        for rank, kinds in RANKS.items()
    }


def last_round_words(twin: Hanawase) -> dict[str, Any] | None:
    """§ 6: the last settlement; None in the first round."""
    if twin.last is None:
        return None
    told, gains = last_round(twin), twin.last.gains()
    printed = dict(zip(YAKU, YAKU_NAMES, strict=True))
    told["yaku"] = [[printed[name] for name in held] for held in told["yaku"]]
    return told | {"gained": [gains.get(seat, 0) for seat in range(twin.num_players)]}


def private_words(twin: Hanawase, v: int) -> dict[str, Any]:
    """The part of a view that only seat v may read."""
    me = twin.players[v]
    return {"seat": v, "hand": names(me.hand), "returned": names(me.gone)}


def all_words(twin: Hanawase) -> dict[str, Any]:
    """The part of the full view that no seat may read."""
    return {
        "hands": [names(player.hand) for player in twin.players],
        "returned": [names(player.gone) for player in twin.players],
        "pile": [NAMES[number(card)] for card in twin.pile or twin.stock],
    }


def weight(yaku: Yaku) -> int:
    """For how many cards a needed one counts: the Rainman for two of the Rainy Four's."""
    return 2 if yaku.count else 1


def cards_needed(yaku: Yaku) -> int:
    """How many cards complete a yaku, those of weight 2 counted twice."""
    return yaku.count + weight(yaku) * len(yaku.needed)
