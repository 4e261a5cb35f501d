"""Conformance on hidden information: no view of a seat tells what the seat cannot know.

`resample_hidden` exchanges what a seat cannot know for something else that fits. Whatever the seat
can see must then be the same to the last byte; what it cannot see must differ often enough for that
to mean something.
"""

import itertools
import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from hanazono.envs.core.aec import GameEnv
from hanazono.envs.core.batch import BatchEnv
from hanazono.envs.core.kernel import bind, kernel_view
from hanazono.envs.core.rng import keyed
from hanazono.envs.core.trial import Position, Trial, same_bits

MAY_CHANGE = ("seed", "chance")  # common fields that resampling may set, to change the future
LEAST_CHANGED = 0.2  # share of the running states that resampling has to change
PLAYED_OUT = 32  # resampled states that are played to the end, for each seat


def act(s: Any, mask: Any, noise: Any) -> Any:
    """Stand-in for a bot, see `bind`."""
    raise NotImplementedError


def choose(states: Any, mask: Any, noise: Any, actions: Any) -> None:
    """Let a bot choose in every state with the given random bits."""
    for i in range(states.shape[0]):
        actions[i] = act(states[i], mask[i], noise[i])


def resampled(trial: Trial, states: np.ndarray, seat: int, label: int) -> BatchEnv:
    """A batch in `states` with what `seat` cannot know redrawn; `label` picks the seeds."""
    table = trial.batch_at(states)
    seeds = trial.rng(f"resample {label}").integers(2**63, size=len(states), dtype=np.int64)
    table.resample_hidden(np.full(len(states), seat), seeds)
    return table


def check_resampling(trial: Trial) -> None:
    """Resampling is a function of its seed, keeps the common fields, and changes what is hidden."""
    states = trial.history.every_state()
    kept = [f for f in public_fields(trial) if f not in MAY_CHANGE]
    for seat in range(trial.num_players):
        once, again, other = (resampled(trial, states, seat, k).states for k in (0, 0, 1))
        trial.require(same_bits(once, again), f"resample_hidden for seat {seat} has its own chance")
        for name in kept:
            same = same_bits(once[name], states[name])
            trial.require(same, f"resample_hidden for seat {seat} changes {name!r}")
        changed = differs(once, states) | differs(other, states)
        share = changed[states["terminated"] == 0].mean()
        enough = share >= LEAST_CHANGED
        trial.require(enough, f"resample_hidden for seat {seat} changes {share:.0%} of the states")


def public_fields(trial: Trial) -> list[str]:
    """The fields that all games share, and the options."""
    own = {field.name for field in trial.game.fields}
    return [name for name in trial.game.dtype.names or () if name not in own]


def differs(states: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Where two arrays of states differ in more than the seed and count of chance: bool [K]."""
    states, others = states.copy(), others.copy()
    for name in MAY_CHANGE:
        states[name], others[name] = 0, 0
    return np.array([a.tobytes() != b.tobytes() for a, b in zip(states, others, strict=True)])


def check_vectors(trial: Trial) -> None:
    """Observation and mask of a seat are the same after resampling, in every recorded state;
    what the others see changes somewhere."""
    states = trial.history.every_state()
    before = trial.batch_at(states)
    for seat in range(trial.num_players):
        after = resampled(trial, states, seat, 0)
        others_changed = False
        for reader in range(trial.num_players):
            readers = np.full(len(states), reader)
            pairs = zip(before.observe(readers), after.observe(readers), strict=True)
            changed = np.flatnonzero([a.tobytes() != b.tobytes() for a, b in pairs])
            if reader != seat:
                others_changed |= len(changed) > 0
            elif len(changed):
                trial.fail(f"the observation of seat {seat} leaks", states[changed[0]])
        trial.require(others_changed, f"nothing that others see is hidden from seat {seat}")
        turn = states["current_player"] == seat
        masks = before.action_mask[turn], after.action_mask[turn]
        trial.require(same_bits(*masks), f"the mask of seat {seat} leaks")


def check_views(trial: Trial) -> None:
    """Everything else a seat is told is the same after resampling; the full truth is not."""
    truth_changed = np.zeros(trial.num_players, bool)
    for position in trial.positions("views", 20):
        before = trial.env_at(position, render_mode="ansi")
        for seat in range(trial.num_players):
            redrawn = resampled(trial, position.state, seat, 2).get_states()
            after = trial.env_at(Position(redrawn, position.actions), render_mode="ansi")
            told, told_after = seat_view(before, seat), seat_view(after, seat)
            for name, value in told.items():
                same = value == told_after[name]
                trial.require(same, f"{name!r} of seat {seat} leaks", position.state)
            truth_changed[seat] |= before.to_dict() != after.to_dict()
    trial.require(truth_changed.all(), "to_dict does not tell what is hidden from each seat")


def seat_view(env: GameEnv, seat: int) -> dict[str, Any]:
    """All that an environment tells one seat, by where it is told."""
    agent, words = f"player_{seat}", env.game.words
    s = env.get_state().state.view(np.recarray)[0]
    seen, info = env.observe(agent), dict(env.infos[agent])
    told = {
        "observation": seen["observation"].tobytes(),
        "action_mask": seen["action_mask"].tobytes(),
        "infos['action_mask']": info.pop("action_mask").tobytes(),
        "infos": info,
        "view": json.dumps(env.view(agent)),
        "words.view": json.dumps(words.view(s, seat)),
        "words.text": words.text(s, seat),
        "words.sheet": json.dumps(words.sheet(s)),
        "turn": (env.agent_selection, env.agents, env.terminations, env.rewards),
    }
    if env.agent_selection == agent:
        told["render"] = env.render()
        actions = range(-1, env.game.num_actions + 1)
        told["action_words"] = [env.action_words(action) for action in actions]
    return told


def check_events(trial: Trial) -> None:
    """What a seat is told of an action follows from what it sees: choices that differ for the
    mover, but look the same to the seat, are told alike."""
    for position in trial.positions("events", 8):
        if position.state["terminated"][0]:
            continue
        for seat in range(trial.num_players):
            found = events(trial, position.state, seat)
            for (seen, own, told), (as_seen, as_own, as_told) in itertools.combinations(found, 2):
                leaks = seen == as_seen and own != as_own and told != as_told
                trial.require(not leaks, f"an event leaks to seat {seat}: {told}", position.state)


def events(trial: Trial, state: np.ndarray, seat: int) -> Iterator[tuple[str, str, str]]:
    """For every legal action: what the seat and the mover see after it, and what the seat is told
    of it, which must not change with what is hidden before and after."""
    words, mover = trial.game.words, int(state["current_player"][0])
    legal = np.flatnonzero(trial.batch_at(state).action_mask[0])
    table = trial.batch_at(np.repeat(state, len(legal)))
    table.step(legal)
    s, hidden = (
        state.view(np.recarray)[0],
        resampled(trial, state, seat, 7).states.view(np.recarray),
    )
    others = resampled(trial, table.get_states(), seat, 8).states.view(np.recarray)
    afters = table.states.view(np.recarray)
    for action, after, other in zip(legal.tolist(), afters, others, strict=True):
        told = words.event(s, action, after, seat)
        same = words.event(hidden[0], action, other, seat) == told
        trial.require(same, f"an event tells seat {seat} what is hidden: {told}", state)
        seen, own = (json.dumps(words.view(after, reader)) for reader in (seat, mover))
        yield seen, own, told


def check_bots_are_fair(trial: Trial) -> None:
    """No bot's choice depends on what its seat cannot know."""
    states = trial.history.every_state()
    states = states[states["terminated"] == 0]
    noise = np.array([keyed(trial.seed, i) for i in range(len(states))], np.uint64)
    before = trial.batch_at(states)
    for name, bot in trial.game.bots.items():
        loop = bind(choose, f"{trial.game.name}_{name}", act=bot)
        choices = np.zeros((2, len(states)), np.int64)
        loop(kernel_view(before.states), before.action_mask, noise, choices[0])
        for seat in range(trial.num_players):
            after = resampled(trial, states, seat, 3)
            loop(kernel_view(after.states), after.action_mask, noise, choices[1])
            unfair = (choices[0] != choices[1]) & (states["current_player"] == seat)
            if unfair.any():
                trial.fail(f"bot {name!r} uses what is hidden", states[unfair.argmax()])


def check_future(trial: Trial) -> None:
    """Where chance is still to come, resampling changes it: nobody can read the future."""
    history = trial.history
    drawn_later = history.states["chance"] < history.states[-1]["chance"]
    states = history.states[drawn_later]
    if not len(states):
        return
    for seat in range(trial.num_players):
        after = resampled(trial, states, seat, 4).states
        same = (after["seed"] == states["seed"]) & (after["chance"] == states["chance"])
        if same.any():
            known = f"seat {seat} knows the chance to come: resample_hidden keeps seed and counter"
            trial.fail(known, states[same.argmax()])


def check_play_after(trial: Trial) -> None:
    """A resampled state is a state of the game: it can be played to an end within the limit."""
    states = trial.history.every_state()
    states = states[states["terminated"] == 0]
    for seat in range(trial.num_players):
        some = trial.rng(f"play {seat}").integers(len(states), size=PLAYED_OUT)
        table = resampled(trial, states[some], seat, 5)
        for _ in trial.play_out(table, {"random": list(range(PLAYED_OUT))}):
            pass
