"""That the comparison of HANAMI's engine on park maps with its twin notices what is wrong."""

from copy import deepcopy
from itertools import product

import numpy as np
import pytest

from hanazono.envs import get_game
from hanazono.envs.core.record import PREFIX, GameRecord
from hanazono.envs.hanami_parks import parks, piles
from hanazono.scripts import check_twin
from hanazono.scripts.check_twin import DifferenceError, SideBySide
from reference import hanami_parks
from reference.hanami_parks import COPY, NOTHING, Tile
from reference.parks_board import read_board
from twins.hanami_parks import LAND, Pair
from twins.planted import assert_every_piece_is_compared, spoiled

HANAMI = get_game("hanami_parks")
ONLY = np.ones(1, bool)
SAKURA_4, NEKO_1 = 2, 9
SPECIAL = {"special_tiles": 1, "abilities": 2}


def after(seed: int, decisions: int, **options: int) -> SideBySide:
    """A game for three, some decisions on; nothing is wrong yet."""
    side_by_side = SideBySide(HANAMI, 3, Pair, np.array([seed], np.uint64), options)
    for _ in range(decisions):
        side_by_side.decide(ONLY)
    side_by_side.compare(ONLY, thorough=True)
    return side_by_side


def moving() -> SideBySide:
    """Seat 0 moves a tile with Move. The Copies of all three are on the map, those of seats 0 and 1
    count something; seat 1 has won two tokens, and two were tied."""
    return after(94, 73, **SPECIAL)


def rainy() -> SideBySide:
    """Seat 1 has returned a tile to the bottom of seat 0's pile, and placed one."""
    return after(35, 10, **SPECIAL)


def returning() -> SideBySide:
    """Seat 1 has returned two tiles with Tea House, and may return another."""
    return after(37, 6, **SPECIAL)


def swapping() -> SideBySide:
    """Seat 0 has chosen two parks and one token for Torii."""
    return after(12, 4)


def drafting() -> SideBySide:
    """Three tokens are drafted, and the type of the next is chosen."""
    return after(0, 7, token_draft=1)


def choosing() -> SideBySide:
    """The first seat has chosen its hand, the second one two tiles."""
    return after(0, 7, start_strong=1)


def keeping() -> SideBySide:
    """The first seat has kept an ability card, the others have not yet chosen."""
    return after(0, 1, abilities=2)


# A wrong state


def plus(name, *place, by=1):
    """Add to a number of the state."""

    def spoil(s):
        numbers = np.array(s[name])
        numbers[place] += by
        s[name] = numbers

    return spoil


def exchange_tiles_of_hand_and_pile(s):
    held, top = np.flatnonzero(s.hand[0])[0], s.pile_size[0] - 1
    s.hand[0, held] -= 1
    s.hand[0, s.pile[0, top]] += 1
    s.pile[0, top] = held


def turn_a_pile(s):
    size = s.pile_size[2]
    s.pile[2, :size] = s.pile[2, :size][::-1].copy()


def lay_a_tile_elsewhere(s):
    tiles = s.tile[LAND:]
    x, y = np.flatnonzero(tiles < 254)[0], np.flatnonzero(tiles == 254)[0]
    tiles[[x, y]] = tiles[[y, x]]


def take_over_a_tile(s):
    x = np.flatnonzero(s.owner == 1)[0]
    s.owner[x] = 2


@pytest.mark.parametrize(
    ("position", "spoil", "told"),
    [
        (moving, exchange_tiles_of_hand_and_pile, "  seat 0 knows hand: engine"),
        (moving, plus("hand_size", 1), "  hand_size: engine"),
        (moving, turn_a_pile, "  pile: engine"),
        (moving, plus("pile_size", 2, by=-1), "  pile_size: engine"),
        (moving, lay_a_tile_elsewhere, "  seat 2 knows land: engine"),
        (moving, take_over_a_tile, "  seat 0 knows owners: engine"),
        (moving, plus("tokens", 4), "  seat 1 knows tokens: engine"),
        (moving, plus("open_land", 3), "  open_land: engine"),
        (moving, plus("pips", 2, 1, 3), "  strengths: engine"),
        (moving, plus("balance", 2, 1, 3), "  balances: engine"),
        (moving, plus("held", 1, 4), "  held: engine"),
        (moving, plus("free_land"), "  free_land: engine 27, twin 26"),
        (moving, plus("free_water"), "  free_water: engine"),
        (moving, plus("open_water"), "  open_water: engine"),
        (moving, plus("arrow", 1), "  arrow: engine"),
        (moving, plus("copy_at", 2), "  copy_at: engine"),
        (moving, plus("copy_type", 1), "  copy_type: engine"),
        (moving, plus("copy_strength", 0), "  copy_strength: engine"),
        (moving, plus("won", 1, 0), "  seat 2 knows won: engine"),
        (moving, plus("ties", 1), "  ties: engine [1, 1, 1], twin [1, 0, 1]"),
        (moving, plus("lost", 2), "  lost: engine"),
        (moving, plus("card", 0), "  card: engine"),
        (moving, plus("used", 0, by=-1), "  seat 1 knows ability: engine"),
        (moving, plus("start_player"), "  start_player: engine 3, twin 2"),
        (moving, plus("chosen", by=-1), "  chosen: engine 14, twin 15"),
        (moving, plus("first", by=2), "  first: engine 37, twin 35"),
        (moving, plus("placed"), "  placed: engine 1, twin 0"),
        (moving, plus("slots", by=-1), "  slots: engine 0, twin 1"),
        (moving, plus("omamori"), "  omamori: engine 1, twin False"),
        (moving, plus("passes"), "  passes: engine 1, twin 0"),
        (moving, plus("stage", by=-1), "  stage: engine space, twin move_to"),
        (moving, plus("current_player"), "  mover: engine 1, twin 0"),
        (moving, plus("chance"), "  chance: engine"),
        (rainy, plus("bottom", 0, by=-1), "  seat 2 knows bottom: engine"),
        (rainy, plus("pile", 0, 0), "  seat 1 knows bottom: engine"),
        (returning, plus("aside", 12), "  seat 1 knows returned: engine"),
        (returning, plus("aside_size"), "  aside_size: engine 3, twin 2"),
        (swapping, plus("second"), "  second: engine 10, twin 9"),
        (swapping, plus("first_type"), "  first_type: engine 1, twin 0"),
        (drafting, plus("supply", 1, by=-1), "  supply: engine"),
        (choosing, plus("hand", 1, 18), "  hand: engine"),
        (keeping, plus("offered", 1, 1), "  dealt: engine"),
        (keeping, plus("card", 1), "  seat 1 knows kept: engine [5], twin [4]"),
    ],
)
def test_a_wrong_state_is_found(position, spoil, told):
    assert told in spoiled(position(), spoil)


@pytest.mark.parametrize(
    "position", [moving, rainy, returning, swapping, drafting, choosing, keeping]
)
def test_a_wrong_number_of_an_observation_is_found(position):
    assert_every_piece_is_compared(position(), HANAMI.layout)


# What a seat may believe


def exchanged(twin, seat, held=0, below=-1):
    """The players, but that a tile of a hand and one of the pile have changed places."""
    players = deepcopy(twin.players)
    hand, pile = players[seat].hand, players[seat].pile
    assert hand[held] != pile[below]
    hand[held], pile[below] = pile[below], hand[held]
    return players


@pytest.mark.parametrize(
    "position", [moving, rainy, returning, swapping, drafting, choosing, keeping]
)
def test_the_truth_can_be_believed(position):
    twin = position().pairs[0].twin
    for v in range(3):
        assert twin.contradictions(v, twin.players) == []


def test_other_hands_can_be_anything_unseen():
    twin = moving().pairs[0].twin
    assert twin.contradictions(0, exchanged(twin, 1)) == []
    found = twin.contradictions(1, exchanged(twin, 1))
    assert found == ["what is in the own hand, pile or choice"]


def test_a_belief_in_other_tiles_is_found():
    twin = moving().pairs[0].twin
    players = deepcopy(twin.players)
    players[2].hand[0] += 1
    assert twin.contradictions(0, players) == ["the unseen tiles of seat 2"]
    players[2].hand[0] -= 1
    players[2].hand.append(players[2].pile.pop())
    assert twin.contradictions(0, players) == ["how many tiles seat 2 has"]


def test_a_belief_in_another_bottom_tile_is_found():
    twin = rainy().pairs[0].twin
    assert twin.contradictions(1, exchanged(twin, 0)) == []
    assert twin.contradictions(1, exchanged(twin, 0, below=0)) == ["a tile at the bottom of a pile"]


def test_tiles_returned_in_secret_can_be_any():
    twin = returning().pairs[0].twin
    players = deepcopy(twin.players)
    players[1].face_down, players[1].hand[:2] = players[1].hand[:2], players[1].face_down
    assert twin.contradictions(0, players) == []
    assert twin.contradictions(1, players) == ["what is in the own hand, pile or choice"]


def test_a_belief_in_a_hand_that_cannot_be_completed_is_found():
    twin = choosing().pairs[0].twin
    players = deepcopy(twin.players)
    choosing_now, other = twin.current_player, (twin.current_player + 1) % 3
    players[choosing_now].hand = twin.own_tiles[-2:]
    players[choosing_now].pile = twin.own_tiles[:-2]
    assert twin.contradictions(other, players) == ["a hand that cannot be completed"]
    players[choosing_now].hand = twin.own_tiles[-5:-3]
    players[choosing_now].pile = twin.own_tiles[:-5] + twin.own_tiles[-3:]
    assert twin.contradictions(other, players) == []
    players[choosing_now].pile.reverse()
    assert twin.contradictions(other, players) == ["a pile in disorder"]


def test_a_belief_in_other_cards_is_found():
    twin = keeping().pairs[0].twin
    first, second, third = twin.start_player, (twin.start_player + 1) % 3, twin.start_player - 1
    players = deepcopy(twin.players)
    players[third].dealt, players[second].dealt = players[second].dealt, players[third].dealt
    assert twin.contradictions(first, players) == []
    assert twin.contradictions(second, players) == ["the own cards"]
    players[second].dealt = players[first].dealt
    assert twin.contradictions(first, players) == ["two cards of the eight for each player"]


def test_a_belief_in_another_card_kept_is_found():
    twin = keeping().pairs[0].twin
    first, second = twin.start_player, (twin.start_player + 1) % 3
    players = deepcopy(twin.players)
    players[first].card = sum(players[first].dealt) - players[first].card
    assert twin.contradictions(second, players) == []
    assert twin.contradictions(first, players) == ["the own choice"]
    players[first].card = players[second].dealt[0]
    assert twin.contradictions(second, players) == ["a card kept"]


def test_an_engine_that_hides_nothing_is_found(monkeypatch):
    side_by_side = moving()
    monkeypatch.setattr(side_by_side.pairs[0].imagined, "resample_hidden", lambda v, seed: None)
    with pytest.raises(DifferenceError, match="imagines what cannot be: the shuffles to come"):
        side_by_side.compare(ONLY, thorough=True)


# What a random game does not reach


def test_engine_and_twin_agree_where_tiles_run_out_and_all_pass():
    side_by_side = SideBySide(HANAMI, 3, Pair, np.arange(4, dtype=np.uint64), {"special_tiles": 1})
    for s, pair in zip(side_by_side.states, side_by_side.pairs, strict=True):
        s.pile[:], s.pile_size[:] = piles.NO_TILE, 0
        s.held[:] = s.hand
        for player in pair.twin.players:
            player.pile, player.tiles = [], sorted(player.hand)
    side_by_side.env.set_states(side_by_side.env.get_states())
    side_by_side.play()
    assert (side_by_side.env.states["passes"] == 3).any(), "a game ended because all passed"


def lay(s, twin, seat, x, kind, direction=None):
    """On both sides a tile of a seat's hand or pile comes to lie on a space."""
    if not s.hand[seat, kind]:
        piles.take_kind(s, seat, kind)
    s.hand[seat, kind] -= 1
    s.held[seat, kind] -= 1
    s.hand_size[seat] -= 1
    s.arrow[seat] = -1 if direction is None else direction
    parks.put(s, x, kind, seat)
    player = twin.players[seat]
    (player.hand if kind in player.hand else player.pile).remove(kind)
    twin.tiles[x] = Tile(seat, kind, direction)


def test_engine_and_twin_agree_on_copies_that_point_at_each_other():
    """Four Copies lie in a rhombus and point at each other in all ways, the last one perhaps at a
    Sakura 4 beside it."""
    spaces = [LAND + number for number in (11, 13, 14, 16, 18)]
    neighbours = read_board("nihon", 4).neighbours
    ways = [[d for d in range(6) if neighbours[x][d] in spaces] for x in spaces[:4]]
    layouts = list(product(*ways))
    side_by_side = SideBySide(HANAMI, 4, Pair, np.arange(len(layouts), dtype=np.uint64), SPECIAL)
    for s, pair, directions in zip(side_by_side.states, side_by_side.pairs, layouts, strict=True):
        lay(s, pair.twin, 0, spaces[4], SAKURA_4)
        for seat, direction in enumerate(directions):
            lay(s, pair.twin, seat, spaces[seat], COPY, direction)
        parks.settle_copies(s)
    side_by_side.env.set_states(side_by_side.env.get_states())
    assert len({tuple(s.copy_strength) for s in side_by_side.states}) > 4
    running = np.ones(len(layouts), bool)
    for _ in range(10):
        side_by_side.compare(running, thorough=False)
        side_by_side.decide(running)


# What a wrong rule leads to


def test_a_wrong_rule_is_found_and_the_record_holds_the_options(monkeypatch, capsys):
    without = [*hanami_parks.VALUES[:NEKO_1], NOTHING, *hanami_parks.VALUES[NEKO_1 + 1 :]]
    monkeypatch.setattr(hanami_parks, "VALUES", without)
    arguments = ["--game", "hanami_parks", "--decisions", "1", "--num-players", "2"]
    assert check_twin.main(arguments) == 1
    told = capsys.readouterr().out
    assert "  strengths: engine" in told
    text = next(word for word in told.split() if word.startswith(PREFIX))
    record = GameRecord.from_string(text, HANAMI)
    assert record.options.keys() == {option.name for option in HANAMI.options}
