"""A watch on the memory and processor use of the bots of one match, from time to time and on demand.

A look reads files in /proc for every process of a bot, so a bot can make it long: the longer a look took, the later comes the
next one.
"""

import time
from collections.abc import Iterable, Sequence

import trio

from khiva_arena.arbiter.child import Child
from khiva_arena.arbiter.stderr import without_marks
from khiva_arena.arbiter.wire import Use
from khiva_arena.sandbox import limit_check, proc_usage, silence
from khiva_arena.sandbox.limits import Resources
from khiva_arena.sandbox.proc_usage import PROCESSES_SEEN

WATCH_SECONDS = 0.1
COSTS_BETWEEN_WATCHES = 10


class Watch:
    """A check of bots against their limits.

    next_at: when it is time for the next look
    """

    def __init__(self, resources: Resources) -> None:
        self.next_at = trio.current_time() + WATCH_SECONDS
        self._resources = resources
        self._looks = 0

    def offenders(self, children: Iterable[Child]) -> list[Child]:
        """Look at all running bots. Return the bots that use too much, each with the reason in its ``limit``."""
        self._looks += 1
        began = time.monotonic()
        too_greedy = []
        for child in children:
            started = child.unreaped
            if started is None or child.killed:
                continue
            # To go through a folder takes longer than to look at processes: a cell says how often it is worth it.
            scratch_too = self._looks % started.cell.scratch_every == 0
            limit = limit_check.while_it_runs(started.cell, started.pid, self._resources, scratch_too=scratch_too)
            if limit:
                child.exceeded = limit
                too_greedy.append(child)
        cost = time.monotonic() - began
        self.next_at = trio.current_time() + max(WATCH_SECONDS, COSTS_BETWEEN_WATCHES * cost)
        return too_greedy

    def exceeded_limit(self, child: Child) -> str:
        """Return the limit that a bot exceeded which is late or has ended, in words; "" if none is known."""
        if not child.exceeded and child.started is not None:
            cell, end = child.started.cell, child.ending
            if end is None:
                child.exceeded = limit_check.when_late(cell, child.started.pid, self._resources)
            elif end.status is not None and not end.killed:
                stderr = without_marks(end.notes)
                child.exceeded = limit_check.after_its_end(cell, end.status, end.cpu, end.peak, stderr, self._resources)
        return child.exceeded


def doing(child: Child) -> str:
    """Describe in words what a bot does that does not answer; "" if that is not known."""
    started = child.unreaped
    program = started.cell.program(started.pid) if started else None
    if started is None or program is None or child.killed or child.resting:
        return ""
    return silence.doing(proc_usage.tree(program, PROCESSES_SEEN), child.stdin, child.stdout)


def trees(children: Iterable[Child]) -> dict[int, list[int]]:
    """Return by seat the living processes of bots that are not reaped yet, wrapping processes included."""
    pids = {child.seat: started.pid for child in children if (started := child.unreaped)}
    pids_by_root = proc_usage.trees(pids.values(), PROCESSES_SEEN)
    return {seat: pids_by_root[pid] for seat, pid in pids.items()}


def uses(children: Sequence[Child]) -> list[Use]:
    """Return the processor use of all bots so far, from one look at them; a bot that is reaped has none."""
    pids_by_seat = trees(children)
    return [_use(pids_by_seat.get(child.seat, []), child.ours) for child in children]


def _use(pids: Sequence[int], ours: bool) -> Use:
    return Use(proc_usage.thread_times(pids), proc_usage.usage(pids, 0).cpu, frozenset(() if ours else pids))
