"""Refusals of the workbench: what it does not play, in words."""

import re
from collections.abc import Sequence
from typing import Any

from khiva_arena.arbiter.job import SeatReport
from khiva_arena.arbiter.seat import Blame
from khiva_arena.arbiter.start_problem import FailedStart, problem_of, with_hint
from khiva_arena.arbiter.stderr import Notes
from khiva_arena.arbiter.wire import Ending
from khiva_arena.common.result import NOT_MEASURED, Verdict
from khiva_arena.entrants.bots import Bot
from khiva_arena.entrants.hints.failed_start import hint_of_start
from khiva_arena.extensions.checker.workbench import typed

GONE = "The record of this match went with a play that was stopped."
PlainEvent = dict[str, Any]


class RefusedError(Exception):
    """Nothing is played. ``trace``: the place in the author's files where the mistake
    is; None if it is not known.
    """

    def __init__(self, why: str, trace: PlainEvent | None = None) -> None:
        super().__init__(why)
        self.trace = trace


def refuse_start(bot: Bot, faults: Sequence[Blame], notes: bytes, trace: PlainEvent | None) -> None:
    """Raise RefusedError, with the words of the command, if the author's bot does not
    start.
    """
    if not (faults and faults[0].verdict is Verdict.START_FAILED):
        return
    kept = Notes()
    kept.add(notes)
    ending = Ending(None, False, NOT_MEASURED, kept.text(), kept.total)
    report = SeatReport("", "", tuple(faults), {}, {}, 0.0, ending, NOT_MEASURED)
    advice = hint_of_start(bot, FailedStart(0, report, b""), confined=False)
    raise RefusedError(
        with_hint(problem_of(bot.name, report, 0, "", "", [bot.asked_as]), advice), trace
    )


def place_in_manifest(problems: str) -> PlainEvent:
    """Return the file of a mistake in bot.toml, {} for another mistake."""
    if f"{typed.AUTHOR}/bot.toml" not in problems:
        return {}
    line = re.search(r"\bline (\d+)", problems)
    return {"file": "bot.toml", **({"line": int(line[1])} if line else {})}
