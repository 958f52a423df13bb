"""Wait until it is clear that no stop was under way, see sandbox/stops.py."""

import trio

SLICE = 0.1


async def settled(seconds: float) -> None:
    """Wait until this process has been at work for so many seconds. A stop that was under way arrives in that time, and cancels
    the wait. It waits in slices, since a process without a core for a while might otherwise find the whole time over before it
    hears of a stop.
    """
    slices = round(seconds / SLICE + 0.5) if seconds > 0 else 0
    for _ in range(slices):
        await trio.sleep(seconds / slices)
