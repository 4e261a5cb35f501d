"""Hanami on park maps in words: actions, the map as text, and views in plain JSON values."""

from typing import Any

from hanazono.envs.hanami_parks.boards import (
    AT,
    BOARD_NAMES,
    DIRECTION_NAMES,
    LAND,
    NOWHERE,
    OPENS,
    PARKS,
    SPACES,
    WATER,
)
from hanazono.envs.hanami_parks.decisions import (
    CHOOSE_HAND,
    DIRECTION_ID,
    DONE,
    DRAFT_TOKEN,
    FROM_PILE,
    KEEP_CARD,
    KEEP_ID,
    MOVE_TO,
    NUM_ACTIONS,
    RETURN,
    SPACE,
    TILE_ID,
    TURN,
    TYPE_ID,
    USE,
)
from hanazono.envs.hanami_parks.parks import point_holder, score, strength_at, type_at
from hanazono.envs.hanami_parks.piles import in_pile
from hanazono.envs.hanami_parks.tiles import (
    CARD_NAMES,
    COPY,
    EMPTY,
    KINDS,
    MOVE,
    NO_CARD,
    TILE_NAMES,
    TYPE_NAMES,
)

STAGES = (
    "draft a token", "draft a park", "choose a tile for the hand", "keep a card", "take the turn",
    "choose a space", "choose where to move", "point the Copy", "choose a tile on the map",
    "choose a park", "choose a token", "take a tile from the pile", "return tiles",
)  # fmt: skip
KIND_LETTERS = ((WATER, "W"), (LAND, "L"), (0, "P"))
SEAT_SIGNS = "abcd"
TYPE_SIGNS = ("s", "c", "o", "w", "-")  # of tiles, by type; of tokens in capitals
COLOURS = {
    rf"\b{name}\b": colour
    for name, colour in zip(
        TYPE_NAMES, ("bright_magenta", "bright_red", "bright_green"), strict=True
    )
} | {
    rf"(?<!\w){sign}[{''.join(TYPE_SIGNS)}]\d?(?!\w)": colour
    for sign, colour in zip(
        SEAT_SIGNS, ("bright_cyan", "bright_yellow", "bright_red", "bright_green"), strict=True
    )
}
SECRETS = {  # what others see of a choice that the rules keep secret (RULES.md § 9)
    CHOOSE_HAND: "choose a tile for the hand",
    KEEP_CARD: "keep a card",
    FROM_PILE: "take a tile from the pile",
    RETURN: "return a tile",
}


def space(x: int) -> str:
    """A space by its kind and number: P3, L20, W7."""
    start, letter = next(entry for entry in KIND_LETTERS if x >= entry[0])
    return f"{letter}{x - start}"


def tile_words(k: int) -> str:
    """The name of a kind of tile."""
    return TILE_NAMES[k]


def tiles(counts: list[int]) -> list[str]:
    """Tiles in words, each as often as there are such."""
    return [tile_words(k) for k, count in enumerate(counts) for _ in range(count)]


def types(word: int) -> list[str]:
    """The types in a set of tokens."""
    return [name for t, name in enumerate(TYPE_NAMES) if word >> t & 1]


def initials(word: int) -> str:
    """The types in a set of tokens by their first letters."""
    return "".join(name[0] for name in types(word))


def by_type(counts: Any) -> dict[str, int]:
    """Counts of tokens with the names of their types."""
    return dict(zip(TYPE_NAMES, counts.tolist(), strict=True))


def action_words(s: Any, action: int) -> str:
    """What `action` means for the player to decide, legal or not."""
    if not 0 <= action < NUM_ACTIONS:
        return f"no action ({action})"
    if action == DONE:
        return done_words(s)
    if action == USE:
        card = int(s.card[s.current_player])
        return "use no card" if card == NO_CARD or s.stage == KEEP_CARD else use_words(card)
    if action >= KEEP_ID:
        return f"keep {CARD_NAMES[action - KEEP_ID + 1]}"
    if action >= DIRECTION_ID:
        return f"point {DIRECTION_NAMES[action - DIRECTION_ID]}"
    if action >= TYPE_ID:
        name = TYPE_NAMES[action - TYPE_ID]
        return f"draft {name}" if s.stage == DRAFT_TOKEN else f"the {name} token"
    if action >= TILE_ID:
        return f"{tile_verb(s)} {tile_words(int(action - TILE_ID))}"
    return f"{space_verb(s)} {space(action)}"


def event(s: Any, action: int, after: Any, seat: int | None) -> str:
    """What `seat` sees when `action` leads from `s` to `after`."""
    words = action_words(s, action)
    if seat not in (None, s.current_player) and action != DONE:
        words = SECRETS.get(int(s.stage), words)
    return "; ".join([words, *award_words(s, after), *kept_by_all(s, after)])


def award_words(s: Any, after: Any) -> list[str]:
    """Who has won which tokens."""
    gained = [by_type(after.won[p] - s.won[p]) for p in range(s.num_players)]
    told = [
        f"player_{p} wins {token_line(won)}" for p, won in enumerate(gained) if any(won.values())
    ]
    tied = by_type(after.ties + after.lost - s.ties - s.lost)
    return [*told, f"tied: {token_line(tied)}"] if any(tied.values()) else told


def kept_by_all(s: Any, after: Any) -> list[str]:
    """The ability cards, when the last player has kept one."""
    if s.stage != KEEP_CARD or after.stage == KEEP_CARD:
        return []
    return [f"player_{p} has {CARD_NAMES[after.card[p]]}" for p in range(s.num_players)]


def sheet(s: Any) -> dict[str, list[int]]:
    """Where points come from, as if the game ended now (RULES.md § 7)."""
    seats = range(s.num_players)
    holders = {name: point_holder(s, t) for t, name in enumerate(TYPE_NAMES)}
    return {
        f"most {name} tokens": [int(p == held) for p in seats] for name, held in holders.items()
    }


def use_words(card: int) -> str:
    """Using an ability card."""
    return f"use {CARD_NAMES[card]}"


def done_words(s: Any) -> str:
    """Being done, by stage."""
    if s.stage == RETURN:
        return "return no more"
    return "end the turn" if s.placed > 0 else "pass"


def tile_verb(s: Any) -> str:
    """What is done with a tile of the hand or pile, by stage."""
    return {FROM_PILE: "take", RETURN: "return", TURN: "place"}.get(int(s.stage), "choose")


def space_verb(s: Any) -> str:
    """What a space is chosen for, by stage."""
    if s.stage == MOVE_TO:
        return "move to"
    if s.stage == SPACE:
        return "move from" if s.chosen == MOVE else "on"
    return "choose"


def placed_tile(s: Any, x: int) -> dict[str, Any]:
    """A tile on the map in words."""
    told: dict[str, Any] = {
        "space": space(x),
        "owner": int(s.owner[x]),
        "tile": tile_words(int(s.tile[x])),
    }
    if s.tile[x] == COPY:
        told["points"] = DIRECTION_NAMES[s.arrow[s.owner[x]]]
        told["counts_as"] = f"{TYPE_SIGNS[type_at(s, x)]}{int(strength_at(s, x))}"
    return told


def public_view(s: Any) -> dict[str, Any]:
    """What everybody can see."""
    seats, finished = range(s.num_players), bool(s.terminated)
    shown = [p for p in seats if s.stage != KEEP_CARD and s.card[p] != NO_CARD]
    picked = [space(int(x)) for x in (s.first, s.second) if x != NOWHERE]
    first_type = int(s.first_type)
    return {
        "finished": finished,
        "to_move": None if finished else int(s.current_player),
        "stage": None if finished else STAGES[s.stage],
        "board": BOARD_NAMES[s.map],
        "start_player": int(s.start_player),
        "parks": {space(a): types(int(s.tokens[a])) for a in range(PARKS) if s.tokens[a]},
        "tiles": [placed_tile(s, x) for x in range(LAND, SPACES) if s.tile[x] < EMPTY],
        "supply": by_type(s.supply),
        "won": [by_type(s.won[p]) for p in seats],
        "ties": by_type(s.ties),
        "lost": by_type(s.lost),
        "cards": {str(p): CARD_NAMES[s.card[p]] for p in shown},
        "used": [p for p in shown if s.used[p]],
        "chosen_tile": tile_words(int(s.chosen)) if s.chosen >= 0 else None,
        "chosen_spaces": picked,
        "chosen_type": TYPE_NAMES[first_type] if first_type >= 0 else None,
        "placed": int(s.placed),
        "slots": int(s.slots),
        "omamori": bool(s.omamori),
        "passes": int(s.passes),
        "aside": int(s.aside_size),
        "hand_sizes": [int(s.hand_size[p]) for p in seats],
        "pile_sizes": [int(s.pile_size[p]) for p in seats],
        "known_bottoms": {str(p): tile_words(int(s.pile[p, 0])) for p in seats if s.bottom[p]},
        "unseen": [tiles(s.held[p].tolist()) for p in seats],
        "points": [int(score(s, p)[0]) for p in seats],
    }


def view(s: Any, seat: int | None) -> dict[str, Any]:
    """The state as `seat` may know it (RULES.md § 9), or all of it for None."""
    result, seats = public_view(s), range(s.num_players)
    if seat is None:
        result["hands"] = [tiles(s.hand[p].tolist()) for p in seats]
        result["piles"] = [pile_words(s, p) for p in seats]
        result["returned"] = tiles(s.aside.tolist())
        result["offered"] = [offered_words(s, p) for p in seats]
        result["kept"] = [kept_words(s, p) for p in seats]
    else:
        result |= {
            "seat": seat,
            "hand": tiles(s.hand[seat].tolist()),
            "pile": tiles([int(in_pile(s, seat, k)) for k in range(KINDS)]),
            "returned": tiles(s.aside.tolist()) if seat == s.current_player else [],
            "offered": offered_words(s, seat),
            "kept": kept_words(s, seat),
        }
    return result


def pile_words(s: Any, p: int) -> list[str]:
    """A pile from the bottom up."""
    return [tile_words(int(k)) for k in s.pile[p, : s.pile_size[p]]]


def offered_words(s: Any, p: int) -> list[str]:
    """The two cards a seat was dealt, until all have kept one."""
    return [CARD_NAMES[c] for c in s.offered[p].tolist() if c != NO_CARD]


def kept_words(s: Any, p: int) -> str | None:
    """The card of a seat."""
    return CARD_NAMES[s.card[p]] if s.card[p] != NO_CARD else None


def sign(s: Any, x: int) -> str:
    """What is drawn for a space: tokens of a park, owner and value of a tile, or its name."""
    if x < LAND:
        return initials(int(s.tokens[x])) or "*"
    if s.tile[x] >= EMPTY:
        return space(x)
    kind = TYPE_SIGNS[type_at(s, x)]
    return f"{SEAT_SIGNS[s.owner[x]]}{kind}{int(strength_at(s, x)) or ''}"


def map_lines(s: Any) -> list[str]:
    """The open part of the map: columns are values of q, neighbours N and S are two lines apart."""
    shown = [x for x in range(SPACES) if OPENS[s.map, x] <= s.num_players]
    at = {x: AT[s.map, x].tolist() for x in shown}
    places = {x: (q, 2 * r + q) for x, (q, r) in at.items()}
    left, top = min(q for q, _ in places.values()), min(row for _, row in places.values())
    grid: dict[int, dict[int, str]] = {}
    for x, (q, row) in places.items():
        grid.setdefault(row - top, {})[q - left] = sign(s, x)
    lines = []
    for row in range(max(grid) + 1):
        cells = grid.get(row, {})
        line = "".join(cells.get(q, "").ljust(4) for q in range(max(cells, default=-1) + 1))
        lines.append(line.rstrip())
    return lines


def token_line(counts: dict[str, int]) -> str:
    """Counts of tokens in one line."""
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "none"


def text(s: Any, seat: int | None) -> str:
    """The table as text: as `seat` sees it, or with all hands for None."""
    told = public_view(s)
    state = "finished" if told["finished"] else f"player_{told['to_move']} to {told['stage']}"
    lines = [f"Hanami, {told['board']}: {state}", *map_lines(s)]
    parks = [f"{space(a)} {initials(int(s.tokens[a]))}" for a in range(PARKS) if s.tokens[a]]
    lines += [f"parks: {', '.join(parks) or 'none'}", f"ties: {token_line(told['ties'])}"]
    if sum(told["supply"].values()):
        lines.append(f"supply: {token_line(told['supply'])}")
    chosen = [told["chosen_tile"], *told["chosen_spaces"], told["chosen_type"]]
    if any(chosen):
        lines.append(f"chosen: {', '.join(filter(None, chosen))}")
    for p in range(s.num_players):
        lines += player_lines(s, told, p, seat)
    return "\n".join(lines)


def player_lines(s: Any, told: dict[str, Any], p: int, seat: int | None) -> list[str]:
    """The lines on seat p, as far as the reader may know them."""
    card = told["cards"].get(str(p))
    used = " (used)" if p in told["used"] else ""
    lines = [
        f"player_{p} = {SEAT_SIGNS[p]}{' (you)' if p == seat else ''}: "
        f"{told['points'][p]} points, won {token_line(told['won'][p])}"
        f"{f'; {card}{used}' if card else ''}"
    ]
    if seat in (None, p):
        hand = ", ".join(tiles(s.hand[p].tolist())) or "-"
        lines.append(f"  hand: {hand}; {told['pile_sizes'][p]} tiles in the pile")
        if s.stage == KEEP_CARD:
            kept = kept_words(s, p) or "none yet"
            lines.append(f"  cards: {', '.join(offered_words(s, p))}; kept {kept}")
    else:
        sizes = f"{told['hand_sizes'][p]} tiles, {told['pile_sizes'][p]} in the pile"
        lines.append(f"  hand: {sizes}")
    return lines
