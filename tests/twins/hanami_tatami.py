"""The engine of HANAMI on tatami boards and its slow twin, held side by side.

The twin is tests/reference/hanami_tatami.py. Both are asked the same questions, and the answers are
compared. The twin shuffles for itself, with the same random numbers. Where cards and squares are
compared they are ids 0 to 59, and 60 for a wild card.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from hanazono.envs.core.batch import BatchEnv
from hanazono.envs.hanami_tatami import GAME
from reference.hanami_tatami import (
    BONUS_CARDS,
    CARDS,
    ICONS,
    PATTERNS,
    STAGES,
    WILD,
    Boards,
    Card,
    Hanami,
    Player,
    areas,
    bonus_points,
    card_id,
    card_of,
    ids,
)
from twins.compare import Comparison, Stream, unequal

LAYOUT = GAME.layout
SEATS = GAME.max_players
NO_ONE = Player()  # where a smaller game has no seat
NO_CARD = 255
PATTERN_NAMES = ("green", "red", "purple", "black", "yellow", "navy")
ICON_NAMES = ("bowl", "sake", "note", "top", "blossom")
PAID_FOR = {"each": "for each", "once": "once for", "most": "for most"}
STAGE_WORDS = {
    "give": "give a card",
    "take": "take a card",
    "first": "choose a first card or pass",
    "second": "choose a second card",
    "third": "choose a third card",
    "wild": "say what the wild card stands for",
    "slide": "slide a board",
}


class Pair(Comparison):
    """One game, played by the twin along with the engine's state record."""

    def __init__(self, s: Any) -> None:
        """`s` is a freshly dealt state; the twin gets its seats, options and seed."""
        n, self.chance = int(s["num_players"]), Stream(int(s["seed"]))
        super().__init__(GAME, n, Hanami(n, self.chance, bool(s["printed_only"])))
        self.imagined = BatchEnv(GAME, 1, n)

    def truths(self, s: Any, mask: np.ndarray) -> tuple[dict[str, Any], dict[str, Any]]:
        """The whole state, and the legal actions."""
        return engine_truth(s, mask), twin_truth(self.twin) | {"chance": self.chance.drawn}

    def knowledge(self, seen: np.ndarray, v: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """Where the observation of v says that cards and markers are."""
        return engine_cards(LAYOUT.split(seen)), twin_cards(self.twin, v)

    def pieces(self, v: int) -> dict[str, np.ndarray]:
        """Every piece of v's observation, by the twin."""
        return expected_pieces(self.twin, v)

    def words(self, v: int | None) -> dict[str, Any]:
        """The view of v, or the full one for None, by the twin."""
        rest = hidden_words(self.twin) if v is None else private_words(self.twin, v)
        return public_words(self.twin) | rest

    def final(self) -> tuple[Sequence[int], Sequence[int]]:
        """Scores by seat, and the number of markers, negative."""
        return self.twin.scores(), [-len(player.markers) for player in self.twin.players]

    def beliefs(self, s: Any, v: int) -> list[str]:
        """What is wrong with a state that the engine holds possible for v (§ 9)."""
        self.imagined.set_states(np.array([s], GAME.dtype))
        self.imagined.resample_hidden(np.array([v]), np.array([s["decisions"]]))
        state = self.imagined.states[0]
        believed = engine_truth(state, np.zeros(0))
        truth = twin_truth(self.twin) | {"chance": self.chance.drawn}
        hands = [set(map(card_of, hand)) for hand in believed["hand"][: self.num_players]]
        deck = [card_of(c) for c in believed["deck"]]
        complaints = self.twin.contradictions(v, hands, deck)
        for name in ("hand", "deck", "legal"):  # judged above, or about what is judged above
            del believed[name], truth[name]
        return unequal(f"seat {v} imagines ", believed, truth) + [
            f"seat {v} imagines what cannot be: {complaint}" for complaint in complaints
        ]


# The state


def cards_in(card_set: int) -> list[int]:
    """The ids in one of the engine's sets."""
    return [c for c in range(64) if int(card_set) >> c & 1]


def engine_truth(s: Any, mask: np.ndarray) -> dict[str, Any]:
    """The engine's state in the twin's terms; seats that are not there have no cards."""
    deck, top = s["deck"].tolist(), int(s["top"])
    finished = bool(s["terminated"])
    per_seat = ("hand", "known", "played", "markers")
    return {name: [cards_in(cards) for cards in s[name]] for name in per_seat} | {
        "field": cards_in(s["field"]),
        "removed": cards_in(s["removed"]),
        "deck": deck[top:],
        "drawn": deck[:top],
        "order": s["order"].tolist(),
        "offsets": s["offset"].tolist(),
        "given": int(s["given"]),
        "chosen": s["picks"].tolist(),
        "stage": STAGES[int(s["stage"])],
        "slides left": int(s["slides_left"]),
        "slidable": cards_in(s["slidable"]),
        "last slide": int(s["last_slide"]),
        "bonus card": int(s["bonus_card"]),
        "bonus": s["bonus_points"].tolist(),
        "areas": list(zip(s["area"].tolist(), s["corner"].tolist(), strict=True)),
        "beside": s["beside"].tolist(),
        "mover": None if finished else int(s["current_player"]),
        "finished": finished,
        "legal": np.flatnonzero(mask).tolist(),
        "chance": int(s["chance"]),
    }


def twin_truth(twin: Hanami) -> dict[str, Any]:
    """The twin's state in the same words."""
    everyone = [*twin.players, *[NO_ONE] * (SEATS - twin.num_players)]
    bonus = [twin.bonus(seat) for seat in range(twin.num_players)]
    return {
        "hand": [ids(player.hand) for player in everyone],
        "known": [ids(player.known) for player in everyone],
        "played": [ids(player.played) for player in everyone],
        "markers": [ids(player.markers) for player in everyone],
        "field": ids(twin.field),
        "removed": ids(twin.removed),
        "deck": [card_id(card) for card in twin.deck],
        "drawn": [NO_CARD] * (len(CARDS) - len(twin.deck)),
        "order": list(twin.boards.order),
        "offsets": list(twin.boards.offsets),
        "given": -1 if twin.given is None else card_id(twin.given),
        "chosen": [*map(card_id, twin.chosen), *[-1] * (3 - len(twin.chosen))],
        "stage": twin.stage,
        "slides left": twin.slides_left,
        "slidable": sorted(twin.slidable),
        "last slide": -1 if twin.last_slide is None else twin.last_slide,
        "bonus card": twin.bonus_card,
        "bonus": bonus + [0] * (SEATS - twin.num_players),
        "areas": [twin.boards.best_area(player.markers) for player in everyone],
        "beside": [beside(twin.boards, frozenset(player.markers)) for player in everyone],
        "mover": None if twin.finished else twin.current_player,
        "finished": twin.finished,
        "legal": twin.legal_actions(),
    }


@lru_cache(maxsize=1000)
def beside(boards: Boards, markers: frozenset[Card]) -> list[int]:
    """For each square without the player's marker: how many squares the areas next to it have."""
    own_areas = areas(boards, markers)
    return [
        sum(len(area) for area in own_areas if any(boards.neighbours(square, m) for m in area))
        if square not in markers
        else 0
        for square in CARDS
    ]


# What a seat sees: the cards at every decision, all numbers now and then


def engine_cards(pieces: dict[str, np.ndarray]) -> dict[str, Any]:
    """Where an observation says that cards and markers are; by seats from v on."""
    places = ("hand", "field", "chosen", "unseen")
    return {name: np.flatnonzero(pieces[name]).tolist() for name in places} | {
        "known": [
            np.flatnonzero(np.round(3 * pieces["known"]) == 4 - j).tolist() for j in (1, 2, 3)
        ],
        "markers": [
            np.flatnonzero(np.round(3 * pieces["square"]) == code).tolist()
            for code in (3, -3, -2, -1)
        ],
    }


def twin_cards(twin: Hanami, v: int) -> dict[str, Any]:
    """The same as player v knows it (§ 9.1, § 9.4)."""
    everyone = seated_from(twin, v)
    return {
        "hand": ids(everyone[0].hand - {WILD}),
        "field": ids(twin.field),
        "chosen": ids(twin.aside() - {WILD}),
        "unseen": ids(twin.unseen(v)),
        "known": [ids(player.known) for player in everyone[1:]],
        "markers": [ids(player.markers) for player in everyone],
    }


def seated_from(twin: Hanami, v: int) -> list[Player]:
    """All players, seat v first, and nobody where a smaller game has no seat."""
    absent = [NO_ONE] * (SEATS - twin.num_players)
    return [*twin.players[v:], *twin.players[:v], *absent]


def expected_pieces(twin: Hanami, v: int) -> dict[str, np.ndarray]:
    """Every piece of seat v's observation, from the twin alone."""
    pieces = {piece.name: np.zeros(piece.shape) for piece in GAME.pieces}
    pieces["square"][ids(set(CARDS) - twin.taken())] = 1 / 3
    write_seats(twin, v, pieces)
    write_boards(twin, pieces)
    for name, cards in twin_cards(twin, v).items():
        if name not in ("known", "markers"):
            pieces[name][cards] = 1
    pieces["bonus_card"][twin.bonus_card] = 1
    pieces["deck"][0] = len(twin.deck) / 36
    if not twin.finished:
        write_hopes(twin, v, pieces)
        write_slides(twin, v, pieces)
        pieces["mover"][(twin.current_player - v) % twin.num_players] = 1
        pieces["stage"][STAGES.index(twin.stage)] = 1
        pieces["last_turns"][0] = not twin.deck
    return pieces


def write_seats(twin: Hanami, v: int, pieces: dict[str, np.ndarray]) -> None:
    """What is told of every seat, counted from v on."""
    scores = twin.scores()
    mean = sum(scores) / twin.num_players
    for j, player in enumerate(seated_from(twin, v)[: twin.num_players]):
        seat = (v + j) % twin.num_players
        size, corner = twin.boards.best_area(player.markers)
        pieces["square"][ids(player.markers)] = (j - 4) / 3 if j > 0 else 1
        if j > 0:
            pieces["known"][ids(player.known)] = (4 - j) / 3
        pieces["area"][j] = size / 24
        pieces["corner"][j] = corner
        pieces["icons"][j] = [player.icons()[icon] / 24 for icon in ICON_NAMES]
        pieces["bonus"][j] = twin.bonus(seat) / 10
        pieces["hand_size"][j] = (1 + len(player.hand - {WILD})) / 24
        pieces["wild"][j] = WILD in player.hand
        pieces["lead"][j] = (scores[seat] - mean) / 24


def write_boards(twin: Hanami, pieces: dict[str, np.ndarray]) -> None:
    """Where the boards and, in rows and columns, the squares lie."""
    for square in CARDS:
        row, column = twin.boards.place(square)
        pieces["board"][row, column + 8] = pieces["square"][card_id(square)]
    for p in range(PATTERNS):
        pieces["row"][p, twin.boards.order.index(p)] = 1
        pieces["offset"][p] = twin.boards.offsets[p] / 9


def write_hopes(twin: Hanami, v: int, pieces: dict[str, np.ndarray]) -> None:
    """What each card and its square would be worth to the reader, and what fits it in the hand."""
    me, taken = twin.players[v], twin.taken()
    icons = [player.icons() for player in twin.players]
    others = [*icons[:v], *icons[v + 1 :]]
    hand = me.hand - {WILD}
    for card, joined in zip(CARDS, beside(twin.boards, frozenset(me.markers)), strict=True):
        c = card_id(card)
        more = icons[v].copy()
        more[ICONS[card]] += 1
        pieces["joined"][c] = 0 if card in taken else (1 + joined) / 24
        pieces["icon_gain"][c] = (bonus_points(twin.bonus_card, more, others) - twin.bonus(v)) / 10
        pieces["in_pattern"][c] = sum(other[0] == card[0] for other in hand) / 10
        pieces["in_number"][c] = sum(other[1] == card[1] for other in hand) / 6
        own = {number for pattern, number in hand if pattern == card[0]}
        pieces["in_run"][c] = in_sequence(card[1], own) / 3
        pieces["in_straight"][c] = in_sequence(card[1], {number for _, number in hand}) / 3


def in_sequence(number: int, held: set[int]) -> int:
    """How many of three consecutive numbers with this one there are at most, if it is held too."""
    return max(
        len({low, low + 1, low + 2} & (held | {number}))
        for low in range(1, 9)
        if low <= number <= low + 2
    )


def write_slides(twin: Hanami, v: int, pieces: dict[str, np.ndarray]) -> None:
    """What each slide that may be made would bring the reader and the luckiest other player."""
    pieces["slides_left"][0] = twin.slides_left / 2
    for k in twin.slides():
        pieces["slidable"][k] = 1
        slid = twin.boards.slid(k)
        gains = [
            slid.area_points(player.markers) - twin.boards.area_points(player.markers)
            for player in twin.players
        ]
        pieces["slide_gain"][k] = gains.pop(v) / 24
        pieces["slide_cost"][k] = max(gains) / 24


# What the words should be


def names(cards: Iterable[Card]) -> list[str]:
    """Cards in words, in the order given."""
    return [
        "wild card" if card == WILD else f"{PATTERN_NAMES[card[0]]} {card[1]}" for card in cards
    ]


def public_words(twin: Hanami) -> dict[str, Any]:
    """The part of a view that everybody can see."""
    return turn_words(twin) | {
        "boards": [
            {"pattern": PATTERN_NAMES[p], "offset": twin.boards.offsets[p]}
            for p in twin.boards.order
        ],
        "removed": names(sorted(twin.removed)),
        "field": names(sorted(twin.field)),
        "deck_size": len(twin.deck),
        "bonus_card": [condition_words(condition) for condition in BONUS_CARDS[twin.bonus_card]],
        "markers": [names(sorted(player.markers)) for player in twin.players],
        "played": [names(sorted(player.played)) for player in twin.players],
        "icons": [{i: player.icons()[i] for i in ICON_NAMES} for player in twin.players],
        "hand_sizes": [len(player.hand - {WILD}) for player in twin.players],
        "wild_cards": [WILD in player.hand for player in twin.players],
        "known": [names(sorted(player.known)) for player in twin.players],
        "area_points": [twin.boards.area_points(player.markers) for player in twin.players],
        "bonus_points": [twin.bonus(seat) for seat in range(twin.num_players)],
        "scores": twin.scores(),
    }


def turn_words(twin: Hanami) -> dict[str, Any]:
    """What a view says of the turn."""
    over, last = twin.finished, twin.last_slide
    return {
        "finished": over,
        "to_move": None if over else twin.current_player,
        "stage": None if over else STAGE_WORDS[twin.stage],
        "given": None if twin.given is None else names([twin.given])[0],
        "chosen": names(twin.chosen),
        "slides_left": twin.slides_left,
        "slidable": [PATTERN_NAMES[p] for p in sorted(twin.slidable)],
        "last_slide": None if last is None else slide_words(last),
        "last_turns": not twin.deck and not over,
    }


def slide_words(k: int) -> str:
    """A slide in words."""
    return f"slide {PATTERN_NAMES[k // 2]} {('left', 'right')[k % 2]}"


def condition_words(condition: dict[str, Any]) -> str:
    """One line of a bonus card, its icons in the order of § 1."""
    (kind,) = condition.keys() - {"points"}
    icons = sorted(condition[kind], key=ICON_NAMES.index)
    return f"{condition['points']} {PAID_FOR[kind]} {' + '.join(icons)}"


def private_words(twin: Hanami, v: int) -> dict[str, Any]:
    """The part of a view that only seat v may read."""
    return {
        "seat": v,
        "hand": names(sorted(twin.players[v].hand - {WILD})),
        "unseen": names(sorted(twin.unseen(v))),
    }


def hidden_words(twin: Hanami) -> dict[str, Any]:
    """The part of the full view that no seat may read."""
    return {
        "hands": [names(sorted(player.hand - {WILD})) for player in twin.players],
        "deck": names(twin.deck),
    }
