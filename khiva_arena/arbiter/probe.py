"""How late this machine lets the arbiter be, measured before it plays anything."""

import trio

from khiva_arena.arbiter.clock import LagMeter


def lag_of_each_second(seconds: float) -> float:
    """Seconds of lag of each second, over so many."""

    async def measure() -> float:
        lag = LagMeter()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(lag.run)
            await trio.sleep(seconds)
            now = trio.current_time()
            nursery.cancel_scope.cancel()
        return lag.total(now) / seconds

    return trio.run(measure, restrict_keyboard_interrupt_to_checkpoints=True)
