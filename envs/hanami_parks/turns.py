"""Turns of Hanami on park maps (RULES.md § 4), with the choices that tiles ask for (§ 5).

Letters: p is a seat, x and y are spaces, k a kind of tile.
"""

from typing import Any

import numpy as np

from hanazono.envs.core.kernel import kernel
from hanazono.envs.core.seats import seat_after
from hanazono.envs.hanami_parks.boards import LAND, NOWHERE, SPACES, WATER
from hanazono.envs.hanami_parks.decisions import DIRECTION, MOVE_TO, SPACE, TURN
from hanazono.envs.hanami_parks.parks import (
    award_parks,
    cover,
    is_boat,
    is_fast,
    is_over,
    move_tile,
    put,
    settle_copies,
)
from hanazono.envs.hanami_parks.piles import draw_tile, draw_up
from hanazono.envs.hanami_parks.tiles import COPY, COVER, DRAW, EMPTY, MOVE

NONE = -1  # no kind, no type


@kernel
def start_turn(s: Any, p: Any) -> None:
    s.current_player = p
    s.stage = TURN
    s.chosen = NONE
    s.first = NOWHERE
    s.second = NOWHERE
    s.first_type = NONE
    s.placed = 0
    s.slots = 1
    s.omamori = 0


@kernel
def can_place(s: Any, k: Any) -> Any:
    """Whether the player to decide can place a tile of this kind now, if it is in the hand."""
    if s.slots == 0 and not is_fast(s, k):
        return False
    if is_boat(k):
        return s.free_water > 0
    if k == MOVE:
        return s.free_land > 0 and has_movable(s)
    if k == COVER:
        return has_coverable(s)
    return s.free_land > 0


@kernel
def is_movable(s: Any, x: Any) -> Any:
    """Whether Move can take up the tile on space x, which is Land."""
    return s.owner[x] == s.current_player and not is_fast(s, np.int64(s.tile[x]))


@kernel
def has_movable(s: Any) -> Any:
    x = LAND
    while x < WATER and not is_movable(s, x):
        x += 1
    return x < WATER


@kernel
def has_coverable(s: Any) -> Any:
    some = False
    for x in range(LAND, SPACES):
        some |= s.owner[x] == s.current_player
    return some


@kernel
def choose(s: Any, k: Any) -> None:
    """Take a tile from the hand to place it."""
    p = np.int64(s.current_player)
    s.held[p, k] -= 1
    s.hand[p, k] -= 1
    s.hand_size[p] -= 1
    s.chosen = k
    s.stage = SPACE


@kernel
def place(s: Any, x: Any) -> None:
    """Place the chosen tile on a space, or ask on."""
    k, p = np.int64(s.chosen), np.int64(s.current_player)
    if k == MOVE:
        s.first = x
        s.stage = MOVE_TO
    elif k == COPY:
        s.first = x
        s.stage = DIRECTION
    else:
        if k == COVER:
            cover(s, x, p)
        else:
            put(s, x, k, p)
        if k == DRAW:
            draw_tile(s, p)
        end_placing(s)


@kernel
def move_own(s: Any, y: Any) -> None:
    """Move the own tile that was chosen, and leave the Move tile there."""
    x = np.int64(s.first)
    move_tile(s, x, y)
    put(s, x, MOVE, np.int64(s.current_player))
    end_placing(s)


@kernel
def point(s: Any, direction: Any) -> None:
    p = np.int64(s.current_player)
    s.arrow[p] = direction
    put(s, np.int64(s.first), COPY, p)
    end_placing(s)


@kernel
def end_placing(s: Any) -> None:
    settle_copies(s)
    s.placed += 1
    s.slots -= 0 if is_fast(s, np.int64(s.chosen)) else 1
    s.chosen = NONE
    s.first = NOWHERE
    s.stage = TURN


@kernel
def end_turn(s: Any) -> None:
    p = np.int64(s.current_player)
    s.passes = s.passes + 1 if s.placed == 0 else 0
    award_parks(s)
    draw_up(s, p)
    s.terminated = is_over(s)
    start_turn(s, seat_after(s, p, 1))


# Spaces that can be chosen (§ 8)


@kernel
def mark_spaces(s: Any, out: Any) -> None:
    k = np.int64(s.chosen)
    if k == MOVE:
        for x in range(LAND, WATER):
            out[x] = is_movable(s, x)
    elif k == COVER:
        for x in range(LAND, SPACES):
            out[x] = s.owner[x] == s.current_player
    elif is_boat(k):
        mark_empty(s, WATER, SPACES, out)
    else:
        mark_empty(s, LAND, WATER, out)


@kernel
def mark_empty(s: Any, start: Any, end: Any, out: Any) -> None:
    tiles, marks = s.tile[start:end], out[start:end]  # compiles to vector code
    for i in range(end - start):
        marks[i] = tiles[i] == EMPTY
