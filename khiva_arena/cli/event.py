"""One event of a store: what defines it, and what follows from that."""

from collections.abc import Sequence
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from khiva_arena import __version__
from khiva_arena.arbiter import runtimes
from khiva_arena.arbiter.isolation import Level, Sandbox
from khiva_arena.arbiter.resources import Resources, plain
from khiva_arena.errors import ConfigError, StoreError
from khiva_arena.replay import seeds
from khiva_arena.replay.record import Header, Seat, canonical, digest_of
from khiva_arena.result import Policy
from khiva_arena.schedule import formats, lineups
from khiva_arena.schedule.formats import Format, Place, Result, Shape, Terms
from khiva_arena.schedule.timetable import Timetable
from khiva_arena.store.db import BotRow, EventRow, Store

if TYPE_CHECKING:  # who reads a store needs neither
    from khiva_arena.arbiter.bots import Bot
    from khiva_arena.cli.settings import Settings

PUBLIC_MOST = 1_000  # characters
Count = Annotated[int, msgspec.Meta(ge=1)]
Milliseconds = Annotated[int, msgspec.Meta(ge=0)]


class _Time(msgspec.Struct, forbid_unknown_fields=True):
    startup_ms: Milliseconds
    turn_ms: Milliseconds
    bank_ms: Milliseconds


class _Bot(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    identity: str
    author: str = ""


class _Hypotheses(msgspec.Struct, forbid_unknown_fields=True):
    elo0: float
    elo1: float
    alpha: float
    beta: float
    model: Literal["logistic", "normalized"]


class _Runtime(msgspec.Struct, forbid_unknown_fields=True):
    program: str
    packages: list[str]


class _Definition(msgspec.Struct, forbid_unknown_fields=True):
    """What ``definition_of`` gives, as a shape to hold a stored one against."""

    format: Format
    game: str
    rules_version: str
    rules: dict[str, Any]
    seats: Count
    seeds: Count
    copies: Count
    lineups: Count | None
    time: _Time
    policy: Policy
    isolation: Level
    limits: Resources
    ponder: bool
    seed: str | None
    anchor: str
    bots: Annotated[list[_Bot], msgspec.Meta(min_length=1)]
    rounds: Count | None = None
    advance: Count | None = None
    candidates: list[Annotated[int, msgspec.Meta(ge=0)]] = []
    authors_apart: bool = False
    stage: Annotated[int, msgspec.Meta(ge=0)] = 0
    hypotheses: _Hypotheses | None = None
    runtimes: dict[str, _Runtime] = {}
    after: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{16}$")] | None = None


def definition_of(settings: "Settings", bots: "Sequence[Bot]", sandbox: Sandbox, after: str | None = None) -> dict[str, Any]:
    """All that defines an event, as plain values. A seed that was given is in it as a hash, a drawn one as None, so that
    the same command finds its event again. What only some formats have is in it only for them. ``after``: the id of the event
    that the stage before was."""
    return {
        "format": str(settings.format),
        "game": settings.game.name,
        "rules_version": settings.game.rules_version,
        "rules": dict(settings.rules),
        "seats": settings.seats,
        "seeds": settings.seeds,
        "copies": settings.copies,
        "lineups": _line_ups(settings, bots),
        "time": time_of(settings),
        "policy": str(settings.policy),
        **conditions_of(sandbox),
        "seed": None if settings.seed is None else sha256(b"khiva-event-seed-1\0" + run_secret(settings)).hexdigest(),
        "anchor": next((bot.name for bot in bots if bot.name == "random"), bots[0].name),
        "bots": [_plain_bot(bot, settings.authors_apart) for bot in bots],
        **_of_the_format(settings, bots),
        **runtimes_of(bots),
        **({"after": after} if after else {}),
    }


def runtimes_of(bots: "Sequence[Bot]") -> dict[str, Any]:
    """The runtimes that bots name, as they stand in a definition: not at all where none does, so that the event of bots without
    any keeps its id. Raises ConfigError."""
    found = {runtime.name: runtimes.as_defined(runtime) for bot in bots for runtime in bot.runtimes}
    return {"runtimes": found} if found else {}


def changed_runtimes(definition: dict[str, Any], bots: "Sequence[Bot]") -> list[str]:
    """The runtimes of bots that an event was played with otherwise, by name."""
    then, now = definition.get("runtimes", {}), runtimes_of(bots).get("runtimes", {})
    return sorted(name for name in now if name in then and then[name] != now[name])


def _line_ups(settings: "Settings", bots: "Sequence[Bot]") -> int | None:
    """At most how many line-ups are played: what was asked for as auto is a number in a definition."""
    if not isinstance(settings.lineups, str):
        return settings.lineups
    groups = _groups([_plain_bot(bot, with_author=True) for bot in bots]) if settings.authors_apart else ()
    return max(1, lineups.fewest(len(bots), settings.seats, settings.copies, groups))


def _plain_bot(bot: "Bot", with_author: bool) -> dict[str, str]:
    author = {"author": bot.author} if with_author and bot.author else {}
    return {"name": bot.name, "identity": bot.identity, **author}


def _of_the_format(settings: "Settings", bots: "Sequence[Bot]") -> dict[str, Any]:
    names = [bot.name for bot in bots]
    if missing := [name for name in settings.candidates if name not in names]:
        raise ConfigError(f"--candidate: {', '.join(missing)} did not come to this stage; there are {', '.join(names)}")
    found: dict[str, Any] = {
        "rounds": settings.rounds,
        "advance": settings.advance,
        "candidates": [names.index(name) for name in settings.candidates],
        "authors_apart": settings.authors_apart,
        "stage": settings.stage,
        "hypotheses": None if settings.hypotheses is None else asdict(settings.hypotheses),
    }
    return {key: value for key, value in found.items() if value}


def run_secret(settings: "Settings") -> bytes:
    """The run's secret of settings with a seed. Each stage of a competition has one of its own: that of the one before it is
    known by then."""
    assert settings.seed is not None
    secret = seeds.run_secret(settings.seed)
    return seeds.stage_secret(secret, settings.stage) if settings.stage else secret


def conditions_of(sandbox: Sandbox) -> dict[str, Any]:
    """What bots are kept in, as it stands in a definition."""
    return {"isolation": str(sandbox.level), "limits": plain(sandbox.resources), "ponder": sandbox.ponder}


def sandbox_as_stored(definition: dict[str, Any]) -> Sandbox:
    """What the bots of an event are kept in."""
    return Sandbox(Level(definition["isolation"]), Resources(**definition["limits"]), definition["ponder"])


def check_stored(event: EventRow) -> None:
    """Raise StoreError where an event's rows are not such as ``open_event`` makes."""
    check_definition(event)
    check_bots(event)


def check_definition(event: EventRow) -> None:
    """Raise StoreError where an event's definition is not one, or of another event."""
    try:
        found = msgspec.convert(event.definition, _Definition)
        if (found.format is Format.SPRT) != (found.hypotheses is not None):
            raise ValueError("hypotheses belong to a sequential test, and only to one")
        _check_names(found)
        known = event_id(event.definition, event.commitment)
    except ValueError as error:
        raise StoreError(f"its definition is damaged ({error})") from None
    if event.id not in (known, id_of_0_1(event.definition)):
        raise StoreError(f"its definition and commitment hash to {known}, not to its id")
    if event.public is not None and (problem := public_problem(event.public)):
        raise StoreError(f"its public text is none: {problem}")


def public_problem(text: str) -> str | None:
    """Why a text cannot be an event's public text, None if it can: it is one line, and is printed."""
    if not 1 <= len(text) <= PUBLIC_MOST or not text.isprintable():
        return f"one line of 1 to {PUBLIC_MOST:,} printable characters is expected"
    return None


def _check_names(found: _Definition) -> None:
    """Raise ValueError for bots that no run could have had: their names are printed wherever their results are."""
    names = [bot.name for bot in found.bots]
    if not all(name and name.isprintable() for name in (*names, *(bot.author for bot in found.bots if bot.author))):
        raise ValueError("a bot has a name that cannot be printed")
    if len(set(names)) < len(names) or len({bot.identity for bot in found.bots}) < len(names):
        raise ValueError("two bots have one name, or are the same")
    if found.anchor not in names:
        raise ValueError("its anchor is none of its bots")


def check_bots(event: EventRow) -> None:
    """Raise StoreError where an event's bots are not those of its definition, which is sound."""
    named = [(bot["name"], bot["identity"]) for bot in event.definition["bots"]]
    if [(bot.name, bot.identity) for bot in event.bots] != named:
        raise StoreError("its bots are not those of its definition")


def time_of(settings: "Settings") -> dict[str, int]:
    """The limits as they stand in a header."""
    limits = settings.limits
    return {"startup_ms": limits.startup_ms, "turn_ms": limits.turn_ms, "bank_ms": limits.bank_ms}


def terms_of(definition: dict[str, Any], key: bytes = bytes(seeds.SECRET_BYTES)) -> Terms:
    """What the schedule of an event is made from. Without ``key`` it can be checked and counted, and tells not who meets."""
    bots = definition["bots"]
    groups: tuple[int, ...] = ()
    if definition.get("authors_apart"):
        groups = _groups(bots)
    return Terms(
        format=Format(definition["format"]),
        bots=len(bots),
        seats=definition["seats"],
        seeds=definition["seeds"],
        copies=definition["copies"],
        most=definition["lineups"],
        rounds=definition.get("rounds"),
        advance=definition.get("advance"),
        candidates=tuple(definition.get("candidates", ())),
        authors=groups,
        seeded=definition.get("stage", 0) > 1,
        key=key,
    )


def terms_of_event(event: EventRow) -> Terms:
    """The same with what the event's line-ups and seatings are drawn with."""
    return terms_of(event.definition, seeds.schedule_key(event.id, event.public))


def _groups(bots: "Sequence[dict[str, str]]") -> tuple[int, ...]:
    """A number per bot of a definition, equal for bots of one author."""
    known = {bot["author"]: number for number, bot in enumerate(bots) if bot.get("author")}
    return tuple(known.get(bot.get("author", ""), number) for number, bot in enumerate(bots))


# --- what is drawn, and what it hangs on ---


def is_of_0_1(event: EventRow) -> bool:
    """Whether version 0.1.0 began the event: its id is then a hash of the definition alone, and the commitment binds to that."""
    return event.id == id_of_0_1(event.definition)


def id_of_0_1(definition: dict[str, Any]) -> str:
    """The id that version 0.1.0 gave an event, 16 hex digits."""
    return digest_of(definition)[: seeds.ID_LENGTH]


def event_id(definition: dict[str, Any], commitment: str) -> str:
    """The event's id, 16 hex digits."""
    return seeds.event_id(digest_of(definition), commitment)


def commitment_to(definition: dict[str, Any], secret: bytes) -> str:
    """What an event is published by before its first match, 64 hex digits. ``secret``: the run's."""
    return seeds.commitment(digest_of(definition), secret)


def opens(event: EventRow, secret: bytes) -> bool:
    """Whether a run secret is the one that the event's commitment binds."""
    bound_to = event.id if is_of_0_1(event) else digest_of(event.definition)
    return seeds.commitment(bound_to, secret) == event.commitment


def seed_secret(event: EventRow, k: int) -> bytes:
    """The secret of seed k of an event, 32 bytes."""
    return seeds.seed_secret(event.secret, k, event.public)


def match_id(event: EventRow, ordinal: int) -> str:
    """The id of the match at a place of an event's schedule, 16 hex digits."""
    return seeds.match_id(event.id, ordinal)


def header_of(definition: dict[str, Any], who: Sequence[tuple[str, str]], match: str, secret: bytes) -> Header:
    """The header of a match. ``who``: name and identity by seat; ``secret``: the seed's."""
    return Header(
        match=match,
        game=definition["game"],
        rules_version=definition["rules_version"],
        rules=definition["rules"],
        seats=tuple(Seat(name, bot, seeds.seat_number(secret, match, i)) for i, (name, bot) in enumerate(who)),
        commit=seeds.commitment(match, secret),
        time=definition["time"],
        policy=definition["policy"],
        isolation=definition["isolation"],
    )


def bare_timetable(event: EventRow) -> Timetable:
    """The timetable of an event as far as it stands without results. Raises ConfigError."""
    return Timetable(terms_of_event(event))


def timetable_of(store: Store, event: EventRow) -> Timetable:
    """The whole timetable of an event, later rounds drawn from the results that the store holds. Raises ConfigError."""
    return Timetable(terms_of_event(event), lambda shape: results_of(store, event, shape))


def results_of(store: Store, event: EventRow, shape: Shape) -> list[Result] | None:
    """The results of a round, None unless all its matches are fixed. Raises StoreError where one cannot be a result."""
    seats, places = event.definition["seats"], (shape.first_ordinal, shape.first_ordinal + shape.matches - 1)
    if store.count(event.id, *places) != shape.matches:
        return None
    found = []
    for row in store.matches(event.id, *places):
        bots = tuple(seat.bot for seat in row.seats)
        ranks = tuple(seat.rank for seat in row.seats)
        in_range = all(0 <= bot < len(event.bots) and 1 <= rank <= seats for bot, rank in zip(bots, ranks, strict=True))
        if len(bots) != seats or not in_range:
            raise StoreError(f"match {event.number}/{row.ordinal} is damaged: its seats are not those of its event")
        scores = tuple(seat.score for seat in row.seats)
        found.append(Result(row.seed, row.lineup, row.rotation, bots, ranks, scores))
    return found


def places(store: Store, event: EventRow) -> tuple[tuple[Place, ...], int]:
    """Who came in where, best first, by the event's format, and how many of its rounds are complete."""
    timetable = timetable_of(store, event)
    found = [results for shape in timetable.shapes if (results := results_of(store, event, shape)) is not None]
    return formats.places(timetable.terms, found), len(found)


def add_event(store: Store, definition: dict[str, Any], bots: "Sequence[Bot]", secret: bytes, like_0_1: bool) -> EventRow:
    """Add an event to a store. ``like_0_1``: with an id as version 0.1.0 gave it, which only stages have that come after one
    that was begun by it. Raises ConfigError where the store has an event of that id."""
    commitment = commitment_to(definition, secret)
    event = event_id(definition, commitment)
    if like_0_1:
        event = id_of_0_1(definition)
        commitment = seeds.commitment(event, secret)
    if there := store.event(event):
        raise ConfigError(
            f"--new-event: with the same settings and the same --seed it would be event {there.number} ({event}) once more, "
            "which is over; give another --seed or none, or another --out"
        )
    rows = [BotRow(b.name, b.identity, b.version, b.complete, b.asked_as, b.folder or str(Path.cwd())) for b in bots]
    store.add_event(event, canonical(definition).decode(), __version__, commitment, secret, rows)
    return stored(store, event)


def let_go_on(store: Store, row: EventRow, any_engine: bool) -> EventRow:
    """The event, to be gone on with. Raises StoreError if another engine version began it, unless ``any_engine``: then the
    event is marked with this one, too."""
    if __version__ in row.engines:
        return row
    if not any_engine:
        raise StoreError(
            f"{store.folder}: event {row.id} was begun by khiva-arena {row.engines[0]}, this is {__version__}; "
            "finish it with that one, give another --out, or go on and have it marked with --any-engine"
        )
    store.add_engine(row.id, __version__)
    return stored(store, row.id)


def stored(store: Store, event: str) -> EventRow:
    """An event that is in the store."""
    row = store.event(event)
    assert row is not None
    return row
