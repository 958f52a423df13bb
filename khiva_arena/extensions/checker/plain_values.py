"""Plain lists and mappings in which a page is told of a checked bundle."""

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from khiva_arena.bots.sandbox import regular_files
from khiva_arena.common.result import SPOKEN_PRICE_LISTS, Result
from khiva_arena.common.text import LONGEST, harmless, isolated
from khiva_arena.competition.audit.audit_report import EventReport
from khiva_arena.competition.audit.bundled_event import BundledEvent
from khiva_arena.competition.events.counted_tables import CountedPool
from khiva_arena.competition.events.in_bundle import match_in
from khiva_arena.errors import ConfigError
from khiva_arena.games.registry import HASHED, get
from khiva_arena.games.which import which
from khiva_arena.records.replay.definition import Definition, ModuleFile
from khiva_arena.records.replay.frames import film, names_in_text, opened
from khiva_arena.records.replay.record import Record, canonical
from khiva_arena.records.store import bundle
from khiva_arena.records.store.rows import EventRow

SHOWN_NAME = 60
Heard = dict[str, Any]


def of_event(report: EventReport, by_the_rules: int) -> Heard:
    """Return what was found of an event as plain values. ``by_the_rules``: how many
    matches are equal by the rules.
    """
    return {
        "kind": "event",
        "event": report.number,
        "id": report.event,
        "planned": report.planned,
        "by_the_rules": by_the_rules,
        "rerun": None
        if report.rerun is None
        else report.rerun + report.without_bots - report.claims,
        "differ": len(report.unsound_matches),
        "cannot_tell": len(report.unconfirmed),
        "digest": report.digest,
        "problems": [*map(shown, report.problems)],
    }


def page_of(events: Iterable[BundledEvent], files: Collection[ModuleFile]) -> Heard:
    """Return events and their matches as plain values.

    events: those whose definitions are sound.
    files: the modules and payloads that the page holds.
    """
    page: Heard = {"events": [], "tables": [], "matches": [], "scenery": {}}
    for one in events:
        page["events"].append(plain_event(one.event) | _goes_on(one.event.definition, files))
        page["matches"] += [plain_match(one.event.number, result) for result in one.matches.results]
    return page


def _goes_on(of: Definition, files: Collection[ModuleFile]) -> Heard:
    """Return whether a page can play the matches of an event on: with another choice,
    and with a person at a seat.

    A person's own seat needs no module.
    """
    has_all = all(bot.person or {*bot.files} <= {*files} for bot in of.bots)
    with_person = (
        of.in_ticks
        and has_all
        and HASHED not in of.rules_version
        and of.meter in SPOKEN_PRICE_LISTS
    )
    return {
        "goes_on": with_person and not any(bot.person for bot in of.bots),
        "takes_over": with_person,
    }


def plain_event(event: EventRow) -> Heard:
    """Return an event as the viewer of pages takes it."""
    of = event.definition
    bots = [{"id": bot.identity, "name": isolated(bot.name, SHOWN_NAME)} for bot in event.bots]
    plain = {
        "number": event.number,
        "format": of.format,
        "seats": of.seats,
        "game": of.game,
        "rules": dict(of.rules),
    }
    return plain | {"played": shown(f"{of.game}{which(of)}"), "bots": bots, "rounds": []}


def plain_match(event: int, of: Result) -> list[Any]:
    """Return a match in the order of ``page.data.PageMatch``: as a match that is rated,
    which takes an unknown time.
    """
    faults = [
        [seat, str(fault), step, ""]
        for seat, faults in enumerate(of.faults)
        for fault, step in faults
    ]
    places = [
        event,
        of.ordinal,
        of.seed,
        of.lineup,
        of.rotation,
        of.match,
        of.bots,
        of.ranks,
        of.scores,
    ]
    return [*places, [*map(str, of.verdicts)], faults, True, None, [0, 0]]


def replay(path: Path, name: str) -> Heard:
    """Return a match of a bundle as the viewer of pages takes it. Raises ArenaError if
    there is none that replays.

    name: EVENT/ORDINAL.
    """
    with regular_files.open_file(
        path
    ) as file:  # not opened_bundle: a page has no extension, and tells what it does not check
        record, secret = match_in(bundle.Reader(file), name, path)
    return film_of(record, secret)


def event_of(path: Path, number: int) -> tuple[Definition, frozenset[ModuleFile]]:
    """Return the definition of an event of a bundle that was checked, and the modules
    and payloads in the bundle.

    Raises ConfigError if there is no such event, StoreError or RecordError if it is
    damaged.
    """
    definitions: list[Definition] = []
    held: set[ModuleFile] = set()
    with regular_files.open_file(path) as file:
        for line in bundle.Reader(file).lines():
            if isinstance(line, bundle.EventLine):
                definitions.append(Definition.read(canonical(line.definition).decode()))
            elif isinstance(line, bundle.ModuleLine | bundle.PayloadLine):
                held.add(
                    ModuleFile(
                        "module" if isinstance(line, bundle.ModuleLine) else "payload",
                        line.identity,
                    )
                )
    if not 1 <= number <= len(definitions):
        raise ConfigError(f"there is no event {number} in this bundle")
    return definitions[number - 1], frozenset(held)


def film_of(record: Record, secret: bytes) -> Heard:
    """Return a match as the viewer of pages takes it. Raises RecordError if its record
    does not replay.
    """
    header = record.header
    reel = film(record, secret, names_in_text([seat.name for seat in header.seats]), sketches=True)
    return opened(reel) | {"scenery": dict(get(header.game, header.rules_version).scenery)}


def plain_table(own: CountedPool) -> Heard:
    """Return a counted table as plain values, the bots in the order of their points."""
    table, names = own.counts, own.names
    order = sorted(table.bots, key=lambda bot: -(table.bots[bot].score or 0))
    rows = [
        {
            "name": isolated(names[bot], SHOWN_NAME),
            "matches": of.matches,
            "score": None if of.score is None else round(of.score, 1),
            "finishes": [of.finishes[place] for place in range(1, table.seats + 1)],
            "faults": sum(of.faults.values()),
            "against": [of.halves.get(other) for other in order],
        }
        for bot, of in ((bot, table.bots[bot]) for bot in order)
    ]
    return {"matches": table.matches, "rows": rows}


def shown(text: str) -> str:
    """Return words that a bundle may have had a hand in, as a page shows them."""
    return harmless(text, LONGEST)
