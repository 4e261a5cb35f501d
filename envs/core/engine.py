"""The compiled loops over many games, written once and bound to each game's kernels.

Arrays: B games, P seats (the most the game allows), A actions, O observation values. Every loop
works on games lo … hi - 1, so that threads can share a batch.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from hanazono.envs.core.game import Game
from hanazono.envs.core.kernel import announce_compilation, bind, kernel
from hanazono.envs.core.rng import keyed, mix

HOLD = -2  # as an action: this game waits while others are stepped


def _unbound(*arguments: Any) -> Any:
    raise NotImplementedError("bind() replaces this name by a game's kernel")


reset = action_mask = step = observe = scores = resample_hidden = act = _unbound


@kernel
def _rank(s: Any, table: Any, ranks: Any) -> None:
    for p in range(s.num_players):
        ahead = 0
        for q in range(s.num_players):
            if q != p and s.forfeited == p:
                ahead += 1
            elif s.forfeited < 0 and (
                table[q, 0] > table[p, 0]
                or (table[q, 0] == table[p, 0] and table[q, 1] > table[p, 1])
            ):
                ahead += 1
        ranks[p] = ahead


@kernel
def _pay(s: Any, table: Any, ranks: Any, pay_score: Any, score_scale: Any) -> None:
    """Rewards at the end; each kind sums to 0. A forfeit costs the mover 1, shared by the rest."""
    n = s.num_players
    winners = 0
    total = 0.0
    for p in range(n):
        winners += ranks[p] == 0
        total += table[p, 0]
    for p in range(n):
        if s.forfeited >= 0:
            s.rewards[p] = -1.0 if s.forfeited == p else 1.0 / (n - 1)
        elif pay_score:
            s.rewards[p] = (table[p, 0] - total / n) / score_scale
        elif ranks[p] == 0:
            s.rewards[p] = (n / winners - 1.0) / (n - 1)
        else:
            s.rewards[p] = -1.0 / (n - 1)


def _settle(s: Any, table: Any, ranks: Any, pay_score: Any, score_scale: Any) -> None:
    scores(s, table)
    _rank(s, table, ranks)
    _pay(s, table, ranks, pay_score, score_scale)


def _deal(s: Any, seed: Any) -> None:
    s.seed = seed
    s.chance = np.uint64(0)
    s.decisions = 0
    s.terminated = 0
    s.forfeited = -1
    s.rewards[:] = 0.0
    reset(s)


def _write_turn(s: Any, observation: Any, mask: Any) -> None:
    observation[:] = 0.0
    mask[:] = 0
    if not s.terminated:
        observe(s, s.current_player, observation)
        action_mask(s, mask)


def reset_games(
    states: Any, seeds: Any, observation: Any, mask: Any, player: Any, lo: Any, hi: Any
) -> None:
    """Deal every game with its seed and write what its first player sees."""
    for i in range(lo, hi):
        _deal(states[i], seeds[i])
        _write_turn(states[i], observation[i], mask[i])
        player[i] = states[i].current_player


def step_games(
    states: Any,
    actions: Any,
    auto_reset: Any,
    pay_score: Any,
    score_scale: Any,
    observation: Any,
    mask: Any,
    player: Any,
    rewards: Any,
    terminated: Any,
    final_scores: Any,
    final_ranks: Any,
    lo: Any,
    hi: Any,
) -> None:
    """Play one action in every running game that is not on HOLD; any other negative one, or one
    whose mask is 0, forfeits."""
    for i in range(lo, hi):
        s = states[i]
        rewards[i, :] = 0.0
        if s.terminated or actions[i] == HOLD:
            continue
        if actions[i] >= 0 and mask[i, actions[i]]:
            step(s, actions[i])
        else:
            s.forfeited = s.current_player
            s.terminated = 1
        s.decisions += 1
        terminated[i] = s.terminated
        if s.terminated:
            _settle(s, final_scores[i], final_ranks[i], pay_score, score_scale)
            for p in range(rewards.shape[1]):
                rewards[i, p] = s.rewards[p]
            if auto_reset:
                _deal(s, mix(s.seed))
        _write_turn(s, observation[i], mask[i])
        player[i] = s.current_player


def write_turns(
    states: Any, observation: Any, mask: Any, player: Any, terminated: Any, lo: Any, hi: Any
) -> None:
    """Write what the player to decide sees, for states that were set from outside."""
    for i in range(lo, hi):
        _write_turn(states[i], observation[i], mask[i])
        player[i] = states[i].current_player
        terminated[i] = states[i].terminated


@kernel
def first_illegal(mask: Any, actions: Any, terminated: Any) -> Any:
    """Index of the first running game whose action is not legal, -1 if there is none."""
    for i in range(mask.shape[0]):
        action = actions[i]
        if terminated[i]:
            continue
        if action < 0 or action >= mask.shape[1] or not mask[i, action]:
            return i
    return -1


@kernel
def all_within(rows: Any, count: Any) -> Any:
    """Whether every entry of int64 [K] is an index below `count`."""
    within = True
    for k in range(rows.shape[0]):
        within &= 0 <= rows[k] < count
    return within


def observe_games(states: Any, seats: Any, observation: Any) -> None:
    """Write what the given seat knows in each game."""
    for i in range(states.shape[0]):
        observation[i, :] = 0.0
        observe(states[i], seats[i], observation[i])


def score_games(states: Any, table: Any, ranks: Any) -> None:
    """Write scores and ranks of the present states."""
    for i in range(states.shape[0]):
        scores(states[i], table[i])
        _rank(states[i], table[i], ranks[i])


def resample_games(states: Any, seats: Any, seeds: Any) -> None:
    """Redraw what the given seat cannot know in each game."""
    for i in range(states.shape[0]):
        resample_hidden(states[i], seats[i], seeds[i])


def act_games(states: Any, mask: Any, rows: Any, seed: Any, actions: Any) -> None:
    """Let a bot choose in the games `rows`."""
    for k in range(rows.shape[0]):
        i = rows[k]
        s = states[i]
        noise = keyed(mix(s.seed ^ seed), s.decisions)
        actions[i] = act(s, mask[i], noise)


@dataclass(frozen=True)
class Engine:
    """The loops of one game. Compiled on first use, loaded from the cache afterwards."""

    reset_games: Callable[..., None]
    step_games: Callable[..., None]
    write_turns: Callable[..., None]
    observe_games: Callable[..., None]
    score_games: Callable[..., None]
    resample_games: Callable[..., None]


@cache
def engine(game: Game) -> Engine:
    """Bind the loops to the rules of `game`; the same game gives the same engine."""
    announce_compilation(game.name)
    rules, name = game.rules, game.name
    deal = bind(_deal, name, reset=rules.reset)
    turn = bind(_write_turn, name, observe=rules.observe, action_mask=rules.action_mask)
    settle = bind(_settle, name, scores=rules.scores)
    return Engine(
        reset_games=bind(reset_games, name, _deal=deal, _write_turn=turn),
        step_games=bind(
            step_games, name, step=rules.step, _deal=deal, _write_turn=turn, _settle=settle
        ),
        write_turns=bind(write_turns, name, _write_turn=turn),
        observe_games=bind(observe_games, name, observe=rules.observe),
        score_games=bind(score_games, name, scores=rules.scores),
        resample_games=bind(resample_games, name, resample_hidden=rules.resample_hidden),
    )


@cache
def bot_loop(game: Game, bot: str) -> Callable[..., None]:
    """The loop act_games(states, mask, rows, seed, actions) of a scripted player of `game`.

    Raises:
        ValueError: if there is no such player, naming those there are.
    """
    if bot not in game.bots:
        raise ValueError(f"{game.title} has no bot {bot!r}; its bots: {', '.join(game.bots)}")
    loop: Callable[..., None] = bind(act_games, f"{game.name}_{bot}", act=game.bots[bot])
    return loop
