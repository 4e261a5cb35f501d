"""The rules of Hanami on park maps, one test a rule, in the order of envs/hanami_parks/RULES.md.

See parks_positions.py for how spaces and tiles are called and tables are set.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from typing import Any

import numpy as np
import pytest

from hanazono.envs import hanami_parks_v0
from hanazono.envs.core.batch import BatchEnv
from hanazono.envs.core.rng import below, keyed
from hanazono.envs.hanami_parks import GAME, boards, decisions, parks, tiles
from rules.parks_positions import Table, kind, space, types

ALL_OPTIONS = {"special_tiles": 1, "abilities": 2, "token_draft": 1, "start_strong": 1}
TREES = {2: 21, 3: 30, 4: 39}


def dealt(num_games: int, num_players: int, seed: int = 0, **options: int) -> np.ndarray:
    """The states of games just dealt."""
    env = BatchEnv(GAME, num_games, num_players, options=options)
    env.reset(seed=seed)
    return env.states.view(np.recarray)


# § 1 Boards


@pytest.mark.parametrize("board", [0, 1])
def test_each_board_has_trees_for_all_tokens(board):
    for players, trees in TREES.items():
        seen = boards.OPENS[board, : boards.PARKS] <= players
        assert boards.TREES[board][seen].sum() == trees
    assert np.flatnonzero(boards.TREES[board] == 3).tolist() == [0]
    assert boards.OPENS[board, 0] == 2, "the park with 3 trees is on the middle island"


@pytest.mark.parametrize("board", [0, 1])
def test_parks_and_land(board):
    parks_by, lands_by = boards.PARKS_BY[board], boards.LANDS_BY[board]
    for a in np.flatnonzero(boards.TREES[board]):
        lands = lands_by[a][lands_by[a] >= 0]
        assert len(lands) >= 2
        assert all(a in parks_by[x] for x in lands)
    for x in range(boards.LAND, boards.WATER):
        if boards.OPENS[board, x] < boards.NEVER:
            assert (parks_by[x] >= 0).sum() == 2


@pytest.mark.parametrize("board", [0, 1])
def test_neighbours_are_mutual(board):
    around = boards.NEIGHBOR[board]
    for x, row in enumerate(around):
        for direction, y in enumerate(row):
            if y >= 0:
                assert around[y, (direction + 3) % 6] == x


@pytest.mark.parametrize("board", [0, 1])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_there_are_more_land_tiles_than_land(board, players):
    lands = boards.OPENS[board, boards.LAND : boards.WATER] <= players
    base = tiles.OF_EACH[: tiles.FIRST_SPECIAL].sum() - 3
    assert lands.sum() < base * players


def changed_board(tmp_path: Any, number: int, line: dict | str | None) -> Any:
    """The Nihon file with one line replaced, or left out."""
    lines = boards.FILES[0].read_text("utf-8").splitlines()
    if line is None:
        del lines[number - 1]
    else:
        lines[number - 1] = line if isinstance(line, str) else json.dumps(line)
    file = tmp_path / "board_nihon.jsonl"
    file.write_text("\n".join(lines) + "\n", "utf-8")
    return file


@pytest.mark.parametrize(
    ("number", "line", "said"),
    [
        (1, {"about": "x", "board": "tokyo"}, "line 1: .*nihon.* is allowed"),
        (2, {"island": "north", "label": "x", "players": 2}, "line 2: .*middle"),
        (5, "{", "line 5: .* in column"),
        (5, [1], "line 5: an object is expected"),
        (5, {"hill": 0, "at": [0, 0]}, "line 5: .* is allowed"),
        (5, {"park": 0, "at": [0, 0], "island": "middle", "trees": 4}, "line 5: .*1 to 3 trees"),
        (5, {"park": 0, "at": [0, 0], "island": "east", "trees": 3}, "line 5: an island is one of"),
        (5, {"park": 0, "at": [0.5, 0], "island": "middle", "trees": 3}, "line 5: two integers"),
        (5, {"park": 0, "at": [0, 0], "island": "middle", "trees": 2}, "just one park"),
        (5, {"park": 7, "at": [0, 0], "island": "middle", "trees": 3}, "line 5: the next park"),
        (6, {"park": 1, "at": [0, 0], "island": "middle", "trees": 2}, "line 6: line 5 has"),
        (7, {"park": 2, "at": [4, -4], "island": "middle", "trees": 1}, "21 trees are wanted"),
        (39, {"land": 0, "at": [50, 50], "island": "middle"}, "Land spaces"),
        (39, {"land": 0, "at": [-8, -1], "island": "left"}, "of one island"),
        (39, None, "line 39: the next land is number 0"),
    ],
)
def test_a_wrong_board_is_refused(tmp_path, number, line, said):
    file = changed_board(tmp_path, number, line)
    with pytest.raises(ValueError, match=f"board_nihon.jsonl.*{said}"):
        boards.Reader(file).read()


def play_at_home(file: Any) -> subprocess.CompletedProcess:
    """A game of first legal actions on the board in this file, in a process of its own."""
    code = f"""
import numpy as np
from hanazono.envs import hanami_parks_v0
env = hanami_parks_v0.env(num_players=3, board={file.stem.removeprefix("board_")!r})
env.reset(seed=5)
for agent in env.agent_iter():
    observation, _, over, _, _ = env.last()
    env.step(None if over else np.flatnonzero(observation["action_mask"])[-1])
print(env.options["board"], env.to_dict()["board"], *env.record().actions)
"""
    given = {"NUMBA_DISABLE_JIT": "1", "HANAZONO_TABLES": str(file)}
    run = [sys.executable, "-c", code]
    return subprocess.run(run, env=os.environ | given, capture_output=True, text=True, check=False)


def test_a_board_of_the_user_can_be_played(tmp_path):
    """Tokyo under another name: the same game."""
    ours = boards.FILES[1]
    home = tmp_path / "board_home.jsonl"
    home.write_text(ours.read_text("utf-8").replace('"board": "tokyo"', '"board": "home"'), "utf-8")
    number, name, *actions = play_at_home(home).stdout.split()
    assert int(number) in boards.OWN_NUMBERS
    assert name == "home"
    home.unlink()
    moved = tmp_path / "elsewhere" / "board_home.jsonl"
    assert "board_home.jsonl: cannot be read" in play_at_home(moved).stderr
    env = hanami_parks_v0.env(num_players=3, board="tokyo")
    env.reset(seed=5)
    for _ in env.agent_iter():
        observation, _, over, _, _ = env.last()
        env.step(None if over else np.flatnonzero(observation["action_mask"])[-1])
    assert actions == [str(action) for action in env.record().actions]


def test_two_boards_of_one_name_are_refused():
    with pytest.raises(ValueError, match="there is a board of this name already"):
        boards.read_boards((*boards.FILES, boards.FILES[0]))


def test_the_boards_can_be_read_again(tmp_path):
    line = boards.FILES[0].read_text("utf-8").splitlines()[4]
    file = changed_board(tmp_path, 5, line)
    assert boards.Reader(file).read() == boards.BOARD[0]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_islands_open_by_number_of_players(players):
    s = dealt(1, players)[0]
    opened = [x for x in range(boards.LAND, boards.SPACES) if s.tile[x] != tiles.CLOSED]
    assert opened == [x for x in range(boards.LAND, boards.SPACES) if boards.OPENS[0, x] <= players]
    assert {bool(s.tokens[a]) for a in range(34) if boards.OPENS[0, a] > players} <= {False}


# § 2 Tiles


def test_tiles_of_a_player():
    assert (tiles.MOST_TILES, tiles.BASE_TILES) == (22, 19)
    assert tiles.OF_EACH.tolist() == [1] * 9 + [2, 2, 1, 1, 2, 1, 1, 1, 1, 1]
    assert tiles.STRENGTH[:15].tolist() == [2, 3, 4] * 3 + [1, 2, 3, 1, 1, 2]


@pytest.mark.parametrize(("special", "count"), [(0, 19), (1, 22)])
def test_special_tiles_are_an_option(special, count):
    s = dealt(1, 3, special_tiles=special)[0]
    assert (s.hand_size + s.pile_size).tolist() == [count] * 3 + [0]


@pytest.mark.parametrize("fast", [0, 1])
def test_draw_is_fast_by_option(fast):
    table = Table(special_tiles=1, draw_is_fast=fast).give(0, "Draw", "Sakura 2")
    table.place("Sakura 2", "L0")
    assert table.tiles == (["Draw"] if fast else [])


# § 3 Setup


@pytest.mark.parametrize("board", [0, 1])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_tokens_of_the_setup(board, players):
    for s in dealt(30, players, board=board):
        assert s.tokens[0] == 7
        counts = [int(word).bit_count() for word in s.tokens]
        open_trees = np.where(boards.OPENS[board, :34] <= players, boards.TREES[board], 0)
        assert counts == open_trees.tolist()
        for t in range(3):
            assert sum(int(word) >> t & 1 for word in s.tokens) == boards.TOKENS[players]
        assert s.supply.tolist() == [0, 0, 0]


def numbers_of(seed: Any) -> Any:
    """The random numbers of a game: call with n for the next one below n."""
    counter = iter(range(1, 10**6))
    return lambda n: int(below(np.uint64(keyed(np.uint64(seed), np.uint64(next(counter)))), n))


def shuffled(number: Any, things: list[int]) -> list[int]:
    """A shuffle as RULES.md tells it."""
    for i in range(len(things) - 1):
        j = i + number(len(things) - i)
        things[i], things[j] = things[j], things[i]
    return things


def random_tokens(number: Any, board: int, players: int) -> list[int]:
    """The tokens of a setup as RULES.md tells it."""
    supply = [t for t in range(3) for _ in range(boards.TOKENS[players] - 1)]
    tokens = [7] + [0] * 33
    for trees in (2, 1):
        for a in range(34):
            if boards.TREES[board, a] == trees and boards.OPENS[board, a] <= players:
                for _ in range(trees):
                    left = [t for t in supply if not tokens[a] >> t & 1]
                    t = left[number(len(left))]
                    supply.remove(t)
                    tokens[a] |= 1 << t
    return tokens


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("special", [0, 1])
def test_the_order_of_the_random_numbers(players, special):
    for s in dealt(10, players, seed=4, board=special, special_tiles=special, abilities=2):
        number = numbers_of(s.seed)
        assert s.start_player == number(players)
        assert s.tokens.tolist() == random_tokens(number, special, players)
        kinds = [k for k in range(19 if special else 16) for _ in range(tiles.OF_EACH[k])]
        for p in range(players):
            pile = shuffled(number, list(kinds))
            hand = Counter(pile[-5:])
            assert s.hand[p].tolist() == [hand[k] for k in range(19)]
            assert s.pile[p, : s.pile_size[p]].tolist() == pile[:-5]
        cards = list(range(1, 9))
        dealt_cards = [cards.pop(number(8 - i)) for i in range(2 * players)]
        assert s.offered[:players].ravel().tolist() == dealt_cards


def test_the_start_player_is_random_and_has_the_first_turn():
    states = dealt(200, 4)
    assert set(states["start_player"]) == {0, 1, 2, 3}
    assert (states["current_player"] == states["start_player"]).all()


def play_setup(env: BatchEnv, rng: np.random.Generator, until: int) -> None:
    """Play at random to the first decision of a stage."""
    while env.states["stage"][0] != until:
        legal = np.flatnonzero(env.action_mask[0])
        env.step(np.array([rng.choice(legal)]))


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("board", [0, 1])
def test_token_draft(players, board):
    env = BatchEnv(GAME, 1, players, options={"token_draft": 1, "board": board})
    rng = np.random.default_rng(players)
    for seed in range(3):
        env.reset(seed=seed)
        s = env.states.view(np.recarray)[0]
        seat, twos = int(s.start_player), 0
        while s.stage in (decisions.DRAFT_TOKEN, decisions.DRAFT_PARK):
            assert s.current_player == seat
            for stage in (decisions.DRAFT_TOKEN, decisions.DRAFT_PARK):
                assert s.stage == stage
                action = int(rng.choice(np.flatnonzero(env.action_mask[0])))
                env.step(np.array([action]))
            trees = boards.TREES[board, action]
            assert (
                trees == 2
                or twos
                == 2 * ((boards.TREES[board] == 2) & (boards.OPENS[board, :34] <= players)).sum()
            )
            twos += trees == 2
            seat = (seat + 1) % players
        assert s.stage == decisions.TURN
        assert s.current_player == s.start_player
        counts = [int(word).bit_count() for word in s.tokens]
        opened = boards.OPENS[board, :34] <= players
        assert counts == np.where(opened, boards.TREES[board], 0).tolist()


def test_a_park_with_two_trees_takes_two_types_in_a_draft():
    env = BatchEnv(GAME, 1, 2, options={"token_draft": 1})
    env.reset(seed=0)
    for action in (193, 1):
        env.step(np.array([action]))
    env.step(np.array([193]))
    assert np.flatnonzero(env.action_mask[0]).tolist() == [2]
    env.step(np.array([2]))
    assert np.flatnonzero(env.action_mask[0]).tolist() == [194, 195], "two parks want another type"


def test_start_strong():
    env = BatchEnv(GAME, 1, 3, options={"start_strong": 1})
    env.reset(seed=1)
    s = env.states.view(np.recarray)[0]
    start = int(s.start_player)
    for j in range(3):
        p = (start + j) % 3
        assert (s.stage, s.current_player) == (decisions.CHOOSE_HAND, p)
        assert s.pile_size[p] == 19
        for name in ("Sakura 4", "Chochin 4", "Neko 1", "Neko 1", "Move"):
            legal = np.flatnonzero(env.action_mask[0])
            assert decisions.TILE_ID + kind(name) in legal
            env.step(np.array([decisions.TILE_ID + kind(name)]))
        assert sorted(GAME.words.view(s, p)["hand"]) == sorted(
            ["Sakura 4", "Chochin 4", "Neko 1", "Neko 1", "Move"]
        )
        assert s.pile_size[p] == 14
    number = numbers_of(s.seed)
    number(3)
    random_tokens(number, 0, 3)
    chosen = Counter(kind(n) for n in ("Sakura 4", "Chochin 4", "Neko 1", "Neko 1", "Move"))
    rest = [k for k in range(16) for _ in range(tiles.OF_EACH[k] - chosen[k])]
    for j in range(3):
        p = (start + j) % 3
        assert s.pile[p, :14].tolist() == shuffled(number, list(rest))
    assert (s.stage, s.current_player) == (decisions.TURN, start)


def test_hands_are_chosen_in_ascending_order_and_can_be_completed():
    env = BatchEnv(GAME, 1, 2, options={"start_strong": 1})
    env.reset(seed=1)
    first = [a - 174 for a in np.flatnonzero(env.action_mask[0])]
    assert first == list(range(13)), "from Boat 1 on there are four tiles only"
    env.step(np.array([174 + kind("Neko 1")]))
    assert np.flatnonzero(env.action_mask[0])[0] == 174 + kind("Neko 1"), "there are two"
    env.step(np.array([174 + kind("Neko 1")]))
    assert np.flatnonzero(env.action_mask[0])[0] == 174 + kind("Neko 2")


@pytest.mark.parametrize(("abilities", "card"), [(0, -1), (1, 0)])
def test_no_or_standard_cards(abilities, card):
    assert dealt(1, 3, abilities=abilities)[0].card.tolist() == [card] * 3 + [-1]


def test_special_cards_two_are_dealt_and_one_is_kept():
    env = BatchEnv(GAME, 1, 4, options={"abilities": 2})
    env.reset(seed=3)
    s = env.states.view(np.recarray)[0]
    offered, start = s.offered.copy(), int(s.start_player)
    assert sorted(offered.ravel()) == list(range(1, 9))
    for j in range(4):
        p = (start + j) % 4
        assert s.current_player == p
        assert np.flatnonzero(env.action_mask[0]).tolist() == sorted(
            201 + int(c) for c in offered[p]
        )
        assert GAME.words.view(s, p)["cards"] == {}, "not shown before all have chosen"
        env.step(np.array([201 + int(offered[p, 1])]))
    assert s.card.tolist() == offered[:, 1].tolist()
    assert len(GAME.words.view(s, 0)["cards"]) == 4
    assert (s.stage, s.current_player) == (decisions.TURN, start)


# § 4 Turn


def test_one_tile_and_the_hand_is_filled():
    table = Table().give(0, *["Sakura 2"] * 5).stack(0, "Neko 1", "Boat 1")
    table.place("Sakura 2", "L0")
    assert table.tile_on("L0") == (0, "Sakura 2")
    assert table.tiles == [], "one tile that is not Fast"
    table.done()
    assert table.hand(0) == ["Sakura 2"] * 4 + ["Boat 1"]
    assert table.mover == 1


def test_fast_tiles_come_before_and_after():
    table = Table().give(0, "Boat 1", "Neko 3", "Fast Neko 1", "Boat 2", "Onigiri 2")
    table.place("Boat 1", "W0")
    table.place("Neko 3", "L0")
    assert table.tiles == ["Fast Neko 1", "Boat 2"]
    table.place("Fast Neko 1", "L1")
    table.place("Boat 2", "W1")
    assert table.legal == [decisions.DONE]


def test_a_single_fast_tile_is_enough():
    table = Table().give(0, "Boat 1", "Sakura 2")
    assert not table.can_end
    table.place("Boat 1", "W0")
    assert table.can_end
    table.done()
    assert table.mover == 1


def test_boats_go_on_water_and_all_else_on_land():
    table = Table().give(0, "Boat 1", "Neko 1")
    table.tile("Boat 1")
    assert {name[0] for name in table.spaces} == {"W"}
    assert len(table.spaces) == 44
    other = Table().give(0, "Neko 1").lay(1, "Sakura 2", "L4")
    other.tile("Neko 1")
    assert {name[0] for name in other.spaces} == {"L"}
    assert len(other.spaces) == 29, "30 on the middle island, one is filled"


def test_nobody_passes_who_can_place():
    table = Table().give(0, "Sakura 2")
    assert not table.can_end
    table = Table(abilities=0).give(0, "Move")
    assert table.legal == [decisions.DONE], "there is no tile to be moved"
    table.done()
    assert (table.mover, table.s.passes) == (1, 1)


def test_nothing_is_drawn_from_an_empty_pile_or_above_five():
    table = Table().give(0, "Sakura 2", "Sakura 3")
    table.place("Sakura 2", "L0")
    table.done()
    assert table.hand(0) == ["Sakura 3"]
    table = Table().give(0, *["Sakura 2"] * 7).stack(0, "Neko 1")
    table.place("Sakura 2", "L0")
    table.done()
    assert len(table.hand(0)) == 6


def test_the_last_seat_is_followed_by_seat_0():
    table = Table(3).give(0, "Neko 1").give(1, "Neko 1").give(2, "Neko 1").give(0, "Neko 2")
    for seat, name in enumerate(("L0", "L1", "L2")):
        assert table.mover == seat
        table.place("Neko 1", name)
        table.done()
    assert table.mover == 0


# § 5 Action tiles


def test_move():
    table = Table().lay(0, "Sakura 4", "L0").give(0, "Move")
    table.place("Move", "L0", "L8")
    assert table.tile_on("L8") == (0, "Sakura 4")
    assert table.tile_on("L0") == (0, "Move")
    assert table.strength(0, "S", "P3") == 0
    assert table.strength(0, "S", "P7") == 4
    assert table.s.free_land == 28


def test_move_takes_own_tiles_on_land_that_are_not_fast():
    table = Table(special_tiles=1).give(0, "Move")
    table.lay(0, "Sakura 2", "L0").lay(0, "Fast Neko 1", "L1").lay(0, "Boat 1", "W0")
    table.lay(1, "Neko 3", "L2").lay(0, "Cover", "L3").lay(0, "Draw", "L4")
    table.tile("Move")
    assert table.spaces == ["L0", "L3"]
    other = Table(special_tiles=1, draw_is_fast=0).lay(0, "Draw", "L4").give(0, "Move")
    other.tile("Move")
    assert other.spaces == ["L4"]


def test_move_takes_no_cover_on_water():
    table = Table(special_tiles=1).lay(0, "Cover", "W0").give(0, "Move")
    assert table.tiles == []


def test_move_works_at_resolved_parks():
    table = Table().lay(0, "Sakura 2", "L0").lay(1, "Sakura 2", "L1").give(0, "Move")
    assert table.tokens("P3") == ""
    table.place("Move", "L0", "L9")
    assert table.tile_on("L9") == (0, "Sakura 2")


def test_draw_draws_at_once():
    table = Table(special_tiles=1).give(0, "Draw", "Neko 1").stack(0, "Sakura 2", "Boat 2")
    table.place("Draw", "L0")
    assert table.hand(0) == ["Neko 1", "Boat 2"]
    assert table.tiles == ["Neko 1", "Boat 2"]
    other = Table(special_tiles=1).give(0, "Draw")
    other.place("Draw", "L0")
    assert other.hand(0) == []


def test_cover():
    table = (
        Table(special_tiles=1).give(0, "Cover").lay(0, "Boat 1", "W11").lay(0, "Onigiri 4", "L6")
    )
    table.lay(1, "Sakura 4", "L7").lay(0, "Move", "L0")
    table.tile("Cover")
    assert table.spaces == ["L0", "L6", "W11"]
    on_land = table.copy()
    table.at("W11")
    assert table.tile_on("W11") == (0, "Cover")
    assert [table.strength(0, letter, "P6") for letter in "SCO"] == [3, 3, 7]
    on_land.at("L6")
    assert [on_land.strength(0, letter, "P6") for letter in "SCO"] == [4, 4, 4]
    assert on_land.s.free_land == 27, "no space was filled"


def test_cover_needs_an_own_tile():
    table = Table(special_tiles=1).give(0, "Cover").lay(1, "Boat 1", "W11")
    assert table.tiles == []


def direction(start: str, end: str) -> int:
    return boards.NEIGHBOR[0, space(start)].tolist().index(space(end))


def test_copy_counts_as_the_tile_it_points_at():
    table = Table(special_tiles=1).give(0, "Copy").lay(1, "Sakura 4", "L2")
    table.place("Copy", "L1")
    assert len(table.legal) == 6
    table.point(direction("L1", "L2"))
    assert table.strength(0, "S", "P4") == 4
    assert table.strength(0, "C", "P4") == 0
    assert table.strength(1, "S", "P4") == 4


def test_copy_of_a_space_that_is_filled_later():
    table = Table(special_tiles=1).give(0, "Copy").give(1, "Boat 2")
    table.place("Copy", "L0")
    table.point(direction("L0", "W2"))
    assert table.strength(0, "S", "P3") == 0
    table.done()
    table.place("Boat 2", "W2")
    assert [table.strength(0, letter, "P3") for letter in "SCO"] == [2, 2, 2], "a Boat is wild"


@pytest.mark.parametrize("tile", ["Move", "Draw"])
def test_copy_of_an_action_tile_counts_nothing(tile):
    table = Table(special_tiles=1).lay(1, tile, "L2").give(0, "Copy")
    table.place("Copy", "L1")
    table.point(direction("L1", "L2"))
    assert table.strength(0, "S", "P4") == 0


def test_copy_of_a_park_or_nothing_counts_nothing():
    for end in range(6):
        table = Table(special_tiles=1).give(0, "Copy")
        table.place("Copy", "L0")
        table.point(end)
        assert not table.s.pips.any()


def test_copies_follow_on():
    table = Table(special_tiles=1).lay(0, "Onigiri 3", "L3")
    table.lay(1, "Copy", "L2", arrow=direction("L2", "L3"))
    table.give(0, "Copy")
    table.place("Copy", "L1")
    table.point(direction("L1", "L2"))
    assert table.strength(0, "O", "P4") == 3 + 3
    assert table.strength(1, "O", "P4") == 3


def test_copies_in_a_circle_count_nothing():
    table = Table(3, special_tiles=1).lay(1, "Copy", "L2", arrow=direction("L2", "L1"))
    table.lay(2, "Copy", "L3", arrow=direction("L3", "L2"))
    table.give(0, "Copy")
    table.place("Copy", "L1")
    table.point(direction("L1", "L2"))
    assert not table.s.pips.any()


def test_copy_changes_when_the_tile_is_covered_or_moved():
    table = Table(special_tiles=1).lay(0, "Sakura 4", "L2")
    table.lay(0, "Copy", "L1", arrow=direction("L1", "L2")).give(0, "Cover")
    assert table.strength(0, "S", "P4") == 8
    moved = table.copy()
    table.place("Cover", "L2")
    assert [table.strength(0, letter, "P4") for letter in "SCO"] == [6, 6, 6]
    moved.s.hand[0, :] = 0
    moved.give(0, "Move")
    moved.place("Move", "L2", "L8")
    assert moved.strength(0, "S", "P4") == 0


def test_a_moved_copy_keeps_its_direction():
    table = Table(special_tiles=1).lay(1, "Neko 3", "L5")
    table.lay(0, "Copy", "L1", arrow=direction("L4", "L5")).give(0, "Move")
    table.place("Move", "L1", "L4")
    assert table.s.arrow[0] == direction("L4", "L5")
    assert table.strength(0, "S", "P5") == 3


# § 6 Ability cards


def test_a_card_is_used_once_and_before_any_tile():
    table = Table().card(0, "Takoyaki").give(0, "Boat 1", "Neko 1")
    assert table.can_use
    late = table.copy()
    late.place("Boat 1", "W0")
    assert not late.can_use
    table.use()
    assert not table.can_use
    assert table.s.used[0] == 1


def test_a_card_is_used_up_when_its_effect_is_complete():
    table = Table().card(0, "Bicycle").lay(1, "Neko 3", "L1").give(0, "Neko 1")
    table.use()
    table.at("L1")
    assert table.s.used[0] == 0
    at_work = GAME.layout.split(table.env.observe(np.array([1]))[0])["ability"]
    assert at_work[1, tiles.BICYCLE] == 1, "seat 1 sees which card seat 0 is using"
    table.at("L0")
    assert table.s.used[0] == 1


def test_torii_swaps_two_tokens():
    table = Table(tokens={"P1": "SC", "P3": "O"}, far={}).give(0, "Neko 1")
    assert table.can_use
    table.use()
    assert table.spaces == ["P1", "P3"]
    table.at("P1")
    table.token("C")
    assert table.spaces == ["P3"]
    table.at("P3")
    table.token("O")
    assert (table.tokens("P1"), table.tokens("P3")) == ("SO", "C")
    assert table.s.stage == decisions.TURN


def test_torii_never_puts_two_of_a_type_in_a_park():
    table = Table(tokens={"P0": "SCO", "P1": "SC", "P3": "S"}, far={})
    assert not table.can_use, "each park's types are all in the next"
    table = Table(tokens={"P1": "SC", "P3": "S", "P4": "O"}, far={})
    table.use()
    table.at("P3")
    table.token("S")
    assert table.spaces == ["P4"], "P1 has a Sakura token"


def test_bicycle():
    table = Table().card(0, "Bicycle").lay(1, "Fast Neko 1", "L1").give(0, "Neko 1")
    table.lay(1, "Neko 3", "L2")
    table.use()
    assert table.spaces == ["L1", "L2"]
    table.at("L1")
    assert table.spaces == ["L0"]
    table.at("L0")
    assert table.tile_on("L0") == (1, "Fast Neko 1")
    assert table.tile_on("L1") is None


def test_bicycle_needs_a_tile_that_can_go():
    table = Table().card(0, "Bicycle").lay(0, "Boat 1", "W0")
    assert not table.can_use


def test_takoyaki_allows_two_tiles_and_does_not_ask_for_them():
    table = Table().card(0, "Takoyaki").give(0, "Neko 1", "Neko 2", "Neko 3")
    table.use()
    assert not table.can_end
    table.place("Neko 1", "L0")
    assert table.can_end
    table.place("Neko 2", "L1")
    assert table.tiles == []


def test_rainy_day_returns_a_tile_beside_an_unresolved_park():
    table = Table(tokens={"P3": "S"}).card(0, "Rainy Day").give(0, "Neko 1")
    table.lay(1, "Neko 3", "L1").lay(1, "Neko 2", "L9").stack(1, "Sakura 2")
    table.use()
    assert table.spaces == ["L1"]
    table.at("L1")
    assert table.pile(1) == ["Neko 3", "Sakura 2"]
    assert table.tile_on("L1") is None
    assert table.view(0)["known_bottoms"] == {"1": "Neko 3"}


def test_taiyaki():
    table = Table().card(0, "Taiyaki").lay(0, "Sakura 2", "L0").give(0, "Neko 1")
    assert not table.can_use, "two tiles are needed"
    table.lay(1, "Onigiri 4", "L9").lay(1, "Boat 1", "W0")
    table.use()
    assert table.spaces == ["L0", "L9"]
    table.at("L0")
    assert table.spaces == ["L9"]
    table.at("L9")
    assert table.tile_on("L0") == (1, "Onigiri 4")
    assert table.tile_on("L9") == (0, "Sakura 2")
    assert table.strength(1, "O", "P3") == 4 + 1


def test_ferry():
    table = Table().card(0, "Ferry").lay(1, "Boat 2", "W0").lay(0, "Cover", "W1")
    table.use()
    assert table.spaces == ["W0"]
    table.at("W0")
    assert "W0" not in table.spaces
    assert "W1" not in table.spaces
    table.at("W9")
    assert table.tile_on("W9") == (1, "Boat 2")


def test_konbini():
    table = Table().card(0, "Konbini").give(0, *["Sakura 2"] * 5)
    assert not table.can_use
    table.stack(0, "Neko 3", "Boat 1", "Boat 1")
    table.use()
    assert table.tiles == ["Neko 3", "Boat 1"]
    table.tile("Neko 3")
    assert table.hand(0) == ["Sakura 2"] * 5 + ["Neko 3"]
    assert table.pile(0) == ["Boat 1", "Boat 1"]


@pytest.mark.parametrize(("use", "winner"), [(False, None), (True, 0)])
def test_omamori_wins_ties_of_this_turn(use, winner):
    table = Table(tokens={"P3": "S"}).card(0, "Omamori").give(0, "Neko 2")
    table.lay(1, "Sakura 2", "L0")
    if use:
        table.use()
    table.place("Neko 2", "L1")
    table.done()
    assert table.won(0) == ([1, 0, 0] if use else [0, 0, 0])
    assert table.ties == ([0, 0, 0] if use else [1, 0, 0])


def test_omamori_wins_nothing_without_strength_or_behind():
    table = Table(tokens={"P3": "S"}).card(0, "Omamori").give(0, "Chochin 2")
    table.lay(1, "Onigiri 2", "L0")
    table.use()
    table.place("Chochin 2", "L1")
    table.done()
    assert (table.won(0), table.ties) == ([0, 0, 0], [1, 0, 0])


def test_tea_house():
    table = Table().card(0, "Tea House").give(0, "Sakura 2", "Neko 1", "Boat 1").stack(0, "Move")
    table.use()
    assert not table.can_end, "at least one tile"
    table.tile("Neko 1")
    assert table.tiles == ["Boat 1"], "ascending"
    assert table.view(1)["aside"] == 1
    table.tile("Boat 1")
    table.done()
    assert len(table.hand(0)) == 3
    assert sorted(table.hand(0) + table.pile(0)) == ["Boat 1", "Move", "Neko 1", "Sakura 2"]
    assert table.s.stage == decisions.TURN


def test_an_ability_without_a_tile_is_a_pass():
    table = Table(tokens={"P3": "S"}).card(0, "Rainy Day").lay(0, "Neko 3", "L1")
    table.use()
    table.at("L1")
    assert table.legal == [decisions.DONE]
    table.done()
    assert (table.s.passes, table.hand(0)) == (1, ["Neko 3"]), "drawn again"


# § 7 Awarding, end and scoring


def test_turn_example_1_no_park_is_surrounded():
    table = Table(3, tokens={"P7": "S"}).give(0, "Sakura 2")
    table.place("Sakura 2", "L4")
    table.done()
    assert table.tokens("P7") == "S"


def test_turn_example_2_wild_and_boat_beat_basic():
    red, green, blue = range(3)
    table = Table(3, tokens={"P7": "S"}).lay(red, "Sakura 2", "L4")
    table.lay(green, "Onigiri 4", "L5").give(blue, "Boat 2", "Neko 2").stack(blue, "Move", "Move")
    table.s.current_player = blue
    table.refresh()
    table.place("Boat 2", "W15")
    table.place("Neko 2", "L8")
    assert table.tokens("P7") == "S", "awarded at the end of placing"
    table.done()
    assert table.won(blue) == [1, 0, 0]
    assert len(table.hand(blue)) == 2
    assert table.mover == red


def test_multiple_tokens_example():
    red, blue, green = range(3)
    table = Table(3, tokens={"P0": "SCO"}).lay(red, "Sakura 2", "L14").lay(red, "Sakura 3", "L15")
    table.lay(blue, "Neko 1", "L16").lay(green, "Chochin 2", "L17").lay(green, "Onigiri 3", "L19")
    table.give(blue, "Neko 2")
    table.s.current_player = blue
    table.refresh()
    table.place("Neko 2", "L20")
    table.done()
    assert table.won(red) == [1, 0, 0]
    assert table.won(blue) == [0, 1, 0]
    assert table.ties == [0, 0, 1]
    assert table.tokens("P0") == ""


def test_no_strength_at_all_is_a_tie():
    table = Table(tokens={"P3": "S"}).lay(0, "Onigiri 4", "L0").give(0, "Move")
    table.lay(0, "Chochin 2", "L8")
    table.place("Move", "L8", "L1")
    table.done()
    assert table.ties == [1, 0, 0]


def test_four_ties_end_the_game_and_more_leave_it():
    table = Table(tokens={"P3": "S", "P4": "C", "P0": "SCO"}).give(0, "Onigiri 2")
    table.s.ties[:] = [0, 2, 1]
    table.lay(0, "Onigiri 3", "L0", "L2", "L3")
    table.place("Onigiri 2", "L1")
    table.done()
    assert table.over
    assert (table.ties, table.s.lost.tolist()) == ([1, 2, 1], [0, 1, 0]), "parks by id"


def test_the_last_token_of_a_type_ends_the_game():
    table = Table(tokens={"P3": "S"}, far={"P13": "O", "P16": "C"}).give(0, "Neko 1")
    table.lay(0, "Neko 1", "L0").stack(0, "Move")
    table.place("Neko 1", "L1")
    table.done()
    assert table.over
    assert table.hand(0) == ["Move"], "the turn was completed"


def test_the_game_ends_when_all_pass():
    table = Table(3)
    table.done()
    table.done()
    assert not table.over
    table.done()
    assert table.over


def test_scoring_example():
    green, red, blue = range(3)
    table = Table(3)
    table.s.won[green, :3] = [1, 3, 4]
    table.s.won[red, :3] = [4, 3, 2]
    table.s.won[blue, :3] = [1, 1, 1]
    table.refresh()
    points = [parks.score(table.s, p) for p in range(3)]
    assert points == [(1, 64 * 4 + 8), (1, 64 * 5 + 9), (0, 3)]
    assert table.ranks() == [1, 0, 2]


@pytest.mark.parametrize(
    ("won", "ranks"),
    [
        ([[3, 1, 0], [0, 0, 2]], [0, 1]),  # two points to one
        ([[4, 1, 0], [1, 2, 0]], [0, 1]),  # one point each, others 1 and 1, then all: 5 and 3
        ([[4, 0, 1], [0, 2, 1]], [0, 1]),  # the same; nobody gets the Onigiri point
        ([[2, 1, 0], [1, 2, 0]], [0, 0]),  # equal in all
        ([[1, 1, 1], [1, 1, 1]], [0, 0]),  # no points
        ([[0, 0, 0], [0, 0, 0]], [0, 0]),
    ],
)
def test_ranks_of_two(won, ranks):
    table = Table(2)
    table.s.won[:2] = won
    table.refresh()
    assert table.ranks() == ranks


def test_without_any_point_most_tokens_win():
    table = Table(3)
    table.s.won[:3] = [[1, 2, 0], [1, 2, 1], [0, 0, 1]]
    table.refresh()
    assert [parks.score(table.s, p)[0] for p in range(3)] == [0, 0, 0]
    assert table.ranks() == [1, 0, 2]


# § 8 Decisions


def test_ids_follow_the_table():
    ids = [decisions.TILE_ID, decisions.TYPE_ID, decisions.DIRECTION_ID, decisions.KEEP_ID]
    assert [int(i) for i in ids] == [174, 193, 196, 202]
    assert (int(decisions.USE), int(decisions.DONE), decisions.NUM_ACTIONS) == (210, 211, 212)


# § 9 What a player knows


def play_on(env: BatchEnv, rng: np.random.Generator, steps: int) -> None:
    for _ in range(steps):
        noise = rng.random(env.action_mask.shape)
        env.step((env.action_mask * noise).argmax(1))


@pytest.mark.parametrize("players", [2, 4])
def test_resampling_keeps_what_is_known(players):
    env = BatchEnv(GAME, 4, players, auto_reset=False, options=ALL_OPTIONS)
    env.reset(seed=players)
    rng = np.random.default_rng(0)
    while not env.terminated.all():
        play_on(env, rng, 7)
        for seat in range(players):
            before = [GAME.words.view(s, seat) for s in env.states.view(np.recarray)]
            other = BatchEnv(GAME, 4, players, auto_reset=False, options=ALL_OPTIONS)
            other.set_states(env.get_states())
            other.resample_hidden(np.full(4, seat), np.arange(4))
            after = [GAME.words.view(s, seat) for s in other.states.view(np.recarray)]
            assert before == after


def test_the_bottom_tile_is_known_until_the_pile_is_shuffled():
    table = Table(tokens={"P3": "S"}).card(0, "Rainy Day").card(1, "Konbini").give(0, "Neko 1")
    table.lay(1, "Neko 3", "L1").stack(1, "Sakura 2", "Sakura 3", "Boat 1").give(1, "Boat 1")
    table.use()
    table.at("L1")
    table.place("Neko 1", "L9")
    for seed in range(20):
        assert table.resampled(0, seed).pile(1)[0] == "Neko 3"
        assert table.resampled(1, seed).pile(1)[0] == "Neko 3"
    table.done()
    table.use()
    table.tile("Sakura 3")
    assert table.view(0)["known_bottoms"] == {}
    bottoms = {table.resampled(0, seed).pile(1)[0] for seed in range(40)}
    assert len(bottoms) > 1


def test_other_hands_are_drawn_anew_from_the_unseen_tiles():
    s = dealt(1, 2)[0]
    env = BatchEnv(GAME, 50, 2)
    env.set_states(np.repeat(np.array(s)[None], 50))
    env.resample_hidden(np.zeros(50, np.int64), np.arange(50))
    assert (env.states["hand"][:, 0] == s.hand[0]).all()
    assert len({row.tobytes() for row in env.states["hand"][:, 1]}) > 40
    total = env.states["hand"][:, 1].sum(1)
    assert (total == 5).all()


# Whole games


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("options", [{}, {"board": 1}, ALL_OPTIONS], ids=["base", "tokyo", "all"])
def test_tokens_and_tiles_are_conserved(players, options):
    env = BatchEnv(GAME, 2, players, auto_reset=False, options=options)
    env.reset(seed=5)
    rng = np.random.default_rng(1)
    while not env.terminated.all():
        play_on(env, rng, 1)
        for s in env.states.view(np.recarray):
            assert_conserved(s, players)


def assert_conserved(s: Any, players: int) -> None:
    """All tokens are somewhere, and what is kept beside the tiles agrees with them."""
    on_map = [sum(int(word) >> t & 1 for word in s.tokens) for t in range(3)]
    total = on_map + s.supply + s.ties + s.lost + s.won.sum(0)
    assert total.tolist() == [boards.TOKENS[players]] * 3
    assert s.hand.sum(1).tolist() == s.hand_size.tolist()
    pips, open_land = np.zeros((4, 3, 34), int), np.zeros(34, int)
    for x in range(boards.LAND, boards.SPACES):
        around = [a for a in boards.PARKS_BY[s.map, x] if a >= 0]
        for a in around:
            if x < boards.WATER and s.tile[x] == tiles.EMPTY:
                open_land[a] += 1
            if s.tile[x] < tiles.EMPTY:
                t, strength = parks.type_at(s, x), parks.strength_at(s, x)
                for each in range(3):
                    pips[s.owner[x], each, a] += strength * (t in (each, tiles.WILD))
    assert (pips == s.pips).all()
    assert (open_land == s.open_land).all()
    assert s.free_land == (s.tile[boards.LAND : boards.WATER] == tiles.EMPTY).sum()
    assert s.free_water == (s.tile[boards.WATER :] == tiles.EMPTY).sum()
    assert types("SCO") == 7
