"""The setup of Hanami on park maps (RULES.md § 3).

Letters: p is a seat, a is a park, k a kind of tile, t a type.
"""

from typing import Any

import numpy as np

from hanazono.envs.core.kernel import kernel
from hanazono.envs.core.rng import below, draw
from hanazono.envs.core.seats import seat_after
from hanazono.envs.core.sets import bit, lowest, size
from hanazono.envs.hanami_parks.boards import (
    BOARDS,
    MOST_TREES,
    NUMBERS,
    PARKS,
    TOKENS,
    TREES,
    TYPES,
)
from hanazono.envs.hanami_parks.decisions import (
    CHOOSE_HAND,
    DRAFT_PARK,
    DRAFT_TOKEN,
    KEEP_CARD,
    KEEP_ID,
    TILE_ID,
    TYPE_ID,
)
from hanazono.envs.hanami_parks.parks import MAX_PLAYERS, open_map
from hanazono.envs.hanami_parks.piles import (
    HAND,
    NO_TILE,
    draw_up,
    fill_pile,
    highest,
    in_pile,
    shuffle_pile,
    take_kind,
)
from hanazono.envs.hanami_parks.tiles import (
    KINDS,
    NO_CARD,
    SPECIAL,
    SPECIAL_CARDS,
    STANDARD,
    TORII,
)
from hanazono.envs.hanami_parks.turns import NONE, start_turn

ALL_SPECIAL = np.int64((1 << SPECIAL_CARDS + 1) - 2)  # set of cards

TOKENS_OF_TYPE = np.array([TOKENS.get(n, 0) for n in range(MAX_PLAYERS + 1)], np.int8)


@kernel
def reset(s: Any) -> None:
    """Draw the start player, lay the first tokens, and go on to the first decision."""
    clear(s)
    s.start_player = below(draw(s), np.int64(s.num_players))
    s.current_player = s.start_player
    open_map(s)
    s.supply[:] = TOKENS_OF_TYPE[s.num_players]
    for a in range(PARKS):
        if TREES[s.map, a] == MOST_TREES:
            for t in range(TYPES):
                lay_token(s, a, t)
    if s.token_draft:
        s.stage = DRAFT_TOKEN
    else:
        lay_tokens(s)
        start_hands(s)


@kernel
def clear(s: Any) -> None:
    for b in range(BOARDS):
        if NUMBERS[b] == s.board:
            s.map = b
    s.hand[:] = 0
    s.held[:] = 0
    s.hand_size[:] = 0
    s.pile[:] = NO_TILE
    s.pile_size[:] = 0
    s.bottom[:] = 0
    s.aside[:] = 0
    s.aside_size = 0
    s.won[:] = 0
    s.ties[:] = 0
    s.lost[:] = 0
    s.offered[:] = NO_CARD
    s.card[:] = NO_CARD
    s.used[:] = 0
    s.passes = 0
    start_turn(s, 0)


@kernel
def lay_token(s: Any, a: Any, t: Any) -> None:
    s.supply[t] -= 1
    s.tokens[a] |= bit(t)


@kernel
def lay_tokens(s: Any) -> None:
    """Lay random tokens, two of different types where there are two trees, then all others."""
    for trees in range(2, 0, -1):
        for a in range(PARKS):
            if is_open_park(s, a) and TREES[s.map, a] == trees:
                for _ in range(trees):
                    lay_token(s, a, random_type(s, np.int64(s.tokens[a])))


@kernel
def is_open_park(s: Any, a: Any) -> Any:
    return s.open_land[a] > 0  # in the setup


@kernel
def random_type(s: Any, without: Any) -> Any:
    """The type of a random token of the supply that is not of the types `without`."""
    total = 0
    for t in range(TYPES):
        total += 0 if without & bit(t) else s.supply[t]
    left, chosen = below(draw(s), total), 0
    for t in range(TYPES):
        if not without & bit(t):
            if left >= 0:
                chosen = t
            left -= s.supply[t]
    return chosen


@kernel
def trees_left(s: Any, a: Any) -> Any:
    """Trees of an open park without a token."""
    return TREES[s.map, a] - size(np.int64(s.tokens[a])) if is_open_park(s, a) else 0


@kernel
def drafted_trees(s: Any) -> Any:
    """The number of trees of the parks that get tokens now: 2 until these are full, then 1."""
    for a in range(PARKS):
        if TREES[s.map, a] == 2 and trees_left(s, a) > 0:
            return 2
    return 1


@kernel
def fits_park(s: Any, a: Any, t: Any, trees: Any) -> Any:
    """Whether a token can be drafted to park a, where parks with so many trees get tokens."""
    fits = TREES[s.map, a] == trees and trees_left(s, a) > 0
    return fits and not s.tokens[a] & bit(t)


@kernel
def draft(s: Any, a: Any) -> None:
    lay_token(s, a, np.int64(s.first_type))
    s.first_type = NONE
    s.current_player = seat_after(s, np.int64(s.current_player), 1)
    s.stage = DRAFT_TOKEN
    if s.supply[0] + s.supply[1] + s.supply[2] == 0:
        start_hands(s)


@kernel
def start_hands(s: Any) -> None:
    for p in range(s.num_players):
        fill_pile(s, p)
    if s.start_strong:
        s.stage = CHOOSE_HAND
        s.current_player = s.start_player
        return
    for p in range(s.num_players):
        shuffle_pile(s, p)
        draw_up(s, p)
    start_cards(s)


@kernel
def choose_for_hand(s: Any, k: Any) -> None:
    p = np.int64(s.current_player)
    take_kind(s, p, k)
    if s.hand_size[p] == HAND:
        shuffle_pile(s, p)
        s.current_player = seat_after(s, p, 1)
        if s.current_player == s.start_player:
            start_cards(s)


@kernel
def start_cards(s: Any) -> None:
    if s.abilities == SPECIAL:
        deal_cards(s)
        s.stage = KEEP_CARD
        s.current_player = s.start_player
    else:
        if s.abilities == STANDARD:
            s.card[: s.num_players] = TORII
        start_turn(s, np.int64(s.start_player))


@kernel
def deal_cards(s: Any) -> None:
    """Deal every seat two random cards of those that are left."""
    left = ALL_SPECIAL
    for i in range(2 * s.num_players):
        card = nth_card(left, below(draw(s), SPECIAL_CARDS - i))
        left &= ~bit(card)
        s.offered[i // 2, i % 2] = card


@kernel
def nth_card(cards: Any, n: Any) -> Any:
    """Card number n, from 0, of a set of cards."""
    for _ in range(n):
        cards &= cards - 1
    return lowest(cards)


@kernel
def keep(s: Any, card: Any) -> None:
    s.card[s.current_player] = card
    s.current_player = seat_after(s, np.int64(s.current_player), 1)
    if s.current_player == s.start_player:
        s.offered[:] = NO_CARD
        start_turn(s, np.int64(s.start_player))


# Decisions of the setup (§ 8)


@kernel
def mark_setup(s: Any, out: Any) -> None:
    p = np.int64(s.current_player)
    if s.stage == KEEP_CARD:
        for i in range(2):
            out[KEEP_ID + s.offered[p, i] - 1] = 1
    elif s.stage == CHOOSE_HAND:
        mark_for_hand(s, p, out)
    else:
        trees = drafted_trees(s)
        for a in range(PARKS):
            for t in range(TYPES):
                if s.supply[t] > 0 and fits_park(s, a, t, trees):
                    if s.stage == DRAFT_TOKEN:
                        out[TYPE_ID + t] = 1
                    elif t == s.first_type:
                        out[a] = 1


@kernel
def mark_for_hand(s: Any, p: Any, out: Any) -> None:
    """Mark the kinds from which on there are enough tiles to make up a hand."""
    enough = 0
    for k in range(KINDS - 1, highest(s.hand[p]) - 1, -1):
        count = in_pile(s, p, k)
        enough += count
        out[TILE_ID + k] = count > 0 and enough >= HAND - s.hand_size[p]


@kernel
def step_setup(s: Any, action: Any) -> None:
    if s.stage == DRAFT_TOKEN:
        s.first_type = action - TYPE_ID
        s.stage = DRAFT_PARK
    elif s.stage == DRAFT_PARK:
        draft(s, action)
    elif s.stage == CHOOSE_HAND:
        choose_for_hand(s, action - TILE_ID)
    else:
        keep(s, 1 + action - KEEP_ID)
