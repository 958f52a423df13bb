"""``khiva-arena bundle``: events that are over in one file, for anyone to verify."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click
import msgspec

from khiva_arena import __version__
from khiva_arena.cli import standings as stored
from khiva_arena.cli.event import bare_timetable
from khiva_arena.cli.help import Verb
from khiva_arena.cli.lookup import damaged, events_of, matches_of, voids_of
from khiva_arena.cli.newfile import new_file
from khiva_arena.cli.options import store_argument
from khiva_arena.cli.places import placed
from khiva_arena.cli.say import say
from khiva_arena.errors import ConfigError, RecordError
from khiva_arena.ratings.matches import MatchRow
from khiva_arena.replay.record import Record
from khiva_arena.replay.verify import faults_of
from khiva_arena.report.places import HEADS, Places
from khiva_arena.report.places import to_json as places_to_json
from khiva_arena.report.standings import Entrant, Standings, standings
from khiva_arena.report.table import to_json
from khiva_arena.result import Verdict
from khiva_arena.schedule import formats
from khiva_arena.schedule.formats import Result
from khiva_arena.schedule.timetable import Timetable
from khiva_arena.store import bundle
from khiva_arena.store.db import EventRow, Store
from khiva_arena.text import harmless
from khiva_arena.words import count

MEASURED = ("cpu_s", "paused", "caused", "page_faults")
"""What standings tell of one machine and one run, which nobody else can check."""


@click.command("bundle", cls=Verb, short_help="Write one file that anyone can verify without the bots.")
@store_argument
@click.argument("out", metavar="OUT", type=click.Path(path_type=Path))
@click.argument("event", nargs=-1)
def command(store: Path, out: Path, event: tuple[str, ...]) -> None:
    """Write the events of STORE that are over, or each EVENT (by number or id), into the one new file OUT: definitions, bots by
    name and hash, commitments and revealed secrets, every record, run digests and standings. `khiva-arena verify OUT` checks
    all of it, without this store and without the bots. Nothing of times, hosts, paths or what bots wrote is in it."""
    with Store.read(store) as opened:
        events = in_order(events_of(opened, event))
        _check_over(opened, events)
        with new_file(out) as file:
            writer = bundle.Writer(file, __version__)
            told = [_add_event(writer, opened, replace(row, number=number)) for number, row in enumerate(events, 1)]
            for table in tables_of(told):
                writer.add(table)
            digest = writer.end()
    matches = sum(len(event.rows) for event in told)
    say(harmless(f"{count(matches, 'match', 'matches')} of {count(len(told), 'event')} are in {out}; bundle {digest}"))
    say(harmless(f"next: khiva-arena verify {shlex.quote(str(out))}"))


def in_order(events: Sequence[EventRow]) -> list[EventRow]:
    """Each event once, by number, however they were named."""
    return [event for _, event in sorted({event.number: event for event in events}.items())]


def _check_over(store: Store, events: Sequence[EventRow]) -> None:
    """Raise ConfigError with every event that cannot be told to all yet: its secrets are private until it is over."""
    problems = []
    for event in events:
        if store.conclusion(event.id) is None:
            done, planned = len(store.fixed(event.id)), bare_timetable(event).matches
            how_far = f"event {event.number} ({event.id}) is not over: {done} of {planned} matches are fixed"
            problems.append(f"{store.folder}: {how_far}; finish it with the command that began it, or name the events to bundle")
    if not events:
        problems.append(f"{store.folder}: no event in it yet; `khiva-arena run` plays one")
    if problems:
        raise ConfigError(problems)


def _add_event(writer: bundle.Writer, store: Store, event: EventRow) -> "Told":
    """Add all of an event. Returns its matches."""
    bots = [bundle.Bot(bot.name, bot.identity, bot.version, bot.complete) for bot in event.bots]
    public = msgspec.UNSET if event.public is None else event.public
    writer.add(bundle.Event(event.id, event.definition, event.commitment, list(event.engines), bots, public))
    for seed, secret in sorted(store.reveals(event.id).items()):
        writer.add(bundle.Reveal(seed, secret.hex()))
    voids: dict[int, int] = {}
    for void in voids_of(store, event):
        writer.add(bundle.Void(void.ordinal, void.attempt))
        voids[void.ordinal] = void.attempt
    told = Told(event, bare_timetable(event))
    for match in matches_of(store, event):
        try:
            record = match.parsed()
        except RecordError as error:
            damaged(store, f"match {event.number}/{match.ordinal}", str(error))
        writer.add(bundle.Match(match.ordinal, msgspec.json.decode(match.record)))
        told.add(match.ordinal, [seat.bot for seat in match.seats], record, voids.get(match.ordinal, 0))
    writer.add(bundle.Over(store.conclusion(event.id) or ""))
    return told


@dataclass(slots=True)
class Told:
    """The matches of an event as ratings and places need them, from their records alone. ``results``: by round, for formats that
    have places or draw a round from those before it."""

    event: EventRow
    timetable: Timetable
    rows: list[MatchRow] = field(default_factory=list)
    results: dict[int, list[Result]] = field(default_factory=dict)

    def add(self, ordinal: int, bots: Sequence[int], record: Record, voids: int) -> None:
        """Add the match at a place of the schedule. ``bots``: positions by seat."""
        place = self.timetable.place(ordinal)
        assert place is not None
        seed, lineup, rotation = place
        self.rows.append(
            MatchRow(
                event=self.event.id,
                table=f"{seed}/{lineup}",
                rotation=rotation,
                seed=stored.block_of(self.event, seed),
                bots=tuple(self.event.bots[bot].identity for bot in bots),
                ranks=record.ranks,
                faults=tuple(tuple(Verdict(verdict) for verdict, _ in faults) for faults in faults_of(record)),
                voids=voids,
            )
        )
        if self.event.definition["format"] in HEADS:
            in_round = self.results.setdefault(self.timetable.shape_of(ordinal).number, [])
            in_round.append(Result(seed, lineup, rotation, tuple(bots), record.ranks, record.scores))


def tables_of(told: Sequence[Told]) -> list[bundle.Standings]:
    """What ``standings --json`` gives for these events, but for what was measured, which is null."""
    by_id = {one.event.id: one for one in told}
    tables = []
    for events in stored.pooled([one.event for one in told]):
        members = [by_id[event.id] for event in events]
        table = to_json(_standings(events, [row for one in members for row in one.rows]))
        plain = [{key: None if key in MEASURED else value for key, value in row.items()} for row in table["rows"]]
        found = [_places(one) for one in members if one.event.definition["format"] in HEADS]
        more = {"rows": plain, **({"places": found} if found else {})}
        tables.append(bundle.Standings({**stored.in_common(events), **table, **more}))
    return tables


def _standings(events: Sequence[EventRow], rows: Sequence[MatchRow]) -> Standings:
    entrants = {bot.identity: Entrant(bot.identity, bot.name) for event in reversed(events) for bot in reversed(event.bots)}
    ordered = {bot.identity: entrants[bot.identity] for event in events for bot in event.bots}
    return standings(rows, list(ordered.values()), events[0].definition["anchor"])


def _places(told: Told) -> dict[str, Any]:
    event, rounds = told.event, [told.results[number] for number in sorted(told.results)]
    rows = tuple(placed(event, place) for place in formats.places(told.timetable.terms, rounds))
    form, of = event.definition["format"], len(told.timetable.shapes)
    return places_to_json(Places(event.id, event.number, form, len(rounds), of, rows))
