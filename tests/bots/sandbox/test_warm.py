"""Two matches of one bot, the first of which leaves a note by what it reads: where
files are kept warm there is nothing to read.

Level strict keeps them warm always; standard does so with KHIVA_ARENA_WARM=1, which is
how most of this is tested.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from levels import SUPPORT
from tools import lacks, need
from wording import sentence

from khiva_arena.bots.sandbox import cell as isolation
from khiva_arena.bots.sandbox import needed, warm
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Level, Sandbox

pytestmark = pytest.mark.slow

PYTHON = "/usr/bin/python3"
SPY = str(SUPPORT / "spy.py")
BITS = (1, 0, 1, 1, 0, 0, 1, 0)
APART = 16
"""Pages from one bit to the next: farther than the system maps at once."""


@pytest.fixture
def keeping(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv(warm.ALSO_AT_STANDARD, "1")
    yield
    warm.KEEPERS.close()


def started(
    words: tuple[str, ...], more: tuple[str, ...] = (), level: Level = Level.STANDARD
) -> str:
    """What a bot of these words says, started as for a match."""
    cell = isolation.cell(Command(words, "/", {}, more), Sandbox(level), "test", for_a_match=True)
    try:
        done = subprocess.run(
            cell.argv,
            cwd=cell.folder,
            env=cell.environment,
            pass_fds=cell.descriptors,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
    finally:
        cell.clean()
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def cold_file() -> str:
    """A file of Python's own that no match needs, out of memory. Skips where the system
    keeps it there.
    """
    warm.KEEPERS.close()
    path = next(
        path
        for path in sorted(Path("/usr/lib").glob("python3*/pydoc_data/topics.py"))
        if path.stat().st_size > 600_000
    )
    with path.open("rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return str(path)


def notes_through(path: str) -> tuple[list[int], list[int]]:
    """What it costs to leave the bits, and what it costs to look for them in the next
    match.
    """
    pages = [(number + 1) * APART for number in range(len(BITS))]
    touched = ",".join(str(page) for page, bit in zip(pages, BITS, strict=True) if bit)
    left = started((PYTHON, "-I", "-S", SPY, path, touched), (SPY,))
    read = started((PYTHON, "-I", "-S", SPY, path, ",".join(map(str, pages))), (SPY,))
    return [int(cost) for cost in left.split()], [int(cost) for cost in read.split()]


def sizes(folder: str) -> list[tuple[str, int]]:
    """All regular files below a folder with their sizes."""
    paths = [os.path.join(top, name) for top, _, names in os.walk(folder) for name in names]
    return [
        (path, os.lstat(path).st_size)
        for path in paths
        if os.path.isfile(path) and not os.path.islink(path)
    ]


@pytest.mark.usefixtures("standard")
def test_a_note_can_be_left_where_files_are_not_kept_warm() -> None:
    """The attack that the next test is about works; a machine without a disk behind its
    files has none to make, and one that lacks memory may throw a note away.
    """
    for _ in range(3):
        left, read = notes_through(cold_file())
        if not any(left):
            lacks("the system keeps files in memory here whatever is asked of it", may=True)
        if (note := tuple(int(cost == 0) for cost in read)) == BITS:
            break
    assert note == BITS


@pytest.mark.soak
@pytest.mark.usefixtures("keeping")
@pytest.mark.parametrize("level", [Level.STRICT, Level.STANDARD], indirect=True)
def test_no_note_can_be_read_where_files_are_kept_warm(level: Level) -> None:
    left, read = notes_through(cold_file())
    assert warm.refusal() == ""
    assert (set(left), set(read)) == ({0}, {0}), (
        "every page was there, in the first match as in the second"
    )
    whole = sum(size for _, size in sizes("/usr"))
    assert 100 << 20 < warm.KEEPERS.bytes < 0.8 * whole, "and not by reading all of /usr"


@pytest.mark.usefixtures("keeping")
def test_what_left_memory_is_there_again_at_the_next_start(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As for an ordinary user, who may not lock files in memory: a helper looks before
    each start.
    """
    monkeypatch.setattr(warm, "FRESH_SECONDS", 0.0)
    file = tmp_path / "file"
    file.write_bytes(bytes(1 << 20))
    os.sync()
    warm.KEEPERS.close()
    warm.keep([str(file)])
    assert (warm.refusal(), warm.KEEPERS.files, warm.KEEPERS.bytes) == ("", 1, 1 << 20)
    asked = []
    monkeypatch.setattr(warm.KEEPERS, "_locked", False)
    ask = warm.KEEPERS._ask
    monkeypatch.setattr(warm.KEEPERS, "_ask", lambda lists: (asked.append(lists), ask(lists))[1])
    warm.keep([str(file)])
    assert asked == [[[]]]


@pytest.mark.usefixtures("keeping")
def test_a_helper_that_dies_is_replaced(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(bytes(1 << 20))
    warm.KEEPERS.close()
    warm.keep([str(file)])
    (keeper,) = warm.KEEPERS._keepers
    keeper.kill()
    keeper.wait()
    warm.keep([str(file)])
    assert warm.refusal() == ""
    assert [one.poll() for one in warm.KEEPERS._keepers] == [None]


@pytest.mark.usefixtures("standard")
@pytest.mark.usefixtures("keeping")
def test_too_much_is_said_and_the_bot_starts_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    warm.KEEPERS.close()
    monkeypatch.setattr(warm, "SHARE", 0.0)
    assert started((PYTHON, "-c", "print(1)")) == "1\n"
    assert sentence("sandbox", "mib-files-too-much") in warm.refusal()
    isolation.sweep(Level.STANDARD)
    assert warm.refusal() == "", "the next run of this process has not been refused anything"


def test_what_can_be_kept_again_is_refused_no_longer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.write_bytes(bytes(1 << 20))
    warm.KEEPERS.close()
    with monkeypatch.context() as patch:
        patch.setattr(warm, "SHARE", 0.0)
        warm.keep([str(file)])
    assert warm.refusal().startswith(
        sentence("sandbox", "mib-files-too-much-2", size="1", limit="0")
    )
    warm.keep([str(file)])
    assert warm.refusal() == ""


# Each says "yes" and loads more than its bare self.
RUNTIMES = {
    "python3": ("-c", "import json, ssl, sqlite3, ctypes; print('yes')"),
    "node": ("-e", "require('crypto'); console.log('yes')"),
    "java": ("-XshowSettings:vm", "-Dsaid=yes", "-XshowSettings:properties", "-version"),
    "ruby": ("-e", "require 'json'; puts 'yes'"),
    "php": ("-r", "echo json_encode(['yes']);"),
    "perl": ("-e", "use List::Util; use POSIX; print 'yes'"),
    "lua5.4": ("-e", "print 'yes'"),
    "erl": ("-noshell", "-eval", 'io:format("yes~n"), halt().'),
    "elixir": ("-e", "IO.puts 'yes'"),
    "Rscript": ("-e", "cat(median(c(1, 2)), 'yes')"),
    "racket": ("-l", "racket", "-e", '(displayln "yes")'),
    "sbcl": ("--noinform", "--eval", "(progn (require :asdf) (print :yes) (finish-output) (exit))"),
}


@pytest.mark.usefixtures("standard")
@pytest.mark.usefixtures("keeping")
@pytest.mark.parametrize("name", list(RUNTIMES))
def test_runtimes_start_with_what_they_need_of_usr(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    need(name)
    monkeypatch.setattr(warm, "keep", lambda _folders: None)
    program = shutil.which(name, path="/usr/bin") or shutil.which(name) or ""
    assert "yes" in started((program, *RUNTIMES[name])).lower()
    assert needed.USR not in needed.all_of(program, ())


@pytest.mark.usefixtures("standard")
@pytest.mark.usefixtures("keeping")
def test_a_bot_sees_nothing_of_other_runtimes_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm, "keep", lambda _folders: None)
    seen = started(
        (
            PYTHON,
            "-c",
            (
                "import os; print(*os.listdir('/usr'), *os.listdir('/usr/lib'), "
                "*os.listdir('/usr/share'))"
            ),
        )
    ).split()
    assert not {"include", "src", "doc", "man", "jvm", "ghc", "racket", "perl", "nodejs"} & set(
        seen
    )
    assert {"bin", "lib", "zoneinfo"} <= set(seen)


def test_a_program_that_is_not_known_sees_all_of_usr() -> None:
    assert needed.of_usr("/usr/bin/env") == (needed.USR,)
    assert needed.USR not in needed.of_usr("/home/somebody/bot")
