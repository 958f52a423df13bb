"""One event of a store: what defines it, the jobs still to be played, and how an outcome becomes rows."""

from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import msgspec

from khiva_arena import __version__
from khiva_arena.arbiter.bots import Bot
from khiva_arena.arbiter.isolation import Level, Sandbox
from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.arbiter.resources import Resources, plain
from khiva_arena.arbiter.wire import Command
from khiva_arena.cli.settings import Settings
from khiva_arena.errors import StoreError
from khiva_arena.replay import seeds
from khiva_arena.replay.record import Header, Seat, canonical, digest_of
from khiva_arena.result import Policy
from khiva_arena.schedule.roundrobin import LineUps, Match, line_ups, schedule, totals
from khiva_arena.store.db import RUN_SECRET, BotRow, EventRow, MatchRow, SeatRow, Store, VoidRow, now

ID_LENGTH = 16
Count = Annotated[int, msgspec.Meta(ge=1)]
Milliseconds = Annotated[int, msgspec.Meta(ge=0)]


class _Time(msgspec.Struct, forbid_unknown_fields=True):
    startup_ms: Milliseconds
    turn_ms: Milliseconds
    bank_ms: Milliseconds


class _Bot(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    identity: str


class _Definition(msgspec.Struct, forbid_unknown_fields=True):
    """What ``definition_of`` gives, as a shape to hold a stored one against."""

    format: str
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


def definition_of(settings: Settings, bots: Sequence[Bot], sandbox: Sandbox) -> dict[str, Any]:
    """All that defines an event, as plain values. A seed that was given is in it as a hash, a drawn one as None, so that
    the same command finds its event again."""
    seed = None
    if settings.seed is not None:
        seed = sha256(b"khiva-event-seed-1\0" + seeds.run_secret(settings.seed)).hexdigest()
    return {
        "format": "round-robin",
        "game": settings.game.name,
        "rules_version": settings.game.rules_version,
        "rules": dict(settings.rules),
        "seats": settings.seats,
        "seeds": settings.seeds,
        "copies": settings.copies,
        "lineups": settings.lineups,
        "time": time_of(settings),
        "policy": str(settings.policy),
        **conditions_of(sandbox),
        "seed": seed,
        "anchor": next((bot.name for bot in bots if bot.name == "random"), bots[0].name),
        "bots": [{"name": bot.name, "identity": bot.identity} for bot in bots],
    }


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
        msgspec.convert(event.definition, _Definition)
        known = event_id(event.definition)
    except ValueError as error:
        raise StoreError(f"its definition is damaged ({error})") from None
    if known != event.id:
        raise StoreError(f"its definition hashes to {known}, not to its id")


def check_bots(event: EventRow) -> None:
    """Raise StoreError where an event's bots are not those of its definition, which is sound."""
    named = [(bot["name"], bot["identity"]) for bot in event.definition["bots"]]
    if [(bot.name, bot.identity) for bot in event.bots] != named:
        raise StoreError("its bots are not those of its definition")


def time_of(settings: Settings) -> dict[str, int]:
    """The limits as they stand in a header."""
    limits = settings.limits
    return {"startup_ms": limits.startup_ms, "turn_ms": limits.turn_ms, "bank_ms": limits.bank_ms}


def line_ups_of(definition: dict[str, Any]) -> LineUps:
    """The line-ups of an event. Raises ConfigError for fewer bots than seats."""
    count = len(definition["bots"])
    return line_ups(
        count, definition["seats"], copies=definition["copies"], most=definition["lineups"], key=schedule_key(definition)
    )


def schedule_key(definition: dict[str, Any]) -> bytes:
    """What line-ups and seatings are drawn with: public, so that anyone can work the schedule out again."""
    return sha256(b"khiva-schedule-1\0" + event_id(definition).encode()).digest()


def event_id(definition: dict[str, Any]) -> str:
    """The event's id, 16 hex digits."""
    return digest_of(definition)[:ID_LENGTH]


def match_id(event: str, ordinal: int) -> str:
    """The id of a match, 16 hex digits."""
    return sha256(f"khiva-match-1\0{event}\0{ordinal}".encode()).hexdigest()[:ID_LENGTH]


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


class Plan:
    """The schedule of an event, worked out seed by seed as it is asked for: there may be a million of them."""

    def __init__(self, definition: dict[str, Any]) -> None:
        self._chosen = line_ups_of(definition)
        self._key = schedule_key(definition)
        self.totals = totals(self._chosen, definition["seeds"])
        self.per_seed = self.totals.line_ups * self.totals.rotations
        self._k = -1
        self._of_seed: tuple[Match, ...] = ()
        self._rest: Iterator[Match] = iter(())

    def place(self, ordinal: int) -> tuple[int, int, int] | None:
        """Seed, line-up and rotation at a place of the schedule, None beyond it."""
        if not 0 <= ordinal < self.totals.matches:
            return None
        table, rotation = divmod(ordinal, self.totals.rotations)
        return (*divmod(table, self.totals.line_ups), rotation)

    def match(self, ordinal: int) -> Match | None:
        """The match at a place of the schedule, None beyond it. Quick where ordinals rise."""
        if not 0 <= ordinal < self.totals.matches:
            return None
        k, within = divmod(ordinal, self.per_seed)
        if k != self._k:
            if k != self._k + 1 or k == 0:
                self._rest = schedule(self._chosen, self.totals.seeds, key=self._key, first_seed=k)
            self._k, self._of_seed = k, tuple(islice(self._rest, self.per_seed))
        return self._of_seed[within]


def open_event(store: Store, definition: dict[str, Any], bots: Sequence[Bot], secret: bytes, any_engine: bool) -> EventRow:
    """The store's event of this definition, added if it is new. Raises StoreError if another engine version began it, unless
    ``any_engine``: then the event is marked with this one, too."""
    event = event_id(definition)
    if store.event(event) is None:
        rows = [BotRow(b.name, b.identity, b.version, b.complete, b.asked_as, str(Path.cwd())) for b in bots]
        commitment = seeds.commitment(event, secret)
        store.add_event(event, canonical(definition).decode(), __version__, commitment, secret, rows)
    row = _stored(store, event)
    if __version__ not in row.engines:
        if not any_engine:
            raise StoreError(
                f"{store.folder}: event {event} was begun by khiva-arena {row.engines[0]}, this is {__version__}; "
                "finish it with that one, give another --out, or go on and have it marked with --any-engine"
            )
        store.add_engine(event, __version__)
        row = _stored(store, event)
    return row


def _stored(store: Store, event: str) -> EventRow:
    row = store.event(event)
    assert row is not None
    return row


class Play:
    """The part of an event that is still to be played. Iterate ``jobs`` lazily; give each outcome to ``fix``."""

    def __init__(self, store: Store, event: EventRow, chosen: LineUps, commands: Sequence[Command]) -> None:
        self._store = store
        self._event = event
        self._definition = event.definition
        self._chosen = chosen
        self._commands = commands
        self._sandbox = sandbox_as_stored(event.definition)
        self.totals = totals(chosen, self._definition["seeds"])
        self.done = store.fixed(event.id)
        self.set_aside: set[tuple[int, int]] = set()
        self._voids = {row.ordinal: row.attempt for row in store.voids(event.id)}
        self._planned: dict[int, Match] = {}
        self._per_seed = self.totals.line_ups * self.totals.rotations
        self._fixed = Counter(ordinal // self._per_seed for ordinal in self.done)

    def jobs(self) -> Iterator[Job]:
        """What is not fixed, in schedule order; tables set aside meanwhile are passed over."""
        for match in schedule(self._chosen, self._definition["seeds"], key=schedule_key(self._definition)):
            if match.ordinal in self.done or (match.k, match.lineup) in self.set_aside:
                continue
            self._planned[match.ordinal] = match
            attempt = self._voids.get(match.ordinal, 0) + 1
            yield self._job(match, attempt)

    def _job(self, match: Match, attempt: int) -> Job:
        secret = seeds.seed_secret(self._event.secret, match.k)
        bots = self._definition["bots"]
        who = [(bots[bot]["name"], bots[bot]["identity"]) for bot in match.bots]
        header = header_of(self._definition, who, match_id(self._event.id, match.ordinal), secret)
        return Job(match.ordinal, attempt, header, secret, tuple(self._commands[bot] for bot in match.bots), self._sandbox)

    def fix(self, outcome: Outcome, *, last: bool) -> None:
        """Store an outcome. ``last``: a void that will not be played again now, so that its table is set aside."""
        match = self._planned[outcome.ordinal]
        if outcome.record is None:
            self._store.void(_void_row(self._event.id, match, outcome))
            if last:
                self.set_aside.add((match.k, match.lineup))
            return
        self._fixed[match.k] += 1
        self._store.fix(_match_row(self._event.id, match, outcome), self._reveals(match.k))
        del self._planned[outcome.ordinal]
        self.done.add(outcome.ordinal)

    def _reveals(self, k: int) -> dict[int, bytes]:
        """What the match that is being fixed reveals: the last one on its seed that seed's secret, the last one the run's."""
        out: dict[int, bytes] = {}
        if self._fixed[k] == self._per_seed:
            out[k] = seeds.seed_secret(self._event.secret, k)
        if len(self.done) + 1 == self.totals.matches:
            out[RUN_SECRET] = self._event.secret
        return out


def _match_row(event: str, match: Match, outcome: Outcome) -> MatchRow:
    record = outcome.record
    assert record is not None
    rows = [
        SeatRow(
            seat=seat,
            bot=match.bots[seat],
            rank=record.ranks[seat],
            score=record.scores[seat],
            verdict=str(record.verdicts[seat]),
            faults=[[str(blame.verdict), blame.detail, blame.gather] for blame in report.faults],
            decisions=report.decisions,
            thought=report.thought,
            slowest=report.slowest,
            bank_left=report.bank_left,
            cpu=report.ending.cpu,
            status=report.ending.status,
            notes=report.ending.notes,
            notes_total=report.ending.notes_total,
            peak=report.ending.peak,
            paused=report.paused,
        )
        for seat, report in enumerate(outcome.seats)
    ]
    return MatchRow(
        event=event,
        ordinal=match.ordinal,
        id=record.header.match,
        seed=match.k,
        lineup=match.lineup,
        rotation=match.rotation,
        digest=record.digest,
        record=record.to_json(),
        attempt=outcome.attempt,
        req_start=outcome.req_start,
        seconds=outcome.seconds,
        finished=now(),
        seats=tuple(rows),
    )


def _void_row(event: str, match: Match, outcome: Outcome) -> VoidRow:
    cpu = [report.ending.cpu for report in outcome.seats]
    return VoidRow(event, match.ordinal, outcome.attempt, match.k, match.lineup, list(match.bots), outcome.void, cpu, now())
