"""Memory that holds all files that a bot may read, before the bot starts.

Otherwise a bot could leave its next match a note by the files that it touched. The next
match would read it by the page faults that have to wait for the disk.

Helpers of this process (keeper.py) hold the files mapped, and locked if they may. If
they may not, they look before each start whether any page has left, and have it read
again. They end with this process.
"""

import atexit
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

KEEPER = str(Path(__file__).with_name("keeper.py"))
FILES_EACH = 50_000
"""Most files for one keeper: the system bounds how many files one process maps
(vm.max_map_count).
"""
SHARE = 0.4
"""Largest share of the available memory that is kept."""
FRESH_SECONDS = 0.1
"""Seconds without a further look: the bots of a match start one after another, and
nothing leaves memory in between.
"""


class Keepers:
    """The keepers of this process."""

    def __init__(self) -> None:
        self._keepers: list[subprocess.Popen[str]] = []
        self._folders: set[str] = set()
        self._seen: set[tuple[int, int]] = set()
        self._owner = 0
        self._look_at = 0.0
        self._locked = True
        self.files = self.bytes = 0
        self.refusal = ""

    def keep(self, folders: Sequence[str]) -> None:
        """Keep these files, and all files below these folders, in memory, with those of
        earlier calls.

        Raises OSError if they are too much for this machine or cannot be kept.
        """
        if not self._owner:
            self._owner = os.getpid()
            atexit.register(self.close)
        new = [folder for folder in folders if folder not in self._folders]
        if any(keeper.poll() is not None for keeper in self._keepers):
            self.close()
            new = list(folders)
        if new:
            self._add(new)
        if not self._locked and time.monotonic() - self._look_at >= FRESH_SECONDS:
            self._ask([[] for _ in self._keepers])

    def _add(self, folders: list[str]) -> None:
        paths, size = [], 0
        for folder in folders:
            for path, status in _files(folder):
                # One file may have several names.
                if (status.st_dev, status.st_ino) not in self._seen and status.st_size:
                    self._seen.add((status.st_dev, status.st_ino))
                    paths.append(path)
                    size += status.st_size
        limit = SHARE * _available()
        if size > limit:
            self.close()
            raise OSError(
                f"{size >> 20} MiB of files are too much to keep in memory, of which "
                f"{int(limit) >> 20} MiB may be taken"
            )
        for at in range(0, len(paths), FILES_EACH):
            self._keepers.append(
                subprocess.Popen(
                    [sys.executable, "-I", "-S", KEEPER],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                    # Ctrl-C is for this process, which needs its keepers until its bots
                    # have ended.
                    start_new_session=True,
                )
            )
            self._ask([*([None] * (len(self._keepers) - 1)), paths[at : at + FILES_EACH]])
        self._folders |= set(folders)

    def _ask(self, lists: list[list[str] | None]) -> None:
        """Give each keeper a list of files to add, None for one that is left alone, and
        wait until all is in memory.
        """
        requests = [
            (keeper, paths)
            for keeper, paths in zip(self._keepers, lists, strict=True)
            if paths is not None
        ]
        try:
            for keeper, paths in requests:
                assert keeper.stdin
                keeper.stdin.write(json.dumps(paths) + "\n")
                keeper.stdin.flush()
            for keeper, paths in requests:
                assert keeper.stdout
                reply = json.loads(keeper.stdout.readline())
                if reply["error"]:
                    raise OSError(f"files cannot be kept in memory: {reply['error']}")
                self._locked = self._locked and reply["locked"]
                if paths:
                    self.files += reply["files"]
                    self.bytes += reply["bytes"]
        except (BrokenPipeError, ValueError):
            self.close()
            raise OSError(
                "the process that kept files in memory has died; is memory short?"
            ) from None
        self._look_at = time.monotonic()

    def close(self) -> None:
        """End the keepers and wait for that."""
        keepers, self._keepers = self._keepers, []
        self._folders, self._seen, self._locked = set(), set(), True
        self.files = self.bytes = 0
        # A fork of this process has the keepers in its list, too, and must not end
        # them.
        for keeper in keepers if self._owner == os.getpid() else ():
            assert keeper.stdin
            assert keeper.stdout
            keeper.kill()
            keeper.wait()
            keeper.stdin.close()
            keeper.stdout.close()


KEEPERS = Keepers()
ALSO_AT_STANDARD = "KHIVA_ARENA_WARM"
"""An environment variable: if it is 1, files are kept in memory at level standard,
too.
"""


def keep(folders: Sequence[str]) -> None:
    """Keep all files below these folders in memory, if possible; ``refusal()`` says why
    it was not.

    A bot is started either way: docs/isolation.md names the loss.
    """
    try:
        KEEPERS.keep(folders)
        KEEPERS.refusal = ""
    except OSError as error:
        KEEPERS.refusal = str(error)


def refusal() -> str:
    """Return why files could not be kept in memory when a bot of this run was last
    started so, "" if they could or no bot was.
    """
    return KEEPERS.refusal


def forget_refusal() -> None:
    """Forget the refusals of an earlier run, before a new one."""
    KEEPERS.refusal = ""


def _files(top: str) -> Iterable[tuple[str, os.stat_result]]:
    """Yield all regular files below a folder, or the file itself; links are not
    followed below the top.
    """
    if not os.path.isdir(top):
        todo, paths = [], [top]
    else:
        todo, paths = [top], []
    while todo or paths:
        while paths:
            path = paths.pop()
            try:
                yield path, os.stat(path)
            except OSError:
                continue  # it is gone, or leads nowhere
        folder = todo.pop() if todo else ""
        try:
            entries = list(os.scandir(folder)) if folder else []
        except OSError:
            continue  # nor may a bot
        todo += [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
        paths = [entry.path for entry in entries if entry.is_file(follow_symlinks=False)]


def _available() -> int:
    """Return the bytes of memory that could be used now."""
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 0
