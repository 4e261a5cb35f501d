"""What each seat of HANAMI may know (RULES.md § 9), as pieces of one flat vector.

Seats are told relative to the reader: entry 0 is the reader, entry j sits j places on. The piece
`board` shows the squares as they lie on the table, all other pieces over cards by card id.
"""

from typing import Any

import numpy as np

from hanazono.envs.core.kernel import kernel
from hanazono.envs.core.observation import Layout, Piece
from hanazono.envs.hanami_tatami.areas import (
    COLUMNS,
    MOST_OFFSET,
    ROWS,
    largest_area,
)
from hanazono.envs.hanami_tatami.cards import (
    BOARD,
    CARDS,
    NUMBER_SETS,
    NUMBERS,
    PATTERNS,
    WILD,
    WILD_SET,
    lowest,
    size,
)
from hanazono.envs.hanami_tatami.icons import (
    BONUS_CARDS,
    ICON_SETS,
    ICONS,
    KINDS_IN_SET,
    MOST_CONDITIONS,
    NO_ICON,
    WHICH_IN_SET,
    condition_points,
    icon_count,
    most_of_others,
    sets_held,
)
from hanazono.envs.hanami_tatami.rules import (
    MAX_PLAYERS,
    NO_CARD,
    NUM_SLIDES,
    SLIDE,
    STAGES,
    area_points,
    can_slide,
    free_squares,
    hand_size,
    move_board,
    score,
    unseen,
)

BOARD_MEANING = "top row first; plane 0: 1 own marker, 1/2 free square; plane 1: 1 other marker"

PIECES = (
    Piece("hand", (CARDS,), 0, 1, "1: in the own hand", "card"),
    Piece("field", (CARDS,), 0, 1, "1: in the field", "card"),
    Piece("chosen", (CARDS,), 0, 1, "1: given or chosen in this turn, lies aside", "card"),
    Piece("known", (CARDS,), 0, 1, "known in the hand of seat j: (4 - j) / 3", "card"),
    Piece("unseen", (CARDS,), 0, 1, "1: in another hand and not known there, or undrawn", "card"),
    Piece("markers", (MAX_PLAYERS, CARDS), 0, 1, "1: marker of seat j on this square", "card"),
    Piece("joined", (CARDS,), 0, 1, "area that an own marker here makes / 24; 0: taken", "card"),
    Piece("icon_gain", (CARDS,), 0, 4, "what its icon adds to the own bonus now / 10", "card"),
    Piece("in_pattern", (CARDS,), 0, 1, "own hand cards of its pattern / 10", "card"),
    Piece("in_number", (CARDS,), 0, 1, "own hand cards of its number / 6", "card"),
    Piece("slide_gain", (NUM_SLIDES,), -2, 2, "points for areas the slide brings / 24", "slide"),
    Piece("slide_cost", (NUM_SLIDES,), -2, 2, "the same for the opponent it helps most", "slide"),
    Piece("board", (2, ROWS, COLUMNS), 0, 1, BOARD_MEANING),
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
    Piece("stage", (STAGES,), 0, 1, "one-hot: give, take, first, second, third, wild, slide"),
    Piece("slides_left", (1,), 0, 1, "slides that may still be made / 2"),
    Piece("deck", (1,), 0, 1, "cards in the deck / 36"),
    Piece("last_turns", (1,), 0, 1, "1: the deck is empty"),
)  # fmt: skip
LAYOUT = Layout(PIECES)

# Kernels read module constants, so every piece's place has a name here.
AT_HAND, AT_FIELD, AT_CHOSEN = map(LAYOUT.start, ("hand", "field", "chosen"))
AT_KNOWN, AT_UNSEEN, AT_MARKERS = map(LAYOUT.start, ("known", "unseen", "markers"))
AT_JOINED, AT_ICON_GAIN = map(LAYOUT.start, ("joined", "icon_gain"))
AT_IN_PATTERN, AT_IN_NUMBER = map(LAYOUT.start, ("in_pattern", "in_number"))
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
PER_SEAT = np.float32(1 / (MAX_PLAYERS - 1))

# Half a board of a set at a time: row w holds the bits of w.
HALF = NUMBERS // 2
MOST_BITS = (1 << HALF) - 1
BITS = np.array([[w >> i & 1 for i in range(HALF)] for w in range(1 + MOST_BITS)], np.float32)


@kernel
def observe(s: Any, player: Any, out: Any) -> None:
    write_players(s, player, out)
    write_board(s, player, out)
    write_cards(s, player, out)
    out[AT_BONUS_CARD + s.bonus_card] = 1.0
    if not s.terminated:
        write_joined(s, player, out)
        write_icon_gain(s, player, out)
        write_fellows(s.hand[player], out)
        write_turn(s, player, out)


@kernel
def around(place: Any, n: Any) -> Any:
    """The seat at a place 0 … 2 n - 1 counted round the table (faster than the remainder)."""
    return place - n if place >= n else place


@kernel
def write_set(cards: Any, start: Any, bits: Any, out: Any) -> None:
    """Write the lowest bits of a set, a whole number of half boards."""
    for k in range(0, bits, HALF):
        w = (cards >> k) & MOST_BITS
        for i in range(HALF):
            out[start + k + i] = BITS[w, i]


# What lies open


@kernel
def write_players(s: Any, player: Any, out: Any) -> None:
    n, total = s.num_players, 0
    for j in range(n):
        p = around(player + j, n)
        write_set(s.markers[p], AT_MARKERS + CARDS * j, CARDS, out)
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
    for j in range(n):
        out[AT_LEAD + j] = (out[AT_LEAD + j] - total / n) * PER_MARKER


@kernel
def write_board(s: Any, player: Any, out: Any) -> None:
    own, free = s.markers[player], free_squares(s)
    others = own & 0
    for p in range(s.num_players):
        if p != player:
            others |= s.markers[p]
    for r in range(ROWS):
        b = np.int64(s.order[r])
        at, first = AT_BOARD + COLUMNS * r + MOST_OFFSET + s.offset[b], NUMBERS * b
        for k in range(NUMBERS):
            c = first + k
            out[at + k] = ((own >> c) & 1) + 0.5 * ((free >> c) & 1)
        write_set(others >> first, at + ROWS * COLUMNS, NUMBERS, out)
        out[AT_ROW + ROWS * b + r] = 1.0
        out[AT_OFFSET + b] = s.offset[b] * PER_OFFSET


@kernel
def write_turn(s: Any, player: Any, out: Any) -> None:
    n = s.num_players
    out[AT_MOVER + around(s.current_player - player + n, n)] = 1.0
    out[AT_STAGE + s.stage] = 1.0
    out[AT_SLIDES_LEFT] = s.slides_left / 2
    out[AT_DECK] = (CARDS - s.top) * PER_DECK
    out[AT_LAST_TURNS] = s.top == CARDS
    if s.stage == SLIDE:
        for k in range(NUM_SLIDES):
            if can_slide(s, k):
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
    write_set(s.hand[player], AT_HAND, CARDS, out)
    write_set(s.field, AT_FIELD, CARDS, out)
    write_set(unseen(s, player), AT_UNSEEN, CARDS, out)
    for j in range(1, s.num_players):
        cards = s.known[around(player + j, s.num_players)]
        while cards != 0:
            out[AT_KNOWN + lowest(cards)] = (MAX_PLAYERS - j) * PER_SEAT
            cards &= cards - 1
    if s.given != NO_CARD:
        out[AT_CHOSEN + s.given] = 1.0
    for i in range(3):
        if s.picks[i] != NO_CARD and s.picks[i] != WILD:
            out[AT_CHOSEN + s.picks[i]] = 1.0


@kernel
def write_joined(s: Any, player: Any, out: Any) -> None:
    free = free_squares(s)
    for c in range(CARDS):
        out[AT_JOINED + c] = ((free >> c) & 1) * (s.beside[player, c] + 1) * PER_MARKER


@kernel
def write_icon_gain(s: Any, player: Any, out: Any) -> None:
    for i in range(MOST_CONDITIONS):
        most = most_of_others(s, player, i)
        now = condition_points(s, i, sets_held(s, player, i, NO_ICON), most)
        for k in range(KINDS_IN_SET[s.bonus_card, i]):
            icon = WHICH_IN_SET[s.bonus_card, i, k]
            gain = condition_points(s, i, sets_held(s, player, i, icon), most) - now
            if gain > 0:
                write_gain(ICON_SETS[icon], gain * PER_BONUS, out)


@kernel
def write_gain(cards: Any, gain: Any, out: Any) -> None:
    while cards != 0:
        out[AT_ICON_GAIN + lowest(cards)] += gain
        cards &= cards - 1


@kernel
def write_fellows(hand: Any, out: Any) -> None:
    """How many cards of the own hand have a card's pattern, and its number."""
    for k in range(NUMBERS):
        out[AT_IN_NUMBER + k] = size(hand & NUMBER_SETS[k + 1]) * PER_IN_NUMBER
    for b in range(PATTERNS):
        first = NUMBERS * b
        share = size((hand >> first) & BOARD) * PER_IN_PATTERN
        for k in range(NUMBERS):
            out[AT_IN_PATTERN + first + k] = share
            out[AT_IN_NUMBER + first + k] = out[AT_IN_NUMBER + k]
