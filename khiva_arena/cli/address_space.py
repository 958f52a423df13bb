"""The errors of too little address space (``ulimit -v``): numerical libraries end the process, or send it SIGINT."""

import resource
from pathlib import Path

MIB = 2**20
LEAST = 160 * MIB
"""The bytes below which no command gets as far as its own code."""
ADVISED = 1024 * MIB
"""The bytes that every command gets along with, tables of modules apart: these say what they need before they start."""
LITTLE = 96 * MIB
"""The bytes left when a failure is put down to the limit: a thread with its stack and buffers takes as much."""


def why_too_little(limit_needed: int = LEAST) -> str:
    """Return what to do if the address space is limited to less than ``limit_needed`` bytes, "" if it is not."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY or limit >= limit_needed:
        return ""
    advised = max(ADVISED, 2 * limit) // MIB
    return f"address space is limited to {limit // MIB} MiB (ulimit -v), which is too little; allow {advised} MiB or more"


def why_failed(error: BaseException) -> str:
    """Return the remedy if an error may come of a limit that is nearly used up, "" if it does not."""
    try:
        size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except (OSError, ValueError, MemoryError):
        size = 0
    chain = [error, error.__cause__, error.__context__]
    return why_too_little(2**63 if any(isinstance(cause, MemoryError) for cause in chain) else size + LITTLE)
