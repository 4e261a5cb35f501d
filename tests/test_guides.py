"""The guides are true: page by page their code runs, and their links lead somewhere."""

import re
from pathlib import Path

import pytest

GUIDES = sorted((Path(__file__).parents[1] / "envs" / "guides").glob("*.md"))


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)
def test_code_runs(page, capsys):
    names = {}
    for block in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(block, page.name, "exec"), names)
    assert names


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)
def test_links_lead_to_files(page):
    text = page.read_text(encoding="utf-8")
    assert all((page.parent / link).exists() for link in re.findall(r"\]\(([^)#:]+)\)", text))
