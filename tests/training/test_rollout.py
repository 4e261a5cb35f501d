"""Self-play experience: what is kept of a game, and the advantages that each seat gets from it."""

from dataclasses import dataclass, field

import numpy as np
import pytest
import torch

from hanazono.envs import get_game
from hanazono.envs.core.batch import BatchEnv
from hanazono.envs.core.game import Game
from hanazono.models.networks import MLPNetwork, make_network
from hanazono.models.policy import Policy, masked_log_probs
from hanazono.training.opponents import LEARNER, Opponents
from hanazono.training.players import network_spec
from hanazono.training.rollout import Rollout, collect, seat_advantages
from toys import kuhn, three_cups

OHANAMI = get_game("ohanami")
TABLES = [(kuhn.GAME, 2), (three_cups.GAME, 3), (OHANAMI, 2), (OHANAMI, 3), (OHANAMI, 4)]
NAMES = [f"{game.name}-{seats}" for game, seats in TABLES]
GAMMA, LAMBDA = 0.9, 0.8


# --- a slow computation of the same, straight from the definition ---


@dataclass
class Decision:
    """One decision of a seat: when, how it was valued, and what the seat was paid until its next
    decision or the end of the game."""

    t: int
    value: float
    paid: float = 0.0


@dataclass
class Trajectories:
    """The decisions of each seat in one game, in order."""

    by_seat: dict[int, list[Decision]] = field(default_factory=dict)
    over: bool = False


def games_of(value, player, rewards, terminated) -> list[Trajectories]:
    """Follow one table through the window, game after game."""
    games = [Trajectories()]
    for t in range(len(player)):
        if games[-1].over:
            games.append(Trajectories())
        seats = games[-1].by_seat
        seats.setdefault(int(player[t]), []).append(Decision(t, float(value[t])))
        for seat, decisions in seats.items():
            decisions[-1].paid += float(rewards[t, seat])
        games[-1].over = bool(terminated[t])
    return games


def estimates(decisions: list[Decision], over: bool, gamma: float, weight: float) -> dict:
    """The advantage of each decision by its time: the sum over the later ones of the seat."""
    values = [d.value for d in decisions] + [0.0]
    closed = decisions if over else decisions[:-1]
    deltas = [d.paid + gamma * values[k + 1] - d.value for k, d in enumerate(closed)]
    return {
        d.t: sum((gamma * weight) ** (j - k) * deltas[j] for j in range(k, len(deltas)))
        for k, d in enumerate(closed)
    }


def slow_advantages(value, player, rewards, terminated, gamma, weight):
    """What seat_advantages should give."""
    advantage, closed = np.zeros(value.shape), np.zeros(value.shape, bool)
    for b in range(value.shape[1]):
        for game in games_of(value[:, b], player[:, b], rewards[:, b], terminated[:, b]):
            for decisions in game.by_seat.values():
                for t, estimate in estimates(decisions, game.over, gamma, weight).items():
                    advantage[t, b], closed[t, b] = estimate, True
    return advantage, closed


# --- experience to compare on ---


def random_experience(steps: int, games: int, seats: int, seed: int) -> dict[str, np.ndarray]:
    """Any order of seats, payments at every step, games that end at any time."""
    rng = np.random.default_rng(seed)
    return {
        "value": rng.normal(size=(steps, games)).astype(np.float32),
        "player": rng.integers(seats, size=(steps, games)),
        "rewards": rng.normal(size=(steps, games, seats)).astype(np.float32),
        "terminated": rng.random((steps, games)) < 0.15,
    }


def network_for(game: Game, seed: int = 0) -> MLPNetwork:
    torch.manual_seed(seed)
    return make_network("pieces", network_spec(game), [8])


def table(game: Game, seats: int, num_envs: int = 8, fraction: float = 0.0):
    """Games just dealt, and their seats: with a fraction, against a past self."""
    env = BatchEnv(game, num_envs, seats)
    env.reset(3)
    opponents = Opponents(lambda: network_for(game), num_envs, seats, fraction, 2)
    return env, opponents


def long_enough(game: Game, seats: int) -> int:
    """A window in which every game ends, and the next is cut off."""
    return game.max_decisions(seats, {}) + 14


def played(game: Game, seats: int, weight: float = 0.5, windows: int = 1) -> Rollout:
    """A real rollout; the last of several windows, so that it starts amid the games."""
    env, opponents = table(game, seats)
    rollout = Rollout.empty(env, long_enough(game, seats))
    chance = torch.Generator().manual_seed(9)
    for _ in range(windows):
        collect(env, Policy(network_for(game)), opponents, rollout, weight, chance)
    return rollout


def experience(rollout: Rollout) -> dict[str, np.ndarray]:
    return {
        "value": rollout.value.numpy(),
        "player": rollout.player,
        "rewards": rollout.rewards,
        "terminated": rollout.terminated,
    }


def assert_as_defined(data: dict[str, np.ndarray], gamma=GAMMA, weight=LAMBDA) -> None:
    advantage, closed = seat_advantages(**data, gamma=gamma, gae_lambda=weight)
    expected, expected_closed = slow_advantages(**data, gamma=gamma, weight=weight)
    assert advantage.dtype == np.float32
    np.testing.assert_array_equal(closed, expected_closed)
    np.testing.assert_allclose(advantage, expected, atol=2e-5)


# --- advantages ---


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize(("gamma", "weight"), [(1.0, 0.95), (0.9, 0.8), (1.0, 1.0), (1.0, 0.0)])
def test_advantages_are_as_defined_on_random_data(seats, gamma, weight):
    data = random_experience(40, 25, seats, seed=seats)
    assert_as_defined(data, gamma, weight)


@pytest.mark.parametrize("steps", [1, 2, 5])
def test_advantages_are_as_defined_in_short_windows(steps):
    assert_as_defined(random_experience(steps, 200, 3, seed=steps))


@pytest.mark.parametrize(("game", "seats"), TABLES, ids=NAMES)
@pytest.mark.parametrize("windows", [1, 2])
def test_advantages_are_as_defined_on_real_games(game, seats, windows):
    rollout = played(game, seats, windows=windows)
    assert rollout.terminated[:-1].any(), "no game ends amid the window"
    assert not rollout.terminated[-1].all(), "no game is cut off"
    assert_as_defined(experience(rollout))


def test_three_seats_by_hand():
    """Seats 0, 1, 2, 0 play a game to its end, then seat 1 opens the next."""
    value = np.array([0.1, 0.2, 0.3, 0.4, 0.5], np.float32)[:, None]
    player = np.array([0, 1, 2, 0, 1])[:, None]
    rewards = np.zeros((5, 1, 3), np.float32)
    rewards[1, 0] = (0.25, -0.25, 0)  # to seat 0 while it waits
    rewards[3, 0] = (1, -1, 0)
    terminated = np.array([0, 0, 0, 1, 0], bool)[:, None]
    advantage, closed = seat_advantages(value, player, rewards, terminated, 0.5, 0.5)
    last = 1 - 0.4
    first = (0.25 + 0.5 * 0.4 - 0.1) + 0.25 * last
    by_hand = [first, (-0.25 - 1) - 0.2, 0 - 0.3, last, 0]
    np.testing.assert_allclose(advantage[:, 0], by_hand, atol=1e-6)
    assert closed[:, 0].tolist() == [True, True, True, True, False]


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_what_others_are_paid_does_not_matter(seat):
    data = random_experience(60, 30, 3, seed=7)
    before, _ = seat_advantages(**data, gamma=GAMMA, gae_lambda=LAMBDA)
    others = [p for p in range(3) if p != seat]
    data["rewards"][:, :, others] += np.random.default_rng(0).normal(size=(60, 30, 2))
    after, closed = seat_advantages(**data, gamma=GAMMA, gae_lambda=LAMBDA)
    own = data["player"] == seat
    np.testing.assert_array_equal(after[own], before[own])
    assert (after[~own & closed] != before[~own & closed]).all()


def test_what_comes_after_the_end_does_not_matter():
    data = random_experience(30, 40, 3, seed=8)
    data["terminated"][14] = True
    before, _ = seat_advantages(**data, gamma=GAMMA, gae_lambda=LAMBDA)
    data["rewards"][15:] += 5
    data["value"][15:] -= 3
    after, _ = seat_advantages(**data, gamma=GAMMA, gae_lambda=LAMBDA)
    np.testing.assert_array_equal(after[:15], before[:15])


def test_open_decisions_get_nothing_and_the_ones_before_rest_on_their_value():
    value = np.array([0.5, 0.25, 2.0, 4.0], np.float32)[:, None]
    player = np.array([0, 1, 0, 1])[:, None]
    nothing = np.zeros((4, 1, 2), np.float32)
    never = np.zeros((4, 1), bool)
    advantage, closed = seat_advantages(value, player, nothing, never, 1.0, 0.95)
    assert closed[:, 0].tolist() == [True, True, False, False]
    assert advantage[:, 0].tolist() == [1.5, 3.75, 0, 0]


def test_with_weight_one_a_closed_game_is_valued_by_what_it_paid():
    data = experience(played(three_cups.GAME, 3, weight=1.0))
    advantage, _ = seat_advantages(**data, gamma=1.0, gae_lambda=1.0)
    whole = len(advantage) - len(advantage) % 6  # every game takes six decisions
    returns = (advantage + data["value"])[:whole].reshape(-1, 6, 8)
    paid = data["rewards"][:whole].reshape(-1, 6, 8, 3)[:, 5]
    for turn in range(6):
        np.testing.assert_allclose(returns[:, turn], paid[..., turn % 3], atol=1e-5)


# --- collecting ---


def replayed(rollout: Rollout, game: Game, seats: int):
    """Play the actions of a rollout again: yields (t, twin before the step, twin after)."""
    twin, _ = table(game, seats, rollout.player.shape[1])
    for t, actions in enumerate(rollout.action.numpy()):
        seen = (twin.observation.copy(), twin.action_mask.copy(), twin.current_player.copy())
        twin.step(actions)
        yield t, seen, twin


@pytest.mark.parametrize(("game", "seats"), TABLES, ids=NAMES)
def test_what_was_seen_and_paid_is_kept(game, seats):
    rollout = played(game, seats, weight=0.0)
    games = 0
    for t, (observation, mask, player), twin in replayed(rollout, game, seats):
        np.testing.assert_array_equal(rollout.observation[t], observation)
        np.testing.assert_array_equal(rollout.mask[t], mask != 0)
        np.testing.assert_array_equal(rollout.player[t], player)
        np.testing.assert_array_equal(rollout.rewards[t], twin.rewards)
        np.testing.assert_array_equal(rollout.terminated[t], twin.terminated != 0)
        games += twin.terminated.sum()
    assert rollout.games == games > 0
    assert rollout.learner.all()


@pytest.mark.parametrize(("game", "seats"), TABLES, ids=NAMES)
def test_log_probs_and_values_are_the_policys(game, seats):
    rollout = played(game, seats)
    with torch.no_grad():
        logits, value = network_for(game)(rollout.observation.flatten(0, 1))
    log_probs = masked_log_probs(logits, rollout.mask.flatten(0, 1))
    chosen = log_probs.gather(1, rollout.action.flatten()[:, None]).squeeze(1)
    torch.testing.assert_close(rollout.log_prob.flatten(), chosen)
    torch.testing.assert_close(rollout.value.flatten(), value)


@pytest.mark.parametrize("weight", [0.0, 0.3, 1.0])
@pytest.mark.parametrize(("game", "seats"), TABLES, ids=NAMES)
def test_rewards_mix_outcome_and_margin(game, seats, weight):
    rollout = played(game, seats, weight=weight)
    for t, _, twin in replayed(rollout, game, seats):
        for b in range(twin.num_envs):
            points = twin.final_scores[b, :seats, 0]
            margin = (points - points.mean()) / game.score_scale
            mixed = (1 - weight) * twin.rewards[b, :seats] + weight * margin
            expected = mixed if twin.terminated[b] else np.zeros(seats)
            np.testing.assert_allclose(rollout.rewards[t, b, :seats], expected, atol=1e-6)
    np.testing.assert_allclose(rollout.rewards.sum(axis=2), 0, atol=1e-5)
    assert (rollout.rewards[:, :, seats:] == 0).all()


@pytest.mark.parametrize(("game", "seats"), TABLES, ids=NAMES)
def test_nothing_paid_is_lost_from_window_to_window(game, seats):
    env, opponents = table(game, seats)
    steps = long_enough(game, seats)
    rollout, total = Rollout.empty(env, steps // 8), np.zeros((env.num_envs, game.max_players))
    chance = torch.Generator().manual_seed(9)
    for _ in range(8):
        collect(env, Policy(network_for(game)), opponents, rollout, 0.0, chance)
        total += rollout.rewards.sum(axis=0)
    whole = played(game, seats, weight=0.0)  # the same games in one window
    covered = 8 * (steps // 8)
    np.testing.assert_array_equal(rollout.action, whole.action[covered - steps // 8 : covered])
    np.testing.assert_allclose(total, whole.rewards[:covered].sum(axis=0), atol=1e-5)
    assert abs(total).max() > 0


@pytest.mark.parametrize(("game", "seats"), TABLES, ids=NAMES)
def test_wins_are_counted_by_seat(game, seats):
    rollout = played(game, seats)
    wins = np.zeros(game.max_players)
    for _, _, twin in replayed(rollout, game, seats):
        for b in np.flatnonzero(twin.terminated):
            winners = np.flatnonzero(twin.final_ranks[b, :seats] == 0)
            wins[winners] += 1 / len(winners)
    np.testing.assert_allclose(rollout.winner_share, wins)
    assert rollout.winner_share.sum() == pytest.approx(rollout.games)


def test_decisions_of_past_selves_are_not_the_learners():
    env, opponents = table(three_cups.GAME, 3, fraction=1.0)
    opponents.add(network_for(three_cups.GAME, seed=1))
    rollout, chance = Rollout.empty(env, 60), torch.Generator().manual_seed(9)
    collect(env, Policy(network_for(three_cups.GAME)), opponents, rollout, 0.0, chance)
    assert rollout.learner[:6].all()  # games dealt before there was a past self
    assert (opponents.holder == LEARNER).sum(axis=1).tolist() == [1] * 8
    by_game = rollout.learner[6:].reshape(9, 6, 8).sum(axis=1)
    assert (by_game == 2).all()  # one seat of three, which decides twice
