"""HANAMI in words: actions, the table as text, and views in plain JSON values."""

from typing import Any

from hanazono.envs.hanami_tatami.cards import (
    ALL_CARDS,
    CARDS,
    NUMBERS,
    PATTERN_NAMES,
    WILD,
    WILD_SET,
    cards_of,
)
from hanazono.envs.hanami_tatami.icons import (
    ICON,
    ICON_NAMES,
    KIND,
    KINDS,
    NO_ICON,
    POINTS,
    SET,
    condition_points,
    most_of_others,
    sets_held,
)
from hanazono.envs.hanami_tatami.knowledge import unseen
from hanazono.envs.hanami_tatami.rules import (
    DONE,
    NO_CARD,
    NUM_ACTIONS,
    SLIDE,
    SLIDES,
    WILD_POINTS,
    area_points,
    hand_size,
    score,
)

STAGES = (
    "give a card", "take a card", "choose a first card or pass", "choose a second card",
    "choose a third card", "say what the wild card stands for", "slide a board",
)  # fmt: skip
VERBS = ("give", "take", "play", "play", "play", "wild card as", "play")
DIRECTIONS = ("left", "right")
PAID_FOR = {"each": "for each", "once": "once for", "most": "for most"}
SEAT_SIGNS = "ABCD"  # of markers
COLOURS = {
    rf"\b{name}\b( \d+)?": colour
    for name, colour in zip(
        PATTERN_NAMES,
        ("bright_green", "bright_red", "bright_magenta", "white", "bright_yellow", "bright_blue"),
        strict=True,
    )
} | {
    rf"(?<= ){sign}(?!\w)": colour
    for sign, colour in zip(
        SEAT_SIGNS, ("bright_cyan", "bright_yellow", "bright_red", "bright_green"), strict=True
    )
}


def card(c: int) -> str:
    """Pattern and number of a card: green 9, say, for id 8."""
    return "wild card" if c == WILD else f"{PATTERN_NAMES[c // NUMBERS]} {c % NUMBERS + 1}"


def cards(card_set: int) -> list[str]:
    """The cards of a set in words, ascending."""
    return [card(c) for c in cards_of(card_set)]


def line(card_set: int) -> str:
    """A set in one line, by pattern: green 1 2 9, red 3."""
    parts = []
    for b, name in enumerate(PATTERN_NAMES):
        numbers = [c % NUMBERS + 1 for c in cards_of(card_set) if c // NUMBERS == b]
        if numbers:
            parts.append(f"{name} {' '.join(map(str, numbers))}")
    return ", ".join(parts) or "-"


def line_with_icons(card_set: int) -> str:
    """A set in one line, with what the cards show: green 1 bowl, green 9 top, red 3 bowl."""
    return ", ".join(f"{card(c)} {ICON_NAMES[ICON[c]]}" for c in cards_of(card_set)) or "-"


def action_words(s: Any, action: int) -> str:
    """What `action` means for the player to decide, legal or not."""
    if not 0 <= action < NUM_ACTIONS:
        return f"no action ({action})"
    if action >= SLIDES:
        b, right = divmod(action - SLIDES, 2)
        return f"slide {PATTERN_NAMES[b]} {DIRECTIONS[right]}"
    if action == DONE:
        return "no more slides" if s.stage == SLIDE else "pass"
    return f"{VERBS[s.stage]} {card(action)}"


def event(s: Any, action: int, after: Any, seat: int | None) -> str:
    """What everybody sees when `action` leads from `s` to `after`; there are no secret choices."""
    p, words = s.current_player, action_words(s, action)
    over = after.terminated or after.current_player != p
    return f"{words}; now at {score(after, p)} points" if over else words


def sheet(s: Any) -> dict[str, list[int]]:
    """Where points come from, as if the game ended now (RULES.md § 7)."""
    seats = range(s.num_players)
    rows = {"largest area": [int(area_points(s, p)) for p in seats]}
    for i, condition in enumerate(bonus_card(int(s.bonus_card))):
        rows[f"bonus card: {condition}"] = [
            int(condition_points(s, i, sets_held(s, p, i, NO_ICON), most_of_others(s, p, i)))
            for p in seats
        ]
    rows["wild card kept"] = [WILD_POINTS * bool(s.hand[p] & WILD_SET) for p in seats]
    rows["cards in hand"] = [-int(hand_size(s, p)) for p in seats]
    return rows


def bonus_card(k: int) -> list[str]:
    """The conditions of a bonus card in words."""
    conditions = []
    for points, kind, icons in zip(POINTS[k].tolist(), KIND[k].tolist(), SET[k], strict=True):
        wanted = [name for name, n in zip(ICON_NAMES, icons, strict=True) for _ in range(n)]
        if wanted:
            conditions.append(f"{points} {PAID_FOR[KINDS[kind]]} {' + '.join(wanted)}")
    return conditions


def icons(s: Any, p: int) -> dict[str, int]:
    """The icons on the cards played by seat p."""
    shown = [int(ICON[c]) for c in cards_of(s.played[p])]
    return {name: shown.count(i) for i, name in enumerate(ICON_NAMES)}


def public_view(s: Any) -> dict[str, Any]:
    """What everybody can see. Cards and squares are told by pattern and number."""
    seats, finished = range(s.num_players), bool(s.terminated)
    return {
        "finished": finished,
        "to_move": None if finished else int(s.current_player),
        "stage": None if finished else STAGES[s.stage],
        "boards": [
            {"pattern": PATTERN_NAMES[b], "offset": int(s.offset[b])} for b in s.order.tolist()
        ],
        "removed": cards(s.removed),
        "field": cards(s.field),
        "given": card(s.given) if s.given != NO_CARD else None,
        "chosen": [card(c) for c in s.picks.tolist() if c != NO_CARD],
        "slides_left": int(s.slides_left),
        "slidable": [name for b, name in enumerate(PATTERN_NAMES) if int(s.slidable) >> b & 1],
        "last_slide": action_words(s, SLIDES + int(s.last_slide)) if s.last_slide >= 0 else None,
        "deck_size": CARDS - int(s.top),
        "last_turns": not finished and int(s.top) == CARDS,
        "bonus_card": bonus_card(int(s.bonus_card)),
        "markers": [cards(s.markers[p]) for p in seats],
        "played": [cards(s.played[p]) for p in seats],
        "icons": [icons(s, p) for p in seats],
        "hand_sizes": [int(s.hand[p] & ALL_CARDS).bit_count() for p in seats],
        "wild_cards": [bool(s.hand[p] & WILD_SET) for p in seats],
        "known": [cards(s.known[p]) for p in seats],
        "area_points": [int(area_points(s, p)) for p in seats],
        "bonus_points": [int(s.bonus_points[p]) for p in seats],
        "scores": [int(score(s, p)) for p in seats],
    }


def view(s: Any, seat: int | None) -> dict[str, Any]:
    """The state as `seat` may know it (RULES.md § 9), or all of it for None."""
    result = public_view(s)
    if seat is None:
        result["hands"] = [cards(s.hand[p]) for p in range(s.num_players)]
        result["deck"] = [card(c) for c in s.deck[s.top :].tolist()]
    else:
        result |= {
            "seat": seat,
            "hand": cards(s.hand[seat]),
            "unseen": cards(unseen(s, seat)),
        }
    return result


def squares(s: Any) -> list[str]:
    """The table, a line for each row: the letter of a seat's marker, # blocked, else numbers."""
    signs = {c: str(c % NUMBERS + 1) for c in range(CARDS)}
    signs |= dict.fromkeys(cards_of(s.removed), "#")
    for p in range(s.num_players):
        signs |= dict.fromkeys(cards_of(s.markers[p]), SEAT_SIGNS[p])
    lines, left = [], int(s.offset.min())
    for b in s.order.tolist():
        row = "".join(f"{signs[NUMBERS * b + k]:>3}" for k in range(NUMBERS))
        lines.append(f"{PATTERN_NAMES[b]:>8} {'   ' * (int(s.offset[b]) - left)}{row}")
    return lines


def headline(told: dict[str, Any]) -> str:
    """The line on deck and turn."""
    if told["finished"]:
        return "HANAMI, finished"
    return (
        f"HANAMI, {told['deck_size']} cards in the deck: "
        f"player_{told['to_move']} to {told['stage']}"
    )


def text(s: Any, seat: int | None) -> str:
    """The table as text: as `seat` sees it, or with all hands for None."""
    told = public_view(s)
    lines = [headline(told), *squares(s), f"field: {line_with_icons(s.field)}"]
    aside = told["chosen"] or [name for name in (told["given"],) if name]
    if aside:
        lines.append(f"aside: {', '.join(aside)}")
    lines.append(f"bonus card: {'; '.join(told['bonus_card'])}")
    for p in range(s.num_players):
        lines += player_lines(s, told, p, seat)
    return "\n".join(lines)


def player_lines(s: Any, told: dict[str, Any], p: int, seat: int | None) -> list[str]:
    """The lines on seat p, as far as the reader may know them."""
    shown = ", ".join(f"{count} {name}" for name, count in told["icons"][p].items() if count)
    lines = [
        f"player_{p} = {SEAT_SIGNS[p]}{' (you)' if p == seat else ''}: {told['scores'][p]} points, "
        f"area {told['area_points'][p]}, bonus {told['bonus_points'][p]}; {shown or 'no icons'}"
    ]
    wild = " and the wild card" if told["wild_cards"][p] else ""
    if seat in (None, p):
        lines.append(f"  hand: {line_with_icons(s.hand[p] & ALL_CARDS)}{wild}")
    else:
        known = f", among them {line(s.known[p])}" if s.known[p] else ""
        lines.append(f"  hand: {told['hand_sizes'][p]} cards{wild}{known}")
    return lines
