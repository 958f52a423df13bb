"""The user numbers of bots under root: every bot has its own user, with a number that
nobody else has.

So a bot shares no process count and no file with another bot.
"""

import itertools
import os
from functools import cache
from pathlib import Path

# A range that neither people nor containers are given (systemd's list of user numbers
# leaves it alone).
FIRST = 0x70000000
PROCESSES, BOTS = 1 << 19, 1 << 8
PROCESS_NUMBERS = 1 << 22  # the most that Linux gives
_count = itertools.count()


def next_user() -> int | None:
    """Return a number for one more bot of this process, or None.

    None means that the arbiter is not root and cannot change users, or is root of a
    container that was not given such numbers.
    """
    if os.geteuid() != 0:
        return None
    user = FIRST + os.getpid() % PROCESSES * BOTS + next(_count) % BOTS
    return (
        user
        if all(any(user in numbers for numbers in _ids(file)) for file in ("uid_map", "gid_map"))
        else None
    )


@cache
def _ids(file: str) -> list[range]:
    """Return the numbers of users or groups that there are in this user namespace."""
    try:
        lines = [line.split() for line in Path("/proc/self", file).read_text().splitlines()]
    except FileNotFoundError:
        return [range(1 << 32)]  # a kernel without user namespaces
    return [range(int(first), int(first) + int(count)) for first, _outside, count in lines]


def arbiters_of(user: int) -> list[int]:
    """Return the process numbers of arbiters that may have given this number."""
    return list(range((user - FIRST) // BOTS, PROCESS_NUMBERS, PROCESSES))


def is_ours(user: int) -> bool:
    """Tell whether a number is in the range that root's arbiters give out, and this
    process is root.
    """
    return os.geteuid() == 0 and FIRST <= user < FIRST + PROCESSES * BOTS
