"""The definition of an event: one typed value, read once, which fixes its schedule,
headers and ids.

Its canonical text is stored and hashed. Fields that only some formats have, and fields
that were added later, are left out of the text if they have their default: so older
events keep their ids.
"""

from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple, Self

import msgspec

from khiva_arena.common.result import Comparison, Hypotheses
from khiva_arena.errors import ConfigError
from khiva_arena.rating.schedule.names import Format
from khiva_arena.records.replay import league_format
from khiva_arena.records.replay.conditions import (
    MARKS,
    MODULE,
    NO_KEY,
    Conditions,
    Count,
    Digest,
    FileKind,
    Index,
)
from khiva_arena.records.replay.record import PERSON, canonical, digest_of, person_called

if TYPE_CHECKING:
    from khiva_arena.rating.schedule.terms import Terms


def identity_with_payload(module: str, payload: str) -> str:
    """Return the identity of a bot of a module and a payload, by the hashes of both:
    protocol/METER.md, section 15.
    """
    return sha256(b"khiva-payload-1\0" + bytes.fromhex(module) + bytes.fromhex(payload)).hexdigest()


class ModuleFile(NamedTuple):
    """A file of a bot in an event in ticks.

    kind: what it is to the bot.
    digest: the SHA-256 of its bytes, hex.
    """

    kind: FileKind
    digest: str


class DefinedBot(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A bot of an event.

    name: unique in the event.
    identity: hash of its sources, run and build lines, hex; of its module's bytes, and
        its payload's, in an event in ticks; of a person there,
        ``record.person_called``.
    module, payload: in an event in ticks, the hashes of both if it has a payload; else
        "", and the identity is the module's.
    sources: in an event in ticks, the hash of its sources, run and build lines; else
        "".
    author: "" unless authors are kept apart and the bot names one.
    network: its cell was open to the network.
    env: the names of the variables that the bot was handed, sorted. Their values stand
        nowhere.
    remote: the bot played on another machine.
    kept: one process of the bot served many matches, so the bot may have remembered.
    """

    name: str
    identity: str
    author: str = ""
    network: bool = False
    env: tuple[str, ...] = ()
    remote: bool = False
    kept: bool = False
    sources: str = ""
    module: Annotated[str, msgspec.Meta(pattern="^([0-9a-f]{64})?$")] = ""
    payload: Annotated[str, msgspec.Meta(pattern="^([0-9a-f]{64})?$")] = ""

    @property
    def person(self) -> bool:
        """True for a person in an event in ticks."""
        return self.identity == person_called(self.name)

    @property
    def files(self) -> tuple["ModuleFile", ...]:
        """The files that it is in an event in ticks: its module, then its payload if it
        has one; none for a person.
        """
        if self.person:
            return ()
        module = ModuleFile("module", self.module or self.identity)
        return (module, ModuleFile("payload", self.payload)) if self.payload else (module,)

    @property
    def has_its_payload(self) -> bool:
        """True if its identity is that of its module and payload."""
        return (
            bool(self.module and self.payload)
            and identity_with_payload(self.module, self.payload) == self.identity
        )

    @property
    def marks(self) -> tuple[str, ...]:
        """The marks that tables and pages show beside the bot."""
        return tuple(mark for mark in MARKS if getattr(self, mark))


class DefinedRuntime(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A runtime that bots name in their run lines.

    program: hash of its program, hex.
    packages: its Python packages with their versions.
    """

    program: str
    packages: tuple[str, ...]


class Batch(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The place of an event in a league, as a batch of it.

    number: of the batch, from 1.
    before: the run digest of the batch before; for batch 1, 64 zeros.
    roster: the digest of the bots that the draw chose from: their identities, and which
        are of one family or author.
    tables: the circular order of each table, by position in the event.
    format: the version of the format of the league.
    """

    number: Count
    before: Digest
    roster: Digest
    tables: tuple[tuple[Index, ...], ...]
    format: Count = league_format.FORMAT


class Definition(
    Conditions, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True
):
    """The complete definition of an event.

    seeds: of the event; of each round for formats that draw their rounds.
    copies: how often a bot may sit at one table.
    lineups: the number of line-ups at most, None for all.
    draw: the way the line-ups are chosen: "", a balanced part as it has always been
        drawn; "all-meet": a set in which all bots meet.
    seed: hash of the run's secret if a seed was given, None if one was drawn, so that
        the same command finds its event again.
    anchor: name of the bot at Elo 0.
    rounds: of a swiss. advance: of a knockout. candidates: positions, of a gauntlet or
        a sequential test.
    stage: the number of this event among the events of a competition, from 1; 0: the
        only one.
    hypotheses: of a sequential test by bounds, and only of one.
    comparison: of a sequential test that stops once it is clear, or when its time ends;
        and only of one. With two candidates it compares these by their scores against
        the other bots, else the candidate with the other bots.
    runtimes: the runtimes that its bots name, by name.
    after: id of the event that the stage before was.
    rate_kept: whether bots that may remember are rated with the others.
    extends: id of an event of the same settings, over by then, that this one adds its
        seeds to.
    looks: how often the table is to be looked at in all, evenly, if that was planned
        before the first match.
    batch: of a league, and only of one.
    table: of a match of its own, and only of one: its bots by seat.
    """

    format: Format
    seats: Count
    seeds: Count
    copies: Count
    lineups: Count | None
    seed: str | None
    anchor: str
    bots: Annotated[tuple[DefinedBot, ...], msgspec.Meta(min_length=1)]
    draw: Literal["", "all-meet"] = ""
    rounds: Count | None = None
    advance: Count | None = None
    candidates: tuple[Index, ...] = ()
    authors_apart: bool = False
    stage: Index = 0
    hypotheses: Hypotheses | None = None
    comparison: Comparison | None = None
    runtimes: dict[str, DefinedRuntime] = msgspec.field(default_factory=dict)
    after: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{16}$")] | None = None
    rate_kept: bool = False
    extends: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{16}$")] | None = None
    looks: Count | None = None
    batch: Batch | None = None
    table: tuple[Index, ...] = ()

    @classmethod
    def read(cls, text: str) -> Self:
        """Return the definition of a canonical text.

        Raises ValueError for a text that no run has written, OtherFormat for a batch of
        a league of another format.
        """
        if '"batch":{' in text:
            league_format.check_definition(league_format.values_of(text))
        try:
            definition = msgspec.json.decode(text, type=cls)
        except RecursionError:
            raise ValueError("it is nested too deeply") from None
        except ConfigError as error:  # of the rule of a test
            raise ValueError(str(error)) from None
        definition._check()
        if definition.text != text:
            raise ValueError("it is not written as the arena writes it")
        return definition

    def _check(self) -> None:
        """Raise ValueError for fields that do not go together, and for names that
        cannot be printed.

        Bots' names are printed wherever their results are.
        """
        # not above: a match alone knows no schedule
        from khiva_arena.rating.schedule.formats import FORMATS

        form = FORMATS[self.format]
        rules = [rule for rule in (self.hypotheses, self.comparison) if rule is not None]
        if len(rules) != form.SEQUENTIAL:
            raise ValueError(
                "hypotheses belong to a sequential test, and only to one; or the rule of a "
                "comparison does"
            )
        if (self.batch is not None) != (self.format is Format.LEAGUE):
            raise ValueError(
                "tables drawn beforehand belong to a batch of a league, and only to one"
            )
        if bool(self.table) != (self.format is Format.PLAY) or (
            any(bot.person for bot in self.bots) and not self.table
        ):
            raise ValueError(
                "bots by seat belong to the format play, and only to it; and persons sit "
                "in no other"
            )
        if any(
            bot.identity.startswith(PERSON) and not (bot.person and self.in_ticks)
            for bot in self.bots
        ):
            raise ValueError("a person has the name of another, or plays by the wall clock")
        if self.extends is not None and (
            self.batch or self.table or self.stage or form.IN_ROUNDS or form.SEQUENTIAL
        ):
            raise ValueError(
                "only an event whose seeds are all known before, and which is no stage, "
                "can extend another one"
            )
        if self.in_ticks != (self.isolation == MODULE) or self.in_ticks != (self.meter > 0):
            raise ValueError(
                "a price list and isolation module belong to an event in ticks, and only to one"
            )
        if self.in_ticks and (self.ponder or self.link_ms):
            raise ValueError("in an event in ticks nobody ponders, and no link is given time back")
        names = self.names
        if not all(
            name and name.isprintable()
            for name in (*names, *(bot.author for bot in self.bots if bot.author))
        ):
            raise ValueError("a bot has a name that cannot be printed")
        if not all(
            self.in_ticks and bot.has_its_payload for bot in self.bots if bot.module or bot.payload
        ):
            raise ValueError("a bot has the identity of another module or payload")
        if len(set(names)) < len(names) or len({bot.identity for bot in self.bots}) < len(names):
            raise ValueError("two bots have one name, or are the same")
        if not all(variable.isprintable() for bot in self.bots for variable in bot.env):
            raise ValueError("a variable has a name that cannot be printed")
        if self.anchor not in names:
            raise ValueError("its anchor is not one of its bots")

    @property
    def text(self) -> str:
        """The canonical text of the definition, which is stored."""
        return canonical(self.plain()).decode()

    @property
    def digest(self) -> str:
        """The hash of the definition that a commitment is bound to, 64 hex digits."""
        return digest_of(self.plain())

    @property
    def names(self) -> list[str]:
        """The bots' names, by position."""
        return [bot.name for bot in self.bots]

    @property
    def module_files(self) -> list[tuple[DefinedBot, ModuleFile]]:
        """Each bot with each of its files, in an event in ticks."""
        return [(bot, file) for bot in self.bots for file in bot.files]

    @property
    def with_payloads(self) -> list[tuple[str, str]]:
        """The name of each bot that has a payload, and the hash of its module."""
        return [(bot.name, bot.module) for bot in self.bots if bot.payload]

    @property
    def rated_apart(self) -> bool:
        """True if the event's bots make a table of their own, since some of them may
        remember.
        """
        return any(bot.kept for bot in self.bots) and not self.rate_kept

    @property
    def called(self) -> str:
        """The word for the format in headings: compare for a comparison, which is the
        format sprt by another rule.
        """
        return "compare" if self.comparison else str(self.format)

    @property
    def candidate(self) -> int:
        """The position of the bot that a sequential test tests."""
        return next(iter(self.candidates), 0)

    def seated(self, bots: Sequence[int]) -> list[tuple[str, str]]:
        """Return name and identity by seat of bots given by position."""
        return [(self.bots[bot].name, self.bots[bot].identity) for bot in bots]

    def terms(self, key: bytes = NO_KEY) -> "Terms":
        """Return the terms that the schedule is made from.

        key: draws the line-ups and seatings. Without it the schedule can be checked and
            counted, but does not say who meets.
        """
        # not above: a match alone knows no schedule
        from khiva_arena.rating.schedule.terms import Terms

        return Terms(
            format=self.format,
            bots=len(self.bots),
            seats=self.seats,
            seeds=self.seeds,
            copies=self.copies,
            most=self.lineups,
            draw=self.draw,
            rounds=self.rounds,
            advance=self.advance,
            candidates=self.candidates,
            authors=author_groups([bot.author for bot in self.bots]) if self.authors_apart else (),
            seeded=self.stage > 1,
            tables=self.batch.tables if self.batch else (self.table,) * bool(self.table),
            twins=self.comparison is not None and len(self.candidates) > 1,
            key=key,
        )


def spellings(definition: Definition) -> list[Definition]:
    """Return a definition, and the one of the same settings until version 0.2, when
    ``--lineups auto`` was another draw.
    """
    if not definition.draw:
        return [definition]
    from khiva_arena.rating.schedule import lineups  # not above: a match alone knows no schedule

    terms = definition.terms()
    fewest = lineups.fewest(terms.bots, terms.seats, terms.copies, terms.authors)
    return [definition, msgspec.structs.replace(definition, lineups=max(1, fewest), draw="")]


def author_groups(authors: Sequence[str]) -> tuple[int, ...]:
    """Return a number for each bot, equal for bots of one author.

    authors: by bot, "" for none.
    """
    numbers = {author: number for number, author in enumerate(authors) if author}
    return tuple(numbers.get(author, number) for number, author in enumerate(authors))


@lru_cache(maxsize=256)
def read_definition(text: str) -> Definition:
    """Return the definition of a canonical text, cached, since this is called often for
    few texts.

    Raises ValueError for a text that no run has written, OtherFormat for a batch of a
    league of another format.
    """
    return Definition.read(text)


def text_digest(text: str) -> str:
    """Return the ``Definition.digest`` of a text, damaged or not."""
    return sha256(text.encode()).hexdigest()
