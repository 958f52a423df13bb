"""The limit that a bot exceeded: found by looking at its processes now and then, and by its end.

If a process asks for more than its limit, the system refuses it. A bot that copes with that plays on; one that fails because of
it gets the verdict ``resource``, and the detail begins with the name of the limit.
"""

import signal

from khiva_arena.sandbox import proc_usage
from khiva_arena.sandbox.cell import Cell
from khiva_arena.sandbox.limits import Resources, at_limit, too_much

NEARLY = 0.9
LOOK_BACK = 4_000
# Phrases of runtimes when the system refuses them something. A bot that lies here only trades one fault of its own for another.
SAID = {
    "processes": ("native thread", "start new thread", "Resource temporarily unavailable", "Cannot fork", "create thread"),
    "memory": ("MemoryError", "Cannot allocate memory", "bad_alloc", "OutOfMemoryError", "out of memory", "memory allocation of"),
    "open_files": ("Too many open files",),
    "file_size": ("File too large",),
    "scratch": ("No space left on device",),
}
# Phrases of runtimes that play on: Ruby at each start, since timers that send signals are refused.
HARMLESS = ("timer_create",)
SIGNALS = {-signal.SIGXCPU: "cpu", -signal.SIGXFSZ: "file_size"}


def while_it_runs(cell: Cell, pid: int, resources: Resources, *, scratch_too: bool) -> str:
    """Return the limit that a bot exceeds while it runs, in words, "" if none. ``pid``: the process that was started."""
    pids = proc_usage.tree(pid, resources.processes + 16)
    usage = proc_usage.usage(pids, resources.memory)
    for key, amount in (("memory", usage.memory), ("cpu", usage.cpu)):
        if amount > getattr(resources, key):
            return too_much(key, amount, resources)
    if usage.tasks > resources.processes + cell.wrapping:
        return too_much("processes", usage.tasks - cell.wrapping, resources)
    return cell.scratch_exceeded(pids, resources) if scratch_too else ""


def when_late(cell: Cell, pid: int, resources: Resources) -> str:
    """Return the limit that may have kept a bot from answering in time: processes or descriptors used up; "" if none is seen."""
    pids = proc_usage.tree(pid, resources.processes + 16)
    tasks = proc_usage.usage(pids, 0).tasks - cell.wrapping
    if tasks >= resources.processes - 1:  # bwrap's own process inside counts as one
        return too_much("processes", resources.processes, resources)
    if max(map(proc_usage.open_files, pids)) >= resources.open_files:
        return too_much("open_files", resources.open_files, resources)
    return ""


def after_its_end(cell: Cell, status: int, cpu: float, peak: int, notes: str, resources: Resources) -> str:
    """Return the limit that a bot's end points to, "" if none.

    Its signal, the counts of the system and the bot's last notes are looked at. ``status``: negative for a signal, as in
    ``Ending``.
    """
    if status in SIGNALS:
        return at_limit(SIGNALS[status], resources)
    if status == 0:
        return ""
    if refusal := cell.refusal():
        return at_limit(refusal, resources)
    if cpu >= resources.cpu:
        return too_much("cpu", cpu, resources)
    lines = notes[-LOOK_BACK:].splitlines()
    last = "\n".join(line for line in lines if not any(word in line for word in HARMLESS))
    for key, phrases in SAID.items():
        for phrase in phrases:
            if phrase in last:
                return f"{at_limit(key, resources)}; it said {phrase!r}"
    return too_much("memory", peak, resources) if peak >= NEARLY * resources.memory else ""
