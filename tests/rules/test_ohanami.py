"""The rules of Ohanami, one test a rule, in the order of envs/ohanami/RULES.md.

Cards are called by their printed numbers, rows by 1 to 3; see positions.py for how tables are set.
"""

from collections import Counter

import numpy as np
import pytest

from hanazono.envs.core.aec import EnvState, GameEnv
from hanazono.envs.core.batch import BatchEnv
from hanazono.envs.ohanami import GAME, rules
from rules.ohanami_positions import AWAY, Table, cards_of, numbers

SEAT_COUNTS = (2, 3, 4)
BLUE, GREEN, GREY, PINK = map(cards_of, rules.COLOUR_NAMES)


# § 1 Cards


@pytest.mark.parametrize(
    ("cards", "colour"),
    [
        ((7, 21, 42, 70, 84, 105), "grey"),  # divisible by 7, whatever else divides them
        ((3, 6, 12, 60, 120), "green"),  # by 3, not by 7
        ((2, 4, 8, 44, 118), "blue"),  # even, not by 3 or 7
        ((1, 5, 11, 55, 113), "pink"),  # the rest
    ],
)
def test_colour_follows_from_the_number(cards, colour):
    assert {rules.COLOUR_NAMES[rules.colour_of(card)] for card in cards} == {colour}


def test_colour_counts():
    assert [len(cards) for cards in (BLUE, GREEN, GREY, PINK)] == [34, 35, 17, 34]


# § 2 Deal


@pytest.mark.parametrize(("num_players", "undealt"), [(2, 60), (3, 30), (4, 0)])
def test_ten_cards_each_a_round_and_the_rest_is_never_dealt(num_players, undealt):
    env = BatchEnv(GAME, 1, num_players)
    env.reset(seed=5)
    deal = env.states["deal"][0, :, :num_players]
    assert deal.shape == (3, num_players, 10)
    assert len(np.unique(deal)) == 120 - undealt, "no card is dealt twice"


def test_first_round_is_in_hand_the_rest_in_the_pile():
    table = Table(3)
    assert [set(table.hand(seat)) for seat in range(3)] == table.deal(1)
    assert (table.s.place == rules.STOCK).sum() == 120 - 3 * 10


def test_every_round_deals_the_next_ten_cards():
    table = Table(2)
    table.discard_round()
    assert [set(table.hand(seat)) for seat in range(2)] == table.deal(2)
    table.discard_round()
    assert [set(table.hand(seat)) for seat in range(2)] == table.deal(3)


def test_the_seed_alone_fixes_all_deals():
    played = BatchEnv(GAME, 2, 2, auto_reset=False)
    played.reset(seeds=np.array([9, 9]))
    dealt = played.states["deal"].copy()
    for _ in range(60):  # the two games are played differently
        lowest, highest = played.action_mask[0], played.action_mask[1][::-1]
        played.step(np.array([lowest.argmax(), GAME.num_actions - 1 - highest.argmax()]))
    assert not np.array_equal(played.states["place"][0], played.states["place"][1])
    assert np.array_equal(played.states["deal"], dealt)
    assert np.array_equal(dealt[0], dealt[1])


def test_other_seeds_deal_other_cards():
    env = BatchEnv(GAME, 2, 2)
    env.reset(seeds=np.array([1, 2]))
    assert not np.array_equal(env.states["deal"][0], env.states["deal"][1])


def test_every_card_is_dealt_equally_often():
    env = BatchEnv(GAME, 200, 2)
    env.reset(seed=0)
    times = np.bincount(env.states["deal"][:, :, :2].ravel(), minlength=120)
    assert times.shape == (120,)
    spread = np.mean((times - 100) ** 2) / 50  # 200 draws with chance 1/2 have variance 50
    assert abs(spread - 1) < 4 * np.sqrt(2 / 120)


def test_gardens_stay_from_round_to_round():
    table = Table(2, hands=[[50, 60]])
    table.turn(((50, 1), (60, 1)))
    table.discard_round()
    assert table.round == 2
    assert table.row(0, 1) == [50, 60]


# § 3 Picking


def test_each_player_picks_two_cards_one_at_a_time_in_seat_order():
    table = Table(3, hands=[[10, 20], [30, 40], [50, 60]])
    assert table.mover == 0
    table.pick(0, 10)
    assert table.mover == 0
    table.pick(0, 20)
    assert table.mover == 1
    table.pick(1, 40, 30)
    assert table.mover == 2
    table.pick(2, 50, 60)
    assert table.mover == 0, "all have picked: seat 0 places"


def test_picks_leave_the_hand():
    table = Table(2, hands=[[10, 20]])
    table.pick(0, 20, 10)
    assert len(table.hand(0)) == 8
    assert not {10, 20} & set(table.hand(0))
    assert table.view(0)["picks"] == [20, 10]


def test_only_cards_of_the_own_hand_can_be_picked():
    table = Table(2, hands=[[10, 20], [30, 40]])
    assert [action + 1 for action in table.legal()] == table.hand(0)
    with pytest.raises(ValueError, match=r"player_0 cannot play action 29 \(pick 30 green\)"):
        table.pick(0, 30)


def test_second_pick_is_any_other_card_of_the_hand():
    table = Table(2, hands=[[10, 20, 30]])
    hand = table.hand(0)
    table.pick(0, 20)
    assert [action + 1 for action in table.legal()] == [card for card in hand if card != 20]


def test_picks_are_hidden_until_all_have_picked():
    one = Table(2, hands=[[10, 20, 30, 40], [50, 60]])
    other = one.copy()
    one.pick(0, 10, 20)
    other.pick(0, 40, 30)
    for seat_1_picks in ((), (50,), (60,)):
        for table in (one, other):
            table.pick(1, *seat_1_picks)
        assert one.view(1) == other.view(1)
        assert np.array_equal(one.env.observe(np.array([1])), other.env.observe(np.array([1])))


# § 4 Placing


def test_all_place_in_seat_order_both_cards_in_one_go():
    table = Table(2, hands=[[10, 20], [30, 40]])
    table.pick(0, 10, 20)
    table.pick(1, 30, 40)
    for seat, card in ((0, 10), (0, 20), (1, 30), (1, 40)):
        assert table.mover == seat
        table.place(seat, card, AWAY)


def test_rulebook_example_of_the_row_68_77_102():
    table = Table(2, hands=[[65, 81, 110]], aside=[68, 77, 102])
    table.put(0, 1, 68, 77, 102)
    one, other = table.copy(), table.copy()
    one.pick(0, 65, 81)
    other.pick(0, 81, 110)
    for seat_0 in (one, other):
        seat_0.pick_lowest(1)
        assert 1 not in seat_0.places_for(81), "81 lies between 77 and 102"
        with pytest.raises(ValueError, match="cannot play"):
            seat_0.place(0, 81, 1)
    one.place(0, 65, 1)
    assert one.row(0, 1) == [65, 68, 77, 102]
    other.place(0, 110, 1)
    assert other.row(0, 1) == [68, 77, 102, 110]


def test_rulebook_example_of_49_62_then_56_65():
    table = Table(2, hands=[[49, 62], [56, 65]])  # seat 1 passes 56 and 65 on to seat 0
    table.turn(((49, 1), (62, 1)))
    assert table.row(0, 1) == [49, 62]
    table.pick(0, 56, 65)
    table.pick_lowest(1)
    assert table.places_for(56) == [2, AWAY], "56 is between 49 and 62"
    table.place(0, 56, 2)
    assert 1 in table.places_for(65)
    table.place(0, 65, 1)
    assert [table.row(0, row) for row in (1, 2, 3)] == [[49, 62, 65], [56], []]


def test_the_two_cards_may_be_taken_in_either_order():
    table = Table(2, hands=[[55, 60]], aside=[50])
    table.put(0, 1, 50)
    table.pick(0, 60, 55)
    table.pick_lowest(1)
    upwards, downwards = table.copy(), table.copy()
    upwards.place(0, 55, 1)
    assert 1 in upwards.places_for(60)
    upwards.place(0, 60, 1)
    assert upwards.row(0, 1) == [50, 55, 60]
    downwards.place(0, 60, 1)
    assert 1 not in downwards.places_for(55), "60 has closed the row to 55"


def test_a_card_next_to_the_end_fits_and_becomes_the_new_end():
    table = Table(2, hands=[[49, 51]], aside=[50])
    table.put(0, 1, 50)
    table.pick(0, 49, 51)
    table.pick_lowest(1)
    table.place(0, 49, 1)
    table.place(0, 51, 1)
    assert table.row(0, 1) == [49, 50, 51]


def test_any_card_starts_a_row_while_there_are_fewer_than_three():
    table = Table(2, hands=[[55, 56]], aside=[50, 60])
    table.put(0, 1, 50, 60)
    table.pick(0, 55, 56)
    table.pick_lowest(1)
    assert table.places_for(55) == [2, AWAY]
    table.place(0, 55, 2)
    assert table.places_for(56) == [2, 3, AWAY]
    table.place(0, 56, 3)
    assert table.row(0, 3) == [56]


def test_there_is_no_fourth_row():
    table = Table(2, hands=[[55, 57]], aside=[50, 54, 60, 61, 62])
    table.put(0, 1, 50, 60)
    table.put(0, 2, 54, 61)
    table.put(0, 3, 62)
    table.pick(0, 55, 57)
    table.pick_lowest(1)
    assert table.places_for(57) == [3, AWAY], "57 lies within rows 1 and 2"
    table.place(0, 55, 3)
    assert table.places_for(57) == [AWAY]


def test_discarding_is_always_allowed():
    table = Table(2, hands=[[55, 56]])
    table.pick(0, 55, 56)
    table.pick_lowest(1)
    assert AWAY in table.places_for(55), "also where a card could be laid"
    table.place(0, 55, AWAY)
    assert table.places_for(56) == [1, AWAY]
    table.place(0, 56, AWAY)
    assert table.s.discards[0] == 2
    assert not table.s.length[0].any()


def test_others_see_that_a_card_was_discarded_not_which():
    one = Table(3, hands=[[10, 20]])
    other = one.copy()
    for table, picks in ((one, (10, 20)), (other, (20, 10))):
        table.pick(0, *picks)
        table.pick_lowest(1)
        table.pick_lowest(2)
        table.place(0, picks[0], AWAY)
        assert table.view(1)["discard_counts"] == [1, 0, 0]
    assert one.view(1) == other.view(1)
    assert one.view(0) != other.view(0)


def test_a_laid_card_is_public_at_once():
    table = Table(3, hands=[[10, 20]])
    table.pick(0, 10, 20)
    table.pick_lowest(1)
    table.pick_lowest(2)
    table.place(0, 10, 1)
    for seat in range(3):
        assert table.view(seat)["gardens"][0] == [[10], [], []]
        assert numbers(table.pieces(seat)["out"]) == [10]


def test_gardens_are_each_players_own():
    table = Table(2, hands=[[10, 20], [30, 40]])
    table.turn(((10, 1), (20, 1)), ((30, 1), (40, 2)))
    assert [table.row(0, row) for row in (1, 2, 3)] == [[10, 20], [], []]
    assert [table.row(1, row) for row in (1, 2, 3)] == [[30], [40], []]


# § 5 Passing


@pytest.mark.parametrize("num_players", SEAT_COUNTS)
@pytest.mark.parametrize(("round_number", "step"), [(1, 1), (2, -1), (3, 1)])
def test_hands_pass_clockwise_in_rounds_1_and_3_and_back_in_round_2(
    num_players, round_number, step
):
    table = Table(num_players)
    while table.round < round_number:
        table.discard_round()
    for _ in range(4):
        hands = [table.hand(seat) for seat in range(num_players)]
        table.turn()
        for seat in range(num_players):
            assert table.hand((seat + step) % num_players) == hands[seat][2:]


def test_hands_shrink_from_ten_by_two():
    table = Table(3)
    sizes = []
    while table.round == 1:
        sizes.append([len(table.hand(seat)) for seat in range(3)])
        table.turn()
    assert sizes == [[10] * 3, [8] * 3, [6] * 3, [4] * 3, [2] * 3]


def test_after_the_fifth_turn_the_next_round_begins():
    table = Table(2)
    for turn in range(1, 6):
        assert (table.round, table.s.turn) == (1, turn - 1)
        table.turn()
    assert (table.round, table.s.turn) == (2, 0)


def test_hands_pass_only_when_all_have_placed():
    table = Table(2, hands=[[10, 20], [30, 40]])
    rest = [card for card in table.hand(0) if card not in (10, 20)]
    table.pick(0, 10, 20)
    table.pick(1, 30, 40)
    for seat, card in ((0, 10), (0, 20), (1, 30)):
        table.place(seat, card, AWAY)
        assert table.hand(0) == rest
    table.place(1, 40, AWAY)
    assert table.hand(1) == rest


# § 6 Scoring

PASCAL = {  # the rulebook's player: cards laid in each round
    1: BLUE[:4] + GREEN[:2] + PINK[:1],
    2: BLUE[4:6] + GREEN[2:7] + GREY[:1],
    3: GREEN[7:8] + GREY[1:4] + PINK[1:6],
}


def lay_and_finish_round(table: Table, seat: int, cards: list[int]) -> list[int]:
    """The cards come into the garden, the round is played to its end: the points it added."""
    before = table.scores
    table.put(seat, 1, *cards)
    table.discard_round()
    return [now - then for now, then in zip(table.scores, before, strict=True)]


def test_rulebook_example_of_pascal():
    table = Table(2, aside=[card for cards in PASCAL.values() for card in cards])
    assert lay_and_finish_round(table, 0, PASCAL[1]) == [12, 0]
    assert lay_and_finish_round(table, 0, PASCAL[2]) == [18 + 28, 0]
    assert lay_and_finish_round(table, 0, PASCAL[3]) == [18 + 32 + 28 + 21, 0]
    assert table.scores == [157, 0]


@pytest.mark.parametrize(
    ("colour", "points"),
    [("blue", [3, 3, 3]), ("green", [0, 4, 4]), ("grey", [0, 0, 7]), ("pink", [0, 0, 1])],
)
def test_what_one_card_scores_in_each_round(colour, points):
    card = cards_of(colour)[3]
    table = Table(2, aside=[card])
    added = [lay_and_finish_round(table, 1, [card])[1]]
    added += [lay_and_finish_round(table, 1, [])[1] for _ in range(2)]
    assert added == points


@pytest.mark.parametrize(
    ("count", "points"),
    [(0, 0), (1, 1), (2, 3), (5, 15), (6, 21), (12, 78), (14, 105), (15, 120), (16, 120)],
)
def test_pink_cards_score_by_the_table(count, points):
    table = Table(2, aside=PINK[:count])
    table.put(0, 1, *PINK[:count])
    for _ in range(3):
        table.discard_round()
    assert table.scores == [points, 0]


def test_discarded_cards_score_nothing():
    table = Table(2, hands=[BLUE[:2]])
    table.turn(((BLUE[0], AWAY), (BLUE[1], AWAY)))
    table.discard_round()
    assert table.scores == [0, 0]


def test_all_three_rows_count():
    table = Table(2, aside=BLUE[:3])
    for row in (1, 2, 3):
        table.put(0, row, BLUE[row - 1])
    table.discard_round()
    assert table.scores == [9, 0]


@pytest.mark.parametrize(
    ("colour", "worth"),
    [("blue", [9, 6, 3]), ("green", [8, 8, 4]), ("grey", [7, 7, 7]), ("pink", [1, 1, 1])],
)
def test_points_that_a_card_brings_until_the_end(colour, worth):
    card = cards_of(colour)[3]
    table = Table(2, aside=[card])
    found = []
    for _ in range(3):
        found.append(rules.worth(table.s, 0, card - 1))
        table.discard_round()
    assert found == worth


def test_the_kth_pink_card_brings_k_points_up_to_the_fifteenth():
    table = Table(2, aside=PINK[:17])
    for k, card in enumerate(PINK[:17], 1):
        assert rules.worth(table.s, 0, card - 1) == (k if k <= 15 else 0)
        table.put(0, 1, card)


# § 7 End


def last_decision(table: Table) -> GameEnv:
    """The game as a PettingZoo environment, one discard before its end."""
    while table.round < 3 or table.s.turn < 4:
        table.turn()
    for seat in range(table.num_players):
        table.pick(seat, *table.hand(seat))
    for _ in range(2 * table.num_players - 1):
        table.decide(table.mover, table.legal()[-1])
    env = GameEnv(GAME, table.num_players)
    env.set_state(EnvState(table.env.get_states(), (), tuple(env.possible_agents)))
    return env


def results(table: Table) -> tuple[list[float], list[int], list[float]]:
    """Rewards, ranks and winner shares by seat, from BatchEnv and GameEnv, which must agree."""
    env = last_decision(table)
    last = table.legal()[-1]
    env.step(last)
    table.decide(table.mover, last)
    assert table.over
    agents, seats = env.possible_agents, table.num_players
    rewards = [env.rewards[agent] for agent in agents]
    ranks = [env.infos[agent]["rank"] for agent in agents]
    assert rewards == table.env.rewards[0, :seats].tolist()
    assert ranks == table.env.final_ranks[0, :seats].tolist()
    assert [env.infos[agent]["score"] for agent in agents] == table.scores
    return rewards, ranks, [env.infos[agent]["winner_share"] for agent in agents]


def test_the_game_ends_after_the_third_round():
    table = Table(2)
    for _ in range(3):
        assert not table.over
        table.discard_round()
    assert table.over
    assert table.legal() == []


def test_most_points_win():
    table = Table(3, aside=BLUE[:4])
    table.put(1, 1, *BLUE[:3])
    table.put(2, 1, BLUE[3])
    assert results(table) == ([-0.5, 1.0, -0.5], [2, 0, 1], [0, 1, 0])


def test_a_tie_on_points_goes_to_the_player_with_more_pink_cards():
    table = Table(2, aside=[*BLUE[:2], *PINK[:3]])
    table.put(0, 1, BLUE[0])  # 3 points in each of three rounds
    while table.round < 3:
        table.discard_round()
    table.put(1, 1, BLUE[1], *PINK[:3])  # 3 + 6 points in the third
    assert results(table) == ([-1.0, 1.0], [1, 0], [0, 1])
    assert table.scores == [9, 9]


def test_sixteen_pink_cards_beat_fifteen():
    table = Table(2, aside=PINK[:31])
    table.put(0, 1, *PINK[:15])
    table.put(1, 1, *PINK[15:31])
    assert results(table) == ([-1.0, 1.0], [1, 0], [0, 1])
    assert table.scores == [120, 120]


@pytest.mark.parametrize(
    ("num_players", "rewards", "ranks", "shares"),
    [
        (2, [0, 0], [0, 0], [1 / 2, 1 / 2]),
        (3, [0.25, 0.25, -0.5], [0, 0, 2], [1 / 2, 1 / 2, 0]),
    ],
)
def test_players_still_tied_share_the_win(num_players, rewards, ranks, shares):
    table = Table(num_players, aside=PINK[:8])
    table.put(0, 1, *PINK[:4])
    table.put(1, 1, *PINK[4:8])
    assert results(table) == (rewards, ranks, shares)


def test_all_four_may_share_the_win():
    assert results(Table(4)) == ([0] * 4, [0] * 4, [1 / 4] * 4)


# § 8 Decisions


def test_picking_ids_are_card_numbers_less_one():
    table = Table(2, hands=[[1, 120]])
    table.decide(0, 0)
    table.decide(0, 119)
    assert table.view(0)["picks"] == [1, 120]


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (56, "pick 57 green"),
        (120, "lay 44 blue in row 1"),
        (122, "lay 44 blue in row 3"),
        (123, "discard 44 blue"),
        (124, "lay 49 grey in row 1"),
        (127, "discard 49 grey"),
        (128, "no action (128)"),
    ],
)
def test_action_ids_in_words(action, words):
    table = Table(2, hands=[[44, 49]])
    table.pick(0, 44, 49)
    table.pick_lowest(1)
    assert GAME.words.action(table.s, action) == words


@pytest.mark.parametrize(
    ("action", "card", "row"), [(120, 44, 1), (121, 44, 2), (124, 49, 1), (125, 49, 2)]
)
def test_placing_ids_are_120_plus_4k_plus_r(action, card, row):
    table = Table(2, hands=[[44, 49]], aside=[46])
    table.put(0, 1, 46)
    table.pick(0, 44, 49)
    table.pick_lowest(1)
    table.decide(0, action)
    assert card in table.row(0, row)


@pytest.mark.parametrize(("action", "left"), [(123, 49), (127, 44)])
def test_discarding_ids_are_120_plus_4k_plus_3(action, left):
    table = Table(2, hands=[[44, 49]])
    table.pick(0, 44, 49)
    table.pick_lowest(1)
    table.decide(0, action)
    assert [card for card in table.view(0)["picks"] if card] == [left]
    assert table.known_discards(0) == [44 + 49 - left]


def test_a_placed_card_cannot_be_placed_again():
    table = Table(2, hands=[[44, 49]])
    table.pick(0, 44, 49)
    table.pick_lowest(1)
    assert table.legal() == [120, 123, 124, 127]
    table.decide(0, 123)
    assert table.legal() == [124, 127]


def test_of_empty_rows_only_the_first_counts():
    table = Table(2, hands=[[44, 49]])
    table.pick(0, 44, 49)
    table.pick_lowest(1)
    assert table.places_for(44) == [1, AWAY]


@pytest.mark.parametrize("num_players", SEAT_COUNTS)
def test_a_game_takes_sixty_decisions_a_player(num_players):
    env = BatchEnv(GAME, 1, num_players, auto_reset=False)
    env.reset(seed=1)
    decisions: Counter[int] = Counter()
    while not env.terminated[0]:
        decisions[int(env.current_player[0])] += 1
        env.step(env.action_mask.argmax(1))
    assert decisions == dict.fromkeys(range(num_players), 60)


def test_both_orders_of_picking_a_pair_are_legal():
    for pair in ((10, 20), (20, 10)):
        table = Table(2, hands=[[10, 20]])
        table.pick(0, *pair)
        assert table.view(0)["picks"] == list(pair)


# § 9 What a player knows

LOW, HIGH = list(range(1, 11)), list(range(11, 21))
DRAWS = 12  # resamplings a test looks at


def two_seats_after_one_turn() -> Table:
    """Seat 0 laid 1 and discarded 2, seat 1 laid 11 and 12; then they exchanged their hands."""
    table = Table(2, hands=[LOW, HIGH])
    table.turn(((1, 1), (2, AWAY)), ((11, 1), (12, 1)))
    return table


def two_seats_after_two_turns() -> Table:
    """Then seat 0 laid 14 and discarded 13, seat 1 laid 3 and discarded 4."""
    table = two_seats_after_one_turn()
    table.turn(((14, 1), (13, AWAY)), ((3, 1), (4, AWAY)))
    return table


def test_a_player_sees_the_own_hand_and_nothing_of_a_hand_never_held():
    table = Table(2, hands=[LOW, HIGH])
    assert table.view(0)["hand"] == numbers(table.pieces(0)["hand"]) == LOW
    assert table.known_hand(0, 1) == []
    assert table.known_hand(1, 0) == []


def test_a_received_hand_is_seen_when_the_next_turn_starts():
    table = Table(2, hands=[LOW, HIGH])
    table.pick(0, 1, 2)
    table.pick(1, 11, 12)
    for seat, card in ((0, 1), (0, 2), (1, 11)):
        table.place(seat, card, AWAY)
    assert table.view(0)["hand"] == LOW[2:]
    table.place(1, 12, AWAY)
    assert table.view(0)["hand"] == HIGH[2:]


def test_a_player_knows_the_hand_that_was_passed_on():
    table = two_seats_after_one_turn()
    assert table.known_hand(0, 1) == [3, 4, 5, 6, 7, 8, 9, 10]
    assert table.known_hand(1, 0) == [13, 14, 15, 16, 17, 18, 19, 20]


def test_unshown_picks_still_count_to_the_known_hand():
    table = two_seats_after_one_turn()
    table.pick(0, 14, 13)
    table.pick(1, 3, 4)
    assert table.known_hand(0, 1) == [3, 4, 5, 6, 7, 8, 9, 10]
    assert table.known_hand(1, 0) == [13, 14, 15, 16, 17, 18, 19, 20]


def test_a_laid_card_leaves_the_known_hand_a_discarded_one_stays():
    table = two_seats_after_one_turn()
    table.pick(0, 14, 13)
    table.pick(1, 3, 4)
    table.place(0, 14, 1)
    table.place(0, 13, AWAY)
    assert table.known_hand(1, 0) == [13, 15, 16, 17, 18, 19, 20]
    assert table.known_discards(1) == []
    table.place(1, 3, 1)
    assert table.known_hand(0, 1) == [4, 5, 6, 7, 8, 9, 10]


def test_own_discards_are_known():
    table = two_seats_after_one_turn()
    assert table.known_discards(0) == [2]
    assert table.known_discards(1) == []


def test_a_hand_that_comes_back_tells_what_was_discarded():
    table = two_seats_after_two_turns()
    assert table.view(0)["hand"] == [5, 6, 7, 8, 9, 10]
    assert table.known_discards(0) == [2, 4, 13], "4 was passed on, is not back and was not laid"
    assert table.known_discards(1) == [4, 13], "2 was discarded before seat 1 saw that hand"
    assert table.known_hand(0, 1) == [15, 16, 17, 18, 19, 20]


def test_with_three_seats_a_hand_comes_back_after_three_turns():
    table = Table(3, hands=[LOW, HIGH, list(range(21, 31))])
    table.turn(((1, 1), (2, 1)), ((11, 1), (12, 1)), ((21, 1), (22, 1)))
    assert table.known_hand(0, 1) == [3, 4, 5, 6, 7, 8, 9, 10]
    assert table.known_hand(0, 2) == [], "seat 2 holds what seat 1 was dealt"

    table.turn(((23, 1), (24, 1)), ((4, 2), (3, AWAY)), ((13, 2), (14, 2)))
    assert table.known_hand(0, 2) == [3, 5, 6, 7, 8, 9, 10], "the face-down 3 may be held still"
    assert table.known_hand(0, 1) == [25, 26, 27, 28, 29, 30]
    assert table.known_hand(1, 2) == [5, 6, 7, 8, 9, 10], "seat 1 discarded the 3 itself"
    assert table.known_discards(0) == []

    table.turn(((15, 2), (16, 2)), ((25, 1), (26, 1)), ((5, 3), (6, AWAY)))
    assert table.view(0)["hand"] == [7, 8, 9, 10]
    assert table.known_discards(0) == [3, 6]
    assert table.known_hand(1, 0) == [6, 7, 8, 9, 10], "seat 1 has not seen that hand again"
    assert table.known_discards(1) == [3]


def test_in_round_2_known_hands_travel_the_other_way():
    table = Table(3, hands=[[], [], [], LOW, HIGH, list(range(21, 31))])
    table.discard_round()
    table.turn(((1, 1), (2, 1)), ((11, 1), (12, 1)), ((21, 1), (22, 1)))
    assert table.known_hand(0, 2) == [3, 4, 5, 6, 7, 8, 9, 10]
    assert table.known_hand(0, 1) == []


def test_the_end_of_a_round_tells_what_became_of_cards_passed_on():
    table = Table(2, hands=[LOW, HIGH])
    table.turn()  # 1, 2, 11 and 12 are discarded before the hands pass
    while table.s.turn < 4:
        table.turn()
    assert table.known_hand(0, 1) != [], "the last two cards of seat 1 are held still"
    table.turn()
    assert table.known_discards(0) == sorted(set(LOW + HIGH) - {11, 12})
    assert table.known_discards(1) == sorted(set(LOW + HIGH) - {1, 2})


def test_known_discards_stay_known_in_later_rounds():
    table = two_seats_after_two_turns()
    table.discard_round()
    known = table.known_discards(0)
    assert {2, 4, 13} < set(known)
    table.turn()
    assert set(known) < set(table.known_discards(0))


def test_a_new_round_starts_without_known_hands():
    table = Table(4)
    table.turn()
    assert table.known_hand(0, 1) != []
    table.discard_round()
    assert all(table.known_hand(0, seat) == [] for seat in (1, 2, 3))


def test_table_counts_are_public():
    table = two_seats_after_two_turns()
    for seat in (0, 1):
        told = table.view(seat)
        assert told["gardens"] == [[[1, 14], [], []], [[3, 11, 12], [], []]]
        assert told["colours"][1] == {"blue": 0, "green": 2, "grey": 0, "pink": 1}
        assert told["discard_counts"] == [2, 1]
        assert told["hand_sizes"] == [6, 6]
        assert (told["round"], told["turn"], told["stage"]) == (0, 2, "pick first")
        assert told["to_move"] == 0


def test_a_reader_is_told_seats_clockwise_from_the_own():
    table = Table(3, hands=[[], [], [1, 2]])
    table.turn(((3, AWAY), (4, AWAY)), ((13, 1), (14, AWAY)), ((1, 1), (2, 1)))
    assert (table.pieces(1)["discards"] * 30).round().tolist() == [1, 0, 2, 0]
    assert table.pieces(1)["seated"].tolist() == [1, 1, 1, 0]
    assert table.pieces(1)["mover"].tolist() == [0, 0, 1, 0], "seat 0 sits two places on"


@pytest.mark.parametrize("reader", [0, 1])
def test_resampling_changes_only_what_the_reader_cannot_know(reader):
    table = two_seats_after_two_turns()
    table.pick(0, 5, 6)
    told, seen = table.view(reader), table.pieces(reader)
    next_hands = set()
    for seed in range(DRAWS):
        other = table.copy()
        other.env.resample_hidden(np.array([reader]), np.array([seed]))
        assert other.view(reader) == told
        for name, piece in other.pieces(reader).items():
            assert np.array_equal(piece, seen[name]), name
        face_down = set(numbers(other.s.place == rules.DISCARDED))
        assert set(told["known_discards"]) <= face_down
        assert len(face_down) == 3
        next_hands.add(tuple(sorted(other.deal(2)[1 - reader])))
    assert len(next_hands) == DRAWS, "the pile is shuffled anew"


def test_resampling_draws_unshown_picks_from_the_known_hand():
    table = two_seats_after_two_turns()
    table.pick(0, 5, 6)
    picks = set()
    for seed in range(DRAWS):
        other = table.copy()
        other.env.resample_hidden(np.array([1]), np.array([seed]))
        picks.add(tuple(int(c) + 1 for c in other.s.picks[0]))
        assert other.hand(1) == table.hand(1)
    assert len(picks) > DRAWS / 2
    assert {card for pair in picks for card in pair} == {5, 6, 7, 8, 9, 10}


def test_resampling_lets_a_card_face_down_change_with_a_held_one():
    table = Table(3, hands=[LOW, HIGH, list(range(21, 31))])
    table.turn(((1, 1), (2, 1)), ((11, 1), (12, 1)), ((21, 1), (22, 1)))
    table.turn(((23, 1), (24, 1)), ((4, 2), (3, AWAY)), ((13, 2), (14, 2)))
    face_down = set()
    for seed in range(DRAWS):
        other = table.copy()
        other.env.resample_hidden(np.array([0]), np.array([seed]))
        (discarded,) = numbers(other.s.place == rules.DISCARDED)
        assert sorted([discarded, *other.hand(2)]) == [3, 5, 6, 7, 8, 9, 10]
        face_down.add(discarded)
    assert len(face_down) > 3, "seat 0 cannot tell which of them lies face down"


# § 10 Options


def test_there_are_no_options():
    assert GAME.options == ()
    with pytest.raises(ValueError, match="has no option 'hands'"):
        BatchEnv(GAME, 1, 2, options={"hands": 9})
    with pytest.raises(ValueError, match="2 to 4 players"):
        BatchEnv(GAME, 1, 5)
