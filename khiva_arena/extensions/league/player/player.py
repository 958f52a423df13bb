"""The player of a league: it takes changes of the roster, draws the next batch, plays it, and ends it, again and again.

Each step is recorded in one transaction before the next one begins, so a kill at any instant loses nothing. The same command
goes on with the batch that was drawn and is not over, else with the next one.
"""

import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import cast

from khiva_arena import __version__
from khiva_arena.arbiter import pool
from khiva_arena.arbiter.match import Outcome
from khiva_arena.common.say import Say
from khiva_arena.common.text import harmless
from khiva_arena.competition.events import stored
from khiva_arena.competition.playing.executor import Executor
from khiva_arena.competition.playing.starts import Entrants, stage_damaged
from khiva_arena.competition.run.run_events import RunEvents
from khiva_arena.competition.run.who_plays import executor_of
from khiva_arena.competition.settings.define import runtimes_of
from khiva_arena.display.terminal.interrupts import if_interrupted
from khiva_arena.entrants.bots import Bot
from khiva_arena.errors import BotError, ConfigError, StagingError
from khiva_arena.extensions.league.beacon import wait_for_line
from khiva_arena.extensions.league.chain.links import AnyLink, Drawn, Over, Renewed, StateChanged
from khiva_arena.extensions.league.chain.roster import Chain, RosterBot, follow
from khiva_arena.extensions.league.chain.stored_chain import add, by_this_clock, found, next_place, row_of
from khiva_arena.extensions.league.draw.next_batch import add_batch, definition_of, next_batch
from khiva_arena.extensions.league.full_disk import kept_from_others, outlast
from khiva_arena.extensions.league.player.batch_play import BatchPlay, CpuBound
from khiva_arena.extensions.league.player.pauses import Pauses, failing_machine_told
from khiva_arena.extensions.league.player.publish import Publisher
from khiva_arena.extensions.league.player.refusals import (
    HowLong,
    changed_terms,
    check_first,
    open_alone,
    open_event,
    refuse_changed,
    refuse_early,
    refuse_too_few,
)
from khiva_arena.extensions.league.player.roster_changes import take_all
from khiva_arena.extensions.league.player.started_bots import StartedBots
from khiva_arena.extensions.league.seen import receipt_of
from khiva_arena.extensions.league.settings import League
from khiva_arena.extensions.league.status import estimate, next_begin
from khiva_arena.extensions.league.submissions.examine import examine_next, sweep_alone
from khiva_arena.extensions.league.submissions.queue import Queue
from khiva_arena.extensions.league.walked import LeagueSoFar, founded, keep_walked, walked, with_batch
from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.definition import Definition
from khiva_arena.records.store.db import BotRow, EventRow, Store, now
from khiva_arena.words import count

OVERDUE = "it has used up its CPU time of a day"
BROKEN = "it does not start any more"
MOST_CHECKS = 5
"""Bots that are checked between two batches, so that a flood of them holds up nobody."""
SECONDS_A_MINUTE = 60.0
NAP_SECONDS = 1.0
"""The pause between two looks at the clock while a table waits to be tried again."""


def play(league: League, how_long: HowLong, say: Say) -> None:
    """Play batches of a league, and say a line on each.

    After an error that nobody foresaw, or a failure of the machine that may pass, it waits and goes on as ``Pauses`` says.

    Raises ConfigError if the roster cannot fill a table, or the settings are others than those of the chain. Raises StoreError if
    another player is at work or the store is damaged, BotError if a bot of a batch that has begun does not start any more,
    StoreFull if a disk is full: after a day, or at once in a player that was told how many batches to play; MachineFails for such
    a failure in that player, or in one that cannot begin.
    """
    pool.reserve(league.settings.jobs, league.settings.seats)
    pauses = Pauses(league.folder, how_long, say)

    def play_on() -> None:
        """Begin from what is recorded, as after a kill: so nothing in memory is ahead of a disk that was full."""
        while True:
            try:
                with _player(league, how_long, say) as player:
                    pauses.player = player
                    player.play()
                return
            except Exception as error:
                pauses.after(error)

    with failing_machine_told():
        outlast(play_on, league.folder, say, waits=how_long.batches is None)


def draw(league: League, how_long: HowLong, say: Say) -> EventRow:
    """Return the event of the batch that is drawn and not over; if there is none, draw it first. Raises as ``play`` does."""
    with _player(league, how_long, say) as player:
        return player.draw()


@contextmanager
def _player(league: League, how_long: HowLong, say: Say) -> "Iterator[Player]":
    """Yield a player whose store nobody else writes."""
    sweep_alone(league.folder)  # before anything is written
    with ExitStack() as stack:
        queue = stack.enter_context(Queue(league.folder))
        if how_long.batches and not receipt_of(league.folder):
            with kept_from_others(league.folder):
                _examine_some(league, queue, say)
            refuse_too_few(league, queue)
        store = stack.enter_context(open_alone(league.folder))
        check_first(league, store, how_long)
        log = stack.enter_context(RunEvents(league.folder, league.settings.events_file, say))
        public = stack.enter_context(Publisher(store, log.say, league.pace))
        player = Player(league, store, queue, log, public, how_long)
        with if_interrupted(log.say, player.how_far):
            yield player


class Player:
    """A player at work.

    chain: up to the newest link.
    counts: over the batches that are drawn.
    batches: that bots have played in.
    """

    def __init__(
        self,
        league: League,
        store: Store,
        queue: Queue,
        log: RunEvents,
        public: Publisher,
        how_long: HowLong,
    ) -> None:
        self._league, self._store, self._queue, self._log, self._how_long = league, store, queue, log, how_long
        self._public = public
        self._bots = StartedBots(league, log.say)
        self._batch: BatchPlay | None = None
        self._broken: dict[str, str] = {}
        self._waits, self._begin, self._has_estimated = False, cast(datetime | None, None), False
        self._public.wish = queue.take_wish
        self._stack, self._elsewhere = ExitStack(), cast(Executor | None, None)
        now = walked(store) or founded(found(store, league.name, league.terms, league.frozen_anchors))
        self.chain: Chain = by_this_clock(now.chain) if how_long.clock_is_right else now.chain
        self.counts, self.batches = now.counts, now.batches

    def how_far(self) -> str:
        """Return how far the batch has come, in words."""
        if self._batch is None:
            other = f"batch {self.chain.batches} is drawn" if self.chain.open else "no other begun"
            return f"{count(self.chain.over, 'batch', 'batches')} over, {other}"
        return f"batch {self.chain.batches}: {len(self._batch.done)} of {self._batch.planned} matches are recorded"

    def play(self) -> None:
        """Play batches until it is time to stop."""
        over_before = self.chain.over
        self._queue.end_leases_of_player()
        self._public.publish(self.chain)
        with self._stack:
            while self._how_long.goes_on(self.chain, self.chain.over - over_before):
                refuse_early(self.chain, self._how_long.clock_is_right)
                begin = None if self.chain.open else next_begin(self._league.pace, self.chain)
                if begin and self._how_long.until and begin >= self._how_long.until:
                    self._log.say(f"no batch begins before --until; the next one at {begin.isoformat(timespec='minutes')}")
                    break
                if begin:
                    self._wait_for_hour(begin)
                elif event := self._resumed() if self.chain.open else self._begun():
                    self._play_batch(self._with_line(event))
        self._public.finish()
        self._log.say(f"{count(self.chain.over - over_before, 'batch is', 'batches are')} over; {self._newest_link()}")

    def _wait_for_hour(self, begin: datetime) -> None:
        """Say once when the next batch begins, and wait a little. Bots are checked meanwhile, and what is due is published."""
        if begin != self._begin:
            self._begin = begin
            self._public.publish(self.chain)
            self._log.say(f"the next batch begins at {begin.isoformat(timespec='minutes')}")
        _examine_some(self._league, self._queue, self._log.say)
        self._public.look()
        time.sleep(NAP_SECONDS)

    def draw(self) -> EventRow:
        """Return the event of the batch that is drawn and not over; if there is none, draw it first."""
        if self.chain.open and self._how_long.new_terms:
            raise ConfigError(f"--new-terms: batch {self.chain.batches} is drawn already, on the terms before; leave it out")
        self._queue.end_leases_of_player()
        self._public.write(self.chain)  # if a kill came between a draw and that
        event = stored.stored_event(self._store, self.chain.open.event) if self.chain.open else self._begun()
        assert event is not None  # since a player that was told how many batches to play waits for no bots
        event = self._with_line(event)
        self._log.say(f"commitment {event.commitment}; {self._newest_link()}")
        return event

    def _publish(self) -> None:
        """Publish how the league stands, and keep it for the next start."""
        self._public.publish(self.chain)
        keep_walked(self._store, LeagueSoFar(self.chain, self.counts, self.batches))

    def _newest_link(self) -> str:
        return f"link {self.chain.links - 1} {self.chain.digest}"

    def _take_terms(self) -> None:
        """Add a link if the settings have changed, and that is meant. Raises ConfigError if it is not."""
        if not self._how_long.new_terms:
            refuse_changed(self._league.terms, self.chain.terms)
        elif changed := changed_terms(self._league.terms, self.chain.terms):
            link = Renewed(**next_place(self.chain), terms=self._league.terms, why=f"changed: {changed}")
            self.chain = add(self._store, self.chain, link)
            self._log.say(f"new terms: {changed}; {self._newest_link()}")
            if (anchor := self._league.terms.anchor) != self.chain.anchor:
                self._log.say(harmless(f"Elo 0 is {self.chain.anchor} in this season, and {anchor} from the next one on"))

    # --- the next batch ---

    def _begun(self) -> EventRow | None:
        """Take what waits in the queue, draw the next batch, and return its event. If the roster cannot fill a table, wait a
        little for more bots and return None; raise ConfigError in a player that was told how many batches to play."""
        self._take_terms()
        _examine_some(self._league, self._queue, self._log.say)
        self.chain = take_all(self._store, self._queue, self.chain, self._log.say)
        for bot, why in (broken := self._bots.start(self.chain.active)).items():
            self._log.say(f"{bot.name}: {why}", warning=True)
        self._suspend(dict.fromkeys(broken, BROKEN))
        if len({bot.family for bot in self.chain.active}) < self.chain.terms.seats and self._how_long.batches is None:
            self._wait_for_bots()
            return None
        definition = self._drawn_definition()
        secret = secrets.token_bytes(seeds.SECRET_BYTES)
        commitment = seeds.commitment(definition.digest, secret)
        event = seeds.event_id(definition.digest, commitment)
        place, beacon = next_place(self.chain), self.chain.terms.beacon
        link = Drawn(
            **place,
            batch=self.chain.batches + 1,
            event=event,
            definition=definition.digest,
            commitment=commitment,
            round=beacon.round_after(datetime.fromisoformat(place["at"])) if beacon else None,
        )
        longer = follow(self.chain, link)
        players = self._bots.of(self.chain.active)
        rows = [
            BotRow(bot.name, bot.identity, bot.version, bot.complete, bot.asked_as, str(self._league.folder)) for bot in players
        ]
        stored.keep_modules(self._store.folder, definition)
        row = EventRow(event, 0, definition.text, (__version__,), now(), commitment, secret, tuple(rows))
        self._store.add_batch(row, row_of(link))
        self.chain, self._waits = longer, False
        add_batch(self.counts, definition)
        self._publish()
        return stored.stored_event(self._store, event)

    def _with_line(self, event: EventRow) -> EventRow:
        """Return the event of the open batch with the line of the beacon's round, once it has come; as it is without a beacon."""
        drawn, beacon = self.chain.open, self.chain.terms.beacon
        assert drawn is not None
        if beacon is None or drawn.round is None or event.public is not None:
            return event
        line = wait_for_line(self._how_long.beacon, beacon, drawn.round, self._log.say, self._public.look)
        self._store.add_public(event.id, line)
        self._log.say(harmless(f"round {drawn.round} of {beacon.name}: {line}"))
        return stored.stored_event(self._store, event.id)

    def _wait_for_bots(self) -> None:
        """Publish how the league stands, say once that it waits, and wait a little."""
        if not self._waits:
            self._log.say("too few bots for a table; waiting for `khiva-arena league enter` or for uploads", warning=True)
            self._public.publish(self.chain)
        self._public.look()
        self._waits = True
        time.sleep(NAP_SECONDS)

    def _drawn_definition(self) -> Definition:
        """Return the definition of the next batch, with its tables drawn. Raises ConfigError if the roster cannot fill one."""
        runtimes = runtimes_of(self._bots.of(self.chain.active))
        return definition_of(self.chain, next_batch(self.chain, self.counts), runtimes)

    def _resumed(self) -> EventRow:
        """Return the event of the batch that was drawn and is not over, marked with this engine, once its bots have started.
        Raises BotError."""
        event = stored.marked(self._store, open_event(self._store, self.chain))
        stored.keep_modules(self._store.folder, event.definition)
        roster = [self.chain.bots[bot.identity] for bot in event.bots]
        for bot, why in self._bots.start(roster).items():
            if not bot.author or bot.identity not in self._bots.loaded:
                raise BotError(f"{bot.name}: {why}")
            self._log.say(f"{bot.name} does not start any more, so it forfeits: {why}", warning=True)
            self._bots.let_fail(bot)
            self._broken[bot.identity] = BROKEN
        return event

    # --- bots ---

    def _out_after(self, play: BatchPlay) -> dict[RosterBot, str]:
        """Return the bots that a batch's end suspends, with the reason for everyone to read."""
        overdue = {play.event.bots[bot].identity: OVERDUE for bot in sorted(play.overdue)}
        reasons = {self.chain.bots[identity]: why for identity, why in (overdue | self._broken).items()}
        self._broken = {}
        return {bot: why for bot, why in reasons.items() if bot.state == "active"}

    def _suspend(self, reasons: Mapping[RosterBot, str]) -> None:
        """Suspend bots from the next batch on. ``reasons``: why, for everyone to read. Raises BotError for an anchor."""
        for bot, why in reasons.items():
            if bot.state != "active":
                continue
            if not bot.author:
                raise BotError(f"anchor {bot.name}: {why}; without it no batch can be played")
            self.chain = add(
                self._store, self.chain, StateChanged(**next_place(self.chain), identity=bot.identity, state="suspended", why=why)
            )
            self._log.say(f"{bot.name} is suspended, since {why}; {self._newest_link()}", warning=True)

    # --- playing ---

    @contextmanager
    def _executor(self, players: tuple[Bot, ...]) -> Iterator[Executor]:
        """Yield the executor of a batch. That of a cluster stays from batch to batch, so that no bot is started again there."""
        if self._elsewhere is None:
            made = executor_of(
                self._league.settings, Entrants(players, self._bots.commands), self._league.sandbox, None, self._log.say
            )
            if not self._league.settings.place:
                yield made
                return
            self._elsewhere = self._stack.enter_context(made)
        yield self._elsewhere

    def _play_batch(self, event: EventRow) -> None:
        """Play the rest of a batch and end it: once each table is recorded, or stayed void after two more tries."""
        log = self._log
        players = tuple(self._bots.loaded[bot.identity] for bot in event.bots)
        anchors = len(self.chain.founded.anchors)
        with self._executor(players) as executor:
            commands = executor.prepare(players)
            seated = [commands[bot.identity] for bot in players]
            play = self._batch = BatchPlay(
                self._store, event, seated, CpuBound(SECONDS_A_MINUTE * self.chain.terms.cpu_minutes, anchors), log.say
            )
            play.mend = partial(stage_damaged, players, seated, self._league.sandbox.level, log.say)
            self._announce(play)
            log.begin(self._store, play, executor.at_a_time)

            def record(outcome: Outcome) -> None:
                last = not outcome.again
                for row in play.record(outcome, last=last):
                    log.stored(row, set_aside=last)
                self._public.look()

            with log.screen():
                while True:
                    for draw in play.rounds():
                        log.round(draw)
                        executor.play(play, draw, record)
                    if play.over:
                        break
                    self._wait_to_try_again(play)
        self._queue.keep_notes(self.chain.batches, play.notes())
        self._end(play)
        self._batch = None

    def _announce(self, play: BatchPlay) -> None:
        batch = play.event.definition.batch
        assert batch is not None
        tables, bots = count(len(batch.tables), "table"), count(len(play.event.bots), "bot")
        recorded = f", {len(play.done)} of them recorded before" if play.done else ""
        self._log.say(f"batch {batch.number}: {bots}, {tables}, {play.planned} matches{recorded}; event {play.event.id}")
        self._log.say(f"commitment {play.event.commitment}; {self._newest_link()}")
        if not self._has_estimated:
            self._has_estimated = True
            jobs = self._league.settings.jobs
            if how_long := estimate(self._store, play.event.number - 1, play.planned - len(play.done), jobs):
                self._log.say(f"this batch takes {how_long}")

    def _wait_to_try_again(self, play: BatchPlay) -> None:
        """Wait until tables that stayed void may be tried once more."""
        due = play.last_void() + timedelta(minutes=self.chain.terms.retry_minutes)
        tables = count(len(play.stayed_void()), "table")
        self._log.say(f"{tables} stayed void; tried again at {due.astimezone().isoformat(timespec='minutes')}", warning=True)
        while datetime.now(UTC) < due:
            self._public.look()
            time.sleep(NAP_SECONDS)
        play.try_again()

    def _end(self, play: BatchPlay) -> None:
        """Add the link that ends a batch, with what is set aside for good."""
        store, event = self._store, play.event
        given_up = play.given_up()
        reveals = play.reveals() if store.conclusion(event.id) is None else {}
        digest = stored.run_digest_of(store, event)
        batch = self.chain.batches
        link = Over(
            **next_place(self.chain),
            batch=batch,
            event=event.id,
            run_digest=digest,
            public=event.public,
            set_aside=tuple(given_up),
        )
        links: list[AnyLink] = [link]
        chain = ended = follow(self.chain, link)
        for bot, why in self._out_after(play).items():
            links.append(StateChanged(**next_place(chain), identity=bot.identity, state="suspended", why=why))
            chain = follow(chain, links[-1])
            self._log.say(f"{bot.name} is suspended, since {why}", warning=True)
        store.end_batch(event.id, map(row_of, links), given_up, reveals)
        self.batches = with_batch(self.batches, ended, stored.stored_event(store, event.id))
        self.chain = chain
        self._publish()
        store.empty_wal()
        self._queue.empty_wal()
        self._log.concluded(digest, is_complete=True)
        if given_up:
            tables = ", ".join(f"table {lineup} of seed {seed}" for seed, lineup in given_up)
            self._log.say(f"set aside for good, since they stayed void: {tables}; they are not rated", warning=True)
        self._log.say(f"batch {batch} is over: run digest {digest}; {self._newest_link()}")


def _examine_some(league: League, queue: Queue, say: Say) -> None:
    """Examine bots that wait, so many that no flood of them holds up a batch, and say what became of each."""
    for _ in range(MOST_CHECKS):
        try:
            examined = examine_next(league, queue)
        except StagingError as error:
            say(f"a bot that waits could not be checked here, and waits on: {error}", warning=True)
            continue
        if examined is None:
            break
        entry, verdict = examined
        if verdict.failure:
            say(f"entry {entry.number}, {entry.family_name}, was not examined: {verdict.failure}", warning=True)
        else:
            say(f"{entry.family_name}: {'accepted' if verdict.accepted else 'refused'}; its author sees why")
