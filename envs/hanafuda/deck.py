"""The 48 hanafuda cards, and sets of them as 64-bit words.

A card id is 4 * month + k, months 0 … 11 and k the place in the month, best card first. A set of
cards is an int64 whose bit c says whether it holds card c, so that
`captured & AKATAN == AKATAN` asks for three cards at once.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from hanazono.envs.core.kernel import kernel

MONTHS, PER_MONTH = 12, 4
CARDS = MONTHS * PER_MONTH
PLANTS = ("Pine", "Plum", "Cherry", "Wisteria", "Iris", "Peony",
          "Bush clover", "Pampas", "Chrysanthemum", "Maple", "Willow", "Paulownia")  # fmt: skip

BRIGHT, ANIMAL, RIBBON, PLAIN = 0, 1, 2, 3
RANK_NAMES = ("bright", "animal", "ribbon", "plain")
POETRY, BLUE, RED = "poetry ribbon", "blue ribbon", "red ribbon"

# What is drawn on the cards of each month beside its plant; the rest of its four cards is plain.
PICTURES = (
    (("Crane", BRIGHT), (POETRY, RIBBON)),
    (("Warbler", ANIMAL), (POETRY, RIBBON)),
    (("Curtain", BRIGHT), (POETRY, RIBBON)),
    (("Cuckoo", ANIMAL), (RED, RIBBON)),
    (("Bridge", ANIMAL), (RED, RIBBON)),
    (("Butterflies", ANIMAL), (BLUE, RIBBON)),
    (("Boar", ANIMAL), (RED, RIBBON)),
    (("Moon", BRIGHT), ("Geese", ANIMAL)),
    (("Sake cup", ANIMAL), (BLUE, RIBBON)),
    (("Deer", ANIMAL), (BLUE, RIBBON)),
    (("Rainman", BRIGHT), ("Swallow", ANIMAL), (RED, RIBBON), ("Lightning", PLAIN)),
    (("Phoenix", BRIGHT), ("shaded plain", PLAIN)),
)


def _named_cards() -> tuple[list[str], list[int]]:
    """Name and rank of every card."""
    names, ranks = [], []
    for plant, pictures in zip(PLANTS, PICTURES, strict=True):
        plains = PER_MONTH - len(pictures)
        marks = [""] if plains == 1 else [f" {letter}" for letter in "abc"[:plains]]
        for picture, rank in (*pictures, *((f"plain{mark}", PLAIN) for mark in marks)):
            names.append(f"{plant} {picture}")
            ranks.append(rank)
    return names, ranks


NAMES, _ranks = _named_cards()
RANK = np.array(_ranks, np.int8)


def cards_named(*ends: str) -> int:
    """The set of all cards whose name ends in one of `ends`.

    Raises:
        ValueError: if an end fits no card.
    """
    for end in ends:
        if not any(name.endswith(end) for name in NAMES):
            raise ValueError(f"no card's name ends in {end!r}; cards: {', '.join(NAMES)}")
    return set_of(c for c, name in enumerate(NAMES) if name.endswith(ends))


def set_of(cards: Iterable[int]) -> int:
    """The set that holds these card ids."""
    return sum(1 << int(c) for c in cards)


def cards_of(card_set: int) -> list[int]:
    """The card ids in a set, ascending."""
    return [c for c in range(CARDS) if int(card_set) >> c & 1]


ALL_CARDS = np.int64((1 << CARDS) - 1)
BRIGHTS, ANIMALS, RIBBONS, PLAINS = (
    np.int64(set_of(np.flatnonzero(rank == RANK))) for rank in (BRIGHT, ANIMAL, RIBBON, PLAIN)
)
CRANE, WARBLER, CURTAIN, CUCKOO, BRIDGE, BUTTERFLIES, BOAR, MOON, GEESE = (
    cards_named(end)
    for end in ("Crane", "Warbler", "Curtain", "Cuckoo", "Bridge", "Butterflies", "Boar", "Moon",
                "Geese")
)  # fmt: skip
SAKE, DEER, RAINMAN, PHOENIX, SHADED, LIGHTNING = (
    cards_named(end)
    for end in ("Sake cup", "Deer", "Rainman", "Phoenix", "shaded plain", "Lightning")
)
WILLOW_RIBBON = cards_named(f"Willow {RED}")
AKATAN, AOTAN = np.int64(cards_named(POETRY)), np.int64(cards_named(BLUE))
KUSATAN = np.int64(cards_named(RED) & ~WILLOW_RIBBON)

FIRST_CARDS = np.int64(0x1111_1111_1111)  # k = 0 of every month
MONTH_SET = np.int64((1 << PER_MONTH) - 1)


@kernel
def month_of(m: Any) -> Any:
    """The set of the four cards of month m, 0 … 11."""
    return MONTH_SET << (PER_MONTH * m)


@kernel
def same_month(cards: Any, c: Any) -> Any:
    """The cards of a set that are of card c's month."""
    return cards & month_of(c // PER_MONTH)


@kernel
def whole_months(cards: Any) -> Any:
    """The k = 0 cards of all months that lie whole in the set."""
    return cards & (cards >> 1) & (cards >> 2) & (cards >> 3) & FIRST_CARDS
