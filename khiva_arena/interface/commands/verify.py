"""The work of ``khiva-arena verify``: a replay of every record, compared with
everything that is stored beside it.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from khiva_arena.bots.modules.released import lines_of
from khiva_arena.common.text import LONGEST, harmless
from khiva_arena.common.version import shown
from khiva_arena.competition.audit.audit_report import MODULES_UNUSED, AuditResult, EventReport
from khiva_arena.display.terminal.console import say
from khiva_arena.display.terminal.passing import progress
from khiva_arena.display.terminal.tty import list_width
from khiva_arena.errors import ConfigError
from khiva_arena.interface.api.verify import Verification, verified
from khiva_arena.rating.report.text import paragraphs
from khiva_arena.words import count, ranges

SHOWN = 20
NOTES_SHOWN = 5


def verify(
    store: Path,
    event: tuple[str, ...],
    as_json: bool,
    rerun_bots: bool,
    modules: tuple[Path, ...],
    **how: Any,
) -> int:
    """Verify all and print which matches are sound. Returns the exit code.

    how: jobs, sample, seen, since and beacon, as the verification for Python takes
        them.
    """
    if modules and not rerun_bots:
        raise ConfigError(MODULES_UNUSED)
    with progress() as far:
        result = verified(
            store, event, Verification(rerun_bots=modules or rerun_bots, **how), far.say, far
        )
    if rerun_bots and result.sound and all(report.rerun is None for report in result.events):
        raise ConfigError(
            f"--rerun-bots: no event of {store} is in ticks, and what bots thought by the "
            "wall clock is not kept"
        )
    bundled = store.is_file()
    if as_json:
        of_bundle: dict[str, Any] = (
            {"notes": result.notes, "bundle": result.digest} if bundled else {}
        )
        of_chain = {
            "chain": result.chain,
            "beacon": result.beacon,
            "not_compared": result.not_compared,
        }
        of_bundle |= of_chain if result.chain else {}
        click.echo(
            json.dumps(
                {
                    "events": [report.to_dict() for report in result.events],
                    "file": result.problems,
                    **of_bundle,
                }
            )
        )
    else:
        (_say_bundle if bundled else _say_store)(store, result)
        if result.chain:
            _say_chain(result)
    if why := result.why:
        _tell(f"{store}: {why}")
    return 1 if why else 0


def _tell(text: str, *, warning: bool = False) -> None:
    say(harmless(text), warning=warning)


def _say_interpreters(result: AuditResult) -> None:
    """Say once for all events which interpreters ran bots, and whether a release has
    them.
    """
    names: dict[str, dict[str, None]] = {}
    for report in result.events:
        for what, bots in report.interpreters.items():
            names.setdefault(what, {}).update(dict.fromkeys(bots))
    for line in lines_of(names):
        click.echo(harmless(line, LONGEST))


def _say_store(path: Path, result: AuditResult) -> None:
    for report in _beside_well_ones(result):
        _say_event(report)
    _say_interpreters(result)
    if result.problems:
        what = "not sound" if result.chain else "the file is damaged"
        click.echo(harmless(f"{path}: {what}: {result.problems[0]}"))
        for problem in result.problems[1:SHOWN]:
            click.echo(f"  also: {problem}")
        click.echo(
            "  the matches listed as sound are safe; to continue with this store, restore "
            "a backup that is sound"
        )


def _say_bundle(path: Path, result: AuditResult) -> None:
    for report in _beside_well_ones(result):
        _say_event(report)
        click.echo(
            f"  commitment {report.commitment}: compare it with what was published before "
            "the first match"
        )
    _say_interpreters(result)
    name = harmless(str(path))
    if result.problems:
        click.echo(f"{name}: not sound: {harmless(result.problems[0])}")
        for problem in result.problems[1:SHOWN]:
            click.echo(f"  also: {problem}")
    elif not result.sound:
        click.echo(
            f"{name}: the standings were not checked, since the matches behind them are not sound"
        )
    elif result.notes:
        click.echo(
            f"{name}: the counts and places of the standings match the records; bundle "
            f"{result.digest}"
        )
        _say_notes(result)
    else:
        click.echo(f"{name}: the standings match the records; bundle {result.digest}")


def _say_notes(result: AuditResult) -> None:
    differ = f"{len(result.notes)} fitted numbers of the standings differ"
    engine = harmless(result.engine, LONGEST)
    click.echo(f"  note: {differ}, computed by khiva-arena {engine}; this is {shown()}:")
    for note in result.notes[:NOTES_SHOWN]:
        click.echo(f"  note: {note}")
    if len(result.notes) > NOTES_SHOWN:
        click.echo(f"  and {len(result.notes) - NOTES_SHOWN} more; --json lists all")


def _say_chain(result: AuditResult) -> None:
    click.echo(f"the league's chain: {result.chain}")
    for line in (*result.calendar, *result.not_compared[:SHOWN]):
        click.echo(f"  {line}")
    if len(result.not_compared) > SHOWN:
        click.echo(f"  and {len(result.not_compared) - SHOWN} more; --json lists all")


def _beside_well_ones(result: AuditResult) -> list[EventReport]:
    """Print in one line which batches of a league are well, and return the other
    events; all events of any other store.
    """
    well = [report for report in result.events if result.chain and _is_well(report)]
    if len(well) < 2:
        return result.events
    matches, rerun = sum(report.sound for report in well), sum(report.rerun or 0 for report in well)
    again = (
        f"; the bots of {rerun} were run again: every answer, fault and tick is the same"
        if rerun
        else ""
    )
    numbers = ranges([report.number for report in well])
    click.echo(
        "\n".join(
            paragraphs([f"batches {numbers}: all {matches} matches are sound{again}"], list_width())
        )
    )
    return [report for report in result.events if not _is_well(report)]


def _is_well(report: EventReport) -> bool:
    """Tell whether nothing is to be said of an event but that all of it was replayed
    and is sound.
    """
    odd = (
        report.problems,
        report.unconfirmed,
        report.missing,
        report.left_out,
        report.unrevealed,
        report.sample,
        report.extends,
    )
    return not any(odd) and not report.closed and not report.ground


def _say_event(report: EventReport) -> None:
    """Print which matches are sound, and which differ."""
    click.echo("\n".join(paragraphs([report.summary], list_width())))
    if report.sample is not None:
        click.echo(
            "  "
            f"{report.sample.says(*report.of_sample, in_part=report.claims - report.without_bots)}"
        )
    if report.rerun:
        click.echo(
            f"  the bots of {count(report.rerun, 'match', 'matches')} were run again: "
            "every answer, fault and tick is the same"
        )
    if report.without_bots:
        click.echo(
            f"  {count(report.without_bots, 'match has', 'matches have')} no bot to run "
            "again: only persons sat at the table"
        )
    _say_unconfirmed(report)
    if report.rerun is not None:
        click.echo(
            harmless(
                f"  played in ticks of price list {report.meter}, by khiva-arena "
                f"{' and '.join(report.engines)}"
            )
        )
    if report.unrevealed:
        click.echo(
            f"  {report.unrevealed} of them were checked with the store's private secrets, "
            "which are not revealed yet"
        )
    if report.public is not None:
        public = harmless(report.public, LONGEST)
        click.echo(
            f"  public text {public!r}: see that it was drawn after the commitment was published"
        )
    if report.extends is not None:
        origin = (
            f"event {report.extends_number}"
            if report.extends_number
            else f"event {report.extends}, which was not checked here"
        )
        click.echo(f"  it extends {origin}; the results of that event were known when it began")
    if line := report.own_word.line:
        click.echo(f"  {line}")
    if report.ground:
        click.echo(
            "  its schedule was drawn only from the settings, as version 0.1.0 did, so "
            "their author could choose it"
        )
    if report.problems:
        click.echo(f"  first that differs: {report.problems[0]}")
        for problem in report.problems[1:SHOWN]:
            click.echo(f"  also: {problem}")
        if len(report.problems) > SHOWN:
            click.echo(f"  and {len(report.problems) - SHOWN} more; --json lists all")
        sound, unsound = (
            _numbers(ordinals) for ordinals in (report.sound_matches, report.unsound_matches)
        )
        click.echo(f"  the matches that are sound: {sound}; that are not: {unsound}")


def _numbers(ordinals: Sequence[int]) -> str:
    """Return matches by their numbers, in words that nobody takes for a count."""
    return f"number {ranges(sorted({*ordinals}))}" if ordinals else "none"


def _say_unconfirmed(report: EventReport) -> None:
    """Print what running bots again on this machine could not confirm."""
    lines = report.unconfirmed
    for line in lines[:SHOWN]:
        click.echo(f"  unconfirmed: {line}")
    if len(lines) > SHOWN:
        click.echo(f"  and {len(lines) - SHOWN} more; --json lists all")
    if elsewhere := {*report.unconfirmed_matches} - {*report.unpublished}:
        click.echo(
            "  nobody is at fault for these matches: run them again elsewhere: "
            f"{ranges(sorted(elsewhere))}"
        )
    if report.unpublished:
        click.echo(
            "  if you have these bots, name their folder with --modules: matches "
            f"{ranges(sorted(report.unpublished))}"
        )
