"""The guides are true: page by page their code runs, and their links lead somewhere."""

import re
from pathlib import Path

import pytest
import torch

GUIDES = sorted((Path(__file__).parents[1] / "envs" / "guides").glob("*.md"))


@pytest.fixture
def a_place_of_its_own(tmp_path, monkeypatch):
    """A page may write files, and choose how many threads torch has."""
    monkeypatch.chdir(tmp_path)
    threads = torch.get_num_threads()
    yield
    torch.set_num_threads(threads)


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)
def test_code_runs(page, capsys, a_place_of_its_own):
    names = {}
    for block in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(block, page.name, "exec"), names)
    assert names


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)
def test_links_lead_to_files(page):
    text = page.read_text(encoding="utf-8")
    assert all((page.parent / link).exists() for link in re.findall(r"\]\(([^)#:]+)\)", text))
