"""``khiva-arena verify``: replay every record of a store and hold it against everything that is stored."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import click

from khiva_arena.cli import event as events
from khiva_arena.cli.lookup import named_events
from khiva_arena.cli.options import json_option, store_argument
from khiva_arena.errors import ArenaError, RecordError
from khiva_arena.replay import seeds
from khiva_arena.replay.record import Record, run_digest
from khiva_arena.replay.verify import faults_of, verify
from khiva_arena.schedule.roundrobin import Match
from khiva_arena.store.db import RUN_SECRET, EventRow, MatchRow, Store


@dataclass(slots=True)
class Report:
    """What was found in one event. ``missing``: planned and not fixed."""

    event: str
    number: int
    sound: int = 0
    planned: int = 0
    missing: int = 0
    unrevealed: int = 0
    digest: str = ""
    problems: list[str] = field(default_factory=list)


@click.command("verify", short_help="Replay every match of a store and say what is sound.")
@store_argument
@click.argument("event", nargs=-1)
@json_option
def command(store: Path, event: tuple[str, ...], as_json: bool) -> int:
    """Replay each match of STORE (or of each EVENT in it, by number or id) through the rules. Checked are hash chains,
    commitments and revealed secrets, every choice, scores, ranks, faults and forfeits, who sat where, that matches and voids
    are those of the schedule, that nothing is missing on a revealed seed, and, once an event is over, its run digest. Exit
    code 1, with the first that differs, if anything is not sound."""
    with Store.read(store) as opened:
        reports = [_verify_event(opened, row) for row in named_events(opened, event)]
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
    rest = f", {report.missing} are {'missing' if report.problems else 'not played yet'}" if report.missing else ""
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
        events.check_stored(event)
        plan = events.Plan(event.definition)
        _check_secrets(event, plan, revealed)
    except ArenaError as error:
        report.problems.append(f"the event itself: {error}")
        return report
    report.planned = plan.totals.matches
    fixed: dict[int, int] = {}
    for row in store.matches(event.id):
        match = plan.match(row.ordinal)
        if match is not None:
            fixed[row.ordinal] = row.attempt
        try:
            _check_match(event, row, match, revealed)
        except ArenaError as error:
            report.problems.append(f"match {event.number}/{row.ordinal} ({row.id}): {error}")
            continue
        report.sound += 1
        report.unrevealed += row.seed not in revealed
    report.missing = report.planned - len(fixed)
    report.digest = run_digest(store.digests(event.id))
    report.problems += _voids(store, event, fixed)
    report.problems += _what_is_over(store, event, plan, fixed, revealed)
    return report


def _check_secrets(event: EventRow, plan: events.Plan, revealed: Mapping[int, bytes]) -> None:
    if seeds.commitment(event.id, event.secret) != event.commitment:
        raise RecordError("its secret does not open the commitment that was published")
    for seed, secret in revealed.items():
        if not RUN_SECRET <= seed < plan.totals.seeds:
            raise RecordError(f"a secret of seed {seed} is revealed, and there is no such seed")
        if secret != (event.secret if seed == RUN_SECRET else seeds.seed_secret(event.secret, seed)):
            raise RecordError(f"the revealed secret of seed {seed} is not the one that the run's secret gives")


def _voids(store: Store, event: EventRow, fixed: Mapping[int, int]) -> list[str]:
    """What is wrong with the void matches. ``fixed``: the attempt that was fixed, by ordinal."""
    plan = events.Plan(event.definition)
    problems: list[str] = []
    attempts: Counter[int] = Counter()
    for row in store.voids(event.id):
        match = plan.match(row.ordinal)
        attempts[row.ordinal] += 1
        if match is None or (match.k, match.lineup, list(match.bots)) != (row.seed, row.lineup, row.bots):
            problems.append(f"void {event.number}/{row.ordinal}, attempt {row.attempt}: the schedule has no such match")
        elif row.attempt != attempts[row.ordinal]:
            problems.append(f"void {event.number}/{row.ordinal}: attempt {row.attempt} stands at place {attempts[row.ordinal]}")
    problems += [
        f"match {event.number}/{ordinal}: fixed at attempt {attempt}, but {attempts[ordinal]} attempts were void"
        for ordinal, attempt in fixed.items()
        if attempt != attempts[ordinal] + 1
    ]
    return problems


def _what_is_over(
    store: Store, event: EventRow, plan: events.Plan, fixed: Mapping[int, int], revealed: Mapping[int, bytes]
) -> list[str]:
    """A seed's secret is revealed with its last match, the run's with the last of all, and its digest is then stored."""
    problems: list[str] = []
    by_seed = Counter(ordinal // plan.per_seed for ordinal in fixed)
    for seed in sorted({*by_seed, *revealed} - {RUN_SECRET}):
        missing = plan.per_seed - by_seed[seed]
        if missing > 0 and seed in revealed:
            problems.append(f"seed {seed}: {missing} matches are missing, though its secret is revealed: they were all fixed")
        if missing == 0 and seed not in revealed:
            problems.append(f"seed {seed}: all matches are fixed, but its secret is not revealed")
    over = len(fixed) == plan.totals.matches
    digest = store.conclusion(event.id)
    if over != (RUN_SECRET in revealed) or over != (digest is not None):
        problems.append(f"the event is {'over' if over else 'not over'}, but what is stored at its end is {'not ' * over}there")
    elif digest is not None and digest != run_digest(store.digests(event.id)):
        problems.append(f"the run digest was {digest} when the event was over")
    return problems


def _check_match(event: EventRow, row: MatchRow, match: Match | None, revealed: Mapping[int, bytes]) -> None:
    record = row.parsed()
    if match is None or (match.k, match.lineup, match.rotation) != (row.seed, row.lineup, row.rotation):
        raise RecordError("the schedule has no such match")
    secret = revealed.get(row.seed, seeds.seed_secret(event.secret, row.seed))
    bots = event.definition["bots"]
    who = [(bots[bot]["name"], bots[bot]["identity"]) for bot in match.bots]
    expected = events.header_of(event.definition, who, events.match_id(event.id, row.ordinal), secret)
    if record.header != expected:
        raise RecordError("its header is not the one that the event gives")
    verify(record, secret)
    _check_rows(row, record, match, secret)


def _check_rows(row: MatchRow, record: Record, match: Match, secret: bytes) -> None:
    if row.digest != record.digest or row.id != record.header.match:
        raise RecordError("the stored digest or id is not the record's")
    stored = [(seat.seat, seat.bot, seat.rank, seat.score, seat.verdict) for seat in row.seats]
    said = list(zip(range(len(match.bots)), match.bots, record.ranks, record.scores, map(str, record.verdicts), strict=True))
    if stored != said:
        raise RecordError(f"the stored results {stored} are not the record's {said}")
    faults = [[(verdict, gather) for verdict, _, gather in seat.faults] for seat in row.seats]
    if faults != faults_of(record):
        raise RecordError(f"the stored faults {faults} are not the record's {faults_of(record)}")
    if row.req_start != seeds.req_start(secret, row.id):
        raise RecordError("its first req is not the one that the secret gives")
