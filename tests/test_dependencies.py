"""Who may import whom: envs/core <- envs/<game>; models alone; training uses both; scripts all."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("configs", "envs", "models", "scripts", "training")
TEST_NAMES = ("tests", *(path.name for path in sorted((ROOT / "tests").iterdir()) if path.is_dir()))
HANAFUDA_GAMES = ("sakura", "hanawase")


@dataclass(frozen=True)
class Import:
    """One imported module: where the statement is, and the module's full dotted name."""

    path: Path
    line: int
    module: str

    def lies_in(self, *packages: str) -> bool:
        return any(f"{self.module}.".startswith(f"{package}.") for package in packages)

    def __str__(self) -> str:
        return f"{self.path}:{self.line} imports {self.module}"


def files(*folders: str) -> list[Path]:
    """The Python files below the folders, relative to the root."""
    found = (path for name in folders for path in (ROOT / name).rglob("*.py"))
    return sorted(path.relative_to(ROOT) for path in found)


def imports(path: Path) -> list[Import]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"), filename=str(path))
    return [Import(path, line, module) for line, module in imported(tree, package=path.parent)]


def imported(tree: ast.AST, package: Path) -> Iterator[tuple[int, str]]:
    """All modules that a file names, at its top or inside functions, also by import_module()."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = from_base(node, package)
            yield from ((node.lineno, full_name(base, alias.name)) for alias in node.names)
        elif isinstance(node, ast.Call) and name_of(node.func) in ("import_module", "__import__"):
            first = node.args[0] if node.args else None
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield node.lineno, first.value


def from_base(node: ast.ImportFrom, package: Path) -> str:
    """The package after "from"; a relative one is counted from the file's own package."""
    module = node.module or ""
    if not node.level:
        return module
    parts = ("hanazono", *package.parts)
    return ".".join((*parts[: len(parts) - node.level + 1], *filter(None, [module])))


def full_name(base: str, name: str) -> str:
    """`from hanazono.envs import core` imports hanazono.envs.core; a class stays its module."""
    as_module = f"{base}.{name}"
    path = ROOT.joinpath(*as_module.split(".")[1:])
    is_module = path.is_dir() or path.with_suffix(".py").is_file()
    return as_module if base.split(".")[0] == "hanazono" and is_module else base


def name_of(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def games() -> list[str]:
    """The folders of envs other than core: the games and what some of them share."""
    return sorted(
        path.parent.name
        for path in (ROOT / "envs").glob("*/__init__.py")
        if path.parent.name != "core"
    )


def allowed_in_game(game: str) -> list[str]:
    allowed = ["hanazono.envs.core", f"hanazono.envs.{game}"]
    return [*allowed, "hanazono.envs.hanafuda"] if game in HANAFUDA_GAMES else allowed


def violations(folder: str, allowed: list[str]) -> list[str]:
    """The imports of a folder's files that lie in hanazono, but in none of the allowed packages."""
    found = (entry for path in files(folder) for entry in imports(path))
    return [str(e) for e in found if e.lies_in("hanazono") and not e.lies_in(*allowed)]


def test_core_knows_no_game():
    assert violations("envs/core", ["hanazono.envs.core"]) == []


@pytest.mark.parametrize("game", games())
def test_game_uses_the_core_and_itself(game):
    assert violations(f"envs/{game}", allowed_in_game(game)) == []


@pytest.mark.parametrize(
    ("folder", "allowed"),
    [
        ("envs", ["envs"]),
        ("models", ["models"]),
        ("training", ["envs", "models", "training", "configs"]),
        ("scripts", ["envs", "models", "training", "configs", "scripts"]),
        ("configs", ["configs"]),
    ],
)
def test_direction(folder, allowed):
    assert violations(folder, [f"hanazono.{name}" for name in allowed]) == []


def test_envs_need_no_torch():
    heavy = ("torch", "tensorboard", "safetensors", "stable_baselines3", "sb3_contrib")
    found = [str(e) for path in files("envs") for e in imports(path) if e.lies_in(*heavy)]
    assert found == []


def test_nothing_imports_the_tests():
    found = [str(e) for path in files(*FOLDERS) for e in imports(path) if e.lies_in(*TEST_NAMES)]
    assert found == []


def test_nothing_imports_a_folder_by_its_bare_name():
    everything = files(*FOLDERS, "tests")
    found = [str(e) for path in everything for e in imports(path) if e.lies_in(*FOLDERS)]
    assert found == []


def test_slow_twins_share_no_code_with_the_kernels():
    found = [e for path in files("tests/reference") for e in imports(path)]
    assert [str(entry) for entry in found if entry.lies_in("hanazono")] == []


def test_no_module_is_named_utils():
    assert [str(path) for path in files(*FOLDERS, "tests") if path.stem in ("utils", "util")] == []


@pytest.mark.parametrize(
    ("source", "module"),
    [
        ("import hanazono.envs.core.rng as rng", "hanazono.envs.core.rng"),
        ("from hanazono.envs import core", "hanazono.envs.core"),
        ("from hanazono import training", "hanazono.training"),
        ("from hanazono.envs.core.game import Game", "hanazono.envs.core.game"),
        ("from .game import Game", "hanazono.envs.core.game"),
        ("from ..ohanami import rules", "hanazono.envs.ohanami"),
        ("def f():\n    import torch.nn", "torch.nn"),
        ("importlib.import_module('hanazono.models')", "hanazono.models"),
    ],
)
def test_imports_are_seen(source, module):
    """The tests above are worth only as much as what this parser sees."""
    (found,) = imported(ast.parse(source), package=Path("envs/core"))
    entry = Import(Path("x.py"), *found)
    assert entry.lies_in(module)
    assert not entry.lies_in(module[:-1])
