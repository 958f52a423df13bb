"""Pages of results, made from a store or a bundle: ``display/page/data.py`` lists their
values, and those left out.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from inspect import getdoc
from pathlib import Path
from typing import Any

from msgspec import structs

from khiva_arena import __version__
from khiva_arena.bots.sandbox.limits import WORDS, in_words
from khiva_arena.common.result import Result
from khiva_arena.common.shipped import adviser
from khiva_arena.common.text import harmless
from khiva_arena.competition.events.find import uncollected
from khiva_arena.competition.events.pool_tables import PooledTable
from khiva_arena.competition.pages.page_source import (
    SECTIONS,
    PageSource,
    RecordedMatch,
    tables_with_points,
)
from khiva_arena.competition.pages.replays import Replays, Wish
from khiva_arena.competition.pages.times import DecisionTimes, FaultCosts, RoundTrips
from khiva_arena.display.page import html
from khiva_arena.display.page.data import (
    PageBot,
    PageColumn,
    PageData,
    PageEvent,
    PageLineUp,
    PageMatch,
    PageNotPlayed,
    PageRound,
    PageSitter,
    PageTable,
)
from khiva_arena.display.page.released import check_it_yourself
from khiva_arena.games.registry import get
from khiva_arena.games.which import changed, which_of
from khiva_arena.rating.report import shapes
from khiva_arena.rating.report.columns import MARKS
from khiva_arena.rating.report.rating_table import shown_columns
from khiva_arena.rating.report.section_names import SAYS
from khiva_arena.rating.report.sections import by_seeds
from khiva_arena.rating.report.table_notes import notes
from khiva_arena.rating.schedule.formats import FORMATS, DrawnRound, places
from khiva_arena.rating.schedule.gauntlet import candidates_of
from khiva_arena.rating.schedule.scores import BotSums, bot_sums
from khiva_arena.rating.schedule.timetable import Timetable
from khiva_arena.records.replay.definition import DefinedBot
from khiva_arena.records.store.db import RUN_SECRET, BotRow, EventRow
from khiva_arena.records.store.new_file import new_file
from khiva_arena.records.store.rows import NotPlayed

REPORT_MOST, LINE_MOST = 1_900, 300
"""Characters of the report on a bot that was left out, and of its first line: a page
cuts what is longer.
"""
REMOTE = "remote"  # of the marks
CountMatch = Callable[[EventRow, RecordedMatch], None]


@uncollected()
def page_from(
    source: PageSource, title: str, wish: Wish, receipt: str = "", settings: str = ""
) -> str:
    """Return the page of a store or a bundle.

    title: "" for one made of the events' games and numbers.
    receipt: the newest link of the league's chain; "" without a league.
    settings: the name of the file with the settings of its newest event; "" if that is
        not known.

    Raises StoreError or RecordError for a match that cannot be read, is damaged or does
    not verify.
    """
    replays, times, trips = (
        Replays(wish),
        DecisionTimes(source.tables, wish.private.times),
        RoundTrips(),
    )
    costs = FaultCosts(source.tables, wish.private.times)
    rated = {place for one in source.tables for place in one.standings.evidence.matches.places()}
    matches = html.MatchList()
    data = PageData(
        title=harmless(title or title_of(source.events)),
        engine=__version__,
        source=source.kind,
        verify=source.verify,
        events=[
            _event(source, *one)
            for one in zip(source.events, _game_titles(source.events), strict=True)
        ],
        tables=[],
        scenery=_scenery(source.events),
        legal=replays.box.legal,
        receipt=receipt,
        checker=check_it_yourself(),
        not_played=[
            _not_played(event, bot, wish.private.reports(bot.word))
            for event, bot in source.not_played
        ],
    )
    for event, page_event in zip(source.events, data.events, strict=True):
        if wish.folder:
            wish.folder.begin(structs.replace(data, events=[page_event], tables=[], not_played=[]))
        matches.add(_matches(source, event, rated, replays, [times.add, trips.add, costs.add]))
        for position, bot in enumerate(page_event.bots):
            if REMOTE in bot.marks and (round_trip := trips.in_words(event, position)):
                bot.marks[REMOTE] = f"{bot.marks[REMOTE]}; {round_trip}"
    replays.box.close()
    if wish.folder:
        wish.folder.finish()
    for number, table in enumerate(tables_with_points(source, replays.points)):
        page_table = _table(table, table.verdict(settings, store=source.kind == "store"))
        data.tables.append(
            structs.replace(
                page_table, times=times.of(number), notes=[*page_table.notes, *costs.of(number)]
            )
        )
    return html.page(data, matches, replays.box.blocks)


def write_page(path: Path, page: str) -> None:
    """Write a page, over an older one if there is one. Raises ConfigError, or
    ArenaError if the disk is full.
    """
    with new_file(path, replaces=html.BEGINNING) as file:
        file.write(page.encode())


def title_of(events: Sequence[EventRow]) -> str:
    """Return the title of a page of these events if its maker gives no other."""
    games = sorted(set(_game_titles(events)))
    return " and ".join(games) + ": results" if games else "No event yet"


def _game_titles(events: Sequence[EventRow]) -> list[str]:
    """Return the title of each event's game, with the rules that tell it from the
    others.
    """
    played = [event.definition for event in events]
    games = [get(definition.game, definition.rules_version) for definition in played]
    return [f"{game.title}{variant}" for game, variant in zip(games, which_of(played), strict=True)]


def _scenery(events: Sequence[EventRow]) -> dict[str, dict[str, Any]]:
    """Return by game the data that its drawing needs."""
    versions = {event.definition.game: event.definition.rules_version for event in events}
    return {name: dict(get(name, version).scenery) for name, version in versions.items()}


def _not_played(event: int, bot: NotPlayed, with_report: bool) -> PageNotPlayed:
    text = bot.report or bot.line if with_report else ""
    if len(text) > REPORT_MOST:  # the hint is at its end
        text = (
            f"{text.partition(chr(10))[0][:LINE_MOST]}\n...\n{text[LINE_MOST + 5 - REPORT_MOST :]}"
        )
    why = f"{bot.why}: {harmless(bot.fault)}" if bot.fault else str(bot.why)
    return PageNotPlayed(event, harmless(bot.name), why, harmless(text, keep="\n"))


def _event(source: PageSource, event: EventRow, game_title: str) -> PageEvent:
    definition = event.definition
    plain = definition.plain()
    game = get(definition.game, definition.rules_version)
    timetable = source.timetable(event)
    form = FORMATS[definition.format]
    secrets, digest = source.secrets(event), source.digest(event)
    return PageEvent(
        number=event.number,
        id=event.id,
        format=definition.called,
        stage=str(definition.stage) if definition.stage else "",
        about=getdoc(form) or "",
        after=definition.after or _stage_before(source.events, event),
        candidates=list(candidates_of(timetable.terms)) if "candidates" in form.TAKES else [],
        game=definition.game,
        title=game.title,
        rules_version=definition.rules_version,
        rules=plain["rules"],
        changed=changed(definition),
        played=harmless(game_title),
        seats=definition.seats,
        seeds=timetable.seeds,
        matches=timetable.matches,
        recorded=source.recorded(event),
        void=source.voids(event),
        over=digest is not None and event.closed is None,
        time=plain["time"] | ({"link_ms": definition.link_ms} if definition.link_ms else {}),
        policy=str(definition.policy),
        isolation=str(definition.isolation),
        limits={WORDS[key]: in_words(key, limit) for key, limit in plain["limits"].items()},
        ponder=definition.ponder,
        engines=list(event.engines),
        begun=event.created,
        commitment=event.commitment,
        digest=digest or "",
        secret=secrets[RUN_SECRET].hex() if RUN_SECRET in secrets else "",
        public=harmless(event.public or ""),
        bots=[_bot(bot, defined) for bot, defined in zip(event.bots, definition.bots, strict=True)],
        rounds=rounds_of(timetable, (match.result for match in source.matches(event))),
        adviser=adviser(definition.game),
    )


def _bot(bot: BotRow, defined: DefinedBot) -> PageBot:
    marks = {mark: MARKS[mark] for mark in defined.marks}
    return PageBot(
        bot.identity,
        harmless(bot.name),
        harmless(bot.version),
        bot.complete,
        marks,
        list(defined.env),
    )


def _stage_before(events: Sequence[EventRow], event: EventRow) -> str:
    """Return the id of the last event of the stage before, "" for none: definitions
    that 0.1 wrote do not name it.
    """
    stage = event.definition.stage
    return next(
        (
            row.id
            for row in reversed(events)
            if stage and row.number < event.number and row.definition.stage == stage - 1
        ),
        "",
    )


def _table(table: PooledTable, said: str) -> PageTable:
    rows = table.standings.rows
    columns = [
        PageColumn(
            column.head,
            column.field,
            column.doc,
            column.left,
            [harmless(column.text(row)) for row in rows],
        )
        for column in shown_columns(table.standings, wide=False)
    ]
    headline = table.headline()
    more = said.removeprefix(
        headline
    ).strip()  # how many more seeds would tell, and the command: of use to its organiser
    remarks = [harmless(note) for note in [*([more] if more else []), *notes(table.standings)]]
    turn = table.events[0].definition.plain()["time"]["turn_ms"]
    meanings = shapes.meanings(shapes.PlacedBot) | {name: SAYS[name] for name in SECTIONS}
    by_seed = by_seeds(table.standings)
    summary = harmless(f"{headline} {table.by_source}".strip())
    return PageTable(
        table.title, columns, remarks, table.to_json(), meanings, by_seed, turn, [], summary
    )


def _matches(
    source: PageSource,
    event: EventRow,
    rated: set[tuple[str, int, int]],
    replays: Replays,
    counts: Sequence[CountMatch],
) -> Iterator[PageMatch]:
    """Yield the matches of an event in the order of its schedule, with replays of those
    whose seed is revealed.
    """
    secrets = source.secrets(event)
    for match in source.matches(event):
        for count in counts:
            count(event, match)
        result = match.result
        secret = secrets.get(result.seed)
        plain = PageMatch(
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
            faults=_faults(match, with_details=secret is not None),
            rated=(event.id, result.seed, result.lineup) in rated,
            seconds=None if match.seconds is None else round(match.seconds, 3),
            replay=None,
        )
        yield plain if secret is None else replays.place(event, match, secret, plain)


def _faults(match: RecordedMatch, with_details: bool) -> list[list[Any]]:
    """Return [seat, verdict, step, detail] of each fault.

    with_details: whether details are given; they may repeat words that a bot sent, and
        so tell of its hand.
    """
    return [
        [
            seat,
            str(verdict),
            step,
            harmless(match.details[seat][at]) if with_details and match.details else "",
        ]
        for seat, faults in enumerate(match.result.faults)
        for at, (verdict, step) in enumerate(faults)
    ]


def rounds_of(timetable: Timetable, results: Iterable[Result]) -> list[PageRound]:
    """Return the rounds that are drawn, [] for a format that is not played in rounds.

    results: all that are recorded, which are read only if they are needed.
    """
    if not FORMATS[timetable.terms.format].IN_ROUNDS:
        return []
    draws = [
        draw for shape in timetable.shapes if (draw := timetable.round(shape.number)) is not None
    ]
    of_rounds: list[list[Result]] = [[] for _ in timetable.shapes]
    for result in results:
        of_rounds[timetable.shape_of(result.ordinal).number].append(result)
    fields = [
        {bot for table in draw.line_ups for bot in table}.union(draw.byes) for draw in draws[1:]
    ]  # who is in before it
    if sum(map(len, of_rounds)) == timetable.matches:
        fields.append(
            {placing.bot for placing in places(timetable.terms, of_rounds) if placing.place == 1}
        )
    return [
        _round(timetable, one, of_rounds[one.number], fields[at] if at < len(fields) else set())
        for at, one in enumerate(draws)
    ]


def _round(
    timetable: Timetable, draw: DrawnRound, results: Sequence[Result], through: set[int]
) -> PageRound:
    sums = dict(enumerate(bot_sums(timetable.terms.bots, results)))
    line_ups = [_line_up(table, sums, through) for table in draw.line_ups]
    return PageRound(
        draw.number + 1,
        draw.first_ordinal,
        timetable.shapes[draw.number].matches,
        list(draw.byes),
        line_ups,
    )


def _line_up(table: Sequence[int], sums: Mapping[int, BotSums], through: set[int]) -> PageLineUp:
    """Return a table of a round. In such a round, a bot sits at one table alone."""
    order = sorted(
        table,
        key=lambda bot: (bot not in through, -sums[bot].halves, -sums[bot].firsts, -sums[bot].game),
    )
    sitters = [
        PageSitter(
            bot,
            None if (score := sums[bot].score) is None else round(float(100 * score), 3),
            sums[bot].game,
            bot in through,
        )
        for bot in order
    ]
    through_sums, out_sums = (
        [sums[bot] for bot in order if bot in through],
        [sums[bot] for bot in order if bot not in through],
    )
    return PageLineUp(
        sitters, _decided(through_sums[-1], out_sums[0]) if through_sums and out_sums else ""
    )


def _decided(last_in: BotSums, first_out: BotSums) -> str:
    """Return the tie-break between two bots of equal score, as a knockout decides it;
    "" if their scores differ.
    """
    if last_in.halves != first_out.halves:
        return ""
    if last_in.firsts != first_out.firsts:
        return "more first places"
    return "more points" if last_in.game != first_out.game else "the better seeding"
