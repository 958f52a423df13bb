"""How wide what is printed may be: COLUMNS, else the terminal."""

import os
import shutil
import sys

from khiva_arena.report.text import WIDTH

NARROWEST = 40  # columns of a terminal; in fewer no table fits


def table_width() -> int:
    """What tables have to fit. What does not go to a terminal is 100 wide, so that files do not differ."""
    return _told() or WIDTH


def list_width() -> int:
    """What lists have to fit. What does not go to a terminal has each thing on one line, for grep and its like."""
    return _told() or sys.maxsize


def _told() -> int:
    """0 where there is no terminal and COLUMNS says nothing."""
    told = os.environ.get("COLUMNS", "")
    if told.isdecimal() and int(told) > 0:
        return max(NARROWEST, int(told))
    if sys.stdout is None or not sys.stdout.isatty():
        return 0
    return max(NARROWEST, shutil.get_terminal_size((WIDTH, 24)).columns)
