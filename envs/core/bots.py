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


BLOCK = 16  # actions counted at a time, which is faster than one by one


@kernel
def random_bot(s: Any, mask: Any, noise: Any) -> Any:
    """Play every legal action with the same probability."""
    legal, actions = 0, mask.shape[0]
    for action in range(actions):
        legal += mask[action]
    left, start = below(noise, legal), 0
    while start + BLOCK <= actions:
        count = 0
        for k in range(BLOCK):
            count += mask[start + k]
        if left < count:
            break
        left -= count
        start += BLOCK
    for action in range(start, actions):
        left -= mask[action]
        if left < 0:
            return action
    return -1
