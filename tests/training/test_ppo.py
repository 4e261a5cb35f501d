"""PPO: it learns two small games to their known values, and rejects what cannot work."""

from dataclasses import asdict

import numpy as np
import pytest
import torch

from hanazono.envs import get_game
from hanazono.envs.core.batch import BatchEnv
from hanazono.models.checkpoint import CheckpointError
from hanazono.models.policy import Policy
from hanazono.training.config import PPOConfig
from hanazono.training.ppo import Trainer, ppo_loss
from toys import kuhn, three_cups
from toys.kuhn_exploitability import bet_table, exploitability, value

TINY = {
    "num_envs": 8,
    "horizon": 16,
    "minibatch_size": 64,
    "total_decisions": 512,
    "hidden": [8],
    "eval_every": 0,
    "threads": 1,
}
KUHN = {
    "game": "kuhn",
    "score_weight": 1.0,  # chips count, not only who wins them
    "num_envs": 256,
    "horizon": 32,
    "minibatch_size": 2048,
    "hidden": [64],
    "learning_rate": 0.01,
    "entropy_coef": 0.5,
    "gae_lambda": 1.0,
    "pool_fraction": 0.0,
    "total_decisions": 400_000,
    "eval_every": 0,
    "threads": 1,
}
CUPS = {
    "game": "three_cups",
    "num_players": 3,
    "num_envs": 128,
    "horizon": 32,
    "minibatch_size": 1024,
    "hidden": [32],
    "learning_rate": 0.01,
    "pool_every": 3,
    "total_decisions": 80_000,
    "eval_every": 0,
    "threads": 1,
}


def trainer(game=three_cups.GAME, **settings) -> Trainer:
    seats = {"num_players": game.max_players}
    return Trainer(game, PPOConfig(**(seats | TINY | settings)))


def finish(run: Trainer) -> Trainer:
    while not run.finished:
        run.update()
    return run


# --- it learns ---


def points_at_home(policy: Policy, deals: int) -> np.ndarray:
    """Mean points of each seat of three cups if the policy holds all of them."""
    env = BatchEnv(three_cups.GAME, deals, 3, auto_reset=False)
    env.reset(99)
    chance = torch.Generator().manual_seed(0)
    while not env.terminated.all():
        seen = torch.from_numpy(env.observation), torch.from_numpy(env.action_mask)
        env.step(policy.act(*seen, chance).numpy())
    return env.final_scores[:, :, 0].mean(axis=0)


@pytest.mark.parametrize(("score_weight", "pool_fraction"), [(0.0, 0.0), (1.0, 0.0), (0.5, 0.5)])
def test_every_seat_learns_its_own_cup(score_weight, pool_fraction):
    """The points of a seat are its weight for each right pick, so the share of right picks shows
    seat by seat; reward that reached another seat would leave it at a third."""
    config = PPOConfig(**CUPS, score_weight=score_weight, pool_fraction=pool_fraction)
    run = Trainer(three_cups.GAME, config)
    before = points_at_home(Policy(run.network), 500) / three_cups.VALUE
    after = points_at_home(Policy(finish(run).network), 500) / three_cups.VALUE
    assert (before < 0.6).all()
    assert (after > 0.95).all()
    assert bool(run.opponents.pool)


@pytest.mark.slow
def test_kuhn_poker_comes_near_equilibrium():
    """What self-play finds on average over the second half of the run: play against oneself
    circles around an equilibrium, so the mean comes nearer to it than any one policy."""
    run = Trainer(kuhn.GAME, PPOConfig(**KUHN, seed=0))
    tables = [bet_table(run.network)]
    while not run.finished:
        run.update()
        tables.append(bet_table(run.network))
    assert exploitability(tables[0]) > 0.4
    mean = np.mean(tables[len(tables) // 2 :], axis=0)
    assert exploitability(mean) < 0.1
    assert abs(value(mean) - kuhn.VALUE) < 0.05


# --- the same run again ---


def test_the_same_config_gives_the_same_weights():
    runs = [finish(trainer(get_game("ohanami"), num_players=3, pool_every=1)) for _ in range(2)]
    other = finish(trainer(get_game("ohanami"), num_players=3, pool_every=1, seed=1))
    mine, same, differs = (run.network.state_dict() for run in (*runs, other))
    assert all(torch.equal(mine[name], same[name]) for name in mine)
    assert not any(torch.equal(mine[n], differs[n]) for n in mine if n.endswith("weight"))


def test_measuring_does_not_change_the_run():
    quiet, measured = trainer(), trainer(eval_every=1, eval_deals=4)
    while not quiet.finished:
        quiet.update()
        measured.update()
        measured.measure()
    for name, tensor in quiet.network.state_dict().items():
        assert torch.equal(tensor, measured.network.state_dict()[name])


def test_a_run_does_not_touch_torchs_global_chance():
    state = torch.get_rng_state()
    trainer().update()
    assert torch.equal(torch.get_rng_state(), state)


# --- one update ---


def test_an_update_counts_and_logs():
    run = trainer(total_decisions=256)
    log = run.update()
    assert (run.updates, run.decisions, run.finished) == (1, 128, False)
    assert log["games/finished"] == 16  # of six decisions each: two in every table
    seats = [log[f"games/win_share_seat_{seat}"] for seat in range(3)]
    assert sum(seats) == pytest.approx(1)
    assert 0 < log["losses/entropy"] <= np.log(3) + 1e-6
    assert 0 <= log["losses/clip_fraction"] <= 1
    assert log["losses/explained_variance"] <= 1
    run.update()
    assert run.finished


def test_learning_rate_falls_to_zero_and_entropy_bonus_to_a_tenth(monkeypatch):
    bonuses = []
    run = trainer(learning_rate=0.01, entropy_coef=0.5)
    learn = run._learn
    monkeypatch.setattr(
        run, "_learn", lambda data, bonus: bonuses.append(bonus) or learn(data, bonus)
    )
    rates = []
    while not run.finished:
        rates.append(run.update()["settings/learning_rate"])
    np.testing.assert_allclose(rates, [0.01, 0.0075, 0.005, 0.0025])
    np.testing.assert_allclose(bonuses, 0.5 * (0.1 + 0.9 * np.array([1, 0.75, 0.5, 0.25])))


def test_only_the_learners_closed_decisions_are_learned_from(monkeypatch):
    run = trainer(pool_fraction=1.0, pool_every=1, pool_size=1)
    for _ in range(3):
        run.update()
    seen = []
    monkeypatch.setattr(run, "_learn", lambda data, bonus: seen.append(data) or {})
    run.update()
    index = seen[0]["index"].numpy()
    own = run.rollout.learner.reshape(-1)
    assert own[index].all()
    assert 0 < len(index) < own.sum() < own.size
    last = np.flatnonzero(own.reshape(16, 8)[-1] & ~run.rollout.terminated[-1])
    assert not np.isin(15 * 8 + last, index).any(), "nothing followed these"


def test_an_update_in_which_nothing_closes_changes_nothing():
    run = trainer(horizon=1)
    before = {name: tensor.clone() for name, tensor in run.network.state_dict().items()}
    log = run.update()
    for name, tensor in run.network.state_dict().items():
        assert torch.equal(tensor, before[name])
    assert log["games/finished"] == 0
    assert np.isfinite(list(log.values())).all()


def test_a_horizon_of_one_still_learns_where_games_end():
    run = finish(trainer(horizon=1, total_decisions=8 * 12))
    assert all(torch.isfinite(p).all() for p in run.network.parameters())


def test_gradients_that_are_not_finite_stop_the_run_before_the_weights_break(monkeypatch):
    run = trainer()
    run.update()
    collected = run._samples

    def spoiled():
        data, log = collected()
        data["target"][:] = torch.inf
        return data, log

    monkeypatch.setattr(run, "_samples", spoiled)
    with pytest.raises(RuntimeError, match="non-finite"):
        run.update()
    assert all(torch.isfinite(p).all() for p in run.network.parameters())


def test_the_loss_by_hand():
    """Two decisions between two even actions: ratios 2 and 1/2 against a clip of 0.2."""

    def network(observation):
        return torch.zeros(2, 2, requires_grad=True), observation[:, 0]

    batch = {
        "observation": torch.tensor([[1.0], [3.0]]),
        "mask": torch.ones(2, 2, dtype=torch.bool),
        "action": torch.tensor([0, 1]),
        "log_prob": torch.tensor([0.25, 1.0]).log(),
        "advantage": torch.tensor([1.0, -1.0]),
        "target": torch.tensor([2.0, 1.0]),
    }
    loss, parts = ppo_loss(network, batch, clip=0.2, value_coef=0.5, bonus=0.1)
    policy = -(1.2 * 1 + 0.8 * -1) / 2
    spread = np.log(2)
    assert parts["policy"].item() == pytest.approx(policy)
    assert parts["value"].item() == pytest.approx((1 + 4) / 2)
    assert parts["entropy"].item() == pytest.approx(spread)
    assert parts["clip_fraction"].item() == 1
    assert loss.item() == pytest.approx(policy + 0.5 * 2.5 - 0.1 * spread)


# --- the mixed reward ---


@pytest.mark.parametrize("weight", [0.0, 0.25, 1.0])
def test_the_reward_is_the_outcome_mixed_with_the_margin(weight):
    """Chips of Kuhn poker: +-1 or +-2; the outcome is +-1."""
    run = trainer(kuhn.GAME, score_weight=weight)
    run.update()
    paid = np.abs(run.rollout.rewards[run.rollout.terminated])
    np.testing.assert_allclose(np.unique(paid), sorted({1.0, 1 + weight}), atol=1e-6)


# --- what cannot work is refused ---


@pytest.mark.parametrize(
    ("setting", "value", "told"),
    [
        *((name, 0, f"{name} must be at least 1, got 0")
          for name in ("total_decisions", "num_envs", "horizon", "threads", "epochs",
                       "minibatch_size", "pool_every", "save_every")),
        *((name, value, f"{name} must be from 0 to 1, got {value}")
          for name in ("gamma", "gae_lambda", "score_weight", "pool_fraction")
          for value in (-0.1, 1.1, float("nan"))),
        *((name, -1, f"{name} must not be negative, got -1")
          for name in ("eval_every", "pool_size", "entropy_coef", "value_coef")),
        *((name, 0, f"{name} must be positive, got 0")
          for name in ("learning_rate", "clip", "max_grad_norm")),
        ("eval_deals", 1, "eval_deals must be at least 2, got 1"),
        ("seed", -1, r"seed must be from 0 to 2\*\*64 - 1, got -1"),
        ("seed", 2**64, r"seed must be from 0 to 2\*\*64 - 1, got 18446744073709551616"),
    ],
)  # fmt: skip
def test_settings_out_of_range_are_refused(setting, value, told):
    with pytest.raises(ValueError, match=f"^{told}$"):
        PPOConfig(**{setting: value})


def test_the_defaults_and_the_edges_are_allowed():
    edges = {"gamma": 0, "gae_lambda": 1, "score_weight": 1, "pool_fraction": 0, "pool_size": 0}
    assert PPOConfig(**edges).pool_size == 0
    assert PPOConfig(eval_every=0, eval_deals=0).eval_deals == 0
    assert asdict(PPOConfig()) == asdict(PPOConfig())


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"num_players": 4}, "Three cups is played by 3 to 3 players, got num_players=4"),
        ({"options": {"fog": 1}}, "Three cups has no option 'fog'; its options: none"),
        ({"network": "transformer"}, "network must be one of"),
        ({"hidden": []}, "hidden must list at least one positive size"),
    ],
)
def test_settings_that_the_game_or_the_network_does_not_allow_are_refused(settings, told):
    with pytest.raises(ValueError, match=told):
        trainer(**settings)


@pytest.mark.parametrize("seed", [2**63 + 1, 2**64 - 1])
def test_the_largest_seeds_work_to_the_end(seed):
    run = finish(trainer(seed=seed, eval_every=1, eval_deals=2))
    assert run.measure()["random"].deals == 2


def test_resuming_from_nothing_is_refused(tmp_path):
    with pytest.raises(CheckpointError, match="there is no checkpoint file"):
        trainer().resume(tmp_path)
