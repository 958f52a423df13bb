"""Verify a bundle: replay every record of it and hold all else against that, without a store and without the bots."""

import json
from pathlib import Path

import click
import msgspec

from khiva_arena import __version__
from khiva_arena.cli.bundle import tables_of
from khiva_arena.cli.bundled_event import BundledEvent, Found, one_line
from khiva_arena.cli.verify import SHOWN, plain, say_report
from khiva_arena.errors import ArenaError, ConfigError, RecordError, StoreError
from khiva_arena.replay.record import canonical
from khiva_arena.report.differences import differences
from khiva_arena.store import bundle


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
        said = {"events": [plain(report) for report in found.reports], "file": found.problems, "bundle": reader.digest}
        click.echo(json.dumps(said))
    else:
        _say(path, found, reader.digest)
    return 1 if found.problems or any(report.problems for report in found.reports) else 0


def _say(path: Path, found: Found, digest: str) -> None:
    for event, report in zip(found.events, found.reports, strict=True):
        say_report(report)
        click.echo(f"  commitment {event.commitment}: compare it with what was published before the first match")
    if found.problems:
        click.echo(f"{path}: not sound: {found.problems[0]}")
        for problem in found.problems[1:SHOWN]:
            click.echo(f"  also: {problem}")
    elif any(report.problems for report in found.reports):
        click.echo(f"{path}: the standings were not checked, since what they rest on is not sound")
    else:
        click.echo(f"{path}: the standings are those that the records give; bundle {digest}")


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
            found.problems += _differences(found, reader.engine)
    except RecordError as error:
        found.problems.append(one_line(str(error)))
    return found


def _end(current: BundledEvent | None) -> None:
    if current is not None and not current.over:
        raise RecordError(f"event {current.report.number} has no end")


def _differences(found: Found, engine: str) -> list[str]:
    """Where the standings differ from those that the records give, first the tables, then number by number."""
    try:
        tables = tables_of(found.told)
    except ArenaError as error:
        return [one_line(f"the standings cannot be worked out: {error}")]
    if len(tables) != len(found.tables):
        return [f"it has {len(found.tables)} tables of standings, and its records give {len(tables)}"]
    plain = [json.loads(canonical(msgspec.to_builtins(table.table))) for table in tables]  # as a file has it
    return [
        one_line(f"standings {number}: {difference}")
        for number, (said, given) in enumerate(zip(found.tables, plain, strict=True), 1)
        for difference in differences("", said.table, given, engine == __version__)
    ]
