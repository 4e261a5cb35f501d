"""The scripted players of Hanami on park maps: what they decide in chosen positions, and how well
they play."""

import numpy as np
import pytest

from bots.playing import choice, play, wins
from hanazono.envs.hanami_parks import GAME, boards, bots, decisions
from hanazono.envs.hanami_parks.prospects import EVEN, GREEDY, PROMISE, TEMPO
from hanazono.envs.hanami_parks.tiles import SAKURA
from rules.parks_positions import Table, space

BOTS = ("captures_only", "greedy", "tempo_greedy")
PLANNERS = BOTS[1:]
BASE = {"abilities": 0}
AROUND_P3 = [f"L{x - boards.LAND}" for x in boards.LANDS_BY[0, 3].tolist() if x >= 0]


def go_on(table: Table, bot: str) -> None:
    """The bot decides until the turn is over."""
    seat = table.mover
    while table.mover == seat and not table.over:
        table.decide(choice(table, bot))


def one_space_left() -> Table:
    """Around P3, where a Sakura token lies, only one Land space is empty; seat 1 has 3 there."""
    table = Table(tokens={"P3": "S"}, **BASE)
    table.lay(1, "Sakura 3", AROUND_P3[0])
    return table.lay(0, "Onigiri 2", *AROUND_P3[1:-1])


@pytest.mark.parametrize("bot", BOTS)
def test_a_token_that_one_tile_wins_is_won(bot):
    table = one_space_left().give(0, "Onigiri 4", "Sakura 4", "Neko 2", "Chochin 3", "Sakura 2")
    go_on(table, bot)
    assert table.tile_on(AROUND_P3[-1]) == (0, "Sakura 4")
    assert table.won(0) == [1, 0, 0]


@pytest.mark.parametrize("bot", PLANNERS)
def test_no_token_is_given_to_an_opponent(bot):
    table = one_space_left().give(0, "Onigiri 4", "Sakura 2", "Chochin 3")
    go_on(table, bot)
    assert table.won(1) == [0, 0, 0]


def test_captures_only_places_one_tile_a_turn():
    table = Table(**BASE).give(0, "Fast Neko 1", "Sakura 2", "Boat 1")
    go_on(table, "captures_only")
    assert table.s.hand_size[0] == 2


@pytest.mark.parametrize("bot", PLANNERS)
def test_a_fast_tile_is_placed_where_it_adds_enough(bot):
    table = one_space_left().give(0, "Boat 1", "Sakura 3")
    go_on(table, bot)
    assert table.tile_on(AROUND_P3[-1]) == (0, "Sakura 3")
    assert table.won(0) == [1, 0, 0], "the Boat breaks the tie"
    far = Table(**BASE).give(0, "Boat 1", "Sakura 3")
    go_on(far, bot)
    assert far.hand(0) == ["Boat 1"], "far from everything it is kept"


def test_tempo_greedy_does_not_leave_the_last_space_to_an_opponent():
    """Of two spaces around a park filling one lets the opponent fill the other."""
    table, x = Table(tokens={"P3": "S"}, **BASE), space(AROUND_P3[-1])
    gains = [bots.worth(table.s, x, SAKURA, 2, 1, style) for style in (GREEDY, TEMPO)]
    assert gains[1] < gains[0]


def test_what_a_token_promises():
    """The formula of prospects.py: the sign where nothing is open, else a tanh below 0.9."""
    assert PROMISE[TEMPO, 0, [EVEN - 2, EVEN, EVEN + 3]].tolist() == [-1, 0, 1]
    assert PROMISE[GREEDY, 4, EVEN + 2] == pytest.approx(0.9 * np.tanh(2 / (1.6 * 2 + 1)))
    assert PROMISE[TEMPO, 1, EVEN + 2] == pytest.approx(0.9 * np.tanh(1.3 / 2.6))
    assert PROMISE[TEMPO, 2, EVEN + 2] == pytest.approx(0.9 * np.tanh(2.35 / (1.6 * 2**0.5 + 1)))


@pytest.mark.parametrize("bot", PLANNERS)
def test_torii_brings_a_token_to_where_the_player_is_strong(bot):
    table = Table(tokens={"P3": "S", "P4": "C"}).card(0, "Torii").give(0, "Chochin 2")
    table.lay(1, "Sakura 4", "L0").lay(0, "Sakura 4", "L3")  # beside P3, beside P4
    assert choice(table, bot) == decisions.USE
    go_on(table, bot)
    assert table.tokens("P4") == "S"
    assert table.won(0) == [0, 1, 0], "the tile wins what now lies in P3"


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_every_bot_plays_every_option_to_the_end(num_players):
    options = {"special_tiles": 1, "abilities": 2, "token_draft": 1, "start_strong": 1}
    for bot in BOTS:
        env = play(GAME, (bot,) * num_players, 64, **options)
        assert env.final_scores[:, :, 0].sum() > 0


@pytest.mark.parametrize(
    ("bot", "share"), [("random", 0.0), ("captures_only", 0.015), ("tempo_greedy", 0.658)]
)
def test_shares_against_greedy(bot, share):
    """2,000 deals, within three standard errors of what the module says."""
    won = wins(GAME, bot, "greedy", **BASE)
    assert abs(won.mean() - share) <= 3 * won.std() / np.sqrt(len(won)) + 0.002
