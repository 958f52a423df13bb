"""A match that goes on from a record: the recorded steps are played again with the bots
at the table, then all is live.

In the past the rules follow the recorded choices, and so make every request anew. A bot
is sent what its seat was sent then, byte for byte, except the rest of its bank. Its
answers are waited for under its clock, as ever, and are not used. So a module comes to
the step with the memory and the bank that it had there.

Nothing here starts a process or reads a clock, so that a page can go on from a record,
too.

Recorded faults and forfeits stay. If a bot fails in the past where the record has no
fault, it is blamed once the past is over.
"""

from khiva_arena.arbiter.job import Job
from khiva_arena.arbiter.match_steps import Faults, MatchSteps
from khiva_arena.arbiter.seat import Bank, Seat
from khiva_arena.arbiter.tick_batches import ModuleTable
from khiva_arena.arbiter.wire import HostFault, Wire
from khiva_arena.common.result import STRIKING, Verdict
from khiva_arena.games.base import Pending, State
from khiva_arena.records.replay.conditions import TimeLimits
from khiva_arena.records.replay.record import Past


class ContinuedSteps(MatchSteps):
    """The steps of a match whose first ones are taken from a record."""

    def __init__(self, job: Job, past: Past, wire: Wire | ModuleTable) -> None:
        super().__init__(job, wire)
        self._follow(past)

    def _follow(self, past: Past) -> None:
        self._past = past
        self._absent.update(past.out)
        self._new_faults: Faults = {}

    async def _greet(self) -> None:
        for number in self._past.out:
            self._wire.stop(number)
        await super()._greet()
        for number, (verdict, detail) in self._recorded_faults(0).items():
            super()._fault(self._seats[number], verdict, detail, 0)
        if self._past.guest is not None:
            self._absent.add(self._past.guest)
            seat = self._seats[self._past.guest]
            seat.turn_ms = self._past.guest_turn_ms
            if not self._job.in_ticks:
                seat.bank = Bank(TimeLimits(**{**self._header.time, "turn_ms": seat.turn_ms}))
            for step, row in zip(self._past.steps, self._past.ticks[1:], strict=False):
                for choice, took in zip(step, row, strict=False):
                    if choice.seat == seat.number:
                        seat.bank.charge(
                            took
                        )  # the person has what is left of the seat's ticks, so that they add up

    def _fault(self, seat: Seat, verdict: Verdict, detail: str, step: int) -> bool:
        if step == 0:  # it started when the match was recorded
            raise HostFault(f"{self._header.seats[seat.number].name} does not start now: {detail}")
        return super()._fault(seat, verdict, detail, step)

    def _recorded_faults(self, step: int) -> Faults:
        return {
            fault.seat: (fault.verdict, fault.detail)
            for fault in self._past.faults
            if fault.step == step
        }

    async def _step(self, state: State) -> None:
        step = len(self._steps) + 1
        if step > len(self._past.steps):
            await super()._step(state)
            return
        pending = state.pending()
        recorded = {choice.seat: choice for choice in self._past.steps[step - 1]}
        live = pending.keys() - recorded.keys()
        faults = {
            **self._gatherer.drain(),
            **{number: self._new_faults.pop(number) for number in live & self._new_faults.keys()},
        }
        self._absent -= live
        answers = await self._ask(state, pending, faults)
        choices = {
            number: recorded[number]
            if number in recorded
            else self._choice(number, decision, answers, faults)
            for number, decision in pending.items()
        }
        recorded_faults = self._recorded_faults(step)
        for number in faults.keys() - live:
            self._hold(number, faults.pop(number), step)
        for number, (verdict, _) in recorded_faults.items():
            if verdict is Verdict.TIMEOUT:  # it took all of its time then
                bank = self._seats[number].bank
                bank.charge(bank.allowance())
        await self._commit(state, choices, faults | recorded_faults)

    def _hold(self, number: int, fault: tuple[Verdict, str], step: int) -> None:
        """Keep a fault that the record does not have until the past is over; if the bot
        can still play, it is none.
        """
        verdict, detail = fault
        if verdict not in STRIKING:
            self._new_faults[number] = (
                verdict,
                f"{detail or verdict}, when it was sent step {step} again",
            )
            self._absent.add(number)
            self._wire.stop(number)

    def _faults_before(self, pending: Pending) -> Faults:
        new_faults, self._new_faults = self._new_faults, {}
        self._absent.clear()
        return super()._faults_before(pending) | new_faults

    def _ticks(self) -> tuple[tuple[int, ...], ...]:
        live, past = super()._ticks(), self._past.ticks
        if self._past.guest is None or not past:
            return (*past, *live[len(past) :])
        comes = zip(self._steps[len(past) - 2], past[-1], live[len(past) - 1], strict=True)
        of_step = tuple(
            now if choice.seat == self._past.guest else then for choice, then, now in comes
        )
        return (*past[:-1], of_step, *live[len(past) :])
