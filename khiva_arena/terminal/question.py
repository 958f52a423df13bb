"""A question that a command asks before it does what cannot be undone or takes long."""

import sys

from khiva_arena.errors import ConfigError
from khiva_arena.terminal.console import say

_YES = ("y", "yes")


def agreed(question: str, yes: bool) -> bool:
    """Whether the user agrees. ``yes``: that was said beforehand, by --yes. Raises ConfigError if there is no terminal to ask
    at."""
    if yes:
        return True
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise ConfigError(f"{question} There is no terminal to ask at: --yes agrees beforehand")
    say(f"{question} [y/N] ", end="")
    return sys.stdin.readline().strip().lower() in _YES
