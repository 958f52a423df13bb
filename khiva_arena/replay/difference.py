"""Where two records of one match first differ."""

from khiva_arena.replay.record import Record


def first_difference(before: Record, after: Record) -> str | None:
    """Where two records of one match first differ, in a line; None if they are equal."""
    for number, (old, new) in enumerate(zip(before.steps, after.steps, strict=False), 1):
        for one, other in zip(old, new, strict=False):
            if one != other:
                name = before.header.seats[one.seat].name
                words = [f"choice {c.choice}" + (f" ({c.why})" if c.why else "") for c in (one, other)]
                return f"step {number}, seat {one.seat} ({name}): {words[0]} then, {words[1]} now"
    if len(before.steps) != len(after.steps):
        return f"the stored match has {len(before.steps)} steps, this one {len(after.steps)}"
    if before.digest != after.digest:
        return f"the results differ: ranks {before.ranks} then, {after.ranks} now"
    return None
