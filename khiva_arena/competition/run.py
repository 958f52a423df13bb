"""Play the events of a competition, one after another, into one store."""

import secrets
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from khiva_arena.arbiter import pool
from khiva_arena.arbiter.match import Outcome
from khiva_arena.competition import events
from khiva_arena.competition.announcing import announce, announce_round
from khiva_arena.competition.define import definition_of, refuse_short_turns, refuse_to_mix, run_secret
from khiva_arena.competition.draw import How, check_public_of_what_is_over, public_to_add
from khiva_arena.competition.events_file import EventsFile
from khiva_arena.competition.executor import Executor, LocalExecutor
from khiva_arena.competition.find import check_event
from khiva_arena.competition.isolation import check_files, sandbox_of
from khiva_arena.competition.live_page import LivePage
from khiva_arena.competition.play import Play
from khiva_arena.competition.played import unplayable
from khiva_arena.competition.progress import ResumePoint, definition_after, standing_of
from khiva_arena.competition.run_events import LinkNewsSource, RunEvents
from khiva_arena.competition.settings import Settings
from khiva_arena.competition.starts import Playing, TriedBots
from khiva_arena.entrants.bots import Bot
from khiva_arena.errors import ConfigError
from khiva_arena.replay import seeds
from khiva_arena.replay.record import run_digest
from khiva_arena.sandbox.command import Command
from khiva_arena.sandbox.level import Sandbox
from khiva_arena.schedule import formats
from khiva_arena.store.db import EventRow, MatchRow, Store
from khiva_arena.terminal.console import say, say_or_warn
from khiva_arena.words import count

if TYPE_CHECKING:
    from khiva_arena.competition.live_web import LiveWeb  # most runs are not served
    from khiva_arena.competition.shard import PlannedShard


def compete(
    stages: Sequence[Settings],
    entrants: Sequence[Bot],
    how: How,
    listener: EventsFile | None = None,
    *,
    web: bool = False,
    seating: Callable[[], AbstractContextManager[LinkNewsSource | None]] = nullcontext,
    tried: TriedBots | None = None,
) -> tuple[list[str], bool]:
    """Play all stages, or the part of them that is not played yet. Returns the ids of their events so far, and whether all is
    recorded; with ``how.commit`` the id of the event that would be played now, which is then stored. If all is over already, it
    says so and plays nothing, unless another event is requested.

    listener: a file that gets the stream of events, beside the one that the settings name
    web: whether browsers are shown how it goes
    seating: lasts while bots are played, and waits at its beginning for those that are elsewhere
    tried: what a budget has found

    Raises ConfigError, StoreError and BotError before the first match.
    """
    first = stages[0]
    if problems := unplayable(stages, entrants):
        raise ConfigError(problems)
    check_files(first, entrants)
    sandbox = tried.sandbox if tried else sandbox_of(first, rated=True)
    pool.reserve(first.jobs, max(stage.seats for stage in stages))
    there = Store.check(first.out)
    found, cluster = tried.found if tried else Playing(tuple(entrants)), None
    with ExitStack() as stack:
        if first.skip_broken and tried is None:
            from khiva_arena.competition.who_plays import who_plays  # not above: most runs leave out nobody

            with if_interrupted(say, lambda: "no match was begun"):
                found, cluster = who_plays(stages, entrants, sandbox, _plan_of(how), stack)
        return _competed(stages, found, cluster, how, listener, sandbox, there, web, seating)


def _plan_of(how: How) -> Path | None:
    return how.planned.file if how.planned else None


def _competed(
    stages: Sequence[Settings],
    found: Playing,
    cluster: Executor | None,
    how: How,
    listener: EventsFile | None,
    sandbox: Sandbox,
    there: bool,
    web: bool,
    seating: Callable[[], AbstractContextManager[LinkNewsSource | None]],
) -> tuple[list[str], bool]:
    first, entrants, another = stages[0], found.entrants, False
    definition = definition_of(first, entrants, sandbox)
    if how.planned is not None:
        from khiva_arena.competition.sharding import check_as_planned  # not above: most runs play no plan

        check_as_planned(how.planned, definition, entrants)
    refuse_to_mix(definition)
    if not there and not how.planned:
        refuse_short_turns(definition)
    if there:
        with Store.read(first.out) as store:
            todo = _standing(store, stages, entrants, sandbox, how)
            another = todo.definition is None
            if another and not how.new_event:
                if web:
                    say("--web: nothing is played, so nothing is served; `khiva-arena report` makes a page of what is recorded")
                return _nothing_to_play(store, stages, todo, how, listener)
            if not another:
                _check_what_is_next(store, todo, how)
    executor = cluster or _executor_of(first, found, sandbox, _plan_of(how))
    with if_interrupted(say, lambda: "no match was begun"), seating() as links, executor:
        return _played(stages, found, how, listener, executor, sandbox, another, web, links)


def _played(
    stages: Sequence[Settings],
    found: Playing,
    how: How,
    listener: EventsFile | None,
    executor: Executor,
    sandbox: Sandbox,
    another: bool,
    web: bool,
    links: LinkNewsSource | None,
) -> tuple[list[str], bool]:
    first, entrants = stages[0], found.entrants
    with if_interrupted(say, lambda: "no match was begun"):
        commands = executor.ready(entrants)
        to_write = Store.write(first.out)
    played: list[str] = []
    with if_interrupted(say, lambda: f"{count(len(played), 'event')} over, no other begun" if played else "no match was begun"):
        with (
            to_write as store,
            _served(first, web=web and not how.commit) as served,
            RunEvents(
                first.out, first.events_file, listeners=_listeners(listener, served.listener if served else None), links=links
            ) as log,
            LivePage(first.out, served.page if served else first.report, log.say, asked=first.report is not None) as page,
        ):
            if not another:
                before = _standing(store, stages, entrants, sandbox, how).over
                for event in before:
                    log.say(f"event {event.id} is over: run digest {store.conclusion(event.id)}")
                _write_over(store, stages, before, log)
            while True:
                todo = _another(stages, entrants, sandbox) if another else _standing(store, stages, entrants, sandbox, how)
                another = False
                played = [event.id for event in todo.over]
                if todo.definition is None:
                    break
                stage = stages[len(played)]
                event = _open(store, stage, todo, how)
                check_event(store, event)
                if how.commit:
                    return [event.id], False
                play = _play_of(store, event, [commands[bot.identity] for bot in todo.entrants], how.planned)
                with if_interrupted(log.say, lambda play=play: _how_far(play)):  # type: ignore[misc]
                    log.begin(store, play, executor.at_a_time, stage.name or None, stage.stage)
                    announce(log, store, stage, play, found.left_out, executor.at_a_time, found.took)
                    executor.say = log.say
                    _play(log, executor, play, page, _with_extended(store, [*played, event.id]))
                    digest = _conclude(log, store, play)
                    log.concluded(digest, whole=play.complete)
                if not play.complete:
                    shown = _with_extended(store, [*played, event.id])
                    page.finish(shown)
                    return shown, False
            shown = _with_extended(store, played)
            page.finish(shown)
            out = shlex.quote(str(first.out))
            handed = f" --game {shlex.quote(first.game.word)}" if first.game.outside else ""
            log.say(f"results are in {first.out}; next: khiva-arena verify {out}{handed}, khiva-arena show {out}")
    return shown, True


def _executor_of(settings: Settings, found: Playing, sandbox: Sandbox, plan: Path | None) -> Executor:
    """Who plays these, not begun yet. Raises ConfigError if it cannot be had, or not with these bots."""
    if settings.dask is None:
        return LocalExecutor(settings, found, sandbox, plan, say_or_warn)
    from khiva_arena.competition.who_plays import cluster_of  # not above: most runs have no cluster

    return cluster_of(settings, found.entrants, sandbox, plan)


def _nothing_to_play(
    store: Store, stages: Sequence[Settings], todo: ResumePoint, how: How, listener: EventsFile | None
) -> tuple[list[str], bool]:
    numbers = [str(event.number) for event in todo.over]
    what = f"event {numbers[0]} is over" if len(numbers) == 1 else f"events {', '.join(numbers)} are over"
    over = f"{store.folder}: {what}, and no other event of these settings is left"
    if closed := todo.over[-1].closed:
        over = f"{store.folder}: event {numbers[-1]} was closed at {closed}, before it was over, and is never continued"
    if how.commit:
        raise ConfigError(f"{over}; give --new-event with --commit to begin another one")
    check_public_of_what_is_over(todo.over, how.public)
    if how.planned is not None and store.conclusion(todo.over[0].id) is None:
        say(f"{store.folder}: shard {how.planned.shard} of event {todo.over[0].id} is complete: nothing is played")
    else:
        from khiva_arena.competition.extending import ways_to_more  # not above: most runs play something

        ways_on = "" if how.planned else f"{ways_to_more(store, todo.over[-1])}; --new-event plays another one"
        say(f"{over}: nothing is played{ways_on}")
    for digest in filter(None, (store.conclusion(event.id) for event in todo.over)):
        say(f"run digest {digest}")
    if stages[0].events_file is not None or listener is not None:
        with RunEvents(store.folder, stages[0].events_file, logged=False, listeners=_listeners(listener)) as log:
            _write_over(store, stages, todo.over, log, how.planned)
    shown = _with_extended(store, [event.id for event in todo.over])
    left = {event.id for event in store.events() if event.closed}
    shown = [event for event in shown if event not in left] or shown  # one that was left stands alone or in no table
    with LivePage(store.folder, stages[0].report, say_or_warn) as page:
        page.finish(shown)
    return shown, not closed


@contextmanager
def _served(settings: Settings, *, web: bool) -> Iterator["LiveWeb | None"]:
    """What browsers are shown, if that was asked for and is possible."""
    if not web:
        yield None
        return
    from khiva_arena.competition.live_web import LiveWeb  # not above: most runs are not served

    try:
        served = LiveWeb(settings.report, say_or_warn)
    except OSError as error:
        say_or_warn(f"nothing is served: {error}", warning=True)
        yield None
        return
    with served:
        yield served


def _listeners(*files: EventsFile | None) -> list[EventsFile]:
    return [file for file in files if file is not None]


def _write_over(
    store: Store, stages: Sequence[Settings], over: Sequence[EventRow], log: RunEvents, planned: "PlannedShard | None" = None
) -> None:
    """Write the events of stages that were over before, or the shard that was."""
    for stage, event in zip(stages, over, strict=False):
        log.begin(store, _play_of(store, event, (), planned), stage.jobs, stage.name or None, stage.stage)
        log.concluded(store.conclusion(event.id), whole=not event.closed)


def _check_what_is_next(store: Store, todo: ResumePoint, how: How) -> None:
    """Raise ConfigError if the next event cannot be played, because of one that was begun before or because of its public
    text."""
    if todo.event is not None:
        public_to_add(store, todo.event, how.public, todo.over[-1] if todo.over else None)
    elif not how.new_event and todo.definition is not None and store.events():
        from khiva_arena.competition import drift  # not above: in a new store nothing has changed

        ways_on = drift.WAYS_ON_OF_A_PLAN if how.planned else drift.WAYS_ON
        drift.refuse_changed(store, todo.definition, todo.entrants, ways_on)
    if todo.event is None and todo.definition is not None and not todo.over and not how.planned:
        refuse_short_turns(todo.definition)


def _standing(store: Store, stages: Sequence[Settings], entrants: Sequence[Bot], sandbox: Sandbox, how: How) -> ResumePoint:
    if how.planned is not None:
        from khiva_arena.competition.sharding import standing_of_plan

        return standing_of_plan(store, how.planned, entrants)
    return standing_of(store, stages, entrants, sandbox, new_event=how.new_event)


def _another(stages: Sequence[Settings], entrants: Sequence[Bot], sandbox: Sandbox) -> ResumePoint:
    return ResumePoint((), tuple(entrants), definition_after(stages[0], entrants, sandbox))


def _open(store: Store, stage: Settings, todo: ResumePoint, how: How) -> EventRow:
    """The event that is to be played, in the store with its public text."""
    _check_what_is_next(store, todo, how)
    before = todo.over[-1] if todo.over else None
    event = todo.event
    if how.planned is not None:
        from khiva_arena.competition.shard_note import leave_note, note_of
        from khiva_arena.competition.sharding import add_planned

        leave_note(store.folder, note_of(how.planned))
        event = event or add_planned(store, how.planned, todo.entrants)
    if event is None:
        assert todo.definition is not None
        for other in store.events():
            if store.conclusion(other.id) is None and not store.recorded(other.id):
                say(f"event {other.number}, commitment {other.commitment}, has other settings and no match yet; it stays")
        secret = run_secret(stage, todo.definition.extends) if stage.seed is not None else secrets.token_bytes(seeds.SECRET_BYTES)
        if store.events():
            from khiva_arena.competition.extending import dealt_before, why_beside  # not above: a new store has nothing to extend

            if why := dealt_before(store, todo.definition, secret) if how.new_event else why_beside(store, todo.definition):
                say(why)
        known = store.events()
        event = events.add_event(store, todo.definition, todo.entrants, secret, before is not None and before.is_of_0_1)
        if known:
            from khiva_arena.competition.drift import edited_bots  # not above: in a new store nothing has changed

            if edited := edited_bots(known, todo.entrants):
                say(f"{edited}: this is event {event.number}")
        if how.public is not None and (before is None or before.public != how.public):
            say("--public: nobody saw the commitment before this text was given, so it proves nothing; next time --commit first")
    event = events.ready_to_continue(store, event, how.any_engine)
    if (text := public_to_add(store, event, how.public, before)) is not None and not how.commit:
        store.add_public(event.id, text)
        event = events.stored(store, event.id)
    return event


def _play_of(store: Store, event: EventRow, commands: Sequence[Command], planned: "PlannedShard | None" = None) -> Play:
    if planned is not None:
        from khiva_arena.competition.sharding import ShardPlay

        return ShardPlay(store, event, commands, planned.shard)
    if not formats.FORMATS[event.definition.format].SEQUENTIAL:
        return Play(store, event, commands)
    from khiva_arena.competition.sequential import SequentialPlay  # numpy comes with it

    return SequentialPlay(store, event, commands)


def _how_far(play: Play) -> str:
    return f"{len(play.done)} of {play.planned} matches are recorded"


def _with_extended(store: Store, ids: Sequence[str]) -> list[str]:
    """Events, each after those that it extends."""
    if all(event.definition.extends is None for event in store.events()):
        return list(ids)
    from khiva_arena.competition.extending import with_extended  # not above: as there

    return with_extended(store, ids)


def _play(log: RunEvents, executor: Executor, play: Play, page: LivePage, shown: Sequence[str]) -> None:
    def record(outcome: Outcome) -> None:
        last = not outcome.again
        for row in play.record(outcome, last=last):
            log.stored(row, set_aside=last)
            if isinstance(row, MatchRow):
                page.recorded(shown, whole_seed=play.is_whole(row.seed))

    with log.screen():
        for drawn in play.rounds():
            if len(play.timetable.shapes) > 1:
                announce_round(log, play, drawn)
            log.round(drawn)
            executor.play(play, drawn, record)


@contextmanager
def if_interrupted(notify: Callable[[str], None], how_far: Callable[[], str]) -> Iterator[None]:
    """Say how far it came and how to continue, whenever an interrupt comes: once, in the innermost of these blocks."""
    try:
        yield
    except KeyboardInterrupt as interrupt:
        if not hasattr(interrupt, "__notes__"):
            interrupt.add_note(f"interrupted: {how_far()}; the same command resumes")
            notify(interrupt.__notes__[0])
        raise


def _what_is_left(play: Play) -> str:
    again = "the same command tries them again"
    if not play.set_aside:
        return f"{play.planned - len(play.done)} matches were not played, since those that were tried were void at once; {again}"
    tables = ", ".join(f"seed {k} line-up {lineup}" for k, lineup in sorted(play.set_aside))
    return f"set aside, since they stayed void: {tables}; {again}"


def _conclude(log: RunEvents, store: Store, play: Play) -> str | None:
    """Say how an event ended. Returns its run digest, None for a shard alone."""
    if not play.complete:
        log.say(_what_is_left(play), warning=True)
    if play.part and store.conclusion(play.event.id) is None:
        how = "complete" if play.complete else "not complete"
        log.say(f"this shard is {how}; `khiva-arena merge` joins it with the others")
        return None
    digest = run_digest(store.digests(play.event.id))
    log.say(f"run digest {digest}")
    return digest
