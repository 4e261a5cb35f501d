"""Hanawase in words: actions, the table as text, and views in plain JSON values."""

from typing import Any

from hanazono.envs.core.sets import size
from hanazono.envs.hanafuda.deck import CARDS, NAMES
from hanazono.envs.hanafuda.words import by_rank, line, line_by_rank, matches, moved, names_in
from hanazono.envs.hanawase.rules import (
    ACTIVE,
    DECLARE,
    ENTER,
    NO_ROUND,
    PLAY,
    RETIRE,
    card_points,
    gain,
)
from hanazono.envs.hanawase.yaku import YAKU, YAKU_NAMES, counted_yaku

PHASES = ("declare", "play", "choose for the played card", "choose for the turned card")
STANDINGS = ("undeclared", "active", "retired", "out")
ROLE_NAMES = ("oya", "naka", "biki")
STEP_NAMES = ("yaku", "oyanaka", "cards", "hand yaku")
VOIDS = ("valid", "Fuke", "Ameshima-nagashi")


def action_words(s: Any, action: int) -> str:
    """What `action` means for the player to decide, legal or not."""
    if action in (ENTER, RETIRE):
        return "enter" if action == ENTER else "retire"
    if not 0 <= action < CARDS:
        return f"no action ({action})"
    return f"{'take' if s.phase > PLAY else 'play'} {NAMES[action]}"


def event(s: Any, action: int, after: Any, seat: int | None) -> str:
    """What everybody sees when `action` leads from `s` to `after`; there are no secret choices."""
    words, seats = action_words(s, action), range(s.num_players)
    if after.round_index != s.round_index:
        return f"{words}; {last_round_line(after)}"
    if s.phase == DECLARE:
        roles = zip(ROLE_NAMES, after.actor, strict=True)
        settled = after.actor[0] >= 0
        return words + "".join(f"; {name}: player_{p}" for name, p in roles if settled)
    had, has = ([captured_by(t, p) for p in seats] for t in (s, after))
    played = 1 << action if s.phase == PLAY else 0
    return words + moved(played | field_of(s) | sum(had), field_of(after), had, has)


def field_of(s: Any) -> int:
    """The set of cards in the field, with the one that waits for its match."""
    return int(s.field) | (1 << int(s.card) if s.card >= 0 else 0)


def sheet(s: Any) -> dict[str, list[int]]:
    """Where points come from: the last settlement by its steps (RULES.md § 6)."""
    seats = range(s.num_players)
    last = [[int(s.settlement[step, p]) for p in seats] for step in range(len(STEP_NAMES))]
    earlier = [int(s.points[p] - gain(s, p)) for p in seats]
    paid = {f"last round: {name}": row for name, row in zip(STEP_NAMES, last, strict=True)}
    return {"earlier rounds": earlier, **{name: row for name, row in paid.items() if any(row)}}


def captured_by(s: Any, p: int) -> int:
    """The set of cards that seat p has captured in this round."""
    return sum(int(s.captured[r]) for r in range(len(ROLE_NAMES)) if s.actor[r] == p)


def yaku_names(yaku: int) -> list[str]:
    """The names of the yaku in a word of bits."""
    return [YAKU_NAMES[y] for y in range(YAKU) if yaku >> y & 1]


def last_round(s: Any) -> dict[str, Any] | None:
    """How the last round was settled, None before the first settlement."""
    if s.last_void == NO_ROUND:
        return None
    seats = range(s.num_players)
    return {
        "verdict": VOIDS[s.last_void],
        "yaku": [yaku_names(int(s.last_yaku[p])) for p in seats],
        "paid": {
            name: [int(s.settlement[step, p]) for p in seats]
            for step, name in enumerate(STEP_NAMES)
        },
        "gained": [int(gain(s, p)) for p in seats],
    }


def public_view(s: Any) -> dict[str, Any]:
    """What everybody can see. Cards are names, seats and rounds count from 0."""
    seats = range(s.num_players)
    finished, declared = bool(s.terminated), s.actor[0] >= 0
    return {
        "finished": finished,
        "round": None if finished else int(s.round_index),
        "rounds": int(s.rounds),
        "dealer": int(s.dealer),
        "phase": None if finished else PHASES[s.phase],
        "to_move": None if finished else int(s.current_player),
        "turns_finished": int(s.turn),
        "field": names_in(int(s.field)),
        "waiting": NAMES[s.card] if s.card >= 0 else None,
        "pile_size": CARDS - int(s.top),
        "standing": [STANDINGS[s.standing[p]] for p in seats],
        "blank": int(s.blank) if s.blank >= 0 else None,
        "roles": dict(zip(ROLE_NAMES, map(int, s.actor), strict=True)) if declared else None,
        "hand_sizes": [int(size(s.hand[p])) for p in seats],
        "captured": [by_rank(captured_by(s, p)) for p in seats],
        "plains_played": dict(zip(ROLE_NAMES, map(int, s.plains_played), strict=True)),
        "points": [int(s.points[p]) for p in seats],
        "last_round": last_round(s),
    }


def view(s: Any, seat: int | None) -> dict[str, Any]:
    """The state as `seat` may know it (RULES.md § 9), or all of it for None."""
    result = public_view(s)
    if seat is not None:
        return result | {
            "seat": seat,
            "hand": names_in(int(s.hand[seat])),
            "returned": names_in(int(s.returned[seat])),
        }
    seats = range(s.num_players)
    return result | {
        "hands": [names_in(int(s.hand[p])) for p in seats],
        "returned": [names_in(int(s.returned[p])) for p in seats],
        "pile": [NAMES[c] for c in s.pile[s.top :]],
    }


def text(s: Any, seat: int | None) -> str:
    """The table as text: as `seat` sees it, or with all hands for None."""
    lines = [headline(s), f"field: {line(int(s.field))}"]
    if s.last_void != NO_ROUND:
        lines.insert(1, last_round_line(s))
    if s.card >= 0:
        lines.append(f"waiting: {NAMES[s.card]}")
    lines.append(f"pile: {CARDS - s.top} cards")
    for p in range(s.num_players):
        lines += seat_lines(s, p, seat)
    if seat is None:
        lines.append(f"next cards: {', '.join(NAMES[c] for c in s.pile[s.top :]) or '-'}")
    return "\n".join(lines)


def headline(s: Any) -> str:
    """Round, turn and who is to decide what."""
    if s.terminated:
        return "Hanawase, finished"
    turn = f", turn {s.turn + 1}" if s.phase >= PLAY else ""
    return (
        f"Hanawase, round {s.round_index + 1} of {s.rounds}{turn}: "
        f"player_{s.current_player} to {PHASES[s.phase]}"
    )


def last_round_line(s: Any) -> str:
    """How the last round was settled."""
    gains = []
    for p in range(s.num_players):
        yaku = ", ".join(yaku_names(int(s.last_yaku[p])))
        gains.append(f"player_{p} {gain(s, p):+d}{f' ({yaku})' if yaku else ''}")
    return f"last round, {VOIDS[s.last_void]}: {', '.join(gains)}"


def seat_lines(s: Any, p: int, reader: int | None) -> list[str]:
    """What the reader knows of seat p."""
    names = [STANDINGS[s.standing[p]]] if s.standing[p] != ACTIVE else []
    names += [name for r, name in enumerate(ROLE_NAMES) if s.actor[r] == p]
    names += ["dealer"] if s.dealer == p else []
    names += ["blank card"] if s.blank == p else []
    names += ["you"] if p == reader else []
    captured = captured_by(s, p)
    lines = [
        f"player_{p} ({', '.join(names) or 'active'}): {s.points[p]} points; "
        f"captured {size(captured)} cards, {card_points(captured)} points"
    ]
    if captured:
        lines.append(f"  captured: {line_by_rank(captured)}")
    if yaku := yaku_names(int(counted_yaku(s, captured))):
        lines.append(f"  yaku: {', '.join(yaku)}")
    if reader in (None, p):
        if s.hand[p]:
            lines.append(f"  hand: {line(int(s.hand[p]))}")
        if p == reader and s.hand[p]:
            lines.append(f"  matches: {matches(int(s.hand[p]), int(s.field))}")
        if s.returned[p]:
            lines.append(f"  given back, in the pile: {line(int(s.returned[p]))}")
    return lines
