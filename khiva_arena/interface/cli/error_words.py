"""Say in words why a command failed."""

import errno

import click

from khiva_arena.common.text import harmless
from khiva_arena.errors import ArenaError, GameMissing

_OF_A_PATH = (errno.EACCES, errno.EPERM, errno.ENAMETOOLONG, errno.ELOOP)
"""The errors of the system by which a path that a user typed cannot be looked at."""


def why_no_path(error: BaseException, arguments: list[str]) -> str:
    """Return why the system does not show a path that the user typed, or a file below
    it; "" for another error.
    """
    if (
        not isinstance(error, OSError)
        or error.errno not in _OF_A_PATH
        or not isinstance(error.filename, str)
    ):
        return ""
    words = [
        word for argument in arguments for word in (argument, argument.partition("=")[2]) if word
    ]
    if not any(
        error.filename == word or error.filename.startswith(f"{word.rstrip('/')}/")
        for word in words
    ):
        return ""
    return harmless(f"{error.filename}: cannot be read: {error.strerror}")


def why_not_handed(error: ArenaError) -> str:
    """Return the rest of the message for a game that nobody can hand over here, "" for
    another error.
    """
    if not isinstance(error, GameMissing):
        return ""
    from khiva_arena.arbiter.handed_games import why_none  # not above: few commands miss a game

    return f"; {reason}" if (reason := why_none()) else ""


def one_line(error: click.ClickException) -> str:
    """Return click's message, and where to read more."""
    text = " ".join(error.format_message().split())
    if isinstance(error, click.NoSuchOption):
        from khiva_arena.common import hooks  # not above: most options are known

        if reason := hooks.why_unknown(error.option_name):
            text = f"{error.option_name} {reason}."
    path = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else ""
    end = "" if text.endswith((".", "?", ")")) else "."
    return harmless(f"{text}{end} See `{path} -h`." if path else text)


def lines(text: str) -> str:
    """Return a message that may end in lines of others, such as a build's: only its
    first line stands at the margin.
    """
    first, *others = map(harmless, text.split("\n"))
    return "\n".join([first, *(line if line.startswith("  ") else f"  {line}" for line in others)])
