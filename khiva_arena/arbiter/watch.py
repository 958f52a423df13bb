"""A watch on the memory and processor use of the bots of one match, from time to time
and on demand.

A look reads files in /proc for every process of a bot, so a bot can make it long: the
longer a look took, the later comes the next one.

If a process asks for more than its limit, the system refuses it. A bot that copes with
that plays on; one that fails because of it gets the verdict ``resource``, and the
detail begins with the name of the limit.
"""

import signal
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace

import trio

from khiva_arena.arbiter.child import Child
from khiva_arena.arbiter.stderr import without_marks
from khiva_arena.arbiter.wire import Ending, Use
from khiva_arena.bots.sandbox import proc_usage, silence
from khiva_arena.bots.sandbox.cell import Cell
from khiva_arena.bots.sandbox.limits import Resources, at_limit, too_much
from khiva_arena.bots.sandbox.proc_usage import PROCESSES_SEEN

WATCH_SECONDS = 0.1
COSTS_BETWEEN_WATCHES = 10
NEARLY = 0.9
LOOK_BACK = 4_000
# Phrases of runtimes when the system refuses them something. A bot that lies here only
# trades one fault of its own for another.
SAID = {
    "processes": (
        "native thread",
        "start new thread",
        "Resource temporarily unavailable",
        "Cannot fork",
        "create thread",
    ),
    "memory": (
        "MemoryError",
        "Cannot allocate memory",
        "bad_alloc",
        "OutOfMemoryError",
        "out of memory",
        "memory allocation of",
    ),
    "open_files": ("Too many open files",),
    "file_size": ("File too large",),
    "scratch": ("No space left on device",),
}
# Phrases of runtimes that play on: Ruby at each start, since timers that send signals
# are refused.
HARMLESS = ("timer_create",)
SIGNALS = {-signal.SIGXCPU: "cpu", -signal.SIGXFSZ: "file_size"}


class Watch:
    """A check of bots against their limits.

    next_at: when it is time for the next look
    """

    def __init__(self, resources: Resources) -> None:
        self.next_at = trio.current_time() + WATCH_SECONDS
        self._resources = resources
        self._looks = 0

    def offenders(self, children: Iterable[Child]) -> list[Child]:
        """Look at all running bots. Return the bots that use too much, each with the
        reason in its ``limit``.
        """
        self._looks += 1
        began = time.monotonic()
        too_greedy = []
        for child in children:
            started = child.unreaped
            if started is None or child.killed:
                continue
            # To go through a folder takes longer than to look at processes: a cell says
            # how often it is worth it.
            scratch_too = self._looks % started.cell.scratch_every == 0
            limit = while_it_runs(
                started.cell, started.pid, self._resources, scratch_too=scratch_too
            )
            if limit:
                child.exceeded = limit
                too_greedy.append(child)
        cost = time.monotonic() - began
        self.next_at = trio.current_time() + max(WATCH_SECONDS, COSTS_BETWEEN_WATCHES * cost)
        return too_greedy

    def exceeded_limit(self, child: Child) -> str:
        """Return the limit that a bot exceeded which is late or has ended, in words; ""
        if none is known.
        """
        if not child.exceeded and child.started is not None:
            cell, end = child.started.cell, child.ending
            if end is None:
                child.exceeded = when_late(cell, child.started.pid, self._resources)
            else:
                child.exceeded = after_its_end(cell, end, self._resources, child.module_memory)
        return child.exceeded


def doing(child: Child) -> str:
    """Describe in words what a bot does that does not answer; "" if that is not
    known.
    """
    started = child.unreaped
    program = started.cell.program(started.pid) if started else None
    if started is None or program is None or child.killed or child.resting:
        return ""
    return silence.doing(proc_usage.tree(program, PROCESSES_SEEN), child.stdin, child.stdout)


def trees(children: Iterable[Child]) -> dict[int, list[int]]:
    """Return by seat the living processes of bots that are not reaped yet, wrapping
    processes included.
    """
    pids = {child.seat: started.pid for child in children if (started := child.unreaped)}
    pids_by_root = proc_usage.trees(pids.values(), PROCESSES_SEEN)
    return {seat: pids_by_root[pid] for seat, pid in pids.items()}


def uses(children: Sequence[Child]) -> list[Use]:
    """Return the processor use of all bots so far, from one look at them; a bot that is
    reaped has none.
    """
    pids_by_seat = trees(children)
    return [_use(pids_by_seat.get(child.seat, []), child.ours) for child in children]


def _use(pids: Sequence[int], ours: bool) -> Use:
    return Use(
        proc_usage.thread_times(pids),
        proc_usage.usage(pids, 0).cpu,
        frozenset(() if ours else pids),
    )


def while_it_runs(cell: Cell, pid: int, resources: Resources, *, scratch_too: bool) -> str:
    """Return the limit that a bot exceeds while it runs, in words, "" if none. ``pid``:
    the process that was started.
    """
    pids = proc_usage.tree(pid, resources.processes + 16)
    usage = proc_usage.usage(pids, resources.memory)
    for key, amount in (("memory", usage.memory), ("cpu", usage.cpu)):
        if amount > getattr(resources, key):
            return too_much(key, amount, resources)
    if usage.tasks > resources.processes + cell.wrapping:
        return too_much("processes", usage.tasks - cell.wrapping, resources)
    return cell.scratch_exceeded(pids, resources) if scratch_too else ""


def when_late(cell: Cell, pid: int, resources: Resources) -> str:
    """Return the limit that may have kept a bot from answering in time: processes or
    descriptors used up; "" if none is seen.
    """
    pids = proc_usage.tree(pid, resources.processes + 16)
    tasks = proc_usage.usage(pids, 0).tasks - cell.wrapping
    if tasks >= resources.processes - 1:  # bwrap's own process inside counts as one
        return too_much("processes", resources.processes, resources)
    if max(map(proc_usage.open_files, pids)) >= resources.open_files:
        return too_much("open_files", resources.open_files, resources)
    return ""


def after_its_end(cell: Cell, end: Ending, resources: Resources, module_memory: int) -> str:
    """Return the limit that a bot's end points to, "" if none.

    Its signal, the counts of the system and the bot's last notes are looked at.

    module_memory: bytes that the memory of a module may have, which is used up before
        its process meets a limit; 0 for a program.
    """
    if end.status in (None, 0) or end.killed:
        return ""
    if end.status in SIGNALS:
        return at_limit(SIGNALS[end.status], resources)
    if refusal := cell.refusal():
        return at_limit(refusal, resources)
    if end.cpu >= resources.cpu:
        return too_much("cpu", end.cpu, resources)
    met = replace(resources, memory=min(resources.memory, module_memory or resources.memory))
    lines = without_marks(end.notes)[-LOOK_BACK:].splitlines()
    last = "\n".join(line for line in lines if not any(word in line for word in HARMLESS))
    for key, phrases in SAID.items():
        for phrase in phrases:
            if phrase in last:
                return f"{at_limit(key, met)}; it said {phrase!r}"
    return too_much("memory", end.peak, resources) if end.peak >= NEARLY * resources.memory else ""
