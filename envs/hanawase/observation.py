"""What each seat of Hanawase may know (RULES.md § 9), as pieces of one flat vector.

Seats are told relative to the reader: entry 0 is the reader, entry j sits j places on. The three
active players are told as chairs: chair 0 is the reader, or the first active player after a
reader who is out; chairs 1 and 2 are the next in turn. Until all have declared, what is told by
chair is 0.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from hanazono.envs.core.kernel import kernel
from hanazono.envs.core.observation import Layout, Piece
from hanazono.envs.core.seats import places_from
from hanazono.envs.core.sets import bit, lowest, size
from hanazono.envs.hanafuda.deck import CARDS, same_month
from hanazono.envs.hanafuda.matching import is_choice
from hanazono.envs.hanafuda.pieces import PLACES, card_piece, write_places, write_set
from hanazono.envs.hanawase.knowledge import unseen
from hanazono.envs.hanawase.rules import (
    ACTIVE,
    CARD_POINTS,
    CHOOSE_PLAYED,
    HAND,
    MAX_PLAYERS,
    ROLES,
    WILLOW,
    card_points,
    next_seat,
)
from hanazono.envs.hanawase.yaku import OUT_OF_REACH, YAKU, YAKU_CARDS, YAKU_NEED, chances, count_of

PER_POINT = np.float32(1 / 200)
PER_CARD_POINT = np.float32(1 / 264)  # all cards
PER_BEST = np.float32(1 / 20)  # a bright
PER_GAIN = np.float32(1 / 36)  # all Willow cards, the most that a card can capture
PER_CARD, PER_HAND, PER_WILLOW = np.float32(1 / CARDS), np.float32(1 / HAND), np.float32(1 / 4)
PER_STOCK = np.float32(1 / 21)
PER_ROUND = np.float32(1 / 12)

NEXT_MEANING = "points (cards held + 1) / needed / 100 of chair 0; 0 if complete or out of reach"
YAKU_MEANING = (
    "_next of the yaku of each card so captured, summed; "
    "if the card would stay, those of the card, negative"
)
PROGRESS_MEANING = (
    "by chair: cards held / needed, -1 if out of reach; the Rainman is two of five for Rainy Four"
)

PIECES = (
    *PLACES,  # unseen are not the cards that the reader gave back: they are in the pile
    Piece("captured", (ROLES, CARDS), 0, 1, "1: captured by chair j", "card"),
    Piece("waiting", (CARDS,), 0, 1, "1: the card whose match is being chosen", "card"),
    Piece("card_points", (CARDS,), 0, 1, "points of the card / 20", "card"),
    Piece("captures", (CARDS,), 0, 1, "1: the reader captures by playing or taking it now", "card"),
    Piece("gain", (CARDS,), 0, 1, "card points so captured, own card included / 36", "card"),
    Piece("own_yaku", (CARDS,), -60, 60, "own" + YAKU_MEANING, "card"),
    Piece("their_yaku", (CARDS,), -60, 60, "their" + YAKU_MEANING, "card"),
    Piece("progress", (ROLES, YAKU), -1, 1, PROGRESS_MEANING),
    Piece("own_next", (YAKU,), 0, 2, NEXT_MEANING),
    Piece("their_next", (YAKU,), 0, 4, "the same of chairs 1 and 2, summed"),
    Piece("willow", (ROLES,), 0, 1, "by chair: Willow cards captured / 4"),
    Piece("captured_count", (ROLES,), 0, 1, "by chair: captured cards / 48"),
    Piece("captured_points", (ROLES,), 0, 1, "by chair: points of captured cards / 264"),
    Piece("hand_size", (ROLES,), 0, 1, "by chair: cards in hand / 7"),
    Piece("plains_played", (ROLES,), 0, 1, "by chair: plain cards played from the hand / 7"),
    Piece("chair_points", (ROLES,), -400, 400, "by chair: points so far / 200"),
    Piece("points", (MAX_PLAYERS,), -400, 400, "by seat: points so far / 200"),
    Piece("standing", (MAX_PLAYERS, 4), 0, 1, "by seat: one-hot undeclared, active, retired, out"),
    Piece("role", (MAX_PLAYERS, ROLES), 0, 1, "by seat: one-hot oya, naka, biki"),
    Piece("dealer", (MAX_PLAYERS,), 0, 1, "one-hot: the dealer's seat"),
    Piece("mover", (MAX_PLAYERS,), 0, 1, "one-hot: the seat to decide"),
    Piece("seated", (MAX_PLAYERS,), 0, 1, "1: the seat exists"),
    Piece("phase", (4,), 0, 1, "one-hot: declare, play, choose for the played, the turned card"),
    Piece("pile", (1,), 0, 1, "cards in the stock or pile / 21"),
    Piece("rounds_left", (1,), 0, 1, "rounds not finished / 12"),
)
LAYOUT = Layout(PIECES)

# Kernels read module constants, so every piece's place has a name here.
AT_CAPTURED, AT_WAITING = map(LAYOUT.start, ("captured", "waiting"))
AT_CARD_POINTS, AT_CAPTURES = map(LAYOUT.start, ("card_points", "captures"))
AT_GAIN, AT_OWN_YAKU, AT_THEIR_YAKU = map(LAYOUT.start, ("gain", "own_yaku", "their_yaku"))
AT_PROGRESS, AT_WILLOW = map(LAYOUT.start, ("progress", "willow"))
AT_OWN_NEXT, AT_THEIR_NEXT = map(LAYOUT.start, ("own_next", "their_next"))
AT_CAPTURED_COUNT, AT_CAPTURED_POINTS = map(LAYOUT.start, ("captured_count", "captured_points"))
AT_HAND_SIZE, AT_PLAINS_PLAYED = map(LAYOUT.start, ("hand_size", "plains_played"))
AT_CHAIR_POINTS, AT_POINTS = map(LAYOUT.start, ("chair_points", "points"))
AT_STANDING, AT_ROLE, AT_DEALER = map(LAYOUT.start, ("standing", "role", "dealer"))
AT_MOVER, AT_SEATED, AT_PHASE = map(LAYOUT.start, ("mover", "seated", "phase"))
AT_PILE, AT_ROUNDS_LEFT = map(LAYOUT.start, ("pile", "rounds_left"))

NONE = np.float32(0)
TOLD_POINTS = CARD_POINTS * PER_BEST


def by_count(told: Callable[[int, int], float], out_of_reach: float) -> np.ndarray:
    """Table [yaku, count] of a function of cards needed and held."""
    table = np.full((YAKU, OUT_OF_REACH + 1), out_of_reach, np.float32)
    for y, need in enumerate(YAKU_NEED.tolist()):
        table[y, :OUT_OF_REACH] = [told(need, min(k, need)) for k in range(OUT_OF_REACH)]
    return table


PROGRESS = by_count(lambda need, held: held / need, -1)
NEXT = by_count(lambda need, held: (held + 1) / need / 100 if held < need else 0, 0)
WITH = [[y for y in range(YAKU) if int(YAKU_CARDS[y]) >> c & 1] for c in range(CARDS)]
YAKU_OF_CARD = np.array([len(row) for row in WITH], np.int8)
YAKU_WITH = np.array([row + [0] * (YAKU - len(row)) for row in WITH], np.int8)


@kernel
def observe(s: Any, player: Any, out: Any) -> None:
    write_cards(s, player, out)
    write_seats(s, player, out)
    if s.actor[0] >= 0:
        first = first_chair(s, player)
        for j in range(ROLES):
            write_chair(s, (first + j) % ROLES, j, out)
        write_progress(s, first, out)
    write_choices(s, player, out)
    out[AT_PILE] = (CARDS - s.top) * PER_STOCK
    out[AT_ROUNDS_LEFT] = (s.rounds - s.round_index) * PER_ROUND
    if not s.terminated:
        out[AT_PHASE + s.phase] = 1.0
        out[AT_MOVER + places_from(s, player, s.current_player)] = 1.0


@kernel
def first_chair(s: Any, player: Any) -> Any:
    """The role of the active player whom `player` counts first."""
    seat = next_seat(s, player, ACTIVE)
    if seat == s.actor[0]:
        return 0
    return 1 if seat == s.actor[1] else 2


@kernel
def write_cards(s: Any, player: Any, out: Any) -> None:
    points = card_piece(out, AT_CARD_POINTS)
    write_places(s.hand[player], s.field, unseen(s, player), out)
    for c in range(CARDS):
        points[c] = TOLD_POINTS[c]
    if s.card >= 0:
        out[AT_WAITING + s.card] = 1.0


@kernel
def captures(s: Any, c: Any) -> Any:
    """The cards that card c captures if it is played now, of two targets the better one; none if
    it would stay."""
    targets = same_month(s.field, c)
    if is_choice(targets):
        targets &= -targets  # the lowest: the best card of a month comes first
    return targets | bit(c) if targets != 0 else targets


@kernel
def write_choices(s: Any, player: Any, out: Any) -> None:
    """What comes of playing a card, or of taking one where the reader is to choose."""
    choosing = s.phase >= CHOOSE_PLAYED and s.current_player == player and not s.terminated
    cards = same_month(s.field, s.card) if choosing else s.hand[player]
    while cards != 0:
        c = lowest(cards)
        cards &= cards - 1
        taken = bit(c) | bit(s.card) if choosing else captures(s, c)
        out[AT_CAPTURES + c] = taken != 0
        out[AT_GAIN + c] = card_points(taken) * PER_GAIN
        write_yaku(c, taken, out)


@kernel
def write_yaku(c: Any, taken: Any, out: Any) -> None:
    """What playing or taking card c is worth to the yaku of the reader and of the others."""
    own = theirs = NONE
    cards = taken if taken != 0 else bit(c)
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        for k in range(YAKU_OF_CARD[card]):
            y = YAKU_WITH[card, k]
            own += out[AT_OWN_NEXT + y]
            theirs += out[AT_THEIR_NEXT + y]
    out[AT_OWN_YAKU + c] = own if taken != 0 else -own
    out[AT_THEIR_YAKU + c] = theirs if taken != 0 else -theirs


@kernel
def write_chair(s: Any, r: Any, j: Any, out: Any) -> None:
    """What everybody sees of the active player with role r."""
    captured, p = s.captured[r], s.actor[r]
    write_set(captured, card_piece(out, AT_CAPTURED + CARDS * j))
    out[AT_WILLOW + j] = size(captured & WILLOW) * PER_WILLOW
    out[AT_CAPTURED_COUNT + j] = size(captured) * PER_CARD
    out[AT_CAPTURED_POINTS + j] = card_points(captured) * PER_CARD_POINT
    out[AT_HAND_SIZE + j] = size(s.hand[p]) * PER_HAND
    out[AT_PLAINS_PLAYED + j] = s.plains_played[r] * PER_HAND
    out[AT_CHAIR_POINTS + j] = s.points[p] * PER_POINT


@kernel
def write_progress(s: Any, first: Any, out: Any) -> None:
    taken = s.captured[0] | s.captured[1] | s.captured[2]
    for j in range(ROLES):
        captured = s.captured[(first + j) % ROLES]
        counts = chances(captured, taken & ~captured)
        at = AT_OWN_NEXT if j == 0 else AT_THEIR_NEXT
        for y in range(YAKU):
            count = count_of(y, counts)
            out[AT_PROGRESS + YAKU * j + y] = PROGRESS[y, count]
            out[at + y] += np.float32(s.value[y]) * NEXT[y, count]


@kernel
def write_seats(s: Any, player: Any, out: Any) -> None:
    for p in range(s.num_players):
        j = places_from(s, player, p)
        out[AT_POINTS + j] = s.points[p] * PER_POINT
        out[AT_STANDING + 4 * j + s.standing[p]] = 1.0
        out[AT_SEATED + j] = 1.0
    out[AT_DEALER + places_from(s, player, s.dealer)] = 1.0
    for r in range(ROLES):
        if s.actor[r] >= 0:
            out[AT_ROLE + ROLES * places_from(s, player, s.actor[r]) + r] = 1.0
