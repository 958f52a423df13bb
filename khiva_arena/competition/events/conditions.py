"""The events that make one table: their pools, what they have in common, and their
bots. Nothing here needs numpy.
"""

from collections.abc import Sequence
from typing import Any

from msgspec import structs, to_builtins

from khiva_arena.competition.events.selection import EVERYBODY, Among, counting
from khiva_arena.games.which import changed
from khiva_arena.rating.report.entrants import Entrant
from khiva_arena.rating.report.in_common import InCommon
from khiva_arena.records.replay.conditions import MARKS
from khiva_arena.records.replay.definition import Definition
from khiva_arena.records.replay.record import canonical, digest_of
from khiva_arena.records.store.rows import EventRow


def pooled(events: Sequence[EventRow]) -> list[list[EventRow]]:
    """Return the events in pools, each event once; a pool makes one table.

    The events of a pool have equal game, rules, time, policy, isolation, limits,
    pondering, time given back for a link, and clock, with the price list of its ticks.
    Matches that are played alone are apart, since they are never rated. Events with
    bots that may remember are apart from the others, unless the organiser rates them
    together.
    """
    pools: dict[bytes, list[EventRow]] = {}
    for event in {event.id: event for event in events}.values():
        pools.setdefault(conditions(event.definition), []).append(event)
    return list(pools.values())


def conditions(definition: Definition) -> bytes:
    """Return the bytes that are equal in two events if they make one table."""
    plain = definition.plain()
    same = [
        plain[key]
        for key in ("game", "rules_version", "time", "policy", "isolation", "limits", "ponder")
    ]
    of_ticks = [definition.clock, definition.meter, bool(definition.table)]
    return canonical(
        [*same, *of_ticks, digest_of(definition.rules), definition.rated_apart, definition.link_ms]
    )


def in_common(events: Sequence[EventRow]) -> dict[str, Any]:
    """Return the settings that the events of one table share, and their seat counts, as
    plain JSON values.
    """
    plain: dict[str, Any] = to_builtins(common(events))
    return plain


def common(events: Sequence[EventRow]) -> InCommon:
    """Return the settings that the events of one table share, and their seat counts."""
    plain = events[0].definition.plain()
    same = {key: plain[key] for key in InCommon.__struct_fields__[2:] if key in plain}
    if link_ms := plain.get("link_ms"):
        same["time"] = {**plain["time"], "link_ms": link_ms}
    return InCommon(
        [event.id for event in events], sorted({event.definition.seats for event in events}), **same
    )


def settings_of(events: Sequence[EventRow]) -> dict[str, Any]:
    """Return what the events have in common, with rules that are not the game's
    defaults, and which event each extends.
    """
    rules = {"rules": variants} if (variants := changed(events[0].definition)) else {}
    extends = {event.id: before for event in events if (before := event.definition.extends)}
    return {**in_common(events), **({"extends": extends} if extends else {}), **rules}


def entrants_of(events: Sequence[EventRow], among: Among = EVERYBODY) -> list[Entrant]:
    """Return the bots of events that count, in the order they were first named. Each
    has the name of the first event that has it.
    """
    entrants: dict[str, Entrant] = {}
    for event in events:
        for position in sorted(counting(event, among)):
            bot = event.bots[position]
            entrants.setdefault(bot.identity, Entrant(bot.identity, bot.name))
    marks = marks_of(events)
    return [structs.replace(bot, marks=marks.get(bot.id, ())) for bot in entrants.values()]


def marks_of(events: Sequence[EventRow]) -> dict[str, tuple[str, ...]]:
    """Return the marks that each bot has in at least one of the events, by its
    identity.
    """
    marks_by_bot: dict[str, set[str]] = {}
    for event in events:
        for bot in event.definition.bots:
            marks_by_bot.setdefault(bot.identity, set()).update(bot.marks)
    return {
        identity: tuple(mark for mark in MARKS if mark in marks)
        for identity, marks in marks_by_bot.items()
    }
