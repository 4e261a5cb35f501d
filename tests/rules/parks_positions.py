"""Tables of Hanami on park maps with chosen tiles, so that a test can be read like the rulebook.

Spaces are told as on the maps: P3, L20, W7. Tiles are told by name: "Sakura 2", "Boat 1". Seats
count from 0. All decisions go through BatchEnv, which refuses what is not legal.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hanazono.envs.core.batch import BatchEnv
from hanazono.envs.hanami_parks import GAME, boards, decisions, parks
from hanazono.envs.hanami_parks.piles import NO_TILE
from hanazono.envs.hanami_parks.tiles import CARD_NAMES, TILE_NAMES, TYPE_NAMES

STARTS = {"P": 0, "L": boards.LAND, "W": boards.WATER}
FAR = {"P13": "O", "P15": "S", "P16": "C"}  # one token of each type, so that the game goes on


def space(name: str) -> int:
    """The id of a space."""
    return STARTS[name[0]] + int(name[1:])


def kind(name: str) -> int:
    """The kind of a tile."""
    return TILE_NAMES.index(name)


def types(letters: str) -> int:
    """The set of types told by their first letters."""
    return sum(1 << [name[0] for name in TYPE_NAMES].index(letter) for letter in letters)


class Table:
    """One game in seat 0's turn, on an empty map but for the told tokens, without tiles at hand.

    `tokens` are told by park, "P0": "SCO"; one of each type lies far away besides.
    """

    def __init__(
        self,
        num_players: int = 2,
        tokens: dict[str, str] | None = None,
        far: dict[str, str] = FAR,
        **options: int,
    ) -> None:
        self.num_players, self._options = num_players, options
        self.env = BatchEnv(GAME, 1, num_players, auto_reset=False, options=options)
        self.env.reset(seed=0)
        self.s: Any = self.env.states.view(np.recarray)[0]
        s = self.s
        parks.open_map(s)
        s.hand[:] = s.hand_size[:] = s.held[:] = s.pile_size[:] = s.supply[:] = 0
        s.passes = s.bottom[:] = 0
        s.pile[:] = NO_TILE
        s.offered[:] = -1
        s.stage, s.current_player, s.start_player = decisions.TURN, 0, 0
        s.placed, s.slots, s.omamori = 0, 1, 0
        s.chosen = s.first = s.second = s.first_type = -1
        for park, letters in (far | (tokens or {})).items():
            s.tokens[space(park)] = types(letters)
        self.refresh()

    def refresh(self) -> None:
        """Tell the environment that the state was changed by hand."""
        self.env.set_states(self.env.get_states())

    def copy(self) -> Table:
        """The same game again, to try something else."""
        other = Table(self.num_players, **self._options)
        other.env.set_states(self.env.get_states())
        return other

    def resampled(self, seat: int, seed: int) -> Table:
        """The same game with everything that the seat cannot know drawn anew."""
        other = self.copy()
        other.env.resample_hidden(np.array([seat]), np.array([seed]))
        return other

    # Setting up

    def lay(self, seat: int, tile: str, *names: str, arrow: int = -1) -> Table:
        """Lay tiles of a seat on spaces."""
        for name in names:
            if arrow >= 0:
                self.s.arrow[seat] = arrow
            parks.put(self.s, space(name), kind(tile), seat)
            parks.settle_copies(self.s)
        self.refresh()
        return self

    def give(self, seat: int, *names: str) -> Table:
        """Put tiles into a hand."""
        for name in names:
            self.s.hand[seat, kind(name)] += 1
            self.s.held[seat, kind(name)] += 1
            self.s.hand_size[seat] += 1
        self.refresh()
        return self

    def stack(self, seat: int, *names: str) -> Table:
        """Make a pile, told from the bottom up."""
        self.s.pile[seat, : len(names)] = [kind(name) for name in names]
        self.s.pile_size[seat] = len(names)
        for name in names:
            self.s.held[seat, kind(name)] += 1
        self.refresh()
        return self

    def card(self, seat: int, name: str) -> Table:
        self.s.card[seat] = CARD_NAMES.index(name)
        self.refresh()
        return self

    # What happens

    def decide(self, action: int) -> None:
        self.env.step(np.array([action]))

    def tile(self, name: str) -> None:
        """Choose a tile."""
        self.decide(decisions.TILE_ID + kind(name))

    def at(self, *names: str) -> None:
        """Choose spaces, one after another."""
        for name in names:
            self.decide(space(name))

    def place(self, tile: str, *names: str) -> None:
        """Choose a tile and the space, or spaces, for it."""
        self.tile(tile)
        self.at(*names)

    def token(self, letter: str) -> None:
        self.decide(decisions.TYPE_ID + types(letter).bit_length() - 1)

    def point(self, direction: int) -> None:
        self.decide(decisions.DIRECTION_ID + direction)

    def use(self) -> None:
        self.decide(decisions.USE)

    def done(self) -> None:
        self.decide(decisions.DONE)

    # What is on the table

    @property
    def over(self) -> bool:
        return bool(self.env.terminated[0])

    @property
    def mover(self) -> int:
        return int(self.s.current_player)

    @property
    def can_use(self) -> bool:
        return bool(self.env.action_mask[0, decisions.USE])

    @property
    def can_end(self) -> bool:
        return bool(self.env.action_mask[0, decisions.DONE])

    @property
    def legal(self) -> list[int]:
        return [int(action) for action in np.flatnonzero(self.env.action_mask[0])]

    @property
    def spaces(self) -> list[str]:
        """The spaces that can be chosen."""
        told = []
        for x in self.legal:
            if x < boards.SPACES:
                letter = max(STARTS, key=lambda name: STARTS[name] if STARTS[name] <= x else -1)
                told.append(f"{letter}{x - STARTS[letter]}")
        return told

    @property
    def tiles(self) -> list[str]:
        """The tiles that can be chosen."""
        start = int(decisions.TILE_ID)
        return [TILE_NAMES[x - start] for x in self.legal if start <= x < start + len(TILE_NAMES)]

    @property
    def ties(self) -> list[int]:
        return self.s.ties.tolist()

    def won(self, seat: int) -> list[int]:
        return self.s.won[seat].tolist()

    def hand(self, seat: int) -> list[str]:
        return GAME.words.view(self.s, None)["hands"][seat]

    def pile(self, seat: int) -> list[str]:
        return GAME.words.view(self.s, None)["piles"][seat]

    def tile_on(self, name: str) -> tuple[int, str] | None:
        """Owner and tile on a space."""
        x = space(name)
        found = int(self.s.tile[x])
        return (int(self.s.owner[x]), TILE_NAMES[found]) if found < len(TILE_NAMES) else None

    def tokens(self, park: str) -> str:
        word = int(self.s.tokens[space(park)])
        return "".join(name[0] for t, name in enumerate(TYPE_NAMES) if word >> t & 1)

    def strength(self, seat: int, letter: str, park: str) -> int:
        t = types(letter).bit_length() - 1
        return int(self.s.pips[seat, t, space(park)])

    def ranks(self) -> list[int]:
        self.env.score()
        return self.env.final_ranks[0, : self.num_players].tolist()

    def view(self, seat: int) -> dict[str, Any]:
        return GAME.words.view(self.s, seat)
