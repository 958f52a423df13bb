"""The bytes that a build has written, watched while it runs, since no level can limit a
folder's size.
"""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from types import TracebackType

from khiva_arena.bots.sandbox.limits import size_in_words

LOOK_SECONDS = 0.2
LEAST_OF_AN_ENTRY = 4096
"""Bytes that each file or folder counts at least: it costs the disk something, even if
it is empty.
"""
SHARE = 4
"""The pause before the next look, as a multiple of how long the last one took: watching
a large build must not slow it down.
"""


def weight(folder: Path, limit: int) -> int:
    """Return the sizes of all files below a folder, however sparse; counted up to a
    little more than ``limit``.

    Files that disappear meanwhile count as nothing. Raises OSError if a folder cannot
    be looked into, such as one too deep.
    """
    total = 0
    todo = [str(folder)]
    while todo and total <= limit:
        path = todo.pop()
        with suppress(FileNotFoundError), _entries(path) as entries:
            for entry in entries:
                total += LEAST_OF_AN_ENTRY
                with suppress(FileNotFoundError):
                    if entry.is_dir(follow_symlinks=False):
                        todo.append(entry.path)
                    elif entry.is_file(follow_symlinks=False):
                        total += entry.stat(follow_symlinks=False).st_size
                if total > limit:
                    break
    return total


def _entries(path: str) -> AbstractContextManager[Iterator[os.DirEntry[str]]]:
    """Open a folder for listing, with its modes widened if they close it: all of it
    becomes readable anyway when it is staged.
    """
    try:
        return os.scandir(path)
    except PermissionError:
        os.chmod(path, 0o700)
        return os.scandir(path)


class WeightWatch:
    """A watch on a folder's weight, in a thread of its own until the context ends, with
    one last look then.

    error: the one that kept it from looking, None if none did.
    """

    def __init__(self, folder: Path, limit: int) -> None:
        self._folder = folder
        self._limit = limit
        self._why = ""
        self.error: OSError | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "WeightWatch":
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._thread.join()
        self._look()

    def is_over(self) -> bool:
        """Tell whether the limit was exceeded."""
        return bool(self._why)

    def reason(self) -> str:
        """Return in words which limit was exceeded, "" if none."""
        return self._why

    def _watch(self) -> None:
        wait = LOOK_SECONDS
        while not self._why and not self._stop.wait(wait):
            began = time.monotonic()
            self._look()
            wait = max(LOOK_SECONDS, SHARE * (time.monotonic() - began))

    def _look(self) -> None:
        try:
            if weight(self._folder, self._limit) > self._limit:
                size = size_in_words(self._limit)
                self._why = (
                    f"its build has made its folder larger than {size}; delete files in the "
                    "build, or raise --limit build_size"
                )
        except OSError as error:
            self.error = error
            self._why = f"its build has made a folder that cannot be looked into: {error.strerror}"
