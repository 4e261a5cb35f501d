"""The small parts of the core: chance, layouts of observations, and the record of a game."""

import copy
import json
import pickle
from dataclasses import replace

import numpy as np
import pytest

from hanazono.envs import get_game
from hanazono.envs.core.game import Field, Game, Option, common_fields, load_game, state_dtype
from hanazono.envs.core.observation import Layout, Piece
from hanazono.envs.core.rng import below, keyed, mix, spread_seeds
from toys import kuhn

# Chance


def test_mix_is_splitmix64():
    """The first outputs of SplitMix64 for seed 1234567, as published with other libraries."""
    gamma, state = 0x9E3779B97F4A7C15, 1234567
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    found = [int(mix(np.uint64((state + i * gamma) % 2**64))) for i in range(3)]
    assert found == expected


def test_keyed_is_a_function_of_key_and_counter():
    bits = {(k, c): int(keyed(np.uint64(k), np.uint64(c))) for k in range(50) for c in range(50)}
    assert len(set(bits.values())) == 2500
    assert bits[3, 4] == int(keyed(np.uint64(3), np.uint64(4)))


def test_bits_are_balanced():
    bits = np.array([keyed(np.uint64(7), np.uint64(i)) for i in range(4_000)], np.uint64)
    ones = np.array([((bits >> np.uint64(b)) & np.uint64(1)).mean() for b in range(64)])
    assert np.abs(ones - 0.5).max() < 5 * 0.5 / 4_000**0.5


@pytest.mark.parametrize("n", [1, 2, 3, 7, 120])
def test_below_is_uniform(n):
    bits = [np.uint64(keyed(np.uint64(1), np.uint64(i))) for i in range(6_000)]
    draws = [int(below(b, n)) for b in bits]
    counts = np.bincount(draws, minlength=n)
    assert len(counts) == n
    expected = 6_000 / n
    assert np.abs(counts - expected).max() <= 5 * expected**0.5


@pytest.mark.parametrize("n", [1, 2, 1000, 2**16])
def test_below_reaches_both_ends(n):
    assert below(np.uint64(0), n) == 0
    assert below(np.uint64(2**64 - 1), n) == n - 1


def test_spread_seeds_are_a_prefix_of_more():
    few, many = np.empty(3, np.uint64), np.empty(500, np.uint64)
    spread_seeds(np.uint64(9), few)
    spread_seeds(np.uint64(9), many)
    assert few.tolist() == many[:3].tolist()
    assert len(set(many.tolist())) == 500
    spread_seeds(np.uint64(10), few)
    assert set(few.tolist()).isdisjoint(many.tolist())


# Layouts

PIECES = (
    Piece("hand", (3,), 0, 1, "1: in hand", "card"),
    Piece("turn", (2,), -1, 1, "whose"),
    Piece("known", (2, 3), 0, 2, "by seat", "card"),
)


def test_layout_lays_pieces_one_after_another():
    layout = Layout(PIECES)
    assert layout.size == 11
    assert [int(layout.start(piece.name)) for piece in PIECES] == [0, 3, 5]
    low, high = layout.bounds()
    assert low.tolist() == [0] * 3 + [-1] * 2 + [0] * 6
    assert high.tolist() == [1] * 5 + [2] * 6
    assert low.dtype == high.dtype == np.float32


def test_layout_splits_without_copying():
    vectors = np.arange(44, dtype=np.float32).reshape(2, 2, 11)
    parts = Layout(PIECES).split(vectors)
    assert parts["known"].shape == (2, 2, 2, 3)
    assert parts["known"][1, 0].tolist() == [[27, 28, 29], [30, 31, 32]]
    parts["hand"][0, 0, 0] = 99
    assert vectors[0, 0, 0] == 99


def test_layout_finds_the_columns_of_an_index():
    layout = Layout(PIECES)
    assert layout.columns("card").tolist() == [[0, 1, 2], [5, 6, 7], [8, 9, 10]]
    assert layout.columns("space").shape == (0, 0)


@pytest.mark.parametrize("shape", [(10,), (12,), (2, 12)])
def test_layout_refuses_other_sizes(shape):
    with pytest.raises(ValueError, match=r"this observation has 11 values, got shape \("):
        Layout(PIECES).split(np.zeros(shape, np.float32))
    with pytest.raises(ValueError, match="this observation has 11 values"):
        Layout(PIECES).show(np.zeros(shape, np.float32))


def test_layout_needs_distinct_names():
    with pytest.raises(ValueError, match="pieces need distinct names, got "):
        Layout((*PIECES, PIECES[0]))


def test_layout_in_words():
    layout, vector = Layout(PIECES), np.zeros(11, np.float32)
    lines = layout.describe().splitlines()
    assert [line.split()[:2] for line in lines] == [
        ["hand", "0:3"],
        ["turn", "3:5"],
        ["known", "5:11"],
    ]
    vector[[2, 9]] = 1, 0.5
    assert layout.show(vector) == "hand: 2=1\nturn: -\nknown: 1,1=0.5"


@pytest.mark.parametrize(
    "change",
    [{"name": "hold"}, {"shape": (4,)}, {"low": -1}, {"high": 2}, {"meaning": ""}, {"axis": None}],
)
def test_schema_hash_sees_every_change(change):
    layout = Layout(PIECES)
    assert layout.schema_hash == Layout(PIECES).schema_hash
    assert Layout((replace(PIECES[0], **change), *PIECES[1:])).schema_hash != layout.schema_hash
    assert Layout(PIECES[::-1]).schema_hash != layout.schema_hash
    assert json.loads(json.dumps(layout.to_json()))[0]["axis"] == "card"


# Games


def test_states_have_no_gaps():
    """Numpy leaves junk in gaps, so that equal states would have different bytes."""
    own = (("a", np.int8), ("b", np.uint64), ("c", np.int8))
    dtype = state_dtype(3, tuple(Field(name, kind, (), "") for name, kind in own))
    assert dtype.isalignedstruct
    assert sum(dtype[name].itemsize for name in dtype.names) == dtype.itemsize
    assert dtype.itemsize % 8 == 0
    assert [n for n in dtype.names if not n.startswith("unused")][-3:] == ["a", "b", "c"]
    junk = [np.full(dtype.itemsize * 4, 255, np.uint8) for _ in range(9)]
    del junk  # what is freed here tends to be handed out next
    states = np.zeros(4, dtype)
    assert not any(states.copy().tobytes())
    assert not any(np.stack([states, states]).tobytes())


def test_common_fields_come_first():
    names = [field.name for field in common_fields(2)]
    assert list(kuhn.GAME.dtype.names[: len(names)]) == names
    assert kuhn.GAME.dtype["rewards"].shape == (2,)


@pytest.mark.parametrize("name", ["copy", "round", "item", "dtype"])
def test_fields_named_like_attributes_of_records(name):
    with pytest.raises(ValueError, match=rf"fields cannot be called \['{name}'\]"):
        state_dtype(2, (Field(name, np.int8, (), ""),))


@pytest.mark.parametrize("seats", [1, 5, 0, -1, True, False, None, "3", 2.5])
def test_seat_counts_out_of_range(seats):
    with pytest.raises(ValueError, match="is played by 2 to 4 players, got num_players="):
        get_game("ohanami").check_players(seats)


@pytest.mark.parametrize("seats", [2, 4, np.int64(3)])
def test_seat_counts_in_range(seats):
    found = get_game("ohanami").check_players(seats)
    assert type(found) is int
    assert found == seats


def test_options_are_completed():
    assert kuhn.GAME.check_options({}) == {"cards": 3}
    assert kuhn.GAME.check_options({"cards": np.int64(5)}) == {"cards": 5}
    assert get_game("ohanami").check_options({}) == {}


@pytest.mark.parametrize("value", [2, 6, None, "3", (3,)])
def test_option_values_out_of_range(value):
    with pytest.raises(ValueError, match=r"takes one of \[3, 4, 5\], got "):
        kuhn.GAME.check_options({"cards": value})


def test_option_values_have_words():
    option = Option("limit", 1, (1, 2), "", words=("one", "two"))
    game = replace(kuhn.GAME, options=(*kuhn.OPTIONS, option))
    assert game.check_options({"limit": "two"}) == {"cards": 3, "limit": 2}
    assert game.check_options({"limit": 2}) == {"cards": 3, "limit": 2}
    with pytest.raises(ValueError, match=r"takes one of \[1, 2\] or one, two, got 'three'"):
        game.check_options({"limit": "three"})


def test_option_is_a_field_of_the_state():
    game = replace(kuhn.GAME, options=(*kuhn.OPTIONS, Option("limit", 1, (1, 2), "", np.int8)))
    states = game.new_states(3, 2, {"limit": 2})
    assert states["limit"].tolist() == [2, 2, 2]
    assert states["cards"].tolist() == [3, 3, 3]
    assert states["num_players"].tolist() == [2, 2, 2]
    assert states["forfeited"].tolist() == [-1, -1, -1]
    assert game.dtype["limit"] == np.int8


def test_a_game_is_found_by_its_module():
    assert load_game("toys.kuhn") is kuhn.GAME
    assert pickle.loads(pickle.dumps(kuhn.GAME)) is kuhn.GAME
    assert copy.deepcopy(kuhn.GAME) is kuhn.GAME


def test_module_without_a_game():
    with pytest.raises(AttributeError, match="GAME"):
        load_game("json")


def test_module_with_another_thing(monkeypatch):
    monkeypatch.setattr(json, "GAME", "chess", raising=False)
    with pytest.raises(TypeError, match=r"json\.GAME is no Game but str"):
        load_game("json")


def test_games_cannot_be_changed():
    with pytest.raises(AttributeError):
        kuhn.GAME.title = "other"
    assert isinstance(kuhn.GAME, Game)
