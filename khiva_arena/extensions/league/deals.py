"""The deals of a league: by whose chance they are, as far as its chain, receipts and
the beacon show it.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NamedTuple

from msgspec import structs

from khiva_arena.common.text import LONGEST, harmless
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.league.beacon import BeaconLine, compare
from khiva_arena.words import count, ranges

SHOWN = 3
"""How many spans and lines are shown to people from the beginning, and how many from
the end.
"""


class DealtEvent(NamedTuple):
    """A batch or final, in whose deals a line may be mixed.

    kind: "batch" or "final".
    number: of it.
    """

    kind: str
    number: int


@dataclass(slots=True)
class DealtLines:
    """The findings about deals.

    lines: those of the beacon's rounds that were mixed into deals.
    without: the batches that were over without a beacon.
    witnessed: those that a receipt with its time shows before their rounds came.
    equal: how many lines are those of the beacon; None if they were not compared.
    not_compared: each line that could not be compared, and why.
    """

    lines: list[BeaconLine] = field(default_factory=list)
    without: list[DealtEvent] = field(default_factory=list)
    witnessed: set[DealtEvent] = field(default_factory=set)
    equal: int | None = None
    not_compared: list[str] = field(default_factory=list)

    @property
    def says(self) -> str:
        """Return in words by whose chance deals are."""
        if not self.lines:
            return "deals are the organiser's word, since no text from outside was mixed into them"
        if self.equal is None:
            compared = "not compared with the beacon (--beacon COMMAND does)"
        else:
            compared = (
                f"{'' if self.equal == len(self.lines) else f'{self.equal} of them '}equal to "
                "the beacon's"
            )
            compared += f", {len(self.not_compared)} not compared" if self.not_compared else ""
        lined = {DealtEvent(line.kind, line.number): line.here for line in self.lines}
        in_time, others = lined.keys() & self.witnessed, lined.keys() - self.witnessed
        if in_time:
            witness = f"a receipt shows before the round: {_named(in_time)}"
            witness += (
                f"; that others were drawn in time is the organiser's word: {_named(others)}"
                if others
                else ""
            )
        else:
            witness = (
                "no receipt shows a batch before its round, so that it was drawn in time is "
                "the organiser's word"
            )
        parts = [f"{count(len(self.lines), 'line')} of the beacon, {compared}", witness]
        if elsewhere := [of for of, here in lined.items() if not here]:
            parts.append(
                "not here, so that its line was mixed in is the organiser's word: "
                f"{_named(elsewhere)}"
            )
        if repeated := self._repeated():
            parts.append(
                f"one line for several rounds, which no beacon of chance brings: {_named(repeated)}"
            )
        if self.without:
            parts.append(
                f"without a beacon, so that deals are the organiser's word: {_named(self.without)}"
            )
        return "; ".join(parts)

    def _repeated(self) -> list[DealtEvent]:
        """Return what has the line of another round of its beacon, too."""
        rounds: dict[tuple[str, str], set[int]] = {}
        for line in self.lines:
            rounds.setdefault((line.beacon.name, line.line), set()).add(line.round)
        return [
            DealtEvent(line.kind, line.number)
            for line in self.lines
            if len(rounds[line.beacon.name, line.line]) > 1
        ]

    @property
    def calendar(self) -> list[str]:
        """Each beacon with its calendar and its batches, and then lines with their
        rounds, those in the middle left out.
        """
        spans = []
        for beacon, lines in groupby(self.lines, key=lambda line: line.beacon):
            calendar = (
                f"round 1 at {beacon.begins}, every {beacon.seconds} s, {beacon.ahead} s ahead"
            )
            of = _named([DealtEvent(line.kind, line.number) for line in lines])
            spans.append(
                f"beacon {beacon.name}, {calendar}: {of}; compare that with its own calendar"
            )
        each = [
            f"{line.of}: round {line.round}, at {line.due.isoformat()}: {line.line}"
            for line in self.lines
        ]
        return [harmless(text, LONGEST) for text in (*_ends(spans), *_ends(each))]

    @property
    def plain(self) -> list[dict[str, Any]]:
        """All lines as plain values, for JSON."""
        return [
            {
                line.kind: line.number,
                "beacon": structs.asdict(line.beacon),
                "round": line.round,
                "at": line.due.isoformat(),
                "line": line.line,
                "witnessed": DealtEvent(line.kind, line.number) in self.witnessed,
                "here": line.here,
            }
            for line in self.lines
        ]

    def compare_with(self, command: str) -> list[str]:
        """Compare the lines with those that a command prints of their rounds, and
        return what is wrong with them. Raises ConfigError if there are none.
        """
        if not self.lines:
            raise ConfigError(
                "--beacon: no line of a beacon was mixed into these deals; leave it out"
            )
        self.equal, problems, self.not_compared = compare(command, self.lines)
        return problems


def _named(events: Collection[DealtEvent]) -> str:
    """Return batches and finals in few words, as "batches 1-7, 9; final 1"."""
    parts = []
    for kind, plural in (("batch", "batches"), ("final", "finals")):
        if numbers := sorted(number for of, number in events if of == kind):
            parts.append(f"{kind if len(numbers) == 1 else plural} {ranges(numbers)}")
    return ", ".join(parts)


def _ends(texts: list[str]) -> list[str]:
    """Return the first and last texts, with a line that counts those between."""
    if len(texts) <= 2 * SHOWN:
        return texts
    return [
        *texts[:SHOWN],
        f"and {len(texts) - 2 * SHOWN} more; --json lists all lines",
        *texts[-SHOWN:],
    ]
