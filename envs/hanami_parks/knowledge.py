"""What a player of Hanami on park maps knows of tiles and cards (RULES.md § 9).

Of the tiles of another seat this is just `s.held`: all but those in the hand, in the pile and face
down aside have been placed openly.

Letters: v is the player, q another seat, k a kind of tile.
"""

from typing import Any

import numpy as np

from hanazono.envs.core.kernel import kernel
from hanazono.envs.core.rng import below, keyed
from hanazono.envs.core.seats import places_from
from hanazono.envs.core.sets import bit, lowest, random_part
from hanazono.envs.hanami_parks.abilities import return_tile
from hanazono.envs.hanami_parks.decisions import CHOOSE_HAND, KEEP_CARD
from hanazono.envs.hanami_parks.piles import HAND, draw_tile, put_on_top, sort_pile
from hanazono.envs.hanami_parks.setup import ALL_SPECIAL
from hanazono.envs.hanami_parks.tiles import KINDS, NO_CARD


@kernel
def resample_hidden(s: Any, player: Any, seed: Any) -> None:
    """Deal what `player` cannot know anew; the same seed gives the same result."""
    for q in range(s.num_players):
        if q == player:
            mix_pile(s, q, keyed(seed, q))
        else:
            deal_anew(s, q, keyed(seed, q))
        if s.stage == CHOOSE_HAND:
            sort_if_unshuffled(s, q)
    if s.stage == KEEP_CARD:
        deal_cards_anew(s, player, keyed(seed, s.num_players))
    s.seed = keyed(seed, s.num_players + 1)


@kernel
def mix_pile(s: Any, q: Any, seed: Any) -> None:
    """Shuffle the pile, without the tile at the bottom if everybody knows it."""
    start, size = np.int64(s.bottom[q]), np.int64(s.pile_size[q])
    for i in range(start, size - 1):
        other = i + below(keyed(seed, i), size - i)
        s.pile[q, i], s.pile[q, other] = s.pile[q, other], s.pile[q, i]


@kernel
def deal_anew(s: Any, q: Any, seed: Any) -> None:
    """Deal seat q the tiles of its hand, its pile and face down aside anew."""
    in_hand, aside = np.int64(s.hand_size[q]), np.int64(s.aside_size)
    gather(s, q)
    mix_pile(s, q, seed)
    if s.stage == CHOOSE_HAND:
        lowest_on_top(s, q)
    for _ in range(in_hand):
        draw_tile(s, q)
    if q == s.current_player:
        for _ in range(aside):
            k = np.int64(s.pile[q, s.pile_size[q] - 1])
            draw_tile(s, q)
            return_tile(s, k)


@kernel
def gather(s: Any, q: Any) -> None:
    """Lay the tiles of the hand, and those aside, on the pile."""
    for k in range(KINDS):
        put_on_top(s, q, k, np.int64(s.hand[q, k]))
    s.hand[q, :] = 0
    s.hand_size[q] = 0
    if q == s.current_player:
        for k in range(KINDS):
            put_on_top(s, q, k, np.int64(s.aside[k]))
        s.aside[:] = 0
        s.aside_size = 0


@kernel
def lowest_on_top(s: Any, q: Any) -> None:
    """Order the top five tiles so that the lowest come first: a hand that is being chosen holds
    the lowest tiles of a whole hand (§ 8)."""
    pile, start = s.pile[q], s.pile_size[q] - HAND
    sort_pile(s, q, start)
    for i in range(HAND // 2):
        low, high = start + i, start + HAND - 1 - i
        pile[low], pile[high] = pile[high], pile[low]


@kernel
def sort_if_unshuffled(s: Any, q: Any) -> None:
    """Put a pile in order whose player has not yet chosen a whole hand."""
    start = np.int64(s.start_player)
    if places_from(s, start, q) >= places_from(s, start, np.int64(s.current_player)):
        sort_pile(s, q, 0)


@kernel
def deal_cards_anew(s: Any, player: Any, seed: Any) -> None:
    """Deal the other seats cards that `player` was not dealt; who has chosen keeps any of two."""
    left = ALL_SPECIAL & ~bit(s.offered[player, 0]) & ~bit(s.offered[player, 1])
    for q in range(s.num_players):
        if q != player:
            cards = random_part(left, 2, seed, 3 * q)
            left &= ~cards
            s.offered[q, 0] = lowest(cards)
            s.offered[q, 1] = lowest(cards & (cards - 1))
            if s.card[q] != NO_CARD:
                s.card[q] = s.offered[q, below(keyed(seed, 3 * q + 2), 2)]
