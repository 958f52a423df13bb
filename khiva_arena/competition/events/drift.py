"""Changes since an event was played, line by line.

A run with changes does not begin another event beside an unfinished one unnoticed. Nor
does it play an event again that is over, if only the price list of ticks has changed,
which a later version of the arena brings.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import structs

from khiva_arena.bots.sandbox.limits import in_words
from khiva_arena.competition.events.find import events_of
from khiva_arena.competition.events.stored import bare_timetable
from khiva_arena.competition.settings.table import TIMES
from khiva_arena.entrants.bots import Bot
from khiva_arena.errors import ConfigError
from khiva_arena.records.replay.conditions import MARKS
from khiva_arena.records.replay.definition import Definition, spellings
from khiva_arena.records.store.db import BotRow, EventRow, Store

DIGITS = 8
TIMES_DEFINED = {defined: name for name, defined in TIMES.items()}
WAYS_ON = (
    "restore what has changed and give the same command to continue; "
    "or begin another event beside it with --new-event; or give another --out"
)
WAYS_ON_OF_A_PLAN = "give another --out for the plan"


def refuse_changed(
    store: Store, definition: Definition, bots: Sequence[Bot], ways_on: str = WAYS_ON
) -> None:
    """Raise ConfigError if this definition would begin a new event although the store
    has an unfinished one.

    The error lists the differences from the most similar event. An unfinished event
    without a match does not count.
    """
    events = events_of(store, ())
    recorded = {
        event.id: len(store.recorded(event.id))
        for event in events
        if store.conclusion(event.id) is None
    }
    begun = [event for event in events if recorded.get(event.id)]
    if not begun:
        return
    # if a later stage was begun, an earlier one of the same competition has changed:
    # then that is to be compared
    stage = definition.stage
    alike = [event for event in begun if event.definition.stage == stage]
    alike = (
        alike or [event for event in events if stage and event.definition.stage == stage] or begun
    )
    lines, event = min(
        (
            (differences(event, spelt, bots), event)
            for event in alike
            for spelt in spellings(definition)
        ),
        key=lambda pair: (len(pair[0]), -pair[1].number),
    )
    if event in begun:
        planned = bare_timetable(event).matches
        state = (
            f"event {event.number} is not over, {recorded[event.id]} of {planned} matches are "
            "recorded; since it began:"
        )
    else:
        state = (
            f"event {begun[0].number}, a later stage, is not over; since event {event.number}, "
            f"stage {stage}, was played:"
        )
    lines = lines or ["the same settings have got another draw"]
    prefix = f"{store.folder}: {state}"
    raise ConfigError([f"{prefix} {lines[0]}", *(f"also: {line}" for line in lines[1:]), ways_on])


def refuse_other_prices(store: Store, definition: Definition) -> None:
    """Raise ConfigError if this definition would begin a new event although one of the
    same settings is over, whose ticks are of another price list. Seeds are not
    compared: an event is not extended by another list either.
    """
    if definition.extends is not None:
        return
    for event in events_of(store, ()):
        then = event.definition
        like = structs.replace(then, meter=definition.meter, seeds=definition.seeds, extends=None)
        if (
            then.meter
            and then.meter != definition.meter
            and definition.meter
            and like in spellings(definition)
        ):
            raise ConfigError(
                f"{store.folder}: event {event.number} of these settings is over. It was played in "
                f"ticks of price list {then.meter}, and this version plays by list "
                f"{definition.meter}, so this command would play it all again: give --new-event if "
                "it should, or another --out"
            )


def edited_bots(events: Sequence[EventRow], bots: Sequence[Bot]) -> str:
    """Return in words which bots differ from those of their names when these last
    played; "" if none does.
    """
    names_by_event: dict[int, list[str]] = {}
    for bot in bots:
        last = next(
            (event for event in reversed(events) if bot.name in event.definition.names), None
        )
        if last is not None and bot.identity not in {other.identity for other in last.bots}:
            names_by_event.setdefault(last.number, []).append(bot.name)
    return "; ".join(
        f"{', '.join(names)} changed since event {number}"
        for number, names in names_by_event.items()
    )


def differences(event: EventRow, definition: Definition, bots: Sequence[Bot | BotRow]) -> list[str]:
    """Return every difference between an event's definition and another one, a line
    each.
    """
    then, now = event.definition, definition
    if then.game != now.game:
        return [f"game was {then.game}, is {now.game}"]  # with it all rules have changed
    lines = _bots(event, bots)
    before, after = _flat(then.plain()), _flat(now.plain())
    for key in {**before, **after}:
        if before.get(key) != after.get(key) and not (
            lines and key == "anchor"
        ):  # which follows from the bots
            lines.append(_line(key, before.get(key), after.get(key)))
    lines += _of_bots(then, now)
    return lines or (["its definition differs"] if then != now else [])


def _of_bots(then: Definition, now: Definition) -> list[str]:
    """Return the other differences of bots that play in both: their authors, their
    permissions, where they run.
    """
    before = {bot.name: bot for bot in then.bots}
    authors = (
        ("author",) if then.authors_apart == now.authors_apart else ()
    )  # which stand there only if they are kept apart
    pairs = [(before[bot.name], bot) for bot in now.bots if bot.name in before]
    return [
        (
            f"bot {new.name}: {attribute} was {_of_bot(getattr(old, attribute))}, is "
            f"{_of_bot(getattr(new, attribute))}"
        )
        for old, new in pairs
        for attribute in (*authors, "env", "sources", *MARKS)
        if getattr(old, attribute) != getattr(new, attribute)
    ]


def _of_bot(value: str | bool | tuple[str, ...]) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return _value((value if isinstance(value, str) else ", ".join(value)) or None)


def _bots(event: EventRow, bots: Sequence[Bot | BotRow]) -> list[str]:
    then, now = {bot.name: bot for bot in event.bots}, {bot.name: bot for bot in bots}
    lines = []
    for name, old in then.items():
        new = now.get(name)
        if new is None:
            lines.append(f"bot {name} ({old.asked_as}) does not play any more")
        elif new.identity != old.identity:
            change = f"identity {old.identity[:DIGITS]} then, {new.identity[:DIGITS]} now"
            lines.append(f"bot {name} ({new.asked_as}) has changed: {change}")
    lines += [
        f"bot {name} ({bot.asked_as}) has been added"
        for name, bot in now.items()
        if name not in then
    ]
    if not lines and list(then) != list(now):
        lines.append(f"the bots are in another order: {', '.join(then)} then; {', '.join(now)} now")
    return lines


def _flat(definition: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Return a definition without its bots as one flat map; a key of a map within it
    reads "rules.overshoot".
    """
    out: dict[str, Any] = {}
    for key, value in definition.items():
        if isinstance(value, Mapping):
            out |= _flat(value, f"{before}{key}.")
        elif before or key != "bots":
            out[f"{before}{key}"] = value
    return out


def _line(key: str, then: Any, now: Any) -> str:
    room, _, field = key.partition(".")
    if key == "extends":
        return f"the event that it extends was {_value(then)}, is {_value(now)}"
    if key == "seed":
        return (
            "another seed was given"
            if then and now
            else f"the seed was {_seed(then)}, is {_seed(now)}"
        )
    if key == "link_ms":
        return f"link_allowance was {then or 0} ms, is {now or 0} ms"
    if key == "after":
        return f"the event of the stage before was {_value(then)}, is {_value(now)}"
    if room == "time":
        return f"{TIMES_DEFINED.get(field, field)} was {then} ms, is {now} ms"
    if room == "limits" and isinstance(then, int) and isinstance(now, int):
        return f"limit {field} was {in_words(field, then)}, is {in_words(field, now)}"
    if room == "runtimes":
        return _runtime(field, then, now)
    if key == "draw":
        return (
            "line-ups in which all bots meet were "
            f"{'drawn then, and are not now' if then else 'not drawn then, and are now'}"
        )
    if key == "meter":
        return f"the price list of ticks was {_value(then)}, is {_value(now)}"
    if key == "ponder":
        return "bots could ponder, and cannot now" if then else "bots could not ponder, and can now"
    subject = f"rule {field}" if room == "rules" else key
    return f"{subject} was {_value(then)}, is {_value(now)}"


def _runtime(key: str, then: Any, now: Any) -> str:
    """Return the line on a fact of a runtime: its program, or its packages."""
    name, _, fact = key.partition(".")
    if then is None or now is None:
        return (
            f"runtime {name} {'is used now' if then is None else 'is not used any more'} (its "
            f"{fact})"
        )
    if fact == "program":
        return f"runtime {name} has another program"
    lost, new = sorted(set(then) - set(now)), sorted(set(now) - set(then))
    return (
        f"runtime {name} had {_value(', '.join(lost) or 'less')}, has "
        f"{_value(', '.join(new) or 'less')}"
    )


def _seed(value: object) -> str:
    return "given" if value else "drawn"


def _value(value: object) -> str:
    text = "not set" if value is None else str(value)
    return text if len(text) <= 60 else text[:57] + "..."
