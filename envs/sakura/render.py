"""Sakura in words: actions, the table as text, and views in plain JSON values."""

from typing import Any

from hanazono.envs.hanafuda.deck import CARDS, MONTHS, NAMES, PLANTS
from hanazono.envs.hanafuda.words import by_rank, line, line_by_rank, names_in
from hanazono.envs.sakura.knowledge import unseen
from hanazono.envs.sakura.rules import (
    DECLARE,
    HIKI,
    NO_CARD,
    PLAY,
    YAKU,
    YAKU_LETTERS,
    card_points,
)

STAGES = ("play a card", "declare an instant win", "take a card", "take a card")


def action_words(s: Any, action: int) -> str:
    """What `action` means for the player to decide, legal or not."""
    if not 0 <= action < HIKI + MONTHS:
        return f"no action ({action})"
    if action >= HIKI:
        return f"declare four {PLANTS[action - HIKI]}"
    if s.stage in (PLAY, DECLARE):
        return f"play {NAMES[action]}"
    return f"take {NAMES[action]} with {NAMES[s.open_card]}"


def yaku_in(card_set: int) -> list[str]:
    """The letters of the yaku that lie whole in a set, with their cards."""
    whole = zip(YAKU_LETTERS, YAKU.tolist(), strict=True)
    return [f"{letter} ({line(y)})" for letter, y in whole if card_set & y == y]


def public_view(s: Any) -> dict[str, Any]:
    """What everybody can see. Cards are told by name, seats and rounds count from 0."""
    seats, finished = range(s.num_players), bool(s.terminated)
    wild = s.wild_month >= 0
    return {
        "finished": finished,
        "round": None if finished else int(s.round_index),
        "starter": None if finished else int(s.starter),
        "to_move": None if finished else int(s.current_player),
        "stage": None if finished else STAGES[s.stage],
        "open_card": NAMES[s.open_card] if s.open_card != NO_CARD else None,
        "points": [int(s.points[p]) for p in seats],
        "field": names_in(s.field),
        "pile_size": CARDS - int(s.top),
        "hand_sizes": [int(s.hand[p]).bit_count() for p in seats],
        "captured": [by_rank(s.captured[p]) for p in seats],
        "card_points": [int(card_points(s.captured[p])) for p in seats],
        "yaku": [yaku_in(int(s.captured[p])) for p in seats],
        "put_down": [names_in(s.dealt[p] & ~s.hand[p]) for p in seats],
        "lightning": {"by": int(s.wild_user), "month": PLANTS[s.wild_month]} if wild else None,
    }


def view(s: Any, seat: int | None) -> dict[str, Any]:
    """The state as `seat` may know it (RULES.md § 9), or all of it for None."""
    result = public_view(s)
    if seat is None:
        result["hands"] = [names_in(s.hand[p]) for p in range(s.num_players)]
        result["pile"] = [NAMES[c] for c in s.pile[s.top :]]
    else:
        result |= {
            "seat": seat,
            "hand": names_in(s.hand[seat]),
            "unseen": names_in(unseen(s, seat)),
        }
    return result


def text(s: Any, seat: int | None) -> str:
    """The table as text: as `seat` sees it, or with all hands for None."""
    told = public_view(s)
    lines = [headline(s, told), f"field: {line(s.field)}"]
    if told["open_card"]:
        lines.append(f"open: {told['open_card']}")
    if told["lightning"]:
        by, month = told["lightning"].values()
        lines.append(f"player_{by} captured {month} with the Lightning")
    for p in range(s.num_players):
        yaku = "".join(f"; {name}" for name in told["yaku"][p])
        lines.append(
            f"player_{p}{' (you)' if p == seat else ''}: {told['points'][p]} points; "
            f"{told['card_points'][p]} on cards{yaku}"
        )
        lines.append(f"  captured: {line_by_rank(s.captured[p])}")
        hidden = f"{told['hand_sizes'][p]} cards"
        lines.append(f"  hand: {line(s.hand[p]) if seat in (None, p) else hidden}")
    return "\n".join(lines)


def headline(s: Any, told: dict[str, Any]) -> str:
    """The line on round, pile and turn."""
    if told["finished"]:
        return "Sakura, finished"
    return (
        f"Sakura, round {told['round'] + 1} of {s.rounds}, started by player_{told['starter']}, "
        f"{told['pile_size']} cards in the pile: player_{told['to_move']} to {told['stage']}"
    )
