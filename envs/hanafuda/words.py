"""Hanafuda cards in words: names of sets, a player's captured cards by rank, and what happened."""

from collections.abc import Sequence

from hanazono.envs.hanafuda.deck import (
    AKATAN,
    ANIMALS,
    AOTAN,
    BRIGHTS,
    KUSATAN,
    NAMES,
    RANK,
    RANK_NAMES,
    WILLOW_RIBBON,
    cards_of,
    same_month,
)

COLOURS = {  # of the names of cards; ribbons have their own, plains none
    "|".join(NAMES[c] for c in cards_of(int(card_set))): colour
    for card_set, colour in (
        (BRIGHTS, "bright_yellow"),
        (ANIMALS, "bright_cyan"),
        (AKATAN, "bright_magenta"),
        (AOTAN, "bright_blue"),
        (KUSATAN | WILLOW_RIBBON, "bright_red"),
    )
}


def names_in(card_set: int) -> list[str]:
    """The names of the cards in a set, by month."""
    return [NAMES[c] for c in cards_of(card_set)]


def line(card_set: int) -> str:
    """A set as one line of text, "-" if it is empty."""
    return ", ".join(names_in(card_set)) or "-"


def by_rank(card_set: int) -> dict[str, list[str]]:
    """The names of the cards in a set by the name of their rank, best rank first."""
    return {
        rank_name: [NAMES[c] for c in cards_of(card_set) if RANK[c] == rank]
        for rank, rank_name in enumerate(RANK_NAMES)
    }


def line_by_rank(card_set: int) -> str:
    """A set as one line, a part for each rank that it holds: "bright: Pine Crane; plain: …"."""
    parts = (f"{rank}: {', '.join(names)}" for rank, names in by_rank(card_set).items() if names)
    return "; ".join(parts) or "-"


def matches(hand: int, field: int) -> str:
    """What the cards of a hand find in the field: "Plum plain a - Plum Warbler; …"."""
    found = ((c, same_month(field, c)) for c in cards_of(hand))
    return "; ".join(f"{NAMES[c]} - {line(targets)}" for c, targets in found if targets) or "-"


def moved(open_before: int, field: int, before: Sequence[int], after: Sequence[int]) -> str:
    """What else happened when cards moved: "; turned over …; player_1 captured …".

    Args:
        open_before: the set of cards that lay open before, and those put down from a hand.
        field: the set in the field afterwards, with a card that waits for its target.
        before: the set that each seat had captured before,
        after: and has captured afterwards.
    """
    turned, parts = field & ~open_before, [""]
    for cards in after:
        turned |= cards & ~open_before
    if turned:
        parts.append(f"turned over {line(turned)}")
    for p, (had, has) in enumerate(zip(before, after, strict=True)):
        if has & ~had:
            parts.append(f"player_{p} captured {line(has & ~had)}")
    return "; ".join(parts)
