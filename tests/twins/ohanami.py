"""Ohanami's engine and its slow twin (tests/reference/ohanami.py), held side by side.

Both are asked the same questions, and the answers are compared. Cards are ids 0 to 119 as in the
engine, but printed numbers 1 to 120 where words are compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hanazono.envs.ohanami import GAME
from hanazono.envs.ohanami.rules import DISCARDED, IN_HAND, LAID, ROWS
from reference.ohanami import COLOURS, DISCARD, ROUNDS, Ohanami, Player, colour
from twins.compare import Comparison

LAYOUT = GAME.layout
PART = {
    piece.name: slice(LAYOUT.start(piece.name), LAYOUT.start(piece.name) + piece.size)
    for piece in GAME.pieces
}
STAGES = ("pick first", "pick second", "place first", "place second")


class Pair(Comparison):
    """One game, played by the twin along with the engine's state record."""

    def __init__(self, s: Any) -> None:
        """`s` is a freshly dealt state; the twin gets the same deal."""
        n = int(s["num_players"])
        super().__init__(GAME, n, Ohanami(n, s["deal"][:, :n].tolist()))

    def truths(self, s: Any, mask: np.ndarray) -> tuple[dict[str, Any], dict[str, Any]]:
        """The whole state, and the legal actions."""
        return engine_truth(s, mask), self._truth()

    def knowledge(self, seen: np.ndarray, v: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """Where the observation of v says that the cards are."""
        return engine_knowledge(seen, v, self.num_players), twin_knowledge(self.twin, v)

    def pieces(self, v: int) -> dict[str, np.ndarray]:
        """Every piece of v's observation, by the twin."""
        return expected_pieces(self.twin, v)

    def words(self, v: int | None) -> dict[str, Any]:
        """The view of v, or the full one for None, by the twin."""
        rest = all_words(self.twin) if v is None else private_words(self.twin, v)
        return public_words(self.twin) | rest

    def final(self) -> tuple[Sequence[int], Sequence[int]]:
        """Points and pink cards by seat."""
        return self.twin.scores(), self.twin.pink()

    def _truth(self) -> dict[str, Any]:
        twin = self.twin
        return twin.truth() | {
            "gardens": [player.rows for player in twin.players],
            "discarded": sorted(card for player in twin.players for card in player.discarded),
            "discards": [len(player.discarded) for player in twin.players],
            "mover": twin.current_player,
            "stage": stage(twin),
            "finished": twin.finished,
            "legal": twin.legal_actions(),
        }


def stage(twin: Ohanami) -> int:
    """§ 8: 0 and 1 for the first and second pick, 2 and 3 for the first and second placing."""
    empty = twin.players[twin.current_player].picks.count(None)
    if twin.placing:
        return 2 + empty
    return 2 - empty


# What the engine says


def engine_truth(s: Any, mask: np.ndarray) -> dict[str, Any]:
    """The engine's state in the twin's terms."""
    n, turn, round_index = int(s["num_players"]), int(s["turn"]), int(s["round_index"])
    at: list[list[int]] = [[] for _ in range(LAID + ROWS * n)]
    for c, code in enumerate(s["place"].tolist()):
        at[code].append(c)
    away = turn if round_index == 1 else -turn  # how far from the seat its hand was dealt
    gardens = [at[LAID + ROWS * p : LAID + ROWS * (p + 1)] for p in range(n)]
    low, high, length = s["low"].tolist(), s["high"].tolist(), s["length"].tolist()
    return {
        "round": round_index,
        "turn": turn,
        "hands": [at[IN_HAND + (p + away) % n] for p in range(n)],
        "picks": [[c if c >= 0 else None for c in pair] for pair in s["picks"].tolist()[:n]],
        "rows": [
            [ends if ends[2] else None for ends in zip(low[p], high[p], length[p], strict=True)]
            for p in range(n)
        ],
        "gardens": gardens,
        "colours": s["colours"].tolist()[:n],
        "laid": sorted(c for garden in gardens for row in garden for c in row),
        "discarded": at[DISCARDED],
        "discards": s["discards"].tolist()[:n],
        "scores": s["points"].tolist()[:n],
        "mover": int(s["current_player"]),
        "stage": int(s["stage"]),
        "finished": bool(s["terminated"]),
        "legal": np.flatnonzero(mask).tolist(),
    }


def engine_knowledge(seen: np.ndarray, v: int, num_players: int) -> dict[str, Any]:
    """What an observation says, in the terms of `twin_knowledge`."""
    passes = np.round(4 - 3 * seen[PART["known"]])  # 4 for a card that is in no known hand
    clockwise = seen[PART["clockwise"]][0] == 1
    picks = seen[PART["picks"]].reshape(2, 6).tolist()
    discards = seen[PART["discards"]].tolist()
    return {
        "hand": np.flatnonzero(seen[PART["hand"]]).tolist(),
        "picks": [round(120 * pick[1]) - 1 if pick[0] else None for pick in picks],
        "out": np.flatnonzero(seen[PART["out"]]).tolist(),
        "known_hands": {
            (v + j) % num_players: np.flatnonzero(
                passes == (num_players - j if clockwise else j)
            ).tolist()
            for j in range(1, num_players)
        },
        "discard_counts": [round(30 * discards[(p - v) % num_players]) for p in range(num_players)],
    }


def twin_knowledge(twin: Ohanami, v: int) -> dict[str, Any]:
    """What an observation should say: it does not tell laid cards from known discards."""
    knowledge: dict[str, Any] = twin.knowledge(v)
    out = sorted(knowledge.pop("laid") + knowledge.pop("known_discards"))
    return knowledge | {"out": out}


# What an observation should be


def expected_pieces(twin: Ohanami, v: int) -> dict[str, np.ndarray]:
    """Every piece of seat v's observation, from the twin alone."""
    pieces = {piece.name: np.zeros(piece.shape) for piece in GAME.pieces}
    knowledge = twin_knowledge(twin, v)
    pieces["out"][knowledge["out"]] = 1
    for q, cards in knowledge["known_hands"].items():
        away = (q - v) % twin.num_players
        passes = away if twin.round == 1 else twin.num_players - away
        pieces["known"][cards] = (4 - passes) / 3
    write_table(twin, v, pieces)
    if not twin.finished:
        write_own_cards(twin, v, pieces)
        pieces["round"][twin.round] = 1
        pieces["turn"][twin.turn] = 1
        pieces["stage"][stage(twin)] = 1
        pieces["mover"][(twin.current_player - v) % twin.num_players] = 1
        pieces["clockwise"][0] = twin.round != 1
    return pieces


def write_table(twin: Ohanami, v: int, pieces: dict[str, np.ndarray]) -> None:
    """What lies open, seats counted clockwise from v."""
    for p, player in enumerate(twin.players):
        j = (p - v) % twin.num_players
        for r, row in enumerate(player.rows):
            if row:
                pieces["rows"][j, r] = (row[0] + 1) / 120, (row[-1] + 1) / 120, len(row) / 30
        pieces["colours"][j] = [player.counts()[name] / 30 for name in COLOURS]
        pieces["points"][j] = player.score / 250
        left = range(twin.round, ROUNDS)
        pieces["banked"][j] = (player.score + sum(player.round_points(r) for r in left)) / 250
        pieces["discards"][j] = len(player.discarded) / 30
        pieces["seated"][j] = 1


def write_own_cards(twin: Ohanami, v: int, pieces: dict[str, np.ndarray]) -> None:
    """Hand and picks, with what the gardens offer them."""
    me = twin.players[v]
    heir = twin.players[(v + (-1 if twin.round == 1 else 1)) % twin.num_players]
    rows = rows_with_first_pick(me)
    for card in me.hand.cards:
        pieces["hand"][card] = 1
        pieces["pink"][card] = colour(card) == "pink"
        pieces["worth"][card] = worth(twin, me, card) / 15
        pieces["gap"][card] = told_gap(rows, card)
        pieces["heir_gap"][card] = told_gap(heir.rows, card)
    for k, card in enumerate(me.picks):
        if card is None:
            continue
        pieces["picks"][k, :2] = 1, (card + 1) / 120
        pieces["picks"][k, 2 + COLOURS.index(colour(card))] = 1
        for place in me.places(card):
            at = 4 * k + place
            pieces["open"][at] = 1
            if place != DISCARD:
                row = me.rows[place]
                pieces["new_row"][at] = not row
                pieces["target_gap"][at] = min(gap(row, card) / 30, 1) if row else 0
                pieces["target_worth"][at] = worth(twin, me, card) / 15


def rows_with_first_pick(me: Player) -> list[list[int]]:
    """The rows of a garden, with a card that was picked first laid where it loses least."""
    rows = [sorted(row) for row in me.rows]
    first = me.picks[0]
    if first is not None:
        nearest = sorted((gap(row, first), r) for r, row in enumerate(rows) if fits(row, first))
        empty = [r for r, row in enumerate(rows) if not row]
        for r in [r for _, r in nearest][:1] or empty[:1]:
            rows[r] = sorted([*rows[r], first])
    return rows


def told_gap(rows: list[list[int]], card: int) -> float:
    """The least gap of a card over the rows it extends, in thirtieths of 30 steps, at most 1."""
    return min([gap(row, card) / 30 for row in rows if fits(row, card)] + [1])


def fits(row: list[int], card: int) -> bool:
    """Whether a card extends a row that has cards."""
    return bool(row) and not row[0] <= card <= row[-1]


def gap(row: list[int], card: int) -> int:
    """Distance of a card to the end of a row that it extends."""
    return min(abs(card - row[0]), abs(card - row[-1]))


def worth(twin: Ohanami, me: Player, card: int) -> int:
    """§ 6: what the remaining scorings pay more if the card is laid and nothing else."""
    richer = Player(me.hand, rows=[[*me.laid(), card]])
    left = range(twin.round, ROUNDS)
    return sum(richer.round_points(r) - me.round_points(r) for r in left)


# What the words should be


def numbers(cards: Any) -> list[int]:
    """Printed numbers, ascending."""
    return sorted(card + 1 for card in cards)


def shown_picks(player: Player) -> list[int | None]:
    """Printed numbers of both picks, None where there is none."""
    return [None if card is None else card + 1 for card in player.picks]


def public_words(twin: Ohanami) -> dict[str, Any]:
    """The part of a view that everybody can see."""
    over = twin.finished
    return {
        "finished": over,
        "round": None if over else twin.round,
        "turn": None if over else twin.turn,
        "stage": None if over else STAGES[stage(twin)],
        "to_move": None if over else twin.current_player,
        "gardens": [[numbers(row) for row in player.rows] for player in twin.players],
        "colours": [player.counts() for player in twin.players],
        "points": twin.scores(),
        "discard_counts": [len(player.discarded) for player in twin.players],
        "hand_sizes": [len(player.hand.cards) for player in twin.players],
    }


def private_words(twin: Ohanami, v: int) -> dict[str, Any]:
    """The part of a view that only seat v may read."""
    knowledge: dict[str, Any] = twin.knowledge(v)
    return {
        "seat": v,
        "hand": numbers(knowledge["hand"]),
        "picks": shown_picks(twin.players[v]),
        "known_hands": {str(q): numbers(c) for q, c in knowledge["known_hands"].items()},
        "known_discards": numbers(knowledge["known_discards"]),
    }


def all_words(twin: Ohanami) -> dict[str, Any]:
    """The part of the full view that no seat may read."""
    return {
        "hands": [numbers(player.hand.cards) for player in twin.players],
        "picks": [shown_picks(player) for player in twin.players],
        "discards": numbers(card for player in twin.players for card in player.discarded),
        "deal": [[numbers(hand) for hand in deal] for deal in twin.deals],
    }
