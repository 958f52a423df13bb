"""The work of ``khiva-arena show``: what a store holds, or one match of it."""

import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from khiva_arena.arbiter.stderr import notes_of
from khiva_arena.competition.find import events_of, match_of, matches_of, secret_of
from khiva_arena.games.registry import HASHED
from khiva_arena.replay.definition import DefinedBot
from khiva_arena.replay.story import story
from khiva_arena.report.columns import MARKS
from khiva_arena.report.text import listing
from khiva_arena.schedule.formats import FORMATS
from khiva_arena.store.db import EventRow, Store
from khiva_arena.store.rows import SeatRow
from khiva_arena.terminal.tty import list_width
from khiva_arena.text import harmless
from khiva_arena.words import count


def show(store: Path, match: str | None, notes: bool, as_json: bool) -> None:
    """Print the list, or one match."""
    with Store.read(store) as opened:
        if match is None:
            _list(opened, as_json)
        else:
            _show(opened, match, notes, as_json)


def _list(store: Store, as_json: bool) -> None:
    listed: list[dict[str, Any]] = []
    seated: list[str] = []
    for event in events_of(store, ()):
        names = [bot.name for bot in event.bots]
        for row in matches_of(store, event):
            seated.append("  ".join(_seated(event.definition.bots[seat.bot], seat) for seat in row.seats))
            result = [(names[seat.bot], seat.rank, seat.score, seat.verdict) for seat in row.seats]
            listed.append({"match": f"{event.number}/{row.ordinal}", "id": row.id, "seed": row.seed, "seats": result})
    if as_json:
        events = [
            {"event": e.number, "id": e.id, "begun": e.created, "closed": e.closed, "definition": e.definition.plain()}
            for e in events_of(store, ())
        ]
        click.echo(json.dumps({"events": events, "matches": listed}))
        return
    numbers = {event.id: event.number for event in events_of(store, ())}
    for event in events_of(store, ()):
        what = event.definition
        stage = f"stage {what.stage}, " if what.stage else ""
        each = " a round" if FORMATS[what.format].IN_ROUNDS else ""
        seed = f"{count(what.seeds, 'seed')}{each}" + (", drawn" if what.seed is None else ", given")
        click.echo(
            harmless(
                f"event {event.number} ({event.id}): {stage}{what.format}, {what.game}, {what.seats} seats, {seed}, "
                f"begun {event.created}" + _marks(event, numbers)
            )
        )
    table = [
        [
            row["match"],
            harmless(row["id"]),
            str(row["seed"]),
            harmless(seats),
        ]
        for row, seats in zip(listed, seated, strict=True)
    ]
    heads = ["match", "id", "seed", "by seat: bot, score (place)"]
    click.echo("\n".join(listing([heads, *table], list_width(), right=(2,))))


def _seated(bot: DefinedBot, seat: SeatRow) -> str:
    marks = f" [{', '.join(bot.marks)}]" if bot.marks else ""
    return f"{bot.name}{marks} {seat.score} ({seat.rank}.{'' if seat.verdict == 'ok' else ' ' + seat.verdict})"


def _marks(event: EventRow, numbers: Mapping[str, int]) -> str:
    closed = f", closed {event.closed} before it was over" if event.closed else ""
    before = event.definition.extends
    return closed + (f", extends event {numbers.get(before, before)}" if before else "")


def _show(store: Store, word: str, notes: bool, as_json: bool) -> None:
    event, row = match_of(store, word)
    record = row.parsed()
    if as_json:
        seats = [{name: getattr(seat, name) for name in seat.__struct_fields__} for seat in row.seats]
        beside = {"attempt": row.attempt, "req_start": row.req_start, "seconds": row.seconds, "finished": row.finished}
        click.echo(json.dumps({"record": json.loads(row.record), "seats": seats, "times": row.times, **beside}))
        return
    click.echo(story(record, secret_of(store, event, row.seed)[0]))
    for seat in row.seats:
        for mark in event.definition.bots[seat.bot].marks:
            click.echo(f"seat {seat.seat} is marked {mark}: {MARKS[mark]}")
        for verdict, detail, step in seat.faults:
            click.echo(harmless(f"seat {seat.seat}: {verdict} at step {step}: {detail}"))
        if notes:
            click.echo(notes_of(seat.seat, seat.notes, seat.notes_total))
    again = shlex.join(["khiva-arena", "match", "--from", str(store.folder), f"{event.number}/{row.ordinal}"])
    again += " --game FILE" if HASHED in record.header.rules_version else ""
    click.echo(harmless(f"to play it again: {again}"))
