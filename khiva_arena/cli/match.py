"""``khiva-arena match``: one match, printed turn by turn; or a stored one again, with live bots."""

import json
import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.arbiter.pool import play_one
from khiva_arena.arbiter.preflight import PreflightFailed, preflight
from khiva_arena.arbiter.stderr import notes_of
from khiva_arena.cli.help import Verb
from khiva_arena.cli.options import OF_A_MATCH, json_option, setting_options
from khiva_arena.competition.define import changed_runtimes
from khiva_arena.competition.find import match_of, secret_of
from khiva_arena.competition.isolation import keep_apart, sandbox_of_stored, warn_of_cold_files
from khiva_arena.competition.one_match import one_match, staged
from khiva_arena.competition.settings_flags import given_by_flags, loading_of_stored
from khiva_arena.entrants import bots as bot_files
from khiva_arena.entrants.bots import Bot
from khiva_arena.entrants.loading import AS_IT_IS, Loading
from khiva_arena.errors import ConfigError
from khiva_arena.replay.difference import first_difference
from khiva_arena.replay.story import story
from khiva_arena.store.db import BotRow, EventRow, Store
from khiva_arena.terminal.console import BufferedStderr, say
from khiva_arena.text import harmless

if TYPE_CHECKING:
    from khiva_arena.arbiter.trace import Trace  # most matches are not traced


class Tracing(NamedTuple):
    """Which parts of the conversation are shown or kept beside the match.

    trace: whether every message is printed on stderr.
    capture: the folder for raw bytes, None for none.
    notes: whether what bots wrote on stderr is printed.
    """

    trace: bool
    capture: Path | None
    notes: bool


@click.command("match", cls=Verb)
@setting_options(*OF_A_MATCH)
@click.option("--from", "stored", nargs=2, metavar="STORE MATCH", help="Play this stored match again with live bots.")
@click.option("--notes", is_flag=True, help="Also print what each bot wrote on stderr, with marks of what it was asked before.")
@click.option("--trace", is_flag=True, help="Print every message in both directions on stderr while the match is played.")
@click.option(
    "--capture",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Write the raw bytes of each seat and direction to DIR, for `khiva-arena decode`.",
)
@json_option
def command(stored: tuple[str, str] | None, notes: bool, trace: bool, capture: Path | None, as_json: bool, **flags: Any) -> int:
    """Play one match, the bots seated in the order given, and print it turn by turn, hidden cards included.

    With --from, the deal, rules and limits are those of the stored match; --bot, given once for each seat, seats other bots than
    those that played. The first choice that differs is printed, and the exit code is then 1.

    --trace prints a line for each message: milliseconds since the start, seat, > to the bot or < from it, type and JSON. A line
    with | is the bot's stderr, and one with ! says how much of that is not shown. Answers appear once all seats that were asked
    have answered, since no answer is opened before. Long messages are cut; --capture keeps them whole, and `khiva-arena decode
    DIR/*` prints them.

    Before the match every bot is started once. If one fails to start, what it wrote and how it ended is shown, and --trace,
    --capture and --notes show that start. --capture then keeps nothing unless a bot that failed wrote on stdout.
    """
    if notes and as_json:
        raise ConfigError("--notes goes with text: --json prints the record alone")
    tracing = Tracing(trace, capture, notes)
    if stored:
        return _play_stored(Path(stored[0]), stored[1], flags, tracing, as_json)
    one = one_match(given_by_flags(flags))
    outcome, code = _play(one.job, tracing, one.words)
    if outcome.record is None:
        say(f"the match is void, twice: {outcome.void}")
        return 1
    _print(outcome, one.job.secret, as_json)
    _print_notes(outcome, tracing)
    if one.drawn is not None:
        say(f"to play these deals again: --seed {one.drawn.hex()}")
    return code


def _play(job: Job, tracing: Tracing, words: Sequence[str]) -> tuple[Outcome, int]:
    """How it went, and the exit code: 1 if something could not be kept as requested. ``words``: how each bot was named."""
    names = [seat.name for seat in job.header.seats]
    if not tracing.trace and tracing.capture is None:
        with _notes_of_failed(tracing):
            preflight(names, job.commands, job.header, job.sandbox, words=words)
        warn_of_cold_files()
        return play_one(job), 0
    from khiva_arena.arbiter.trace import Trace  # most matches are not traced

    labels = [f"{name}#{seat}" for seat, name in enumerate(names)]
    with BufferedStderr() as lines, closing(Trace(labels, None, tracing.capture)) as trace:
        _try(job, tracing, words, trace, lines)
        warn_of_cold_files()
        trace.write = lines if tracing.trace else None
        outcome = play_one(job, trace)
    if not trace.failed:
        return outcome, 0
    say(f"khiva-arena: error: --capture {tracing.capture}: not all bytes are kept: {trace.failed}; capture again elsewhere")
    return outcome, 1


def _try(job: Job, tracing: Tracing, words: Sequence[str], trace: "Trace", lines: BufferedStderr) -> None:
    """Start the bots for a trial. Nothing of it is shown or kept unless one fails: then there is no match to trace."""
    held: list[str] = []
    trace.write = held.append if tracing.trace else None
    try:
        with _notes_of_failed(tracing):
            preflight([seat.name for seat in job.header.seats], job.commands, job.header, job.sandbox, words=words, trace=trace)
    except PreflightFailed as error:
        for line in held:
            lines(line)
        kept = [seat for seat, _, wrote in error.failed if wrote]
        if kept and tracing.capture is not None:
            files = shlex.join(str(tracing.capture / f"seat-{seat}.from-bot") for seat in kept)
            lines(f"what it wrote is in {tracing.capture}: khiva-arena decode {files}")
        else:
            trace.undo()
            if tracing.capture is not None:
                lines(f"nothing is kept in {tracing.capture}: no bot that failed wrote anything on stdout")
        raise
    except BaseException:
        trace.undo()
        raise


@contextmanager
def _notes_of_failed(tracing: Tracing) -> Iterator[None]:
    """Print what bots that do not start wrote on stderr, whole, if that is asked for."""
    try:
        yield
    except PreflightFailed as error:
        for seat, report, _ in error.failed if tracing.notes else ():
            click.echo(notes_of(seat, report.ending.notes, report.ending.notes_total))
        raise


def _print(outcome: Outcome, secret: bytes, as_json: bool) -> None:
    record = outcome.record
    assert record is not None
    if as_json:
        click.echo(record.to_json())
        return
    click.echo(story(record, secret))
    for seat, report in enumerate(outcome.seats):
        for blame in report.faults:
            click.echo(harmless(f"seat {seat}: {blame.verdict} at step {blame.step}: {blame.detail}"))


def _print_notes(outcome: Outcome, tracing: Tracing) -> None:
    for seat, report in enumerate(outcome.seats if tracing.notes else ()):
        click.echo(notes_of(seat, report.ending.notes, report.ending.notes_total))


# --- a stored match again ---


def _play_stored(folder: Path, word: str, flags: dict[str, Any], tracing: Tracing, as_json: bool) -> int:
    loading = loading_of_stored(flags)
    if set(given_by_flags(flags)) - {"bots", "isolation", "trust_bots", "runtimes", "limits"}:
        raise ConfigError(
            "--from plays the stored match again: apart from it only --bot, --isolation, --runtime and limits on the "
            "size of a bot can be given"
        )
    with Store.read(folder) as store:
        event, row = match_of(store, word)
        secret, _ = secret_of(store, event, row.seed)
    record = row.parsed()
    words = flags["bots"]
    if words and len(words) != len(record.header.seats):
        raise ConfigError(
            f"--bot: {len(words)} given, the match has {len(record.header.seats)} seats; give one for each, in seat order"
        )
    if words:
        entrants = [bot_files.load(word, loading=loading) for word in words]
    else:
        entrants = [recorded_bot(event, seat.bot, loading) for seat in row.seats]
    if problems := bot_files.of_another_game(entrants, record.header.game):
        raise ConfigError(problems)
    for runtime in changed_runtimes(event.definition, entrants):
        say(f"warning: the runtime {runtime} has changed since it was played with")
    if not words:
        for bot, seat in zip(entrants, record.header.seats, strict=True):
            if bot.identity != seat.bot:
                say(f"warning: {seat.name} has changed since it played")
    sandbox = sandbox_of_stored(event.definition.sandbox(), flags["isolation"])
    commands = staged(entrants, sandbox)
    keep_apart(entrants, commands, sandbox)
    job = Job(0, 1, record.header, secret, commands, sandbox)
    outcome, code = _play(job, tracing, [bot.asked_as for bot in entrants])
    if outcome.record is None:
        say(f"the match is void, twice: {outcome.void}")
        return 1
    difference = first_difference(record, outcome.record)
    if as_json:
        click.echo(
            json.dumps({"same": difference is None, "difference": difference, "record": json.loads(outcome.record.to_json())})
        )
    else:
        click.echo(difference or f"every choice is the same; digest {outcome.record.digest}")
    _print_notes(outcome, tracing)
    return 1 if difference else code


def recorded_bot(event: EventRow, position: int, loading: Loading = AS_IT_IS) -> Bot:
    """The bot at a position of an event, found where it was named then, or else relative to the working folder. Raises
    ConfigError, BotError."""
    row: BotRow = event.bots[position]
    word = row.asked_as
    if os.path.isdir(row.folder):
        with suppress(ConfigError):
            return bot_files.load(word, row.folder, loading)
    if row.folder != os.getcwd():
        say(harmless(f"warning: {word} was named in {row.folder}, and is not there; looking for it here"))
    return bot_files.load(word, loading=loading)
