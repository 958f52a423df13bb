"""Checks of rows as a store has them."""

from collections.abc import Sequence

from khiva_arena.competition.events.find import CHANGED
from khiva_arena.errors import RecordError
from khiva_arena.rating.schedule.timetable import Timetable
from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.record import Record
from khiva_arena.records.replay.verify import faults_of
from khiva_arena.records.store import bundle
from khiva_arena.records.store.db import EventRow, MatchRow, VoidRow


def is_planned(timetable: Timetable, void: bundle.VoidLine | VoidRow) -> bool:
    if isinstance(void, bundle.VoidLine):  # its round may not be drawn yet
        return timetable.place(void.ordinal) is not None
    match = timetable.match(void.ordinal)
    return match is not None and (match.k, match.lineup, [*match.bots]) == (
        void.seed,
        void.lineup,
        void.bots,
    )


def check_run_secret(event: EventRow, secret: bytes, it: str) -> None:
    if not event.opens(secret):
        raise RecordError(f"{it} does not open the commitment that was published")
    if event.definition.seed not in (None, seeds.seed_digest(secret)):
        raise RecordError(f"{it} is not the one of the seed that the definition names")


def check_row(row: MatchRow, record: Record, bots: Sequence[int], secret: bytes) -> None:
    """Compare a store's row of a match with its record. ``bots``: positions by seat."""
    if row.digest != record.digest or row.id != record.header.match:
        raise RecordError("the stored digest or id is not the record's")
    rows = [(seat.seat, seat.bot, seat.rank, seat.score, seat.verdict) for seat in row.seats]
    expected = list(
        zip(
            range(len(bots)),
            bots,
            record.ranks,
            record.scores,
            map(str, record.verdicts),
            strict=False,
        )
    )
    if rows != expected:
        raise RecordError(f"the stored results {rows} are not the record's {expected}")
    faults = [[(verdict, step) for verdict, _, step in seat.faults] for seat in row.seats]
    if faults != faults_of(record):
        raise RecordError(f"the stored faults {faults} are not the record's {faults_of(record)}")
    if row.req_start != seeds.req_start(secret, row.id):
        raise RecordError("its first req does not follow from the secret")
    if not row.intact:
        raise RecordError(f"it or one of its seats {CHANGED}")
