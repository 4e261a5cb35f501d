"""Scripted players of Hanawase, weakest first. They read the own hand and what lies open only.

greedy takes the most points it can now. watchful also asks how likely each player is to complete
each yaku, what others would take of what it leaves, and what Ameshima, Oyanaka and Fuke would
mean. Both enter when their hand is good enough.
"""

from typing import Any

from hanazono.envs.core.kernel import kernel
from hanazono.envs.hanafuda.deck import bit, lowest, same_month, size
from hanazono.envs.hanawase.observation import YAKU_OF_CARD, YAKU_WITH, captures
from hanazono.envs.hanawase.rules import (
    BASE,
    CARD_POINTS,
    CHOOSE_PLAYED,
    DECLARE,
    ENTER,
    FEW_CARDS,
    FUKE_MOST,
    HAND,
    RETIRE,
    ROLES,
    WILLOW,
    YAKU,
    YAKU_NEED,
    card_points,
    choices,
    held,
    in_reach,
    role_to_move,
    unseen,
)

# greedy

GREEDY_HAND = 100.0  # points of a hand worth entering with, yaku shares included


@kernel
def card_worth(s: Any, c: Any) -> Any:
    """Points of card c, and its share of each yaku that it belongs to."""
    worth = float(CARD_POINTS[c])
    for k in range(YAKU_OF_CARD[c]):
        y = YAKU_WITH[c, k]
        worth += s.value[y] / YAKU_NEED[y]
    return worth


@kernel
def set_worth(s: Any, cards: Any) -> Any:
    """The worth of all cards in a set."""
    worth = 0.0
    while cards != 0:
        worth += card_worth(s, lowest(cards))
        cards &= cards - 1
    return worth


@kernel
def would_capture(s: Any, c: Any) -> Any:
    """The cards captured by choosing card c now, whether it is played or taken."""
    return bit(c) | bit(s.card) if s.phase >= CHOOSE_PLAYED else captures(s, c)


@kernel
def greedy(s: Any, mask: Any, noise: Any) -> Any:
    """Take what is worth most now, or leave what is worth least; the lowest card among equals."""
    if s.phase == DECLARE:
        return ENTER if set_worth(s, s.hand[s.current_player]) >= GREEDY_HAND else RETIRE
    cards, most, chosen = choices(s), -1000.0, -1
    while cards != 0:
        c = lowest(cards)
        cards &= cards - 1
        taken = would_capture(s, c)
        worth = set_worth(s, taken) if taken != 0 else -card_worth(s, c)
        if worth > most:
            most, chosen = worth, c
    return chosen


# watchful

NEXT_CARD = 0.4  # chance to get one more card of a yaku that is in reach
DENIAL = 1.0  # what a point that another player does not get is worth, in points
PATIENCE = 0.3  # share of a capture's worth that counts if nobody else can take it soon
QUIET = 0.45  # chance that a turn passes without a capture by the card turned over
WATCHFUL_HAND = 100.0  # as GREEDY_HAND


@kernel
def likelihood(y: Any, captured: Any, gone: Any) -> Any:
    """Rough chance that a player with these cards completes yaku y when others have those gone."""
    if not in_reach(y, gone):
        return 0.0
    return NEXT_CARD ** (YAKU_NEED[y] - held(y, captured))


@kernel
def rain(captured: Any) -> Any:
    """Rough chance that a player with these cards ends with all four Willow cards."""
    return NEXT_CARD ** (4 - size(captured & WILLOW))


@kernel
def yaku_balance(s: Any, me: Any, r: Any, cards: Any) -> Any:
    """Points that role `me` expects from all yaku if role r captures these cards."""
    total, dry = 0.0, 1.0
    taken = s.captured[0] | s.captured[1] | s.captured[2] | cards
    for q in range(ROLES):
        captured = s.captured[q] | cards if q == r else s.captured[q]
        gone, price = taken & ~captured, 2.0 if q == me else -DENIAL
        for y in range(YAKU):
            if s.value[y] > 0:
                total += price * s.value[y] * likelihood(y, captured, gone)
        if gone & WILLOW == 0:
            dry -= rain(captured)
    return total * max(dry, 0.0)


@kernel
def standing_worth(s: Any, r: Any, cards: Any) -> Any:
    """Points of role r's captured cards with these; few may bring Oyanaka or call Fuke."""
    captured = s.captured[r] | cards
    points, turns_left = card_points(captured), (HAND * ROLES - 1 - s.turn) // ROLES
    stays = QUIET ** (turns_left + 1)
    if points <= FUKE_MOST:
        return points + stays * (BASE - points)
    if size(captured) <= FEW_CARDS[r]:
        return points + stays * 2 * s.oyanaka
    return float(points)


@kernel
def worth_of(s: Any, r: Any, cards: Any) -> Any:
    """Points that capturing these cards now brings role r."""
    none = cards & 0
    by_cards = standing_worth(s, r, cards) - standing_worth(s, r, none)
    return by_cards + yaku_balance(s, r, r, cards) - yaku_balance(s, r, r, none)


@kernel
def risk(s: Any, c: Any) -> Any:
    """Rough chance that another player captures card c from the field before the next own turn."""
    me = s.current_player
    hidden = unseen(s, me)
    partners, seen_by_others = size(same_month(hidden, c)), 2.0
    for r in range(ROLES):
        if s.actor[r] != me:
            seen_by_others += size(s.hand[s.actor[r]])
    share = min(seen_by_others / max(size(hidden), 1), 1.0)
    return 1.0 - (1.0 - share) ** partners


@kernel
def choice_worth(s: Any, c: Any) -> Any:
    """Worth of choosing card c in a turn."""
    r, taken = role_to_move(s), would_capture(s, c)
    if s.phase >= CHOOSE_PLAYED:
        return worth_of(s, r, taken)
    if taken == 0:
        return -risk(s, c) * worth_of(s, r, bit(c))
    worth = worth_of(s, r, taken)
    return worth * (PATIENCE + (1.0 - PATIENCE) * risk(s, c)) if worth > 0 else worth


@kernel
def watchful(s: Any, mask: Any, noise: Any) -> Any:
    """Choose what is worth most to the own settlement; the lowest card among equals."""
    if s.phase == DECLARE:
        return ENTER if set_worth(s, s.hand[s.current_player]) >= WATCHFUL_HAND else RETIRE
    cards, most, chosen = choices(s), -1.0e9, -1
    while cards != 0:
        c = lowest(cards)
        cards &= cards - 1
        worth = choice_worth(s, c)
        if worth > most:
            most, chosen = worth, c
    return chosen
