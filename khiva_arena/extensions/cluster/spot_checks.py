"""The bots of matches that workers sent, run again on this machine: a part of an event
in ticks, drawn as the matches come in.

Each match is drawn by itself, by the system's randomness, once the worker has handed it
in: no worker knows before which of its matches are checked. So k forged matches all
slip through with the chance (1 - share)^k. A table is recorded when its drawn matches
came out equal. Until then it counts as the worker's, which gets no other in its place.

A drawn match that cannot be confirmed on this machine is counted. No other one is drawn
in its place: each match that can be confirmed is drawn with the same chance as before,
so the law holds for all of these. If more than one drawn match in twenty cannot be, the
run ends unless the user takes them: else who makes bots that nobody can run again could
send what he likes.
"""

import random
import threading
from collections.abc import Callable, Mapping, Sequence
from math import floor, log
from typing import NamedTuple

import msgspec

from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.arbiter.match_queue import HOST_WAITS
from khiva_arena.bots.sandbox import system
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.competition.audit.compared import NOT_HERE, as_recorded, compared
from khiva_arena.competition.audit.sample import (
    CHANCE,
    Unconfirmed,
    by_bot,
    by_bot_in_words,
    in_words,
    too_many,
)
from khiva_arena.extensions.cluster import task
from khiva_arena.extensions.cluster.worker_messages import (
    TABLE,
    TaskDone,
    WorkerTask,
    decode_done,
    encode,
)
from khiva_arena.extensions.cluster.worker_tables import seconds_for
from khiva_arena.words import count

_decode_outcome = msgspec.msgpack.Decoder(Outcome).decode


class Judged(NamedTuple):
    """The result of running bots again in the drawn matches of a table.

    forged: the first difference to a record, "" if there is none.
    unconfirmed: those that could not be confirmed on this machine, by ordinal.
    """

    forged: str
    unconfirmed: Mapping[int, Unconfirmed]


class SpotChecks:
    """The checks of a run.

    share: the chance with which each match is drawn; 0: none is.
    """

    def __init__(
        self, share: float, take: Callable[[str, bytes], None], rng: random.Random | None = None
    ) -> None:
        """Begin without bots.

        take: gets the key of a table and the answer for it, in another thread.
        rng: draws matches; None: the system's randomness, which no worker can know.
        """
        self.share = share
        self._rng = rng or random.SystemRandom()
        self.commands: Mapping[str, Command] = {}
        self._take = take
        self._free = threading.Semaphore(system.cores())
        self._is_over = threading.Event()
        self._same, self._among = 0, 0
        self._unconfirmed: list[Unconfirmed] = []

    def draw(self, table: Sequence[Job], outcomes: Sequence[Outcome]) -> list[Job]:
        """Return the drawn matches of a table that was handed in, as they are to be
        played again here.
        """
        pairs = [
            (job, outcome.record)
            for job, outcome in zip(table, outcomes, strict=True)
            if outcome.record is not None
        ]
        self._among += len(pairs)
        drawn = [(job, record) for job, record in pairs if self._rng.random() < self.share]
        return [
            as_recorded(msgspec.structs.replace(job, commands=self._commands_of(job)), record)
            for job, record in drawn
        ]

    def _commands_of(self, job: Job) -> tuple[Command, ...]:
        return tuple(self.commands[seat.bot] for seat in job.header.seats)

    def begin(self, key: str, drawn: Sequence[Job]) -> None:
        """Run the bots of drawn matches again, in a thread."""
        threading.Thread(target=self._run, args=(key, drawn), daemon=True).start()

    def _run(self, key: str, drawn: Sequence[Job]) -> None:
        frames: dict[int, bytes] = {}
        why, todo = "", drawn
        for seconds in (0.0, *HOST_WAITS):
            if not todo or self._is_over.wait(seconds):
                break
            done = self._converse(todo)
            why = done.why
            outcomes = {outcome.ordinal: outcome for outcome in map(_decode_outcome, done.frames)}
            frames |= dict(zip(outcomes, done.frames, strict=True))
            todo = [job for job in todo if (one := outcomes.get(job.ordinal)) is None or one.host]
        self._take(key, encode(TaskDone(list(frames.values()), why)))

    def _converse(self, drawn: Sequence[Job]) -> TaskDone:
        with self._free:
            try:
                asked = WorkerTask(TABLE, [encode(job) for job in drawn], seconds_for(drawn))
                return task.converse(asked, lambda: not self._is_over.is_set())
            except Exception as error:  # the table waits for an answer, whatever it is
                return TaskDone([], f"{type(error).__name__}: {error}")

    def judge(self, drawn: Sequence[int], answer: bytes, outcomes: Sequence[Outcome]) -> Judged:
        """Compare the drawn matches of a table, of these ordinals, with what a worker
        has sent.
        """
        done, sent = decode_done(answer), {outcome.ordinal: outcome.record for outcome in outcomes}
        played = {again.ordinal: again for again in map(_decode_outcome, done.frames)}
        unconfirmed: dict[int, Unconfirmed] = {}
        for ordinal in drawn:
            record = sent[ordinal]
            assert record is not None
            one = compared(record, played.get(ordinal))
            if one.difference:
                return Judged(f"match {ordinal}: {one.difference}", {})
            if one.unconfirmed:
                why = one.unconfirmed.why if ordinal in played else NOT_HERE + done.why
                unconfirmed[ordinal] = one.unconfirmed._replace(why=why)
        self._same += len(drawn) - len(unconfirmed)
        self._unconfirmed += unconfirmed.values()
        return Judged("", unconfirmed)

    @property
    def too_many(self) -> str:
        """Say in a line that more than one drawn match in twenty was not confirmed; ""
        while they are fewer, or one alone.
        """
        drawn, unconfirmed = self._same + len(self._unconfirmed), self._unconfirmed
        if not too_many(len(unconfirmed), drawn):
            return ""
        return (
            f"{len(unconfirmed)} of {drawn} drawn matches could not be confirmed on this machine, "
            f"more than one in twenty (by bot: {by_bot_in_words(by_bot(unconfirmed))}), such as "
            f"this one: {unconfirmed[-1].why}"
        )

    def end(self) -> str:
        """End the checks that still run. Return in words what all of them prove, "" if
        no match came in.
        """
        self._is_over.set()
        if not self._among or not self.share:
            return ""
        of = count(self._among, "match", "matches")
        text = (
            f"the bots of {self._same:,} of {of} that workers sent were run again here, and "
            "did the same"
        )
        beside = f"; {in_words(self._unconfirmed)}" if self._unconfirmed else ""
        if self._unconfirmed and not self._same:
            return f"{text}{beside}; so how likely a forged match was found is n/a"
        if self.share == 1:
            return text + beside
        surely = floor(log(CHANCE) / log(1 - self.share)) + 1
        chance = f"{100 * self.share:.2g} %"
        which = " that can be run again here" if self._unconfirmed else ""
        return (
            f"{text}; each was drawn with a chance of {chance}: so likely is a single forged "
            f"match{which} found, and {surely:,} or more with more than 95 %{beside}"
        )
