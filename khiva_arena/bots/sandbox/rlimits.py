"""Limits that the system itself enforces on each process of a bot: RLIMIT values."""

import os
import resource

from khiva_arena.bots.sandbox.limits import GIB, Resources

# Runtimes that claim the address space of their largest heap at once, writable, however
# little they use: the system counts that as memory. Their real use is watched as for
# any bot.
CLAIMED_AT_ONCE = {"sbcl": 9 * GIB}


def system_limits(resources: Resources, program: str = "") -> dict[str, tuple[int, int]]:
    """Return soft and hard values of RLIMIT_<name> for each process, except the number
    of processes.

    None is above the value of this process itself. At the soft CPU limit comes a signal
    that says so, a second later one that kills.
    ``program``: its path, since some runtimes claim more memory than they use.
    """
    data = resources.memory + CLAIMED_AT_ONCE.get(os.path.basename(os.path.realpath(program)), 0)
    values = {
        "DATA": (data, data),
        "FSIZE": (resources.file_size, resources.file_size),
        "NOFILE": (resources.open_files, resources.open_files),
        "CPU": (resources.cpu, resources.cpu + 1),
        "CORE": (
            1,
            1,
            # too little for a core file; a program that is to be handed cores is spared
            # by 1 alone, not by 0
        ),
        "MEMLOCK": (0, 0),
    }
    return {
        name: (at_most(name, soft), at_most(name, hard)) for name, (soft, hard) in values.items()
    }


def at_most(name: str, value: int) -> int:
    """Return a value for RLIMIT_<name>, or the value of this process itself if that is
    less.
    """
    hard = resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))[1]
    return value if hard == resource.RLIM_INFINITY else min(value, hard)
