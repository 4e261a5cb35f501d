"""Conformance of whole games: turns, masks, observations, rewards, illegal actions, batches."""

import hashlib
from typing import Any

import numpy as np

from hanazono.envs.core.aec import GameEnv
from hanazono.envs.core.batch import LEAST_SHARE, REWARDS, BatchEnv
from hanazono.envs.core.rng import mix
from hanazono.envs.core.trial import Position, Trial, same_bits

NO_NUMBERS: tuple[Any, ...] = (None, 0.5, "0", True)


def check_chance(trial: Trial) -> None:
    """The same seeds give the same games, and different seeds do not all give the same."""
    told = [digest_of_games(trial, 32) for _ in range(2)]
    trial.require(told[0] == told[1], "the same seed gave another game")
    trial.require(len(set(told[0])) > 1, "all seeds give the same game")


def digest_of_games(trial: Trial, count: int) -> list[str]:
    """A digest of each of `count` games with the lowest legal action throughout, seeds aside."""
    table = trial.batch(count)
    table.reset(seeds=trial.deal_seeds(count))
    digests = [hashlib.sha256() for _ in range(count)]
    while not table.terminated.all():
        states = table.get_states()
        states["seed"] = 0
        for digest, state in zip(digests, states, strict=True):
            digest.update(state.tobytes())
        trial.check_turns(table)
        table.step(table.action_mask.argmax(axis=1))
    return [digest.hexdigest() for digest in digests]


def check_common_fields(trial: Trial) -> None:
    """The rules leave seats, options, seed and the decision count alone, and pay nothing early."""
    states, lengths = trial.history.states, trial.history.lengths
    for name, value in {"num_players": trial.num_players, **trial.options}.items():
        trial.require((states[name] == value).all(), f"the rules changed {name!r}")
    trial.require((states["seed"] == trial.seeds).all(), "the rules changed the seed")
    counted = np.minimum(np.arange(len(states))[:, None], lengths)
    trial.require((states["decisions"] == counted).all(), "the rules changed 'decisions'")
    early = states["rewards"][states["terminated"] == 0]
    trial.require(not early.any(), "rewards were paid before the end")


def check_observations(trial: Trial) -> None:
    """Every seat's observation in every state is finite and within the bounds of its pieces."""
    low, high = trial.game.layout.bounds()
    states = trial.history.every_state()
    table = trial.batch_at(states)
    trial.require(np.isin(table.action_mask, (0, 1)).all(), "the mask holds more than 0 and 1")
    for seat in range(trial.num_players):
        seen = table.observe(np.full(len(states), seat))
        outside = np.argwhere(~((low <= seen) & (seen <= high)))  # true for NaN
        if len(outside):
            row, at = outside[0]
            piece = [p for p in trial.game.pieces if trial.game.layout.start(p.name) <= at][-1]
            trial.fail(f"{piece.name!r} holds {seen[row, at]} for seat {seat}", states[row])
        turn = states["terminated"] == 0
        turn &= states["current_player"] == seat
        same = same_bits(seen[turn], table.observation[turn])
        trial.require(same, f"seat {seat} sees something else when it is to decide")


def check_seats(trial: Trial) -> None:
    """The AEC environment plays the same games: turns, masks, infos and rewards of every seat."""
    for index in range(trial.num_games):
        env = trial.env(reward=REWARDS[index // 2 % 2])
        env.reset(seed=int(trial.seeds[index]))
        actions = trial.history.actions_of(index)
        expected_states = trial.history.states[:, index : index + 1]
        for action, expected in zip(actions, expected_states, strict=False):
            state = env.get_state().state
            trial.require(same_bits(state, expected), "GameEnv differs from BatchEnv", state)
            check_turn(trial, env, state)
            env.step(action)
        check_turn(trial, env, env.get_state().state)
        check_end(trial, env, env.get_state().state)


def check_turn(trial: Trial, env: GameEnv, state: np.ndarray) -> None:
    """Only the seat to decide has legal actions, the same in the observation and in infos."""
    over, seat = bool(state["terminated"][0]), int(state["current_player"][0])
    trial.require(env.agents == env.possible_agents, "a seat left the table early", state)
    trial.require(set(env.terminations.values()) == {over}, "wrong terminations", state)
    selected = over or env.agent_selection == f"player_{seat}"
    trial.require(selected, f"{env.agent_selection} was asked instead of seat {seat}", state)
    for p, agent in enumerate(env.agents):
        seen = env.observe(agent)
        mask = seen["action_mask"]
        inside = env.observation_space(agent).contains(seen)
        trial.require(inside, f"the observation of {agent} leaves its space", state)
        to_move = not over and p == seat
        trial.require(mask.any() == to_move, f"the mask of {agent} is wrong", state)
        same = same_bits(mask, env.infos[agent]["action_mask"])
        trial.require(same, f"observation and infos of {agent} differ in the mask", state)
        trial.require(over or env.rewards[agent] == 0, f"{agent} was paid early", state)


def check_end(trial: Trial, env: GameEnv, state: np.ndarray) -> None:
    """Scores, ranks, winner shares and rewards agree, and rewards sum to 0."""
    infos, n = [env.infos[agent] for agent in env.agents], trial.num_players
    points, ranks = np.array([i["score"] for i in infos]), [i["rank"] for i in infos]
    for p, info in enumerate(infos):
        ahead, not_behind = (points > points[p]).sum(), (points >= points[p]).sum() - 1
        fits = ahead <= ranks[p] <= not_behind
        trial.require(fits, f"scores {points} do not fit ranks {ranks}", state)
        share = 1 / ranks.count(0) if ranks[p] == 0 else 0.0
        trial.require(info["winner_share"] == share, f"seat {p}: winner_share", state)
    if env.reward == "score":
        expected = (points - points.mean()) / trial.game.score_scale
    else:
        expected = np.array([(n * i["winner_share"] - 1) / (n - 1) for i in infos])
    paid = np.array([env.rewards[agent] for agent in env.agents])
    trial.require(np.allclose(paid, expected, atol=1e-5), f"{env.reward} paid {paid}", state)
    trial.require(abs(paid.sum()) < 1e-5, f"{env.reward} paid {paid}, not 0 in all", state)


def check_legal_actions(trial: Trial) -> None:
    """Every legal action is accepted and changes the state, even with the count left out."""
    for position in trial.positions("legal actions", 16):
        mask = trial.batch_at(position.state).action_mask[0]
        legal = np.flatnonzero(mask)
        if not len(legal):
            continue
        table = trial.batch_at(np.repeat(position.state, len(legal)))
        table.step(legal)
        before, after = position.state.copy(), table.get_states()
        before["decisions"], after["decisions"] = 0, 0
        for action, state in zip(legal, after, strict=True):
            changed = state.tobytes() != before.tobytes()
            trial.require(changed, f"legal action {action} changes nothing", position.state)


def check_illegal_actions(trial: Trial) -> None:
    """Every other action raises ValueError and leaves the game as it was."""
    for position in trial.positions("illegal actions", 4):
        env = trial.env_at(position)
        mask = trial.batch_at(position.state).action_mask[0]
        illegal = [*np.flatnonzero(mask == 0).tolist(), -1, len(mask), *NO_NUMBERS]
        for action in illegal:
            if action is None and env.terminations[env.agent_selection]:
                continue  # the closing step
            try:
                env.step(action)
            except ValueError:
                pass
            else:
                trial.fail(f"action {action!r} was accepted, its mask is 0", position.state)
            same = same_bits(env.get_state().state, position.state)
            trial.require(same, f"refusing action {action!r} changed the state", position.state)


def check_forfeits(trial: Trial) -> None:
    """With illegal="forfeit" an illegal action costs the mover 1, which the others share."""
    for position in trial.positions("forfeits", 4):
        if not position.state["terminated"][0]:
            mask = trial.batch_at(position.state).action_mask[0]
            for action in (-1, len(mask), *np.flatnonzero(mask == 0)[:1].tolist()):
                check_forfeit(trial, position, action)


def check_forfeit(trial: Trial, position: Position, action: int) -> None:
    """Forfeit by one illegal action, in both environments."""
    loser, n = int(position.state["current_player"][0]), trial.num_players
    expected = np.full(n, 1 / (n - 1))
    expected[loser] = -1
    env = trial.env_at(position, illegal="forfeit")
    env.step(action)
    table = trial.batch_at(position.state, illegal="forfeit")
    table.step(np.full(1, action))
    trial.require(
        all(env.terminations.values()), "the game went on after a forfeit", position.state
    )
    for paid in (list(env.rewards.values()), table.rewards[0, :n]):
        trial.require(np.allclose(paid, expected), f"a forfeit paid {paid}", position.state)
    same = same_bits(env.get_state().state, table.get_states())
    trial.require(same, "GameEnv and BatchEnv forfeit differently", position.state)
    told = env.infos[f"player_{loser}"]
    trial.require(told["rank"] == n - 1 and told["winner_share"] == 0, f"{told}", position.state)


def check_batch(trial: Trial) -> None:
    """Batches of any size on any number of threads play the games of GameEnv, deal after deal."""
    wide = 2 * LEAST_SHARE  # enough for two threads
    seeds = trial.deal_seeds(wide)
    sizes = ((wide, 1), (wide, 2), (3, 1), (1, 1))
    tables = [trial.batch(b, auto_reset=True, num_threads=threads) for b, threads in sizes]
    for table in tables:
        table.reset(seeds=seeds[: table.num_envs])
    envs = {row: trial.env() for row in (0, LEAST_SHARE - 1, LEAST_SHARE, wide - 1)}
    for row, env in envs.items():
        env.reset(seed=int(seeds[row]))
    actions = np.zeros(wide, np.int64)
    for _ in range(int(trial.history.lengths.max()) + 4):  # beyond the end of most games
        compare_batches(trial, tables)
        for row, env in envs.items():
            compare_row(trial, tables[0], row, env)
        tables[0].act("random", np.arange(wide), trial.seed, actions)
        for table in tables:
            table.step(actions[: table.num_envs])
        for row, env in envs.items():
            env.step(int(actions[row]))
    for table in tables:
        table.close()


def compare_batches(trial: Trial, tables: list[BatchEnv]) -> None:
    """The first rows of all batches are equal."""
    names = ("states", "observation", "action_mask", "current_player", "rewards", "terminated")
    for table in tables[1:]:
        for name in names:
            ours, theirs = getattr(tables[0], name), getattr(table, name)
            same = same_bits(ours[: table.num_envs], theirs)
            trial.require(same, f"{name} depends on the size of the batch or its threads")


def compare_row(trial: Trial, table: BatchEnv, row: int, env: GameEnv) -> None:
    """A row of a batch equals a GameEnv that is dealt anew after each game."""
    over = all(env.terminations.values())
    paid = [env.rewards[agent] for agent in env.agents]
    trial.require(table.terminated[row] == over, "a batch ends its games elsewhere")
    same = np.array_equal(table.rewards[row, : len(paid)], np.array(paid, np.float32))
    trial.require(same, f"a batch pays {table.rewards[row]} instead of {paid}")
    trial.require(not table.rewards[row, len(paid) :].any(), "a batch pays empty seats")
    if over:
        last = env.record().seed
        env.reset()
        trial.require(env.record().seed == int(mix(np.uint64(last))), "the next deal's seed")
    state, seen = env.get_state().state, env.observe(env.agent_selection)
    trial.require(
        same_bits(state, table.states[row : row + 1]), "a batch plays on elsewhere", state
    )
    for name in ("observation", "action_mask"):
        same = same_bits(seen[name], getattr(table, name)[row])
        trial.require(same, f"a batch shows another {name}", state)
