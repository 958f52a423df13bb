"""The check of tables that a batch of a league has set aside for good, since the
machine spoilt them again and again.
"""

from collections import Counter
from collections.abc import Collection, Mapping

from khiva_arena.errors import RecordError
from khiva_arena.rating.schedule.timetable import Timetable
from khiva_arena.records.store.rows import SET_ASIDE_VOIDS, EventRow
from khiva_arena.words import count


def left_out_of(
    event: EventRow, timetable: Timetable, recorded: Collection[int], voids: Mapping[int, int]
) -> Counter[int]:
    """Return by seed how many matches were not recorded of the tables that an event has
    set aside.

    recorded: ordinals.
    voids: void attempts by ordinal.

    Raises RecordError if one of them was not void often enough, or was recorded after
    all.
    """
    if event.definition.batch is None:
        raise RecordError("tables are set aside for good, and it is no batch of a league")
    seats, per_seed = event.definition.seats, timetable.per_seed(timetable.shapes[0])
    left_out: Counter[int] = Counter()
    for seed, lineup in sorted(set(event.set_aside)):
        name = f"table {lineup} of seed {seed} is set aside for good"
        first = lineup * seats
        if seed >= timetable.seeds or first >= per_seed:
            raise RecordError(f"{name}, and there is no such table")
        ordinals = [
            ordinal
            for ordinal in range(seed * per_seed + first, seed * per_seed + first + seats)
            if ordinal not in recorded
        ]
        if not ordinals:
            raise RecordError(f"{name}, though all of its matches are recorded")
        if (tries := max(voids.get(ordinal, 0) for ordinal in ordinals)) < SET_ASIDE_VOIDS:
            raise RecordError(
                f"{name} after {count(tries, 'void attempt')}, and it takes {SET_ASIDE_VOIDS}"
            )
        left_out[seed] += len(ordinals)
    return left_out
