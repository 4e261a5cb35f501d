"""Shuffling and dealing: the pile is an array of card ids and the place of its top card."""

from typing import Any

from hanazono.envs.core.kernel import kernel
from hanazono.envs.core.rng import below, draw
from hanazono.envs.core.sets import bit
from hanazono.envs.hanafuda.deck import CARDS


@kernel
def shuffle_from(s: Any, first: Any) -> None:
    """Shuffle the pile `s.pile` (uint8 [48]) from place `first` to its end."""
    for i in range(first, CARDS - 1):
        j = i + below(draw(s), CARDS - i)
        s.pile[i], s.pile[j] = s.pile[j], s.pile[i]


@kernel
def shuffle(s: Any) -> None:
    """Shuffle a whole new deck into `s.pile`."""
    for c in range(CARDS):
        s.pile[c] = c
    shuffle_from(s, 0)


@kernel
def taken(s: Any, first: Any, count: Any) -> Any:
    """The set of the `count` cards that lie in the pile from place `first` on."""
    cards = bit(0) & 0
    for i in range(first, first + count):
        cards |= bit(s.pile[i])
    return cards
