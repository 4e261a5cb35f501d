"""Scripted players of Hanawase, weakest first. They read the own hand and what lies open only.

greedy takes what is worth most now. watchful also asks how near each player is to each yaku, what
others will take of what it leaves, and what Ameshima, Oyanaka and Fuke would mean.

The constants were chosen by play for three. Over 20,000 deals, each from every seat against two
greedy, watchful gained 3.5 points a round (95 % interval 0.2); tests/bots/test_hanawase.py measures
it. Entering: a hand gains 0.27 points for each point of its worth, and breaks even at the mean,
118; oya gains 11 less than the mean role, so the first to enter needs more.
"""

from typing import Any

from hanazono.envs.core.kernel import kernel
from hanazono.envs.core.sets import bit, lowest, size
from hanazono.envs.hanafuda.deck import same_month
from hanazono.envs.hanawase.knowledge import unseen
from hanazono.envs.hanawase.observation import YAKU_OF_CARD, YAKU_WITH, captures
from hanazono.envs.hanawase.rules import (
    ACTIVE,
    BASE,
    CARD_POINTS,
    CHOOSE_PLAYED,
    DECLARE,
    ENTER,
    FEW_CARDS,
    FUKE_MOST,
    RETIRE,
    ROLES,
    TURNS,
    WILLOW,
    card_points,
    choices,
    role_to_move,
    seats_with,
)
from hanazono.envs.hanawase.yaku import OUT_OF_REACH, YAKU, YAKU_NEED, chances, count_of

GREEDY_HAND = 120.0  # worth of a hand that greedy enters with
FIRST_HAND, NEXT_HAND = 180.0, 130.0  # the same of watchful, before anybody entered and after
NEXT_CARD = 0.4  # chance of getting one more card of a yaku that is in reach
OWN_YAKU, OTHERS_YAKU = 3.4, 1.36  # worth of an own yaku's points, and cost of another player's
PATIENCE = 0.4  # share of a capture's worth that nobody else can take before the next own turn
EXPOSED = 0.45  # cost of leaving a card in the field, as a share of its worth
PARTNER = 0.2  # cost of what others capture such a card with, as a share of that
MATE = 0.35  # worth of an own card that may capture it later, as a share of that
QUIET = 0.2  # chance that nothing is captured in a turn by a player who does not want to

# greedy


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
    cards, most, chosen = choices(s), -1.0e9, -1
    while cards != 0:
        c = lowest(cards)
        cards &= cards - 1
        taken = would_capture(s, c)
        worth = set_worth(s, taken) if taken != 0 else -card_worth(s, c)
        if worth > most:
            most, chosen = worth, c
    return chosen


# watchful


@kernel
def likelihood(y: Any, count: Any) -> Any:
    """Rough chance that a player with so many of its cards completes yaku y."""
    return NEXT_CARD ** max(YAKU_NEED[y] - count, 0) if count != OUT_OF_REACH else 0.0


@kernel
def rain(captured: Any, gone: Any) -> Any:
    """Rough chance that a player with these cards ends with all four Willow cards."""
    return NEXT_CARD ** (4 - size(captured & WILLOW)) if gone & WILLOW == 0 else 0.0


@kernel
def yaku_prospect(s: Any, r: Any, cards: Any) -> Any:
    """What all yaku promise role r if it captures these cards; less where Ameshima is near."""
    total, dry = 0.0, 1.0
    taken = s.captured[0] | s.captured[1] | s.captured[2] | cards
    for q in range(ROLES):
        captured = s.captured[q] | cards if q == r else s.captured[q]
        gone, price = taken & ~captured, OWN_YAKU if q == r else -OTHERS_YAKU
        dry -= rain(captured, gone)
        counts = chances(captured, gone)
        for y in range(YAKU):
            total += price * s.value[y] * likelihood(y, count_of(y, counts))
    return total * max(dry, 0.0)


@kernel
def card_prospect(s: Any, r: Any, cards: Any) -> Any:
    """Points of role r's captured cards with these; near the end few may bring Oyanaka, or call
    Fuke, which saves what they lack to 88."""
    captured = s.captured[r] | cards
    points = card_points(captured)
    stays = QUIET ** (1 + (TURNS - 1 - s.turn) // ROLES)
    if points <= FUKE_MOST:
        return points + stays * (BASE - points)
    if size(captured) <= FEW_CARDS[r]:
        return points + stays * 2 * s.oyanaka
    return float(points)


@kernel
def worth_of(s: Any, r: Any, cards: Any) -> Any:
    """What capturing these cards now is worth to role r, in points."""
    none = cards & 0
    by_cards = card_prospect(s, r, cards) - card_prospect(s, r, none)
    return by_cards + yaku_prospect(s, r, cards) - yaku_prospect(s, r, none)


@kernel
def risk(s: Any, c: Any, hidden: Any) -> Any:
    """Rough chance that another player captures card c from the field before the next own turn."""
    others = 2.0  # cards that others turn over until then, and those in their hands
    for r in range(ROLES):
        if s.actor[r] != s.current_player:
            others += size(s.hand[s.actor[r]])
    share = min(others / max(size(hidden), 1), 1.0)
    return 1.0 - (1.0 - share) ** size(same_month(hidden, c))


@kernel
def partner_worth(s: Any, r: Any, c: Any, hidden: Any) -> Any:
    """Mean worth of the unseen cards that could capture card c; 0 if there are none."""
    cards = same_month(hidden, c)
    count, total = size(cards), 0.0
    while cards != 0:
        total += worth_of(s, r, bit(lowest(cards)))
        cards &= cards - 1
    return total / max(count, 1)


@kernel
def play_worth(s: Any, r: Any, c: Any) -> Any:
    """What playing card c is worth to role r."""
    hidden, taken = unseen(s, s.current_player), captures(s, c)
    danger = risk(s, c, hidden)
    partner = PARTNER * danger * partner_worth(s, r, c, hidden)
    if taken != 0:
        worth = worth_of(s, r, taken)
        return partner + (worth * (PATIENCE + (1.0 - PATIENCE) * danger) if worth > 0 else worth)
    worth = -partner - EXPOSED * danger * worth_of(s, r, bit(c))
    mates = same_month(s.hand[s.current_player], c) & ~bit(c)
    if mates != 0:
        worth += MATE * (1.0 - danger) * worth_of(s, r, bit(lowest(mates)))
    return worth


@kernel
def enters(s: Any) -> Any:
    """Whether the hand is worth entering; who enters first will be oya, the worst role."""
    least = FIRST_HAND if seats_with(s, ACTIVE) == 0 else NEXT_HAND
    return set_worth(s, s.hand[s.current_player]) >= least


@kernel
def watchful(s: Any, mask: Any, noise: Any) -> Any:
    """Choose what is worth most to the own settlement; the lowest card among equals."""
    if s.phase == DECLARE:
        return ENTER if enters(s) else RETIRE
    cards, r, most, chosen = choices(s), role_to_move(s), -1.0e9, -1
    while cards != 0:
        c = lowest(cards)
        cards &= cards - 1
        if s.phase >= CHOOSE_PLAYED:
            worth = worth_of(s, r, would_capture(s, c))
        else:
            worth = play_worth(s, r, c)
        if worth > most:
            most, chosen = worth, c
    return chosen
