"""An error as one JSON object, the last line on stderr, for a program that typed ``--json``."""

import json
from collections.abc import Sequence
from typing import Literal

import msgspec

from khiva_arena.common.text import commands_in


class ErrorOutput(msgspec.Struct, frozen=True):
    """The last line on stderr if a command with ``--json`` ends with an error.

    v: the version of this output.
    code: the exit code of the command.
    message: the error in words; several errors have a line each.
    next: commands that the message names, [] if it names none.
    """

    v: Literal[1]
    code: int
    message: str
    next: list[str]


def error_line(code: int, message: str, commands: Sequence[str] = ()) -> str:
    """Return an error as a line of JSON. ``commands``: to type next, besides those that the message names."""
    error = ErrorOutput(1, code, message, list(dict.fromkeys([*commands_in(message), *commands])))
    return json.dumps(msgspec.to_builtins(error))  # ASCII, whatever the encoding of stderr
