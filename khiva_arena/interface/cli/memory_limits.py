"""The errors of too little memory by limits of the system (``ulimit -v``, ``ulimit
-d``): numerical libraries end the process, or send it SIGINT.
"""

import os
import resource
from pathlib import Path
from typing import NamedTuple

MIB = 2**20
LITTLE = 96 * MIB
"""The bytes left when a failure is put down to a limit: a thread with its stack and
buffers takes as much.
"""


class Limit(NamedTuple):
    """A limit of the system on this process.

    number: of the resource
    word: its name in a sentence
    option: of the shell's ulimit
    least: the bytes below which no command gets as far as its own code
    advised: the bytes that every command gets along with, tables of modules apart:
        these say what they need before they start
    field: of /proc/self/statm, the pages that count
    """

    number: int
    word: str
    option: str
    least: int
    advised: int
    field: int

    @property
    def bytes(self) -> int:
        """The bytes of the limit, 2**63 if there is none."""
        soft = resource.getrlimit(self.number)[0]
        return 2**63 if soft == resource.RLIM_INFINITY else soft

    def used(self) -> int:
        """Return the bytes that this process uses of it, 0 if nobody can tell."""
        try:
            return (
                int(Path("/proc/self/statm").read_text().split()[self.field])
                * resource.getpagesize()
            )
        except (OSError, ValueError, IndexError, MemoryError):
            return 0


LIMITS = (
    Limit(resource.RLIMIT_AS, "address space", "-v", 160 * MIB, 1024 * MIB, 0),
    Limit(resource.RLIMIT_DATA, "memory", "-d", 128 * MIB, 512 * MIB, 5),
)


def spare_threads() -> None:
    """Let numerical libraries compute by one thread, before they are loaded: each
    further one takes 32 MiB at its first work, and ends the process where they are not
    available.
    """
    os.environ["OPENBLAS_NUM_THREADS"] = "1"


def why_too_little() -> str:
    """Return what to do if a limit is below what each command needs, "" if none is."""
    return next((_remedy(limit) for limit in LIMITS if limit.bytes < limit.least), "")


def why_failed(error: BaseException) -> str:
    """Return the remedy if an error may come of a limit that is nearly used up, "" if
    it does not.
    """
    limited = [limit for limit in LIMITS if limit.bytes < 2**63]
    nearest = min(limited, key=lambda limit: limit.bytes - limit.used(), default=None)
    if nearest is None:
        return ""
    chain = [error, error.__cause__, error.__context__]
    is_of_memory = any(isinstance(cause, MemoryError) for cause in chain)
    return _remedy(nearest) if is_of_memory or nearest.bytes < nearest.used() + LITTLE else ""


def _remedy(limit: Limit) -> str:
    advised = max(limit.advised, 2 * limit.bytes) // MIB
    mib = limit.bytes // MIB
    return (
        f"{limit.word} is limited to {mib} MiB (ulimit {limit.option}), which is too little; "
        f"allow {advised} MiB or more"
    )
