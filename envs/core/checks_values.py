"""Conformance of games as values: copies, records, words, and the same game in another process."""

import copy
import hashlib
import json
import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from hanazono.envs.core.aec import GameEnv
from hanazono.envs.core.record import GameRecord, replay
from hanazono.envs.core.trial import Trial, same_bits


def check_copies(trial: Trial) -> None:
    """A game that is copied at every step, three ways in turn, goes the same way to its end."""
    env, other, ways = trial.env(), trial.env(), (by_deepcopy, by_pickle, by_state)
    env.reset(seed=int(trial.seeds[0]))
    other.reset(seed=int(trial.seeds[0]))
    actions = [*trial.history.actions_of(0), *[None] * trial.num_players]
    for step, action in enumerate(actions):
        way, before = ways[step % len(ways)], everything(env)
        other = way(other)
        message = f"a copy {way.__name__} is another game"
        trial.require(everything(other) == before, message, env.get_state().state)
        other.step(action)
        same = everything(env) == before
        trial.require(same, f"a copy {way.__name__} shares state", env.get_state().state)
        env.step(action)
    trial.require(everything(by_deepcopy(other)) == everything(env), "copies end differently")


def by_deepcopy(env: GameEnv) -> GameEnv:
    """A copy by copy.deepcopy."""
    return copy.deepcopy(env)


def by_pickle(env: GameEnv) -> GameEnv:
    """A copy by pickle."""
    twin: GameEnv = pickle.loads(pickle.dumps(env))  # noqa: S301 - made a moment ago
    return twin


def by_state(env: GameEnv) -> GameEnv:
    """A copy by get_state and set_state."""
    options: dict[str, Any] = dict(env.options)
    twin = GameEnv(env.game, env.num_players, **options)
    twin.set_state(env.get_state())
    return twin


def everything(env: GameEnv) -> dict[str, Any]:
    """All that can be seen of an environment, as values that compare."""
    seen = [env.observe(agent) for agent in env.possible_agents]
    infos = {a: {k: np.asarray(v).tolist() for k, v in env.infos[a].items()} for a in env.agents}
    names = ("agents", "agent_selection", "rewards", "_cumulative_rewards", "terminations")
    return {
        "state": env.get_state().state.tobytes(),
        "record": env.record(),
        "infos": infos,
        "observations": [(o["observation"].tobytes(), o["action_mask"].tobytes()) for o in seen],
        **{name: copy.copy(getattr(env, name)) for name in names},
    }


def check_return(trial: Trial) -> None:
    """Going back to an earlier state and playing on leads to the same end."""
    actions = trial.history.actions_of(0)
    middle, env = len(actions) // 2, trial.env()
    env.reset(seed=int(trial.seeds[0]))
    for action in actions[:middle]:
        env.step(action)
    value, ends = env.get_state(), []
    for _ in range(2):
        env.set_state(value)
        for action in actions[middle:]:
            env.step(action)
        ends.append(everything(env))
    trial.require(ends[0] == ends[1], "going back led to another end")


def check_records(trial: Trial) -> None:
    """Records of whole and unfinished games come back from a file and a string, and replay."""
    with tempfile.TemporaryDirectory() as folder:
        for position in trial.positions("records", 3):
            record, state = trial.env_at(position).record(), position.state
            record.save(Path(folder, "game.json"))
            loaded = GameRecord.load(Path(folder, "game.json"))
            trial.require(loaded == record, "a record comes back changed from its file", state)
            read = GameRecord.from_string(record.to_string(trial.game), trial.game)
            trial.require(read == record, "a record comes back changed from its text", state)
            *_, table = replay(trial.game, read)
            same = same_bits(table.get_states(), state)
            trial.require(same, "a record replays to another state", state)


def check_replay(trial: Trial) -> None:
    """Replaying a record goes through the same states; a forfeit ends it the same way."""
    actions = trial.history.actions_of(0)
    end = trial.env_at(trial.history.position(0, len(actions)))
    for step, table in enumerate(replay(trial.game, end.record())):
        state = trial.history.position(0, step).state
        if step < len(actions):  # the last state holds rewards, which depend on their kind
            same = same_bits(table.get_states(), state)
            trial.require(same, "a record replays through other states", state)
    env = trial.env_at(trial.history.position(0, len(actions) // 2), illegal="forfeit")
    env.step(-1)
    record = env.record()
    trial.require(record.forfeited, "the record of a forfeited game does not say so")
    read = GameRecord.from_string(record.to_string(trial.game), trial.game)
    *_, table = replay(trial.game, read)
    same = read == record and same_bits(table.get_states(), env.get_state().state)
    trial.require(same, "a forfeited game replays to another state", env.get_state().state)


def check_sheets(trial: Trial) -> None:
    """The score sheet has a value for every seat, and adds up to the scores when a game is over."""
    for index in range(trial.num_games):
        end = trial.history.position(index, int(trial.history.lengths[index])).state
        for state in (trial.history.position(index, 0).state, end):
            sheet = trial.game.words.sheet(state.view(np.recarray)[0])
            plain = json.loads(json.dumps(sheet)) == sheet
            trial.require(plain, f"the sheet is not plain JSON: {sheet!r}", state)
            full = all(len(points) == trial.num_players for points in sheet.values())
            trial.require(full, f"the sheet is not for every seat: {sheet!r}", state)
        table = trial.batch_at(end)
        table.score()
        total = np.sum(list(sheet.values()), axis=0)
        same = np.array_equal(total, table.final_scores[0, : trial.num_players, 0])
        trial.require(same, f"the sheet does not add up to the scores: {sheet!r}", end)


def check_words(trial: Trial) -> None:
    """Texts are texts, views are plain JSON, and legal actions have different words."""
    words = trial.game.words
    for position in trial.positions("words", 8):
        state = position.state.copy()
        s = state.view(np.recarray)[0]
        for seat in (None, *range(trial.num_players)):
            text, view = words.text(s, seat), words.view(s, seat)
            trial.require(type(text) is str and text, f"the text for {seat} is {text!r}", state)
            plain = json.loads(json.dumps(view, allow_nan=False)) == view
            trial.require(plain, f"the view of {seat} is not plain JSON: {view!r}", state)
        told = [words.action(s, action) for action in range(-1, trial.game.num_actions + 1)]
        trial.require(all(type(t) is str and t for t in told), "an action has no words", state)
        legal = np.flatnonzero(trial.batch_at(state).action_mask[0])
        apart = len({told[int(action) + 1] for action in legal}) == len(legal)
        trial.require(apart, "two legal actions have the same words", state)
        trial.require(same_bits(state, position.state), "telling the state changed it", state)


# Other processes


WHOLE = 10**9  # steps, more than any game has


def check_processes(trials: list[Trial]) -> None:
    """Another process plays the same games, and so do the rules as plain Python."""
    for trial, told in zip(trials, told_elsewhere(trials, WHOLE), strict=True):
        trial.require(told == digest(trial, WHOLE), "another process plays other games")
    steps = max(20, 200 // len(trials))  # as plain Python a step takes milliseconds
    plain = told_elsewhere(trials, steps, NUMBA_DISABLE_JIT="1")
    for trial, told in zip(trials, plain, strict=True):
        trial.require(told == digest(trial, steps), "the rules play otherwise as plain Python")


def digest(trial: Trial, steps: int) -> str:
    """A digest of two games between random bots: states, masks and observations."""
    table = trial.batch(2)
    table.reset(seeds=trial.deal_seeds(2))
    actions, total = np.zeros(2, np.int64), hashlib.sha256()
    while not table.terminated.all() and steps > 0:
        for part in (table.states, table.action_mask, table.observation):
            total.update(part.tobytes())
        table.act("random", np.arange(2), trial.seed, actions)
        table.step(actions)
        steps -= 1
    total.update(table.states.tobytes())
    return total.hexdigest()


def told_elsewhere(trials: list[Trial], steps: int, **environment: str) -> list[str]:
    """The digests from a fresh process, whose strings hash otherwise."""
    arguments = [(t.num_players, t.options, t.seed, t.num_games) for t in trials]
    code = (
        f"import sys; sys.path[:] = {sys.path!r}\n"
        "from hanazono.envs.core.checks_values import digest\n"
        "from hanazono.envs.core.game import load_game\n"
        "from hanazono.envs.core.trial import Trial\n"
        f"game = load_game({trials[0].game.module!r})\n"
        f"for arguments in {arguments!r}:\n"
        f"    print('digest', digest(Trial(game, *arguments), {steps}))\n"
    )
    other_hash = {"PYTHONHASHSEED": str(1 + int(os.environ.get("PYTHONHASHSEED") == "1"))}
    child = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | other_hash | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    trials[0].require(child.returncode == 0, f"another process failed:\n{child.stderr}")
    lines = [line.split() for line in child.stdout.splitlines()]
    return [words[1] for words in lines if words[:1] == ["digest"]]
