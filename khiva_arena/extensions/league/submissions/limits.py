"""The limits of a league's authors: how much they may submit, and how many bots they
may have.
"""

from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from khiva_arena.extensions.league.league_options import LeagueOptions


class UploadLimits(NamedTuple):
    """The most that an author may ask of a league.

    a_day: bots submitted in a day, by UTC.
    waiting: bots that wait to be checked.
    build_seconds: CPU seconds of builds and checks in a day, by UTC; 0 for no limit.
    bots: that are active in the league, or wait to be, each in all of its versions.
    """

    a_day: int
    waiting: int
    build_seconds: float
    bots: int


def limits_of(options: "LeagueOptions") -> UploadLimits:
    """Return the limits that a league's settings give its authors."""
    return UploadLimits(
        options.uploads_a_day,
        options.uploads_waiting,
        60.0 * options.build_minutes_a_day,
        options.bots_an_author,
    )


class BotsBound(NamedTuple):
    """A bound on the bots of an author, each of which is a family of versions.

    most: of those that are active or wait to be.
    active: the ids of those that have an active version.
    """

    most: int
    active: Collection[str]
