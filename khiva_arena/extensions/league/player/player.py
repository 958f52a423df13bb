"""The player of a league: it takes changes of the roster, draws the next batch, plays
it, and ends it, again and again.

Each step is recorded in one transaction before the next one begins, so a kill at any
instant loses nothing. The same command goes on with the batch that was drawn and is not
over, else with the next one.
"""

import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import datetime

from khiva_arena import __version__
from khiva_arena.arbiter import pool
from khiva_arena.common.say import Say
from khiva_arena.common.text import harmless
from khiva_arena.competition.events import stored
from khiva_arena.competition.run.run_events import RunEvents
from khiva_arena.competition.settings.define import runtimes_of
from khiva_arena.display.terminal.interrupts import if_interrupted
from khiva_arena.errors import BotError, ConfigError, StagingError
from khiva_arena.extensions.league.beacon import wait_for_line
from khiva_arena.extensions.league.chain.follow import follow
from khiva_arena.extensions.league.chain.links import Drawn, Renewed, StateChanged
from khiva_arena.extensions.league.chain.roster import RosterBot
from khiva_arena.extensions.league.chain.stored_chain import add, next_place, row_of
from khiva_arena.extensions.league.draw.next_batch import add_batch, definition_of, next_batch
from khiva_arena.extensions.league.full_disk import kept_from_others, outlast
from khiva_arena.extensions.league.player.batch_at_play import NAP_SECONDS, PlaysBatches
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
from khiva_arena.extensions.league.seen import receipt_of
from khiva_arena.extensions.league.settings import League
from khiva_arena.extensions.league.status import next_begin
from khiva_arena.extensions.league.submissions.drafts import sweep_alone
from khiva_arena.extensions.league.submissions.examine import examine_next
from khiva_arena.extensions.league.submissions.queue import Queue
from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.definition import Definition
from khiva_arena.records.store.db import BotRow, EventRow, now
from khiva_arena.words import count

BROKEN = "it does not start any more"
MOST_CHECKS = 5
"""Bots that are checked between two batches, so that a flood of them holds up
nobody.
"""


def play(league: League, how_long: HowLong, say: Say) -> None:
    """Play batches of a league, and say a line on each.

    After an error that nobody foresaw, or a failure of the machine that may pass, it
    waits and goes on as ``Pauses`` says.

    Raises ConfigError if the roster cannot fill a table, or the settings are others
    than those of the chain. Raises StoreError if another player is at work or the store
    is damaged, BotError if a bot of a batch that has begun does not start any more,
    StoreFull if a disk is full: after a day, or at once in a player that was told how
    many batches to play; MachineFails for such a failure in that player, or in one that
    cannot begin.
    """
    pool.reserve(league.settings.jobs, league.settings.seats)
    pauses = Pauses(league.folder, how_long, say)

    def play_on() -> None:
        """Begin from what is recorded, as after a kill: so nothing in memory is ahead
        of a disk that was full.
        """
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
    """Return the event of the batch that is drawn and not over; if there is none, draw
    it first. Raises as ``play`` does.
    """
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


class Player(PlaysBatches):
    """A player at work.

    chain: up to the newest link.
    counts: over the batches that are drawn.
    batches: that bots have played in.
    """

    def how_far(self) -> str:
        """Return how far the batch has come, in words."""
        if self._batch is None:
            other = f"batch {self.chain.batches} is drawn" if self.chain.open else "no other begun"
            return f"{count(self.chain.over, 'batch', 'batches')} over, {other}"
        return (
            f"batch {self.chain.batches}: {len(self._batch.done)} of {self._batch.planned} "
            "matches are recorded"
        )

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
                    self._log.say(
                        "no batch begins before --until; the next one at "
                        f"{begin.isoformat(timespec='minutes')}"
                    )
                    break
                if begin:
                    self._wait_for_hour(begin)
                elif event := self._resumed() if self.chain.open else self._begun():
                    self._play_batch(self._with_line(event))
        self._public.finish()
        self._log.say(
            f"{count(self.chain.over - over_before, 'batch is', 'batches are')} over; "
            f"{self._newest_link()}"
        )

    def _wait_for_hour(self, begin: datetime) -> None:
        """Say once when the next batch begins, and wait a little. Bots are checked
        meanwhile, and what is due is published.
        """
        if begin != self._begin:
            self._begin = begin
            self._public.publish(self.chain)
            self._log.say(f"the next batch begins at {begin.isoformat(timespec='minutes')}")
        _examine_some(self._league, self._queue, self._log.say)
        self._public.look()
        time.sleep(NAP_SECONDS)

    def draw(self) -> EventRow:
        """Return the event of the batch that is drawn and not over; if there is none,
        draw it first.
        """
        if self.chain.open and self._how_long.new_terms:
            raise ConfigError(
                f"--new-terms: batch {self.chain.batches} is drawn already, on the terms "
                "before; leave it out"
            )
        self._queue.end_leases_of_player()
        self._public.write(self.chain)  # if a kill came between a draw and that
        event = (
            stored.stored_event(self._store, self.chain.open.event)
            if self.chain.open
            else self._begun()
        )
        assert (
            event is not None
        )  # since a player that was told how many batches to play waits for no bots
        event = self._with_line(event)
        self._log.say(f"commitment {event.commitment}; {self._newest_link()}")
        return event

    def _take_terms(self) -> None:
        """Add a link if the settings have changed, and that is meant. Raises
        ConfigError if it is not.
        """
        if not self._how_long.new_terms:
            refuse_changed(self._league.terms, self.chain.terms)
        elif changed := changed_terms(self._league.terms, self.chain.terms):
            link = Renewed(
                **next_place(self.chain), terms=self._league.terms, why=f"changed: {changed}"
            )
            self.chain = add(self._store, self.chain, link)
            self._log.say(f"new terms: {changed}; {self._newest_link()}")
            if (anchor := self._league.terms.anchor) != self.chain.anchor:
                self._log.say(
                    harmless(
                        f"Elo 0 is {self.chain.anchor} in this season, and {anchor} from "
                        "the next one on"
                    )
                )

    # --- the next batch ---

    def _begun(self) -> EventRow | None:
        """Take what waits in the queue, draw the next batch, and return its event. If
        the roster cannot fill a table, wait a little for more bots and return None;
        raise ConfigError in a player that was told how many batches to play.
        """
        self._take_terms()
        _examine_some(self._league, self._queue, self._log.say)
        self.chain = take_all(self._store, self._queue, self.chain, self._log.say)
        for bot, why in (broken := self._bots.start(self.chain.active)).items():
            self._log.say(f"{bot.name}: {why}", warning=True)
        self._suspend(dict.fromkeys(broken, BROKEN))
        if (
            len({bot.family for bot in self.chain.active}) < self.chain.terms.seats
            and self._how_long.batches is None
        ):
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
            BotRow(
                bot.name,
                bot.identity,
                bot.version,
                bot.complete,
                bot.asked_as,
                str(self._league.folder),
            )
            for bot in players
        ]
        stored.keep_modules(self._store.folder, definition)
        row = EventRow(
            event, 0, definition.text, (__version__,), now(), commitment, secret, tuple(rows)
        )
        self._store.add_batch(row, row_of(link))
        self.chain, self._waits = longer, False
        add_batch(self.counts, definition)
        self._publish()
        return stored.stored_event(self._store, event)

    def _with_line(self, event: EventRow) -> EventRow:
        """Return the event of the open batch with the line of the beacon's round, once
        it has come; as it is without a beacon.
        """
        drawn, beacon = self.chain.open, self.chain.terms.beacon
        assert drawn is not None
        if beacon is None or drawn.round is None or event.public is not None:
            return event
        line = wait_for_line(
            self._how_long.beacon, beacon, drawn.round, self._log.say, self._public.look
        )
        self._store.add_public(event.id, line)
        self._log.say(harmless(f"round {drawn.round} of {beacon.name}: {line}"))
        return stored.stored_event(self._store, event.id)

    def _wait_for_bots(self) -> None:
        """Publish how the league stands, say once that it waits, and wait a little."""
        if not self._waits:
            self._log.say(
                "too few bots for a table; waiting for `khiva-arena league enter` or for uploads",
                warning=True,
            )
            self._public.publish(self.chain)
        self._public.look()
        self._waits = True
        time.sleep(NAP_SECONDS)

    def _drawn_definition(self) -> Definition:
        """Return the definition of the next batch, with its tables drawn. Raises
        ConfigError if the roster cannot fill one.
        """
        runtimes = runtimes_of(self._bots.of(self.chain.active))
        return definition_of(self.chain, next_batch(self.chain, self.counts), runtimes)

    def _resumed(self) -> EventRow:
        """Return the event of the batch that was drawn and is not over, marked with
        this engine, once its bots have started. Raises BotError.
        """
        event = stored.marked(self._store, open_event(self._store, self.chain))
        stored.keep_modules(self._store.folder, event.definition)
        roster = [self.chain.bots[bot.identity] for bot in event.bots]
        for bot, why in self._bots.start(roster).items():
            if not bot.author or bot.identity not in self._bots.loaded:
                raise BotError(f"{bot.name}: {why}")
            self._log.say(
                f"{bot.name} does not start any more, so it forfeits: {why}", warning=True
            )
            self._bots.let_fail(bot)
            self._broken[bot.identity] = BROKEN
        return event

    # --- bots ---

    def _suspend(self, reasons: Mapping[RosterBot, str]) -> None:
        """Suspend bots from the next batch on. ``reasons``: why, for everyone to read.
        Raises BotError for an anchor.
        """
        for bot, why in reasons.items():
            if bot.state != "active":
                continue
            if not bot.author:
                raise BotError(f"anchor {bot.name}: {why}; without it no batch can be played")
            self.chain = add(
                self._store,
                self.chain,
                StateChanged(
                    **next_place(self.chain), identity=bot.identity, state="suspended", why=why
                ),
            )
            self._log.say(
                f"{bot.name} is suspended, since {why}; {self._newest_link()}", warning=True
            )

    # --- playing ---


def _examine_some(league: League, queue: Queue, say: Say) -> None:
    """Examine bots that wait, so many that no flood of them holds up a batch, and say
    what became of each.
    """
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
            say(
                f"entry {entry.number}, {entry.family_name}, was not examined: {verdict.failure}",
                warning=True,
            )
        else:
            say(
                f"{entry.family_name}: {'accepted' if verdict.accepted else 'refused'}; "
                "its author sees why"
            )
