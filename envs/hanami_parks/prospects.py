"""What a token promises while its park is open: a measure for scripted players and observations.

It is no rule. An open park with o empty Land spaces and a balance of strength d (RULES.md § 7)
promises 0.9 tanh(d / (1.6 sqrt(o) + 1)) of its token, and a full one the sign of d. Who also counts
tempo adds 0.7 / o to d where o is even, and takes it away where it is odd: if everybody fills one
space in turn, the others fill the last.

Letters: a is a park, t a type of tokens, p a seat.
"""

from typing import Any

import numpy as np

from hanazono.envs.core.kernel import kernel
from hanazono.envs.core.sets import lowest
from hanazono.envs.hanami_parks.boards import AROUND, LAST_PARK, TYPES
from hanazono.envs.hanami_parks.parks import is_boat
from hanazono.envs.hanami_parks.tiles import STRENGTH, WILD

CAPTURES, GREEDY, TEMPO = range(3)  # styles: only full parks count; open ones too; tempo too
LAST_SPACE = 0.7  # strength that the last space is worth in style TEMPO
EVEN = 64  # more than any balance: a park has at most 18 spaces around


def promise_table() -> np.ndarray:
    """What a token promises, -1 to 1, by style, empty Land around it, and balance + EVEN."""
    table = np.zeros((3, AROUND + 1, 2 * EVEN))
    balance = np.arange(2 * EVEN) - EVEN
    table[:, 0] = np.sign(balance)
    for left in range(1, AROUND + 1):
        last = LAST_SPACE / left * (-1 if left % 2 else 1)
        for style, bonus in ((GREEDY, 0.0), (TEMPO, last)):
            table[style, left] = 0.9 * np.tanh((balance + bonus) / (1.6 * left**0.5 + 1))
    return table


PROMISE = promise_table()
OF_TEMPO = PROMISE[TEMPO].astype(np.float32)


@kernel
def gain(s: Any, p: Any, a: Any, of: Any, strength: Any, fills: Any, style: Any) -> Any:
    """What it adds at park a for seat p that a tile of type `of` lies there, which fills so many
    Land spaces (-1 empties one)."""
    value, left = 0.0, np.int64(s.open_land[a])
    rest = max(left - fills, 0)
    for t in range(TYPES):
        if s.tokens[a] & (1 << t):
            d = EVEN + np.int64(s.balance[p, t, a])
            more = strength if of in (WILD, t) else 0
            value += PROMISE[style, rest, d + more] - PROMISE[style, left, d]
    return value


@kernel
def parks_by_type(s: Any) -> Any:
    """For each type the set of the parks that hold a token of it."""
    sakura, chochin, onigiri = np.int64(0), np.int64(0), np.int64(0)
    for a in range(LAST_PARK[s.map, s.num_players]):
        tokens = np.int64(s.tokens[a])
        sakura |= (tokens & 1) << a
        chochin |= ((tokens >> 1) & 1) << a
        onigiri |= ((tokens >> 2) & 1) << a
    return sakura, chochin, onigiri


@kernel
def write_fills(s: Any, p: Any, t: Any, parks: Any, gains: Any) -> None:
    """Add to `gains` [PARKS] what it adds for seat p, at its tokens of type t, to fill a Land space
    around these parks."""
    while parks != 0:
        a = lowest(parks)
        parks &= parks - 1
        left, d = np.int64(s.open_land[a]), EVEN + np.int64(s.balance[p, t, a])
        gains[a] += OF_TEMPO[max(left - 1, 0), d] - OF_TEMPO[left, d]


@kernel
def write_strength(s: Any, p: Any, t: Any, parks: Any, k: Any, gains: Any) -> None:
    """Add to `gains` [PARKS] what the strength of a tile of kind k adds besides for seat p, at the
    tokens of type t in these parks."""
    fills, strength = (0 if is_boat(k) else 1), np.int64(STRENGTH[k])
    while parks != 0:
        a = lowest(parks)
        parks &= parks - 1
        rest, d = max(np.int64(s.open_land[a]) - fills, 0), EVEN + np.int64(s.balance[p, t, a])
        gains[a] += OF_TEMPO[rest, d + strength] - OF_TEMPO[rest, d]
