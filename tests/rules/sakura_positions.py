"""Tables of Sakura with chosen cards, so that a test can be read like the rulebook.

Cards are told by month and column: PINE[0] is the Crane, WILLOW[3] the Lightning. Seats count from
0. All decisions go through BatchEnv, which refuses what is not legal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from hanazono.envs.core.batch import BatchEnv
from hanazono.envs.hanafuda.deck import CARDS, NAMES, cards_of, set_of
from hanazono.envs.sakura import GAME, rules

MONTHS = [list(range(4 * m, 4 * m + 4)) for m in range(12)]
PINE, PLUM, CHERRY, WISTERIA, IRIS, PEONY = MONTHS[:6]
CLOVER, PAMPAS, CHRYSANTHEMUM, MAPLE, WILLOW, PAULOWNIA = MONTHS[6:]
LIGHTNING = WILLOW[3]


def hiki_of(month: Sequence[int]) -> int:
    """The action that declares a month."""
    return rules.HIKI + MONTHS.index(list(month))


def named(*names: str) -> list[int]:
    """Card ids by name, ascending."""
    return sorted(NAMES.index(name) for name in names)


class Table:
    """One game for `num_players`, at a decision of the starter in the hand part of a turn.

    Hands and captured cards are told by seat, `pile` from the top. `put_down` are cards, captured
    or in the field, that came from the hand of the seat. Seats of which nothing is said get one
    card, the highest that is left; all other cards lie at the bottom of the pile. With
    `only_these` there are no cards but the ones told.
    """

    def __init__(
        self,
        num_players: int = 2,
        hands: Sequence[Iterable[int]] = (),
        field: Iterable[int] = (),
        pile: Iterable[int] = (),
        *,
        captured: Sequence[Iterable[int]] = (),
        put_down: Sequence[Iterable[int]] = (),
        starter: int = 0,
        only_these: bool = False,
        **options: int,
    ) -> None:
        self.num_players = num_players
        self.env = BatchEnv(GAME, 1, num_players, auto_reset=False, options=options)
        self.env.reset(seed=0)
        self.s: Any = self.env.states.view(np.recarray)[0]
        self._options = options
        told = [list(hand) for hand in hands]
        used = [c for cards in (*told, field, pile, *captured) for c in cards]
        assert len(used) == len(set(used)), "a card lies in one place"
        rest = [] if only_these else [c for c in range(CARDS) if c not in used]
        told += [[rest.pop()] if rest else [] for _ in range(num_players - len(told))]
        self._lay_out(told, set_of(field), [*pile, *rest], captured, put_down, starter)
        self.refresh()

    def _lay_out(
        self,
        hands: list[list[int]],
        field: int,
        pile: list[int],
        captured: Sequence[Iterable[int]],
        put_down: Sequence[Iterable[int]],
        starter: int,
    ) -> None:
        s = self.s
        s.hand[:] = s.captured[:] = s.wild_gap = s.points[:] = s.round_index = 0
        s.hand[: self.num_players] = [set_of(hand) for hand in hands]
        s.captured[: len(captured)] = [set_of(cards) for cards in captured]
        s.dealt[:] = s.hand
        for seat, cards in enumerate(put_down):
            s.dealt[seat] |= set_of(cards)
        s.field, s.top = field, CARDS - len(pile)
        s.pile[:] = rules.EMPTY_PLACE
        s.pile[s.top :] = pile
        s.open_card, s.wild_user, s.wild_month = rules.NO_CARD, rules.NOBODY, -1
        s.stage, s.starter, s.current_player = rules.PLAY, starter, starter

    def refresh(self) -> None:
        """Tell the environment that the state was changed by hand."""
        self.env.set_states(self.env.get_states())

    def lay_open(self) -> Table:
        """Let the hands be looked at for instant wins, as after a deal."""
        rules.lay_open(self.s)
        self.refresh()
        return self

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

    # What happens

    def decide(self, seat: int, action: int) -> None:
        """The seat, which must be the one to decide, plays an action id."""
        assert self.mover == seat, f"seat {self.mover} is to decide"
        self.env.step(np.array([action]))

    def play(self, seat: int, card: int) -> None:
        assert self.s.stage == rules.PLAY
        self.decide(seat, card)

    def take(self, seat: int, card: int) -> None:
        assert self.s.stage in (rules.TAKE_PLAYED, rules.TAKE_TURNED)
        self.decide(seat, card)

    def declare(self, seat: int, month: Sequence[int]) -> None:
        assert self.s.stage in (rules.PLAY, rules.DECLARE)
        self.decide(seat, hiki_of(month))

    def play_on(self) -> None:
        """Play the first legal action until the round or the series is over."""
        now = self.round
        while self.round == now and not self.over:
            self.decide(self.mover, self.legal()[0])

    # What is on the table

    @property
    def round(self) -> int:
        """Rounds that are over."""
        return int(self.s.round_index)

    @property
    def over(self) -> bool:
        return bool(self.env.terminated[0])

    @property
    def mover(self) -> int:
        return int(self.s.current_player)

    @property
    def field(self) -> list[int]:
        return cards_of(self.s.field)

    @property
    def pile(self) -> list[int]:
        """The pile from the top."""
        return [int(c) for c in self.s.pile[self.s.top :]]

    @property
    def points(self) -> list[int]:
        return [int(points) for points in self.s.points[: self.num_players]]

    def hand(self, seat: int) -> list[int]:
        return cards_of(self.s.hand[seat])

    def captured(self, seat: int) -> list[int]:
        return cards_of(self.s.captured[seat])

    def legal(self) -> list[int]:
        """The action ids that the player to decide may play."""
        return [int(action) for action in np.flatnonzero(self.env.action_mask[0])]

    # What a seat knows

    def view(self, seat: int) -> dict[str, Any]:
        """What the seat knows in words."""
        return GAME.words.view(self.s, seat)

    def pieces(self, seat: int) -> dict[str, np.ndarray]:
        """The pieces of the seat's observation."""
        return GAME.layout.split(self.env.observe(np.array([seat]))[0])


def last_turn(
    captured: Sequence[Iterable[int]],
    num_players: int = 2,
    *,
    starter: int = 0,
    mover: int = 0,
    **options: int,
) -> Table:
    """A round before its last turn, in which playing PINE[2] adds four cards of no points."""
    hands = [[PINE[2]] if seat == mover else [] for seat in range(num_players)]
    field, pile = [PINE[3], PLUM[2]], [PLUM[3]]
    table = Table(num_players, hands, field, pile, captured=captured, only_these=True, **options)
    table.s.starter, table.s.current_player = starter, mover
    table.refresh()
    return table


def end_round(table: Table) -> Table:
    """Play the last turn that `last_turn` has prepared."""
    table.play(table.mover, PINE[2])
    return table
