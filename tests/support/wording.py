"""The messages of the package as tests expect them: tests/messages has a file for each
command or room, a row for each text.

A test names a message by its file and key, ``sentence("store", "no-such-file")``, so
that a better wording costs one row.
"""

import re
import string
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

MESSAGES = Path(__file__).parents[1] / "messages"


@cache
def messages(room: str) -> dict[str, str]:
    """Read the rows of a room: the text of each key, with ``{placeholders}``."""
    rows: dict[str, str] = tomllib.loads((MESSAGES / f"{room}.toml").read_text("utf-8"))
    return rows


def parts(text: str) -> Iterator[tuple[str, str | None]]:
    """Split a row's text: each piece of fixed text with the name of the placeholder
    that follows, None at the end.
    """
    return ((fixed, name) for fixed, name, _, _ in string.Formatter().parse(text))


def sentence(room: str, key: str, /, **values: object) -> str:
    """Return a message with its placeholders filled in."""
    return "".join(
        fixed + (str(values[name]) if name else "") for fixed, name in _filled(room, key, values)
    )


def pattern(room: str, key: str, /, **patterns: str) -> str:
    """Return a regular expression for a message; each placeholder is filled with a
    regular expression.
    """
    return "".join(
        re.escape(fixed) + (patterns[name] if name else "")
        for fixed, name in _filled(room, key, patterns)
    )


def _filled(
    room: str, key: str, values: dict[str, object] | dict[str, str]
) -> list[tuple[str, str | None]]:
    where = f"tests/messages/{room}.toml"
    if key not in messages(room):
        raise KeyError(f"{where} has no row {key}: add it, or name another one")
    found = list(parts(messages(room)[key]))
    needed = {name for _, name in found if name}
    if needed != values.keys():
        raise TypeError(
            f"{where}: {key} takes the placeholders {sorted(needed)}, not {sorted(values)}"
        )
    return found
