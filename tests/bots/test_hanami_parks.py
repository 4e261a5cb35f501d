"""The scripted players of Hanami on park maps: what they decide in chosen positions, and how well
they play.

P3 lies between L0 and L1, P6 between L6 and L7, P16 between L27, L28 and L29, on the map of Nihon.
"""

from typing import Any

import numpy as np
import pytest

from bots.playing import choice, play, wins
from hanazono.envs.core.batch import BatchEnv
from hanazono.envs.hanami_parks import GAME, decisions, tiles
from rules.parks_positions import Table, kind, space

GREEDY = ("greedy", "tempo_greedy")
BOTS = ("captures_only", *GREEDY)
FULL = {"special_tiles": 1, "abilities": 2, "token_draft": 1, "start_strong": 1}


def plain(tokens: dict[str, str] | None = None, **more: Any) -> Table:
    """A table for two without ability cards."""
    return Table(2, tokens, abilities=0, **more)


def take_turn(table: Table, bot: str) -> list[int]:
    """The bot decides until the turn is over."""
    seat, chosen = table.mover, []
    while table.mover == seat and not table.over:
        chosen.append(choice(table, bot))
        table.decide(chosen[-1])
    return chosen


def tile(name: str) -> int:
    """The action of choosing a tile."""
    return int(decisions.TILE_ID) + kind(name)


@pytest.mark.parametrize("bot", BOTS)
def test_the_tile_that_wins_a_token_is_placed_where_it_does(bot):
    table = plain({"P3": "S"}).lay(1, "Sakura 3", "L0").give(0, "Onigiri 4", "Sakura 4")
    take_turn(table, bot)
    assert table.won(0) == [1, 0, 0]


@pytest.mark.parametrize("bot", BOTS)
def test_move_wins_a_token(bot):
    table = plain({"P3": "S"}).lay(1, "Sakura 3", "L0").lay(0, "Sakura 4", "L8").give(0, "Move")
    assert take_turn(table, bot)[:3] == [tile("Move"), space("L8"), space("L1")]
    assert table.won(0) == [1, 0, 0]


@pytest.mark.parametrize("bot", BOTS)
def test_copy_is_pointed_at_what_wins(bot):
    table = plain({"P3": "S"}, special_tiles=1).lay(1, "Onigiri 2", "L0").give(0, "Copy")
    table.lay(1, "Sakura 2", "L2")
    take_turn(table, bot)
    assert table.tile_on("L1") == (0, "Copy")
    assert table.won(0) == [1, 0, 0]


def test_captures_only_places_one_tile_a_turn():
    table = plain().give(0, "Onigiri 2", "Boat 1", "Boat 1", "Boat 2")
    take_turn(table, "captures_only")
    assert len(table.hand(0)) == 3


@pytest.mark.parametrize("bot", GREEDY)
def test_a_boat_is_placed_if_it_wins_a_token(bot):
    table = plain({"P6": "S"}).lay(1, "Sakura 2", "L6").lay(0, "Sakura 2", "L7")
    table.give(0, "Onigiri 2", "Boat 1")
    take_turn(table, bot)
    assert table.won(0) == [1, 0, 0]


@pytest.mark.parametrize("bot", GREEDY)
def test_a_boat_is_kept_if_it_adds_little(bot):
    table = plain().give(0, "Onigiri 2", "Boat 1")
    take_turn(table, bot)
    assert table.hand(0) == ["Boat 1"]


def test_tempo_greedy_leaves_the_last_space_to_nobody():
    """P3 has two open spaces, P16 three: one tile leaves one, or two."""
    table = plain({"P3": "S", "P16": "S"}, far={"P13": "O", "P9": "C"}).give(0, "Sakura 3")
    spaces = {bot: take_turn(table.copy(), bot)[1] for bot in GREEDY}
    assert spaces["greedy"] in (space("L0"), space("L1"))
    assert spaces["tempo_greedy"] in (space("L27"), space("L28"), space("L29"))


@pytest.mark.parametrize("bot", GREEDY)
def test_torii_is_used_for_much(bot):
    table = Table(2, {"P3": "S", "P6": "C"}).lay(0, "Chochin 4", "L0").lay(0, "Sakura 4", "L6")
    table.give(0, "Onigiri 2")
    idle = Table(2).give(0, "Onigiri 2")
    assert choice(idle, bot) != decisions.USE
    assert choice(table, bot) == decisions.USE
    take_turn(table, bot)
    assert (table.tokens("P3"), table.tokens("P6")) == ("C", "S")


@pytest.mark.parametrize("bot", GREEDY)
def test_rainy_day_takes_the_tile_that_hurts_most(bot):
    table = Table(2, {"P3": "S", "P6": "C"}, abilities=2).card(0, "Rainy Day")
    table.lay(1, "Sakura 4", "L0").lay(1, "Chochin 2", "L6").give(0, "Onigiri 2")
    assert take_turn(table, bot)[:2] == [decisions.USE, space("L0")]


@pytest.mark.parametrize("bot", GREEDY)
def test_the_first_hand_is_of_strong_tiles(bot):
    env = BatchEnv(GAME, 1, 2, options={"start_strong": 1})
    env.reset(seed=0)
    actions, chosen = np.zeros(1, np.int64), []
    for _ in range(5):
        env.act(bot, np.zeros(1, np.int64), 0, actions)
        chosen.append(int(actions[0] - decisions.TILE_ID))
        env.step(actions)
    assert [tiles.STRENGTH[k] for k in chosen] == [3, 4, 3, 4, 3]


@pytest.mark.parametrize("bot", GREEDY)
def test_takoyaki_is_kept_before_all_other_cards(bot):
    env = BatchEnv(GAME, 60, 2, options={"abilities": 2})
    env.reset(seed=0)
    actions, takoyaki = np.zeros(60, np.int64), int(decisions.KEEP_ID) + tiles.TAKOYAKI - 1
    env.act(bot, np.arange(60), 0, actions)
    offered = env.action_mask[:, takoyaki] == 1
    assert 0 < offered.sum() < 60
    assert ((actions == takoyaki) == offered).all()


@pytest.mark.parametrize("bot", BOTS)
def test_deciding_changes_nothing(bot):
    env = BatchEnv(GAME, 4, 3, options=FULL)
    env.reset(seed=1)
    actions = np.zeros(4, np.int64)
    for _ in range(150):
        before = env.get_states().tobytes()
        env.act(bot, np.arange(4), 0, actions)
        assert env.states.tobytes() == before
        env.step(actions)


def test_bots_are_listed_weakest_first():
    assert tuple(GAME.bots) == ("random", *BOTS)


@pytest.mark.parametrize(
    ("better", "worse", "percent"),
    [
        ("captures_only", "random", 96.1),
        ("greedy", "captures_only", 97.9),
        ("tempo_greedy", "greedy", 66.2),
    ],
)
def test_each_bot_beats_the_one_before(better, worse, percent):
    shares = wins(GAME, better, worse, games=500)
    noise = shares.std() / np.sqrt(len(shares))
    assert shares.mean() - 2 * noise > 0.5
    assert abs(shares.mean() - percent / 100) < 4 * noise


@pytest.mark.parametrize("num_players", [3, 4])
@pytest.mark.parametrize("options", [{}, {"board": 1, **FULL}], ids=["base", "full"])
def test_bots_play_at_every_table(num_players, options):
    players = ("tempo_greedy", "greedy", "random", "captures_only")[:num_players]
    env = play(GAME, players, games=10, **options)
    assert env.terminated.all()
