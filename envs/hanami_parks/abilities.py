"""Ability cards (RULES.md § 6): which can be used, with which choices, and what they do.

Letters: p is a seat, x and y are spaces, a and b parks, t a type.
"""

from typing import Any

import numpy as np

from hanazono.envs.core.kernel import kernel
from hanazono.envs.core.sets import bit
from hanazono.envs.hanami_parks.boards import (
    AROUND,
    LAND,
    MOST_PARKS,
    NEIGHBOR,
    NOWHERE,
    PARKS,
    PARKS_BY,
    SPACES,
    TYPES,
    WATER,
)
from hanazono.envs.hanami_parks.decisions import FROM_PILE, MOVE_TO, PARK, RETURN, TILE, TOKEN, TURN
from hanazono.envs.hanami_parks.parks import (
    ALL_TYPES,
    is_boat,
    lift,
    move_tile,
    put,
    remove,
    settle_copies,
)
from hanazono.envs.hanami_parks.piles import (
    draw_tile,
    put_at_bottom,
    put_on_top,
    shuffle_anew,
    take_kind,
)
from hanazono.envs.hanami_parks.tiles import (
    BICYCLE,
    EMPTY,
    FERRY,
    KINDS,
    KONBINI,
    NO_CARD,
    OMAMORI,
    RAINY_DAY,
    TAIYAKI,
    TAKOYAKI,
    TEA_HOUSE,
    TORII,
)
from hanazono.envs.hanami_parks.turns import mark_empty

# Sets of token types are bits. Two parks can swap tokens if neither set is part of the other:
# bit b of entry a tells whether set b of types can swap with set a.
CAN_SWAP = np.array(
    [sum(1 << b for b in range(ALL_TYPES + 1) if a & ~b and b & ~a) for a in range(ALL_TYPES + 1)],
    np.int64,
)
TAKOYAKI_TILES = 2  # that are not Fast


@kernel
def can_use(s: Any) -> Any:
    """Whether the player to decide has an unused card whose effect can be carried out."""
    p = np.int64(s.current_player)
    card = np.int64(s.card[p])
    if card == NO_CARD or s.used[p]:
        return False
    if card == TORII:
        return some_park(s)
    if card == KONBINI:
        return s.pile_size[p] > 0
    if card == TEA_HOUSE:
        return s.hand_size[p] > 0
    if card == TAIYAKI:
        return targets(s) >= 2
    return card in (TAKOYAKI, OMAMORI) or targets(s) >= 1


@kernel
def use_card(s: Any) -> None:
    """Begin the effect, and carry it out if there is nothing to choose."""
    card = np.int64(s.card[s.current_player])
    if card == TAKOYAKI:
        s.slots = TAKOYAKI_TILES
        end_effect(s)
    elif card == OMAMORI:
        s.omamori = 1
        end_effect(s)
    elif card == TORII:
        s.stage = PARK
    elif card == KONBINI:
        s.stage = FROM_PILE
    elif card == TEA_HOUSE:
        s.stage = RETURN
    else:
        s.stage = TILE


@kernel
def end_effect(s: Any) -> None:
    """The card is used up; until then everybody sees which one is at work."""
    settle_copies(s)
    s.used[s.current_player] = 1
    s.first = NOWHERE
    s.second = NOWHERE
    s.first_type = NOWHERE
    s.stage = TURN


# Torii


@kernel
def sets_in_parks(s: Any) -> Any:
    """Bit b: a park holds the set b of types."""
    sets = np.int64(0)
    for a in range(PARKS):
        sets |= bit(np.int64(s.tokens[a]))
    return sets


@kernel
def some_park(s: Any) -> Any:
    sets, some = sets_in_parks(s), False
    for a in range(PARKS):
        some |= CAN_SWAP[s.tokens[a]] & sets != 0
    return some


@kernel
def fits_second(s: Any, tokens: Any, t: Any, b: Any) -> Any:
    """Whether a park with these tokens can give its token t for one of park b."""
    return not s.tokens[b] & bit(t) and s.tokens[b] & ~tokens != 0


@kernel
def mark_parks(s: Any, out: Any) -> None:
    if s.first == NOWHERE:
        sets = sets_in_parks(s)
        for a in range(PARKS):
            out[a] = CAN_SWAP[s.tokens[a]] & sets != 0
    else:
        for b in range(PARKS):
            out[b] = fits_second(s, np.int64(s.tokens[s.first]), np.int64(s.first_type), b)


@kernel
def mark_types(s: Any, out: Any) -> None:
    """Mark the types that can be chosen in stage TOKEN, from out[0] on."""
    tokens = np.int64(s.tokens[s.first])
    for t in range(TYPES):
        if s.second != NOWHERE:
            out[t] = s.tokens[s.second] & ~tokens & bit(t) != 0
        elif tokens & bit(t):
            for b in range(PARKS):
                out[t] |= fits_second(s, tokens, t, b)


@kernel
def choose_park(s: Any, a: Any) -> None:
    if s.first == NOWHERE:
        s.first = a
    else:
        s.second = a
    s.stage = TOKEN


@kernel
def choose_type(s: Any, t: Any) -> None:
    if s.second == NOWHERE:
        s.first_type = t
        s.stage = PARK
    else:
        both = bit(t) | bit(np.int64(s.first_type))
        s.tokens[s.first] ^= both
        s.tokens[s.second] ^= both
        end_effect(s)


# Tiles on the map


@kernel
def has_free_land(s: Any, x: Any) -> Any:
    """Whether an available Land space is adjacent to space x."""
    some = False
    for i in range(AROUND):
        some |= is_free_land(s, np.int64(NEIGHBOR[s.map, x, i]))
    return some


@kernel
def is_free_land(s: Any, y: Any) -> Any:
    return LAND <= y < WATER and s.tile[y] == EMPTY


@kernel
def beside_unresolved(s: Any, x: Any) -> Any:
    for i in range(MOST_PARKS):
        a = PARKS_BY[s.map, x, i]
        if a != NOWHERE and s.tokens[a] != 0:
            return True
    return False


@kernel
def is_target(s: Any, x: Any) -> Any:
    """Whether the tile on space x can be chosen for the ability card of the player to decide."""
    card = np.int64(s.card[s.current_player])
    if s.tile[x] >= EMPTY:
        return False
    if card == FERRY:
        return x >= WATER and is_boat(np.int64(s.tile[x])) and s.free_water > 0
    if x >= WATER:
        return False
    if card == BICYCLE:
        return has_free_land(s, x)
    if card == RAINY_DAY:
        return beside_unresolved(s, x)
    return x != s.first  # Taiyaki


@kernel
def targets(s: Any) -> Any:
    """How many tiles can be chosen, at most two of them counted."""
    found = 0
    for x in range(LAND, SPACES):
        if is_target(s, x):
            found += 1
            if found == 2:
                break
    return found


@kernel
def mark_targets(s: Any, out: Any) -> None:
    for x in range(LAND, SPACES):
        out[x] = is_target(s, x)


@kernel
def choose_tile(s: Any, x: Any) -> None:
    card = np.int64(s.card[s.current_player])
    if card == RAINY_DAY:
        p = np.int64(s.owner[x])
        put_at_bottom(s, p, remove(s, x))
        end_effect(s)
    elif card == TAIYAKI and s.first != NOWHERE:
        swap_tiles(s, np.int64(s.first), x)
        end_effect(s)
    else:
        s.first = x
        if card != TAIYAKI:
            s.stage = MOVE_TO


@kernel
def swap_tiles(s: Any, x: Any, y: Any) -> None:
    p, q = np.int64(s.owner[x]), np.int64(s.owner[y])
    k, other = lift(s, x), lift(s, y)
    put(s, x, other, q)
    put(s, y, k, p)


@kernel
def mark_destinations(s: Any, out: Any) -> None:
    """Where the tile chosen for Bicycle or Ferry can go."""
    if s.card[s.current_player] == BICYCLE:
        for i in range(AROUND):
            y = np.int64(NEIGHBOR[s.map, s.first, i])
            if is_free_land(s, y):
                out[y] = 1
    else:
        mark_empty(s, WATER, SPACES, out)


@kernel
def move_chosen(s: Any, y: Any) -> None:
    move_tile(s, np.int64(s.first), y)
    end_effect(s)


# Konbini and Tea House


@kernel
def take_from_pile(s: Any, k: Any) -> None:
    p = np.int64(s.current_player)
    take_kind(s, p, k)
    shuffle_anew(s, p)
    end_effect(s)


@kernel
def return_tile(s: Any, k: Any) -> None:
    p = np.int64(s.current_player)
    s.hand[p, k] -= 1
    s.hand_size[p] -= 1
    s.aside[k] += 1
    s.aside_size += 1


@kernel
def end_return(s: Any) -> None:
    """Shuffle the tiles that lie aside into the pile, and draw as many."""
    p, size = np.int64(s.current_player), np.int64(s.aside_size)
    for k in range(KINDS):
        put_on_top(s, p, k, np.int64(s.aside[k]))
    s.aside[:] = 0
    s.aside_size = 0
    shuffle_anew(s, p)
    for _ in range(size):
        draw_tile(s, p)
    end_effect(s)
