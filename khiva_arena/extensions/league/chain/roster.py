"""The roster of a league: its bots, as the links of the chain so far have made them.

A link that does not follow from those before it raises an error, so that a roster is right or there is none.
"""

import itertools
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from types import MappingProxyType
from typing import Literal, NamedTuple

import msgspec
from msgspec import structs

from khiva_arena.errors import RecordError
from khiva_arena.extensions.league.chain.links import (
    FIRST,
    AnyLink,
    Beacon,
    Drawn,
    Entered,
    Final,
    Founded,
    LeagueTerms,
    Over,
    RatedThen,
    Renewed,
    Season,
    StateChanged,
)
from khiva_arena.rating.report.placing import Batches, in_order
from khiva_arena.records.replay.definition import identity_with_payload
from khiva_arena.words import count

_SEASON = "season {}"
"""The name of a season that begins by itself."""


class RosterBot(msgspec.Struct, frozen=True):
    """A bot of the roster.

    name: for people, one in the league.
    identity: hash of its files and commands, or of its module.
    sources: hash of its files and commands; "" for an anchor of a league by the wall clock.
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
    anchor: name of the anchor at Elo 0 in all of its batches; "" before the first of them is drawn.
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
    """A chain as far as it was walked. It holds nothing that grows with each batch for good.

    founded: its first link.
    terms: the newest ones.
    links: how many there are.
    digest: of the newest link.
    bots: the roster, by identity, anchors first, then in the order in which they were entered.
    batches: how many were drawn.
    before: the run digest of the newest complete batch; before there is one, 64 zeros.
    open: the batch that was drawn and is not over; None if there is none.
    public: the newest batch that was public when the newest complete batch ended; 0 for none.
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
        """The bots that the next batch seats, in the order of its definition: anchors, then others by the first batch that might
        seat them, and by identity within that. So neither the order of their links nor any random id decides who meets whom."""
        active = (bot for bot in self.bots.values() if bot.state == "active")
        return tuple(sorted(active, key=lambda bot: (bot.first_batch, bot.identity)))

    @property
    def over(self) -> int:
        """How many batches are over."""
        return self.batches - (self.open is not None)

    def revealed(self, at: datetime) -> int:
        """Return the newest batch whose secrets are public at a time, 0 for none: some hours after its end. What was public once
        stays so."""
        latest = at - timedelta(hours=self.terms.reveal_hours)
        return max((end.batch for end in self.hidden if end.at <= latest), default=self.public)

    def next_reveal(self, at: datetime) -> datetime | None:
        """Return when the next batch that is over becomes public, after a time; None if there is none."""
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
        """True if the last season has as many batches as the terms say, so that the next batch begins another one."""
        return 0 < self.terms.season_batches <= len(self.batches_in(len(self.seasons) - 1))

    @property
    def anchor(self) -> str:
        """The name of the anchor at Elo 0 in the next batch: that of its season, or of the terms if it begins one."""
        of_season = self.seasons[-1].anchor
        return of_season if of_season and not self.season_is_over else self.terms.anchor

    def final_seats(self, rated: Sequence[RatedThen]) -> list[RosterBot]:
        """Return the bots that a final may seat, the best first, by numbers of the table: they have a place in it, and are of
        different families, and no more of an author than the terms say."""
        batches = Batches({bot.bot: bot.batches for bot in rated}, self.terms.fewest_batches)
        seats: list[RosterBot] = []
        for bot in [self.bots[row.bot] for row, place in in_order(rated, batches) if place is not None]:
            of_author = sum(seated.author == bot.author for seated in seats)
            if bot.family not in [seated.family for seated in seats] and of_author < self.terms.final_bots_an_author:
                seats.append(bot)
        return seats

    def versions(self, family: str) -> list[RosterBot]:
        """Return all versions of a family, the oldest first."""
        return [bot for bot in self.bots.values() if bot.family == family]


def walk(links: Sequence[AnyLink]) -> Chain:
    """Return the chain that all of these links make. Raises RecordError for a link that does not follow from those before it."""
    if not links:
        raise RecordError("the chain of the league has no link")
    chain = begin(links[0])
    for link in links[1:]:
        chain = follow(chain, link)
    return chain


def _has_its_parts(identity: str, parts: tuple[str, ...]) -> bool:
    return not parts or (len(parts) == len(("module", "payload")) and identity_with_payload(*parts) == identity)


def begin(link: AnyLink) -> Chain:
    """Return the chain of one link. Raises RecordError if it does not found a league."""
    if not isinstance(link, Founded) or (link.number, link.before) != (0, FIRST):
        raise RecordError("link 0 does not found a league")
    bots = {
        anchor.identity: RosterBot(
            anchor.name, anchor.identity, anchor.sources, anchor.identity, "", 1, "active", 0, 0, anchor.parts
        )
        for anchor in link.anchors
    }
    if not all(_has_its_parts(bot.identity, bot.parts) for bot in link.anchors):
        raise RecordError("link 0: an anchor has the identity of another module or payload")
    if len(bots) < len(link.anchors) or len({bot.name for bot in bots.values()}) < len(bots):
        raise RecordError("link 0: two anchors have one name, or are the same")
    _check_terms(link, link.terms, "link 0: ")
    seasons = (SeasonSpan(_SEASON.format(1), 1, 0),)
    return Chain(link, link.terms, 1, link.digest, MappingProxyType(bots), 0, FIRST, None, 0, (), seasons, (), _time_of(link))


def follow(chain: Chain, link: AnyLink) -> Chain:
    """Return the chain with one more link. Raises RecordError if it does not follow from those before it."""
    try:
        _check(link.number == chain.links, f"it is at place {chain.links}")
        _check(link.before == chain.digest, "it does not name the digest of the link before it")
        made = _time_of(link)
        drawn = chain.drawn_today if _day_of(made) == _day_of(chain.made) else 0
        chain = structs.replace(chain, links=chain.links + 1, digest=link.digest, made=made, drawn_today=drawn)
        match link:
            case Entered():
                return _with(chain, *_entered(chain, link))
            case StateChanged():
                return _with(chain, _changed(chain, link))
            case Drawn():
                _check(chain.open is None, "the batch before it is not over")
                _check(link.batch == chain.batches + 1, f"batch {chain.batches + 1} would be next, not {link.batch}")
                _check_round(chain, link)
                seasons, drawn = _seasons_with(chain, link), chain.drawn_today + 1
                return structs.replace(chain, seasons=seasons, batches=link.batch, open=link, drawn_today=drawn)
            case Over():
                _check(
                    chain.open is not None and (chain.open.batch, chain.open.event) == (link.batch, link.event),
                    "it ends a batch that was not begun",
                )
                has_round = chain.open is not None and chain.open.round is not None
                _check(has_round == (link.public is not None), "it has a beacon's line that it should not have, or lacks one")
                return _ended(structs.replace(chain, open=None, before=link.run_digest), link)
            case Renewed():
                _check(chain.open is None, "a batch is being played")
                _check_terms(chain.founded, link.terms)
                return structs.replace(chain, terms=link.terms)
            case Season():
                _check(chain.open is None, "a batch is being played")
                return structs.replace(chain, seasons=_begun(chain, link.name, link.number))
            case Final():
                _check(link.final == len(chain.finals) + 1, f"final {len(chain.finals) + 1} would be next, not {link.final}")
                _check_seats(chain, link)
                _check_round(chain, link)
                return structs.replace(chain, finals=(*chain.finals, DecidedFinal(link, chain.terms)))
            case Founded():
                raise RecordError("a league is founded once")
    except RecordError as error:
        raise RecordError(f"link {link.number}: {error}") from None


def _check_terms(founded: Founded, terms: LeagueTerms, where: str = "") -> None:
    """Raise RecordError for terms that a league cannot have. ``where``: the beginning of what is said."""
    names = [anchor.name for anchor in founded.anchors]
    _check(terms.anchor in names, f"{where}Elo 0 is {terms.anchor}, which is no anchor of the league")
    _check(terms.publish_bots == founded.terms.publish_bots, f"{where}publish_bots is another one than in link 0")
    _check((terms.publish_bots is msgspec.UNSET) != terms.in_ticks, f"{where}publish_bots belongs to a league in ticks")


def _check(holds: bool, otherwise: str) -> None:
    if not holds:
        raise RecordError(otherwise)


def _time_of(link: AnyLink) -> datetime:
    return datetime.fromisoformat(link.at)


def _day_of(moment: datetime) -> date:
    return moment.astimezone(UTC).date()


def _check_round(chain: Chain, link: Drawn | Final) -> None:
    """Raise RecordError unless a link names the round of the beacon that follows from its time, or none without a beacon."""
    beacon = chain.terms.beacon
    expected = beacon.round_after(_time_of(link)) if beacon else None
    _check(link.round == expected, f"it names round {link.round} of the beacon, and by its time that would be {expected}")


def _ended(chain: Chain, link: Over) -> Chain:
    """Return the chain with the end of a batch, and without those ends that are public by then."""
    at = _time_of(link)
    chain = structs.replace(chain, hidden=(*chain.hidden, BatchEnd(link.batch, at)))
    public = chain.revealed(at)
    return structs.replace(chain, public=public, hidden=tuple(end for end in chain.hidden if end.batch > public))


def _begun(chain: Chain, name: str, link: int) -> tuple[SeasonSpan, ...]:
    """Return the seasons with one that begins with the next batch, in place of one that has no batch. ``link``: the number of the
    link at which it begins. Raises RecordError."""
    before = [season for season in chain.seasons if season.first <= chain.batches]
    _check(name not in [season.name for season in before], "there is a season of that name")
    return (*before, SeasonSpan(name, chain.batches + 1, link))


def _seasons_with(chain: Chain, link: Drawn) -> tuple[SeasonSpan, ...]:
    """Return the seasons with the batch that a link draws: a new one begins by itself once the last one is over. A season has the
    anchor of its first batch at Elo 0 throughout."""
    seasons = chain.seasons
    if chain.season_is_over:
        taken = {season.name for season in seasons}
        name = next(name for number in itertools.count(len(taken) + 1) if (name := _SEASON.format(number)) not in taken)
        seasons = _begun(chain, name, link.number)
    return (*seasons[:-1], seasons[-1]._replace(anchor=chain.anchor))


def _check_seats(chain: Chain, link: Final) -> None:
    """Raise RecordError unless the seats of a final follow from the numbers in its link, by the terms."""
    _check(chain.over > 0, "no batch is over, so nobody is first")
    bots = [bot.identity for bot in chain.active if bot.author]
    _check([row.bot for row in link.rated] == bots, "it has not the numbers of all bots that are active, in their order")
    _check(all(row.batches <= chain.terms.fewest_batches for row in link.rated), "it counts more batches than a place takes")
    _check(
        len(link.bots) >= chain.terms.seats, f"it seats {count(len(link.bots), 'bot')}, and a table has {chain.terms.seats} seats"
    )
    seats = tuple(bot.identity for bot in chain.final_seats(link.rated))
    names = ", ".join(chain.bots[bot].name for bot in seats) or "nobody"
    _check(link.bots == seats[: len(link.bots)], f"its seats do not follow from its numbers, which give {names}")


def _with(chain: Chain, *bots: RosterBot) -> Chain:
    return structs.replace(chain, bots=MappingProxyType({**chain.bots, **{bot.identity: bot for bot in bots}}))


def _entered(chain: Chain, link: Entered) -> list[RosterBot]:
    """Return the bots that a link enters and retires. Raises RecordError."""
    family = chain.versions(link.family)
    _check(link.identity not in chain.bots, "its bot was entered before")
    _check(_has_its_parts(link.identity, link.parts), "its bot has the identity of another module or payload")
    _check(link.name not in [bot.name for bot in chain.bots.values()], "its bot has the name of another")
    _check(all(bot.author == link.author for bot in family), "its family is another author's")
    _check(link.version == len(family) + 1, f"version {len(family) + 1} of its family would be next, not {link.version}")
    active = [bot.identity for bot in family if bot.state == "active"]
    _check(set(link.replaces) <= set(active), "it replaces a bot that is no active version of its family")
    _check(len(active) - len(link.replaces) < chain.terms.versions, "its family has too many active versions")
    _check_author(chain, link.author, link.family)
    retired = [structs.replace(chain.bots[identity], state="retired") for identity in link.replaces]
    entered = RosterBot(
        link.name,
        link.identity,
        link.sources,
        link.family,
        link.author,
        link.version,
        "active",
        link.number,
        first_batch=chain.batches + 1,
        parts=link.parts,
    )
    return [*retired, entered]


def _changed(chain: Chain, link: StateChanged) -> RosterBot:
    """Return the bot that a link changes. Raises RecordError."""
    bot = chain.bots.get(link.identity)
    if bot is None:
        raise RecordError("it changes a bot that was not entered")
    _check(bool(bot.author), "it changes an anchor")
    _check(bot.state not in ("retired", link.state), f"its bot is {bot.state}")
    active = [other for other in chain.versions(bot.family) if other.state == "active"]
    if link.state == "active":
        _check(len(active) < chain.terms.versions, "its family has too many active versions")
        _check_author(chain, bot.author, bot.family)
    return structs.replace(bot, state=link.state)


def _check_author(chain: Chain, author: str, family: str) -> None:
    """Raise RecordError if one more bot of a family would give its author too many families with active versions."""
    others = {bot.family for bot in chain.active if bot.author == author} - {family}
    most = chain.terms.bots_an_author
    _check(len(others) < most, f"its author has {count(len(others), 'other active bot')}, and may have {most} in all")


def sits_apart(terms: LeagueTerms, authors: Sequence[str]) -> bool:
    """Tell whether a final keeps bots of one author from one table: if the terms say so, and there are such bots, and enough
    authors to fill a table. ``authors``: of its bots."""
    return terms.authors_apart and terms.seats <= len({*authors}) < len(authors)
