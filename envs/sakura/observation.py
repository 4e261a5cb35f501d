"""What each seat of Sakura may know (RULES.md § 9), as pieces of one flat vector.

Seats are told relative to the reader: entry 0 is the reader, entry j sits j places on. A yaku is
open to a player while nobody else has captured a card of it. When the game is over, what is told of
decisions is 0.
"""

from itertools import product
from typing import Any

import numpy as np

from hanazono.envs.core.kernel import kernel
from hanazono.envs.core.observation import Layout, Piece
from hanazono.envs.core.seats import places_from, seat_after
from hanazono.envs.core.sets import bit, lowest, size
from hanazono.envs.hanafuda.deck import CARDS, MONTHS, PER_MONTH, month_of, set_of
from hanazono.envs.hanafuda.pieces import BITS, PLACES, card_piece, write_places, write_set
from hanazono.envs.sakura.knowledge import unseen
from hanazono.envs.sakura.rules import (
    FIVES,
    MAX_PLAYERS,
    NO_CARD,
    NUM_YAKU,
    POINTS,
    TENS,
    TWENTIES,
    YAKU,
    YAKU_COST,
    YAKU_SIZE,
    all_captured,
    card_points,
    declarable,
    is_wild,
    targets,
)

GAIN_MEANING = (
    "(5 + most points captured with it) / 35, 0 if none: own hand; for who takes, the targets"
)
CAPTURE_MEANING = "_yaku of all cards so captured, itself included, summed"

PIECES = (
    *PLACES,
    Piece("captured", (MAX_PLAYERS, CARDS), 0, 1, "1: captured by seat j", "card"),
    Piece("open", (CARDS,), 0, 1, "1: played or turned over, waits for its target", "card"),
    Piece("points", (CARDS,), 0, 1, "what the card counts / 20", "card"),
    Piece("gain", (CARDS,), 0, 1, GAIN_MEANING, "card"),
    Piece("own_yaku", (CARDS,), 0, 1, "cards of an open yaku the reader had with it / 3", "card"),
    Piece("rival_yaku", (CARDS,), 0, 1, "the same for the opponent who had most", "card"),
    Piece("own_capture", (CARDS,), 0, 4, "own" + CAPTURE_MEANING, "card"),
    Piece("rival_capture", (CARDS,), 0, 4, "rival" + CAPTURE_MEANING, "card"),
    Piece("hiki", (MONTHS,), 0, 1, "(5 + points of the month) / 35; 0: not declarable", "month"),
    Piece("struck", (MONTHS,), 0, 1, "1: the wild Lightning captured from it this round", "month"),
    Piece("yaku", (MAX_PLAYERS, NUM_YAKU), -1, 1, "captured cards of each yaku / 3; -1: not open"),
    Piece("hand_size", (MAX_PLAYERS,), 0, 1, "(1 + cards in hand) / 9; 0: no such seat"),
    Piece("card_points", (MAX_PLAYERS,), 0, 2.4, "points of the captured cards / 100"),
    Piece("standing", (MAX_PLAYERS,), -4, 2.4, "score of the round if it ended now / 100"),
    Piece("lead", (MAX_PLAYERS,), -80, 80, "total so far, less the mean of all totals, / 100"),
    Piece("mover", (MAX_PLAYERS,), 0, 1, "one-hot: the seat to decide"),
    Piece("starter", (MAX_PLAYERS,), 0, 1, "one-hot: the seat that started the round"),
    Piece("stage", (4,), 0, 1, "one-hot: play, declare, take for a played, for a turned card"),
    Piece("pile", (1,), 0, 1, "cards in the pile / 24"),
    Piece("rounds", (1,), 0, 1, "rounds that are not over / 12"),
    Piece("options", (2,), 0, 1, "1: instant wins; 1: the Lightning is wild"),
)  # fmt: skip
LAYOUT = Layout(PIECES)

# Kernels read module constants, so every piece's place has a name here.
AT_CAPTURED, AT_OPEN, AT_POINTS = map(LAYOUT.start, ("captured", "open", "points"))
AT_GAIN, AT_OWN_YAKU, AT_RIVAL_YAKU = map(LAYOUT.start, ("gain", "own_yaku", "rival_yaku"))
AT_OWN_CAPTURE, AT_RIVAL_CAPTURE = map(LAYOUT.start, ("own_capture", "rival_capture"))
AT_HIKI, AT_STRUCK, AT_YAKU = map(LAYOUT.start, ("hiki", "struck", "yaku"))
AT_HAND_SIZE, AT_CARD_POINTS = map(LAYOUT.start, ("hand_size", "card_points"))
AT_STANDING, AT_LEAD = map(LAYOUT.start, ("standing", "lead"))
AT_MOVER, AT_STARTER, AT_STAGE = map(LAYOUT.start, ("mover", "starter", "stage"))
AT_PILE, AT_ROUNDS, AT_OPTIONS = map(LAYOUT.start, ("pile", "rounds", "options"))

SOME = 5  # added to the points of a capture, so that a capture of 0 points differs from none
PER_GAIN, PER_POINT, PER_HAND_CARD = 1 / 35, 1 / 100, 1 / 9
PER_PILE_CARD, PER_ROUND = 1 / 24, 1 / 12


THIRDS = BITS / np.float32(YAKU_SIZE)
PROGRESS = np.array([0, 1 / 3, 2 / 3, 1, -1, -1, -1, -1], np.float32)  # 4 + k: not open
POINT_SHARES = (POINTS / 20).astype(np.float32)
NONE = np.float32(0)


def matches() -> np.ndarray:
    """By month and set of its cards in the field, 4 bits: what a card of the month takes; of two
    cards the one that counts more, the first among equals."""
    table = np.zeros((MONTHS, 16), np.int64)
    for m, found in product(range(MONTHS), range(16)):
        cards = [PER_MONTH * m + k for k in range(PER_MONTH) if found >> k & 1]
        if len(cards) == 2:
            cards = [max(cards, key=lambda c: int(POINTS[c]))]
        table[m, found] = set_of(cards)
    return table


MATCHES = matches()


@kernel
def observe(s: Any, player: Any, out: Any) -> None:
    write_players(s, player, out)
    write_yaku(s, player, all_captured(s), out)
    write_cards(s, player, out)
    out[AT_PILE] = (CARDS - s.top) * PER_PILE_CARD
    out[AT_ROUNDS] = (s.rounds - s.round_index) * PER_ROUND
    out[AT_OPTIONS] = s.instant_win
    out[AT_OPTIONS + 1] = s.lightning
    if not s.terminated:
        write_actions(s, player, out)
        out[AT_MOVER + places_from(s, player, s.current_player)] = 1.0
        out[AT_STARTER + places_from(s, player, s.starter)] = 1.0
        out[AT_STAGE + s.stage] = 1.0


# What lies open


@kernel
def write_players(s: Any, player: Any, out: Any) -> None:
    n, mean = s.num_players, 0.0
    for p in range(n):
        mean += s.points[p] / n
    for j in range(n):
        p = seat_after(s, player, j)
        points = card_points(s.captured[p]) * PER_POINT
        write_set(s.captured[p], card_piece(out, AT_CAPTURED + CARDS * j))
        out[AT_HAND_SIZE + j] = (1 + size(s.hand[p])) * PER_HAND_CARD
        out[AT_CARD_POINTS + j] = points
        out[AT_STANDING + j] = points
        out[AT_LEAD + j] = (s.points[p] - mean) * PER_POINT


@kernel
def write_yaku(s: Any, player: Any, captured: Any, out: Any) -> None:
    """Progress of every player in every yaku, and what each card in play would add to it."""
    fresh, rival_one, rival_two = captured & 0, captured & 0, captured & 0
    for y in range(NUM_YAKU):
        fresh |= YAKU[y] * (captured & YAKU[y] == 0)
    for j in range(s.num_players):
        own, row = s.captured[seat_after(s, player, j)], AT_YAKU + NUM_YAKU * j
        one, two, whole = write_progress(own, captured, out[row : row + NUM_YAKU])
        if j == 0:
            write_thirds(fresh, one, two, card_piece(out, AT_OWN_YAKU))
        rival_one |= one * (j > 0)
        rival_two |= two * (j > 0)
        if whole > 0:
            for i in range(s.num_players):
                out[AT_STANDING + i] -= (i != j) * whole * YAKU_COST * PER_POINT
    write_thirds(fresh, rival_one, rival_two, card_piece(out, AT_RIVAL_YAKU))


@kernel
def write_progress(own: Any, captured: Any, row: Any) -> Any:
    """Fill a player's row of `yaku`. Returns what is left of the yaku that are open to it and of
    which it has one card, and two cards, and how many yaku it has whole."""
    one, two, whole = own & 0, own & 0, 0
    for y in range(NUM_YAKU):
        mine, taken = own & YAKU[y], captured & YAKU[y]
        code = size(mine) + 4 * (mine != taken)
        row[y] = PROGRESS[code]
        one |= YAKU[y] * (code == 1)
        two |= YAKU[y] * (code == 2)
        whole += code == YAKU_SIZE
    return one & ~captured, two & ~captured, whole


@kernel
def write_thirds(fresh: Any, one: Any, two: Any, piece: Any) -> None:
    """Thirds by card, of yaku with no, one, two cards captured; of two yaku the higher counts."""
    for k in range(CARDS // 8):
        byte = (fresh >> (8 * k)) & 255
        for i in range(8):
            piece[8 * k + i] = THIRDS[byte, i]
    begun = one | two
    while begun != 0:
        c = lowest(begun)
        piece[c] = PROGRESS[2 + ((two >> c) & 1)]
        begun &= begun - 1


# Where the other cards are, and what the reader can do


@kernel
def write_cards(s: Any, player: Any, out: Any) -> None:
    points = card_piece(out, AT_POINTS)
    write_places(s.hand[player], s.field, unseen(s, player), out)
    for c in range(CARDS):
        points[c] = POINT_SHARES[c]
    if s.open_card != NO_CARD:
        out[AT_OPEN + s.open_card] = 1.0
    if s.wild_month >= 0:
        out[AT_STRUCK + s.wild_month] = 1.0


@kernel
def taken_by(s: Any, c: Any) -> Any:
    """The field cards that hand card c captures if it is played now; of several to choose from the
    one that counts most, the lowest id among equals."""
    if is_wild(s, c) and s.field != 0:
        return most_valuable(s.field)
    m = c // PER_MONTH
    return MATCHES[m, (s.field >> (PER_MONTH * m)) & 15]


@kernel
def most_valuable(cards: Any) -> Any:
    """The card of a set that counts most, alone; the lowest id among equals."""
    best = cards & TWENTIES
    if best == 0:
        best = cards & TENS
    if best == 0:
        best = cards & FIVES
    if best == 0:
        best = cards
    return best & -best


@kernel
def write_actions(s: Any, player: Any, out: Any) -> None:
    """What the reader's cards would capture; while it chooses a target, what the targets bring."""
    mine = player == s.current_player
    if mine and s.open_card != NO_CARD:
        cards = targets(s)
        while cards != 0:
            c = lowest(cards)
            write_capture(c, bit(c) | bit(s.open_card), out)
            cards &= cards - 1
        return
    cards = s.hand[player]
    while cards != 0:
        c = lowest(cards)
        found = taken_by(s, c)
        if found != 0:
            write_capture(c, found | bit(c), out)
        cards &= cards - 1
    if mine:
        write_hiki(s, out)


@kernel
def write_capture(c: Any, cards: Any, out: Any) -> None:
    """What choosing card c brings, which captures these cards."""
    points, own, rival = SOME, NONE, NONE
    while cards != 0:
        d = lowest(cards)
        points += POINTS[d]
        own += out[AT_OWN_YAKU + d]
        rival += out[AT_RIVAL_YAKU + d]
        cards &= cards - 1
    out[AT_GAIN + c] = points * PER_GAIN
    out[AT_OWN_CAPTURE + c] = own
    out[AT_RIVAL_CAPTURE + c] = rival


@kernel
def write_hiki(s: Any, out: Any) -> None:
    firsts = declarable(s)
    while firsts != 0:
        m = lowest(firsts) // PER_MONTH
        out[AT_HIKI + m] = (SOME + card_points(month_of(m))) * PER_GAIN
        firsts &= firsts - 1
