"""Game records: they replay exactly, and anything else is refused with a reason."""

import json
import os
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from hanazono.envs import get_game, make
from hanazono.envs.core import record as record_module
from hanazono.envs.core.aec import GameEnv
from hanazono.envs.core.game import Option
from hanazono.envs.core.record import GameRecord, replay, unpack, write_atomically
from toys import kuhn, three_cups

RECORD = GameRecord("kuhn", 0, 2, 2**64 - 1, (0, 1, 1), {"cards": 5})


def random_game(name="ohanami", num_players=4, seed=0):
    env, rng = make(name, num_players), np.random.default_rng(seed)
    env.reset(seed=seed)
    while not env.terminations[env.agent_selection]:
        env.step(int(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"]))))
    return env


def last(game, record):
    """The state that a record leads to, as bytes."""
    *_, table = replay(game, record)
    return table.get_states().tobytes()


def test_round_trips_of_a_whole_game(tmp_path):
    env = random_game()
    record = env.record()
    assert len(record.actions) == 240
    record.save(tmp_path / "game.json")
    text = record.to_string(env.game)
    assert len(text) < 400
    for back in (GameRecord.load(tmp_path / "game.json"), GameRecord.from_string(text, env.game)):
        assert back == record
        assert last(env.game, back) == env.get_state().state.tobytes()


@pytest.mark.parametrize("actions", [(), (0,), (1, 1), (0, 1, 0)])
@pytest.mark.parametrize("cards", [3, 4])
def test_round_trips_of_small_games(actions, cards, tmp_path):
    record = replace(RECORD, actions=actions, options={"cards": cards})
    record.save(tmp_path / "game.json")
    assert GameRecord.load(tmp_path / "game.json") == record
    assert GameRecord.from_string(record.to_string(kuhn.GAME), kuhn.GAME) == record


def test_string_keeps_options_that_are_left_out_or_in_another_order(monkeypatch):
    options = (*kuhn.OPTIONS, Option("limit", 1, (1, 2), "bets allowed"))
    game = replace(kuhn.GAME, options=options)
    monkeypatch.setattr(record_module, "replay", lambda game, record: iter(()))
    monkeypatch.setattr(record_module, "deal", lambda game, record: None)
    for given in ({}, {"limit": 2}, {"limit": 2, "cards": 4}):
        record = replace(RECORD, actions=(), options=given)
        back = GameRecord.from_string(record.to_string(game), game)
        assert back.options == {"cards": 3, "limit": 1} | given


def test_players_are_kept_in_files_and_left_out_of_texts(tmp_path):
    record = replace(RECORD, players=("honest", "human"))
    record.save(tmp_path / "game.json")
    assert GameRecord.load(tmp_path / "game.json") == record
    assert record.to_string(kuhn.GAME) == RECORD.to_string(kuhn.GAME)
    assert unpack(record.to_string(kuhn.GAME))[0][0] == "kuhn"


def test_replay_shows_every_state():
    env = GameEnv(three_cups.GAME, 3)
    env.reset(seed=6)
    states, actions = [env.get_state().state.tobytes()], [2, 0, 1, 1, 2, 0]
    for action in actions:
        env.step(action)
        states.append(env.get_state().state.tobytes())
    seen = [table.get_states().tobytes() for table in replay(three_cups.GAME, env.record())]
    assert seen == states


@pytest.mark.parametrize("seats", [2, 3])
def test_forfeited_game_replays_to_its_end(seats):
    game = {2: kuhn.GAME, 3: three_cups.GAME}[seats]
    env = GameEnv(game, seats, illegal="forfeit")
    env.reset(seed=1)
    env.step(0)
    env.step(17)
    record = env.record()
    assert (record.actions, record.forfeited) == ((0,), True)
    back = GameRecord.from_string(record.to_string(game), game)
    assert back == record
    assert last(game, back) == env.get_state().state.tobytes()


# Records that do not fit


def test_another_game():
    with pytest.raises(ValueError, match="record of kuhn, rules version 0; it cannot be replayed"):
        last(three_cups.GAME, RECORD)
    with pytest.raises(ValueError, match="cannot be replayed as three_cups, rules version 0"):
        GameRecord.from_string(RECORD.to_string(kuhn.GAME), three_cups.GAME)


def test_another_rules_version():
    newer = replace(kuhn.GAME, rules_version=1)
    with pytest.raises(ValueError, match="it cannot be replayed as kuhn, rules version 1"):
        last(newer, RECORD)
    with pytest.raises(ValueError, match="rules version 0"):
        GameRecord.from_string(RECORD.to_string(kuhn.GAME), newer)


@pytest.mark.parametrize("action", [2, -1, 10**30])
def test_illegal_action(action):
    with pytest.raises(ValueError, match="action number 1 of the record is illegal"):
        last(kuhn.GAME, replace(RECORD, actions=(0, action)))
    with pytest.raises(ValueError, match="action number 1 of the record is illegal"):
        replace(RECORD, actions=(0, action)).to_string(kuhn.GAME)


def test_action_after_the_end():
    with pytest.raises(ValueError, match="action number 2 of the record is illegal: the game is o"):
        last(kuhn.GAME, replace(RECORD, actions=(0, 0, 0)))


def test_illegal_action_tells_what_was_legal():
    game = get_game("ohanami")
    record = GameRecord("ohanami", 0, 2, 3, (120,))
    with pytest.raises(ValueError, match=r"player_0 cannot .* deal seed 3; legal: \d+ \(pick "):
        last(game, record)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"seed": -1}, "a seed is an integer"),
        ({"seed": 2**64}, "a seed is an integer"),
        ({"seed": 1.5}, "a seed is an integer"),
        ({"num_players": 3}, "Kuhn poker is played by 2 to 2 players, got num_players=3"),
        ({"num_players": "2"}, "got num_players='2'"),
        ({"options": {"cards": 9}}, "option 'cards' of Kuhn poker takes one of"),
        ({"options": {"jokers": 1}}, "has no option 'jokers'"),
    ],
)
def test_values_out_of_range(change, said):
    with pytest.raises(ValueError, match=said):
        last(kuhn.GAME, replace(RECORD, **change))


# Damaged texts and files


def test_every_damaged_string_is_refused():
    text = RECORD.to_string(kuhn.GAME)
    head = len(record_module.PREFIX)
    for at in range(head, len(text)):
        other = "A" if text[at] != "A" else "B"
        with pytest.raises(ValueError, match="damaged"):
            GameRecord.from_string(text[:at] + other + text[at + 1 :], kuhn.GAME)
    for end in range(head, len(text)):
        with pytest.raises(ValueError, match="damaged"):
            GameRecord.from_string(text[:end], kuhn.GAME)


@pytest.mark.parametrize("text", ["", "hello", "Hanazono:AAAA", '{"game": "kuhn"}'])
def test_strings_of_another_kind(text):
    with pytest.raises(ValueError, match="a game record starts with 'hanazono:'"):
        GameRecord.from_string(text, kuhn.GAME)


@pytest.mark.parametrize("text", ["hanazono:", "hanazono:花", "hanazono:A", "hanazono:AAAAAAAA"])
def test_empty_strings(text):
    with pytest.raises(ValueError, match="this game record is damaged"):
        GameRecord.from_string(text, kuhn.GAME)


def test_every_truncated_file_is_refused(tmp_path):
    path = tmp_path / "game.json"
    RECORD.save(path)
    whole = path.read_bytes()
    for end in range(len(whole) - 2):  # without the last brace
        path.write_bytes(whole[:end])
        with pytest.raises(ValueError, match=r"game\.json is no game record: "):
            GameRecord.load(path)


@pytest.mark.parametrize(
    "change",
    [
        {"actions": [0, 1.5]},
        {"actions": ["0"]},
        {"actions": None},
        {"actions": 3},
        {"options": [3]},
        {"players": "honest"},
        {"players": ["honest", None]},
        {"colour": "blue"},
    ],
)
def test_file_with_wrong_values(change, tmp_path):
    path = tmp_path / "game.json"
    path.write_text(json.dumps(asdict(RECORD) | change))
    with pytest.raises(ValueError, match=r"game\.json is no game record: "):
        GameRecord.load(path)


@pytest.mark.parametrize("missing", ["game", "rules_version", "num_players", "seed", "actions"])
def test_file_with_a_missing_value(missing, tmp_path):
    path = tmp_path / "game.json"
    path.write_text(json.dumps({k: v for k, v in asdict(RECORD).items() if k != missing}))
    with pytest.raises(ValueError, match=rf"is no game record: .*{missing}"):
        GameRecord.load(path)


@pytest.mark.parametrize("content", [b"", b"[]", b"3", b"null", b"\xff\xfe", b"not json"])
def test_file_of_another_kind(content, tmp_path):
    path = tmp_path / "game.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="is no game record"):
        GameRecord.load(path)


def test_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        GameRecord.load(tmp_path / "none.json")


# Saving


def test_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("in the way")
    for folder in (tmp_path / "none", tmp_path / "file"):
        with pytest.raises(OSError, match=r"none|file"):
            RECORD.save(folder / "game.json")
    assert [path.name for path in tmp_path.rglob("*")] == ["file"]


@pytest.mark.parametrize("broken", ["fsync", "replace"])
def test_failure_leaves_the_old_file_alone(broken, tmp_path, monkeypatch):
    """A full disk shows while writing; whatever fails, what was there stays whole."""
    path = tmp_path / "game.json"
    RECORD.save(path)
    before = path.read_bytes()

    def fail(*arguments):
        raise OSError("no space left")

    monkeypatch.setattr(*{"fsync": (os, "fsync"), "replace": (Path, "replace")}[broken], fail)
    with pytest.raises(OSError, match="no space left"):
        replace(RECORD, seed=1).save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_saving_replaces(tmp_path):
    path = tmp_path / "game.json"
    path.write_text("something longer than the new content")
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_path_may_be_text(tmp_path):
    RECORD.save(str(tmp_path / "game.json"))
    assert GameRecord.load(str(tmp_path / "game.json")) == RECORD
