"""The icons of the cards and the bonus cards, read from icons.jsonl (RULES.md § 1).

The file holds one JSON value a line: a text about it, a line for each pattern, a line for each
bonus card. Whatever does not fit is refused with the number of its line and what is allowed there.
The kernels at the end say what the open bonus card pays (§ 7).
"""

import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from hanazono.envs.core.kernel import kernel
from hanazono.envs.core.sets import size
from hanazono.envs.hanami_tatami.cards import CARDS, NUMBERS, PATTERN_NAMES

FILE = Path(__file__).with_name("icons.jsonl")
ICON_NAMES = ("bowl", "sake", "note", "top", "blossom")
ICONS = len(ICON_NAMES)
BONUS_CARDS, MOST_CONDITIONS = 5, 4
KINDS = ("each", "once", "most")
EACH, MOST = KINDS.index("each"), KINDS.index("most")
AS_SHIPPED = 73022686  # checksum of the tables in the file that comes with the game
MOST_POINTS = 9  # a condition may pay
MOST_ICONS = 10  # a set may consist of
CONDITION = f'{{"points": 1 … {MOST_POINTS}, one of {", ".join(KINDS)}: [icons]}} is allowed'


class Line:
    """One line of the file, for complaints about it."""

    def __init__(self, file: Path, number: int, text: str) -> None:
        self.place = f"{file.name}, line {number}"
        try:
            self.value = json.loads(text)
        except json.JSONDecodeError as error:
            raise ValueError(f"{self.place}: {error.msg} in column {error.colno}") from None

    def require(self, ok: Any, allowed: str, got: Any) -> None:
        """Raise ValueError unless `ok`, naming the line and what is allowed."""
        if not ok:
            raise ValueError(f"{self.place}: {allowed}, got {json.dumps(got)}")

    def list_of(self, head: str, expected: Any, body: str) -> list[Any]:
        """The list under `body` of a line whose `head` is the expected value."""
        whole = isinstance(self.value, dict) and list(self.value) == [head, body]
        fits = whole and self.value[head] == expected and isinstance(self.value[body], list)
        allowed = f'{{"{head}": {json.dumps(expected)}, "{body}": [...]}} is allowed'
        self.require(fits, allowed, self.value)
        entries: list[Any] = self.value[body]
        return entries

    def icons(self, names: Any, count: int | None = None) -> list[int]:
        """The icons of these names, as many as `count` says."""
        allowed = f"{count or f'1 to {MOST_ICONS}'} of {', '.join(ICON_NAMES)} are allowed"
        known = isinstance(names, list) and all(name in ICON_NAMES for name in names)
        self.require(known and 1 <= len(names) <= MOST_ICONS, allowed, names)
        self.require(count in (None, len(names)), allowed, names)
        return [ICON_NAMES.index(name) for name in names]


def read_lines(file: Path) -> Iterator[Line]:
    """The lines after the first, which is about the file.

    Raises:
        ValueError: if there are too few or too many, or one is no JSON.
    """
    lines = [Line(file, *entry) for entry in enumerate(file.read_text("utf-8").splitlines(), 1)]
    wanted = 1 + len(PATTERN_NAMES) + BONUS_CARDS
    if len(lines) != wanted:
        raise ValueError(f"{file.name}: {wanted} lines are expected, got {len(lines)}")
    return iter(lines[1:])


def read_condition(line: Line, condition: Any) -> tuple[int, int, list[int]]:
    """Points, kind, and how many of each icon one set takes."""
    parts = list(condition) if isinstance(condition, dict) else []
    line.require(
        len(parts) == 2 and parts[0] == "points" and parts[1] in KINDS, CONDITION, condition
    )
    points, kind = condition["points"], parts[1]
    line.require(type(points) is int and 1 <= points <= MOST_POINTS, CONDITION, condition)
    icons = line.icons(condition[kind], 1 if kind == "most" else None)
    return points, KINDS.index(kind), np.bincount(icons, minlength=ICONS).tolist()


def read(file: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Icons of the cards int8 [60]; points and kind of the bonus cards' conditions int8 [5, 4],
    and how many of each icon one set takes int8 [5, 4, 5]. Conditions that are not there pay 0.

    Raises:
        ValueError: naming the line that is wrong, and what is allowed there.
    """
    lines, icons = read_lines(file), []
    for pattern in PATTERN_NAMES:
        line = next(lines)
        icons += line.icons(line.list_of("pattern", pattern, "icons"), NUMBERS)
    points, kinds = np.zeros((2, BONUS_CARDS, MOST_CONDITIONS), np.int8)
    sets = np.zeros((BONUS_CARDS, MOST_CONDITIONS, ICONS), np.int8)
    for k, line in enumerate(lines):
        conditions = line.list_of("bonus_card", k, "conditions")
        allowed = f"1 to {MOST_CONDITIONS} conditions are allowed"
        line.require(1 <= len(conditions) <= MOST_CONDITIONS, allowed, conditions)
        for i, condition in enumerate(conditions):
            points[k, i], kinds[k, i], sets[k, i] = read_condition(line, condition)
    return np.array(icons, np.int8), points, kinds, sets


def version(tables: tuple[np.ndarray, ...]) -> int:
    """0 for the tables that come with the game, else a number that tells them from others, so that
    records and policies made with one file are refused with another."""
    digest = zlib.crc32(b"".join(table.tobytes() for table in tables))
    return 0 if digest == AS_SHIPPED else digest


ICON, POINTS, KIND, SET = TABLES = read(FILE)
VERSION = version(TABLES)
ICON_SETS = np.array(
    [sum(1 << c for c in range(CARDS) if ICON[c] == i) for i in range(ICONS)], np.int64
)
# Of each condition: how many different icons a set takes, which, and how many of each.
ICONS_IN_SET = (SET > 0).sum(axis=2).astype(np.int8)
WHICH_IN_SET = np.argsort(SET == 0, axis=2, kind="stable").astype(np.int8)
COUNT_IN_SET = np.take_along_axis(SET, WHICH_IN_SET.astype(np.int64), axis=2)
MANY_SETS = CARDS  # more than anybody has
# How many sets there are in so many icons, by how many a set takes (faster than dividing).
SETS = np.array([np.arange(CARDS + 2) // max(1, n) for n in range(1 + MOST_ICONS)], np.int64)
NO_ICON = -1


@kernel
def icon_count(s: Any, p: Any, icon: Any) -> Any:
    """How often the icon lies on the cards played by seat p."""
    return size(s.played[p] & ICON_SETS[icon])


@kernel
def sets_held(s: Any, p: Any, i: Any, extra: Any) -> Any:
    """Complete sets that seat p has for condition i; `extra` is an icon to count besides."""
    card, played, sets = s.bonus_card, s.played[p], MANY_SETS
    for k in range(ICONS_IN_SET[card, i]):
        icon = WHICH_IN_SET[card, i, k]
        count = size(played & ICON_SETS[icon]) + (icon == extra)
        sets = min(sets, SETS[COUNT_IN_SET[card, i, k], count])
    return sets


@kernel
def most_of_others(s: Any, p: Any, i: Any) -> Any:
    """The most sets that another seat than p has for condition i, 0 unless the most count."""
    most = 0
    if KIND[s.bonus_card, i] == MOST:  # a set is one icon
        icons = ICON_SETS[WHICH_IN_SET[s.bonus_card, i, 0]]
        for q in range(s.num_players):
            if q != p:
                most = max(most, size(s.played[q] & icons))
    return most


@kernel
def condition_points(s: Any, i: Any, sets: Any, most: Any) -> Any:
    """What condition i of the bonus card pays for these sets, where others have at most `most`."""
    points = np.int64(POINTS[s.bonus_card, i])
    if KIND[s.bonus_card, i] == EACH:
        return points * sets
    return points if sets > 0 and sets >= most else points * 0
