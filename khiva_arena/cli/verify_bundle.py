"""Verify a bundle: replay every record of it and hold all else against that, without a store and without the bots."""

import json
from collections.abc import Iterable
from pathlib import Path

import click
import msgspec

from khiva_arena import __version__
from khiva_arena.cli.bundle import tables_of
from khiva_arena.cli.bundled_event import BundledEvent, Found
from khiva_arena.cli.verify import SHOWN, plain, say_report
from khiva_arena.errors import ArenaError, ConfigError, RecordError, StoreError
from khiva_arena.replay.record import canonical
from khiva_arena.report.differences import counted, differences, fitted
from khiva_arena.store import bundle
from khiva_arena.text import LONGEST, harmless

NOTES_SHOWN = 5


def verify_file(path: Path, as_json: bool) -> int:
    """Verify the bundle at ``path`` and print what is sound. Returns the exit code.

    Raises ConfigError where it cannot be read, StoreError where it is no bundle that this engine reads.
    """
    try:
        with path.open("rb") as file:
            reader = bundle.Reader(file)
            found = _check(reader)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror or error}") from None
    except StoreError as error:
        raise StoreError(f"{path}: {error}") from None
    if as_json:
        said = {
            "events": [plain(report) for report in found.reports],
            "file": found.problems,
            "notes": found.notes,
            "bundle": reader.digest,
        }
        click.echo(json.dumps(said))
    else:
        _say(path, found, reader)
    return 1 if found.problems or any(report.problems for report in found.reports) else 0


def _say(path: Path, found: Found, reader: bundle.Reader) -> None:
    for event, report in zip(found.events, found.reports, strict=True):
        say_report(report)
        click.echo(f"  commitment {event.commitment}: compare it with what was published before the first match")
    if found.problems:
        click.echo(harmless(f"{path}: not sound: {found.problems[0]}"))
        for problem in found.problems[1:SHOWN]:
            click.echo(f"  also: {problem}")
    elif any(report.problems for report in found.reports):
        click.echo(harmless(f"{path}") + ": the standings were not checked, since what they rest on is not sound")
    elif found.notes:
        engine = harmless(reader.engine, LONGEST)
        count = f"{len(found.notes)} fitted numbers of the standings"
        click.echo(
            harmless(f"{path}: what the standings count and the places are those that the records give; bundle {reader.digest}")
        )
        click.echo(f"  note: {count} differ, which khiva-arena {engine} worked out, and this is {__version__}:")
        for note in found.notes[:NOTES_SHOWN]:
            click.echo(f"  note: {note}")
        if len(found.notes) > NOTES_SHOWN:
            click.echo(f"  and {len(found.notes) - NOTES_SHOWN} more; --json lists all")
    else:
        click.echo(harmless(f"{path}: the standings are those that the records give; bundle {reader.digest}"))


def _check(reader: bundle.Reader) -> Found:
    found = Found()
    current: BundledEvent | None = None
    try:
        for line in reader.lines():
            if isinstance(line, bundle.Standings):
                found.tables.append(line)
            elif found.tables:
                raise RecordError("an event stands behind the standings")
            elif isinstance(line, bundle.Event):
                _end(current)
                current = BundledEvent(found, line)
            elif current is None:
                raise RecordError("it begins with no event")
            else:
                current.take(line)
        _end(current)
        if not found.events:
            raise RecordError("there is no event in it")
        if not any(report.problems for report in found.reports):
            _compare(found, reader.engine)
    except RecordError as error:
        found.problems.append(harmless(str(error), LONGEST))
    return found


def _end(current: BundledEvent | None) -> None:
    if current is not None and not current.over:
        raise RecordError(f"event {current.report.number} has no end")


def _compare(found: Found, engine: str) -> None:
    """Hold the standings against those that the records give, first the tables, then number by number. Of another engine version
    what is fitted is a note: a fit may have become another one since."""
    try:
        tables = tables_of(found.told)
    except ArenaError as error:
        found.problems.append(harmless(f"the standings cannot be worked out: {error}", LONGEST))
        return
    if len(tables) != len(found.tables):
        found.problems.append(f"it has {len(found.tables)} tables of standings, and its records give {len(tables)}")
        return
    for number, (table, worked_out) in enumerate(zip(found.tables, tables, strict=True), 1):
        said, given = table.table, json.loads(canonical(msgspec.to_builtins(worked_out.table)))  # as a file has it
        name = f"standings {number}"
        if engine == __version__:
            found.problems += _lines(name, differences("", said, given, all_keys=True))
            continue
        wrong = _lines(name, differences("", counted(said), counted(given), all_keys=True))
        found.problems += wrong
        found.notes += _lines(name, differences("", fitted(said), fitted(given), all_keys=False)) if not wrong else []


def _lines(where: str, found: Iterable[str]) -> list[str]:
    return [harmless(f"{where}: {difference}", LONGEST) for difference in found]
