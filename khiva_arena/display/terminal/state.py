"""The state of a run by its stream so far: counts, the rate and the time left, as
frozen values. Pure.
"""

from dataclasses import dataclass, replace
from math import sqrt

from khiva_arena.common.stream import (
    Any_line,
    Begin,
    EloDifference,
    FaultRecorded,
    LinkNews,
    Llr,
    MatchRecorded,
    Note,
    Paused,
    Round,
    RunEnded,
    SetAside,
    VoidRecorded,
)
from khiva_arena.common.text import harmless

WINDOW = 30
"""The seconds over which the rate is taken."""
FAULTS_KEPT = 50
STOPS_ITSELF = "sprt"
"""The format that ends when a test has decided, so that its length is not known."""
FEW = 5
"""The number of matches below which a rate says nothing."""


@dataclass(frozen=True, slots=True)
class RunState:
    """The state of a run since the last ``begin``.

    began: that line, None before it
    t: seconds of the stream's clock
    recorded: matches of the event, those of earlier runs included
    played: matches of this run
    faults, voids, pauses: how many, those of earlier runs included
    set_aside: tables that stayed void
    recent: (second, matches recorded in it) of this run, rising
    last_faults: of this run, of each bot the last of a kind, with how many there were;
        the latest at the end
    round, llr, difference, end: the last line of that type
    """

    began: Begin | None = None
    t: float = 0.0
    recorded: int = 0
    played: int = 0
    faults: int = 0
    voids: int = 0
    pauses: int = 0
    set_aside: int = 0
    recent: tuple[tuple[int, int], ...] = ()
    last_faults: tuple[tuple[FaultRecorded, int], ...] = ()
    round: Round | None = None
    llr: Llr | None = None
    difference: EloDifference | None = None
    end: RunEnded | None = None

    @property
    def in_store(self) -> int:
        """The number of the event in its store, 0 if that is not known."""
        return self.began.in_store if self.began else 0

    @property
    def bots(self) -> list[str]:
        """The names of the bots."""
        return self.began.bots if self.began else []


@dataclass(frozen=True, slots=True)
class Rate:
    """The speed of a run; None: not known.

    rate: matches a second
    left: seconds
    error: relative half width of the 95 % interval of both
    """

    rate: float | None
    left: float | None
    error: float | None


def heading(began: Begin) -> str:
    """Return the format, the game and the seats of an event in a line."""
    called = harmless(began.called or began.format, 20)
    return f"{called}, {harmless(began.game, 20)}{harmless(began.which, 60)} at {began.seats} seats"


def state_after(state: RunState, line: Any_line) -> RunState:
    """Return the state after one more line."""
    if isinstance(line, Begin):
        return RunState(began=line, t=line.t)
    t = max(state.t, line.t)
    match line:
        case MatchRecorded():
            if line.before:
                return replace(state, t=t, recorded=state.recorded + 1)
            recent = _count_in(state.recent, int(line.t))
            return replace(
                state, t=t, recorded=state.recorded + 1, played=state.played + 1, recent=recent
            )
        case FaultRecorded():
            last = state.last_faults if line.before else _with_fault(state.last_faults, line)
            return replace(state, t=t, faults=state.faults + 1, last_faults=last)
        case Paused():
            return replace(state, t=t, pauses=state.pauses + line.times)
        case VoidRecorded():
            return replace(state, t=t, voids=state.voids + 1)
        case SetAside():
            return replace(state, t=t, set_aside=state.set_aside + 1)
        case Round():
            return replace(state, t=t, round=line)
        case Llr():
            return replace(state, t=t, llr=line)
        case EloDifference():
            return replace(state, t=t, difference=line)
        case RunEnded():
            return replace(state, t=t, end=line)
        case Note() | LinkNews():
            return replace(state, t=t)


def _with_fault(
    faults: tuple[tuple[FaultRecorded, int], ...], line: FaultRecorded
) -> tuple[tuple[FaultRecorded, int], ...]:
    alike = [
        (fault, times)
        for fault, times in faults
        if (fault.bot, fault.verdict) == (line.bot, line.verdict)
    ]
    others = [pair for pair in faults if pair not in alike]
    return (*others, (line, 1 + sum(times for _, times in alike)))[-FAULTS_KEPT:]


def _count_in(recent: tuple[tuple[int, int], ...], second: int) -> tuple[tuple[int, int], ...]:
    if recent and recent[-1][0] >= second:
        return (*recent[:-1], (recent[-1][0], recent[-1][1] + 1))
    return (*recent[-WINDOW:], (second, 1))


def rate(state: RunState, now: float) -> Rate:
    """Return the rate over the last half minute, or over this whole run if that half
    minute holds too few matches.

    Over half a minute the error is 1.96 standard errors of the mean of its seconds,
    each a sample; else that of a Poisson count.

    now: seconds of the stream's clock
    """
    seconds = int(now)  # the current second is not over, so its count is not known yet
    window = min(WINDOW, seconds)
    counts = [count for second, count in state.recent if seconds - window <= second < seconds]
    matches = sum(counts)
    if window >= FEW and matches >= FEW:
        mean = matches / window
        spread = sum((count - mean) ** 2 for count in counts) + (window - len(counts)) * mean**2
        error = 1.96 * sqrt(spread / (window - 1) / window) / mean
    elif state.played >= FEW and now > 0 and seconds > WINDOW:
        mean, error = state.played / now, 1.96 / sqrt(state.played)
    else:
        return Rate(None, None, None)
    if state.began is None or state.began.format == STOPS_ITSELF:
        return Rate(mean, None, error)
    return Rate(mean, max(0, state.began.matches - state.recorded) / mean, error)
