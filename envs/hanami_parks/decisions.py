"""Stages and action ids (RULES.md § 8)."""

import numpy as np

from hanazono.envs.hanami_parks.boards import AROUND, SPACES, TYPES
from hanazono.envs.hanami_parks.tiles import KINDS, SPECIAL_CARDS

# Values of `stage`, what the player decides next.
(
    DRAFT_TOKEN, DRAFT_PARK, CHOOSE_HAND, KEEP_CARD, TURN, SPACE, MOVE_TO, DIRECTION,
    TILE, PARK, TOKEN, FROM_PILE, RETURN,
) = range(13)  # fmt: skip
STAGES = 13

# Spaces are told by their ids, 0 … SPACES - 1; these are the first ids of what follows. An int64,
# so that rules run as plain Python can add a small field such as an int8.
TILE_ID = np.int64(SPACES)
TYPE_ID = TILE_ID + KINDS
DIRECTION_ID = TYPE_ID + TYPES
KEEP_ID = DIRECTION_ID + AROUND  # of card 1; card 0 is never dealt
USE = KEEP_ID + SPECIAL_CARDS
DONE = USE + 1
NUM_ACTIONS = int(DONE) + 1
