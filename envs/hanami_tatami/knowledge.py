"""What a player of HANAMI knows of the cards (RULES.md § 9): the unseen ones, and how they may lie.

The pieces of an observation, built on this, are in observation.py.
"""

from typing import Any

from hanazono.envs.core.kernel import kernel
from hanazono.envs.core.sets import lowest, random_part, size
from hanazono.envs.hanami_tatami.cards import ALL_CARDS, CARDS, WILD_SET
from hanazono.envs.hanami_tatami.rules import (
    SECOND,
    THIRD,
    second_cards,
    third_cards,
)


@kernel
def unseen(s: Any, v: Any) -> Any:
    """The cards that v sees nowhere: in other hands and not known there, or in the deck."""
    seen = s.hand[v] | s.field | s.removed | s.aside
    for p in range(s.num_players):
        seen |= s.known[p] | s.played[p]
    return ALL_CARDS & ~seen


@kernel
def can_go_on(s: Any) -> Any:
    """Whether the player to decide can complete a play that is begun."""
    hand = s.hand[s.current_player]
    if s.stage == SECOND:
        return second_cards(s, hand) != 0
    return s.stage != THIRD or third_cards(s, hand) != 0


@kernel
def resample_hidden(s: Any, player: Any, seed: Any) -> None:
    """Deal the unseen cards anew to the other hands, until a play that is begun can be completed,
    and to the deck. The same seed gives the same result."""
    hidden, counter, possible = unseen(s, player), 0, False
    left = hidden
    while not possible:
        left = hidden
        for q in range(s.num_players):
            if q != player:
                shown = s.known[q] | (s.hand[q] & WILD_SET)
                count = size(s.hand[q] & ~shown)
                cards = random_part(left, count, seed, counter)
                s.hand[q] = shown | cards
                left &= ~cards
                counter += count
        possible = can_go_on(s)
    for place in range(s.top, CARDS):
        card = random_part(left, 1, seed, counter)
        s.deck[place] = lowest(card)
        left &= ~card
        counter += 1
