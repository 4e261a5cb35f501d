"""Past selves: frozen when they join, bound to seats when a game is dealt, kept while it lasts."""

import numpy as np
import pytest
import torch

from hanazono.envs import get_game
from hanazono.envs.core.batch import BatchEnv
from hanazono.models.networks import MLPNetwork, make_network
from hanazono.models.policy import Policy
from hanazono.training.opponents import LEARNER, Opponents, PastSelf
from hanazono.training.players import network_spec
from hanazono.training.rollout import Rollout, collect
from toys import kuhn, three_cups

CUPS = three_cups.GAME
MANY = 30_000


def build() -> MLPNetwork:
    return make_network("pieces", network_spec(CUPS), [8])


def new_network(seed: int) -> MLPNetwork:
    """A network with an opinion of its own, so that two of them choose differently."""
    torch.manual_seed(seed)
    network = build()
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(torch.randn_like(parameter))
    return network


def opponents(num_envs=MANY, seats=3, fraction=1.0, size=4, members=1) -> Opponents:
    made = Opponents(build, num_envs, seats, fraction, size)
    for seed in range(members):
        made.add(new_network(seed))
    return made


def chance(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def seat_all(pool: Opponents, seed: int = 0) -> np.ndarray:
    pool.seat(np.arange(len(pool.holder)), chance(seed))
    return pool.holder


def choices(pool: Opponents, holder: np.ndarray) -> torch.Tensor:
    """What the holders choose on fixed random observations; the learner always -7."""
    observation = torch.randn(len(holder), CUPS.layout.size, generator=chance(1))
    action = torch.full((len(holder),), -7)
    mask = torch.ones(len(holder), CUPS.num_actions)
    pool.act(holder, observation, mask, action, chance(2))
    return action


def disturb(network: MLPNetwork) -> None:
    """What training does: change the weights in place."""
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.mul_(-3).add_(1)


def within(share: float, expected: float, count: int) -> bool:
    """Whether a share of `count` fair draws is as expected, within five standard errors."""
    return bool(abs(share - expected) <= 5 * (expected * (1 - expected) / count) ** 0.5)


# --- past selves are frozen ---


def test_training_does_not_change_a_past_self():
    network = new_network(0)
    past = PastSelf.of(network)
    weights, digest = past.weights, past.digest
    disturb(network)
    assert past.weights == weights
    assert past.digest == digest
    assert PastSelf.of(network).digest != digest
    with pytest.raises(AttributeError):
        past.weights = b""


@pytest.mark.parametrize("used_before", [True, False])
def test_training_does_not_change_what_a_past_self_chooses(used_before):
    network = new_network(0)
    pool = opponents(members=0)
    pool.add(network)
    holder = np.zeros(500, np.int64)
    before = choices(opponents(), holder)  # the same weights, nowhere else in use
    if used_before:
        choices(pool, holder)
    disturb(network)
    assert torch.equal(choices(pool, holder), before)
    pool.add(network)
    assert not torch.equal(choices(pool, holder + 1), before)


def test_past_selves_act_only_for_their_seats():
    pool = opponents(members=2)
    holder = np.array([LEARNER, 0, 1, LEARNER, 1, 0] * 50)
    action = choices(pool, holder).numpy()
    assert (action[holder == LEARNER] == -7).all()
    assert ((action[holder != LEARNER] >= 0) & (action[holder != LEARNER] < 3)).all()
    with torch.no_grad():
        observation = torch.randn(300, CUPS.layout.size, generator=chance(1))
        best = new_network(1)(observation)[0].argmax(dim=1).numpy()
    agree = action == best
    assert agree[holder == 1].mean() > agree[holder == 0].mean()


# --- who sits where ---


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_learner_holds_one_seat_each_as_often(seats):
    holder = seat_all(opponents(seats=seats, members=3))
    assert ((holder == LEARNER).sum(axis=1) == 1).all()
    for seat in range(seats):
        assert within((holder[:, seat] == LEARNER).mean(), 1 / seats, MANY)


def test_one_past_self_holds_all_other_seats_each_as_often():
    holder = seat_all(opponents(members=3))
    others = holder[holder != LEARNER].reshape(MANY, 2)
    assert (others[:, 0] == others[:, 1]).all()
    for number in range(3):
        assert within((others[:, 0] == number).mean(), 1 / 3, MANY)


@pytest.mark.parametrize("fraction", [0.0, 0.2, 0.75, 1.0])
def test_the_fraction_is_kept(fraction):
    holder = seat_all(opponents(fraction=fraction))
    against = (holder != LEARNER).any(axis=1)
    assert within(against.mean(), fraction, MANY)


def test_with_an_empty_pool_the_learner_plays_alone():
    assert (seat_all(opponents(members=0)) == LEARNER).all()
    assert (seat_all(opponents(size=0, members=3)) == LEARNER).all()


def test_only_the_games_that_were_dealt_are_seated_anew():
    pool = opponents(num_envs=100, members=2)
    before = seat_all(pool).copy()
    pool.add(new_network(5))
    dealt = np.arange(3, 60)
    pool.seat(dealt, chance(1))
    changed = (pool.holder != before).any(axis=1)
    assert changed[dealt].any()
    assert not np.delete(changed, dealt).any()
    assert (pool.holder[dealt] == 2).any()


@pytest.mark.parametrize(("game", "seats"), [(kuhn.GAME, 2), (get_game("ohanami"), 3)])
def test_seats_change_hands_only_when_a_game_ends(game, seats):
    """Step by step, while the pool grows and gives up members. Games of Kuhn poker differ in
    length, so some end while others go on."""
    spec = network_spec(game)
    pool = Opponents(lambda: make_network("mlp", spec, [4]), 24, seats, 0.7, 2)
    env, learner = BatchEnv(game, 24, seats), make_network("mlp", spec, [4])
    env.reset(0)
    rollout, random = Rollout.empty(env, 1), chance()
    kept = changed = 0
    for step in range(40 + 2 * game.max_decisions(seats, {})):
        before = pool.holder.copy()
        if step % 5 == 0:
            pool.add(learner)
        collect(env, Policy(learner), pool, rollout, 0.0, random)
        ended = rollout.terminated[0]
        np.testing.assert_array_equal(pool.holder[~ended], before[~ended])
        changed += (pool.holder[ended] != before[ended]).any(axis=1).sum()
        kept += (before[~ended] != LEARNER).any(axis=1).sum()
        named = set(np.unique(pool.holder).tolist()) - {LEARNER}
        assert named <= set(pool.pool) | set(pool.playing)
    assert kept > 0
    assert changed > 0


# --- the pool ---


@pytest.mark.parametrize("size", [1, 2, 3, 8])
def test_the_pool_never_outgrows_its_size(size):
    pool = opponents(size=size, members=0)
    for count in range(1, 3 * size + 5):
        pool.add(new_network(count))
        assert len(pool.pool) <= size
        assert list(pool.pool)[-1] == count - 1, "the newest is in"


def test_a_full_pool_keeps_old_and_new():
    pool = opponents(size=4, members=0)
    for count in range(20):
        pool.add(new_network(count))
    assert next(iter(pool.pool)) == 0
    assert list(pool.pool) == sorted(pool.pool)


def test_games_keep_a_past_self_that_left_the_pool():
    pool = opponents(num_envs=40, size=2, members=2)
    seat_all(pool)
    in_game = pool.holder.max(axis=1)
    weights = {number: past.weights for number, past in pool.pool.items()}
    before = choices(pool, in_game)
    pool.add(new_network(7))  # number 1 has to go
    assert list(pool.pool) == [0, 2]
    assert list(pool.playing) == [1]
    assert pool.playing[1].weights == weights[1]
    assert torch.equal(choices(pool, in_game), before)
    assert not (seat_all(pool, seed=3) == 1).any(), "no new game gets one that has left"


def test_a_past_self_is_forgotten_when_its_last_game_is_over():
    pool = opponents(num_envs=40, size=2, members=2)
    seat_all(pool)
    pool.add(new_network(7))
    assert list(pool.playing) == [1]
    seat_all(pool, seed=3)
    pool.add(new_network(8))  # number 2 leaves in turn, number 1 is in no game
    assert list(pool.playing) == [2]


# --- saved and restored ---


def test_the_state_comes_back():
    pool = opponents(num_envs=60, size=2, members=2)
    seat_all(pool)
    pool.add(new_network(7))
    other = opponents(num_envs=60, size=2, members=1)
    other.set_state({name: tensor.clone() for name, tensor in pool.state().items()})
    np.testing.assert_array_equal(other.holder, pool.holder)
    assert list(other.pool) == list(pool.pool) == [0, 2]
    assert other.pool == pool.pool
    assert other.playing == pool.playing
    assert other.playing.keys() == {1}


def test_a_restored_pool_goes_on_alike():
    pool = opponents(num_envs=60, size=2, members=2)
    seat_all(pool)
    pool.add(new_network(7))
    other = opponents(num_envs=60, size=2, members=0)
    other.set_state({name: tensor.clone() for name, tensor in pool.state().items()})
    for each in (pool, other):
        each.add(new_network(8))
        each.seat(np.arange(10, 50), chance(4))
    np.testing.assert_array_equal(other.holder, pool.holder)
    assert list(other.pool) == list(pool.pool)
    in_game = pool.holder.max(axis=1)
    assert torch.equal(choices(other, in_game), choices(pool, in_game))


def test_a_restored_pool_shares_nothing_with_the_saved_one():
    pool = opponents(num_envs=10)
    saved = pool.state()
    other = opponents(num_envs=10, members=0)
    other.set_state(saved)
    seat_all(other)
    assert (pool.holder == LEARNER).all()
