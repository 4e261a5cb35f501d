"""Golden playthroughs: whole games, kept as text in tests/golden.

After an intended change, `python -m pytest tests/test_golden.py --update-golden` writes them anew;
read the difference before it is kept.
"""

from pathlib import Path

import numpy as np
import pytest

from golden.playthrough import Playthrough
from hanazono.envs import GAMES, get_game
from hanazono.envs.core.record import PREFIX, GameRecord, replay

FOLDER = Path(__file__).parent / "golden"
PLAYTHROUGHS = {  # a turn of Ohanami takes four decisions a seat
    "ohanami_2p": Playthrough("ohanami", ("value_gap", "random"), seed=2, table_every=8),
    "ohanami_3p": Playthrough(
        "ohanami", ("smallest_gap", "random", "value_gap"), seed=3, table_every=12
    ),
    "ohanami_4p": Playthrough(
        "ohanami", ("value_gap", "smallest_gap", "random", "value_gap"), seed=4, table_every=16
    ),
    "sakura_2p": Playthrough("sakura", ("careful", "greedy"), seed=2, table_every=10),
    "sakura_3p": Playthrough(
        "sakura", ("greedy", "random", "careful"), 3, table_every=12, options={"lightning": 1}
    ),
    "sakura_4p": Playthrough("sakura", ("careful", "greedy") * 2, seed=4, table_every=12),
    "sakura_5p": Playthrough(
        "sakura", ("random", "careful", "greedy", "random", "greedy"), seed=5, table_every=12
    ),
    "sakura_6p": Playthrough(
        "sakura", ("careful", "greedy", "random") * 2, 6, table_every=15, options={"lightning": 1}
    ),
    "sakura_7p": Playthrough("sakura", ("greedy", *("careful", "random") * 3), 7, table_every=15),
    "hanawase_3p": Playthrough(
        "hanawase", ("watchful", "greedy", "random"), 3, table_every=15, options={"rounds": 3}
    ),
    "hanawase_4p": Playthrough(
        "hanawase", ("watchful", "greedy") * 2, 4, table_every=15, options={"rounds": 3}
    ),
    "hanawase_5p": Playthrough(
        "hanawase",
        ("random", "watchful", "greedy", "random", "watchful"),
        seed=5,
        table_every=15,
        options={"rounds": 3, "hand_yaku": 1},
    ),
    "hanawase_6p": Playthrough(
        "hanawase", ("watchful", "greedy", "random") * 2, 6, table_every=15, options={"rounds": 3}
    ),
    "hanawase_7p": Playthrough(
        "hanawase",
        ("greedy", *("watchful", "random") * 3),
        7,
        table_every=15,
        options={"rounds": 3},
    ),
    # a turn of HANAMI takes three to seven decisions
    "hanami_tatami_2p": Playthrough("hanami_tatami", ("planner", "random"), 2, table_every=12),
    "hanami_tatami_3p": Playthrough(
        "hanami_tatami",
        ("greedy", "planner", "random"),
        seed=3,
        table_every=18,
        options={"printed_only": 1},
    ),
    "hanami_tatami_4p": Playthrough(
        "hanami_tatami", ("planner", "random", "greedy", "random"), 4, table_every=24
    ),
    # a turn of Hanami on park maps takes three or more decisions
    "hanami_parks_2p": Playthrough(
        "hanami_parks", ("tempo_greedy", "captures_only"), 2, table_every=30
    ),
    "hanami_parks_3p": Playthrough(
        "hanami_parks",
        ("greedy", "random", "tempo_greedy"),
        seed=3,
        table_every=60,
        options={"special_tiles": 1, "abilities": 2, "token_draft": 1, "start_strong": 1},
    ),
    "hanami_parks_4p": Playthrough(
        "hanami_parks",
        ("tempo_greedy", "random", "greedy", "captures_only"),
        seed=4,
        table_every=60,
        options={"board": 1},
    ),
}


@pytest.mark.parametrize("name", PLAYTHROUGHS)
def test_playthrough_is_as_recorded(name, request):
    file, told = FOLDER / f"{name}.txt", PLAYTHROUGHS[name].text()
    if request.config.getoption("--update-golden"):
        file.write_text(told, encoding="utf-8", newline="\n")
    assert told == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PLAYTHROUGHS)
def test_record_in_the_file_replays_to_the_scores_in_the_file(name):
    lines = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    text = lines[-1].removeprefix("record: ")
    assert text.startswith(PREFIX)
    game = get_game(PLAYTHROUGHS[name].game)
    *_, table = replay(game, GameRecord.from_string(text, game))
    assert table.terminated[0]
    points = table.final_scores[0, : table.num_players, 0]
    written = next(line for line in reversed(lines) if line.startswith("scores: "))
    assert np.array_equal(points, [float(word) for word in written.split()[1 : 1 + len(points)]])


def test_every_seat_count_of_every_game_has_a_playthrough():
    names = {
        f"{name}_{seats}p"
        for name in GAMES
        for seats in range(get_game(name).min_players, get_game(name).max_players + 1)
    }
    assert set(PLAYTHROUGHS) == names
    assert {file.stem for file in FOLDER.glob("*.txt")} == names


@pytest.mark.parametrize("name", PLAYTHROUGHS)
def test_playthroughs_stay_readable(name):
    assert (FOLDER / f"{name}.txt").stat().st_size < 60_000
    assert len(PLAYTHROUGHS[name].bots) == int(name.rpartition("_")[2][0])
