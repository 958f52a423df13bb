"""Wait until it is clear that no stop was under way, see sandbox/stops.py."""

import trio

SLICE = 0.1


async def settled(seconds: float) -> None:
    """Wait until this process has been at work for so long. A stop that was under way arrives in that time, and cancels this.

    In slices: if the process gets no core for a while, all of the time may be over before it hears anything; but not before
    its loop has turned as often as this.
    """
    slices = round(seconds / SLICE + 0.5) if seconds > 0 else 0
    for _ in range(slices):
        await trio.sleep(seconds / slices)
