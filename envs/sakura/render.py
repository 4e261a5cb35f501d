"""Sakura in words: actions, the table as text, and views in plain JSON values."""

from typing import Any

from hanazono.envs.hanafuda.deck import CARDS, MONTHS, NAMES, PLANTS
from hanazono.envs.hanafuda.words import by_rank, line, line_by_rank, matches, moved, names_in
from hanazono.envs.sakura.knowledge import unseen
from hanazono.envs.sakura.rules import (
    DECLARE,
    HIKI,
    INSTANT_SCORE,
    NO_CARD,
    PLAY,
    YAKU,
    YAKU_LETTERS,
    card_points,
    round_score,
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


def event(s: Any, action: int, after: Any, seat: int | None) -> str:
    """What everybody sees when `action` leads from `s` to `after`; there are no secret choices."""
    words, seats = action_words(s, action), range(s.num_players)
    if after.round_index != s.round_index:
        gained = (f"player_{p} {after.points[p] - s.points[p]:+d}" for p in seats)
        return f"{words}; round {s.round_index + 1} is over: {', '.join(gained)}"
    had, has = ([int(t.captured[p]) for p in seats] for t in (s, after))
    open_before = field_of(s) | sum(had)
    for p in seats:  # what a declared month takes from a hand was not turned over
        open_before |= int(after.dealt[p] & ~after.hand[p])
    return words + moved(open_before, field_of(after), had, has)


def field_of(s: Any) -> int:
    """The set of cards in the field, with the one that waits for its target."""
    return int(s.field) | (1 << int(s.open_card) if s.open_card != NO_CARD else 0)


def sheet(s: Any) -> dict[str, list[int]]:
    """Where points come from, as if the round ended now (RULES.md § 6)."""
    points = [int(s.points[p]) for p in range(s.num_players)]
    if s.forfeited >= 0:
        return {"rounds that are over": points}
    now = round_sheet(s)
    if s.terminated:  # the points hold those of the last round, which still lies on the table
        points = [total - sum(part) for total, *part in zip(points, *now.values(), strict=True)]
    return {"earlier rounds": points, **now}


def round_sheet(s: Any) -> dict[str, list[int]]:
    """The sources of one round."""
    seats = range(s.num_players)
    if s.stage == DECLARE or (s.terminated and s.top < CARDS):
        winner = s.starter if s.terminated else s.current_player
        return {"this round: instant win": [INSTANT_SCORE * (p == winner) for p in seats]}
    cards = [int(card_points(s.captured[p])) for p in seats]
    return {
        "this round: cards": cards,
        "this round: yaku of others": [int(round_score(s, p)) - cards[p] for p in seats],
    }


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
        if p == seat and s.hand[p]:
            lines.append(f"  matches: {matches(s.hand[p], s.field)}")
    return "\n".join(lines)


def headline(s: Any, told: dict[str, Any]) -> str:
    """The line on round, pile and turn."""
    if told["finished"]:
        return "Sakura, finished"
    return (
        f"Sakura, round {told['round'] + 1} of {s.rounds}, started by player_{told['starter']}, "
        f"{told['pile_size']} cards in the pile: player_{told['to_move']} to {told['stage']}"
    )
