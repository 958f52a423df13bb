"""The bots of matches that workers sent, run again on this machine: a part of an event in ticks, drawn as the matches come in.

Each match is drawn by itself, by the system's randomness, once the worker has handed it in: no worker knows before which of its
matches are checked. So k forged matches all slip through with the chance (1 - share)^k. A table is recorded when its drawn
matches came out equal. Until then it counts as the worker's, which gets no other in its place.
"""

import random
import threading
from collections.abc import Callable, Mapping, Sequence
from math import floor, log
from typing import NamedTuple

import msgspec

from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.audit.rerun import PATIENCE, compared
from khiva_arena.audit.sample import CHANCE
from khiva_arena.cluster import task
from khiva_arena.cluster.messages import TABLE, TaskDone, WorkerTask, decode_done, encode
from khiva_arena.cluster.tables import seconds_for
from khiva_arena.replay.ticks import unconfirmed
from khiva_arena.sandbox import system
from khiva_arena.sandbox.command import Command
from khiva_arena.words import count

_decode_outcome = msgspec.msgpack.Decoder(Outcome).decode


class Judged(NamedTuple):
    """What running the bots of a table's drawn matches again has shown.

    forged: the first difference to a record, "" if there is none.
    failed: why this machine could not run all of them, "" if it could.
    """

    forged: str = ""
    failed: str = ""


class SpotChecks:
    """The checks of a run.

    share: the chance with which each match is drawn; 0: none is.
    """

    def __init__(self, share: float, take: Callable[[str, bytes], None]) -> None:
        """Begin without bots.

        take: gets the key of a table and the answer for it, in another thread.
        """
        self.share = share
        self.commands: Mapping[str, Command] = {}
        self._take = take
        self._free = threading.Semaphore(system.cores())
        self._is_over = threading.Event()
        self._same, self._among, self._ran_all = 0, 0, True

    def draw(self, table: Sequence[Job], outcomes: Sequence[Outcome]) -> list[Job]:
        """Return the drawn matches of a table that was handed in, as they are to be played again here."""
        pairs = [(job, outcome.record) for job, outcome in zip(table, outcomes, strict=True) if outcome.record is not None]
        self._among += len(pairs)
        lots = random.SystemRandom()
        return [
            msgspec.structs.replace(
                job,
                commands=tuple(self.commands[seat.bot] for seat in job.header.seats),
                forced=unconfirmed(record),
                patience=PATIENCE,
            )
            for job, record in pairs
            if lots.random() < self.share
        ]

    def begin(self, key: str, drawn: Sequence[Job]) -> None:
        """Run the bots of drawn matches again, in a thread."""
        threading.Thread(target=self._run, args=(key, drawn), daemon=True).start()

    def _run(self, key: str, drawn: Sequence[Job]) -> None:
        with self._free:
            try:
                asked = WorkerTask(TABLE, [encode(job) for job in drawn], seconds_for(drawn))
                done = task.converse(asked, lambda: not self._is_over.is_set())
            except Exception as error:  # the table waits for an answer, whatever it is
                done = TaskDone([], f"{type(error).__name__}: {error}")
        self._take(key, encode(done))

    def judge(self, answer: bytes, outcomes: Sequence[Outcome]) -> Judged:
        """Compare the drawn matches of a table with what a worker has sent."""
        done, sent = decode_done(answer), {outcome.ordinal: outcome.record for outcome in outcomes}
        failed = done.why
        for again in map(_decode_outcome, done.frames):
            record = sent[again.ordinal]
            assert record is not None
            difference, untried = compared(record, again)
            if difference:
                return Judged(f"match {again.ordinal}: {difference}")
            failed = untried or failed
            self._same += not untried
        self._ran_all &= not failed
        return Judged(failed=failed)

    def end(self) -> str:
        """End the checks that still run. Return in words what all of them prove, "" if no match came in."""
        self._is_over.set()
        if not self._among or not self.share:
            return ""
        of = count(self._among, "match", "matches")
        text = f"the bots of {self._same:,} of {of} that workers sent were run again here, and did the same"
        if not self._ran_all:
            return f"{text}; not all that were drawn could be, so how likely a forged match was found is n/a"
        if self.share == 1:
            return text
        surely = floor(log(CHANCE) / log(1 - self.share)) + 1
        chance = f"{100 * self.share:.2g} %"
        return (
            f"{text}; each was drawn with a chance of {chance}: so likely is a single forged match found, and {surely:,} or more "
            "with more than 95 %"
        )
