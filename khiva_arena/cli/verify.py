"""``khiva-arena verify``: replay every record of a store and hold it against everything that is stored."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

import click

from khiva_arena.cli import event as events
from khiva_arena.cli.lookup import CHANGED, named_events
from khiva_arena.cli.options import json_option, store_argument
from khiva_arena.errors import ArenaError, RecordError, StoreError
from khiva_arena.replay import seeds
from khiva_arena.replay.record import Record, run_digest
from khiva_arena.replay.verify import faults_of, verify
from khiva_arena.schedule.roundrobin import Match
from khiva_arena.store.db import RUN_SECRET, EventRow, MatchRow, Store

SHOWN = 20
T = TypeVar("T")


@dataclass(slots=True)
class Report:
    """What was found in one event. ``sound``: how many matches are; ``sound_matches`` and ``unsound_matches`` say which, by
    ordinal. ``missing``: planned and not fixed."""

    event: str
    number: int
    sound: int = 0
    planned: int = 0
    missing: int = 0
    unrevealed: int = 0
    digest: str = ""
    problems: list[str] = field(default_factory=list)
    sound_matches: list[int] = field(default_factory=list)
    unsound_matches: list[int] = field(default_factory=list)

    def read(self, what: str, reader: Callable[[], T], otherwise: T) -> T:
        """What ``reader`` gives, ``otherwise`` where the file is damaged there: then that is a problem, and we go on."""
        try:
            return reader()
        except StoreError as error:
            self.problems.append(f"{what} cannot be read: {error.__cause__ or error}")
            return otherwise


@click.command("verify", short_help="Replay every match of a store and say what is sound.")
@store_argument
@click.argument("event", nargs=-1)
@json_option
def command(store: Path, event: tuple[str, ...], as_json: bool) -> int:
    """Replay each match of STORE (or of each EVENT in it, by number or id) through the rules. Checked are hash chains,
    commitments and revealed secrets, every choice, scores, ranks, faults and forfeits, who sat where, that matches and voids
    are those of the schedule, that nothing is missing on a revealed seed, and, once an event is over, its run digest; the sum
    of every row, that none was lost or added, and the pages of the file. Exit code 1, with the first that differs, if anything
    is not sound; which matches are sound is then listed."""
    with Store.read(store) as opened:
        damage = opened.damage()
        reports = [_verify_event(opened, row) for row in named_events(opened, event)]
    if as_json:
        click.echo(json.dumps({"events": [_plain(report) for report in reports], "file": damage}))
    else:
        for report in reports:
            _say(report)
        _say_damage(store, damage)
    return 1 if damage or any(report.problems for report in reports) else 0


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
        for problem in report.problems[1:SHOWN]:
            click.echo(f"  also: {problem}")
        if len(report.problems) > SHOWN:
            click.echo(f"  and {len(report.problems) - SHOWN} more; --json lists all")
        click.echo(f"  sound: {_ranges(report.sound_matches)}; not sound: {_ranges(report.unsound_matches)}")


def _say_damage(store: Path, damage: list[str]) -> None:
    if damage:
        click.echo(f"{store}: the file is damaged: {damage[0]}")
        for problem in damage[1:SHOWN]:
            click.echo(f"  also: {problem}")
        click.echo("  what is sound above is sound all the same; restore a copy to go on with this store")


def _ranges(ordinals: Iterable[int]) -> str:
    """Ordinals in few words: 0-4, 7, 9-11."""
    runs: list[list[int]] = []
    for ordinal in sorted(ordinals):
        if runs and ordinal == runs[-1][1] + 1:
            runs[-1][1] = ordinal
        else:
            runs.append([ordinal, ordinal])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs) or "none"


def _verify_event(store: Store, event: EventRow) -> Report:
    report = Report(event.id, event.number)
    nothing: dict[int, bytes] = {}
    revealed = report.read("what is revealed", lambda: store.reveals(event.id), nothing)
    plan = _check_event(report, event, revealed)
    if plan is not None:
        report.planned = plan.totals.matches
    fixed = _check_matches(store, event, plan, revealed, report)
    report.problems += [f"{what} {CHANGED}" for what in event.changed]
    if plan is not None:
        report.missing = report.planned - len(fixed)
        report.problems += report.read("the void matches", lambda: _voids(store, event, fixed), [])
        report.problems += report.read("its end", lambda: _what_is_over(store, event, plan, fixed, revealed), [])
    report.problems += report.read("the sums of its rows", lambda: store.changed(event.id), [])
    return report


def _check_event(report: Report, event: EventRow, revealed: Mapping[int, bytes]) -> events.Plan | None:
    """Check the event itself. Returns its schedule, None where its definition is damaged: then each match can only be held
    against itself."""
    plan = None
    try:
        events.check_definition(event)
        plan = events.Plan(event.definition)
        events.check_bots(event)
        _check_secrets(event, plan, revealed)
    except ArenaError as error:
        report.problems.append(f"the event itself: {error}")
    return plan


def _check_secrets(event: EventRow, plan: events.Plan, revealed: Mapping[int, bytes]) -> None:
    if seeds.commitment(event.id, event.secret) != event.commitment:
        raise RecordError("its secret does not open the commitment that was published")
    for seed, secret in revealed.items():
        if not RUN_SECRET <= seed < plan.totals.seeds:
            raise RecordError(f"a secret of seed {seed} is revealed, and there is no such seed")
        if secret != (event.secret if seed == RUN_SECRET else seeds.seed_secret(event.secret, seed)):
            raise RecordError(f"the revealed secret of seed {seed} is not the one that the run's secret gives")


def _check_matches(
    store: Store, event: EventRow, plan: events.Plan | None, revealed: Mapping[int, bytes], report: Report
) -> dict[int, int]:
    """Check every match, one by one, so that a damaged one hides no other. Returns the attempt of each by ordinal, as far as
    it is one of the schedule."""
    fixed: dict[int, int] = {}
    digests: list[str] = []
    planned: Iterable[int] = range(report.planned)
    for ordinal in sorted(report.read("the list of its matches", lambda: store.fixed(event.id), planned)):
        where = f"match {event.number}/{ordinal}"
        before = len(report.problems)
        row = report.read(where, partial(store.match, event.id, ordinal), None)
        if row is None:
            if len(report.problems) > before:
                report.unsound_matches.append(ordinal)
            continue
        digests.append(row.digest)
        match = plan.match(ordinal) if plan else None
        if match is not None:
            fixed[ordinal] = row.attempt
        try:
            _check_match(event, row, plan, match, revealed)
        except ArenaError as error:
            report.problems.append(f"{where} ({row.id}): {error}")
            report.unsound_matches.append(ordinal)
            continue
        report.sound += 1
        report.sound_matches.append(ordinal)
        report.unrevealed += row.seed not in revealed
    report.digest = run_digest(digests)
    return fixed


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


def _check_match(
    event: EventRow, row: MatchRow, plan: events.Plan | None, match: Match | None, revealed: Mapping[int, bytes]
) -> None:
    record = row.parsed()
    secret = _secret(event, row, record, revealed)
    if plan is not None:
        if match is None or (match.k, match.lineup, match.rotation) != (row.seed, row.lineup, row.rotation):
            raise RecordError("the schedule has no such match")
        bots = event.definition["bots"]
        who = [(bots[bot]["name"], bots[bot]["identity"]) for bot in match.bots]
        expected = events.header_of(event.definition, who, events.match_id(event.id, row.ordinal), secret)
        if record.header != expected:
            raise RecordError("its header is not the one that the event gives")
    verify(record, secret)
    _check_rows(row, record, match.bots if match else [seat.bot for seat in row.seats], secret)
    if not row.intact:
        raise RecordError(f"it or one of its seats {CHANGED}")


def _secret(event: EventRow, row: MatchRow, record: Record, revealed: Mapping[int, bytes]) -> bytes:
    """The secret of a match's seed, revealed or not: of the two that are stored, the one that opens the match's commitment."""
    if not 0 <= row.seed < 2**63:
        raise RecordError(f"there is no seed {row.seed}")
    derived = seeds.seed_secret(event.secret, row.seed)
    said = revealed.get(row.seed, derived)
    return said if seeds.commitment(record.header.match, said) == record.header.commit else derived


def _check_rows(row: MatchRow, record: Record, sits: Sequence[int], secret: bytes) -> None:
    if row.digest != record.digest or row.id != record.header.match:
        raise RecordError("the stored digest or id is not the record's")
    stored = [(seat.seat, seat.bot, seat.rank, seat.score, seat.verdict) for seat in row.seats]
    said = list(zip(range(len(sits)), sits, record.ranks, record.scores, map(str, record.verdicts), strict=False))
    if stored != said:
        raise RecordError(f"the stored results {stored} are not the record's {said}")
    faults = [[(verdict, gather) for verdict, _, gather in seat.faults] for seat in row.seats]
    if faults != faults_of(record):
        raise RecordError(f"the stored faults {faults} are not the record's {faults_of(record)}")
    if row.req_start != seeds.req_start(secret, row.id):
        raise RecordError("its first req is not the one that the secret gives")
