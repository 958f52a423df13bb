"""A match played once, with as much shown and kept as the flags ask for."""

import shlex
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.arbiter.pool import play_one
from khiva_arena.arbiter.preflight import PreflightFailed
from khiva_arena.arbiter.redact import Redactor
from khiva_arena.arbiter.stderr import for_its_author, notes_of
from khiva_arena.common.exit_codes import BAD_RESULT, DONE
from khiva_arena.common.text import harmless
from khiva_arena.competition.settings.isolation import warn_of_cold_files
from khiva_arena.display.terminal.console import BufferedStderr, say
from khiva_arena.entrants.bots import Bot
from khiva_arena.entrants.hints.starts import start_match
from khiva_arena.errors import ArenaError, ConfigError

if TYPE_CHECKING:
    from khiva_arena.arbiter.trace import Trace  # most matches are not traced

LAST_LINES = 8


class MatchEnd(NamedTuple):
    """The end of ``khiva-arena match``.

    exit_code: the code, unless forfeits count.
    forfeiters: the bots that forfeited, as "name#seat".
    """

    exit_code: int
    forfeiters: tuple[str, ...] = ()


class NoRecord(ArenaError):
    """A match that could not be played on this machine, so that there is no record. Its
    command ends with BAD_RESULT.
    """

    exit_code = BAD_RESULT

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(f"the match failed twice on this machine: {outcome.void}")


class Tracing(NamedTuple):
    """The parts of the conversation that are shown or kept beside the match.

    trace: whether every message is printed on stderr.
    capture: the folder for raw bytes, None for none.
    notes: whether the bots' stderr is printed.
    by_function: whether it is printed in which functions modules spent their ticks.
    is_full: whether as many lines are printed as there are, and each traced message
        whole.
    """

    trace: bool
    capture: Path | None
    notes: bool
    by_function: bool = False
    is_full: bool = False


class TracedMatch(NamedTuple):
    """A match that was played.

    outcome: its outcome.
    exit_code: 1 if not all bytes could be captured, else 0.
    """

    outcome: Outcome
    exit_code: int


def play(job: Job, tracing: Tracing, entrants: Sequence[Bot]) -> TracedMatch:
    """Play a match. Raises ConfigError if ticks are to be shown of a match by the wall
    clock.

    entrants: the bots by seat
    """
    if tracing.by_function and not job.in_ticks:
        raise ConfigError("--by-function says where modules spent their ticks: add --clock ticks")
    names = [seat.name for seat in job.header.seats]
    if not tracing.trace and tracing.capture is None:
        with _notes_of_failed(tracing):
            start_match(job, entrants)
        warn_of_cold_files(say)
        return TracedMatch(play_one(job, tell=_void), DONE)
    from khiva_arena.arbiter.trace import Trace  # most matches are not traced

    labels = [f"{name}#{seat}" for seat, name in enumerate(names)]
    strikes = [Redactor(command.handed) for command in job.commands]
    with BufferedStderr() as lines, closing(Trace(labels, None, tracing.capture, strikes)) as trace:
        _try(job, tracing, entrants, trace, lines)
        warn_of_cold_files(say)
        trace.write = lines if tracing.trace else None
        trace.shown = None if tracing.is_full else trace.shown
        outcome = play_one(job, trace, _void)
    if not trace.failure:
        return TracedMatch(outcome, DONE)
    say(
        f"khiva-arena: error: --capture {tracing.capture}: not all bytes are kept: "
        f"{trace.failure}; capture again elsewhere"
    )
    return TracedMatch(outcome, BAD_RESULT)


def _void(outcome: Outcome) -> None:
    """Say that a match is void before it is played again, which may take as long as the
    first time.
    """
    if outcome.record is None and outcome.attempt == 1:
        say(harmless(f"the match is void, and is played again: {outcome.void}"))


def _try(
    job: Job, tracing: Tracing, entrants: Sequence[Bot], trace: "Trace", lines: BufferedStderr
) -> None:
    """Start the bots for a trial. Nothing of it is shown or kept unless one fails: then
    there is no match to trace.
    """
    postponed: list[str] = []
    trace.write = postponed.append if tracing.trace else None
    try:
        with _notes_of_failed(tracing):
            start_match(job, entrants, trace)
    except PreflightFailed as error:
        for line in postponed:
            lines(line)
        seats = [seat for seat, _, output in error.failures if output]
        if seats and tracing.capture is not None:
            files = shlex.join(str(tracing.capture / f"seat-{seat}.from-bot") for seat in seats)
            lines(f"its output is in {tracing.capture}: khiva-arena decode {files}")
        else:
            trace.undo()
            if tracing.capture is not None:
                lines(
                    f"nothing is kept in {tracing.capture}: no bot that failed wrote "
                    "anything on stdout"
                )
        raise
    except BaseException:
        trace.undo()
        raise


@contextmanager
def _notes_of_failed(tracing: Tracing) -> Iterator[None]:
    """Print the whole stderr of bots that do not start, if notes are asked for."""
    try:
        yield
    except PreflightFailed as error:
        for seat, report, _ in error.failures if tracing.notes else ():
            click.echo(notes_of(seat, report.ending.notes, report.ending.notes_total))
        raise


def say_faults(outcome: Outcome, job: Job, words: Sequence[str], tracing: Tracing) -> None:
    """Say the faults of each bot, the end of its stderr, and the command to type next.
    Recorded faults of a past are left out.

    words: the bots' names as given, by seat
    """
    before = _recorded_before(job)
    for seat, (report, word) in enumerate(zip(outcome.seats, words, strict=True)):
        faults = [blame for blame in report.faults if blame.step > before]
        if not faults:
            continue
        # when a fault has happened: most matches have none
        from khiva_arena.arbiter.start_problem import NEXT, permissions_of
        from khiva_arena.entrants import guests

        if guests.is_guest(word):
            continue
        name = f"{job.header.seats[seat].name}#{seat}"
        lines = [
            f"{name}: {blame.verdict} at step {blame.step}: {blame.detail}" for blame in faults
        ]
        if not tracing.notes:
            notes = for_its_author(report.ending.notes).strip("\n").splitlines()[-LAST_LINES:]
            lines += [
                "  its stderr, the last lines:" if notes else "  its stderr: nothing",
                *(f"    {line}" for line in notes),
            ]
        bot, command = job.header.seats[seat].name, job.commands[seat]
        check = [
            "khiva-arena",
            "check",
            word,
            *permissions_of(bot, command.network, command.handed),
        ]
        for line in (*lines, f"{NEXT}{shlex.join(check)}"):
            say(harmless(line.expandtabs()))


def forfeiters(outcomes: Sequence[Outcome], job: Job) -> tuple[str, ...]:
    """Return the bots that forfeited in matches of a job, as "name#seat". Recorded
    forfeits of a past are left out.
    """
    before = _recorded_before(job)
    records = [outcome.record for outcome in outcomes if outcome.record]
    seats = {
        seat
        for record in records
        for seat, at in enumerate(record.forfeited_at)
        if at is not None and at > before
    }
    return tuple(f"{job.header.seats[seat].name}#{seat}" for seat in sorted(seats))


def _recorded_before(job: Job) -> int:
    """Return the number of the last step that is played as it was recorded, -1 if none
    is.
    """
    return len(job.past.steps) if job.past else -1


def print_aside(outcome: Outcome, names: Sequence[str], tracing: Tracing) -> None:
    """Print what is asked for beside the match. ``names``: of the bots, by seat."""
    for seat, (report, name) in enumerate(zip(outcome.seats, names, strict=True)):
        if tracing.by_function:
            # not above: few matches are in ticks
            from khiva_arena.arbiter.tick_batches import by_function

            rows = by_function(report.ending.functions)
            for row in (f"{name}#{seat} by function:" + ("" if rows else " n/a"), *rows):
                click.echo(harmless(row))
        if tracing.notes:
            click.echo(notes_of(seat, report.ending.notes, report.ending.notes_total))
