"""Networks: what a card's columns do to its logit, and that a spec survives JSON."""

import json
from dataclasses import asdict, replace

import numpy as np
import pytest
import torch

from hanazono.envs import get_game
from hanazono.envs.core.batch import BatchEnv
from hanazono.models.networks import NETWORKS, Group, Items, Spec, make_network
from hanazono.training.players import network_spec
from toys import kuhn, three_cups

ITEMS, FEATURES, START = 5, 3, 2  # the test group: actions 2 … 6 score items 0 … 4
GAMES = {"ohanami": get_game("ohanami"), "kuhn": kuhn.GAME, "three_cups": three_cups.GAME}


def spec(columns: np.ndarray) -> Spec:
    """A game of 30 values and 9 actions with one group."""
    return Spec(30, 9, (Group(START, tuple(map(tuple, columns.tolist()))),))


def side_by_side() -> np.ndarray:
    return 4 + np.arange(FEATURES * ITEMS).reshape(FEATURES, ITEMS)


def scattered() -> np.ndarray:
    return np.random.default_rng(0).permutation(30)[: FEATURES * ITEMS].reshape(FEATURES, ITEMS)


def network_of(columns: np.ndarray, seed: int = 1) -> torch.nn.Module:
    """A network whose item weights are large enough to see."""
    torch.manual_seed(seed)
    network = make_network("pieces", spec(columns), [16])
    with torch.no_grad():
        for weights in network.weights:
            weights.weight.mul_(100)
    return network


def contribution(network: torch.nn.Module, observation: torch.Tensor) -> torch.Tensor:
    """What the items add to the logits: all of them, minus those of the trunk alone."""
    with torch.no_grad():
        return network(observation)[0] - network.logits(network.features(observation))


def observations(env_game, count: int = 64) -> tuple[torch.Tensor, torch.Tensor]:
    """What is seen after a few random decisions in each of `count` games."""
    env = BatchEnv(env_game, count, env_game.max_players)
    env.reset(5)
    actions = np.zeros(count, np.int64)
    for _ in range(7):
        env.act("random", np.arange(count), 1, actions)
        env.step(actions)
    return torch.from_numpy(env.observation), torch.from_numpy(env.action_mask)


@pytest.mark.parametrize("columns", [side_by_side(), scattered()], ids=["view", "index"])
def test_an_item_is_scored_by_its_own_columns(columns):
    network = network_of(columns)
    observation = torch.randn(7, 30)
    features = network.features(observation)
    weights = network.weights[0](features)
    added = contribution(network, observation)
    for item in range(ITEMS):
        own = observation[:, columns[:, item]]
        torch.testing.assert_close(added[:, START + item], (weights * own).sum(dim=1))
    outside = [a for a in range(9) if not START <= a < START + ITEMS]
    assert (added[:, outside] == 0).all()
    assert (added[:, START : START + ITEMS].abs() > 1e-3).any()


@pytest.mark.parametrize("columns", [side_by_side(), scattered()], ids=["view", "index"])
def test_permuting_the_items_permutes_their_contributions(columns, monkeypatch):
    network = network_of(columns)
    observation = torch.randn(7, 30)
    features = network.features(observation)
    monkeypatch.setattr(network.trunk, "forward", lambda seen: features)  # the same weights twice
    before = contribution(network, observation)[:, START : START + ITEMS]
    order = torch.tensor([3, 0, 4, 1, 2])
    permuted = observation.clone()
    permuted[:, columns] = observation[:, columns[:, order]]
    after = contribution(network, permuted)[:, START : START + ITEMS]
    torch.testing.assert_close(after, before[:, order])
    assert not torch.allclose(after, before)


def test_the_view_gives_what_the_index_gives():
    group = Group(0, tuple(map(tuple, side_by_side().tolist())))
    view, index = Items(group), Items(group)
    index._index = torch.from_numpy(side_by_side().ravel())
    observation = torch.randn(6, 30)
    assert view._index is None
    assert torch.equal(view(observation), index(observation))
    assert view.shape == (FEATURES, ITEMS)
    assert torch.equal(view(observation)[4, ITEMS : 2 * ITEMS], observation[4, side_by_side()[1]])


def test_both_paths_train_the_same():
    network, other = network_of(side_by_side()), network_of(side_by_side())
    other.items[0]._index = torch.from_numpy(side_by_side().ravel())
    observation = torch.randn(6, 30)
    for each in (network, other):
        logits, value = each(observation)
        torch.autograd.backward(logits.square().sum() + value.sum())
    for mine, theirs in zip(network.parameters(), other.parameters(), strict=True):
        torch.testing.assert_close(mine.grad, theirs.grad)


@pytest.mark.parametrize("name", GAMES)
def test_a_spec_survives_json(name):
    before = network_spec(GAMES[name])
    after = Spec.from_values(json.loads(json.dumps(asdict(before))))
    assert after == before
    assert replace(after, num_actions=after.num_actions + 1) != before


def test_the_groups_of_ohanami_are_cards_and_places():
    game = GAMES["ohanami"]
    cards, places = network_spec(game).groups
    hand, target_gap = game.layout.start("hand"), game.layout.start("target_gap")
    assert cards.start == 0
    assert cards.columns[0] == tuple(range(hand, hand + 120))
    assert len(cards.columns) == 10  # seven pieces of one row, and the known hands of three seats
    assert places.start == 120
    assert tuple(range(target_gap, target_gap + len(places.columns[0]))) in places.columns


def test_actions_over_an_index_that_nothing_describes_make_no_group():
    game = GAMES["three_cups"]
    plain = replace(game, pieces=tuple(replace(piece, axis=None) for piece in game.pieces))
    assert len(network_spec(game).groups) == 1
    assert network_spec(plain).groups == ()
    logits, _ = make_network("pieces", network_spec(plain), [8])(torch.zeros(2, plain.layout.size))
    assert logits.shape == (2, 3)


@pytest.mark.parametrize("kind", NETWORKS)
@pytest.mark.parametrize("name", GAMES)
def test_outputs_on_real_observations_are_finite(name, kind):
    game = GAMES[name]
    observation, mask = observations(game)
    logits, value = make_network(kind, network_spec(game), [32, 16])(observation)
    assert logits.shape == mask.shape
    assert value.shape == (64,)
    assert torch.isfinite(logits).all()
    assert torch.isfinite(value).all()
    assert value.std() > 0


@pytest.mark.parametrize("kind", NETWORKS)
def test_a_new_network_plays_nearly_evenly(kind):
    game = GAMES["ohanami"]
    observation, _ = observations(game)
    logits, _ = make_network(kind, network_spec(game), [64])(observation)
    assert logits.abs().max() < 0.5


def test_every_weight_of_a_network_learns():
    game = GAMES["ohanami"]
    observation, _ = observations(game)
    network = make_network("pieces", network_spec(game), [32])
    logits, value = network(observation)
    torch.autograd.backward(logits.square().sum() + value.square().sum())
    assert all((p.grad != 0).any() for p in network.parameters())


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match=r"one of \['pieces', 'mlp'\], got 'transformer'"):
        make_network("transformer", spec(side_by_side()), [16])


@pytest.mark.parametrize("hidden", [[], [0], [16, -1]])
def test_impossible_sizes_are_refused(hidden):
    with pytest.raises(ValueError, match="at least one positive size"):
        make_network("mlp", spec(side_by_side()), hidden)
