"""The work of ``khiva-arena watch``: the live screen over a stream of events that
another process writes, or has written.
"""

import sys
import time
from contextlib import closing
from pathlib import Path

import click

from khiva_arena.common.stream import NotAStream
from khiva_arena.display.terminal.console import say
from khiva_arena.display.terminal.tty import can_draw
from khiva_arena.display.terminal.viewer import Source, Viewer, follow, open_source, print_lines
from khiva_arena.errors import ConfigError


def watch(file: Path, report: Path | None, *, web: bool = False) -> int:
    """Show the run until it ends, in a browser for as long as the user likes. Returns
    the exit code.
    """
    if report is not None and not web:
        raise ConfigError("--report needs --web; without it, open that page in a browser")
    if web:
        # not above: most runs are watched in a terminal
        from khiva_arena.competition.run.live_views import LIVE_VIEWS

        views = LIVE_VIEWS.get("--web")
    with closing(open_source(file)) as source:
        try:
            if web:
                return views.of_stream(source, report, say)
            if can_draw(sys.stdout):
                return _draw(source)
            print_lines(source, click.echo, time.sleep)
        except NotAStream as error:
            raise ConfigError(f"{file}: not a stream of events: {error}") from None
    return 0


def _draw(source: Source) -> int:
    """Draw until the stream ends. Returns 1 if the terminal has gone."""
    try:
        follow(Viewer(source), sys.stdout, time.sleep, to_the_end=True)
    except OSError:
        return 1
    return 0
