"""What a player of Hanami on park maps knows of tiles and cards (RULES.md § 9).

Letters: v is the player, q another seat, k a kind of tile.
"""

from typing import Any

import numpy as np

from hanazono.envs.core.kernel import kernel
from hanazono.envs.core.rng import below, keyed
from hanazono.envs.core.seats import places_from
from hanazono.envs.hanami_parks.decisions import CHOOSE_HAND, KEEP_CARD
from hanazono.envs.hanami_parks.piles import HAND, NO_TILE, sort_pile
from hanazono.envs.hanami_parks.setup import ALL_SPECIAL, nth_card
from hanazono.envs.hanami_parks.tiles import KINDS, NO_CARD, SPECIAL_CARDS


@kernel
def unseen(s: Any, q: Any, k: Any) -> Any:
    """Tiles of a kind that seat q has in the hand, in the pile and face down aside, together."""
    return (
        np.int64(s.hand[q, k])
        + in_pile(s, q, k)
        + (np.int64(s.aside[k]) if q == s.current_player else 0)
    )


@kernel
def in_pile(s: Any, q: Any, k: Any) -> Any:
    """Tiles of a kind in the pile of seat q."""
    count = 0
    for i in range(s.pile_size[q]):
        count += 1 if s.pile[q, i] == k else 0
    return count


@kernel
def chance(seed: Any, counter: Any, n: Any) -> Any:
    """The number below n that `counter` picks from the stream `seed`."""
    return below(keyed(seed, counter), n)


@kernel
def resample_hidden(s: Any, player: Any, seed: Any) -> None:
    """Deal what `player` cannot know anew; the same seed gives the same result."""
    for q in range(s.num_players):
        if q != player:
            gather(s, q)
        mix_pile(s, q, keyed(seed, q))
        if q != player:
            if s.stage == CHOOSE_HAND:
                lowest_on_top(s, q)
            deal_out(s, q)
        if s.stage == CHOOSE_HAND:
            sort_if_unshuffled(s, q)
    if s.stage == KEEP_CARD:
        deal_cards_anew(s, player, keyed(seed, s.num_players))
    s.seed = keyed(seed, s.num_players + 1)


@kernel
def gather(s: Any, q: Any) -> None:
    """Lay the tiles of the hand, and those aside, on the pile."""
    for k in range(KINDS):
        count = np.int64(s.hand[q, k])
        s.hand[q, k] = 0
        if q == s.current_player:
            count += s.aside[k]
            s.aside[k] = 0
        for _ in range(count):
            s.pile[q, s.pile_size[q]] = k
            s.pile_size[q] += 1


@kernel
def mix_pile(s: Any, q: Any, seed: Any) -> None:
    """Shuffle the pile, without the tile at the bottom if everybody knows it."""
    start, size = np.int64(s.bottom[q]), np.int64(s.pile_size[q])
    for i in range(start, size - 1):
        other = i + chance(seed, i, size - i)
        s.pile[q, i], s.pile[q, other] = s.pile[q, other], s.pile[q, i]


@kernel
def lowest_on_top(s: Any, q: Any) -> None:
    """Order the top five tiles so that the lowest come first: a hand that is being chosen holds
    the lowest tiles of a whole hand (§ 8)."""
    pile, size = s.pile[q], np.int64(s.pile_size[q])
    for i in range(size - HAND + 1, size):
        k, place = pile[i], i
        while place > size - HAND and pile[place - 1] < k:
            pile[place] = pile[place - 1]
            place -= 1
        pile[place] = k


@kernel
def deal_out(s: Any, q: Any) -> None:
    """Take from the pile what `gather` has laid there."""
    for i in range(s.hand_size[q] + (s.aside_size if q == s.current_player else 0)):
        top = s.pile_size[q] - 1
        k = s.pile[q, top]
        s.pile[q, top] = NO_TILE
        s.pile_size[q] = top
        if i < s.hand_size[q]:
            s.hand[q, k] += 1
        else:
            s.aside[k] += 1


@kernel
def sort_if_unshuffled(s: Any, q: Any) -> None:
    """Put a pile in order whose player has not yet chosen a whole hand."""
    start = np.int64(s.start_player)
    if places_from(s, start, q) >= places_from(s, start, np.int64(s.current_player)):
        sort_pile(s, q)


@kernel
def deal_cards_anew(s: Any, player: Any, seed: Any) -> None:
    """Deal the other seats cards that `player` was not dealt; who has chosen keeps any of two."""
    left = ALL_SPECIAL & ~(1 << s.offered[player, 0]) & ~(1 << s.offered[player, 1])
    count = SPECIAL_CARDS - 2
    for q in range(s.num_players):
        for i in range(2):
            if q != player:
                card = nth_card(left, chance(seed, count, count))
                left &= ~(1 << card)
                count -= 1
                s.offered[q, i] = card
        if q != player and s.card[q] != NO_CARD:
            s.card[q] = s.offered[q, chance(seed, SPECIAL_CARDS + q, 2)]
