"""A match played live: requests go out, sealed answers come in, the rules apply them, until the match is over."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar, cast

import msgspec
import trio

from khiva_arena.arbiter.clock import SLICE, Bank, LagMeter
from khiva_arena.arbiter.gather import Gatherer
from khiva_arena.arbiter.redact import Redactor
from khiva_arena.arbiter.seat import Blame, Seat, full_bank, start_allowance
from khiva_arena.arbiter.wire import Ending, HostFault, Wire
from khiva_arena.errors import GameFault, LocalProtocolError
from khiva_arena.games.base import Decision, Event, Pending, Plain, State
from khiva_arena.games.registry import get
from khiva_arena.protocol import codec, messages
from khiva_arena.protocol.session import Answer, Greeting, Phase
from khiva_arena.replay import seeds
from khiva_arena.replay.definition import TimeLimits
from khiva_arena.replay.record import FORFEITED, IN_TICKS, Choice, Header, Past, Record
from khiva_arena.replay.requests import fault_of, hello
from khiva_arena.result import Measured, Policy, Verdict, final_ranks
from khiva_arena.sandbox import stops
from khiva_arena.sandbox.command import Command
from khiva_arena.sandbox.level import TRUSTING, Level, Sandbox

if TYPE_CHECKING:  # most matches are by the wall clock
    from khiva_arena.arbiter.ticks import ModuleTable, TickGatherer

Rules = TypeVar("Rules")
Faults = dict[int, tuple[Verdict, str]]
EXIT_GRACE = 0.5
# How often a match is tried in all.
VOIDS_MOST = 2
OVERDUE = (Verdict.TIMEOUT, "its bot has used up its time of a day")


class Job(msgspec.Struct, frozen=True):
    """A match to be played, with everything that a worker needs.

    ordinal: the caller's number for it
    attempt: 1 for the first, 2 after a void
    header: the beginning of the record
    secret: the seed's, 32 bytes
    commands: by seat, how its bot is started
    sandbox: how all bots are kept
    warned: seats whose bots have made a match of this event void; in ticks, their next backstop is a fault
    forced: in ticks, seats that meet the backstop without being run, with the numbers of the steps: a record says that they did
    patience: in ticks, how many times as much of the machine as in play its modules may take
    granted: in ticks, the most that a module may take for each question: seat, number of the step, and ticks; nothing for a
        question that is not among them. None: the header's limits alone
    overdue: by the wall clock, seats that have no time left in this match: they are not asked, and each step counts as late
    past: the steps that are taken from a record, None to play all of them, see continued.py
    """

    ordinal: int
    attempt: int
    header: Header
    secret: bytes
    commands: tuple[Command, ...]
    sandbox: Sandbox = TRUSTING
    warned: tuple[int, ...] = ()
    forced: tuple[tuple[int, int], ...] = ()
    patience: int = 1
    granted: tuple[tuple[int, int, int], ...] | None = None
    overdue: tuple[int, ...] = ()
    past: Past | None = None

    @property
    def in_ticks(self) -> bool:
        """True if its bots are modules that pay in ticks."""
        return self.header.format == IN_TICKS

    @property
    def limits(self) -> TimeLimits:
        """The header's limits."""
        return TimeLimits(**self.header.time)

    @property
    def last(self) -> bool:
        """True if the match is set aside when this attempt is void, too."""
        return self.attempt >= VOIDS_MOST


class SeatReport(msgspec.Struct, frozen=True):
    """The facts kept of one seat beside the record; nothing here changes the match's digest.

    name, version: as the bot greeted, "" if it did not
    faults: all, strikes that did not forfeit included
    times: by number of the step, seconds of each decision that it answered or was late with, without the time given back
    round_trips: by number of the step, seconds of the way to its player and back, as measured at the request; empty if not known
    bank_left: seconds
    ending: how its process ended
    measured: the resources that it used in this match
    """

    name: str
    version: str
    faults: tuple[Blame, ...]
    times: Mapping[int, float]
    round_trips: Mapping[int, float]
    bank_left: float
    ending: Ending
    measured: Measured

    @property
    def decisions(self) -> int:
        """The number of decisions that the seat answered or was late with."""
        return len(self.times)

    @property
    def thought(self) -> float:
        """Seconds that the seat's decisions took in all."""
        return sum(self.times.values())

    @property
    def slowest(self) -> float:
        """Seconds of the seat's longest decision, 0 if there was none."""
        return max(self.times.values(), default=0.0)


class Outcome(msgspec.Struct, frozen=True):
    """The outcome of a job.

    ordinal, attempt: of the job
    record: None if the match is void
    void: in words, why it is void, "" if it is not
    seats: by seat, the facts kept beside the record
    req_start: the number of the first request
    seconds: from the first start to the last end of a bot
    unsettled: seconds for which it may still turn out that a stop of the arbiter ended a bot, see stops.py
    causes: the seats whose lateness made the match void
    lag: seconds that the arbiter's own loop was late meanwhile
    host: True if the machine caused the void, and neither a game nor a late seat did
    begun: True if a bot was asked for a choice, so that a void may be its doing
    again: True if a void match is played once more in this run
    cell: the level of the cell around the runner, in ticks; None by the wall clock
    """

    ordinal: int
    attempt: int
    record: Record | None
    void: str
    seats: tuple[SeatReport, ...]
    req_start: int
    seconds: float
    unsettled: float = 0.0
    causes: tuple[int, ...] = ()
    lag: float = 0.0
    host: bool = False
    begun: bool = True
    again: bool = False
    cell: Level | None = None


class LiveMatch:
    """A match in progress."""

    def __init__(self, job: Job, wire: "Wire | ModuleTable", lag: LagMeter) -> None:
        self._job = job
        self._header = job.header
        self._limits = job.limits
        self._policy = Policy(job.header.policy)
        self._wire = wire
        self._lag = lag
        self._seats = [Seat.fresh(number, job.header) for number in range(len(job.header.seats))]
        self._gatherer = self._make_gatherer(wire)
        self._req = seeds.req_start(job.secret, job.header.match)
        self._reqs = [self._req] * len(self._seats)
        self._last_out: float | None = None
        self._steps: list[tuple[Choice, ...]] = []
        self._outside = self._any_asked = False
        self._absent: set[int] = set()  # seats that are sent nothing, though they play
        self._raw_legal: dict[int, tuple[object, msgspec.Raw]] = {}

    def _make_gatherer(self, wire: "Wire | ModuleTable") -> "Gatherer | TickGatherer":
        if not self._job.in_ticks:
            wire = cast(Wire, wire)
            return Gatherer(wire, self._seats, self._lag, ponder=self._job.sandbox.ponder, last=self._job.last)
        from khiva_arena.arbiter.ticks import TickGatherer

        granted = None if self._job.granted is None else {(seat, step): most for seat, step, most in self._job.granted}
        return TickGatherer(cast("ModuleTable", wire), self._seats, self._job.warned, self._job.forced, granted)

    async def play(self) -> Outcome:
        """Start the bots, play to the end, and end and reap every process on every path."""
        began = trio.current_time()
        lag = self._lag.total(began)
        record, void, host = None, "", False
        causes: tuple[int, ...] = ()
        endings: list[Ending] = []
        try:
            try:
                record = await self._play()
            except HostFault as fault:
                void, causes, host = str(fault), fault.late, not fault.late
            except GameFault as fault:
                void = str(fault)
            finally:
                with trio.CancelScope(shield=True):
                    try:
                        endings = await self._wire.close(EXIT_GRACE if record else 0.0)
                    except HostFault as fault:
                        record, void = None, str(fault)
        finally:
            reports = tuple(_report(seat, ending) for seat, ending in zip(self._seats, endings, strict=False))
        now = trio.current_time()
        unsettled, lag = self._unsettled_seconds(now), self._lag.total(now) - lag
        return Outcome(
            ordinal=self._job.ordinal,
            attempt=self._job.attempt,
            record=record,
            void=void,
            seats=reports,
            req_start=self._req,
            seconds=now - began,
            unsettled=unsettled,
            causes=causes,
            lag=lag,
            host=host,
            begun=self._any_asked,
            cell=self._job.sandbox.level if self._job.in_ticks else None,
        )

    def _unsettled_seconds(self, now: float) -> float:
        return 0.0 if self._last_out is None else max(SLICE, stops.SETTLES_SECONDS - (now - self._last_out))

    async def greet(self) -> Outcome:
        """Start the bots, exchange hellos, and end them, without playing."""
        endings: list[Ending] = []
        try:
            await self._greet()
            for seat in self._seats:
                if seat.playing:
                    self._wire.send(seat.number, seat.session.end(messages.End("greeted", [], [])))
        finally:
            with trio.CancelScope(shield=True):
                endings = await self._wire.close(EXIT_GRACE)
        reports = tuple(_report(seat, ending) for seat, ending in zip(self._seats, endings, strict=True))
        return Outcome(self._job.ordinal, self._job.attempt, None, "", reports, self._req, 0.0)

    async def _play(self) -> Record:
        game = get(self._header.game, self._header.rules_version)
        self._outside = game.outside
        await self._greet()
        state, events = await self._call_game(game.played, len(self._seats), self._header.rules, self._job.secret)
        self._show(events)
        self._show_faults({seat.number: True for seat in self._seats if not seat.playing})
        while not state.is_over and self._playing_seats() > 1:
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
                self._wire.send(seat.number, seat.session.end(messages.End(reason, list(record.ranks), list(record.scores))))
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
        requests = {seat.number: seat.session.hello(hello(self._header, seat.number)) for seat in present}
        allowances = dict.fromkeys(requests, start_allowance(self._header))
        result = await self._gatherer.gather(requests, allowances)
        for seat in self._seats:
            outcome = result.answers.get(seat.number)
            if isinstance(outcome, Greeting):
                seat.name, seat.version = outcome
            if seat.number in result.faults:
                # Any fault before the bot's hello is accepted gets one verdict; its detail names the fault.
                verdict, detail = result.faults[seat.number]
                if self._job.in_ticks and verdict is Verdict.RESOURCE:
                    self._fault(seat, verdict, detail, step=0)  # the record says so, since only this machine knows
                    continue
                # In ticks the runner has compared what it loaded, and says itself that it fails.
                if not self._job.in_ticks:
                    from khiva_arena.arbiter.lifetimes import refuse_fault_of_host  # not above: most bots start

                    name, command = self._header.seats[seat.number].name, self._job.commands[seat.number]
                    await refuse_fault_of_host(name, command, seat.number, cast("Wire", self._wire))
                why = detail if verdict is Verdict.START_FAILED else f"{verdict}: {detail}"
                self._fault(seat, Verdict.START_FAILED, why, step=0)
            # The start has a clock of its own: it neither counts as a decision nor takes from the bank.
            seat.bank = full_bank(self._header)
            seat.times.clear()

    # --- one step ---

    async def _step(self, state: State) -> None:
        pending = state.pending()
        faults = self._faults_before(pending)
        answers = await self._ask(state, pending, faults)
        choices = {number: self._choice(number, decision, answers, faults) for number, decision in pending.items()}
        await self._commit(state, choices, faults)

    def _faults_before(self, pending: Pending) -> Faults:
        """Return the faults of seats that are known before anybody is asked."""
        faults = self._gatherer.drain()
        return {number: OVERDUE for number in self._job.overdue if number in pending and self._seats[number].playing} | faults

    async def _ask(self, state: State, pending: Pending, faults: Faults) -> Mapping[int, Greeting | Answer]:
        """Ask the seats that are in and have no fault, and return their answers. What goes wrong is added to ``faults``."""
        requests, allowances = {}, {}
        public = state.public()  # of all views of this step, so made once
        for number, decision in pending.items():
            seat = self._seats[number]
            if seat.playing and number not in faults and number not in self._absent:
                requests[number] = self._request(seat, decision, {**public, **state.private(number)})
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
        forfeits = {number: self._fault(self._seats[number], *faults[number], step) for number in sorted(faults)}
        self._steps.append(tuple(choices.values()))
        self._show(await self._call_game(state.apply, {number: choice.choice for number, choice in choices.items()}))
        self._show_faults(forfeits)

    async def _call_game(self, call: Callable[..., Rules], *arguments: object) -> Rules:
        """Call a method of the game. A game from outside may take its time, in which other matches go on."""
        if not self._outside:
            return call(*arguments)
        return await trio.to_thread.run_sync(call, *arguments, abandon_on_cancel=True)

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
                raise GameFault(f"game {self._header.game}: too much happens between two requests: {error}") from None
            raise

    def _give_back(self, seat: Seat) -> None:
        """Credit the measured round trip to the bank of a seat whose player is elsewhere, up to the allowance of its command.

        The seat's clock is not for the way of its bytes.
        """
        trip = self._wire.round_trip(seat.number)
        if trip is not None and isinstance(seat.bank, Bank):
            seat.round_trips[seat.asked_at] = trip
            seat.bank.credit = min(trip, self._job.commands[seat.number].allowance)

    def _legal(self, decision: Decision) -> object:
        """Return the legal list for a message; one that the game keeps as a constant tuple is encoded once a match."""
        legal = decision.legal
        if not isinstance(legal, tuple):
            return legal
        entry = self._raw_legal.get(id(legal))
        if entry is None:
            # The tuple is kept beside its encoding, so that its id cannot come to stand for another one.
            entry = self._raw_legal[id(legal)] = (legal, codec.encode_raw(legal, for_module=self._job.in_ticks))
        return entry[1]

    def _choice(self, number: int, decision: Decision, answers: Mapping[int, Greeting | Answer], faults: Faults) -> Choice:
        """Return the seat's own choice, or the default with the reason for it. An illegal choice is added to ``faults``."""
        if not self._seats[number].playing:
            return Choice(number, 0, FORFEITED)
        answer = answers.get(number)
        if isinstance(answer, Answer) and number not in faults:
            if 0 <= answer.choice < len(decision.legal):
                return Choice(number, answer.choice)
            faults[number] = (Verdict.ILLEGAL, f"choice {answer.choice} of {len(decision.legal)} legal ones")
        return Choice(number, 0, str(faults[number][0]))

    def _fault(self, seat: Seat, verdict: Verdict, detail: str, step: int) -> bool:
        """Blame a seat, and return True if it is out. A bot that is out is killed, another gets a message."""
        detail = Redactor(self._job.commands[seat.number].handed).text(detail)  # which may quote the bot's own bytes
        forfeits = seat.blame(verdict, detail, step, self._policy)
        if self._job.in_ticks:  # no module is sent it, since it would pay for each byte
            cast("ModuleTable", self._wire).remark(seat.number, f"step {step}: {verdict}: {detail}")
        if forfeits:
            self._last_out = trio.current_time()
            self._wire.stop(seat.number)
        elif seat.session.phase is Phase.IDLE:
            self._wire.send(seat.number, seat.session.fault(fault_of(self._header, verdict, detail, seat.strikes)))
        return forfeits

    # --- views of the seats ---

    def _show(self, events: Sequence[Event]) -> None:
        for data, to in events:
            for seat in self._seats if to is None else [self._seats[number] for number in to]:
                seat.events.append(data)

    def _show_faults(self, faults: Mapping[int, bool]) -> None:
        """Show timeouts, defaults played and forfeits to every seat: they are public."""
        for number, forfeits in faults.items():
            seat = self._seats[number]
            kind = "forfeit" if forfeits else "default"
            why = str(seat.faults[-1].verdict)
            self._show([Event({"type": kind, "seat": number, "why": why, "strikes": seat.strikes})])

    def _playing_seats(self) -> int:
        return sum(seat.playing for seat in self._seats)


def _report(seat: Seat, ending: Ending) -> SeatReport:
    return SeatReport(
        seat.name,
        seat.version,
        tuple(seat.faults),
        seat.times,
        {step: trip for step, trip in seat.round_trips.items() if step in seat.times},
        seat.bank.balance,
        ending,
        ending.measured._replace(paused=seat.paused),
    )
