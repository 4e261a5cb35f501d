"""What people type at a terminal and what they see there, in every game."""

import contextlib
import re
from dataclasses import replace
from itertools import repeat

import pytest

from hanazono.envs import GAMES, get_game
from hanazono.envs.core.record import GameRecord
from hanazono.training.table import Table
from hanazono.training.terminal import (
    COMMANDS,
    LEFT,
    Terminal,
    browse,
    find_move,
    rules_text,
    watch,
)
from play.sitting import (
    SEAT,
    Typist,
    advance,
    exchange_hidden,
    new_record,
    play_on,
    printed,
    screen,
    sit_down,
    typed,
)

games = pytest.mark.parametrize("name", GAMES)
MOVES = {1: "play Pine Crane", 2: "play Pine plain a", 3: "play Plum plain a", 7: "on P2",
         8: "on P20", 9: "take 7 grey", 10: "take 77 grey", 11: "pass",
         12: "Fast pass"}  # fmt: skip


def looked_at(table: Table, *lines: str, seat: int | None = SEAT, number: int | None = None) -> str:
    """What is printed when somebody browses with these lines."""
    console = screen()
    with contextlib.suppress(*LEFT):
        browse(table, seat, console, Typist(lines), number)
    return printed(console)


def one_line(text: str) -> str:
    return " ".join(text.split())


# Choosing


@pytest.mark.parametrize(
    ("line", "action"),
    [
        ("1", 1),
        ("8", 11),
        ("pass", 11),  # the whole move before one that has more words
        ("fast", 12),
        ("play pine crane", 1),
        ("crane", 1),
        ("PI CR", 1),
        ("plum", 3),
        ("pi a", 2),
        ("p2", 7),  # a whole word before beginnings of others
        ("7 grey", 9),  # a number is whole
        ("77", 10),  # no place in the list, so part of a move
    ],
)
def test_choosing(line, action):
    assert find_move(MOVES, line) == action


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("pine", "'pine' may be: play Pine Crane, play Pine plain a"),
        ("a", "'a' may be: play Pine plain a, play Plum plain a"),
        ("crane pine", "no move is called 'crane pine'; type a number from 1 to 9"),
        ("0", "no move is called '0'; type a number from 1 to 9 or words"),
        ("10", "no move is called '10'"),
        ("-1", "no move is called '-1'"),
        ("²", "no move is called '²'"),
        ("[/]", r"no move is called '[/]'"),
    ],
)
def test_what_fits_no_move_or_several(line, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        find_move(MOVES, line)


@games
def test_every_move_can_be_typed_in_full_and_by_number(name):
    """Also at the positions where words of moves are words of others."""
    table = sit_down(new_record(name))
    while not advance(table).finished:
        moves = table.moves()
        for number, (action, words) in enumerate(moves.items(), 1):
            assert find_move(moves, words.upper()) == action
            assert find_move(moves, str(number)) == action
        play_on(table, 1)


@games
def test_no_move_is_hidden_by_a_command(name):
    table = sit_down(new_record(name))
    keys = {*COMMANDS, *(command.key for command in COMMANDS.values())}
    assert len(keys) == 2 * len(COMMANDS)
    while not advance(table).finished:
        assert not keys & {words.split()[0] for words in table.moves().values()}
        play_on(table, 1)


# Playing


@games
def test_a_whole_game_by_numbers(name, tmp_path):
    record, file = new_record(name), tmp_path / "game.json"
    table = sit_down(record, file)
    told = typed(table, *repeat("1", 400), "")
    assert table.finished
    assert GameRecord.load(file) == table.record
    assert told.count("The game is over: ") >= 1
    points = ", ".join(f"player_{p} {points:g}" for p, points in enumerate(table.scores()))
    assert f"Points: {points}" in one_line(told)
    expected = sit_down(record)
    while not advance(expected).finished:
        expected.play(next(iter(expected.moves())))
    assert expected.record == table.record


@games
def test_moves_in_words_and_by_number_are_the_same_game(name):
    tables = [sit_down(new_record(name)) for _ in range(2)]
    for _ in range(7):
        words = list(advance(tables[0]).moves().values())
        choice = (5 * tables[0].length + 1) % len(words)
        typed(tables[0], words[choice].lower())
        typed(tables[1], str(choice + 1))
        assert tables[0].record == tables[1].record
    assert tables[0].length >= 7


@games
def test_everything_that_can_be_moved_is_shown(name):
    table = sit_down(new_record(name))
    for _ in range(10):
        told = one_line(typed(advance(table)))
        for number, words in enumerate(table.moves().values(), 1):
            assert f"{number} {words}" in told
        play_on(table, 1)


@games
def test_own_move_and_what_followed_is_shown(name):
    table = play_on(sit_down(new_record(name)), 4)
    advance(table)
    told = one_line(typed(table)).split(table.game.title, 2)[1]
    last = max(k for k in range(table.length) if table.event(k, SEAT).seat == SEAT)
    for number in range(last, table.length):
        assert table.event(number, SEAT).words in told


def test_undo_is_shown():
    table = play_on(sit_down(new_record("sakura")), 1)
    before = typed(sit_down(replace(table.record, actions=())))
    told = typed(table, "undo")
    assert told.endswith(before)
    assert "player_1 has made no move yet" in typed(table, "u")


def test_hints():
    game = get_game("sakura")
    table = sit_down(new_record("sakura", 4))
    told = typed(table, "hint", "h careful", "hint bob")
    for bot in ("random", "careful"):
        words, _ = table.advice(table.companions[{"random": 0, "careful": 2}[bot]])[0]
        assert f"{bot}: {words}\n" in told
    assert f"neither a bot of Sakura ({', '.join(game.bots)})" in one_line(told)
    assert table.length == len(advance(sit_down(new_record("sakura", 4))).record.actions)


@games
def test_log_tells_every_move(name):
    table = play_on(sit_down(new_record(name)), 6)
    told = one_line(typed(table, "log"))
    words = [table.event(number, SEAT).words for number in range(table.length)]
    assert len(words) > 6
    place = 0
    for part in words:
        place = told.index(part, place)


@games
def test_score_sheet(name):
    table = advance(play_on(sit_down(new_record(name)), 9))
    told = typed(table, "score")
    for source, points in table.sheet().items():
        assert re.search(rf"{re.escape(source)} +{' +'.join(map(str, points))} ", told)


@games
def test_rules(name):
    table = sit_down(new_record(name))
    whole = rules_text(table.game)
    told = one_line(typed(table, "rules", width=200))
    for heading in re.findall(r"^## (.*)", whole, flags=re.MULTILINE):
        assert heading in told
    section = one_line(typed(table, "rules 7"))
    assert "§ 7" in section
    assert "§ 6 " not in section
    assert "no section is called 'seven'; sections: § 1 " in one_line(typed(table, "r seven"))


def test_save(tmp_path):
    table = play_on(sit_down(new_record("sakura"), tmp_path / "game.json"), 2)
    told = typed(table, "save", f"save {tmp_path}/copy.json", f"w {tmp_path}/copy.json", width=500)
    assert f"saved in {tmp_path}/game.json" in told
    assert GameRecord.load(tmp_path / "copy.json") == table.record
    assert "copy.json exists already; name another file" in told
    told = typed(table, f"save {tmp_path}/no/folder.json", width=500)
    assert "No such file or directory" in told
    assert "saved in no file; name one" in typed(sit_down(new_record("sakura")), "save")


def test_help_lists_every_command():
    told = typed(sit_down(new_record("sakura")), "?")
    for name, command in COMMANDS.items():
        assert re.search(rf"{re.escape(command.key)}  {name}.*{command.meaning}", told)


@pytest.mark.parametrize("last", ["q", "quit", "QUIT"])
def test_leaving_says_how_to_go_on(last, tmp_path):
    table = sit_down(new_record("sakura"), tmp_path / "game.json")
    told = typed(table, last, "1", width=500)
    assert told.endswith(f"to go on: python scripts/play.py --continue {tmp_path}/game.json\n")
    assert table.record.actions == advance(sit_down(table.record)).record.actions


def test_ctrl_c_and_the_end_of_the_input_leave(tmp_path):
    for interruption in (EOFError, KeyboardInterrupt):
        table, console = sit_down(new_record("sakura"), tmp_path / "game.json"), screen()

        def interrupted(prompt, interruption=interruption):
            raise interruption

        Terminal(table, SEAT, console, interrupted).play()
        assert "to go on: " in printed(console)
        assert GameRecord.load(tmp_path / "game.json") == table.record


def test_a_disk_that_is_full_for_a_while(tmp_path, monkeypatch):
    table = sit_down(new_record("sakura"), tmp_path / "game.json")
    save, failures = GameRecord.save, iter(["full", "full"])

    def save_sometimes(record, path):
        if next(failures, None):
            raise OSError(28, "No space left on device")
        save(record, path)

    monkeypatch.setattr(GameRecord, "save", save_sometimes)
    told = typed(table, "", "1", "1", "1")
    assert told.count("No space left on device") == 2
    assert GameRecord.load(tmp_path / "game.json") == table.record
    assert table.length >= 2


# Looking back


@games
def test_back_and_forward(name):
    table = advance(play_on(sit_down(new_record(name)), 5))
    last = table.length
    told = looked_at(table, "b", "b", "", "0", "b", "", str(last), "")
    shown = [last, last - 1, last - 2, last - 1, 0, 0, 1, last]
    expected = [looked_at(table, number=number) for number in shown]
    assert told == "".join(expected)
    assert [table.text(SEAT, k) for k in shown] != [table.text(SEAT, last)] * len(shown)


def test_back_from_a_game_and_on_with_it():
    table = play_on(sit_down(new_record("sakura")), 2)
    record = table.record
    told = typed(table, "back", "b", "nonsense", "99", "q", "1")
    assert "type Enter, b, q, or a number from 0 to " in told
    assert table.record.actions[: len(record.actions)] == record.actions
    assert table.length > len(record.actions)


@games
def test_a_finished_game_from_the_deal_to_its_result(name):
    record = play_on(sit_down(new_record(name))).record
    table = Table(get_game(name), record, {})
    last = table.length
    told = looked_at(table, *repeat("", 9), str(last - 1), "", "", "b", seat=None, number=0)
    assert told.count("The game is over: ") == 1
    assert told.startswith(looked_at(table, seat=None, number=0))
    assert told.endswith(looked_at(table, seat=None, number=last))  # Enter at the end leaves
    for number in (*range(9), *range(last - 8, last)):
        assert table.event(number, None).words in one_line(told)


# Watching


@games
def test_watching_programs(name, tmp_path):
    game = get_game(name)
    players = tuple([*list(game.bots)[-2:], *["random"] * 9][: game.min_players])
    record, console = replace(new_record(name), players=players), screen()
    table = sit_down(record, tmp_path / "game.json")
    watch(table, None, console, delay=0)
    assert table.finished
    assert GameRecord.load(tmp_path / "game.json") == table.record
    assert printed(console).count("The game is over: ") == 1
    again = sit_down(record)
    while not again.finished:
        again.let_play()
    assert again.record == table.record


# Secrets


@games
@pytest.mark.parametrize("seat_moves", [0, 3, 11, 400])
def test_nothing_printed_depends_on_what_the_seat_cannot_know(name, seat_moves):
    game = get_game(name)
    table = play_on(sit_down(new_record(name, game.max_players)), seat_moves)
    lines = ("log", "score", "back", "b", "b", "0", "q", "save", "rules 1", "?", "")
    told, changed = typed(table, *lines), 0
    for seed in range(3):
        other = exchange_hidden(table, SEAT, seed)
        assert typed(other, *lines) == told
        changed += other.text(None, 0) != table.text(None, 0)
    assert changed


@games
def test_no_hint_depends_on_what_the_seat_cannot_know(name):
    """But for the bots' own chance, which follows from the deal."""
    table = play_on(sit_down(new_record(name)), 3)
    lines = [f"hint {bot}" for bot in get_game(name).bots]
    told = typed(table, *lines)
    for seed in range(5):
        other = exchange_hidden(table, SEAT, seed)
        other.env.states["seed"] = table.states[-1]["seed"]
        assert typed(other, *lines) == told
