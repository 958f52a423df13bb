"""The past of a match that goes on from a record: its first steps, as they were
recorded, with one seat's last choice changed.
"""

from collections.abc import Mapping, Sequence

from khiva_arena.common.result import Verdict
from khiva_arena.records.replay.record import Choice, Past, PastFault, Record
from khiva_arena.records.replay.verify import faults_of


def past_of(
    record: Record, details: Sequence[Mapping[int, str]], step: int, seat: int, choice: int | None
) -> Past:
    """Return the past of a match in which a seat decides otherwise; all others do in
    that step as they did.

    details: by seat and step, the line about its fault that a bot was sent.
    step: the last of the past, in which the seat was asked.
    choice: of the seat; None if it is asked again.
    """
    last = [
        one if one.seat != seat else Choice(seat, choice or 0)
        for one in record.steps[step - 1]
        if one.seat != seat or choice is not None
    ]
    faults = tuple(
        PastFault(at, number, Verdict(verdict), details[number].get(at, ""))
        for number, of_seat in enumerate(faults_of(record))
        for verdict, at in of_seat
        if at < step or (at == step and number != seat)
    )
    out = tuple(fault.seat for fault in faults if record.forfeited_at[fault.seat] == fault.step)
    return Past(
        (*record.steps[: step - 1], tuple(last)), faults, out, (record.ticks or ())[: step + 1]
    )
