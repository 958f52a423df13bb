"""Signals that ask the arbiter to stop, and how a bot's end by one of them is distinguished from the bot's own doing.

Whoever ends a service, a batch job or a session signals all of its processes, the arbiter and the bots alike, some milliseconds
apart and in any order. So a bot may be dead before the arbiter hears that it is to stop: a match in which a bot fell out is
recorded only when the arbiter has been at work for SETTLES_SECONDS since and nothing has asked it to stop.
"""

import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
SETTLES_SECONDS = 1.0
"""In 60 stops of whole trees, signals up to 4 ms apart, on two cores with a load of 20, a bot's end was noticed 0.22 s at most
before the arbiter's own signal took effect: this is four times as much."""
CHECK_SECONDS = 5.0


def stop_signals() -> tuple[signal.Signals, ...]:
    """Of these signals, those that are not ignored here, as SIGHUP is under nohup."""
    return tuple(number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN)


def by_signal(status: int | None) -> bool:
    """Whether a process ended by a signal that a stop may bring, or says so by its exit code, as shells and Java do."""
    numbers = (*SIGNALS, signal.SIGKILL)
    return status is not None and (status in [-number for number in numbers] or status in [128 + number for number in numbers])


@contextmanager
def held_back() -> Iterator[None]:
    """Block the signals, for whoever is started within as well: until it is in a session of its own, they may be meant for us.
    What becomes a bot lets them in again by ``open_to_signals``; if that is missing, only SIGINT is blocked."""
    numbers = stop_signals() if _env() else (signal.SIGINT,)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def open_to_signals() -> list[str]:
    """Words before a command, that let the signals in again which ``held_back`` keeps from it; none if there is no such
    program."""
    env = _env()
    return (
        [env, f"--default-signal={','.join(number.name[3:] for number in stop_signals())}", "--"]
        if env and stop_signals()
        else []
    )


@cache
def _env() -> str:
    """The env of GNU coreutils 8.31 or newer, "" if there is none."""
    env = shutil.which("env")
    if env is None:
        return ""
    try:
        done = subprocess.run([env, "--default-signal=INT", "--", env], capture_output=True, timeout=CHECK_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return env if done.returncode == 0 else ""
