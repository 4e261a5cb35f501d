"""Hanafuda cards in words: names of sets, and a player's captured cards by rank."""

from hanazono.envs.hanafuda.deck import NAMES, RANK, RANK_NAMES, cards_of


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
