"""Lines of a stream as messages for people: what a run says on stderr and in its log, and what ``watch`` prints."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from khiva_arena.stream import Any_line, Begin, FaultRecorded, Llr, Note, Paused, RunEnded, SetAside, VoidRecorded

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
    return None


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
