"""GameEnv: PettingZoo conventions, the order of a game's end, illegal actions, values."""

import copy
import pickle

import numpy as np
import pettingzoo
import pytest

from hanazono.envs import make, ohanami_v0
from hanazono.envs.core.aec import GameEnv
from hanazono.envs.core.batch import BatchEnv
from hanazono.envs.core.rng import mix
from toys import kuhn, three_cups


def dealt(game=kuhn.GAME, seed=0, **settings):
    env = GameEnv(game, game.min_players, **settings)
    env.reset(seed=seed)
    return env


def play(env, actions):
    for action in actions:
        env.step(action)
    return env


def own_cup(env):
    """The cup that pays the seat to decide."""
    s = env.get_state().state[0]
    return int(s["number"][s["round_index"], s["current_player"]])


def finished(**settings):
    """A game of three cups in which every seat picked cup 0 twice."""
    return play(dealt(three_cups.GAME, **settings), [0] * 6)


# Making one


@pytest.mark.parametrize("seats", [1, 5, True, "2"])
def test_seat_counts_out_of_range(seats):
    with pytest.raises(ValueError, match="Ohanami is played by 2 to 4 players, got num_players="):
        ohanami_v0.env(num_players=seats)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"reward": "win"}, r"reward must be one of \['outcome', 'score'\], got 'win'"),
        ({"illegal": None}, r"illegal must be one of \['raise', 'forfeit'\], got None"),
        ({"render_mode": "human"}, r"render_mode must be one of \['ansi'.*\], got 'human'"),
        ({"cards": 2}, r"'cards' of Kuhn poker takes one of \[3, 4, 5\], got 2"),
        ({"jokers": 1}, "Kuhn poker has no option 'jokers'; its options: cards"),
    ],
)
def test_unknown_settings(settings, said):
    with pytest.raises(ValueError, match=said):
        GameEnv(kuhn.GAME, 2, **settings)


def test_ways_to_make_one_agree():
    made = [ohanami_v0.env(num_players=3), ohanami_v0.raw_env(num_players=3), make("ohanami", 3)]
    made.append(pettingzoo.make("aec", "hanazono/ohanami-v0", num_players=3))
    for env in made:
        env.reset(seed=4)
        assert env.to_dict() == made[0].to_dict()
        assert env.metadata["name"] == "ohanami_v0"
        assert env.num_agents == 3


def test_options_reach_the_rules():
    env = dealt(cards=5)
    assert env.options == {"cards": 5}
    assert env.to_dict()["options"] == {"cards": 5}
    assert env.get_state().state["cards"].tolist() == [5]


@pytest.mark.parametrize("seed", [-1, 2**64, 1.0, True, "7"])
def test_seed_out_of_range(seed):
    env = dealt(seed=3)
    before = env.get_state().state.tobytes()
    with pytest.raises(ValueError, match="a seed is an integer from 0"):
        env.reset(seed=seed)
    assert env.get_state().state.tobytes() == before


def test_seeds_fix_the_deals():
    first, second = dealt(seed=11), dealt(seed=11)
    for _ in range(5):
        assert first.to_dict() == second.to_dict()
        seed = first.record().seed
        first.reset()
        second.reset()
        assert first.record().seed == int(mix(np.uint64(seed)))


def test_unseeded_games_differ():
    first, second = GameEnv(kuhn.GAME, 2), GameEnv(kuhn.GAME, 2)
    first.reset()
    second.reset()
    assert first.record().seed != second.record().seed


# Before the first deal and after the last step


@pytest.mark.parametrize("method", ["record", "get_state"])
def test_nothing_to_tell_before_reset(method):
    with pytest.raises(RuntimeError, match=r"the game has not started; call reset\(\) to deal"):
        getattr(GameEnv(kuhn.GAME, 2), method)()


def test_step_before_reset():
    env = GameEnv(kuhn.GAME, 2)
    with pytest.raises(RuntimeError, match=r"the game has not started; call reset\(\) to deal"):
        env.step(0)
    assert env.agents == []


def test_step_after_all_have_left():
    env = play(finished(), [None] * 3)
    with pytest.raises(RuntimeError, match=r"the game is finished; call reset\(\) to deal"):
        env.step(None)
    env.reset(seed=1)
    env.step(0)


@pytest.mark.parametrize("action", [0, -1, 2.5])
@pytest.mark.parametrize("illegal", ["raise", "forfeit"])
def test_step_in_a_finished_game(action, illegal):
    env = finished(illegal=illegal)
    with pytest.raises(ValueError, match=r"player_0 can only step\(None\), got"):
        env.step(action)
    assert env.agents == env.possible_agents


# The end of a game


def test_order_of_the_end():
    """All seats are still there when the game ends; each leaves by its own step(None)."""
    env = dealt(three_cups.GAME, reward="score")
    for _ in range(6):
        assert env.agents == env.possible_agents
        assert not any(env.terminations.values())
        assert not any(env.rewards.values())
        env.step(own_cup(env))
    assert env.agents == env.possible_agents == ["player_0", "player_1", "player_2"]
    assert all(env.terminations.values())
    assert not any(env.truncations.values())
    paid, infos = dict(env.rewards), dict(env.infos)
    assert paid == {"player_0": 1, "player_1": 0, "player_2": -1}
    for left, agent in enumerate(env.possible_agents):
        assert env.agent_selection == agent
        observation, reward, terminated, truncated, info = env.last()
        assert (reward, terminated, truncated) == (paid[agent], True, False)
        assert info is infos[agent]
        assert set(info) == {"action_mask", "score", "rank", "winner_share"}
        assert not observation["action_mask"].any()
        assert not info["action_mask"].any()
        env.step(None)
        rest = env.possible_agents[left + 1 :]
        assert env.agents == rest
        for table in (env.rewards, env.terminations, env.truncations, env.infos):
            assert list(table) == rest
    assert env.agents == []


def test_agent_iter_delivers_every_reward_once():
    """Over many games, what agents collect by last() is what the games pay."""
    env, rng = GameEnv(three_cups.GAME, 3, reward="score"), np.random.default_rng(0)
    delivered, paid = np.zeros(3), np.zeros(3)
    for seed in range(50):
        env.reset(seed=seed)
        for agent in env.agent_iter():
            observation, reward, terminated, _, _ = env.last()
            delivered[int(agent[-1])] += reward
            legal = np.flatnonzero(observation["action_mask"])
            env.step(None if terminated else int(rng.choice(legal)))
        batch = BatchEnv(three_cups.GAME, 1, 3, reward="score", auto_reset=False)
        batch.reset(seeds=np.array([seed], np.uint64))
        for action in env.record().actions:
            batch.step(np.array([action]))
        paid += batch.rewards[0]
    assert delivered == pytest.approx(paid)
    assert delivered.sum() == pytest.approx(0, abs=1e-5)
    assert delivered[0] > 10
    assert delivered[2] < -10


def test_infos_at_the_end():
    env = finished(reward="score")
    number = env.get_state().state["number"][0]
    scores = [int((number[:, p] == 0).sum()) * (3, 2, 1)[p] for p in range(3)]
    infos = [env.infos[agent] for agent in env.agents]
    assert [info["score"] for info in infos] == scores
    assert [info["rank"] for info in infos] == [sum(o > s for o in scores) for s in scores]
    best = [s == max(scores) for s in scores]
    assert [info["winner_share"] for info in infos] == [b / sum(best) for b in best]
    mean = sum(scores) / 3
    assert list(env.rewards.values()) == pytest.approx([(s - mean) / 2 for s in scores])


def test_winners_share_the_outcome():
    """If all picked wrong, all are tied: each has a third of the win, and the reward is 0."""
    env = dealt(three_cups.GAME)
    for _ in range(6):
        env.step((own_cup(env) + 1) % 3)
    assert [info["winner_share"] for info in env.infos.values()] == [1 / 3] * 3
    assert [info["rank"] for info in env.infos.values()] == [0, 0, 0]
    assert list(env.rewards.values()) == [0, 0, 0]


# Illegal actions


@pytest.mark.parametrize("action", [-1, 2, 10**30, np.int64(9)])
def test_illegal_number_raises_and_changes_nothing(action):
    env = play(dealt(), [0])
    before = env.get_state().state.tobytes()
    with pytest.raises(ValueError, match=rf"player_1 cannot play action {action} \(no action"):
        env.step(action)
    assert env.get_state().state.tobytes() == before
    assert env.record().actions == (0,)
    env.step(1)
    assert env.record().actions == (0, 1)


@pytest.mark.parametrize("action", [None, 0.0, "0", True, [0], np.float32(1), np.array([1])])
def test_no_number_raises_and_changes_nothing(action):
    env = play(dealt(), [0])
    before = env.get_state().state.tobytes()
    with pytest.raises(ValueError, match="player_1 must play an action number, got"):
        env.step(action)
    assert env.get_state().state.tobytes() == before


def test_message_names_seat_action_and_what_is_legal():
    env = dealt(three_cups.GAME, seed=8)
    with pytest.raises(ValueError, match="cannot play") as error:
        env.step(3)
    assert str(error.value) == (
        "player_0 cannot play action 3 (no action (3)) in Three cups, deal seed 8; "
        "legal: 0 (pick cup 0), 1 (pick cup 1), 2 (pick cup 2)"
    )


@pytest.mark.parametrize("action", [-1, 2, 10**30, None, 0.0, "0", True])
def test_illegal_action_forfeits(action):
    """Both actions of this game are always legal; the illegal one is not mistaken for them."""
    env = play(dealt(illegal="forfeit"), [1])
    env.step(action)
    assert all(env.terminations.values())
    assert env.rewards == {"player_0": 1.0, "player_1": -1.0}
    assert env.infos["player_1"]["rank"] == 1
    assert env.infos["player_0"]["winner_share"] == 1
    record = env.record()
    assert record.actions == (1,)
    assert record.forfeited


def test_legal_action_does_not_forfeit():
    env = play(dealt(illegal="forfeit"), [np.int8(1), 0])
    assert all(env.terminations.values())
    assert not env.record().forfeited


# What is observed


def test_spaces_are_the_same_objects():
    env = dealt()
    for agent in env.possible_agents:
        assert env.observation_space(agent) is env.observation_space(agent)
        assert env.action_space(agent) is env.action_space(agent)
        assert env.action_space(agent).n == 2


def test_observations_are_new_arrays():
    env = dealt()
    seen = env.observe("player_0")
    kept = {name: array.copy() for name, array in seen.items()}
    env.step(0)
    assert all((seen[name] == kept[name]).all() for name in kept)
    seen["observation"][:] = 9
    seen["action_mask"][:] = 9
    assert env.observe("player_1")["action_mask"].max() == 1


def test_mask_samples_legal_actions():
    env = dealt(three_cups.GAME)
    space, mask = env.action_space("player_0"), env.observe("player_0")["action_mask"]
    assert mask.dtype == np.int8
    assert {int(space.sample(mask)) for _ in range(50)} == {0, 1, 2}


def test_seats_that_wait_have_no_actions():
    env = dealt(three_cups.GAME)
    assert env.observe("player_0")["action_mask"].all()
    assert not env.observe("player_1")["action_mask"].any()
    env.step(0)
    assert not env.observe("player_0")["action_mask"].any()
    assert not env.infos["player_0"]["action_mask"].any()
    assert env.infos["player_1"]["action_mask"].all()


def test_unknown_agent():
    with pytest.raises(KeyError):
        dealt().observe("player_2")


def test_render():
    assert dealt().render() is None
    env = dealt(render_mode="ansi")
    assert env.render() == kuhn.text(env.get_state().state.view(np.recarray)[0], 0)


def test_views():
    env = dealt(seed=2)
    cards = env.to_dict()["cards"]
    assert env.view("player_1")["card"] == cards[1]
    assert "cards" not in env.view("player_1")
    assert env.view("player_0") | {"card": 0} == env.view("player_1") | {"card": 0}
    assert env.action_words(1) == "bet"


# Values


def by_state(env):
    twin = GameEnv(env.game, env.num_players, **env.options)
    twin.set_state(env.get_state())
    return twin


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, by_state])
@pytest.mark.parametrize("steps", range(9))
def test_copy_goes_on_alone(way, steps):
    """Also while the seats leave: 6 decisions, then 3 closing steps."""
    actions = [0, 1, 2, 0, 1, 2, None, None, None]
    env = play(dealt(three_cups.GAME), actions[:steps])
    twin = way(env)
    before = env.get_state()
    play(twin, actions[steps:])
    assert env.get_state().state.tobytes() == before.state.tobytes()
    assert env.agents == list(before.agents)
    collected = []
    for one in (env, way(env)):
        left = {}
        for action in actions[steps:]:
            agent, reward = one.agent_selection, one.last()[1]
            left[agent] = (reward, dict(one.rewards))
            one.step(action)
        collected.append(left)
        assert one.agents == []
        assert one.record() == twin.record()
    assert collected[0] == collected[1]


def test_pickle_keeps_settings():
    env = play(dealt(cards=4, reward="score", illegal="forfeit", render_mode="ansi"), [1])
    twin = pickle.loads(pickle.dumps(env))
    assert (twin.reward, twin.illegal, twin.render_mode) == ("score", "forfeit", "ansi")
    assert twin.options == {"cards": 4}
    assert twin.game is env.game
    assert twin.render() == env.render()


@pytest.mark.parametrize("way", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copy_before_reset(way):
    twin = way(GameEnv(kuhn.GAME, 2))
    with pytest.raises(RuntimeError, match="has not started"):
        twin.step(0)
    twin.reset(seed=1)
    assert twin.to_dict() == dealt(seed=1).to_dict()


def test_unseeded_deals_of_a_copy_follow_the_same_chain():
    env = dealt(seed=5)
    twin = copy.deepcopy(env)
    env.reset()
    twin.reset()
    assert env.to_dict() == twin.to_dict()


@pytest.mark.parametrize(
    "other", [lambda: dealt(three_cups.GAME), lambda: dealt(cards=4)], ids=["game", "option"]
)
def test_state_of_another_game(other):
    env = dealt()
    before = env.get_state()
    with pytest.raises(ValueError, match="no state of Kuhn poker for 2 players with options"):
        env.set_state(other().get_state())
    assert env.get_state().state.tobytes() == before.state.tobytes()


def test_state_of_another_seat_count():
    three = make("ohanami", 3)
    three.reset(seed=0)
    with pytest.raises(ValueError, match="no state of Ohanami for 2 players"):
        make("ohanami", 2).set_state(three.get_state())
