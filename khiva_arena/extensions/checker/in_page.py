"""Check a bundle in a page: the audit of the command ``verify``, over a runner of
modules that the page has.

It runs under Pyodide, without processes, numpy and clocks. What it finds is told in
events, which are plain values:

    {"kind": "engine", "wrote", "checks"}: the versions that wrote the bundle, and that
        check it
    {"kind": "not_checked", "what"}: what is not checked, before anything else is said
    {"kind": "read", "matches"}: how many were read so far
    {"kind": "match", "event", "match", "verdict", "why"}: a match that was run again
    {"kind": "event", ...}: an event is through, with its problems and how many matches
        came to what
    {"kind": "table", ...}: what was counted from the records of a table, and what
        differs from the bundle's
    {"kind": "matches", "page"}: the matches that are sound by the rules, as
        display/page/browser/types.d.ts has them
    {"kind": "end", "verdict", "problems"}: the end of the check
"""

import io
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Protocol

from khiva_arena import __version__
from khiva_arena.bots.modules.runner.line import module_pages
from khiva_arena.common.result import Clock
from khiva_arena.common.say import say_nothing
from khiva_arena.competition.audit.audit_report import EventReport
from khiva_arena.competition.audit.bundle import BundledEvents, tables_from_records
from khiva_arena.competition.audit.compared import (
    Compared,
    note,
    unconfirmed_match,
    unpublished_match,
)
from khiva_arena.competition.audit.event import audit
from khiva_arena.competition.audit.replayed_match import SeatOrder, SeatResult, replayed
from khiva_arena.competition.audit.sample import RerunFindings, Unconfirmed
from khiva_arena.competition.events.counted_tables import counted_tables
from khiva_arena.errors import ArenaError, ConfigError, GameFault, RecordError, StoreError
from khiva_arena.extensions.checker.not_checked import (
    chain_not_checked,
    game_not_checked,
    needs_league,
    needs_own_games,
)
from khiva_arena.extensions.checker.plain_values import Heard, of_event, page_of, plain_table, shown
from khiva_arena.rating.report.differences import counted_differences
from khiva_arena.rating.schedule.names import Format
from khiva_arena.records.replay.definition import DefinedBot, Definition, ModuleFile
from khiva_arena.records.replay.league_format import OtherFormat
from khiva_arena.records.replay.record import Record
from khiva_arena.records.replay.ticks import refuse_unspoken
from khiva_arena.records.store import bundle

EQUAL, DIFFERS, CANNOT_TELL = "equal", "differs", "cannot tell here"
"""The verdicts of a match that was checked."""
UNREADABLE = "cannot be read"
"""The verdict of a file that is no bundle, or one that is damaged: there is no match to
speak of, or not all of them.
"""
NO_BUNDLE = (
    "this is no bundle of Khiva Arena (.khiva), or its beginning is damaged; take the file "
    "that `khiva-arena bundle` wrote"
)
DAMAGED = "this bundle is damaged: {}; fetch it again, and if it still is, ask its publisher"
NEVER_CHECKED = (
    "Elo and its errors: they are not computed here, and the order of the bundle's tables "
    "follows from them"
)
BY_THE_WALL = (
    "event {}: how its bots came to their choices, and faults: it was played by the wall "
    "clock, so its bots are not run again"
)
NO_MODULE = (
    "the bundle does not hold the module or the payload of {}: `khiva-arena bundle "
    "--with-modules` writes them"
)
Tell = Callable[[Heard], None]


class Machine(Protocol):
    """The page's own meter and runner."""

    def take(self, digest: str, data: bytes) -> None:
        """Keep a module or a payload by its SHA-256."""

    def run(
        self, module: str, payload: str, pages: int, key: bytes, orders: Sequence[SeatOrder]
    ) -> Sequence[SeatResult]:
        """Run a module from its start over orders. Raises HostFault, with the reason,
        if this machine cannot.

        pages: of memory that it may have
        """


class CannotTellError(Exception):
    """Why nothing can be said of a bundle here."""


class UnreadableError(Exception):
    """Why a file is no whole bundle."""


class _PageRerunner:
    """Runs the bots of events in ticks again, on the page's own machine: a
    ``RunsAgain``.

    files: the modules and payloads that it was handed.
    by_the_rules: how many matches of each event it was given, all of which the rules
        have confirmed.
    """

    say = staticmethod(say_nothing)

    def __init__(self, machine: Machine, tell: Tell) -> None:
        self._machine, self._tell = machine, tell
        self.files: set[ModuleFile] = set()
        self.by_the_rules: Counter[int] = Counter()

    def take(self, file: ModuleFile, data: bytes) -> None:
        self.files.add(file)
        self._machine.take(file.digest, data)

    def rerun(
        self,
        definition: Definition,
        matches: Mapping[int, tuple[Record, bytes]],
        report: EventReport,
        published: Collection[str] | None = None,
    ) -> None:
        bots = {bot.identity: bot for bot in definition.bots}
        unequal: dict[int, str] = {}
        unconfirmed: dict[int, Unconfirmed] = {}
        self.by_the_rules[report.number] += len(matches)
        for ordinal, (record, secret) in matches.items():
            one = self._unpublished(bots, record, published) or self._compared(
                definition, bots, record, secret
            )
            if one.difference:
                unequal[ordinal] = one.difference
            elif one.unconfirmed:
                unconfirmed[ordinal] = one.unconfirmed
            verdict, why = _verdict(one)
            self._tell(
                {
                    "kind": "match",
                    "event": report.number,
                    "match": ordinal,
                    "verdict": verdict,
                    "why": shown(why),
                }
            )
        note(report, RerunFindings(unequal, unconfirmed), matches)

    def _unpublished(
        self, bots: Mapping[str, DefinedBot], record: Record, published: Collection[str] | None
    ) -> Compared | None:
        """Return that nothing is known of a match if it lacks a bot that its league
        does not publish; else None.
        """
        seats = [bots[seat.bot] for seat in record.header.seats]
        hidden = [
            at
            for at, bot in enumerate(seats)
            if published is not None and bot.identity not in published
        ]
        lacking = [at for at in hidden if not {*seats[at].files} <= self.files]
        return (
            Compared("", unpublished_match(record, seats[lacking[0]].name, lacking))
            if lacking
            else None
        )

    def _compared(
        self, definition: Definition, bots: Mapping[str, DefinedBot], record: Record, secret: bytes
    ) -> Compared:
        seats, pages = [bots[seat.bot] for seat in record.header.seats], pages_of(definition)
        try:
            refuse_unspoken(definition.meter)
        except ConfigError as unspoken:
            return Compared("", unconfirmed_match(record, str(unspoken)))
        lacking = [number for number, bot in enumerate(seats) if not {*bot.files} <= self.files]
        if lacking:
            return Compared(
                "", unconfirmed_match(record, NO_MODULE.format(seats[lacking[0]].name), lacking)
            )

        def run(seat: int, orders: Sequence[SeatOrder]) -> Sequence[SeatResult]:
            module, key = (
                seats[seat].files[0].digest,
                record.header.seats[seat].number.to_bytes(8, "big"),
            )
            return self._machine.run(module, seats[seat].payload, pages, key, orders)

        return replayed(record, secret, run)


def _verdict(one: Compared) -> tuple[str, str]:
    if one.difference:
        return DIFFERS, one.difference
    return (CANNOT_TELL, one.unconfirmed.why) if one.unconfirmed else (EQUAL, "")


def check(data: bytes, machine: Machine, tell: Tell) -> None:
    """Check a bundle and tell what is found. The last event is the end, whatever the
    bundle holds.
    """
    is_read = True
    try:
        problems, unknown = _check(data, machine, tell)
    except UnreadableError as error:
        is_read, problems, unknown = False, [], [str(error)]
    except (
        CannotTellError,
        GameFault,
        ImportError,
    ) as error:  # of a game, or of a part of the arena, that a page has not
        problems, unknown = (
            [],
            [f"this page cannot check it: {error}; the command `khiva-arena verify` may"],
        )
    except OtherFormat as error:
        problems, unknown = [], [str(error)]
    except ArenaError as error:
        problems, unknown = [str(error)], []
    except (RecursionError, MemoryError) as error:
        problems, unknown = (
            [],
            [f"this browser has too little stack or memory for it: {type(error).__name__}"],
        )
    verdict = (
        DIFFERS if problems else UNREADABLE if not is_read else CANNOT_TELL if unknown else EQUAL
    )
    tell(
        {
            "kind": "end",
            "verdict": verdict,
            "problems": [*map(shown, problems)],
            "unknown": [*map(shown, unknown)],
        }
    )


def _check(data: bytes, machine: Machine, tell: Tell) -> tuple[list[str], list[str]]:
    """Return what differs, and what cannot be told. Raises UnreadableError,
    CannotTellError.
    """
    try:
        reader = bundle.Reader(io.BytesIO(data))
    except bundle.NoBundle:
        raise UnreadableError(NO_BUNDLE) from None
    except StoreError as error:  # a bundle, of another format
        raise CannotTellError(str(error)) from None
    damage: list[str] = []
    tell({"kind": "engine", "wrote": shown(reader.engine), "checks": __version__})
    tell({"kind": "not_checked", "what": NEVER_CHECKED})
    bundled = BundledEvents(_heard(reader.lines(), tell, damage))
    rerunner = _PageRerunner(machine, tell)
    result = audit(bundled, 1, rerunner)
    for report in result.events:
        tell(of_event(report, rerunner.by_the_rules.get(report.number, report.sound)))
    problems = [
        *(problem for report in result.events for problem in report.problems),
        *result.problems,
    ]
    if not problems:
        problems = _table_problems(bundled, tell, engine=reader.engine)
    sound = [event for event in bundled.events if hasattr(event, "matches")]
    tell({"kind": "matches", "page": page_of(sound, rerunner.files)})
    if damage and problems == damage:
        raise UnreadableError(DAMAGED.format(damage[0]))
    return problems, [line for report in result.events for line in report.unconfirmed]


def _heard(
    lines: Iterator[bundle.BundleLine], tell: Tell, damage: list[str]
) -> Iterator[bundle.BundleLine]:
    """Yield lines, and tell how far they have come, and what is not checked of them.
    Raises CannotTellError.

    Where the file is damaged, why is added to ``damage``, before it is raised.
    """
    events = matches = 0
    of_a_league = False
    try:
        for line in lines:
            if isinstance(line, bundle.MatchLine):
                matches += 1
                tell({"kind": "read", "matches": matches})
            elif (
                isinstance(line, bundle.LinkLine | bundle.EventLine)
                and needs_league(line)
                and not of_a_league
            ):
                of_a_league = True
                tell({"kind": "not_checked", "what": chain_not_checked()})
            if isinstance(line, bundle.EventLine):
                events += 1
                if needs_own_games(line):
                    tell(
                        {
                            "kind": "not_checked",
                            "what": game_not_checked(events, str(line.definition.get("game"))),
                        }
                    )
                if line.definition.get("clock") != Clock.TICKS:
                    tell({"kind": "not_checked", "what": BY_THE_WALL.format(events)})
                if line.definition.get("format") == Format.SPRT:
                    raise CannotTellError(
                        f"event {events} is a sequential test, whose end follows from "
                        "numbers that are fitted"
                    )
            yield line
    except RecordError as error:
        damage.append(shown(str(error)))
        raise


def pages_of(definition: Definition) -> int:
    """Return the pages of memory that a module of an event may have."""
    return module_pages(definition.limits.memory)


def _table_problems(bundled: BundledEvents, tell: Tell, *, engine: str) -> list[str]:
    """Count each table from the records, tell of it, and return what differs from the
    bundle's.

    engine: the version that says it wrote the bundle
    """
    problems: list[str] = []
    for number, (stored, own) in enumerate(
        tables_from_records(bundled, counted_tables, problems), 1
    ):
        found = [*counted_differences(stored, own.plain, engine=engine)]
        problems += [f"standings {number}: {problem}" for problem in found]
        tell(
            {"kind": "table", "number": number, **plain_table(own), "differs": [*map(shown, found)]}
        )
    return problems
