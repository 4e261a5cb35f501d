"""Counter-based chance: every random number is a pure function of (deal seed, counter).

A seed therefore fixes every shuffle of a game whatever the players do, which makes duplicate
deals free. The mixing function is the finaliser of SplitMix64 (Steele, Lea and Flood, "Fast
splittable pseudorandom number generators", OOPSLA 2014).
"""

from typing import Any

import numpy as np

from hanazono.envs.core.kernel import kernel

GAMMA = np.uint64(0x9E3779B97F4A7C15)
MULTIPLIER_1 = np.uint64(0xBF58476D1CE4E5B9)
MULTIPLIER_2 = np.uint64(0x94D049BB133111EB)
S27, S30, S31, S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
ONE = np.uint64(1)


@kernel
def mix(x: Any) -> Any:
    """Return 64 well-mixed bits for the 64 bits `x` (a bijection on uint64)."""
    z = np.uint64(x) + GAMMA
    z = (z ^ (z >> S30)) * MULTIPLIER_1
    z = (z ^ (z >> S27)) * MULTIPLIER_2
    return z ^ (z >> S31)


@kernel
def keyed(key: Any, counter: Any) -> Any:
    """Return the 64 random bits number `counter` of the stream `key`."""
    return mix(mix(np.uint64(key)) ^ (np.uint64(counter) * GAMMA))


@kernel
def below(bits: Any, n: Any) -> Any:
    """Map 64 random bits to an integer in 0 … n - 1, for 1 <= n <= 2**16.

    The upper 32 bits are scaled (Lemire 2019); the bias is below n / 2**32.
    """
    return np.int64(((bits >> S32) * np.uint64(n)) >> S32)


@kernel
def draw(s: Any) -> Any:
    """Return the next 64 random bits of game `s` and advance its counter `chance`."""
    s.chance = s.chance + ONE
    return keyed(s.seed, s.chance)


@kernel
def spread_seeds(seed: Any, out: Any) -> None:
    """Fill `out` (uint64 array) with the independent seeds number 0, 1, … of `seed`."""
    for i in range(out.shape[0]):
        out[i] = keyed(seed, i)
