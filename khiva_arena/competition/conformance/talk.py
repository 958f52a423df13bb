"""A conversation with a bot under check, whose answers are read and judged by the
arbiter's own codec.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import trio

from khiva_arena.arbiter.fairness import CpuSample
from khiva_arena.arbiter.seat import Bank
from khiva_arena.arbiter.stderr import for_its_author
from khiva_arena.bots.protocol import codec
from khiva_arena.bots.protocol.messages import BotHello
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Sandbox
from khiva_arena.competition.conformance.bot_process import MOMENT, BotProcess
from khiva_arena.competition.conformance.context import RunningCheck, Silent, Skipped
from khiva_arena.competition.conformance.inbox import Inbox, frames_text
from khiva_arena.competition.conformance.positions import CheckTable, Place, Question, hello_of
from khiva_arena.competition.conformance.processor import cpu_used
from khiva_arena.entrants.hints.describe import in_brief, repeated_keys
from khiva_arena.entrants.hints.failed import Failed
from khiva_arena.errors import RemoteProtocolError
from khiva_arena.records.replay import seeds

AFTER_DEADLINE = 1.0
"""Further seconds for a silent bot: an answer in that time is late."""
AFTER_INPUT = 1.0
"""Further seconds for a silent bot once its input has ended: an answer in that time was
held back.
"""
EXIT_SECONDS = 2.0
Encode = Callable[[Any], bytes]


class NumberedRequest(NamedTuple):
    """A request with its number."""

    req: int
    message: dict[str, Any]


class Talk:
    """A conversation. ``sent`` holds all frames, ``inbox`` the frames that came. Raises
    Failed if the bot does anything wrong.
    """

    def __init__(self, running: RunningCheck, wire: BotProcess, place: Place) -> None:
        self.running = running
        self.wire = wire
        self.where = place
        self.table = CheckTable(place)
        self.sent: list[bytes] = []
        self.inbox = Inbox(wire)
        self.req = seeds.req_start(place.secret, place.match)
        self._bank = Bank(running.limits)
        self._answered_reqs: set[int] = set()
        self._last: Question | None = None
        self._before: CpuSample | None = None

    # --- requests to the bot ---

    def send(self, frame: bytes) -> None:
        """Send bytes in one write."""
        self.sent.append(frame)
        self._before = self.wire.account()
        self.wire.send(0, frame)

    async def greet(
        self, change: Mapping[str, Any] | None = None, encode: Encode = codec.encode
    ) -> BotHello:
        """Send a hello, ``change`` laid over it, and return the bot's."""
        return await self.greeted(
            encode(hello_of(self.where, self.running.limits) | dict(change or {}))
        )

    async def greeted(
        self, frame: bytes, send: Callable[[bytes], Awaitable[None]] | None = None
    ) -> BotHello:
        """Send a given frame as the hello, and return the bot's."""
        began = trio.current_time()
        if send is None:
            self.send(frame)
        else:
            await send(frame)
        goal = (
            f"its hello within {self.running.limits.startup_ms:,} ms: a map with type, proto = "
            "1 and name"
        )
        payload = await self._next(began + self.running.limits.startup)
        if payload is None:
            raise await self._nothing(goal, began, self.running.limits.startup)
        try:
            hello = codec.decode_bot_hello(payload)
        except RemoteProtocolError as error:
            raise Failed(goal, f"{in_brief(payload)}: {error.detail}") from None
        self.running.starts.append(trio.current_time() - began)
        return hello

    def decide(self, question: Question, req: int | None = None) -> NumberedRequest:
        """Return the request that puts ``question`` next."""
        number = self.req if req is None else req
        self.req = number + 1
        return NumberedRequest(
            number, question.message(number, self.running.limits.turn_ms, self._bank.left_ms)
        )

    async def ask(
        self,
        question: Question,
        *,
        req: int | None = None,
        change: Mapping[str, Any] | None = None,
        encode: Encode = codec.encode,
        before: Sequence[Mapping[str, Any]] = (),
        legal: bool = False,
    ) -> int:
        """Send one request in one write, and return the choice of the answer.

        before: messages that need no answer, sent before the request
        legal: the choice has to be legal
        """
        number, message = self.decide(question, req)
        self.send(
            b"".join(encode(dict(message_before)) for message_before in before)
            + encode(message | dict(change or {}))
        )
        return await self.answer(number, len(question.legal), request=question.kind, legal=legal)

    async def turn(
        self,
        *,
        req: int | None = None,
        change: Mapping[str, Any] | None = None,
        encode: Encode = codec.encode,
        before: Sequence[Mapping[str, Any]] = (),
    ) -> int:
        """Ask the next question at the table, and play the answer, legal or not; once
        the match is over, ask the last request again.
        """
        question = self.table.next()
        choice = await self.ask(
            question or self.last, req=req, change=change, encode=encode, before=before
        )
        if question is not None:
            self.play(question, choice)
        return choice

    def play(self, question: Question, choice: int) -> None:
        """Play a choice at the table, the default for one that is illegal; none once
        the match is over.
        """
        self._last = question
        if not self.table.over:
            self.table.choose(choice if 0 <= choice < len(question.legal) else 0)

    @property
    def last(self) -> Question:
        """The question that was asked last. Raises Skipped if there is none."""
        if self._last is None:
            raise Skipped("not tried: the match asks its seat nothing")
        return self._last

    async def answer(
        self, req: int, choices: int, *, request: str, on_clock: bool = True, legal: bool = False
    ) -> int:
        """Take the answer to a request that was sent just now, and return its choice.

        timed: it counts among the decisions
        legal: the choice has to be legal
        """
        began = trio.current_time()
        allowance = self._bank.allowance()
        goal = (
            f"an act with req {req} and a choice from 0 to {choices - 1} ({request}; {self.where})"
        )
        payload = await self._next(began + allowance)
        if payload is None:
            raise await self._nothing(goal, began, allowance, self._paid())
        took = trio.current_time() - began
        self._bank.charge(took)
        if on_clock:
            self._note_time(took)
        try:
            act = codec.decode_act(payload)
        except RemoteProtocolError as error:
            raise Failed(goal, f"{in_brief(payload)}: {error.detail}") from None
        if act.req != req:
            again = "a second answer" if act.req in self._answered_reqs else "an answer"
            raise Failed(goal, f"{again} to req {act.req}: {in_brief(payload)}")
        self._answered_reqs.add(req)
        if legal and not 0 <= act.choice < choices:
            raise Failed(
                goal,
                f"{in_brief(payload)}: choice {act.choice} is not an index into the "
                f"{choices} entries of legal",
            )
        return act.choice

    def _note_time(self, took: float) -> None:
        if not self._answered_reqs:
            self.running.firsts.add(len(self.running.thought))
        self.running.thought.append(took)
        if self._before is not None:
            after = self.wire.account()
            self.running.asked_for += after.at - self._before.at
            self.running.used += cpu_used(self._before, after)

    def _paid(self) -> str:
        """Describe the time that earlier decisions took of the bank, "" for none."""
        bank = self.running.limits.bank_ms / 1000
        if self._bank.balance >= bank:
            return ""
        return (
            f" (its turn, and the {self._bank.balance:.2g} s that slow decisions have left of "
            f"its bank of {bank:.4g} s)"
        )

    # --- answers of the bot ---

    async def _next(self, deadline: float) -> bytes | None:
        """Return the next payload, or None: time is up, or nothing more can come."""
        payload = await self.inbox.next(deadline)
        if payload is not None and not self.running.repeated:
            self.running.repeated = repeated_keys(payload)
        return payload

    async def _nothing(self, goal: str, began: float, allowance: float, paid: str = "") -> Failed:
        """Return the failure to raise if no frame came in the ``allowance`` seconds;
        ``paid`` says more of these seconds.
        """
        if self.inbox.trouble:
            return Failed(goal, self.inbox.trouble)
        if self.inbox.closed:
            return Failed(goal, await self._how_it_ended())
        if limit := self.wire.exceeded_limit(0):
            self.running.exceeded.append(limit)
            return Failed(goal, limit)
        return Silent(goal, await self._silence(began, allowance, paid))

    async def _silence(self, began: float, allowance: float, paid: str) -> str:
        """Describe the bytes that came instead of a frame, and whether a frame comes a
        little later.
        """
        partial = self.inbox.partial
        state = f"{partial} bytes of a frame, then no more" if partial else "nothing"
        text = f"{state} within {allowance:.4g} s{paid}"
        doing = f"; {does}" if (does := self.wire.doing(0)) else ""
        await self.inbox.listen(trio.current_time() + AFTER_DEADLINE)
        if self.inbox.frames:
            return f"{text}; it came after {trio.current_time() - began:.2f} s: too late"
        if self.inbox.trouble or self.inbox.closed:
            return f"{text}; then {self.inbox.trouble or await self._how_it_ended()}"
        partial = self.inbox.partial
        until = trio.current_time() + AFTER_INPUT
        if not await self.wire.end_input(until):
            return f"{text}; it does not read its input{doing}"
        await self.inbox.listen(until)
        late = len(self.inbox.frames)
        if late or self.inbox.trouble or self.inbox.partial > partial:
            return f"{text}, but {frames_text(late) if late else 'more'} once its input had ended"
        return text + doing

    async def _how_it_ended(self) -> str:
        end = await self.wire.describe_end(0)
        limit = self.wire.exceeded_limit(0)
        self.running.exceeded += [limit] if limit else []
        return f"{limit} ({end})" if limit else f"its output ended: it {end.removeprefix('it ')}"

    # --- the end ---

    async def finish(self, *, say_end: bool = True, tail: bytes = b"") -> "Finish":
        """Send ``end`` if ``say_end``, then ``tail``, end the input, and wait for the
        end of the bot's output and of the bot.
        """
        self.note_peak()
        if say_end:
            self.send(codec.encode(self.table.end()))
        if tail:
            self.send(tail)
        began = trio.current_time()
        until = began + EXIT_SECONDS
        has_ended = await self.wire.end_input(until)
        exit_words = self.wire.describe_exit(0)
        while has_ended and not (exit_words and self.inbox.closed) and trio.current_time() < until:
            if not self.inbox.closed or not exit_words:
                await self.inbox.take_in(min(until, trio.current_time() + MOMENT))
            exit_words = exit_words or self.wire.describe_exit(0)
        return Finish(trio.current_time() - began, exit_words, self.inbox.closed, self.inbox.rest())

    def note_peak(self) -> None:
        """Note how much memory the bot has had so far."""
        self.running.peak = max(self.running.peak, self.wire.peak())


@dataclass(frozen=True, slots=True)
class Finish:
    """The end of a bot.

    seconds: that it took.
    exited: in words, "" if it still ran after EXIT_SECONDS.
    closed: True if its output has ended.
    rest: the output that nobody asked for, in words, "" if there is none.
    """

    seconds: float
    exited: str
    closed: bool
    rest: str


@asynccontextmanager
async def talking(
    running: RunningCheck,
    place: Place | None = None,
    *,
    sandbox: Sandbox | None = None,
    command: Command | None = None,
) -> AsyncIterator[Talk]:
    """Start the bot for a conversation, and end it on every path. Raises HostFault."""
    wire = BotProcess(command or running.command, sandbox or running.sandbox)
    failure: Failed | None = None
    talk = Talk(running, wire, place or running.place())
    try:
        yield talk
        talk.note_peak()
    except Failed as error:
        failure = error
        raise
    finally:
        with trio.CancelScope(shield=True):
            (ending,) = await wire.close(0.0)
        running.peak = max(running.peak, ending.peak)
        if failure is not None:
            failure.notes, failure.received = (
                for_its_author(ending.notes),
                bytes(talk.inbox.received),
            )
