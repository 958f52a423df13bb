"""The traces of the arena's own failures at one entry, batch or page of a league, only
for its organiser.

Each lies in a file of its own below ``FOLDER``. Strangers may bring failures about, so
the files are few, short and harmless on a terminal.
"""

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from traceback import format_exception, format_exception_only

from khiva_arena import __version__
from khiva_arena.arbiter.failure import MOST_TRACE
from khiva_arena.common.text import harmless
from khiva_arena.errors import ArenaError
from khiva_arena.records.store import private
from khiva_arena.records.store.new_file import new_file

FOLDER = "failures"
"""The folder of the league that holds the files."""
MOST_FILES = 100
MOST_WORDS = 300
_BEGINNING = b"khiva-arena "


def keep(folder: Path, subject: str, error: BaseException) -> str:
    """Keep the trace of an error in the folder of a league, and return in a line what
    the error is and where its trace lies.

    subject: what failed, as in "entry-7": the name of the file, whose older trace is
        replaced
    """
    return keep_trace(
        folder,
        subject,
        *("".join(part(error)) for part in (format_exception_only, format_exception)),
    )


def keep_trace(folder: Path, subject: str, words: str, trace: str) -> str:
    """Keep a trace, as ``keep`` does. ``words``: the error as the end of the trace has
    it.
    """
    words = harmless(" ".join(words.split()), MOST_WORDS)
    path = folder / FOLDER / f"{subject}.txt"
    trace = harmless(trace[-MOST_TRACE:], keep="\n\t")
    head = f"khiva-arena {__version__}, {datetime.now(UTC).isoformat(timespec='seconds')}\n"
    try:
        private.make_folder(path.parent)
        with new_file(path, replaces=_BEGINNING, mode=private.FILE) as file:
            file.write(f"{head}{trace}".encode())
    except (ArenaError, OSError) as problem:
        return f"{words}; its trace cannot be kept: {problem}"
    with suppress(OSError):  # one that stays does no harm
        _remove_older(path.parent)
    return f"{words}; its trace is in {path}"


def _remove_older(folder: Path) -> None:
    files = sorted(folder.glob("*.txt"), key=_age)
    for path in files[:-MOST_FILES]:
        with suppress(OSError):
            path.unlink()


def _age(path: Path) -> int:
    """Return when a file was written; 0 if the file is gone."""
    try:
        return path.lstat().st_mtime_ns
    except OSError:
        return 0
