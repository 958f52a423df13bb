"""Git, asked for a commit's names and bytes: nothing is checked out, fetched or run,
and its output and time are bounded.

A repository may be a stranger's, its settings included. Three commands are used:
rev-parse, ls-tree and cat-file. They read the object store, and none of them runs a
hook, a filter or an editor.
"""

import os
import re
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import IO, NamedTuple

from khiva_arena.bots.sandbox.limits import MIB
from khiva_arena.common.text import printable
from khiva_arena.errors import ConfigError

SECONDS = 60.0
MOST_NAMES = 32 * MIB
MOST_WORDS = 64 * 1024
PIECE = 1 << 16
_ID = re.compile(rb"(?:[0-9a-f]{40}|[0-9a-f]{64})\n")
_ENTRY = re.compile(rb"(\d{6}) (\w+) ([0-9a-f]+) +(\d+|-|BAD)\t(.+)", re.DOTALL)
_OWNER = re.compile(r"safe\.directory (.+)")
_SETTINGS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "safe.bareRepository=explicit",
    "protocol.allow=never",
)
_KEPT = ("PATH", "HOME", "XDG_CONFIG_HOME", "SUDO_UID")
"""Variables that git is given: where the user says which repositories are trusted. None
of them begins with GIT_.
"""
_SET = {
    "LC_ALL": "C",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
SLOW = f"git took longer than {SECONDS:.0f} s; name a folder without @"
LACKS = (
    "this clone lacks files of the commit; run `git archive {commit} > /dev/null` there once, "
    "which fetches them"
)


class RepositoryPlace(NamedTuple):
    """A folder in the work tree of a repository.

    inside: its path from the top, "" for the top itself.
    is_shallow: True if the clone lacks older commits.
    """

    inside: str
    is_shallow: bool


class TreeEntry(NamedTuple):
    """An entry of a commit's tree.

    mode: its six digits.
    kind: "blob", "tree" or "commit"; a commit is a submodule.
    id: its hash.
    size: of a blob, in bytes; -1 if the clone lacks it, and for other kinds.
    path: from the tree that was listed.
    """

    mode: str
    kind: str
    id: str
    size: int
    path: str


def place_of(folder: str) -> RepositoryPlace:
    """Return where a folder lies in its repository. Raises ConfigError if it lies in
    none, or if git does not trust it.
    """
    try:
        words = ("rev-parse", "--is-shallow-repository", "--is-inside-work-tree", "--show-prefix")
        shallow, inside, prefix = _output(folder, words, MOST_WORDS).split(b"\n", 2)
    except _Failed as error:
        if owner := _OWNER.search(error.said):
            raise ConfigError(
                "git does not read this repository, because another user owns it; if you trust it: "
                f"git config --global --add safe.directory {owner[1]}"
            ) from None
        if "safe.bareRepository" in error.said:
            raise ConfigError(
                "git takes its folder for a bare repository, which has no work tree; clone "
                "it, and name the folder in the clone"
            ) from None
        none = "it lies in no git repository; name a folder without @"
        raise _in_words(error, none if "not a git repository" in error.said else "") from None
    if inside != b"true":
        raise ConfigError("it lies in no work tree of a git repository; name a folder without @")
    return RepositoryPlace(os.fsdecode(prefix.removesuffix(b"\n").rstrip(b"/")), shallow == b"true")


def commit_of(folder: str, revision: str) -> str:
    """Return the hash of the commit that a revision names, "" if there is none. Raises
    ConfigError.
    """
    try:
        found = _output(
            folder, ("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}"), MOST_WORDS
        )
    except _Failed as error:
        if error.code < 0:
            raise _in_words(error) from None
        return ""
    return found.decode().strip() if _ID.fullmatch(found) else ""


def entries(
    folder: str, tree: str, paths: Sequence[str] = (), *, below: bool = False
) -> list[TreeEntry]:
    """Return the entries of a tree: those at ``paths``, from its top; or with ``below``
    all files, at any depth.

    tree: a commit, or COMMIT:PATH for a folder in it

    Raises ConfigError, also for a tree of which git lists more than ``MOST_NAMES``
    bytes.
    """
    words = ("ls-tree", "-z", "-l", "--full-tree", "-r" if below else "-t", tree, "--", *paths)
    try:
        lines = _output(folder, words, MOST_NAMES).split(b"\0")
    except _Failed as error:
        raise _in_words(
            error,
            LACKS.format(commit=tree.partition(":")[0][:12]) if "promisor" in error.said else "",
        ) from None
    return [_entry(line) for line in lines if line]


def _entry(line: bytes) -> TreeEntry:
    match = _ENTRY.fullmatch(line)
    if not match:
        raise ConfigError(
            "git lists an entry that cannot be read; `git fsck` says whether the "
            "repository is damaged"
        )
    mode, kind, digits, size, path = match.groups()
    return TreeEntry(
        mode.decode(),
        kind.decode(),
        digits.decode(),
        int(size) if size.isdigit() else -1,
        os.fsdecode(path),
    )


class Blobs:
    """The contents of a repository's files, by one process of git."""

    def __init__(self, process: "subprocess.Popen[bytes]", ends: float) -> None:
        assert process.stdin
        assert process.stdout
        self._into, self._out = process.stdin, process.stdout
        self._ends = ends
        self._read = bytearray()

    def pieces(self, entry: TreeEntry) -> Iterator[bytes]:
        """Yield the bytes of a file in pieces. Raises ConfigError if the repository
        lacks it, or has another one.
        """
        try:
            self._into.write(f"{entry.id}\n".encode())
            self._into.flush()
        except OSError:
            raise ConfigError(
                "git ended early; `git fsck` says whether the repository is damaged"
            ) from None
        while b"\n" not in self._read:
            self._more()
        head, _, self._read = self._read.partition(b"\n")
        if head.decode("ascii", "replace") != f"{entry.id} blob {entry.size}":
            raise ConfigError(
                f"the repository lacks the contents of {entry.id[:12]}; `git fsck` says "
                "whether the repository is damaged"
            )
        left = entry.size
        while left:
            if not self._read:
                self._more()
            piece = bytes(self._read[:left])
            del self._read[: len(piece)]
            left -= len(piece)
            yield piece
        while not self._read:
            self._more()
        del self._read[:1]  # the line end behind the contents

    def _more(self) -> None:
        _wait([self._out], self._ends)
        piece = os.read(self._out.fileno(), PIECE)
        if not piece:
            raise ConfigError("git ended early; `git fsck` says whether the repository is damaged")
        self._read += piece


@contextmanager
def blobs(folder: str) -> Iterator[Blobs]:
    """Yield the contents of a repository's files. Raises ConfigError."""
    with _started(
        folder, ("cat-file", "--batch"), stdin=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        yield Blobs(process, time.monotonic() + SECONDS)


# --- one process of git ---


class _Failed(Exception):
    """Git ended with an exit code that is not 0. ``said``: on stderr."""

    def __init__(self, code: int, said: str) -> None:
        self.code, self.said = code, said


def _in_words(error: _Failed, known: str = "") -> ConfigError:
    """Return the error to raise. ``known``: the words for the usual reason; else those
    of git are shown.
    """
    said = error.said.strip().splitlines()
    advice = "`git fsck` says whether the repository is damaged"
    return ConfigError(
        known
        or f"git ended with code {error.code}: "
        f"{said[0][:200] if said else 'it said nothing'}; {advice}"
    )


def _output(folder: str, words: Sequence[str], most: int) -> bytes:
    """Return the output of git in a folder, of ``most`` bytes at most. Raises
    ConfigError, and _Failed.
    """
    ends = time.monotonic() + SECONDS
    with _started(folder, words, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stderr
        out, said = bytearray(), bytearray()
        open_streams = [process.stdout, process.stderr]
        while open_streams:
            for stream in _wait(open_streams, ends):
                piece = os.read(stream.fileno(), PIECE)
                if not piece:
                    open_streams.remove(stream)
                elif stream is process.stdout:
                    out += piece
                else:
                    said += piece[: MOST_WORDS - len(said)]
            if len(out) > most:
                raise ConfigError(
                    f"git lists more than {most >> 20} MiB of names, which are not read"
                )
        with suppress(subprocess.TimeoutExpired):
            process.wait(max(ends - time.monotonic(), 0))
        if process.returncode is None:
            raise ConfigError(SLOW)
        if process.returncode:
            raise _Failed(process.returncode, printable(said))
    return bytes(out)


def _wait(streams: Sequence[IO[bytes]], ends: float) -> list[IO[bytes]]:
    """Wait until streams can be read, and return these. Raises ConfigError once it is
    too late.
    """
    poll = select.poll()
    for stream in streams:
        poll.register(stream, select.POLLIN)
    ready = {number for number, _ in poll.poll(max(ends - time.monotonic(), 0) * 1000)}
    if not ready:
        raise ConfigError(SLOW)
    return [stream for stream in streams if stream.fileno() in ready]


@contextmanager
def _started(
    folder: str, words: Sequence[str], stdin: int, stderr: int
) -> "Iterator[subprocess.Popen[bytes]]":
    """Start git, and end it with all that it has started, if it has not ended."""
    program = shutil.which("git")
    if program is None:
        raise ConfigError("git is not on this machine; install it, or name a folder without @")
    settings = [word for setting in _SETTINGS for word in ("-c", setting)]
    process = subprocess.Popen(
        [
            program,
            "--no-pager",
            "--no-replace-objects",
            "--literal-pathspecs",
            *settings,
            "-C",
            folder,
            *words,
        ],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=stderr,
        env={name: os.environ[name] for name in _KEPT if name in os.environ} | _SET,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.returncode is None:  # it was not waited for, so its number is still its own
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream:
                with suppress(OSError):  # words for a process that has ended
                    stream.close()
