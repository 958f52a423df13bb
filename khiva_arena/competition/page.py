"""What a page of results shows, made from a store or a bundle: see ``report/page_data.py`` for what that is, and what it leaves
out."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from khiva_arena import __version__
from khiva_arena.competition.page_source import PageSource, RecordedMatch, page_source
from khiva_arena.competition.tables import PooledTable
from khiva_arena.games.registry import get
from khiva_arena.replay.frames import Film, block, film
from khiva_arena.report import html
from khiva_arena.report.page_data import PageBot, PageColumn, PageData, PageEvent, PageMatch, PageRound, PageTable
from khiva_arena.report.sections import by_seeds
from khiva_arena.report.table import notes, shown_columns
from khiva_arena.sandbox.limits import WORDS, say
from khiva_arena.store.db import RUN_SECRET, EventRow
from khiva_arena.store.new_file import new_file
from khiva_arena.text import LONGEST, harmless, isolated

REPLAYS_MOST = 2**21
"""Bytes of replays that a page holds unless it was told otherwise."""


def page_of(path: Path, words: Sequence[str] = (), title: str = "", replays: int = REPLAYS_MOST) -> str:
    """The page of a store, or of a bundle, which is checked first. ``words``: events of the store, by number or the beginning of
    their ids. ``replays``: how many bytes of replays it may hold.

    Raises ConfigError for what is not there, StoreError or RecordError for what cannot be read, is damaged or does not verify.
    """
    with page_source(path, words) as source:
        rated = {(match.event, match.table) for one in source.tables for match in one.standings.evidence.matches}
        blocks = _Blocks(replays)
        data = PageData(
            title=harmless(title or _title(source.events)),
            engine=__version__,
            source=source.kind,
            verify=source.verify,
            events=[_event(source, event) for event in source.events],
            tables=[_table(one) for one in source.tables],
            matches=[match for event in source.events for match in _matches(source, event, rated, blocks)],
            scenery={name: dict(get(name).scenery) for name in {event.definition.game for event in source.events}},
            legal=blocks.legal,
        )
    return html.page(data, blocks.made)


def write_page(path: Path, page: str) -> None:
    """Write a page, over an older one if there is one. Raises ConfigError, or ArenaError if the disk is full."""
    with new_file(path, replaces=html.BEGINNING.encode()) as file:
        file.write(page.encode())


def _title(events: Sequence[EventRow]) -> str:
    games = sorted({get(event.definition.game).title for event in events})
    return " and ".join(games) + ": results" if games else "No event yet"


def _event(source: PageSource, event: EventRow) -> PageEvent:
    what = event.definition
    plain = what.plain()
    game = get(what.game)
    timetable = source.timetable(event)
    default = game.rules({})
    drawn = [found for shape in timetable.shapes if (found := timetable.round(shape.number)) is not None]
    secrets, digest = source.secrets(event), source.digest(event)
    return PageEvent(
        number=event.number,
        id=event.id,
        format=str(what.format),
        stage="" if what.stage is None else str(what.stage),
        game=what.game,
        title=game.title,
        rules_version=what.rules_version,
        rules=plain["rules"],
        changed={key: value for key, value in plain["rules"].items() if default.get(key) != value},
        seats=what.seats,
        seeds=timetable.seeds,
        matches=timetable.matches,
        recorded=sum(1 for _ in source.matches(event)),
        void=source.voids(event),
        over=digest is not None,
        time=plain["time"],
        policy=str(what.policy),
        isolation=str(what.isolation),
        limits={WORDS[key]: say(key, most) for key, most in plain["limits"].items()},
        ponder=what.ponder,
        engines=list(event.engines),
        begun=event.created,
        commitment=event.commitment,
        digest=digest or "",
        secret=secrets[RUN_SECRET].hex() if RUN_SECRET in secrets else "",
        public=harmless(event.public or ""),
        bots=[PageBot(bot.identity, harmless(bot.name), harmless(bot.version), bot.complete) for bot in event.bots],
        rounds=[PageRound(one.number + 1, one.first_ordinal, len(one.line_ups), list(one.byes)) for one in drawn],
    )


def _table(one: PooledTable) -> PageTable:
    rows = one.standings.rows
    columns = [
        PageColumn(column.head, column.field, column.doc, column.left, [harmless(column.text(row)) for row in rows])
        for column in shown_columns(one.standings, wide=False)
    ]
    return PageTable(
        one.title, columns, [harmless(note) for note in notes(one.standings)], one.to_json(), by_seeds(one.standings)
    )


def _matches(source: PageSource, event: EventRow, rated: set[tuple[str, str]], blocks: "_Blocks") -> Iterator[PageMatch]:
    """Of an event, in the order of its schedule; replays are made seed by seed, once the seed is revealed."""
    secrets = source.secrets(event)
    names = [isolated(bot.name, LONGEST) for bot in event.bots]
    for match in source.matches(event):
        result = match.result
        secret = secrets.get(result.seed)
        yield PageMatch(
            event=event.number,
            ordinal=result.ordinal,
            seed=result.seed,
            lineup=result.lineup,
            rotation=result.rotation,
            id=result.match,
            bots=list(result.bots),
            ranks=list(result.ranks),
            scores=list(result.scores),
            verdicts=list(map(str, result.verdicts)),
            faults=_faults(match),
            rated=(event.id, result.table) in rated,
            seconds=None if match.seconds is None else round(match.seconds, 3),
            replay=None if secret is None else blocks.add(f"{event.id} {result.seed}", match, secret, names),
        )
    blocks.close()


def _faults(match: RecordedMatch) -> list[list[Any]]:
    return [
        [seat, str(verdict), step, harmless(match.details[seat][at]) if match.details else ""]
        for seat, faults in enumerate(match.result.faults)
        for at, (verdict, step) in enumerate(faults)
    ]


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

    def add(self, of: str, match: RecordedMatch, secret: bytes, names: Sequence[str]) -> list[int] | None:
        """Add a match; returns its block and its place in that, None if there is no room. ``of``: names the deal."""
        if of != self._of:
            self.close()
            self._of = of
        if self._left <= 0:
            return None
        self._films.append(film(match.parsed(), secret, [names[bot] for bot in match.result.bots]))
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
