"""What each seat of Ohanami may know (RULES.md § 9), as pieces of one flat vector.

Seats are told relative to the reader: entry 0 is the reader, entry j sits j places clockwise.
"""

from typing import Any

import numpy as np

from hanazono.envs.core.kernel import kernel
from hanazono.envs.core.observation import Layout, Piece
from hanazono.envs.core.seats import around, places_from
from hanazono.envs.ohanami.rules import (
    CARDS,
    COLOUR,
    HAND,
    IN_HAND,
    LAID,
    MAX_PLAYERS,
    PINK,
    ROUNDS,
    ROWS,
    TARGETS,
    TURNS,
    banked,
    can_lay,
    packet_of,
    remembers,
    worth,
)

PER_CARD = np.float32(1 / CARDS)
MOST_GAP = 30  # steps; wider gaps are told as this
PER_GAP = np.float32(1 / MOST_GAP)
NO_GAP = 2 * CARDS  # for a card that fits nowhere: more than any gap
PER_WORTH = np.float32(1 / 15)  # a card brings at most 15 points until the end: the 15th pink
PER_PASS = np.float32(1 / (MAX_PLAYERS - 1))
PER_LAID = np.float32(1 / 30)  # a player lays at most 30 cards
PER_POINT = np.float32(1 / 250)  # above any reachable score

GAP_MEANING = (
    "steps to the nearest own row end / 30, 1 if more or none; a first pick counts as laid"
)
KNOWN_MEANING = (
    "in a known hand of another: 1 if it comes back with the next pass, 2/3 second, 1/3 third"
)

PIECES = (
    Piece("hand", (CARDS,), 0, 1, "1: in the own hand; the next four pieces tell of these", "card"),
    Piece("pink", (CARDS,), 0, 1, "1: pink", "card"),
    Piece("worth", (CARDS,), 0, 1, "points until the end of the game if laid now / 15", "card"),
    Piece("gap", (CARDS,), 0, 1, GAP_MEANING, "card"),
    Piece(
        "heir_gap", (CARDS,), 0, 1, "the same for the seat that gets the rest of the hand", "card"
    ),
    Piece("out", (CARDS,), 0, 1, "1: out of play, laid or known to be face down", "card"),
    Piece("known", (CARDS,), 0, 1, KNOWN_MEANING, "card"),
    Piece("open", (2 * TARGETS,), 0, 1, "1: the picked card may go here", "target"),
    Piece("new_row", (2 * TARGETS,), 0, 1, "1: it would start a row here", "target"),
    Piece(
        "target_gap",
        (2 * TARGETS,),
        0,
        1,
        "its steps to the row's end here / 30, at most 1",
        "target",
    ),
    Piece("target_worth", (2 * TARGETS,), 0, 1, "its points until the end if laid / 15", "target"),
    Piece("picks", (2, 6), 0, 1, "own picks: 1 if open, number / 120, colour one-hot"),
    Piece("rows", (MAX_PLAYERS, ROWS, 3), 0, 1, "lowest / 120, highest / 120, cards / 30; 0 empty"),
    Piece("colours", (MAX_PLAYERS, 4), 0, 1, "laid cards by colour / 30"),
    Piece("points", (MAX_PLAYERS,), 0, 1, "score so far / 250"),
    Piece("banked", (MAX_PLAYERS,), 0, 1, "score in the end if no more cards were laid / 250"),
    Piece("discards", (MAX_PLAYERS,), 0, 1, "cards discarded / 30"),
    Piece("seated", (MAX_PLAYERS,), 0, 1, "1: the seat exists"),
    Piece("round", (ROUNDS,), 0, 1, "one-hot"),
    Piece("turn", (TURNS,), 0, 1, "one-hot"),
    Piece("stage", (4,), 0, 1, "one-hot: pick first, second, place first, second"),
    Piece("mover", (MAX_PLAYERS,), 0, 1, "one-hot: the seat to decide"),
    Piece("clockwise", (1,), 0, 1, "1: hands pass clockwise this round"),
)
LAYOUT = Layout(PIECES)

# Kernels read module constants, so every piece's place has a name here.
AT_HAND, AT_PINK, AT_WORTH = map(LAYOUT.start, ("hand", "pink", "worth"))
AT_GAP, AT_HEIR_GAP = map(LAYOUT.start, ("gap", "heir_gap"))
AT_OUT, AT_KNOWN = map(LAYOUT.start, ("out", "known"))
AT_OPEN, AT_NEW_ROW = map(LAYOUT.start, ("open", "new_row"))
AT_TARGET_GAP, AT_TARGET_WORTH = map(LAYOUT.start, ("target_gap", "target_worth"))
AT_PICKS, AT_ROWS, AT_COLOURS = map(LAYOUT.start, ("picks", "rows", "colours"))
AT_POINTS, AT_BANKED = map(LAYOUT.start, ("points", "banked"))
AT_DISCARDS, AT_SEATED = map(LAYOUT.start, ("discards", "seated"))
AT_ROUND, AT_TURN, AT_STAGE = map(LAYOUT.start, ("round", "turn", "stage"))
AT_MOVER, AT_CLOCKWISE = map(LAYOUT.start, ("mover", "clockwise"))


@kernel
def observe(s: Any, player: Any, out: Any) -> None:
    write_table_cards(s, player, out)
    write_table(s, player, out)
    if not s.terminated:
        write_own_hand(s, player, out)
        write_known_hands(s, player, out)
        write_picks(s, player, out)
        out[AT_ROUND + s.round_index] = 1.0
        out[AT_TURN + s.turn] = 1.0
        out[AT_STAGE + s.stage] = 1.0
        out[AT_MOVER + places_from(s, player, s.current_player)] = 1.0
        out[AT_CLOCKWISE] = s.round_index != 1


@kernel
def write_table_cards(s: Any, player: Any, out: Any) -> None:
    # A plain loop over bytes: the compiler turns it into vector instructions.
    reader = np.uint8(1 << player)
    for c in range(CARDS):
        out[AT_OUT + c] = (s.place[c] >= np.uint8(LAID)) | ((s.gone[c] & reader) != 0)


@kernel
def write_known_hands(s: Any, player: Any, out: Any) -> None:
    n = s.num_players
    clockwise = s.round_index != 1
    for away in range(1, min(s.turn + 1, n)):  # a hand passed on k turns ago lies k seats onward
        h = packet_of(s, around(player + (away if clockwise else n - away), n))
        nearness = (MAX_PLAYERS - n + away) * PER_PASS  # n - away passes until it is back
        for k in range(HAND):
            c = s.deal[s.round_index, h, k]
            if remembers(s, player, c):
                out[AT_KNOWN + c] = nearness


@kernel
def row_ends(s: Any, player: Any, row: Any) -> Any:
    """Lowest and highest card of a row; for an empty one, ends that no card extends."""
    if s.length[player, row] == 0:
        return -NO_GAP, NO_GAP
    return np.int64(s.low[player, row]), np.int64(s.high[player, row])


@kernel
def end_gap(c: Any, ends: Any) -> Any:
    """Steps from card c to the end of a row that it extends, NO_GAP if it does not."""
    gap = max(c - ends[1], ends[0] - c)
    return gap if gap > 0 else NO_GAP


@kernel
def nearest_gap(s: Any, player: Any, c: Any) -> Any:
    """The smallest gap over the player's rows, NO_GAP if card c extends none."""
    nearest = NO_GAP
    for row in range(ROWS):
        nearest = min(nearest, end_gap(c, row_ends(s, player, row)))
    return nearest


@kernel
def ends_with_first_pick(s: Any, player: Any) -> Any:
    """Ends of the three rows, with the first pick counted as laid where it loses least: the
    nearest row that it extends, else the first empty one."""
    a, b, c = row_ends(s, player, 0), row_ends(s, player, 1), row_ends(s, player, 2)
    first = np.int64(s.picks[player, 0])
    if first >= 0:
        to_a, to_b, to_c = end_gap(first, a), end_gap(first, b), end_gap(first, c)
        least = min(to_a, to_b, to_c)
        if least == NO_GAP and s.length[player, ROWS - 1] > 0:
            return a, b, c
        if to_a == least and (least < NO_GAP or s.length[player, 0] == 0):
            a = stretched(a, first)
        elif to_b == least and (least < NO_GAP or s.length[player, 1] == 0):
            b = stretched(b, first)
        else:
            c = stretched(c, first)
    return a, b, c


@kernel
def stretched(ends: Any, c: Any) -> Any:
    """The ends of a row after card c was laid there."""
    if ends[1] == NO_GAP:
        return c, c
    return min(ends[0], c), max(ends[1], c)


@kernel
def told_gap(gap: Any) -> Any:
    return min(gap, MOST_GAP) * PER_GAP


@kernel
def write_own_hand(s: Any, player: Any, out: Any) -> None:
    h, n = packet_of(s, player), s.num_players
    heir = around(player + (n - 1 if s.round_index == 1 else 1), n)
    a, b, c = ends_with_first_pick(s, player)
    heir_a, heir_b, heir_c = row_ends(s, heir, 0), row_ends(s, heir, 1), row_ends(s, heir, 2)
    for k in range(HAND):
        card = np.int64(s.deal[s.round_index, h, k])
        if s.place[card] == IN_HAND + h:
            out[AT_HAND + card] = 1.0
            out[AT_PINK + card] = COLOUR[card] == PINK
            out[AT_WORTH + card] = worth(s, player, card) * PER_WORTH
            gap = min(end_gap(card, a), end_gap(card, b), end_gap(card, c))
            out[AT_GAP + card] = told_gap(gap)
            gap = min(end_gap(card, heir_a), end_gap(card, heir_b), end_gap(card, heir_c))
            out[AT_HEIR_GAP + card] = told_gap(gap)


@kernel
def write_picks(s: Any, player: Any, out: Any) -> None:
    for which in range(2):
        c = s.picks[player, which]
        if c >= 0:
            at = AT_PICKS + 6 * which
            out[at] = 1.0
            out[at + 1] = (c + 1) * PER_CARD
            out[at + 2 + COLOUR[c]] = 1.0
            write_targets(s, player, c, TARGETS * which, out)


@kernel
def write_targets(s: Any, player: Any, c: Any, first: Any, out: Any) -> None:
    for row in range(ROWS):
        if can_lay(s, player, c, row):
            at = first + row
            out[AT_OPEN + at] = 1.0
            out[AT_NEW_ROW + at] = s.length[player, row] == 0
            if s.length[player, row] > 0:
                out[AT_TARGET_GAP + at] = told_gap(end_gap(c, row_ends(s, player, row)))
            out[AT_TARGET_WORTH + at] = worth(s, player, c) * PER_WORTH
    out[AT_OPEN + first + ROWS] = 1.0


@kernel
def write_table(s: Any, player: Any, out: Any) -> None:
    for j in range(s.num_players):
        p = around(player + j, s.num_players)
        for row in range(ROWS):
            at = AT_ROWS + 3 * (ROWS * j + row)
            out[at] = (s.low[p, row] + 1) * PER_CARD  # -1 where there is no card
            out[at + 1] = (s.high[p, row] + 1) * PER_CARD
            out[at + 2] = s.length[p, row] * PER_LAID
        for colour in range(4):
            out[AT_COLOURS + 4 * j + colour] = s.colours[p, colour] * PER_LAID
        out[AT_POINTS + j] = s.points[p] * PER_POINT
        out[AT_BANKED + j] = banked(s, p) * PER_POINT
        out[AT_DISCARDS + j] = s.discards[p] * PER_LAID
        out[AT_SEATED + j] = 1.0
