"""Compilation: one decorator for every rule, one cache policy, one way to bind loops to a game.

Two traps of numba's cache shape this file. Its index sees edits of the module that holds a
function, not of the modules it calls, so the cache folder is named after a hash of all our
sources. And a closure never hits the cache, so a loop over a game's kernels is written once with
placeholder names and bound to a game by giving a copy of the function other globals.
"""

import contextlib
import hashlib
import os
import shutil
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
import numpy as np
import platformdirs

ENVS = Path(__file__).resolve().parents[1]
KEEP_UNUSED_DAYS = 30


def _hash_files(files: list[Path]) -> str:
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


def _cache_folder() -> Path | None:
    """The folder for this version of the sources, or None when it cannot be written."""
    root = os.environ.get("HANAZONO_CACHE_DIR") or platformdirs.user_cache_path("hanazono")
    folder = Path(root) / f"kernels-{_hash_files(list(ENVS.rglob('*.py')))}"
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


@contextlib.contextmanager
def _numba_cache_folder() -> Iterator[None]:
    # numba reads its setting when a function is decorated; the user's own setting comes back.
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(CACHE)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a rule. It may use scalars, records and arrays; it allocates and raises nothing,
    so that the same function also compiles for a GPU."""
    with _numba_cache_folder():
        compiled: Callable[..., Any] = numba.njit(
            cache=CACHE is not None, nogil=True, error_model="numpy"
        )(function)
    return compiled


def python_function(compiled: Callable[..., Any]) -> Any:
    """The Python function behind a kernel (itself, where compilation is switched off)."""
    return getattr(compiled, "py_func", compiled)


def bind(template: Callable[..., Any], owner: str, **names: Callable[..., Any]) -> Any:
    """Return a compiled copy of `template` whose free `names` mean the given kernels.

    Args:
        template: a plain function that calls placeholders of its module, such as `step`.
        owner: a label that is unique to the set of kernels; it names the cache entry.
        names: the kernel for each placeholder.
    """
    files = [Path(python_function(f).__code__.co_filename) for f in names.values()]
    source = python_function(template)
    copy = FunctionType(source.__code__, {**source.__globals__, **names}, source.__name__)
    copy.__module__ = source.__module__
    copy.__qualname__ = f"{source.__qualname__}_{owner}_{_hash_files(files)}"
    return kernel(copy)


def kernel_view(states: np.ndarray) -> np.ndarray:
    """The view of a record array that kernels take: as Python they need attributes."""
    return states.view(np.recarray) if numba.config.DISABLE_JIT else states


def announce_compilation(owner: str) -> None:
    """Say on stderr, once per version of the sources, that `owner` is about to be compiled."""
    if CACHE is None or numba.config.DISABLE_JIT:
        return
    mark = CACHE / f"{owner}.seen"
    if not mark.exists():
        print(
            f"hanazono: compiling {owner} for this machine, once (about 15 s) ...", file=sys.stderr
        )
        mark.touch()
