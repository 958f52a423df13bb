"""Hold what became of a row against the table."""

import re

from play import Played
from table import EVERYWHERE, Row

from khiva_arena.bots.sandbox.level import Level
from khiva_arena.common.result import Verdict

MIB = 1 << 20
GROWN_MOST = 32 * MIB
# Generous: the machine may be busy. What is held is that nothing waits for a bot's
# whole life.
SECONDS_MOST = 15.0


def deadline_ms(row: Row, time: dict[str, int]) -> int | None:
    """The deadline that the row runs into, once."""
    if not row.deadline:
        return None
    return time["startup_ms"] if row.deadline == "startup" else time["turn_ms"] + time["bank_ms"]


def differences(
    row: Row, level: Level, seat: int, played: Played, time: dict[str, int]
) -> list[str]:
    """All that is not as the table says, a line each."""
    outcome = played.outcome
    if outcome.record is None:
        return [f"void: {outcome.void}"]
    found = [
        *_blamed(row, level, seat, played),
        *_others(seat, played),
        *_notes(row, level, seat, played),
    ]
    found += [*played.survivors, *played.leftovers]
    if played.grown > GROWN_MOST:
        found.append(f"the arbiter grew by {played.grown / MIB:.0f} MiB")
    allowed = (deadline_ms(row, time) or time["turn_ms"]) / 1000 * (
        1 + len(row.strikes)
    ) + SECONDS_MOST
    if played.wall > allowed:
        found.append(f"it took {played.wall:.1f} s, allowed are {allowed:.1f}")
    return found


def _blamed(row: Row, level: Level, seat: int, played: Played) -> list[str]:
    assert played.outcome.record is not None
    verdict, detail = row.expected(level)
    faults = played.outcome.seats[seat].faults
    expected = [*row.strikes, *([] if verdict is Verdict.OK else [verdict])]
    if (
        played.outcome.record.verdicts[seat] is not verdict
        or [fault.verdict for fault in faults] != expected
    ):
        said = [f"{fault.verdict}: {fault.detail}" for fault in faults]
        return [
            (
                f"{played.outcome.record.verdicts[seat]} with {said}, not {verdict} with "
                f"{[str(word) for word in expected]}"
            )
        ]
    if detail and not re.search(detail, faults[-1].detail):
        return [f"the detail {faults[-1].detail!r} is not {detail!r}"]
    return []


def _others(seat: int, played: Played) -> list[str]:
    """The others played to the end, without a fault, and were told so."""
    assert played.outcome.record is not None
    found = []
    for number, report in enumerate(played.outcome.seats):
        if number == seat:
            continue
        if played.outcome.record.verdicts[number] is not Verdict.OK or report.faults:
            found.append(f"seat {number} has {report.faults}")
        elif "ZOO honest waited" not in report.ending.notes or report.ending.status != 0:
            found.append(
                f"seat {number} ended with {report.ending.status}: {report.ending.notes[-200:]!r}"
            )
    return found


def _notes(row: Row, level: Level, seat: int, played: Played) -> list[str]:
    notes = played.outcome.seats[seat].ending.notes
    if row.notes and not re.search(row.notes, notes):
        return [f"{row.notes!r} is not in its notes: {notes[-200:]!r}"]
    if row.blocked is None:
        return []
    tried = re.search(rf"^ZOO {row.name} (blocked|REACHED): .*$", notes, re.MULTILINE)
    if tried is None:
        return [f"it says nothing of its attack: {notes[-200:]!r}"]
    return [tried[0]] if tried[1] == "REACHED" and level in (row.blocked or EVERYWHERE) else []
