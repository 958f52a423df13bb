"""Which limit a bot went beyond: found by looking at its processes now and then, and by how it ended.

The system refuses an excess to the process that asks for it. A bot that copes with that plays on; one that fails by it gets the
verdict ``resource``, and the name of the limit stands first in the detail.
"""

import os
import signal
from contextlib import suppress

from khiva_arena.arbiter import usage
from khiva_arena.arbiter.bubblewrap import SCRATCH
from khiva_arena.arbiter.isolation import WRAPPED, Cell
from khiva_arena.arbiter.resources import WORDS, Resources, say

MOST_FILES = 10_000
"""In scratch: an empty file takes no space there, but memory of the system's."""
NEARLY = 0.9
LOOK_BACK = 4_000
# What runtimes say when the system refuses them something. Who lies here only trades one fault of its own for another.
SAID = {
    "processes": ("native thread", "start new thread", "Resource temporarily unavailable", "Cannot fork", "create thread"),
    "memory": ("MemoryError", "Cannot allocate memory", "bad_alloc", "OutOfMemoryError", "out of memory", "memory allocation of"),
    "open_files": ("Too many open files",),
    "file_size": ("File too large",),
    "scratch": ("No space left on device",),
}
# What they say of it and play on: Ruby at each start, since timers that send signals are refused.
HARMLESS = ("timer_create",)
SIGNALS = {-signal.SIGXCPU: "cpu", -signal.SIGXFSZ: "file_size"}


def while_it_runs(cell: Cell, pid: int, resources: Resources, *, scratch_too: bool) -> str:
    """What a look at a bot's processes finds, "" if nothing. ``pid``: the process we started."""
    pids = usage.tree(pid, resources.processes + 16)
    used = usage.usage(pids, resources.memory)
    for key, amount in (("memory", used.memory), ("cpu", used.cpu)):
        if amount > getattr(resources, key):
            return too_much(key, amount, resources)
    if used.tasks > resources.processes + _wrapping(cell):
        return too_much("processes", used.tasks - _wrapping(cell), resources)
    return _scratch(cell, pids, resources) if scratch_too else ""


def when_late(cell: Cell, pid: int, resources: Resources) -> str:
    """What may have kept a bot from answering in time: processes or descriptors used up, as far as that can be seen."""
    pids = usage.tree(pid, resources.processes + 16)
    tasks = usage.usage(pids, 0).tasks - _wrapping(cell)
    if tasks >= resources.processes - 1:  # bwrap's own process inside counts as one
        return too_much("processes", resources.processes, resources)
    if max(map(usage.open_files, pids)) >= resources.open_files:
        return too_much("open_files", resources.open_files, resources)
    return ""


def after_its_end(cell: Cell, status: int, cpu: float, peak: int, notes: str, resources: Resources) -> str:
    """What a bot's end tells: its signal, what the system counted, and what it said last. ``status`` as in ``Ending``."""
    if status in SIGNALS:
        return _reached(SIGNALS[status], resources)
    if status == 0:
        return ""
    if cell.group is not None:
        if cell.group.event("memory.events", "oom_kill"):
            return _reached("memory", resources)
        if cell.group.event("pids.events", "max"):
            return _reached("processes", resources)
    if cpu >= resources.cpu:
        return too_much("cpu", cpu, resources)
    lines = notes[-LOOK_BACK:].splitlines()
    last = "\n".join(line for line in lines if not any(word in line for word in HARMLESS))
    for key, phrases in SAID.items():
        for phrase in phrases:
            if phrase in last:
                return f"{_reached(key, resources)}; it said {phrase!r}"
    return too_much("memory", peak, resources) if peak >= NEARLY * resources.memory else ""


def too_much(key: str, amount: float, resources: Resources) -> str:
    """ "memory: 1.2 GiB of 1 GiB"."""
    return f"{WORDS[key]}: {say(key, amount)} of {say(key, getattr(resources, key))}"


def _reached(key: str, resources: Resources) -> str:
    return f"{WORDS[key]}: it reached the limit of {say(key, getattr(resources, key))}"


def _wrapping(cell: Cell) -> int:
    """How many processes of the tree are not the bot's: bwrap's, one outside and one inside."""
    return 2 if cell.level in WRAPPED else 0


def _scratch(cell: Cell, pids: list[int], resources: Resources) -> str:
    if cell.scratch is None:
        with suppress(OSError):  # it is starting or ending; its size the system itself holds it to
            found = os.statvfs(cell.inside(SCRATCH, pids[0]))
            if found.f_files - found.f_ffree > MOST_FILES:
                return f"{WORDS['scratch']}: more than {MOST_FILES} files"
        return ""
    size, entries = usage.scratch_use(cell.scratch, MOST_FILES + 1)
    if entries > MOST_FILES:
        return f"{WORDS['scratch']}: more than {MOST_FILES} files, or folders that cannot be looked into"
    size += usage.unlinked(pids, cell.scratch)
    return too_much("scratch", size, resources) if size > resources.scratch else ""
