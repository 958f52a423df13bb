"""An error as one JSON object, the last line on stderr, for a program that typed
``--json``.
"""

import json
import re
import shlex
from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from khiva_arena.common.text import harmless

_NAMED = re.compile(r"`(khiva-arena [^`]+)`|(?:: |^)(khiva-arena [^`;]+)$")
_LAST_LINE = re.compile(r"  next: (khiva-arena check (?!-)\S.*)")
_PLAIN = re.compile(r"""(?:[\w@%+=:,./ ~-]|'[^']*'|"'")+""")
"""Words as ``shlex.quote`` writes them: a shell does nothing in them but run the
command.
"""
_REFUSED = {
    "close",
    "--isolation",
    "--network",
    "--allow-include",
    "--runtime",
    "--env",
    "--any-engine",
    "--yes",
}
"""Words that no command of an error needs. A bot that forges such a command would be
let at the machine, or end an event.
"""


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


def error_line(
    code: int, problems: Sequence[str], arguments: Sequence[str], commands: Sequence[str] = ()
) -> str:
    """Return an error as a line of JSON.

    problems: a line for each mistake, or several lines.
    arguments: those of the command line, in which no command is looked for.
    commands: to type next, besides those that the problems name.
    """
    named = [command for problem in problems for command in commands_in(problem, arguments)]
    error = ErrorOutput(1, code, "\n".join(problems), list(dict.fromkeys([*named, *commands])))
    return json.dumps(msgspec.to_builtins(error))  # ASCII, whatever the encoding of stderr


def commands_in(problem: str, arguments: Sequence[str] = ()) -> Iterator[str]:
    """Yield the commands that a problem names, in their order: between backticks, or at
    its end.

    Of several lines only the last one counts, since a bot or a build may have written
    the others.
    """
    first, *others = problem.split("\n")
    if others:
        found = _LAST_LINE.fullmatch(others[-1])
        named = [found[1]] if found and len(_words(found[1])) == 3 else []
    else:
        for word in arguments:
            first = first.replace(harmless(word), "") if "khiva-arena" in word else first
        named = [quoted or last for quoted, last in _NAMED.findall(first)]
    yield from (
        command
        for command in named
        if _PLAIN.fullmatch(command) and not _REFUSED & {*_words(command)}
    )


def _words(command: str) -> list[str]:
    """Return the words of a command, [] if a quote is open."""
    try:
        return [word.partition("=")[0] for word in shlex.split(command)]
    except ValueError:
        return []
