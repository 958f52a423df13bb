"""The result of a check: as data, which is JSON as it stands, see schema.py, and as
text for people.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Literal

from msgspec import Struct

from khiva_arena.common.text import harmless, preformatted
from khiva_arena.words import count


class Status(StrEnum):
    """How a step went. A warning is nothing that a match would blame the bot for."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"
    SKIPPED = "skipped"


class CheckStep(Struct, frozen=True):
    """One step.

    number: from 1.
    id: a stable word.
    title: what was tried.
    status: how it went.
    said: what came of it, or why it is skipped.
    expected, got: of a failure; "" for none.
    stderr: the end of what the bot wrote there before a failure.
    hint: what to look at, "" for none.
    """

    number: int
    id: str
    title: str
    status: Status
    said: str = ""
    expected: str = ""
    got: str = ""
    stderr: str = ""
    hint: str = ""


class Bar(Struct, frozen=True):
    """How many decisions took so long.

    up_to_ms: milliseconds at most, and more than in the bar before.
    decisions: how many.
    """

    up_to_ms: float
    decisions: int


class CheckReport(Struct, frozen=True):
    """A whole check.

    bot: as the user named it.
    name: the bot's name.
    identity: the bot's hash.
    language: as in bots/languages.toml, "" if unknown.
    isolation: the level that it was checked at.
    quick: whether only the short steps were made.
    passed: nothing failed.
    counts: of steps by status.
    steps: all of them, in order.
    decisions: how many the bot made.
    latency_ms: p50, p90, p99 and max of all decisions, empty if there was none.
    histogram: of the times of its decisions.
    startup_ms: of each start.
    memory_bytes: at most, null if the system does not say.
    seconds: that the check took.
    v: the version of this output.
    sentence: the answer in words.
    next: commands to type next, [] if a step failed.
    """

    bot: str
    name: str
    identity: str
    language: str
    isolation: str
    quick: bool
    passed: bool
    counts: dict[str, int]
    steps: list[CheckStep]
    decisions: int
    latency_ms: dict[str, float]
    histogram: list[Bar]
    startup_ms: list[float]
    memory_bytes: int | None
    seconds: float
    v: Literal[1]
    sentence: str
    next: list[str]

    def _repr_html_(self) -> str:
        return preformatted("\n".join([*map(step_text, self.steps), closing_text(self, "")]))


def count_by_status(steps: Sequence[CheckStep]) -> dict[str, int]:
    """Return the number of steps by status, every status included."""
    return {str(status): sum(step.status is status for step in steps) for status in Status}


def sentence(name: str, steps: Sequence[CheckStep]) -> str:
    """Return in words whether a bot keeps the protocol. ``name``: its own."""
    failed = [step for step in steps if step.status is Status.FAILED]
    if failed:
        of = f"{len(failed)} of {count(len(steps), 'step')} failed"
        return harmless(
            f"{name} does not keep the protocol: {of}; the first is step "
            f"{failed[0].number}, {failed[0].title}"
        )
    warnings = sum(step.status is Status.WARNING for step in steps)
    return harmless(
        f"{name} keeps the protocol: {count(len(steps), 'step')}, {count(warnings, 'warning')}"
    )


MARKS = {
    Status.OK: "ok",
    Status.WARNING: "warning",
    Status.FAILED: "FAILED",
    Status.SKIPPED: "skipped",
}
INDENT = " " * 13
BAR = 40
"""Length of the longest bar, in characters."""


def step_text(step: CheckStep) -> str:
    """Format one step as lines for people."""
    said, *rows = map(harmless, step.said.splitlines() or [""])
    lines = [
        f"{step.number:>3}  {MARKS[step.status]:<7} {step.title}" + (f": {said}" if said else "")
    ]
    lines += [f"{INDENT}{row}" for row in rows]
    for name in ("expected", "got", "stderr", "hint"):
        if value := getattr(step, name):
            first, *rest = map(harmless, value.expandtabs().splitlines())
            lines += [
                f"{INDENT}{name + ':':<9} {first}",
                *(f"{INDENT}{'':<9} {line}" for line in rest),
            ]
    return "\n".join(line.rstrip() for line in lines)


def not_tried_text(steps: Sequence[CheckStep]) -> str:
    """Format steps in a row that were all skipped for one reason, in a line."""
    first, last = steps[0], steps[-1]
    if first is last:
        return step_text(first)
    return (
        f"{first.number:>3}  {MARKS[Status.SKIPPED]:<7} steps {first.number} to {last.number}: "
        f"{first.said}"
    )


def closing_text(report: CheckReport, next_step: str) -> str:
    """Format the last lines: the counts, and the next thing to do."""
    counts = report.counts
    warnings = count(counts["warning"], "warning")
    last = (
        f"{len(report.steps)} steps: {counts['ok']} ok, {warnings}, {counts['failed']} failed, "
        f"{counts['skipped']} skipped"
    )
    return "\n".join(line for line in (*histogram_text(report.histogram), last, next_step) if line)


def histogram_text(histogram: Sequence[Bar]) -> list[str]:
    """Format the times of the decisions, a line for each bound; a bar of full length is
    the most frequent one. [] for no decisions.
    """
    highest = max((bar.decisions for bar in histogram), default=0)
    lines = [
        (
            f"{INDENT}to {bar.up_to_ms:>7.4g} ms {bar.decisions:>7,}  "
            f"{'#' * -(-BAR * bar.decisions // highest)}"
        )
        for bar in histogram
        if highest
    ]
    return (
        [f"{INDENT}decisions by the time they took:", *(line.rstrip() for line in lines)]
        if lines
        else []
    )
