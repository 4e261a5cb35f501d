"""Arguments that several scripts take."""

from collections.abc import Sequence


def parse_options(texts: Sequence[str]) -> dict[str, int]:
    """Turn NAME=VALUE texts into a dictionary; values are whole numbers.

    Raises:
        ValueError: for a text of another form.
    """
    options = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not value.lstrip("-").isdigit():
            raise ValueError(f"a rule option is given as NAME=NUMBER, got {text!r}")
        options[name] = int(value)
    return options
