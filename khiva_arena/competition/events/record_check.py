"""A comparison of a store's rows of a match with its record.

Seats, places and points are stored twice: in the record, and in rows that are read for
every table. Sums and seals find damage, but a stranger who writes rows can compute
both. So each row is compared with its record whenever it is read; no replay is needed.
"""

import msgspec

from khiva_arena.records.replay.record import Record, RecordedSeat
from khiva_arena.records.replay.verify import faults_of
from khiva_arena.records.store.rows import EventRow, MatchRow


class _RecordedHeader(msgspec.Struct):
    match: str
    seats: list[RecordedSeat]


class _RecordedResult(msgspec.Struct):
    """The part of a record that a row repeats. ``steps`` is not read unless a step has
    a fault.
    """

    header: _RecordedHeader
    steps: msgspec.Raw
    verdicts: list[str]
    forfeited_at: list[int | None]
    ranks: list[int]
    scores: list[int]
    digest: str


_result = msgspec.json.Decoder(_RecordedResult).decode
_record = msgspec.json.Decoder(Record).decode
_NUMBERS = b'0123456789,[]"'
"""The signs of steps without faults: in the steps of a record, only faults are
words.
"""


def why_not_as_recorded(event: EventRow, row: MatchRow) -> str:
    """Return how a row differs from its record, "" if it does not. The row's seats must
    sit at places of the event.

    Bots are named as in the definition: the event may have other names for a page.
    """
    try:
        recorded = _result(row.record)
    except (msgspec.MsgspecError, RecursionError):
        return "its record cannot be read"
    if (
        not row.id == recorded.header.match == event.match_id(row.ordinal)
        or row.digest != recorded.digest
    ):
        return "its record is that of another match"
    bots = event.definition.bots
    if [(bots[seat.bot].name, bots[seat.bot].identity) for seat in row.seats] != [
        (seat.name, seat.bot) for seat in recorded.header.seats
    ]:
        return "its bots are not those of its record"
    results = [(seat.rank, seat.score, seat.verdict) for seat in row.seats]
    if results != list(zip(recorded.ranks, recorded.scores, recorded.verdicts, strict=False)):
        return "its places, points or verdicts are not those of its record"
    faults = [[(verdict, step) for verdict, _, step in seat.faults] for seat in row.seats]
    return "" if faults == _faults(row, recorded) else "its faults are not those of its record"


def _faults(row: MatchRow, recorded: _RecordedResult) -> list[list[tuple[str, int]]]:
    """Return the faults of each seat by the record. Nearly all records have none, which
    shows without reading the steps.
    """
    only_numbers = not bytes(recorded.steps).translate(None, _NUMBERS)
    if only_numbers and all(at is None for at in recorded.forfeited_at):
        return [[] for _ in row.seats]
    try:
        return faults_of(_record(row.record))
    except (msgspec.MsgspecError, IndexError, ValueError):
        return []
