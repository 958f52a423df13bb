"""``khiva-arena standings``: the rating table of a store, and more about it on request."""

import gc
import json
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

import click

from khiva_arena.arbiter.resources import DEFAULT, WORDS, say
from khiva_arena.cli.help import Verb
from khiva_arena.cli.lookup import damaged, events_of, matches_of, voids_of
from khiva_arena.cli.names import under_a_table
from khiva_arena.cli.options import json_option, store_argument
from khiva_arena.cli.places import places_of
from khiva_arena.cli.width import table_width
from khiva_arena.errors import ConfigError
from khiva_arena.ratings.matches import MatchRow
from khiva_arena.replay import seeds
from khiva_arena.replay.record import canonical, digest_of
from khiva_arena.report import places, section_text, shapes
from khiva_arena.report.sections import EFFECTS, NAMES, Asked, sections
from khiva_arena.report.standings import AnchorAt, Entrant, EventConditions, Standings, pools, standings
from khiva_arena.report.table import to_json, to_text
from khiva_arena.report.text import paragraphs
from khiva_arena.result import FAULTS, Verdict
from khiva_arena.store.db import EventRow, SeatRow, Store, VoidRow
from khiva_arena.store.db import MatchRow as StoredMatch
from khiva_arena.text import harmless

CONDITIONS = ("isolation", "limits", "ponder")
ALL = "all"
MOST_ELO = 10_000
_AFTER_PLACES = (
    "The places are what the format decides. Elo, from the matches played, is an estimate of strength and decides nothing:"
)
_NUMBER = r"[-+]?\d+(?:\.\d+)?"
_GIVEN = re.compile(rf"(?P<bot>.+)=(?P<elo>{_NUMBER})(?::(?P<sd>\d+(?:\.\d+)?))?")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to print. ``anchors``: words as the user gave them."""

    anchors: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    effects: tuple[str, ...] = EFFECTS
    as_json: bool = False
    wide: bool = False


@click.command("standings", cls=Verb, short_help="Print the rating table of a store.")
@store_argument
@click.argument("event", nargs=-1)
@click.option(
    "--anchor",
    "anchors",
    multiple=True,
    metavar="BOT[=ELO[:SD]]",
    help="The bot at 0 [default: as stored with the event: random, else the first bot]. Or the bot at ELO, known to within SD; "
    "repeat for each.",
)
@click.option(
    "--section",
    "names",
    multiple=True,
    metavar="NAME",
    help=f"Also print a section: {', '.join(NAMES)}, or {ALL}; repeat for each.",
)
@click.option(
    "--effects", metavar="LIST", help="Print the section effects with only these fitted: seats or neighbours [default: both]."
)
@click.option("--wide", is_flag=True, help="Print every column, however wide the table gets.")
@json_option
def command(
    store: Path,
    event: tuple[str, ...],
    anchors: tuple[str, ...],
    names: tuple[str, ...],
    effects: str | None,
    wide: bool,
    as_json: bool,
) -> None:
    """Print the rating table of STORE, or of each EVENT in it (by number or id). Events with equal game, rules, time,
    policy, isolation, limits and pondering are pooled into one table; others are printed apart."""
    fitted = _effects(effects)
    wanted = Wanted(anchors, _sections((*names, *(("effects",) if effects else ()))), fitted, as_json, wide)
    _print(store, event, wanted)


def print_standings(folder: Path, words: Sequence[str], *, as_json: bool, anchor: str | None) -> None:
    """Print one table for each pool of events."""
    _print(folder, words, Wanted(anchors=(anchor,) if anchor else (), as_json=as_json))


def _sections(names: Sequence[str]) -> tuple[str, ...]:
    """The sections named, in the order they are printed. Raises ConfigError for what is none."""
    wrong = [name for name in names if name not in (*NAMES, ALL)]
    if wrong:
        raise ConfigError([f"there is no section {name!r}; there are {', '.join(NAMES)}, or {ALL}" for name in wrong])
    return tuple(name for name in NAMES if name in names or ALL in names)


def _effects(text: str | None) -> tuple[str, ...]:
    named = EFFECTS if text is None else tuple(part.strip() for part in text.split(","))
    if wrong := [name for name in named if name not in EFFECTS]:
        raise ConfigError([f"--effects: {name!r} is none; there are {' and '.join(EFFECTS)}" for name in wrong])
    return named


def _print(folder: Path, words: Sequence[str], wanted: Wanted) -> None:
    """All is read and worked out before the first line: a store that is damaged somewhere gives no table at all."""
    gc.disable()  # rows hold no cycles, and to look for some takes a tenth of the time
    try:
        with Store.read(folder) as store:
            made = [_made(store, members, wanted) for members in pooled(events_of(store, tuple(words)))]
    finally:
        gc.enable()
    if wanted.as_json:
        click.echo(json.dumps({"standings": [_json(one) for one in made]}))
        return
    width = table_width()
    for one in made:
        click.echo("\n".join(paragraphs([title(one.members)], width)))
        for placed in one.places:
            click.echo(places.to_text(placed, width))
        if one.places:
            click.echo("\n".join(paragraphs([_AFTER_PLACES], width)))
        click.echo(to_text(one.table, width, wanted.wide))
        if same := under_a_table([event.bots for event in one.members], {row.bot: row.name for row in one.table.rows}):
            click.echo(same)
        click.echo(section_text.to_text(one.table, one.found, wanted.sections, width), nl=False)
    if not made:
        click.echo(harmless(f"no event in {folder} yet"))


class _Made(NamedTuple):
    """One table with all that goes with it."""

    members: list[EventRow]
    table: Standings
    found: shapes.Sections
    places: list[places.Places]


def _made(store: Store, members: list[EventRow], wanted: Wanted) -> _Made:
    table = pooled_standings(store, members, wanted.anchors)
    by_age = sorted((event.number, event.id) for event in members)
    asked = Asked(wanted.sections, [(event, number) for number, event in by_age], wanted.effects)
    placed = [found for event in members if (found := places_of(store, event))]
    return _Made(members, table, sections(table, asked), placed)


def _json(one: _Made) -> dict[str, Any]:
    placed = {"places": [places.to_json(found) for found in one.places]} if one.places else {}
    return {**in_common(one.members), **to_json(one.table, one.found), **placed}


def pooled(events: Sequence[EventRow]) -> list[list[EventRow]]:
    """Events by what makes one table."""
    by_id = {event.id: event for event in events}
    return [[by_id[one.event] for one in pool] for pool in pools(_conditions(event) for event in by_id.values())]


def pooled_standings(store: Store, events: Sequence[EventRow], anchors: Sequence[str] = ()) -> Standings:
    """The table of events that make one. ``anchors``: BOT, or BOT=ELO, or BOT=ELO:SD."""
    entrants = {bot.identity: Entrant(bot.identity, bot.name) for event in reversed(events) for bot in reversed(event.bots)}
    ordered = {bot.identity: entrants[bot.identity] for event in events for bot in event.bots}
    rows = [row for event in events for row in match_rows(store, event)]
    names = {name for bot in ordered.values() for name in (bot.id, bot.name)}
    given = [_given(word, names) for word in anchors]
    plain = [one for one in given if isinstance(one, str)]
    if len(given) > 1 and plain:
        raise ConfigError(f"several anchors need a number each, as --anchor {plain[0]}=0")
    at = [one for one in given if isinstance(one, AnchorAt)]
    return standings(rows, list(ordered.values()), plain[0] if plain else events[0].definition["anchor"], anchors=at)


def _given(word: str, names: set[str]) -> str | AnchorAt:
    """An anchor as the user gave it: the name of a bot, which may have any sign in it, or a name and a number."""
    if word in names or not (parts := _GIVEN.fullmatch(word)):
        return word
    elo, sd = float(parts["elo"]), float(parts["sd"] or 0)
    if not (isfinite(sd) and abs(elo) <= MOST_ELO and sd <= MOST_ELO):
        raise ConfigError(f"--anchor {word}: Elo and its deviation are {MOST_ELO} at most")
    return AnchorAt(parts["bot"], elo, sd)


def _conditions(event: EventRow) -> EventConditions:
    what = event.definition
    rules = f"{what['rules_version']} {digest_of(what['rules'])}"
    kept_in = canonical([what[key] for key in CONDITIONS]).decode()
    return EventConditions(event.id, what["game"], rules, canonical(what["time"]).decode(), what["policy"], kept_in)


def in_common(events: Sequence[EventRow]) -> dict[str, Any]:
    """What the events of one table have in common, and their seat counts."""
    what = events[0].definition
    common = {key: what[key] for key in ("game", "rules_version", "time", "policy", *CONDITIONS)}
    return {"events": [event.id for event in events], "seats": sorted({e.definition["seats"] for e in events}), **common}


def title(events: Sequence[EventRow]) -> str:
    """The line above a table: what was played, and under which conditions."""
    what = in_common(events)
    seats = ", ".join(map(str, what["seats"]))
    time = what["time"]
    engines = sorted({engine for event in events for engine in event.engines})
    mark = f"; played by khiva-arena {', '.join(engines)}" if len(engines) > 1 else ""
    return harmless(
        f"{what['game']} at {seats} seats; turn {time['turn_ms']} ms, bank {time['bank_ms']} ms, {what['policy']}, "
        f"isolation {what['isolation']}{_kept_otherwise(what)}; "
        f"event{'s' if len(events) > 1 else ''} {', '.join(str(e.number) for e in events)}{mark}"
    )


def _kept_otherwise(what: dict[str, Any]) -> str:
    """What bots are kept in besides, as far as it is not the default."""
    limits = [f"{WORDS[key]} {say(key, most)}" for key, most in what["limits"].items() if most != getattr(DEFAULT, key)]
    return "".join(f", {text}" for text in (*limits, *(() if what["ponder"] else ("no pondering",))))


def match_rows(store: Store, event: EventRow) -> list[MatchRow]:
    """What the ratings need of an event: its fixed matches and those that stayed void. One that was void and is still to be
    played again, since the run was interrupted, is neither."""
    rows = voids_of(store, event)
    voids = {row.ordinal: row for row in rows}
    causes: defaultdict[int, Counter[int]] = defaultdict(Counter)
    for row in rows:
        causes[row.ordinal].update(row.causes)
    # the first version did not count them, so for what it played there is no telling
    counted = not any(engine.startswith("0.1.") for engine in event.engines)
    identities = [bot.identity for bot in event.bots]
    out = []
    for match in matches_of(store, event):
        void = voids.pop(match.ordinal, None)
        out.append(
            MatchRow(
                event=event.id,
                table=f"{match.seed}/{match.lineup}",
                rotation=match.rotation,
                seed=block_of(event, match.seed),
                bots=tuple([identities[seat.bot] for seat in match.seats]),
                ranks=tuple([seat.rank for seat in match.seats]),
                faults=tuple([_faults(store, event, match, seat) if seat.faults else () for seat in match.seats]),
                voids=void.attempt if void else 0,
                cpu_s=tuple([seat.cpu for seat in match.seats]),
                paused=tuple([seat.paused for seat in match.seats]),
                caused=_caused(causes[match.ordinal], len(match.seats)),
                page_faults=tuple([seat.major for seat in match.seats]) if counted else (),
            )
        )
    if not voids:
        return out
    from khiva_arena.arbiter.match import VOIDS_MOST  # not above: trio comes with it

    return out + [_set_aside(event, void, causes[void.ordinal]) for void in voids.values() if void.attempt >= VOIDS_MOST]


def _faults(store: Store, event: EventRow, match: StoredMatch, seat: SeatRow) -> tuple[Verdict, ...]:
    for verdict, *_ in seat.faults:
        if verdict not in FAULTS:
            damaged(store, f"match {event.number}/{match.ordinal}", f"{verdict!r} is no fault")
    return tuple(Verdict(verdict) for verdict, *_ in seat.faults)


def _caused(causes: Counter[int], seats: int) -> tuple[int, ...]:
    return tuple(causes[seat] for seat in range(seats)) if causes else ()


def _set_aside(event: EventRow, void: VoidRow, causes: Counter[int]) -> MatchRow:
    return MatchRow(
        event=event.id,
        table=f"{void.seed}/{void.lineup}",
        rotation=void.ordinal % event.definition["seats"],
        seed=block_of(event, void.seed),
        bots=tuple(event.bots[bot].identity for bot in void.bots),
        voids=void.attempt,
        set_aside=True,
        cpu_s=tuple(void.cpu),
        caused=_caused(causes, len(void.bots)),
    )


def block_of(event: EventRow, seed: int) -> str:
    """Names the deal, so that events of one run secret share blocks; a hash, since the secret may not be revealed yet."""
    return _hashed(event.secret, seed, event.public)


@lru_cache
def _hashed(secret: bytes, seed: int, public: str | None) -> str:
    return sha256(b"khiva-block-1\0" + seeds.seed_secret(secret, seed, public)).hexdigest()[:16]
