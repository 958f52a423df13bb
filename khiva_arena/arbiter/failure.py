"""An error of the arena itself at a match becomes a value that a worker process can
hand over, and an error again.
"""

import errno
import os
import traceback

from khiva_arena.arbiter.job import Failure
from khiva_arena.common.machine import OF_THE_MACHINE, of_the_machine, with_causes
from khiva_arena.common.text import harmless
from khiva_arena.errors import StagingError

MOST_TRACE = 60_000
"""Characters of a trace; of a longer one the end is kept, which names the error."""


def failure_of(error: Exception) -> Failure:
    """Return an error as a value."""
    words, trace = (
        harmless("".join(lines)[-MOST_TRACE:], keep="\n\t")
        for lines in (traceback.format_exception_only(error), traceback.format_exception(error))
    )
    number = next(filter(None, map(_number, with_causes(error))), 0)
    return Failure(type(error).__name__, words, trace, of_the_machine(error), number)


def machine_error(failure: Failure) -> Exception:
    """Return the machine's error, to be raised in another process than the one where it
    arose.
    """
    if not failure.number:
        return StagingError(failure.words.strip())
    return OSError(
        failure.number, f"{os.strerror(failure.number)} in a worker: {failure.words.strip()}"
    )


def _number(error: BaseException) -> int:
    """Return the number by which the machine names an error, 0 if it has none."""
    if isinstance(error, OSError) and error.errno in OF_THE_MACHINE:
        return error.errno or 0
    return errno.ENOMEM if isinstance(error, MemoryError) else 0
