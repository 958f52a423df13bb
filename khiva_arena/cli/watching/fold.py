"""What a stream of events comes to so far: each line folded into a frozen state. Pure."""

from dataclasses import dataclass, replace
from math import sqrt

from khiva_arena.cli.watching.stream import Any_line, Begin, End, Fault, Line, Llr, Match, Note, Paused, Round, SetAside, Void
from khiva_arena.text import harmless

WINDOW = 30
"""Seconds that the rate is taken over."""
FAULTS_KEPT = 50
STOPS_ITSELF = "sprt"
"""The format that ends when a test has decided: nobody knows when."""
FEW = 5
"""Matches: a rate from fewer says nothing."""


@dataclass(frozen=True, slots=True)
class State:
    """``fixed``, ``faults``, ``voids``, ``pauses``: of the event, earlier runs included. ``played``: by this run.
    ``last_faults``: of this run, the latest at the end. ``recent``: (second, matches fixed in it) of this run, rising."""

    began: Begin | None = None
    t: float = 0.0
    fixed: int = 0
    played: int = 0
    faults: int = 0
    voids: int = 0
    pauses: int = 0
    set_aside: int = 0
    recent: tuple[tuple[int, int], ...] = ()
    last_faults: tuple[Fault, ...] = ()
    round: Round | None = None
    llr: Llr | None = None
    end: End | None = None


@dataclass(frozen=True, slots=True)
class Rate:
    """Matches a second, and the seconds that are left; ``error``: relative half width of 95 % of both. None: not to be told."""

    rate: float | None
    left: float | None
    error: float | None


def fold(state: State, line: Any_line) -> State:
    """The state after one more line."""
    if isinstance(line, Begin):
        return State(began=line, t=line.t)
    t = max(state.t, line.t)
    match line:
        case Match():
            if line.before:
                return replace(state, t=t, fixed=state.fixed + 1)
            recent = _counted(state.recent, int(line.t))
            return replace(state, t=t, fixed=state.fixed + 1, played=state.played + 1, recent=recent)
        case Fault():
            last = state.last_faults if line.before else (*state.last_faults, line)[-FAULTS_KEPT:]
            return replace(state, t=t, faults=state.faults + 1, last_faults=last)
        case Paused():
            return replace(state, t=t, pauses=state.pauses + line.times)
        case Void():
            return replace(state, t=t, voids=state.voids + 1)
        case SetAside():
            return replace(state, t=t, set_aside=state.set_aside + 1)
        case Round():
            return replace(state, t=t, round=line)
        case Llr():
            return replace(state, t=t, llr=line)
        case End():
            return replace(state, t=t, end=line)
        case Note():
            return replace(state, t=t)


def _counted(recent: tuple[tuple[int, int], ...], second: int) -> tuple[tuple[int, int], ...]:
    if recent and recent[-1][0] >= second:
        return (*recent[:-1], (recent[-1][0], recent[-1][1] + 1))
    return (*recent[-WINDOW:], (second, 1))


def rate(state: State, now: float) -> Rate:
    """How fast it goes: over the last half minute, or over this whole run where that holds too few matches. ``now``: seconds of
    the stream's clock.

    Over half a minute the error is 1.96 standard errors of the mean of its seconds, each a sample; else that of a Poisson count.
    """
    whole = int(now)  # of the second that is not over nothing is known
    window = min(WINDOW, whole)
    found = [count for second, count in state.recent if whole - window <= second < whole]
    played = sum(found)
    if window >= FEW and played >= FEW:
        mean = played / window
        spread = sum((count - mean) ** 2 for count in found) + (window - len(found)) * mean**2
        error = 1.96 * sqrt(spread / (window - 1) / window) / mean
    elif state.played >= FEW and now > 0 and whole > WINDOW:
        mean, error = state.played / now, 1.96 / sqrt(state.played)
    else:
        return Rate(None, None, None)
    if state.began is None or state.began.format == STOPS_ITSELF:
        return Rate(mean, None, error)
    return Rate(mean, max(0, state.began.matches - state.fixed) / mean, error)


def plain(state: State, line: Line) -> str:
    """What a reader of plain lines is told, as the run itself says it off a terminal; "" for nothing. ``state`` is before the
    line. May hold what bots wrote."""
    bots = state.began.bots if state.began else []
    match line:
        case Fault(before=False):
            where = f"match={line.match}  bot={bots[line.bot]}  seat={line.seat}"
            return f"fault  {where}  verdict={line.verdict}  gather={line.gather}  detail={line.detail}"
        case Paused(before=False):
            where = f"match={line.match}  bot={bots[line.bot]}  seat={line.seat}"
            return f"paused  {where}  times={line.times}  why=it kept a core from a seat that was asked"
        case Void(before=False):
            return f"warning: void  match={line.match}  attempt={line.attempt}  why={line.why}"
        case SetAside():
            return f"warning: set aside  seed={line.seed}  line-up={line.lineup}"
        case Llr(decision=str(decision)) if decision:
            return f"LLR {line.llr:.2f} ({line.low:.2f} to {line.high:.2f}) after {line.seeds} seeds: {decision}"
        case Note():
            return f"{'warning: ' if line.warning else ''}{line.text}"
        case End():
            return f"the run has ended: {line.how}, {line.fixed} matches are fixed"
    return ""


def visible(text: str, most: int = 2000) -> str:
    """Text that bots may have written, safe on a terminal and of a bounded length."""
    return harmless(text, most)
