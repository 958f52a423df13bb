"""The run of a competition: its events, one after another, into one store."""

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from khiva_arena.arbiter import pool
from khiva_arena.arbiter.match import Outcome
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Sandbox
from khiva_arena.common.result import Clock
from khiva_arena.common.say import Say
from khiva_arena.competition.events import stored
from khiva_arena.competition.events.find import check_matches
from khiva_arena.competition.events.progress import ResumePoint
from khiva_arena.competition.playing.executor import Executor
from khiva_arena.competition.playing.jobs import Play
from khiva_arena.competition.playing.starts import BudgetTrial, Entrants, stage_damaged
from khiva_arena.competition.run.announcing import announce, announce_round
from khiva_arena.competition.run.event_ends import RunResult, and_extended, conclude, over_in_words
from khiva_arena.competition.run.events_file import EventsFile, check_files
from khiva_arena.competition.run.live_page import LivePage
from khiva_arena.competition.run.options import RunOptions, check_public_of_past, public_to_add
from khiva_arena.competition.run.own_events import OwnEvents
from khiva_arena.competition.run.run_events import LinkNewsSource, RunEvents
from khiva_arena.competition.run.who_plays import executor_of, players_of
from khiva_arena.competition.settings.define import definition_of, refuse_to_mix
from khiva_arena.competition.settings.isolation import admit, chosen_sandbox
from khiva_arena.competition.settings.settings import Settings
from khiva_arena.display.terminal.interrupts import if_interrupted
from khiva_arena.entrants.bots import Bot
from khiva_arena.errors import ConfigError
from khiva_arena.records.replay.definition import Definition
from khiva_arena.records.store.db import EventRow, MatchRow, Store
from khiva_arena.records.store.files import NOT_PLAYED
from khiva_arena.records.store.rows import NotPlayed
from khiva_arena.words import count

if TYPE_CHECKING:
    from khiva_arena.competition.run.events_to_play import EventsToPlay
    from khiva_arena.competition.run.live_views import LiveRun  # most runs are not served


@dataclass
class Run:
    """A competition on its way from its settings to its last recorded match: made once,
    and played once.

    stages: the settings of each stage, for which ``unplayable`` has no reason with
        these bots.
    entrants: all bots that were named, the broken ones included.
    options: how the run begins or continues its events.
    say: tells the user a line.
    listener: a file that gets the stream of events, beside the one that the settings
        name.
    seating: lasts while bots are played, and waits at its beginning for players
        elsewhere.
    trial: bots that a budget has started already, None without a budget.
    settings_file: the name of the file with the settings; "" for flags alone.
    not_taken: files and folders among the bots that are none.
    """

    stages: Sequence[Settings]
    entrants: Sequence[Bot]
    options: RunOptions
    say: Say
    listener: EventsFile | None = None
    seating: Callable[[], AbstractContextManager[LinkNewsSource | None]] = nullcontext
    trial: BudgetTrial | None = None
    settings_file: str = ""
    not_taken: Sequence[NotPlayed] = ()

    def __post_init__(self) -> None:
        self.begun: list[str] = []
        """The ids of the events that have begun, with those that they extend."""
        self._first = self.stages[0]
        self._source: EventsToPlay = self.options.planned or OwnEvents(
            self.stages, self.options, self.say
        )
        self._sandbox: Sandbox
        self._is_admitted = False
        self._playing: Entrants
        self._executor: Executor
        self._definition: Definition
        self._over: list[str] = []
        self._checked_event = ""

    def play(self) -> RunResult:
        """Play all stages, or the part of them that is not recorded yet, and say so if
        nothing is left to play.

        Raises ConfigError, StoreError and BotError before the first match.
        """
        check_files(self._first, self.entrants)
        self._sandbox = self.trial.sandbox if self.trial else chosen_sandbox(self._first)
        pool.reserve(self._first.jobs, max(stage.seats for stage in self.stages))
        store_exists, another = Store.check(self._first.out), False
        stored.refuse_league(self._first.out)
        with if_interrupted(self.say, self._how_far), ExitStack() as stack:
            self._choose_players(stack)
            self._check_definition(store_exists)
            if store_exists:
                with Store.read(self._first.out) as store:
                    stored.refuse_league(store.folder, store)
                    todo = self._standing(store)
                    another = todo.definition is None and self.options.new_event
                    if todo.definition is None and not another:
                        return self._nothing_to_play(store, todo)
                    self._check_next(store, self._another() if another else todo)
            self._admit()
            links = stack.enter_context(self.seating())
            stack.enter_context(self._executor)
            commands = self._executor.prepare(self._playing.entrants)
            store = stack.enter_context(Store.write(self._first.out))
            return self._play_events(store, commands, links, another)

    def _admit(self) -> None:
        """Try the isolation level once, after all that the user has typed was checked.
        Raises ConfigError.
        """
        if self.trial is None and not self._is_admitted:
            admit(self._sandbox, self._first, self.say, rated=True)
        self._is_admitted = True

    def _choose_players(self, stack: ExitStack) -> None:
        """Choose the executor of the matches, and the bots: those that do not start are
        left out if the settings say so.
        """
        self._playing = self.trial.entrants if self.trial else Entrants(tuple(self.entrants))
        self._executor = executor_of(
            self._first, self._playing, self._sandbox, self._source.file, self.say
        )
        if (
            self._first.leaves_out or self._first.clock is Clock.TICKS
        ):  # bots are started or built to choose among them
            self._admit()
        if self.trial is None:
            self._playing = players_of(
                self.stages, self.entrants, self._sandbox, self._executor, stack
            )

    def _check_definition(self, store_exists: bool) -> None:
        """Raise ConfigError if the first event is not to be played as these settings
        define it.
        """
        self._definition = definition_of(self._first, self._playing.entrants, self._sandbox)
        refuse_to_mix(self._definition)
        self._source.check_definition(
            self._definition, self._playing.entrants, store_exists=store_exists
        )

    def _standing(self, store: Store) -> ResumePoint:
        return self._source.standing(store, self._definition, self._playing.entrants, self._sandbox)

    def _another(self) -> ResumePoint:
        return ResumePoint((), tuple(self._playing.entrants), self._definition)

    def _check_next(self, store: Store, todo: ResumePoint) -> None:
        """Raise ConfigError or StoreError if the next event cannot be played: because
        of another event, its public text, the engine that began it, or damage. Nothing
        of it is written before.
        """
        if todo.event is None:
            self._source.check_new(store, todo)
            return
        stored.refuse_other_engine(store, todo.event, self.options.any_engine)
        public_to_add(store, todo.event, self.options.public, todo.over[-1] if todo.over else None)
        if todo.event.id != self._checked_event:  # which takes long, so it is done once
            check_matches(store, todo.event)
            self._checked_event = todo.event.id

    # --- nothing is left to play ---

    def _nothing_to_play(self, store: Store, todo: ResumePoint) -> RunResult:
        if self.options.web:
            self.say(
                "--web: nothing is played, so nothing is served; `khiva-arena report` "
                "makes a page of what is recorded"
            )
        over = f"{store.folder}: {over_in_words(todo.over)}"
        for event in todo.over:
            stored.keep_modules(store.folder, event.definition)
        if self.options.commit:
            raise ConfigError(f"{over}; give --new-event with --commit to begin another one")
        check_public_of_past(todo.over, self.options.public)
        self.say(self._source.why_nothing(store, todo.over, over))
        for digest in filter(None, (store.conclusion(event.id) for event in todo.over)):
            self.say(f"run digest {digest}")
        listeners = [self.listener] if self.listener else []
        if self._first.events_file is not None or listeners:
            with RunEvents(
                store.folder, self._first.events_file, self.say, logged=False, listeners=listeners
            ) as log:
                self._write_over(store, todo.over, log)
        ids = and_extended(store, [event.id for event in todo.over])
        closed_ids = {event.id for event in store.events() if event.closed}
        ids = [
            event for event in ids if event not in closed_ids
        ] or ids  # a closed event stands alone or in no table
        with LivePage(
            store.folder, self._first.report, self.say, settings=self.settings_file
        ) as page:
            page.finish(ids)
        return RunResult(ids, not todo.over[-1].closed)

    def _write_over(self, store: Store, over: Sequence[EventRow], log: RunEvents) -> None:
        """Write to the stream the events, or the shard, that were over before this
        run.
        """
        for stage, event in zip(self.stages, over, strict=False):
            log.begin(
                store,
                self._source.play_of(store, event, ()),
                stage.jobs,
                stage.name or None,
                stage.stage,
            )
            log.concluded(store.conclusion(event.id), is_complete=not event.closed)

    # --- play ---

    def _play_events(
        self,
        store: Store,
        commands: Mapping[str, Command],
        links: LinkNewsSource | None,
        another: bool,
    ) -> RunResult:
        """Play one event after another. ``another``: the first of them is new, although
        others of its settings are over.
        """
        with (
            self._served() as served,
            RunEvents(
                self._first.out,
                self._first.events_file,
                self.say,
                listeners=self._listeners(served),
                links=links,
            ) as log,
            self._page(served, log) as page,
        ):
            if not another:
                over = self._standing(store).over
                for event in over:
                    log.say(f"event {event.id} is over: run digest {store.conclusion(event.id)}")
                self._write_over(store, over, log)
            while True:
                todo = self._another() if another else self._standing(store)
                another = False
                self._over = [event.id for event in todo.over]
                if todo.definition is None:
                    break
                event = self._begin(store, todo)
                limit = self.options.ends_short(store, event) if self.options.ends_short else None
                self._keep_not_played(event)
                if self.options.commit:
                    return RunResult([event.id], False)
                ids = self.begun = and_extended(store, [*self._over, event.id])
                seated = [commands[bot.identity] for bot in todo.entrants]
                play = self._source.play_of(store, event, seated)
                play.limit = limit
                play.mend = partial(
                    stage_damaged, todo.entrants, seated, play.sandbox.level, log.say
                )
                others = self._first.of_extensions
                if size := others.get("transcripts"):
                    # not above: most runs keep none
                    from khiva_arena.competition.events.transcripts import KEEPS_TRANSCRIPTS

                    keeps = KEEPS_TRANSCRIPTS.get("--transcripts")
                    reporting = [
                        position for position, bot in enumerate(todo.entrants) if bot.reports
                    ]
                    play.transcripts = keeps.room(store, event, reporting, size, log.say)
                if not self._play_event(store, play, self.stages[len(self._over)], ids, log, page):
                    page.finish(ids)
                    return RunResult(ids, False)
            ids = and_extended(store, self._over)
            page.finish(ids)
            out = shlex.quote(str(self._first.out))
            game = (
                f" --game {shlex.quote(self._first.game.word)}" if self._first.game.outside else ""
            )
            log.say(
                f"results are in {self._first.out}; next: khiva-arena verify {out}{game}, "
                f"khiva-arena show {out}"
            )
        return RunResult(ids, True)

    def _begin(self, store: Store, todo: ResumePoint) -> EventRow:
        """Add the next event to the store with its public text, unless it is there, and
        return it.
        """
        self._check_next(store, todo)
        before = todo.over[-1] if todo.over else None
        event = self._source.event_in(store, todo)
        event = stored.marked(store, event)
        text = public_to_add(store, event, self.options.public, before)
        if text is not None and not self.options.commit:
            store.add_public(event.id, text)
            event = stored.stored_event(store, event.id)
        return event

    def _keep_not_played(self, event: EventRow) -> None:
        file, bots = self._first.out / NOT_PLAYED, [*self._playing.left_out, *self.not_taken]
        if not (bots or file.exists()):
            return
        from khiva_arena.records.store import not_played  # not above: in most events all bots play

        try:
            not_played.write(self._first.out, event.id, bots)
        except OSError as error:
            what = "standings and pages will not name the bots that do not play"
            self.say(f"{file}: {what}: {error.strerror or error}", warning=True)

    def _play_event(
        self,
        store: Store,
        play: Play,
        stage: Settings,
        ids: Sequence[str],
        log: RunEvents,
        page: LivePage,
    ) -> bool:
        """Play the rest of an event, and return whether it is complete. ``ids``: the
        events of the live page.
        """

        def record(outcome: Outcome) -> None:
            last = not outcome.again
            for row in play.record(outcome, last=last):
                log.stored(row, set_aside=last)
                if isinstance(row, MatchRow):
                    page.recorded(ids, whole_seed=play.is_whole(row.seed))

        with if_interrupted(
            log.say, lambda: f"{len(play.done)} of {play.planned} matches are recorded"
        ):
            log.begin(store, play, self._executor.at_a_time, stage.name or None, stage.stage)
            announce(log, store, stage, play, self._playing, self._executor.at_a_time)
            self._executor.say = log.say
            with log.screen():
                for draw in play.rounds():
                    if len(play.timetable.shapes) > 1:
                        announce_round(log, play, draw)
                    log.round(draw)
                    self._executor.play(play, draw, record)
                    while play.goes_on():
                        self._executor.play(play, draw, record)
            play.end()
            log.concluded(conclude(log, store, play), is_complete=play.complete)
        return play.complete

    # --- contexts while matches are played ---

    def _how_far(self) -> str:
        return (
            f"{count(len(self._over), 'event')} over, no other begun"
            if self._over
            else "no match was begun"
        )

    def _listeners(self, served: "LiveRun | None") -> list[EventsFile]:
        return [file for file in (self.listener, served.listener if served else None) if file]

    def _page(self, served: "LiveRun | None", log: RunEvents) -> LivePage:
        report = self._first.report
        path, settings = served.page if served else report, self.settings_file
        return LivePage(
            self._first.out, path, log.say, is_requested=report is not None, settings=settings
        )

    @contextmanager
    def _served(self) -> Iterator["LiveRun | None"]:
        """Show browsers how the run goes, if that was asked for and is possible."""
        if not self.options.web or self.options.commit:
            yield None
            return
        # not above: most runs are not served
        from khiva_arena.competition.run.live_views import LIVE_VIEWS

        try:
            served = LIVE_VIEWS.get("--web").of_run(self._first.report, self.say)
        except OSError as error:
            self.say(f"nothing is served: {error}", warning=True)
            yield None
            return
        with served:
            yield served
