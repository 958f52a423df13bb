"""The limit of a comparison: when no more seeds are begun. Seeds that were begun are
played to their end, and count.

To rate only the matches that have ended by then would be unfair: matches last longer
for one side. So the time ends the beginning of seeds, whatever their matches show.
"""

from typing import NamedTuple

from khiva_arena.common.time_in_words import in_time
from khiva_arena.words import count


class Most(NamedTuple):
    """The most that a comparison is given.

    seconds: of time in which seeds are begun; None: it has no limit.
    matches: that are played; None: it has no limit. A seed is played whole, so the last
        one is left out if it does not fit; only the first one is always played.
    at_a_time: matches that are played at a time, by which the time of recorded ones is
        told.
    """

    seconds: float | None = None
    matches: int | None = None
    at_a_time: int = 1

    def of_whole_seeds(self, per_seed: int) -> "Most":
        """Return the limit with the matches that are played of so many. ``per_seed``:
        matches.
        """
        return (
            self
            if self.matches is None
            else self._replace(matches=max(1, self.matches // per_seed) * per_seed)
        )

    def __str__(self) -> str:
        """Return the limit in words, "" for none."""
        if self.seconds is not None:
            return f"for {in_time(self.seconds)}"
        return (
            "" if self.matches is None else f"for {count(self.matches, 'match', 'matches')} at most"
        )


def begun_before(complete: int) -> int:
    """Return how many seeds an interrupted comparison plays in any case once it is
    resumed: the ``complete`` ones, from the first on, and the next one.

    Which other seeds had begun is not recorded. Whether a seed counts must not depend
    on how long its own matches last, or seeds on which one side wins slowly would be
    left out. The seed behind the complete ones counts because of the seeds before it.
    So by Wald's equation sums of results keep their mean; without it they do not.
    """
    return complete + 1


class SeedLimit:
    """The limit while a comparison is played.

    begun: how many seeds have been begun, from the first on.
    is_reached: whether a seed was refused.
    """

    def __init__(self, most: Most, per_seed: int, begun: int, seconds_before: float) -> None:
        """``per_seed``: matches. ``begun``, ``seconds_before``: the seeds begun and the
        time spent by earlier runs.
        """
        self.begun, self.is_reached = begun, False
        self._seconds, self._before = most.seconds, seconds_before
        matches = most.of_whole_seeds(per_seed).matches
        self._seeds = None if matches is None else matches // per_seed
        if self._seeds is not None:
            self.begun = min(begun, self._seeds)

    def may_begin(self, seed: int, seconds: float) -> bool:
        """Tell whether a match of a seed may begin, so many seconds after this run
        began to play. The first seed always may.
        """
        if seed < self.begun:
            return True
        is_late = self._seconds is not None and self._before + seconds >= self._seconds
        if seed and (is_late or (self._seeds is not None and seed >= self._seeds)):
            self.is_reached = True
            return False
        self.begun = seed + 1
        return True
