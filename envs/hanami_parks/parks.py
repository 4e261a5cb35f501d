"""Tiles on the map, what they count for, awarding and scoring (RULES.md §§ 5, 7).

Letters: p and q are seats, x and y spaces, a a park, k a kind of tile, t a type.
"""

from typing import Any

import numpy as np

from hanazono.envs.core.kernel import kernel
from hanazono.envs.core.sets import bit
from hanazono.envs.hanami_parks.boards import (
    AROUND,
    LAND,
    LANDS_BY,
    LAST_PARK,
    MOST_PARKS,
    NEIGHBOR,
    NOWHERE,
    OPENS,
    PARKS,
    PARKS_BY,
    SPACES,
    TYPES,
    WATER,
)
from hanazono.envs.hanami_parks.tiles import (
    BOAT_1,
    BOAT_2,
    CLOSED,
    COPY,
    COVER,
    DRAW,
    EMPTY,
    FAST_NEKO,
    NO_TYPE,
    STRENGTH,
    TYPE_OF,
    WILD,
)

MAX_PLAYERS = 4
NOBODY = -1
TIES = 4  # slots of the Ties area
ALL_TYPES = (1 << TYPES) - 1


# § 1 The map before the first tile


@kernel
def open_map(s: Any) -> None:
    """No tiles, no tokens; spaces are empty where the islands are open."""
    s.tile[:] = CLOSED
    s.owner[:] = NOBODY
    s.tokens[:] = 0
    s.open_land[:] = 0
    s.pips[:] = 0
    s.balance[:] = 0
    s.free_land = 0
    s.free_water = 0
    s.arrow[:] = NOWHERE
    s.copy_at[:] = NOWHERE
    s.copy_type[:] = NO_TYPE
    s.copy_strength[:] = 0
    for x in range(LAND, SPACES):
        if OPENS[s.map, x] <= s.num_players:
            s.tile[x] = EMPTY
            s.free_land += 1 if x < WATER else 0
            s.free_water += 1 if x >= WATER else 0
    s.open_water = s.free_water
    for a in range(PARKS):
        for i in range(AROUND):
            y = LANDS_BY[s.map, a, i]
            if y != NOWHERE and s.tile[y] == EMPTY:
                s.open_land[a] += 1


# § 2, § 5 Tiles on the map


@kernel
def is_fast(s: Any, k: Any) -> Any:
    return k == FAST_NEKO or is_boat(k) or (k == DRAW and s.draw_is_fast != 0)


@kernel
def is_boat(k: Any) -> Any:
    return BOAT_1 <= k <= BOAT_2


@kernel
def count(s: Any, p: Any, x: Any, t: Any, strength: Any) -> None:
    """Add strength of a type on space x to what seat p has at the parks around; negative takes."""
    for i in range(MOST_PARKS):
        a = PARKS_BY[s.map, x, i]
        if a == NOWHERE:
            break
        for each in range(TYPES):
            if t in (WILD, each):
                s.pips[p, each, a] += strength
                compare(s, each, a)


@kernel
def compare(s: Any, t: Any, a: Any) -> None:
    """Find every seat's balance for type t at park a anew."""
    best, second = np.int64(0), np.int64(0)
    for p in range(s.num_players):
        pips = np.int64(s.pips[p, t, a])
        second = max(second, min(pips, best))
        best = max(best, pips)
    for p in range(s.num_players):
        pips = np.int64(s.pips[p, t, a])
        s.balance[p, t, a] = pips - (second if pips == best else best)


@kernel
def fill(s: Any, x: Any, by: Any) -> None:
    """Note that a space is filled (1) or emptied (-1)."""
    if x >= WATER:
        s.free_water -= by
        return
    s.free_land -= by
    for i in range(MOST_PARKS):
        a = PARKS_BY[s.map, x, i]
        if a == NOWHERE:
            break
        s.open_land[a] -= by


@kernel
def put(s: Any, x: Any, k: Any, p: Any) -> None:
    """Lay a tile of seat p on an empty space. Call `settle_copies` after the last change."""
    s.tile[x] = k
    s.owner[x] = p
    fill(s, x, 1)
    if k == COPY:
        s.copy_at[p] = x
    else:
        count(s, p, x, np.int64(TYPE_OF[k]), np.int64(STRENGTH[k]))


@kernel
def lift(s: Any, x: Any) -> Any:
    """Take the tile from a space; returns its kind. Call `settle_copies` after the last change."""
    k, p = np.int64(s.tile[x]), np.int64(s.owner[x])
    if k == COPY:
        count(s, p, x, np.int64(s.copy_type[p]), -np.int64(s.copy_strength[p]))
        s.copy_at[p] = NOWHERE
        s.copy_type[p] = NO_TYPE
        s.copy_strength[p] = 0
    else:
        count(s, p, x, np.int64(TYPE_OF[k]), -np.int64(STRENGTH[k]))
    s.tile[x] = EMPTY
    s.owner[x] = NOBODY
    fill(s, x, -1)
    return k


@kernel
def move_tile(s: Any, x: Any, y: Any) -> None:
    """Move a tile to an empty space; a Copy keeps its direction."""
    p = np.int64(s.owner[x])
    put(s, y, lift(s, x), p)


@kernel
def remove(s: Any, x: Any) -> Any:
    """Take the tile from the map; returns its kind."""
    if s.tile[x] == COPY:
        s.arrow[s.owner[x]] = NOWHERE
    return lift(s, x)


@kernel
def cover(s: Any, x: Any, p: Any) -> None:
    remove(s, x)
    put(s, x, COVER, p)


@kernel
def pointed_at(s: Any, x: Any, direction: Any) -> Any:
    """Type and strength that a Copy on space x has if it points in this direction."""
    for _ in range(MAX_PLAYERS):
        y = np.int64(NEIGHBOR[s.map, x, direction])
        if y == NOWHERE or s.tile[y] >= EMPTY:
            return np.int64(NO_TYPE), np.int64(0)
        k = np.int64(s.tile[y])
        if k != COPY:
            return np.int64(TYPE_OF[k]), np.int64(STRENGTH[k])
        x, direction = y, np.int64(s.arrow[s.owner[y]])
    return np.int64(NO_TYPE), np.int64(0)  # a circle


@kernel
def settle_copies(s: Any) -> None:
    """Let every Copy count what it copies now."""
    if not s.special_tiles:
        return
    for p in range(s.num_players):
        x = np.int64(s.copy_at[p])
        if x != NOWHERE:
            t, strength = pointed_at(s, x, np.int64(s.arrow[p]))
            if t != s.copy_type[p] or strength != s.copy_strength[p]:
                count(s, p, x, np.int64(s.copy_type[p]), -np.int64(s.copy_strength[p]))
                count(s, p, x, t, strength)
                s.copy_type[p] = t
                s.copy_strength[p] = strength


@kernel
def type_at(s: Any, x: Any) -> Any:
    """The type that the tile on space x counts for now."""
    k = s.tile[x]
    return np.int64(s.copy_type[s.owner[x]]) if k == COPY else np.int64(TYPE_OF[k])


@kernel
def strength_at(s: Any, x: Any) -> Any:
    """The strength that the tile on space x has now."""
    k = s.tile[x]
    return np.int64(s.copy_strength[s.owner[x]]) if k == COPY else np.int64(STRENGTH[k])


# § 7 Awarding, end and scoring


@kernel
def award_parks(s: Any) -> None:
    """Award the tokens of all parks whose Land is filled."""
    for a in range(LAST_PARK[s.map, s.num_players]):
        if s.tokens[a] != 0 and s.open_land[a] == 0:
            for t in range(TYPES):
                if s.tokens[a] & bit(t):
                    award(s, a, t)
            s.tokens[a] = 0


@kernel
def award(s: Any, a: Any, t: Any) -> None:
    p = winner(s, a, t)
    if p != NOBODY:
        s.won[p, t] += 1
    elif tied_tokens(s) < TIES:
        s.ties[t] += 1
    else:
        s.lost[t] += 1


@kernel
def winner(s: Any, a: Any, t: Any) -> Any:
    """The seat that wins a token of type t in park a, NOBODY if it is tied."""
    p, most = sole_most(s, s.pips[:, t, a])
    mover = np.int64(s.current_player)
    if p == NOBODY and s.omamori and most > 0 and s.pips[mover, t, a] == most:
        return mover
    return p


@kernel
def sole_most(s: Any, counts: Any) -> Any:
    """The seat that alone has most, NOBODY if several have or nobody has any; and the most."""
    most, holder = np.int64(0), np.int64(NOBODY)
    for p in range(s.num_players):
        if counts[p] > most:
            most, holder = np.int64(counts[p]), np.int64(p)
        elif counts[p] == most:
            holder = np.int64(NOBODY)
    return holder, most


@kernel
def tied_tokens(s: Any) -> Any:
    """Tokens in the Ties area."""
    return s.ties[0] + s.ties[1] + s.ties[2]


@kernel
def is_over(s: Any) -> Any:
    types = 0
    for a in range(LAST_PARK[s.map, s.num_players]):
        types |= s.tokens[a]
    return types != ALL_TYPES or tied_tokens(s) == TIES or s.passes == s.num_players


@kernel
def point_holder(s: Any, t: Any) -> Any:
    """The seat that gets the point for a type, NOBODY if several have most tokens."""
    holder, _ = sole_most(s, s.won[:, t])
    return holder


@kernel
def score(s: Any, p: Any) -> Any:
    """Points of seat p, and its tie-break."""
    points, tokens, others = 0, np.int64(0), np.int64(0)
    for t in range(TYPES):
        won = np.int64(s.won[p, t])
        tokens += won
        if point_holder(s, t) == p:
            points += 1
        else:
            others += won
    return points, (64 * others + tokens if points == 1 else tokens)


@kernel
def scores(s: Any, out: Any) -> None:
    for p in range(s.num_players):
        points, tie_break = score(s, p)
        out[p, 0] = points
        out[p, 1] = tie_break
