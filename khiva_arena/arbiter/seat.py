"""A seat during a match: its conversation, its bank, its strikes, and the events not
yet sent to it.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from khiva_arena.bots.protocol import codec
from khiva_arena.bots.protocol.session import Answer, Greeting, Session
from khiva_arena.common.result import STRIKES_TO_FORFEIT, STRIKING, TICKS_A_MS, Policy, Verdict
from khiva_arena.records.replay.conditions import TimeLimits
from khiva_arena.records.replay.record import Header

if TYPE_CHECKING:
    from khiva_arena.records.replay.ticks import TickBank  # most matches are by the wall clock


class Bank:
    """The time of one seat beyond its turns, in seconds.

    turn: for each decision.
    balance: for everything that decisions take beyond their turns.
    credit: an addition to the next decision, for the time that its bytes are under way:
        the seat is not charged for it.
    """

    __slots__ = ("balance", "credit", "turn")

    def __init__(self, limits: TimeLimits) -> None:
        self.turn = limits.turn
        self.balance = limits.bank_ms / 1000
        self.credit = 0.0

    @property
    def left_ms(self) -> int:
        """The balance in whole milliseconds, rounded down, as a bot gets it."""
        return int(self.balance * 1000)

    def allowance(self) -> float:
        """Return the seconds that the next decision may take in all."""
        return self.turn + self.balance + self.credit

    def charge(self, elapsed: float) -> float:
        """Charge a decision of ``elapsed`` seconds: its time beyond the turn comes off
        the bank. Return its seconds without the credit.
        """
        seconds = max(0.0, elapsed - self.credit)
        # The time that a turn leaves over is lost: a bank never refills.
        if seconds > self.turn:
            self.balance = max(0.0, self.balance - (seconds - self.turn))
        return seconds


class Blame(NamedTuple):
    """A fault of a seat.

    verdict: the kind of fault
    detail: a line for the bot's author
    step: the number of the step it happened in, 0 is the start
    """

    verdict: Verdict
    detail: str
    step: int


def full_bank(header: Header) -> "Bank | TickBank":
    """Return the bank of a seat before its first decision."""
    if not header.in_ticks:
        return Bank(TimeLimits(**header.time))
    # not above: most matches are by the wall clock
    from khiva_arena.records.replay.ticks import TickBank

    return TickBank(header.time)


def start_allowance(header: Header) -> float:
    """Return what a bot may take up to its hello: seconds, or ticks in a match in
    ticks.
    """
    milliseconds = header.time["startup_ms"]
    return milliseconds * TICKS_A_MS if header.in_ticks else milliseconds / 1_000


class Seat(msgspec.Struct, eq=False):
    """A seat of a match in progress; mutable.

    number: at the table, from 0
    bank: its time beyond its turns
    turn_ms: the time for each decision, as its bot is told
    session: its side of the protocol
    verdict: OK until it forfeits, then the reason
    forfeited_at: number of the step, None while it plays
    strikes: timeouts and illegal choices so far
    faults: all so far
    events: shown to it with its next request
    name, version: as its bot greeted
    output_ended: its bot can say nothing more
    asked_at: number of the step at which it was asked last, 0 for the start
    times: by number of the step, seconds that its decision took
    ticks: by number of the step, ticks that it took, if thinking is paid in ticks
    round_trips: by number of the step, seconds of the way to its player and back, if
        that is measured
    paused: how often it was stopped, since it kept a seat that was asked, or the
        arbiter, from a core
    """

    number: int
    bank: "Bank | TickBank"
    turn_ms: int
    session: Session = msgspec.field(default_factory=Session)
    verdict: Verdict = Verdict.OK
    forfeited_at: int | None = None
    strikes: int = 0
    faults: list[Blame] = msgspec.field(default_factory=list)
    events: list[dict[str, Any]] = msgspec.field(default_factory=list)
    name: str = ""
    version: str = ""
    output_ended: bool = False
    asked_at: int = 0
    times: dict[int, float] = msgspec.field(default_factory=dict)
    ticks: dict[int, int] = msgspec.field(default_factory=dict)
    round_trips: dict[int, float] = msgspec.field(default_factory=dict)
    paused: int = 0

    @classmethod
    def fresh(cls, number: int, header: Header, *, reports: bool = False) -> "Seat":
        """Return a seat before the start of a match. ``reports``: its bot is offered to
        report what it spends.
        """
        encode = codec.encode_for_module if header.in_ticks else codec.encode
        return cls(
            number, full_bank(header), header.time["turn_ms"], Session(encode, reports=reports)
        )

    @property
    def playing(self) -> bool:
        """True until the seat forfeits."""
        return self.forfeited_at is None

    def took(self, elapsed: float) -> None:
        """Charge the bank for the last decision. ``elapsed``: its seconds, the way to
        its player included; or its ticks.
        """
        self.times[self.asked_at] = self.bank.charge(elapsed)

    def blame(self, verdict: Verdict, detail: str, step: int, policy: Policy) -> bool:
        """Note a fault. Return True if it forfeits the match by the policy."""
        self.faults.append(Blame(verdict, detail, step))
        if verdict in STRIKING:
            self.strikes += 1
            if self.strikes < STRIKES_TO_FORFEIT[policy]:
                return False
        self.verdict = verdict
        self.forfeited_at = step
        return True


class StepResult(msgspec.Struct):
    """The outcome of a step for each seat that was asked.

    answers: by seat, the greeting or answer
    faults: by seat, the verdict and a line for the bot's author
    """

    answers: dict[int, Greeting | Answer] = msgspec.field(default_factory=dict)
    faults: dict[int, tuple[Verdict, str]] = msgspec.field(default_factory=dict)
