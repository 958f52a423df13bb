"""An error of the arena itself at a match, as a value that a worker process can hand over."""

import errno
import os
import traceback
from typing import Self

import msgspec

from khiva_arena.errors import StagingError
from khiva_arena.machine import OF_THE_MACHINE, of_the_machine, with_causes
from khiva_arena.text import harmless

MOST_TRACE = 60_000
"""Characters of a trace; of a longer one the end is kept, which names the error."""


class Failure(msgspec.Struct, frozen=True):
    """An error at a match.

    kind: the type of the error
    words: the error as the end of a trace has it
    trace: harmless on a terminal
    machines: True if the machine has failed, rather than the arena
    number: the number of the machine's OSError, 0 if there is none
    """

    kind: str
    words: str
    trace: str
    machines: bool = False
    number: int = 0

    @classmethod
    def of(cls, error: Exception) -> Self:
        """Return an error as a value."""
        words, trace = (
            harmless("".join(lines)[-MOST_TRACE:], keep="\n\t")
            for lines in (traceback.format_exception_only(error), traceback.format_exception(error))
        )
        number = next(filter(None, map(_number, with_causes(error))), 0)
        return cls(type(error).__name__, words, trace, of_the_machine(error), number)

    @property
    def why(self) -> str:
        """Tell why a match is void that the arena itself failed at. It names no place of this machine: bundles have it."""
        return f"the arena failed at it: {self.kind}"

    def machine_error(self) -> Exception:
        """Return the machine's error, to be raised in another process than the one where it arose."""
        if not self.number:
            return StagingError(self.words.strip())
        return OSError(self.number, f"{os.strerror(self.number)} in a worker: {self.words.strip()}")


def _number(error: BaseException) -> int:
    """Return the number by which the machine names an error, 0 if it has none."""
    if isinstance(error, OSError) and error.errno in OF_THE_MACHINE:
        return error.errno or 0
    return errno.ENOMEM if isinstance(error, MemoryError) else 0
