"""Follow the links of a league's chain, one after another, to its roster."""

import itertools
from collections.abc import Sequence
from datetime import UTC, date, datetime
from types import MappingProxyType

import msgspec
from msgspec import structs

from khiva_arena.errors import RecordError
from khiva_arena.extensions.league.chain.links import (
    FIRST,
    AnyLink,
    Drawn,
    Entered,
    Final,
    Founded,
    LeagueTerms,
    Over,
    Renewed,
    Season,
    StateChanged,
)
from khiva_arena.extensions.league.chain.roster import (
    BatchEnd,
    Chain,
    DecidedFinal,
    RosterBot,
    SeasonSpan,
)
from khiva_arena.records.replay.definition import identity_with_payload
from khiva_arena.words import count

_SEASON = "season {}"
"""The name of a season that begins by itself."""


def walk(links: Sequence[AnyLink]) -> Chain:
    """Return the chain that all of these links make. Raises RecordError for a link that
    does not follow from those before it.
    """
    if not links:
        raise RecordError("the chain of the league has no link")
    chain = begin(links[0])
    for link in links[1:]:
        chain = follow(chain, link)
    return chain


def _has_its_parts(identity: str, parts: tuple[str, ...]) -> bool:
    return not parts or (
        len(parts) == len(("module", "payload")) and identity_with_payload(*parts) == identity
    )


def begin(link: AnyLink) -> Chain:
    """Return the chain of one link. Raises RecordError if it does not found a
    league.
    """
    if not isinstance(link, Founded) or (link.number, link.before) != (0, FIRST):
        raise RecordError("link 0 does not found a league")
    bots = {
        anchor.identity: RosterBot(
            anchor.name,
            anchor.identity,
            anchor.sources,
            anchor.identity,
            "",
            1,
            "active",
            0,
            0,
            anchor.parts,
        )
        for anchor in link.anchors
    }
    if not all(_has_its_parts(bot.identity, bot.parts) for bot in link.anchors):
        raise RecordError("link 0: an anchor has the identity of another module or payload")
    if len(bots) < len(link.anchors) or len({bot.name for bot in bots.values()}) < len(bots):
        raise RecordError("link 0: two anchors have one name, or are the same")
    _check_terms(link, link.terms, "link 0: ")
    seasons = (SeasonSpan(_SEASON.format(1), 1, 0),)
    return Chain(
        link,
        link.terms,
        1,
        link.digest,
        MappingProxyType(bots),
        0,
        FIRST,
        None,
        0,
        (),
        seasons,
        (),
        _time_of(link),
    )


def follow(chain: Chain, link: AnyLink) -> Chain:
    """Return the chain with one more link. Raises RecordError if it does not follow
    from those before it.
    """
    try:
        _check(link.number == chain.links, f"it is at place {chain.links}")
        _check(link.before == chain.digest, "it does not name the digest of the link before it")
        made = _time_of(link)
        drawn = chain.drawn_today if _day_of(made) == _day_of(chain.made) else 0
        chain = structs.replace(
            chain, links=chain.links + 1, digest=link.digest, made=made, drawn_today=drawn
        )
        match link:
            case Entered():
                return _with(chain, *_entered(chain, link))
            case StateChanged():
                return _with(chain, _changed(chain, link))
            case Drawn():
                _check(chain.open is None, "the batch before it is not over")
                _check(
                    link.batch == chain.batches + 1,
                    f"batch {chain.batches + 1} would be next, not {link.batch}",
                )
                _check_round(chain, link)
                seasons, drawn = _seasons_with(chain, link), chain.drawn_today + 1
                return structs.replace(
                    chain, seasons=seasons, batches=link.batch, open=link, drawn_today=drawn
                )
            case Over():
                _check(
                    chain.open is not None
                    and (chain.open.batch, chain.open.event) == (link.batch, link.event),
                    "it ends a batch that was not begun",
                )
                has_round = chain.open is not None and chain.open.round is not None
                _check(
                    has_round == (link.public is not None),
                    "it has a beacon's line that it should not have, or lacks one",
                )
                return _ended(structs.replace(chain, open=None, before=link.run_digest), link)
            case Renewed():
                _check(chain.open is None, "a batch is being played")
                _check_terms(chain.founded, link.terms)
                return structs.replace(chain, terms=link.terms)
            case Season():
                _check(chain.open is None, "a batch is being played")
                return structs.replace(chain, seasons=_begun(chain, link.name, link.number))
            case Final():
                _check(
                    link.final == len(chain.finals) + 1,
                    f"final {len(chain.finals) + 1} would be next, not {link.final}",
                )
                _check_seats(chain, link)
                _check_round(chain, link)
                return structs.replace(
                    chain, finals=(*chain.finals, DecidedFinal(link, chain.terms))
                )
            case Founded():
                raise RecordError("a league is founded once")
    except RecordError as error:
        raise RecordError(f"link {link.number}: {error}") from None


def _check_terms(founded: Founded, terms: LeagueTerms, where: str = "") -> None:
    """Raise RecordError for terms that a league cannot have. ``where``: the beginning
    of what is said.
    """
    names = [anchor.name for anchor in founded.anchors]
    _check(
        terms.anchor in names, f"{where}Elo 0 is {terms.anchor}, which is no anchor of the league"
    )
    _check(
        terms.publish_bots == founded.terms.publish_bots,
        f"{where}publish_bots is another one than in link 0",
    )
    _check(
        (terms.publish_bots is msgspec.UNSET) != terms.in_ticks,
        f"{where}publish_bots belongs to a league in ticks",
    )


def _check(holds: bool, otherwise: str) -> None:
    if not holds:
        raise RecordError(otherwise)


def _time_of(link: AnyLink) -> datetime:
    return datetime.fromisoformat(link.at)


def _day_of(moment: datetime) -> date:
    return moment.astimezone(UTC).date()


def _check_round(chain: Chain, link: Drawn | Final) -> None:
    """Raise RecordError unless a link names the round of the beacon that follows from
    its time, or none without a beacon.
    """
    beacon = chain.terms.beacon
    expected = beacon.round_after(_time_of(link)) if beacon else None
    _check(
        link.round == expected,
        f"it names round {link.round} of the beacon, and by its time that would be {expected}",
    )


def _ended(chain: Chain, link: Over) -> Chain:
    """Return the chain with the end of a batch, and without those ends that are public
    by then.
    """
    at = _time_of(link)
    chain = structs.replace(chain, hidden=(*chain.hidden, BatchEnd(link.batch, at)))
    public = chain.revealed(at)
    return structs.replace(
        chain, public=public, hidden=tuple(end for end in chain.hidden if end.batch > public)
    )


def _begun(chain: Chain, name: str, link: int) -> tuple[SeasonSpan, ...]:
    """Return the seasons with one that begins with the next batch, in place of one that
    has no batch. ``link``: the number of the link at which it begins. Raises
    RecordError.
    """
    before = [season for season in chain.seasons if season.first <= chain.batches]
    _check(name not in [season.name for season in before], "there is a season of that name")
    return (*before, SeasonSpan(name, chain.batches + 1, link))


def _seasons_with(chain: Chain, link: Drawn) -> tuple[SeasonSpan, ...]:
    """Return the seasons with the batch that a link draws: a new one begins by itself
    once the last one is over. A season has the anchor of its first batch at Elo 0
    throughout.
    """
    seasons = chain.seasons
    if chain.season_is_over:
        taken = {season.name for season in seasons}
        name = next(
            name
            for number in itertools.count(len(taken) + 1)
            if (name := _SEASON.format(number)) not in taken
        )
        seasons = _begun(chain, name, link.number)
    return (*seasons[:-1], seasons[-1]._replace(anchor=chain.anchor))


def _check_seats(chain: Chain, link: Final) -> None:
    """Raise RecordError unless the seats of a final follow from the numbers in its
    link, by the terms.
    """
    _check(chain.over > 0, "no batch is over, so nobody is first")
    bots = [bot.identity for bot in chain.active if bot.author]
    _check(
        [row.bot for row in link.rated] == bots,
        "it has not the numbers of all bots that are active, in their order",
    )
    _check(
        all(row.batches <= chain.terms.fewest_batches for row in link.rated),
        "it counts more batches than a place takes",
    )
    _check(
        len(link.bots) >= chain.terms.seats,
        f"it seats {count(len(link.bots), 'bot')}, and a table has {chain.terms.seats} seats",
    )
    seats = tuple(bot.identity for bot in chain.final_seats(link.rated))
    names = ", ".join(chain.bots[bot].name for bot in seats) or "nobody"
    _check(
        link.bots == seats[: len(link.bots)],
        f"its seats do not follow from its numbers, which give {names}",
    )


def _with(chain: Chain, *bots: RosterBot) -> Chain:
    return structs.replace(
        chain, bots=MappingProxyType({**chain.bots, **{bot.identity: bot for bot in bots}})
    )


def _entered(chain: Chain, link: Entered) -> list[RosterBot]:
    """Return the bots that a link enters and retires. Raises RecordError."""
    family = chain.versions(link.family)
    _check(link.identity not in chain.bots, "its bot was entered before")
    _check(
        _has_its_parts(link.identity, link.parts),
        "its bot has the identity of another module or payload",
    )
    _check(
        link.name not in [bot.name for bot in chain.bots.values()],
        "its bot has the name of another",
    )
    _check(all(bot.author == link.author for bot in family), "its family is another author's")
    _check(
        link.version == len(family) + 1,
        f"version {len(family) + 1} of its family would be next, not {link.version}",
    )
    active = [bot.identity for bot in family if bot.state == "active"]
    _check(
        set(link.replaces) <= set(active),
        "it replaces a bot that is no active version of its family",
    )
    _check(
        len(active) - len(link.replaces) < chain.terms.versions,
        "its family has too many active versions",
    )
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
    """Raise RecordError if one more bot of a family would give its author too many
    families with active versions.
    """
    others = {bot.family for bot in chain.active if bot.author == author} - {family}
    most = chain.terms.bots_an_author
    _check(
        len(others) < most,
        f"its author has {count(len(others), 'other active bot')}, and may have {most} in all",
    )
