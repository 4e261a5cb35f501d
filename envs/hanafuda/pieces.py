"""The pieces of an observation that tell sets of cards, written a byte or a month at a time."""

from typing import Any

import numpy as np

from hanazono.envs.core.kernel import kernel
from hanazono.envs.core.observation import Piece
from hanazono.envs.hanafuda.deck import CARDS, MONTHS, PER_MONTH

PLACES = (  # they come first in both games
    Piece("hand", (CARDS,), 0, 1, "1: in the own hand", "card"),
    Piece("field", (CARDS,), 0, 1, "1: in the field", "card"),
    Piece("unseen", (CARDS,), 0, 1, "1: the reader does not know where it lies", "card"),
    Piece("month_hand", (CARDS,), 0, 1, "cards of its month in the own hand / 4", "card"),
    Piece("month_field", (CARDS,), 0, 1, "cards of its month in the field / 4", "card"),
    Piece("month_unseen", (CARDS,), 0, 1, "unseen cards of its month / 4", "card"),
)

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


@kernel
def write_places(hand: Any, field: Any, unseen: Any, out: Any) -> None:
    """Fill PLACES."""
    write_set(hand, card_piece(out, 0))
    write_set(field, card_piece(out, CARDS))
    write_set(unseen, card_piece(out, 2 * CARDS))
    write_month_shares(hand, card_piece(out, 3 * CARDS))
    write_month_shares(field, card_piece(out, 4 * CARDS))
    write_month_shares(unseen, card_piece(out, 5 * CARDS))
