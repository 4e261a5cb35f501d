"""Scripted players of Ohanami, weakest first. They read the own hand, picks and garden only."""

from typing import Any

from hanazono.envs.core.kernel import kernel
from hanazono.envs.ohanami.observation import nearest_gap, row_gap
from hanazono.envs.ohanami.rules import (
    CARDS,
    PICK_SECOND,
    PLACE,
    ROWS,
    TARGETS,
    worth,
)

NEW_ROW_GAP = 10  # what starting a row costs, in steps between card numbers
GAP_PRICE = 0.25  # points that one step of a gap costs value_gap


@kernel
def gap_cost(s: Any, p: Any, c: Any) -> Any:
    """Steps lost by laying card c where it loses least; more than CARDS if it fits nowhere."""
    gap = nearest_gap(s, p, c)
    if s.length[p, ROWS - 1] == 0 and (gap < 0 or gap > NEW_ROW_GAP):
        return NEW_ROW_GAP
    return gap if gap >= 0 else CARDS + 1


@kernel
def target_cost(s: Any, p: Any, action: Any) -> Any:
    """Steps lost by a placing action; more than CARDS for a discard."""
    which, row = (action - PLACE) // TARGETS, (action - PLACE) % TARGETS
    if row == ROWS:
        return CARDS + 1
    gap = row_gap(s, p, s.picks[p, which], row)
    return gap if gap >= 0 else NEW_ROW_GAP


@kernel
def smallest_gap(s: Any, mask: Any, noise: Any) -> Any:
    """Pick and place whatever loses the fewest steps; the lowest action id among equals."""
    p, best, chosen = s.current_player, 1000, -1
    for action in range(mask.shape[0]):
        if mask[action]:
            picking = s.stage <= PICK_SECOND
            cost = gap_cost(s, p, action) if picking else target_cost(s, p, action)
            if cost < best:
                best, chosen = cost, action
    return chosen


@kernel
def value_gap(s: Any, mask: Any, noise: Any) -> Any:
    """Weigh the points a card brings against the steps it loses; discards are worth nothing."""
    p, best, chosen = s.current_player, -1000.0, -1
    for action in range(mask.shape[0]):
        if mask[action]:
            if s.stage <= PICK_SECOND:
                c, cost = action, gap_cost(s, p, action)
            else:
                c, cost = s.picks[p, (action - PLACE) // TARGETS], target_cost(s, p, action)
            value = worth(s, p, c) - GAP_PRICE * cost if cost <= CARDS else 0.0
            if value > best:
                best, chosen = value, action
    return chosen
