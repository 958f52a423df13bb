"""A match that goes on from a record, played live: see continued_steps.py."""

from khiva_arena.arbiter.clock import LagMeter
from khiva_arena.arbiter.continued_steps import ContinuedSteps
from khiva_arena.arbiter.match import Job, LiveMatch
from khiva_arena.arbiter.tick_batches import ModuleTable
from khiva_arena.arbiter.wire import Wire
from khiva_arena.records.replay.record import Past


class ContinuedMatch(ContinuedSteps, LiveMatch):
    """A match in progress whose first steps are taken from a record."""

    def __init__(self, job: Job, past: Past, wire: Wire | ModuleTable, lag: LagMeter) -> None:
        LiveMatch.__init__(self, job, wire, lag)
        self._follow(past)
