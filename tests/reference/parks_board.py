"""The boards of HANAMI on park maps (RULES.md § 1), read by the twin for itself."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "envs" / "hanami_parks"
BOARD_NAMES = ("nihon", "tokyo")
FIRST_ID = {"park": 0, "land": 34, "water": 90}
NEIGHBOURS = ((0, -1), (1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0))  # in directions 0 .. 5


@dataclass(frozen=True)
class Board:
    """The spaces that are open for a number of players, by id in ascending order."""

    parks: dict[int, int]  # trees
    land: list[int]
    water: list[int]
    neighbours: dict[int, list[int | None]]  # in directions 0 .. 5; None: none that is open
    around: dict[int, list[int]]  # the neighbours that there are


@cache
def read_board(name: str, num_players: int) -> Board:
    """The board of a file; whatever is not open is left out."""
    text = (FOLDER / f"board_{name}.jsonl").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines()][1:]
    opens = {line["island"]: line["players"] for line in lines if "players" in line}
    at: dict[tuple[int, int], int] = {}
    trees = {}
    for line in lines[len(opens) :]:
        (kind,) = line.keys() & FIRST_ID.keys()
        if kind == "water" or opens[line["island"]] <= num_players:
            x = FIRST_ID[kind] + line[kind]
            at[tuple(line["at"])] = x
            if kind == "park":
                trees[x] = line["trees"]
    next_to = {x: [at.get((q + u, r + v)) for u, v in NEIGHBOURS] for (q, r), x in at.items()}
    coast = {x for x in next_to if is_water(x) and any(map(is_ground, next_to[x]))}
    is_open = {x for x in next_to if not is_water(x)} | coast
    neighbours = {x: [y if y in is_open else None for y in next_to[x]] for x in sorted(is_open)}
    around = {x: [y for y in found if y is not None] for x, found in neighbours.items()}
    land = [x for x in neighbours if is_land(x)]
    return Board(dict(sorted(trees.items())), land, sorted(coast), neighbours, around)


def is_land(x: int) -> bool:
    """Whether x is the id of a Land space."""
    return FIRST_ID["land"] <= x < FIRST_ID["water"]


def is_water(x: int) -> bool:
    """Whether x is the id of a Water space."""
    return x >= FIRST_ID["water"]


def is_ground(x: int | None) -> bool:
    """Whether x is the id of a park or Land space."""
    return x is not None and not is_water(x)
