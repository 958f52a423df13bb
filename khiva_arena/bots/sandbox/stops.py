"""Signals that ask the arbiter to stop, and how a bot's end by such a signal is
recognised.

The end of a service, a batch job or a session signals all of its processes, the arbiter
and the bots alike, some milliseconds apart and in any order. So a bot may be dead
before the arbiter hears that it is to stop. A match in which a bot fell out is
therefore recorded only when the arbiter has been at work for SETTLES_SECONDS since and
nothing has asked it to stop. That holds for the moment of a bot's start, too, before it
is in a session of its own. Signals are not blocked then, since the bot would inherit
that, and to undo it would take a program more at each start.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
SETTLES_SECONDS = 1.0
"""Seconds in which a stop is expected to reach the arbiter. In 60 stops of whole trees,
signals up to 4 ms apart, on two cores with a load of 20, a bot's end was noticed 0.22 s
at most before the arbiter's own signal took effect: this is four times as much.
"""


def stop_signals() -> tuple[signal.Signals, ...]:
    """Return the signals of ``SIGNALS`` that are not ignored here, as SIGHUP is under
    nohup.
    """
    return tuple(number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN)


def by_signal(status: int | None) -> bool:
    """Tell whether a process ended by a signal that a stop may bring, or says so by its
    exit code, as shells and Java do.
    """
    numbers = (*SIGNALS, signal.SIGKILL)
    return status is not None and (
        status in [-number for number in numbers] or status in [128 + number for number in numbers]
    )


@contextmanager
def block(numbers: tuple[signal.Signals, ...] = SIGNALS) -> Iterator[None]:
    """Block signals within the context: a process started in it is born deaf to them
    until it lets them in itself.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
