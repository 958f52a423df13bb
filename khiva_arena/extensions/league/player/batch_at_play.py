"""One batch of a league at play: its executor, its announcement, its end."""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import cast

from khiva_arena.arbiter.match import Outcome
from khiva_arena.competition.events import stored
from khiva_arena.competition.playing.executor import Executor
from khiva_arena.competition.playing.starts import Entrants, stage_damaged
from khiva_arena.competition.run.run_events import RunEvents
from khiva_arena.competition.run.who_plays import executor_of
from khiva_arena.entrants.bots import Bot
from khiva_arena.extensions.league.chain.follow import follow
from khiva_arena.extensions.league.chain.links import AnyLink, Over, StateChanged
from khiva_arena.extensions.league.chain.roster import Chain, RosterBot
from khiva_arena.extensions.league.chain.stored_chain import (
    by_this_clock,
    found,
    next_place,
    row_of,
)
from khiva_arena.extensions.league.player.batch_play import BatchPlay, CpuBound
from khiva_arena.extensions.league.player.publish import Publisher
from khiva_arena.extensions.league.player.refusals import HowLong
from khiva_arena.extensions.league.player.started_bots import StartedBots
from khiva_arena.extensions.league.settings import League
from khiva_arena.extensions.league.status import estimate
from khiva_arena.extensions.league.submissions.queue import Queue
from khiva_arena.extensions.league.walked import (
    LeagueSoFar,
    founded,
    keep_walked,
    walked,
    with_batch,
)
from khiva_arena.records.store.db import EventRow, Store
from khiva_arena.words import count

OVERDUE = "it has used up its CPU time of a day"
SECONDS_A_MINUTE = 60.0
NAP_SECONDS = 1.0
"""The pause between two looks at the clock while a table waits to be tried again."""


class PlaysBatches:
    """Plays the batch that has begun."""

    def __init__(
        self,
        league: League,
        store: Store,
        queue: Queue,
        log: RunEvents,
        public: Publisher,
        how_long: HowLong,
    ) -> None:
        self._league, self._store, self._queue, self._log, self._how_long = (
            league,
            store,
            queue,
            log,
            how_long,
        )
        self._public = public
        self._bots = StartedBots(league, log.say)
        self._batch: BatchPlay | None = None
        self._broken: dict[str, str] = {}
        self._waits, self._begin, self._has_estimated = False, cast(datetime | None, None), False
        self._public.wish = queue.take_wish
        self._stack, self._elsewhere = ExitStack(), cast(Executor | None, None)
        now = walked(store) or founded(
            found(store, league.name, league.terms, league.frozen_anchors)
        )
        self.chain: Chain = by_this_clock(now.chain) if how_long.clock_is_right else now.chain
        self.counts, self.batches = now.counts, now.batches

    def _publish(self) -> None:
        """Publish how the league stands, and keep it for the next start."""
        self._public.publish(self.chain)
        keep_walked(self._store, LeagueSoFar(self.chain, self.counts, self.batches))

    def _newest_link(self) -> str:
        return f"link {self.chain.links - 1} {self.chain.digest}"

    def _out_after(self, play: BatchPlay) -> dict[RosterBot, str]:
        """Return the bots that a batch's end suspends, with the reason for everyone to
        read.
        """
        overdue = {play.event.bots[bot].identity: OVERDUE for bot in sorted(play.overdue)}
        reasons = {
            self.chain.bots[identity]: why for identity, why in (overdue | self._broken).items()
        }
        self._broken = {}
        return {bot: why for bot, why in reasons.items() if bot.state == "active"}

    @contextmanager
    def _executor(self, players: tuple[Bot, ...]) -> Iterator[Executor]:
        """Yield the executor of a batch. That of a cluster stays from batch to batch,
        so that no bot is started again there.
        """
        if self._elsewhere is None:
            made = executor_of(
                self._league.settings,
                Entrants(players, self._bots.commands),
                self._league.sandbox,
                None,
                self._log.say,
            )
            if not self._league.settings.place:
                yield made
                return
            self._elsewhere = self._stack.enter_context(made)
        yield self._elsewhere

    def _play_batch(self, event: EventRow) -> None:
        """Play the rest of a batch and end it: once each table is recorded, or stayed
        void after two more tries.
        """
        log = self._log
        players = tuple(self._bots.loaded[bot.identity] for bot in event.bots)
        anchors = len(self.chain.founded.anchors)
        with self._executor(players) as executor:
            commands = executor.prepare(players)
            seated = [commands[bot.identity] for bot in players]
            play = self._batch = BatchPlay(
                self._store,
                event,
                seated,
                CpuBound(SECONDS_A_MINUTE * self.chain.terms.cpu_minutes, anchors),
                log.say,
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
        self._log.say(
            f"batch {batch.number}: {bots}, {tables}, {play.planned} matches{recorded}; "
            f"event {play.event.id}"
        )
        self._log.say(f"commitment {play.event.commitment}; {self._newest_link()}")
        if not self._has_estimated:
            self._has_estimated = True
            jobs = self._league.settings.jobs
            if how_long := estimate(
                self._store, play.event.number - 1, play.planned - len(play.done), jobs
            ):
                self._log.say(f"this batch takes {how_long}")

    def _wait_to_try_again(self, play: BatchPlay) -> None:
        """Wait until tables that stayed void may be tried once more."""
        due = play.last_void() + timedelta(minutes=self.chain.terms.retry_minutes)
        tables = count(len(play.stayed_void()), "table")
        self._log.say(
            f"{tables} stayed void; tried again at "
            f"{due.astimezone().isoformat(timespec='minutes')}",
            warning=True,
        )
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
            links.append(
                StateChanged(**next_place(chain), identity=bot.identity, state="suspended", why=why)
            )
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
            self._log.say(
                f"set aside for good, since they stayed void: {tables}; they are not rated",
                warning=True,
            )
        self._log.say(f"batch {batch} is over: run digest {digest}; {self._newest_link()}")
