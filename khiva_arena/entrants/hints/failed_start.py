"""Hints for bots that cannot be built or do not start, whoever has tried to start
them.
"""

from khiva_arena.arbiter.start_problem import FailedStart
from khiva_arena.arbiter.stderr import for_its_author
from khiva_arena.entrants.bots import Bot


def hint_of_start(bot: Bot, failure: FailedStart, *, confined: bool) -> str:
    """Return the hint for a bot that did not start, "" if the cause is not known."""
    ending, detail = failure.report.ending, failure.report.faults[0].detail
    has_ended = ending.status is not None and not ending.killed
    got = detail
    if has_ended:
        # not above: a page has no processes
        from khiva_arena.arbiter.lifetimes import describe_status

        got = f"its output ended: it {describe_status(ending.status or 0)}; {detail}"
    if (
        bot.built_from and "exited with code" in detail
    ):  # the process of a module in ticks is its runner, which goes on
        got = f"its output ended: it {detail.rpartition(': ')[2]}"
    notes = for_its_author(ending.notes)
    return hint_of(
        bot.original or bot,
        "its hello",
        got,
        confined=confined,
        notes=notes,
        received=failure.output,
    )


def hint_of(
    bot: Bot, expected: str, got: str, *, confined: bool, notes: str = "", received: bytes = b""
) -> str:
    """Return the hint for a bot that was expected to do one thing and did another, ""
    if the cause is not known.
    """
    from khiva_arena.entrants.hints.failed import Failed  # not above: most bots start
    from khiva_arena.entrants.hints.hint import hint

    if bot.guest:  # of which nothing is known here
        return ""
    failed = Failed(expected, got)
    failed.notes, failed.received = notes, received
    return hint(bot, failed, confined=confined, plain=True)
