"""Lines of a stream as messages for people: what a run says on stderr and in its log, and what ``watch`` prints."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from khiva_arena.stream import Any_line, Begin, FaultRecorded, LinkNews, Llr, Note, Paused, RunEnded, SetAside, VoidRecorded
from khiva_arena.words import count

SHOWN_AS = {"gather": "step"}
"""Keys of the stream and the log that people see under another name."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a run. It may hold what bots wrote.

    event: what happened; of a note its text
    values: more about it, by name
    warning: whether it is one
    """

    event: str
    values: Mapping[str, object]
    warning: bool

    @property
    def text(self) -> str:
        """The message on one line."""
        words = "  ".join([self.event, *(f"{SHOWN_AS.get(name, name)}={value}" for name, value in self.values.items())])
        return f"warning: {words}" if self.warning else words


def message_of(line: Any_line, bots: Sequence[str]) -> Message | None:
    """The message that a run prints for a line; None for a line without one.

    bots: the names of the event's bots
    """
    match line:
        case Begin() if marked := line.marked():
            return Message("marked", {name: ",".join(marks) for name, marks in marked.items()}, False)
        case Note():
            return Message(line.text, {}, line.warning)
        case FaultRecorded(before=False):
            values = {"verdict": line.verdict, "gather": line.gather, "detail": line.detail}
            return Message("fault", _seat(line, bots) | values, False)
        case Paused(before=False):
            values = {"times": line.times, "why": "it kept a core from a seat that was asked"}
            return Message("paused", _seat(line, bots) | values, False)
        case VoidRecorded(before=False):
            return Message("void", {"match": line.match, "attempt": line.attempt, "why": line.why}, True)
        case LinkNews():
            return Message(_link(line), {}, line.what in ("away", "lost", "cut"))
    return None


def _link(news: LinkNews) -> str:
    """What became of a link, in a sentence."""
    name, after = news.relay, f"after {news.seconds:.1f} s"
    trip = "unknown" if news.median_ms is None else f"{news.median_ms:.1f} ms"
    trip += "" if news.p95_ms is None else f", 95 % of them within {news.p95_ms:.1f} ms"
    match news.what:
        case "here":
            return f"{name} is there{f', and {news.why}' if news.why else ''}: round trip {trip}"
        case "away":
            return f"the link to {name} is lost; its clock runs on, and it may come back within {news.seconds:.0f} s"
        case "back":
            return f"the link to {name} is back {after}, and nothing is lost: round trip {trip}"
        case "again":
            return f"{name} is there again {after}, by another relay; what the one before played is lost: round trip {trip}"
        case "lost":
            return (
                f"{name} did not come back within {news.seconds:.0f} s; what it played is lost, and its next match waits for it"
            )
        case "cut":
            return f"{name} was cut off: it sent {news.why}"
        case "enough":
            return f"the link to {name} comes and goes; no more is said of it until the end"
    away = f"; its link was lost {count(news.times, 'time')}, for {news.seconds:.1f} s in all" if news.times else ""
    return f"{name}: round trip {trip}{away}"


def _seat(line: FaultRecorded | Paused, bots: Sequence[str]) -> dict[str, object]:
    return {"match": line.match, "bot": bots[line.bot], "seat": line.seat}


def text_of(line: Any_line, bots: Sequence[str]) -> str:
    """What ``watch`` prints for a line: the message of the run, or one for a line that a run reports in another way; "" for
    nothing."""
    match line:
        case SetAside():
            return Message("set aside", {"seed": line.seed, "line-up": line.lineup}, True).text
        case Llr(decision=str(decision)) if decision:
            return f"LLR {line.llr:.2f} ({line.low:.2f} to {line.high:.2f}) after {line.seeds} seeds: {decision}"
        case RunEnded():
            return f"the run has ended: {line.how}, {line.fixed} matches are recorded"
    message = message_of(line, bots)
    return message.text if message else ""
