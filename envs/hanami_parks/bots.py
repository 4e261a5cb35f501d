"""Scripted players of Hanami on park maps, weakest first. They read only what their seat knows.

`captures_only` places one tile a turn, one that wins tokens where there is such, otherwise any.
`greedy` plays what adds most to what the tokens promise (prospects.py); `tempo_greedy` also counts
who is to fill the last space.

For two on Nihon without ability cards, 2,000 deals from both seats, they win this share of games
against greedy: random 0 %, captures_only 2 %, tempo_greedy 66 %. tests/bots/test_hanami_parks.py
measures it.

Letters: x and y are spaces, a and b parks, k a kind of tile, t and u types of tokens, p the player.
`of` is the type of a tile, `style` one of CAPTURES, GREEDY, TEMPO.
"""

from typing import Any

import numpy as np

from hanazono.envs.core.bots import random_bot
from hanazono.envs.core.kernel import kernel
from hanazono.envs.core.sets import bit
from hanazono.envs.hanami_parks.abilities import is_target
from hanazono.envs.hanami_parks.boards import (
    AROUND,
    LAND,
    MOST_PARKS,
    NOWHERE,
    PARKS,
    PARKS_BY,
    SPACES,
    TYPES,
    WATER,
)
from hanazono.envs.hanami_parks.decisions import (
    CHOOSE_HAND,
    DIRECTION,
    DIRECTION_ID,
    DONE,
    FROM_PILE,
    KEEP_CARD,
    KEEP_ID,
    MOVE_TO,
    PARK,
    SPACE,
    TILE,
    TILE_ID,
    TOKEN,
    TURN,
    TYPE_ID,
    USE,
)
from hanazono.envs.hanami_parks.parks import is_boat, is_fast, pointed_at, strength_at, type_at
from hanazono.envs.hanami_parks.prospects import CAPTURES, EVEN, GREEDY, PROMISE, TEMPO, gain
from hanazono.envs.hanami_parks.tiles import (
    COPY,
    COVER,
    DRAW,
    EMPTY,
    KINDS,
    KONBINI,
    MOVE,
    OMAMORI,
    RAINY_DAY,
    STRENGTH,
    TAKOYAKI,
    TORII,
    TYPE_OF,
    WILD,
)

NOTHING = -1000.0  # less than anything is worth
PER_STRENGTH, WILD_COSTS, MOVE_COSTS = 0.06, 1.5, 0.15
COPY_COSTS = 2  # strength
LEAST_CAPTURE = 0.5  # what a tile must add in style CAPTURES
LEAST_FAST = 0.3  # what a Fast tile must add in the others
LEAST_ABILITY = 0.6  # what an ability must add

# How the choice of five tiles and the choice between two cards goes, with start_strong and special.
FAVOURITES = tuple(STRENGTH[k] >= 3 and k < MOVE for k in range(KINDS))
CARD_ORDER = (TAKOYAKI, KONBINI, RAINY_DAY, OMAMORI)


@kernel
def worth(s: Any, x: Any, of: Any, strength: Any, fills: Any, style: Any) -> Any:
    """What it adds at the parks around space x."""
    value = 0.0
    for i in range(MOST_PARKS):
        a = np.int64(PARKS_BY[s.map, x, i])
        if a == NOWHERE:
            break
        value += gain(s, np.int64(s.current_player), a, of, strength, fills, style)
    return value


# Spaces for tiles


@kernel
def best_empty(s: Any, start: Any, end: Any, of: Any, strength: Any, style: Any) -> Any:
    """The best empty space for such a tile, and what it adds."""
    best, chosen, fills = NOTHING, NOWHERE, 1 if end == WATER else 0
    for x in range(start, end):
        if s.tile[x] == EMPTY:
            value = worth(s, x, of, strength, fills, style)
            if value > best:
                best, chosen = value, x
    return best, chosen


@kernel
def best_own(s: Any, k: Any, style: Any) -> Any:
    """The best own tile for Cover, or for Move to take up, and what it adds."""
    best, chosen = NOTHING, NOWHERE
    for x in range(LAND, WATER if k == MOVE else SPACES):
        if s.owner[x] == s.current_player and (k == COVER or not is_fast(s, np.int64(s.tile[x]))):
            of, strength = type_at(s, x), strength_at(s, x)
            if k == MOVE:
                value, _ = best_empty(s, LAND, WATER, of, strength, style)
                value += worth(s, x, of, -strength, 0, style)
            else:  # told by the type that gains least
                more = STRENGTH[COVER] - (strength if of == WILD else 0)
                value = worth(s, x, WILD, np.int64(more), 0, style)
            if value > best:
                best, chosen = value, x
    return best, chosen


@kernel
def best_direction(s: Any, x: Any, style: Any) -> Any:
    """The best direction for a Copy on space x, and what it adds."""
    best, chosen = NOTHING, 0
    for direction in range(AROUND):
        of, strength = pointed_at(s, x, direction)
        value = worth(s, x, of, strength, 1, style)
        if value > best:
            best, chosen = value, direction
    return best, chosen


@kernel
def best_copy(s: Any, style: Any) -> Any:
    """The best space for a Copy, and what it adds."""
    best, chosen = NOTHING, NOWHERE
    for x in range(LAND, WATER):
        if s.tile[x] == EMPTY:
            value, _ = best_direction(s, x, style)
            if value > best:
                best, chosen = value, x
    return best, chosen


@kernel
def best_space(s: Any, k: Any, style: Any) -> Any:
    """The best space for a tile of this kind, and what it adds; for Move the tile to be moved."""
    if k in (MOVE, COVER):
        return best_own(s, k, style)
    if k == COPY:
        return best_copy(s, style)
    start, end = (WATER, SPACES) if is_boat(k) else (LAND, WATER)
    return best_empty(s, start, end, np.int64(TYPE_OF[k]), np.int64(STRENGTH[k]), style)


# Tiles


@kernel
def cost(k: Any) -> Any:
    """What it costs to have used a tile of this kind."""
    if k == MOVE:
        return MOVE_COSTS
    strength = COPY_COSTS if k == COPY else STRENGTH[k]
    return PER_STRENGTH * strength * (WILD_COSTS if TYPE_OF[k] >= WILD else 1.0)


@kernel
def best_tile(s: Any, mask: Any, fast: Any, style: Any) -> Any:
    """The best tile to place among those that are Fast, or are not, and what it adds."""
    best, chosen = NOTHING, NOWHERE
    for k in range(KINDS):
        if mask[TILE_ID + k] and is_fast(s, k) == fast:
            value, _ = best_space(s, k, style)
            if style != CAPTURES:
                value += LEAST_FAST if k == DRAW else -cost(k)
            if value > best:
                best, chosen = value, k
    return best, chosen


# Ability cards


@kernel
def swap_worth(s: Any, a: Any, t: Any, b: Any, u: Any, style: Any) -> Any:
    """What it adds to swap token t of park a for token u of park b."""
    p, here, there = np.int64(s.current_player), np.int64(s.open_land[a]), np.int64(s.open_land[b])
    value = PROMISE[style, here, EVEN + s.balance[p, u, a]]
    value += PROMISE[style, there, EVEN + s.balance[p, t, b]]
    value -= PROMISE[style, here, EVEN + s.balance[p, t, a]]
    return value - PROMISE[style, there, EVEN + s.balance[p, u, b]]


@kernel
def best_swap(s: Any, style: Any) -> Any:
    """The best swap that goes on from the choices made: its value, parks and types."""
    best, choice = NOTHING, (0, 0, 0, 0)
    for a in range(PARKS):
        if s.first not in (NOWHERE, a):
            continue
        for b in range(PARKS):
            if s.second not in (NOWHERE, b):
                continue
            here, there = np.int64(s.tokens[a]), np.int64(s.tokens[b])
            for t in range(TYPES):
                if not here & ~there & bit(t) or s.first_type not in (NOWHERE, t):
                    continue
                for u in range(TYPES):
                    if there & ~here & bit(u):
                        value = swap_worth(s, a, t, b, u, style)
                        if value > best:
                            best, choice = value, (a, t, b, u)
    return best, choice


@kernel
def best_rain(s: Any, style: Any) -> Any:
    """The best tile to return with Rainy Day, and what it adds, an opponent's counted as if it were
    the strongest of the others."""
    best, chosen = NOTHING, NOWHERE
    for x in range(LAND, WATER):
        if is_target(s, x):
            sign = -1 if s.owner[x] == s.current_player else 1
            value = worth(s, x, type_at(s, x), sign * strength_at(s, x), -1, style)
            if value > best:
                best, chosen = value, x
    return best, chosen


@kernel
def wants_card(s: Any, style: Any) -> Any:
    """Whether the ability card is to be used now."""
    card = np.int64(s.card[s.current_player])
    if card == TORII:
        return best_swap(s, style)[0] > LEAST_ABILITY
    if card == RAINY_DAY:
        return best_rain(s, style)[0] > LEAST_ABILITY
    return card in (TAKOYAKI, KONBINI)


@kernel
def ability_action(s: Any, mask: Any, noise: Any, style: Any) -> Any:
    """Go on with an ability card, or with the setup."""
    stage = np.int64(s.stage)
    if stage in (PARK, TOKEN):
        _, choice = best_swap(s, style)
        if stage == PARK:
            return choice[0] if s.first == NOWHERE else choice[2]
        return TYPE_ID + (choice[1] if s.second == NOWHERE else choice[3])
    if stage == TILE and s.card[s.current_player] == RAINY_DAY:
        return best_rain(s, style)[1]
    if stage == KEEP_CARD:
        for i in range(len(CARD_ORDER)):
            if mask[KEEP_ID + CARD_ORDER[i] - 1]:
                return KEEP_ID + CARD_ORDER[i] - 1
    if stage in (CHOOSE_HAND, FROM_PILE):
        for k in range(KINDS):
            if FAVOURITES[k] and mask[TILE_ID + k]:
                return TILE_ID + k
    return random_bot(s, mask, noise)


# The players


@kernel
def next_tile(s: Any, mask: Any, style: Any) -> Any:
    """Use the card, place a tile, or end the turn."""
    if mask[USE] and wants_card(s, style):
        return USE
    _, tile = best_tile(s, mask, False, style)
    if tile != NOWHERE:
        return TILE_ID + tile
    more, fast = best_tile(s, mask, True, style)
    return DONE if mask[DONE] and more <= LEAST_FAST else TILE_ID + fast


@kernel
def act(s: Any, mask: Any, noise: Any, style: Any) -> Any:
    """The action of either greedy player."""
    if s.stage == TURN:
        return next_tile(s, mask, style)
    if s.stage == SPACE:
        return best_space(s, np.int64(s.chosen), style)[1]
    if s.stage == MOVE_TO and s.chosen == MOVE:
        x = np.int64(s.first)
        return best_empty(s, LAND, WATER, type_at(s, x), strength_at(s, x), style)[1]
    if s.stage == DIRECTION:
        return DIRECTION_ID + best_direction(s, np.int64(s.first), style)[1]
    return ability_action(s, mask, noise, style)


@kernel
def captures_only(s: Any, mask: Any, noise: Any) -> Any:
    """Place one tile a turn, one that wins tokens where there is such, and otherwise any."""
    value, action = NOTHING, DONE
    if s.stage == TURN:
        if s.placed > 0:
            return DONE
        value, tile = best_tile(s, mask, False, CAPTURES)
        more, fast = best_tile(s, mask, True, CAPTURES)
        value, action = max(value, more), TILE_ID + (fast if more > value else tile)
    elif s.stage == SPACE:
        value, action = best_space(s, np.int64(s.chosen), CAPTURES)
    elif s.stage == MOVE_TO and s.chosen == MOVE:
        x = np.int64(s.first)
        value, action = best_empty(s, LAND, WATER, type_at(s, x), strength_at(s, x), CAPTURES)
    elif s.stage == DIRECTION:
        value, direction = best_direction(s, np.int64(s.first), CAPTURES)
        action = DIRECTION_ID + direction
    return action if value > LEAST_CAPTURE else random_bot(s, mask, noise)


@kernel
def greedy(s: Any, mask: Any, noise: Any) -> Any:
    """Add most to the promises."""
    return act(s, mask, noise, GREEDY)


@kernel
def tempo_greedy(s: Any, mask: Any, noise: Any) -> Any:
    """Add most to the promises, and leave the last space of a park to nobody."""
    return act(s, mask, noise, TEMPO)
