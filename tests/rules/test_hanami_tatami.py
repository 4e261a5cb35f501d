"""The rules of HANAMI, one test a rule, in the order of envs/hanami_tatami/RULES.md.

Cards and squares are told by pattern and number; hanami_tatami_positions.py sets tables.
"""

import itertools
import json
from functools import cache

import numpy as np
import pytest

from hanazono.envs.core.batch import BatchEnv
from hanazono.envs.hanami_tatami import GAME, icons, rules
from hanazono.envs.hanami_tatami.areas import measure_area
from hanazono.envs.hanami_tatami.cards import (
    ALL_CARDS,
    CARDS,
    PATTERN_NAMES,
    WILD,
    WILD_SET,
    cards_of,
    partners,
)
from rules.hanami_tatami_positions import Table, card_set, ids, names

SEAT_COUNTS = (2, 3, 4)
RUN, GROUP = "green 1 2 3", "green 9, red 9, navy 9"
HAND = "green 1 3 5, red 8 10"


@cache
def played_games(num_players: int, count: int = 6) -> np.ndarray:
    """All states of some random games, finished games repeated at the end: structured [L, B]."""
    env = BatchEnv(GAME, count, num_players, auto_reset=False)
    env.reset(seed=num_players)
    actions, states = np.zeros(count, np.int64), [env.get_states()]
    while not env.terminated.all():
        env.act("random", np.flatnonzero(env.terminated == 0), 0, actions)
        env.step(actions)
        states.append(env.get_states())
    return np.stack(states)


# § 1 Cards, boards and icons


def test_a_card_id_is_ten_times_the_pattern_plus_number_less_one():
    assert ids("green 1 10, red 1, navy 10") == [0, 9, 10, 59]
    assert PATTERN_NAMES == ("green", "red", "purple", "black", "yellow", "navy")


def test_the_icon_of_a_card():
    for c in range(CARDS):
        pattern, number = divmod(c, 10)
        assert icons.ICON[c] == (number + 2 * pattern) % 5
    assert np.bincount(icons.ICON).tolist() == [12] * 5


def test_the_printed_bonus_card():
    card = json.loads(icons.FILE.read_text("utf-8").splitlines()[7])
    assert card["conditions"] == [
        {"points": 2, "each": ["bowl", "sake"]},
        {"points": 7, "once": ["note", "note", "note"]},
        {"points": 5, "most": ["top"]},
        {"points": 5, "most": ["blossom"]},
    ]


@pytest.mark.parametrize("k", range(5))
def test_other_bonus_cards_have_the_icons_of_the_printed_one_moved_on(k):
    assert np.array_equal(icons.SET[k], np.roll(icons.SET[0], k, axis=1))
    assert np.array_equal(icons.POINTS[k], icons.POINTS[0])
    assert np.array_equal(icons.KIND[k], icons.KIND[0])


@pytest.mark.parametrize(
    ("number", "old", "new", "complaint"),
    [
        (2, '"bowl"', '"boat"', "10 of bowl, sake, note, top, blossom are allowed"),
        (2, ', "blossom"]', "]", "10 of bowl, sake, note, top, blossom are allowed"),
        (3, "red", "blue", '{"pattern": "red", "icons": [...]} is allowed'),
        (7, "}", "", "Expecting ',' delimiter in column"),
        (8, '"once"', '"twice"', '{"points": 1 … 9, one of each, once, most: [icons]} is allowed'),
        (9, '"points": 7', '"points": 70', '{"points": 1 … 9, one of each, once, most'),
        (10, '["bowl"]', '["bowl", "bowl"]', "1 of bowl, sake, note, top, blossom are allowed"),
        (11, '"bonus_card": 3', '"bonus_card": 4', '{"bonus_card": 3, "conditions": [...]}'),
    ],
)
def test_a_wrong_line_of_the_file_is_named(tmp_path, number, old, new, complaint):
    lines = icons.FILE.read_text("utf-8").splitlines()
    assert old in lines[number - 1]
    lines[number - 1] = lines[number - 1].replace(old, new, 1)
    file = tmp_path / "icons.jsonl"
    file.write_text("\n".join(lines), "utf-8")
    with pytest.raises(ValueError, match=f"^icons.jsonl, line {number}: ") as raised:
        icons.read(file)
    assert complaint in str(raised.value)


def test_a_file_of_another_length_is_refused(tmp_path):
    file = tmp_path / "icons.jsonl"
    file.write_text(icons.FILE.read_text("utf-8") + "{}\n", "utf-8")
    with pytest.raises(ValueError, match="12 lines are expected, got 13"):
        icons.read(file)


def test_a_bonus_card_may_have_fewer_conditions(tmp_path):
    lines = icons.FILE.read_text("utf-8").splitlines()
    lines[8] = '{"bonus_card": 1, "conditions": [{"points": 3, "each": ["top", "top"]}]}'
    file = tmp_path / "icons.jsonl"
    file.write_text("\n".join(lines), "utf-8")
    _, points, _, sets = icons.read(file)
    assert points[1].tolist() == [3, 0, 0, 0]
    assert sets[1, 0].tolist() == [0, 0, 0, 2, 0]


def test_another_icon_file_is_another_version_of_the_rules():
    assert GAME.rules_version == icons.version(icons.TABLES) == 0
    others = [table.copy() for table in icons.TABLES]
    others[0][0] += 1
    assert icons.version(tuple(others)) > 0


# § 2 Setup


@pytest.mark.parametrize(("num_players", "removed", "deck"), [(2, 9, 36), (3, 4, 36), (4, 3, 32)])
def test_setup_counts(num_players, removed, deck):
    env = BatchEnv(GAME, 20, num_players)
    env.reset(seed=0)
    for s in env.states.view(np.recarray):
        dealt = [int(s.field), int(s.removed), *(int(s.hand[p] & ALL_CARDS) for p in range(4))]
        counts = [cards.bit_count() for cards in dealt]
        assert counts == [5, removed, *[5] * num_players, *[0] * (4 - num_players)]
        pile = s.deck[s.top :].tolist()
        assert len(pile) == deck
        assert sorted(pile + [c for cards in dealt for c in cards_of(cards)]) == list(range(CARDS))
        assert all(s.hand[p] & WILD_SET for p in range(num_players))
        assert not s.offset.any()
        assert sorted(s.order) == list(range(6))


def test_cards_come_off_the_shuffled_deck_removed_first_then_hands_then_field():
    table = Table(3)
    table.env.reset(seed=4)
    shuffled = table.env.get_states()
    s = shuffled.view(np.recarray)[0]
    s.chance = 5  # the boards took five numbers
    rules.shuffle(s)
    deck = s.deck.tolist()
    dealt = table.env.states.view(np.recarray)[0]
    assert cards_of(dealt.removed) == sorted(deck[:4])
    assert [cards_of(dealt.hand[p]) for p in range(3)] == [
        sorted(deck[k : k + 5]) for k in (4, 9, 14)
    ]
    assert cards_of(dealt.field) == sorted(deck[19:24])
    assert dealt.deck[24:].tolist() == deck[24:]
    assert (dealt.deck[:24] == 255).all()
    assert dealt.chance == 65


def test_boards_bonus_cards_and_cards_are_random():
    env = BatchEnv(GAME, 600, 2)
    env.reset(seed=0)
    for r in range(6):
        assert abs(np.bincount(env.states["order"][:, r], minlength=6) - 100).max() < 40
    assert abs(np.bincount(env.states["bonus_card"], minlength=5) - 120).max() < 45
    removed = [c for s in env.states for c in cards_of(s["removed"])]
    assert abs(np.bincount(removed, minlength=60) - 90).max() < 40


def test_nothing_can_be_placed_on_a_removed_square():
    table = Table(2, "green 1 2", removed="green 3").at_play()
    table.play("green 1 2", wild="green 3")
    assert table.markers(0) == "green 1 2"


def test_seat_0_starts_with_the_exchange():
    table = Table(2, HAND)
    assert table.mover == 0
    assert table.legal() == ids(HAND)


# § 3 Exchange


def test_an_exchange_is_compulsory_and_never_with_the_wild_card():
    table = Table(2, HAND)
    assert rules.DONE not in table.legal()
    assert WILD not in table.legal()


def test_one_card_goes_to_the_field_and_another_comes_from_it():
    table = Table(2, HAND, field="navy 1 2 3 4 5")
    table.exchange("red 8", "navy 4")
    assert table.hand(0) == "green 1 3 5, red 10, navy 4"
    assert names(table.pieces(0)["field"]) == "red 8, navy 1 2 3 5"


def test_the_card_given_cannot_be_taken_back():
    table = Table(2, HAND, field="navy 1 2 3 4 5")
    table.decide(*ids("red 8"))
    assert table.legal() == ids("navy 1 2 3 4 5")


def test_the_next_player_may_take_the_card_given():
    table = Table(2, HAND, "yellow 1 2 3 4 5")
    table.decide(*ids("red 8"))
    table.decide(table.legal()[0])
    table.decide(rules.DONE)
    table.exchange("yellow 1", "red 8")
    assert table.hand(1) == "red 8, yellow 2 3 4 5"


# § 4 Play


@pytest.mark.parametrize(
    ("cards", "legal"),
    [
        ("green 1 2 3", True),  # Run
        ("red 2 5 7", True),  # Flush
        ("green 10, yellow 10, black 10", True),  # Group
        ("yellow 4, red 5 6", True),  # Straight
        ("purple 6, black 4, navy 5", True),  # the order of patterns is free
        ("green 9 10, red 1", False),  # no step from 10 to 1
        ("green 10, red 1, navy 2", False),
        ("green 1, red 2, navy 4", False),
        ("green 1 2, navy 2", False),
        ("green 1, red 1, navy 2", False),
        ("green 1 2, navy 7", False),
    ],
)
def test_combinations(cards, legal):
    table = Table(2, cards).at_play()
    assert table.can_play(cards) == legal


@pytest.mark.parametrize("second", ["green 2", "red 1", "red 2", "red 3", "navy 7", "green 9"])
def test_partners_are_all_cards_that_make_a_combination(second):
    """Compared with the four definitions, for pairs of every kind."""

    def combination(cards):
        patterns, numbers = {c // 10 for c in cards}, sorted(c % 10 for c in cards)
        flush, group = len(patterns) == 1, numbers[0] == numbers[2]
        return flush or group or numbers == [numbers[0] + i for i in range(3)]

    for first in range(CARDS):
        pair = {first, *ids(second)}
        if len(pair) == 2:
            thirds = [c for c in range(CARDS) if c not in pair and combination([*pair, c])]
            assert cards_of(partners(np.int64(first), np.int64(*ids(second)))) == thirds


def test_passing_is_always_allowed_even_with_a_combination():
    table = Table(2, RUN).at_play()
    assert rules.DONE in table.legal()
    table.decide(rules.DONE)
    assert table.mover == 1
    assert table.markers(0) == "-"


def test_a_play_puts_markers_on_its_squares_and_its_cards_before_the_player():
    table = Table(2, HAND).at_play()
    table.play("green 1 3 5")
    assert table.markers(0) == "green 1 3 5"
    assert table.view(1)["played"][0] == ["green 1", "green 3", "green 5"]
    assert not {"green 1", "green 3", "green 5"} & set(table.view(0)["hand"])


def test_cards_are_chosen_in_ascending_order_the_wild_card_last():
    table = Table(2, "green 1 2 3, red 3, navy 3").at_play()
    assert WILD not in table.legal()
    table.decide(*ids("green 2"))
    assert table.legal() == ids("green 3, red 3, navy 3")
    table.decide(*ids("green 3"))
    assert table.legal() == [WILD], "green 1 comes before"


def test_the_wild_card_stands_for_any_card_that_fits_but_the_other_two():
    table = Table(2, "green 4 5").at_play()
    table.decide(*ids("green 4"))
    table.decide(*ids("green 5"))
    table.decide(WILD)
    straight = "green 3 6, red 3 6, purple 3 6, black 3 6, yellow 3 6, navy 3 6"
    assert table.legal() == sorted({*ids("green 1 2 3 6 7 8 9 10"), *ids(straight)})


def test_the_wild_card_may_stand_for_a_card_that_lies_or_is_held_elsewhere():
    table = Table(2, "green 4 5 6", "green 7", field="green 8", removed="green 9").at_play()
    for identity in ("green 6", "green 7", "green 8", "green 9"):
        assert table.can_play("green 4 5", wild=identity), identity


def test_at_most_one_wild_card_is_in_a_play_and_it_is_gone_then():
    table = Table(2, "green 1 2 3 4 5").at_play()
    table.play("green 1 2", wild="green 10")
    assert table.view(1)["wild_cards"] == [False, True]
    table.pass_turn()
    table.at_play()
    assert not table.can_play("green 3 4", wild="green 9")


def test_a_wild_card_places_a_marker_and_shows_no_icon():
    table = Table(2, "green 1 2").at_play()
    table.play("green 1 2", wild="green 10")
    assert table.markers(0) == "green 1 2 10"
    assert table.view(0)["played"][0] == ["green 1", "green 2"]
    assert table.view(0)["icons"][0] == {"bowl": 1, "sake": 1, "note": 0, "top": 0, "blossom": 0}


def test_rulebook_example_of_the_wild_card_as_red_9():
    table = Table(2, "green 9, navy 9, red 1 2 3").at_play()
    table.put(1, "red 9")
    table.play("green 9, navy 9", wild="red 9")
    assert table.markers(0) == "green 9, navy 9", "red 9 is taken"
    assert table.markers(1) == "red 9"
    assert table.mover == 1, "no slide for this Group"


def test_a_natural_card_may_be_played_for_a_square_that_is_taken():
    table = Table(2, "green 4 6 8").at_play()
    table.put(1, "green 6")
    table.play("green 4 6 8")
    assert table.markers(0) == "green 4 8"
    assert "green 6" in table.view(0)["played"][0]


@pytest.mark.parametrize("num_players", SEAT_COUNTS)
def test_every_choice_that_is_legal_can_be_completed_and_nothing_is_missing(num_players):
    """At sampled positions all prefixes of plays, against a search through all triples."""
    states = played_games(num_players)
    states = states[(states["stage"] == rules.FIRST) & (states["terminated"] == 0)]
    for state in np.random.default_rng(0).choice(states, 12):
        hand = int(state["hand"][state["current_player"]])
        assert legal_plays(state, num_players) == plays_by_search(hand)


def legal_plays(state: np.ndarray, num_players: int) -> set[tuple[int, ...]]:
    """All plays that decisions lead to: three cards, and the identity of a wild one."""
    front, found = [((), np.array([state]))], set()
    while front:
        chosen, before = front.pop()
        env = BatchEnv(GAME, 1, num_players, auto_reset=False)
        env.set_states(before)
        legal = np.flatnonzero(env.action_mask[0]).tolist()
        assert legal, f"{chosen} leads nowhere"
        for action in legal:
            if action == rules.DONE:
                assert chosen == ()
                continue
            env.set_states(before)
            env.step(np.array([action]))
            after = (*chosen, action)
            if len(after) == 4 or (len(after) == 3 and action != WILD):
                found.add(after)
            else:
                front.append((after, env.get_states()))
    return found


def plays_by_search(hand: int) -> set[tuple[int, ...]]:
    """The same from the definitions of § 4."""

    def combination(*cards):
        numbers = sorted(c % 10 for c in cards)
        straight = numbers == list(range(numbers[0], numbers[0] + 3))
        same_pattern = len({c // 10 for c in cards}) == 1
        return same_pattern or straight or numbers[0] == numbers[2]

    cards = cards_of(hand)
    found = {three for three in itertools.combinations(cards, 3) if combination(*three)}
    if hand >> WILD & 1:
        for pair in itertools.combinations(cards, 2):
            others = set(range(CARDS)) - set(pair)
            found |= {(*pair, WILD, c) for c in others if combination(*pair, c)}
    return found


# § 5 Slides


def outcomes(table: Table) -> set[tuple[int, ...]]:
    """The offsets of all boards after every way of sliding."""
    found, front = set(), [table]
    while front:
        before = front.pop()
        for action in before.legal():
            after = before.copy()
            after.decide(action)
            if after.s.stage == rules.SLIDE:
                front.append(after)
            else:
                found.add(tuple(after.s.offset.tolist()))
    return found


def test_a_run_has_85_outcomes_and_a_group_7():
    run, group = Table(2, RUN).at_play(), Table(2, GROUP).at_play()
    run.play(RUN)
    group.play(GROUP)
    one_board = {0: 1, 1: 12, 2: 72}
    found = outcomes(run)
    assert len(found) == 85
    assert {n: sum(sum(map(abs, o)) == n for o in found) for n in one_board} == one_board
    assert len(outcomes(group)) == 7


@pytest.mark.parametrize("cards", ["green 1 2 4", "green 1, red 2 3"])
def test_flush_and_straight_earn_no_slide(cards):
    table = Table(2, cards).at_play()
    table.play(cards)
    assert table.mover == 1


@pytest.mark.parametrize(
    ("cards", "wild"), [("green 1 2", "green 3"), ("green 9, red 9", "navy 9")]
)
def test_a_wild_card_earns_no_slide(cards, wild):
    table = Table(2, cards).at_play()
    table.play(cards, wild=wild)
    assert table.mover == 1


def test_a_group_slides_one_of_its_own_boards_once():
    table = Table(2, GROUP).at_play()
    table.put(1, "red 9")
    table.play(GROUP)
    own = ("green left", "green right", "red left", "red right", "navy left", "navy right")
    assert table.legal() == [rules.DONE, *map(table.slide_id, own)], "red too, though it was taken"
    table.slide("red right")
    assert table.offsets() == {"red": 1}
    assert table.mover == 1


def test_a_run_slides_any_boards_twice():
    for slides, offsets in (
        (("navy left", "navy left"), {"navy": -2}),
        (("navy left", "red right"), {"navy": -1, "red": 1}),
        (("green right", "done"), {"green": 1}),
        (("done",), {}),
    ):
        table = Table(2, RUN).at_play()
        table.play(RUN)
        table.slide(*slides)
        assert table.offsets() == offsets
        assert table.mover == 1


def test_the_second_slide_does_not_take_back_the_first():
    table = Table(2, RUN).at_play()
    table.play(RUN)
    table.slide("navy left")
    assert table.slide_id("navy right") not in table.legal()
    assert len(table.legal()) == 12


def test_boards_stay_where_they_are_and_slides_add_up():
    table = Table(2, RUN, "yellow 4 5 6").at_play()
    table.play(RUN)
    table.slide("black right", "black right")
    table.at_play()
    table.play("yellow 4 5 6")
    table.slide("black right", "black right")
    assert table.offsets() == {"black": 4}


def test_a_slide_can_be_reversed_by_a_later_one():
    table = Table(2, RUN, "yellow 4 5 6").at_play()
    table.put(0, "red 2, black 2")
    table.play(RUN)
    before = table.area(0)
    table.slide("red right", "done")
    table.at_play()
    table.play("yellow 4 5 6")
    table.slide("red left", "done")
    assert table.offsets() == {}
    assert table.area(0) == before


@pytest.mark.parametrize("num_players", SEAT_COUNTS)
def test_every_slide_can_be_reversed(num_players):
    """At sampled positions: back on its place, a board leaves areas as they were."""
    states = played_games(num_players).ravel()
    for state in np.random.default_rng(1).choice(states[states["terminated"] == 0], 8):
        env = BatchEnv(GAME, 1, num_players, auto_reset=False)
        for k in range(rules.NUM_SLIDES):
            state["stage"], state["slides_left"], state["slidable"] = rules.SLIDE, 3, 63
            state["last_slide"] = -1
            env.set_states(np.array([state]))
            if env.action_mask[0, rules.SLIDES + k]:
                env.step(np.array([rules.SLIDES + k]))
                env.states["last_slide"] = -1
                env.set_states(env.get_states())
                env.step(np.array([rules.SLIDES + (k ^ 1)]))
                for field in ("offset", "area", "corner", "beside"):
                    assert np.array_equal(env.states[field][0], state[field]), field


@pytest.mark.parametrize(("offset", "closed"), [(9, "navy right"), (-9, "navy left")])
def test_offsets_end_at_nine(offset, closed):
    table = Table(2, RUN).at_play()
    table.s.offset[5] = offset
    table.play(RUN)
    assert table.slide_id(closed) not in table.legal()
    assert len(table.legal()) == 12


def test_sliding_never_changes_where_markers_are_placed():
    table = Table(2, RUN).at_play()
    table.s.offset[:] = [-9, 9, 4, -4, 1, 0]
    table.play(RUN)
    assert table.markers(0) == "green 1 2 3"


def test_rulebook_example_of_sliding_the_red_board_to_the_right():
    table = Table(2, "yellow 7 8 9").at_play()
    table.put(0, "green 4 5, red 4, purple 5 6")
    table.play("yellow 7 8 9")
    assert table.area(0) == 3
    table.slide("red right")
    assert table.area(0) == 5


# § 6 Draw and end


def test_a_turn_ends_with_two_cards_from_the_deck():
    table = Table(2)
    first, second, third = table.s.deck[table.s.top :][:3].tolist()
    before = set(table.view(0)["hand"])
    table.at_play().decide(rules.DONE)
    assert len(set(table.view(0)["hand"]) - before) == 2
    assert {first, second} < set(cards_of(table.s.hand[0]))
    assert table.s.deck[table.s.top] == third
    assert table.mover == 1


@pytest.mark.parametrize(("num_players", "turns"), [(2, 10), (3, 7), (4, 5)])
def test_everybody_has_as_many_turns_the_last_ones_without_a_draw(num_players, turns):
    table, taken = Table(num_players), [0] * num_players
    while not table.over:
        assert table.mover == sum(taken) % num_players
        taken[table.mover] += 1
        size = len(table.view(table.mover)["hand"])
        mover, last = table.mover, table.view(0)["last_turns"]
        table.pass_turn()
        assert len(table.view(mover)["hand"]) == (size if last else size + 2)
        assert last == (taken[mover] == turns)
    assert taken == [turns] * num_players


# § 7 Scoring


def test_rulebook_example_of_yellow_six_with_a_corner():
    table = Table()
    table.put(0, "green 1 2 3, red 3 4, purple 4")
    table.put(0, "navy 8 9")
    assert table.area(0) == 12


def test_rulebook_example_of_purple_five_beside_four_with_a_corner():
    table = Table()
    table.put(0, "red 5 6, purple 6, black 6 7")
    table.put(0, "green 10 9, red 10, purple 10")
    assert table.area(0) == 5


def test_diagonals_do_not_connect():
    table = Table()
    table.put(0, "red 5, purple 6")
    assert table.area(0) == 1


def test_only_boards_in_adjacent_rows_touch():
    table = Table()
    table.put(0, "red 5, black 5")
    assert table.area(0) == 1
    table.s.order[:] = [0, 1, 3, 2, 4, 5]
    measure_area(table.s, 0)
    assert table.area(0) == 2


def test_nothing_reaches_round_the_ends_of_a_board():
    table = Table()
    table.put(0, "red 10, purple 1, black 10, yellow 1")
    assert table.area(0) == 1


@pytest.mark.parametrize("square", ["green 1", "green 10", "navy 1", "navy 10"])
def test_corners_are_the_ends_of_the_top_and_the_bottom_board(square):
    table = Table()
    table.put(0, square)
    assert table.area(0) == 2
    table.s.offset[:] = [4, 0, 0, 0, 0, -7]
    measure_area(table.s, 0)
    assert table.area(0) == 2, "wherever the board has slid"


@pytest.mark.parametrize("square", ["red 1", "yellow 10", "green 2", "navy 9"])
def test_other_squares_are_no_corners(square):
    table = Table()
    table.s.offset[0] = 1  # red 1 now lies at the left end, and still is no corner
    table.put(0, square)
    assert table.area(0) == 1


def test_of_equally_large_areas_the_better_one_counts():
    for squares in ("green 1 2, black 5 6", "green 5 6, navy 9 10"):
        table = Table()
        table.put(0, squares)
        assert table.area(0) == 4


@pytest.mark.parametrize("num_players", SEAT_COUNTS)
def test_areas_of_whole_games_against_a_search(num_players):
    states = played_games(num_players)[::5].ravel()
    assert (states["offset"] != 0).any()
    for state in states.view(np.recarray):
        for p in range(num_players):
            expected = area_by_search(state, p)
            assert (int(state.area[p]), int(state.corner[p])) == expected


def area_by_search(s, p):
    """Size and corner of the best largest area."""
    top, bottom = s.order[0], s.order[5]
    found = [(0, 0)]
    for area in areas_by_search(s, cards_of(s.markers[p])):
        corner = any(c // 10 in (top, bottom) and c % 10 in (0, 9) for c in area)
        found.append((len(area), int(corner)))
    return max(found)


def areas_by_search(s, squares):
    """The areas of these squares, square by square."""
    rows = {int(b): r for r, b in enumerate(s.order)}
    places = {(rows[c // 10], c % 10 + int(s.offset[c // 10])): c for c in squares}
    areas = []
    while places:
        front, area = [places.popitem()], []
        while front:
            (r, x), c = front.pop()
            area.append(c)
            near = [(r - 1, x), (r + 1, x), (r, x - 1), (r, x + 1)]
            front += [(place, places.pop(place)) for place in near if place in places]
        areas.append(area)
    return areas


def test_markers_of_others_do_not_connect():
    table = Table()
    table.put(0, "red 4 6")
    table.put(1, "red 5")
    assert table.area(0) == 1


@pytest.mark.parametrize(
    ("cards", "points"),
    [
        ("green 1", 0),  # a bowl
        ("green 1 2", 2),  # bowl and sake
        ("green 1 2 6 7", 4),  # two of each
        ("green 1 2 6", 2),
        ("green 3 8", 0),  # two notes
        ("green 3 8, red 1", 7),
        ("green 3 8, red 1 6, navy 3 8", 7),  # once
        ("green 4", 5),  # the only top
        ("green 5", 5),  # the only blossom
        ("green 1 2 3 4 5", 2 + 5 + 5),
    ],
)
def test_the_printed_bonus_card_pays(cards, points):
    table = Table()
    table.show(0, cards)
    assert table.s.bonus_points[0] == points
    assert table.s.bonus_points[1] == 0, "nobody has the most of what he has not"


def test_all_who_tie_for_the_most_are_paid_and_others_are_not():
    table = Table(3)
    table.show(0, "green 4")
    table.show(1, "green 9")
    assert table.s.bonus_points[:3].tolist() == [5, 5, 0]
    table.show(1, "red 2")
    assert table.s.bonus_points[:3].tolist() == [0, 5, 0]


def test_another_bonus_card_pays_for_other_icons():
    table = Table()
    table.open_bonus_card(1)
    table.show(0, "green 2 3")  # sake and note
    assert table.s.bonus_points[0] == 2


@pytest.mark.parametrize("num_players", SEAT_COUNTS)
def test_bonus_points_of_whole_games_against_a_search(num_players):
    """What is kept up to date from play to play is what all the played cards bring."""
    states = played_games(num_players)[::5].ravel()
    for state in states.view(np.recarray):
        played = [cards_of(state.played[p]) for p in range(num_players)]
        shown = [[int(icons.ICON[c]) for c in cards] for cards in played]
        for p in range(num_players):
            points = bonus_by_search(state.bonus_card, shown, p)
            assert state.bonus_points[p] == points
            for icon in range(icons.ICONS):
                more = [[*own, icon] if q == p else own for q, own in enumerate(shown)]
                gain = bonus_by_search(state.bonus_card, more, p) - points
                assert state.icon_gain[p, icon] == gain


def bonus_by_search(bonus_card: int, shown: list[list[int]], p: int) -> int:
    """Points of seat p from the lines of the file, where seats show these icons."""
    card, points = json.loads(icons.FILE.read_text("utf-8").splitlines()[7 + bonus_card]), 0
    for condition in card["conditions"]:
        kind = next(name for name in condition if name != "points")
        wanted = [icons.ICON_NAMES.index(name) for name in condition[kind]]
        sets = [min(own.count(i) // wanted.count(i) for i in wanted) for own in shown]
        paid = {"each": sets[p], "once": sets[p] > 0, "most": sets[p] == max(sets) > 0}
        points += condition["points"] * paid[kind]
    return points


def test_the_hand_counts_one_off_a_card_and_three_for_an_unused_wild_card():
    table = Table(2, "green 1 2 4").at_play()
    assert table.score(0) == 3 - 5
    table.play("green 1 2", wild="green 10")
    hand = 5 - 2 + 2
    assert table.score(0) == 2 * 2 + 2 - hand, "area of two with a corner, bowl and sake"


def test_cards_given_or_chosen_are_in_hand_no_more():
    table = Table(2, HAND)
    assert table.score(0) == -2
    table.decide(*ids("red 8"))
    assert table.score(0) == -1


def finished(markers: tuple[str, str], hands: tuple[str, str]) -> Table:
    """A game at its end with these markers and hands; every hand has its wild card."""
    table = Table()
    for seat in (0, 1):
        table.put(seat, markers[seat])
        table.s.hand[seat] = card_set(hands[seat]) | WILD_SET
    return table


def test_the_highest_score_wins():
    table = finished(("red 5 6 7", "black 1 2"), ("", ""))
    assert table.ranks() == [0, 1]


def test_among_equals_the_fewest_markers_win():
    table = finished(("red 5 6, black 1", "yellow 5 6"), ("", ""))
    assert table.score(0) == table.score(1)
    assert table.ranks() == [1, 0]


def test_players_still_tied_share_the_win():
    table = finished(("red 5 6", "yellow 5 6"), ("", ""))
    assert table.ranks() == [0, 0]


# § 8 Decisions


def test_action_ids():
    assert (WILD, rules.DONE, rules.SLIDES, GAME.num_actions) == (60, 61, 62, 74)
    table = Table(2, RUN).at_play()
    table.play(RUN)
    assert table.legal() == list(range(61, 74))
    assert GAME.words.action(table.s, 61) == "no more slides"
    assert GAME.words.action(table.s, 62) == "slide green left"
    assert GAME.words.action(table.s, 73) == "slide navy right"


def test_stages_follow_each_other():
    table, stages = Table(2, "green 1 2, red 5 6 7", field="navy 1 2 3 4 5"), []
    for action in (*ids("red 5, navy 5, green 1 2"), WILD, *ids("green 8")):
        stages.append(int(table.s.stage))
        table.decide(action)
    names_of_stages = (rules.GIVE, rules.TAKE, rules.FIRST, rules.SECOND, rules.THIRD)
    assert stages == [*names_of_stages, rules.NAME_WILD]
    assert (table.mover, table.s.stage) == (1, rules.GIVE)


def test_what_cannot_be_completed_cannot_be_begun():
    table = Table(2, "green 1, red 4, purple 7, black 10, yellow 4")
    table.s.hand[0] &= ALL_CARDS
    table.at_play()
    assert table.legal() == [rules.DONE]
    with pytest.raises(ValueError, match=r"player_0 cannot play action 0 \(play green 1\)"):
        table.decide(0)


def test_done_is_legal_in_place_of_the_first_card_only():
    table = Table(2, RUN).at_play()
    for c in ids("green 1 2"):
        table.decide(c)
        assert rules.DONE not in table.legal()


def test_cards_count_as_played_when_the_play_is_complete():
    table = Table(2, "green 1 2").at_play()
    for action in (*ids("green 1 2"), WILD):
        table.decide(action)
        assert table.view(1)["played"][0] == []
        assert table.markers(0) == "-"
    assert table.view(1)["chosen"] == ["green 1", "green 2", "wild card"]
    table.decide(*ids("green 3"))
    assert table.view(1)["played"][0] == ["green 1", "green 2"]
    assert table.view(1)["chosen"] == []


@pytest.mark.parametrize("num_players", SEAT_COUNTS)
def test_what_holds_in_every_state_of_a_game(num_players):
    states = played_games(num_players)
    assert len(states) - 1 <= GAME.max_decisions(num_players, {})
    for s in states.ravel().view(np.recarray):
        markers = [int(m) for m in s.markers]
        union = np.bitwise_or.reduce(s.markers)
        assert sum(m.bit_count() for m in markers) == int(union).bit_count(), "one a square"
        assert not union & s.removed
        assert max(m.bit_count() for m in markers) <= 24
        assert (CARDS - int(s.top)) % 2 == 0, "the deck is even"
        assert abs(s.offset).max() <= 9
        assert int(s.field).bit_count() == 5
        aside = [c for c in [int(s.given), *s.picks.tolist()] if 0 <= c < WILD]
        places = [s.field, s.removed, *(s.hand & ALL_CARDS), *s.played]
        held = sorted(
            [*aside, *s.deck[s.top :].tolist(), *(c for w in places for c in cards_of(w))]
        )
        assert held == list(range(CARDS)), "every card is in one place"
        assert not (s.known & ~s.hand).any()


# § 9 What a player knows


def known(table: Table, reader: int, seat: int) -> str:
    """The known cards of another seat in the reader's observation."""
    j = (seat - reader) % table.num_players
    return names(np.isclose(table.pieces(reader)["known"], (4 - j) / 3))


def test_cards_taken_from_the_field_are_known_until_they_leave_the_hand():
    table = Table(3, "red 8 10 1 2 3", field="navy 1 2 3 4 5")
    table.exchange("red 8", "navy 4")
    table.decide(rules.DONE)
    assert known(table, 1, 0) == known(table, 2, 0) == "navy 4"
    assert table.view(1)["known"][0] == ["navy 4"]
    assert known(table, 0, 1) == "-"
    for _ in range(2):
        table.pass_turn()
    table.decide(*ids("navy 4"))
    assert known(table, 1, 0) == "-"
    assert names(table.pieces(1)["chosen"]) == "navy 4", "it lies aside"


def test_known_cards_that_are_chosen_for_a_play_are_known_no_more():
    table = Table(2, "green 2 3, red 8 10 1", field="green 1, navy 1 2 3 4")
    table.exchange("red 8", "green 1")
    assert known(table, 1, 0) == "green 1"
    table.decide(*ids("green 1"))
    assert known(table, 1, 0) == "-"


def test_unseen_cards_are_in_other_hands_or_in_the_deck():
    table = Table(2, HAND, "yellow 1 2 3 4 5")
    expected = sorted({*ids("yellow 1 2 3 4 5"), *table.s.deck[table.s.top :].tolist()})
    assert np.flatnonzero(table.pieces(0)["unseen"]).tolist() == expected


def test_a_finished_game_still_tells_where_the_cards_lie():
    table = Table(2, HAND)
    while not table.over:
        table.pass_turn()
    for seat in range(2):
        pieces = table.pieces(seat)
        assert names(pieces["hand"]) == table.hand(seat)
        assert pieces["field"].sum() == 5
        assert not any(pieces[name].any() for name in ("mover", "stage", "slidable", "joined"))


@pytest.mark.parametrize("reader", [0, 1, 2])
def test_resampling_changes_only_what_the_reader_cannot_know(reader):
    table = Table(3, "red 8 10 1 2 3", field="navy 1 2 3 4 5")
    table.exchange("red 8", "navy 4")
    table.decide(rules.DONE)
    told, hands, decks = table.view(reader), set(), set()
    for seed in range(12):
        other = table.resampled(reader, seed)
        assert other.view(reader) == told
        assert not (other.s.known & ~other.s.hand).any()
        hands.add(tuple(other.hand(p) for p in range(3) if p != reader))
        decks.add(tuple(other.s.deck.tolist()))
    assert len(hands) == len(decks) == 12


def test_resampling_keeps_a_play_that_is_begun_possible():
    table = without_wild(Table(2, "green 1 3 5, red 8, navy 10").at_play())
    for c in ids("green 1 3"):
        table.decide(c)
        for seed in range(12):
            other = table.resampled(1, seed)
            other.refresh()
            assert other.legal(), "the others know that it can be completed"


def without_wild(table: Table) -> Table:
    """The player to decide has used the wild card."""
    table.s.hand[table.mover] &= ALL_CARDS
    table.refresh()
    return table


def test_the_board_is_observed_as_it_lies():
    table = Table()
    table.s.order[:] = [5, 4, 3, 2, 1, 0]
    table.s.offset[:] = [0, 0, -9, 9, 0, 0]
    table.put(0, "navy 1, black 10")
    table.put(1, "purple 1")
    board = table.pieces(0)["board"]
    assert np.argwhere(board == 1).tolist() == [[0, 9], [2, 27]]
    assert np.argwhere(board == -1).tolist() == [[3, 0]]
    removed = cards_of(table.s.removed)
    assert np.isclose(board, 1 / 3).sum() == 60 - 3 - len(removed)
    assert (board != 0).sum() == 60 - len(removed)


def test_squares_tell_whose_marker_lies_there():
    table = Table(4, removed="black 1 2 3")
    for seat, square in enumerate(("red 1", "red 2", "red 3", "red 4")):
        table.put(seat, square)
    square = table.pieces(1)["square"] * 3
    told = {
        name: round(float(square[ids(name)[0]])) for name in ("red 1", "red 2", "red 3", "red 4")
    }
    assert told == {"red 1": -1, "red 2": 3, "red 3": -3, "red 4": -2}
    assert square[ids("black 1")] == 0
    assert np.isclose(square[ids("green 1")], 1)


def test_joined_is_the_area_that_a_marker_would_make():
    table = Table()
    table.s.offset[2] = 1
    table.put(0, "red 4 5, purple 2 5, black 4")
    table.put(1, "red 7")
    joined = np.round(table.pieces(0)["joined"] * 24).astype(int)
    own, free = cards_of(table.s.markers[0]), cards_of(rules.free_squares(table.s))
    for c in range(CARDS):
        areas = areas_by_search(table.s, {*own, c})
        assert joined[c] == (sum(len(area) for area in areas if c in area) if c in free else 0)
    assert joined.max() == 5


def test_slide_pieces_tell_what_each_slide_changes():
    table = Table(2, RUN).at_play()
    table.put(0, "red 5, purple 6 7")
    table.put(1, "navy 3, yellow 2 1")
    table.play(RUN)
    pieces = table.pieces(0)
    for k in range(12):
        other = table.copy()
        other.decide(rules.SLIDES + k)
        gains = [other.area(p) - table.area(p) for p in (0, 1)]
        assert np.isclose(pieces["slide_gain"][k] * 24, gains[0])
        assert np.isclose(pieces["slide_cost"][k] * 24, gains[1])
    assert pieces["slidable"].all()
    assert pieces["slide_cost"].any()


def test_seats_are_told_from_the_reader_on():
    table = Table(3)
    table.put(2, "red 5 6")
    assert (table.pieces(1)["area"] * 24).round().tolist() == [0, 2, 0, 0]
    assert names(table.pieces(1)["square"] == -1) == "red 5 6"
    assert table.pieces(1)["mover"].tolist() == [0, 0, 1, 0]


# § 10 Options


def test_printed_only_always_opens_the_printed_bonus_card():
    env = BatchEnv(GAME, 50, 2, options={"printed_only": 1})
    env.reset(seed=0)
    free = BatchEnv(GAME, 50, 2)
    free.reset(seed=0)
    assert not env.states["bonus_card"].any()
    assert free.states["bonus_card"].any()
    for field in ("hand", "deck", "order", "chance"):
        assert np.array_equal(env.states[field], free.states[field]), "the deal is the same"


def test_options_are_checked():
    with pytest.raises(ValueError, match="'printed_only' of HANAMI takes one of"):
        BatchEnv(GAME, 1, 2, options={"printed_only": 2})
    with pytest.raises(ValueError, match="2 to 4 players"):
        BatchEnv(GAME, 1, 5)
