"""The lines of a stream as messages for people: on stderr and in a run's log, and in
``watch``.
"""

from collections.abc import Mapping, Sequence

import msgspec

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
    RunEnded,
    SetAside,
    VoidRecorded,
)
from khiva_arena.words import count

COUNTED_AT = frozenset(10**power for power in range(1, 10))
OLD_NAMES = frozenset({"gather"})
"""Keys that the log keeps beside their new names, and that people do not see."""


class Message(msgspec.Struct, frozen=True):
    """A message of a run. It may hold text of bots.

    event: the words for it; of a note its text
    values: more about it, by name
    warning: whether it is a warning
    """

    event: str
    values: Mapping[str, object]
    warning: bool

    def text(self, event: int = 0) -> str:
        """Return the message on one line. ``event``: the number of its event in the
        store, 0 if that is not known.
        """
        words = [self.event]
        for name, value in self.values.items():
            if name not in OLD_NAMES:
                words.append(match_word(event, value) if name == "match" else f"{name}={value}")
        return f"warning: {'  '.join(words)}" if self.warning else "  ".join(words)


def match_word(event: int, match: object) -> str:
    """Return a match as ``show`` takes it, "1/32"; "match=32" if the number of its
    event is not known.
    """
    return f"{event}/{match}" if event else f"match={match}"


def message_of(line: Any_line, bots: Sequence[str]) -> Message | None:
    """Return the message that a run prints for a line; None for a line without one.

    bots: the names of the event's bots
    """
    match line:
        case Begin() if marks_of_bots := line.marked():
            return Message(
                "marked", {name: ",".join(marks) for name, marks in marks_of_bots.items()}, False
            )
        case Note():
            return Message(line.text, {}, line.warning)
        case FaultRecorded(before=False):
            values = {
                "verdict": line.verdict,
                "step": line.step,
                "gather": line.gather,
                "detail": line.detail,
            }
            return Message("fault", _seat(line, bots) | values, False)
        case Paused(before=False):
            values = {
                "times": line.times,
                "why": "it kept a seat that was asked, or the arbiter, from a core",
            }
            return Message("paused", _seat(line, bots) | values, False)
        case VoidRecorded(before=False):
            return Message(
                "void", {"match": line.match, "attempt": line.attempt, "why": line.why}, True
            )
        case LinkNews():
            return Message(_link(line), {}, line.what in ("away", "lost", "cut"))
    return None


def _link(news: LinkNews) -> str:
    """Return the news of a link in a sentence."""
    name, after = news.relay, f"after {news.seconds:.1f} s"
    trip = "unknown" if news.median_ms is None else f"{news.median_ms:.1f} ms"
    trip += "" if news.p95_ms is None else f", 95 % of them within {news.p95_ms:.1f} ms"
    match news.what:
        case "here":
            return (
                f"{name} is connected{f', and {news.why}' if news.why else ''}: round trip {trip}"
            )
        case "away":
            return (
                f"the link to {name} is lost; its clock runs on, and it may come back within "
                f"{news.seconds:.0f} s"
            )
        case "back":
            return f"the link to {name} is back {after}, and nothing is lost: round trip {trip}"
        case "again":
            return (
                f"{name} is connected again {after}, by another relay; the match of the relay "
                f"before is lost: round trip {trip}"
            )
        case "lost":
            return (
                f"{name} did not come back within {news.seconds:.0f} s; its match is lost, and "
                "its next match waits for it"
            )
        case "cut":
            return f"{name} was cut off: it sent {news.why}"
        case "enough":
            return f"the link to {name} comes and goes; further changes are not printed"
    away = (
        f"; its link was lost {count(news.times, 'time')}, for {news.seconds:.1f} s in all"
        if news.times
        else ""
    )
    return f"{name}: round trip {trip}{away}"


def _seat(line: FaultRecorded | Paused, bots: Sequence[str]) -> dict[str, object]:
    return {"match": line.match, "bot": bots[line.bot], "seat": line.seat}


def text_of(line: Any_line, bots: Sequence[str], event: int = 0) -> str:
    """Return the text that ``watch`` prints for a line, "" for none: the run's message,
    or one for a line without a message.

    event: the number of the line's event in the store, 0 if that is not known
    """
    match line:
        case SetAside():
            return Message("set aside", {"seed": line.seed, "line-up": line.lineup}, True).text()
        case Llr(decision=str(decision)) if decision:
            return (
                f"LLR {line.llr:.2f} ({line.low:.2f} to {line.high:.2f}) after {line.seeds} "
                f"seeds: {decision}"
            )
        case EloDifference(decision=str(decision)) if decision:
            return f"{difference_text(line)}: {decision}"
        case RunEnded():
            return f"the run has ended: {line.how}, {line.fixed} matches are recorded"
    message = message_of(line, bots)
    return message.text(event) if message else ""


def difference_text(line: EloDifference) -> str:
    """Return the state of a comparison in words: "Elo 60 [-20, 140] after 12 seeds"."""
    low, high = ("none" if end is None else f"{end:.0f}" for end in (line.low, line.high))
    return f"Elo {line.elo:.0f} [{low}, {high}] after {count(line.seeds, 'seed')}"


class Repeated(msgspec.Struct):
    """Lines of one kind about one bot.

    times: how many there were
    told: how many of them were told so far
    last: the newest match, as ``show`` takes it
    """

    times: int = 0
    told: int = 0
    last: str = ""


class RunLines:
    """The lines of a run for people, in the order of the stream.

    Of many faults of one kind by one bot the first is told whole, the tenth, hundredth
    and so on as a count; ``rest`` tells the counts that are left. All counts are told
    once every match is recorded.
    """

    def __init__(self) -> None:
        self._begin: Begin | None = None
        self._recorded = 0
        self._repeated: dict[tuple[str, str, str], Repeated] = {}

    def of(self, line: Any_line) -> list[str]:
        """Return all texts that ``watch`` prints for a line."""
        counts = self.untold_counts() if isinstance(line, RunEnded) else []
        if isinstance(line, SetAside | Llr | EloDifference | RunEnded):
            return [*counts, *filter(None, [text_of(line, self._bots, self._event)])]
        return self.messages(line)

    def messages(self, line: Any_line) -> list[str]:
        """Return the texts that a run prints for a line."""
        of_a_match = isinstance(line, MatchRecorded | FaultRecorded | Paused)
        counts = (
            self.untold_counts()
            if isinstance(line, Begin) or (self._is_over and not of_a_match)
            else []
        )
        if isinstance(line, Begin):
            self._begin, self._recorded = line, 0
        self._recorded += isinstance(line, MatchRecorded)
        message = message_of(line, self._bots)
        if message is None:
            return counts
        if isinstance(line, FaultRecorded | Paused):
            return [*counts, *self._fold(line, message)]
        return [*counts, message.text(self._event)]

    def untold_counts(self) -> list[str]:
        """Return the counts that were not told yet."""
        untold = {key: tally for key, tally in self._repeated.items() if tally.told < tally.times}
        self._repeated = {}
        return [_count_line(key, tally) for key, tally in untold.items()]

    @property
    def _is_over(self) -> bool:
        return self._begin is not None and self._recorded >= self._begin.matches

    @property
    def _bots(self) -> Sequence[str]:
        return self._begin.bots if self._begin else ()

    @property
    def _event(self) -> int:
        return self._begin.in_store if self._begin else 0

    def _fold(self, line: FaultRecorded | Paused, message: Message) -> list[str]:
        verdict = line.verdict if isinstance(line, FaultRecorded) else ""
        key = message.event, self._bots[line.bot], verdict
        repeated = self._repeated.setdefault(key, Repeated())
        repeated.times += 1
        repeated.last = match_word(self._event, line.match).removeprefix("match=")
        if repeated.times == 1:
            repeated.told = 1
            return [message.text(self._event)]
        if repeated.times in COUNTED_AT:
            repeated.told = repeated.times
            return [_count_line(key, repeated)]
        return []


def _count_line(key: tuple[str, str, str], repeated: Repeated) -> str:
    event, bot, verdict = key
    values = {
        "bot": bot,
        **({"verdict": verdict} if verdict else {}),
        "times": repeated.times,
        "last": repeated.last,
    }
    return Message(event, values, False).text()
