"""Sets of cards written into an observation, a byte or a month of them at a time."""

from typing import Any

import numpy as np

from hanazono.envs.core.kernel import kernel
from hanazono.envs.hanafuda.deck import CARDS, MONTHS, PER_MONTH

BITS = np.array([[b >> i & 1 for i in range(8)] for b in range(256)], np.float32)
SHARES = np.array([[b.bit_count() / PER_MONTH] * PER_MONTH for b in range(16)], np.float32)


@kernel
def card_piece(out: Any, start: Any) -> Any:
    """A piece over the cards as an array of its own: loops over it compile to vector code."""
    return out[start : start + CARDS]


@kernel
def write_set(cards: Any, piece: Any) -> None:
    """Fill a piece over the cards with 1 for every card of the set."""
    for k in range(CARDS // 8):
        byte = (cards >> (8 * k)) & 255
        for i in range(8):
            piece[8 * k + i] = BITS[byte, i]


@kernel
def write_month_shares(cards: Any, piece: Any) -> None:
    """Fill a piece over the cards with the number of cards of its month in the set / 4."""
    for m in range(MONTHS):
        among = (cards >> (PER_MONTH * m)) & 15
        for k in range(PER_MONTH):
            piece[PER_MONTH * m + k] = SHARES[among, k]
