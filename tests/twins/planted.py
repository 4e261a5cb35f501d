"""Errors planted to see that the comparison with a twin finds them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hanazono.scripts.check_twin import DifferenceError


def assert_every_piece_is_compared(side_by_side: Any, layout: Any) -> None:
    """A wrong last number of any piece of seat 2, at a table for three, is found."""
    seats = [side_by_side.env.observe(np.array([seat]))[0] for seat in range(3)]
    for name in layout.split(seats[2]):
        changed = np.stack(seats)
        layout.split(changed[2])[name].flat[-1] += 0.01
        s, mask = side_by_side.states[0], side_by_side.env.action_mask[0]
        found = side_by_side.pairs[0].differences(s, mask, changed, thorough=True)
        assert any(line.startswith(f"seat 2 observes {name} [") for line in found)


def exchange(hands: list[Any], rest: list[Any], card: Any, other: Any) -> tuple[Any, Any]:
    """Two cards change places, wherever they are in the hands and the rest."""
    places = {card: other, other: card}
    moved = [{places.get(c, c) for c in hand} for hand in hands]
    return moved, [places.get(c, c) for c in rest]


def spoiled(side_by_side: Any, spoil: Any) -> str:
    """The differences found after something has been done to the only state of the engine."""
    spoil(side_by_side.states[0])
    side_by_side.env.set_states(side_by_side.env.get_states())
    with pytest.raises(DifferenceError) as error:
        side_by_side.compare(np.ones(1, bool), thorough=False)
    return str(error.value)
