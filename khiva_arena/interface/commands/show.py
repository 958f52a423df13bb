"""The work of ``khiva-arena show``: the events and matches of a store, or one match."""

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from khiva_arena.arbiter.stderr import notes_of
from khiva_arena.bots.modules.released import by_interpreter, described, lines_of
from khiva_arena.common.text import harmless
from khiva_arena.competition.events.extending import KNOWN
from khiva_arena.competition.events.find import (
    check_matches,
    events_of,
    match_of,
    matches_of,
    secret_of,
)
from khiva_arena.competition.events.stored import bare_timetable
from khiva_arena.display.terminal.console import say
from khiva_arena.display.terminal.tty import list_width
from khiva_arena.errors import ArenaError, ConfigError
from khiva_arena.games.which import which_of
from khiva_arena.interface.commands.next_step import ask_stronger, handed, if_yours, lost_seat
from khiva_arena.rating.report.columns import MARKS
from khiva_arena.rating.report.text import listing
from khiva_arena.rating.schedule.formats import FORMATS
from khiva_arena.records.replay.conditions import kept_at
from khiva_arena.records.replay.definition import DefinedBot
from khiva_arena.records.replay.seeds import ID_LENGTH
from khiva_arena.records.replay.story import story
from khiva_arena.records.replay.verify import verify
from khiva_arena.records.store.db import EventRow, MatchRow, Store
from khiva_arena.records.store.rows import SeatRow
from khiva_arena.words import count

if TYPE_CHECKING:
    from khiva_arena.competition.events.transcripts import SeatTranscript

_LINES_AT_ONCE = 1_000
NONE_KEPT = "a run with --transcripts keeps those of bots with `reports = true` in their bot.toml"


def show(
    store: Path, match: str | None, notes: bool, as_json: bool, *, transcript: bool = False
) -> None:
    """Print the list, or one match. Raises ConfigError for a transcript of no match, or
    of one whose deal is not revealed.
    """
    if transcript and match is None:
        raise ConfigError(
            "--transcript: of which match? Name one: khiva-arena show STORE EVENT/ORDINAL "
            "--transcript"
        )
    with Store.read(store) as db:
        if match is None:
            _list(db, as_json)
        else:
            _show(db, match, notes, as_json, transcript=transcript)


def _list(store: Store, as_json: bool) -> None:
    events = events_of(store, ())
    for event in events:
        check_matches(store, event)  # before anything is printed
    if as_json:
        _list_as_json(store, events)
        return
    numbers = {event.id: event.number for event in events}
    for event, variant in zip(
        events, which_of([event.definition for event in events]), strict=True
    ):
        definition = event.definition
        stage = f"stage {definition.stage}, " if definition.stage else ""
        each = " a round" if FORMATS[definition.format].IN_ROUNDS else ""
        at_most = "at most " if FORMATS[definition.format].SEQUENTIAL else ""
        seed = f"{at_most}{count(definition.seeds, 'seed')}{each}" + (
            ", drawn" if definition.seed is None else ", given"
        )
        click.echo(
            harmless(
                f"event {event.number} ({event.id}): {stage}{definition.called}, "
                f"{definition.game}{variant}, "
                f"{definition.seats} seats, {seed}, begun {event.created}" + _marks(event, numbers)
            )
        )
        for line in lines_of(by_interpreter(definition.with_payloads)):
            click.echo(harmless(f"  {line}"))
    for lines in _match_lines(store, events):
        click.echo("\n".join(lines))


def _list_as_json(store: Store, events: Sequence[EventRow]) -> None:
    """Print events and matches as JSON, match by match, since there may be very
    many.
    """
    about = [
        {
            "event": e.number,
            "id": e.id,
            "begun": e.created,
            "closed": e.closed,
            "definition": e.definition.plain(),
        }
        for e in events
    ]
    click.echo(f'{{"events": {json.dumps(about)}, "matches": [', nl=False)
    between = ""
    for event in events:
        names = [bot.name for bot in event.bots]
        for row in matches_of(store, event):
            result = [(names[seat.bot], seat.rank, seat.score, seat.verdict) for seat in row.seats]
            match = {
                "match": f"{event.number}/{row.ordinal}",
                "id": row.id,
                "seed": row.seed,
                "seats": result,
                "cell": row.cell,
            }
            click.echo(between + json.dumps(match), nl=False)
            between = ", "
    click.echo("]}")


def _match_lines(store: Store, events: Sequence[EventRow]) -> Iterator[list[str]]:
    """Yield the lines of a table of all matches, some at a time.

    Its columns are as wide as the largest numbers that the events will have.
    """
    timetables = [(event.number, bare_timetable(event)) for event in events]
    match = max(
        [len("match"), *(len(f"{number}/{all_of.matches - 1}") for number, all_of in timetables)]
    )
    seed = max([len("seed"), *(len(str(all_of.seeds - 1)) for _, all_of in timetables)])
    rows = [
        [
            "match".ljust(match),
            "id".ljust(ID_LENGTH),
            "seed".rjust(seed),
            "by seat: bot, score (place)",
        ]
    ]
    for event in events:
        for row in matches_of(store, event):
            seats = "  ".join(_seated(event.definition.bots[seat.bot], seat) for seat in row.seats)
            name = f"{event.number}/{row.ordinal}"
            rows.append(
                [name.ljust(match), harmless(row.id), str(row.seed).rjust(seed), harmless(seats)]
            )
            if len(rows) == _LINES_AT_ONCE:
                yield listing(rows, list_width())
                rows = []
    if rows:
        yield listing(rows, list_width())


def _seated(bot: DefinedBot, seat: SeatRow) -> str:
    marks = f" [{', '.join(bot.marks)}]" if bot.marks else ""
    return (
        f"{bot.name}{marks} {seat.score} "
        f"({seat.rank}.{'' if seat.verdict == 'ok' else ' ' + seat.verdict})"
    )


def _marks(event: EventRow, numbers: Mapping[str, int]) -> str:
    closing = f", closed {event.closed} before it was over" if event.closed else ""
    return closing + (f", {extends}" if (extends := _extends(event, numbers)) else "")


def _extends(event: EventRow, numbers: Mapping[str, int]) -> str:
    before = event.definition.extends
    return f"extends event {numbers.get(before, before)}, {KNOWN}" if before else ""


def _points(store: Store, event: EventRow, row: MatchRow) -> list[dict[str, Any]] | None:
    """Return where the points of each seat come from; None if the game does not say, or
    does not replay the match here.
    """
    try:
        by_source = verify(row.parsed(), secret_of(store, event, row.seed)).points_by_source
    except ArenaError:  # the record is printed all the same
        return None
    return [points._asdict() for points in by_source] if by_source else None


def _transcripts(store: Store, event: EventRow, row: MatchRow) -> dict[int, "SeatTranscript"]:
    # not above: few matches have any
    from khiva_arena.competition.events.transcripts import check_revealed, transcripts_of

    check_revealed(store, event, row)
    return transcripts_of(store, event, row.ordinal)


def _plain_seat(seat: SeatRow) -> dict[str, Any]:
    """Return a seat for programs, with its measurements under the keys that they have
    had since 0.1.0.
    """
    plain = {name: getattr(seat, name) for name in seat.__struct_fields__ if name != "measured"}
    measured = seat.measured
    return plain | {"cpu": measured.cpu_s, "paused": measured.paused, "major": measured.page_faults}


def _show(store: Store, word: str, notes: bool, as_json: bool, *, transcript: bool) -> None:
    event, row = match_of(store, word)
    transcripts = _transcripts(store, event, row) if transcript else {}
    if word == str(row.ordinal) and not as_json:  # an event may have been meant
        listed = f"khiva-arena show {shlex.quote(str(store.folder))}"
        say(harmless(f"this is match {event.number}/{word}; `{listed}` lists all matches"))
    record = row.parsed()
    if as_json:
        seats = [_plain_seat(seat) for seat in row.seats]
        beside = {
            "attempt": row.attempt,
            "req_start": row.req_start,
            "seconds": row.seconds,
            "finished": row.finished,
        }
        if transcript:
            found = [transcripts.get(seat.seat) for seat in row.seats]
            beside["transcripts"] = [one.plain() if one else None for one in found]
        beside |= {
            "extends": event.definition.extends,
            "cell": row.cell,
            "points": _points(store, event, row),
        }
        click.echo(
            json.dumps(
                {"record": json.loads(row.record), "seats": seats, "times": row.times, **beside}
            )
        )
        return
    if row.cell:
        click.echo(kept_at(row.cell))
    click.echo(story(record, secret_of(store, event, row.seed)))
    if extends := _extends(event, {other.id: other.number for other in store.events()}):
        click.echo(harmless(f"event {event.number} {extends}"))
    for sat in row.seats:
        if event.definition.bots[sat.bot].payload:
            click.echo(f"seat {sat.seat} ran in {described(event.definition.bots[sat.bot].module)}")
        for mark in event.definition.bots[sat.bot].marks:
            click.echo(f"seat {sat.seat} is marked {mark}: {MARKS[mark]}")
        for verdict, detail, step in sat.faults:
            click.echo(harmless(f"seat {sat.seat}: {verdict} at step {step}: {detail}"))
        if notes:
            click.echo(notes_of(sat.seat, sat.notes, sat.notes_total))
        if of_seat := transcripts.get(sat.seat):
            click.echo(of_seat.heading(sat.seat) + of_seat.for_people())
    if transcript and not transcripts:
        click.echo(f"transcripts: n/a; {NONE_KEPT}")
    name, game_flag = f"{event.number}/{row.ordinal}", handed(record.header)
    hint = if_yours(event.definition.isolation)
    seat = lost_seat(
        record.header.game, record.ranks, [event.bots[one.bot].asked_as for one in row.seats]
    )
    if seat is not None:
        ask = ask_stronger(
            record.header.game,
            str(store.folder),
            name,
            seat,
            in_ticks=event.definition.in_ticks,
            game_flag=game_flag,
        )
        click.echo(harmless(f"what a stronger bot would have chosen: {ask}{hint}"))
    again = shlex.join(["khiva-arena", "match", "--from", str(store.folder), name])
    hint = if_yours(
        event.definition.isolation, [event.definition.bots[sat.bot] for sat in row.seats]
    )
    click.echo(harmless(f"to play it again: {again}{game_flag}{hint}"))
