"""The 60 cards, and sets of them as 64-bit words.

A card id is 10 * pattern + number - 1. A set of cards, or of the squares of the same ids, is an
int64 whose bit c says whether it holds card c. In hands bit 60 is the wild card. The kernels at the
end say which cards make a combination (RULES.md § 4).
"""

from typing import Any

import numpy as np

from hanazono.envs.core.kernel import kernel
from hanazono.envs.core.sets import bit, size

PATTERN_NAMES = ("green", "red", "purple", "black", "yellow", "navy")
PATTERNS, NUMBERS = len(PATTERN_NAMES), 10
CARDS = PATTERNS * NUMBERS
WILD = CARDS

ALL_CARDS = np.int64((1 << CARDS) - 1)
WILD_SET = np.int64(1 << WILD)
BOARD = np.int64((1 << NUMBERS) - 1)
# Cards with number n lie at n; at both ends nothing, since there is no number 0 or 11.
NUMBER_SETS = np.array(
    [0, *(sum(1 << (NUMBERS * b + k) for b in range(PATTERNS)) for k in range(NUMBERS)), 0],
    np.int64,
)


@kernel
def after(c: Any) -> Any:
    """All cards with a higher id than c."""
    return ALL_CARDS & (-bit(c) << 1)


@kernel
def pattern_set(c: Any) -> Any:
    """All cards of card c's pattern."""
    return BOARD << (c // NUMBERS * NUMBERS)


@kernel
def number_set(c: Any) -> Any:
    """All cards of card c's number."""
    return NUMBER_SETS[c % NUMBERS + 1]


@kernel
def numbers_in(cards: Any) -> Any:
    """Which numbers a set holds: bit k is number k + 1."""
    halves = cards | (cards >> (3 * NUMBERS))
    return (halves | (halves >> NUMBERS) | (halves >> (2 * NUMBERS))) & BOARD


# § 4: numbers two below … two above a card, as bits 0 … 4: whether they make a Straight with it,
# and whether they do with a wild card.
STRAIGHT = np.array([w & 3 == 3 or w & 10 == 10 or w & 24 == 24 for w in range(32)])
WILD_STRAIGHT = np.array([w & 27 != 0 for w in range(32)])


@kernel
def partners(a: Any, c: Any) -> Any:
    """The cards that make a combination with cards a and c."""
    cards = bit(0) & 0
    if a // NUMBERS == c // NUMBERS:
        cards |= pattern_set(a)
    low, high = min(a % NUMBERS, c % NUMBERS), max(a % NUMBERS, c % NUMBERS)
    if low == high:
        cards |= number_set(a)
    elif high - low == 1:
        cards |= NUMBER_SETS[low] | NUMBER_SETS[high + 2]
    elif high - low == 2:
        cards |= NUMBER_SETS[low + 2]
    return cards & ~(bit(a) | bit(c))


@kernel
def can_start(cards: Any, wild: Any, c: Any) -> Any:
    """Whether c makes a combination with cards of the set that come after it, or the wild card."""
    later = cards & after(c)
    needed = 1 if wild else 2
    if size(later & pattern_set(c)) >= needed or size(later & number_set(c)) >= needed:
        return True
    window = ((numbers_in(later) << 2) >> (c % NUMBERS)) & 31
    return WILD_STRAIGHT[window] if wild else STRAIGHT[window]


def cards_of(card_set: int) -> list[int]:
    """The card ids in a set, ascending, the wild card not among them."""
    return [c for c in range(CARDS) if int(card_set) >> c & 1]
