"""The signals that end a process which plays matches: each becomes a KeyboardInterrupt,
after which every bot is reaped.
"""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from khiva_arena.common.say import Say  # few commands play matches

AGAIN_SECONDS = 0.01
_handled: list[signal.Signals] = []
"""The signals that this process answers by ending, once ``listen`` has seen to them."""


def listen() -> None:
    """Make SIGINT, SIGTERM and SIGHUP interrupt this process from here on."""
    # The process that started us may have blocked them for a moment of its own.
    signal.pthread_sigmask(
        signal.SIG_UNBLOCK, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)
    )
    # A script's background job starts with SIGINT ignored: raising it then would do
    # nothing.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _handled.append(signal.SIGINT)
    # The process that started us may ignore the ends of children: then nobody could
    # wait for a bot, or learn how it ended.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number in (signal.SIGTERM, signal.SIGHUP):
        # These ends are as that by Ctrl-C: every bot reaped, and a line that says how
        # to resume.
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup wants to outlive the terminal
            signal.signal(number, lambda _number, _frame: signal.raise_signal(signal.SIGINT))
            _handled.append(number)
    signal.signal(signal.SIGALRM, lambda _number, _frame: signal.raise_signal(signal.SIGINT))
    sys.unraisablehook = _once_more


def listen_no_more() -> None:
    """Ignore these signals from now on, since the process is ending."""
    for number in _handled:
        signal.signal(number, signal.SIG_IGN)


def was_told(error: BaseException) -> bool:
    """Tell whether an interrupt behind an error has a note, which was said: a second
    one may have come since.
    """
    cause: BaseException | None = error
    while cause and not (isinstance(cause, KeyboardInterrupt) and hasattr(cause, "__notes__")):
        cause = cause.__cause__ or cause.__context__
    return cause is not None


@contextmanager
def if_interrupted(
    say: "Say", how_far: Callable[[], str], *, resumes: bool = True
) -> Iterator[None]:
    """Say how far a command came and how to continue, whenever an interrupt comes:
    once, in the innermost of these blocks.

    resumes: whether the same command goes on from there; if not, ``how_far`` says what
        it does.
    """
    try:
        yield
    except KeyboardInterrupt as interrupt:
        if not was_told(interrupt):
            said = (
                f"interrupted: {how_far()}; the same command resumes"
                if resumes
                else f"interrupted: {how_far()}"
            )
            with (
                _ignored()
            ):  # between the note and the line, a second signal would take the line away
                interrupt.add_note(said)
                say(interrupt.__notes__[0])
        raise


@contextmanager
def _ignored() -> Iterator[None]:
    """Ignore the signals that this process answers, within the context."""
    before = {number: signal.getsignal(number) for number in _handled}
    try:
        listen_no_more()
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _once_more(unraisable: Any) -> None:
    """Raise an interrupt again a moment later that came while Python deleted an object:
    Python drops it.
    """
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        signal.setitimer(signal.ITIMER_REAL, AGAIN_SECONDS)
    else:
        sys.__unraisablehook__(unraisable)
