"""Hands and piles (RULES.md §§ 3, 4): shuffling, drawing, taking and returning tiles.

Letters: p is a seat, k a kind of tile. The top of a pile is its last tile, the bottom its first.
"""

from typing import Any

import numpy as np

from hanazono.envs.core.kernel import kernel
from hanazono.envs.core.rng import below, draw
from hanazono.envs.hanami_parks.tiles import FIRST_SPECIAL, KINDS, OF_EACH

HAND = 5
NO_TILE = 255  # in a pile, above its top


@kernel
def kinds_in_play(s: Any) -> Any:
    """Kinds of tiles, from 0 on, that each player has."""
    return KINDS if s.special_tiles else FIRST_SPECIAL


@kernel
def fill_pile(s: Any, p: Any) -> None:
    """All tiles of the seat, in ascending order."""
    for k in range(kinds_in_play(s)):
        put_on_top(s, p, k, np.int64(OF_EACH[k]))
        s.held[p, k] = OF_EACH[k]


@kernel
def put_on_top(s: Any, p: Any, k: Any, count: Any) -> None:
    """Lay so many tiles of a kind on the pile."""
    for _ in range(count):
        s.pile[p, s.pile_size[p]] = k
        s.pile_size[p] += 1


@kernel
def sort_pile(s: Any, p: Any, start: Any) -> None:
    """Put the pile in ascending order, from place `start` to the top."""
    pile = s.pile[p]
    for i in range(start + 1, s.pile_size[p]):
        k, place = pile[i], i
        while place > start and pile[place - 1] > k:
            pile[place] = pile[place - 1]
            place -= 1
        pile[place] = k


@kernel
def shuffle_pile(s: Any, p: Any) -> None:
    """Shuffle a pile that lies in ascending order."""
    pile, size = s.pile[p], np.int64(s.pile_size[p])
    for i in range(size - 1):
        other = i + below(draw(s), size - i)
        pile[i], pile[other] = pile[other], pile[i]
    s.bottom[p] = 0


@kernel
def shuffle_anew(s: Any, p: Any) -> None:
    sort_pile(s, p, 0)
    shuffle_pile(s, p)


@kernel
def draw_tile(s: Any, p: Any) -> None:
    """Take the top tile into the hand, if there is one."""
    if s.pile_size[p] == 0:
        return
    top = s.pile_size[p] - 1
    s.hand[p, s.pile[p, top]] += 1
    s.hand_size[p] += 1
    s.pile[p, top] = NO_TILE
    s.pile_size[p] = top
    if top == 0:
        s.bottom[p] = 0


@kernel
def draw_up(s: Any, p: Any) -> None:
    """Draw until the hand is full or the pile empty."""
    while s.hand_size[p] < HAND and s.pile_size[p] > 0:
        draw_tile(s, p)


@kernel
def take_kind(s: Any, p: Any, k: Any) -> None:
    """Take a tile of this kind out of the pile into the hand."""
    pile, size = s.pile[p], np.int64(s.pile_size[p])
    place = 0
    while pile[place] != k:
        place += 1
    for i in range(place, size - 1):
        pile[i] = pile[i + 1]
    pile[size - 1] = NO_TILE
    s.pile_size[p] = size - 1
    s.hand[p, k] += 1
    s.hand_size[p] += 1


@kernel
def put_at_bottom(s: Any, p: Any, k: Any) -> None:
    """Return a tile to the bottom of the pile, seen by all."""
    pile = s.pile[p]
    for i in range(s.pile_size[p], 0, -1):
        pile[i] = pile[i - 1]
    pile[0] = k
    s.pile_size[p] += 1
    s.held[p, k] += 1
    s.bottom[p] = 1


@kernel
def in_pile(s: Any, p: Any, k: Any) -> Any:
    """Tiles of a kind in the pile."""
    aside = s.aside[k] if p == s.current_player else 0
    return s.held[p, k] - s.hand[p, k] - aside


@kernel
def highest(counts: Any) -> Any:
    """The highest kind of which there are tiles, 0 if there are none."""
    found = 0
    for k in range(KINDS):
        if counts[k] > 0:
            found = k
    return found
