"""The part of a batch that is still to be played, with tables that are given up for
good once they were void too often.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from khiva_arena.arbiter import live
from khiva_arena.arbiter.failure import failure_of
from khiva_arena.arbiter.job import Failure
from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.arbiter.stderr import for_people
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.common.machine import is_unforeseen
from khiva_arena.common.say import Say, say_nothing
from khiva_arena.competition.events.stored import damaged, stored_batch
from khiva_arena.competition.playing.jobs import Play
from khiva_arena.extensions.league import failures
from khiva_arena.records.store.db import RUN_SECRET, EventRow, MatchRow, Store, VoidRow
from khiva_arena.records.store.rows import SET_ASIDE_VOIDS

SeedTable = tuple[int, int]
"""A seed and a line-up."""


class CpuBound(NamedTuple):
    """The CPU that a bot may use in a day, by UTC. Then it is overdue.

    seconds: how much; 0 for no limit.
    anchors: how many bots, the first ones of the batch, have no limit.
    """

    seconds: float
    anchors: int


MOST_NOTES = 20_000
"""Characters of what a bot wrote in a batch that its author is shown."""
NO_BOUND = CpuBound(0.0, 0)


class BatchPlay(Play):
    """The rest of a batch. Tables that were void ``SET_ASIDE_VOIDS`` times are not
    tried again.
    """

    def __init__(
        self,
        store: Store,
        event: EventRow,
        commands: Sequence[Command],
        bound: CpuBound = NO_BOUND,
        say: Say = say_nothing,
    ) -> None:
        super().__init__(store, event, commands)
        self._say = say
        self.failed = self._failed
        self.set_aside = {*self.given_up()}
        self._bound = bound
        self._cpu = _cpu_today(store, event) if bound.seconds else {}
        self._note_overdue()

    def record(self, outcome: Outcome, *, last: bool) -> list[MatchRow | VoidRow]:
        """Store an outcome as ``Play`` does, and count the CPU of each bot, until it is
        overdue.
        """
        rows = self._record_or_void(outcome, last=last)
        for seat in (
            [seat for row in rows if isinstance(row, MatchRow) for seat in row.seats]
            if self._bound.seconds
            else ()
        ):
            self._cpu[seat.bot] = self._cpu.get(seat.bot, 0.0) + (seat.measured.cpu_s or 0.0)
        self._note_overdue()
        return rows

    def _record_or_void(self, outcome: Outcome, *, last: bool) -> list[MatchRow | VoidRow]:
        """Store an outcome, as void if the arena fails to store the match."""
        try:
            return super().record(outcome, last=last)
        except Exception as error:
            if not is_unforeseen(error) or outcome.record is None:
                raise
            job = self._job(self._planned[outcome.ordinal], outcome.attempt)
            failure = failure_of(error)
            return super().record(
                live.void(job, self._failed(job, failure), failure=failure), last=True
            )

    def _failed(self, job: Job, failure: Failure) -> str:
        """Tell the organiser that the arena failed at a match, and return why it is
        void. It is tried again, and given up if that goes on, as if the machine had
        spoilt it.
        """
        batch = self.event.definition.batch
        number = batch.number if batch else 0
        told = failures.keep_trace(
            self._store.folder, f"match-{number}-{job.ordinal}", failure.words, failure.trace
        )
        self._say(f"match {job.ordinal} of batch {number} is void: {told}", warning=True)
        return failure.why

    def _note_overdue(self) -> None:
        self.overdue |= {
            bot
            for bot, used in self._cpu.items()
            if used > self._bound.seconds and bot >= self._bound.anchors
        }

    @property
    def over(self) -> bool:
        """True if all matches are recorded, but those of tables that are given up."""
        given_up = set(self.given_up())
        places = (
            self.timetable.place(ordinal)
            for ordinal in range(self.timetable.matches)
            if ordinal not in self.done
        )
        return all(place and place[:2] in given_up for place in places)

    def given_up(self) -> list[SeedTable]:
        """Return the tables that are set aside for good, in the order of the schedule:
        a match of each stayed void too often.
        """
        return sorted(
            {
                (row.seed, row.lineup)
                for row in self._unrecorded_voids()
                if row.attempt >= SET_ASIDE_VOIDS
            }
        )

    def stayed_void(self) -> list[SeedTable]:
        """Return the other tables of which a match was void and is not recorded, in the
        order of the schedule.
        """
        return sorted(
            {(row.seed, row.lineup) for row in self._unrecorded_voids()} - {*self.given_up()}
        )

    def try_again(self) -> None:
        """Let the tables be tried once more that stayed void and are not given up."""
        self.set_aside = {*self.given_up()}

    def last_void(self) -> datetime:
        """Return when the newest attempt at a match that is not recorded was void."""
        return max(datetime.fromisoformat(row.at) for row in self._unrecorded_voids()).astimezone(
            UTC
        )

    def _unrecorded_voids(self) -> list[VoidRow]:
        """Return the attempts that were void at matches that are not recorded."""
        return [row for row in self._store.voids(self.event.id) if row.ordinal not in self.done]

    def notes(self) -> dict[str, str]:
        """Return what each bot wrote on stderr in the batch, by identity: match by
        match, the end of it if that is long.
        """
        texts: defaultdict[int, list[str]] = defaultdict(list)
        for match in self._store.matches(self.event.id, beside=()):
            for seat in match.seats:
                if written := for_people(seat.notes).strip():
                    texts[seat.bot].append(
                        f"match {self.event.number}/{match.ordinal}, seat {seat.seat}:\n{written}"
                    )
        return {
            self.event.bots[bot].identity: "\n".join(of_bot)[-MOST_NOTES:]
            for bot, of_bot in texts.items()
        }

    def reveals(self) -> dict[int, bytes]:
        """Return the secrets that are still to be published when the batch ends with
        tables set aside.
        """
        published = self._store.reveals(self.event.id)
        secrets = {
            seed: self.event.seed_secret(seed) for seed in range(self.event.definition.seeds)
        }
        return {
            seed: secret
            for seed, secret in (secrets | {RUN_SECRET: self.event.secret}).items()
            if seed not in published
        }


def _cpu_today(store: Store, event: EventRow) -> dict[int, float]:
    """Return the seconds of CPU that each bot of an event has used today by UTC, in
    this event and others, by position.
    """
    midnight = (
        datetime.now(UTC)
        .replace(hour=0, minute=0, second=0, microsecond=0)
        .isoformat(timespec="seconds")
    )
    total: defaultdict[str, float] = defaultdict(float)
    for name in reversed(store.event_ids()):
        of_event = store.cpu(name, midnight)
        if not of_event and name != event.id:
            break  # the batches before it ended earlier
        batch = stored_batch(store, name)
        for bot, seconds in of_event.items():
            if not 0 <= bot < len(batch.bots):
                damaged(
                    store,
                    f"event {batch.number}",
                    f"a seat has bot {bot}, and there are {len(batch.bots)}",
                )
            total[batch.bots[bot].identity] += seconds
    return {
        position: total[bot.identity]
        for position, bot in enumerate(event.bots)
        if bot.identity in total
    }
