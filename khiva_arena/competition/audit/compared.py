"""A match in ticks that is played again, beside its record: what is compared, and what
the difference is called.
"""

from collections.abc import Iterable, Mapping
from itertools import zip_longest
from typing import NamedTuple

from msgspec import structs

from khiva_arena.arbiter.job import Job, Outcome
from khiva_arena.common.result import Verdict
from khiva_arena.common.text import LONGEST, harmless
from khiva_arena.competition.audit.audit_report import EventReport
from khiva_arena.competition.audit.cost import RerunCost
from khiva_arena.competition.audit.sample import RerunFindings, Unconfirmed
from khiva_arena.competition.events.published_bots import not_published
from khiva_arena.records.replay.record import Record
from khiva_arena.records.replay.ticks import granted, unconfirmed

PATIENCE = 10
"""How many times as much of the machine as in play a match may take when it is run
again: nobody is accused by a slow machine.
"""
NOT_HERE = "it cannot be run again on this machine: "
A_PERSON = "cannot tell here: a person"
"""The words on a seat that nobody can play again."""
BACKSTOP_CLAIMED = "forfeited by the backstop, as only the machine that played can know"


def as_recorded(job: Job, record: Record) -> Job:
    """Return a match as it is played again to be compared with its record.

    It has ten times as much of the machine as in play, and is not tried again if a seat
    meets the backstop then. No question takes more ticks than the record has, whatever
    limits the header claims, so that nobody's records take more of this machine than
    they say.
    """
    seats = tuple(range(len(record.header.seats)))
    answers = record if record.header.persons else None
    forced = tuple(
        (seat, step) for seat, step in unconfirmed(record) if seat not in record.header.persons
    )  # no backstop of theirs
    return structs.replace(
        job,
        warned=seats,
        forced=forced,
        patience=PATIENCE,
        granted=granted(record),
        answers=answers,
    )


class Compared(NamedTuple):
    """A match that was run again, beside its record.

    difference: the first, in words; "" for none.
    unconfirmed: why nothing, or not all, is known of it; None for a match that came out
        equal.
    """

    difference: str = ""
    unconfirmed: Unconfirmed | None = None


def compared(record: Record, again: Outcome | None) -> Compared:
    """Compare a match with what came out when it was run again: None if the pool gave
    up before, as it does on a machine on which match after match is void.
    """
    if again is None:
        return Compared(
            "", unconfirmed_match(record, NOT_HERE + "others before it could not be, either")
        )
    if again.record is None:
        return Compared("", unconfirmed_match(record, NOT_HERE + again.void, again.causes))
    claims = dict(unconfirmed(record))
    new = dict(unconfirmed(again.record)).items() - claims.items()
    if new and not _differs_before(min(step for _, step in new), record, again.record):
        why = NOT_HERE + "a seat's ticks took too much of the processor"
        return Compared("", unconfirmed_match(record, why, [seat for seat, _ in new]))
    if again.record != record:
        return Compared(first_difference(record, again.record))
    of_persons = [
        f"seat {seat} ({record.header.seats[seat].name}): {A_PERSON}"
        for seat in record.header.persons
    ]
    why = "; ".join(
        [
            *of_persons,
            *(f"step {step}, seat {seat}: {BACKSTOP_CLAIMED}" for seat, step in claims.items()),
        ]
    )
    if not why:
        return Compared()
    return Compared(
        "",
        unconfirmed_match(record, why, [*record.header.persons, *claims])._replace(is_claim=True),
    )


def _differs_before(step: int, record: Record, again: Record) -> bool:
    """Tell whether two records of a match differ in what came before a step: 0 is the
    start.
    """
    kept = max(0, step - 1)
    return (record.steps[:kept], (record.ticks or ())[:step]) != (
        again.steps[:kept],
        (again.ticks or ())[:step],
    )


def unpublished_match(record: Record, name: str, seats: Iterable[int]) -> Unconfirmed:
    """Return a match with bots that their league does not publish. ``name``: of one of
    them. ``seats``: theirs.
    """
    return unconfirmed_match(record, not_published(name), seats)._replace(is_unpublished=True)


def unconfirmed_match(record: Record, why: str, seats: Iterable[int] = ()) -> Unconfirmed:
    """Return a match that is unconfirmed. ``seats``: those that it is due to; none if
    nobody knows, so that it may be any.
    """
    at_table = record.header.seats
    return Unconfirmed(
        why, tuple(at_table[seat].name for seat in seats) or tuple(seat.name for seat in at_table)
    )


def first_difference(recorded: Record, again: Record) -> str:
    """Return in words where two records of a match part."""
    starts = zip(
        recorded.ticks[0] if recorded.ticks else (),
        again.ticks[0] if again.ticks else (),
        strict=True,
    )
    for seat, (mine, other) in enumerate(starts):
        if mine != other:
            more = " or more" if other == mine + 1 else ""
            return (
                f"seat {seat} took {mine:,} ticks to start by the record, and {other:,}{more} "
                "when its module was run again"
            )
    for number, (mine_, other_) in enumerate(zip_longest(_steps(recorded), _steps(again)), 1):
        for mine, other in zip_longest(mine_ or (), other_ or ()):
            if mine != other:
                seat = (mine or other)[0]
                again_words = _in_words(other)
                if mine and other and other[2:] == (Verdict.TIMEOUT, mine[3] + 1):
                    again_words = f"more than {mine[3]:,} ticks"  # it was stopped there
                return (
                    f"step {number}, seat {seat}: {_in_words(mine)} by the record, "
                    f"{again_words} when it was run again"
                )
    return "its end is another one when its modules are run again"


PaidChoice = tuple[int, int, str, int]
"""A choice with its seat, its fault and its ticks."""


def _steps(record: Record) -> list[list[PaidChoice]]:
    rows = (record.ticks or ())[1:]
    return [
        [(*choice, took) for choice, took in zip(step, row, strict=True)]
        for step, row in zip(record.steps, rows, strict=True)
    ]


def _in_words(answer: PaidChoice | None) -> str:
    if answer is None:
        return "nothing"
    _, choice, why, ticks = answer
    return f"{why or f'choice {choice}'} in {ticks:,} ticks"


def note(
    report: EventReport, findings: RerunFindings, matches: Mapping[int, tuple[Record, bytes]]
) -> None:
    """Note in the report of an event each match that did not come out equal when it was
    run again, or could not be run.

    matches: those that were to be run, by ordinal, each its record and the secret of
        the seed.
    """
    unequal, unconfirmed_matches = findings
    for ordinal, difference in unequal.items():
        report.add(f"match {report.number}/{ordinal}: {difference}")
    report.unsound_matches += unequal
    for ordinal, (why, *_) in unconfirmed_matches.items():
        report.unconfirmed.append(harmless(f"match {report.number}/{ordinal}: {why}", LONGEST))
    untried = [ordinal for ordinal, one in unconfirmed_matches.items() if not one.is_claim]
    report.unconfirmed_matches += untried
    report.unpublished += [
        ordinal for ordinal, one in unconfirmed_matches.items() if one.is_unpublished
    ]
    out = {*unequal, *untried}
    report.sound -= len(out)
    report.sound_matches = [ordinal for ordinal in report.sound_matches if ordinal not in out]
    bare = {
        ordinal
        for ordinal, (record, _) in matches.items()
        if len(record.header.persons) == len(record.header.seats)
    }
    report.rerun = (report.rerun or 0) + len(matches.keys() - out - bare)
    report.without_bots += len(bare)
    for record, _ in matches.values():
        report.rerun_cost = (report.rerun_cost or RerunCost()).with_match(record.ticks)
