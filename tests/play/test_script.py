"""scripts/play.py in a terminal of its own: what it takes, how it ends, and what is kept."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from hanazono.envs import GAMES, get_game
from hanazono.envs.core.record import GameRecord
from hanazono.scripts import play
from hanazono.training.table import PERSON
from play.sitting import SEAT, SHORT, Typist, new_record, play_on, sit_down

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "play.py"
games = pytest.mark.parametrize("name", GAMES)


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch) -> Path:
    """Where games are kept that nobody named a file for."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    return tmp_path / "home" / "hanazono" / "games"


def run(monkeypatch, capsys, *argv: object, lines=()) -> str:
    """What is printed when the script gets these arguments and lines."""
    monkeypatch.setattr("builtins.input", Typist(lines))
    monkeypatch.setenv("COLUMNS", "500")
    assert play.main([str(a) for a in argv]) == 0
    return capsys.readouterr().out


def refused(capsys, *argv: object) -> str:
    """What the script says when it refuses these arguments, on one line."""
    with pytest.raises(SystemExit) as stopped:
        play.main([str(a) for a in argv])
    assert stopped.value.code == 2
    return " ".join(capsys.readouterr().err.split())


def options_of(name: str) -> list[str]:
    return ["--options", *(f"{option}={value}" for option, value in SHORT[name].items())]


# A terminal of its own


def heed_ctrl_c() -> None:
    """Programs in the background are started deaf to Ctrl-C, and hand that on."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Shell:
    """The script in a pseudo-terminal."""

    def __init__(self, *argv: object, **environment: str) -> None:
        self.end, other = pty.openpty()
        environment = {"TERM": "xterm", "COLUMNS": "100", "PAGER": "cat"} | environment
        self.process = subprocess.Popen(
            [sys.executable, str(SCRIPT), *map(str, argv)],
            stdin=other, stdout=other, stderr=other,
            env=os.environ | environment, preexec_fn=heed_ctrl_c, start_new_session=True,
        )  # fmt: skip
        os.close(other)
        self.told = ""

    def __enter__(self) -> "Shell":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.end)

    def wait_for(self, text: str, seconds: float = 180) -> str:
        """Everything up to a text, which was not told before."""
        deadline = time.monotonic() + seconds
        while text not in self.told:
            assert time.monotonic() < deadline, self.told
            if select.select([self.end], [], [], 0.2)[0]:
                try:
                    self.told += os.read(self.end, 65536).decode()
                except OSError:  # how a pseudo-terminal says that its program has ended
                    assert text in self.told, self.told
        before, _, self.told = self.told.partition(text)
        return before

    def type(self, text: str) -> None:
        os.write(self.end, text.encode())

    def interrupt(self) -> None:
        """Ctrl-C until it is heeded: Python forgets one that comes between its prompt and its
        waiting for a line."""
        heeded: list[int] = []
        while not heeded:
            self.process.send_signal(signal.SIGINT)
            heeded = select.select([self.end], [], [], 5)[0]

    def end_well(self) -> int:
        """Wait for the end; the exit status."""
        self.wait_for("to go on: ")
        return self.process.wait(60)


QUESTION = "(? for help): "


@games
def test_killed_and_continued_it_is_the_same_game(name, tmp_path, monkeypatch, capsys):
    file, record = tmp_path / "game.json", new_record(name, seed=11)
    opponents = [player for player in record.players if player != PERSON]
    argv = ["--opponents", *opponents, "--seat", SEAT, "--seed", 11, *options_of(name)]
    with Shell("--game", name, "--record", file, *argv) as shell:
        for _ in range(3):
            shell.wait_for(QUESTION)
            shell.type("1\n")
        shell.wait_for(QUESTION)
        shell.process.kill()
        assert shell.process.wait(60) == -signal.SIGKILL
    kept = GameRecord.load(file)
    assert replace(kept, actions=()) == record
    expected = sit_down(record)
    for _ in range(3):
        play_first(expected)
    assert kept.actions == play_on(expected, 0).record.actions
    run(monkeypatch, capsys, "--continue", file, lines=["1", "1"])
    for _ in range(2):
        play_first(expected)
    assert GameRecord.load(file) == play_on(expected, 0).record
    assert [path.name for path in tmp_path.iterdir()] == ["game.json"]


def play_first(table) -> None:
    """Make the first legal move for the person."""
    play_on(table, 0)
    table.play(next(iter(table.moves())))


def test_in_a_terminal(tmp_path):
    file = tmp_path / "game.json"
    with Shell("--game", "sakura", "--seed", 5, "--record", file) as shell:
        told = shell.wait_for(QUESTION)
        assert "\x1b[2J" in told  # the screen is cleared
        assert re.search(r"\x1b\[[0-9;]*m", told)  # colours
        shell.type("nonsense\n")
        assert "no move is called 'nonsense'" in shell.wait_for(QUESTION)
        shell.type("rules 3\n")
        assert "A match must be taken" in shell.wait_for(QUESTION)
        shell.type("1\n")
        shell.wait_for(QUESTION)
        shell.interrupt()
        assert shell.end_well() == 0
    assert len(GameRecord.load(file).actions) >= 2
    with Shell("--continue", file) as shell:
        shell.wait_for(QUESTION)
        shell.type("\x04")  # Ctrl-D
        assert shell.end_well() == 0


# In this process


def test_a_new_game_is_kept_at_home_and_continued_from_there(home, monkeypatch, capsys):
    for seed in (1, 2):
        run(monkeypatch, capsys, "--game", "sakura", "--seed", seed, lines=["1"])
    first, second = sorted(home.iterdir(), key=lambda path: GameRecord.load(path).seed)
    os.utime(first, (time.time() + 9, time.time() + 9))
    before = GameRecord.load(first)
    assert before.players == (PERSON, "careful")
    told = run(monkeypatch, capsys, "--continue", lines=["1"])
    assert f"to go on: python scripts/play.py --continue {first}" in told
    after = GameRecord.load(first)
    assert after.actions[: len(before.actions)] == before.actions
    assert len(after.actions) > len(before.actions)
    assert GameRecord.load(second).seed == 2


def test_games_of_the_same_second_have_files_of_their_own(home, monkeypatch, capsys):
    monkeypatch.setattr(time, "strftime", lambda form: "now")
    for _ in range(3):
        run(monkeypatch, capsys, "--game", "sakura")
    names = {path.name for path in home.iterdir()}
    assert names == {"sakura-now.json", "sakura-now-2.json", "sakura-now-3.json"}


def test_without_a_seed_deals_differ(home, monkeypatch, capsys):
    for _ in range(2):
        run(monkeypatch, capsys, "--game", "ohanami")
    assert len({GameRecord.load(path).seed for path in home.iterdir()}) == 2


@pytest.mark.parametrize(
    ("argv", "players"),
    [
        ([], (PERSON, "careful")),
        (["--opponents", "random"], (PERSON, "random")),
        (["--num-players", 3], (PERSON, "careful", "careful")),
        (["--num-players", 3, "--opponents", "greedy"], (PERSON, "greedy", "greedy")),
        (["--opponents", "greedy", "random"], (PERSON, "greedy", "random")),
        (["--opponents", "greedy", "random", "--seat", 1], ("greedy", PERSON, "random")),
        (["--watch", "--opponents", "greedy", "random"], ("greedy", "random")),
        (["--watch", "--opponents", "greedy"], ("greedy", "greedy")),
    ],
)
def test_who_sits_where(argv, players, tmp_path, monkeypatch, capsys):
    file = tmp_path / "game.json"
    short = ["--options", "rounds=1", "--delay", 0, "--record", file]
    run(monkeypatch, capsys, "--game", "sakura", *short, *argv)
    record = GameRecord.load(file)
    assert record.players == players
    assert record.num_players == len(players)


def test_options_and_seed_are_kept(tmp_path, monkeypatch, capsys):
    file = tmp_path / "game.json"
    run(monkeypatch, capsys, "--game", "sakura", "--seed", 9, "--record", file,
        "--options", "rounds=6", "lightning=1")  # fmt: skip
    record = GameRecord.load(file)
    assert (record.seed, record.options["rounds"], record.options["lightning"]) == (9, 6, 1)


def test_a_record_without_players_is_continued_with_opponents(tmp_path, monkeypatch, capsys):
    file = tmp_path / "game.json"
    whole = play_on(sit_down(new_record("sakura"))).record
    replace(whole, players=(), actions=whole.actions[:5]).save(file)
    run(monkeypatch, capsys, "--continue", file, "--opponents", "random", "--seat", 1)
    record = GameRecord.load(file)
    assert record.players == ("random", PERSON)
    assert record.actions[:5] == whole.actions[:5]


def test_a_record_is_replayed_from_its_file_and_its_text(tmp_path, monkeypatch, capsys):
    whole = play_on(sit_down(new_record("sakura"))).record
    whole.save(tmp_path / "game.json")
    count = len(whole.actions)
    lines = ["", "", "b", str(count), ""]
    told = run(monkeypatch, capsys, "--replay", tmp_path / "game.json", lines=lines)
    assert told.count("Sakura, round 1 of 1") == 4
    assert told.count("The game is over: ") == 1
    named = replace(whole, players=()).to_string(get_game("sakura"))
    same = run(monkeypatch, capsys, "--replay", named, lines=lines)
    assert told.replace("random", PERSON).split() == same.split()
    hidden = run(monkeypatch, capsys, "--replay", tmp_path / "game.json", "--seat", 0, lines=lines)
    assert hidden != told


def test_a_game_that_goes_on_is_replayed_only_as_its_person_sees_it(tmp_path, monkeypatch, capsys):
    table = play_on(sit_down(new_record("sakura")), 3)
    table.record.save(tmp_path / "game.json")
    told = run(monkeypatch, capsys, "--replay", tmp_path / "game.json", lines=["", "q"])
    assert told.count("hand: ") == 4
    assert len(re.findall(r"hand: +\d+ cards", told)) == 2
    for words in table.view(0)["hand"]:
        assert words not in told
    said = refused(capsys, "--replay", tmp_path / "game.json", "--seat", 0)
    assert "your seat in this game is 1, not 0" in said


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        ([], "one of the arguments --game --continue --replay is required"),
        (["--game", "chess"], "there is no game 'chess'; games: ohanami, "),
        (["--game", "sakura", "--num-players", 8], "played by 2 to 7 players, got num_players=8"),
        (["--game", "sakura", "--seat", 2], "seats run from 0 to 1, got 2"),
        (["--game", "sakura", "--opponents", "bob"], "there is no player 'bob'"),
        (["--game", "sakura", "--num-players", 4, "--opponents", "random", "greedy"],
         "name one opponent, or 3 of them; got 2"),
        (["--game", "sakura", "--options", "rounds=2"], "takes one of [1, 3, 6, 12], got 2"),
        (["--game", "sakura", "--options", "rounds"], "given as NAME=VALUE, got 'rounds'"),
        (["--game", "sakura", "--seed", -1], "a seed is an integer from 0"),
        (["--game", "sakura", "--record", "/no/such/folder/game.json"], "No such file"),
        (["--continue"], "no game was left in "),
        (["--continue", "/no/such/game.json"], "No such file"),
        (["--replay", "hanazono:abc"], "this game record is damaged"),
    ],
)  # fmt: skip
def test_wrong_arguments(argv, said, home, capsys):
    assert said in refused(capsys, *argv)
    assert not home.exists() or not list(home.iterdir())


def test_files_that_are_no_game_to_continue(tmp_path, capsys):
    file = tmp_path / "game.json"
    file.write_text("{}")
    assert "is no game record" in refused(capsys, "--continue", file)
    new_record("sakura").save(file)
    assert "holds a game already" in refused(capsys, "--game", "sakura", "--record", file)
    replace(new_record("sakura"), rules_version=99).save(file)
    assert "rules version 99" in refused(capsys, "--continue", file)
    replace(new_record("sakura"), players=(PERSON, PERSON)).save(file)
    assert "2 people play this game; a terminal seats one" in refused(capsys, "--continue", file)
    replace(new_record("sakura"), players=(PERSON,)).save(file)
    assert "2 seats need 2 players" in refused(capsys, "--continue", file)
