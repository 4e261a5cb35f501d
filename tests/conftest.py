"""Settings of the whole test suite."""

import numba
import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="write tests/golden anew instead of comparing"
    )


def pytest_configure(config: pytest.Config) -> None:
    if numba.config.DISABLE_JIT:
        # core.rng counts modulo 2**64. Compiled code wraps silently; as plain Python the same
        # lines run on numpy scalars, which warn whenever they wrap.
        config.addinivalue_line(
            "filterwarnings",
            r"ignore:overflow encountered in scalar:RuntimeWarning:hanazono\.envs\.core\.rng",
        )
