"""Time as the arbiter counts it: seconds on the monotonic clock, banks, and the
arbiter's own lag.
"""

import trio


class LagMeter:
    """A meter of how late this process's own loop runs: a task sleeps and counts by how
    much it overslept.

    ``total(now)`` only ever rises. Its rise over a window bounds how much later than it
    happened something was noticed.
    """

    __slots__ = ("_due", "_sum")

    PERIOD = 0.05

    def __init__(self) -> None:
        self._sum = 0.0
        self._due: float | None = None

    def total(self, now: float) -> float:
        """Return the seconds of lag so far, the lag of an overdue wake-up included."""
        if self._due is None or now <= self._due:
            return self._sum
        return self._sum + (now - self._due)

    async def run(self) -> None:
        """Measure until cancelled."""
        while True:
            now = trio.current_time()
            self._sum = self.total(now)
            self._due = now + self.PERIOD
            await trio.sleep_until(self._due)


def lag_of_each_second(seconds: float) -> float:
    """Measure for ``seconds`` seconds and return the mean lag, in seconds for each
    second.
    """

    async def measure() -> float:
        lag = LagMeter()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(lag.run)
            await trio.sleep(seconds)
            now = trio.current_time()
            nursery.cancel_scope.cancel()
        return lag.total(now) / seconds

    return trio.run(measure, restrict_keyboard_interrupt_to_checkpoints=True)


SLICE = 0.1


async def wait_at_work(seconds: float) -> None:
    """Wait until this process has been at work for ``seconds`` seconds. A stop that was
    under way arrives in that time and cancels the wait.

    The wait goes in slices. Otherwise a process without a core for a while might find
    the whole time over before it hears of a stop.
    """
    slices = round(seconds / SLICE + 0.5) if seconds > 0 else 0
    for _ in range(slices):
        await trio.sleep(seconds / slices)
