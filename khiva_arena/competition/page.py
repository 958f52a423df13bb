"""What a page of results shows, read from a store: see ``report/page_data.py`` for what that is, and what it leaves out."""

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from khiva_arena import __version__
from khiva_arena.competition.events import timetable_of
from khiva_arena.competition.find import events_of, matches_of, voids_of
from khiva_arena.competition.results import block_of
from khiva_arena.competition.tables import PooledTable, tables_of
from khiva_arena.games.registry import get
from khiva_arena.replay.frames import Film, block, film
from khiva_arena.report import html
from khiva_arena.report.page_data import PageBot, PageColumn, PageData, PageEvent, PageMatch, PageRound, PageTable
from khiva_arena.report.sections import by_seeds
from khiva_arena.report.table import notes, shown_columns
from khiva_arena.sandbox.limits import WORDS, say
from khiva_arena.store.db import EventRow, MatchRow, Store
from khiva_arena.text import harmless

SECTIONS = ("crosstable", "seats", "cycles", "connectivity")
REPLAYS_MOST = 2**21
"""Bytes of replays that a page holds unless it was told otherwise."""


def page_of(folder: Path, words: Sequence[str] = (), title: str = "", replays: int = REPLAYS_MOST) -> str:
    """The page of a store's events. ``words``: those of them, by number or the beginning of their ids. ``replays``: how many bytes
    of replays it may hold.

    Raises ConfigError for what is not there, StoreError for a store that cannot be read or is damaged.
    """
    tables = tables_of(folder, words, names=SECTIONS)
    with Store.read(folder) as store:
        events = events_of(store, tuple(words))
        rated = {(event, table) for one in tables for event, table in _rated(one)}
        blocks = _Blocks(replays)
        matches = [match for event in events for match in _matches(store, event, rated, blocks)]
        data = PageData(
            title=harmless(title or _title(events)),
            engine=__version__,
            source="store",
            verify=shlex.join(["khiva-arena", "verify", folder.name]),
            events=[_event(store, event) for event in events],
            tables=[_table(one) for one in tables],
            matches=matches,
            scenery={name: dict(get(name).scenery) for name in {event.definition.game for event in events}},
            legal=blocks.legal,
        )
    return html.page(data, blocks.made)


def _title(events: Sequence[EventRow]) -> str:
    games = sorted({get(event.definition.game).title for event in events})
    return " and ".join(games) + ": results" if games else "No event yet"


def _rated(one: PooledTable) -> Iterator[tuple[str, str]]:
    return ((match.event, match.table) for match in one.standings.evidence.matches)


def _event(store: Store, event: EventRow) -> PageEvent:
    what = event.definition
    game = get(what.game)
    timetable = timetable_of(store, event)
    default = game.rules({})
    drawn = [found for shape in timetable.shapes if (found := timetable.round(shape.number)) is not None]
    reveals = store.reveals(event.id)
    digest = store.conclusion(event.id)
    return PageEvent(
        number=event.number,
        id=event.id,
        format=str(what.format),
        stage="" if what.stage is None else str(what.stage),
        game=what.game,
        title=game.title,
        rules_version=what.rules_version,
        rules=what.plain()["rules"],
        changed={key: value for key, value in what.rules.items() if default.get(key) != value},
        seats=what.seats,
        seeds=timetable.seeds,
        matches=timetable.matches,
        recorded=len(store.recorded(event.id)),
        void=sum(void.attempt for void in voids_of(store, event)),
        over=digest is not None,
        time=what.plain()["time"],
        policy=str(what.policy),
        isolation=str(what.isolation),
        limits={WORDS[key]: say(key, most) for key, most in what.plain()["limits"].items()},
        ponder=what.ponder,
        engines=list(event.engines),
        begun=event.created,
        commitment=event.commitment,
        digest=digest or "",
        secret=reveals[-1].hex() if -1 in reveals else "",
        public=event.public or "",
        bots=[PageBot(bot.identity, harmless(bot.name), harmless(bot.version), bot.complete) for bot in event.bots],
        rounds=[PageRound(one.number + 1, one.first_ordinal, len(one.line_ups), list(one.byes)) for one in drawn],
    )


def _table(one: PooledTable) -> PageTable:
    rows = one.standings.rows
    columns = [
        PageColumn(column.head, column.field, column.doc, column.left, [harmless(column.text(row)) for row in rows])
        for column in shown_columns(one.standings, wide=False)
    ]
    return PageTable(one.title, columns, [harmless(note) for note in notes(one.standings)], one.to_json(), by_seeds(one.standings))


def _matches(store: Store, event: EventRow, rated: set[tuple[str, str]], blocks: "_Blocks") -> Iterator[PageMatch]:
    """Of an event, in the order of its schedule; replays are made seed by seed, once the seed is revealed."""
    reveals = store.reveals(event.id)
    names = [harmless(bot.name) for bot in event.bots]
    for row in matches_of(store, event):
        secret = reveals.get(row.seed)
        replay = None if secret is None else blocks.add(block_of(event, row.seed), row, secret, names)
        yield PageMatch(
            event=event.number,
            ordinal=row.ordinal,
            seed=row.seed,
            lineup=row.lineup,
            rotation=row.rotation,
            id=row.id,
            bots=[seat.bot for seat in row.seats],
            ranks=[seat.rank for seat in row.seats],
            scores=[seat.score for seat in row.seats],
            verdicts=[str(seat.verdict) for seat in row.seats],
            faults=[
                [seat.seat, verdict, step, harmless(detail)] for seat in row.seats for verdict, detail, step in seat.faults
            ],
            rated=(event.id, f"{row.seed}/{row.lineup}") in rated,
            seconds=round(row.seconds, 3),
            replay=replay,
        )
    blocks.close()


class _Blocks:
    """Replays, those of a seed in one block as long as there is room.

    made: compressed blocks.
    legal: lists of choices, which all of them share.
    """

    def __init__(self, most: int) -> None:
        self.made: list[bytes] = []
        self.legal: list[Any] = []
        self._left = most
        self._numbers: dict[str, int] = {}
        self._films: list[Film] = []
        self._of = ""

    def add(self, of: str, row: MatchRow, secret: bytes, names: Sequence[str]) -> list[int] | None:
        """Add a match; returns its block and its place in that, None if there is no room. ``of``: names the deal."""
        if of != self._of:
            self.close()
            self._of = of
        if self._left <= 0:
            return None
        self._films.append(film(row.parsed(), secret, [names[seat.bot] for seat in row.seats]))
        return [len(self.made), len(self._films) - 1]

    def close(self) -> None:
        """End the block."""
        if self._films:
            self.made.append(html.compressed(block(self._films, self._shared)))
            self._left -= len(self.made[-1]) * 4 // 3
            self._films = []

    def _shared(self, choices: Any) -> int:
        number = self._numbers.setdefault(repr(choices), len(self.legal))
        if number == len(self.legal):
            self.legal.append(choices)
        return number
