"""What a card takes from the field, by how many cards of its month lie there.

None: the card stays. One: it takes that card. Two: its player takes one of them. Three: it takes
all three. Sets are int64 words, see deck.py.
"""

from typing import Any

from hanazono.envs.core.kernel import kernel
from hanazono.envs.core.sets import bit
from hanazono.envs.hanafuda.deck import same_month


@kernel
def is_choice(targets: Any) -> Any:
    """Whether a set of matching cards holds two, so that the player says which one is taken."""
    rest = targets & (targets - 1)  # without its lowest card
    return rest != 0 and rest & (rest - 1) == 0


@kernel
def capture(field: Any, c: Any) -> Any:
    """The set that card c captures when it comes to the field: itself and its one match or its
    three. Empty if there is no match, or a choice of two."""
    targets = same_month(field, c)
    if targets == 0 or is_choice(targets):
        return targets & 0
    return targets | bit(c)
