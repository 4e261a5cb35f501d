"""The rules of HANAMI as kernels on one state record `s`, in the order of RULES.md.

Combinations (§ 4) are in cards.py, areas (§ 7) in areas.py, icons and bonus cards (§ 1, § 7) in
icons.py, what a player knows (§ 9) in knowledge.py.

Letters: p, q and v are seats, b a pattern and its board 0 … 5, a and c card ids 0 … 59, r a row,
k a slide 2 * b + (0 left, 1 right). Sets of cards and of squares are int64 words, see cards.py.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from hanazono.envs.core.game import Field
from hanazono.envs.core.kernel import kernel
from hanazono.envs.core.rng import below, draw
from hanazono.envs.core.sets import bit, lowest, mark, size
from hanazono.envs.hanami_tatami.areas import MOST_OFFSET, measure_area
from hanazono.envs.hanami_tatami.cards import (
    ALL_CARDS,
    CARDS,
    NUMBERS,
    PATTERNS,
    WILD,
    WILD_SET,
    after,
    can_start,
    partners,
)
from hanazono.envs.hanami_tatami.icons import (
    BONUS_CARDS,
    ICONS,
    ICONS_IN_SET,
    KIND,
    MOST,
    MOST_CONDITIONS,
    NO_ICON,
    WHICH_IN_SET,
    condition_points,
    icon_count,
    most_of_others,
    sets_held,
)

MIN_PLAYERS, MAX_PLAYERS = 2, 4
NO_CARD = -1

# Values of `stage`, what the player decides next.
GIVE, TAKE, FIRST, SECOND, THIRD, NAME_WILD, SLIDE = 0, 1, 2, 3, 4, 5, 6
NUM_STAGES = 7

DONE = WILD + 1  # action id of passing, and of sliding no more
SLIDES = DONE + 1  # first action id of sliding
NUM_SLIDES = 2 * PATTERNS
NUM_ACTIONS = SLIDES + NUM_SLIDES

FIELDS = (
    Field("hand", np.int64, (MAX_PLAYERS,), "set: cards in the hand of each seat; bit 60 wild"),
    Field("known", np.int64, (MAX_PLAYERS,), "set: of these, cards taken from the field (§ 9)"),
    Field("played", np.int64, (MAX_PLAYERS,), "set: cards played by each seat, wild ones aside"),
    Field("markers", np.int64, (MAX_PLAYERS,), "set: squares with a marker of each seat"),
    Field("field", np.int64, (), "set: cards in the field"),
    Field("removed", np.int64, (), "set: cards out of the game, whose squares are blocked"),
    Field("deck", np.uint8, (CARDS,), "card ids from place `top` on; before it 255"),
    Field("top", np.int8, (), "place of the deck's top card, 60 when it is empty"),
    Field("order", np.int8, (PATTERNS,), "pattern of the board in each row, top row first"),
    Field("offset", np.int8, (PATTERNS,), "places each board was slid to the right, -9..9"),
    Field("given", np.int8, (), "card given to the field while another is to be taken, -1 none"),
    Field("picks", np.int8, (3,), "cards chosen for a play that is not complete, -1 none, 60 wild"),
    Field("aside", np.int64, (), "set: the card given, or the cards chosen; bit 60 wild"),
    Field("stage", np.int8, (), "GIVE … SLIDE; GIVE when finished"),
    Field("slides_left", np.int8, (), "slides the player may still make, 0 but in stage SLIDE"),
    Field("slidable", np.int8, (), "bit b: board b may be slid; 0 but in stage SLIDE"),
    Field("last_slide", np.int8, (), "slide k made before in this turn, -1 none"),
    Field("bonus_card", np.int8, (), "the open bonus card 0..4"),
    Field("bonus_points", np.int16, (MAX_PLAYERS,), "what the bonus card pays each seat now"),
    Field("icon_gain", np.int16, (MAX_PLAYERS, ICONS), "what one more of each icon adds to it"),
    Field("own_bonus", np.int16, (MAX_PLAYERS,), "of bonus_points: without conditions `most`"),
    Field("own_gain", np.int16, (MAX_PLAYERS, ICONS), "of icon_gain: the same"),
    Field("area", np.int8, (MAX_PLAYERS,), "squares in the largest area of each seat"),
    Field("corner", np.int8, (MAX_PLAYERS,), "1: that area, or an equal one, holds a corner"),
    Field("beside", np.uint8, (MAX_PLAYERS, CARDS), "squares in the seat's areas next to each"),
)

# § 1 Cards, boards and icons


@kernel
def free_squares(s: Any) -> Any:
    """The squares without marker and blocker."""
    taken = s.removed
    for p in range(s.num_players):
        taken |= s.markers[p]
    return ALL_CARDS & ~taken


# § 2 Setup

REMOVED = np.array([0, 0, 9, 4, 3], np.int8)  # by number of players
HAND, FIELD = 5, 5
EMPTY_PLACE = 255  # of the deck


@kernel
def reset(s: Any) -> None:
    """Lay the boards, shuffle, deal, and open a bonus card."""
    clear(s)
    order_boards(s)
    shuffle(s)
    s.top = 0
    s.removed = off_the_top(s, REMOVED[s.num_players])
    for p in range(s.num_players):
        s.hand[p] = off_the_top(s, HAND) | WILD_SET
    s.field = off_the_top(s, FIELD)
    bonus_card = below(draw(s), BONUS_CARDS)
    s.bonus_card = 0 if s.printed_only else bonus_card
    for p in range(s.num_players):
        pay_bonus(s, p)


@kernel
def clear(s: Any) -> None:
    s.hand[:] = 0
    s.known[:] = 0
    s.played[:] = 0
    s.markers[:] = 0
    s.offset[:] = 0
    s.given = NO_CARD
    s.picks[:] = NO_CARD
    s.aside = 0
    s.bonus_points[:] = 0
    s.icon_gain[:] = 0
    s.own_bonus[:] = 0
    s.own_gain[:] = 0
    s.area[:] = 0
    s.corner[:] = 0
    s.beside[:] = 0
    start_turn(s, 0)


@kernel
def order_boards(s: Any) -> None:
    for r in range(PATTERNS):
        s.order[r] = r
    for r in range(PATTERNS - 1):
        other = r + below(draw(s), PATTERNS - r)
        s.order[r], s.order[other] = s.order[other], s.order[r]


@kernel
def shuffle(s: Any) -> None:
    for c in range(CARDS):
        s.deck[c] = c
    for i in range(CARDS - 1):
        other = i + below(draw(s), CARDS - i)
        s.deck[i], s.deck[other] = s.deck[other], s.deck[i]


@kernel
def off_the_top(s: Any, count: Any) -> Any:
    """Take cards from the top of the deck, as many as there are; returns the set."""
    cards = bit(0) & 0
    for _ in range(min(np.int64(count), np.int64(CARDS - s.top))):
        cards |= bit(s.deck[s.top])
        s.deck[s.top] = EMPTY_PLACE
        s.top += 1
    return cards


# § 3 Exchange


@kernel
def give(s: Any, c: Any) -> None:
    s.given = c
    lay_aside(s, c)
    s.stage = TAKE


@kernel
def lay_aside(s: Any, c: Any) -> None:
    s.aside |= bit(c)
    s.hand[s.current_player] &= ~bit(c)
    s.known[s.current_player] &= ~bit(c)


@kernel
def take(s: Any, c: Any) -> None:
    s.hand[s.current_player] |= bit(c)
    s.known[s.current_player] |= bit(c)
    s.field = (s.field & ~bit(c)) | bit(s.given)
    s.given = NO_CARD
    s.aside = 0
    s.stage = FIRST


# § 4 Play; what makes a combination is in cards.py


@kernel
def choose(s: Any, c: Any) -> None:
    s.picks[s.stage - FIRST] = c
    lay_aside(s, c)
    s.stage += 1
    if s.stage > THIRD and c != WILD:
        play(s, c)


@kernel
def play(s: Any, third: Any) -> None:
    """The play is complete: its cards lie open, markers are placed, slides are earned."""
    p, a, c = s.current_player, np.int64(s.picks[0]), np.int64(s.picks[1])
    pair, natural = bit(a) | bit(c), s.picks[2] != WILD
    s.played[p] |= (pair | bit(third)) if natural else pair
    s.markers[p] |= (pair | bit(third)) & free_squares(s)
    s.picks[:] = NO_CARD
    s.aside = 0
    measure_area(s, p)
    pay_bonus(s, p)
    if natural:
        earn_slides(s, a, c, third)
    if s.slides_left > 0:
        s.stage = SLIDE
    else:
        end_turn(s)


# § 5 Slides


@kernel
def earn_slides(s: Any, a: Any, c: Any, d: Any) -> None:
    """Slides after a play of three cards, told in ascending order."""
    if a // NUMBERS == d // NUMBERS and d - a == 2:  # a Run
        s.slides_left = 2
        s.slidable = (1 << PATTERNS) - 1
    elif a % NUMBERS == c % NUMBERS and c % NUMBERS == d % NUMBERS:  # a Group
        s.slides_left = 1
        s.slidable = 1 << a // NUMBERS | 1 << c // NUMBERS | 1 << d // NUMBERS


@kernel
def can_slide(s: Any, k: Any) -> Any:
    b, right = k // 2, k % 2
    if not s.slidable & (1 << b) or s.last_slide == (k ^ 1):
        return False
    return s.offset[b] < MOST_OFFSET if right else s.offset[b] > -MOST_OFFSET


@kernel
def move_board(s: Any, k: Any) -> None:
    s.offset[k // 2] += 2 * (k % 2) - 1


@kernel
def slide(s: Any, k: Any) -> None:
    move_board(s, k)
    for p in range(s.num_players):
        measure_area(s, p)
    s.last_slide = k
    s.slides_left -= 1
    if s.slides_left == 0:
        end_turn(s)


# § 6 Draw and end


@kernel
def end_turn(s: Any) -> None:
    p, last_turns = s.current_player, s.top == CARDS
    s.hand[p] |= off_the_top(s, 2)
    if p + 1 < s.num_players:
        start_turn(s, p + 1)
    else:
        start_turn(s, 0)
        s.terminated = last_turns


@kernel
def start_turn(s: Any, p: Any) -> None:
    s.current_player = p
    s.stage = GIVE
    s.slides_left = 0
    s.slidable = 0
    s.last_slide = -1


# § 7 Scoring; areas are in areas.py, conditions of bonus cards in icons.py

WILD_POINTS = 3


@kernel
def area_points(s: Any, p: Any) -> Any:
    return np.int64(s.area[p]) * (1 + s.corner[p])


@kernel
def pay_bonus(s: Any, p: Any) -> None:
    """Find what the bonus card pays now that the played cards of seat p are others."""
    s.own_bonus[p] = 0
    s.own_gain[p, :] = 0
    for i in range(MOST_CONDITIONS):
        if KIND[s.bonus_card, i] != MOST:
            now = condition_points(s, i, sets_held(s, p, i, NO_ICON), 0)
            s.own_bonus[p] += now
            for k in range(ICONS_IN_SET[s.bonus_card, i]):
                icon = WHICH_IN_SET[s.bonus_card, i, k]
                s.own_gain[p, icon] += condition_points(s, i, sets_held(s, p, i, icon), 0) - now
    for q in range(s.num_players):
        pay_most(s, q)


@kernel
def pay_most(s: Any, p: Any) -> None:
    """Add what the conditions pay for which the other seats count as well."""
    s.bonus_points[p] = s.own_bonus[p]
    s.icon_gain[p, :] = s.own_gain[p, :]
    for i in range(MOST_CONDITIONS):
        if KIND[s.bonus_card, i] == MOST:
            icon, most = WHICH_IN_SET[s.bonus_card, i, 0], most_of_others(s, p, i)
            count = icon_count(s, p, icon)
            now = condition_points(s, i, count, most)
            s.bonus_points[p] += now
            s.icon_gain[p, icon] += condition_points(s, i, count + 1, most) - now


@kernel
def hand_size(s: Any, p: Any) -> Any:
    """Cards in the hand of seat p, the wild card not among them."""
    return size(s.hand[p] & ALL_CARDS)


@kernel
def score(s: Any, p: Any) -> Any:
    """What seat p scores if the game ends now."""
    points = area_points(s, p) + s.bonus_points[p] - hand_size(s, p)
    return points + WILD_POINTS if s.hand[p] & WILD_SET else points


@kernel
def scores(s: Any, out: Any) -> None:
    """Scores, and few markers as the tie-break."""
    for p in range(s.num_players):
        out[p, 0] = score(s, p)
        out[p, 1] = -size(s.markers[p])


# § 8 Decisions


@kernel
def action_mask(s: Any, out: Any) -> None:
    hand, stage = s.hand[s.current_player], s.stage
    if stage == GIVE:
        mark(hand & ALL_CARDS, out)
    elif stage == TAKE:
        mark(s.field, out)
    elif stage == FIRST:
        mark_first(hand & ALL_CARDS, hand & WILD_SET != 0, out)
    elif stage == SECOND:
        mark(second_cards(s, hand), out)
    elif stage == THIRD:
        mark(third_cards(s, hand), out)
    elif stage == NAME_WILD:
        mark(partners(np.int64(s.picks[0]), np.int64(s.picks[1])), out)
    else:
        mark_slides(s, out)


@kernel
def mark_first(cards: Any, wild: Any, out: Any) -> None:
    out[DONE] = 1
    left = cards
    while left != 0:
        c = lowest(left)
        out[c] = can_start(cards, wild, c)
        left &= left - 1


@kernel
def second_cards(s: Any, hand: Any) -> Any:
    """The cards of a hand that go on from the first card chosen."""
    first, cards = np.int64(s.picks[0]), hand & 0
    left = hand & after(first)
    while left != 0:
        c = lowest(left)
        left &= left - 1
        if partners(first, c) & (ALL_CARDS if hand & WILD_SET else left) != 0:
            cards |= bit(c)
    return cards


@kernel
def third_cards(s: Any, hand: Any) -> Any:
    """The cards of a hand that complete the two cards chosen; bit 60 is the wild card."""
    naturals = partners(np.int64(s.picks[0]), np.int64(s.picks[1])) & after(s.picks[1])
    return hand & (naturals | WILD_SET)


@kernel
def mark_slides(s: Any, out: Any) -> None:
    out[DONE] = 1
    for k in range(NUM_SLIDES):
        out[SLIDES + k] = can_slide(s, k)


@kernel
def step(s: Any, action: Any) -> None:
    if action == DONE:
        end_turn(s)
    elif s.stage == GIVE:
        give(s, action)
    elif s.stage == TAKE:
        take(s, action)
    elif s.stage == NAME_WILD:
        play(s, action)
    elif s.stage == SLIDE:
        slide(s, action - SLIDES)
    else:
        choose(s, action)


LONGEST_TURN = 7  # decisions: give, take, three cards, two slides


def max_decisions(num_players: int, options: Mapping[str, int]) -> int:
    """A bound on the decisions of a game."""
    dealt = int(REMOVED[num_players]) + HAND * num_players + FIELD
    return LONGEST_TURN * ((CARDS - dealt) // 2 + num_players)


# § 9 What a player knows: in knowledge.py
