"""``khiva-arena verify``: replay every record of a store and hold it against everything that is stored."""

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

import click

from khiva_arena.cli import event as events
from khiva_arena.cli.help import Verb
from khiva_arena.cli.lookup import CHANGED, named_events
from khiva_arena.cli.options import json_option, store_argument
from khiva_arena.errors import ArenaError, ConfigError, RecordError, StoreError
from khiva_arena.replay import seeds
from khiva_arena.replay.record import Record, run_digest
from khiva_arena.replay.verify import faults_of, verify
from khiva_arena.schedule.formats import Format
from khiva_arena.schedule.roundrobin import Match
from khiva_arena.schedule.timetable import Timetable
from khiva_arena.store.db import RUN_SECRET, EventRow, MatchRow, Store
from khiva_arena.text import LONGEST, harmless
from khiva_arena.words import count

SHOWN = 20
T = TypeVar("T")


@dataclass(slots=True)
class Report:
    """What was found in one event. ``sound``: how many matches are; ``sound_matches`` and ``unsound_matches`` say which, by
    ordinal. ``missing``: planned and not fixed. ``public``: the text that was mixed into schedule and deals. ``ground``: whether
    whoever chose the definition could choose the draw with it, since its id is one of version 0.1.0."""

    event: str
    number: int
    sound: int = 0
    planned: int = 0
    missing: int = 0
    unrevealed: int = 0
    digest: str = ""
    public: str | None = None
    ground: bool = False
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


@click.command("verify", cls=Verb, short_help="Replay every match of a store and say what is sound.")
@store_argument
@click.argument("event", nargs=-1)
@json_option
def command(store: Path, event: tuple[str, ...], as_json: bool) -> int:
    """Replay each match of STORE (or of each EVENT in it, by number or id) through the rules; or of a file that
    `khiva-arena bundle` wrote. Checked are hash chains, commitments and revealed secrets, every choice, scores, ranks, faults
    and forfeits, who sat where, that matches and voids are those of the schedule, that nothing is missing on a revealed seed,
    and, once an event is over, its run digest. Of a store also the sum of every row, that none was lost or added, and the pages
    of the file; of a bundle also the standings. Exit code 1, with the first that differs, if anything is not sound; which
    matches are sound is then listed; 2 if there is no match to verify."""
    if os.path.isfile(store):
        if event:
            raise ConfigError("a bundle is verified as a whole: leave out the events")
        from khiva_arena.cli.verify_bundle import verify_file  # numpy comes with it

        return verify_file(store, as_json)
    with Store.read(store) as opened:
        damage = opened.damage()
        reports = [_verify_event(opened, row) for row in named_events(opened, event)]
    if not damage and not any(report.problems or report.sound for report in reports):
        named = "of the events named" if event else "of it"
        raise StoreError(f"{store}: there is nothing to verify: no match {named} is recorded yet; `khiva-arena run` plays some")
    if as_json:
        click.echo(json.dumps({"events": [plain(report) for report in reports], "file": damage}))
    else:
        for report in reports:
            say_report(report)
        _say_damage(store, damage)
    return 1 if damage or any(report.problems for report in reports) else 0


def plain(report: Report) -> dict[str, object]:
    """A report for ``json.dumps``."""
    return {name: getattr(report, name) for name in Report.__slots__}


def say_report(report: Report) -> None:
    """Print a report: what is sound, and what differs."""
    of = f"{report.sound} of {report.planned} matches are sound"
    rest = f", {report.missing} are {'missing' if report.problems else 'not played yet'}" if report.missing else ""
    click.echo(f"event {report.number} ({harmless(report.event, LONGEST)}): {of}{rest}; run digest {report.digest}")
    if report.unrevealed:
        click.echo(f"  {report.unrevealed} of them were checked with the store's private secrets, which are not revealed yet")
    if report.public is not None:
        public = harmless(report.public, LONGEST)
        click.echo(f"  public text {public!r}: see that it was drawn after the commitment was published")
    if report.ground:
        click.echo("  its schedule was drawn from the settings alone, as version 0.1.0 did: who chose them could choose it")
    if report.problems:
        click.echo(f"  first that differs: {harmless(report.problems[0], LONGEST)}")
        for problem in report.problems[1:SHOWN]:
            click.echo(f"  also: {harmless(problem, LONGEST)}")
        if len(report.problems) > SHOWN:
            click.echo(f"  and {len(report.problems) - SHOWN} more; --json lists all")
        click.echo(f"  sound: {_ranges(report.sound_matches)}; not sound: {_ranges(report.unsound_matches)}")


def _say_damage(store: Path, damage: list[str]) -> None:
    if damage:
        click.echo(harmless(f"{store}: the file is damaged: {damage[0]}"))
        for problem in damage[1:SHOWN]:
            click.echo(f"  also: {problem}")
        click.echo("  what is sound above is sound all the same; restore a copy to go on with this store")


def tell_draw(report: Report, event: EventRow) -> None:
    """Note what the draw of an event hangs on."""
    report.public = event.public
    report.ground = events.is_of_0_1(event) and event.public is None


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
    tell_draw(report, event)
    nothing: dict[int, bytes] = {}
    revealed = report.read("what is revealed", lambda: store.reveals(event.id), nothing)
    timetable = _check_event(store, report, event, revealed)
    if timetable is not None:
        report.planned = timetable.matches
    fixed = _check_matches(store, event, timetable, revealed, report)
    report.problems += [f"{what} {CHANGED}" for what in event.changed]
    if timetable is not None:
        report.planned = report.read("where it ends", partial(_end_of, store, event, timetable), report.planned)
        report.missing = max(0, report.planned - len(fixed))
        report.problems += report.read("the void matches", lambda: _voids(store, event, timetable, fixed), [])
        report.problems += report.read(
            "its end", lambda: _what_is_over(store, event, timetable, fixed, revealed, report.planned), []
        )
    report.problems += report.read("the sums of its rows", lambda: store.changed(event.id), [])
    return report


def _check_event(store: Store, report: Report, event: EventRow, revealed: Mapping[int, bytes]) -> Timetable | None:
    """Check the event itself. Returns its timetable, None where its definition is damaged: then each match can only be held
    against itself."""
    timetable = None
    try:
        events.check_definition(event)
        timetable = events.timetable_of(store, event)
        events.check_bots(event)
        _check_secrets(event, timetable, revealed)
    except ArenaError as error:
        report.problems.append(f"the event itself: {error}")
    return timetable


def _check_secrets(event: EventRow, timetable: Timetable, revealed: Mapping[int, bytes]) -> None:
    if not events.opens(event, event.secret):
        raise RecordError("its secret does not open the commitment that was published")
    for seed, secret in revealed.items():
        if not RUN_SECRET <= seed < timetable.seeds:
            raise RecordError(f"a secret of seed {seed} is revealed, and there is no such seed")
        if secret != (event.secret if seed == RUN_SECRET else events.seed_secret(event, seed)):
            raise RecordError(f"the revealed secret of seed {seed} is not the one that the run's secret gives")


def _check_matches(
    store: Store, event: EventRow, timetable: Timetable | None, revealed: Mapping[int, bytes], report: Report
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
        match = report.read(where, partial(timetable.match, ordinal), None) if timetable else None
        if timetable and timetable.place(ordinal):
            fixed[ordinal] = row.attempt
        try:
            _check_match(event, row, timetable, match, revealed)
        except ArenaError as error:
            report.problems.append(f"{where} ({row.id}): {error}")
            report.unsound_matches.append(ordinal)
            continue
        report.sound += 1
        report.sound_matches.append(ordinal)
        report.unrevealed += row.seed not in revealed
    report.digest = run_digest(digests)
    return fixed


def _voids(store: Store, event: EventRow, timetable: Timetable, fixed: Mapping[int, int]) -> list[str]:
    """What is wrong with the void matches. ``fixed``: the attempt that was fixed, by ordinal."""
    problems: list[str] = []
    attempts: Counter[int] = Counter()
    for row in store.voids(event.id):
        match = timetable.match(row.ordinal)
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


def _end_of(store: Store, event: EventRow, timetable: Timetable) -> int:
    """How many matches the event has when it is over: a sequential test ends with its decision."""
    if event.definition["format"] != Format.SPRT:
        return timetable.matches
    from khiva_arena.cli.sequential import so_far  # numpy comes with it

    test, seeds_of_it = so_far(event, timetable, store.matches(event.id))
    return seeds_of_it * timetable.per_seed(timetable.shapes[0]) if test.decision else timetable.matches


def _what_is_over(
    store: Store, event: EventRow, timetable: Timetable, fixed: Mapping[int, int], revealed: Mapping[int, bytes], planned: int
) -> list[str]:
    """A seed's secret is revealed with its last match, the run's with the last of all, and its digest is then stored."""
    problems: list[str] = []
    by_seed = Counter(where[0] for ordinal in fixed if (where := timetable.place(ordinal)))
    for seed in sorted(seed for seed in {*by_seed, *revealed} if 0 <= seed < timetable.seeds):
        missing = timetable.per_seed(timetable.shape_of_seed(seed)) - by_seed[seed]
        if missing > 0 and seed in revealed:
            problems.append(
                f"seed {seed}: {count(missing, 'match is', 'matches are')} missing, though its secret is revealed: "
                "they were all fixed"
            )
        if missing == 0 and seed not in revealed:
            problems.append(f"seed {seed}: all matches are fixed, but its secret is not revealed")
    over = len(fixed) >= planned
    if len(fixed) > planned:
        problems.append(f"{count(len(fixed) - planned, 'match was', 'matches were')} fixed after the decision of the test")
    digest = store.conclusion(event.id)
    if over != (RUN_SECRET in revealed) or over != (digest is not None):
        problems.append(f"the event is {'over' if over else 'not over'}, but what is stored at its end is {'not ' * over}there")
    elif digest is not None and digest != run_digest(store.digests(event.id)):
        problems.append(f"the run digest was {digest} when the event was over")
    return problems


def _check_match(
    event: EventRow, row: MatchRow, timetable: Timetable | None, match: Match | None, revealed: Mapping[int, bytes]
) -> None:
    record = row.parsed()
    secret = _secret(event, row, record, revealed)
    if timetable is not None:
        if match is None and timetable.place(row.ordinal) is not None:
            raise RecordError("its round cannot be drawn: results of a round before it are missing")
        if match is None or (match.k, match.lineup, match.rotation) != (row.seed, row.lineup, row.rotation):
            raise RecordError("the schedule has no such match")
        bots = event.definition["bots"]
        who = [(bots[bot]["name"], bots[bot]["identity"]) for bot in match.bots]
        expected = events.header_of(event.definition, who, events.match_id(event, row.ordinal), secret)
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
    derived = events.seed_secret(event, row.seed)
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
