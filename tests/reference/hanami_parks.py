"""HANAMI on park maps, played slowly: a second reading of RULES.md, without the kernels.

A space is its id, the map a dictionary from ids to the tiles that lie there, a park a set of token
types; hands and piles are lists of kinds. A game is one coroutine that reads like a turn at the
table: it halts wherever a player decides. What can be chosen in several steps is told as all the
ways to take them, so that a choice that leads nowhere is never among them. Chance comes from
outside, as a function that returns a number below n; shuffling and dealing are done here. Section
numbers are those of RULES.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import permutations, product
from typing import TypeVar

from reference.parks_board import BOARD_NAMES, NEIGHBOURS, is_land, read_board

Steps = tuple[int, ...]  # actions one after another, which together do something
Result = TypeVar("Result")
Decisions = Generator[None, int, Result]  # halts for a decision, goes on with its action

TYPES = (0, 1, 2)  # Sakura, Chochin, Onigiri
Value = tuple[tuple[int, ...], int]  # the types that a tile counts for, and how much
NOTHING: Value = ((), 0)
MOVE, DRAW, COVER, COPY = 15, 16, 17, 18
BOATS = (13, 14)
ALWAYS_FAST = {12, *BOATS}
VALUES: list[Value] = [  # § 2: by kind; for a Copy see § 5
    *(((t,), strength) for t in TYPES for strength in (2, 3, 4)),
    *((TYPES, strength) for strength in (1, 2, 3, 1, 1, 2)),
    *(NOTHING, NOTHING, (TYPES, 3), NOTHING),
]
OWN_TILES = [*range(9), 9, 9, 10, 10, 11, 12, 13, 13, 14, MOVE]  # § 2: of each player
SPECIAL_TILES = [DRAW, COVER, COPY]

TORII, BICYCLE, TAKOYAKI, RAINY_DAY, TAIYAKI, FERRY, KONBINI, OMAMORI, TEA_HOUSE = range(9)
SPECIAL_CARDS = range(BICYCLE, TEA_HOUSE + 1)

TOKENS_OF_TYPE = {2: 7, 3: 10, 4: 13}  # § 3
HAND_SIZE = 5
TIES_SLOTS = 4  # § 7
TILE, TYPE, DIRECTION, CARD, USE, DONE = 174, 193, 196, 201, 210, 211  # § 8: actions
STAGES = (
    *("draft_token", "draft_park", "choose_hand", "keep_card", "turn", "space", "move_to"),
    *("direction", "tile", "park", "token", "from_pile", "return"),
)
TO_PLACE = {MOVE: ("space", "move_to"), COPY: ("space", "direction")}  # others: ("space",)
TO_USE = {
    TORII: ("park", "token", "park", "token"),
    BICYCLE: ("tile", "move_to"),
    RAINY_DAY: ("tile",),
    TAIYAKI: ("tile", "tile"),
    FERRY: ("tile", "move_to"),
    KONBINI: ("from_pile",),
}  # others: nothing to choose, or in no fixed number of steps


# § 2


@dataclass
class Tile:
    """A tile on the map; a Copy has a direction."""

    owner: int
    kind: int
    direction: int | None = None


@dataclass
class Player:
    """One seat. The last tile of the pile is its top."""

    tiles: list[int] = field(default_factory=list)  # wherever they are now
    hand: list[int] = field(default_factory=list)
    pile: list[int] = field(default_factory=list)
    bottom_known: bool = False  # § 9.4
    face_down: list[int] = field(default_factory=list)  # § 8: being returned with Tea House
    covered: list[int] = field(default_factory=list)  # § 5: out of the game
    dealt: list[int] = field(default_factory=list)  # § 3: the two cards to choose from
    card: int | None = None
    used: bool = False
    won: Counter[int] = field(default_factory=Counter)

    def draw(self) -> None:
        """The top tile of the pile, if there is one, comes into the hand."""
        if self.pile:
            self.hand.append(self.pile.pop())
        self.bottom_known &= bool(self.pile)

    def other_tokens(self, of_type: int) -> int:
        """§ 7: the tokens won that have another type."""
        return self.won.total() - self.won[of_type]


class Hanami:
    """A game; it asks for one decision at a time (§ 8)."""

    def __init__(
        self,
        num_players: int,
        below: Callable[[int], int],
        board: int = 0,
        special_tiles: int = 0,
        draw_is_fast: int = 1,
        abilities: int = 1,
        token_draft: int = 0,
        start_strong: int = 0,
    ) -> None:
        """§ 10: `below(n)` returns the next random number, 0 .. n - 1."""
        if num_players not in TOKENS_OF_TYPE:
            raise ValueError("2 to 4 players")
        self.num_players = num_players
        self.below = below
        self.board = read_board(BOARD_NAMES[board], num_players)
        self.fast = ALWAYS_FAST | ({DRAW} if draw_is_fast else set())
        self.abilities, self.token_draft, self.start_strong = abilities, token_draft, start_strong
        self.own_tiles = OWN_TILES + (SPECIAL_TILES if special_tiles else [])
        self.players = [Player() for _ in range(num_players)]
        self.tiles: dict[int, Tile] = {}
        self.tokens: dict[int, set[int]] = {park: set() for park in self.board.parks}
        self.supply = Counter(dict.fromkeys(TYPES, TOKENS_OF_TYPE[num_players]))
        self.ties: list[int] = []
        self.left: list[int] = []  # § 7: tokens that left the game
        self.passes = 0
        self.finished = False
        self.steps: list[int] = []  # what was chosen of something that is not yet done
        self._clear_turn()
        self._game = self._whole_game()
        next(self._game)

    @property
    def mover(self) -> Player:
        """The player whose decision it is."""
        return self.players[self.current_player]

    # § 8: decisions

    def legal_actions(self) -> list[int]:
        """The action ids of the mover, ascending; none when the game is over."""
        return [] if self.finished else self.legal

    def step(self, action: int) -> None:
        """Play one decision, and whatever follows without a choice."""
        if action not in self.legal_actions():
            raise ValueError(f"illegal action {action}")
        self._game.send(action)

    def _ask(self, stage: str, legal: Iterable[int]) -> Decisions[int]:
        """Halt for a decision of the mover."""
        self.stage, self.legal = stage, sorted(set(legal))
        assert self.legal, f"nothing can be done in stage {stage}"
        return (yield)

    def _choose(self, stages: Sequence[str], ways: Iterable[Steps]) -> Decisions[Steps]:
        """One of the ways is chosen, a step in each stage."""
        ways = list(ways)
        for i, stage in enumerate(stages):
            action = yield from self._ask(stage, (way[i] for way in ways))
            self.steps.append(action)
            ways = [way for way in ways if way[i] == action]
        self.steps = []
        (chosen,) = ways
        return chosen

    def _whole_game(self) -> Decisions[None]:
        self.start_player = self.current_player = self.below(self.num_players)
        yield from self._place_tokens()
        yield from self._deal_hands()
        yield from self._deal_cards()
        self.current_player = self.start_player
        yield from self._turn()
        while not self.is_over():
            self.current_player = (self.current_player + 1) % self.num_players
            yield from self._turn()
        self.finished = True
        yield

    # § 3

    def _from_start_player(self) -> Iterator[int]:
        """Every seat in turn becomes the one to decide."""
        for i in range(self.num_players):
            self.current_player = (self.start_player + i) % self.num_players
            yield self.current_player

    def _place_tokens(self) -> Decisions[None]:
        trees = self.board.parks
        (largest,) = (park for park in trees if trees[park] == 3)
        for t in TYPES:
            self._place_token(t, largest)
        if self.token_draft:
            while self.supply.total():
                yield from self._draft_token()
        else:
            for park in [park for park in trees if trees[park] == 2]:
                self._place_token(self._random_token(), park)
                self._place_token(self._random_token(without=self.tokens[park]), park)
            for park in [park for park in trees if trees[park] == 1]:
                self._place_token(self._random_token(), park)

    def _place_token(self, t: int, park: int) -> None:
        self.supply[t] -= 1
        self.tokens[park].add(t)

    def _random_token(self, without: Iterable[int] = ()) -> int:
        """One of the tokens in the supply, told off by type."""
        told_off = [t for t in TYPES if t not in without for _ in range(self.supply[t])]
        return told_off[self.below(len(told_off))]

    def _draft_token(self) -> Decisions[None]:
        """A player places a token of the supply, and the next player follows."""
        trees, types = self.board.parks, [t for t in TYPES if self.supply[t]]
        free = [park for park in trees if len(self.tokens[park]) < trees[park]]
        parks = [park for park in free if trees[park] == 2] or free
        ways = ((TYPE + t, park) for t, park in product(types, parks) if t not in self.tokens[park])
        token, park = yield from self._choose(("draft_token", "draft_park"), ways)
        self._place_token(token - TYPE, park)
        self.current_player = (self.current_player + 1) % self.num_players

    def _deal_hands(self) -> Decisions[None]:
        for player in self.players:
            player.tiles, player.pile = list(self.own_tiles), list(self.own_tiles)
        if self.start_strong:
            for seat in self._from_start_player():
                yield from self._choose_hand(self.players[seat])
            return
        for player in self.players:
            self._shuffle(player)
            for _ in range(HAND_SIZE):
                player.draw()

    def _choose_hand(self, player: Player) -> Decisions[None]:
        """Five tiles, in ascending order; what is left is shuffled."""
        while len(player.hand) < HAND_SIZE:
            missing, lowest = HAND_SIZE - len(player.hand), max(player.hand, default=0)
            legal = completing(player.pile, missing, lowest)
            kind = (yield from self._ask("choose_hand", (TILE + k for k in legal))) - TILE
            player.pile.remove(kind)
            player.hand.append(kind)
        self._shuffle(player)

    def _shuffle(self, player: Player) -> None:
        """From ascending order each place but the last swapped with one from there to the end."""
        pile = player.pile
        pile.sort()
        for i in range(len(pile) - 1):
            j = i + self.below(len(pile) - i)
            pile[i], pile[j] = pile[j], pile[i]
        player.bottom_known = False

    def _deal_cards(self) -> Decisions[None]:
        if self.abilities == 1:
            for player in self.players:
                player.card = TORII
        if self.abilities == 2:
            cards = list(SPECIAL_CARDS)
            for player in self.players:
                player.dealt = [cards.pop(self.below(len(cards))) for _ in range(2)]
            for seat in self._from_start_player():
                dealt = self.players[seat].dealt
                action = yield from self._ask("keep_card", (CARD + card for card in dealt))
                self.players[seat].card = action - CARD
            for player in self.players:
                player.dealt = []

    # § 4

    def _clear_turn(self) -> None:
        """Of a turn nothing is left for the next one."""
        self.placed, self.slots, self.omamori = 0, 1, False

    def _turn(self) -> Decisions[None]:
        player = self.mover
        while (action := (yield from self._ask("turn", self._turn_actions(player)))) != DONE:
            if action == USE:
                yield from self._use_card(player)
                player.used = True
            else:
                yield from self._place(player, action)
        self.passes = 0 if self.placed else self.passes + 1
        self._award_parks()
        while len(player.hand) < HAND_SIZE and player.pile:
            player.draw()
        self._clear_turn()

    def _turn_actions(self, player: Player) -> Iterator[int]:
        """§ 8: tiles to place, the card, the end of the placing."""
        placeable = [k for k in set(player.hand) if any(True for _ in self.placements(k))]
        yield from (TILE + k for k in placeable if self.slots or k in self.fast)
        if not player.used and not self.placed and self.can_use(player.card):
            yield USE
        if self.placed or not placeable:
            yield DONE

    def available(self, spaces: list[int]) -> list[int]:
        """Those of the spaces that are empty."""
        return [x for x in spaces if x not in self.tiles]

    def tiles_on(self, spaces: list[int]) -> list[int]:
        """Those of the spaces where tiles lie."""
        return [x for x in spaces if x in self.tiles]

    # § 5

    def placements(self, kind: int) -> Iterable[Steps]:
        """The ways to place a tile of the mover."""
        land = self.available(self.board.land)
        own = [x for x, tile in self.tiles.items() if tile.owner == self.current_player]
        if kind == MOVE:
            movable = [x for x in own if is_land(x) and self.tiles[x].kind not in self.fast]
            return product(movable, land)
        if kind == COPY:
            return product(land, range(DIRECTION, DIRECTION + len(NEIGHBOURS)))
        if kind == COVER:
            return ((x,) for x in own)
        return ((x,) for x in (self.available(self.board.water) if kind in BOATS else land))

    def _place(self, player: Player, action: int) -> Decisions[None]:
        """A tile of the hand is placed."""
        kind = action - TILE
        player.hand.remove(kind)
        self.steps = [action]
        stages = TO_PLACE.get(kind, ("space",))
        space, *rest = yield from self._choose(stages, self.placements(kind))
        if kind == MOVE:
            self.tiles[rest[0]] = self.tiles[space]
        if kind == COVER:
            player.covered.append(self.tiles[space].kind)
        direction = rest[0] - DIRECTION if kind == COPY else None
        self.tiles[space] = Tile(self.current_player, kind, direction)
        if kind == DRAW:
            player.draw()
        self.placed += 1
        self.slots -= kind not in self.fast

    def value(self, x: int | None) -> Value:
        """What the tile on a space counts for, and how much; nothing if there is none."""
        passed = []
        while x in self.tiles and self.tiles[x].kind == COPY:
            if x in passed:
                return NOTHING  # Copies that point in a circle
            passed.append(x)
            x = self.pointed_at(x, self.tiles[x].direction)
        return VALUES[self.tiles[x].kind] if x in self.tiles else NOTHING

    def pointed_at(self, x: int, direction: int | None) -> int | None:
        """The space next to x in a direction, if there is one that is open."""
        assert direction is not None
        return self.board.neighbours[x][direction]

    # § 6

    def can_use(self, card: int | None) -> bool:
        """Whether the effect of a card can be carried out completely by the mover."""
        if card is None:
            return False
        if card == TEA_HOUSE:
            return bool(self.mover.hand)
        return card not in TO_USE or any(True for _ in self.uses(card))

    def uses(self, card: int) -> Iterable[Steps]:
        """The ways to carry out an effect that consists of choices."""
        if card == TORII:
            return self.swaps()
        if card == BICYCLE:
            return self.rides()
        if card == RAINY_DAY:
            return ((x,) for x in self.tiles_on(self.board.land) if self._is_beside_tokens(x))
        if card == TAIYAKI:
            return permutations(self.tiles_on(self.board.land), 2)
        if card == FERRY:
            boats = [x for x in self.tiles_on(self.board.water) if self.tiles[x].kind in BOATS]
            return product(boats, self.available(self.board.water))
        return ((TILE + kind,) for kind in set(self.mover.pile))

    def swaps(self) -> Iterator[Steps]:
        """Torii: two parks, with a token of each that the other park does not have."""
        for (a, in_a), (b, in_b) in permutations(self.tokens.items(), 2):
            for t, u in product(in_a - in_b, in_b - in_a):
                yield a, TYPE + t, b, TYPE + u

    def rides(self) -> Iterator[Steps]:
        """Bicycle: a tile on Land, and an empty Land space next to it."""
        land = self.available(self.board.land)
        for x in self.tiles_on(self.board.land):
            yield from ((x, y) for y in self.board.around[x] if y in land)

    def _is_beside_tokens(self, x: int) -> bool:
        """Whether a space is adjacent to an unresolved park."""
        return any(self.tokens.get(y) for y in self.board.around[x])

    def _use_card(self, player: Player) -> Decisions[None]:
        card = player.card
        if card == TAKOYAKI:
            self.slots = 2
        elif card == OMAMORI:
            self.omamori = True
        elif card == TEA_HOUSE:
            yield from self._tea_house(player)
        elif card is not None:
            chosen = yield from self._choose(TO_USE[card], self.uses(card))
            self._carry_out(card, chosen)

    def _carry_out(self, card: int, chosen: Steps) -> None:
        """What was chosen for a card happens."""
        if card == TORII:
            a, t, b, u = chosen
            self.tokens[a] = self.tokens[a] - {t - TYPE} | {u - TYPE}
            self.tokens[b] = self.tokens[b] - {u - TYPE} | {t - TYPE}
        elif card in (BICYCLE, FERRY):
            x, y = chosen
            self.tiles[y] = self.tiles.pop(x)
        elif card == RAINY_DAY:
            tile = self.tiles.pop(chosen[0])
            self.players[tile.owner].pile.insert(0, tile.kind)
            self.players[tile.owner].bottom_known = True
        elif card == TAIYAKI:
            x, y = chosen
            self.tiles[x], self.tiles[y] = self.tiles[y], self.tiles[x]
        elif card == KONBINI:
            self.mover.pile.remove(chosen[0] - TILE)
            self.mover.hand.append(chosen[0] - TILE)
            self._shuffle(self.mover)

    def _tea_house(self, player: Player) -> Decisions[None]:
        """Tiles are returned in ascending order, then as many are drawn from the shuffled pile."""
        while True:
            lowest = max(player.face_down, default=0)
            legal = [TILE + k for k in player.hand if k >= lowest]
            done = [DONE] if player.face_down else []
            action = yield from self._ask("return", legal + done)
            if action == DONE:
                break
            player.hand.remove(action - TILE)
            player.face_down.append(action - TILE)
        returned, player.face_down = player.face_down, []
        player.pile += returned
        self._shuffle(player)
        for _ in returned:
            player.draw()

    # § 7

    def _award_parks(self) -> None:
        strengths = self.strengths()
        for park, tokens in self.tokens.items():
            if not any(map(is_land, self.available(self.board.around[park]))):
                for t in sorted(tokens):
                    self._award(t, [strengths[seat, t, park] for seat in range(self.num_players)])
                tokens.clear()

    def _award(self, t: int, strengths: list[int]) -> None:
        """A token goes to a player, to the Ties area, or out of the game."""
        most = max(strengths)
        strongest = [seat for seat, strength in enumerate(strengths) if strength == most > 0]
        if self.omamori and self.current_player in strongest:
            strongest = [self.current_player]
        if len(strongest) == 1:
            self.players[strongest[0]].won[t] += 1
        elif len(self.ties) < TIES_SLOTS:
            self.ties.append(t)
        else:
            self.left.append(t)

    def strengths(self) -> Counter[tuple[int, int, int]]:
        """What the tiles of a seat count for tokens of a type in a park."""
        found: Counter[tuple[int, int, int]] = Counter()
        for x, tile in self.tiles.items():
            types, strength = self.value(x)
            for t, y in product(types, self.board.around[x]):
                if y in self.tokens:
                    found[tile.owner, t, y] += strength
        return found

    def is_over(self) -> bool:
        """Whether the game ends with this turn."""
        on_map = set().union(*self.tokens.values())
        full = len(self.ties) == TIES_SLOTS
        return len(on_map) < len(TYPES) or full or self.passes == self.num_players

    def point_holder(self, t: int) -> int | None:
        """The seat that has won more tokens of a type than each of the others."""
        won = [player.won[t] for player in self.players]
        return won.index(max(won)) if won.count(max(won)) == 1 else None

    def scores(self) -> list[int]:
        """The points of each seat now."""
        holders = [self.point_holder(t) for t in TYPES]
        return [holders.count(seat) for seat in range(self.num_players)]

    def tie_breaks(self) -> list[int]:
        """What decides between seats with equal points."""
        numbers = [player.won.total() for player in self.players]
        holders = [self.point_holder(t) for t in TYPES]
        for t, seat in zip(TYPES, holders, strict=True):
            if seat is not None and holders.count(seat) == 1:
                numbers[seat] += 64 * self.players[seat].other_tokens(t)
        return numbers

    def ranks(self) -> list[int]:
        """For each seat how many seats are better."""
        keys = list(zip(self.scores(), self.tie_breaks(), strict=True))
        return [sum(other > mine for other in keys) for mine in keys]

    # § 9

    def aside(self) -> int | None:
        """§ 8: the kind of the tile that was chosen to be placed, and lies aside."""
        placing = bool(self.steps) and TILE <= self.steps[0] < TYPE
        return self.steps[0] - TILE if placing else None

    def shown_cards(self) -> dict[int, int]:
        """§ 3: the ability cards of the seats, as soon as they are shown."""
        if self.stage == "keep_card":
            return {}
        cards = {seat: player.card for seat, player in enumerate(self.players)}
        return {seat: card for seat, card in cards.items() if card is not None}

    def unseen(self, seat: int) -> list[int]:
        """§ 9.3: the kinds, ascending, of a seat's tiles that have not been placed openly."""
        seen = Counter(tile.kind for tile in self.tiles.values() if tile.owner == seat)
        seen += Counter(self.players[seat].covered)
        aside = self.aside()
        if aside is not None and seat == self.current_player:
            seen[aside] += 1
        return sorted((Counter(self.players[seat].tiles) - seen).elements())

    def contradictions(self, v: int, players: list[Player]) -> list[str]:
        """§ 9: what player v can say against these hands, piles and cards; nothing to the true."""
        found = []
        for seat, (true, other) in enumerate(zip(self.players, players, strict=True)):
            if seat == v and secrets(true) != secrets(other):
                found.append("what is in the own hand, pile or choice")
            if sorted(other.hand + other.pile + other.face_down) != self.unseen(seat):
                found.append(f"the unseen tiles of seat {seat}")
            if numbers(true) != numbers(other):
                found.append(f"how many tiles seat {seat} has")
            if true.bottom_known and true.pile[0] != other.pile[0]:
                found.append("a tile at the bottom of a pile")
        return found + self._against_hands(players) + self._against_cards(v, players)

    def _against_hands(self, players: list[Player]) -> list[str]:
        """§ 9.3: the tiles chosen are the lowest of a hand of five; § 3: the rest lies in order."""
        if self.stage != "choose_hand":
            return []
        choosing = players[self.current_player]
        missing, lowest = HAND_SIZE - len(choosing.hand), max(choosing.hand, default=0)
        found = []
        if not completing(choosing.pile, missing, lowest):
            found.append("a hand that cannot be completed")
        piles = [player.pile for player in players if len(player.hand) < HAND_SIZE]
        if any(pile != sorted(pile) for pile in piles):
            found.append("a pile in disorder")
        return found

    def _against_cards(self, v: int, players: list[Player]) -> list[str]:
        """§ 9.2: what was dealt and kept cannot be so."""
        if self.stage != "keep_card":
            return []
        dealt = [card for player in players for card in player.dealt]
        found = []
        if len(set(dealt)) != 2 * self.num_players or not set(dealt) <= set(SPECIAL_CARDS):
            found.append("two cards of the eight for each player")
        if sorted(players[v].dealt) != sorted(self.players[v].dealt):
            found.append("the own cards")
        for true, other in zip(self.players, players, strict=True):
            if other.card not in ([None] if true.card is None else other.dealt):
                found.append("a card kept")
        return found + (["the own choice"] if players[v].card != self.players[v].card else [])


def completing(tiles: list[int], missing: int, lowest: int) -> list[int]:
    """§ 8: the kinds that can be the next, in ascending order, of so many still to be chosen."""
    return [k for k in set(tiles) if k >= lowest and sum(t >= k for t in tiles) >= missing]


def secrets(player: Player) -> list[list[int]]:
    """§ 9.1: the tiles of which only the player knows where they are, but not in which order."""
    return [sorted(player.hand), sorted(player.pile), sorted(player.face_down)]


def numbers(player: Player) -> list[int]:
    """§ 9: how many tiles lie where, as everybody sees."""
    return [len(player.hand), len(player.pile), len(player.face_down)]
