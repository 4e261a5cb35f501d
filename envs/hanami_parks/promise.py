"""What a token promises a player: a rough measure for scripted players and the observation.

A token promises from -1 to 1. When no Land is open around its park it counts whether the balance is
for or against the player; before that how much, the less the more Land is open.

Letters: a is a park, t a type, `of` the type of a tile, `style` one of CAPTURES, GREEDY, TEMPO.
"""

from typing import Any

import numpy as np

from hanazono.envs.core.kernel import kernel
from hanazono.envs.core.sets import bit
from hanazono.envs.hanami_parks.boards import AROUND, MOST_PARKS, NOWHERE, PARKS_BY, TYPES
from hanazono.envs.hanami_parks.tiles import WILD

# CAPTURES: only of parks with no Land open. TEMPO: to leave an odd number of spaces is to leave the
# last one to the others, if everybody fills one in turn; it is worth LAST_SPACE in strength.
CAPTURES, GREEDY, TEMPO = range(3)
LAST_SPACE = 0.7
EVEN = 32  # more than any balance: there are six spaces around a park


def promise_table() -> np.ndarray:
    """The promise by style, open Land around the park, and balance + EVEN."""
    table = np.zeros((3, AROUND + 1, 2 * EVEN), np.float32)
    balance = np.arange(2 * EVEN) - EVEN
    table[:, 0] = np.sign(balance)
    for left in range(1, AROUND + 1):
        last = LAST_SPACE / left * (-1 if left % 2 else 1)
        for style, bonus in ((GREEDY, 0.0), (TEMPO, last)):
            table[style, left] = 0.9 * np.tanh((balance + bonus) / (1.6 * left**0.5 + 1))
    return table


PROMISE = promise_table()


@kernel
def gain(s: Any, p: Any, a: Any, of: Any, strength: Any, fills: Any, style: Any) -> Any:
    """What a tile adds to what park a promises seat p; it fills so many Land spaces there."""
    value, left = np.float32(0), np.int64(s.open_land[a])
    for t in range(TYPES):
        if s.tokens[a] & bit(t):
            d = EVEN + np.int64(s.balance[p, t, a])
            more = strength if of in (WILD, t) else 0
            value += PROMISE[style, left - fills, d + more] - PROMISE[style, left, d]
    return value


@kernel
def worth(s: Any, p: Any, x: Any, of: Any, strength: Any, fills: Any, style: Any) -> Any:
    """What a tile on space x adds to what the parks around promise seat p."""
    value = np.float32(0)
    for i in range(MOST_PARKS):
        a = np.int64(PARKS_BY[s.board, x, i])
        if a == NOWHERE:
            break
        value += gain(s, p, a, of, strength, fills, style)
    return value
