"""A question that a command asks before a step that cannot be undone or takes long."""

import sys

from khiva_arena.display.terminal.console import say
from khiva_arena.errors import ConfigError

_YES = ("y", "yes")


def agreed(question: str, yes: bool, flag: str = "--yes") -> bool:
    """Tell whether the user agrees. Raises ConfigError if nobody can be asked, without
    a terminal.

    yes: whether the flag was given that answers the question.
    """
    if yes:
        return True
    if not can_ask():
        raise ConfigError(f"{question} There is no terminal to ask on; add {flag} to agree")
    say(f"{question} [y/N] ", end="")
    return sys.stdin.readline().strip().lower() in _YES


def can_ask() -> bool:
    """Tell whether somebody sits at a terminal who can answer."""
    return bool(sys.stdin and sys.stderr) and sys.stdin.isatty() and sys.stderr.isatty()
