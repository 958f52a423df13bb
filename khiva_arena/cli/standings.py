"""``khiva-arena standings``: the rating table of a store."""

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import click

from khiva_arena.arbiter.pool import VOIDS_MOST
from khiva_arena.arbiter.resources import DEFAULT, WORDS, say
from khiva_arena.cli.lookup import damaged, events_of, matches_of, voids_of
from khiva_arena.cli.options import json_option, store_argument
from khiva_arena.ratings.matches import MatchRow
from khiva_arena.replay import seeds
from khiva_arena.replay.record import canonical, digest_of
from khiva_arena.report.standings import Entrant, EventConditions, Standings, pools, standings
from khiva_arena.report.table import to_json, to_text
from khiva_arena.result import FAULTS, Verdict
from khiva_arena.store.db import EventRow, SeatRow, Store, VoidRow
from khiva_arena.store.db import MatchRow as StoredMatch

CONDITIONS = ("isolation", "limits", "ponder")


@click.command("standings", short_help="Print the rating table of a store.")
@store_argument
@click.argument("event", nargs=-1)
@click.option("--anchor", metavar="BOT", help="The bot at 0 [default: as stored with the event: random, else the first bot].")
@json_option
def command(store: Path, event: tuple[str, ...], anchor: str | None, as_json: bool) -> None:
    """Print the rating table of STORE, or of each EVENT in it (by number or id). Events with equal game, rules, time,
    policy, isolation, limits and pondering are pooled into one table; others are printed apart."""
    print_standings(store, event, as_json=as_json, anchor=anchor)


def print_standings(folder: Path, words: Sequence[str], *, as_json: bool, anchor: str | None) -> None:
    """Print one table for each pool of events."""
    with Store.read(folder) as store:
        events = {row.id: row for row in events_of(store, tuple(words))}
        found = []
        for pool in pools(_conditions(event) for event in events.values()):
            members = [events[condition.event] for condition in pool]
            found.append((members, _standings(store, members, anchor)))
    if as_json:
        click.echo(json.dumps({"standings": [{**_terms(members), **to_json(table)} for members, table in found]}))
        return
    for members, table in found:
        click.echo(_title(members))
        click.echo(to_text(table))
    if not found:
        click.echo(f"no event in {folder} yet")


def _conditions(event: EventRow) -> EventConditions:
    what = event.definition
    rules = f"{what['rules_version']} {digest_of(what['rules'])}"
    kept_in = canonical([what[key] for key in CONDITIONS]).decode()
    return EventConditions(event.id, what["game"], rules, canonical(what["time"]).decode(), what["policy"], kept_in)


def _terms(events: Sequence[EventRow]) -> dict[str, Any]:
    """What the events of one table have in common, and their seat counts."""
    what = events[0].definition
    common = {key: what[key] for key in ("game", "rules_version", "time", "policy", *CONDITIONS)}
    return {"events": [event.id for event in events], "seats": sorted({e.definition["seats"] for e in events}), **common}


def _title(events: Sequence[EventRow]) -> str:
    what = _terms(events)
    seats = ", ".join(map(str, what["seats"]))
    time = what["time"]
    engines = sorted({engine for event in events for engine in event.engines})
    mark = f"; played by khiva-arena {', '.join(engines)}" if len(engines) > 1 else ""
    return (
        f"{what['game']} at {seats} seats; turn {time['turn_ms']} ms, bank {time['bank_ms']} ms, {what['policy']}, "
        f"isolation {what['isolation']}{_kept_otherwise(what)}; "
        f"event{'s' if len(events) > 1 else ''} {', '.join(str(e.number) for e in events)}{mark}"
    )


def _kept_otherwise(what: dict[str, Any]) -> str:
    """What bots are kept in besides, as far as it is not the default."""
    limits = [f"{WORDS[key]} {say(key, most)}" for key, most in what["limits"].items() if most != getattr(DEFAULT, key)]
    return "".join(f", {text}" for text in (*limits, *(() if what["ponder"] else ("no pondering",))))


def _standings(store: Store, events: Sequence[EventRow], anchor: str | None) -> Standings:
    entrants = {bot.identity: Entrant(bot.identity, bot.name) for event in reversed(events) for bot in reversed(event.bots)}
    ordered = {bot.identity: entrants[bot.identity] for event in events for bot in event.bots}
    rows = [row for event in events for row in match_rows(store, event)]
    return standings(rows, list(ordered.values()), anchor or events[0].definition["anchor"])


def match_rows(store: Store, event: EventRow) -> list[MatchRow]:
    """What the ratings need of an event: its fixed matches and those that stayed void. One that was void and is still to be
    played again, since the run was interrupted, is neither."""
    voids = {row.ordinal: row for row in voids_of(store, event)}
    out = []
    for match in matches_of(store, event):
        void = voids.pop(match.ordinal, None)
        out.append(
            MatchRow(
                event=event.id,
                table=f"{match.seed}/{match.lineup}",
                rotation=match.rotation,
                seed=_block(event, match.seed),
                bots=tuple(event.bots[seat.bot].identity for seat in match.seats),
                ranks=tuple(seat.rank for seat in match.seats),
                faults=tuple(_faults(store, event, match, seat) for seat in match.seats),
                voids=void.attempt if void else 0,
                cpu_s=tuple(seat.cpu for seat in match.seats),
                paused=tuple(seat.paused for seat in match.seats),
            )
        )
    return out + [_set_aside(event, void) for void in voids.values() if void.attempt >= VOIDS_MOST]


def _faults(store: Store, event: EventRow, match: StoredMatch, seat: SeatRow) -> tuple[Verdict, ...]:
    for verdict, *_ in seat.faults:
        if verdict not in FAULTS:
            damaged(store, f"match {event.number}/{match.ordinal}", f"{verdict!r} is no fault")
    return tuple(Verdict(verdict) for verdict, *_ in seat.faults)


def _set_aside(event: EventRow, void: VoidRow) -> MatchRow:
    return MatchRow(
        event=event.id,
        table=f"{void.seed}/{void.lineup}",
        rotation=void.ordinal % event.definition["seats"],
        seed=_block(event, void.seed),
        bots=tuple(event.bots[bot].identity for bot in void.bots),
        voids=void.attempt,
        set_aside=True,
        cpu_s=tuple(void.cpu),
    )


def _block(event: EventRow, seed: int) -> str:
    """Names the deal, so that events of one run secret share blocks; a hash, since the secret may not be revealed yet."""
    return sha256(b"khiva-block-1\0" + seeds.seed_secret(event.secret, seed)).hexdigest()[:16]
