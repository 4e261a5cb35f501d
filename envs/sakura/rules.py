"""The rules of Sakura as kernels on one state record `s`, in the order of RULES.md.

Letters: v, p and q are seats, c a card id 0 … 47, m a month 0 … 11, y a yaku 0 … 7. Sets of cards
are int64 words, see hanafuda/deck.py.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from hanazono.envs.core.game import Field
from hanazono.envs.core.kernel import kernel
from hanazono.envs.core.rng import below, draw
from hanazono.envs.core.seats import seat_after
from hanazono.envs.core.sets import bit, lowest, mark, size
from hanazono.envs.hanafuda import deck
from hanazono.envs.hanafuda.deal import shuffle, taken
from hanazono.envs.hanafuda.deck import CARDS, MONTHS, PER_MONTH, month_of, same_month, whole_months
from hanazono.envs.hanafuda.matching import capture, is_choice

MIN_PLAYERS, MAX_PLAYERS = 2, 7
NO_CARD, NOBODY = -1, -1

# Values of `stage`, what the player decides next.
PLAY, DECLARE, TAKE_PLAYED, TAKE_TURNED = 0, 1, 2, 3

NUM_ACTIONS = CARDS + MONTHS
HIKI = CARDS  # first action id of declaring

FIELDS = (
    Field("hand", np.int64, (MAX_PLAYERS,), "set: cards in the hand of each seat"),
    Field("dealt", np.int64, (MAX_PLAYERS,), "set: cards that were dealt to the seat this round"),
    Field("captured", np.int64, (MAX_PLAYERS,), "set: cards before each seat"),
    Field("field", np.int64, (), "set: cards in the field"),
    Field("wild_gap", np.int64, (), "set: nobody but wild_user was dealt all of it (§ 9); 0 none"),
    Field("points", np.int16, (MAX_PLAYERS,), "score of the rounds that are over"),
    Field("pile", np.uint8, (CARDS,), "card ids from place `top` on; before it 255"),
    Field("top", np.int8, (), "place of the pile's top card, 48 when it is out"),
    Field("open_card", np.int8, (), "card that waits for its target, -1 none"),
    Field("stage", np.int8, (), "PLAY … TAKE_TURNED; PLAY when finished"),
    Field("starter", np.int8, (), "seat that starts the round; when finished: won the last one"),
    Field("round_index", np.int8, (), "rounds that are over"),
    Field("wild_user", np.int8, (), "seat that captured with the wild Lightning this round, -1"),
    Field("wild_month", np.int8, (), "month 0..11 of its target, -1 none"),
)

# § 1 Cards

TWENTIES = np.int64(deck.BRIGHTS & ~deck.RAINMAN)
TENS = np.int64(deck.RIBBONS | deck.SHADED)
FIVES = np.int64(deck.ANIMALS | deck.RAINMAN)
POINTS = np.array(
    [20 * (TWENTIES >> c & 1) + 10 * (TENS >> c & 1) + 5 * (FIVES >> c & 1) for c in range(CARDS)],
    np.int16,
)
YAKU = np.array(
    [
        deck.CURTAIN | deck.MOON | deck.SAKE,
        deck.CRANE | deck.WARBLER | deck.CURTAIN,
        deck.AKATAN,
        deck.AOTAN,
        deck.BUTTERFLIES | deck.SAKE | deck.DEER,
        deck.KUSATAN,
        deck.CUCKOO | deck.BRIDGE | deck.BOAR,
        deck.BOAR | deck.GEESE | deck.DEER,
    ],
    np.int64,
)
YAKU_LETTERS = "いろはにほへとち"
NUM_YAKU, YAKU_SIZE = 8, 3
LIGHTNING_CARD = deck.cards_of(deck.LIGHTNING)[0]


@kernel
def card_points(cards: Any) -> Any:
    """What a set of cards counts at the end of a round."""
    return 20 * size(cards & TWENTIES) + 10 * size(cards & TENS) + 5 * size(cards & FIVES)


# § 2 Deal

HAND_SIZE = np.array([0, 0, 8, 7, 5, 4, 3, 3], np.int8)  # by number of players
FIELD_SIZE = np.array([0, 0, 8, 6, 8, 8, 12, 6], np.int8)
EMPTY_PLACE = 255  # of the pile


@kernel
def reset(s: Any) -> None:
    """Choose the first starter and deal the first round."""
    s.points[:] = 0
    s.round_index = 0
    s.starter = below(draw(s), s.num_players)
    deal(s)


@kernel
def deal(s: Any) -> None:
    """Shuffle and deal a round, anew while a whole month lies in the field."""
    deal_cards(s)
    while whole_months(s.field) != 0:
        deal_cards(s)
    s.captured[:] = 0
    s.open_card = NO_CARD
    s.wild_user = NOBODY
    s.wild_month = -1
    s.wild_gap = 0
    s.current_player = s.starter
    s.stage = PLAY
    if s.instant_win:
        lay_open(s)


@kernel
def deal_cards(s: Any) -> None:
    n = s.num_players
    shuffle(s)
    s.hand[:] = 0
    s.dealt[:] = 0
    s.top = 0
    for p in range(n):
        s.hand[p] = off_the_top(s, HAND_SIZE[n])
        s.dealt[p] = s.hand[p]
    s.field = off_the_top(s, FIELD_SIZE[n])


@kernel
def off_the_top(s: Any, count: Any) -> Any:
    """Take cards from the top of the pile; returns the set."""
    cards = taken(s, s.top, count)
    for _ in range(count):
        s.pile[s.top] = EMPTY_PLACE
        s.top += 1
    return cards


@kernel
def lay_open(s: Any) -> None:
    """The first seat in turn order whose hand holds a whole month is to declare it."""
    for j in range(s.num_players):
        p = seat_after(s, s.starter, j)
        whole = whole_months(s.hand[p])
        if whole != 0:
            capture_month(s, p, lowest(whole) // PER_MONTH)
            s.current_player = p
            s.stage = DECLARE
            return


# § 3 Matching


@kernel
def bring(s: Any, c: Any) -> None:
    """Card c comes to the field: it stays, captures, or waits for its player's choice."""
    gained = capture(s.field, c)
    if is_wild(s, c):
        s.open_card = c
        offer_targets(s)
    elif gained != 0:
        gain(s, gained)
    elif is_choice(same_month(s.field, c)):
        s.open_card = c
    else:
        s.field |= bit(c)


@kernel
def gain(s: Any, cards: Any) -> None:
    """The player whose turn it is captures cards, of which some may lie in the field."""
    s.captured[s.current_player] |= cards
    s.field &= ~cards


@kernel
def targets(s: Any) -> Any:
    """The field cards of which the open card captures one."""
    if is_wild(s, s.open_card):
        return s.field
    return same_month(s.field, s.open_card)


@kernel
def take(s: Any, target: Any) -> None:
    """The open card captures the chosen target."""
    if is_wild(s, s.open_card):
        strike(s, target)
        offer_targets(s)
    else:
        gain(s, bit(s.open_card) | bit(target))
        s.open_card = NO_CARD


# § 4 Turn


@kernel
def capture_month(s: Any, p: Any, m: Any) -> None:
    """Seat p captures the four cards of month m, from hand and field."""
    s.captured[p] |= month_of(m)
    s.hand[p] &= ~month_of(m)
    s.field &= ~month_of(m)


@kernel
def play(s: Any, c: Any) -> None:
    s.hand[s.current_player] &= ~bit(c)
    bring(s, c)


@kernel
def turn_over(s: Any) -> None:
    """The top card of the pile comes to the field."""
    bring(s, lowest(off_the_top(s, 1)))


@kernel
def begin_turn(s: Any, p: Any) -> None:
    s.current_player = p
    s.stage = PLAY if s.hand[p] != 0 else TAKE_PLAYED


@kernel
def go_on(s: Any) -> None:
    """All that happens without a decision: up to the next one, or to the end of the series."""
    while s.stage >= TAKE_PLAYED and s.open_card == NO_CARD:
        if s.stage == TAKE_PLAYED:
            s.stage = TAKE_TURNED
            turn_over(s)
        elif s.top < CARDS:
            begin_turn(s, seat_after(s, s.current_player, 1))
        else:
            collect_left_overs(s)
            end_round(s, score_round(s))


# § 5 Lightning


@kernel
def is_wild(s: Any, c: Any) -> Any:
    return s.lightning != 0 and c == LIGHTNING_CARD


@kernel
def offer_targets(s: Any) -> None:
    """The open Lightning strikes an only target by itself; without any it stays in the field."""
    while s.open_card != NO_CARD and s.field & (s.field - 1) == 0:
        if s.field != 0:
            strike(s, lowest(s.field))
        else:
            s.field = bit(s.open_card)
            s.open_card = NO_CARD


@kernel
def strike(s: Any, target: Any) -> None:
    """The open Lightning captures its target, unless it is interrupted."""
    m = target // PER_MONTH
    q = interrupter(s, m)
    if q != NOBODY:
        capture_month(s, q, m)
        return
    s.wild_user = s.current_player
    s.wild_month = m
    if all_captured(s) & month_of(m) == 0:
        s.wild_gap = month_of(m) & ~s.field
    gain(s, bit(s.open_card) | bit(target))
    s.open_card = NO_CARD


@kernel
def interrupter(s: Any, m: Any) -> Any:
    """The other seat that has month m whole between hand and field, NOBODY if there is none."""
    for j in range(1, s.num_players):
        q = seat_after(s, s.current_player, j)
        if (s.hand[q] | s.field) & month_of(m) == month_of(m):
            return q
    return NOBODY


@kernel
def all_captured(s: Any) -> Any:
    cards = s.captured[0]
    for p in range(1, s.num_players):
        cards |= s.captured[p]
    return cards


@kernel
def collect_left_overs(s: Any) -> None:
    """The Lightning's user gets what the field still holds of the month it captured from."""
    if s.wild_user != NOBODY:
        cards = s.field & month_of(s.wild_month)
        s.captured[s.wild_user] |= cards
        s.field &= ~cards


# § 6 Scoring a round

YAKU_COST, INSTANT_SCORE = 50, 5


@kernel
def yaku_held(cards: Any) -> Any:
    """How many yaku lie whole in a set."""
    held = 0
    for y in range(NUM_YAKU):
        held += cards & YAKU[y] == YAKU[y]
    return held


@kernel
def round_score(s: Any, p: Any) -> Any:
    """What seat p scored if the round ended now."""
    points = card_points(s.captured[p])
    for q in range(s.num_players):
        if q != p:
            points -= YAKU_COST * yaku_held(s.captured[q])
    return points


@kernel
def score_round(s: Any) -> Any:
    """Add the scores of the round to the totals; returns its winner."""
    winner, best = s.starter, round_score(s, s.starter)
    for j in range(s.num_players):
        p = seat_after(s, s.starter, j)
        score = round_score(s, p)
        s.points[p] += score
        if score > best:
            winner, best = p, score
    return winner


@kernel
def declare(s: Any) -> None:
    """The instant win."""
    s.points[s.current_player] += INSTANT_SCORE
    end_round(s, s.current_player)


# § 7 Series and end


@kernel
def end_round(s: Any, winner: Any) -> None:
    s.starter = winner
    s.round_index += 1
    if s.round_index < s.rounds:
        deal(s)
    else:
        s.terminated = 1
        s.stage = PLAY


@kernel
def scores(s: Any, out: Any) -> None:
    """Totals; there is no tie-break."""
    for p in range(s.num_players):
        out[p, 0] = s.points[p]
        out[p, 1] = 0.0


# § 8 Decisions


@kernel
def declarable(s: Any) -> Any:
    """The k = 0 cards of the months that the player to decide may declare."""
    p = s.current_player
    if s.stage == PLAY:
        return whole_months(s.hand[p] | s.field)
    if s.stage == DECLARE:
        return whole_months(s.captured[p])
    return s.field & 0


@kernel
def action_mask(s: Any, out: Any) -> None:
    mark_months(declarable(s), out)
    if s.stage == PLAY:
        mark(s.hand[s.current_player], out)
    elif s.stage != DECLARE:
        mark(targets(s), out)


@kernel
def mark_months(firsts: Any, out: Any) -> None:
    """Mark declaring the months of which the set holds the k = 0 card."""
    while firsts != 0:
        out[HIKI + lowest(firsts) // PER_MONTH] = 1
        firsts &= firsts - 1


def max_decisions(num_players: int, options: Mapping[str, int]) -> int:
    """A bound on the decisions of a series: two for a card from a hand, one for a turned card, and
    with the Lightning one more for each interrupt, of which there are fewer than months."""
    cards = num_players * int(HAND_SIZE[num_players])
    pile = CARDS - cards - int(FIELD_SIZE[num_players])
    return options["rounds"] * (2 * cards + pile + MONTHS)


@kernel
def step(s: Any, action: Any) -> None:
    if s.stage == DECLARE:
        declare(s)
    elif s.stage != PLAY:
        take(s, action)
    else:
        s.stage = TAKE_PLAYED
        if action >= HIKI:
            capture_month(s, s.current_player, action - HIKI)
        else:
            play(s, action)
    go_on(s)


# § 9 What a player knows: in knowledge.py
