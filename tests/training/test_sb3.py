"""Stable-Baselines3: the games as a VecEnv, policies that cannot do without masks, self-play,
learning, and checkpoints that are players like any other."""

import base64
import copy
import io
import json
import pickle
import zipfile
from dataclasses import fields
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.callbacks import CallbackList
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.vec_env import VecMonitor
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from hanazono.envs import GAMES, get_game, make_single_agent, make_single_agent_vector
from hanazono.envs.core import opponents as opponents_module
from hanazono.envs.core.batch import BatchEnv
from hanazono.models.checkpoint import CheckpointError, load_policy
from hanazono.models.policy import EmptyMaskError, masked_log_probs
from hanazono.scripts import evaluate as evaluate_script
from hanazono.scripts import train, train_sb3
from hanazono.training.companions import invite
from hanazono.training.evaluate import evaluate
from hanazono.training.players import BotPlayer, load_opponent, load_player
from hanazono.training.sb3 import (
    EvaluateCallback,
    FrozenCopy,
    ModelPlayer,
    RefreshCallback,
    SB3Config,
    build,
    network_of,
    save_model,
    seat_copies,
)
from hanazono.training.sb3_env import GamesVecEnv, make_vec_env
from hanazono.training.sb3_policies import (
    ILLEGAL_VALUE,
    MaskableDQN,
    NetworkPolicy,
    NetworkQPolicy,
    random_legal,
)
from toys import three_cups
from toys.ledger import deliver

TABLES = [
    (name, seats, {})
    for name in GAMES
    for seats in range(get_game(name).min_players, get_game(name).max_players + 1)
] + [("hanawase", 7, {"rounds": 1})]
SMALL = {"num_envs": 16, "horizon": 16, "batch_size": 64, "hidden": [8], "eval_deals": 4}


def cups(num_envs=16, **settings) -> GamesVecEnv:
    """Three cups, whose best play is known."""
    return GamesVecEnv(three_cups.GAME, num_envs, 3, **{"reward": "score", **settings})


def ppo(env, seed=0, **settings) -> MaskablePPO:
    """A small model on these games."""
    defaults = {"n_steps": 16, "batch_size": 128, "n_epochs": 2, "gamma": 1.0, "seed": seed}
    kwargs = {"policy_kwargs": {"card": env.unwrapped.card("pieces", [16])}, "device": "cpu"}
    return MaskablePPO(NetworkPolicy, env, **(defaults | kwargs | settings))


def dqn(env, seed=0, **settings) -> MaskableDQN:
    defaults = {"learning_starts": 64, "batch_size": 128, "gamma": 1.0, "buffer_size": 20_000}
    kwargs = {"policy_kwargs": {"card": env.unwrapped.card("pieces", [16])}, "device": "cpu"}
    rest = {"target_update_interval": 320, "seed": seed}
    return MaskableDQN(NetworkQPolicy, env, **(defaults | kwargs | rest | settings))


def weights(model) -> dict[str, torch.Tensor]:
    return {k: v.clone() for k, v in network_of(model).state_dict().items()}


def equal(first, second) -> bool:
    return all(torch.equal(first[name], second[name]) for name in first)


# --- the games ---


@pytest.mark.parametrize(("name", "seats", "options"), TABLES)
def test_it_delivers_what_the_engine_pays(name, seats, options):
    env = make_vec_env(name, 250, seats, **options)
    np.random.seed(0)  # noqa: NPY002 what random_legal draws from
    won, lost = deliver(env, env.games, lambda mask: env.step(random_legal(mask))[1:3], 4)
    assert (won > 10).all()
    assert (lost > 10).all()


@pytest.mark.parametrize("mask_in_observation", [False, True])
def test_it_plays_the_games_of_the_vector_environment(mask_in_observation):
    settings = {"opponents": "greedy", "mask_in_observation": mask_in_observation}
    mine = make_vec_env("sakura", 5, 3, **settings)
    theirs = make_single_agent_vector("sakura", 5, num_players=3, **settings)
    mine.seed(7)
    seen, (other, infos) = mine.reset(), theirs.reset(seed=7)
    np.testing.assert_equal(seen, other)
    ends = 0
    while ends < 10:
        masks = get_action_masks(mine)
        assert (masks == infos["action_mask"]).all()
        assert (masks == mine.action_masks()).all()
        actions = masks.argmax(axis=1)
        seen, rewards, dones, told = mine.step(actions)
        other, paid, over, _, infos = theirs.step(actions)
        np.testing.assert_equal(seen, other)
        assert (rewards == paid).all()
        assert (dones == over).all()
        for i in np.flatnonzero(dones):
            final = {k: v[i] for k, v in infos["final_info"].items() if k[0] != "_"}
            np.testing.assert_equal(told[i]["terminal_observation"], infos["final_obs"][i])
            assert not told[i]["terminal_mask"].any()
            assert not told[i]["TimeLimit.truncated"]
            assert all(told[i][k] == final[k] for k in ("score", "rank", "winner_share"))
        assert all(told[i] == {} for i in np.flatnonzero(~dones))
        ends += dones.sum()


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("mask_in_observation", [False, True])
def test_their_checker_has_nothing_to_say(name, mask_in_observation):
    """It ignores masks, so illegal actions have to be allowed; warnings are errors here."""
    env = make_single_agent(name, illegal="forfeit", mask_in_observation=mask_in_observation)
    check_env(env, skip_render_check=False)


def test_what_it_returns_is_never_overwritten():
    env = cups(4)
    kept = [env.reset(), *(env.step(np.zeros(4, int)) for _ in range(6))]
    before = pickle.dumps(kept)
    env.step(np.zeros(4, int))
    assert pickle.dumps(kept) == before


def test_what_it_cannot_do_for_single_games_it_says():
    env = cups(3)
    assert is_masking_supported(env)
    assert env.get_attr("num_envs", [0, 2]) == [3, 3]
    assert env.env_method("action_masks", indices=[1]).shape == (1, 3)
    assert env.env_is_wrapped(VecMonitor) == [False] * 3
    with pytest.raises(AttributeError, match="none has a method 'render'"):
        env.env_method("render")
    with pytest.raises(AttributeError, match="cannot set seat of single ones"):
        env.set_attr("seat", 1)
    assert not env.has_attr("no_such_attribute")


def test_a_seed_counts_for_one_reset():
    env = cups(3)
    env.seed(5)
    env.reset()
    assert env.games.batch.states["seed"].tolist() == [5, 6, 7]
    env.reset()
    assert env.games.batch.states["seed"].tolist() != [5, 6, 7]


# --- policies and masks ---


def test_a_policy_is_its_network_behind_the_mask():
    env = make_vec_env("ohanami", 8)
    model, seen = ppo(env), torch.from_numpy(env.reset())
    mask = env.action_masks()
    logits, value = network_of(model)(seen)
    expected = masked_log_probs(logits, torch.from_numpy(mask))
    action, values, log_prob = model.policy(seen, action_masks=mask)
    assert mask[np.arange(8), action].all()
    assert torch.equal(values[:, 0], value)
    assert torch.equal(log_prob, expected.gather(1, action[:, None])[:, 0])
    shown = model.policy.get_distribution(seen, mask).distribution.probs
    assert torch.allclose(shown, expected.exp(), atol=1e-6)
    best, _ = model.predict(seen.numpy(), deterministic=True, action_masks=mask)
    assert (best == expected.argmax(dim=1).numpy()).all()


def test_a_decision_without_a_mask_is_an_error():
    env = cups()
    model, seen = ppo(env), env.reset()
    with pytest.raises(ValueError, match=r"give action_masks=env.action_masks\(\)"):
        model.predict(seen)
    masks = env.action_masks()
    masks[2] = 0
    with pytest.raises(EmptyMaskError, match=r"no legal action in row\(s\) \[2\]"):
        model.predict(seen, action_masks=masks)


def test_the_usual_policies_of_sb3_work_too():
    env = cups()
    model = MaskablePPO("MlpPolicy", env, n_steps=8, batch_size=64, device="cpu")
    model.learn(128)
    result = evaluate(
        three_cups.GAME, [ModelPlayer("theirs", model), *[BotPlayer("random")] * 2], deals=4
    )
    assert result.games == 12
    with pytest.raises(TypeError, match="needs a model with NetworkPolicy"):
        network_of(model)


def test_their_evaluation_honours_masks():
    env = VecMonitor(cups(4, seat=0))
    told, lengths = evaluate_policy(ppo(env), env, n_eval_episodes=20, return_episode_rewards=True)
    assert lengths == [2] * 20
    assert len(set(told)) > 1


def q_seen(env, count=None):
    return {name: torch.from_numpy(part[:count]) for name, part in env.reset().items()}


def test_illegal_actions_are_worth_less_than_all_others():
    env = make_vec_env("ohanami", 8, mask_in_observation=True)
    model, seen = dqn(env), q_seen(env)
    values = model.policy.q_net(seen)
    legal = seen["action_mask"] != 0
    assert (values[~legal] == ILLEGAL_VALUE).all()
    assert torch.equal(values[legal], network_of(model)(seen["observation"])[0][legal])
    last = {"observation": seen["observation"], "action_mask": torch.zeros_like(legal)}
    assert torch.isfinite(0 * model.policy.q_net_target(last)).all()


def test_the_value_of_the_next_position_is_that_of_a_legal_action(monkeypatch):
    """The network loves one action; it may count only where that is legal in a running game."""
    env = make_vec_env("ohanami", 8, mask_in_observation=True)
    model, loved, counts = dqn(env, gamma=0.5, learning_rate=1e-9), 127, []
    sampled, sample = [], model.replay_buffer.sample
    monkeypatch.setattr(
        model.replay_buffer,
        "sample",
        lambda *a, **k: sampled.append(sample(*a, **k)) or sampled[-1],
    )
    with torch.no_grad():
        model.policy.q_net.network.logits.bias[loved] = 1e6

    def loss(value, target):
        data = sampled[-1]
        legal = data.next_observations["action_mask"][:, loved] * (1 - data.dones[:, 0]) > 0
        assert torch.equal(target[:, 0].abs() > 1e5, legal)
        assert (target.abs() < 1e7).all()
        counts.append((int(legal.sum()), int((~legal).sum())))
        return (value - target).square().mean()

    monkeypatch.setattr("stable_baselines3.dqn.dqn.F.smooth_l1_loss", loss)
    model.policy.q_net_target.load_state_dict(model.policy.q_net.state_dict())
    model.learn(8 * 40)
    assert np.sum(counts, axis=0).min() > 100


@pytest.mark.parametrize("phase", ["warm-up", "exploring", "greedy"])
def test_dqn_plays_only_legal_actions(phase):
    """The games raise at once if it does not."""
    env = make_vec_env("hanami_tatami", 8, mask_in_observation=True)
    model = dqn(env, learning_starts=10**6 if phase == "warm-up" else 8, gradient_steps=0)
    model.exploration_schedule = lambda left: 1.0 if phase == "exploring" else 0.0
    model.learn(8 * 100)
    if phase == "exploring":
        seen = {name: part[:1].repeat(64, 0) for name, part in env.reset().items()}
        actions, _ = model.predict(seen)
        assert set(actions) <= set(np.flatnonzero(seen["action_mask"][0]))
        assert len(set(actions)) > 1


def test_random_legal_actions_are_equally_likely():
    np.random.seed(1)  # noqa: NPY002
    counts = np.bincount(random_legal(np.array([[0, 1, 1, 0, 1]] * 3000)), minlength=5)
    assert counts[[0, 3]].tolist() == [0, 0]
    assert counts[[1, 2, 4]] == pytest.approx(1000, rel=0.15)


# --- self-play ---


def test_a_frozen_copy_shares_nothing_with_the_learner():
    env = cups()
    model = ppo(env)
    learner = FrozenCopy(model)
    before, copied = weights(model), copy.deepcopy(learner.policy.network.state_dict())
    model.learn(1024)
    assert not equal(before, weights(model))
    assert equal(copied, learner.policy.network.state_dict())
    assert equal(before, learner.policy.network.state_dict())


def test_the_copy_is_refreshed_for_new_games():
    env = cups()
    model = ppo(env, learning_rate=0.01)
    seat_copies(model, env, ["self", "own_cup"])
    first = env.opponents
    model.learn(1024, callback=RefreshCallback(512))
    learner, other = env.opponents
    assert learner is not first[0]
    assert other == "own_cup"
    assert not equal(weights(model), learner.policy.network.state_dict())
    assert len(env.games._players) <= 3, "copies that nobody plays against are kept"


def test_refreshing_alone_is_self_play_in_all_seats():
    env = cups(opponents="own_cup")
    ppo(env).learn(256, callback=RefreshCallback(10**6))
    assert [type(opponent) for opponent in env.opponents] == [FrozenCopy] * 2


def test_a_callback_goes_on_in_the_next_learn():
    steps = []

    class Note(RefreshCallback):
        def act(self):
            steps.append(self.num_timesteps)

    env = cups()
    model, note = ppo(env), Note(512)
    model.learn(1024, callback=note)
    model.learn(1024, callback=note, reset_num_timesteps=False)
    assert steps == [0, 512, 1024, 1024, 1536, 2048]
    model.learn(512, callback=note)
    assert steps[6:] == [0, 512]


def test_a_checkpoint_beside_a_copy_is_loaded_once(run_folder, monkeypatch):
    """It stays what it was when the run began, whatever happens to its folder."""
    loads = []

    def load(*arguments):
        loads.append(arguments)
        return first_action

    entry = SimpleNamespace(name="checkpoint", load=lambda: load)
    monkeypatch.setattr(opponents_module, "entry_points", lambda group: [entry])
    config = SB3Config(num_players=3, opponents=["self", "runs/selfish"], **SMALL)
    model = build(config)
    model.learn(600, callback=RefreshCallback(64))
    assert len(loads) == 1
    copied, other = model.get_env().unwrapped.opponents
    assert isinstance(copied, FrozenCopy)
    assert other is first_action


def first_action(observation, mask, noise):
    return mask.argmax(axis=1)


def test_a_policy_as_an_opponent_draws_by_the_noise():
    env = cups()
    opponent = FrozenCopy(ppo(env))
    with torch.no_grad():
        network = opponent.policy.network
        network.logits.weight.zero_()
        network.logits.bias.copy_(torch.log(torch.tensor([0.2, 0.5, 0.3])))
        for layer in network.weights:
            layer.weight.zero_()
    seen = env.reset()[:1].repeat(4000, 0)
    noise = np.random.default_rng(0).integers(2**64, size=4000, dtype=np.uint64)
    mask = np.ones((4000, 3), np.int8)
    share = np.bincount(opponent(seen, mask, noise), minlength=3) / 4000
    assert share == pytest.approx([0.2, 0.5, 0.3], abs=0.03)
    assert (opponent(seen, mask, noise) == opponent(seen, mask, noise)).all()
    mask[:, 1] = 0
    share = np.bincount(opponent(seen, mask, noise), minlength=3) / 4000
    assert share == pytest.approx([0.4, 0, 0.6], abs=0.03)


# --- learning ---


def test_the_last_update_still_learns():
    """Even where it is the only one."""
    model = build(SB3Config(opponents="random", total_steps=200, learning_rate=0.5, **SMALL))
    before = weights(model)
    model.learn(200)
    assert not equal(before, weights(model))
    assert model.lr_schedule(0.0) == pytest.approx(0.5)
    several = build(SB3Config(opponents="random", total_steps=1024, learning_rate=0.5, **SMALL))
    told = [several.lr_schedule(left) for left in (0.75, 0.5, 0.25, 0.0)]
    assert told == pytest.approx([0.5, 0.375, 0.25, 0.125])


def test_runs_with_other_seeds_get_other_deals():
    deals = set()
    for seed in range(3):
        model = build(SB3Config(seed=seed, opponents="random", **SMALL))
        model.env.reset()
        deals |= set(model.env.unwrapped.games.batch.states["seed"].tolist())
    assert len(deals) == 3 * SMALL["num_envs"]


@pytest.mark.parametrize("algorithm", ["ppo", "dqn"])
def test_a_network_that_is_not_finite_is_told(algorithm):
    model = build(SB3Config(algorithm=algorithm, opponents="random", **SMALL))
    with torch.no_grad():
        for parameter in network_of(model).parameters():
            parameter.fill_(float("nan"))
    with pytest.raises(FloatingPointError, match="is not finite; try a smaller learning_rate"):
        model.learn(2000)


def test_policies_and_games_have_to_fit():
    with pytest.raises(ValueError, match="needs games with mask_in_observation=False"):
        ppo(cups(mask_in_observation=True))
    with pytest.raises(ValueError, match="needs games with mask_in_observation=True"):
        dqn(cups())
    env = cups(mask_in_observation=True)
    model = MaskablePPO("MultiInputPolicy", env, n_steps=8, batch_size=64, device="cpu")
    players = [ModelPlayer("theirs", model), *[BotPlayer("random")] * 2]
    assert evaluate(three_cups.GAME, players, deals=4).games == 12


def points(model) -> list[float]:
    """Mean points at three cups of the model in every seat; best play has (6, 4, 2)."""
    env = cups(256, seat="rotate", mask_in_observation=isinstance(model, MaskableDQN))
    env.seed(10**6)
    seen, total = env.reset(), np.zeros((3, 2))
    for _ in range(4):
        masks = {} if isinstance(model, MaskableDQN) else {"action_masks": env.action_masks()}
        seat = env.games.seat.copy()
        seen, _, dones, infos = env.step(model.predict(seen, deterministic=True, **masks)[0])
        for i in np.flatnonzero(dones):
            total[seat[i]] += (infos[i]["score"], 1)
    return (total[:, 0] / total[:, 1]).tolist()


@pytest.mark.parametrize("opponent", ["random", "self"])
def test_maskable_ppo_learns_three_cups(opponent):
    env = cups(64)
    model = ppo(env, learning_rate=0.01, batch_size=256)
    seat_copies(model, env, opponent)
    refresh = [RefreshCallback(4096)] if opponent == "self" else []
    model.learn(24 * 1024, callback=CallbackList(refresh))
    assert points(model) == pytest.approx([6, 4, 2], abs=0.3)


def test_maskable_dqn_learns_three_cups():
    env = cups(16, mask_in_observation=True)
    model = dqn(env, learning_rate=0.005, gradient_steps=4, exploration_fraction=0.5)
    model.learn(6 * 1024)
    assert points(model) == pytest.approx([6, 4, 2], abs=0.5)


def test_a_seed_fixes_a_run():
    runs = []
    for seed in (3, 3, 4):
        model = ppo(cups(), seed=seed)
        seat_copies(model, model.env.unwrapped, "self")
        model.learn(512)
        runs.append(weights(model))
    assert equal(runs[0], runs[1])
    assert not equal(runs[0], runs[2])


# --- checkpoints ---


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory, one_thread) -> Path:
    """The folder of a short run of the script."""
    folder = tmp_path_factory.mktemp("sb3") / "run"
    settings = SMALL | {"total_steps": 1100, "eval_every": 256, "save_every": 256}
    assert train_sb3.main(arguments(folder, **settings)) == 0
    return folder


def arguments(folder: Path, **settings) -> list[str]:
    return ["--out", str(folder), *(f"--{name}={value}" for name, value in settings.items())]


def same_choices(model, player, game) -> bool:
    vector = make_single_agent_vector(game.name, 32)
    batch = vector.games.batch
    vector.reset(seed=1)
    mine, other = np.zeros(32, np.int64), np.zeros(32, np.int64)
    for actions, one in ((mine, ModelPlayer("model", model)), (other, player)):
        one.act(batch, np.arange(32), actions, torch.Generator())
    return bool((mine == other).all())


@pytest.mark.parametrize("algorithm", ["ppo", "dqn"])
def test_a_saved_model_is_a_player_like_any_other(tmp_path, algorithm):
    config = SB3Config(algorithm=algorithm, opponents="smallest_gap", **SMALL)
    model, game = build(config), get_game("ohanami")
    model.learn(600)
    save_model(model, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {
        "model.zip", "policy.safetensors", "card.json"
    }  # fmt: skip
    model.save(tmp_path / "theirs.zip")  # as their own callbacks do
    for name in (tmp_path, tmp_path / "model.zip", tmp_path / "theirs.zip"):
        assert same_choices(model, load_player(str(name), game, 2), game)
        table = BatchEnv(game, 1, 2)
        table.reset(seed=1)
        weighed = invite(str(name), game, 2, {}).weigh(table)
        assert weighed.sum() == pytest.approx(1)
        assert (weighed.max() == 1) == (algorithm == "dqn"), "values are no likelihoods"
    loaded = type(model).load(tmp_path / "model.zip", device="cpu")
    assert equal(weights(model), weights(loaded))


def test_a_model_of_another_table_is_refused(run_folder):
    for name in (run_folder, run_folder / "model.zip"):
        with pytest.raises(CheckpointError, match="num_players is 2, needed 3"):
            load_player(str(name), get_game("ohanami"), 3)


class Bomb:
    """Its pickle creates a file when it is loaded."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def write_zip(path: Path, data: object, weights: bytes) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("data", json.dumps(data))
        archive.writestr("policy.pth", weights)
    return path


def card_and_weights(folder: Path) -> tuple[dict, bytes]:
    with zipfile.ZipFile(folder / "model.zip") as archive:
        return json.loads(archive.read("data")), archive.read("policy.pth")


def test_nothing_pickled_in_a_zip_is_run(run_folder, tmp_path):
    """Neither in the texts of `data`, nor in what should be weights."""
    data, good = card_and_weights(run_folder)
    mark = tmp_path / "was_here"
    text = base64.b64encode(pickle.dumps(Bomb(mark))).decode()
    data["lr_schedule"] = {":type:": "function", ":serialized:": text}
    network, _ = load_policy(write_zip(tmp_path / "a.zip", data, good))
    expected, _ = load_policy(run_folder)
    assert equal(network.state_dict(), expected.state_dict())
    buffer = io.BytesIO()
    torch.save({"network.trunk": Bomb(mark)}, buffer)
    with pytest.raises(CheckpointError, match="is damaged or no zip file"):
        load_policy(write_zip(tmp_path / "b.zip", data, buffer.getvalue()))
    with pytest.raises(CheckpointError, match="is damaged or no zip file"):
        load_policy(write_zip(tmp_path / "c.zip", data, pickle.dumps(Bomb(mark), protocol=2)))
    assert not mark.exists()


def test_zips_that_hold_no_policy_of_ours(run_folder, tmp_path):
    data, good = card_and_weights(run_folder)
    (tmp_path / "text.zip").write_text("no zip")
    MaskablePPO("MlpPolicy", cups(), device="cpu").save(tmp_path / "plain.zip")
    write_zip(tmp_path / "other.zip", {"a": 1}, good)
    buffer = io.BytesIO()
    torch.save({"body.weight": torch.zeros(2)}, buffer)
    write_zip(tmp_path / "empty.zip", data, buffer.getvalue())
    data["policy_kwargs"]["card"]["hidden"] = [9]
    write_zip(tmp_path / "size.zip", data, good)
    write_zip(tmp_path / "cut.zip", data, good[:-50])
    write_zip(tmp_path / "nothing.zip", data, b"")
    for name, told in (
        ("cut", "is damaged or no zip file"),
        ("nothing", "is damaged or no zip file"),
        ("text", "is damaged or no zip file"),
        ("plain", "holds a policy without a card: train it with NetworkPolicy"),
        ("other", "was not saved by Stable-Baselines3"),
        ("empty", "has a card, but no network of ours"),
        ("size", "holds no network of its card"),
    ):
        with pytest.raises(CheckpointError, match=told):
            load_policy(tmp_path / f"{name}.zip")
    with pytest.raises(CheckpointError, match="is damaged or no zip file"):
        load_policy(tmp_path / "missing.zip")


def test_a_checkpoint_can_be_an_opponent_by_its_name(run_folder, monkeypatch):
    """By the entry point that pyproject.toml offers, which the environments look up."""
    entry = EntryPoint("checkpoint", "hanazono.training.players:load_opponent", "hanazono.players")
    monkeypatch.setattr(opponents_module, "entry_points", lambda group: [entry])
    for name in (str(run_folder), str(run_folder / "model.zip")):
        env = make_single_agent("ohanami", opponents=name, seat=1)
        _, info = env.reset(seed=3)
        batch = env.games.batch
        batch.reset(seeds=np.array([3], np.uint64))  # where the checkpoint decided
        chosen = np.zeros(1, np.int64)
        player = load_player(name, get_game("ohanami"), 2)
        player.act(batch, np.arange(1), chosen, torch.Generator())
        batch.step(chosen)
        while batch.current_player[0] == 0:
            player.act(batch, np.arange(1), chosen, torch.Generator())
            batch.step(chosen)
        assert (batch.action_mask[0] == info["action_mask"]).all()
    with pytest.raises(ValueError, match="no_such_folder is not the file or folder of a check"):
        make_single_agent("ohanami", opponents="no_such_folder")
    with pytest.raises(ValueError, match="num_players is 2, needed 4"):
        make_single_agent("ohanami", 4, opponents=str(run_folder))


def test_an_opponent_plays_its_likeliest_action(run_folder):
    game = get_game("ohanami")
    opponent = load_opponent(str(run_folder), game, 2, {})
    vector = make_single_agent_vector("ohanami", 32)
    vector.reset(seed=2)
    batch, expected = vector.games.batch, np.zeros(32, np.int64)
    load_player(str(run_folder), game, 2).act(batch, np.arange(32), expected, torch.Generator())
    chosen = opponent(batch.observation, batch.action_mask, np.zeros(32, np.uint64))
    assert (chosen == expected).all()


# --- the script ---


def test_the_script_trains_measures_and_saves(run_folder, capsys):
    assert {path.name for path in run_folder.iterdir()} == {
        "model.zip", "policy.safetensors", "card.json", "config.yaml", "tensorboard"
    }  # fmt: skip
    card = json.loads((run_folder / "card.json").read_text())
    assert card["game"] == "ohanami"
    assert card["training"] == {"algorithm": "MaskablePPO", "steps": 1280}
    log = log_of(run_folder)
    for bot in get_game("ohanami").bots:
        assert log[f"strength/win_share_{bot}"] == [256, 512, 768, 1024, 1280]
    assert "rollout/ep_rew_mean" in log
    assert "train/loss" in log


def log_of(folder: Path) -> dict[str, list[int]]:
    """The steps at which each scalar was logged."""
    (run,) = (folder / "tensorboard").iterdir()
    log = EventAccumulator(str(run)).Reload()
    return {tag: [e.step for e in log.Scalars(tag)] for tag in log.Tags()["scalars"]}


def test_its_model_is_evaluated_like_any_other_player(run_folder, capsys):
    players = [str(run_folder / "model.zip"), "random"]
    argv = ["--game", "ohanami", "--players", *players, "--deals", "4"]
    assert evaluate_script.main(argv) == 0
    assert "model.zip" in capsys.readouterr().out.replace("\n", "")


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"game": "chess"}, "there is no game 'chess'"),
        ({"algorithm": "sac"}, "algorithm must be one of"),
        ({"opponents": "genius"}, "Ohanami has no bot 'genius'"),
        ({"opponents": '["random","random"]'}, "2 seats need one opponent for all or 1, got 2"),
        ({"reward": "win"}, "reward must be one of"),
        ({"num_players": 9}, "2 to 4 players"),
        ({"gamma": 2}, "gamma must be from 0 to 1, got 2"),
        ({"num_envs": 0}, "num_envs must be at least 1"),
        ({"batch_size": 1}, "batch_size=1 makes a batch of one decision"),
        ({"num_envs": 7, "horizon": 4, "batch_size": 9}, "batch of one decision out of the 28"),
        ({"seed": -1}, "seed must be from 0"),
        ({"learning_rate": 0}, "learning_rate must be positive"),
        ({"eval_deals": 1}, "eval_deals at least 2"),
        ({"network": "deep"}, "network must be one of"),
    ],
)
def test_settings_that_cannot_work_are_refused(tmp_path, capsys, settings, told):
    with pytest.raises(SystemExit) as stopped:
        train_sb3.main(arguments(tmp_path / "run", **settings))
    assert stopped.value.code == 2
    assert told in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("script", [train_sb3, train])
def test_a_folder_with_a_run_is_not_overwritten(run_folder, capsys, script):
    before = {path: path.read_bytes() for path in run_folder.iterdir() if path.is_file()}
    with pytest.raises(SystemExit):
        script.main(arguments(run_folder))
    assert "holds a run already; name another folder" in " ".join(capsys.readouterr().err.split())
    assert {path: path.read_bytes() for path in before} == before


def test_a_run_of_the_other_script_is_not_overwritten(tmp_path, capsys):
    (tmp_path / "training.safetensors").touch()
    with pytest.raises(SystemExit):
        train_sb3.main(arguments(tmp_path))
    assert "holds a run already" in capsys.readouterr().err


def test_every_setting_has_its_sentence(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    with pytest.raises(SystemExit):
        train_sb3.main(["--help"])
    told = capsys.readouterr().out
    for setting in fields(SB3Config):
        assert f"        {setting.name}: " in SB3Config.__doc__
        assert f"--{setting.name}" in told


def test_a_stop_saves_what_there_is(tmp_path, monkeypatch):
    monkeypatch.setattr(train_sb3.Stopper, "__call__", lambda self: True)
    assert train_sb3.main(arguments(tmp_path / "run", **SMALL)) == 130
    assert load_policy(tmp_path / "run")[1]["training"]["steps"] == 16


def test_a_last_measurement_that_is_broken_off_loses_nothing(tmp_path, monkeypatch):
    def break_off(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(EvaluateCallback, "act", break_off)
    with pytest.raises(KeyboardInterrupt):
        train_sb3.main(arguments(tmp_path / "run", total_steps=300, eval_every=10**6, **SMALL))
    assert load_policy(tmp_path / "run")[1]["training"]["steps"] == 512


@pytest.mark.parametrize("algorithm", ["ppo", "dqn"])
def test_measuring_honours_masks_in_every_game(algorithm):
    """An illegal action would raise."""
    config = SB3Config(game="hanawase", num_players=3, options={"rounds": 1}, algorithm=algorithm,
                       opponents="random", **SMALL)  # fmt: skip
    model = build(config)
    told = []
    model.learn(256, callback=EvaluateCallback(256, 4, tell=lambda *news: told.append(news)))
    ((steps, results),) = told
    assert steps == 256
    assert list(results) == list(get_game("hanawase").bots)
