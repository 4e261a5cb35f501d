"""The rules of Hanawase as kernels on one state record `s`, in the order of RULES.md.

Letters: p and q are seats, r a role (0 oya, 1 naka, 2 biki), c a card id 0 … 47. Sets of cards are
int64 words, see hanafuda/deck.py; § 5 is in yaku.py, § 9 in knowledge.py.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from hanazono.envs.core.game import Field, Option
from hanazono.envs.core.kernel import kernel
from hanazono.envs.core.rng import below, draw
from hanazono.envs.core.sets import bit, lowest, mark, size
from hanazono.envs.hanafuda.deal import shuffle, shuffle_from, taken
from hanazono.envs.hanafuda.deck import (
    ALL_CARDS,
    ANIMALS,
    BRIGHTS,
    CARDS,
    MONTHS,
    PLAIN,
    PLAINS,
    RANK,
    RIBBONS,
    same_month,
    set_of,
    whole_months,
)
from hanazono.envs.hanafuda.matching import capture, is_choice
from hanazono.envs.hanawase.yaku import YAKU, YAKU_OPTIONS, counted_yaku, points_of, price_yaku

MAX_PLAYERS, WITH_BLANK = 7, 7  # seats; with so many there is a blank card
ROLES, HAND, FIELD = 3, 7, 6
TURNS = ROLES * HAND
PILE = TURNS + FIELD  # place where the pile of a round starts

ENTER, RETIRE, NUM_ACTIONS = CARDS, CARDS + 1, CARDS + 2
DECLARE, PLAY, CHOOSE_PLAYED, CHOOSE_TURNED = 0, 1, 2, 3  # `phase`: what the player decides next
UNDECLARED, ACTIVE, RETIRED, OUT = 0, 1, 2, 3  # `standing`; OUT was not asked or has no seat
NO_ROUND, VALID, FUKE, AMESHIMA = -1, 0, 1, 2  # `last_void`
PAID_YAKU, PAID_OYANAKA, PAID_CARDS, PAID_HANDS, STEPS = 0, 1, 2, 3, 4  # steps of § 6 that pay

OPTIONS = (
    Option("rounds", 12, (1, 3, 6, 12), "rounds in a game", np.int8),
    *YAKU_OPTIONS,
    Option("hand_yaku", 0, (0, 1), "1: six or seven plain cards dealt are paid", np.int8),
)

FIELDS = (
    Field("value", np.int16, (YAKU,), "points of each yaku, from the options"),
    Field("hand", np.int64, (MAX_PLAYERS,), "cards in the hand of each seat"),
    Field("returned", np.int64, (MAX_PLAYERS,), "cards that a seat gave back, while in the pile"),
    Field("captured", np.int64, (ROLES,), "captured cards by role"),
    Field("field", np.int64, (), "cards in the field"),
    Field("points", np.int32, (MAX_PLAYERS,), "points so far"),
    Field("settlement", np.int32, (STEPS, MAX_PLAYERS), "paid in the last round, by step and seat"),
    Field("last_yaku", np.int16, (MAX_PLAYERS,), "bit y: paid for yaku y in the last round"),
    Field("last_void", np.int8, (), "VALID, FUKE or AMESHIMA last round; NO_ROUND before"),
    Field("pile", np.uint8, (CARDS,), "stock or pile in places top … 47, next first; 0 before"),
    Field("top", np.int8, (), "place of the next card of the pile, 48 when it is empty"),
    Field("standing", np.int8, (MAX_PLAYERS,), "UNDECLARED, ACTIVE, RETIRED or OUT"),
    Field("blank", np.int8, (), "seat with the blank card, -1 none"),
    Field("actor", np.int8, (ROLES,), "seats of oya, naka, biki; -1 until all have declared"),
    Field("plains_played", np.int8, (ROLES,), "plain cards played from the hand, by role"),
    Field("card", np.int8, (), "card whose match is to be chosen, -1 none"),
    Field("phase", np.int8, (), "DECLARE … CHOOSE_TURNED"),
    Field("turn", np.int8, (), "turns finished in this round, 0..20; 21 when the game is over"),
    Field("dealer", np.int8, (), "seat of the dealer"),
    Field("round_index", np.int8, (), "rounds finished"),
)


@kernel
def reset(s: Any) -> None:
    """Fix the values of the yaku, clear the scores, draw the first dealer and deal."""
    price_yaku(s)
    s.points[:] = 0
    s.settlement[:] = 0
    s.last_yaku[:] = 0
    s.last_void = NO_ROUND
    s.round_index = 0
    s.dealer = below(draw(s), s.num_players)
    deal_round(s)


# § 1 Cards

CARD_POINTS = np.array([20, 10, 5, 1], np.int8)[RANK]  # best card of a month first


@kernel
def card_points(cards: Any) -> Any:
    """Points of a set of cards."""
    return (
        20 * size(cards & BRIGHTS)
        + 10 * size(cards & ANIMALS)
        + 5 * size(cards & RIBBONS)
        + size(cards & PLAINS)
    )


# § 2 Deal


@kernel
def deal_round(s: Any) -> None:
    s.returned[:] = 0
    s.captured[:] = 0
    s.actor[:] = -1
    s.plains_played[:] = 0
    s.card = -1
    s.turn = 0
    deal_cards(s)
    s.standing[:] = OUT
    for p in range(s.num_players):
        if p != s.blank:
            s.standing[p] = UNDECLARED if s.num_players > ROLES else ACTIVE
    if s.num_players > ROLES:
        s.phase = DECLARE
        s.current_player = next_seat(s, s.dealer, UNDECLARED)
    else:
        start_play(s)


@kernel
def deal_cards(s: Any) -> None:
    """Shuffle until no month lies whole in the field, then hand out what was dealt."""
    hands = s.num_players - (s.num_players == WITH_BLANK)
    while True:
        shuffle(s)
        s.blank = below(draw(s), WITH_BLANK) if s.num_players == WITH_BLANK else -1
        s.field = taken(s, HAND * hands, FIELD)
        if whole_months(s.field) == 0:
            break
    s.hand[:] = 0
    dealt = 0
    for p in range(s.num_players):
        if p != s.blank:
            s.hand[p] = taken(s, dealt, HAND)
            dealt += HAND
    s.top = dealt + FIELD
    s.pile[: s.top] = 0


@kernel
def next_seat(s: Any, p: Any, standing: Any) -> Any:
    """The first seat of this standing, counted counterclockwise from seat p on."""
    while s.standing[p] != standing:
        p = p + 1 if p + 1 < s.num_players else 0
    return p


# § 3 Enter or retire


@kernel
def seats_with(s: Any, standing: Any) -> Any:
    count = 0
    for p in range(s.num_players):
        count += s.standing[p] == standing
    return count


@kernel
def declare(s: Any, entered: Any) -> None:
    s.standing[s.current_player] = ACTIVE if entered else RETIRED
    out = seats_with(s, RETIRED) + seats_with(s, OUT)
    if seats_with(s, ACTIVE) == ROLES:
        settle_undeclared(s, OUT)
    elif s.num_players - out == ROLES:
        settle_undeclared(s, ACTIVE)
    else:
        s.current_player = next_seat(s, s.current_player, UNDECLARED)
        return
    make_pile(s)
    start_play(s)


@kernel
def settle_undeclared(s: Any, standing: Any) -> None:
    for p in range(s.num_players):
        if s.standing[p] == UNDECLARED:
            s.standing[p] = standing


@kernel
def make_pile(s: Any) -> None:
    """Shuffle what neither lies in the field nor is held by an active player."""
    rest = ALL_CARDS & ~s.field
    for p in range(s.num_players):
        if s.standing[p] == ACTIVE:
            rest &= ~s.hand[p]
        else:
            s.returned[p] = s.hand[p]
            s.hand[p] = 0
    s.top = PILE
    lay(s, PILE, rest)
    shuffle_from(s, PILE)


@kernel
def lay(s: Any, place: Any, cards: Any) -> None:
    """Lay a set of cards into the pile from a place on, in ascending order."""
    while cards != 0:
        s.pile[place] = lowest(cards)
        cards &= cards - 1
        place += 1


@kernel
def start_play(s: Any) -> None:
    """Give the roles and let oya play."""
    p = s.dealer
    for r in range(ROLES):
        p = next_seat(s, p, ACTIVE)
        s.actor[r] = p
        p = (p + 1) % s.num_players
    s.phase = PLAY
    s.current_player = s.actor[0]


# § 4 Turns


@kernel
def role_to_move(s: Any) -> Any:
    return s.turn % ROLES


@kernel
def play(s: Any, c: Any) -> None:
    """Play card c from the hand, and go on if there is nothing to choose."""
    s.hand[s.current_player] &= ~bit(c)
    s.plains_played[role_to_move(s)] += RANK[c] == PLAIN
    if bring(s, c, CHOOSE_PLAYED):
        turn_over(s)


@kernel
def turn_over(s: Any) -> None:
    """Bring the next card of the pile, and go on if there is nothing to choose."""
    c = s.pile[s.top]
    s.pile[s.top] = 0
    s.top += 1
    for p in range(s.num_players):
        s.returned[p] &= ~bit(c)
    if bring(s, c, CHOOSE_TURNED):
        end_turn(s)


@kernel
def bring(s: Any, c: Any, phase: Any) -> Any:
    """Bring card c to the field. False if the player has to choose its match, in that phase."""
    if is_choice(same_month(s.field, c)):
        s.card = c
        s.phase = phase
        return False
    pair = capture(s.field, c)
    s.captured[role_to_move(s)] |= pair
    s.field = s.field & ~pair if pair != 0 else s.field | bit(c)
    return True


@kernel
def take(s: Any, c: Any) -> None:
    """Take card c from the field with the card that waits."""
    s.captured[role_to_move(s)] |= bit(c) | bit(s.card)
    s.field &= ~bit(c)
    s.card = -1
    if s.phase == CHOOSE_PLAYED:
        turn_over(s)
    else:
        end_turn(s)


@kernel
def end_turn(s: Any) -> None:
    s.phase = PLAY
    s.turn += 1
    if s.turn == TURNS:
        end_round(s)
    else:
        s.current_player = s.actor[role_to_move(s)]


# § 5 Yaku: in yaku.py

# § 6 Settlement

FUKE_MOST = 20  # card points
WILLOW = np.int64(set_of(range(40, 44)))
FEW_CARDS = np.array([8, 8, 10], np.int8)  # most captured cards for Oyanaka, by role
BASE = 88  # card points that pay nothing
HAND_YAKU = np.array([0, 0, 0, 0, 0, 0, 20, 30], np.int8)  # by plain cards dealt


@kernel
def verdict(s: Any) -> Any:
    """Whether the round just played is VALID, void by FUKE, or without yaku by AMESHIMA."""
    found = VALID
    for r in range(ROLES):
        if card_points(s.captured[r]) <= FUKE_MOST:
            return FUKE
        if s.captured[r] & WILLOW == WILLOW:
            found = AMESHIMA
    return found


@kernel
def collect(s: Any, step: Any, r: Any, points: Any) -> None:
    """Let role r get points from each of the two others."""
    for other in range(ROLES):
        s.settlement[step, s.actor[other]] += 2 * points if other == r else -points


@kernel
def settle(s: Any) -> None:
    s.settlement[:] = 0
    s.last_yaku[:] = 0
    s.last_void = verdict(s)
    if s.last_void == FUKE:
        return
    for r in range(ROLES):
        if s.last_void != AMESHIMA:
            yaku = counted_yaku(s, s.captured[r])
            s.last_yaku[s.actor[r]] = yaku
            collect(s, PAID_YAKU, r, points_of(s, yaku))
            if size(s.captured[r]) <= FEW_CARDS[r]:
                collect(s, PAID_OYANAKA, r, s.oyanaka)
        s.settlement[PAID_CARDS, s.actor[r]] = card_points(s.captured[r]) - BASE
        if s.hand_yaku:
            collect(s, PAID_HANDS, r, HAND_YAKU[s.plains_played[r]])


@kernel
def gain(s: Any, p: Any) -> Any:
    """What seat p got in the last round."""
    total = 0
    for step in range(STEPS):
        total += s.settlement[step, p]
    return total


# § 7 Next round and end


@kernel
def end_round(s: Any) -> None:
    settle(s)
    for p in range(s.num_players):
        s.points[p] += gain(s, p)
    if s.last_void != FUKE:
        s.dealer = round_winner(s)
    s.round_index += 1
    if s.round_index == s.rounds:
        s.terminated = 1
    else:
        deal_round(s)


@kernel
def round_winner(s: Any) -> Any:
    """The active seat that gained most; among equals the first in turn."""
    best = s.actor[0]
    for r in range(1, ROLES):
        if gain(s, s.actor[r]) > gain(s, best):
            best = s.actor[r]
    return best


@kernel
def scores(s: Any, out: Any) -> None:
    """Points; there is no tie-break."""
    for p in range(s.num_players):
        out[p, 0] = s.points[p]
        out[p, 1] = 0.0


# § 8 Decisions


@kernel
def choices(s: Any) -> Any:
    """The cards that the player to decide may play or take; none when declaring."""
    if s.phase == DECLARE:
        return s.field & 0
    if s.phase == PLAY:
        return s.hand[s.current_player]
    return same_month(s.field, s.card)


@kernel
def action_mask(s: Any, out: Any) -> None:
    mark(choices(s), out)
    out[ENTER] = s.phase == DECLARE
    out[RETIRE] = s.phase == DECLARE


def max_decisions(num_players: int, options: Mapping[str, int]) -> int:
    """A bound on the decisions of a game: plays, choices and declarations of all rounds."""
    hands = num_players - (num_players == WITH_BLANK)
    declarations = hands - 1 if num_players > ROLES else 0
    return options["rounds"] * (TURNS + MONTHS + declarations)


@kernel
def step(s: Any, action: Any) -> None:
    if s.phase == DECLARE:
        declare(s, action == ENTER)
    elif s.phase == PLAY:
        play(s, action)
    else:
        take(s, action)


# § 9 What a player knows: in knowledge.py
