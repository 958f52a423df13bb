"""Whose failure an error is: the machine's, so that the entry waits, or the entry's, so
that it is set aside.
"""

import errno
import os

from cases import cases

from khiva_arena.common.machine import of_the_machine
from khiva_arena.errors import (
    BotError,
    ConfigError,
    InternalError,
    StagingError,
    StoreError,
    StoreFull,
)

FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def caused(error: BaseException, cause: BaseException) -> BaseException:
    """An error that names its cause."""
    error.__cause__ = cause
    return error


def reworded() -> BaseException:
    """An error in other words."""
    try:
        try:
            raise FULL
        except OSError as error:
            raise ConfigError(f"no bot: {error}") from None
    except ConfigError as error:
        return error


def in_a_ring() -> BaseException:
    """Two errors, each the cause of the other."""
    one, other = ValueError("one"), ValueError("other")
    one.__cause__, other.__cause__ = other, one
    return one


NAMES = ("ENOSPC", "EDQUOT", "EIO", "EMFILE", "ENFILE", "ENOMEM", "EROFS", "EAGAIN")
OF_THE_MACHINE: list[BaseException] = [
    *(OSError(getattr(errno, name), name) for name in NAMES),
    StoreError("damaged"),
    StoreFull("full"),
    StagingError("full"),
    MemoryError(),
    caused(InternalError("a worker"), FULL),
    reworded(),
    caused(ValueError("above"), caused(RuntimeError("between"), MemoryError())),
    ExceptionGroup("tasks", [ValueError("a bot"), FULL]),
    ExceptionGroup("tasks", [ExceptionGroup("more", [caused(ValueError("above"), FULL)])]),
]
OF_THE_ENTRY: list[BaseException] = [
    UnicodeEncodeError("utf-8", "\udcff", 0, 1, "surrogates not allowed"),
    BotError("does not start"),
    ConfigError("no bot"),
    RecursionError(),
    AssertionError(),
    InternalError("a bug"),
    *(
        OSError(number, os.strerror(number))
        for number in (errno.ENOENT, errno.ELOOP, errno.ENAMETOOLONG, errno.EACCES)
    ),
    OSError("without a number"),
    ExceptionGroup("tasks", [ValueError("a bot"), OSError(errno.ENOENT, "lost")]),
    in_a_ring(),
]


@cases("error", OF_THE_MACHINE)
def test_a_machine_that_is_full_or_broken_is_to_blame(error: BaseException) -> None:
    assert of_the_machine(error)


@cases("error", OF_THE_ENTRY)
def test_every_other_error_is_the_entry_s(error: BaseException) -> None:
    assert not of_the_machine(error)


def test_an_error_that_was_being_handled_is_no_cause() -> None:
    error = ConfigError("no bot")
    error.__context__ = FULL
    assert not of_the_machine(error)
