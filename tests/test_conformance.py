"""The conformance kit passes all games, and fails every game that has a known fault."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hanazono.envs import GAMES, get_game
from hanazono.envs.core import checks_values
from hanazono.envs.core.conformance import all_trials, check_game
from toys import broken, kuhn, three_cups

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("toy", [kuhn, three_cups], ids=lambda toy: toy.GAME.name)
def test_toy_conforms(toy):
    check_game(toy.GAME, num_games=8)


@pytest.mark.parametrize("name", GAMES)
def test_game_conforms(name):
    check_game(get_game(name), num_games=4)


@pytest.mark.slow  # checks some thirty toys as plain Python, which compiles nothing
def test_faults_are_found():
    child = subprocess.run(
        [sys.executable, "-m", "toys.broken"],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT / "tests")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    said = json.loads(child.stdout)
    assert set(said) == set(broken.FAULTS)
    unheard = {n: said[n] for n, (_, text) in broken.FAULTS.items() if text not in said[n]}
    assert unheard == {}


def test_complaint_says_where():
    said = broken.what_is_said("takes_too_long", broken.takes_too_long)
    place = r"kuhn, 2 seats, options \{'cards': 3\}, seed 0, deal \d+, step 2"
    assert re.fullmatch(f"{place}: longer than 2 decisions", said)


def test_another_process_is_compared(monkeypatch):
    trials = all_trials(kuhn.GAME, 4, 0)
    monkeypatch.setattr(checks_values, "digest", lambda trial, steps: "something else")
    with pytest.raises(AssertionError, match="seed 0: another process plays other games"):
        checks_values.check_processes(trials)


def test_every_seat_count_and_option_is_tried():
    tried = [(t.num_players, t.options) for t in all_trials(kuhn.GAME, 4, 0)]
    assert tried == [(2, {"cards": 3}), (2, {"cards": 4}), (2, {"cards": 5})]
    for name in GAMES:
        game = get_game(name)
        seats = {t.num_players for t in all_trials(game, 4, 0)}
        assert seats == set(range(game.min_players, game.max_players + 1))


def test_too_few_games_are_refused():
    with pytest.raises(ValueError, match="num_games must be at least 4, got 3"):
        check_game(kuhn.GAME, num_games=3)


def test_core_names_no_game():
    words = re.compile("|".join([*GAMES, "kuhn", "three_cups"]), re.IGNORECASE)
    files = sorted((ROOT / "envs" / "core").glob("*.py"))
    named = [(path.name, words.findall(path.read_text(encoding="utf-8"))) for path in files]
    assert len(named) > 5
    assert [entry for entry in named if entry[1]] == []
