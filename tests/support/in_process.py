"""The command called in this process, with all that belongs to a process set up before
and put back after: the streams and their descriptors, folder, environment, signals,
warnings, limits, and what modules remember of the machine.
"""

import gc
import io
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, lru_cache
from pathlib import Path
from types import ModuleType
from typing import IO, Any

import pytest

import khiva_arena
from khiva_arena.bots.sandbox import detect, warm
from khiva_arena.display.terminal import console, interrupts
from khiva_arena.interface.cli import main

ARGV0 = str(Path(khiva_arena.__file__).with_name("__main__.py"))
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM, signal.SIGCHLD)
AT_START = ("PYTHON", "LC_", "LANG", "LD_", "MALLOC_", "OPENBLAS_")
"""Variables that are read when a process starts, by how they begin."""
PURE = tuple(
    f"khiva_arena.{place}"
    for place in (
        *(
            "games.",
            "bots.protocol.",
            "records.",
            "rating.ratings.",
            "rating.schedule.",
            "competition.events.",
            "competition.pages.",
        ),
        *("display.page.", "extensions.checker.", "env.", "crules."),
        *("bots.sandbox.calls", "bots.sandbox.seccomp"),
    )
)
"""Rooms and modules that remember nothing of the machine but the package's own files:
what they remember stays right.
"""
CACHED = type(cache(len))
"""The type of a function whose answers are remembered."""
INTERRUPTED = 130


def in_process(
    words: Sequence[str], cwd: Path, env: dict[str, str], seconds: float
) -> subprocess.CompletedProcess[str]:
    """Run ``khiva-arena`` with these words. Raises KeyboardInterrupt if somebody
    interrupts it, and TimeoutExpired.
    """
    wrong = [name for name in env if name.startswith(AT_START)]
    assert not wrong, f"{', '.join(wrong)}: read when a process starts; call arena_process"
    opened = _descriptors()
    with tempfile.TemporaryFile("ab+") as out, tempfile.TemporaryFile("ab+") as err:
        with ExitStack() as stack:
            for surroundings in (
                _streams(out, err),
                _place(words, cwd, env),
                _signals(),
                _memory(),
                _warnings(),
            ):
                stack.enter_context(surroundings)
            until = time.monotonic() + seconds
            signal.signal(
                signal.SIGALRM, signal.SIG_IGN
            )  # until the command hears it, which then ends as if interrupted
            signal.setitimer(signal.ITIMER_REAL, seconds)
            code = _exit_code()
        done = subprocess.CompletedProcess(words, code, _text(out), _text(err))
    if code == INTERRUPTED and time.monotonic() >= until:
        raise subprocess.TimeoutExpired(list(words), seconds, done.stdout, done.stderr)
    if code == INTERRUPTED:
        raise KeyboardInterrupt
    _left_open(opened)
    return done


def _exit_code() -> int:
    """Call the command as its entry point does, and end it as Python would."""
    with pytest.raises(SystemExit) as ended:
        main.main()
    sys.stdout.flush()
    assert isinstance(ended.value.code, int)
    return ended.value.code


@contextmanager
def _streams(*files: IO[bytes]) -> Iterator[None]:
    """Standard streams whose output goes to these files, as that of all processes
    started meanwhile does.
    """
    before = sys.stdin, sys.stdout, sys.stderr
    kept = [os.dup(number) for number in (1, 2)]
    for number, file in enumerate(files, 1):
        os.dup2(file.fileno(), number)
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)))
    sys.stdout, sys.stderr = _stream(1), _stream(2)
    try:
        yield
    finally:
        sys.stdin.close()
        sys.stdin, sys.stdout, sys.stderr = before
        for number, copy in enumerate(kept, 1):
            os.dup2(copy, number)
            os.close(copy)


def _stream(number: int) -> io.TextIOWrapper:
    """As Python makes them where there is no terminal."""
    own = sys.__stdout__
    errors = "backslashreplace" if number == 2 else (own.errors if own else None)
    binary = io.BufferedWriter(io.FileIO(number, "wb", closefd=False))
    return io.TextIOWrapper(
        binary, own.encoding if own else "utf-8", errors, line_buffering=number == 2
    )


def _text(file: IO[bytes]) -> str:
    """As ``subprocess`` reads text."""
    file.seek(0)
    return io.TextIOWrapper(io.BytesIO(file.read())).read()


@contextmanager
def _place(words: Sequence[str], cwd: Path, env: dict[str, str]) -> Iterator[None]:
    here, argv, environ = os.getcwd(), sys.argv, dict(os.environ)
    os.chdir(cwd)
    os.environ.update(env)
    sys.argv = [ARGV0, *words]
    try:
        yield
    finally:
        os.chdir(here)
        sys.argv = argv
        if dict(os.environ) != environ:
            os.environ.clear()
            os.environ.update(environ)


@contextmanager
def _signals() -> Iterator[None]:
    handlers = {number: signal.getsignal(number) for number in SIGNALS}
    hook, mask, wakeup = (
        sys.unraisablehook,
        signal.pthread_sigmask(signal.SIG_BLOCK, ()),
        signal.set_wakeup_fd(-1),
    )
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.set_wakeup_fd(wakeup)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        sys.unraisablehook = hook
        interrupts._handled.clear()


@contextmanager
def _memory() -> Iterator[None]:
    """What modules remember: a process begins with nothing, and leaves nothing to the
    next.
    """
    files = resource.getrlimit(resource.RLIMIT_NOFILE)
    _forget()
    try:
        yield
    finally:
        warm.KEEPERS.close()
        console._stdout = None
        _forget()
        resource.setrlimit(resource.RLIMIT_NOFILE, files)


def _forget() -> None:
    detect._good_until.clear()
    for remembering in _remembering_all(len(sys.modules), next(reversed(sys.modules))):
        remembering.cache_clear()
    for number, link in _descriptors().items():
        if link.startswith(
            "/memfd:khiva-arena "
        ):  # what the sandbox keeps "open as long as this process"
            os.close(int(number))


@lru_cache(maxsize=1)
def _remembering_all(_count: int, _last: str) -> list[Any]:
    """Return the functions that remember answers about the machine, of all modules of
    the arena. The number of modules and the name of the last one tell whether one has
    been imported meanwhile.
    """
    ours = [module for name, module in sys.modules.items() if name.startswith("khiva_arena.")]
    return [function for module in ours for function in _remembering(module)]


@cache
def _remembering(module: ModuleType) -> list[Any]:
    """Return the functions of a module that remember answers about the machine. Few of
    some 600 modules have any.
    """
    return [
        value
        for value in vars(module).values()
        if type(value) is CACHED and not value.__module__.startswith(PURE)
    ]


@contextmanager
def _warnings() -> Iterator[None]:
    """Those that Python shows a user."""
    with warnings.catch_warnings():
        warnings.resetwarnings()
        for kind in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
            warnings.simplefilter("ignore", kind)
        yield


def _descriptors() -> dict[str, str]:
    """Those that are open, and what each leads to."""
    links = {}
    for number in os.listdir("/proc/self/fd"):
        with suppress(FileNotFoundError):  # that by which they were listed
            links[number] = os.readlink(f"/proc/self/fd/{number}")
    return links


def _left_open(before: dict[str, str]) -> None:
    """A process takes its descriptors with it: here, one that the command leaves open
    is an error.
    """
    if _descriptors().keys() - before:
        gc.collect()
        left = {number: link for number, link in _descriptors().items() if number not in before}
        assert not left, f"left open: {left}"
