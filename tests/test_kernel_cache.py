"""Compiled rules are kept between processes, and never used for other sources than their own."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

NOTICE = "hanazono: compiling Small for this machine"

# Nothing but one kernel, bound as the engine binds its loops: a whole game takes long to compile.
SCRIPT = """
from hanazono.envs.core.kernel import announce_compilation, bind, kernel
from small.rules import rule

def call(x):
    return rule(x)

def loop(x):
    return use(x)

use = None
announce_compilation("Small")
bound = bind(loop, "small", use=rule)
print(bound(1), sum(bound.stats.cache_hits.values()), sum(bound.stats.cache_misses.values()))
"""
RULES = """
from hanazono.envs.core.kernel import kernel
from small.numbers import add

@kernel
def rule(x):
    return add(x)
"""
NUMBERS = """
from hanazono.envs.core.kernel import kernel

@kernel
def add(x):
    return x + {step}
"""


def write(folder: Path, step: int) -> None:
    """A game's folder outside hanazono, whose rules call a kernel of another module."""
    package = folder / "small"
    package.mkdir(exist_ok=True)
    (package / "__init__.py").touch()
    (package / "rules.py").write_text(RULES)
    (package / "numbers.py").write_text(NUMBERS.format(step=step))
    (folder / "main.py").write_text(SCRIPT)


def run(folder: Path, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "main.py"],
        cwd=folder,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"} | environment,
        capture_output=True,
        text=True,
        check=True,
    )


def files_in(folder: Path) -> set[str]:
    return {str(p.relative_to(folder)) for p in folder.rglob("*") if p.suffix in (".nbi", ".nbc")}


def test_second_process_starts_warm(tmp_path):
    write(tmp_path, 10)
    cache = tmp_path / "cache"
    first = run(tmp_path, HANAZONO_CACHE_DIR=str(cache))
    kept = files_in(cache)
    second = run(tmp_path, HANAZONO_CACHE_DIR=str(cache))
    assert first.stdout.split() == ["11", "0", "1"]
    assert second.stdout.split() == ["11", "1", "0"]
    assert kept
    assert files_in(cache) == kept
    assert NOTICE in first.stderr
    assert second.stderr == ""


def test_edit_in_an_imported_module_is_seen(tmp_path):
    """numba alone would go on using the old `add`, which is compiled into `rule` and the loop."""
    cache = str(tmp_path / "cache")
    told = []
    for step in (10, 20):
        write(tmp_path, step)
        told.append(run(tmp_path, HANAZONO_CACHE_DIR=cache).stdout.split()[0])
    assert told == ["11", "21"]


def test_edit_of_a_table_is_seen(tmp_path):
    """Tables are read into arrays, which are compiled into the kernels that use them."""
    write(tmp_path, 10)
    table = tmp_path / "small" / "table.json"
    reads = f"from pathlib import Path\nSTEP = int(Path({str(table)!r}).read_text())\n"
    (tmp_path / "small" / "numbers.py").write_text(reads + NUMBERS.format(step="STEP"))
    told = []
    for step in (10, 20):
        table.write_text(str(step))
        told.append(run(tmp_path, HANAZONO_CACHE_DIR=str(tmp_path / "cache")).stdout.split()[0])
    assert told == ["11", "21"]


def test_edit_of_a_table_of_the_user_is_seen(tmp_path):
    write(tmp_path, 10)
    reads = "from hanazono.envs.core.kernel import given_tables\n"
    reads += "STEP = sum(int(file.read_text()) for file in given_tables())\n"
    (tmp_path / "small" / "numbers.py").write_text(reads + NUMBERS.format(step="STEP"))
    tables, told = [tmp_path / "one.txt", tmp_path / "two.txt"], []
    tables[0].write_text("4")
    environment = {
        "HANAZONO_CACHE_DIR": str(tmp_path / "cache"),
        "HANAZONO_TABLES": os.pathsep.join(map(str, tables)),
    }
    for step in (10, 20):
        tables[1].write_text(str(step))
        told.append(run(tmp_path, **environment).stdout.split()[0])
    assert told == ["15", "25"]


def test_kernels_of_the_same_name_are_kept_apart(tmp_path):
    """Two games may be called the same, and two kernels of one file may have the same label."""
    write(tmp_path, 10)
    more = """
    @kernel
    def other(x):
        return 100 * x

    for rule_ in (rule, other):
        print(bind(loop, "small", use=rule_)(2))
    """
    with (tmp_path / "main.py").open("a") as script:
        script.write(textwrap.dedent(more))
    for _ in range(2):
        told = run(tmp_path, HANAZONO_CACHE_DIR=str(tmp_path / "cache")).stdout.splitlines()
        assert told[1:] == ["12", "200"]


def test_cache_that_cannot_be_written(tmp_path):
    write(tmp_path, 10)
    (tmp_path / "file").write_text("in the way")
    told = run(tmp_path, HANAZONO_CACHE_DIR=str(tmp_path / "file"))
    assert told.stdout.split()[0] == "11"
    assert "hanazono: compiled rules cannot be kept in " in told.stderr
    assert "Set HANAZONO_CACHE_DIR to a writable folder." in told.stderr
    assert NOTICE in told.stderr  # at every start, since nothing is kept
    assert (tmp_path / "file").read_text() == "in the way"


def test_kernels_typed_at_a_prompt_work(tmp_path):
    """Their source is in no file, so nothing of them is kept."""
    code = """
    from hanazono.envs.core.kernel import bind, kernel
    for step in (1, 2):
        text = f"def rule(x):\\n    return x + {step}\\n"
        space = {}
        exec(text, space)
        rule = kernel(space["rule"])
        def loop(x):
            return use(x)
        print(bind(loop, "typed", use=rule)(1), rule(1))
    """
    child = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env=os.environ | {"HANAZONO_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.stdout.split() == ["2", "2", "3", "3"], child.stderr


def test_old_caches_are_cleared(tmp_path):
    write(tmp_path, 10)
    cache = tmp_path / "cache"
    for name, age in (("kernels-old", 40), ("kernels-new", 20)):
        (cache / name).mkdir(parents=True)
        (cache / name / "used").touch()
        then = (cache / name / "used").stat().st_mtime - age * 86400
        os.utime(cache / name / "used", (then, then))
    run(tmp_path, HANAZONO_CACHE_DIR=str(cache))
    assert not (cache / "kernels-old").exists()
    assert (cache / "kernels-new").exists()


def test_rules_run_as_plain_python_without_warnings():
    """NUMBA_DISABLE_JIT=1 serves coverage and debugging; the numbers are the compiled ones."""
    code = """
    import numpy as np
    from hanazono.envs import make
    env = make("ohanami", 3)
    env.reset(seed=5)
    for _ in range(30):
        env.step(int(env.observe(env.agent_selection)["action_mask"].nonzero()[0][-1]))
    print(env.get_state().state.tobytes(), env.observe("player_1")["observation"].tobytes())
    """
    told = [
        subprocess.run(
            [sys.executable, "-W", "error", "-c", textwrap.dedent(code)],
            env=os.environ | {"NUMBA_DISABLE_JIT": off},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for off in ("0", "1")
    ]
    assert told[0] == told[1]
