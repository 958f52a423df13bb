"""``khiva-arena verify``: replay every record of a store and hold it against everything that is stored."""

import json
from dataclasses import dataclass, field
from pathlib import Path

import click

from khiva_arena.cli import event as events
from khiva_arena.cli.lookup import events_of
from khiva_arena.cli.options import json_option, store_argument
from khiva_arena.errors import ArenaError, RecordError
from khiva_arena.replay import seeds
from khiva_arena.replay.record import Record, digest_of, run_digest
from khiva_arena.replay.verify import verify
from khiva_arena.schedule.roundrobin import Match, schedule
from khiva_arena.store.db import RUN_SECRET, EventRow, MatchRow, Store


@dataclass(slots=True)
class Report:
    """What was found in one event."""

    event: str
    number: int
    sound: int = 0
    planned: int = 0
    unrevealed: int = 0
    digest: str = ""
    problems: list[str] = field(default_factory=list)


@click.command("verify", short_help="Replay every match of a store and say what is sound.")
@store_argument
@click.argument("event", nargs=-1)
@json_option
def command(store: Path, event: tuple[str, ...], as_json: bool) -> int:
    """Replay each match of STORE (or of each EVENT in it, by number or id) through the rules. Checked are hash chains,
    commitments and revealed secrets, every choice, scores, ranks, forfeits, who sat where, and the run digest. Exit code 1,
    with the first match that differs, if anything is not sound."""
    with Store.read(store) as opened:
        reports = [_verify_event(opened, row) for row in events_of(opened, event)]
    if as_json:
        click.echo(json.dumps({"events": [_plain(report) for report in reports]}))
    else:
        for report in reports:
            _say(report)
    return 1 if any(report.problems for report in reports) else 0


def _plain(report: Report) -> dict[str, object]:
    return {name: getattr(report, name) for name in Report.__slots__}


def _say(report: Report) -> None:
    of = f"{report.sound} of {report.planned} matches are sound"
    missing = report.planned - report.sound - len(report.problems)
    rest = f", {missing} are not played yet" if missing > 0 else ""
    click.echo(f"event {report.number} ({report.event}): {of}{rest}; run digest {report.digest}")
    if report.unrevealed:
        click.echo(f"  {report.unrevealed} of them were checked with the store's private secrets, which are not revealed yet")
    if report.problems:
        click.echo(f"  first that differs: {report.problems[0]}")
        for problem in report.problems[1:20]:
            click.echo(f"  also: {problem}")
        if len(report.problems) > 20:
            click.echo(f"  and {len(report.problems) - 20} more; --json lists all")


def _verify_event(store: Store, event: EventRow) -> Report:
    report = Report(event.id, event.number)
    revealed = store.reveals(event.id)
    try:
        plan = _check_event(event, revealed)
    except ArenaError as error:
        report.problems.append(f"the event itself: {error}")
        return report
    report.planned = len(plan)
    for row in store.matches(event.id):
        try:
            _check_match(event, row, plan, revealed)
        except ArenaError as error:
            report.problems.append(f"match {event.number}/{row.ordinal} ({row.id}): {error}")
            continue
        report.sound += 1
        report.unrevealed += row.seed not in revealed
    report.digest = run_digest(store.digests(event.id))
    return report


def _check_event(event: EventRow, revealed: dict[int, bytes]) -> dict[int, Match]:
    """The event's own promises; returns its schedule by ordinal."""
    if events.event_id(event.definition) != event.id:
        raise RecordError(f"its definition hashes to {digest_of(event.definition)[:16]}, not to its id")
    named = [(bot["name"], bot["identity"]) for bot in event.definition["bots"]]
    if [(bot.name, bot.identity) for bot in event.bots] != named:
        raise RecordError("its bots are not those of its definition")
    if seeds.commitment(event.id, event.secret) != event.commitment:
        raise RecordError("its secret does not open the commitment that was published")
    for seed, secret in revealed.items():
        if secret != (event.secret if seed == RUN_SECRET else seeds.seed_secret(event.secret, seed)):
            raise RecordError(f"the revealed secret of seed {seed} is not the one that the run's secret gives")
    chosen = events.line_ups_of(event.definition)
    key = events.schedule_key(event.definition)
    return {match.ordinal: match for match in schedule(chosen, event.definition["seeds"], key=key)}


def _check_match(event: EventRow, row: MatchRow, plan: dict[int, Match], revealed: dict[int, bytes]) -> None:
    record = row.parsed()
    match = plan.get(row.ordinal)
    if match is None or (match.k, match.lineup, match.rotation) != (row.seed, row.lineup, row.rotation):
        raise RecordError("the schedule has no such match")
    secret = revealed.get(row.seed, seeds.seed_secret(event.secret, row.seed))
    bots = event.definition["bots"]
    who = [(bots[bot]["name"], bots[bot]["identity"]) for bot in match.bots]
    expected = events.header_of(event.definition, who, events.match_id(event.id, row.ordinal), secret)
    if record.header != expected:
        raise RecordError("its header is not the one that the event gives")
    verify(record, secret)
    _check_rows(row, record, match)


def _check_rows(row: MatchRow, record: Record, match: Match) -> None:
    if row.digest != record.digest or row.id != record.header.match:
        raise RecordError("the stored digest or id is not the record's")
    stored = [(seat.seat, seat.bot, seat.rank, seat.score, seat.verdict) for seat in row.seats]
    said = list(zip(range(len(match.bots)), match.bots, record.ranks, record.scores, map(str, record.verdicts), strict=True))
    if stored != said:
        raise RecordError(f"the stored results {stored} are not the record's {said}")
