"""The rules of Hanami on park maps as kernels on one state record `s`: the state, and RULES.md § 8.

The sections before are in boards.py (§ 1), tiles.py (§ 2), setup.py (§ 3), turns.py (§ 4; hands and
piles in piles.py), parks.py (§§ 5, 7) and abilities.py (§ 6), what a player knows (§ 9) in
knowledge.py.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from hanazono.envs.core.game import Field
from hanazono.envs.core.kernel import kernel
from hanazono.envs.hanami_parks import abilities
from hanazono.envs.hanami_parks.abilities import can_use, use_card
from hanazono.envs.hanami_parks.boards import AROUND, LAND, PARKS, SPACES, TOKENS, TYPES, WATER
from hanazono.envs.hanami_parks.decisions import (
    DIRECTION,
    DIRECTION_ID,
    DONE,
    FROM_PILE,
    KEEP_CARD,
    MOVE_TO,
    PARK,
    SPACE,
    TILE,
    TILE_ID,
    TOKEN,
    TURN,
    TYPE_ID,
    USE,
)
from hanazono.envs.hanami_parks.parks import MAX_PLAYERS
from hanazono.envs.hanami_parks.piles import HAND, highest, in_pile
from hanazono.envs.hanami_parks.setup import mark_setup, step_setup
from hanazono.envs.hanami_parks.tiles import KINDS, MOST_TILES, MOVE
from hanazono.envs.hanami_parks.turns import (
    can_place,
    choose,
    end_turn,
    mark_empty,
    mark_spaces,
    move_own,
    place,
    point,
)

MIN_PLAYERS = 2

FIELDS = (
    Field("map", np.int8, (), "place of the board among all that there are"),
    Field("tile", np.uint8, (SPACES,), "kind of tile on each space, 254 none, 255 not for tiles"),
    Field("owner", np.int8, (SPACES,), "seat whose tile lies there, -1 none"),
    Field("tokens", np.uint8, (PARKS,), "bit t: a token of type t lies in the park"),
    Field("open_land", np.int8, (PARKS,), "empty Land spaces around each open park"),
    Field(
        "pips", np.int8, (MAX_PLAYERS, TYPES, PARKS), "strength of each seat, type, at each park"
    ),
    Field(
        "balance",
        np.int8,
        (MAX_PLAYERS, TYPES, PARKS),
        "of pips: the seat's less those of the strongest other seat",
    ),
    Field("free_land", np.int8, (), "empty Land spaces on the open islands"),
    Field("free_water", np.int8, (), "empty open Water spaces"),
    Field("open_water", np.int8, (), "open Water spaces"),
    Field("arrow", np.int8, (MAX_PLAYERS,), "direction of the seat's Copy on the map, -1 none"),
    Field("copy_at", np.int16, (MAX_PLAYERS,), "space of the seat's Copy, -1 none"),
    Field("copy_type", np.int8, (MAX_PLAYERS,), "type it counts for now, 3 wild, 4 none"),
    Field("copy_strength", np.int8, (MAX_PLAYERS,), "strength it has now"),
    Field("hand", np.int8, (MAX_PLAYERS, KINDS), "tiles of each kind in the hand"),
    Field("held", np.int8, (MAX_PLAYERS, KINDS), "tiles in hand and pile, or aside face down"),
    Field("hand_size", np.int8, (MAX_PLAYERS,), "tiles in the hand"),
    Field("pile", np.uint8, (MAX_PLAYERS, MOST_TILES), "kinds from the bottom up; 255 above"),
    Field("pile_size", np.int8, (MAX_PLAYERS,), "tiles in the pile"),
    Field("bottom", np.int8, (MAX_PLAYERS,), "1: all have seen which tile is at the bottom"),
    Field("aside", np.int8, (KINDS,), "tiles of each kind returned with Tea House, face down"),
    Field("aside_size", np.int8, (), "how many these are"),
    Field("supply", np.int8, (TYPES,), "tokens not yet on the map, in the setup"),
    Field("won", np.int8, (MAX_PLAYERS, TYPES), "tokens won by each seat"),
    Field("ties", np.int8, (TYPES,), "tokens in the Ties area"),
    Field("lost", np.int8, (TYPES,), "tied tokens for which there was no slot"),
    Field("offered", np.int8, (MAX_PLAYERS, 2), "cards to keep one of, -1 but in stage KEEP_CARD"),
    Field("card", np.int8, (MAX_PLAYERS,), "ability card 0..8, -1 none"),
    Field("used", np.int8, (MAX_PLAYERS,), "1: the card has been used"),
    Field("start_player", np.int8, (), "seat that starts"),
    Field("stage", np.int8, (), "DRAFT_TOKEN … RETURN, see decisions.py"),
    Field("chosen", np.int8, (), "kind of the tile that is being placed, -1 none"),
    Field("first", np.int16, (), "space chosen first for a tile or ability, -1 none"),
    Field("second", np.int16, (), "second park chosen for Torii, -1 none"),
    Field("first_type", np.int8, (), "type chosen first, in a draft or for Torii, -1 none"),
    Field("placed", np.int8, (), "tiles placed in this turn"),
    Field("slots", np.int8, (), "tiles that are not Fast and may still be placed in this turn"),
    Field("omamori", np.int8, (), "1: Omamori was used in this turn"),
    Field("passes", np.int8, (), "passes in a row"),
)

# § 8 Decisions


@kernel
def action_mask(s: Any, out: Any) -> None:
    stage = np.int64(s.stage)
    if stage == TURN:
        mark_turn(s, out)
    elif stage == SPACE:
        mark_spaces(s, out)
    elif stage == MOVE_TO:
        mark_move_to(s, out)
    elif stage == DIRECTION:
        out[DIRECTION_ID : DIRECTION_ID + AROUND] = 1
    elif stage <= KEEP_CARD:
        mark_setup(s, out)
    elif stage == TILE:
        abilities.mark_targets(s, out)
    elif stage == PARK:
        abilities.mark_parks(s, out)
    elif stage == TOKEN:
        abilities.mark_types(s, out[TYPE_ID:])
    elif stage == FROM_PILE:
        for k in range(KINDS):
            out[TILE_ID + k] = in_pile(s, np.int64(s.current_player), k) > 0
    else:
        mark_return(s, out)


@kernel
def mark_turn(s: Any, out: Any) -> None:
    p, some = np.int64(s.current_player), False
    for k in range(KINDS):
        if s.hand[p, k] > 0 and can_place(s, k):
            out[TILE_ID + k] = 1
            some = True
    out[USE] = s.placed == 0 and can_use(s)
    out[DONE] = s.placed > 0 or not some


@kernel
def mark_move_to(s: Any, out: Any) -> None:
    if s.chosen == MOVE:
        mark_empty(s, LAND, WATER, out)
    else:
        abilities.mark_destinations(s, out)


@kernel
def mark_return(s: Any, out: Any) -> None:
    p = np.int64(s.current_player)
    for k in range(highest(s.aside), KINDS):
        out[TILE_ID + k] = s.hand[p, k] > 0
    out[DONE] = s.aside_size > 0


@kernel
def move_to(s: Any, y: Any) -> None:
    if s.chosen == MOVE:
        move_own(s, y)
    else:
        abilities.move_chosen(s, y)


@kernel
def step(s: Any, action: Any) -> None:
    stage = np.int64(s.stage)
    if stage == TURN:
        if action == DONE:
            end_turn(s)
        elif action == USE:
            use_card(s)
        else:
            choose(s, action - TILE_ID)
    elif stage == SPACE:
        place(s, action)
    elif stage == MOVE_TO:
        move_to(s, action)
    elif stage == DIRECTION:
        point(s, action - DIRECTION_ID)
    elif stage <= KEEP_CARD:
        step_setup(s, action)
    elif stage == TILE:
        abilities.choose_tile(s, action)
    elif stage == PARK:
        abilities.choose_park(s, action)
    elif stage == TOKEN:
        abilities.choose_type(s, action - TYPE_ID)
    elif stage == FROM_PILE:
        abilities.take_from_pile(s, action - TILE_ID)
    elif action == DONE:
        abilities.end_return(s)
    else:
        abilities.return_tile(s, action - TILE_ID)


USE_DECISIONS = 3 + HAND + 2  # of an ability card, at most


def max_decisions(num_players: int, options: Mapping[str, int]) -> int:
    """A bound on the decisions of a game."""
    tiles = num_players * MOST_TILES + 1  # one may return to a pile
    turns = num_players * (tiles + 1)  # fewer than num_players passes after a turn with a tile
    setup = 2 * TYPES * TOKENS[num_players] + num_players * (HAND + 1)
    return setup + turns + 2 * tiles + num_players * (2 + USE_DECISIONS) + 1
