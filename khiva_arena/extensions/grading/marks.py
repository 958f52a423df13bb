"""The marks of a bot: points by rung, each with a sentence for the student."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from khiva_arena.common.result import Result
from khiva_arena.extensions.grading.interval import RungScore
from khiva_arena.extensions.grading.ladder import Ladder, Rung
from khiva_arena.extensions.grading.play_rungs import faults_of_student
from khiva_arena.words import count, spaced

DIGITS = 1


class RungMark(msgspec.Struct, frozen=True):
    """The mark for one rung. null: nothing was played, or the results leave the number
    open.

    rung: its name.
    points, most: of the bot, and of the rung.
    threshold: Elo that the lower end of the interval has to be above.
    score: mean pair score against the rung's bot, in percent.
    elo, low, high: Elo above the rung's bot, and the ends of its 95 % interval.
    matches: that were played.
    forfeits: matches that the bot forfeited.
    text: the mark in words, for the student.
    """

    rung: str
    points: int
    most: int
    threshold: float
    score: float | None
    elo: float | None
    low: float | None
    high: float | None
    matches: int
    forfeits: int
    text: str


class GradeOutput(msgspec.Struct, frozen=True):
    """The output of ``khiva-arena grade --json``.

    bot: its name, "" if it could not be read.
    ladder: the hash of the ladder.
    seeds: the deals of each rung.
    points, most: of the bot, and of the ladder.
    problem: why the bot could not play, "" if it could.
    rungs: the mark for each rung.
    """

    bot: str
    ladder: str
    seeds: int
    points: int
    most: int
    problem: str
    rungs: list[RungMark]

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        plain: dict[str, Any] = msgspec.to_builtins(self)
        return plain


def graded(ladder: Ladder, bot: str, marks: Sequence[RungMark]) -> GradeOutput:
    """Return the marks of a bot that could play."""
    points = sum(mark.points for mark in marks)
    return GradeOutput(
        bot, ladder.digest, ladder.values["seeds"], points, ladder.points, "", list(marks)
    )


def not_played(ladder: Ladder, bot: str, problem: str) -> GradeOutput:
    """Return the marks of a bot that could not play: no point for any rung."""
    text = "Not passed: your bot could not play, so no match was played."
    nothing = [
        RungMark(rung.name, 0, rung.points, rung.threshold, None, None, None, None, 0, 0, text)
        for rung in ladder.rungs
    ]
    return GradeOutput(
        bot, ladder.digest, ladder.values["seeds"], 0, ladder.points, problem, nothing
    )


def mark_of(rung: Rung, score: RungScore, results: Sequence[Result]) -> RungMark:
    """Return the mark for a rung: its points if the lower end of the interval is above
    its threshold.

    results: none if the bot is the rung's own
    """
    has_passed = score.low is not None and score.low > rung.threshold
    ends = [None if end is None else _rounded(end) for end in (score.low, score.high)]
    forfeits = sum(is_forfeit for *_, is_forfeit in faults_of_student(results))
    words = [_verdict(rung, score, has_passed=has_passed), *_faults(results, forfeits)]
    return RungMark(
        rung=rung.name,
        points=rung.points if has_passed else 0,
        most=rung.points,
        threshold=rung.threshold,
        score=_rounded(100 * score.score),
        elo=_rounded(score.elo),
        low=ends[0],
        high=ends[1],
        matches=len(results),
        forfeits=forfeits,
        text=" ".join(words) if results else f"{words[0]} Your bot is this rung's own bot.",
    )


def _verdict(rung: Rung, score: RungScore, *, has_passed: bool) -> str:
    asked = f"{rung.threshold:g}"
    where = f"your bot is {interval_in_words(score.low, score.high)} above the rung (95 % interval)"
    if has_passed:
        return f"Passed: {where}, and the rung asks for more than {asked} Elo."
    return f"Not passed: {where}; the rung asks for a lower end of more than {asked} Elo."


def interval_in_words(low: float | None, high: float | None) -> str:
    """Return an interval of Elo in words; None is an open end."""
    if low is None and high is None:
        return "an unknown number of Elo"
    if high is None:
        return f"{low:.1f} Elo or more"
    if low is None:
        return f"{high:.1f} Elo or less"
    return f"{low:.1f} to {high:.1f} Elo"


def _faults(results: Sequence[Result], forfeits: int) -> Iterator[str]:
    """Yield a sentence about the faults of the bot, if it made any."""
    faults = list(faults_of_student(results))
    if not faults:
        return
    first = next((fault for fault in faults if fault[3]), faults[0])
    result, fault, step, _ = first
    late = (
        f"It made {count(len(faults), 'fault')} and forfeited {forfeits} of "
        f"{count(len(results), 'match', 'matches')}"
    )
    yield (
        f"{late}: for example it {_FAULTS.get(fault, spaced(fault))} at step {step} of match "
        f"{result.ordinal}."
    )


_FAULTS = {
    "timeout": "was late",
    "illegal": "gave an illegal answer",
    "crashed": "crashed",
    "start_failed": "did not start",
}
"""The faults as verbs; others have their names."""


def _rounded(value: float) -> float:
    return round(value, DIGITS) + 0.0  # + 0.0: no minus zero
