"""The folders are mapped to packages by hand, so here the mapping is held to what exists."""

from __future__ import annotations

import ast
import configparser
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from hanazono.envs.core.opponents import LOADERS

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("configs", "envs", "models", "scripts", "training")
LINKS = ROOT / ".typing" / "hanazono"

CONFIG = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = CONFIG["project"]
SETUPTOOLS = CONFIG["tool"]["setuptools"]


def files_of_packages() -> list[Path]:
    """Every file that belongs to the project under the mapped folders, relative to the root."""
    found = (path.relative_to(ROOT) for name in FOLDERS for path in (ROOT / name).rglob("*"))
    return sorted(
        path
        for path in found
        if (ROOT / path).is_file()
        and "__pycache__" not in path.parts
        and not any(part.startswith(".") for part in path.parts)
    )


def folder(package: str) -> Path:
    return ROOT.joinpath(*package.split(".")[1:])


def package_of(path: Path) -> str:
    """The nearest package at or above a file's folder."""
    parent = path.parent
    while not (ROOT / parent / "__init__.py").exists():
        parent = parent.parent
    return ".".join(("hanazono", *parent.parts))


# --- what pyproject.toml says ---


def test_package_list_equals_folders():
    found = {
        ".".join(("hanazono", *path.parent.parts))
        for path in files_of_packages()
        if path.name == "__init__.py"
    }
    assert set(SETUPTOOLS["packages"]) == found
    assert len(SETUPTOOLS["packages"]) == len(found), "a package is listed twice"


def test_every_module_lies_in_a_package():
    modules = [path for path in files_of_packages() if path.suffix == ".py"]
    lost = [str(path) for path in modules if not (ROOT / path.parent / "__init__.py").exists()]
    assert not lost, "these folders need an __init__.py to be installed"


def test_package_dir_maps_the_folders():
    assert SETUPTOOLS["package-dir"] == {f"hanazono.{name}": name for name in FOLDERS}


def test_package_data_equals_files():
    matched = set()
    for package, patterns in SETUPTOOLS["package-data"].items():
        for pattern in patterns:
            hits = {path.relative_to(ROOT) for path in folder(package).glob(pattern)}
            assert hits, f"package-data of {package}: {pattern!r} matches no file"
            matched |= hits
    data = {path for path in files_of_packages() if path.suffix != ".py"}
    assert matched == data


@pytest.mark.parametrize("name", FOLDERS)
def test_types_are_declared(name):
    """PEP 561: a namespace cannot carry py.typed, so each package in it does."""
    assert (ROOT / name / "py.typed").exists()


def test_typing_links():
    assert {path.name for path in LINKS.iterdir()} == set(FOLDERS) - {"configs"}
    for link in LINKS.iterdir():
        assert link.is_symlink()
        assert not link.readlink().is_absolute()
        assert link.resolve() == ROOT / link.name


@pytest.mark.parametrize("command", sorted(PROJECT["scripts"]))
def test_command_has_a_main(command):
    module, _, function = PROJECT["scripts"][command].partition(":")
    source = folder(module).with_suffix(".py")
    defined = ast.parse(source.read_text(encoding="utf-8")).body
    assert function in {node.name for node in defined if isinstance(node, ast.FunctionDef)}
    assert command == f"hanazono-{source.stem.replace('_', '-')}"


@pytest.mark.parametrize(
    ("group", "name", "target"),
    [
        (group, name, target)
        for group, entries in PROJECT["entry-points"].items()
        for name, target in entries.items()
    ],
)
def test_entry_point_can_be_loaded(group, name, target):
    assert callable(EntryPoint(name, target, group).load())


def test_entry_points_are_those_the_environments_look_up():
    assert list(PROJECT["entry-points"]) == [LOADERS]


def test_constraints_pin_the_dependencies():
    extras = PROJECT["optional-dependencies"]
    wanted = [*PROJECT["dependencies"], *extras["train"], *extras["play"], *extras["dev"]]
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [Requirement(line) for line in lines if not line.startswith("#")]
    pinned = {canonicalize_name(pin.name): str(pin.specifier) for pin in pins}
    for requirement in map(Requirement, wanted):
        pin = pinned.get(canonicalize_name(requirement.name), "no line")
        assert re.fullmatch(r"==[^,*+]+", pin), f"constraints.txt, {requirement.name}: {pin}"
        assert requirement.specifier.contains(pin.removeprefix("==")), f"{requirement}: {pin}"


# --- the bare names ---


@pytest.mark.parametrize("module", [*FOLDERS, "envs.core", "envs.core.game", "scripts.train"])
def test_bare_name_fails_with_the_fix(module):
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import {module}"
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    name = module.split(".")[0]
    assert result.returncode != 0
    assert f"ImportError: import it as hanazono.{name} " in result.stderr
    assert "pip install -e ." in result.stderr


# --- the built wheel ---


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """A wheel built from a copy: building in the repository would leave files behind."""
    source = tmp_path_factory.mktemp("source")
    for path in (*files_of_packages(), *map(Path, ("pyproject.toml", "README.md", "LICENSE"))):
        (source / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, source / path)
    out = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, cwd=source)
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    """A folder with the wheel installed in it, nothing else; works without a network."""
    target = tmp_path_factory.mktemp("installed")
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    run(*pip, "--no-index", "--no-deps", "--target", target, wheel, cwd=target)
    return target


def run(*command: object, cwd: Path) -> str:
    result = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**os.environ, "HANAZONO_CACHE_DIR": str(cwd / "cache")},  # kernels of this copy
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, f"{result.stdout}\n{result.stderr}"
    return result.stdout


def run_installed(target: Path, cwd: Path, code: str) -> str:
    """Run code with the installed wheel and the dependencies, without the editable install.

    -I leaves out the current folder and PYTHONPATH. -S leaves out the .pth files, which is where
    an editable install hides; the folders of the dependencies are then added by name.
    """
    dependencies = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    header = f"import sys; sys.path[:0] = [{str(target)!r}]; sys.path += {dependencies!r}\n"
    return run(sys.executable, "-I", "-S", "-c", header + code, cwd=cwd)


def test_wheel_holds_every_file_and_nothing_else(wheel):
    names = {name for name in zipfile.ZipFile(wheel).namelist() if not name.endswith("/")}
    info = f"hanazono-{PROJECT['version']}.dist-info"
    metadata = {name for name in names if name.startswith(f"{info}/")}
    assert names - metadata == {f"hanazono/{path.as_posix()}" for path in files_of_packages()}
    assert f"{info}/licenses/LICENSE" in metadata


def test_wheel_offers_the_commands(wheel):
    info = f"hanazono-{PROJECT['version']}.dist-info"
    parser = configparser.ConfigParser()
    parser.read_string(zipfile.ZipFile(wheel).read(f"{info}/entry_points.txt").decode())
    assert dict(parser["console_scripts"]) == PROJECT["scripts"]
    assert {group: dict(parser[group]) for group in PROJECT["entry-points"]} == (
        PROJECT["entry-points"]
    )


@pytest.mark.slow  # compiles the kernels of the installed copy
def test_installed_wheel_plays_from_another_folder(installed, tmp_path):
    code = """
import json
import gymnasium
import numpy as np
single = gymnasium.make("hanazono.envs:hanazono/Ohanami-v0", opponents="value_gap")
single.reset(seed=0)
import hanazono.envs
from hanazono.envs import ohanami_v0

env = ohanami_v0.env(num_players=2)
env.reset(seed=0)
rng = np.random.default_rng(0)
for _ in range(10):
    mask = env.last()[0]["action_mask"]
    env.step(int(rng.choice(mask.nonzero()[0])))
print(json.dumps({
    "origins": [hanazono.envs.__file__, ohanami_v0.__file__],
    "alive": env.agents,
    "heavy": sorted({"torch", "stable_baselines3", "tensorboard"} & set(sys.modules)),
}))
"""
    told = json.loads(run_installed(installed, tmp_path, code).splitlines()[-1])
    for origin in told["origins"]:
        assert Path(origin).is_relative_to(installed), "another copy of hanazono was imported"
    assert len(told["alive"]) == 2
    assert told["heavy"] == [], "the core install must do without the training extra"


def test_installed_data_can_be_read(installed, tmp_path):
    data = {
        package: sorted(
            path.relative_to(folder(package)).as_posix()
            for pattern in patterns
            for path in folder(package).glob(pattern)
        )
        for package, patterns in SETUPTOOLS["package-data"].items()
        if package not in ("hanazono.models", "hanazono.training", "hanazono.scripts")
    }
    code = f"""
from importlib.resources import files
for package, names in {data!r}.items():
    for name in names:
        assert files(package).joinpath(name).is_file(), (package, name)
"""
    run_installed(installed, tmp_path, code)
