"""The file, or FIFO, to which a stream of events is added. Nothing here waits for a
reader while matches are played.
"""

import errno
import fcntl
import os
import select
import stat
import tempfile
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from khiva_arena.common.stream import LONGEST_LINE, NotAStream, StreamReader
from khiva_arena.competition.settings.settings import Settings
from khiva_arena.entrants.bots import Bot
from khiva_arena.errors import ConfigError

MOST_WAITING = 8 << 20
"""Bytes that a reader of a FIFO may be behind before it loses the stream."""
PATIENCE_SECONDS = 5.0


class TooSlow(OSError):
    """An error for a FIFO whose reader does not keep up."""

    def __init__(self) -> None:
        super().__init__(errno.EAGAIN, "its reader does not keep up")


class EventsFile:
    """An open file or FIFO.

    fifo: whether it is a FIFO
    name: the words for the use of the file, for the warning when it can no longer be
        written
    """

    def __init__(self, descriptor: int, *, fifo: bool, name: str = "the stream of events") -> None:
        self._descriptor = descriptor
        self.fifo, self.name = fifo, name
        self._waiting: deque[bytes] = deque()
        self._behind = 0

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a file or FIFO to add to it. Raises ConfigError if that is not possible,
        or if it holds something else.
        """
        try:
            fifo = _is_fifo(path)
            flags = (
                os.O_WRONLY | os.O_NONBLOCK
                if fifo
                else os.O_RDWR | os.O_CREAT | os.O_APPEND | _no_link(path)
            )
            descriptor = os.open(path, flags | os.O_NOCTTY, 0o666)
        except OSError as error:
            reason = (
                "it is a link, which is not followed"
                if error.errno == errno.ELOOP
                else error.strerror
            )
            reason = (
                "nobody reads this FIFO; start its reader first"
                if error.errno == errno.ENXIO
                else reason
            )
            raise ConfigError(f"--events-file {path}: {reason}") from None
        except ValueError as error:  # a NUL in the name
            raise ConfigError(f"--events-file {path!r}: {error}") from None
        file = cls(descriptor, fifo=fifo)
        try:
            if not fifo:
                file._check(path)
        except BaseException:
            file.close()
            raise
        return file

    @classmethod
    def unnamed(cls, folder: Path, name: str) -> Self:
        """Make a file without a name on the disk of a folder, for a reader of the arena
        itself. Raises OSError.
        """
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
            descriptor = os.dup(file.fileno())
        return cls(descriptor, fifo=False, name=name)

    def _check(self, path: Path) -> None:
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ConfigError(
                f"--events-file {path}: another run writes to it; name another file"
            ) from None
        except OSError as error:
            if error.errno not in (
                errno.EOPNOTSUPP,
                errno.ENOLCK,
                errno.EINVAL,
            ):  # a file system without locks does without
                raise
        if self.size:
            try:
                first = os.pread(self._descriptor, LONGEST_LINE, 0).partition(b"\n")[0]
                if not list(StreamReader().feed(first + b"\n")):
                    raise NotAStream("its first line is empty")
            except (NotAStream, OSError) as error:
                raise ConfigError(
                    f"--events-file {path}: it is no stream of events ({error}); name another file"
                ) from None
            if os.pread(self._descriptor, 1, self.size - 1) != b"\n":
                self.write(b"\n")  # the last run was cut short in a line

    @property
    def size(self) -> int:
        """The bytes that a file holds."""
        return os.fstat(self._descriptor).st_size

    def reading(self, start: int) -> int:
        """Return another descriptor, which reads the file from ``start`` on; the caller
        closes it. Raises OSError.
        """
        descriptor = os.open(f"/proc/self/fd/{self._descriptor}", os.O_RDONLY)
        os.lseek(descriptor, start, os.SEEK_SET)
        return descriptor

    def write(self, data: bytes) -> None:
        """Add lines. Raises OSError if the disk is full, or the reader of a FIFO has
        gone or is too slow.
        """
        self._waiting.append(data)
        self._behind += len(data)
        self._pass_on()
        if self._behind > MOST_WAITING:
            raise TooSlow

    def drain(self) -> None:
        """Wait for the reader of a FIFO, as long as it keeps reading: not for use while
        matches are played. Raises OSError.
        """
        until = time.monotonic() + PATIENCE_SECONDS
        while self._waiting:
            if not select.select([], [self._descriptor], [], max(0.0, until - time.monotonic()))[1]:
                raise TooSlow
            self._pass_on()
            until = time.monotonic() + PATIENCE_SECONDS

    def _pass_on(self) -> None:
        while self._waiting:
            data = self._waiting[0]
            try:
                count = os.write(self._descriptor, data)
            except BlockingIOError:
                return
            self._behind -= count
            if count == len(data):
                self._waiting.popleft()
            else:
                self._waiting[0] = data[count:]

    def close(self) -> None:
        """Close the file. Lines that a reader did not take are lost."""
        os.close(self._descriptor)


def _no_link(path: Path) -> int:
    """Return the flag by which a link to a file is not followed, 0 for links of the
    system: /dev/stdout names an open file.
    """
    return (
        0
        if path.parent.resolve().is_relative_to("/proc") or path.parent.resolve() == Path("/dev")
        else os.O_NOFOLLOW
    )


def _is_fifo(path: Path) -> bool:
    """Tell whether a path is a FIFO. Raises OSError if it is neither a FIFO nor a file,
    and no file can be made there.
    """
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return False
    if stat.S_ISDIR(mode):
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
        raise OSError(errno.EINVAL, "it is neither a file nor a FIFO")
    return stat.S_ISFIFO(mode)


def check_files(settings: Settings, entrants: Sequence[Bot]) -> None:
    """Raise ConfigError if the stream of events or the page of results cannot be
    written, or lies among files that are not its own.

    Such files are the store, a bot's folder, and the other of the two.
    """
    for flag, file in (("--events-file", settings.events_file), ("--report", settings.report)):
        if file is None:
            continue
        place = file.resolve()
        if place.is_relative_to(settings.out.resolve()):
            raise ConfigError(
                f"{flag} {file}: lies in the store {settings.out}; name a file elsewhere"
            )
        for bot in entrants:
            if bot.home and place.is_relative_to(Path(bot.home).resolve()):
                reason = f"lies in the folder of bot {bot.name}, which it would make another bot"
                raise ConfigError(f"{flag} {file}: {reason}; name a file elsewhere")
    if settings.events_file is not None and not (folder := settings.events_file.parent).is_dir():
        reason = os.strerror(errno.ENOTDIR if folder.exists() else errno.ENOENT)
        raise ConfigError(f"--events-file {settings.events_file}: {reason}")
    if settings.report is not None:
        if (
            settings.events_file is not None
            and settings.events_file.resolve() == settings.report.resolve()
        ):
            raise ConfigError(
                f"--report {settings.report}: --events-file names this file, too; name another one"
            )
        from khiva_arena.display.page.html import BEGINNING  # not above: most runs write no page
        from khiva_arena.records.store.new_file import check_new_file

        check_new_file(settings.report, replaces=BEGINNING)
