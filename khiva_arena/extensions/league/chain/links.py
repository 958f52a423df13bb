"""The chain of a league: links, each of which names the digest of the one before it.

The first link founds the league. Later ones change the roster, draw a batch before its
first match, or end it. All of the chain is public. It has random ids for people; their
names lie beside it and can be removed.

A link that was dropped, moved or altered breaks the digests after it. A batch that was
drawn otherwise than by draw/draw.py is found by drawing again. But an end of the chain
that was thrown away and played again is consistent in itself. Only somebody who kept a
digest of the old end can tell, so the newest digest is handed to everyone who looks.
"""

from datetime import datetime, timedelta
from hashlib import sha256
from math import ceil
from typing import Annotated, Any, Literal

import msgspec

from khiva_arena.common.result import Clock
from khiva_arena.errors import RecordError
from khiva_arena.records.replay import league_format
from khiva_arena.records.replay.conditions import Count, Digest, Index
from khiva_arena.records.replay.record import canonical

Id = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{16}$")]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=80)]
Elo = Annotated[float, msgspec.Meta(ge=-1e6, le=1e6)]
YEARS = range(2000, 2501)
"""The years of a league's times, so that no sum of times leaves the calendar."""


class ChainLink(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", kw_only=True
):
    """A link of a chain.

    number: its place, from 0.
    before: the digest of the link before it; of the first link, 64 zeros.
    at: when it was made, UTC, by the organiser's clock.
    """

    number: Index
    before: Digest
    at: str

    @property
    def digest(self) -> str:
        """The hash over the link, 64 hex digits."""
        return sha256(b"khiva-link-1\0" + canonical(msgspec.to_builtins(self))).hexdigest()


class Anchor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bot that plays in every batch and never changes, so that numbers of one season
    can be compared with those of another.

    name: for people.
    identity: hash of its files and commands, or of its module.
    sources: in a league in ticks, hash of its files and commands; else "".
    parts: of a module with a payload in a league in ticks, the hashes of both; else ().
    """

    name: Name
    identity: str
    sources: str = ""
    parts: tuple[Digest, ...] = ()


class Beacon(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A public source of chance from outside: each of its rounds brings one line of
    text, which nobody knows before.

    name: in words, so that anybody finds its lines.
    begins: the moment of round 1, UTC.
    seconds: from one round to the next.
    ahead: the least seconds between a link that names a round and that round, in which
        outsiders can take note of the link.
    """

    name: Name
    begins: str
    seconds: Annotated[int, msgspec.Meta(ge=1, le=10**7)]
    ahead: Annotated[int, msgspec.Meta(ge=0, le=10**7)]

    def __post_init__(self) -> None:
        if not _is_moment(self.begins):
            raise ValueError(f"a beacon that begins at no time: {self.begins[:40]!r}")

    def round_after(self, at: datetime) -> int:
        """Return the round that a link names which was made at this time: the first one
        that comes ``ahead`` seconds later.
        """
        late = (at - datetime.fromisoformat(self.begins)).total_seconds() + self.ahead
        return max(1, 1 + ceil(late / self.seconds))

    def moment_of(self, number: int) -> datetime:
        """Return the time at which a round comes."""
        return datetime.fromisoformat(self.begins) + timedelta(seconds=self.seconds * (number - 1))


class LeagueTerms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The terms on which batches are played.

    conditions: of all matches, as ``Conditions.plain`` gives them.
    seats: at a table.
    seeds: deals of a batch.
    most_tables: of a batch's floor; None for as many as seat everybody.
    authors_apart: whether bots of one author meet only if there is no other way.
    versions: how many versions of a family may be active.
    anchor: name of the anchor at Elo 0, from the next season on.
    reveal_hours: how long after the end of a batch its secrets are published.
    cpu_minutes: of CPU that a bot may use in a day (UTC); 0 for no limit.
    retry_minutes: the wait before a table that the machine spoilt is tried again.
    bots_an_author: how many families of an author may have active versions.
    fewest_batches: in how many a bot has to have played for a place in the table, and
        in a final.
    final_bots_an_author: how many bots of an author a final seats, of different
        families.
    beacon: the source of the text that is mixed into the deals of each batch; None if
        deals are the organiser's word.
    season_batches: after how many batches of a season the next one begins by itself; 0
        for never.
    interpreters: in ticks, the hash of the module that a word for an interpreter means,
        by word; unset for none.
    publish_bots: in ticks, whether bundles of the league may hold its bots; it never
        changes. Unset by the wall clock.
    """

    conditions: dict[str, Any]
    seats: Count
    seeds: Count
    most_tables: Count | None
    authors_apart: bool
    versions: Count
    anchor: Name
    reveal_hours: Annotated[int, msgspec.Meta(ge=0, le=10_000)] = 0
    cpu_minutes: Annotated[int, msgspec.Meta(ge=0, le=100_000)] = 0
    retry_minutes: Annotated[int, msgspec.Meta(ge=0, le=1_440)] = 60
    bots_an_author: Count = 3
    fewest_batches: Index = 5
    final_bots_an_author: Count = 1
    beacon: Beacon | None = None
    season_batches: Annotated[int, msgspec.Meta(ge=0, le=100_000)] = 250
    interpreters: dict[str, Digest] | msgspec.UnsetType = msgspec.UNSET
    publish_bots: bool | msgspec.UnsetType = msgspec.UNSET

    @property
    def in_ticks(self) -> bool:
        """True if bots are modules and pay in ticks."""
        return bool(self.conditions.get("clock") == Clock.TICKS)

    @property
    def publishes_bots(self) -> bool:
        """True if bundles of the league may hold its bots."""
        return self.publish_bots is True


class Founded(ChainLink, frozen=True, kw_only=True, tag="league"):
    """The first link: a league begins.

    league: its random id.
    name: for people.
    terms: on which its batches are played.
    anchors: the bots that play in every batch.
    format: the version of the format of the chain.
    """

    league: Id
    name: Name
    terms: LeagueTerms
    anchors: tuple[Anchor, ...]
    format: Count = league_format.FORMAT


class Renewed(ChainLink, frozen=True, kw_only=True, tag="terms"):
    """The terms change, from the next batch on. Other conditions begin a new table of
    ratings.

    terms: the new ones.
    why: in words without names, for everyone to read.
    """

    terms: LeagueTerms
    why: str = ""


class Season(ChainLink, frozen=True, kw_only=True, tag="season"):
    """A season begins with the next batch, and the one before ends.

    name: for people.
    """

    name: Name


class Entered(ChainLink, frozen=True, kw_only=True, tag="enter"):
    """A bot is entered, as the first version of a family or as a later one.

    author: the random id of its author.
    family: the random id of the family.
    version: its number in the family, from 1.
    name: for people, one in the league.
    identity: hash of its files and commands, or of its module in a league in ticks.
    sources: hash of its files and commands.
    parts: of a module with a payload in a league in ticks, the hashes of both; else ().
    replaces: the identities of the versions that retire for it.
    """

    author: Id
    family: Id
    version: Count
    name: Name
    identity: Digest
    sources: Digest
    parts: tuple[Digest, ...] = ()
    replaces: tuple[Digest, ...] = ()


class StateChanged(ChainLink, frozen=True, kw_only=True, tag="change"):
    """The state of a bot changes, from the next batch on.

    identity: of the bot.
    state: ``retired`` is for good; ``suspended`` until it is ``active`` again.
    why: in words without names, for everyone to read.
    """

    identity: str
    state: Literal["active", "suspended", "retired"]
    why: str = ""


class Drawn(ChainLink, frozen=True, kw_only=True, tag="batch"):
    """A batch is drawn, and its commitment published, before its first match.

    batch: its number, from 1.
    event: the id of its event.
    definition: the digest of the event's definition.
    commitment: of the event's secret.
    round: of the beacon, still to come, whose line is mixed into the deals; None
        without a beacon.
    """

    batch: Count
    event: Id
    definition: Digest
    commitment: Digest
    round: Count | None = None


class Over(ChainLink, frozen=True, kw_only=True, tag="over"):
    """A batch is over: each of its tables is recorded, or set aside for good.

    batch: its number.
    event: the id of its event.
    run_digest: over the digests of its matches.
    set_aside: the tables that the host spoilt again and again, each its seed and its
        line-up. They are not rated.
    public: the line of the beacon's round, which was mixed into the deals; None without
        a beacon.
    """

    batch: Count
    event: Id
    run_digest: Digest
    public: str | None = None
    set_aside: tuple[tuple[Index, Index], ...] = ()


class RatedThen(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bot with the numbers by which a final seats it or not, as the table had them.

    bot: its identity.
    elo, least: as columns of the table, with three digits; None for n/a.
    batches: that it had played in, over all seasons; no more are counted than a place
        takes.
    """

    bot: Digest
    elo: Elo | None
    least: Elo | None
    batches: Index


class Final(ChainLink, frozen=True, kw_only=True, tag="final"):
    """A final is decided on: an event of its own, on new deals, which never counts in
    the league's table.

    final: its number, from 1.
    event: the id of the event.
    commitment: of its secret, published before its first match.
    rated: the bots that are active and no anchors, in the order of a batch's
        definition, with the numbers of the season's table.
    bots: the identities of those that play it, the best of the league first, as they
        follow from these numbers.
    round: of the beacon, still to come, whose line is mixed into the deals; None
        without a beacon.
    """

    final: Count
    event: Id
    commitment: Digest
    rated: tuple[RatedThen, ...]
    bots: tuple[str, ...]
    round: Count | None = None


AnyLink = Founded | Renewed | Season | Entered | StateChanged | Drawn | Over | Final
FIRST = "0" * 64
"""What the first link names as the digest before it."""


def read_link(text: str | bytes) -> AnyLink:
    """Return the link of a canonical text.

    Raises RecordError for a text that no league has written, OtherFormat for link 0 of
    a chain of another format.
    """
    try:
        link: AnyLink = msgspec.json.decode(text, type=AnyLink)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        league_format.check_link(league_format.values_of(text))
        raise RecordError(f"a link cannot be read: {str(error)[:200]}") from None
    if isinstance(link, Founded):
        league_format.check_link(league_format.values_of(text))
    if not _is_moment(link.at):
        raise RecordError(f"link {link.number} was made at no time: {link.at[:40]!r}")
    if text_of(link).encode() != (text.encode() if isinstance(text, str) else text):
        raise RecordError(f"link {link.number} is not written as the arena writes it")
    return link


def _is_moment(text: str) -> bool:
    """Tell whether a text is a time of ``YEARS`` with its offset from UTC."""
    try:
        moment = datetime.fromisoformat(text)
        return moment.utcoffset() is not None and moment.year in YEARS
    except ValueError:
        return False


def text_of(link: AnyLink) -> str:
    """Return the canonical text of a link, which is stored and hashed."""
    return canonical(msgspec.to_builtins(link)).decode()
