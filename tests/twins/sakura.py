"""Sakura's engine and its slow twin (tests/reference/sakura.py), held side by side.

Both are asked the same questions, and the answers are compared. The twin shuffles for itself,
with the same random numbers. Where cards are compared they are ids 0 to 47.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hanazono.envs.core.batch import BatchEnv
from hanazono.envs.hanafuda.deck import NAMES, PLANTS, RANK, RANK_NAMES
from hanazono.envs.sakura import GAME
from reference.sakura import (
    COLUMNS,
    HIKI,
    LIGHTNING,
    MONTHS,
    POINTS,
    YAKU,
    Card,
    Player,
    Sakura,
    WildCapture,
    card_id,
    ids,
    month_cards,
)
from twins.compare import Comparison, Stream, unequal

LAYOUT = GAME.layout
SEATS = GAME.max_players
STAGES = ("play", "declare", "take for a played card", "take for a turned card")
STAGE_WORDS = {
    "play": "play a card",
    "declare": "declare an instant win",
    "take for a played card": "take a card",
    "take for a turned card": "take a card",
}
NO_ONE = Player()  # where a smaller game has no seat


class Pair(Comparison):
    """One series, played by the twin along with the engine's state record."""

    def __init__(self, s: Any) -> None:
        """`s` is a freshly dealt state; the twin gets its seats, options and seed."""
        n, self.chance = int(s["num_players"]), Stream(int(s["seed"]))
        options = {option.name: int(s[option.name]) for option in GAME.options}
        super().__init__(GAME, n, Sakura(n, self.chance, **options))
        self.imagined = BatchEnv(GAME, 1, n)

    def truths(self, s: Any, mask: np.ndarray) -> tuple[dict[str, Any], dict[str, Any]]:
        """The whole state, and the legal actions."""
        return engine_truth(s, mask), twin_truth(self.twin) | {"chance": self.chance.drawn}

    def knowledge(self, seen: np.ndarray, v: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """Where the observation of v says that the cards are."""
        return engine_cards(LAYOUT.split(seen)), twin_cards(self.twin, v)

    def pieces(self, v: int) -> dict[str, np.ndarray]:
        """Every piece of v's observation, by the twin."""
        return expected_pieces(self.twin, v)

    def words(self, v: int | None) -> dict[str, Any]:
        """The view of v, or the full one for None, by the twin."""
        rest = hidden_words(self.twin) if v is None else private_words(self.twin, v)
        return public_words(self.twin) | rest

    def final(self) -> tuple[Sequence[int], Sequence[int]]:
        """Totals by seat, and no tie-break."""
        return self.twin.totals(), [0] * self.num_players

    def beliefs(self, s: Any, v: int) -> list[str]:
        """What is wrong with a state that the engine holds possible for v (§ 9)."""
        self.imagined.set_states(np.array([s], GAME.dtype))
        self.imagined.resample_hidden(np.array([v]), np.array([s["decisions"]]))
        state = self.imagined.states[0]
        hands = [as_cards(cards_in(hand)) for hand in state["hand"][: self.num_players]]
        pile = as_cards(state["pile"][state["top"] :].tolist())
        complaints = self.twin.contradictions(v, [set(hand) for hand in hands], pile)
        if state["seed"] == s["seed"]:
            complaints.append("the deals to come")
        believed, truth = engine_truth(state, np.zeros(0)), twin_truth(self.twin)
        truth["dealt"] = [
            sorted(ids(hand) + ids(player.put_down))
            for hand, player in zip(hands, self.twin.players, strict=True)
        ] + truth["dealt"][self.num_players :]
        for name in ("hands", "pile", "legal"):  # judged above, or about what is judged above
            del believed[name], truth[name]
        del believed["chance"]
        return unequal(f"seat {v} imagines ", believed, truth) + [
            f"seat {v} imagines what cannot be: {complaint}" for complaint in complaints
        ]


# The state


def cards_in(card_set: int) -> list[int]:
    """The ids in one of the engine's sets."""
    return [c for c in range(64) if int(card_set) >> c & 1]


def as_cards(numbers: list[int]) -> list[Card]:
    """Months and columns for ids."""
    return [divmod(c, COLUMNS) for c in numbers]


def engine_truth(s: Any, mask: np.ndarray) -> dict[str, Any]:
    """The engine's state in the twin's terms; seats that are not there have no cards."""
    pile, top = s["pile"].tolist(), int(s["top"])
    return {
        "hands": [cards_in(cards) for cards in s["hand"]],
        "dealt": [cards_in(cards) for cards in s["dealt"]],
        "captured": [cards_in(cards) for cards in s["captured"]],
        "field": cards_in(s["field"]),
        "not dealt together": cards_in(s["wild_gap"]),
        "totals": s["points"].tolist(),
        "pile": pile[top:],
        "turned over": pile[:top],
        "waiting": int(s["open_card"]),
        "stage": STAGES[int(s["stage"])],
        "starter": int(s["starter"]),
        "rounds over": int(s["round_index"]),
        "wild": (int(s["wild_user"]), int(s["wild_month"])),
        "mover": int(s["current_player"]),
        "finished": bool(s["terminated"]),
        "legal": np.flatnonzero(mask).tolist(),
        "chance": int(s["chance"]),
    }


def twin_truth(twin: Sakura) -> dict[str, Any]:
    """The twin's state in the same words."""
    everyone = [*twin.players, *[NO_ONE] * (SEATS - twin.num_players)]
    wild = twin.wild or WildCapture(-1, -1, None)
    return {
        "hands": [ids(player.hand) for player in everyone],
        "dealt": [ids(player.hand | player.put_down) for player in everyone],
        "captured": [ids(player.captured) for player in everyone],
        "field": ids(twin.field),
        "not dealt together": ids(wild.not_held_together or ()),
        "totals": [player.total for player in everyone],
        "pile": [card_id(card) for card in twin.pile],
        "turned over": [255] * (len(NAMES) - len(twin.pile)),
        "waiting": -1 if twin.waiting is None else card_id(twin.waiting),
        "stage": twin.stage,
        "starter": twin.starter,
        "rounds over": twin.rounds_over,
        "wild": (wild.seat, wild.month),
        "mover": twin.current_player,
        "finished": twin.finished,
        "legal": twin.legal_actions(),
    }


# What a seat sees: the cards at every decision, all numbers now and then


def engine_cards(pieces: dict[str, np.ndarray]) -> dict[str, Any]:
    """Where an observation says that the cards are; captured cards by seats from v on."""
    found: dict[str, Any] = {
        name: np.flatnonzero(pieces[name]).tolist() for name in ("hand", "field", "unseen", "open")
    }
    return found | {"captured": [np.flatnonzero(row).tolist() for row in pieces["captured"]]}


def twin_cards(twin: Sakura, v: int) -> dict[str, Any]:
    """The same as player v knows it (§ 9.1)."""
    others = [NO_ONE] * (SEATS - twin.num_players)
    return {
        "hand": ids(twin.players[v].hand),
        "field": ids(twin.field),
        "unseen": ids(twin.unseen(v)),
        "open": [] if twin.waiting is None else [card_id(twin.waiting)],
        "captured": [ids(player.captured) for player in [*seated_from(twin, v), *others]],
    }


def seated_from(twin: Sakura, v: int) -> list[Player]:
    """All players, seat v first."""
    return [*twin.players[v:], *twin.players[:v]]


def expected_pieces(twin: Sakura, v: int) -> dict[str, np.ndarray]:
    """Every piece of seat v's observation, from the twin alone."""
    pieces = {piece.name: np.zeros(piece.shape) for piece in GAME.pieces}
    write_seats(twin, v, pieces)
    write_table(twin, pieces)
    write_cards(twin, v, pieces)
    write_yaku_chances(twin, v, pieces)
    if not twin.finished:
        write_gains(twin, v, pieces)
        pieces["starter"][(twin.starter - v) % twin.num_players] = 1
        pieces["mover"][(twin.current_player - v) % twin.num_players] = 1
        pieces["stage"][STAGES.index(twin.stage)] = 1
    return pieces


def write_cards(twin: Sakura, v: int, pieces: dict[str, np.ndarray]) -> None:
    """Where the cards are, what they count, and how many of their month are unseen."""
    for name, cards in twin_cards(twin, v).items():
        if name != "captured":
            pieces[name][cards] = 1
    shown = {"unseen": twin.unseen(v), "hand": twin.players[v].hand, "field": twin.field}
    for month in range(MONTHS):
        for card in month_cards(month):
            for where, cards in shown.items():
                pieces[f"month_{where}"][card_id(card)] = len(cards & month_cards(month)) / 4
            pieces["points"][card_id(card)] = POINTS.get(card, 0) / 20
    if twin.wild is not None:
        pieces["struck"][twin.wild.month] = 1


def write_yaku_chances(twin: Sakura, v: int, pieces: dict[str, np.ndarray]) -> None:
    """How near to a yaku a card not yet captured would bring the reader, and the others."""
    everyone = seated_from(twin, v)
    gone = set().union(*(player.captured for player in everyone))
    for card in set().union(*YAKU.values()) - gone:
        have = [with_card(everyone, j, card) / 3 for j in range(len(everyone))]
        pieces["own_yaku"][card_id(card)] = have[0]
        pieces["rival_yaku"][card_id(card)] = max(have[1:])


def with_card(everyone: list[Player], j: int, card: Card) -> int:
    """The most cards of one of its yaku, still open to player j, that j had with a card."""
    counts = [0]
    for cards in YAKU.values():
        if card in cards and is_open(everyone, j, cards):
            counts.append(len(everyone[j].captured & cards) + 1)
    return max(counts)


def is_open(everyone: list[Player], j: int, yaku: set[Card]) -> bool:
    """Nobody but player j has captured a card of the yaku."""
    return not any(player.captured & yaku for i, player in enumerate(everyone) if i != j)


def points_of(cards: set[Card]) -> int:
    """§ 1: what some cards count together."""
    return sum(POINTS.get(card, 0) for card in cards)


def write_gains(twin: Sakura, v: int, pieces: dict[str, np.ndarray]) -> None:
    """What each card of the hand would capture now, each target bring, each hiki capture."""
    deciding = v == twin.current_player
    if deciding and twin.waiting is not None:
        captures = {c: {twin.waiting, divmod(c, COLUMNS)} for c in twin.legal_actions()}
    else:
        captures = {card_id(card): best_capture(twin, card) for card in twin.players[v].hand}
    for c, cards in captures.items():
        if cards:
            pieces["gain"][c] = (5 + points_of(cards)) / 35
            for whose in ("own", "rival"):
                pieces[f"{whose}_capture"][c] = pieces[f"{whose}_yaku"][ids(cards)].sum()
    for action in twin.legal_actions() if deciding and twin.waiting is None else []:
        if action >= HIKI:
            month = action - HIKI
            pieces["hiki"][month] = (5 + points_of(month_cards(month))) / 35


def best_capture(twin: Sakura, card: Card) -> set[Card]:
    """§ 3, § 5: what a card of the hand captures, itself included, with the target that counts
    most; nothing if it stays."""
    wild = twin.lightning and card == LIGHTNING
    matches = twin.field if wild else twin.field & month_cards(card[0])
    if not matches:
        return set()
    if len(matches) == 3 and not wild:
        return matches | {card}
    return {card, max(sorted(matches), key=lambda match: points_of({match}))}


def write_seats(twin: Sakura, v: int, pieces: dict[str, np.ndarray]) -> None:
    """What is told of every seat, counted from v on."""
    everyone = seated_from(twin, v)
    mean = sum(twin.totals()) / twin.num_players
    scores = twin.round_scores()
    for j, player in enumerate(everyone):
        for y, cards in enumerate(YAKU.values()):
            count = len(player.captured & cards)
            pieces["yaku"][j, y] = count / 3 if is_open(everyone, j, cards) else -1
        pieces["captured"][j, ids(player.captured)] = 1
        pieces["hand_size"][j] = (1 + len(player.hand)) / 9
        pieces["card_points"][j] = player.points() / 100
        pieces["standing"][j] = scores[(v + j) % twin.num_players] / 100
        pieces["lead"][j] = (player.total - mean) / 100


def write_table(twin: Sakura, pieces: dict[str, np.ndarray]) -> None:
    """Pile, rounds and options."""
    pieces["pile"][0] = len(twin.pile) / 24
    pieces["rounds"][0] = (twin.rounds - twin.rounds_over) / 12
    pieces["options"][:] = twin.instant_win, twin.lightning


# What the words should be


def names(cards: set[Card]) -> list[str]:
    """Cards in words, by id."""
    return [NAMES[c] for c in ids(cards)]


def public_words(twin: Sakura) -> dict[str, Any]:
    """The part of a view that everybody can see."""
    over = twin.finished
    return {
        "finished": over,
        "round": None if over else twin.rounds_over,
        "starter": None if over else twin.starter,
        "to_move": None if over else twin.current_player,
        "stage": None if over else STAGE_WORDS[twin.stage],
        "open_card": None if twin.waiting is None else NAMES[card_id(twin.waiting)],
        "points": twin.totals(),
        "field": names(twin.field),
        "pile_size": len(twin.pile),
        "hand_sizes": [len(player.hand) for player in twin.players],
        "captured": [by_rank(player.captured) for player in twin.players],
        "card_points": [player.points() for player in twin.players],
        "yaku": [[yaku_words(letter) for letter in player.yaku()] for player in twin.players],
        "put_down": [names(player.put_down) for player in twin.players],
        "lightning": twin.wild and {"by": twin.wild.seat, "month": PLANTS[twin.wild.month]},
    }


def yaku_words(letter: str) -> str:
    """A yaku in words: its letter and its cards."""
    return f"{letter} ({', '.join(names(YAKU[letter]))})"


def by_rank(cards: set[Card]) -> dict[str, list[str]]:
    """Cards in words, brights first."""
    return {
        name: [NAMES[c] for c in ids(cards) if RANK[c] == rank]
        for rank, name in enumerate(RANK_NAMES)
    }


def private_words(twin: Sakura, v: int) -> dict[str, Any]:
    """The part of a view that only seat v may read."""
    return {"seat": v, "hand": names(twin.players[v].hand), "unseen": names(twin.unseen(v))}


def hidden_words(twin: Sakura) -> dict[str, Any]:
    """The part of the full view that no seat may read."""
    return {
        "hands": [names(player.hand) for player in twin.players],
        "pile": [NAMES[card_id(card)] for card in twin.pile],
    }
