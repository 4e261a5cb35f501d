"""What each seat of Hanami on park maps may know (RULES.md § 9), as pieces of one flat vector.

Seats are told relative to the reader: entry 0 is the reader, entry j sits j places on. Parks, Land
and Water are told by number; those that are not open are all 0. A balance is the reader's strength
for a token less that of the strongest other seat. When the game is over, only what lies open and
the own tiles are told.
"""

from typing import Any

import numpy as np

from hanazono.envs.core.kernel import kernel
from hanazono.envs.core.observation import Layout, Piece
from hanazono.envs.core.seats import places_from, seat_after
from hanazono.envs.hanami_parks.boards import (
    AROUND,
    BOARDS,
    LAND,
    LANDS,
    LANDS_BY,
    NOWHERE,
    OPENS,
    PARKS,
    PARKS_BY,
    SPACES,
    TYPES,
    WATER,
    WATERS,
)
from hanazono.envs.hanami_parks.decisions import DIRECTION, KEEP_CARD, STAGES
from hanazono.envs.hanami_parks.knowledge import unseen
from hanazono.envs.hanami_parks.parks import (
    MAX_PLAYERS,
    NOBODY,
    point_holder,
    pointed_at,
    strength_at,
    type_at,
)
from hanazono.envs.hanami_parks.tiles import (
    CARDS,
    EMPTY,
    KINDS,
    NO_CARD,
    SPECIAL_CARDS,
    WILD,
)

EMPTY_SIGN = "1: open and empty, -1: chosen, for Copy or to be moved or swapped"
OWNER = "1: own tile, -j/3: tile of seat j, 0: none"
CLOSES = "parks that would be filled with this space / 2"

PIECES = (
    Piece("token", (TYPES, PARKS), 0, 1, "1: a token of this type lies there", "park"),
    Piece("balance", (TYPES, PARKS), -4, 4, "balance for each type / 8", "park"),
    Piece("strength", (MAX_PLAYERS, TYPES, PARKS), 0, 4, "strength for tokens there / 8", "park"),
    Piece("tokens", (PARKS,), 0, 1, "tokens there / 4", "park"),
    Piece("balances", (PARKS,), -12, 12, "sum of the balances for them / 8", "park"),
    Piece("open_land", (PARKS,), 0, 1, "empty Land around / 6", "park"),
    Piece("park_picked", (PARKS,), 0, 1, "1: chosen for Torii", "park"),
    Piece("land_empty", (LANDS,), -1, 1, EMPTY_SIGN, "land"),
    Piece("land_owner", (LANDS,), -1, 1, OWNER, "land"),
    Piece("land_kind", (LANDS,), 0, 1, "(1 + kind of the tile) / 19, 0: none", "land"),
    Piece("land_value", (TYPES, LANDS), 0, 1, "strength of the tile for each type / 4", "land"),
    Piece("land_stake", (TYPES, LANDS), 0, 1, "tokens around / 2", "land"),
    Piece("land_balance", (TYPES, LANDS), -8, 8, "sum of the balances for these / 8", "land"),
    Piece("land_closes", (LANDS,), 0, 1, CLOSES, "land"),
    Piece("water_empty", (WATERS,), -1, 1, EMPTY_SIGN, "water"),
    Piece("water_tile", (WATERS,), -1, 1, "strength of the tile / 4; less 1 if not own", "water"),
    Piece("water_stake", (WATERS,), 0, 1, "tokens in the parks around / 8", "water"),
    Piece("water_balance", (WATERS,), -24, 24, "sum of the balances for these / 8", "water"),
    Piece("hand", (KINDS,), 0, 1, "own tiles in the hand / 2", "tile"),
    Piece("pile", (KINDS,), 0, 1, "own tiles in the pile / 2", "tile"),
    Piece("chosen", (KINDS,), 0, 1, "1: being placed", "tile"),
    Piece("returned", (KINDS,), 0, 1, "own tiles returned with Tea House / 2", "tile"),
    Piece("unseen", (MAX_PLAYERS - 1, KINDS), 0, 1, "unseen tiles of seat 1 + row / 2", "tile"),
    Piece("on_map", (TYPES,), 0, 1, "tokens in parks / 13", "type"),
    Piece("won", (MAX_PLAYERS, TYPES), 0, 1, "tokens won / 13", "type"),
    Piece("ties", (TYPES,), 0, 1, "tokens in the Ties area / 4", "type"),
    Piece("supply", (TYPES,), 0, 1, "tokens not yet on the map / 13", "type"),
    Piece("type_picked", (TYPES,), 0, 1, "1: chosen in a draft or for Torii", "type"),
    Piece("points_at", (TYPES, AROUND), 0, 1, "strength of a Copy pointed so / 4", "direction"),
    Piece("offered", (SPECIAL_CARDS,), 0, 1, "1: one of the two own cards to choose from", "card"),
    Piece("kept", (SPECIAL_CARDS,), 0, 1, "1: kept by the reader, before this is shown", "card"),
    Piece("ability", (MAX_PLAYERS, CARDS), 0, 1, "one-hot: unused ability card, once shown"),
    Piece("hand_size", (MAX_PLAYERS,), 0, 1, "(1 + tiles in hand) / 8; 0: no such seat"),
    Piece("pile_size", (MAX_PLAYERS,), 0, 1, "tiles in the pile / 22"),
    Piece("points", (MAX_PLAYERS,), 0, 1, "points if the game ended now / 3"),
    Piece("mover", (MAX_PLAYERS,), 0, 1, "one-hot: the seat to decide"),
    Piece("stage", (STAGES,), 0, 1, "one-hot: draft_token … return (RULES.md § 8)"),
    Piece("placed", (1,), 0, 1, "tiles placed in this turn / 8"),
    Piece("slots", (1,), 0, 1, "tiles not Fast that may still be placed / 2"),
    Piece("omamori", (1,), 0, 1, "1: Omamori was used in this turn"),
    Piece("passes", (1,), 0, 1, "passes in a row / 4"),
    Piece("aside", (1,), 0, 1, "tiles that lie aside face down / 8"),
    Piece("free_land", (1,), 0, 1, "empty Land spaces / 56"),
    Piece("board", (BOARDS,), 0, 1, "one-hot: nihon, tokyo"),
    Piece("fast_draw", (1,), 0, 1, "1: Draw tiles are Fast"),
    Piece("bottom", (MAX_PLAYERS,), 0, 1, "(1 + kind of the known bottom tile) / 19, 0: unknown"),
    Piece("arrow", (MAX_PLAYERS, AROUND), 0, 1, "one-hot: where the Copy on the map points"),
)  # fmt: skip
LAYOUT = Layout(PIECES)

# Kernels read module constants, so every piece's place has a name here.
AT_TOKEN, AT_BALANCE, AT_STRENGTH = map(LAYOUT.start, ("token", "balance", "strength"))
AT_TOKENS, AT_BALANCES, AT_OPEN_LAND = map(LAYOUT.start, ("tokens", "balances", "open_land"))
AT_PARK_PICKED = LAYOUT.start("park_picked")
AT_LAND_EMPTY, AT_LAND_OWNER = map(LAYOUT.start, ("land_empty", "land_owner"))
AT_LAND_KIND, AT_LAND_VALUE = map(LAYOUT.start, ("land_kind", "land_value"))
AT_LAND_STAKE, AT_LAND_BALANCE = map(LAYOUT.start, ("land_stake", "land_balance"))
AT_LAND_CLOSES = LAYOUT.start("land_closes")
AT_WATER_EMPTY, AT_WATER_TILE = map(LAYOUT.start, ("water_empty", "water_tile"))
AT_WATER_STAKE, AT_WATER_BALANCE = map(LAYOUT.start, ("water_stake", "water_balance"))
AT_HAND, AT_PILE, AT_CHOSEN = map(LAYOUT.start, ("hand", "pile", "chosen"))
AT_RETURNED, AT_UNSEEN = map(LAYOUT.start, ("returned", "unseen"))
AT_ON_MAP, AT_WON, AT_TIES = map(LAYOUT.start, ("on_map", "won", "ties"))
AT_SUPPLY, AT_TYPE_PICKED = map(LAYOUT.start, ("supply", "type_picked"))
AT_POINTS_AT, AT_OFFERED, AT_KEPT = map(LAYOUT.start, ("points_at", "offered", "kept"))
AT_ABILITY, AT_HAND_SIZE = map(LAYOUT.start, ("ability", "hand_size"))
AT_PILE_SIZE, AT_POINTS, AT_MOVER = map(LAYOUT.start, ("pile_size", "points", "mover"))
AT_STAGE, AT_PLACED, AT_SLOTS = map(LAYOUT.start, ("stage", "placed", "slots"))
AT_OMAMORI, AT_PASSES, AT_ASIDE = map(LAYOUT.start, ("omamori", "passes", "aside"))
AT_FREE_LAND, AT_BOARD = map(LAYOUT.start, ("free_land", "board"))
AT_FAST_DRAW, AT_BOTTOM, AT_ARROW = map(LAYOUT.start, ("fast_draw", "bottom", "arrow"))

# Shares, written so that all values are exact products of float32 numbers on every machine.
EIGHTH, QUARTER, HALF = np.float32(1 / 8), np.float32(1 / 4), np.float32(1 / 2)
THIRD, PER_KIND = np.float32(1 / 3), np.float32(1 / KINDS)
PER_TOKENS, PER_LAND, PER_PILE = np.float32(1 / 13), np.float32(1 / 56), np.float32(1 / 22)
PER_AROUND = np.float32(1 / AROUND)

# Of the boards: the parks on both sides of each Land or Water space; whether there are such beside
# Water; Land and Water up to the last that is open for so many players. All is counted from 0.
PARK_PAIRS = np.maximum(PARKS_BY[:, LAND:, :2], 0).astype(np.int64)
BESIDE = (PARKS_BY[:, WATER:, :2] != NOWHERE).astype(np.float32)


def last_open(start: int, end: int) -> np.ndarray:
    """How many of the ids from start on are needed for all open spaces before end."""
    numbers = np.arange(1, end - start + 1)
    return np.array([
        [(numbers * (opens <= players)).max() for players in range(MAX_PLAYERS + 1)]
        for opens in OPENS[:, start:end]
    ])  # fmt: skip


LAST_LAND, LAST_WATER = last_open(LAND, WATER), last_open(WATER, SPACES)


@kernel
def observe(s: Any, player: Any, out: Any) -> None:
    write_parks(s, player, out)
    write_land_around(s, out)
    write_water_around(s, out)
    write_spaces(s, player, out)
    write_tiles(s, player, out)
    write_tokens(s, player, out)
    write_players(s, player, out)
    if not s.terminated:
        write_turn(s, player, out)


# The map


@kernel
def park_piece(out: Any, start: Any, t: Any) -> Any:
    """Row t of a piece over the parks as an array of its own: loops over it are vector code."""
    return out[start + PARKS * t : start + PARKS * (t + 1)]


@kernel
def write_parks(s: Any, player: Any, out: Any) -> None:
    for a in range(PARKS):
        out[AT_OPEN_LAND + a] = np.float32(s.open_land[a]) * PER_AROUND
        tokens = np.int64(s.tokens[a])
        if tokens != 0:
            count, total = np.int64(0), np.int64(0)
            for t in range(TYPES):
                if tokens & (1 << t):
                    count += 1
                    total += write_token(s, player, a, t, out)
            out[AT_TOKENS + a] = np.float32(count) * QUARTER
            out[AT_BALANCES + a] = np.float32(total) * EIGHTH
            if s.open_land[a] == 1:
                write_closing(s, a, out)


@kernel
def write_token(s: Any, player: Any, a: Any, t: Any, out: Any) -> Any:
    """A token with the strengths around; returns the reader's balance."""
    place = PARKS * t + a
    own, rival = np.int64(s.pips[player, t, a]), np.int64(0)
    out[AT_STRENGTH + place] = np.float32(own) * EIGHTH
    for j in range(1, s.num_players):
        pips = np.int64(s.pips[seat_after(s, player, j), t, a])
        out[AT_STRENGTH + PARKS * TYPES * j + place] = np.float32(pips) * EIGHTH
        rival = max(rival, pips)
    out[AT_TOKEN + place] = 1.0
    out[AT_BALANCE + place] = np.float32(own - rival) * EIGHTH
    return own - rival


@kernel
def write_land_around(s: Any, out: Any) -> None:
    """What the parks mean for Land: each space lies between two."""
    board = np.int64(s.board)
    for t in range(TYPES):
        token, balance = park_piece(out, AT_TOKEN, t), park_piece(out, AT_BALANCE, t)
        start = AT_LAND_STAKE + LANDS * t
        stake = out[start : start + LANDS]
        start = AT_LAND_BALANCE + LANDS * t
        sums = out[start : start + LANDS]
        for i in range(LAST_LAND[board, s.num_players]):
            a, b = PARK_PAIRS[board, i, 0], PARK_PAIRS[board, i, 1]
            stake[i] = (token[a] + token[b]) * HALF
            sums[i] = balance[a] + balance[b]


@kernel
def write_water_around(s: Any, out: Any) -> None:
    """What the parks mean for Water: each space lies beside two at most."""
    board = np.int64(s.board)
    tokens, balances = park_piece(out, AT_TOKENS, 0), park_piece(out, AT_BALANCES, 0)
    stake = out[AT_WATER_STAKE : AT_WATER_STAKE + WATERS]
    sums = out[AT_WATER_BALANCE : AT_WATER_BALANCE + WATERS]
    for i in range(LAST_WATER[board, s.num_players]):
        a, b = PARK_PAIRS[board, LANDS + i, 0], PARK_PAIRS[board, LANDS + i, 1]
        first, second = BESIDE[board, i, 0], BESIDE[board, i, 1]
        stake[i] = (tokens[a] * first + tokens[b] * second) * HALF
        sums[i] = balances[a] * first + balances[b] * second


@kernel
def write_closing(s: Any, a: Any, out: Any) -> None:
    """The empty Land space that is the last around park a."""
    for i in range(AROUND):
        x = np.int64(LANDS_BY[s.board, a, i])
        if x != NOWHERE and s.tile[x] == EMPTY:
            out[AT_LAND_CLOSES + x - LAND] += HALF


@kernel
def write_spaces(s: Any, player: Any, out: Any) -> None:
    """The empty spaces, and the tiles."""
    land, water = s.tile[LAND:WATER], s.tile[WATER:SPACES]  # slices compile to vector code
    empty = out[AT_LAND_EMPTY : AT_LAND_EMPTY + LANDS]
    for i in range(LANDS):
        empty[i] = 1.0 if land[i] == EMPTY else 0.0
    empty = out[AT_WATER_EMPTY : AT_WATER_EMPTY + WATERS]
    for i in range(WATERS):
        empty[i] = 1.0 if water[i] == EMPTY else 0.0
    for i in range(LANDS):
        if land[i] < EMPTY:
            write_land_tile(s, player, i, out)
    if s.free_water < s.open_water:
        for i in range(WATERS):
            if water[i] < EMPTY:
                strength = np.float32(strength_at(s, WATER + i)) * QUARTER
                own = s.owner[WATER + i] == player
                out[AT_WATER_TILE + i] = strength if own else strength - np.float32(1)


@kernel
def owner_sign(s: Any, player: Any, x: Any) -> Any:
    """Whose tile lies on space x."""
    j = places_from(s, player, np.int64(s.owner[x]))
    return np.float32(1) if j == 0 else np.float32(-j) * THIRD


@kernel
def write_land_tile(s: Any, player: Any, i: Any, out: Any) -> None:
    x = LAND + i
    out[AT_LAND_OWNER + i] = owner_sign(s, player, x)
    out[AT_LAND_KIND + i] = np.float32(1 + np.int64(s.tile[x])) * PER_KIND
    t, strength = type_at(s, x), np.float32(strength_at(s, x)) * QUARTER
    for each in range(TYPES):
        if t in (WILD, each):
            out[AT_LAND_VALUE + LANDS * each + i] = strength


# Tiles and tokens


@kernel
def write_tiles(s: Any, player: Any, out: Any) -> None:
    for k in range(KINDS):
        out[AT_HAND + k] = np.float32(s.hand[player, k]) * HALF
    for i in range(s.pile_size[player]):
        out[AT_PILE + s.pile[player, i]] += HALF
    for j in range(1, s.num_players):
        q, start = seat_after(s, player, j), AT_UNSEEN + KINDS * (j - 1)
        for k in range(KINDS):
            out[start + k] = np.float32(s.hand[q, k]) * HALF
        for i in range(s.pile_size[q]):
            out[start + s.pile[q, i]] += HALF
    if s.aside_size > 0:
        p, j = np.int64(s.current_player), places_from(s, player, np.int64(s.current_player))
        for k in range(KINDS):
            if j == 0:
                out[AT_RETURNED + k] = np.float32(s.aside[k]) * HALF
            else:
                out[AT_UNSEEN + KINDS * (j - 1) + k] = np.float32(unseen(s, p, k)) * HALF


@kernel
def write_tokens(s: Any, player: Any, out: Any) -> None:
    for t in range(TYPES):
        on_map = np.int64(0)
        for a in range(PARKS):
            on_map += (s.tokens[a] >> t) & 1
        out[AT_ON_MAP + t] = np.float32(on_map) * PER_TOKENS
        out[AT_TIES + t] = np.float32(s.ties[t]) * QUARTER
        out[AT_SUPPLY + t] = np.float32(s.supply[t]) * PER_TOKENS
        for j in range(s.num_players):
            won = s.won[seat_after(s, player, j), t]
            out[AT_WON + TYPES * j + t] = np.float32(won) * PER_TOKENS


# Players and the turn


@kernel
def write_players(s: Any, player: Any, out: Any) -> None:
    for j in range(s.num_players):
        p = seat_after(s, player, j)
        out[AT_HAND_SIZE + j] = np.float32(1 + s.hand_size[p]) * EIGHTH
        out[AT_PILE_SIZE + j] = np.float32(s.pile_size[p]) * PER_PILE
        if s.card[p] != NO_CARD and not s.used[p] and s.stage != KEEP_CARD:
            out[AT_ABILITY + CARDS * j + s.card[p]] = 1.0
        if s.bottom[p]:
            out[AT_BOTTOM + j] = np.float32(1 + np.int64(s.pile[p, 0])) * PER_KIND
        if s.copy_at[p] != NOWHERE:
            out[AT_ARROW + AROUND * j + s.arrow[p]] = 1.0
    for t in range(TYPES):
        holder = point_holder(s, t)
        if holder != NOBODY:
            out[AT_POINTS + places_from(s, player, holder)] += THIRD
    out[AT_FREE_LAND] = np.float32(s.free_land) * PER_LAND
    out[AT_BOARD + s.board] = 1.0
    out[AT_FAST_DRAW] = np.float32(s.draw_is_fast)


@kernel
def write_turn(s: Any, player: Any, out: Any) -> None:
    out[AT_MOVER + places_from(s, player, np.int64(s.current_player))] = 1.0
    out[AT_STAGE + s.stage] = 1.0
    out[AT_PLACED] = np.float32(s.placed) * EIGHTH
    out[AT_SLOTS] = np.float32(s.slots) * HALF
    out[AT_OMAMORI] = np.float32(s.omamori)
    out[AT_PASSES] = np.float32(s.passes) * QUARTER
    out[AT_ASIDE] = np.float32(s.aside_size) * EIGHTH
    if s.chosen >= 0:
        out[AT_CHOSEN + s.chosen] = 1.0
    if s.first_type >= 0:
        out[AT_TYPE_PICKED + s.first_type] = 1.0
    mark_picked(np.int64(s.first), out)
    mark_picked(np.int64(s.second), out)
    if s.stage == DIRECTION:
        write_directions(s, out)
    if s.stage == KEEP_CARD:
        for i in range(2):
            out[AT_OFFERED + s.offered[player, i] - 1] = 1.0
        if s.card[player] != NO_CARD:
            out[AT_KEPT + s.card[player] - 1] = 1.0


@kernel
def mark_picked(x: Any, out: Any) -> None:
    if x >= WATER:
        out[AT_WATER_EMPTY + x - WATER] = -1.0
    elif x >= LAND:
        out[AT_LAND_EMPTY + x - LAND] = -1.0
    elif x != NOWHERE:
        out[AT_PARK_PICKED + x] = 1.0


@kernel
def write_directions(s: Any, out: Any) -> None:
    for direction in range(AROUND):
        t, strength = pointed_at(s, np.int64(s.first), direction)
        for each in range(TYPES):
            if t in (WILD, each):
                out[AT_POINTS_AT + AROUND * each + direction] = np.float32(strength) * QUARTER
