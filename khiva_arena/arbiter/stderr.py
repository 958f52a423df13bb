"""The notes of a bot: the kept parts of its stderr, with a mark before the text after
each request.

Notes are shown so that a bot cannot write a mark itself. Lines that runtimes write at
each start because of the sandbox, word for word, are left out of them. Text that a bot
writes is never left out: only whole lines of that list are, and only at the start.
"""

import re
from collections import deque
from collections.abc import Iterator

import msgspec

from khiva_arena.common.text import harmless, printable
from khiva_arena.words import count

NOTES_KEPT = 8_192
# No text that a bot wrote has this character in it: ``printable`` makes an escape of
# it.
MARK = "\x1e"
MARK_COSTS = 32
"""Bytes that a mark counts as: a bot that writes a byte a turn must not fill a store
with marks.
"""
INDENT = "  "
NOT_STARTED = "cannot be started: "
"""The beginning of notes about a process that could not be started; the reason follows,
which may name the program's folder.
"""
# The author of a bot knows only the name of a staged file, not its path. A match begins
# where a path can begin: tried at every letter, a long line without a blank would take
# its square.
_STAGED = re.compile(r"(?<![^\s\"'(])[^\s\"'(]*/staged/[0-9a-f]{64}/")
_MARK_LINE = re.compile(f"{MARK}[^\n]*\n")
_OF_NODE = re.compile(r"^ *at [^\n]*\bnode:internal/[^\n]*\n?|\n?^Node\.js v[\d.]+$", re.MULTILINE)

RUBY = "<main>: warning: timer_create failed: Resource temporarily unavailable, signals racy\n"
MONO = (
    'mono_thread_internal_set_priority: pthread_setschedparam failed, error: "Operation not '
    'permitted" (1)\n'
)
JAVA = "Picked up JAVA_TOOL_OPTIONS: {options}\n"


def incomplete_size(data: bytes | bytearray) -> int:
    """Return the number of bytes at the end that begin an incomplete UTF-8
    character.
    """
    for back, byte in enumerate(reversed(data[-3:]), 1):
        if byte >= 0xC0:
            return back if back < 2 + (byte >= 0xE0) + (byte >= 0xF0) else 0
        if byte < 0x80:
            break
    return 0


class _Part(msgspec.Struct):
    """Bytes written between two requests.

    turn: number of the step and kind of the first request, None before any
    data: the bytes; none beside a remark
    remark: a line of the arbiter's in their place, "" for none
    """

    turn: tuple[int, str] | None
    data: bytearray
    remark: str = ""

    @property
    def cost(self) -> int:
        """The bytes that it counts for beyond its data."""
        return MARK_COSTS + len(self.remark)


class Notes:
    """The first and the last 8 KiB of a bot's stderr, and the number of bytes in all.
    Marks are made only if something was written.
    """

    __slots__ = ("_head", "_room", "_tail", "_tail_size", "_turn", "total")

    def __init__(self) -> None:
        self.total = 0
        self._turn: tuple[int, str] | None = None
        self._head: list[_Part] = []
        self._room = NOTES_KEPT
        self._tail: deque[_Part] = deque()
        self._tail_size = 0

    def begin_turn(self, step: int, kind: str) -> None:
        """Note that the bot is now sent a request: bytes added from here on were
        written after it.
        """
        self._turn = (step, kind)

    def add(self, data: bytes) -> None:
        """Take in more bytes; bytes between head and tail are dropped."""
        self.total += len(data)
        if self._room > 0:
            self._room -= self._begin_part(self._head)
            beginning = data[: max(self._room, 0)]
            self._head[-1].data += beginning
            self._room -= len(beginning)
            data = data[len(beginning) :]
        if data:
            self._tail_size += self._begin_part(self._tail) + len(data)
            self._tail[-1].data += data
            self._trim()

    def remark(self, line: str) -> None:
        """Add a line of the arbiter's, made harmless. It is none of the bot's bytes."""
        part = _Part(None, bytearray(), printable(" ".join(line.split()).encode()))
        if self._room > 0:
            self._head.append(part)
            self._room -= part.cost
        else:
            self._tail.append(part)
            self._tail_size += part.cost
            self._trim()

    def _begin_part(self, parts: "list[_Part] | deque[_Part]") -> int:
        """Begin a part for this turn if the last part belongs to another turn. Return
        the bytes that it counts for.
        """
        if parts and parts[-1].turn == self._turn and not parts[-1].remark:
            return 0
        parts.append(_Part(self._turn, bytearray()))
        return MARK_COSTS

    def _trim(self) -> None:
        while (excess := self._tail_size - NOTES_KEPT) > 0:
            first = self._tail[0]
            if excess < len(first.data):
                del first.data[:excess]
                self._tail_size -= excess
            else:
                self._tail.popleft()
                self._tail_size -= len(first.data) + first.cost

    def text(self) -> str:
        """Return head and tail as text. A line that begins with MARK is the arbiter's.

        "[step 12: boost]" stands before the text written after the request of that step
        came. Another mark tells the bytes dropped, if any were. Remarks stand where
        they were made.
        """
        size = sum(len(part.data) for part in (*self._head, *self._tail))
        return "".join(self._pieces(self.total - size))

    def _pieces(self, dropped: int) -> Iterator[str]:
        head, tail = list(self._head), list(self._tail)
        line_ended = True
        turn: tuple[int, str] | None = None
        for parts, before in ((head, 0), (tail, dropped)) if dropped else ((head + tail, 0),):
            if before:
                yield ("" if line_ended else "\n") + f"{MARK}[... {before} bytes dropped ...]\n"
                line_ended, turn = True, None
            for part in _with_whole_characters(parts):
                if part.remark:
                    yield ("" if line_ended else "\n") + f"{MARK}[{part.remark}]\n"
                    line_ended, turn = True, None
                text = printable(part.data)
                if text and part.turn and part.turn != turn:
                    yield (
                        "" if line_ended else "\n"
                    ) + f"{MARK}[step {part.turn[0]}: {part.turn[1]}]\n"
                    line_ended, turn = True, part.turn
                if text:
                    yield text
                    line_ended = text.endswith("\n")


def _with_whole_characters(parts: list[_Part]) -> Iterator[_Part]:
    """Yield the parts with whole characters: a character that is split between two
    parts is in the later one.
    """
    rest = bytearray()
    for number, part in enumerate(parts, 1):
        if part.remark:
            yield part
            continue
        data = rest + part.data
        cut = len(data) - (incomplete_size(data) if number < len(parts) else 0)
        rest = data[cut:]
        yield _Part(part.turn, data[:cut])


def without_marks(notes: str) -> str:
    """Return the bot's own text in a text of notes."""
    return _MARK_LINE.sub("", notes)


def last_line(notes: str) -> str:
    """Return the last line of notes, "" if there is none."""
    return notes.strip().rpartition("\n")[2]


def in_its_folder(notes: str) -> str:
    """Return notes with the paths of the bot's own files as its author knows them:
    ``main.py`` without the folder where it is staged.
    """
    return _STAGED.sub("", notes)


def for_its_author(notes: str) -> str:
    """Return notes without the arbiter's marks, with the paths that the author knows,
    and without frames of node itself, which would be all that is seen of the end of a
    traceback.
    """
    return _OF_NODE.sub("", in_its_folder(without_marks(notes)))


def for_people(notes: str) -> str:
    """Format a text of notes for people: marks stand at the margin, the bot's text is
    indented, so it can write no mark.

    Notes of a store that somebody sent may hold anything.
    """
    lines = in_its_folder(notes).rstrip("\n").split("\n")
    return "\n".join(
        harmless(line[1:] if line.startswith(MARK) else f"{INDENT}{line}".expandtabs())
        for line in lines
    )


def notes_of(seat: int, notes: str, total: int) -> str:
    """Format a seat's notes of stderr, ``total`` bytes in all, with a heading. The
    bot's lines are indented, the arbiter's marks are not.
    """
    return f"--- stderr of seat {seat}" + (
        f" ({count(total, 'byte')})\n{for_people(notes)}" if notes else ": nothing"
    )


def noise_lines(java_options: str) -> tuple[bytes, ...]:
    """Return the lines. ``java_options``: the value of JAVA_TOOL_OPTIONS, which every
    JVM reports.
    """
    return tuple(line.encode() for line in (RUBY, MONO, JAVA.format(options=java_options)))


class Quiet:
    """A filter of a bot's stderr: it takes out lines of runtimes at the beginning, and
    passes everything else.
    """

    __slots__ = ("_lines", "_pending")

    def __init__(self, noise: tuple[bytes, ...]) -> None:
        self._lines = noise
        self._pending = b""

    def take(self, data: bytes) -> bytes:
        """Take in more of the stderr. Return the bot's own text in it and in the bytes
        held back, b"" while that is not known.
        """
        if not self._lines:
            return data
        text = self._pending + data
        while prefix := next((line for line in self._lines if text.startswith(line)), b""):
            text = text[len(prefix) :]
        if any(line.startswith(text) for line in self._lines):
            self._pending = text
            return b""
        self._lines, self._pending = (), b""
        return text

    def rest(self) -> bytes:
        """Return the bytes held back, once the output has ended."""
        pending, self._pending = self._pending, b""
        return pending
