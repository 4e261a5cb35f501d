"""Compilation: one decorator for every rule, one cache policy, one way to bind loops to a game.

Two traps of numba's cache shape this file. Its index sees edits of the module that holds a
function, not of the modules it calls, so the cache folder is named after a hash of all our
sources; a game that lives elsewhere gets a folder named after the sources beside it. And a
closure never hits the cache, so a loop over a game's kernels is written once with placeholder
names and bound to a game by giving a copy of the function other globals.
"""

import contextlib
import hashlib
import inspect
import os
import shutil
import sys
import time
import uuid
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import cache, cached_property
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
import numpy as np
import platformdirs
from numba import types
from numba.core.registry import CPUDispatcher

ENVS = Path(__file__).resolve().parents[1]
KEEP_UNUSED_DAYS = 30
OPTIONS = {"nopython": True, "nogil": True, "error_model": "numpy"}
SOURCES = ("*.py", "*.json*")  # tables that a game reads become constants of its kernels


def given_tables() -> list[Path]:
    """The tables that the user has for games that read such: the files named in the environment
    variable HANAZONO_TABLES, separated as in PATH."""
    named = os.environ.get("HANAZONO_TABLES", "").split(os.pathsep)
    return [Path(name) for name in named if name]


def _hash(files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


def _sources(folder: Path, below: str = "") -> list[Path]:
    return sorted(file for kind in SOURCES for file in folder.glob(below + kind))


def _cache_folder() -> Path | None:
    """The folder for this version of the sources, or None when it cannot be written."""
    root = os.environ.get("HANAZONO_CACHE_DIR") or platformdirs.user_cache_path("hanazono")
    tables = [file for file in given_tables() if file.is_file()]
    folder = Path(root) / f"kernels-{_hash(_sources(ENVS, below='**/') + tables)}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "used").touch()
    except OSError as error:
        warnings.warn(
            f"hanazono: compiled rules cannot be kept in {folder} ({error}); every start compiles "
            "again. Set HANAZONO_CACHE_DIR to a writable folder.",
            stacklevel=2,
        )
        return None
    for other in folder.parent.glob("kernels-*/used"):
        if time.time() - other.stat().st_mtime > KEEP_UNUSED_DAYS * 86400:
            shutil.rmtree(other.parent, ignore_errors=True)
    return folder


CACHE = _cache_folder()


@cache
def _folder_hash(folder: Path) -> str:
    """Hash of the sources in a folder; "" for ours, which already name CACHE."""
    return "" if folder.is_relative_to(ENVS) else _hash(_sources(folder))


def _version(function: Callable[..., Any]) -> str:
    """Text that changes with the sources of a function, always if it has none in a file."""
    file = Path(function.__code__.co_filename)
    return _folder_hash(file.resolve().parent) if file.is_file() else uuid.uuid4().hex


@contextlib.contextmanager
def _numba_cache_folder(function: Callable[..., Any], use: str) -> Iterator[None]:
    # numba reads its setting when a function is decorated; the user's own setting comes back.
    before = numba.config.CACHE_DIR
    if CACHE is not None:
        numba.config.CACHE_DIR = str(CACHE / _version(function) / use)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before


class Kernel(CPUDispatcher):
    """A rule, compiled as a part of other kernels. Two things that cost most of the time to compile
    are left out: what calls a rule from Python is made only for those that are called so, and
    integers are passed as 64 bits wide, where numba would compile a rule once more for every width
    and even for every constant that is passed to it."""

    def __call__(self, *arguments: Any) -> Any:
        """Call it from Python."""
        return self.from_python(*arguments)

    @cached_property
    def from_python(self) -> Any:
        """The same rule, compiled for calls from Python alone."""
        return _compiled(CPUDispatcher, self.py_func, "calls")

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """What numba asks for when another kernel calls this one."""
        return super().get_call_template([_wide(kind) for kind in args], kws)


def _wide(kind: Any) -> Any:
    """The type as which an argument of this type is passed."""
    kind = types.unliteral(kind)
    narrow = isinstance(kind, types.Integer) and kind != types.uint64
    return types.int64 if narrow else kind


def _compiled(kind: Any, function: Callable[..., Any], use: str, **options: bool) -> Any:
    with _numba_cache_folder(function, use):
        compiled = kind(function, targetoptions={**OPTIONS, **options})
        if CACHE is not None and Path(function.__code__.co_filename).is_file():
            compiled.enable_caching()
    return compiled


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a rule. It may use scalars, records and arrays; it allocates and raises nothing,
    so that the same function also compiles for a GPU."""
    if numba.config.DISABLE_JIT:  # integers wrap round without a warning, as they do compiled
        plain: Callable[..., Any] = np.errstate(over="ignore")(function)
        return plain
    compiled: Callable[..., Any] = _compiled(
        Kernel, function, "parts", no_cpython_wrapper=True, no_cfunc_wrapper=True
    )
    return compiled


def python_function(compiled: Callable[..., Any]) -> Any:
    """The Python function behind a kernel."""
    return inspect.unwrap(compiled)


def _identity(compiled: Callable[..., Any]) -> str:
    """Text that differs between kernels, and between versions of the sources of one kernel."""
    function = python_function(compiled)
    return f"{function.__module__}.{function.__qualname__} {_version(function)}"


def bind(template: Callable[..., Any], owner: str, **names: Callable[..., Any]) -> Any:
    """Return a compiled copy of `template` whose free `names` mean the given kernels.

    Args:
        template: a plain function that calls placeholders of its module, such as `step`.
        owner: a readable label for the cache entry.
        names: the kernel for each placeholder.
    """
    kernels = "\n".join(_identity(compiled) for compiled in names.values())
    digest = hashlib.sha256(kernels.encode()).hexdigest()[:16]
    source = python_function(template)
    copy = FunctionType(source.__code__, {**source.__globals__, **names}, source.__name__)
    copy.__module__ = source.__module__
    copy.__qualname__ = f"{source.__qualname__}_{owner}_{digest}"
    return copy if numba.config.DISABLE_JIT else _compiled(CPUDispatcher, copy, "calls")


def kernel_view(states: np.ndarray) -> np.ndarray:
    """The view of a record array that kernels take: as Python they need attributes."""
    return states.view(np.recarray) if numba.config.DISABLE_JIT else states


def announce_compilation(owner: str) -> None:
    """Say on stderr that `owner` is about to be compiled, if it was not before.

    `owner` is a name that can be part of a file's name.
    """
    mark = CACHE / f"{owner}.seen" if CACHE is not None else None
    if numba.config.DISABLE_JIT or (mark is not None and mark.exists()):
        return
    print(f"hanazono: compiling {owner} for this machine (15 to 30 s) ...", file=sys.stderr)
    if mark is not None:
        mark.touch()
