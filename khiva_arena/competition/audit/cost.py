"""What running the bots of matches again may take: ticks, as records tell them, and
processor time.
"""

from typing import Any, NamedTuple

from khiva_arena.common.result import TICKS_A_MS
from khiva_arena.words import count

BEST_NANOSECONDS = 1_000_000 / TICKS_A_MS
"""What a tick stands for. Little takes less: what the VM's compiler leaves out, and
questions of a bot that is late for good.
"""
_UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60))
_MOST = (
    2**53
)  # of one question: a record with more is refused, but only once its bots' turn has come


class RerunCost(NamedTuple):
    """What running the bots of some matches again may take.

    matches: their number.
    ticks: at the most, as their records have them: a module that takes more for a
        question is stopped there.
    """

    matches: int = 0
    ticks: int = 0

    def with_match(self, ticks: object) -> "RerunCost":
        """Return the cost with one match more. ``ticks``: those of its record, as they
        came from a file that nobody has checked yet; what is no list of lists of
        numbers counts 0.
        """
        rows = ticks if isinstance(ticks, list | tuple) else ()
        numbers = [number for row in rows if isinstance(row, list | tuple) for number in row]
        most = sum(number + 1 for number in numbers if type(number) is int and 0 <= number <= _MOST)
        return RerunCost(self.matches + 1, self.ticks + most)

    @property
    def seconds_at_best(self) -> float:
        """CPU time if each tick takes what it stands for."""
        return self.ticks * BEST_NANOSECONDS / 1e9

    @property
    def seconds_at_worst(self) -> float:
        """CPU time if each tick lasts as long as the dearest one of METER.md."""
        # not above: few audits run bots
        from khiva_arena.bots.modules.meter.prices import WORST_NANOSECONDS

        return self.ticks * WORST_NANOSECONDS / 1e9

    @property
    def says(self) -> str:
        """The cost in a line."""
        best, worst = (
            _in_words(seconds) for seconds in (self.seconds_at_best, self.seconds_at_worst)
        )
        return (
            f"running the bots of {count(self.matches, 'match', 'matches')} again: at most "
            f"{self.ticks:,} ticks, as the records "
            f"have them; {best} of CPU at best, {worst} at worst"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the cost as plain values, for JSON."""
        return {
            **self._asdict(),
            "cpu_s_best": self.seconds_at_best,
            "cpu_s_worst": self.seconds_at_worst,
        }


def _in_words(seconds: float) -> str:
    unit, size = next(((unit, size) for unit, size in _UNITS if seconds >= 2 * size), ("", 1))
    if unit:
        return count(round(seconds / size), unit)
    return f"{seconds:.{0 if seconds >= 10 else 1}f} s" if seconds >= 0.1 else "less than 0.1 s"
