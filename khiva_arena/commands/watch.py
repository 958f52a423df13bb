"""The work of ``khiva-arena watch``: the live screen over a stream of events that another process writes, or has written."""

import sys
import time
from contextlib import closing
from pathlib import Path

import click

from khiva_arena.errors import ConfigError
from khiva_arena.stream import NotAStream
from khiva_arena.terminal.tty import can_draw
from khiva_arena.terminal.viewer import Source, Viewer, follow, open_source, print_lines


def watch(file: Path) -> int:
    """Show the run until it ends. Returns the exit code."""
    with closing(open_source(file)) as source:
        try:
            if can_draw(sys.stdout):
                return _draw(source)
            print_lines(source, click.echo, time.sleep)
        except NotAStream as error:
            raise ConfigError(f"{file}: not a stream of events: {error}") from None
    return 0


def _draw(source: Source) -> int:
    """Returns 1 if the terminal has gone."""
    try:
        follow(Viewer(source), sys.stdout, time.sleep, to_the_end=True)
    except OSError:
        return 1
    return 0
