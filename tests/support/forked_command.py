"""The command in a child of this process: with signals, streams and an end of its own,
but without the start of an interpreter, and without importing what this one has
imported. It keeps open what this process has open: a test that closes its end of a pipe
to see what a command does then starts a process, by ``arena.started``.
"""

import atexit
import gc
import os
import signal
import subprocess
import sys
import traceback
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import in_process
from arena import SECONDS

from khiva_arena.display.terminal import console, interrupts


class Forked(subprocess.Popen[Any]):
    """``khiva-arena`` with the words that are given as a command, in a session of its
    own, as ``subprocess.Popen`` gives it.
    """

    def _execute_child(
        self, words: Sequence[str], _program: None, begin: Any, _close: bool, _pass: Any, *more: Any
    ) -> None:
        cwd, env, _info, _flags, _shell, *pipes = more[:11]
        self._child_created = True
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", DeprecationWarning
            )  # no other thread holds what the child needs
            self.pid = os.fork()
        if not self.pid:
            _become(words, cwd, env, pipes, begin)
        self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]


def started(*words: str, cwd: Path) -> subprocess.Popen[str]:
    """Leave ``khiva-arena`` running in a child of this process, in a process group of
    its own.
    """
    pipe = subprocess.PIPE
    return Forked(words, cwd=cwd, stdout=pipe, stderr=pipe, text=True)


def arena_forked(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run ``khiva-arena`` in a child of this process, which must exit with 0."""
    process = started(*words, cwd=cwd)
    out, errors = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, f"{out}\n{errors}"
    return subprocess.CompletedProcess(words, 0, out, errors)


def _become(
    words: Sequence[str], cwd: Path, env: dict[str, str] | None, pipes: list[int], begin: Any
) -> NoReturn:
    """Be as a new process is, run the command, and end."""
    code = 1
    try:
        gc.freeze()  # a file of the tests that was collected here would close a descriptor of ours
        atexit._clear()
        for number in (*in_process.SIGNALS, signal.SIGQUIT):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.setsid()
        read, write, read_out, out, read_errors, errors = pipes
        for number, stream in enumerate((read, out, errors)):
            if stream >= 0:
                os.dup2(stream, number)
        for end in (write, read_out, read_errors):
            if end >= 0:
                os.close(end)
        if begin:
            begin()
        os.chdir(cwd)
        if env is not None:
            os.environ.clear()
            os.environ.update(env)
        sys.argv = [in_process.ARGV0, *words]
        sys.stdin, sys.stdout = os.fdopen(0, closefd=False), os.fdopen(1, "w", closefd=False)
        sys.stderr = os.fdopen(2, "w", 1, errors="backslashreplace", closefd=False)
        console._stdout = None
        interrupts._handled.clear()
        in_process._forget()
        with in_process._warnings():
            code = in_process._exit_code()
        atexit._run_exitfuncs()
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)
