"""The toys have the values they claim, since other tests judge learning by them."""

import itertools

import numpy as np
import pytest

from hanazono.envs.core.batch import BatchEnv
from hanazono.envs.core.rng import spread_seeds
from toys import kuhn, three_cups

# Kuhn's equilibrium: the chance to bet or call after each history, by card, for alpha = 1/3.
EQUILIBRIUM = {
    (): (1 / 3, 0, 1),
    (kuhn.PASS,): (1 / 3, 0, 1),
    (kuhn.BET,): (0, 1 / 3, 1),
    (kuhn.PASS, kuhn.BET): (0, 2 / 3, 1),
}


def play(cards, moves):
    """One game of Kuhn poker with these cards: its rewards by seat, in chips."""
    table = BatchEnv(kuhn.GAME, 1, 2, reward="score", auto_reset=False)
    table.reset(seed=0)
    states = table.get_states()
    states["card"][0] = cards
    table.set_states(states)
    for move in moves:
        assert not table.terminated[0]
        table.step(np.array([move]))
    assert table.terminated[0]
    return table.rewards[0].tolist()


@pytest.mark.parametrize(
    ("moves", "chips"),
    [("pp", -1), ("pbp", -1), ("pbb", -2), ("bp", 1), ("bb", -2)],
)
def test_kuhn_pays(moves, chips):
    """Seat 0 has the lower card: it wins only if seat 1 folds."""
    played = [kuhn.BET if move == "b" else kuhn.PASS for move in moves]
    assert play((0, 1), played) == [chips, -chips]
    won = chips if moves in ("pbp", "bp") else -chips
    assert play((2, 1), played) == [won, -won]


def kuhn_value(cards, history=(), reach=1.0):
    """Chips that seat 0 wins with these cards if both play the equilibrium."""
    if history in EQUILIBRIUM:
        bet = EQUILIBRIUM[history][cards[len(history) % 2]]
        options = ((kuhn.PASS, 1 - bet), (kuhn.BET, bet))
        return sum(kuhn_value(cards, (*history, m), reach * p) for m, p in options)
    return reach * play(cards, history)[0]


def test_kuhn_value():
    deals = list(itertools.permutations(range(3), 2))
    assert sum(map(kuhn_value, deals)) / len(deals) == pytest.approx(kuhn.VALUE, abs=1e-6)


@pytest.mark.parametrize("cards", [3, 4, 5])
def test_kuhn_deals_all_hands_equally(cards):
    table = BatchEnv(kuhn.GAME, 12_000, 2, options={"cards": cards})
    table.reset(seed=1)
    hands, counts = np.unique(table.states["card"], axis=0, return_counts=True)
    assert len(hands) == cards * (cards - 1)
    expected = 12_000 / len(hands)
    assert np.abs(counts - expected).max() < 5 * expected**0.5


def test_kuhn_resamples_every_card_the_other_may_hold():
    table = BatchEnv(kuhn.GAME, 3_000, 2, options={"cards": 5})
    table.reset(seeds=np.full(3_000, 5, np.uint64))
    own = int(table.states["card"][0, 0])
    table.resample_hidden(np.zeros(3_000, np.int64), np.arange(3_000))
    found, counts = np.unique(table.states["card"][:, 1], return_counts=True)
    assert set(found.tolist()) == set(range(5)) - {own}
    assert counts.min() > 600  # of 750 expected
    assert (table.states["card"][:, 0] == own).all()


def play_cups(bot, games=2_000):
    table = BatchEnv(three_cups.GAME, games, 3, reward="score", auto_reset=False)
    table.reset(seed=2)
    actions = np.zeros(games, np.int64)
    for _ in range(6):
        table.act(bot, np.arange(games), 0, actions)
        table.step(actions)
    assert table.terminated.all()
    return table


def test_three_cups_value():
    table = play_cups("own_cup", games=10)
    assert (table.final_scores[:, :, 0] == three_cups.VALUE).all()
    assert table.rewards.tolist() == [[1, 0, -1]] * 10


def test_three_cups_pays_the_seat_that_picks():
    table = play_cups("random")
    mean = table.final_scores[:, :, 0].mean(axis=0)
    assert mean == pytest.approx(np.array(three_cups.VALUE) / 3, rel=0.1)
    right = table.states["pick"] == table.states["number"]  # [B, rounds, seats]
    expected = right.sum(axis=1) * np.array([3, 2, 1])
    assert (table.final_scores[:, :, 0] == expected).all()


def test_three_cups_draws_anew_for_the_second_round():
    table = play_cups("random")
    assert (table.states["chance"] == 6).all()
    first, second = table.states["number"][:, 0], table.states["number"][:, 1]
    assert (first == second).mean() == pytest.approx(1 / 3, abs=0.05)


def test_three_cups_resampling_changes_what_comes():
    table = BatchEnv(three_cups.GAME, 200, 3)
    seeds = np.empty(200, np.uint64)
    spread_seeds(np.uint64(3), seeds)
    table.reset(seeds=np.full(200, 9, np.uint64))
    own = table.states["number"][:, 0, 0].copy()
    table.resample_hidden(np.zeros(200, np.int64), seeds)
    assert (table.states["number"][:, 0, 0] == own).all()
    for _ in range(3):
        table.step(np.zeros(200, np.int64))
    coming = table.states["number"][:, 1]
    assert len(np.unique(coming, axis=0)) == 27
