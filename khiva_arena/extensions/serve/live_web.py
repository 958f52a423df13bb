"""A run in browsers, the arbiter's side: the process that serves its progress and its
page of results.

The process reads the stream from a file at its own pace, so nothing here ever waits for
it while matches are played. It ends with its stdin; the arbiter waits a moment for
that, in which readers fetch the last page.
"""

import os
import select
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Self

from khiva_arena.bots.sandbox.reap import end_helper, start_helper
from khiva_arena.common.say import Say
from khiva_arena.competition.run.events_file import EventsFile
from khiva_arena.extensions import serve as web

START_SECONDS = 20.0
END_SECONDS = 4.0


class LiveWeb:
    """The address at which one run is served. Leaving the block closes it. Raises
    OSError if there is no room for its files.

    page: the page of results that is shown, which another process writes
    listener: the file to which the stream is written
    """

    def __init__(self, report: Path | None, say: Say) -> None:
        self._folder = tempfile.mkdtemp(prefix="khiva-arena-web-")
        self.page = report or Path(self._folder, "page.html")
        self.listener = EventsFile.unnamed(Path(self._folder), "what is served")
        self._say = say
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        descriptor = self.listener.reading(0)
        words = [f"{web.__name__}.watching", str(descriptor), str(self.page), self._folder]
        pipe = subprocess.PIPE  # the end of its stdin shows the process that we are done, or dead
        try:
            self._process = start_helper(
                "web", words, stdin=pipe, stdout=pipe, pass_fds=[descriptor], text=True
            )
            self._say_address()
        except OSError as error:
            self._say(f"nothing is served: {error}", warning=True)
        finally:
            os.close(descriptor)
        return self

    def _say_address(self) -> None:
        """Say the address before the first match, and to the terminal alone: whoever
        knows the address can read the page.
        """
        assert self._process is not None
        assert self._process.stdout is not None
        readable = select.select([self._process.stdout], [], [], START_SECONDS)[0]
        address = self._process.stdout.readline().strip() if readable else ""
        if address:
            self._say(f"this run in a browser, while it lasts: {address}")
        else:
            self._say("nothing is served: the process that serves did not start", warning=True)

    def __exit__(self, *_: object) -> None:
        process, self._process = self._process, None
        if process is not None:
            end_helper(process, END_SECONDS)
        _remove(Path(self._folder))


def _remove(folder: Path) -> None:
    for path in folder.iterdir() if folder.exists() else ():
        path.unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()
