"""Arguments that several scripts take."""

from collections.abc import Sequence


def parse_options(texts: Sequence[str]) -> dict[str, int | str]:
    """Turn NAME=VALUE texts into a dictionary; values are whole numbers or words.

    Raises:
        ValueError: for a text of another form.
    """
    options: dict[str, int | str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not value:
            raise ValueError(f"a rule option is given as NAME=VALUE, got {text!r}")
        options[name] = int(value) if value.removeprefix("-").isdecimal() else value
    return options
