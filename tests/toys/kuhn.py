"""Kuhn poker for 2 (H. W. Kuhn, "A simplified two-person poker", 1950), as a game of the engine.

Both seats ante one chip and get one card. Seat 0 passes or bets a chip, then seat 1; after pass
and bet, seat 0 decides again. Passing a bet folds. With three cards and best play seat 0 loses
1/18 chip a game.
"""

from typing import Any

import numpy as np

from hanazono.envs.core.bots import random_bot
from hanazono.envs.core.game import ActionGroup, Field, Game, Option, Rules, Words
from hanazono.envs.core.kernel import kernel
from hanazono.envs.core.observation import Layout, Piece
from hanazono.envs.core.rng import below, draw, keyed

PASS, BET = 0, 1
MOVES = 3  # most moves in a game
MOST_CARDS = 5
VALUE = -1 / 18  # chips a game for seat 0 at equilibrium, three cards

FIELDS = (
    Field("card", np.int8, (2,), "card of each seat, 0 lowest"),
    Field("moves", np.int8, (MOVES,), "PASS or BET, -1 not made"),
    Field("made", np.int8, (), "moves made"),
)
OPTIONS = (Option("cards", 3, (3, 4, MOST_CARDS), "cards in the deck"),)

PIECES = (
    Piece("own", (MOST_CARDS,), 0, 1, "own card, one-hot"),
    Piece("shown", (MOST_CARDS,), 0, 1, "card of the other seat after a showdown, one-hot"),
    Piece("history", (MOVES, 2), 0, 1, "moves made: pass, bet"),
    Piece("deck", (MOST_CARDS,), 0, 1, "1: the card is in the deck"),
)
LAYOUT = Layout(PIECES)
AT_OWN, AT_SHOWN = LAYOUT.start("own"), LAYOUT.start("shown")
AT_HISTORY, AT_DECK = LAYOUT.start("history"), LAYOUT.start("deck")


@kernel
def reset(s: Any) -> None:
    s.card[0] = below(draw(s), s.cards)
    s.card[1] = below(draw(s), s.cards - 1)
    if s.card[1] >= s.card[0]:
        s.card[1] += 1
    s.moves[:] = -1
    s.made = 0
    s.current_player = 0


@kernel
def action_mask(s: Any, out: Any) -> None:
    out[PASS] = 1
    out[BET] = 1


@kernel
def bets(s: Any) -> Any:
    """How many of the moves made are bets."""
    count = 0
    for i in range(s.made):
        count += s.moves[i] == BET
    return count


@kernel
def step(s: Any, action: Any) -> None:
    s.moves[s.made] = action
    s.made += 1
    if bets(s) == 2 or (s.made >= 2 and action == PASS):
        s.terminated = 1
    else:
        s.current_player = 1 - s.current_player


@kernel
def folded(s: Any) -> Any:
    """Whether the game ended without a showdown, by fold or forfeit; the last mover lost."""
    return s.terminated and (s.forfeited >= 0 or bets(s) == 1)


@kernel
def scores(s: Any, out: Any) -> None:
    """Chips won; 0 while the game runs."""
    out[:2] = 0.0
    if folded(s):
        out[1 - s.current_player, 0] = 1.0
        out[s.current_player, 0] = -1.0
    elif s.terminated:
        winner = 0 if s.card[0] > s.card[1] else 1
        out[winner, 0] = 1.0 + (bets(s) == 2)
        out[1 - winner, 0] = -out[winner, 0]


@kernel
def observe(s: Any, player: Any, out: Any) -> None:
    out[AT_OWN + s.card[player]] = 1.0
    if s.terminated and not folded(s):
        out[AT_SHOWN + s.card[1 - player]] = 1.0
    for i in range(s.made):
        out[AT_HISTORY + 2 * i + s.moves[i]] = 1.0
    for c in range(s.cards):
        out[AT_DECK + c] = 1.0


@kernel
def resample_hidden(s: Any, player: Any, seed: Any) -> None:
    if not s.terminated or folded(s):
        other = below(keyed(seed, 1), s.cards - 1)
        s.card[1 - player] = other + (other >= s.card[player])


@kernel
def honest(s: Any, mask: Any, noise: Any) -> Any:
    """Bet, or call, with the highest card only."""
    return BET if s.card[s.current_player] == s.cards - 1 else PASS


def action_words(s: Any, action: int) -> str:
    names = ("fold", "call") if bets(s) else ("check", "bet")
    return names[action] if action in (PASS, BET) else f"no action ({action})"


def view(s: Any, seat: int | None) -> dict[str, Any]:
    told: dict[str, Any] = {
        "finished": bool(s.terminated),
        "to_move": None if s.terminated else int(s.current_player),
        "moves": [("pass", "bet")[m] for m in s.moves[: s.made]],
    }
    if seat is None or (s.terminated and not folded(s)):
        told["cards"] = [int(c) for c in s.card]
    else:
        told["card"] = int(s.card[seat])
    return told


def text(s: Any, seat: int | None) -> str:
    return "\n".join(f"{key}: {value}" for key, value in view(s, seat).items())


def event(s: Any, action: int, after: Any, seat: int | None) -> str:
    return action_words(s, action)


def sheet(s: Any) -> dict[str, list[int]]:
    chips = np.zeros((2, 2))
    scores(s, chips)
    return {"chips": chips[:, 0].astype(int).tolist()}


GAME = Game(
    name="kuhn",
    title="Kuhn poker",
    module="toys.kuhn",
    rules_version=0,
    min_players=2,
    max_players=2,
    fields=FIELDS,
    num_actions=2,
    actions=(ActionGroup("move", 0, 2),),
    pieces=PIECES,
    rules=Rules(reset, action_mask, step, observe, scores, resample_hidden),
    words=Words(action_words, text, view, event, sheet),
    bots={"random": random_bot, "honest": honest},
    max_decisions=lambda num_players, options: MOVES,
    score_scale=1.0,
    options=OPTIONS,
)
