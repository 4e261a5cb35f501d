"""Three cups: a game for 3 whose best play and value are plain, so that learning can be judged.

In each of two rounds every seat secretly draws a number 0 … 2, its cup. In seat order each picks
a cup for all to see; the own one earns WEIGHTS[seat] points. All numbers are shown at the end.
Nobody can do anything about the others, so best play scores (6, 4, 2): a learner that credits
rewards to the wrong seats, or that sees too much or too little, does not get there.
"""

from typing import Any

import numpy as np

from hanazono.envs.core.bots import random_bot
from hanazono.envs.core.game import ActionGroup, Field, Game, Rules, Words
from hanazono.envs.core.kernel import kernel
from hanazono.envs.core.observation import Layout, Piece
from hanazono.envs.core.rng import below, draw, keyed

SEATS, CUPS, ROUNDS = 3, 3, 2
WEIGHTS = np.array([3, 2, 1], np.int8)
VALUE = (6, 4, 2)  # points under best play, by seat

FIELDS = (
    Field("number", np.int8, (ROUNDS, SEATS), "cup of each seat by round, -1 not drawn"),
    Field("pick", np.int8, (ROUNDS, SEATS), "cup picked, -1 not picked"),
    Field("round_index", np.int8, (), "round 0..1, 2 when finished"),
)

PIECES = (
    Piece("cup", (CUPS,), 0, 1, "1: the own cup of this round", "cup"),
    Piece("seat", (SEATS,), 0, 1, "one-hot: the own seat"),
    Piece("mover", (SEATS,), 0, 1, "one-hot: the seat to decide, counted from the own one"),
    Piece("round", (ROUNDS,), 0, 1, "one-hot"),
    Piece("earlier", (CUPS,), 0, 1, "1: the own cup of the first round, in the second"),
    Piece("picks", (ROUNDS, SEATS, CUPS), 0, 1, "1: picked this cup; seats from the own one"),
    Piece("shown", (ROUNDS, SEATS, CUPS), 0, 1, "all cups at the end; seats from the own one"),
)
LAYOUT = Layout(PIECES)
AT_CUP, AT_SEAT, AT_MOVER = map(LAYOUT.start, ("cup", "seat", "mover"))
AT_ROUND, AT_EARLIER = map(LAYOUT.start, ("round", "earlier"))
AT_PICKS, AT_SHOWN = map(LAYOUT.start, ("picks", "shown"))


@kernel
def reset(s: Any) -> None:
    s.number[:] = -1
    s.pick[:] = -1
    s.round_index = 0
    s.current_player = 0
    draw_cups(s)


@kernel
def draw_cups(s: Any) -> None:
    for p in range(SEATS):
        s.number[s.round_index, p] = below(draw(s), CUPS)


@kernel
def action_mask(s: Any, out: Any) -> None:
    out[:CUPS] = 1


@kernel
def step(s: Any, action: Any) -> None:
    s.pick[s.round_index, s.current_player] = action
    if s.current_player < SEATS - 1:
        s.current_player += 1
        return
    s.round_index += 1
    if s.round_index == ROUNDS:
        s.terminated = 1
    else:
        s.current_player = 0
        draw_cups(s)


@kernel
def scores(s: Any, out: Any) -> None:
    out[:] = 0.0
    for r in range(ROUNDS):
        for p in range(SEATS):
            if s.pick[r, p] >= 0 and s.pick[r, p] == s.number[r, p]:
                out[p, 0] += WEIGHTS[p]


@kernel
def observe(s: Any, player: Any, out: Any) -> None:
    out[AT_SEAT + player] = 1.0
    write_cups(s, s.pick, player, out, AT_PICKS)
    if s.terminated:
        write_cups(s, s.number, player, out, AT_SHOWN)
        return
    out[AT_MOVER + (s.current_player - player + SEATS) % SEATS] = 1.0
    out[AT_ROUND + s.round_index] = 1.0
    out[AT_CUP + s.number[s.round_index, player]] = 1.0
    if s.round_index == 1:
        out[AT_EARLIER + s.number[0, player]] = 1.0


@kernel
def write_cups(s: Any, cups: Any, player: Any, out: Any, start: Any) -> None:
    for r in range(ROUNDS):
        for j in range(SEATS):
            cup = cups[r, (player + j) % SEATS]
            if cup >= 0:
                out[start + (r * SEATS + j) * CUPS + cup] = 1.0


@kernel
def resample_hidden(s: Any, player: Any, seed: Any) -> None:
    """Redraw the other seats' cups, and the seed, since chance is still to come."""
    if s.terminated:
        return
    s.seed = keyed(seed, 0)
    for r in range(s.round_index + 1):
        for p in range(SEATS):
            if p != player:
                s.number[r, p] = below(keyed(seed, 1 + r * SEATS + p), CUPS)


@kernel
def own_cup(s: Any, mask: Any, noise: Any) -> Any:
    """Pick the own cup: best play."""
    return s.number[s.round_index, s.current_player]


def action_words(s: Any, action: int) -> str:
    return f"pick cup {action}" if 0 <= action < CUPS else f"no action ({action})"


def known(s: Any, seat: int | None, r: int, p: int) -> int | None:
    """The cup of seat p in round r as far as `seat` knows it."""
    told = s.number[r, p] >= 0 and (s.terminated or seat in (None, p))
    return int(s.number[r, p]) if told else None


def view(s: Any, seat: int | None) -> dict[str, Any]:
    return {
        "finished": bool(s.terminated),
        "round": None if s.terminated else int(s.round_index),
        "to_move": None if s.terminated else int(s.current_player),
        "picks": s.pick.tolist(),
        "cups": [[known(s, seat, r, p) for p in range(SEATS)] for r in range(ROUNDS)],
    }


def text(s: Any, seat: int | None) -> str:
    return "\n".join(f"{key}: {value}" for key, value in view(s, seat).items())


def event(s: Any, action: int, after: Any, seat: int | None) -> str:
    return action_words(s, action)


def sheet(s: Any) -> dict[str, list[int]]:
    won = np.zeros((SEATS, 2))
    if s.terminated:
        scores(s, won)
    return {"own cups": won[:, 0].astype(int).tolist()}


GAME = Game(
    name="three_cups",
    title="Three cups",
    module="toys.three_cups",
    rules_version=0,
    min_players=SEATS,
    max_players=SEATS,
    fields=FIELDS,
    num_actions=CUPS,
    actions=(ActionGroup("pick", 0, CUPS, "cup"),),
    pieces=PIECES,
    rules=Rules(reset, action_mask, step, observe, scores, resample_hidden),
    words=Words(action_words, text, view, event, sheet),
    bots={"random": random_bot, "own_cup": own_cup},
    max_decisions=lambda num_players, options: SEATS * ROUNDS,
    score_scale=2.0,
)
