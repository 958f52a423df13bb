"""A run in browsers, the arbiter's side: the process that serves its progress and its page of results.

The process reads the stream from a file at its own pace, so nothing here ever waits for it while matches are played. It ends with
its stdin; the arbiter waits a moment for that, in which readers fetch the last page.
"""

import os
import select
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Self

from khiva_arena.competition.events_file import EventsFile
from khiva_arena.sandbox.reap import MARK, end_helper
from khiva_arena.sandbox.stops import block
from khiva_arena.say import Say

START_SECONDS = 20.0
END_SECONDS = 4.0


class LiveWeb:
    """The address at which one run is served. Leaving the block closes it. Raises OSError if there is no room for its files.

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
        # Its mark differs from that of strays that bots leave behind, and a later run ends it if we are dead.
        environment = os.environ | {MARK: f"{os.getpid()}-web", "OPENBLAS_NUM_THREADS": "1"}
        try:
            with block((signal.SIGINT,)):
                self._process = subprocess.Popen(
                    [sys.executable, "-P", "-m", "khiva_arena.web.watching", str(descriptor), str(self.page), self._folder],
                    stdin=subprocess.PIPE,  # its end shows the process that we are done, or dead
                    stdout=subprocess.PIPE,
                    start_new_session=True,  # Ctrl-C is for the arbiter
                    pass_fds=[descriptor],
                    env=environment,
                    text=True,
                )
            self._say_address()
        except OSError as error:
            self._say(f"nothing is served: {error}", warning=True)
        finally:
            os.close(descriptor)
        return self

    def _say_address(self) -> None:
        """Say the address before the first match, and to the terminal alone: whoever knows the address can read the page."""
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
