"""What a player of Hanawase knows: section 9 of RULES.md, apart from rules.py for its length.

Letters: v and p are seats.
"""

from typing import Any

from hanazono.envs.core.kernel import kernel
from hanazono.envs.core.rng import keyed
from hanazono.envs.core.sets import bit, size
from hanazono.envs.hanafuda.deal import shuffle_from, taken
from hanazono.envs.hanafuda.deck import ALL_CARDS, CARDS
from hanazono.envs.hanawase.rules import lay


@kernel
def unseen(s: Any, v: Any) -> Any:
    """The cards whose place seat v does not know: in other hands, the stock or the pile."""
    open_cards = s.field | s.captured[0] | s.captured[1] | s.captured[2]
    if s.card >= 0:
        open_cards |= bit(s.card)
    return ALL_CARDS & ~(open_cards | s.hand[v] | s.returned[v])


@kernel
def resample_hidden(s: Any, player: Any, seed: Any) -> None:
    """Deal anew what `player` cannot see: other hands, cards given back, the pile, later deals."""
    if s.terminated:
        return
    s.seed = keyed(seed, 0)
    cards, top = unseen(s, player), int(s.top)
    place = CARDS - size(cards)
    lay(s, place, cards)
    shuffle_from(s, place)
    for p in range(s.num_players):
        if p != player:
            held = size(s.hand[p])
            s.hand[p] = taken(s, place, held)
            place += held
    for p in range(s.num_players):
        if p != player:  # which cards of the pile the others gave back
            given = size(s.returned[p])
            s.returned[p] = taken(s, place, given)
            place += given
    lay(s, top, s.returned[player])
    shuffle_from(s, top)
    s.pile[:top] = 0
