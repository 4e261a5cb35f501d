"""The rules of Ohanami as kernels on one state record `s`, in the order of RULES.md.

Letters: v and p are seats, c a card id 0 … 119 (card number c + 1), h a packet: the hand that
was dealt to seat h at the start of the round and has travelled since.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from hanazono.envs.core.game import Field
from hanazono.envs.core.kernel import kernel
from hanazono.envs.core.rng import below, draw, keyed
from hanazono.envs.core.seats import around

MAX_PLAYERS = 4
CARDS, ROUNDS, TURNS, HAND, ROWS = 120, 3, 5, 10, 3

# Values of `place`, where a card is: IN_HAND + h in packet h, LAID + 3 * seat + row in a garden.
STOCK, PICKED, DISCARDED, IN_HAND = 0, 1, 2, 3
LAID = IN_HAND + MAX_PLAYERS

# Values of `stage`, what the player decides next.
PICK_FIRST, PICK_SECOND, PLACE_FIRST, PLACE_SECOND = 0, 1, 2, 3

NUM_ACTIONS = CARDS + 8
PLACE = CARDS  # first action id of placing
TARGETS = 4  # rows 1 to 3, then the discard pile

FIELDS = (
    Field("place", np.uint8, (CARDS,), "where each card is, see above"),
    Field("deal", np.uint8, (ROUNDS, MAX_PLAYERS, HAND), "cards of packet h by round; 0 no seat"),
    Field("packet", np.uint8, (CARDS,), "packet h that the card is dealt in (0 if never)"),
    Field("seen", np.uint8, (CARDS,), "bit v: seat v has held the card this round, not laid"),
    Field("gone", np.uint8, (CARDS,), "bit v: seat v knows that the card is face down"),
    Field("picks", np.int16, (MAX_PLAYERS, 2), "cards picked, not yet placed; -1 none"),
    Field("low", np.int16, (MAX_PLAYERS, ROWS), "lowest card of a row, -1 empty"),
    Field("high", np.int16, (MAX_PLAYERS, ROWS), "highest card of a row, -1 empty"),
    Field("length", np.uint8, (MAX_PLAYERS, ROWS), "cards in a row"),
    Field("colours", np.uint8, (MAX_PLAYERS, 4), "laid cards by colour, order of § 1"),
    Field("discards", np.uint8, (MAX_PLAYERS,), "cards discarded by each seat"),
    Field("points", np.int16, (MAX_PLAYERS,), "score so far"),
    Field("round_index", np.int8, (), "round 0..2, 3 when finished"),
    Field("turn", np.int8, (), "turn 0..4 in the round"),
    Field("stage", np.int8, (), "PICK_FIRST … PLACE_SECOND"),
)

# § 1 Cards

BLUE, GREEN, GREY, PINK = 0, 1, 2, 3
COLOUR_NAMES = ("blue", "green", "grey", "pink")


def colour_of(number: int) -> int:
    """Colour of the card with this number, 1 to 120."""
    if number % 7 == 0:
        return GREY
    if number % 3 == 0:
        return GREEN
    return BLUE if number % 2 == 0 else PINK


COLOUR = np.array([colour_of(c + 1) for c in range(CARDS)], np.int8)

# § 2 Deal


@kernel
def reset(s: Any) -> None:
    """Shuffle, fix who gets which card when, clear the table and deal the first round."""
    shuffle(s)
    s.place[:] = STOCK
    s.seen[:] = 0
    s.gone[:] = 0
    s.picks[:] = -1
    s.low[:] = -1
    s.high[:] = -1
    s.length[:] = 0
    s.colours[:] = 0
    s.discards[:] = 0
    s.points[:] = 0
    s.round_index = 0
    s.turn = 0
    s.stage = PICK_FIRST
    s.current_player = 0
    deal_round(s)


@kernel
def shuffle(s: Any) -> None:
    """Draw the cards of each hand without replacement; `place` serves as the pile meanwhile."""
    pile, top = s.place, 0
    for c in range(CARDS):
        pile[c] = c
    s.deal[:] = 0
    s.packet[:] = 0
    for r in range(ROUNDS):
        for h in range(s.num_players):
            for k in range(HAND):
                j = top + below(draw(s), CARDS - top)
                c = pile[j]
                pile[j] = pile[top]
                top += 1
                s.deal[r, h, k] = c
                s.packet[c] = h


@kernel
def deal_round(s: Any) -> None:
    for h in range(s.num_players):
        for k in range(HAND):
            s.place[s.deal[s.round_index, h, k]] = IN_HAND + h
    see_hands(s)


# § 3 Picking


@kernel
def packet_of(s: Any, p: Any) -> Any:
    """The packet that seat p holds."""
    n, passes = s.num_players, s.turn
    while passes >= n:
        passes -= n
    return around(p + (passes if s.round_index == 1 else n - passes), n)


@kernel
def pick(s: Any, c: Any) -> None:
    s.place[c] = PICKED
    s.picks[s.current_player, s.stage] = c


# § 4 Placing


@kernel
def can_lay(s: Any, p: Any, c: Any, row: Any) -> Any:
    """Whether seat p may lay card c in this row (of empty rows only the first counts)."""
    if s.length[p, row] == 0:
        return row == 0 or s.length[p, row - 1] > 0
    return c < s.low[p, row] or c > s.high[p, row]


@kernel
def lay(s: Any, p: Any, c: Any, row: Any) -> None:
    if s.length[p, row] == 0 or c < s.low[p, row]:
        s.low[p, row] = c
    if s.length[p, row] == 0 or c > s.high[p, row]:
        s.high[p, row] = c
    s.length[p, row] += 1
    s.colours[p, COLOUR[c]] += 1
    s.place[c] = LAID + ROWS * p + row
    s.seen[c] = 0


@kernel
def discard(s: Any, p: Any, c: Any) -> None:
    s.place[c] = DISCARDED
    s.gone[c] |= 1 << p
    s.discards[p] += 1


@kernel
def place(s: Any, target: Any) -> None:
    p, which, row = s.current_player, target // TARGETS, target % TARGETS
    c = s.picks[p, which]
    s.picks[p, which] = -1
    if row < ROWS:
        lay(s, p, c, row)
    else:
        discard(s, p, c)


# § 5 Passing


@kernel
def see_hands(s: Any) -> None:
    """Every seat looks at the hand it now holds, and works out what is missing from it (§ 9)."""
    for v in range(s.num_players):
        h = packet_of(s, v)
        for k in range(HAND):
            c = s.deal[s.round_index, h, k]
            if s.place[c] == IN_HAND + h:
                s.seen[c] |= 1 << v
            elif s.place[c] == DISCARDED:
                s.gone[c] |= s.seen[c] & (1 << v)


@kernel
def reveal_discards(s: Any) -> None:
    """At the end of a round each seat knows what became of every card it has passed on (§ 9)."""
    for c in range(CARDS):
        s.gone[c] |= s.seen[c]
        s.seen[c] = 0


@kernel
def end_turn(s: Any) -> None:
    s.turn += 1
    if s.turn < TURNS:
        see_hands(s)
        return
    reveal_discards(s)
    score_round(s)
    s.turn = 0
    s.round_index += 1
    if s.round_index < ROUNDS:
        deal_round(s)
    else:
        s.terminated = 1


# § 6 Scoring

POINTS = np.array([3, 4, 7], np.int16)  # blue, green, grey
PINK_MOST = 15


@kernel
def round_points(s: Any, p: Any, r: Any) -> Any:
    """Points that the cards which seat p has laid by now bring when round r is scored."""
    points = 0
    for colour in range(r + 1):
        points += POINTS[colour] * s.colours[p, colour]
    if r == ROUNDS - 1:
        k = min(int(s.colours[p, PINK]), PINK_MOST)
        points += k * (k + 1) // 2
    return points


@kernel
def score_round(s: Any) -> None:
    for p in range(s.num_players):
        s.points[p] += round_points(s, p, s.round_index)


@kernel
def banked(s: Any, p: Any) -> Any:
    """Score of seat p at the end of the game if it laid no more cards."""
    points = int(s.points[p])
    for r in range(s.round_index, ROUNDS):
        points += round_points(s, p, r)
    return points


@kernel
def worth(s: Any, p: Any, c: Any) -> Any:
    """Points that card c brings seat p until the end of the game if laid now."""
    colour = COLOUR[c]
    if colour == PINK:
        k = s.colours[p, PINK]
        return k + 1 if k < PINK_MOST else 0
    return POINTS[colour] * (ROUNDS - max(s.round_index, colour))


# § 7 End


@kernel
def scores(s: Any, out: Any) -> None:
    """Points, and pink cards as the tie-break."""
    for p in range(s.num_players):
        out[p, 0] = s.points[p]
        out[p, 1] = s.colours[p, PINK]


# § 8 Decisions


@kernel
def action_mask(s: Any, out: Any) -> None:
    p = s.current_player
    if s.stage <= PICK_SECOND:
        h = packet_of(s, p)
        for k in range(HAND):
            c = s.deal[s.round_index, h, k]
            out[c] = s.place[c] == IN_HAND + h
        return
    for which in range(2):
        c = s.picks[p, which]
        if c >= 0:
            first = PLACE + TARGETS * which
            for row in range(ROWS):
                out[first + row] = can_lay(s, p, c, row)
            out[first + ROWS] = 1


def max_decisions(num_players: int, options: Mapping[str, int]) -> int:
    """The decisions of a game: two picks and two placings for each of 15 turns and each player."""
    return 60 * num_players


@kernel
def step(s: Any, action: Any) -> None:
    if s.stage <= PICK_SECOND:
        pick(s, action)
    else:
        place(s, action - PLACE)
    if s.stage == PICK_FIRST or s.stage == PLACE_FIRST:
        s.stage += 1
    elif s.current_player + 1 < s.num_players:
        s.current_player += 1
        s.stage -= 1
    elif s.stage == PICK_SECOND:
        s.current_player = 0
        s.stage = PLACE_FIRST
    else:
        s.current_player = 0
        s.stage = PICK_FIRST
        end_turn(s)


# § 9 What a player knows


@kernel
def remembers(s: Any, v: Any, c: Any) -> Any:
    """Whether v counts card c to a hand that it has passed on in this round."""
    return (s.seen[c] & ~s.gone[c] & (1 << v)) != 0


@kernel
def secret_group(s: Any, v: Any, c: Any) -> Any:
    """Cards of one group may be exchanged without v noticing: 0 … P - 1 the known hand of that
    packet, P all that v has never seen; -1 for a card whose place v knows."""
    if s.place[c] >= LAID or s.gone[c] & (1 << v):
        return -1
    if not s.seen[c] & (1 << v):
        return s.num_players
    own = s.packet[c] == packet_of(s, v) or s.picks[v, 0] == c or s.picks[v, 1] == c
    return -1 if own else s.packet[c]


@kernel
def swapped(c: Any, a: Any, b: Any) -> Any:
    if c == a:
        return b
    return a if c == b else c


@kernel
def exchange(s: Any, a: Any, b: Any) -> None:
    """Let cards a and b change roles in everything that is hidden."""
    s.place[a], s.place[b] = s.place[b], s.place[a]
    s.packet[a], s.packet[b] = s.packet[b], s.packet[a]
    s.seen[a], s.seen[b] = s.seen[b], s.seen[a]
    s.gone[a], s.gone[b] = s.gone[b], s.gone[a]
    for p in range(s.num_players):
        for which in range(2):
            s.picks[p, which] = swapped(s.picks[p, which], a, b)
        for r in range(ROUNDS):
            for k in range(HAND):
                s.deal[r, p, k] = swapped(s.deal[r, p, k], a, b)


@kernel
def resample_hidden(s: Any, player: Any, seed: Any) -> None:
    """Shuffle the cards within each secret group of `player`; the same seed, the same result."""
    counter = 0
    for group in range(s.num_players + 1):
        met = 0  # cards of the group so far; each changes roles with a random one of them
        for c in range(CARDS):
            if secret_group(s, player, c) == group:
                met += 1
                counter += 1
                left = below(keyed(seed, counter), met)
                for other in range(CARDS):
                    if secret_group(s, player, other) == group:
                        if left == 0:
                            if other != c:
                                exchange(s, other, c)
                            break
                        left -= 1
