"""The address space that runners of modules need, beside what the system lets a process have (``ulimit -v``).

A runner reserves the memory of all its seats at once. So a table starts or does not, and nothing fails in the middle of a match.
What a process may have is known before, so nobody has to try.
"""

import resource
from collections.abc import Iterable, Sequence
from pathlib import Path

from khiva_arena.sandbox.command import Command
from khiva_arena.sandbox.limits import MIB


def limit() -> int | None:
    """Return the bytes of address space that a process may have here, None for no bound."""
    soft = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if soft == resource.RLIM_INFINITY else soft


def of_a_runner(seats: int, codes: Iterable[int] = ()) -> int:
    """Return the bytes of address space that a runner needs.

    codes: the bytes of each seat's compiled code, once if seats share it; the largest is there twice while it is loaded
    """
    from khiva_arena.modules.runner.line import OWN_SPACE, SEAT_SPACE  # not above: most failures have to do with no module

    sizes = list(codes)
    return OWN_SPACE + seats * SEAT_SPACE + sum(sizes) + max(sizes, default=0)


def why_too_little(commands: Sequence[Command], *, together: bool) -> str:
    """Return in a line by how much too little address space a process may have for these modules, "" if it is enough.

    together: one runner serves all of them
    """
    if (most := limit()) is None:
        return ""
    codes = {command.module[1]: _size(command.module[0]) for command in commands if command.module}
    if not codes:
        return ""
    needed = of_a_runner(len(commands), codes.values()) if together else of_a_runner(1, [max(codes.values())])
    if needed <= most:
        return ""
    who = f"a table of {len(commands)} modules" if together else "a module"
    return f"{who} needs {in_mib(needed)} of address space; {_remedy(most, needed)}"


def why_unsure(memory: int) -> str:
    """Return why a program that failed may have failed by the machine, "" if it had the address space that it may rely on.

    memory: bytes that its own limit lets it have
    """
    most = limit()
    if most is None or most >= memory:
        return ""
    return f"its limit of memory is {in_mib(memory)}, so this machine may be to blame; {_remedy(most, memory)}"


def in_mib(size: int) -> str:
    """Return bytes in words, rounded up to whole MiB."""
    return f"{-(-size // MIB):,} MiB"


def _remedy(most: int, needed: int) -> str:
    return f"a process may have {most // MIB:,} MiB here: allow more (ulimit -v {-(-needed // MIB) * 1024})"


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except OSError:
        return 0  # the start says that it is gone
