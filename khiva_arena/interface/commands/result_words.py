"""The result of a match in words."""

from khiva_arena.common.result import Verdict
from khiva_arena.common.text import harmless
from khiva_arena.records.replay.record import Record
from khiva_arena.words import count


def ends(record: Record) -> list[str]:
    """Return by seat how a match ended for it: its points, its place, and why it is out
    if it is.
    """
    return [
        f"{count(score, 'point')} ({rank}.{'' if verdict is Verdict.OK else f' {verdict}'})"
        for score, rank, verdict in zip(record.scores, record.ranks, record.verdicts, strict=True)
    ]


def result_sentence(record: Record) -> str:
    """Return who won a match, and how it ended for each seat."""
    names = [f"{seat.name}#{number}" for number, seat in enumerate(record.header.seats)]
    first = [name for name, rank in zip(names, record.ranks, strict=True) if rank == 1]
    won = f"{first[0]} won" if len(first) == 1 else f"{' and '.join(first)} share the first place"
    return harmless(
        f"{won}: "
        f"{', '.join(f'{name} {end}' for name, end in zip(names, ends(record), strict=True))}"
    )
