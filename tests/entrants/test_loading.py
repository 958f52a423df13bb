"""A stranger's folder is taken in within bounds: whatever is in it, one line says what
is too much, soon and in little memory.
"""

import errno
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from arena import ROOT, arena
from wording import sentence

from khiva_arena.bots.sandbox import regular_files, scratch
from khiva_arena.bots.sandbox.limits import MIB
from khiva_arena.common.machine import of_the_machine
from khiva_arena.entrants import staging, weight
from khiva_arena.entrants.bots import load
from khiva_arena.entrants.loading import (
    DEFAULT,
    WORDS,
    Bounds,
    Loading,
    bounds_of_settings,
    in_words,
)
from khiva_arena.entrants.staging import stage
from khiva_arena.errors import BotError, ConfigError

TOML = 'name = "a"\nrun = "{python} main.py"\n'
SECONDS = 1.0
MEMORY = 64 * MIB


@pytest.fixture(autouse=True)
def _gone_afterwards(tmp_path: Path) -> Iterator[None]:
    """pytest itself cannot remove a tree that is deeper than Python recurses."""
    yield
    scratch.remove(str(tmp_path))


def folder(path: Path, toml: str = TOML) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    (path / "bot.toml").write_text(toml)
    (path / "main.py").write_text("")
    return path


def problem(word: Path | str, bounds: Bounds = DEFAULT) -> str:
    with pytest.raises(ConfigError) as caught:
        load(str(word), loading=Loading(bounds))
    (line,) = caught.value.problems
    assert "\n" not in line
    return line


def deep(path: Path, count: int) -> None:
    """So many folders, each in the one before, with a file in the last."""
    here = os.getcwd()
    os.chdir(path)
    try:
        for _ in range(count):
            os.mkdir("d")
            os.chdir("d")
        Path("file").write_text("")
    finally:
        os.chdir(here)


def sparse(path: Path, size: int) -> None:
    with path.open("wb") as file:
        file.truncate(size)


def a_socket(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # a socket's name is short
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


# What a folder may hold, with what is said of it.
def _digits(bot: Path) -> None:
    (bot / "bot.toml").write_text(f"{TOML}x = {'9' * 6000}\n")


def _hexadecimal(bot: Path) -> None:
    (bot / "bot.toml").write_text(f"{TOML}x = 0x{'f' * 6000}\n")


def _dotted(bot: Path) -> None:
    (bot / "bot.toml").write_text(f"{TOML}{'a.' * 400_000}a = 1\n")


def _dotted_in_quotes(bot: Path) -> None:
    (bot / "bot.toml").write_text(TOML + '"a" . ' * 100_000 + "a = 1\n")


def _brackets(bot: Path) -> None:
    (bot / "bot.toml").write_text(f"{TOML}x = {'[' * 100_000}\n")


def _long_toml(bot: Path) -> None:
    sparse(bot / "bot.toml", 20 << 30)


def _sparse(bot: Path) -> None:
    sparse(bot / "weights", 20 << 30)


def _program(bot: Path) -> None:
    for number in range(5):
        sparse(bot / f"weights{number}", 250 * MIB)


def _deep(bot: Path) -> None:
    deep(bot, 1_500)


def _stars(bot: Path) -> None:
    """A tree in which a glob of many ** fits in many ways, and a glob that has them."""
    deep(bot, 60)
    globs = ", ".join(f'"{"**/" * 200}nothing{n}"' for n in range(20))
    (bot / "bot.toml").write_text(f"{TOML}files = [{globs}]\n")


def _stars_between(bot: Path) -> None:
    deep(bot, 60)
    (bot / "bot.toml").write_text(f'{TOML}files = ["{"**/d/" * 50}nothing"]\n')


def _stars_in_a_part(bot: Path) -> None:
    (bot / ("a" * 200)).write_text("")
    (bot / "bot.toml").write_text(f'{TOML}files = ["{"*a" * 60}*b"]\n')


def _many_globs(bot: Path) -> None:
    globs = ", ".join(f'"*{n}*"' for n in range(1_000))
    (bot / "bot.toml").write_text(f"{TOML}files = [{globs}]\n")
    for number in range(2_000):
        (bot / f"{number}x").touch()


def _too_many_globs(bot: Path) -> None:
    globs = '"*", ' * 1_001
    (bot / "bot.toml").write_text(f"{TOML}files = [{globs}]\n")


STRANGE = {
    _digits: "bot.toml:3: cannot be read: " + sentence("entrants", "integer-more-bits"),
    _hexadecimal: "bot.toml: cannot be read: 'x' is " + sentence("entrants", "integer-more-bits"),
    _dotted: "bot.toml:3: cannot be read: nested more than 32 deep",
    _dotted_in_quotes: "bot.toml:3: cannot be read: nested more than 32 deep",
    _brackets: sentence(
        "entrants", "not-toml-can-read", path="bot.toml", too_deep="nested more than 32 deep"
    ),
    _long_toml: "bot.toml: cannot be read: "
    + sentence("sandbox", "longer-bytes", most="1,000,000"),
    _sparse: sentence(
        "entrants", "leave-out-files-raise", problem="weights has 20 GiB, a file 256 MiB at most"
    ),
    _program: (
        "its files have 1.221 GiB, 1 GiB at most; name fewer in files, or raise --limit bot_size"
    ),
    _deep: sentence("entrants", "folders-more-deep-leave", limit="64"),
    _stars: "which matches nothing",
    _stars_between: "which matches nothing",
    _stars_in_a_part: "which matches nothing",
    _many_globs: "has too many files, or too many globs for them, to go through",
    _too_many_globs: "files has 1,001 entries, 1,000 at most",
}
MEASURED = """
import resource, sys, time
from khiva_arena.entrants.bots import load
from khiva_arena.errors import ConfigError
before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
try:
    load(sys.argv[1])
except ConfigError as error:
    print(error)
print(time.process_time() - began,
    (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)
"""


@pytest.mark.slow
@pytest.mark.parametrize("made", STRANGE, ids=lambda made: made.__name__.strip("_"))
def test_a_strange_folder_ends_with_one_line_soon_and_in_little_memory(
    made: object, tmp_path: Path
) -> None:
    bot = folder(tmp_path / "bot")
    made(bot)  # type: ignore[operator]
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, str(bot)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    line, figures = done.stdout.splitlines()
    assert STRANGE[made] in line
    seconds, memory = map(float, figures.split())
    assert memory < MEMORY
    assert seconds < 20 * SECONDS  # of CPU, and far from it: what is to be caught never ends at all


def test_each_bound_is_moved_by_its_limit(tmp_path: Path) -> None:
    """And it is the named one that stops, one beyond."""
    bot = folder(tmp_path / "bot")
    deep(bot, 3)
    sparse(bot / "more", 2_000)
    exact = Bounds(bot_files=4, bot_depth=3, bot_file_size=2_000, bot_size=2_000 + len(TOML))
    assert len(load(str(bot), loading=Loading(exact)).sources) == 4
    for key in ("bot_files", "bot_depth", "bot_file_size", "bot_size"):
        less = {name: getattr(exact, name) - (name == key) for name in WORDS}
        assert f"--limit {key}" in problem(bot, Bounds(**less))


def test_bounds_of_settings() -> None:
    assert bounds_of_settings({"memory": "1M"}) == DEFAULT
    assert bounds_of_settings({"bot_size": "2G", "bot_files": 20_000}) == Bounds(
        bot_size=2 << 30, bot_files=20_000
    )
    with pytest.raises(ConfigError) as caught:
        bounds_of_settings(
            {"bot_files": 0, "bot_size": "huge", "bot_depth": True, "build_size": 10**400}
        )
    assert [line.partition(":")[0] for line in caught.value.problems] == [
        "bot_files",
        "bot_depth",
        "bot_size",
        "build_size",
    ]


@pytest.mark.slow
def test_limits_on_loading_are_taken_told_and_no_part_of_an_event(tmp_path: Path) -> None:
    """Where they stand does not matter; an event's id does not depend on them."""
    bot = folder(tmp_path / "bot")
    (bot / "more").write_bytes(bytes(3_000))
    pair = ("--bot", "bot", "--bot", "shipped:python/random")
    said = arena("match", *pair, "--limit", "bot_file_size=2K", cwd=tmp_path, code=2).stderr
    assert said == "khiva-arena: error: bot/bot.toml: more has 2.93 KiB, a file 2 KiB at most; " + (
        sentence("entrants", "leave-out-files-raise-2") + "\n"
    )
    (tmp_path / "c.toml").write_text(
        'bots = ["bot", "shipped:python/random"]\nseats = 2\nlimits.bot_file_size = "2K"\n'
    )
    assert "more has 2.93 KiB" in arena("run", "c.toml", cwd=tmp_path, code=2).stderr
    said = arena(
        "match",
        *pair,
        "--limit",
        "bot_fils=3",
        "--limit",
        "cpu=1" + "0" * 400,
        cwd=tmp_path,
        code=2,
    ).stderr
    assert (
        "bot_fils: no such limit; there are memory, processes, file_size, open_files, cpu, "
        f"scratch, {', '.join(WORDS)}" in said
    )
    assert "cpu: 1125899906842624 s at most\n" in said
    shown = arena("doctor", cwd=tmp_path, code=None).stdout
    page = (ROOT / "bots" / "README.md").read_text()
    for key, words in WORDS.items():
        assert f"| `{key}` | {in_words(key, getattr(DEFAULT, key))} | {words}" in page
        assert f"{key:<13}  {in_words(key, getattr(DEFAULT, key)):>8}  {words}" in shown
    ids = []
    for more in ((), ("--limit", "bot_files=50", "--limit", "build_size=1G")):
        words = (
            "run",
            "--bot",
            "shipped:python/naive",
            "--bot",
            "shipped:python/random",
            "--seats",
            "2",
            "--seeds",
            "1",
        )
        out = f"out{len(ids)}"
        done = arena(
            *words, "--seed", "demo", "--rule", "max_turns=1", *more, "--out", out, cwd=tmp_path
        )
        ids.append(
            [line.split(":")[0] for line in done.stderr.splitlines() if line.startswith("event ")]
        )
    assert ids[0] == ids[1]


@pytest.mark.parametrize(
    ("kind", "make"),
    [
        ("a pipe", os.mkfifo),
        ("a socket", a_socket),
        ("a device", lambda path: path.symlink_to("/dev/zero")),
    ],
)
def test_what_is_no_file_is_refused_at_once(tmp_path: Path, kind: str, make) -> None:  # type: ignore[no-untyped-def]
    """As a settings file, a table of a rule, engines.json, and the argument or the
    program of a command.
    """
    place = tmp_path / "odd"
    make(place)
    began = time.monotonic()
    with pytest.raises(OSError, match=f"it is {kind}, not a file"):
        regular_files.open_file(place)
    assert time.monotonic() - began < SECONDS
    for words in (("run", "odd"), ("run", "--engines", "odd", "--bot", "shipped:python/random")):
        said = arena(*words, cwd=tmp_path, code=2, seconds=30).stderr
        assert f"odd: cannot be read: it is {kind}, not a file" in said
    pair = ("--bot", "shipped:python/random", "--bot", "shipped:python/naive")
    said = arena(
        "match", *pair, "--rule", "overshoot=@odd", cwd=tmp_path, code=2, seconds=30
    ).stderr
    assert f"odd: cannot be read: it is {kind}, not a file" in said
    bot = folder(tmp_path / "bot")
    (bot / "bot.toml").unlink()
    make(bot / "bot.toml")
    what = (
        sentence("sandbox", "link-not-followed-here") if (bot / "bot.toml").is_symlink() else kind
    )
    assert f"bot.toml: cannot be read: it is {what}, not a file" in problem(bot)
    if kind == "a pipe":  # a program is one by its mode
        place.chmod(0o755)
        assert (
            problem(f"{place} --fast") == f"--bot {place} --fast: {place}: it is a pipe, not a file"
        )
        for words in (("verify", "odd"), ("standings", "odd"), ("replay", "odd", "1/0")):
            arena(*words, cwd=tmp_path, code=2, seconds=30)


def test_files_are_hashed_in_pieces_and_held_to_their_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    monkeypatch.setattr(regular_files, "PIECE", 3)
    assert (
        regular_files.digest(path, 10)
        == "84d89877f0d4041efb6bf91a16f0248f2fd573e6af05c19f96bedb9f882f7882"
    )
    with pytest.raises(OSError, match="larger than 9 bytes"):
        regular_files.digest(path, 9)


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (
            "for i in 1 2 3 4 5 6 7 8 9; do head -c 1000000 /dev/urandom >$i; done; sleep 60",
            "larger than 4 MiB",
        ),
        ("truncate -s 5M file", "larger than 4 MiB"),
        ("mkdir d; i=0; while [ $i -lt 2000 ]; do : >d/$i; i=$((i+1)); done", "larger than 4 MiB"),
        ("mkdir d; head -c 5000000 /dev/urandom >d/file; chmod 0 d", "larger than 4 MiB"),
    ],
)
def test_a_build_is_held_to_a_total(
    tmp_path: Path, build: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While it runs, where it would go on, and when it has ended; a sparse file counts
    as large as it says.
    """
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(tmp_path / "cache"))
    bot = load(
        str(folder(tmp_path / "bot", f"{TOML}build = \"sh -c '{build}'\"\n")),
        loading=Loading(Bounds(build_size=4 * MIB)),
    )
    began = time.monotonic()
    with pytest.raises(BotError, match=said) as caught:
        stage(bot)
    assert "--limit build_size" in str(caught.value)
    assert time.monotonic() - began < 50
    assert not list((staging.cache_folder() / "staged").glob("draft-*"))


def test_a_build_too_deep_to_look_into_is_refused(tmp_path: Path) -> None:
    script = "i=0; while [ $i -lt 30 ]; do mkdir %s; cd %s; i=$((i+1)); done" % (("d" * 200,) * 2)
    bot = load(str(folder(tmp_path / "bot", f"{TOML}build = \"bash -c '{script}'\"\n")))
    with pytest.raises(
        BotError, match="its build has made a folder that cannot be looked into: File name too long"
    ):
        stage(bot)


def test_a_build_that_the_machine_keeps_from_being_looked_into_has_its_error_as_the_cause(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def out_of_files(_path: str) -> NoReturn:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(weight, "_entries", out_of_files)
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(tmp_path / "cache"))
    with pytest.raises(BotError) as caught:
        stage(load(str(folder(tmp_path / "bot", f'{TOML}build = "true"\n'))))
    assert of_the_machine(caught.value)


def test_globs_find_what_they_found_before(tmp_path: Path) -> None:
    """The same files as pathlib finds, which said what a bot is in version 0.1.0."""
    bot = folder(tmp_path / "bot")
    for name in (
        "a/b/c.py",
        "a/b/d.txt",
        "a/c.py",
        "e.txt",
        ".hidden/x.py",
        "a/__pycache__/y.pyc",
        "a/.z",
        "s/d/c.py",
    ):
        (bot / name).parent.mkdir(parents=True, exist_ok=True)
        (bot / name).write_text(name)
    globs = (
        "**/* **/*.py a/* a/**/*.py **/b/* */*.py **/**/c.py a/b/c.py ./a/c.py */*/c.py [ae]* "
        "**/?/*.py"
    )
    for glob in (*globs.split(), "a/**/b/**/*.py"):
        (bot / "bot.toml").write_text(f'{TOML}files = ["{glob}"]\n')
        wanted = {
            path.relative_to(bot).as_posix()
            for path in bot.glob(glob)
            if path.is_file()
            and not any(
                p.startswith(".") or p == "__pycache__" for p in path.relative_to(bot).parts
            )
        }
        assert {name for name, _ in load(str(bot)).sources} == wanted, glob
        assert wanted
