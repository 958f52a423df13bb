"""The steps of a match: requests go out, sealed answers come in, the rules apply them,
until the match is over.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar, cast

import msgspec

from khiva_arena.arbiter.job import Job
from khiva_arena.arbiter.redact import Redactor
from khiva_arena.arbiter.seat import Bank, Seat, full_bank, start_allowance
from khiva_arena.arbiter.wire import Wire
from khiva_arena.bots.protocol import codec, messages
from khiva_arena.bots.protocol.session import Answer, Greeting, Phase
from khiva_arena.common.result import Policy, Verdict, final_ranks
from khiva_arena.errors import GameFault, LocalProtocolError
from khiva_arena.games.base import Decision, Event, Pending, Plain, State
from khiva_arena.games.registry import get
from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.record import FORFEITED, Choice, Record
from khiva_arena.records.replay.requests import fault_of, hello

if TYPE_CHECKING:  # most matches are by the wall clock, and those in a page have none
    from khiva_arena.arbiter.gather import Gatherer
    from khiva_arena.arbiter.tick_batches import ModuleTable, TickGatherer

Rules = TypeVar("Rules")
Faults = dict[int, tuple[Verdict, str]]
OVERDUE = (Verdict.TIMEOUT, "its bot has used up its time of a day")


class MatchSteps:
    """A match of a job, from the greeting to its record. Nothing here reads a clock: a
    match in ticks needs none.
    """

    def __init__(self, job: Job, wire: "Wire | ModuleTable") -> None:
        self._job = job
        self._header = job.header
        self._limits = job.limits
        self._policy = Policy(job.header.policy)
        self._wire = wire
        self._seats = [
            Seat.fresh(number, job.header, reports=job.reports(number))
            for number in range(len(job.header.seats))
        ]
        for number in job.header.persons:
            self._seats[number].turn_ms = job.person_turn_ms or job.header.time["turn_ms"]
        self._gatherer = self._make_gatherer(wire)
        self._req = seeds.req_start(job.secret, job.header.match)
        self._reqs = [self._req] * len(self._seats)
        self._steps: list[tuple[Choice, ...]] = []
        self._outside = self._any_asked = False
        self._absent: set[int] = set()  # seats that are sent nothing, though they play
        self._raw_legal: dict[int, tuple[object, msgspec.Raw]] = {}

    def _make_gatherer(self, wire: "Wire | ModuleTable") -> "Gatherer | TickGatherer":
        # not above: most matches are by the wall clock
        from khiva_arena.arbiter.tick_batches import TickGatherer

        granted = (
            None
            if self._job.granted is None
            else {(seat, step): most for seat, step, most in self._job.granted}
        )
        return TickGatherer(
            cast("ModuleTable", wire), self._seats, self._job.warned, self._job.forced, granted
        )

    async def record(self) -> Record:
        """Play to the end and return the record. The wire stays open. Raises HostFault,
        GameFault.
        """
        game = get(self._header.game, self._header.rules_version)
        self._outside = game.outside
        await self._greet()
        state, events = await self._call_game(
            game.played, len(self._seats), self._header.rules, self._job.secret
        )
        self._show(events)
        self._show_faults({seat.number: True for seat in self._seats if not seat.playing})
        while (
            not state.is_over and self._playing_seats() > 1 and self._has_all(self._job.ends_with)
        ):
            await self._step(state)
        reason = "over" if state.is_over else "forfeits"
        forfeit_steps = tuple(seat.forfeited_at for seat in self._seats)
        record = Record(
            header=self._header,
            steps=tuple(self._steps),
            verdicts=tuple(seat.verdict for seat in self._seats),
            forfeited_at=forfeit_steps,
            ranks=tuple(final_ranks(state.ranks, forfeit_steps)),
            scores=tuple(state.scores),
            reason=reason,
            ticks=self._ticks() if self._job.in_ticks else None,
        )
        for seat in self._seats:
            if seat.playing and seat.number not in self._absent:
                self._wire.announce(seat.number, len(self._steps), "end")
                self._wire.send(
                    seat.number,
                    seat.session.end(messages.End(reason, list(record.ranks), list(record.scores))),
                )
        return record

    def _ticks(self) -> tuple[tuple[int, ...], ...]:
        """Return the ticks of each start, and of each choice of each step."""
        rows = [tuple(seat.ticks.get(0, 0) for seat in self._seats)]
        for number, step in enumerate(self._steps, 1):
            seats = [self._seats[choice.seat] for choice in step]
            rows.append(tuple(seat.ticks.get(number, 0) for seat in seats))
        return tuple(rows)

    # --- the start ---

    async def _greet(self) -> None:
        present = [seat for seat in self._seats if seat.number not in self._absent]
        requests = {seat.number: seat.session.hello(self._hello(seat.number)) for seat in present}
        allowances = dict.fromkeys(requests, start_allowance(self._header))
        result = await self._gatherer.gather(requests, allowances)
        for seat in self._seats:
            outcome = result.answers.get(seat.number)
            if isinstance(outcome, Greeting):
                seat.name, seat.version = outcome
            if seat.number in result.faults:
                # Any fault before the bot's hello is accepted gets one verdict; its
                # detail names the fault.
                verdict, detail = result.faults[seat.number]
                if self._job.in_ticks and verdict is Verdict.RESOURCE:
                    self._fault(
                        seat, verdict, detail, step=0
                    )  # the record says so, since only this machine knows
                    continue
                # In ticks the runner has compared what it loaded, and says itself that
                # it fails.
                if not self._job.in_ticks:
                    # not above: most bots start
                    from khiva_arena.arbiter.lifetimes import refuse_fault_of_host

                    name, command = (
                        self._header.seats[seat.number].name,
                        self._job.commands[seat.number],
                    )
                    await refuse_fault_of_host(name, command, seat.number, cast("Wire", self._wire))
                why = detail if verdict is Verdict.START_FAILED else f"{verdict}: {detail}"
                self._fault(seat, Verdict.START_FAILED, why, step=0)
            # The start has a clock of its own: it neither counts as a decision nor
            # takes from the bank.
            seat.bank = full_bank(self._header)
            seat.times.clear()

    def _hello(self, number: int) -> messages.Hello:
        return hello(self._header, number, (messages.SPENT,) if self._job.reports(number) else ())

    # --- one step ---

    async def _step(self, state: State) -> None:
        pending = state.pending()
        faults = self._faults_before(pending)
        answers = await self._ask(state, pending, faults)
        choices = {
            number: self._choice(number, decision, answers, faults)
            for number, decision in pending.items()
        }
        await self._commit(state, choices, faults)

    def _faults_before(self, pending: Pending) -> Faults:
        """Return the faults of seats that are known before anybody is asked."""
        faults = self._gatherer.drain()
        return {
            number: OVERDUE
            for number in self._job.overdue
            if number in pending and self._seats[number].playing
        } | faults

    async def _ask(
        self, state: State, pending: Pending, faults: Faults
    ) -> Mapping[int, Greeting | Answer]:
        """Ask the seats that are in and have no fault, and return their answers. What
        goes wrong is added to ``faults``.
        """
        requests, allowances = {}, {}
        public = state.public()  # of all views of this step, so made once
        for number, decision in pending.items():
            seat = self._seats[number]
            if seat.playing and number not in faults and number not in self._absent:
                requests[number] = self._request(
                    seat, decision, {**public, **state.private(number)}
                )
                allowances[number] = seat.bank.allowance()
        if not requests:
            return {}
        self._any_asked = True
        result = await self._gatherer.gather(requests, allowances)
        faults |= result.faults
        return result.answers

    async def _commit(self, state: State, choices: Mapping[int, Choice], faults: Faults) -> None:
        """Blame the seats at fault, play the choices, and show what comes of them."""
        step = len(self._steps) + 1
        forfeits = {
            number: self._fault(self._seats[number], *faults[number], step)
            for number in sorted(faults)
        }
        self._steps.append(tuple(choices.values()))
        self._show(
            await self._call_game(
                state.apply, {number: choice.choice for number, choice in choices.items()}
            )
        )
        self._show_faults(forfeits)

    async def _call_game(self, call: Callable[..., Rules], *arguments: object) -> Rules:
        """Call a method of the game."""
        return call(*arguments)

    def _request(self, seat: Seat, decision: Decision, view: dict[str, Plain]) -> bytes:
        req = self._reqs[seat.number]
        self._reqs[seat.number] = req + 1
        seat.asked_at = len(self._steps) + 1
        self._give_back(seat)
        events, seat.events = seat.events, []
        self._wire.announce(seat.number, len(self._steps) + 1, decision.kind)
        message = messages.Decide(
            req,
            decision.kind,
            seat.turn_ms,
            seat.bank.left_ms,
            view,
            events,
            self._legal(decision),  # type: ignore[arg-type]  # encoded once, spliced in
        )
        try:
            return seat.session.ask(message, req)
        except LocalProtocolError as error:
            if self._outside:
                raise GameFault(
                    f"game {self._header.game}: too much happens between two requests: {error}"
                ) from None
            raise

    def _give_back(self, seat: Seat) -> None:
        """Credit the measured round trip to the bank of a seat whose player is
        elsewhere, up to the allowance of its command.

        The seat's clock is not for the way of its bytes.
        """
        trip = self._wire.round_trip(seat.number)
        if trip is not None and isinstance(seat.bank, Bank):
            seat.round_trips[seat.asked_at] = trip
            seat.bank.credit = min(trip, self._job.commands[seat.number].allowance)

    def _legal(self, decision: Decision) -> object:
        """Return the legal list for a message; one that the game keeps as a constant
        tuple is encoded once a match.
        """
        legal = decision.legal
        if not isinstance(legal, tuple):
            return legal
        entry = self._raw_legal.get(id(legal))
        if entry is None:
            # The tuple is kept beside its encoding, so that its id cannot come to stand
            # for another one.
            entry = self._raw_legal[id(legal)] = (
                legal,
                codec.encode_raw(legal, for_module=self._job.in_ticks),
            )
        return entry[1]

    def _choice(
        self,
        number: int,
        decision: Decision,
        answers: Mapping[int, Greeting | Answer],
        faults: Faults,
    ) -> Choice:
        """Return the seat's own choice, or the default with the reason for it. An
        illegal choice is added to ``faults``.
        """
        if not self._seats[number].playing:
            return Choice(number, 0, FORFEITED)
        answer = answers.get(number)
        if isinstance(answer, Answer) and number not in faults:
            if 0 <= answer.choice < len(decision.legal):
                return Choice(number, answer.choice)
            faults[number] = (
                Verdict.ILLEGAL,
                f"choice {answer.choice} of {len(decision.legal)} legal ones",
            )
        return Choice(number, 0, str(faults[number][0]))

    def _fault(self, seat: Seat, verdict: Verdict, detail: str, step: int) -> bool:
        """Blame a seat, and return True if it is out. A bot that is out is killed,
        another gets a message.
        """
        detail = Redactor(self._job.commands[seat.number].handed).text(
            detail
        )  # which may quote the bot's own bytes
        forfeits = seat.blame(verdict, detail, step, self._policy)
        if self._job.in_ticks:  # no module is sent it, since it would pay for each byte
            cast("ModuleTable", self._wire).remark(seat.number, f"step {step}: {verdict}: {detail}")
        if forfeits:
            self._note_out()
            self._wire.stop(seat.number)
        elif seat.session.phase is Phase.IDLE:
            self._wire.send(
                seat.number,
                seat.session.fault(fault_of(self._header, verdict, detail, seat.strikes)),
            )
        return forfeits

    def _note_out(self) -> None:
        """Note that a bot was ended just now."""

    # --- views of the seats ---

    def _show(self, events: Sequence[Event]) -> None:
        for data, to in events:
            for seat in self._seats if to is None else [self._seats[number] for number in to]:
                seat.events.append(data)

    def _show_faults(self, faults: Mapping[int, bool]) -> None:
        """Show timeouts, defaults played and forfeits to every seat: they are
        public.
        """
        for number, forfeits in faults.items():
            seat = self._seats[number]
            kind = "forfeit" if forfeits else "default"
            why = str(seat.faults[-1].verdict)
            self._show([Event({"type": kind, "seat": number, "why": why, "strikes": seat.strikes})])

    def _playing_seats(self) -> int:
        return sum(seat.playing for seat in self._seats)

    def _has_all(self, seats: Sequence[int]) -> bool:
        """Tell whether none of these seats has forfeited."""
        return all(self._seats[seat].playing for seat in seats)
