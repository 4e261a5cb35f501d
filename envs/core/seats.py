"""Counting round the table without remainders, which are slow."""

from typing import Any

from hanazono.envs.core.kernel import kernel


@kernel
def around(place: Any, n: Any) -> Any:
    """The seat at a place 0 … 2 n - 1 counted round a table of n."""
    return place - n if place >= n else place


@kernel
def seat_after(s: Any, p: Any, places: Any) -> Any:
    """The seat that sits so many places after p, fewer than there are seats."""
    return around(p + places, s.num_players)


@kernel
def places_from(s: Any, player: Any, p: Any) -> Any:
    """How many places after `player` seat p sits."""
    return p - player if p >= player else p - player + s.num_players
