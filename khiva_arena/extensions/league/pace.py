"""The pace of a league: when its next batch may begin, by the hours of the day and the
batches of a day, both in UTC.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from khiva_arena.errors import ConfigError

_TIME = r"([01]?\d|2[0-3]):([0-5]\d)"
_HOURS = re.compile(f"{_TIME}-{_TIME}", re.ASCII)
_DAY = timedelta(days=1)


class Hours(NamedTuple):
    """The hours of the day at which batches begin: from ``begin`` on and before
    ``end``, over midnight if ``end`` is less.

    begin, end: since midnight, UTC; they differ.
    """

    begin: timedelta
    end: timedelta

    def hold(self, moment: datetime) -> bool:
        """Tell whether a moment is within these hours."""
        since = moment - _midnight(moment)
        if self.begin < self.end:
            return self.begin <= since < self.end
        return since >= self.begin or since < self.end

    def next_begin(self, moment: datetime) -> datetime:
        """Return the first moment within these hours that is not earlier."""
        if self.hold(moment):
            return moment
        begin = _midnight(moment) + self.begin
        return begin if begin >= moment else begin + _DAY


def hours_of(text: str) -> Hours | None:
    """Return the hours that a text names, as 20:00-06:00; None for the whole day, "".
    Raises ConfigError.
    """
    if not text:
        return None
    if not (times := _HOURS.fullmatch(text)):
        raise ConfigError(f"hours = {text!r}: write two times of day in UTC, as 20:00-06:00")
    begin, end = (timedelta(hours=int(times[at]), minutes=int(times[at + 1])) for at in (1, 3))
    if begin == end:
        raise ConfigError(
            f"hours = {text!r}: they end when they begin; leave hours out for the whole day"
        )
    return Hours(begin, end)


class Pace(NamedTuple):
    """The pace at which batches begin. A batch that has begun ends, whatever the hour.

    a_day: the most batches of a day, by UTC; 0 for no limit.
    hours: in which they begin; None for the whole day.
    """

    a_day: int = 0
    hours: Hours | None = None

    def next_begin(self, now: datetime, newest: datetime, of_that_day: int) -> datetime:
        """Return when the next batch may begin: at the earliest now, or at the time of
        the newest link if the clock has stepped back behind it.

        now: by the clock.
        newest: the time of the newest link.
        of_that_day: how many batches were drawn on the day of that link.
        """
        moment = max(now, newest).astimezone(UTC)
        day_is_full = bool(self.a_day) and of_that_day >= self.a_day
        if day_is_full and _midnight(moment) == _midnight(newest.astimezone(UTC)):
            moment = _midnight(moment) + _DAY
        return self.hours.next_begin(moment) if self.hours else moment


ANY_TIME = Pace()
"""The pace of a league whose batches follow on each other."""


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)
