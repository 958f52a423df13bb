"""Trial starts of bots, with a hint for each bot that cannot be built or does not
start.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from msgspec.structs import replace

from khiva_arena.arbiter.job import Job
from khiva_arena.arbiter.preflight import PreflightFailed, preflight
from khiva_arena.arbiter.redact import Redactor
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.entrants.bots import Bot
from khiva_arena.errors import BotError, StagingError
from khiva_arena.records.replay.record import Header

if TYPE_CHECKING:
    from khiva_arena.arbiter.trace import Trace  # most starts are not traced


def start(
    entrants: Sequence[Bot],
    commands: Sequence[Command],
    header: Header,
    sandbox: Sandbox,
    called: Sequence[tuple[str, str]] = (),
    trace: "Trace | None" = None,
) -> None:
    """Start all bots as ``preflight`` does. Of a bot that does not start, the problem
    ends with a hint, if its cause is known.

    called: for messages, the name of each bot and the user's word for it; () for those
        of the bots, without words of guests.
    """
    called = called or [(bot.name, "" if bot.guest else bot.asked_as) for bot in entrants]
    try:
        preflight(
            [name for name, _ in called],
            commands,
            header,
            sandbox,
            words=[word for _, word in called],
            trace=trace,
        )
    except PreflightFailed as error:
        from khiva_arena.arbiter.start_problem import with_hint  # not above: most bots start
        from khiva_arena.entrants.hints.failed_start import hint_of_start

        problems = []
        for position, problem, failure in zip(
            error.positions, error.problems, error.failures, strict=True
        ):
            advice = hint_of_start(entrants[position], failure, confined=sandbox.level.confines)
            problems.append(with_hint(problem, Redactor(commands[position].handed).text(advice)))
        raise PreflightFailed(problems, error.failures, error.positions) from None


def start_match(job: Job, entrants: Sequence[Bot], trace: "Trace | None" = None) -> None:
    """Start the bots of one match, as ``start`` does; those that are out in its past
    are not needed.

    entrants: by seat.
    trace: of the match; it is left alone if bots are left out
    """
    out = job.past.out if job.past else ()
    here = [seat for seat in range(len(entrants)) if seat not in out]
    header = replace(job.header, seats=tuple(job.header.seats[seat] for seat in here))
    bots, commands = [entrants[seat] for seat in here], [job.commands[seat] for seat in here]
    called = [(seat.name, bot.asked_as) for seat, bot in zip(header.seats, bots, strict=True)]
    start(bots, commands, header, job.sandbox, called, None if out else trace)


@contextmanager
def hinting(bot: Bot, level: Level) -> Iterator[None]:
    """Add a hint to the BotError of a bot that cannot be built, if the cause is
    known.
    """
    try:
        yield
    except StagingError:  # this machine is to blame
        raise
    except BotError as error:
        from khiva_arena.arbiter.start_problem import with_hint  # not above: most bots are built
        from khiva_arena.entrants.hints.failed_start import hint_of

        problem = str(error)
        advice = hint_of(
            bot, "its files copied, and its build done", problem, confined=level.confines
        )
        if not advice:
            raise
        raise BotError(with_hint(problem, advice)) from None


def modules_of(bots: Sequence[Bot], level: Level) -> list[Bot]:
    """Return bots as ``only_modules`` does. Raises BotError for the first that cannot
    be built, with a hint.
    """
    # not above: few matches are in ticks
    from khiva_arena.entrants.only_modules import only_modules

    built: list[Bot] = []
    for bot in bots:
        with hinting(bot, level):
            built += only_modules([bot], level)
    return built
