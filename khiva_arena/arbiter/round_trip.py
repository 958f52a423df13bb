"""The round trip to a player who is elsewhere, as the hub measures it: a file, which the hub replaces and the arbiter reads.

So the arbiter knows it at every decision, in whichever of its processes, without asking and waiting.
"""

import os


def put(file: str, seconds: float) -> None:
    """Raises OSError."""
    draft = f"{file}-new"
    with open(draft, "w", encoding="ascii") as new:
        new.write(repr(seconds))
    os.replace(draft, file)


def get(file: str) -> float | None:
    """In seconds; None if nothing was measured yet."""
    try:
        with open(file, encoding="ascii") as found:
            return float(found.read())
    except FileNotFoundError:
        return None
