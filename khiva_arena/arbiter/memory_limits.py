"""The address space and the memory that runners of modules need, beside what the system
lets a process have (``ulimit -v``, ``ulimit -d``).

A runner reserves the memory of all its seats at once. So a table starts or does not,
and nothing fails in the middle of a match. What a process may have is known before, so
nobody has to try.
"""

import resource
from collections.abc import Iterable, Sequence
from pathlib import Path

from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.limits import MIB

PAYLOADS, CODES = 4, 2
"""How often a payload, and compiled code while it is loaded, is in a runner's memory at
most, beside what a module has.
"""
ROOM_STEP = 16 * MIB
"""The memory for them comes in steps of so many bytes, or a table could not take the
runner of another one.
"""


def space_limit() -> int | None:
    """Return the bytes of address space that a process may have here, None for no
    bound.
    """
    soft = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if soft == resource.RLIM_INFINITY else soft


def of_a_runner(seats: int, codes: Iterable[int] = ()) -> int:
    """Return the bytes of address space that a runner needs.

    codes: the bytes of each seat's compiled code, once if seats share it; the largest
        is there twice while it is loaded
    """
    # not above: most failures have to do with no module
    from khiva_arena.bots.modules.runner.line import OWN_SPACE, SEAT_SPACE

    sizes = list(codes)
    return OWN_SPACE + seats * SEAT_SPACE + sum(sizes) + max(sizes, default=0)


def data_limit() -> int | None:
    """Return the bytes of memory that a process may have here, None for no bound."""
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    return None if hard == resource.RLIM_INFINITY else hard


def of_a_seat() -> int:
    """Return the bytes of memory that a runner needs for each module, beside what that
    declares.
    """
    from khiva_arena.bots.modules.runner.line import OWN_MEMORY  # not above, as in of_a_runner

    return OWN_MEMORY


def data_of_runners(commands: Sequence[Command], memory: int, *, in_ticks: bool) -> list[int]:
    """Return the bytes of memory that a runner needs for each module, so that the
    system refuses none of its growths.

    memory: bytes that a bot of the event may have
    in_ticks: a runner has room beyond that
    """
    # not above, as in of_a_runner
    from khiva_arena.bots.modules.runner.line import OWN_MEMORY, PAGE, module_pages

    most = module_pages(memory)
    each = [OWN_MEMORY + min(command.pages, most) * PAGE for command in commands if command.module]
    return (
        [size + room_of(commands) for size in each]
        if in_ticks
        else [min(size, memory) for size in each]
    )


def room_of(commands: Sequence[Command]) -> int:
    """Return the bytes of memory that a runner of these modules has beyond the limit of
    each bot: for their payloads and their compiled code, so that neither takes what a
    module may grow to.
    """
    payload = max((_size(command.payload[0]) for command in commands if command.payload), default=0)
    code = max((_size(command.module[0]) for command in commands if command.module), default=0)
    return -(-(PAYLOADS * payload + CODES * code) // ROOM_STEP) * ROOM_STEP


def why_too_little(
    commands: Sequence[Command], memory: int, *, in_ticks: bool, together: bool
) -> str:
    """Return in a line by how much too little address space or memory a process may
    have for these modules, "" if it is enough.

    memory: bytes that a bot of the event may have
    in_ticks: a runner has room beyond that
    together: one runner serves all of them
    """
    codes = {command.module[1]: _size(command.module[0]) for command in commands if command.module}
    if not codes:
        return ""
    who = f"a table of {len(commands)} modules" if together else "a module"
    if (most := space_limit()) is not None:
        needed = (
            of_a_runner(len(commands), codes.values())
            if together
            else of_a_runner(1, [max(codes.values())])
        )
        if needed > most:
            return f"{who} needs {in_mib(needed)} of address space; {_remedy(most, needed, 'v')}"
    if (most := data_limit()) is not None:
        each = data_of_runners(commands, memory, in_ticks=in_ticks)
        needed = sum(each) if together else max(each)
        if needed > most:
            return f"{who} needs {in_mib(needed)} of memory; {_remedy(most, needed, 'd')}"
    return ""


def why_unsure(memory: int) -> str:
    """Return why a program that failed may have failed by the machine, "" if it had the
    memory that it may rely on.

    memory: bytes that its own limit lets it have
    """
    for most, option in ((space_limit(), "v"), (data_limit(), "d")):
        if most is not None and most < memory:
            return (
                f"its limit of memory is {in_mib(memory)}, so this machine may be to blame; "
                f"{_remedy(most, memory, option)}"
            )
    return ""


def in_mib(size: int) -> str:
    """Return bytes in words, rounded up to whole MiB."""
    return f"{-(-size // MIB):,} MiB"


def _remedy(most: int, needed: int, option: str) -> str:
    return (
        f"a process may have {most // MIB:,} MiB here: allow more (ulimit -{option} "
        f"{-(-needed // MIB) * 1024})"
    )


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except OSError:
        return 0  # the start says that it is gone
