"""BatchEnv: what it takes, what it refuses, and that a refusal changes nothing."""

import numpy as np
import pytest

from hanazono.envs import get_game, make_batch
from hanazono.envs.core.batch import LEAST_SHARE, BatchEnv, check_seed
from hanazono.envs.core.engine import HOLD
from hanazono.envs.core.rng import mix
from toys import kuhn, three_cups

ARRAYS = ("observation", "action_mask", "current_player", "rewards", "terminated")


def table(num_envs=4, game=kuhn.GAME, seed=0, **settings):
    """A dealt batch."""
    batch = BatchEnv(game, num_envs, game.min_players, **settings)
    batch.reset(seed=seed)
    return batch


def snapshot(batch):
    return [batch.states.tobytes(), *(getattr(batch, name).tobytes() for name in ARRAYS)]


# Making one


@pytest.mark.parametrize("seats", [0, 1, 5, -2, True, None, "2", 2.5])
def test_seat_counts_out_of_range(seats):
    with pytest.raises(ValueError, match="2 to 4 players, got num_players="):
        BatchEnv(get_game("ohanami"), 1, seats)


@pytest.mark.parametrize("count", [0, -1])
def test_num_envs_out_of_range(count):
    with pytest.raises(ValueError, match=f"num_envs must be at least 1, got {count}"):
        BatchEnv(kuhn.GAME, count, 2)


def test_no_threads():
    with pytest.raises(ValueError, match="num_threads must be at least 1, got 0"):
        BatchEnv(kuhn.GAME, 1, 2, num_threads=0)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"reward": "points"}, r"reward must be one of \['outcome', 'score'\], got 'points'"),
        ({"illegal": "ignore"}, r"illegal must be one of \['raise', 'forfeit'\], got 'ignore'"),
        ({"options": {"card": 3}}, "has no option 'card'; its options: cards"),
        ({"options": {"cards": 6}}, r"'cards' of Kuhn poker takes one of \[3, 4, 5\], got 6"),
        ({"options": {"cards": "3"}}, "got '3'"),
    ],
)
def test_unknown_settings(settings, said):
    with pytest.raises(ValueError, match=said):
        BatchEnv(kuhn.GAME, 1, 2, **settings)


def test_unknown_game():
    with pytest.raises(ValueError, match="there is no game 'chess'; games: ohanami"):
        make_batch("chess", 1)


def test_game_without_options_says_so():
    with pytest.raises(ValueError, match="Ohanami has no option 'rounds'; its options: none"):
        make_batch("ohanami", 1, options={"rounds": 2})


def test_fewest_seats_by_default():
    assert make_batch("ohanami", 1).num_players == 2


def test_shapes_and_dtypes():
    batch = table(num_envs=3, game=three_cups.GAME)
    batch.step(np.zeros(3, np.int64))
    sizes = {name: (getattr(batch, name).dtype.name, getattr(batch, name).shape) for name in ARRAYS}
    assert sizes == {
        "observation": ("float32", (3, three_cups.LAYOUT.size)),
        "action_mask": ("int8", (3, 3)),
        "current_player": ("int64", (3,)),
        "rewards": ("float32", (3, 3)),
        "terminated": ("int8", (3,)),
    }


# Seeds


@pytest.mark.parametrize("seed", [-1, 2**64, 0.5, True, "1", np.float64(1)])
def test_seed_out_of_range(seed):
    with pytest.raises(ValueError, match=r"a seed is an integer from 0 to 2\*\*64 - 1"):
        table(seed=seed)


@pytest.mark.parametrize("seed", [0, 2**64 - 1, np.int32(7), np.uint64(2**64 - 1)])
def test_seed_in_range(seed):
    assert check_seed(seed) == int(seed)
    assert snapshot(table(seed=seed)) == snapshot(table(seed=int(seed)))


@pytest.mark.parametrize(
    ("seeds", "said"),
    [
        ([1, 2], r"seeds must be integers of shape \(4,\), got int64 \(2,\)"),
        ([[1, 2, 3, 4]], r"got int64 \(1, 4\)"),
        ([0.5, 1, 2, 3], "got float64"),
        ([True, False, True, True], "got bool"),
        ([1, 2, -3, 4], r"seeds run from 0 to 2\*\*64 - 1, got -3"),
    ],
)
def test_wrong_seeds(seeds, said):
    batch = table()
    before = snapshot(batch)
    with pytest.raises(ValueError, match=said):
        batch.reset(seeds=np.array(seeds))
    assert snapshot(batch) == before


def test_seed_and_seeds():
    with pytest.raises(ValueError, match="either seed or seeds, not both"):
        table().reset(seed=1, seeds=np.arange(4))


def test_largest_seeds_are_kept():
    batch = table()
    batch.reset(seeds=np.full(4, 2**64 - 1, np.uint64))
    assert (batch.states["seed"] == np.uint64(2**64 - 1)).all()


def test_unseeded_batches_differ():
    first, second = BatchEnv(kuhn.GAME, 8, 2), BatchEnv(kuhn.GAME, 8, 2)
    first.reset()
    second.reset()
    assert (first.states["seed"] != second.states["seed"]).all()


# Actions


def test_step_before_reset():
    batch = BatchEnv(kuhn.GAME, 1, 2)
    with pytest.raises(RuntimeError, match=r"call reset\(\) before the first step\(\)"):
        batch.step(np.zeros(1, np.int64))


@pytest.mark.parametrize(
    ("actions", "said"),
    [
        ([0, 0, 0], r"actions must be integers of shape \(4,\), got int64 \(3,\)"),
        ([[0], [0], [0], [0]], r"got int64 \(4, 1\)"),
        (0, r"got int64 \(\)"),
        ([0.0, 0.0, 0.0, 0.0], "got float64"),
        ([True, True, False, True], "got bool"),
        ([None] * 4, "got object"),
    ],
)
def test_actions_of_wrong_shape_or_kind(actions, said):
    batch = table()
    before = snapshot(batch)
    with pytest.raises(ValueError, match=said):
        batch.step(actions)
    assert snapshot(batch) == before


@pytest.mark.parametrize("action", [-1, HOLD, 2, -(2**63), 2**63 - 1])
@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_illegal_action_raises_and_changes_nothing(action, dtype):
    batch = table()
    before = snapshot(batch)
    actions = np.array([0, 1, action, 1], np.int64).astype(dtype)
    with pytest.raises(ValueError, match=r"game 2: player_0 cannot play action -?\d+ \(no action"):
        batch.step(actions)
    assert snapshot(batch) == before


def test_illegal_action_names_what_is_legal():
    batch = table(game=get_game("ohanami"))
    with pytest.raises(ValueError, match="cannot play action 120") as error:
        batch.step(np.full(4, 120))
    said = str(error.value)
    assert "game 0: player_0 " in said
    assert "(lay first pick in row 1) in Ohanami, deal seed " in said
    legal = np.flatnonzero(batch.action_mask[0])
    assert all(f"{action} (pick {action + 1} " in said for action in legal)


@pytest.mark.parametrize("action", [-1, HOLD, 2, -(2**63), 2**63 - 1])
def test_illegal_action_forfeits(action):
    """All actions below A are legal in this game, so none of them may stand for the illegal one."""
    batch = table(illegal="forfeit", auto_reset=False)
    before = batch.get_states()
    batch.step(np.array([0, action, 1, action]))
    assert batch.terminated.tolist() == [0, 1, 0, 1]
    assert batch.rewards.tolist() == [[0, 0], [-1, 1], [0, 0], [-1, 1]]
    assert batch.states["forfeited"].tolist() == [-1, 0, -1, 0]
    assert batch.states["made"].tolist() == [1, 0, 1, 0]
    assert (batch.states["card"] == before["card"]).all()
    assert batch.final_ranks[[1, 3]].tolist() == [[1, 0], [1, 0]]


@pytest.mark.parametrize("reward", ["outcome", "score"])
def test_forfeit_is_shared_by_all_others(reward):
    batch = table(game=three_cups.GAME, illegal="forfeit", auto_reset=False, reward=reward)
    batch.step(np.array([0, 1, 2, 3]))
    assert batch.rewards[3].tolist() == [-1, 0.5, 0.5]
    batch.step(np.array([0, 3, 0, 0]))
    assert batch.rewards.tolist() == [[0, 0, 0], [0.5, -1, 0.5], [0, 0, 0], [0, 0, 0]]


def test_finished_games_wait():
    batch = table(auto_reset=False)
    batch.step(np.zeros(4, np.int64))
    batch.step(np.array([0, 1, 1, 1]))  # game 0 ends
    state = batch.states[0].tobytes()
    assert batch.terminated.tolist() == [1, 0, 0, 0]
    assert batch.rewards[0].any()
    batch.step(np.array([99, 0, 0, 0]))
    assert batch.states[0].tobytes() == state
    assert not batch.action_mask[0].any()
    assert not batch.rewards[0].any(), "the rewards were paid twice"


def test_finished_game_is_dealt_anew_in_the_same_step():
    batch = table(reward="score")
    first = batch.states["seed"].copy()
    batch.step(np.zeros(4, np.int64))
    batch.step(np.zeros(4, np.int64))
    assert batch.terminated.tolist() == [1] * 4
    assert set(np.abs(batch.rewards).ravel().tolist()) == {1.0}
    assert (batch.final_scores[:, :, 0] == batch.rewards).all()
    assert batch.states["seed"].tolist() == [int(mix(seed)) for seed in first]
    assert not batch.states["decisions"].any()
    assert batch.action_mask.all()
    batch.step(np.zeros(4, np.int64))
    assert batch.terminated.tolist() == [0] * 4
    assert not batch.rewards.any()


def test_arrays_are_written_in_place():
    batch = table()
    before = {name: getattr(batch, name) for name in (*ARRAYS, "states")}
    batch.step(np.zeros(4, np.int64))
    batch.reset(seed=1)
    batch.set_states(batch.get_states())
    assert all(getattr(batch, name) is array for name, array in before.items())


# Threads


def test_threads_share_the_batch():
    wide = 2 * LEAST_SHARE + 1
    one, two = (table(num_envs=wide, num_threads=threads) for threads in (1, 2))
    for _ in range(8):
        actions = np.arange(wide) % 2
        one.step(actions)
        two.step(actions)
        assert snapshot(one) == snapshot(two)
    two.close()


def test_illegal_action_is_found_in_every_share():
    wide = 2 * LEAST_SHARE
    batch = table(num_envs=wide, num_threads=2)
    for index in (0, LEAST_SHARE - 1, LEAST_SHARE, wide - 1):
        actions = np.zeros(wide, np.int64)
        actions[index] = 7
        with pytest.raises(ValueError, match=f"game {index}: "):
            batch.step(actions)
    batch.close()


# Some of the games


def test_games_on_hold_wait():
    batch = table(auto_reset=False)
    batch.step(np.zeros(4, np.int64))
    batch.advance(np.array([0, HOLD, 1, HOLD]))
    assert batch.states["made"].tolist() == [2, 1, 2, 1]
    batch.reset(seed=1)
    shown = snapshot(batch)
    batch.advance(np.full(4, HOLD))
    assert snapshot(batch) == shown


def test_a_finished_game_on_hold_is_not_paid_again():
    batch = table(auto_reset=False)
    batch.step(np.zeros(4, np.int64))
    batch.step(np.zeros(4, np.int64))
    assert batch.rewards.any(axis=1).all()
    batch.advance(np.full(4, HOLD))
    assert not batch.rewards.any()
    assert batch.terminated.all()


def test_some_games_are_dealt_anew():
    batch = table(auto_reset=False)
    batch.step(np.zeros(4, np.int64))
    batch.step(np.zeros(4, np.int64))
    ended = snapshot(batch)
    batch.deal(np.array([3, 1]), np.array([8, 9], np.uint64))
    other = table(seed=0)
    other.reset(seeds=np.array([0, 9, 0, 8], np.uint64))
    for row in (1, 3):
        assert batch.states[row] == other.states[row]
        for name in ARRAYS:
            assert (getattr(batch, name)[row] == getattr(other, name)[row]).all(), name
    assert batch.terminated.tolist() == [1, 0, 1, 0]
    batch.deal(np.arange(4), batch.states["seed"])
    assert snapshot(batch) != ended


def test_deal_before_reset():
    with pytest.raises(RuntimeError, match=r"call reset\(\) before the first deal\(\)"):
        BatchEnv(kuhn.GAME, 2, 2).deal(np.arange(1), np.zeros(1, np.uint64))


def test_some_games_are_observed():
    batch = table(game=three_cups.GAME)
    seats, rows = np.array([2, 0, 1]), np.array([3, 0, 1])
    expected = batch.observe(np.array([0, 1, 0, 2]))[rows]
    assert (batch.observe(seats, rows) == expected).all()
    with pytest.raises(ValueError, match=r"seats must be integers of shape \(3,\)"):
        batch.observe(np.zeros(4, np.int64), rows)


# Bots, views, states


def test_unknown_bot():
    with pytest.raises(ValueError, match="Kuhn poker has no bot 'best'; its bots: random, honest"):
        table().act("best", np.arange(4), 0, np.zeros(4, np.int64))


def test_bots_write_their_rows_only():
    batch, actions = table(), np.full(4, -7)
    batch.act("honest", np.array([1, 3]), 0, actions)
    assert actions[[0, 2]].tolist() == [-7, -7]
    assert np.isin(actions[[1, 3]], (0, 1)).all()


def test_random_bot_plays_all_actions_and_repeats_itself():
    batch = table(num_envs=2_000, game=three_cups.GAME)
    told = [np.zeros(2_000, np.int64) for _ in range(3)]
    for actions, seed in zip(told, (5, 5, 6), strict=True):
        batch.act("random", np.arange(2_000), seed, actions)
    assert (told[0] == told[1]).all()
    assert (told[0] == told[2]).mean() == pytest.approx(1 / 3, abs=0.06)
    assert np.bincount(told[0]) == pytest.approx(2_000 / 3, rel=0.15)


@pytest.mark.parametrize("seats", [[0, 1, 2, 0], [-1, 0, 0, 0]])
def test_seats_out_of_range(seats):
    batch = table()
    with pytest.raises(ValueError, match="seats run from 0 to 1, got"):
        batch.observe(np.array(seats))
    with pytest.raises(ValueError, match="seats run from 0 to 1, got"):
        batch.resample_hidden(np.array(seats), np.arange(4))


def test_seats_of_wrong_shape():
    with pytest.raises(ValueError, match=r"seats must be integers of shape \(4,\)"):
        table().observe(np.zeros(3, np.int64))


def test_observe_returns_a_new_array():
    batch = table()
    seen = batch.observe(batch.current_player)
    assert seen is not batch.observation
    assert (seen == batch.observation).all()


def test_states_come_back():
    batch = table()
    start = batch.get_states()
    before = snapshot(batch)
    batch.step(np.zeros(4, np.int64))
    batch.step(np.zeros(4, np.int64))
    assert snapshot(batch) != before
    batch.set_states(start)
    assert snapshot(batch) == before


def test_states_of_another_kind():
    batch = table()
    before = snapshot(batch)
    for other in (table(num_envs=5), table(game=three_cups.GAME)):
        with pytest.raises(ValueError, match="these are no states of 4 games of Kuhn poker"):
            batch.set_states(other.get_states())
    assert snapshot(batch) == before


def test_states_of_another_seat_count():
    other = make_batch("ohanami", 2, 3)
    other.reset(seed=0)
    with pytest.raises(ValueError, match="of Ohanami for 4 players"):
        make_batch("ohanami", 2, 4).set_states(other.get_states())


def test_score_of_running_games():
    batch = table(game=three_cups.GAME)
    batch.step(batch.states["number"][:, 0, 0].astype(np.int64))
    batch.score()
    assert batch.final_scores[:, :, 0].tolist() == [[3, 0, 0]] * 4
    assert batch.final_ranks.tolist() == [[0, 1, 1]] * 4
