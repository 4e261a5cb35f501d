"""Shares of chance in Hanawase that take many games: compiled only, unlike tests/rules."""

import numpy as np
import pytest

from hanazono.envs.core.batch import BatchEnv
from hanazono.envs.hanawase import GAME, rules
from rules.hanawase_table import EVERYTHING

SEAT_COUNTS = (3, 4, 5, 6, 7)
LOTTERY = 4000  # deals where a share is measured; bounds are four standard deviations


def dealt(num_players: int, count: int, **options: int) -> BatchEnv:
    """Freshly dealt games with seeds 0, 1, 2 …"""
    env = BatchEnv(GAME, count, num_players, auto_reset=False, options=options)
    env.reset(seeds=np.arange(count, dtype=np.uint64))
    return env


@pytest.mark.parametrize("num_players", SEAT_COUNTS)
def test_the_first_dealer_is_drawn_at_random(num_players):
    times = np.bincount(dealt(num_players, LOTTERY).states["dealer"], minlength=num_players)
    share = 1 / num_players
    assert abs(times / LOTTERY - share).max() < 4 * np.sqrt(share * (1 - share) / LOTTERY)


def test_with_seven_the_blank_card_is_drawn_at_random():
    times = np.bincount(dealt(7, LOTTERY).states["blank"], minlength=7)
    assert abs(times / LOTTERY - 1 / 7).max() < 4 * np.sqrt(1 / 7 * 6 / 7 / LOTTERY)


@pytest.mark.parametrize("num_players", SEAT_COUNTS)
def test_a_month_that_lies_whole_in_the_field_is_dealt_again(num_players):
    """Six of 48 cards hold a whole month once in 1,081 deals, at every seat count."""
    env = dealt(num_players, count=40_000)
    fields = env.states["field"]
    for month in range(12):
        whole = 15 << 4 * month
        assert not ((fields & whole) == whole).any()
    draws = 48 if num_players == 7 else 47
    deals, rest = np.divmod(env.states["chance"].astype(int) - 1, draws)
    assert not rest.any(), "every deal takes as many draws"
    again = 1 - 1 / deals.mean()
    chance = 12 * 946 / 12_271_512  # 44 over 2, of 48 over 6
    assert abs(again - chance) < 4 * np.sqrt(chance / len(fields))


def random_matching(env: BatchEnv, rng: np.random.Generator, matching: bool) -> np.ndarray:
    """A random legal action in each game; if `matching`, one that captures where there is one."""
    legal = env.action_mask[:, :48].astype(bool)
    capturing = legal & (GAME.layout.split(env.observation)["captures"] > 0)
    if matching:
        legal = np.where(capturing.any(axis=1, keepdims=True), capturing, legal)
    return (legal * rng.random(legal.shape)).argmax(axis=1)


@pytest.mark.parametrize(("matching", "expected"), [(True, 0.302), (False, 0.333)])
def test_ameshima_happens_in_30_to_33_percent_of_the_rounds_of_random_play(matching, expected):
    """The bounds are four standard deviations of 20,000 rounds, 1.3 %."""
    env, rng = dealt(3, count=20_000, rounds=1), np.random.default_rng(0)
    while not env.terminated.all():
        actions = random_matching(env, rng, matching)
        env.step(np.where(env.terminated, -1, actions))
    share = (env.states["last_void"] == rules.AMESHIMA).mean()
    assert abs(share - expected) < 4 * np.sqrt(expected * (1 - expected) / 20_000)


@pytest.mark.parametrize("num_players", SEAT_COUNTS)
def test_every_round_of_many_captures_all_cards_and_sums_to_zero(num_players):
    env, actions = dealt(num_players, 2000, rounds=1, hand_yaku=1), np.zeros(2000, np.int64)
    while not env.terminated.all():
        env.act("random", np.flatnonzero(env.terminated == 0), 1, actions)
        env.step(np.where(env.terminated, -1, actions))
    states = env.states
    assert (states["captured"].sum(axis=1) == EVERYTHING).all()
    paid = states["settlement"]
    assert not paid.sum(axis=2).any()
    assert (paid.sum(axis=1) == states["points"]).all()
    assert not paid[states["last_void"] == rules.FUKE].any()
    rain = states["last_void"] == rules.AMESHIMA
    assert not paid[rain][:, [rules.PAID_YAKU, rules.PAID_OYANAKA]].any()
    assert set(states["last_void"]) == {rules.VALID, rules.FUKE, rules.AMESHIMA}
