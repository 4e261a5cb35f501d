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
    LAND,
    LANDS,
    LAST_LAND,
    LAST_PARK,
    LAST_WATER,
    MOST_PARKS,
    NOWHERE,
    OUR_BOARDS,
    PARK_PAIRS,
    PARKS,
    PARKS_BY,
    TYPES,
    WATER,
    WATERS,
)
from hanazono.envs.hanami_parks.decisions import DIRECTION, KEEP_CARD, SPACE, STAGES, TURN
from hanazono.envs.hanami_parks.parks import (
    MAX_PLAYERS,
    NOBODY,
    is_boat,
    point_holder,
    pointed_at,
)
from hanazono.envs.hanami_parks.prospects import parks_by_type, write_fills, write_strength
from hanazono.envs.hanami_parks.tiles import (
    CARDS,
    EMPTY,
    KINDS,
    MOVE,
    NO_CARD,
    SPECIAL_CARDS,
    STRENGTH,
    TYPE_OF,
    WILD,
)

EMPTY_SIGN = "1: open and empty, -1: chosen, for Copy or to be moved or swapped"
OWNER = "1: own tile, -j/3: tile of seat j, 0: none"
CLOSES = "parks that would be filled with this space / 2"
GAIN = " to what its tokens promise (prospects.py); 0 but for who chooses a tile or its space"

PIECES = (
    Piece("token", (TYPES, PARKS), 0, 1, "1: a token of this type lies there", "park"),
    Piece("balance", (TYPES, PARKS), -4, 4, "balance for each type / 8", "park"),
    Piece("strength", (MAX_PLAYERS, TYPES, PARKS), 0, 4, "strength for tokens there / 8", "park"),
    Piece("tokens", (PARKS,), 0, 1, "tokens there / 4", "park"),
    Piece("balances", (PARKS,), -12, 12, "sum of the balances for them / 8", "park"),
    Piece("open_land", (PARKS,), 0, 1, "empty Land around / 6", "park"),
    Piece("park_picked", (PARKS,), 0, 1, "1: chosen for Torii", "park"),
    Piece("park_gain", (PARKS,), -6, 6, "what the chosen tile adds" + GAIN, "park"),
    Piece("land_empty", (LANDS,), -1, 1, EMPTY_SIGN, "land"),
    Piece("land_owner", (LANDS,), -1, 1, OWNER, "land"),
    Piece("land_kind", (LANDS,), 0, 1, "(1 + kind of the tile) / 19, 0: none", "land"),
    Piece("land_value", (TYPES, LANDS), 0, 1, "strength of the tile for each type / 4", "land"),
    Piece("land_closes", (LANDS,), 0, 1, CLOSES, "land"),
    Piece("land_gain", (LANDS,), -5, 5, "what it adds on an empty space / 2", "land"),
    Piece("water_empty", (WATERS,), -1, 1, EMPTY_SIGN, "water"),
    Piece("water_tile", (WATERS,), -1, 1, "strength of the tile / 4; less 1 if not own", "water"),
    Piece("water_gain", (WATERS,), -7, 7, "the same", "water"),
    Piece("tile_gain", (KINDS,), -7, 7, "for a tile of the hand, the most of these", "tile"),
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
    Piece("starter", (MAX_PLAYERS,), 0, 1, "one-hot: the seat that starts the game"),
    Piece("stage", (STAGES,), 0, 1, "one-hot: draft_token … return (RULES.md § 8)"),
    Piece("placed", (1,), 0, 1, "tiles placed in this turn / 8"),
    Piece("slots", (1,), 0, 1, "tiles not Fast that may still be placed / 2"),
    Piece("omamori", (1,), 0, 1, "1: Omamori was used in this turn"),
    Piece("passes", (1,), 0, 1, "passes in a row / 4"),
    Piece("aside", (1,), 0, 1, "tiles that lie aside face down / 8"),
    Piece("free_land", (1,), 0, 1, "empty Land spaces / 56"),
    Piece("board", (len(OUR_BOARDS),), 0, 1, "one-hot: nihon, tokyo; all 0 on another"),
    Piece("fast_draw", (1,), 0, 1, "1: Draw tiles are Fast"),
    Piece("bottom", (MAX_PLAYERS,), 0, 1, "(1 + kind of the known bottom tile) / 19, 0: unknown"),
    Piece("arrow", (MAX_PLAYERS, AROUND), 0, 1, "one-hot: where the Copy on the map points"),
)  # fmt: skip
LAYOUT = Layout(PIECES)

# Kernels read module constants, so every piece's place has a name here.
AT_TOKEN, AT_BALANCE, AT_STRENGTH = map(LAYOUT.start, ("token", "balance", "strength"))
AT_TOKENS, AT_BALANCES, AT_OPEN_LAND = map(LAYOUT.start, ("tokens", "balances", "open_land"))
AT_PARK_PICKED, AT_PARK_GAIN = map(LAYOUT.start, ("park_picked", "park_gain"))
AT_LAND_EMPTY, AT_LAND_OWNER = map(LAYOUT.start, ("land_empty", "land_owner"))
AT_LAND_KIND, AT_LAND_VALUE = map(LAYOUT.start, ("land_kind", "land_value"))
AT_LAND_CLOSES, AT_LAND_GAIN = map(LAYOUT.start, ("land_closes", "land_gain"))
AT_WATER_GAIN, AT_TILE_GAIN = map(LAYOUT.start, ("water_gain", "tile_gain"))
AT_WATER_EMPTY, AT_WATER_TILE = map(LAYOUT.start, ("water_empty", "water_tile"))
AT_HAND, AT_PILE, AT_CHOSEN = map(LAYOUT.start, ("hand", "pile", "chosen"))
AT_RETURNED, AT_UNSEEN = map(LAYOUT.start, ("returned", "unseen"))
AT_ON_MAP, AT_WON, AT_TIES = map(LAYOUT.start, ("on_map", "won", "ties"))
AT_SUPPLY, AT_TYPE_PICKED = map(LAYOUT.start, ("supply", "type_picked"))
AT_POINTS_AT, AT_OFFERED, AT_KEPT = map(LAYOUT.start, ("points_at", "offered", "kept"))
AT_ABILITY, AT_HAND_SIZE = map(LAYOUT.start, ("ability", "hand_size"))
AT_PILE_SIZE, AT_POINTS, AT_MOVER = map(LAYOUT.start, ("pile_size", "points", "mover"))
AT_STARTER, AT_STAGE, AT_PLACED = map(LAYOUT.start, ("starter", "stage", "placed"))
AT_SLOTS, AT_OMAMORI, AT_PASSES = map(LAYOUT.start, ("slots", "omamori", "passes"))
AT_ASIDE, AT_FREE_LAND, AT_BOARD = map(LAYOUT.start, ("aside", "free_land", "board"))
AT_FAST_DRAW, AT_BOTTOM, AT_ARROW = map(LAYOUT.start, ("fast_draw", "bottom", "arrow"))

# Shares, written so that all values are exact products of float32 numbers on every machine.
EIGHTH, QUARTER, THIRD, HALF = (np.float32(1 / n) for n in (8, 4, 3, 2))
PER_TOKENS, PER_LAND, PER_PILE = (np.float32(1 / n) for n in (13, 56, 22))
PER_KIND, PER_AROUND = np.float32(1 / KINDS), np.float32(1 / AROUND)
IN_PARKS = TYPES * PARKS  # values of a seat
ZERO, ONE, NEVER = np.float32(0), np.float32(1), np.float32(-100)  # never so little gained

# What is told of a space by the kind of tile there.
KIND_SHARE = (np.arange(1, KINDS + 1) / KINDS).astype(np.float32)
VALUE = np.zeros((TYPES, KINDS), np.float32)
for _t in range(TYPES):
    VALUE[_t] = np.where((TYPE_OF == WILD) | (_t == TYPE_OF), STRENGTH, 0) / 4
# By number of players, reader and owner, who may be NOBODY, the last: whose tile it is.
OWNER_SIGN = np.zeros((MAX_PLAYERS + 1, MAX_PLAYERS, MAX_PLAYERS + 1), np.float32)
for _n, _v, _p in np.ndindex(MAX_PLAYERS + 1, MAX_PLAYERS, MAX_PLAYERS):
    if max(_v, _p) < _n:
        OWNER_SIGN[_n, _v, _p] = 1 if _p == _v else -((_p - _v) % _n) / 3
# By the tokens of a park: 1 in 16 bits for each type.
COUNT = np.array(
    [sum((a >> t & 1) << 16 * t for t in range(TYPES)) for a in range(1 << TYPES)], np.int64
)


@kernel
def observe(s: Any, player: Any, out: Any) -> None:
    write_parks(s, player, out)
    write_land(s, player, out)
    write_water(s, player, out)
    write_tiles(s, player, out)
    write_tokens(s, player, out)
    write_players(s, player, out)
    if not s.terminated:
        write_turn(s, player, out)


# The map


@kernel
def rows(out: Any, start: Any, i: Any, size: Any) -> Any:
    """Part i of a piece in parts of this size, as an array: loops over it are vector code."""
    return out[start + size * i : start + size * (i + 1)]


@kernel
def three(out: Any, start: Any, size: Any) -> Any:
    """The rows, for each type, of a piece."""
    return rows(out, start, 0, size), rows(out, start, 1, size), rows(out, start, 2, size)


@kernel
def write_parks(s: Any, player: Any, out: Any) -> None:
    tokens, open_land = s.tokens[:], s.open_land[:]
    sakura, chochin, onigiri = three(out, AT_TOKEN, PARKS)
    count, land = rows(out, AT_TOKENS, 0, PARKS), rows(out, AT_OPEN_LAND, 0, PARKS)
    for a in range(PARKS):
        sakura[a] = np.float32(tokens[a] & 1)
        chochin[a] = np.float32((tokens[a] >> 1) & 1)
        onigiri[a] = np.float32((tokens[a] >> 2) & 1)
    for a in range(PARKS):
        count[a] = (sakura[a] + chochin[a] + onigiri[a]) * QUARTER
        land[a] = np.float32(open_land[a]) * PER_AROUND
    write_strengths(s, player, out)


@kernel
def write_strengths(s: Any, player: Any, out: Any) -> None:
    """The strengths around the tokens."""
    token, balance = rows(out, AT_TOKEN, 0, IN_PARKS), rows(out, AT_BALANCE, 0, IN_PARKS)
    own = s.balance[player].reshape(IN_PARKS)
    for i in range(IN_PARKS):
        balance[i] = np.float32(own[i]) * token[i] * EIGHTH + ZERO  # never -0.0
    for j in range(s.num_players):
        strength = rows(out, AT_STRENGTH, j, IN_PARKS)
        pips = s.pips[seat_after(s, player, j)].reshape(IN_PARKS)
        for i in range(IN_PARKS):
            strength[i] = np.float32(pips[i]) * token[i] * EIGHTH
    total, (sakura, chochin, onigiri) = (
        rows(out, AT_BALANCES, 0, PARKS), three(out, AT_BALANCE, PARKS),
    )  # fmt: skip
    for a in range(PARKS):
        total[a] = sakura[a] + chochin[a] + onigiri[a]


@kernel
def write_land(s: Any, player: Any, out: Any) -> None:
    """The empty Land, and the tiles there."""
    board = np.int64(s.map)
    signs, values = OWNER_SIGN[s.num_players, player], three(out, AT_LAND_VALUE, LANDS)
    for i in range(LAST_LAND[board, s.num_players]):
        k = s.tile[LAND + i]
        if k < EMPTY:
            out[AT_LAND_KIND + i] = KIND_SHARE[k]
            out[AT_LAND_OWNER + i] = signs[s.owner[LAND + i]]
            for t in range(TYPES):
                values[t][i] = VALUE[t, k]
        elif k == EMPTY:
            a, b = PARK_PAIRS[board, i, 0], PARK_PAIRS[board, i, 1]
            out[AT_LAND_EMPTY + i] = ONE
            out[AT_LAND_CLOSES + i] = closes(s, a) + closes(s, b)
    if s.special_tiles:
        write_copies(s, out)


@kernel
def closes(s: Any, a: Any) -> Any:
    """1/2 if only one Land space around park a, which holds a token, is empty."""
    return HALF if s.tokens[a] != 0 and s.open_land[a] == 1 else ZERO


@kernel
def write_copies(s: Any, out: Any) -> None:
    """What the Copies, which are on Land, count for."""
    for p in range(s.num_players):
        x = np.int64(s.copy_at[p])
        if x != NOWHERE:
            for t in range(TYPES):
                if s.copy_type[p] in (WILD, t):
                    place = AT_LAND_VALUE + LANDS * t + x - LAND
                    out[place] = np.float32(s.copy_strength[p]) * QUARTER


@kernel
def write_water(s: Any, player: Any, out: Any) -> None:
    """The empty Water, and the tiles there."""
    empty, tiles = rows(out, AT_WATER_EMPTY, 0, WATERS), s.tile[WATER:]
    for i in range(WATERS):
        empty[i] = np.float32(tiles[i] == EMPTY)
    if s.free_water < s.open_water:
        for i in range(LAST_WATER[s.map, s.num_players]):
            if tiles[i] < EMPTY:
                own = s.owner[WATER + i] == player
                out[AT_WATER_TILE + i] = VALUE[0, tiles[i]] - (ZERO if own else ONE)


# What tiles would add


@kernel
def write_prospects(s: Any, player: Any, out: Any) -> None:
    """What the tiles of the hand would add at most, or the chosen tile on each space."""
    sets = parks_by_type(s)
    gains, fills = rows(out, AT_PARK_GAIN, 0, PARKS), rows(out, AT_LAND_GAIN, 0, PARKS)
    for t in range(TYPES):
        write_fills(s, player, t, sets[t], fills)
    if s.stage == TURN:
        for k in range(MOVE):
            if s.hand[player, k] > 0:
                write_gains(s, player, k, sets, fills, gains)
                most = most_on_water(s, gains) if is_boat(k) else most_on_land(s, gains)
                out[AT_TILE_GAIN + k] = most * HALF
        gains[:] = ZERO  # they were the last tile's, and the other row was only borrowed
        fills[:] = ZERO
    else:
        write_gains(s, player, np.int64(s.chosen), sets, fills, gains)
        fills[:] = ZERO
        if is_boat(s.chosen):
            write_water_gains(s, gains, rows(out, AT_WATER_GAIN, 0, WATERS))
        else:
            write_land_gains(s, gains, rows(out, AT_LAND_GAIN, 0, LANDS))


@kernel
def write_gains(s: Any, player: Any, k: Any, sets: Any, fills: Any, gains: Any) -> None:
    """What a tile of kind k adds at each park; `sets` are the parks with each type."""
    boat = is_boat(k)
    for a in range(PARKS):
        gains[a] = ZERO if boat else fills[a]
    for t in range(TYPES):
        if TYPE_OF[k] in (WILD, t):
            write_strength(s, player, t, sets[t], k, gains)


@kernel
def land_gain(s: Any, gains: Any, i: Any) -> Any:
    return gains[PARK_PAIRS[s.map, i, 0]] + gains[PARK_PAIRS[s.map, i, 1]]


@kernel
def water_gain(s: Any, gains: Any, i: Any) -> Any:
    total = ZERO
    for j in range(MOST_PARKS):
        a = PARKS_BY[s.map, WATER + i, j]
        total += gains[a] if a != NOWHERE else ZERO
    return total


@kernel
def most_on_land(s: Any, gains: Any) -> Any:
    most = NEVER
    for i in range(LAST_LAND[s.map, s.num_players]):
        most = max(most, land_gain(s, gains, i) if s.tile[LAND + i] == EMPTY else NEVER)
    return most if most > NEVER else ZERO


@kernel
def most_on_water(s: Any, gains: Any) -> Any:
    most = NEVER
    for i in range(LAST_WATER[s.map, s.num_players]):
        most = max(most, water_gain(s, gains, i) if s.tile[WATER + i] == EMPTY else NEVER)
    return most if most > NEVER else ZERO


@kernel
def write_land_gains(s: Any, gains: Any, piece: Any) -> None:
    for i in range(LAST_LAND[s.map, s.num_players]):
        if s.tile[LAND + i] == EMPTY:
            piece[i] = land_gain(s, gains, i) * HALF


@kernel
def write_water_gains(s: Any, gains: Any, piece: Any) -> None:
    for i in range(LAST_WATER[s.map, s.num_players]):
        if s.tile[WATER + i] == EMPTY:
            piece[i] = water_gain(s, gains, i) * HALF


# Tiles and tokens


@kernel
def write_tiles(s: Any, player: Any, out: Any) -> None:
    mine = player == s.current_player
    for k in range(KINDS):
        hand = s.hand[player, k]
        aside = s.aside[k] if mine else 0
        out[AT_HAND + k] = np.float32(hand) * HALF
        out[AT_PILE + k] = np.float32(s.held[player, k] - hand - aside) * HALF
        out[AT_RETURNED + k] = np.float32(aside) * HALF
    for j in range(1, s.num_players):
        held = s.held[seat_after(s, player, j)]
        unseen = rows(out, AT_UNSEEN, j - 1, KINDS)
        for k in range(KINDS):
            unseen[k] = np.float32(held[k]) * HALF


@kernel
def write_tokens(s: Any, player: Any, out: Any) -> None:
    on_map = np.int64(0)
    for a in range(LAST_PARK[s.map, s.num_players]):
        on_map += COUNT[s.tokens[a]]
    for t in range(TYPES):
        out[AT_ON_MAP + t] = np.float32((on_map >> 16 * t) & 0xFFFF) * PER_TOKENS
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
    if s.map < len(OUR_BOARDS):
        out[AT_BOARD + s.map] = 1.0
    out[AT_FAST_DRAW] = np.float32(s.draw_is_fast)


@kernel
def write_turn(s: Any, player: Any, out: Any) -> None:
    out[AT_MOVER + places_from(s, player, np.int64(s.current_player))] = 1.0
    out[AT_STARTER + places_from(s, player, np.int64(s.start_player))] = 1.0
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
    if player == s.current_player and (s.stage == TURN or (s.stage == SPACE and s.chosen < MOVE)):
        write_prospects(s, player, out)
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
