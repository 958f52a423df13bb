"""The messages that a seat was sent in a match, in order, rebuilt from its record. They
are as the arbiter made them.

Four facts are not in a record. One is the rest of a bank, unless thinking is paid in
ticks: it counts as full until the seat's first timeout, and as empty after it. Another
is whether a bot was offered to report what it spends. Another is whether a breach of
the protocol was noticed before or after the seat's last request went out: see
``perhaps``. One more is a breach behind a seat's last answer, in a match that is over
before the seat is asked again. Nobody decides on it, and the ``end`` that is rebuilt
was not sent.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from khiva_arena.bots.protocol import messages
from khiva_arena.bots.protocol.messages import Decide, End, Fault, Hello
from khiva_arena.common.result import STRIKING, TICKS_A_MS, Verdict
from khiva_arena.games.base import Event, State
from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.record import Choice, Header, Record

FOUND_BEFORE_ASKING = (Verdict.PROTOCOL, Verdict.FLOODED)


class AskedDecision(msgspec.Struct, frozen=True):
    """A decision that a seat made.

    state: as the seat was asked, to be cloned and not changed.
    step: the choices of all seats that were asked.
    choice: the choice of this seat.
    perhaps: whether the request may not have been sent, since the seat broke the
        protocol in this step.
    """

    state: State
    step: tuple[Choice, ...]
    choice: Choice
    perhaps: bool


class Request(msgspec.Struct, frozen=True):
    """A message to the seat.

    step: the step that it belongs to, 0 is the start.
    message: as it was sent.
    asked: the decision that a Decide asks for; else None.
    """

    step: int
    message: Hello | Decide | Fault | End
    asked: AskedDecision | None = None


def requests(record: Record, secret: bytes, seat: int, details: Mapping[int, str]) -> list[Request]:
    """Return all messages that a seat was sent, up to its forfeit if it forfeited.
    Raises RecordError if the record does not replay.

    secret: the seed's, 32 bytes.
    details: by step, the line that described the fault to the bot, which is not in a
        record; "" if it is not known. No module gets one.
    """
    # not above: a match that is played has none of its messages rebuilt
    from khiva_arena.records.replay.verify import faults_of, verify

    builder = _Builder(record, secret, seat, details, faults_of)
    verify(record, secret, builder.watch)
    if record.forfeited_at[seat] is None:
        builder.add(len(record.steps), End(record.reason, list(record.ranks), list(record.scores)))
    return builder.found


class _Builder:
    def __init__(
        self,
        record: Record,
        secret: bytes,
        seat: int,
        details: Mapping[int, str],
        faults_of: Callable[[Record], Sequence[Sequence[tuple[str, int]]]],
    ) -> None:
        self.found: list[Request] = []
        self._record = record
        self._seat = seat
        self._details = details
        self._req = seeds.req_start(secret, record.header.match)
        self._bank_ms = record.header.time["bank_ms"]
        self._took = 0  # ticks beyond turns
        self._strikes = [0] * len(record.header.seats)
        self._events: list[dict[str, Any]] = []
        self._faults: dict[int, list[tuple[int, str]]] = {}
        self._faults_of = faults_of

    def add(
        self, step: int, message: Hello | Decide | Fault | End, asked: AskedDecision | None = None
    ) -> None:
        self.found.append(Request(step, message, asked))

    def watch(self, step: int, state: State, events: Sequence[Event]) -> None:
        """Follow one step of the replay: add the messages that the step causes for the
        seat, and then the next question to it.

        Mistakes in the record are left to ``verify``, which refuses them at their step.
        """
        if step == 0:
            self.add(0, hello(self._record.header, self._seat))
            for number, of_it in enumerate(self._faults_of(self._record)):
                for verdict, at in of_it:
                    self._faults.setdefault(at, []).append((number, verdict))
        faults = self._faults.get(step, [])
        for number, verdict in faults:
            self._strikes[number] += verdict in STRIKING
            if number == self._seat:
                self._own_fault(step, verdict)
        self._events += [
            event.data for event in events if event.to is None or self._seat in event.to
        ]
        for number, verdict in faults:
            kind = "forfeit" if self._out(number, step) else "default"
            self._events.append(
                {"type": kind, "seat": number, "why": verdict, "strikes": self._strikes[number]}
            )
        if step < len(self._record.steps) and not self._out(self._seat, step):
            self._ask(step + 1, state)

    def _out(self, number: int, step: int) -> bool:
        at = self._record.forfeited_at[number]
        return at is not None and at <= step

    def _own_fault(self, step: int, verdict: str) -> None:
        if verdict == Verdict.TIMEOUT:
            self._bank_ms = 0  # in ticks, too: a time-out is at the limit
        if not self._out(self._seat, step):
            detail = self._details.get(step, "")
            self.add(
                step, fault_of(self._record.header, verdict, detail, self._strikes[self._seat])
            )

    def _ask(self, step: int, state: State) -> None:
        decision, choices = state.pending().get(self._seat), self._record.steps[step - 1]
        choice = next((choice for choice in choices if choice.seat == self._seat), None)
        if decision is None or choice is None:
            return
        turn_ms, view, legal = (
            self._record.header.time["turn_ms"],
            state.view(self._seat),
            list(decision.legal),
        )
        events, self._events = self._events, []
        message = Decide(self._req, decision.kind, turn_ms, self._bank_ms, view, events, legal)
        self._req += 1
        if self._record.ticks is not None:
            self._took += max(
                0, self._record.ticks[step][choices.index(choice)] - turn_ms * TICKS_A_MS
            )
            self._bank_ms = self._record.header.time["bank_ms"] - -(-self._took // TICKS_A_MS)
        self.add(
            step,
            message,
            AskedDecision(state.clone(), choices, choice, choice.why in FOUND_BEFORE_ASKING),
        )


def hello(header: Header, seat: int, caps: Sequence[str] = ()) -> Hello:
    """Return the arbiter's first message to a seat. ``caps``: the capabilities that it
    is offered.
    """
    return Hello(
        protos=[messages.PROTOCOL],
        caps=[*caps],
        game=header.game,
        rules=dict(header.rules),
        rules_version=header.rules_version,
        match=header.match,
        seat=seat,
        seats=len(header.seats),
        seed=header.seats[seat].number,
        time=messages.Time(**header.time),
        commit=header.commit,
    )


def fault_of(header: Header, verdict: str, detail: str, strikes: int) -> Fault:
    """Return the message of a fault. A module's has no detail: ticks depend on every
    byte, and words may change; see METER.md.
    """
    return Fault(str(verdict), "" if header.in_ticks else detail, strikes)
