"""The engine of HANAMI on park maps and its slow twin, held side by side.

The twin is tests/reference/hanami_parks.py. Both are asked the same questions, and the answers are
compared. The twin shuffles for itself, with the same random numbers. Spaces are told by their ids,
tiles by their kinds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from itertools import product
from typing import Any

import numpy as np

from hanazono.envs.core.batch import BatchEnv
from hanazono.envs.hanami_parks import GAME
from reference.hanami_parks import (
    BOATS,
    COPY,
    COVER,
    DIRECTION,
    DRAW,
    MOVE,
    NOTHING,
    STAGES,
    TILE,
    TYPE,
    TYPES,
    VALUES,
    Hanami,
    Player,
    Value,
)
from reference.parks_board import BOARD_NAMES, FIRST_ID, NEIGHBOURS, is_land, is_water
from twins.compare import Comparison, Stream, unequal

# Pieces that are compared at every decision, and where each lies in an observation.
TILES_HELD = ("hand", "pile", "returned", "unseen")
ON_THE_TABLE = ("token", "won", "land_kind", "land_owner", "water_tile", "bottom")
OF_CARDS = ("offered", "kept", "ability")
INDICES = GAME.layout.split(np.arange(GAME.layout.size))
PLACES = {name: INDICES[name] for name in TILES_HELD + ON_THE_TABLE + OF_CARDS}

SEATS = GAME.max_players
IMAGINED = 2**32  # from here on seeds of what is imagined, unlike those of any game
LAND, WATER, SPACES = FIRST_ID["land"], FIRST_ID["water"], TILE
PARKS, KINDS, AROUND = LAND, TYPE - TILE, len(NEIGHBOURS)
NO_ONE = Player()  # where a smaller game has no seat
EMPTY, CLOSED = 254, 255  # in the engine's map
NO_TILE = 255  # in the engine's piles
TYPE_CODES = {**{(t,): t for t in TYPES}, TYPES: 3, (): 4}  # the engine's, of tiles

TYPE_NAMES = ("Sakura", "Chochin", "Onigiri")
TILE_NAMES = (
    *(f"{name} {strength}" for name in TYPE_NAMES for strength in (2, 3, 4)),
    *("Neko 1", "Neko 2", "Neko 3", "Fast Neko 1", "Boat 1", "Boat 2"),
    *("Move", "Draw", "Cover", "Copy"),
)
CARD_NAMES = (
    *("Torii", "Bicycle", "Takoyaki", "Rainy Day", "Taiyaki", "Ferry", "Konbini", "Omamori"),
    "Tea House",
)
DIRECTION_NAMES = ("N", "NE", "SE", "S", "SW", "NW")
TYPE_LETTERS = "scow-"
STAGE_WORDS = {
    "draft_token": "draft a token",
    "draft_park": "draft a park",
    "choose_hand": "choose a tile for the hand",
    "keep_card": "keep a card",
    "turn": "take the turn",
    "space": "choose a space",
    "move_to": "choose where to move",
    "direction": "point the Copy",
    "tile": "choose a tile on the map",
    "park": "choose a park",
    "token": "choose a token",
    "from_pile": "take a tile from the pile",
    "return": "return tiles",
}


class Pair(Comparison):
    """One game, played by the twin along with the engine's state record."""

    def __init__(self, s: Any) -> None:
        """`s` is a freshly dealt state; the twin gets its seats, options and seed."""
        n, self.chance = int(s["num_players"]), Stream(int(s["seed"]))
        self.options = {option.name: int(s[option.name]) for option in GAME.options}
        super().__init__(GAME, n, Hanami(n, self.chance, **self.options))
        self.imagined = BatchEnv(GAME, 1, n)

    def truths(self, s: Any, mask: np.ndarray) -> tuple[dict[str, Any], dict[str, Any]]:
        """The whole state, and the legal actions."""
        truth = twin_truth(self.twin) | {"chance": self.chance.drawn}
        return engine_truth(s, mask, self.twin.tokens), truth

    def knowledge(self, seen: np.ndarray, v: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """Where the observation of v says that tiles, tokens and cards are."""
        return engine_sight(seen), twin_sight(self.twin, v)

    def pieces(self, v: int) -> dict[str, np.ndarray]:
        """Every piece of v's observation, by the twin."""
        return expected_pieces(self.twin, v, self.options["board"])

    def words(self, v: int | None) -> dict[str, Any]:
        """The view of v, or the full one for None, by the twin."""
        rest = hidden_words(self.twin) if v is None else private_words(self.twin, v)
        board = {"board": BOARD_NAMES[self.options["board"]]}
        return board | table_words(self.twin) | turn_words(self.twin) | rest

    def final(self) -> tuple[Sequence[int], Sequence[int]]:
        """Points and tie-breaks by seat."""
        return self.twin.scores(), self.twin.tie_breaks()

    def beliefs(self, s: Any, v: int) -> list[str]:
        """What is wrong with a state that the engine holds possible for v (§ 9)."""
        self.imagined.set_states(np.array([s], GAME.dtype))
        self.imagined.resample_hidden(np.array([v]), np.array([IMAGINED + int(s["decisions"])]))
        state = self.imagined.states[0]
        complaints = self.twin.contradictions(v, imagined_players(state))
        if state["seed"] == s["seed"]:
            complaints.append("the shuffles to come")
        believed = engine_truth(state, np.zeros(0), self.twin.tokens)
        truth = twin_truth(self.twin) | {"chance": self.chance.drawn}
        judged = ["hand", "pile", "aside", "legal"]  # above, or about what is judged above
        for name in judged + (["dealt", "card"] if self.twin.stage == "keep_card" else []):
            del believed[name], truth[name]
        return unequal(f"seat {v} imagines ", believed, truth) + [
            f"seat {v} imagines what cannot be: {complaint}" for complaint in complaints
        ]


# The state


def listed(counts: Iterable[int]) -> list[int]:
    """0, 1, 2 … each as often as it is counted."""
    return [k for k, count in enumerate(counts) for _ in range(count)]


def kinds_in(pile: Any) -> list[int]:
    """The tiles of one of the engine's piles."""
    return [k for k in pile.tolist() if k != NO_TILE]


def types_in(token_set: int) -> list[int]:
    """The types in one of the engine's sets of tokens."""
    return [t for t in TYPES if token_set >> t & 1]


def strengths_in(pips: np.ndarray, parks: Container[int]) -> dict[Any, int]:
    """By seat, type and park what tiles count for, where that is anything."""
    places = np.argwhere(pips).tolist()
    numbers = zip(map(tuple, places), pips[pips != 0].tolist(), strict=True)
    return {place: number for place, number in numbers if place[2] in parks}


def imagined_players(s: Any) -> list[Player]:
    """The players of an engine's state, with all that may be hidden."""
    cards = [None if card < 0 else card for card in s["card"].tolist()]
    players = [
        Player(hand=listed(hand), pile=kinds_in(pile), dealt=[c for c in dealt if c > 0], card=card)
        for hand, pile, dealt, card in zip(
            s["hand"].tolist(), s["pile"], s["offered"].tolist(), cards, strict=True
        )
    ]
    players[int(s["current_player"])].face_down = listed(s["aside"].tolist())
    return players[: int(s["num_players"])]


def engine_truth(s: Any, mask: np.ndarray, parks: Container[int]) -> dict[str, Any]:
    """The engine's state in the twin's terms, strengths only at the open parks; seats that are not
    there have nothing."""
    told_as_they_are = (
        *("tile", "owner", "open_land", "free_land", "free_water", "open_water"),
        *("arrow", "copy_at", "copy_type", "copy_strength", "hand_size", "pile_size", "bottom"),
        *("aside_size", "supply", "won", "ties", "lost", "card", "used", "start_player"),
        *("chosen", "first", "second", "first_type", "placed", "slots", "omamori", "passes"),
    )
    finished = bool(s["terminated"])
    return {name: s[name].tolist() for name in told_as_they_are} | {
        "strengths": strengths_in(s["pips"], parks),
        "balances": strengths_in(s["balance"], parks),
        "held": [listed(counts) for counts in s["held"].tolist()],
        "tokens": [types_in(token_set) for token_set in s["tokens"].tolist()],
        "hand": [listed(counts) for counts in s["hand"].tolist()],
        "pile": [kinds_in(pile) for pile in s["pile"]],
        "aside": listed(s["aside"].tolist()),
        "dealt": [[c for c in cards if c >= 0] for cards in s["offered"].tolist()],
        "stage": None if finished else STAGES[int(s["stage"])],
        "mover": None if finished else int(s["current_player"]),
        "finished": finished,
        "legal": np.flatnonzero(mask).tolist(),
        "chance": int(s["chance"]),
    }


def twin_truth(twin: Hanami) -> dict[str, Any]:
    """The twin's state in the same words."""
    over = twin.finished
    return map_truth(twin) | seat_truth(everyone(twin)) | choice_truth(twin) | {
        "tokens": [sorted(twin.tokens.get(park, ())) for park in range(PARKS)],
        "supply": by_type(twin.supply),
        "ties": by_type(Counter(twin.ties)),
        "lost": by_type(Counter(twin.left)),
        "aside": sorted(twin.mover.face_down),
        "aside_size": len(twin.mover.face_down),
        "start_player": twin.start_player,
        "placed": twin.placed,
        "slots": twin.slots,
        "omamori": twin.omamori,
        "passes": twin.passes,
        "stage": None if over else twin.stage,
        "mover": None if over else twin.current_player,
        "finished": over,
        "legal": twin.legal_actions(),
    }  # fmt: skip


def everyone(twin: Hanami) -> list[Player]:
    """All players, and nobody where a smaller game has no seat."""
    return [*twin.players, *[NO_ONE] * (SEATS - twin.num_players)]


def by_type(tokens: Counter[int]) -> list[int]:
    """How many tokens there are of each type."""
    return [tokens[t] for t in TYPES]


def map_truth(twin: Hanami) -> dict[str, Any]:
    """What lies on the map."""
    board, tiles = twin.board, twin.tiles
    kinds, owners = [CLOSED] * SPACES, [-1] * SPACES
    for x in board.land + board.water:
        kinds[x] = tiles[x].kind if x in tiles else EMPTY
        owners[x] = tiles[x].owner if x in tiles else -1
    return copy_truth(twin) | {
        "tile": kinds,
        "owner": owners,
        "open_land": [len(empty_land(twin, park)) for park in range(PARKS)],
        "strengths": {place: n for place, n in twin.strengths().items() if n},
        "balances": balances(twin),
        "free_land": len(twin.available(board.land)),
        "free_water": len(twin.available(board.water)),
        "open_water": len(board.water),
    }


def empty_land(twin: Hanami, park: int) -> list[int]:
    """The empty Land spaces around a park; none if that is not open."""
    around = twin.board.around[park] if park in twin.tokens else []
    return [x for x in twin.available(around) if is_land(x)]


def balances(twin: Hanami) -> dict[Any, int]:
    """By seat, type and park: its strength less that of the strongest other seat, where not 0."""
    strengths, seats = twin.strengths(), range(twin.num_players)
    found = {}
    for seat, t, park in product(seats, TYPES, twin.tokens):
        most = max(strengths[other, t, park] for other in seats if other != seat)
        found[seat, t, park] = strengths[seat, t, park] - most
    return {place: balance for place, balance in found.items() if balance}


def copy_truth(twin: Hanami) -> dict[str, Any]:
    """Where each seat's Copy is, where it points, and what it counts for."""
    places, arrows, values = [-1] * SEATS, [-1] * SEATS, [NOTHING] * SEATS
    for x, tile in twin.tiles.items():
        if tile.kind == COPY and tile.direction is not None:
            places[tile.owner], arrows[tile.owner] = x, tile.direction
            values[tile.owner] = twin.value(x)
    return {
        "copy_at": places,
        "arrow": arrows,
        "copy_type": [TYPE_CODES[types] for types, _ in values],
        "copy_strength": [strength for _, strength in values],
    }


def seat_truth(players: list[Player]) -> dict[str, Any]:
    """What the players have."""
    return {
        "hand": [sorted(player.hand) for player in players],
        "held": [sorted(player.hand + player.pile + player.face_down) for player in players],
        "hand_size": [len(player.hand) for player in players],
        "pile": [player.pile for player in players],
        "pile_size": [len(player.pile) for player in players],
        "bottom": [player.bottom_known for player in players],
        "won": [by_type(player.won) for player in players],
        "dealt": [player.dealt for player in players],
        "card": [-1 if player.card is None else player.card for player in players],
        "used": [player.used for player in players],
    }


def choice_truth(twin: Hanami) -> dict[str, Any]:
    """What has been chosen of something that is not yet done."""
    spaces = [x for x in twin.steps if x < TILE]
    types = [action - TYPE for action in twin.steps if TYPE <= action < DIRECTION]
    kind = twin.aside()
    return {
        "chosen": -1 if kind is None else kind,
        "first": spaces[0] if spaces else -1,
        "second": spaces[1] if len(spaces) > 1 else -1,
        "first_type": types[0] if types else -1,
    }


# What a seat sees: where everything is at every decision, all numbers now and then


def rounded(values: np.ndarray) -> Any:
    """The nearest integers, as lists."""
    return np.rint(values).astype(int).tolist()


def engine_sight(seen: np.ndarray) -> dict[str, Any]:
    """Where an observation says that tiles, tokens and cards are; by seats from v on."""
    pieces = {name: seen[places] for name, places in PLACES.items()}
    owners = pieces["land_owner"]
    return {name: rounded(2 * pieces[name]) for name in TILES_HELD} | {
        "tokens": rounded(pieces["token"]),
        "won": rounded(13 * pieces["won"]),
        "land": rounded(19 * pieces["land_kind"]),
        "owners": rounded(np.where(owners > 0, 4, -3 * owners)),
        "water": rounded(4 * pieces["water_tile"]),
        "bottom": rounded(19 * pieces["bottom"]),
        "offered": np.flatnonzero(pieces["offered"]).tolist(),
        "kept": np.flatnonzero(pieces["kept"]).tolist(),
        "ability": [np.flatnonzero(row).tolist() for row in pieces["ability"]],
    }


def twin_sight(twin: Hanami, v: int) -> dict[str, Any]:
    """The same as player v knows it (§ 9)."""
    me, n = twin.players[v], twin.num_players
    seats = seats_from(twin, v)
    unseen = [twin.unseen(seat) for seat in seats[1:]] + [[]] * (SEATS - n)
    land, water, choosing = range(LAND, WATER), range(WATER, SPACES), twin.stage == "keep_card"
    cards, tiles = twin.shown_cards(), twin.tiles
    return {
        "hand": counted(me.hand),
        "pile": counted(me.pile),
        "returned": counted(me.face_down),
        "unseen": [counted(kinds) for kinds in unseen],
        "tokens": [[int(t in twin.tokens.get(park, ())) for park in range(PARKS)] for t in TYPES],
        "won": [by_type(player.won) for player in seated_from(twin, v)],
        "land": [1 + tiles[x].kind if x in tiles else 0 for x in land],
        "owners": [(tiles[x].owner - v) % n or 4 if x in tiles else 0 for x in land],
        "water": [water_value(twin, v, x) if x in tiles else 0 for x in water],
        "bottom": [bottom(player) for player in seated_from(twin, v)],
        "offered": sorted(card - 1 for card in me.dealt),
        "kept": [me.card - 1] if choosing and me.card is not None else [],
        "ability": [
            [cards[seat]] if seat in cards and not twin.players[seat].used else [] for seat in seats
        ]
        + [[]] * (SEATS - n),
    }


def counted(kinds: list[int]) -> list[int]:
    """How many tiles there are of each kind."""
    return [kinds.count(k) for k in range(KINDS)]


def water_value(twin: Hanami, v: int, x: int) -> int:
    """The strength of a tile, 4 less if it is not v's."""
    return twin.value(x)[1] - (0 if twin.tiles[x].owner == v else 4)


def bottom(player: Player) -> int:
    """One more than the kind at the bottom of a pile, 0 if that is not known to all."""
    return 1 + player.pile[0] if player.bottom_known else 0


def seats_from(twin: Hanami, v: int) -> list[int]:
    """All seats, v first."""
    return [(v + j) % twin.num_players for j in range(twin.num_players)]


def seated_from(twin: Hanami, v: int) -> list[Player]:
    """All players, seat v first, and nobody where a smaller game has no seat."""
    absent = [NO_ONE] * (SEATS - twin.num_players)
    return [*(twin.players[seat] for seat in seats_from(twin, v)), *absent]


def expected_pieces(twin: Hanami, v: int, board: int) -> dict[str, np.ndarray]:
    """Every piece of seat v's observation, from the twin alone."""
    pieces = {piece.name: np.zeros(piece.shape) for piece in GAME.pieces}
    write_parks(twin, v, pieces)
    write_land(twin, v, pieces)
    write_water(twin, v, pieces)
    write_seats(twin, v, pieces)
    sight = twin_sight(twin, v)
    for name in TILES_HELD:
        pieces[name][:] = np.array(sight[name]) / 2
    for name in ("offered", "kept"):
        pieces[name][sight[name]] = 1
    pieces["on_map"][:] = pieces["token"].sum(axis=1) / 13
    pieces["ties"][:] = np.array(by_type(Counter(twin.ties))) / 4
    pieces["supply"][:] = np.array(by_type(twin.supply)) / 13
    pieces["free_land"][0] = len(twin.available(twin.board.land)) / 56
    pieces["board"][board] = 1
    pieces["fast_draw"][0] = DRAW in twin.fast
    if not twin.finished:
        write_turn(twin, v, pieces)
        write_choices(twin, pieces)
        write_gains(twin, v, pieces)
    return pieces


def write_parks(twin: Hanami, v: int, pieces: dict[str, np.ndarray]) -> None:
    """The tokens, and who is how strong for them."""
    strengths = twin.strengths()
    for park, tokens in twin.tokens.items():
        for t in tokens:
            by_seat = [strengths[seat, t, park] for seat in seats_from(twin, v)]
            pieces["token"][t, park] = 1
            pieces["strength"][: len(by_seat), t, park] = np.array(by_seat) / 8
            pieces["balance"][t, park] = (by_seat[0] - max(by_seat[1:])) / 8
        pieces["tokens"][park] = len(tokens) / 4
        pieces["open_land"][park] = len(empty_land(twin, park)) / 6
    pieces["balances"][:] = pieces["balance"].sum(axis=0)


def write_land(twin: Hanami, v: int, pieces: dict[str, np.ndarray]) -> None:
    """The tiles on Land, and what the parks around mean for it."""
    for x in twin.board.land:
        i = x - LAND
        around = [park for park in twin.board.around[x] if park in twin.tokens]
        closing = [park for park in around if twin.tokens[park] and empty_land(twin, park) == [x]]
        pieces["land_closes"][i] = len(closing) / 2
        if x in twin.tiles:
            tile, (types, strength) = twin.tiles[x], twin.value(x)
            j = (tile.owner - v) % twin.num_players
            pieces["land_owner"][i] = -j / 3 if j else 1
            pieces["land_kind"][i] = (1 + tile.kind) / 19
            pieces["land_value"][list(types), i] = strength / 4
        else:
            pieces["land_empty"][i] = 1


def write_water(twin: Hanami, v: int, pieces: dict[str, np.ndarray]) -> None:
    """The tiles on Water."""
    for x in twin.board.water:
        i = x - WATER
        pieces["water_empty"][i] = x not in twin.tiles
        if x in twin.tiles:
            pieces["water_tile"][i] = water_value(twin, v, x) / 4


def write_gains(twin: Hanami, v: int, pieces: dict[str, np.ndarray]) -> None:
    """What a tile adds to what tokens promise, for who chooses it or its space."""
    if twin.current_player != v or twin.stage not in ("turn", "space"):
        return
    if twin.stage == "turn":
        for kind in set(twin.mover.hand) - {MOVE, DRAW, COVER, COPY}:
            gains = space_gains(twin, v, kind)
            pieces["tile_gain"][kind] = max(gains.values(), default=0) / 2
        return
    kind = choice_truth(twin)["chosen"]
    if kind < MOVE:
        for park, gain in park_gains(twin, v, kind).items():
            pieces["park_gain"][park] = gain
        for x, gain in space_gains(twin, v, kind).items():
            name, i = ("water_gain", x - WATER) if is_water(x) else ("land_gain", x - LAND)
            pieces[name][i] = gain / 2


def space_gains(twin: Hanami, v: int, kind: int) -> dict[int, float]:
    """By empty space: what it adds to lay a tile of v there."""
    gains = park_gains(twin, v, kind)
    spaces = twin.available(twin.board.water if kind in BOATS else twin.board.land)
    return {x: sum(gains.get(park, 0) for park in twin.board.around[x]) for x in spaces}


def park_gains(twin: Hanami, v: int, kind: int) -> dict[int, float]:
    """By park: what a tile of v beside it adds to what its tokens promise v."""
    strengths, (types, strength), gains = twin.strengths(), VALUES[kind], {}
    for park, tokens in twin.tokens.items():
        left = len(empty_land(twin, park))
        rest = max(left - (kind not in BOATS), 0)
        gains[park] = 0.0
        for t in tokens:
            own, *others = (strengths[seat, t, park] for seat in seats_from(twin, v))
            d = own - max(others)
            gains[park] += promise(d + strength * (t in types), rest) - promise(d, left)
    return gains


def promise(balance: int, empty: int) -> float:
    """What a token promises with so much empty Land around; an even number is good for a seat."""
    if empty == 0:
        return float(np.sign(balance))
    tempo = 0.7 / empty if empty % 2 == 0 else -0.7 / empty
    return 0.9 * float(np.tanh((balance + tempo) / (1.6 * empty**0.5 + 1)))


def write_seats(twin: Hanami, v: int, pieces: dict[str, np.ndarray]) -> None:
    """What is told of every seat, counted from v on."""
    cards, copies, points = twin.shown_cards(), copy_truth(twin), twin.scores()
    for j, seat in enumerate(seats_from(twin, v)):
        player = twin.players[seat]
        pieces["won"][j] = np.array(by_type(player.won)) / 13
        if seat in cards and not player.used:
            pieces["ability"][j, cards[seat]] = 1
        pieces["hand_size"][j] = (1 + len(player.hand)) / 8
        pieces["pile_size"][j] = len(player.pile) / 22
        pieces["points"][j] = points[seat] / 3
        pieces["bottom"][j] = bottom(player) / 19
        if copies["arrow"][seat] >= 0:
            pieces["arrow"][j, copies["arrow"][seat]] = 1


def write_turn(twin: Hanami, v: int, pieces: dict[str, np.ndarray]) -> None:
    """Whose decision it is, and what the turn allows."""
    pieces["mover"][(twin.current_player - v) % twin.num_players] = 1
    pieces["starter"][(twin.start_player - v) % twin.num_players] = 1
    pieces["stage"][STAGES.index(twin.stage)] = 1
    pieces["placed"][0] = twin.placed / 8
    pieces["slots"][0] = twin.slots / 2
    pieces["omamori"][0] = twin.omamori
    pieces["passes"][0] = twin.passes / 4
    pieces["aside"][0] = len(twin.mover.face_down) / 8


def write_choices(twin: Hanami, pieces: dict[str, np.ndarray]) -> None:
    """What has been chosen of something that is not yet done."""
    choice = choice_truth(twin)
    if choice["chosen"] >= 0:
        pieces["chosen"][choice["chosen"]] = 1
    if choice["first_type"] >= 0:
        pieces["type_picked"][choice["first_type"]] = 1
    for x in (choice["first"], choice["second"]):
        if is_water(x):
            pieces["water_empty"][x - WATER] = -1
        elif is_land(x):
            pieces["land_empty"][x - LAND] = -1
        elif x >= 0:
            pieces["park_picked"][x] = 1
    if twin.stage == "direction":
        for direction in range(AROUND):
            types, strength = value_pointing(twin, choice["first"], direction)
            pieces["points_at"][list(types), direction] = strength / 4


def value_pointing(twin: Hanami, x: int, direction: int) -> Value:
    """What a Copy on the empty space x would count for."""
    return twin.value(twin.pointed_at(x, direction))


# What the words should be


def space_name(x: int) -> str:
    """A space by its kind and number."""
    return f"W{x - WATER}" if is_water(x) else f"L{x - LAND}" if is_land(x) else f"P{x}"


def tile_names(kinds: Iterable[int]) -> list[str]:
    """Tiles in words, in the order given."""
    return [TILE_NAMES[k] for k in kinds]


def type_counts(tokens: Counter[int]) -> dict[str, int]:
    """How many tokens there are of each type, in words."""
    return dict(zip(TYPE_NAMES, by_type(tokens), strict=True))


def table_words(twin: Hanami) -> dict[str, Any]:
    """What lies on the table."""
    players, cards = twin.players, twin.shown_cards()
    return {
        "parks": {
            space_name(park): [TYPE_NAMES[t] for t in sorted(tokens)]
            for park, tokens in twin.tokens.items()
            if tokens
        },
        "tiles": [tile_on_map(twin, x) for x in sorted(twin.tiles)],
        "supply": type_counts(twin.supply),
        "won": [type_counts(player.won) for player in players],
        "ties": type_counts(Counter(twin.ties)),
        "lost": type_counts(Counter(twin.left)),
        "cards": {str(seat): CARD_NAMES[card] for seat, card in cards.items()},
        "used": [seat for seat, player in enumerate(players) if player.used],
        "hand_sizes": [len(player.hand) for player in players],
        "pile_sizes": [len(player.pile) for player in players],
        "known_bottoms": {
            str(seat): TILE_NAMES[player.pile[0]]
            for seat, player in enumerate(players)
            if player.bottom_known
        },
        "unseen": [tile_names(twin.unseen(seat)) for seat in range(twin.num_players)],
        "points": twin.scores(),
    }


def tile_on_map(twin: Hanami, x: int) -> dict[str, Any]:
    """A tile on the map in words."""
    tile = twin.tiles[x]
    told = {"space": space_name(x), "owner": tile.owner, "tile": TILE_NAMES[tile.kind]}
    if tile.direction is not None:
        types, strength = twin.value(x)
        told["points"] = DIRECTION_NAMES[tile.direction]
        told["counts_as"] = f"{TYPE_LETTERS[TYPE_CODES[types]]}{strength}"
    return told


def turn_words(twin: Hanami) -> dict[str, Any]:
    """What a view says of the turn."""
    over, choice = twin.finished, choice_truth(twin)
    spaces = [x for x in (choice["first"], choice["second"]) if x >= 0]
    return {
        "finished": over,
        "to_move": None if over else twin.current_player,
        "stage": None if over else STAGE_WORDS[twin.stage],
        "start_player": twin.start_player,
        "chosen_tile": TILE_NAMES[choice["chosen"]] if choice["chosen"] >= 0 else None,
        "chosen_spaces": [space_name(x) for x in spaces],
        "chosen_type": TYPE_NAMES[choice["first_type"]] if choice["first_type"] >= 0 else None,
        "placed": twin.placed,
        "slots": twin.slots,
        "omamori": twin.omamori,
        "passes": twin.passes,
        "aside": len(twin.mover.face_down),
    }


def card_names(cards: list[int]) -> list[str]:
    """Ability cards in words, in the order given."""
    return [CARD_NAMES[card] for card in cards]


def kept_name(player: Player) -> str | None:
    """The ability card of a player."""
    return None if player.card is None else CARD_NAMES[player.card]


def private_words(twin: Hanami, v: int) -> dict[str, Any]:
    """The part of a view that only seat v may read."""
    me = twin.players[v]
    return {
        "seat": v,
        "hand": tile_names(sorted(me.hand)),
        "pile": tile_names(sorted(me.pile)),
        "returned": tile_names(sorted(me.face_down)),
        "offered": card_names(me.dealt),
        "kept": kept_name(me),
    }


def hidden_words(twin: Hanami) -> dict[str, Any]:
    """The part of the full view that no seat may read."""
    players = twin.players
    return {
        "hands": [tile_names(sorted(player.hand)) for player in players],
        "piles": [tile_names(player.pile) for player in players],
        "returned": tile_names(sorted(twin.mover.face_down)),
        "offered": [card_names(player.dealt) for player in players],
        "kept": [kept_name(player) for player in players],
    }
