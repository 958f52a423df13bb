"""The problem of a bot that did not start, in the words of commands and pages."""

import shlex
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from khiva_arena.arbiter.job import SeatReport
from khiva_arena.arbiter.stderr import for_its_author

NOTES_SHOWN = 2_000
STDERR, HINT, NEXT = "  its stderr:", "  hint: ", "  next: "


class FailedStart(NamedTuple):
    """A bot that did not start.

    seat: its number at the table
    report: of the trial start
    output: the beginning of what it wrote on stdout
    """

    seat: int
    report: SeatReport
    output: bytes


def problem_of(
    name: str, report: SeatReport, total: int, output: str, hint: str, words: Sequence[str]
) -> str:
    """Return the lines on a bot that did not start.

    total: the bytes of its output
    output: the beginning of it
    hint: words behind the fault
    words: the user's word for the bot, and the flags of ``permissions_of``; () for none
    """
    blame = report.faults[0]
    lines = [f"{name}: {blame.verdict}: {blame.detail}{hint}"]
    if end := _describe_end(report):
        lines.append(f"  its end: {end}")
    if output:
        lines.append(f"  its output, {total:,} byte{'' if total == 1 else 's'}:")
        lines += [f"    {line}" for line in output.split("\n")]
    else:
        lines.append("  its output: nothing")
    notes = for_its_author(report.ending.notes).strip()[-NOTES_SHOWN:]
    lines += [
        STDERR if notes else f"{STDERR} nothing",
        *(f"    {line}" for line in notes.split("\n") if notes),
    ]
    if words:
        lines.append(NEXT + shlex.join(["khiva-arena", "check", *words]))
    return "\n".join(lines)


def permissions_of(name: str, network: bool, handed: Iterable[str]) -> list[str]:
    """Return the flags that give a bot what it has: without them, it would fail by want
    of these in a check of its own.

    handed: the names of variables
    """
    words = ["--network", name] if network else []
    return words + [word for variable in handed for word in ("--env", f"{name}={variable}")]


def _describe_end(report: SeatReport) -> str:
    """Describe how the bot's process ended, "" if none was started."""
    ending = report.ending
    if ending.killed:
        return "the bot still ran, and was killed"
    if ending.status is None:
        return ""
    from khiva_arena.arbiter.lifetimes import describe_status  # not above: a page has no processes

    return f"it {describe_status(ending.status)}"


def with_hint(problem: str, advice: str) -> str:
    """Return a problem of several lines with a hint, before the line on the command to
    type next; as it is without one.
    """
    if not advice:
        return problem
    lines = problem.split("\n")
    at = len(lines) - 1 if lines[-1].startswith(NEXT) else len(lines)
    return "\n".join([*lines[:at], f"{HINT}{advice}", *lines[at:]])
