"""Scripted players at kernel speed.

A bot is a kernel act(s, mask, noise) -> action: `s` is the state, of which it may read only what
the player to decide knows (the conformance kit tests that), `mask` int8 [A] holds the legal
actions, `noise` is 64 random bits that differ from decision to decision.
"""

from collections.abc import Callable
from typing import Any

from hanazono.envs.core.kernel import kernel
from hanazono.envs.core.rng import below

Bot = Callable[..., Any]


@kernel
def random_bot(s: Any, mask: Any, noise: Any) -> Any:
    """Play every legal action with the same probability."""
    legal = 0
    for action in range(mask.shape[0]):
        legal += mask[action]
    left = below(noise, legal)
    chosen = -1
    for action in range(mask.shape[0]):
        if mask[action]:
            if left == 0:
                chosen = action
                break
            left -= 1
    return chosen
