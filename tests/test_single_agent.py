"""One seat learns: the games beneath, the Gymnasium environment, and the vector of them."""

import copy
import hashlib
import pickle
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AutoresetMode

from hanazono.envs import (
    GAMES,
    get_game,
    gymnasium_id,
    make_single_agent,
    make_single_agent_vector,
)
from hanazono.envs.core import opponents as opponents_module
from hanazono.envs.core.aec import GameEnv
from hanazono.envs.core.bots import random_bot
from hanazono.envs.core.one_seat import LEARNER, OneSeatBatch
from hanazono.envs.core.rng import mix
from hanazono.envs.core.single_agent import SingleAgentEnv, SingleAgentVectorEnv
from toys import kuhn, three_cups
from toys.ledger import deliver

TABLES = [
    (name, seats)
    for name in GAMES
    for seats in range(get_game(name).min_players, get_game(name).max_players + 1)
]
# Games so short that some seats have nothing to decide.
SHORT = [("hanawase", 7, {"rounds": 1}), ("sakura", 2, {"rounds": 1})]
WITH_SHORT = [(name, seats, {}) for name, seats in TABLES] + SHORT


def first_legal(observation, mask, noise):
    return mask.argmax(axis=1)


def by_noise(observation, mask, noise):
    """What the random bot does, told in Python."""
    return np.array([random_bot(None, m, n) for m, n in zip(mask, noise, strict=True)])


def some_bots(game, seats):
    """A bot for each other seat, not all the same."""
    names = list(game.bots)
    return [names[(place + 1) % len(names)] for place in range(seats - 1)]


def legal(mask, rng):
    """A random legal action for each row."""
    assert mask.any(axis=-1).all(), "asked for an action where none is legal"
    return (rng.random(mask.shape) * mask).argmax(axis=-1)


def dealt(game=three_cups.GAME, seed=0, **settings):
    env = SingleAgentEnv(game, game.min_players, **settings)
    env.reset(seed=seed)
    return env


def vector(num_envs=4, game=three_cups.GAME, seed=0, **settings):
    env = SingleAgentVectorEnv(game, num_envs, game.min_players, **settings)
    env.reset(seed=seed)
    return env


def state(env):
    """Everything a learner can get at, and the games themselves."""
    games = env.games
    arrays = (games.batch.states, games.batch.observation, games.batch.action_mask, games.seat)
    return [array.tobytes() for array in (*arrays, games.holder, games.over, games.idle)]


# Finding it


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_an_id_in_gymnasium(name):
    spec = gymnasium.spec(gymnasium_id(name))
    assert spec.namespace == "hanazono"
    assert spec.name.lower() == name.replace("_", "")
    env = gymnasium.make(spec.id)
    assert env.unwrapped.games.batch.game is get_game(name)
    assert gymnasium.make_vec(spec.id, 3).num_envs == 3


def test_ids_are_in_camel_case():
    assert gymnasium_id("ohanami") == "hanazono/Ohanami-v0"
    assert gymnasium_id("hanami_tatami") == "hanazono/HanamiTatami-v0"


def test_gymnasium_finds_it_without_an_import_of_ours():
    """And the first deal of a seed is the same in another process."""
    code = """
import gymnasium
env = gymnasium.make("hanazono.envs:hanazono/Ohanami-v0", opponents="value_gap", num_players=3)
print(hashlib.sha256(env.reset(seed=5)[0].tobytes()).hexdigest())
"""
    told = subprocess.run(
        [sys.executable, "-c", "import hashlib" + code], capture_output=True, text=True, check=True
    )
    env = make_single_agent("ohanami", 3, opponents="value_gap")
    assert told.stdout.strip() == hashlib.sha256(env.reset(seed=5)[0].tobytes()).hexdigest()


@pytest.mark.parametrize("settings", [{}, {"mask_in_observation": True}], ids=["flat", "dict"])
@pytest.mark.parametrize("name", GAMES)
def test_gymnasium_checker(name, settings):
    """The checker ignores masks, so illegal actions have to be allowed; it may warn of nothing."""
    env = gymnasium.make(gymnasium_id(name), illegal="forfeit", **settings)
    check_env(env.unwrapped)


# The same game as through PettingZoo


@pytest.mark.parametrize(("name", "seats", "options"), WITH_SHORT)
def test_the_learner_gets_what_its_seat_gets_in_the_aec_environment(name, seats, options):
    """Observations, masks, rewards and results, to the last position of each game."""
    game, rng = get_game(name), np.random.default_rng(seats)
    env = SingleAgentEnv(game, seats, opponents=first_legal, reward="score", **options)
    aec = GameEnv(game, seats, reward="score", **options)
    for seed in range(10):
        aec.reset(seed=seed)
        observation, info = env.reset(seed=seed)
        agent = f"player_{info['seat']}"
        decisions, over = 0, False
        let_others_play(aec, agent)
        while not over:
            seen = aec.observe(agent)
            assert (observation == seen["observation"]).all()
            if aec.terminations[agent]:
                assert decisions == 0
                assert np.flatnonzero(info["action_mask"]).tolist() == [0]
            else:
                assert (info["action_mask"] == seen["action_mask"]).all()
            action = int(legal(info["action_mask"], rng))
            if not aec.terminations[agent]:
                aec.step(action)
                let_others_play(aec, agent)
            observation, reward, over, truncated, info = env.step(action)
            decisions += 1
            assert (over, truncated) == (aec.terminations[agent], False)
            assert reward == aec.rewards[agent]
        assert (observation == aec.observe(agent)["observation"]).all()
        assert not info["action_mask"].any()
        results = ("score", "rank", "winner_share")
        assert [info[name] for name in results] == [aec.infos[agent][name] for name in results]


def let_others_play(aec, agent):
    """First legal actions until `agent` is to decide or the game is over."""
    while not aec.terminations[agent] and aec.agent_selection != agent:
        aec.step(int(aec.observe(aec.agent_selection)["action_mask"].argmax()))


# Rewards


@pytest.mark.parametrize(("name", "seats", "options"), WITH_SHORT)
def test_the_vector_delivers_what_the_engine_pays(name, seats, options):
    rng = np.random.default_rng(0)
    env = make_single_agent_vector(name, 250, seats, **options)
    won, lost = deliver(env, env.games, lambda mask: env.step(legal(mask, rng))[1:3], 4)
    assert (won > 10).all(), "some seat never won"
    assert (lost > 10).all(), "some seat never lost"


@pytest.mark.parametrize(("name", "seats", "options"), WITH_SHORT)
def test_the_single_environment_delivers_what_the_engine_pays(name, seats, options):
    rng = np.random.default_rng(0)
    env = make_single_agent(name, seats, **options)

    def step(mask):
        _, reward, over, _, _ = env.step(legal(mask[0], rng))
        if over:
            games.append(env.games.batch.states["seed"][0])
            env.reset()
        return np.array([reward]), np.array([over])

    games = []
    won, lost = deliver(env, env.games, step, 8 * seats)
    assert len(set(games)) == 8 * seats
    assert won.sum() > 0
    assert lost.sum() > 0


@pytest.mark.parametrize(("name", "seats", "options"), SHORT)
def test_a_seat_with_nothing_to_decide_still_gets_its_result(name, seats, options):
    env = make_single_agent(name, seats, **options)
    paid = []
    for seed in range(1000):
        observation, info = env.reset(seed=seed)
        if not env.games.idle[0]:
            continue
        assert info["action_mask"].tolist() == [1] + [0] * (env.action_space.n - 1)
        assert observation in env.observation_space
        seen = observation.copy()
        observation, reward, over, _, info = env.step(0)
        assert over
        assert (observation == seen).all()
        assert not info["action_mask"].any()
        assert reward == env.games.batch.states["rewards"][0, info["seat"]]
        assert reward == pytest.approx((seats * info["winner_share"] - 1) / (seats - 1))
        paid.append(reward)
    assert min(paid) < 0
    assert len(set(paid)) > 1 or name == "sakura"


# The vector and the single environment


@pytest.mark.parametrize("mask_in_observation", [False, True])
@pytest.mark.parametrize(("name", "seats", "options"), WITH_SHORT)
def test_the_vector_does_what_single_environments_do(name, seats, options, mask_in_observation):
    """Step by step and byte by byte, infos and final observations included."""
    settings = {
        "num_players": seats,
        "opponents": some_bots(get_game(name), seats),
        "mask_in_observation": mask_in_observation,
        **options,
    }
    spec, rng = gymnasium_id(name), np.random.default_rng(1)
    ours = gymnasium.make_vec(spec, 5, vectorization_mode="vector_entry_point", **settings)
    kwargs = {"autoreset_mode": AutoresetMode.SAME_STEP}
    theirs = gymnasium.make_vec(
        spec, 5, vectorization_mode="sync", vector_kwargs=kwargs, **settings
    )
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert ours.metadata["autoreset_mode"] == theirs.metadata["autoreset_mode"]
    mine, other, ends = ours.reset(seed=11), theirs.reset(seed=11), 0
    assert same(mine, other)
    while ends < 12:
        actions = legal(mine[-1]["action_mask"], rng)
        mine, other = ours.step(actions), theirs.step(actions)
        assert same(mine, other)
        ends += mine[2].sum()
    assert same(ours.reset(seed=[9, 8, 7, 6, 5]), theirs.reset(seed=[9, 8, 7, 6, 5]))
    assert same(ours.reset(), theirs.reset())


def same(mine, other):
    return len(mine) == len(other) and all(
        data_equivalence(a, b, exact=True) for a, b in zip(mine, other, strict=True)
    )


def test_make_vec_takes_the_vector_by_itself():
    env = gymnasium.make_vec("hanazono/Ohanami-v0", num_envs=2)
    assert isinstance(env, SingleAgentVectorEnv)
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP


def test_what_the_vector_returns_is_never_overwritten():
    env = vector()
    kept = [env.reset(seed=1)]
    before = [pickle.dumps(kept[0])]
    for _ in range(8):
        kept.append(env.step(np.zeros(4, int)))
        before.append(pickle.dumps(kept[-1]))
    assert [pickle.dumps(one) for one in kept] == before


# Masks


def test_the_mask_is_the_same_wherever_it_is_told():
    env, rng = dealt(get_game("ohanami"), mask_in_observation=True), np.random.default_rng(0)
    observation, info = env.reset(seed=1)
    over = False
    while not over:
        told = (observation["action_mask"], info["action_mask"], env.action_masks())
        assert all(mask.dtype == np.int8 for mask in told)
        assert (told[0] == told[1]).all()
        assert (told[1] == told[2]).all()
        assert info["action_mask"][env.action_space.sample(info["action_mask"])] == 1
        observation, _, over, _, info = env.step(legal(info["action_mask"], rng))
    assert not observation["action_mask"].any()
    assert not info["action_mask"].any()


# Seeds and seats


def test_same_seeds_same_games_and_others_differ():
    first, second, third = (vector(8, seed=s) for s in (3, 3, 4))
    assert state(first) == state(second)
    assert (first.games.batch.states["seed"] != third.games.batch.states["seed"]).all()
    for _ in range(7):
        first.step(np.zeros(8, int))
        second.step(np.zeros(8, int))
        assert state(first) == state(second)


def test_a_deal_without_a_seed_follows_from_the_one_before():
    env = dealt(seed=7)
    for _ in range(3):
        seed = env.games.batch.states["seed"][0]
        env.reset()
        assert env.games.batch.states["seed"][0] == mix(seed)


def test_unseeded_environments_differ():
    deals = [vector(2, seed=None).games.batch.states["seed"] for _ in range(2)]
    assert len(set(np.concatenate(deals).tolist())) == 4


def test_the_seat_goes_round_the_table():
    env = dealt(seed=4)
    seats = [int(env.games.seat[0])]
    for _ in range(6):
        env.reset()
        seats.append(int(env.games.seat[0]))
    assert seats == [1, 2, 0, 1, 2, 0, 1]
    assert vector(6, seed=3).games.seat.tolist() == [0, 1, 2, 0, 1, 2]


@pytest.mark.parametrize("seat", range(3))
def test_a_fixed_seat_stays(seat):
    env = dealt(seat=seat)
    for _ in range(4):
        _, info = env.reset()
        assert info["seat"] == seat
        assert env.games.holder[0].tolist() == [LEARNER if p == seat else 0 for p in range(3)]


@pytest.mark.parametrize("seat", [-1, 3, 1.0, True, None, "rotating"])
def test_a_seat_that_does_not_exist(seat):
    with pytest.raises(ValueError, match=r'seat must be "rotate" or 0 to 2, got'):
        SingleAgentEnv(three_cups.GAME, 3, seat=seat)


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "1", True])
def test_a_seed_out_of_range_changes_nothing(seed):
    env = dealt()
    before = state(env)
    with pytest.raises(ValueError, match="a seed is an integer from 0"):
        env.reset(seed=seed)
    assert state(env) == before


def test_seeds_of_a_vector_are_checked():
    env = vector()
    last = np.uint64(2**64 - 1)
    for seed, told in (
        ([1, 2], "4 games need as many seeds, got 2"),
        (-1, "got -1"),
        (last, "a seed is an integer from 0"),
    ):
        with pytest.raises(ValueError, match=told):
            env.reset(seed=seed)
    with pytest.raises(ValueError, match="no reset_mask"):
        env.reset(options={"reset_mask": np.ones(4, bool)})


# Opponents


def test_a_function_gets_the_chance_that_a_bot_gets():
    """The random bot, told as a function, plays the same games."""
    named, told = (vector(8, opponents=opponent) for opponent in ("random", by_noise))
    for _ in range(9):
        mine, other = named.step(np.ones(8, int)), told.step(np.ones(8, int))
        assert same(mine, other)
    assert named.games.batch.states["seed"].tolist() == told.games.batch.states["seed"].tolist()


def test_opponents_sit_in_the_order_of_their_turn():
    heard = []

    def first(observation, mask, noise):
        heard.append("first")
        return first_legal(observation, mask, noise)

    def second(observation, mask, noise):
        heard.append("second")
        return first_legal(observation, mask, noise)

    env = SingleAgentEnv(three_cups.GAME, 3, opponents=[first, second], seat=1)
    env.reset(seed=0)
    assert heard == ["second"]
    env.step(0)
    assert heard == ["second", "first", "second"]


def test_only_games_whose_turn_it_is_are_asked():
    def careful(observation, mask, noise):
        assert mask.any(axis=1).all()
        assert len(observation) == len(mask) == len(noise) <= 6
        asked.append(len(mask))
        mask[:] = 0  # its own copy
        return np.zeros(len(mask), int)

    asked = []
    env = vector(6, opponents=careful)
    assert asked == [4, 2]  # seats 1 and 2 of three wait for seat 0; then seat 2 for seat 1
    env.step(np.zeros(6, int))


@pytest.mark.parametrize(
    ("opponents", "told"),
    [
        (["random"] * 3, "3 seats need one opponent for all or 2, got 3"),
        ([], "3 seats need one opponent for all or 2, got 0"),
        ("genius", r"Three cups has no bot 'genius' \(random, own_cup\)"),
        (["random", 3], "an opponent is a bot's name, .* or a function, got 3"),
        (None, "an opponent is a bot's name, .* or a function, got None"),
        (Path("genius"), r"Three cups has no bot 'genius' \(random, own_cup\)"),
    ],
)
def test_wrong_opponents(opponents, told):
    with pytest.raises(ValueError, match=told):
        SingleAgentEnv(three_cups.GAME, 3, opponents=opponents)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ([3], r"chose illegal \[3\] in the deals \[\d+\]"),
        ([-1], "chose illegal"),
        ([99], "chose illegal"),
        ([0.0], r"must choose integers of shape \(1,\), got float64 \(1,\)"),
        ([0, 0], r"got int64 \(2,\)"),
        (None, "got object"),
    ],
)
def test_an_opponent_that_answers_nonsense(answer, told):
    env = SingleAgentEnv(three_cups.GAME, 3, opponents=lambda *seen: answer, seat=1)
    with pytest.raises(ValueError, match=told):
        env.reset(seed=0)


def test_new_opponents_join_when_a_game_is_dealt():
    env, names = vector(3, seed=0, opponents="random"), []

    def late(observation, mask, noise):
        names.append(len(mask))
        return first_legal(observation, mask, noise)

    before = env.games.holder.copy()
    env.games.set_opponents(late)
    over = np.zeros(3, bool)
    while not over.any():
        assert (env.games.holder == before).all()
        assert names == []
        over = env.step(np.zeros(3, int))[2]
    assert (env.games.holder[over] != before[over]).any(axis=1).all()
    assert (env.games.holder[~over] == before[~over]).all()
    env.reset()
    env.step(np.zeros(3, int))
    assert names
    assert len(env.games._players) == 2
    env.games.set_opponents(late)
    assert list(env.games._players.values()) == [late]


def test_names_that_are_no_bots_go_to_installed_loaders(monkeypatch):
    def offer(*texts):
        entries = [EntryPoint("player", text, "hanazono.players") for text in texts]
        monkeypatch.setattr(opponents_module, "entry_points", lambda group: entries)

    offer("test_loader_of_names:load")
    monkeypatch.setitem(sys.modules, "test_loader_of_names", Loader)
    env = dealt(opponents="file:three", seat=2)
    assert Loader.asked == ("file:three", three_cups.GAME, 3, {})
    assert (env.games.batch.states["pick"][0, 0, :2] == 0).all()
    with pytest.raises(ValueError, match=r"has no bot 'nobody' .*; nobody is no file"):
        dealt(opponents="nobody")
    offer("no_such_module:load")
    with pytest.raises(ValueError, match=r'a player needs no_such_module: pip install "hanaz'):
        dealt(opponents="nobody")
    offer()
    with pytest.raises(ValueError, match="nothing installed loads others"):
        dealt(opponents="nobody")


class Loader:
    """Stands for another package that offers players."""

    asked = None

    @classmethod
    def load(cls, *asked):
        if not asked[0].startswith("file:"):
            raise ValueError(f"{asked[0]} is no file")
        cls.asked = asked
        return first_legal


# Illegal actions and wrong calls


@pytest.mark.parametrize("action", [3, -1, -2, 99, np.int64(4)])
def test_an_illegal_action_raises_and_changes_nothing(action):
    env = dealt()
    before = state(env)
    with pytest.raises(ValueError, match=r"player_0 cannot play action .* legal: 0 \(pick cup 0\)"):
        env.step(action)
    assert state(env) == before
    several = vector(3)
    before = state(several)
    with pytest.raises(ValueError, match="game 1: player_1 cannot play"):
        several.step(np.array([0, action, 0]))
    assert state(several) == before


@pytest.mark.parametrize("action", [0.0, "0", None, [0, 1]])
def test_an_action_that_is_no_number(action):
    env = dealt()
    before = state(env)
    with pytest.raises(ValueError, match=r"integers of shape|an action is one number"):
        env.step(action)
    assert state(env) == before


@pytest.mark.parametrize("action", [3, -1, -2, 99])
def test_an_illegal_action_can_forfeit(action):
    env = dealt(illegal="forfeit")
    _, reward, over, _, info = env.step(action)
    assert (reward, over, info["rank"], info["winner_share"]) == (-1, True, 2, 0)


def test_games_are_dealt_in_any_order():
    env = vector(4)
    env.games.deal(np.array([3, 1, 0, 2]), np.array([8, 7, 6, 5], np.uint64))
    assert env.games.batch.states["seed"].tolist() == [6, 7, 5, 8]
    assert env.games.seat.tolist() == [0, 1, 2, 2]
    with pytest.raises(ValueError, match="rows run from 0 to 3"):
        env.games.batch.deal(np.array([4]), np.array([1], np.uint64))
    with pytest.raises(ValueError, match=r"seeds must be integers of shape \(2,\)"):
        env.games.batch.deal(np.array([0, 1]), np.array([1], np.uint64))
    with pytest.raises(RuntimeError, match="before the first deal"):
        OneSeatBatch(three_cups.GAME, 2, 3).deal(np.arange(2))


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_opponent_that_fails_in_the_middle(error):
    """The learner neither sees what the opponent saw nor can it move in its place."""

    def fail_later(observation, mask, noise):
        asked.append(len(mask))
        if len(asked) == 2:
            raise error("no more")
        return first_legal(observation, mask, noise)

    asked = []
    env = dealt(opponents=fail_later, seat=0)
    with pytest.raises(error, match="no more"):
        env.step(0)
    for one in (env, env, copy.deepcopy(env)):
        assert not one.action_masks().any()
        assert not one.games.batch.observation.any()
        with pytest.raises(RuntimeError, match=r"an opponent failed .* call reset\(\)"):
            one.step(0)
    _, info = env.reset()
    assert info["action_mask"].any()
    env.step(0)


def test_steps_outside_a_game():
    env = SingleAgentEnv(kuhn.GAME, 2)
    with pytest.raises(RuntimeError, match=r"call reset\(\)"):
        env.step(0)
    env.reset(seed=0)
    over = False
    while not over:
        over = env.step(0)[2]
    before = state(env)
    with pytest.raises(RuntimeError, match="the game is over"):
        env.step(0)
    assert state(env) == before
    env.reset()
    env.step(0)


@pytest.mark.parametrize(
    "make", [SingleAgentEnv, lambda *a, **k: SingleAgentVectorEnv(a[0], 2, a[1], **k)]
)
@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"reward": "win"}, r"reward must be one of \['outcome', 'score'\]"),
        ({"illegal": "allow"}, "illegal must be one of"),
        ({"render_mode": "human"}, r"render_mode must be one of \['ansi'\]"),
        ({"cards": 9}, "option 'cards' of Kuhn poker takes one of"),
        ({"opponent": "random"}, "no option 'opponent'; its options: cards; .*: .*opponents, seat"),
    ],
)
def test_wrong_settings(make, settings, told):
    with pytest.raises(ValueError, match=told):
        make(kuhn.GAME, 2, **settings)


# Values and words


@pytest.mark.parametrize("way", [copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))])
@pytest.mark.parametrize("steps", range(3))
def test_a_copy_goes_on_alone(way, steps):
    """In the middle of a game and at its end; seats, opponents and seeds go with it."""
    env = dealt(seed=2, opponents=["own_cup", first_legal], reward="score")
    for _ in range(steps):
        env.step(0)
    twin = way(env)
    assert state(twin) == state(env)
    before = state(env)
    played = list(continued(twin, 2 - steps))
    assert state(env) == before
    assert same(played, list(continued(env, 2 - steps)))


def continued(env, steps):
    for _ in range(steps):
        yield env.step(0)
    for _ in range(3):
        yield env.reset()
        yield env.step(1)
        yield env.step(2)


def test_a_copy_of_an_idle_game_is_idle():
    env = make_single_agent("hanawase", 7, rounds=1)
    seed = 0
    while not env.games.idle[0]:
        env.reset(seed=seed)
        seed += 1
    twin = copy.deepcopy(env)
    assert state(twin) == state(env)
    assert same(twin.step(0), env.step(0))


def test_a_copy_before_the_first_deal():
    twin = copy.deepcopy(SingleAgentEnv(kuhn.GAME, 2, seat=1))
    with pytest.raises(RuntimeError, match=r"call reset\(\)"):
        twin.step(0)
    assert same(twin.reset(seed=3), dealt(kuhn.GAME, seed=3, seat=1).reset(seed=3))


def test_a_vector_is_copied_too():
    env = vector()
    env.step(np.zeros(4, int))
    twin = pickle.loads(pickle.dumps(env))
    for _ in range(5):
        assert same(env.step(np.ones(4, int)), twin.step(np.ones(4, int)))


def test_render_tells_what_the_learner_knows():
    env = dealt(seat=1, render_mode="ansi", seed=5)
    cup = int(env.games.batch.states["number"][0, 0, 1])
    assert f"cups: [[None, {cup}, None]" in env.render()
    assert dealt().render() is None
    assert vector(2, seat=1, render_mode="ansi", seed=5).render()[0] == env.render()
    assert vector(2).render() is None
