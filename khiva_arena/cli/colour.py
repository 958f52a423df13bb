"""What stands out on a terminal, and nowhere else: in a file or a pipe, and where NO_COLOR is set, text is text."""

import os
import sys

import click


def coloured() -> bool:
    """Whether stdout is a terminal that shows colours, and its user wants any."""
    terminal = sys.stdout is not None and sys.stdout.isatty() and os.environ.get("TERM") not in (None, "", "dumb")
    return terminal and not os.environ.get("NO_COLOR")


def alarm(word: str) -> str:
    """A word that must not be overlooked."""
    return click.style(word, fg="red", bold=True) if coloured() else word
