"""Pools of events that make one table, and their results, read from a store: for
standings, plan, export and bundle.
"""

import heapq
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite
from operator import attrgetter

from msgspec import UNSET, structs

from khiva_arena.bots.sandbox.limits import DEFAULT, WORDS, in_words
from khiva_arena.common.result import FAULTS, VOIDS_MOST, Result
from khiva_arena.common.say import Say, say_nothing
from khiva_arena.common.text import harmless
from khiva_arena.competition.events import results
from khiva_arena.competition.events.conditions import common, entrants_of, pooled
from khiva_arena.competition.events.draw_factors import WatchedResults
from khiva_arena.competition.events.extending import KNOWN
from khiva_arena.competition.events.find import matches_of, voids_of
from khiva_arena.competition.events.looks import CountedResults
from khiva_arena.competition.events.selection import EVERYBODY, Among, counting, counting_in
from khiva_arena.competition.events.stored import damaged
from khiva_arena.errors import ConfigError
from khiva_arena.games.which import which_of
from khiva_arena.rating.ratings.widening import PLAIN, Widening
from khiva_arena.rating.report.in_common import InCommon
from khiva_arena.rating.report.standings import AnchorAt, Entrant, Standings, standings
from khiva_arena.rating.report.tally import Collected, EventsData
from khiva_arena.records.store.db import EventRow, Store, VoidRow
from khiva_arena.records.store.reads import BESIDE
from khiva_arena.words import ranges

MOST_ELO = 10_000
_NUMBER = r"[-+]?\d+(?:\.\d+)?"
_GIVEN = re.compile(rf"(?P<bot>.+)=(?P<elo>{_NUMBER})(?::(?P<sd>\d+(?:\.\d+)?))?")

# --- events ---


def pools_of(events: Sequence[EventRow], among: Among) -> list[list[EventRow]]:
    """Return pools of the events in which two bots or more count; pools of all events
    if everybody counts.
    """
    return pooled(
        [event for event in events if among == EVERYBODY or len(counting(event, among)) > 1]
    )


def titles(tables: Sequence[Sequence[EventRow]], among: Among = EVERYBODY) -> list[str]:
    """Return the line above each of the tables that are shown together: the game
    played, and the conditions.
    """
    labels = which_of([events[0].definition for events in tables])
    return [_title(events, label, among) for events, label in zip(tables, labels, strict=True)]


def _title(events: Sequence[EventRow], label: str, among: Among) -> str:
    same = common(events)
    seats = ", ".join(map(str, same.seats))
    by_id = {event.id: str(event.number) for event in events}
    numbers = _numbers(events, {event.id: _mark(event, by_id) for event in events})
    bots = f"; {among.words}" if among.words else ""
    engines = sorted({engine for event in events for engine in event.engines})
    mark = f"; played by khiva-arena {', '.join(engines)}" if len(engines) > 1 else ""
    apart = "; bots that may remember, apart" if events[0].definition.rated_apart else ""
    apart += "; played with persons, never rated" if events[0].definition.table else ""
    return harmless(
        f"{same.game}{label} at {seats} seats; turn {same.time['turn_ms']} ms, bank "
        f"{same.time['bank_ms']} ms, {same.policy}, "
        f"isolation {same.isolation}{_not_default(same)}{apart}; "
        f"event{'s' if len(events) > 1 else ''} {numbers}{bots}{mark}"
    )


def _numbers(events: Sequence[EventRow], marks: Mapping[str, str]) -> str:
    """Return the numbers of events with the mark of each, by id. Batches of a league in
    a row, without marks, are "1-200".
    """
    if all(event.definition.batch and not marks[event.id] for event in events):
        return ranges(event.number for event in events)
    return ", ".join(f"{event.number}{marks[event.id]}" for event in events)


def _mark(event: EventRow, numbers: Mapping[str, str]) -> str:
    """Return a note on an event that was closed or extends another, "" for any other
    event. ``numbers``: numbers of the others by id.
    """
    extends = event.definition.extends
    marks = ["closed before it was over"] if event.closed else []
    marks += [f"extends {numbers.get(extends, extends)}, {KNOWN}"] if extends else []
    return f" ({'; '.join(marks)})" if marks else ""


def _not_default(common: InCommon) -> str:
    """Return in words the limits, pondering, clock and time given back for a link that
    are not the default.
    """
    limits = [
        f"{WORDS[key]} {in_words(key, limit)}"
        for key, limit in common.limits.items()
        if limit != getattr(DEFAULT, key)
    ]
    link = common.time.get("link_ms", 0)
    note = (f"up to {link} ms of a remote bot's round trip given back",) if link else ()
    ticks = (f"paid in ticks of price list {common.meter}",) if common.meter is not UNSET else ()
    ponder = () if common.ponder or ticks else ("no pondering",)
    return "".join(f", {text}" for text in (*limits, *ponder, *note, *ticks))


# --- standings ---


def standings_of(
    events: Sequence[EventRow],
    scored: Iterable[Result] | EventsData,
    anchors: Sequence[str] = (),
    among: Among = EVERYBODY,
    say: Say = say_nothing,
) -> Standings:
    """Return the table of the events of one pool.

    scored: their results, read once; or their data, of batches of a league in which
        everybody counts.
    anchors: BOT, or BOT=ELO, or BOT=ELO:SD.
    among: the bots that count.
    say: gets a line before a long wait.
    """
    entrants = entrants_of(events, among)
    names = {name for bot in entrants for name in (bot.id, bot.name)}
    targets = [_parse_anchor(word, names) for word in anchors]
    plain = [target for target in targets if isinstance(target, str)]
    if len(targets) > 1 and plain:
        raise ConfigError(f"several anchors need a number each, as --anchor {plain[0]}=0")
    at = [target for target in targets if isinstance(target, AnchorAt)]
    collected, widening = (
        (scored, PLAIN)
        if isinstance(scored, EventsData)
        else _collected(events, scored, among, say)
    )
    in_table = {bot.id: number for number, bot in enumerate(entrants)}
    numbers = {event.id: [in_table.get(bot.identity, -1) for bot in event.bots] for event in events}
    anchor = plain[0] if plain else _anchor(events[0], entrants)
    return standings(collected, entrants, anchor, anchors=at, numbers=numbers, widening=widening)


def _collected(
    events: Sequence[EventRow], scored: Iterable[Result], among: Among, say: Say
) -> tuple[Collected, Widening]:
    """Return the results that count, and how wide intervals are since the draw followed
    results, or somebody may look.
    """
    counter, watcher = CountedResults(), WatchedResults(events)
    collected = _collect(events, counter.count(watcher.watch(scored)), among)
    return collected, structs.replace(watcher.widening(among, say), looks=counter.looks(events))


def _collect(events: Sequence[EventRow], scored: Iterable[Result], among: Among) -> Collected:
    """Return the results of matches at whose table every bot counts.

    Raises ConfigError if there are results, but none of them counts. A store with
    nothing played yet gives a table without numbers.
    """
    if among == EVERYBODY:
        return Collected(scored)
    counts = counting_in(events, among)
    collected, of_others = Collected(), 0
    for result in scored:
        if counts[result.event].issuperset(result.bots):
            collected.add(result)
        else:
            of_others += 1
    if of_others and not collected.matches:
        numbers = ", ".join(str(event.number) for event in events)
        raise ConfigError(
            f"{among.words}: no match of event {numbers} had only these bots at its table, "
            "so there is nothing to rate"
        )
    return collected


def _anchor(event: EventRow, entrants: Sequence[Entrant]) -> str | None:
    """Return the identity of the bot that an event is anchored on, None if that bot
    does not count.

    The definition's name is looked up, since a page may call the bot by another name.
    """
    definition = event.definition
    anchor = next(bot.identity for bot in definition.bots if bot.name == definition.anchor)
    return anchor if anchor in [bot.id for bot in entrants] else None


def _parse_anchor(word: str, names: set[str]) -> str | AnchorAt:
    """Return an anchor as the user gave it: the name of a bot, which may have any sign
    in it, or a name and a number.
    """
    if word in names or not (parts := _GIVEN.fullmatch(word)):
        return word
    elo, sd = float(parts["elo"]), float(parts["sd"] or 0)
    if not (isfinite(sd) and abs(elo) <= MOST_ELO and sd <= MOST_ELO):
        raise ConfigError(f"--anchor {word}: Elo and its deviation are {MOST_ELO} at most")
    return AnchorAt(parts["bot"], elo, sd)


# --- results ---


def results_of(store: Store, *events: EventRow) -> Iterator[Result]:
    """Return the results that ratings need, event by event in schedule order: of
    recorded matches and of those that stayed void.

    A void match that is still to be played again, since the run was interrupted, is
    left out.
    """
    for event in events:
        rows = voids_of(store, event)
        voids = {row.ordinal: row for row in rows}
        causes: dict[int, Counter[int]] = {}
        for row in rows:
            causes.setdefault(row.ordinal, Counter()).update(row.causes)
        not_begun = Counter(row.ordinal for row in rows if not (row.cpu or row.causes))
        merged = _recorded(store, event, voids, causes)
        if voids:
            merged = heapq.merge(
                merged, _set_aside(store, event, voids, causes), key=attrgetter("ordinal")
            )
        for result in merged:
            yield (
                structs.replace(result, not_begun=not_begun[result.ordinal])
                if result.ordinal in not_begun
                else result
            )


def _recorded(
    store: Store, event: EventRow, voids: Mapping[int, VoidRow], causes: Mapping[int, Counter[int]]
) -> Iterator[Result]:
    # version 0.1 did not count page faults, so they are unknown for what it played
    counts_faults = not any(engine.startswith("0.1.") for engine in event.engines)
    for match in matches_of(
        store, event, ("page_faults", "spent") if store.is_known_sound() else BESIDE
    ):
        void = voids.get(match.ordinal)
        measured = [seat.measured for seat in match.seats]
        if caused := causes.get(match.ordinal):
            measured = [costs._replace(caused=caused[seat]) for seat, costs in enumerate(measured)]
        if not counts_faults:
            measured = [costs._replace(page_faults=None) for costs in measured]
        result = results.of_row(event, match, void.attempt if void else 0, measured)
        for fault in [
            fault for faults in result.faults for fault, _ in faults if fault not in FAULTS
        ]:
            damaged(store, f"match {event.number}/{match.ordinal}", f"{fault!r} is not a fault")
        yield result


def _set_aside(
    store: Store, event: EventRow, voids: Mapping[int, VoidRow], causes: Mapping[int, Counter[int]]
) -> Iterator[Result]:
    recorded = store.recorded(event.id)
    for ordinal, void in voids.items():
        if ordinal not in recorded and void.attempt >= VOIDS_MOST:
            yield results.set_aside(event, void, causes[ordinal])
