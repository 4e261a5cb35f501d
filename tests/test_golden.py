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
WATCHFUL, GREEDY, RANDOM = "watchful", "greedy", "random"
PLAYTHROUGHS = {  # a turn of Ohanami takes four decisions a seat, a round of Hanawase about 25
    "hanawase_3p": Playthrough("hanawase", (WATCHFUL, GREEDY, RANDOM), seed=3, table_every=25),
    "hanawase_4p": Playthrough(
        "hanawase", (GREEDY, WATCHFUL, RANDOM, WATCHFUL), seed=4, table_every=25
    ),
    "hanawase_5p": Playthrough(
        "hanawase", (RANDOM, WATCHFUL, GREEDY, WATCHFUL, GREEDY), seed=5, table_every=29
    ),
    "hanawase_6p": Playthrough(
        "hanawase", (WATCHFUL, GREEDY, RANDOM, WATCHFUL, GREEDY, RANDOM), seed=6, table_every=29
    ),
    "hanawase_7p": Playthrough(
        "hanawase",
        (GREEDY, WATCHFUL, RANDOM, GREEDY, WATCHFUL, RANDOM, GREEDY),
        seed=7,
        table_every=29,
    ),
    "ohanami_2p": Playthrough("ohanami", ("value_gap", "random"), seed=2, table_every=8),
    "ohanami_3p": Playthrough(
        "ohanami", ("smallest_gap", "random", "value_gap"), seed=3, table_every=12
    ),
    "ohanami_4p": Playthrough(
        "ohanami", ("value_gap", "smallest_gap", "random", "value_gap"), seed=4, table_every=16
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
