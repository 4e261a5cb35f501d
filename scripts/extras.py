"""What scripts say when the packages they need are not installed."""

import contextlib
from collections.abc import Iterator


@contextlib.contextmanager
def needs(extra: str) -> Iterator[None]:
    """Turn a failed import in the block into the command that installs what is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise SystemExit(
            f'{error.name} is not installed; this needs: pip install "hanazono[{extra}]"'
        ) from error
