"""Game: the frozen record that a game's folder fills in. The rest of the engine reads only this."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np

from hanazono.envs.core.observation import Layout, Piece

Kernel = Callable[..., Any]


@dataclass(frozen=True)
class Field:
    """A line of a state table: the meaning gives units, encoding and sentinel."""

    name: str
    dtype: type
    shape: tuple[int, ...]
    meaning: str


def common_fields(max_players: int) -> tuple[Field, ...]:
    """The public fields every game shares. Rules read them; only those marked * do rules write."""
    return (
        Field("seed", np.uint64, (), "seed of the deal; fixes all chance of the game"),
        Field("chance", np.uint64, (), "* random numbers drawn so far (core.rng.draw)"),
        Field("rewards", np.float32, (max_players,), "paid by the last step, by seat"),
        Field("decisions", np.int32, (), "decisions made so far"),
        Field("num_players", np.int8, (), "seats in this game"),
        Field("current_player", np.int8, (), "* seat to decide; says nothing when finished"),
        Field("terminated", np.int8, (), "* 1 when the game is over"),
        Field("forfeited", np.int8, (), "seat that lost by an illegal action, -1 none"),
    )


def state_dtype(max_players: int, fields: tuple[Field, ...]) -> np.dtype:
    """The structured dtype of one game's state: the common fields, then the game's own."""
    table = common_fields(max_players) + fields
    taken = [f.name for f in table if hasattr(np.record, f.name)]
    if taken:  # s.round would be a method of the record when rules run as plain Python
        raise ValueError(f"fields cannot be called {taken}: numpy records have such attributes")
    return _without_gaps(np.dtype([(f.name, f.dtype, f.shape) for f in table], align=True))


def _without_gaps(dtype: np.dtype) -> np.dtype:
    """The dtype with a field in every gap: numpy leaves junk there, and equal states would differ
    in their bytes."""
    entries: list[Any] = []
    end = 0
    starts = [(name, dtype.fields[name][1]) for name in dtype.names or () if dtype.fields]
    for name, start in [*starts, ("", dtype.itemsize)]:
        if start > end:
            entries.append((f"unused_{end}", np.uint8, (start - end,)))
        if name:
            entries.append((name, dtype[name]))
            end = start + dtype[name].itemsize
    return np.dtype(entries, align=True)


@dataclass(frozen=True)
class Option:
    """A rule option: a state field of the same name, set before the deal and never changed.

    Attributes:
        allowed: its values; a range where there are too many to list.
        words: names that may be given for the values, in the same order; or none.
    """

    name: str
    default: int
    allowed: tuple[int, ...] | range
    meaning: str
    dtype: type = np.int16
    words: tuple[str, ...] = ()

    def number(self, value: Any) -> Any:
        """The value that a word stands for; anything else as it is."""
        known = isinstance(value, str) and value in self.words
        return self.allowed[self.words.index(value)] if known else value

    def takes(self, value: Any) -> bool:
        """Whether `value` is an allowed integer."""
        return isinstance(value, int | np.integer) and value in self.allowed

    @property
    def others(self) -> list[int]:
        """The allowed values beside the default; of a range only its ends."""
        ends = isinstance(self.allowed, range)
        values = (self.allowed[0], self.allowed[-1]) if ends else self.allowed
        return [value for value in values if value != self.default]

    @property
    def allowed_words(self) -> str:
        """The allowed values as a list or a range."""
        if isinstance(self.allowed, range):
            return f"an integer from {self.allowed[0]} to {self.allowed[-1]}"
        listed = f"one of {list(self.allowed)}"
        return f"{listed} or {', '.join(self.words)}" if self.words else listed


@dataclass(frozen=True)
class ActionGroup:
    """Actions start … start + count - 1, of which action start + i means "item i of `axis`"."""

    name: str
    start: int
    count: int
    axis: str | None = None


@dataclass(frozen=True)
class Rules:
    """The kernels of a game, all on one state record `s`.

    Attributes:
        reset: reset(s) deals; reads seed, num_players and options and sets everything else.
        action_mask: action_mask(s, out) marks the legal actions of the player to decide with 1
            in the zeroed int8 [A].
        step: step(s, action) plays a legal action.
        observe: observe(s, player, out) writes what that seat may know into the zeroed
            float32 [O].
        scores: scores(s, out) writes float64 [P, 2]: points, and a tie-break (higher is better).
        resample_hidden: resample_hidden(s, player, seed) replaces all that `player` cannot know
            by a random state that fits what the player knows.
    """

    reset: Kernel
    action_mask: Kernel
    step: Kernel
    observe: Kernel
    scores: Kernel
    resample_hidden: Kernel


@dataclass(frozen=True)
class Words:
    """A game in words. `s` is one state record; `seat` is the reader, None for everything.

    Attributes:
        action: action(s, action) says what the action means in this state.
        text: text(s, seat) draws the table as plain text.
        view: view(s, seat) tells the state in plain JSON values.
        event: event(s, action, after, seat) says what the seat sees when the action is played in
            `s` and leads to the state `after`; of a secret choice only that it was made.
        sheet: sheet(s) lists where points come from: source -> points of each seat. They count
            what lies on the table as if the game ended now; at its end they add up to the scores.
        colours: what stands out in these texts where colours can be shown: regular expression ->
            ANSI colour, such as "red" or "bright_blue".
    """

    action: Callable[[Any, int], str]
    text: Callable[[Any, int | None], str]
    view: Callable[[Any, int | None], dict[str, Any]]
    event: Callable[[Any, int, Any, int | None], str]
    sheet: Callable[[Any], dict[str, list[int]]]
    colours: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)  # a game is itself: found by identity
class Game:
    """One game, complete.

    Attributes:
        name, title: registry name and printed name.
        module: where this record lives, as "package.module" with a global GAME.
        rules_version: raised whenever the same actions would lead elsewhere.
        min_players, max_players: seats, inclusive; arrays are sized for the most.
        fields: the game's own state table, options excluded.
        num_actions: A, the number of action ids.
        actions: groups of action ids, for networks and tables.
        pieces: the observation.
        rules, words: see there.
        bots: scripted players, weakest first: name -> act(s, mask, noise), see core.bots.
        max_decisions: max_decisions(num_players, options) bounds the length of a game.
        score_scale: points that count as 1 in the "score" reward.
        options: rule options.
    """

    name: str
    title: str
    module: str
    rules_version: int
    min_players: int
    max_players: int
    fields: tuple[Field, ...]
    num_actions: int
    actions: tuple[ActionGroup, ...]
    pieces: tuple[Piece, ...]
    rules: Rules
    words: Words
    bots: Mapping[str, Kernel]
    max_decisions: Callable[[int, Mapping[str, int]], int]
    score_scale: float
    options: tuple[Option, ...] = field(default=())

    @cached_property
    def dtype(self) -> np.dtype:
        """The structured dtype of one state."""
        options = tuple(Field(o.name, o.dtype, (), o.meaning) for o in self.options)
        return state_dtype(self.max_players, options + self.fields)

    @cached_property
    def layout(self) -> Layout:
        """Where each piece of the observation lies."""
        return Layout(self.pieces)

    def check_players(self, num_players: Any) -> int:
        """Return `num_players` if the game can be played by so many.

        Raises:
            ValueError: naming the allowed seat counts.
        """
        allowed = range(self.min_players, self.max_players + 1)
        if isinstance(num_players, bool) or num_players not in allowed:
            raise ValueError(
                f"{self.title} is played by {self.min_players} to {self.max_players} players, "
                f"got num_players={num_players!r}"
            )
        return int(num_players)

    def seats(self, num_players: int | None) -> int:
        """`check_players`, for None the fewest."""
        return self.min_players if num_players is None else self.check_players(num_players)

    def check_options(
        self, options: Mapping[str, Any], settings: Sequence[str] = ()
    ) -> dict[str, int]:
        """Return all options with defaults filled in.

        Args:
            options: those given.
            settings: what else could have been given beside them, for the error.

        Raises:
            ValueError: for an unknown option or value, naming what is allowed.
        """
        known = {option.name: option for option in self.options}
        chosen = {option.name: option.default for option in self.options}
        for name, value in options.items():
            if name not in known:
                listed = ", ".join(known) or "none"
                others = f"; other settings: {', '.join(settings)}" if settings else ""
                raise ValueError(
                    f"{self.title} has no option {name!r}; its options: {listed}{others}"
                )
            number = known[name].number(value)
            if not known[name].takes(number):
                raise ValueError(
                    f"option {name!r} of {self.title} takes {known[name].allowed_words}, "
                    f"got {value!r}"
                )
            chosen[name] = int(number)
        return chosen

    def new_states(self, count: int, num_players: int, options: Mapping[str, Any]) -> np.ndarray:
        """`count` states with seats and options set, not yet dealt: array of `dtype` [count]."""
        states = np.zeros(count, self.dtype)
        states["num_players"] = self.check_players(num_players)
        states["forfeited"] = -1
        for name, value in self.check_options(options).items():
            states[name] = value
        return states

    def __deepcopy__(self, memo: dict[int, Any]) -> "Game":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        # Kernels do not pickle; a game is found again by the place where it lives.
        return load_game, (self.module,)


def load_game(module: str) -> Game:
    """The Game at "package.module"."""
    game = import_module(module).GAME
    if not isinstance(game, Game):
        raise TypeError(f"{module}.GAME is no Game but {type(game).__name__}")
    return game
