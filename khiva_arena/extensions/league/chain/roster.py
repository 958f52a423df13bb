"""The roster of a league: its bots, as the links of the chain so far have made them.

A link that does not follow from those before it raises an error, so that a roster is
right or there is none.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

import msgspec

from khiva_arena.extensions.league.chain.links import (
    Beacon,
    Drawn,
    Final,
    Founded,
    LeagueTerms,
    RatedThen,
)
from khiva_arena.rating.report.placing import Batches, in_order


class RosterBot(msgspec.Struct, frozen=True):
    """A bot of the roster.

    name: for people, one in the league.
    identity: hash of its files and commands, or of its module.
    sources: hash of its files and commands; "" for an anchor of a league by the wall
        clock.
    family, author: their random ids; of an anchor, its identity and "".
    version: its number in the family, from 1.
    state: only an active bot is seated.
    entered: the number of the link that entered it.
    first_batch: the first one that may seat it; 0 for an anchor.
    parts: of a module with a payload in a league in ticks, the hashes of both; else ().
    """

    name: str
    identity: str
    sources: str
    family: str
    author: str
    version: int
    state: Literal["active", "suspended", "retired"]
    entered: int
    first_batch: int
    parts: tuple[str, ...] = ()


class DecidedFinal(NamedTuple):
    """A final that was decided on.

    link: that says so.
    terms: at that link, which later ones do not change.
    """

    link: Final
    terms: LeagueTerms

    @property
    def beacon(self) -> Beacon | None:
        """The beacon whose line is mixed into its deals, None without one."""
        return self.terms.beacon


class SeasonSpan(NamedTuple):
    """A season.

    name: for people.
    first: its first batch.
    link: the number of the link at which it begins.
    anchor: name of the anchor at Elo 0 in all of its batches; "" before the first of
        them is drawn.
    """

    name: str
    first: int
    link: int
    anchor: str = ""


class BatchEnd(NamedTuple):
    """The end of a batch.

    batch: its number.
    at: when it ended, by its link.
    """

    batch: int
    at: datetime


class Chain(msgspec.Struct, frozen=True):
    """A chain as far as it was walked. It holds nothing that grows with each batch for
    good.

    founded: its first link.
    terms: the newest ones.
    links: how many there are.
    digest: of the newest link.
    bots: the roster, by identity, anchors first, then in the order in which they were
        entered.
    batches: how many were drawn.
    before: the run digest of the newest complete batch; before there is one, 64 zeros.
    open: the batch that was drawn and is not over; None if there is none.
    public: the newest batch that was public when the newest complete batch ended; 0 for
        none.
    hidden: the ends of the batches after that one, in order.
    seasons: in order; the last one is played.
    finals: in order.
    made: when the newest link was made.
    drawn_today: how many batches were drawn on the day of that link, by UTC.
    """

    founded: Founded
    terms: LeagueTerms
    links: int
    digest: str
    bots: Mapping[str, RosterBot]
    batches: int
    before: str
    open: Drawn | None
    public: int
    hidden: tuple[BatchEnd, ...]
    seasons: tuple[SeasonSpan, ...]
    finals: tuple[DecidedFinal, ...]
    made: datetime
    drawn_today: int = 0

    @property
    def active(self) -> tuple[RosterBot, ...]:
        """The bots that the next batch seats, in the order of its definition: anchors,
        then others by the first batch that might seat them, and by identity within
        that. So neither the order of their links nor any random id decides who meets
        whom.
        """
        active = (bot for bot in self.bots.values() if bot.state == "active")
        return tuple(sorted(active, key=lambda bot: (bot.first_batch, bot.identity)))

    @property
    def over(self) -> int:
        """How many batches are over."""
        return self.batches - (self.open is not None)

    def revealed(self, at: datetime) -> int:
        """Return the newest batch whose secrets are public at a time, 0 for none: some
        hours after its end. What was public once stays so.
        """
        latest = at - timedelta(hours=self.terms.reveal_hours)
        return max((end.batch for end in self.hidden if end.at <= latest), default=self.public)

    def next_reveal(self, at: datetime) -> datetime | None:
        """Return when the next batch that is over becomes public, after a time; None if
        there is none.
        """
        delay = timedelta(hours=self.terms.reveal_hours)
        return min((due for end in self.hidden if (due := end.at + delay) > at), default=None)

    def season_of(self, batch: int) -> int:
        """Return the place in ``seasons`` of the one that a batch is in."""
        return bisect_right(self.seasons, batch, key=lambda season: season.first) - 1

    def batches_in(self, season: int) -> range:
        """Return the batches so far of the season at a place in ``seasons``."""
        end = self.seasons[season + 1].first if season + 1 < len(self.seasons) else self.batches + 1
        return range(self.seasons[season].first, end)

    @property
    def season_is_over(self) -> bool:
        """True if the last season has as many batches as the terms say, so that the
        next batch begins another one.
        """
        return 0 < self.terms.season_batches <= len(self.batches_in(len(self.seasons) - 1))

    @property
    def anchor(self) -> str:
        """The name of the anchor at Elo 0 in the next batch: that of its season, or of
        the terms if it begins one.
        """
        of_season = self.seasons[-1].anchor
        return of_season if of_season and not self.season_is_over else self.terms.anchor

    def final_seats(self, rated: Sequence[RatedThen]) -> list[RosterBot]:
        """Return the bots that a final may seat, the best first, by numbers of the
        table: they have a place in it, and are of different families, and no more of an
        author than the terms say.
        """
        batches = Batches({bot.bot: bot.batches for bot in rated}, self.terms.fewest_batches)
        seats: list[RosterBot] = []
        for bot in [
            self.bots[row.bot] for row, place in in_order(rated, batches) if place is not None
        ]:
            of_author = sum(seated.author == bot.author for seated in seats)
            if (
                bot.family not in [seated.family for seated in seats]
                and of_author < self.terms.final_bots_an_author
            ):
                seats.append(bot)
        return seats

    def versions(self, family: str) -> list[RosterBot]:
        """Return all versions of a family, the oldest first."""
        return [bot for bot in self.bots.values() if bot.family == family]


def sits_apart(terms: LeagueTerms, authors: Sequence[str]) -> bool:
    """Tell whether a final keeps bots of one author from one table: if the terms say
    so, and there are such bots, and enough authors to fill a table. ``authors``: of its
    bots.
    """
    return terms.authors_apart and terms.seats <= len({*authors}) < len(authors)
