"""What each seat of HANAMI may know (RULES.md § 9), as pieces of one flat vector.

Seats are told relative to the reader: entry 0 is the reader, entry j sits j places on. Cards and
squares are told by id, and the squares once more, in `board`, as they lie on the table. When the
game is over, what is told of decisions is 0.
"""

from itertools import product
from typing import Any

import numpy as np

from hanazono.envs.core.kernel import kernel
from hanazono.envs.core.observation import Layout, Piece
from hanazono.envs.core.seats import around, places_from
from hanazono.envs.core.sets import size
from hanazono.envs.hanami_tatami.areas import COLUMNS, MOST_OFFSET, ROWS, largest_area
from hanazono.envs.hanami_tatami.cards import (
    BOARD,
    CARDS,
    NUMBER_SETS,
    NUMBERS,
    PATTERNS,
    WILD_SET,
    numbers_in,
)
from hanazono.envs.hanami_tatami.icons import BONUS_CARDS, ICON, ICONS, icon_count
from hanazono.envs.hanami_tatami.knowledge import unseen
from hanazono.envs.hanami_tatami.rules import (
    MAX_PLAYERS,
    NUM_SLIDES,
    NUM_STAGES,
    SLIDE,
    area_points,
    can_slide,
    free_squares,
    hand_size,
    move_board,
    score,
)

SQUARE = "1: own marker, 1/3: free, 0: blocked, (j - 4) / 3: marker of seat j"

PIECES = (
    Piece("hand", (CARDS,), 0, 1, "1: in the own hand", "card"),
    Piece("field", (CARDS,), 0, 1, "1: in the field", "card"),
    Piece("chosen", (CARDS,), 0, 1, "1: given or chosen in this turn, lies aside", "card"),
    Piece("known", (CARDS,), 0, 1, "known in the hand of seat j: (4 - j) / 3", "card"),
    Piece("unseen", (CARDS,), 0, 1, "1: in another hand and not known there, or undrawn", "card"),
    Piece("square", (CARDS,), -1, 1, SQUARE, "card"),
    Piece("joined", (CARDS,), 0, 25 / 24, "area an own marker here makes / 24; 0: taken", "card"),
    Piece("icon_gain", (CARDS,), 0, 4, "what its icon adds to the own bonus now / 10", "card"),
    Piece("in_pattern", (CARDS,), 0, 1, "own hand cards of its pattern / 10", "card"),
    Piece("in_number", (CARDS,), 0, 1, "own hand cards of its number / 6", "card"),
    Piece("in_run", (CARDS,), 0, 1, "cards of a Run with it that hand and it have / 3", "card"),
    Piece("in_straight", (CARDS,), 0, 1, "the same of a Straight", "card"),
    Piece("slidable", (NUM_SLIDES,), 0, 1, "1: the player to decide may slide so", "slide"),
    Piece("slide_gain", (NUM_SLIDES,), -2, 2, "points for areas the slide brings / 24", "slide"),
    Piece("slide_cost", (NUM_SLIDES,), -2, 2, "the same for the opponent it helps most", "slide"),
    Piece("board", (ROWS, COLUMNS), -1, 1, "the squares, told so, as they lie; elsewhere 0"),
    Piece("row", (PATTERNS, ROWS), 0, 1, "one-hot: row of the board of each pattern"),
    Piece("offset", (PATTERNS,), -1, 1, "offset of the board of each pattern / 9"),
    Piece("area", (MAX_PLAYERS,), 0, 1, "squares in the largest area / 24"),
    Piece("corner", (MAX_PLAYERS,), 0, 1, "1: it holds a corner"),
    Piece("icons", (MAX_PLAYERS, ICONS), 0, 1, "icons on the cards played / 24"),
    Piece("bonus_card", (BONUS_CARDS,), 0, 1, "one-hot: the open bonus card"),
    Piece("bonus", (MAX_PLAYERS,), 0, 90, "points for it now / 10"),
    Piece("hand_size", (MAX_PLAYERS,), 0, 1, "(1 + cards in hand) / 24; 0: no such seat"),
    Piece("wild", (MAX_PLAYERS,), 0, 1, "1: the wild card is not used"),
    Piece("lead", (MAX_PLAYERS,), -40, 40, "score if the game ended now, less the mean, / 24"),
    Piece("mover", (MAX_PLAYERS,), 0, 1, "one-hot: the seat to decide"),
    Piece("stage", (NUM_STAGES,), 0, 1, "one-hot: give, take, first, second, third, wild, slide"),
    Piece("slides_left", (1,), 0, 1, "slides that may still be made / 2"),
    Piece("deck", (1,), 0, 1, "cards in the deck / 36"),
    Piece("last_turns", (1,), 0, 1, "1: the deck is empty"),
)  # fmt: skip
LAYOUT = Layout(PIECES)

# Kernels read module constants, so every piece's place has a name here.
AT_HAND, AT_FIELD, AT_CHOSEN = map(LAYOUT.start, ("hand", "field", "chosen"))
AT_KNOWN, AT_UNSEEN, AT_SQUARE = map(LAYOUT.start, ("known", "unseen", "square"))
AT_JOINED, AT_ICON_GAIN = map(LAYOUT.start, ("joined", "icon_gain"))
AT_IN_PATTERN, AT_IN_NUMBER = map(LAYOUT.start, ("in_pattern", "in_number"))
AT_IN_RUN, AT_IN_STRAIGHT = map(LAYOUT.start, ("in_run", "in_straight"))
AT_SLIDABLE = LAYOUT.start("slidable")
AT_SLIDE_GAIN, AT_SLIDE_COST = map(LAYOUT.start, ("slide_gain", "slide_cost"))
AT_BOARD, AT_ROW, AT_OFFSET = map(LAYOUT.start, ("board", "row", "offset"))
AT_AREA, AT_CORNER, AT_ICONS = map(LAYOUT.start, ("area", "corner", "icons"))
AT_BONUS_CARD, AT_BONUS = map(LAYOUT.start, ("bonus_card", "bonus"))
AT_HAND_SIZE, AT_WILD, AT_LEAD = map(LAYOUT.start, ("hand_size", "wild", "lead"))
AT_MOVER, AT_STAGE, AT_SLIDES_LEFT = map(LAYOUT.start, ("mover", "stage", "slides_left"))
AT_DECK, AT_LAST_TURNS = map(LAYOUT.start, ("deck", "last_turns"))

PER_MARKER = np.float32(1 / 24)  # nobody ever places more
PER_BONUS = np.float32(1 / 10)
PER_IN_PATTERN, PER_IN_NUMBER = np.float32(1 / NUMBERS), np.float32(1 / PATTERNS)
PER_OFFSET, PER_DECK = np.float32(1 / MOST_OFFSET), np.float32(1 / 36)
ONE_THIRD = np.float32(1 / 3)


def sequences() -> np.ndarray:
    """By the numbers held, 10 bits, and a number: how many of three consecutive ones with that
    number are there, at most, if it is there as well, / 3."""
    table = np.zeros((1 << NUMBERS, NUMBERS), np.float32)
    for held, k in product(range(1 << NUMBERS), range(NUMBERS)):
        lows = range(max(k - 2, 0), min(k, NUMBERS - 3) + 1)
        table[held, k] = max(((held | 1 << k) >> low & 7).bit_count() for low in lows) / 3
    return table


SEQUENCES = sequences()


@kernel
def observe(s: Any, player: Any, out: Any) -> None:
    write_players(s, player, out)
    write_squares(s, player, out)
    write_boards(s, out)
    write_cards(s, player, out)
    out[AT_BONUS_CARD + s.bonus_card] = 1.0
    if not s.terminated:
        write_hopes(s, player, out)
        write_fellows(s.hand[player], out)
        write_turn(s, player, out)


@kernel
def card_piece(out: Any, start: Any) -> Any:
    """A piece over the cards as an array of its own: loops over it compile to vector code."""
    return out[start : start + CARDS]


@kernel
def write(cards: Any, piece: Any) -> None:
    """Fill a piece over the cards with 1 for every card of the set."""
    for c in range(CARDS):
        piece[c] = np.float32((cards >> c) & 1)


@kernel
def thirds(s: Any, sets: Any, player: Any) -> Any:
    """The number 4 - j for each card that is in the set of seat j, not the reader, in two sets:
    one counts 1 for its cards, one 2."""
    ones, twos, n = sets[player] & 0, sets[player] & 0, s.num_players
    for j in range(1, n):
        cards = sets[around(player + j, n)]
        ones |= cards * (j & 1)
        twos |= cards * (j < 3)
    return ones, twos


@kernel
def third(ones: Any, twos: Any, c: Any) -> Any:
    """The number for card c that two sets tell, / 3."""
    return np.float32(((ones >> c) & 1) + 2 * ((twos >> c) & 1)) * ONE_THIRD


# What lies open


@kernel
def write_players(s: Any, player: Any, out: Any) -> None:
    n, total = s.num_players, 0
    for j in range(n):
        p = around(player + j, n)
        for icon in range(ICONS):
            out[AT_ICONS + ICONS * j + icon] = icon_count(s, p, icon) * PER_MARKER
        out[AT_AREA + j] = s.area[p] * PER_MARKER
        out[AT_CORNER + j] = s.corner[p]
        out[AT_BONUS + j] = s.bonus_points[p] * PER_BONUS
        out[AT_HAND_SIZE + j] = (1 + hand_size(s, p)) * PER_MARKER
        out[AT_WILD + j] = 1.0 if s.hand[p] & WILD_SET else 0.0
        points = score(s, p)
        total += points
        out[AT_LEAD + j] = points
    mean = total / n
    for j in range(n):
        out[AT_LEAD + j] = (out[AT_LEAD + j] - mean) * PER_MARKER


@kernel
def write_squares(s: Any, player: Any, out: Any) -> None:
    own, piece = s.markers[player], card_piece(out, AT_SQUARE)
    own_or_free = own | free_squares(s)
    ones, twos = thirds(s, s.markers, player)
    for c in range(CARDS):
        piece[c] = third(own_or_free, own, c) - third(ones, twos, c)


@kernel
def write_boards(s: Any, out: Any) -> None:
    """Where the boards lie, and what their squares hold at these places."""
    for r in range(ROWS):
        b = np.int64(s.order[r])
        start, to = AT_SQUARE + NUMBERS * b, AT_BOARD + COLUMNS * r + MOST_OFFSET + s.offset[b]
        squares, places = out[start : start + NUMBERS], out[to : to + NUMBERS]
        for k in range(NUMBERS):
            places[k] = squares[k]
        out[AT_ROW + ROWS * b + r] = 1.0
        out[AT_OFFSET + b] = s.offset[b] * PER_OFFSET


@kernel
def write_turn(s: Any, player: Any, out: Any) -> None:
    out[AT_MOVER + places_from(s, player, s.current_player)] = 1.0
    out[AT_STAGE + s.stage] = 1.0
    out[AT_SLIDES_LEFT] = s.slides_left / 2
    out[AT_DECK] = (CARDS - s.top) * PER_DECK
    out[AT_LAST_TURNS] = s.top == CARDS
    if s.stage == SLIDE:
        for k in range(NUM_SLIDES):
            if can_slide(s, k):
                out[AT_SLIDABLE + k] = 1.0
                write_slide(s, player, k, out)


@kernel
def write_slide(s: Any, player: Any, k: Any, out: Any) -> None:
    """What a slide changes for the reader and for the others; the board is slid back."""
    move_board(s, k)
    cost = -2 * CARDS
    for p in range(s.num_players):
        squares, corner = largest_area(s, s.markers[p])
        change = squares * (1 + corner) - area_points(s, p)
        if p == player:
            out[AT_SLIDE_GAIN + k] = change * PER_MARKER
        else:
            cost = max(cost, change)
    out[AT_SLIDE_COST + k] = cost * PER_MARKER
    move_board(s, k ^ 1)


# Cards


@kernel
def write_cards(s: Any, player: Any, out: Any) -> None:
    write(s.hand[player], card_piece(out, AT_HAND))
    write(s.field, card_piece(out, AT_FIELD))
    write(s.aside, card_piece(out, AT_CHOSEN))
    write(unseen(s, player), card_piece(out, AT_UNSEEN))
    ones, twos = thirds(s, s.known, player)
    known = card_piece(out, AT_KNOWN)
    for c in range(CARDS):
        known[c] = third(ones, twos, c)


@kernel
def write_hopes(s: Any, player: Any, out: Any) -> None:
    """What a marker on a card's square would join, and what its icon would bring."""
    free, beside, joined = free_squares(s), s.beside[player], card_piece(out, AT_JOINED)
    for c in range(CARDS):
        alone = np.float32((free >> c) & 1) * PER_MARKER
        joined[c] = alone * np.float32(beside[c]) + alone
    write_icon_gain(s.icon_gain[player], card_piece(out, AT_ICON_GAIN))


@kernel
def write_icon_gain(gains: Any, piece: Any) -> None:
    bowl, sake, note, top, blossom = gains[0], gains[1], gains[2], gains[3], gains[4]
    for c in range(CARDS):
        gain = bowl if ICON[c] == 0 else sake if ICON[c] == 1 else note
        gain = top if ICON[c] == 3 else blossom if ICON[c] == 4 else gain
        piece[c] = np.float32(gain) * PER_BONUS


@kernel
def write_fellows(hand: Any, out: Any) -> None:
    """How many cards of the own hand have a card's pattern, its number, and go with it in a Run or
    a Straight."""
    in_run, in_straight = card_piece(out, AT_IN_RUN), card_piece(out, AT_IN_STRAIGHT)
    numbers = numbers_in(hand)
    for b in range(PATTERNS):
        own = (hand >> (NUMBERS * b)) & BOARD
        for k in range(NUMBERS):
            in_run[NUMBERS * b + k] = SEQUENCES[own, k]
            in_straight[NUMBERS * b + k] = SEQUENCES[numbers, k]
    in_pattern, in_number = card_piece(out, AT_IN_PATTERN), card_piece(out, AT_IN_NUMBER)
    for b in range(PATTERNS):
        share = size((hand >> (NUMBERS * b)) & BOARD) * PER_IN_PATTERN
        for k in range(NUMBERS):
            in_pattern[NUMBERS * b + k] = share
    for k in range(NUMBERS):
        share = size(hand & NUMBER_SETS[k + 1]) * PER_IN_NUMBER
        for b in range(PATTERNS):
            in_number[NUMBERS * b + k] = share
