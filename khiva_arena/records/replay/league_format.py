"""The number of the format of a league, which is in link 0 of its chain and in the
definition of each batch.

No other definition has one, since the bytes of a definition are its id. Code of 0.3.0
that no release has wrote the number 1 or none, into chains and batches of several
shapes: none of these is damaged, and none can be checked here.
"""

from typing import Any

import msgspec

from khiva_arena.common import hooks
from khiva_arena.errors import StoreError

FORMAT = 2
"""The version of the format of a league's chain and of its batches."""
EXTENSION = "league"
"""The extension that knows what a chain proves. Without it no batch is shown, since it
would look like an event of its own.
"""
OLD = "made by an unreleased version of 0.3.0; verify it with that"
"""The words on what was written in an older format."""


class OtherFormat(StoreError):
    """A file of a format that this version does not read."""


def check_link(link: Any) -> None:
    """Raise OtherFormat for link 0 of a chain of another format. ``link``: plain
    values, of any shape.
    """
    if isinstance(link, dict) and link.get("kind") == "league":
        _check(link.get("format", 1))


def check_definition(definition: Any) -> None:
    """Raise OtherFormat for the definition of a batch of another
    format. ``definition``: plain values, of any shape.
    """
    if is_batch(definition):
        _check(definition["batch"].get("format", 1))


def is_batch(definition: Any) -> bool:
    """Tell whether a definition is that of a league's batch. ``definition``: plain
    values, of any shape.
    """
    return isinstance(definition, dict) and isinstance(definition.get("batch"), dict)


def check_installed(place: object) -> None:
    """Raise ConfigError if the extension that knows leagues is not
    installed. ``place``: of the league or its batches.
    """
    hooks.check_installed(EXTENSION, str(place))


def values_of(text: str | bytes) -> Any:
    """Return the plain values of a text; None for one that is damaged, which is for
    others to find.
    """
    try:
        return msgspec.json.decode(text)
    except (ValueError, RecursionError):
        return None


def _check(number: object) -> None:
    """Raise OtherFormat for the number of another format. What is no number is damage,
    which is for others to find.
    """
    if type(number) is int and number < FORMAT:
        raise OtherFormat(OLD)
    if type(number) is int and number > FORMAT:
        raise OtherFormat(f"a league of format {number}; this engine reads format {FORMAT}")
