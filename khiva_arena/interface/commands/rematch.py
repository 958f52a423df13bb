"""The work of ``khiva-arena match --from``: a stored match again, with live bots."""

import json
from pathlib import Path
from typing import Any

import click

from khiva_arena.common.exit_codes import BAD_RESULT
from khiva_arena.common.text import harmless
from khiva_arena.interface.commands.json_shapes import VERSION, RematchOutput, printed
from khiva_arena.interface.commands.stored_table import seated, stored_table
from khiva_arena.interface.commands.traced import (
    MatchEnd,
    NoRecord,
    Tracing,
    forfeiters,
    play,
    print_aside,
    say_faults,
)
from khiva_arena.records.replay.conditions import kept_at
from khiva_arena.records.replay.record import Record


def play_stored(
    folder: Path, word: str, flags: dict[str, Any], tracing: Tracing, as_json: bool
) -> MatchEnd:
    """Play a stored match again, and print where it first differs from the recorded
    one.
    """
    table = stored_table(folder, word, flags)
    entrants, job = seated(table, flags, by_function=tracing.by_function)
    record = table.record
    outcome, code = play(job, tracing, entrants)
    if outcome.record is None:
        raise NoRecord(outcome)
    difference = first_difference(record, outcome.record)
    if as_json:
        rematch = RematchOutput(
            v=VERSION,
            sentence=harmless(difference or "every choice is the same"),
            same=difference is None,
            difference=difference,
            record=json.loads(outcome.record.to_json()),
            cell=outcome.cell,
        )
        click.echo(printed(rematch))
    else:
        if outcome.cell:
            click.echo(kept_at(outcome.cell))
        click.echo(difference or f"every choice is the same; digest {outcome.record.digest}")
    print_aside(outcome, [seat.name for seat in record.header.seats], tracing)
    say_faults(outcome, job, [bot.asked_as for bot in entrants], tracing)
    return MatchEnd(BAD_RESULT if difference else code, forfeiters([outcome], job))


def first_difference(before: Record, after: Record) -> str | None:
    """Return in a line where two records of one match first differ; None if they are
    equal.
    """
    for number, (old, new) in enumerate(zip(before.steps, after.steps, strict=False), 1):
        for step, later in zip(old, new, strict=False):
            if step != later:
                name = before.header.seats[step.seat].name
                words = [
                    f"choice {c.choice}" + (f" ({c.why})" if c.why else "") for c in (step, later)
                ]
                return f"step {number}, seat {step.seat} ({name}): {words[0]} then, {words[1]} now"
    if len(before.steps) != len(after.steps):
        return f"the stored match has {len(before.steps)} steps, this one {len(after.steps)}"
    if before.digest != after.digest:
        return f"the results differ: ranks {before.ranks} then, {after.ranks} now"
    return None
