"""The README is true: its code runs, its files exist, its tables know every game and bot."""

import re
from pathlib import Path

import pytest

from hanazono.envs import GAMES, get_game

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_code_runs(block, capsys):
    exec(compile(block, "README.md", "exec"), {})


def test_the_first_block_plays_a_whole_game(capsys):
    names = {}
    exec(compile(BLOCKS[0], "README.md", "exec"), names)
    assert len(BLOCKS[0].strip().splitlines()) <= 10
    assert names["env"].agents == []
    assert capsys.readouterr().out.strip() == str(names["env"].to_dict()["points"])


def test_it_stays_short():
    assert len(README.splitlines()) <= 150


@pytest.mark.parametrize("text", [README, (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")])
def test_links_and_commands_name_existing_files(text):
    links = re.findall(r"\]\(([^)#:]+)\)", text)
    commands = re.findall(r"(?:python |--config )((?:scripts|configs)/[\w.]+)", text)
    paths = re.findall(r"`((?:envs|models|training|configs|scripts|tests)/[\w./]+)`", text)
    for path in {*links, *commands, *paths}:
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
