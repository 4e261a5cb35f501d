"""Scripted players of HANAMI, weakest first. They read only what their seat knows.

Both list the plays that the hand can make, with each card of the field before the exchange, and
work towards the best one: `greedy` by the points it brings at once, `planner` also by the shape it
gives to the own markers, the slides it earns, and the turns that are left.

Shares of the win over 4,000 deals, each played from every seat, with 95 % intervals:

seats   planner, others greedy   planner, others random   greedy, others random   (fair)
2       61.8 % ± 1.0 %           98.0 % ± 0.3 %           96.6 % ± 0.4 %          50 %
3       43.0 % ± 0.8 %           95.7 % ± 0.4 %           94.0 % ± 0.4 %          33.3 %
4       36.2 % ± 0.7 %           94.5 % ± 0.4 %           92.0 % ± 0.4 %          25 %

tests/bots/test_hanami_tatami.py measures planner against greedy and greedy against random for two.
"""

from typing import Any

import numpy as np

from hanazono.envs.core.kernel import kernel
from hanazono.envs.core.sets import bit, lowest, size
from hanazono.envs.hanami_tatami.areas import (
    corners,
    first_area,
    largest_area,
    on_table,
    spread,
    squares_at,
)
from hanazono.envs.hanami_tatami.cards import (
    ALL_CARDS,
    CARDS,
    WILD,
    WILD_SET,
    after,
    number_set,
    partners,
    pattern_set,
)
from hanazono.envs.hanami_tatami.icons import (
    MOST_CONDITIONS,
    NO_ICON,
    condition_points,
    most_of_others,
    sets_held,
)
from hanazono.envs.hanami_tatami.rules import (
    DONE,
    FIRST,
    GIVE,
    NO_CARD,
    NUM_SLIDES,
    SECOND,
    SLIDE,
    SLIDES,
    TAKE,
    THIRD,
    WILD_POINTS,
    can_slide,
    free_squares,
    hand_size,
    move_board,
)

NOTHING = -1000.0  # less than any play is worth

# The planner's weights, in points.
JOINED = 0.3  # for the square root of the sum of the squares of all areas
LIBERTY = 0.1  # for a free square next to an area
SLIDE_EARNED = 1.0
WAIT_BELOW = 4.0  # a play worth less waits while there are more turns than plays
FELLOW = 0.3  # for a hand card of the same pattern, or of the same number
SQUARE = 0.3  # for what a marker on the card's square would be worth
RIVAL = 0.5  # for a point of the best opponent's area


# What markers are worth


@kernel
def shape(s: Any, squares: Any) -> Any:
    """What the planner gives for own markers on these squares: the best area, and all of them."""
    free, best, joined = free_squares(s) & ~squares, 0.0, 0.0
    a, b, c = on_table(s, squares)
    top, bottom = corners(s)
    while (a | b | c) != 0:
        x, y, z = first_area(a, b, c)
        n = size(x) + size(y) + size(z)
        u, v, w = spread(x, y, z)
        value = LIBERTY * size(squares_at(s, u, v, w) & free)
        value += 2 * n if (x & top) | (z & bottom) != 0 else n
        best = max(best, value)
        joined += n * n
        a, b, c = a & ~x, b & ~y, c & ~z
    return best + JOINED * np.sqrt(joined)


@kernel
def worth(s: Any, squares: Any, plans: Any) -> Any:
    """Points for the largest area of these squares, or what the planner gives for them."""
    if plans:
        return shape(s, squares)
    largest, corner = largest_area(s, squares)
    return 1.0 * largest * (1 + corner)


@kernel
def bonus_gain(s: Any, p: Any, cards: Any) -> Any:
    """Bonus points that these cards would add if seat p played them now."""
    before, points = s.played[p], 0
    s.played[p] = before | cards
    for i in range(MOST_CONDITIONS):
        sets = sets_held(s, p, i, NO_ICON)
        points += condition_points(s, i, sets, most_of_others(s, p, i))
    s.played[p] = before
    return points - s.bonus_points[p]


@kernel
def slides_earned(cards: Any) -> Any:
    """Slides for a play of three natural cards."""
    a = lowest(cards)
    if cards & ~number_set(a) == 0:
        return 1
    return 2 if cards == 7 * bit(a) and cards & ~pattern_set(a) == 0 else 0


@kernel
def play_value(s: Any, p: Any, cards: Any, third: Any, plans: Any) -> Any:
    """What the player has from a play of these cards and a wild one as `third` (NO_CARD: none)."""
    squares = cards if third == NO_CARD else cards | bit(third)
    value = worth(s, s.markers[p] | (squares & free_squares(s)), plans)
    value += bonus_gain(s, p, cards) + size(cards)
    if third != NO_CARD:
        value -= WILD_POINTS
    elif plans:
        value += SLIDE_EARNED * slides_earned(cards)
    return value


# Choosing a play


@kernel
def best_third(s: Any, p: Any, pair: Any, thirds: Any, wild: Any, plans: Any) -> Any:
    """The best third card for two chosen ones: its value and itself, NO_CARD if there is none."""
    best, chosen = NOTHING, NO_CARD
    while thirds != 0:
        third = lowest(thirds)
        thirds &= thirds - 1
        if wild:
            value = play_value(s, p, pair, third, plans)
        else:
            value = play_value(s, p, pair | bit(third), NO_CARD, plans)
        if value > best:
            best, chosen = value, third
    return best, chosen


@kernel
def best_play(s: Any, p: Any, hand: Any, spare: Any, plans: Any) -> Any:
    """The best play from a hand that goes on from the cards chosen and leaves one of `spare`.

    Returns what it adds, its cards, and what the wild card stands for, NO_CARD if it is not played.
    """
    best, cards, identity = NOTHING, hand & 0, NO_CARD
    wild = hand & WILD_SET != 0 or s.picks[2] == WILD
    firsts = hand & ALL_CARDS if s.picks[0] == NO_CARD else bit(s.picks[0])
    while firsts != 0:
        a = lowest(firsts)
        firsts &= firsts - 1
        seconds = hand & after(a) if s.picks[1] == NO_CARD else bit(s.picks[1])
        while seconds != 0:
            c = lowest(seconds)
            seconds &= seconds - 1
            pair = bit(a) | bit(c)
            left = spare & ~pair
            if left == 0:
                continue
            thirds = partners(a, c) & hand & after(c)
            if left & (left - 1) == 0:
                thirds &= ~left
            value, third = best_third(s, p, pair, thirds, False, plans)
            if value > best:
                best, cards, identity = value, pair | bit(third), NO_CARD
            if wild:
                value, third = best_third(s, p, pair, partners(a, c), True, plans)
                if value > best:
                    best, cards, identity = value, pair, third
    return best - worth(s, s.markers[p], plans), cards, identity


@kernel
def turns_left(s: Any, p: Any) -> Any:
    """Turns that seat p, who is to move, still has, the present one included."""
    n, deck = np.int64(s.num_players), np.int64(CARDS - s.top)
    return 1 if deck == 0 else 2 + (deck - 2 * (n - p)) // (2 * n)


@kernel
def may_wait(s: Any, p: Any) -> Any:
    """Whether seat p will not have cards enough to play in all the turns it has."""
    turns = turns_left(s, p)
    cards = hand_size(s, p) + 2 * (turns - 1)
    return cards // 3 < turns


@kernel
def next_card(s: Any, plans: Any) -> Any:
    """Begin or go on with the best play, or pass."""
    p = s.current_player
    value, cards, identity = best_play(s, p, s.hand[p], ALL_CARDS, plans)
    if s.stage == FIRST:
        least = WAIT_BELOW if plans and may_wait(s, p) else 0.0
        return lowest(cards) if value > least else DONE
    if s.stage == SECOND:
        return lowest(cards & after(s.picks[0]))
    if s.stage == THIRD:
        return WILD if identity != NO_CARD else lowest(cards & after(s.picks[1]))
    return identity


# The exchange


@kernel
def promise(s: Any, p: Any, c: Any) -> Any:
    """What the planner gives for card c in the hand of seat p."""
    fellows = size(s.hand[p] & (pattern_set(c) | number_set(c)) & ~bit(c))
    square = shape(s, s.markers[p] | (bit(c) & free_squares(s))) - shape(s, s.markers[p])
    return FELLOW * fellows + SQUARE * square


@kernel
def best_exchange(s: Any, plans: Any) -> Any:
    """The field card to take, and the hand cards needed for the best play with it."""
    p, field = s.current_player, s.field
    best, taken, needed = 10 * NOTHING, NO_CARD, s.field & 0
    spare = s.hand[p] & ALL_CARDS if s.stage == GIVE else ALL_CARDS
    while field != 0:
        c = lowest(field)
        field &= field - 1
        value, cards, _ = best_play(s, p, s.hand[p] | bit(c), spare, plans)
        if plans:
            value += promise(s, p, c)
        if value > best:
            best, taken, needed = value, c, cards
    return taken, needed


@kernel
def card_to_give(s: Any, plans: Any) -> Any:
    """The lowest card that is not needed; the planner gives the least promising of these."""
    p = s.current_player
    _, needed = best_exchange(s, plans)
    cards = s.hand[p] & ALL_CARDS & ~needed
    chosen, least = lowest(cards), -NOTHING
    while plans and cards != 0:
        c = lowest(cards)
        cards &= cards - 1
        value = promise(s, p, c)
        if value < least:
            chosen, least = c, value
    return chosen


# Slides


@kernel
def table_worth(s: Any, p: Any, plans: Any) -> Any:
    """What the boards as they lie are worth to seat p; the planner looks at opponents too."""
    value, rival = worth(s, s.markers[p], plans), 0.0
    if plans:
        for q in range(s.num_players):
            if q != p:
                rival = max(rival, worth(s, s.markers[q], False))
    return value - RIVAL * rival


@kernel
def best_slide(s: Any, plans: Any) -> Any:
    """The slide that improves the table most, DONE if none does."""
    p, chosen = s.current_player, DONE
    best = table_worth(s, p, plans)
    for k in range(NUM_SLIDES):
        if can_slide(s, k):
            move_board(s, k)
            value = table_worth(s, p, plans)
            if plans and s.slides_left == 2:
                value = max(value, best_second_slide(s, p))
            move_board(s, k ^ 1)
            if value > best:
                best, chosen = value, SLIDES + k
    return chosen


@kernel
def best_second_slide(s: Any, p: Any) -> Any:
    """What the table is worth to the planner after one more slide."""
    best = NOTHING
    for k in range(NUM_SLIDES):
        if can_slide(s, k):
            move_board(s, k)
            best = max(best, table_worth(s, p, True))
            move_board(s, k ^ 1)
    return best


# The players


@kernel
def choice(s: Any, plans: Any) -> Any:
    """The action of either player."""
    if s.stage == GIVE:
        return card_to_give(s, plans)
    if s.stage == TAKE:
        taken, _ = best_exchange(s, plans)
        return taken
    if s.stage == SLIDE:
        return best_slide(s, plans)
    return next_card(s, plans)


@kernel
def greedy(s: Any, mask: Any, noise: Any) -> Any:
    """Play what brings most points at once, and slide only for more points."""
    return choice(s, False)


@kernel
def planner(s: Any, mask: Any, noise: Any) -> Any:
    """Build areas with corners and room to grow, earn slides, wait for better plays."""
    return choice(s, True)
