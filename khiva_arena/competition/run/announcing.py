"""The lines about an event: before its first match and before each round."""

from collections import Counter
from typing import TYPE_CHECKING

from khiva_arena.bots.sandbox import launch, system
from khiva_arena.common.result import TICKS_A_MS
from khiva_arena.competition.playing.jobs import Play
from khiva_arena.competition.playing.starts import Entrants
from khiva_arena.competition.run.run_events import RunEvents
from khiva_arena.competition.settings.define import short_turn_warning
from khiva_arena.competition.settings.settings import AUTO, Settings
from khiva_arena.competition.settings.table import DEFAULTS
from khiva_arena.rating.report.same_names import in_a_line
from khiva_arena.rating.schedule import formats
from khiva_arena.rating.schedule.formats import DrawnRound
from khiva_arena.rating.schedule.orders import ALL_ORDERS_MOST
from khiva_arena.records.replay.conditions import kept_at
from khiva_arena.records.replay.definition import Definition
from khiva_arena.records.store.db import EventRow, Store
from khiva_arena.words import count

if TYPE_CHECKING:
    from khiva_arena.competition.events.worst_case import RandomGames

_FEW_SEEDS = 10
_LONG_SECONDS = 600
"""CPU time of one decision above which a line says so."""


def announce(
    log: RunEvents,
    store: Store,
    settings: Settings,
    play: Play,
    entrants: Entrants,
    at_a_time: int,
) -> None:
    """Say which matches are played, and warn of settings that the user may have missed.

    entrants: the bots that play and those left out, and how long a match takes if a
        budget has measured it.
    at_a_time: how many matches are played at a time.
    """
    timetable, event = play.timetable, play.event
    games = _random_games(settings, play)
    estimate, extension = (
        _estimate(store, settings, play, at_a_time, entrants, games),
        _extension(store, event),
    )
    opening = timetable.round(0)
    assert opening is not None
    if settings.game.outside:
        from khiva_arena.games.which import is_played  # not above: most games come with the arena

        log.say(is_played(event.definition))
    if event.definition.in_ticks:
        log.say(kept_at("the best level of each worker" if settings.place else play.sandbox.level))
        if slow := _slow_decision(event.definition):
            log.say(slow, warning=True)
    if choice := _some_line_ups(event.definition, opening):
        log.say(choice, warning=settings.lineups != AUTO)
    if settings.authors_apart and not _shared_author(play.event.definition):
        log.say(
            "--authors-apart has no effect: no two bots name the same author in their bot.toml",
            warning=True,
        )
    if len(timetable.shapes) == 1:
        at_most = "at most " if formats.FORMATS[settings.format].SEQUENTIAL else ""
        line_ups = count(len(opening.line_ups), "line-up")
        size = (
            f"{at_most}{count(opening.seeds, 'seed')} x {line_ups} x {timetable.seats} rotations = "
        )
    else:
        size = f"{len(timetable.shapes)} rounds, "
    called = f"{settings.name}, " if settings.name else ""
    form = event.definition.called
    called += "" if form == DEFAULTS["format"] else f"{form}, "
    recorded = f", {play.done_before} of them recorded before" if play.done_before else ""
    if play.until and recorded:
        recorded = f", {count(play.done_before, 'match', 'matches')} recorded before"
    matches = play.until or f"{size}{timetable.matches} matches"
    called += f"event {event.id}: {matches}{'' if play.part else recorded}"
    duration = f"; estimated time: {estimate}" if estimate and not play.until else ""
    log.say(f"{called}{'' if play.part else duration}")
    if play.part:
        log.say(f"{play.part}{recorded}{duration}")
    elif advice := _advice(settings, len(event.bots), len(opening.line_ups)):
        log.say(advice)
    if worst := _worst(play, at_a_time, games):
        log.say(worst)
    if extension:
        log.say(extension)
    if uneven := _uneven(settings, play):
        log.say(uneven)
    if entrants.left_out:
        log.say(
            f"{settings.leaves_out} leaves out {', '.join(bot.name for bot in entrants.left_out)}",
            warning=True,
        )
    log.say(f"commitment {event.commitment}")
    for line in in_a_line(event.bots) if settings.stage <= 1 else ():
        log.say(line, warning=True)
    if event.public is not None:
        log.say(f"public text {event.public!r}")
    if warning := short_turn_warning(event.definition):
        log.say(warning, warning=True)
    if settings.stage <= 1 and not settings.place and system.PROC and not launch.program():
        log.say(launch.SLOW, warning=True)
    cores = system.cores()
    if not settings.place and settings.seats * settings.jobs > cores:
        log.say(
            f"{settings.jobs} x {settings.seats} bots at a time on {count(cores, 'core')}: "
            "bots that think long will slow each other down",
            warning=True,
        )


def _slow_decision(definition: Definition) -> str:
    """Return in a line what a decision in ticks may take of the processor at worst; ""
    for at most ``_LONG_SECONDS``.
    """
    # not above: few events are in ticks
    from khiva_arena.bots.modules.meter.prices import WORST_NANOSECONDS

    milliseconds = definition.time.turn_ms + definition.time.bank_ms
    seconds = milliseconds * TICKS_A_MS * WORST_NANOSECONDS // 10**9
    if seconds <= _LONG_SECONDS:
        return ""
    return (
        f"one decision may take {count(seconds // 60, 'minute')} of CPU at worst, since turn and "
        f"bank are {milliseconds / 1000:g} s of ticks and the dearest tick lasts "
        f"{WORST_NANOSECONDS} ns; a smaller --bank or --turn makes that less"
    )


def _some_line_ups(definition: Definition, opening: DrawnRound) -> str:
    """Return in a line which line-ups are played if not all are, and how many bots will
    not meet; "" if all are played.
    """
    if opening.total <= len(opening.line_ups):
        return ""
    meet = ""
    if formats.FORMATS[definition.format].AUTO:  # candidates of a gauntlet never meet
        # not above: most events play all line-ups
        from khiva_arena.rating.schedule import coverings

        terms = definition.terms()
        missing, pairs = coverings.without_meeting(opening.line_ups, terms.bots, terms.authors)
        meet = (
            f": {missing} of {count(pairs, 'pair')} of bots will not meet"
            if missing
            else f", in which all {pairs} pairs meet"
        )
    chosen_part = f"a balanced set of {len(opening.line_ups)} is played{meet}"
    return f"of {opening.total} possible line-ups {chosen_part}; --lineups N changes that"


def _extension(store: Store, event: EventRow) -> str:
    """Return a line about the event that this one extends; "" if it extends none."""
    if event.definition.extends is None:
        return ""
    # not above: most events are none
    from khiva_arena.competition.events.extending import extension_line

    return extension_line(store, event)


def _uneven(settings: Settings, play: Play) -> str:
    """Return in a line how far neighbours at large tables are from balance; "" if they
    are not.

    A sequential test says nothing of it: it stops when it is clear.
    """
    if formats.FORMATS[settings.format].SEQUENTIAL or play.timetable.seats <= ALL_ORDERS_MOST:
        return ""
    # not above: few tables are that large
    from khiva_arena.rating.schedule.neighbours import off_balance

    return off_balance(play.timetable, settings.seeds)


def _estimate(
    store: Store,
    settings: Settings,
    play: Play,
    at_a_time: int,
    entrants: Entrants,
    games: "RandomGames | None",
) -> str:
    """Return how long the rest takes: from a trial, from recorded matches of the same
    kind or from bots on probation; "" if none is there.
    """
    took = entrants.took
    has_trial = took is not None
    if took is None and (
        play.done or any(map(store.recorded, (event.id for event in store.events())))
    ):
        # not above: a new store tells nothing
        from khiva_arena.competition.events.durations import of_store

        took = of_store(store, play.event.definition)
    if took is None and entrants.trials:
        # not above: most bots are not on probation
        from khiva_arena.competition.events.trial_times import of_trials

        took = of_trials(entrants.trials, play.event.definition.seats, games)
    if took is None:
        return ""
    matches = play.planned - len(play.done)
    if not settings.place:
        return f"{took.of(matches, at_a_time)}, from {took.source}"
    workers = (
        f"{count(at_a_time, 'match', 'matches')} at a time on the workers that are ready, from "
        f"{took.source}"
    )
    if has_trial:
        return f"{took.of(matches, at_a_time)}, {workers}"
    # Recorded times of matches leave out the cluster's work around them, which may take
    # many times as long.
    return (
        f"more than {took.at_least(matches, at_a_time)}, {workers}; the process that each "
        "table starts comes on top"
    )


def _random_games(settings: Settings, play: Play) -> "RandomGames | None":
    """Return random games of an event's kind; None in ticks, whose cost
    ``_slow_decision`` says, and for a comparison, which ends long before its last seed.
    """
    definition = play.event.definition
    if definition.in_ticks or definition.comparison is not None:
        return None
    # not above: not before checks of what was typed
    from khiva_arena.competition.events.worst_case import random_games

    return random_games(settings.game, definition.seats, definition.rules)


def _worst(play: Play, at_a_time: int, games: "RandomGames | None") -> str:
    """Return in a line how long the rest takes if bots use all of their time; "" if it
    is short, or if nobody knows.
    """
    if games is None:
        return ""
    from khiva_arena.competition.events.worst_case import worst_line

    return worst_line(
        games, play.event.definition.time, play.event.definition.seats, _left(play), at_a_time
    )


def _left(play: Play) -> list[int]:
    """Return how many matches of each round are still to be played."""
    if len(play.timetable.shapes) == 1:
        return [play.planned - len(play.done)]
    done = Counter(play.timetable.shape_of(ordinal).number for ordinal in play.done)
    return [shape.matches - done[shape.number] for shape in play.timetable.shapes]


def _advice(settings: Settings, bots: int, line_ups: int) -> str:
    """Return advice for few seeds: how to get smaller errors with the same number of
    matches; "" if there is none.
    """
    if (
        not formats.FORMATS[settings.format].AUTO
        or settings.lineups is not None
        or settings.authors_apart
    ):
        return ""
    if settings.seeds >= _FEW_SEEDS or line_ups < 2:
        return ""
    from khiva_arena.rating.schedule import coverings

    fewest, _ = coverings.auto(bots, settings.seats, settings.copies)
    if 2 * fewest > line_ups:
        return ""
    seeds = settings.seeds * line_ups // fewest
    return (
        f"few seeds say little about errors; for as many matches, --seeds {seeds} --lineups "
        f"auto plays {fewest} line-ups on each"
    )


def _shared_author(definition: Definition) -> bool:
    authors = [bot.author for bot in definition.bots if bot.author]
    return len(set(authors)) < len(authors)


def announce_round(log: RunEvents, play: Play, draw: DrawnRound) -> None:
    """Say the tables of a round, its byes, and the bots of one author that meet."""
    names = [bot.name for bot in play.event.bots]
    tables = "; ".join(", ".join(names[bot] for bot in line_up) for line_up in draw.line_ups)
    byes = f"; byes: {', '.join(names[bot] for bot in draw.byes)}" if draw.byes else ""
    pairs = "; ".join(f"{names[a]} and {names[b]}" for a, b in draw.together)
    byes += f"; of one author, but impossible to keep apart: {pairs}" if pairs else ""
    log.say(f"round {draw.number + 1} of {len(play.timetable.shapes)}: {tables}{byes}")
