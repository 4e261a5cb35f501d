"""What a player of Sakura knows: section 9 of RULES.md, apart from rules.py for its length.

Letters: v and q are seats.
"""

from typing import Any

from hanazono.envs.core.kernel import kernel
from hanazono.envs.core.rng import keyed
from hanazono.envs.core.sets import bit, lowest, random_part, size
from hanazono.envs.hanafuda.deck import ALL_CARDS, CARDS, whole_months
from hanazono.envs.sakura.rules import DECLARE, NO_CARD, all_captured


@kernel
def unseen(s: Any, v: Any) -> Any:
    """The cards that v sees nowhere: those of the other hands and of the pile."""
    seen = s.hand[v] | s.field | all_captured(s)
    if s.open_card != NO_CARD:
        seen |= bit(s.open_card)
    return ALL_CARDS & ~seen


@kernel
def is_possible(s: Any, q: Any) -> Any:
    """Whether the others cannot rule out that seat q was dealt its cards."""
    told = s.instant_win and s.stage != DECLARE and not s.terminated  # that nobody has a month
    if told and whole_months(s.dealt[q]) != 0:
        return False
    return s.wild_gap == 0 or q == s.wild_user or s.dealt[q] & s.wild_gap != s.wild_gap


@kernel
def resample_hidden(s: Any, player: Any, seed: Any) -> None:
    """Deal the unseen cards anew to the other hands, until nothing that `player` knows is against
    it, and to the pile; redraw the deals to come. The same seed gives the same result."""
    hidden, counter, possible = unseen(s, player), 0, False
    while not possible:
        left, possible = hidden, True
        for q in range(s.num_players):
            if q != player:
                count, shown = size(s.hand[q]), s.dealt[q] & ~s.hand[q]
                s.hand[q] = random_part(left, count, seed, counter)
                s.dealt[q] = shown | s.hand[q]
                left &= ~s.hand[q]
                counter += count
                possible = possible and is_possible(s, q)
    for place in range(s.top, CARDS):
        card = random_part(left, 1, seed, counter)
        s.pile[place] = lowest(card)
        left &= ~card
        counter += 1
    s.seed = keyed(seed, counter)
