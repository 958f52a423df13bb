"""Builders of ``Result``, the only ones: from a store's row, from a record, and for a
match that stayed void.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import TypeVar

from khiva_arena.common.result import Measured, Result, Spent
from khiva_arena.rating.schedule.seating import ScheduledMatch
from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.record import Record
from khiva_arena.records.replay.verify import faults_of
from khiva_arena.records.store.rows import EventRow, MatchRow, VoidRow

T = TypeVar("T")


def of_row(
    event: EventRow, row: MatchRow, voids: int = 0, measured: Sequence[Measured] = ()
) -> Result:
    """Return the result of a match as a store holds it. A damaged row gives a result
    with the parts that are left.
    """
    seats = row.seats
    return Result(
        event=event.id,
        ordinal=row.ordinal,
        match=row.id,
        seed=row.seed,
        lineup=row.lineup,
        rotation=row.rotation,
        block=block_of(event, row.seed) if row.seed >= 0 else "",
        bots=tuple([seat.bot for seat in seats]),
        ranks=tuple([seat.rank for seat in seats]),
        scores=tuple([seat.score for seat in seats]),
        verdicts=tuple([seat.verdict for seat in seats]),
        faults=tuple(
            [
                tuple([(verdict, step) for verdict, _, step in seat.faults]) if seat.faults else ()
                for seat in seats
            ]
        ),
        voids=voids,
        measured=tuple(measured),
        spent=row.spent,
    )


def of_record(
    event: EventRow,
    match: ScheduledMatch,
    record: Record,
    voids: int = 0,
    spent: Sequence[Spent | None] = (),
) -> Result:
    """Return the result of a match from its record alone: a stranger cannot know any
    measurements, so there are none. ``spent``: what bots reported, which a bundle has
    beside the record.
    """
    return Result(
        event=event.id,
        ordinal=match.ordinal,
        match=record.header.match,
        seed=match.k,
        lineup=match.lineup,
        rotation=match.rotation,
        block=block_of(event, match.k),
        bots=_shared(match.bots),
        ranks=_shared(record.ranks),
        scores=_shared(record.scores),
        verdicts=_shared(record.verdicts),
        faults=_shared(tuple(map(tuple, faults_of(record)))),
        voids=voids,
        spent=tuple(spent),
    )


@lru_cache(maxsize=2**14)
def _shared(value: T) -> T:
    """Return one object for equal values: a bundle's results are all held at once, and
    many of their tuples are equal.
    """
    return value


def set_aside(event: EventRow, void: VoidRow, caused: Mapping[int, int]) -> Result:
    """Return the result that stands for a match that stayed void. ``caused``: by seat,
    how many of its voids that seat caused.
    """
    cpu = dict(enumerate(void.cpu))
    return Result(
        event=event.id,
        ordinal=void.ordinal,
        seed=void.seed,
        lineup=void.lineup,
        rotation=void.ordinal % event.definition.seats,
        block=block_of(event, void.seed),
        bots=tuple(void.bots),
        voids=void.attempt,
        set_aside=True,
        measured=tuple(
            Measured(cpu.get(seat), caused=caused.get(seat, 0)) for seat in range(len(void.bots))
        ),
    )


def block_of(event: EventRow, seed: int) -> str:
    """Return a name for the deal, so that events of one run secret share blocks; a
    hash, since the secret may not be revealed yet.
    """
    return _hashed(event.secret, seed, event.public)


@lru_cache
def _hashed(secret: bytes, seed: int, public: str | None) -> str:
    return sha256(b"khiva-block-1\0" + seeds.seed_secret(secret, seed, public)).hexdigest()[:16]
