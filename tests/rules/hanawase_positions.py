"""Tables of Hanawase with chosen cards, so that a test can be read like the rulebook.

Cards are told in a string, as the game itself tells them: "Pine Crane, Willow". A card is called by
its name or by the end of it that fits no other, and a plant stands for its four cards. Seats count
from 0. All decisions go through BatchEnv, which refuses what is not legal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hanazono.envs.core.batch import BatchEnv
from hanazono.envs.hanafuda.deck import ALL_CARDS, CARDS, NAMES, PLANTS, cards_of, set_of
from hanazono.envs.hanawase import GAME, render, rules

# A division of all cards in which nobody has a yaku, all Willow cards or few cards: 100, 90 and 74.
OYA = (
    "Crane, Curtain, Geese, Cuckoo, Bridge, Pine poetry ribbon, Peony blue ribbon, "
    "Wisteria red ribbon, Willow red ribbon, Wisteria plain b, Bush clover plain a, "
    "Bush clover plain b, Pampas plain a, Pampas plain b, Chrysanthemum plain a, "
    "Chrysanthemum plain b, Maple plain a, Maple plain b, shaded plain"
)
NAKA = (
    "Moon, Phoenix, Warbler, Butterflies, Swallow, Plum poetry ribbon, Chrysanthemum blue ribbon, "
    "Iris red ribbon, Wisteria plain a, Iris plain a, Iris plain b, Peony plain a, Peony plain b"
)
BIKI = (
    "Rainman, Sake cup, Boar, Deer, Cherry poetry ribbon, Maple blue ribbon, "
    "Bush clover red ribbon, Pine plain a, Pine plain b, Plum plain a, Plum plain b, "
    "Cherry plain a, Cherry plain b, Lightning, Paulownia plain a, Paulownia plain b"
)


def ids(told: str) -> list[int]:
    """The card ids that a string tells, in its order."""
    found = []
    for name in filter(None, told.split(", ")):
        if name in PLANTS:
            fits = [c for c in range(CARDS) if NAMES[c].startswith(name)]
        else:
            fits = [c for c in range(CARDS) if NAMES[c].endswith(name)]
            assert len(fits) == 1, f"{name!r} fits {len(fits)} cards"
        found += fits
    assert len(found) == len(set(found)), f"a card is told twice in {told!r}"
    return found


def card(told: str) -> int:
    """The id of one card."""
    (c,) = ids(told)
    return c


def cards(told: str) -> np.int64:
    """The set of the cards that a string tells."""
    return np.int64(set_of(ids(told)))


def names(told: str) -> list[str]:
    """The full names of the cards that a string tells, by month: as views tell them."""
    return [NAMES[c] for c in sorted(ids(told))]


def names_in(card_set: Any) -> list[str]:
    return [NAMES[c] for c in cards_of(int(card_set))]


class Table:
    """One game, at its first decision.

    `hands` are dealt by seat and filled up with the lowest cards that nothing names; the field is
    filled up with cards of months that it lacks, highest first; `pile` comes first in the stock.
    """

    def __init__(
        self,
        num_players: int = 3,
        hands: Sequence[str] = (),
        field: str = "",
        pile: str = "",
        *,
        dealer: int = 0,
        blank: int = 6,
        **options: int,
    ) -> None:
        self.num_players = num_players
        self.env = BatchEnv(GAME, 1, num_players, auto_reset=False, options=options)
        self.env.reset(seed=0)
        self.s: Any = self.env.states.view(np.recarray)[0]
        self.s.dealer = dealer
        self.s.blank = blank if num_players == rules.WITH_BLANK else -1
        self.deal(hands, field, pile)

    def deal(self, hands: Sequence[str] = (), field: str = "", pile: str = "") -> None:
        """Start the present round anew, with chosen cards."""
        s, told = self.s, [ids(hand) for hand in hands]
        open_cards, first = ids(field), ids(pile)
        named = {c for group in (*told, open_cards, first) for c in group}
        rest = [c for c in range(CARDS) if c not in named]
        for c in rest[::-1]:
            if len(open_cards) < rules.FIELD and c // 4 not in {d // 4 for d in open_cards}:
                open_cards.append(c)
                rest.remove(c)
        s.hand[:] = 0
        s.standing[:] = rules.OUT
        for seat in range(self.num_players):
            if seat != s.blank:
                hand = told[seat] if seat < len(told) else []
                hand += [rest.pop(0) for _ in range(rules.HAND - len(hand))]
                s.hand[seat] = set_of(hand)
                s.standing[seat] = rules.UNDECLARED if self.num_players > 3 else rules.ACTIVE
        s.field = set_of(open_cards)
        stock = first + rest
        s.top = CARDS - len(stock)
        s.pile[:] = [0] * int(s.top) + stock
        if self.num_players > 3:
            s.current_player = rules.next_seat(s, s.dealer, rules.UNDECLARED)
        else:
            rules.start_play(s)
        self.refresh()

    def refresh(self) -> None:
        """Tell the environment that the state was changed by hand."""
        assert self.all_cards() == ALL_CARDS
        self.env.set_states(self.env.get_states())

    def all_cards(self) -> int:
        """All cards on the table; a card that is in two places counts twice and spoils the sum."""
        places = [*self.s.hand, *self.s.captured, self.s.field]
        waiting = [self.s.card] if self.s.card >= 0 else []
        return sum(map(int, places)) + sum(1 << int(c) for c in [*waiting, *self.pile_ids])

    def copy(self) -> Table:
        """The same game again, to try something else."""
        options = {option.name: int(self.s[option.name]) for option in GAME.options}
        other = Table(self.num_players, **options)
        other.env.set_states(self.env.get_states())
        return other

    def stack(self, told: str) -> None:
        """Put these cards of the pile on its top."""
        first = ids(told)
        rest = [c for c in self.pile_ids if c not in first]
        self.s.pile[self.s.top :] = first + rest
        self.refresh()

    # What happens

    def decide(self, seat: int, action: int) -> None:
        """The seat, which must be the one to decide, plays an action id."""
        assert self.mover == seat, f"seat {self.mover} is to decide"
        self.env.step(np.array([action]))

    def enter(self, *seats: int) -> None:
        for seat in seats:
            self.decide(seat, rules.ENTER)

    def retire(self, *seats: int) -> None:
        for seat in seats:
            self.decide(seat, rules.RETIRE)

    def play(self, seat: int, told: str) -> None:
        """Play a card, or take it where a choice is open."""
        self.decide(seat, card(told))

    def play_lowest(self) -> None:
        """Whoever is to decide plays the lowest legal action."""
        self.decide(self.mover, self.legal()[0])

    def finish(self, oya: str = "", naka: str = "", biki: str = "") -> None:
        """The last turn of the round, played after which the captured cards are divided as OYA,
        NAKA and BIKI, but for the cards told here, which their player has instead."""
        shares = [cards(told) for told in (OYA, NAKA, BIKI)]
        for role, moved in enumerate(map(cards, (oya, naka, biki))):
            shares = [share & ~moved for share in shares]
            shares[role] |= moved
        months = [share for m in range(12) if len(share := cards_of(shares[2] & 15 << 4 * m)) > 1]
        (played, match), (turned, other_match) = months[0][:2], months[1][:2]
        s = self.s
        shares[2] &= ~np.int64(set_of([played, match, turned, other_match]))
        s.captured[:] = shares
        s.hand[:] = 0
        s.hand[s.actor[2]] = 1 << played
        s.field = 1 << match | 1 << other_match
        s.returned[:] = 0
        s.pile[:] = [0] * 47 + [turned]
        s.top, s.turn, s.current_player = 47, 20, s.actor[2]
        self.refresh()
        self.decide(int(s.actor[2]), played)

    # What is on the table

    @property
    def mover(self) -> int:
        return int(self.s.current_player)

    @property
    def over(self) -> bool:
        return bool(self.env.terminated[0])

    @property
    def phase(self) -> str:
        return render.PHASES[self.s.phase]

    @property
    def field(self) -> list[str]:
        return names_in(self.s.field)

    @property
    def pile_ids(self) -> list[int]:
        """The stock or pile, next card first."""
        return [int(c) for c in self.s.pile[self.s.top :]]

    @property
    def standing(self) -> list[str]:
        return [render.STANDINGS[self.s.standing[seat]] for seat in range(self.num_players)]

    @property
    def roles(self) -> list[int]:
        """The seats of oya, naka and biki."""
        return self.s.actor.tolist()

    @property
    def points(self) -> list[int]:
        return self.s.points[: self.num_players].tolist()

    def hand(self, seat: int) -> list[str]:
        return names_in(self.s.hand[seat])

    def captured(self, seat: int) -> list[str]:
        return names_in(render.captured_by(self.s, seat))

    def paid(self, step: str) -> list[int]:
        """What each seat got in a step of the last settlement: "yaku", "oyanaka", …"""
        row = render.STEP_NAMES.index(step)
        return self.s.settlement[row, : self.num_players].tolist()

    def made(self, seat: int) -> list[str]:
        """The yaku that the seat was paid for in the last round."""
        return render.yaku_names(int(self.s.last_yaku[seat]))

    @property
    def verdict(self) -> str:
        return render.VOIDS[self.s.last_void]

    def legal(self) -> list[int]:
        """The action ids that the player to decide may play."""
        return [int(action) for action in np.flatnonzero(self.env.action_mask[0])]

    # What a seat knows

    def view(self, seat: int) -> dict[str, Any]:
        """What the seat knows in words."""
        return GAME.words.view(self.s, seat)

    def observe(self, seat: int) -> np.ndarray:
        return self.env.observe(np.array([seat]))[0]

    def pieces(self, seat: int) -> dict[str, np.ndarray]:
        """The pieces of the seat's observation."""
        return GAME.layout.split(self.observe(seat))

    def resampled(self, seat: int, seed: int) -> Table:
        """A copy in which all that the seat cannot know is dealt anew."""
        other = self.copy()
        other.env.resample_hidden(np.array([seat]), np.array([seed]))
        assert other.all_cards() == ALL_CARDS
        return other
