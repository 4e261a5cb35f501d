"""Scripted players of Sakura, weakest first. They read the own hand and what lies open.

Both tell the worth of a card from its points and from its yaku: a yaku of which all captured cards
lie before one player is worth as much to that player as to whoever prevents it. greedy captures
what is worth most now. careful also weighs what its move does to the month: what it leaves to the
others, and what it can take later itself.

The constants were chosen by search and rounded. Shares of the win over 10,000 deals of three
rounds, each played from every seat (4,000 against random), without / with the Lightning; k winners
have 1/k each:

careful against greedy, table for two        56.1 % / 55.6 %, of one round 53.5 % (fair: 50 %)
careful against greedy, table for four       27.9 % / 28.1 %, of one round 26.7 % (fair: 25 %)
greedy, careful against random, for two      87 %, 90 % / 89 %, 92 %

tests/bots/test_sakura.py measures those of three rounds.
"""

from typing import Any

import numpy as np

from hanazono.envs.core.kernel import kernel
from hanazono.envs.core.sets import bit, lowest, size
from hanazono.envs.hanafuda.deck import PER_MONTH, month_of, same_month
from hanazono.envs.hanafuda.matching import is_choice
from hanazono.envs.sakura.knowledge import unseen
from hanazono.envs.sakura.rules import (
    DECLARE,
    HIKI,
    NUM_YAKU,
    PLAY,
    POINTS,
    YAKU,
    all_captured,
    is_wild,
)

ANY_CARD = 2.0  # points that a card is worth besides its own: it decides between plain ones
YAKU_WORTH = np.array([6.0, 7.5, 25.0])  # and for a yaku of which so many cards are captured
BAIT = 0.5  # share of the mean worth of a month's unseen cards that its capture also brings
PILE_CARDS = 4  # cards that an opponent sees besides the hand, until it is too late to be first
OWN_TURN = 2 / 3  # what is left of the worth of cards that must wait for the next own turn
OWN_DRAW = 1 / 3  # and of those that must wait for a card from the pile
HAND_CARD = 12.0  # what one more turn with a card in hand is worth: hiki costs turns


@kernel
def worth(s: Any, c: Any) -> Any:
    """What capturing card c is worth to anybody, in points."""
    captured, value = all_captured(s), ANY_CARD + POINTS[c]
    for y in range(NUM_YAKU):
        if YAKU[y] & bit(c) != 0 and is_open(s, captured & YAKU[y], YAKU[y]):
            value += YAKU_WORTH[size(captured & YAKU[y])]
    return value


@kernel
def is_open(s: Any, begun: Any, yaku: Any) -> Any:
    """Whether the captured cards of a yaku, `begun`, lie before one player, or there are none."""
    alone = False
    for q in range(s.num_players):
        alone = alone or s.captured[q] & yaku == begun
    return alone


@kernel
def total_worth(s: Any, cards: Any) -> Any:
    """The worth of a set of cards."""
    total = 0.0
    while cards != 0:
        total += worth(s, lowest(cards))
        cards &= cards - 1
    return total


@kernel
def best_of(s: Any, cards: Any) -> Any:
    """The card of most worth in a set, alone; the lowest id among equals."""
    most, best = 0.0, cards & 0
    while cards != 0:
        value = worth(s, lowest(cards))
        if value > most:
            most, best = value, cards & -cards
        cards &= cards - 1
    return best


@kernel
def best_match(s: Any, found: Any) -> Any:
    """What a card captures of the matching cards in the field, if the best is chosen."""
    return best_of(s, found) if is_choice(found) else found


@kernel
def gained(s: Any, action: Any) -> Any:
    """The set that an action captures, as far as it can be told beforehand."""
    if action >= HIKI:
        return month_of(action - HIKI)
    if s.stage != PLAY:
        return bit(s.open_card) | bit(action)
    if is_wild(s, action):
        found = best_of(s, s.field)
    else:
        found = best_match(s, same_month(s.field, action))
    return found | bit(action) if found != 0 else found


@kernel
def greedy_value(s: Any, action: Any) -> Any:
    """The worth of the cards captured; without a capture, of the card given away, as a loss."""
    cards = gained(s, action)
    return total_worth(s, cards) if cards != 0 else -worth(s, action)


@kernel
def greedy(s: Any, mask: Any, noise: Any) -> Any:
    """Capture the most worth, or give the least away; the lowest action id among equals."""
    most, chosen = -1000.0, -1
    for action in range(mask.shape[0]):
        if mask[action]:
            value = greedy_value(s, action)
            if value > most:
                most, chosen = value, action
    return chosen


@kernel
def reach(s: Any, p: Any, hidden: Any) -> Any:
    """The share of its `hidden` unseen cards that seat p expects its opponents to play soon."""
    cards = PILE_CARDS * (s.num_players - 1)
    for q in range(s.num_players):
        if q != p:
            cards += size(s.hand[q])
    return min(1.0, cards / (hidden + PILE_CARDS))


@kernel
def outlook(s: Any, m: Any, hand: Any, field: Any) -> Any:
    """What the cards of month m are worth to the player to decide, if they lie in its hand and in
    the field like this after its move."""
    p = s.current_player
    hidden, own, found = unseen(s, p), hand & month_of(m), field & month_of(m)
    among = hidden & month_of(m)
    if among == 0 and own != 0:  # nobody else can take them
        return OWN_TURN * total_worth(s, own | found)
    if among == 0 or found == 0:
        return 0.0
    prize = total_worth(s, best_match(s, found))
    bait = prize + BAIT * total_worth(s, among) / size(among)
    missed = (1.0 - reach(s, p, size(hidden))) ** size(among)
    value = (missed - 1.0) * bait
    if own != 0:
        return value + OWN_TURN * missed * (prize + total_worth(s, best_of(s, own)))
    return value + OWN_DRAW * bait * size(among) / size(hidden)


@kernel
def careful_value(s: Any, action: Any) -> Any:
    """The worth of the cards captured, and how the outlook of their month changes."""
    hand, field, cards = s.hand[s.current_player], s.field, gained(s, action)
    value = total_worth(s, cards)
    if action >= HIKI:
        value -= HAND_CARD * (size(cards & hand) - 1)
    m = month_played(action, cards & field)
    before = outlook(s, m, hand, field)
    if s.stage == PLAY and action < HIKI:
        hand &= ~bit(action)
        if cards == 0:
            field |= bit(action)
    return value + outlook(s, m, hand & ~cards, field & ~cards) - before


@kernel
def month_played(action: Any, found: Any) -> Any:
    """The month of the field cards that an action captures; without any, of the card played."""
    if action >= HIKI:
        return action - HIKI
    return (lowest(found) if found != 0 else action) // PER_MONTH


@kernel
def careful(s: Any, mask: Any, noise: Any) -> Any:
    """Play for the captured worth and the outlook; the lowest action id among equals."""
    if s.stage == DECLARE:
        return greedy(s, mask, noise)
    most, chosen = -1000.0, -1
    for action in range(mask.shape[0]):
        if mask[action]:
            value = careful_value(s, action)
            if value > most:
                most, chosen = value, action
    return chosen
