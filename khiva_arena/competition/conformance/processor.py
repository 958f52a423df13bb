"""The step about the processor: how many cores a bot uses while it is asked, and while
it is not.
"""

import trio

from khiva_arena.arbiter.fairness import DUE_ASKED, DUE_UNASKED, ROUNDING, CpuSample
from khiva_arena.bots.sandbox import system
from khiva_arena.bots.sandbox.proc_usage import ThreadTime
from khiva_arena.competition.conformance.bot_process import BotProcess
from khiva_arena.competition.conformance.context import SPEC, RunningCheck, Warned

SETTLE_SECONDS, IDLE_SECONDS = 0.3, 0.6
"""Seconds in which a bot that has just answered may tidy up, and seconds for which it
is looked at then.
"""
WHAT_FOLLOWS = (
    "in a match it is paused, or forfeits, if another bot or the arbiter is late because of it "
    f"({SPEC}, section 6)"
)


def cpu_used(before: CpuSample, after: CpuSample) -> float:
    """Return the seconds of CPU between two looks at one bot.

    They are the use of its living threads, which is exact. If that is not known or
    threads have come and gone, they are the least that the rougher figure of whole
    processes allows.
    """
    nothing = ThreadTime(0.0, 0.0)
    threads = sum(
        now.cpu - before.delays[0].get(thread, nothing).cpu
        for thread, now in after.delays[0].items()
    )
    return max(0.0, threads, after.cpu[0] - before.cpu[0] - ROUNDING)


async def idle(wire: BotProcess) -> float:
    """Measure how many cores a bot uses that has nothing to do."""
    await trio.sleep(SETTLE_SECONDS)
    before = wire.account()
    await trio.sleep(IDLE_SECONDS)
    after = wire.account()
    return cpu_used(before, after) / (after.at - before.at)


def judge(running: RunningCheck, idling: float) -> str:
    """Format the figures in words. Raises Warned if the bot uses more than its
    share.
    """
    if not system.PROC:
        return f"n/a: {system.UNSEEN}"
    asking = running.used / running.asked_for if running.asked_for else 0.0
    text = f"{asking:.2f} cores while it is asked, {idling:.2f} while it is not"
    if idling > DUE_UNASKED + ROUNDING / IDLE_SECONDS:
        raise Warned(
            f"{text}, but its share is a tenth of one: think only between a decide and its "
            f"act; {WHAT_FOLLOWS}"
        )
    if running.used > DUE_ASKED * running.asked_for + ROUNDING:
        raise Warned(f"{text}; its share is one: think in one thread; {WHAT_FOLLOWS}")
    return text
