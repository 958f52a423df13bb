"""The admission of workers: a worker makes an offer, gets missing bots, starts them
once, and is taken or refused.
"""

import logging
import secrets
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from khiva_arena.arbiter.match import Job
from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.common.machine import is_unforeseen
from khiva_arena.common.result import Clock
from khiva_arena.common.say import Say
from khiva_arena.competition.settings.define import runtimes_of
from khiva_arena.competition.settings.isolation import private_places
from khiva_arena.competition.settings.permissions import with_permissions
from khiva_arena.competition.settings.settings import Settings
from khiva_arena.entrants.bots import Bot
from khiva_arena.entrants.build import BUILD_SECONDS
from khiva_arena.extensions.cluster import offers
from khiva_arena.extensions.cluster.bot_transfer import pack
from khiva_arena.extensions.cluster.games import pack as pack_game
from khiva_arena.extensions.cluster.worker_messages import (
    FIRST,
    HOST,
    AskBots,
    AskOffer,
    PackedBot,
    PackedGame,
    WorkerTask,
    decode_done,
    decode_offer,
    decode_ready,
    encode,
)
from khiva_arena.extensions.cluster.workers import ClusterWorker, Crew, RecruitStage
from khiva_arena.records.replay.record import Header
from khiva_arena.words import count

_LOGGER = logging.getLogger(__name__)
OFFER_SECONDS = 120.0
PROBE_LAG = 0.5
"""Seconds of each second by which the arbiter may be late on a worker where nothing is
played yet.
"""


class Recruiting:
    """The questions to workers, and the decisions from their answers."""

    def __init__(
        self, crew: Crew, sandbox: Sandbox, settings: Settings, plan: Path | None, say: Say
    ) -> None:
        self._crew = crew
        self._plan = plan
        self._sandbox = sandbox
        self._settings = settings
        self._say = say
        self._bots: dict[str, PackedBot] = {}
        self._names: dict[str, str] = {}
        self._questions: dict[str, tuple[ClusterWorker, float]] = {}
        self._ask: AskBots | None = None
        self._game: PackedGame | None = None
        self._command: offers.CommandHas | None = None
        self._unsaid: list[str] = []

    def of(self, entrants: Sequence[Bot], header: Header, *, leave_out: bool = False) -> None:
        """Ask workers from now on whether they can play these bots; with ``leave_out``,
        which of these bots.
        """
        of = self._settings
        self._names = {bot.identity: bot.name for bot in entrants}
        self._bots = {bot.identity: pack(bot, of.network, of.env, files=True) for bot in entrants}
        self._game = pack_game(of.game)
        private = private_places(of, self._plan)
        self._ask = AskBots(
            [], self._sandbox, runtimes_of(entrants), header, private, leave_out, self._game
        )
        self._command = offers.describe_process()
        # A worker that was ready for the bots before may be unable to start one of
        # these.
        for worker in self._crew.ready_workers():
            if (
                not self._lacks(worker)
                and self._bots.keys() - worker.commands.keys() - worker.broken.keys()
            ):
                worker.stage = (
                    RecruitStage.NEW
                )  # it is asked again, since it was not asked about all of these bots

    def as_played_by(self, worker: ClusterWorker, job: Job) -> Job:
        """Return a match with the worker's own way to start its bots."""
        of = self._settings
        commands = tuple(
            with_permissions(
                worker.commands[seat.bot], self._names[seat.bot], of.network, of.env, of.link_ms
            )
            for seat in job.header.seats
        )
        return msgspec.structs.replace(
            job, commands=commands, sandbox=replace(job.sandbox, level=worker.level)
        )

    def busy(self) -> bool:
        """Tell whether an answer of a worker is awaited."""
        return bool(self._questions)

    def tasks(self, now: float) -> Iterator[tuple[str, str, bytes]]:
        """Yield the questions that are due: a key, a worker's address and a payload
        each.
        """
        if self._ask is None:
            return
        level = None if self._settings.clock is Clock.TICKS else self._sandbox.level
        offer = AskOffer(list(self._bots), self._game.code if self._game else "", level)
        for worker in list(self._crew.to_ask(now)):
            yield self._task(worker, RecruitStage.ASKED, offer, OFFER_SECONDS)
        for worker in list(self._crew.workers.values()):
            if worker.stage is RecruitStage.OFFERED and self._crew.has_room(worker):
                yield from self._bring(worker)

    def _bring(self, worker: ClusterWorker) -> Iterator[tuple[str, str, bytes]]:
        assert worker.offer
        assert self._ask
        missing = self._bots.keys() - set(worker.offer.staged)
        if missing and any(other.stage is RecruitStage.FITTING for other in self._beside(worker)):
            return  # a bot that one of them stages is there for all
        bots = [
            bot if identity in missing else msgspec.structs.replace(bot, files=None)
            for identity, bot in self._bots.items()
        ]
        seconds = OFFER_SECONDS + len(bots) * (BUILD_SECONDS + self._settings.limits.startup)
        game = (
            msgspec.structs.replace(self._game, files=None)
            if self._game and worker.offer.has_game
            else self._game
        )
        yield self._task(
            worker,
            RecruitStage.FITTING,
            msgspec.structs.replace(self._ask, bots=bots, game=game),
            seconds,
        )

    def _beside(self, worker: ClusterWorker) -> list[ClusterWorker]:
        """Return the other workers of a worker's machine."""
        all_of_them = self._crew.workers.values()
        assert worker.offer
        return [
            near
            for near in all_of_them
            if near is not worker and near.offer and near.offer.machine == worker.offer.machine
        ]

    def _task(
        self, worker: ClusterWorker, stage: RecruitStage, ask: AskOffer | AskBots, seconds: float
    ) -> tuple[str, str, bytes]:
        key = f"{FIRST if stage is RecruitStage.ASKED else 'khiva-bots-'}{secrets.token_hex(8)}"
        worker.stage = stage
        worker.tasks.add(key)
        self._questions[key] = (worker, time.time())
        return key, worker.address, encode(WorkerTask(HOST, [encode(ask)], seconds))

    def take_answer(self, key: str, result: bytes | str) -> None:
        """Take in a worker's answer, or the reason why there is none. An answer of a
        worker that was given up is ignored.
        """
        if key not in self._questions:
            return  # of a worker that was given up meanwhile
        worker, asked_at = self._questions.pop(key)
        worker.tasks.discard(key)
        if isinstance(result, str):
            self._no_answer(worker, result)
            return
        try:
            answer = decode_done(result)
            if not answer.frames:
                self._no_answer(worker, answer.why)
            elif worker.stage is RecruitStage.ASKED:
                self._take_offer(worker, answer.frames[0], asked_at, time.time())
            else:
                self._take_readiness(worker, answer.frames[0])
        except msgspec.DecodeError:
            self._refuse(worker, "it gave an answer unknown to this version of khiva-arena")
        except Exception as error:
            if not is_unforeseen(error):
                raise
            _LOGGER.exception("the answer of a worker cannot be taken; please report it")
            self._refuse(worker, f"khiva-arena fails at its answer ({type(error).__name__})")

    def _take_offer(self, worker: ClusterWorker, frame: bytes, asked_at: float, now: float) -> None:
        assert self._command
        offer = decode_offer(frame)
        needed = (
            replace(self._sandbox, level=Level.TRUSTED)
            if self._settings.clock is Clock.TICKS
            else self._sandbox
        )
        if reason := offers.why_refused(offer, self._command, needed, asked_at, now):
            self._refuse(worker, reason)
            return
        worker.offer, worker.stage = offer, RecruitStage.OFFERED

    def _take_readiness(self, worker: ClusterWorker, frame: bytes) -> None:
        ready = decode_ready(frame)
        if ready.refused:
            self._refuse(worker, ready.refused)
            return
        if ready.lag > PROBE_LAG:
            reason = f"it is too slow: its arbiter is late by {ready.lag:.2f} s of each second"
            self._crew.refuse_for_now(worker, reason, time.monotonic())
            self._unsaid.append(f"worker {worker.name}: {reason}; it is tried again later")
            return
        worker.commands, worker.broken, worker.game, worker.level = (
            ready.commands,
            ready.broken,
            ready.game,
            ready.level,
        )
        worker.stage = RecruitStage.READY
        if self._lacks(worker):
            return
        for other in self._beside(worker):
            if other.stage is RecruitStage.OFFERED:
                other.stage = RecruitStage.NEW  # the bots that it lacked may be there by now
        assert worker.offer
        at_a_time = offers.slots(worker.offer, worker.threads)
        self._say(
            f"worker {worker.name} is ready: {count(at_a_time, 'match', 'matches')} at a "
            f"time, Python {worker.offer.python}"
        )

    def _lacks(self, worker: ClusterWorker) -> bool:
        """Refuse a worker that cannot start a bot that is to be played, unless bots may
        be left out. Returns whether it did.
        """
        reason = next((reason for bot, reason in worker.broken.items() if bot in self._bots), "")
        if not reason or (self._ask is not None and self._ask.leave_out):
            return False
        self._refuse(worker, reason)
        return True

    def _no_answer(self, worker: ClusterWorker, reason: str) -> None:
        """Refuse a worker that did not answer: for good if it has no khiva-arena to
        begin with, else for now.

        Something ended its work then: the worker itself, or the scheduler.
        """
        if reason.startswith(("ModuleNotFoundError", "ImportError", "AttributeError")):
            self._refuse(worker, f"it has no khiva-arena with a cluster in it: {reason}")
        else:
            self._crew.refuse_for_now(worker, f"it gave no answer: {reason}", time.monotonic())

    def _refuse(self, worker: ClusterWorker, reason: str) -> None:
        if self._crew.refuse(worker, reason):
            self._unsaid.append(f"worker {worker.name} is refused: {reason}")

    def say_refusals(self, *, playing: bool) -> None:
        """Say who was refused since the last call.

        Nothing is said while every worker may yet turn out to be refused before
        anything is played: then the error says it.
        """
        if (
            playing
            or self._crew.ready_workers()
            or not (self._crew.undecided() or self._crew.hopeless())
        ):
            for line in self._unsaid:
                self._say(line, warning=True)
            self._unsaid.clear()

    def drop_questions(self, worker: ClusterWorker) -> None:
        """Drop the questions to a worker that is gone or silent; it is new when it
        comes back.
        """
        for key in [key for key, (other, _) in self._questions.items() if other is worker]:
            del self._questions[key]
            worker.tasks.discard(key)
            worker.stage = RecruitStage.NEW

    def forget_all(self) -> None:
        """Drop all questions: the scheduler is gone, and all answers with it."""
        self._questions.clear()
