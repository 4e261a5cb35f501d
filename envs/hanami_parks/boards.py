"""The boards, read from board_nihon.jsonl, board_tokyo.jsonl and whatever files a user has
(RULES.md § 1).

Spaces have ids: parks from 0, Land from LAND, Water from WATER on. Whatever does not fit in a file
is refused with the number of its line and what is allowed there.
"""

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from hanazono.envs.core.kernel import given_tables

OUR_BOARDS = ("nihon", "tokyo")
OURS = tuple(Path(__file__).with_name(f"board_{name}.jsonl") for name in OUR_BOARDS)
FILES = (*OURS, *(file for file in given_tables() if file.name.startswith("board_")))
BOARD_NAMES = tuple(file.stem.removeprefix("board_") for file in FILES)
BOARDS = len(FILES)
OWN_NUMBERS = range(100, 32_000)
PARKS, LANDS, WATERS = 34, 56, 84
LAND, WATER = PARKS, PARKS + LANDS  # the first ids
SPACES = WATER + WATERS
KINDS = {"park": (0, PARKS), "land": (LAND, LANDS), "water": (WATER, WATERS)}  # start, capacity
KEYS = {
    "park": ["park", "at", "island", "trees"],
    "land": ["land", "at", "island"],
    "water": ["water", "at"],
}
FORM = (
    '{"park": number, "at": [q, r], "island": name, "trees": 1 … 3}, '
    '{"land": number, "at": [q, r], "island": name} or {"water": number, "at": [q, r]} is allowed'
)
ISLANDS = {"middle": 2, "left": 3, "right": 4}  # least number of players
MOST_TREES = 3
FARTHEST = 99  # coordinate
DIRECTION_NAMES = ("N", "NE", "SE", "S", "SW", "NW")
DIRECTIONS = ((0, -1), (1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0))  # steps in q and r
AROUND = len(DIRECTIONS)
MOST_PARKS = 3  # around a space: no two parks are adjacent
NOWHERE = -1
NEVER = 9  # players at which a space is open that is not on the board

TYPES = 3
TOKENS = {2: 7, 3: 10, 4: 13}  # of each type, by number of players
LAND_TILES, BOATS = 16, 3  # of each player


@dataclass
class Space:
    """One line of a file: the space's place, its least number of players, its trees."""

    line: int
    kind: str
    at: tuple[int, int]
    opens: int
    trees: int = 0
    neighbors: list[int] = field(default_factory=lambda: [NOWHERE] * AROUND)


class Reader:
    """Reads one file; complains with its name and the line."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.spaces: dict[int, Space] = {}

    def complain(self, line: int | None, what: str) -> NoReturn:
        """Raise ValueError, naming the file and the line if there is one."""
        place = self.file.name if line is None else f"{self.file.name}, line {line}"
        raise ValueError(f"{place}: {what}")

    def require(self, ok: Any, line: int | None, what: str) -> None:
        """Complain unless `ok`."""
        if not ok:
            self.complain(line, what)

    def read(self) -> dict[int, Space]:
        """The spaces by id, with their neighbours.

        Raises:
            ValueError: naming the line that is wrong, and what is allowed there.
        """
        values = [self.parse(*line) for line in enumerate(self.lines(), 1)]
        name = self.file.stem.removeprefix("board_")
        head = list(values[0]) == ["about", "board"] and values[0]["board"] == name
        told = f'{{"about": text, "board": "{name}"}} is allowed, as the file is called'
        self.require(head, 1, told)
        for line, (island, players) in enumerate(ISLANDS.items(), 2):
            value = values[line - 1]
            fits = list(value) == ["island", "label", "players"]
            fits = fits and value["island"] == island and value["players"] == players
            allowed = f'{{"island": "{island}", "label": text, "players": {players}}} is allowed'
            self.require(fits, line, allowed)
        counts = dict.fromkeys(KINDS, 0)
        for line, value in enumerate(values[1 + len(ISLANDS) :], 2 + len(ISLANDS)):
            self.add(line, value, counts)
        self.join()
        self.check_map()
        for players in TOKENS:
            self.check_players(players)
        return self.spaces

    def lines(self) -> list[str]:
        """The lines of the file, enough for a board."""
        try:
            lines = self.file.read_text("utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            self.complain(None, f"cannot be read: {error}")
        self.require(len(lines) > 1 + len(ISLANDS), None, "a board has more than 4 lines")
        return lines

    def parse(self, line: int, text: str) -> dict[str, Any]:
        """The JSON object in a line."""
        try:
            value = json.loads(text)
        except json.JSONDecodeError as error:
            self.complain(line, f"{error.msg} in column {error.colno}")
        self.require(isinstance(value, dict), line, f"an object is expected, got {text}")
        return dict(value)

    def add(self, line: int, value: dict[str, Any], counts: dict[str, int]) -> None:
        """Add the space that a line tells."""
        kind = next(iter(value), "")
        form = kind in KINDS and list(value) == KEYS[kind]
        self.require(form, line, f"{FORM}, got {json.dumps(value)}")
        start, capacity = KINDS[kind]
        number, later = value[kind], [k for k in KINDS if KINDS[k][0] > start and counts[k]]
        self.require(not later, line, "parks come first, then Land, then Water")
        self.require(number == counts[kind], line, f"the next {kind} is number {counts[kind]}")
        self.require(number < capacity, line, f"at most {capacity} spaces are {kind}")
        self.spaces[start + number] = Space(
            line, kind, self.place(line, value["at"]), self.opens(line, value), self.trees(value)
        )
        counts[kind] += 1
        trees = value.get("trees", 1)
        fits = type(trees) is int and 1 <= trees <= MOST_TREES
        self.require(fits, line, f"a park has 1 to {MOST_TREES} trees, got {trees!r}")

    def place(self, line: int, at: Any) -> tuple[int, int]:
        """The coordinates of a space, where there is no other."""
        two = isinstance(at, list) and len(at) == 2 and all(type(part) is int for part in at)
        fits = two and all(abs(part) <= FARTHEST for part in at)
        allowed = f"two integers from {-FARTHEST} to {FARTHEST} are allowed"
        self.require(fits, line, f"{allowed}, got {json.dumps(at)}")
        for other in self.spaces.values():
            self.require(other.at != tuple(at), line, f"line {other.line} has the same place {at}")
        return int(at[0]), int(at[1])

    def opens(self, line: int, value: dict[str, Any]) -> int:
        """Least number of players, NEVER for Water until its neighbours are known."""
        island = value.get("island", "middle")
        allowed = f"an island is one of {', '.join(ISLANDS)}"
        known = isinstance(island, str) and island in ISLANDS
        self.require(known, line, f"{allowed}, got {json.dumps(island)}")
        return ISLANDS[island] if "island" in value else NEVER

    def trees(self, value: dict[str, Any]) -> int:
        """Trees of a park, otherwise 0."""
        trees = value.get("trees", 0)
        return trees if type(trees) is int else 0

    def join(self) -> None:
        """Find all neighbours, and when Water is open."""
        at = {space.at: x for x, space in self.spaces.items()}
        for space in self.spaces.values():
            q, r = space.at
            space.neighbors = [at.get((q + dq, r + dr), NOWHERE) for dq, dr in DIRECTIONS]
        for space in self.spaces.values():
            if space.kind == "water":
                beside = self.around(space, "park") + self.around(space, "land")
                space.opens = min((other.opens for other in beside), default=NEVER)

    def around(self, space: Space, kind: str) -> list[Space]:
        """The neighbours of a kind."""
        found = [self.spaces[x] for x in space.neighbors if x != NOWHERE]
        return [other for other in found if other.kind == kind]

    def of_kind(self, kind: str) -> list[Space]:
        """All spaces of a kind."""
        return [space for space in self.spaces.values() if space.kind == kind]

    def check_map(self) -> None:
        """Points 2 and 3 of RULES.md § 1."""
        big = [park for park in self.of_kind("park") if park.trees == MOST_TREES]
        one = len(big) == 1 and big[0].opens == min(TOKENS)
        self.require(one, None, "just one park, on the middle island, has 3 trees")
        for park in self.of_kind("park"):
            lands = self.around(park, "land")
            self.require(not self.around(park, "park"), park.line, "no two parks are adjacent")
            self.require(len(lands) >= 2, park.line, "a park has at least two adjacent Land spaces")
            same = all(land.opens == park.opens for land in lands)
            self.require(same, park.line, "adjacent parks and Land are of one island")
        for land in self.of_kind("land"):
            parks = self.around(land, "park")
            self.require(len(parks) == 2, land.line, "Land is adjacent to just two parks")

    def check_players(self, players: int) -> None:
        """Points 4 and 5 of RULES.md § 1."""
        seen = [space for space in self.spaces.values() if space.opens <= players]
        trees, singles = sum(s.trees for s in seen), sum(s.trees == 1 for s in seen)
        lands, waters = (sum(s.kind == kind for s in seen) for kind in ("land", "water"))
        tokens, told = TOKENS[players], f"for {players} players"
        wanted = f"{TYPES * tokens} trees are wanted {told}, got {trees}"
        self.require(trees == TYPES * tokens, None, wanted)
        wanted = f"at least {tokens - 1} parks with one tree are wanted {told}, got {singles}"
        self.require(singles >= tokens - 1, None, wanted)
        wanted = f"fewer than {LAND_TILES * players} Land spaces are wanted {told}, got {lands}"
        self.require(lands < LAND_TILES * players, None, wanted)
        wanted = f"at least {BOATS * players} Water spaces are wanted {told}, got {waters}"
        self.require(waters >= BOATS * players, None, wanted)


def read_boards(files: Sequence[Path]) -> tuple[dict[int, Space], ...]:
    """All boards, each by ids.

    Raises:
        ValueError: for a name that two have, and as `Reader.read`.
    """
    for number, file in enumerate(files):
        if file.stem in [other.stem for other in files[:number]]:
            raise ValueError(f"{file}: there is a board of this name already; rename the file")
    return tuple(Reader(file).read() for file in files)


BOARD = read_boards(FILES)


def number_of(file: Path) -> int:
    """What option `board` is for a file of the user's: it follows from what is in the file, so
    that no record and no checkpoint is taken for one of another board."""
    span = OWN_NUMBERS.stop - OWN_NUMBERS.start
    return OWN_NUMBERS.start + zlib.crc32(file.read_bytes()) % span


NUMBERS = np.array([*range(len(OURS)), *map(number_of, FILES[len(OURS) :])])  # values of `board`

# The boards as arrays, first index the board. NOWHERE fills what is not there.
NEIGHBOR = np.full((BOARDS, SPACES, AROUND), NOWHERE, np.int16)  # by direction
PARKS_BY = np.full((BOARDS, SPACES, MOST_PARKS), NOWHERE, np.int8)  # parks adjacent to a space
LANDS_BY = np.full((BOARDS, PARKS, AROUND), NOWHERE, np.int16)  # Land spaces adjacent to a park
TREES = np.zeros((BOARDS, PARKS), np.int8)
OPENS = np.full((BOARDS, SPACES), NEVER, np.int8)  # least number of players
AT = np.zeros((BOARDS, SPACES, 2), np.int16)  # coordinates q and r
for _b, _board in enumerate(BOARD):
    for _x, _space in _board.items():
        OPENS[_b, _x], AT[_b, _x] = _space.opens, _space.at
        NEIGHBOR[_b, _x] = _space.neighbors
        _parks = [y for y in _space.neighbors if NOWHERE < y < LAND]
        PARKS_BY[_b, _x, : len(_parks)] = _parks
        if _x < LAND:
            TREES[_b, _x] = _space.trees
            _lands = [y for y in _space.neighbors if LAND <= y < WATER]
            LANDS_BY[_b, _x, : len(_lands)] = _lands
# The parks on both sides of each Land space; ids from 0 on, also for those of no board.
PARK_PAIRS = np.maximum(PARKS_BY[:, LAND:WATER, :2], 0).astype(np.uint8)


def last_open(start: int, end: int) -> np.ndarray:
    """How many of the ids from start on reach all open spaces before end: [board, players]."""
    numbers = np.arange(1, end - start + 1)
    return np.array([
        [(numbers * (opens <= players)).max() for players in range(max(TOKENS) + 1)]
        for opens in OPENS[:, start:end]
    ])  # fmt: skip


LAST_PARK = last_open(0, LAND)
LAST_LAND, LAST_WATER = last_open(LAND, WATER), last_open(WATER, SPACES)
