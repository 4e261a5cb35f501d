"""The README is true: its code runs, its files exist, its tables know every game and bot."""

import re
from pathlib import Path

import pytest
import torch

from hanazono.envs import GAMES, get_game

ROOT = Path(__file__).parents[1]
NAMES = ("README.md", "CONTRIBUTING.md", "envs/GYMNASIUM.md", "training/SB3.md")
PAGES = {name: (ROOT / name).read_text(encoding="utf-8") for name in NAMES}
README = PAGES["README.md"]


def blocks(name):
    return re.findall(r"```python\n(.*?)```", PAGES[name], re.DOTALL)


BLOCKS = blocks("README.md")


@pytest.fixture
def threads_as_before():
    """A page may choose how many threads torch has."""
    threads = torch.get_num_threads()
    yield
    torch.set_num_threads(threads)


@pytest.mark.parametrize("name", [name for name in NAMES if blocks(name)])
def test_code_runs(name, capsys, tmp_path, monkeypatch, threads_as_before):
    """Each block by itself, in the order of the page and in one folder."""
    monkeypatch.chdir(tmp_path)
    for block in blocks(name):
        exec(compile(block, name, "exec"), {})


def test_the_first_block_plays_a_whole_game(capsys):
    names = {}
    exec(compile(BLOCKS[0], "README.md", "exec"), names)
    assert len(BLOCKS[0].strip().splitlines()) <= 10
    assert names["env"].agents == []
    assert capsys.readouterr().out.strip() == str(names["env"].to_dict()["points"])


@pytest.mark.parametrize("name", NAMES)
def test_pages_stay_short(name):
    assert len(PAGES[name].splitlines()) <= 150


@pytest.mark.parametrize("name", NAMES)
def test_links_and_commands_name_existing_files(name):
    text = PAGES[name]
    for link in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (ROOT / name).parent.joinpath(link).exists(), link
    commands = re.findall(r"(?:python |--config )((?:scripts|configs)/[\w.]+)", text)
    paths = re.findall(r"`((?:envs|models|training|configs|scripts|tests)/[\w./]+)`", text)
    for path in {*commands, *paths}:
        assert (ROOT / path).exists(), path


def test_every_game_is_in_the_table():
    for name in GAMES:
        game = get_game(name)
        row = next(line for line in README.splitlines() if line.startswith(f"| `{name}`"))
        assert f"{game.min_players}–{game.max_players}" in row
        assert f"envs/{name}/RULES.md" in row


def test_the_bots_named_are_those_there_are():
    listed = re.search(r"a bot's name \((.*?)\)", README, re.DOTALL).group(1)
    assert re.findall(r"`(\w+)`", listed) == list(get_game("ohanami").bots)
