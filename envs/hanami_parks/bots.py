"""Scripted players of Hanami on park maps, weakest first. They read only what their seat knows.

`captures_only` places one tile a turn: where it wins a token, otherwise at random. `greedy` gives
every token a potential, which grows with the balance of strength and falls with the Land still
open, and plays what adds most; `tempo_greedy` also counts who is to fill the last space.

For two on Nihon without ability cards, 2,000 deals from both seats, they win this share of games
against greedy: random 0 %, captures_only 2 %, tempo_greedy 66 %; with TEMPO 0.4, 1 and 1.5 it was
less. tests/bots/test_hanami_parks.py measures it.

Letters: x and y are spaces, a is a park, k a kind of tile, t a type, p the player.
"""

from math import sqrt, tanh
from typing import Any

import numpy as np

from hanazono.envs.core.bots import random_bot
from hanazono.envs.core.kernel import kernel
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
TEMPO = 0.7  # of tempo_greedy: strength that the last space is worth
PER_STRENGTH, WILD_COSTS, MOVE_COSTS = 0.06, 1.5, 0.15
LEAST_FAST = 0.3  # what a Fast tile must add
LEAST_ABILITY = 0.6  # what an ability must add
COPY_COSTS = 2  # strength

# How the choice of five tiles and the choice between two cards goes, with start_strong and special.
FAVOURITES = tuple(STRENGTH[k] >= 3 and k < MOVE for k in range(KINDS))
CARD_ORDER = (TAKOYAKI, KONBINI, RAINY_DAY, OMAMORI)


# What a token promises


@kernel
def balance(s: Any, p: Any, t: Any, a: Any) -> Any:
    """Strength of the player in park a, less that of the strongest other seat."""
    rival = np.int64(0)
    for q in range(s.num_players):
        if q != p:
            rival = max(rival, np.int64(s.pips[q, t, a]))
    return np.int64(s.pips[p, t, a]) - rival


@kernel
def potential(d: Any, open_land: Any, tempo: Any) -> Any:
    """What a token is worth with this balance and so much Land open, from -1 to 1."""
    if open_land == 0:
        return 1.0 if d > 0 else (-1.0 if d < 0 else 0.0)
    bonus = -tempo / open_land if open_land % 2 == 1 else tempo / open_land
    return 0.9 * tanh((d + bonus) / (1.6 * sqrt(open_land) + 1.0))


@kernel
def adds(t: Any, of: Any, strength: Any) -> Any:
    """What a tile of type `of` adds for tokens of type t."""
    return strength if of in (WILD, t) else 0


@kernel
def change(s: Any, p: Any, x: Any, of: Any, strength: Any, fills: Any, tempo: Any) -> Any:
    """What it changes for the player to add strength on space x, and to fill Land there."""
    value = 0.0
    for i in range(MOST_PARKS):
        a = np.int64(PARKS_BY[s.board, x, i])
        if a == NOWHERE:
            break
        left = np.int64(s.open_land[a])
        for t in range(TYPES):
            if s.tokens[a] & (1 << t):
                d, more = balance(s, p, t, a), adds(t, of, strength)
                value += potential(d + more, left - fills, tempo) - potential(d, left, tempo)
    return value


@kernel
def captures(s: Any, p: Any, x: Any, of: Any, strength: Any, fills: Any) -> Any:
    """Tokens won when strength is added on space x, those lost taken off."""
    value = 0.0
    for i in range(MOST_PARKS):
        a = np.int64(PARKS_BY[s.board, x, i])
        if a != NOWHERE and s.tokens[a] != 0 and s.open_land[a] == fills:
            for t in range(TYPES):
                if s.tokens[a] & (1 << t):
                    d = balance(s, p, t, a) + adds(t, of, strength)
                    value += potential(d, 0, 0.0)
    return value


@kernel
def worth(s: Any, x: Any, of: Any, strength: Any, fills: Any, tempo: Any, plans: Any) -> Any:
    """The player's measure of a change: potentials, or captures alone."""
    p = np.int64(s.current_player)
    if plans:
        return change(s, p, x, of, strength, fills, tempo)
    return captures(s, p, x, of, strength, fills)


# Tiles


@kernel
def cost(k: Any) -> Any:
    """What it costs to have used a tile of this kind."""
    if k == MOVE:
        return MOVE_COSTS
    strength = COPY_COSTS if k == COPY else STRENGTH[k]
    return PER_STRENGTH * strength * (WILD_COSTS if TYPE_OF[k] >= WILD else 1.0)


@kernel
def lift_worth(s: Any, x: Any, tempo: Any, plans: Any) -> Any:
    """What it changes to have Move in the place of the own tile on space x."""
    return worth(s, x, type_at(s, x), -strength_at(s, x), 0, tempo, plans)


@kernel
def best_direction(s: Any, x: Any, tempo: Any, plans: Any) -> Any:
    """The best direction for a Copy on space x, and what it adds."""
    best, chosen = NOTHING, 0
    for direction in range(AROUND):
        t, strength = pointed_at(s, x, direction)
        value = worth(s, x, t, strength, 1, tempo, plans)
        if value > best:
            best, chosen = value, direction
    return best, chosen


@kernel
def cover_worth(s: Any, x: Any, tempo: Any, plans: Any) -> Any:
    """What it changes to cover the own tile on space x, told by the type that gains least."""
    of, strength = type_at(s, x), strength_at(s, x)
    more = STRENGTH[COVER] - strength if of == WILD else STRENGTH[COVER]
    return worth(s, x, WILD, np.int64(more), 0, tempo, plans)


@kernel
def space_worth(s: Any, k: Any, x: Any, tempo: Any, plans: Any) -> Any:
    """What it adds to place a tile of kind k on space x, or for Move to lift the tile there;
    NOTHING if that is not possible."""
    if k in (MOVE, COVER):
        last = WATER if k == MOVE else SPACES
        if s.owner[x] != s.current_player or x >= last:
            return NOTHING
        if k == COVER:
            return cover_worth(s, x, tempo, plans)
        return NOTHING if is_fast(s, np.int64(s.tile[x])) else lift_worth(s, x, tempo, plans)
    if s.tile[x] != EMPTY or (x >= WATER) != is_boat(k):
        return NOTHING
    if k == COPY:
        value, _ = best_direction(s, x, tempo, plans)
        return value
    return worth(
        s, x, np.int64(TYPE_OF[k]), np.int64(STRENGTH[k]), 1 if x < WATER else 0, tempo, plans
    )


@kernel
def best_space(s: Any, k: Any, tempo: Any, plans: Any) -> Any:
    """The best space for a tile of this kind, and what it adds; for Move the tile to be moved."""
    best, chosen = NOTHING, NOWHERE
    for x in range(LAND, SPACES):
        value = space_worth(s, k, x, tempo, plans)
        if k == MOVE and value > NOTHING:
            gain, _ = best_destination(s, x, tempo, plans)
            value += gain
        if value > best:
            best, chosen = value, x
    return best, chosen


@kernel
def best_destination(s: Any, x: Any, tempo: Any, plans: Any) -> Any:
    """The best Land space for the tile on space x, and what it adds there."""
    of, strength = type_at(s, x), strength_at(s, x)
    best, chosen = NOTHING, NOWHERE
    for y in range(LAND, WATER):
        if s.tile[y] == EMPTY:
            value = worth(s, y, of, strength, 1, tempo, plans)
            if value > best:
                best, chosen = value, y
    return best, chosen


@kernel
def best_tile(s: Any, mask: Any, fast: Any, tempo: Any, plans: Any) -> Any:
    """The best tile to place among those that are Fast, or are not, and what it adds."""
    best, chosen = NOTHING, NOWHERE
    for k in range(KINDS):
        if mask[TILE_ID + k] and is_fast(s, k) == fast:
            value, _ = best_space(s, k, tempo, plans)
            if plans:
                value -= cost(k)
            if k == DRAW:
                value += LEAST_FAST
            if value > best:
                best, chosen = value, k
    return best, chosen


# Ability cards


@kernel
def swap_worth(s: Any, a: Any, t: Any, b: Any, u: Any, tempo: Any) -> Any:
    """What it changes to swap token t of park a for token u of park b."""
    p, here, there = np.int64(s.current_player), np.int64(s.open_land[a]), np.int64(s.open_land[b])
    before = potential(balance(s, p, t, a), here, tempo)
    before += potential(balance(s, p, u, b), there, tempo)
    after = potential(balance(s, p, u, a), here, tempo)
    after += potential(balance(s, p, t, b), there, tempo)
    return after - before


@kernel
def best_swap(s: Any, tempo: Any) -> Any:
    """The best swap that goes on from the choices made: its value, parks and types."""
    best, choice = NOTHING, (0, 0, 0, 0)
    for a in range(PARKS):
        if s.tokens[a] == 0 or (s.first != NOWHERE and a != s.first):
            continue
        for b in range(PARKS):
            if a == b or s.tokens[b] == 0 or (s.second != NOWHERE and b != s.second):
                continue
            for t in range(TYPES):
                given = s.tokens[a] & ~s.tokens[b] & (1 << t)
                if not given or (s.first_type != NOWHERE and t != s.first_type):
                    continue
                for u in range(TYPES):
                    if s.tokens[b] & ~s.tokens[a] & (1 << u):
                        value = swap_worth(s, a, t, b, u, tempo)
                        if value > best:
                            best, choice = value, (a, t, b, u)
    return best, choice


@kernel
def rain_worth(s: Any, x: Any, tempo: Any) -> Any:
    """What it changes to take the tile from space x, an opponent's counted as the strongest."""
    p = np.int64(s.current_player)
    mine = s.owner[x] == p
    strength = -strength_at(s, x) if mine else strength_at(s, x)
    return change(s, p, x, type_at(s, x), strength, -1, tempo)


@kernel
def wants_card(s: Any, tempo: Any) -> Any:
    """Whether the ability card is to be used now."""
    card = np.int64(s.card[s.current_player])
    if card == TORII:
        value, _ = best_swap(s, tempo)
        return value > LEAST_ABILITY
    if card == RAINY_DAY:
        return best_rain(s, tempo)[0] > LEAST_ABILITY
    return card in (TAKOYAKI, KONBINI)


@kernel
def best_rain(s: Any, tempo: Any) -> Any:
    """The best tile to return with Rainy Day, and what it changes."""
    best, chosen = NOTHING, NOWHERE
    for x in range(LAND, WATER):
        if is_target(s, x):
            value = rain_worth(s, x, tempo)
            if value > best:
                best, chosen = value, x
    return best, chosen


@kernel
def ability_action(s: Any, mask: Any, noise: Any, tempo: Any) -> Any:
    """Go on with an ability card, or with the setup."""
    stage = np.int64(s.stage)
    if stage in (PARK, TOKEN):
        _, choice = best_swap(s, tempo)
        if stage == PARK:
            return choice[0] if s.first == NOWHERE else choice[2]
        return TYPE_ID + (choice[1] if s.second == NOWHERE else choice[3])
    if stage == TILE and s.card[s.current_player] == RAINY_DAY:
        return best_rain(s, tempo)[1]
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
def next_tile(s: Any, mask: Any, tempo: Any) -> Any:
    """Use the card, place a tile that is not Fast, then Fast ones that add enough, end the turn.

    In this order the first tile is chosen for the map as it is, and Fast tiles mend who is to fill
    the last space; the other way round tempo_greedy wins 4 % less.
    """
    if mask[USE] and wants_card(s, tempo):
        return USE
    _, tile = best_tile(s, mask, False, tempo, True)
    if tile != NOWHERE:
        return TILE_ID + tile
    gain, fast = best_tile(s, mask, True, tempo, True)
    return TILE_ID + fast if gain > LEAST_FAST or not mask[DONE] else DONE


@kernel
def act(s: Any, mask: Any, noise: Any, tempo: Any) -> Any:
    """The action of either greedy player."""
    if s.stage == TURN:
        return next_tile(s, mask, tempo)
    if s.stage == SPACE:
        return best_space(s, np.int64(s.chosen), tempo, True)[1]
    if s.stage == MOVE_TO and s.chosen == MOVE:
        return best_destination(s, np.int64(s.first), tempo, True)[1]
    if s.stage == DIRECTION:
        return DIRECTION_ID + best_direction(s, np.int64(s.first), tempo, True)[1]
    return ability_action(s, mask, noise, tempo)


@kernel
def captures_only(s: Any, mask: Any, noise: Any) -> Any:
    """Place one tile a turn, where it wins a token if some tile does, else at random."""
    if s.stage == TURN:
        gain, tile = best_tile(s, mask, False, 0.0, False)
        if s.placed > 0:
            return DONE
        if gain > 0.5:
            return TILE_ID + tile
    elif s.stage == SPACE:
        gain, x = best_space(s, np.int64(s.chosen), 0.0, False)
        if gain > 0.5:
            return x
    elif s.stage == MOVE_TO and s.chosen == MOVE:
        gain, x = best_destination(s, np.int64(s.first), 0.0, False)
        if gain > 0.5:
            return x
    elif s.stage == DIRECTION:
        return DIRECTION_ID + best_direction(s, np.int64(s.first), 0.0, False)[1]
    return random_bot(s, mask, noise)


@kernel
def greedy(s: Any, mask: Any, noise: Any) -> Any:
    """Add most potential."""
    return act(s, mask, noise, 0.0)


@kernel
def tempo_greedy(s: Any, mask: Any, noise: Any) -> Any:
    """Add most potential, and leave the last space of a park to nobody."""
    return act(s, mask, noise, TEMPO)
