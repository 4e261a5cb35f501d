"""Connected areas (RULES.md § 7), by bit operations on the whole table at once.

A set of squares as it lies on the table is three int64 words of two rows each: rows 0, 2, 4 in
the lower half of a word, rows 1, 3, 5 in the upper half. Bit k of a row is column k - 8, so that
offsets of -9 … 9 fill 28 of the 32 bits, and nothing runs over from row to row.
"""

from typing import Any

import numpy as np

from hanazono.envs.core.kernel import kernel
from hanazono.envs.core.sets import lowest, size
from hanazono.envs.hanami_tatami.cards import BOARD, NUMBERS, PATTERNS

ROWS = PATTERNS
MOST_OFFSET = 9
COLUMNS = NUMBERS + 2 * MOST_OFFSET
HALF = 32
ENDS = np.int64(1 | 1 << (NUMBERS - 1))  # squares 1 and 10 of a board


@kernel
def row_of(s: Any, squares: Any, r: Any) -> Any:
    """The squares of a set that lie in row r; bit k is column k - 8."""
    b = np.int64(s.order[r])
    return ((squares >> (NUMBERS * b)) & BOARD) << (s.offset[b] + MOST_OFFSET)


@kernel
def on_table(s: Any, squares: Any) -> Any:
    """A set of squares as it lies on the table."""
    return (
        row_of(s, squares, 0) | row_of(s, squares, 1) << HALF,
        row_of(s, squares, 2) | row_of(s, squares, 3) << HALF,
        row_of(s, squares, 4) | row_of(s, squares, 5) << HALF,
    )


@kernel
def squares_of(s: Any, row: Any, r: Any) -> Any:
    """The squares of a row of the table, as a set; its lowest 28 bits count."""
    b = np.int64(s.order[r])
    return ((row >> (s.offset[b] + MOST_OFFSET)) & BOARD) << (NUMBERS * b)


@kernel
def squares_at(s: Any, x: Any, y: Any, z: Any) -> Any:
    """The squares that lie in these places of the table, as a set."""
    return (
        squares_of(s, x, 0) | squares_of(s, x >> HALF, 1)
        | squares_of(s, y, 2) | squares_of(s, y >> HALF, 3)
        | squares_of(s, z, 4) | squares_of(s, z >> HALF, 5)
    )  # fmt: skip


@kernel
def spread(x: Any, y: Any, z: Any) -> Any:
    """These places and all their neighbours."""
    return (
        x | x << 1 | x >> 1 | x << HALF | x >> HALF | y << HALF,
        y | y << 1 | y >> 1 | y << HALF | y >> HALF | z << HALF | x >> HALF,
        z | z << 1 | z >> 1 | z << HALF | z >> HALF | y >> HALF,
    )


@kernel
def first_place(a: Any, b: Any, c: Any) -> Any:
    """One of these places."""
    if a != 0:
        return a & -a, b & 0, c & 0
    if b != 0:
        return a & 0, b & -b, c & 0
    return a & 0, b & 0, c & -c


@kernel
def first_area(a: Any, b: Any, c: Any) -> Any:
    """The area that one of these places belongs to."""
    x, y, z = first_place(a, b, c)
    growing = True
    while growing:
        u, v, w = spread(x, y, z)
        u, v, w = u & a, v & b, w & c
        growing = u != x or v != y or w != z
        x, y, z = u, v, w
    return x, y, z


@kernel
def corners(s: Any) -> Any:
    """The corner squares, in the first and in the third word of the table."""
    top, bottom = s.order[0], s.order[ROWS - 1]
    return (
        ENDS << (s.offset[top] + MOST_OFFSET),
        ENDS << (s.offset[bottom] + MOST_OFFSET + HALF),
    )


@kernel
def largest_area(s: Any, squares: Any) -> Any:
    """Size of the largest area of these squares, and 1 if it, or an equal one, holds a corner."""
    a, b, c = on_table(s, squares)
    top, bottom = corners(s)
    largest, corner = 0, 0
    while (a | b | c) != 0:
        x, y, z = first_area(a, b, c)
        squares_in = size(x) + size(y) + size(z)
        holds = 1 if (x & top) | (z & bottom) != 0 else 0
        if squares_in > largest or (squares_in == largest and holds > corner):
            largest, corner = squares_in, holds
        a, b, c = a & ~x, b & ~y, c & ~z
    return largest, corner


@kernel
def measure_area(s: Any, p: Any) -> None:
    """Find the areas of seat p: the best of the largest, and which squares lie beside them."""
    a, b, c = on_table(s, s.markers[p])
    top, bottom = corners(s)
    s.beside[p, :] = 0
    s.area[p] = 0
    s.corner[p] = 0
    while (a | b | c) != 0:
        x, y, z = first_area(a, b, c)
        count = size(x) + size(y) + size(z)
        corner = 1 if (x & top) | (z & bottom) != 0 else 0
        if count > s.area[p] or (count == s.area[p] and corner > s.corner[p]):
            s.area[p], s.corner[p] = count, corner
        u, v, w = spread(x, y, z)
        add_beside(s, p, squares_at(s, u & ~x, v & ~y, w & ~z), count)
        a, b, c = a & ~x, b & ~y, c & ~z


@kernel
def add_beside(s: Any, p: Any, next_to: Any, count: Any) -> None:
    """Count an area of so many squares for each square next to it."""
    while next_to != 0:
        s.beside[p, lowest(next_to)] += count
        next_to &= next_to - 1
