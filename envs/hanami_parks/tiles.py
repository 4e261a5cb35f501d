"""Tiles, tokens and ability cards: ids and constants (RULES.md § 2)."""

import numpy as np

from hanazono.envs.hanami_parks.boards import TYPES

TYPE_NAMES = ("Sakura", "Chochin", "Onigiri")
WILD, NO_TYPE = TYPES, TYPES + 1  # types of tiles beside the three of tokens
SAKURA, CHOCHIN, ONIGIRI = range(TYPES)

# name, type, strength, of each player
TILES = (
    ("Sakura 2", SAKURA, 2, 1), ("Sakura 3", SAKURA, 3, 1), ("Sakura 4", SAKURA, 4, 1),
    ("Chochin 2", CHOCHIN, 2, 1), ("Chochin 3", CHOCHIN, 3, 1), ("Chochin 4", CHOCHIN, 4, 1),
    ("Onigiri 2", ONIGIRI, 2, 1), ("Onigiri 3", ONIGIRI, 3, 1), ("Onigiri 4", ONIGIRI, 4, 1),
    ("Neko 1", WILD, 1, 2), ("Neko 2", WILD, 2, 2), ("Neko 3", WILD, 3, 1),
    ("Fast Neko 1", WILD, 1, 1), ("Boat 1", WILD, 1, 2), ("Boat 2", WILD, 2, 1),
    ("Move", NO_TYPE, 0, 1), ("Draw", NO_TYPE, 0, 1), ("Cover", WILD, 3, 1),
    ("Copy", NO_TYPE, 0, 1),
)  # fmt: skip
TILE_NAMES = tuple(name for name, *_ in TILES)
KINDS = len(TILES)
FAST_NEKO, BOAT_1, BOAT_2, MOVE, DRAW, COVER, COPY = (
    np.int64(TILE_NAMES.index(name))  # of one width with the kinds that rules compute
    for name in ("Fast Neko 1", "Boat 1", "Boat 2", "Move", "Draw", "Cover", "Copy")
)
FIRST_SPECIAL = DRAW
TYPE_OF, STRENGTH, OF_EACH = (np.array([tile[i] for tile in TILES], np.int8) for i in (1, 2, 3))
MOST_STRENGTH = 4
MOST_TILES = int(OF_EACH.sum())  # of a player
BASE_TILES = int(OF_EACH[:FIRST_SPECIAL].sum())

# Values of a map space beside kinds of tiles.
EMPTY, CLOSED = 254, 255

CARD_NAMES = (
    "Torii", "Bicycle", "Takoyaki", "Rainy Day", "Taiyaki", "Ferry", "Konbini", "Omamori",
    "Tea House",
)  # fmt: skip
CARDS = len(CARD_NAMES)
TORII, BICYCLE, TAKOYAKI, RAINY_DAY, TAIYAKI, FERRY, KONBINI, OMAMORI, TEA_HOUSE = range(CARDS)
SPECIAL_CARDS = CARDS - 1
NO_CARD = -1
STANDARD, SPECIAL = 1, 2  # values of the option `abilities`
