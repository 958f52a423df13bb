"""The work of ``khiva-arena watch``: the live screen over a stream of events that another process writes, or has written."""

import sys
import time
from contextlib import closing
from pathlib import Path

import click

from khiva_arena import __version__
from khiva_arena.errors import ConfigError
from khiva_arena.page import html
from khiva_arena.stream import NotAStream
from khiva_arena.terminal.console import say
from khiva_arena.terminal.tty import can_draw
from khiva_arena.terminal.viewer import Source, Viewer, follow, open_source, print_lines
from khiva_arena.web.needed import check_installed

NO_REPORT = "Only the progress is shown. To see results, give `khiva-arena watch` the --report of the run."


def watch(file: Path, web: bool, report: Path | None) -> int:
    """Show the run until it ends, in a browser for as long as the user likes. Returns the exit code."""
    if report is not None and not web:
        raise ConfigError("--report needs --web; without it, open that page in a browser")
    if web:
        check_installed()
    with closing(open_source(file)) as source:
        try:
            if web:
                return _serve(source, report)
            if can_draw(sys.stdout):
                return _draw(source)
            print_lines(source, click.echo, time.sleep)
        except NotAStream as error:
            raise ConfigError(f"{file}: not a stream of events: {error}") from None
    return 0


def _serve(source: Source, report: Path | None) -> int:
    """Serve until Ctrl-C. Returns 0 if the run was seen to its end by then."""
    from khiva_arena.web.served_page import FIRST_SEED, ServedPage  # Starlette comes with it
    from khiva_arena.web.watching import LiveBoard, run

    if report is not None and report.exists() and not html.is_ours(report.read_text(errors="replace")):
        raise ConfigError(f"--report {report}: not a page of results of khiva-arena {__version__}; no other can be served")
    board = LiveBoard(source, ServedPage(report, NO_REPORT if report is None else FIRST_SEED))
    try:
        run(board, lambda address: say(f"in a browser, until Ctrl-C: {address}"), lambda: False)
    except KeyboardInterrupt:
        if board.state.end is None:
            raise
    return 0


def _draw(source: Source) -> int:
    """Draw until the stream ends. Returns 1 if the terminal has gone."""
    try:
        follow(Viewer(source), sys.stdout, time.sleep, to_the_end=True)
    except OSError:
        return 1
    return 0
