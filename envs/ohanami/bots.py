"""Scripted players of Ohanami, weakest first. They read the own hand, picks and garden only.

Both count the steps that laying a card costs: the difference to the row's end, numbers which that
row can never take again. Starting a row counts as NEW_ROW_GAP steps. A card that fits nowhere
costs more than any other, so what can be laid is never discarded.

The constants were chosen by play for two. Over 30,000 games each, the mean score was 82.1 when
both play random, 177.3 for smallest_gap and 178.4 for value_gap; against each other value_gap won
82 % (a draw counts as half). tests/bots/test_ohanami.py measures these figures.
"""

from typing import Any

from hanazono.envs.core.kernel import kernel
from hanazono.envs.ohanami.observation import NO_GAP, end_gap, nearest_gap, row_ends
from hanazono.envs.ohanami.rules import (
    CARDS,
    COLOUR,
    PICK_SECOND,
    PINK,
    PLACE,
    ROWS,
    TARGETS,
    worth,
)

NEW_ROW_GAP = 14  # what starting a row costs, in steps between card numbers
GAP_PRICE = 0.25  # points that one step of a gap costs value_gap
PINK_AHEAD = 4  # points that a pink card adds to those laid after it, about one each


@kernel
def card_gap(s: Any, p: Any, c: Any) -> Any:
    """Steps that seat p loses by laying card c where it loses least."""
    gap = nearest_gap(s, p, c)
    if s.length[p, ROWS - 1] == 0:
        gap = min(gap, NEW_ROW_GAP)
    return gap


@kernel
def target_gap(s: Any, p: Any, action: Any) -> Any:
    """Steps that seat p loses by a legal placing action."""
    which, row = (action - PLACE) // TARGETS, (action - PLACE) % TARGETS
    if row == ROWS:
        return NO_GAP
    if s.length[p, row] == 0:
        return NEW_ROW_GAP
    return end_gap(s.picks[p, which], row_ends(s, p, row))


@kernel
def card_value(s: Any, p: Any, c: Any) -> Any:
    """Points that card c brings seat p, less the price of the steps it loses."""
    value = worth(s, p, c) - GAP_PRICE * card_gap(s, p, c)
    if COLOUR[c] == PINK:
        value += PINK_AHEAD
    return value


@kernel
def smallest_gap(s: Any, mask: Any, noise: Any) -> Any:
    """Pick and place whatever loses the fewest steps; the lowest action id among equals."""
    p, least, chosen = s.current_player, NO_GAP + 1, -1
    for action in range(mask.shape[0]):
        if mask[action]:
            gap = card_gap(s, p, action) if action < PLACE else target_gap(s, p, action)
            if gap < least:
                least, chosen = gap, action
    return chosen


@kernel
def value_gap(s: Any, mask: Any, noise: Any) -> Any:
    """Pick the cards of most value, weighing points against steps; then place as smallest_gap.

    Of cards that fit nowhere it takes the best: the next seat does not get it.
    """
    if s.stage > PICK_SECOND:
        return smallest_gap(s, mask, noise)
    p, most, chosen = s.current_player, -1000.0, -1
    for c in range(CARDS):
        if mask[c]:
            value = card_value(s, p, c)
            if value > most:
                most, chosen = value, c
    return chosen
