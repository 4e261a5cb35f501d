"""The yaku of Hanawase: section 5 of RULES.md as kernels, apart from rules.py for its length.

Letters: y is a yaku in the order of § 5. A word of yaku has bit y for yaku y.
"""

from typing import Any

import numpy as np

from hanazono.envs.core.game import Option
from hanazono.envs.core.kernel import kernel
from hanazono.envs.hanafuda.deck import (
    AKATAN,
    AOTAN,
    BOAR,
    BRIGHTS,
    BUTTERFLIES,
    CARDS,
    CRANE,
    CURTAIN,
    DEER,
    KUSATAN,
    MOON,
    PHOENIX,
    RAINMAN,
    RIBBONS,
    SAKE,
    WARBLER,
    WILLOW_RIBBON,
    set_of,
)

# Name, cards, how many of them, points. For the Rainy Four the Rainman counts as two
# cards, so that five of its six are the Rainman and three others.
RAINMAN_CARD = 40
RAINMAN_AGAIN = 1 << CARDS


def with_rainman_twice(cards: int) -> int:
    """The cards, and RAINMAN_AGAIN if the Rainman is among them."""
    return cards | RAINMAN_AGAIN if cards >> RAINMAN_CARD & 1 else cards


YAKU_TABLE = (
    ("Goko", BRIGHTS, 5, 100),
    ("Shiko", BRIGHTS & ~RAINMAN, 4, 60),
    ("Rainy Four", BRIGHTS | RAINMAN_AGAIN, 5, 40),
    ("Omote-Sugawara", CRANE | WARBLER | CURTAIN, 3, 30),
    ("Matsu-Kiri-Bozu", CRANE | MOON | PHOENIX, 3, 20),
    ("Nanatan", RIBBONS & ~WILLOW_RIBBON, 7, 40),
    ("Aotan", AOTAN, 3, 40),
    ("Akatan", AKATAN, 3, 40),
    ("Rokutan", RIBBONS & ~WILLOW_RIBBON, 6, 30),
    ("Kusa", KUSATAN, 3, 20),
    ("Boar-Deer-Butterfly", BOAR | DEER | BUTTERFLIES, 3, 20),
    ("Hanami", CURTAIN | SAKE, 2, 20),
    ("Tsukimi", MOON | SAKE, 2, 20),
    ("Fujishima", set_of(range(12, 16)), 4, 20),
    ("Kirishima", set_of(range(44, 48)), 4, 20),
)
YAKU = len(YAKU_TABLE)
YAKU_NAMES = tuple(row[0] for row in YAKU_TABLE)
GOKO, SHIKO, RAINY_FOUR, OMOTE_SUGAWARA, MATSU_KIRI_BOZU = range(5)
NANATAN, AOTAN_YAKU, AKATAN_YAKU, ROKUTAN, KUSA = range(5, 10)
BOAR_DEER_BUTTERFLY, HANAMI, TSUKIMI, FUJISHIMA, KIRISHIMA = range(10, 15)

POINTS_ALLOWED = range(201)
YAKU_OPTIONS = (
    *(
        Option(
            name.lower().replace("-", "_").replace(" ", "_"),
            points,
            POINTS_ALLOWED,
            f"points of {name} from each opponent; 0 leaves it out",
        )
        for name, _, _, points in YAKU_TABLE
    ),
    Option("oyanaka", 30, POINTS_ALLOWED, "points of Oyanaka Hacchou, Biki Jucchou"),
    Option("matsu_kiri_bozu_stacks", 0, (0, 1), "1: it counts beside other bright yaku", np.int8),
    Option("nanatan_stacks", 1, (0, 1), "0: paid instead of Aotan, Akatan, Kusa, or they", np.int8),
)

YAKU_CARDS = np.array([row[1] for row in YAKU_TABLE], np.int64)
YAKU_NEED = np.array([row[2] for row in YAKU_TABLE], np.int64)
YAKU_SPARE = np.array([int(row[1]).bit_count() - row[2] for row in YAKU_TABLE], np.int64)
# Counts of cards for all yaku in one word, four bits a yaku; at most nine cards count for one.
COUNT_BITS = 4
OUT_OF_REACH = 15
EIGHTS = np.int64(sum(8 << COUNT_BITS * y for y in range(YAKU)))
UNSPARED = np.int64(sum(7 - int(spare) << COUNT_BITS * y for y, spare in enumerate(YAKU_SPARE)))
COUNTS = np.array(
    [
        [
            sum(
                (cards & with_rainman_twice(b << 8 * k)).bit_count() << COUNT_BITS * y
                for y, cards in enumerate(YAKU_CARDS.tolist())
            )
            for b in range(256)
        ]
        for k in range(CARDS // 8)
    ],
    np.int64,
)
BRIGHT_YAKU = 1 << GOKO | 1 << SHIKO | 1 << RAINY_FOUR
SMALL_RIBBON_YAKU = 1 << AOTAN_YAKU | 1 << AKATAN_YAKU | 1 << KUSA


@kernel
def price_yaku(s: Any) -> None:
    """Read the values of all yaku from the options."""
    s.value[GOKO], s.value[SHIKO], s.value[RAINY_FOUR] = s.goko, s.shiko, s.rainy_four
    s.value[OMOTE_SUGAWARA] = s.omote_sugawara
    s.value[MATSU_KIRI_BOZU] = s.matsu_kiri_bozu
    s.value[NANATAN], s.value[ROKUTAN] = s.nanatan, s.rokutan
    s.value[AOTAN_YAKU], s.value[AKATAN_YAKU], s.value[KUSA] = s.aotan, s.akatan, s.kusa
    s.value[BOAR_DEER_BUTTERFLY] = s.boar_deer_butterfly
    s.value[HANAMI], s.value[TSUKIMI] = s.hanami, s.tsukimi
    s.value[FUJISHIMA], s.value[KIRISHIMA] = s.fujishima, s.kirishima


@kernel
def yaku_counts(cards: Any) -> Any:
    """How many of some cards each yaku names, as a word of counts."""
    counts = COUNTS[0, cards & 255]
    for k in range(1, CARDS // 8):
        counts += COUNTS[k, (cards >> (8 * k)) & 255]
    return counts


@kernel
def chances(captured: Any, gone: Any) -> Any:
    """The same of captured cards, but OUT_OF_REACH for each yaku that cannot be complete without
    the cards that are gone."""
    lost = (yaku_counts(gone) + UNSPARED) & EIGHTS  # an 8 where more are gone than can be spared
    return yaku_counts(captured) | (lost >> 3) * OUT_OF_REACH


@kernel
def count_of(y: Any, counts: Any) -> Any:
    """The count of yaku y in a word of counts."""
    return (counts >> (COUNT_BITS * y)) & 15


@kernel
def counted_yaku(s: Any, captured: Any) -> Any:
    """The yaku that count for a player with these captured cards: bit y."""
    made, counts = 0, yaku_counts(captured)
    for y in range(YAKU):
        if s.value[y] > 0 and count_of(y, counts) >= YAKU_NEED[y]:
            made |= 1 << y
    return without_lesser_ribbons(s, without_lesser_brights(s, made))


@kernel
def without_lesser_brights(s: Any, made: Any) -> Any:
    """Keep the most valuable bright yaku."""
    rivals = made & BRIGHT_YAKU
    if not s.matsu_kiri_bozu_stacks:
        rivals |= made & (1 << MATSU_KIRI_BOZU)
    best = -1
    for y in range(YAKU):
        if rivals >> y & 1 and (best < 0 or s.value[y] > s.value[best]):
            best = y
    return made if best < 0 else made & ~rivals | 1 << best


@kernel
def without_lesser_ribbons(s: Any, made: Any) -> Any:
    """Let Nanatan replace Rokutan, and by an option compete with Aotan, Akatan and Kusa."""
    if not made >> NANATAN & 1:
        return made
    made &= ~(1 << ROKUTAN)
    small = made & SMALL_RIBBON_YAKU
    if s.nanatan_stacks:
        return made
    return made & ~(1 << NANATAN) if points_of(s, small) > s.value[NANATAN] else made & ~small


@kernel
def points_of(s: Any, yaku: Any) -> Any:
    """What each opponent pays for these yaku (bits)."""
    points = 0
    for y in range(YAKU):
        if yaku >> y & 1:
            points += s.value[y]
    return points
