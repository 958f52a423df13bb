"""The round trip to a player who is elsewhere: a file, which the hub replaces and the
arbiter reads.

So each process of the arbiter knows the round trip at every decision, without asking
and waiting.
"""

import os


def put(file: str, seconds: float) -> None:
    """Write a round trip in seconds. Raises OSError."""
    draft = f"{file}-new"
    with open(draft, "w", encoding="ascii") as new:
        new.write(repr(seconds))
    os.replace(draft, file)


def get(file: str) -> float | None:
    """Return the round trip in seconds; None if nothing was measured yet."""
    try:
        with open(file, encoding="ascii") as source:
            return float(source.read())
    except FileNotFoundError:
        return None
