"""Ohanami in words: actions, the table as text, and views in plain JSON values."""

from typing import Any

import numpy as np

from hanazono.envs.ohanami.rules import (
    COLOUR,
    COLOUR_NAMES,
    DISCARDED,
    IN_HAND,
    LAID,
    PICK_SECOND,
    PINK,
    PINK_MOST,
    PLACE,
    POINTS,
    ROUNDS,
    ROWS,
    TARGETS,
    packet_of,
    remembers,
)

STAGES = ("pick first", "pick second", "place first", "place second")
COLOURS = {
    rf"\b\d+ {name}\b": colour
    for name, colour in zip(
        COLOUR_NAMES, ("bright_blue", "bright_green", "white", "bright_magenta"), strict=True
    )
}


def card(c: int) -> str:
    """Number and colour of card id c: 57 green, say, for id 56."""
    return f"{c + 1} {COLOUR_NAMES[COLOUR[c]]}"


def action_words(s: Any, action: int) -> str:
    """What `action` means for the player to decide, legal or not."""
    if not 0 <= action < PLACE + 2 * TARGETS:
        return f"no action ({action})"
    if action < PLACE:
        return f"pick {card(action)}"
    which, row = divmod(action - PLACE, TARGETS)
    c = int(s.picks[s.current_player, which])
    name = card(c) if c >= 0 and s.stage > PICK_SECOND else ("first pick", "second pick")[which]
    return f"discard {name}" if row == ROWS else f"lay {name} in row {row + 1}"


def event(s: Any, action: int, after: Any, seat: int | None) -> str:
    """What `seat` sees when `action` leads from `s` to `after`: of the others' cards only those
    that are laid (RULES.md § 3, § 4)."""
    if seat in (None, s.current_player):
        words = action_words(s, action)
    elif s.stage <= PICK_SECOND:
        words = "pick a card"
    else:
        words = "discard a card"
        for c in np.flatnonzero((after.place >= LAID) & (s.place < LAID)).tolist():
            words = f"lay {card(c)} in row {(int(after.place[c]) - LAID) % ROWS + 1}"
    if after.round_index == s.round_index:
        return words
    gained = (f"player_{p} {after.points[p] - s.points[p]:+d}" for p in range(s.num_players))
    return f"{words}; round {s.round_index + 1} is scored: {', '.join(gained)}"


def sheet(s: Any) -> dict[str, list[int]]:
    """Where points come from: the rounds scored so far, by colour (RULES.md § 6)."""
    rows = {}
    for r in range(s.round_index):
        laid = [laid_by(s, p, r) for p in range(s.num_players)]
        for colour, points in enumerate(POINTS[: r + 1].tolist()):
            worth = [points * counts[colour] for counts in laid]
            rows[f"round {r + 1}: {COLOUR_NAMES[colour]}, {points} each"] = worth
        if r == ROUNDS - 1:
            pink = [min(counts[PINK], PINK_MOST) for counts in laid]
            rows[f"round {r + 1}: pink"] = [k * (k + 1) // 2 for k in pink]
    return rows or {"no round is scored yet": [0] * s.num_players}


def laid_by(s: Any, p: int, r: int) -> list[int]:
    """How many cards of each colour seat p had laid when round r ended."""
    dealt = np.unique(s.deal[: r + 1, : s.num_players])
    own = dealt[(s.place[dealt] >= LAID + ROWS * p) & (s.place[dealt] < LAID + ROWS * (p + 1))]
    return np.bincount(COLOUR[own], minlength=len(COLOUR_NAMES)).tolist()


def numbers(wanted: np.ndarray) -> list[int]:
    """Numbers of the cards that are marked in `wanted` ([CARDS]), ascending."""
    return [c + 1 for c in np.flatnonzero(wanted).tolist()]


def line(shown: list[int]) -> str:
    """Cards of these numbers in one line, "-" if there are none."""
    return ", ".join(card(number - 1) for number in shown) or "-"


def hand_of(s: Any, p: int) -> list[int]:
    """Numbers of the cards in the hand of seat p, ascending."""
    return numbers(s.place == IN_HAND + packet_of(s, p))


def picks_of(s: Any, p: int) -> list[int | None]:
    """Numbers of the first and second pick; None where there is none (any more)."""
    return [int(c) + 1 if c >= 0 else None for c in s.picks[p]]


def public_view(s: Any) -> dict[str, Any]:
    """What everybody can see. Cards are numbers 1 to 120, seats and rounds count from 0."""
    seats = range(s.num_players)
    finished = bool(s.terminated)
    return {
        "finished": finished,
        "round": None if finished else int(s.round_index),
        "turn": None if finished else int(s.turn),
        "stage": None if finished else STAGES[s.stage],
        "to_move": None if finished else int(s.current_player),
        "gardens": [
            [numbers(s.place == LAID + ROWS * p + row) for row in range(ROWS)] for p in seats
        ],
        "colours": [dict(zip(COLOUR_NAMES, map(int, s.colours[p]), strict=True)) for p in seats],
        "points": [int(s.points[p]) for p in seats],
        "discard_counts": [int(s.discards[p]) for p in seats],
        "hand_sizes": [len(hand_of(s, p)) for p in seats],
    }


def view(s: Any, seat: int | None) -> dict[str, Any]:
    """The state as `seat` may know it (RULES.md § 9), or all of it for None."""
    result = public_view(s)
    others = [q for q in range(s.num_players) if q != seat]
    if seat is None:
        result["hands"] = [hand_of(s, p) for p in others]
        result["picks"] = [picks_of(s, p) for p in others]
        result["discards"] = numbers(s.place == DISCARDED)
        result["deal"] = [
            [sorted(map(int, s.deal[r, h] + 1)) for h in others] for r in range(ROUNDS)
        ]
        return result
    result |= {
        "seat": seat,
        "hand": hand_of(s, seat),
        "picks": picks_of(s, seat),
        "known_hands": {str(q): known_hand(s, seat, q) for q in others},
        "known_discards": numbers((s.gone >> seat) & 1),
    }
    return result


def known_hand(s: Any, v: int, q: int) -> list[int]:
    """Cards that v counts to the hand of q (RULES.md § 9, 3)."""
    if s.terminated:
        return []
    packet = s.deal[s.round_index, packet_of(s, q)]
    return sorted(int(c) + 1 for c in packet if remembers(s, v, c))


def text(s: Any, seat: int | None) -> str:
    """The table as text: as `seat` sees it, or with all hands for None."""
    told = view(s, seat)
    if told["finished"]:
        lines = ["Ohanami, finished"]
    else:
        lines = [
            f"Ohanami, round {told['round'] + 1} of {ROUNDS}, turn {told['turn'] + 1}: "
            f"player_{told['to_move']} to {told['stage']}"
        ]
    for p in range(s.num_players):
        counts = ", ".join(f"{n} {colour}" for colour, n in told["colours"][p].items())
        lines.append(
            f"player_{p}{' (you)' if p == seat else ''}: {told['points'][p]} points; {counts}; "
            f"{told['discard_counts'][p]} discarded"
        )
        rows = enumerate(told["gardens"][p], 1)
        lines += [f"  row {number}: {line(row)}" for number, row in rows]
        lines += private_lines(told, p, seat)
    return "\n".join(lines)


def private_lines(told: dict[str, Any], p: int, seat: int | None) -> list[str]:
    """The lines on the hand and the picks of seat p, as far as the view tells them."""
    if seat is None:
        hand, picks = told["hands"][p], told["picks"][p]
    elif p == seat:
        hand, picks = told["hand"], told["picks"]
    else:
        known = told["known_hands"][str(p)]
        return [f"  may hold: {line(known)}"] if known else []
    lines = [f"  hand: {line(hand)}"]
    if any(picks):
        lines.append(f"  picked: {line([number for number in picks if number])}")
    return lines
