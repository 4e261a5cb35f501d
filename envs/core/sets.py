"""Sets of numbers 0 … 62 as 64-bit words: bit i says whether i is in the set."""

from typing import Any

import numpy as np

from hanazono.envs.core.kernel import kernel
from hanazono.envs.core.rng import below, keyed

ONE = np.int64(1)
# All 64 bits wide: so the compiler knows the pattern in `size` and uses the processor's own count.
PAIRS, QUADS = np.int64(0x5555_5555_5555_5555), np.int64(0x3333_3333_3333_3333)
NIBBLES, BYTES = np.int64(0x0F0F_0F0F_0F0F_0F0F), np.int64(0x0101_0101_0101_0101)


@kernel
def bit(i: Any) -> Any:
    """The set of i alone."""
    return ONE << i


@kernel
def size(members: Any) -> Any:
    """How many members a set has (sums of 2, 4, 8 bits, then a product that adds the bytes)."""
    pairs = members - ((members >> 1) & PAIRS)
    quads = (pairs & QUADS) + ((pairs >> 2) & QUADS)
    return ((((quads + (quads >> 4)) & NIBBLES) * BYTES) >> 56) & 0xFF


@kernel
def lowest(members: Any) -> Any:
    """The smallest member of a set that is not empty."""
    return size((members & -members) - 1)


@kernel
def mark(members: Any, out: Any) -> None:
    """Write 1 at the place of every member."""
    while members != 0:
        out[lowest(members)] = 1
        members &= members - 1


@kernel
def random_part(members: Any, count: Any, seed: Any, counter: Any) -> Any:
    """A random part of a set: `count` members, by the random numbers from `counter` on."""
    part = members & 0
    for i in range(count):
        rest = members & ~part
        for _ in range(below(keyed(seed, counter + i), size(rest))):
            rest &= rest - 1
        part |= rest & -rest
    return part
