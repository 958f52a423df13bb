"""One seat's conversation, without I/O or clock: bytes in, outcomes out, one transition table.

The arbiter's side of the dialogue moves by what the arbiter does (HELLO, ASK, LATE, END) and by what the bot's bytes turn
out to be (GREETED, ANSWERED, BROKEN). Payloads stay sealed: ``receive`` looks at lengths alone, ``open`` decodes.
"""

from enum import Enum, auto
from typing import NamedTuple

from khiva_arena.errors import LocalProtocolError, RemoteProtocolError
from khiva_arena.protocol import codec
from khiva_arena.protocol.messages import End, Fault, Hello
from khiva_arena.result import Verdict

DROPPED_MOST = 16


class Phase(Enum):
    """Where a conversation stands."""

    __hash__ = object.__hash__  # members are singletons; Enum's own hash is Python code, and runs for each message

    NEW = auto()
    GREETING = auto()
    IDLE = auto()
    ASKED = auto()
    ENDED = auto()
    BROKEN = auto()


class Step(Enum):
    """What moves it. HELLO, ASK, LATE and END are the arbiter's; the rest is read off the bot's bytes."""

    __hash__ = object.__hash__

    HELLO = auto()
    GREETED = auto()
    ASK = auto()
    ANSWERED = auto()
    LATE = auto()
    DROPPED = auto()
    END = auto()
    BREACH = auto()


TRANSITIONS: dict[Phase, dict[Step, Phase]] = {
    Phase.NEW: {Step.HELLO: Phase.GREETING},
    Phase.GREETING: {Step.GREETED: Phase.IDLE, Step.BREACH: Phase.BROKEN, Step.END: Phase.ENDED},
    Phase.IDLE: {Step.ASK: Phase.ASKED, Step.DROPPED: Phase.IDLE, Step.BREACH: Phase.BROKEN, Step.END: Phase.ENDED},
    Phase.ASKED: {
        Step.ANSWERED: Phase.IDLE,
        Step.LATE: Phase.IDLE,
        Step.DROPPED: Phase.ASKED,
        Step.BREACH: Phase.BROKEN,
        Step.END: Phase.ENDED,
    },
    Phase.ENDED: {},
    Phase.BROKEN: {},
}


class Greeting(NamedTuple):
    """The bot's hello was accepted. ``version`` is "" when it gave none."""

    name: str
    version: str


class Answer(NamedTuple):
    """The answer to the open request. Whether ``choice`` is legal is the game's to say."""

    choice: int


class Breach(NamedTuple):
    """The bot broke the protocol; the conversation is over. ``detail`` is one line for its author."""

    verdict: Verdict
    detail: str


Outcome = Greeting | Answer | Breach | None


class Session:
    """One seat's conversation. Raises LocalProtocolError where the arbiter does what the table does not allow."""

    __slots__ = ("_dropped", "_first", "_owed", "_reader", "_req", "breach", "phase")

    def __init__(self) -> None:
        self.phase = Phase.NEW
        self.breach: Breach | None = None
        self._reader = codec.FrameReader()
        self._first = 0
        self._req = -1
        self._dropped = 0
        # Requests that ran out of time and whose answers may yet come: they stand before the answer that is awaited.
        self._owed = 0

    def hello(self, message: Hello) -> bytes:
        """The frame that opens the conversation."""
        self._move(Step.HELLO)
        return codec.encode(message)

    def ask(self, message: object, req: int) -> bytes:
        """The frame of a request; ``req`` is one more than the seat's last."""
        if self._req < 0:
            self._first = req
        elif req != self._req + 1:
            raise LocalProtocolError(f"req {req} does not follow {self._req}")
        self._move(Step.ASK)
        self._req = req
        return codec.encode(message)

    def late(self) -> None:
        """The open request ran out of time: what still comes for it will be dropped."""
        self._move(Step.LATE)
        self._owed += 1

    def fault(self, message: Fault) -> bytes:
        """The frame that tells the bot of its fault."""
        return codec.encode(message)

    def end(self, message: End) -> bytes:
        """The frame that ends the conversation."""
        self._move(Step.END)
        return codec.encode(message)

    def receive(self, data: bytes) -> Breach | None:
        """Take bytes in, looking at lengths alone. A framing fault ends the conversation at once and is returned."""
        if self.phase in (Phase.BROKEN, Phase.ENDED):
            return None
        try:
            self._reader.feed(data)
        except RemoteProtocolError as error:
            return self._break(Verdict.PROTOCOL, error.detail)
        if len(self._reader.frames) > DROPPED_MOST + 1 - self._dropped:
            return self._flooded()
        return None

    @property
    def sealed(self) -> int:
        """Whole frames that wait to be opened."""
        return len(self._reader.frames)

    @property
    def ready(self) -> bool:
        """Enough frames are in for the awaited one to be among them, late answers to earlier requests counted."""
        return len(self._reader.frames) > self._owed

    @property
    def strayed(self) -> bool:
        """Acts for earlier requests have come or are owed: what comes next may be one more."""
        return self._dropped > 0 or self._owed > 0

    @property
    def partial(self) -> int:
        """Bytes of a frame that has begun and not ended."""
        return self._reader.partial

    def open(self) -> Outcome:
        """Decode what is in. Returns the greeting or answer awaited, a breach, or None when neither has come yet."""
        found: Greeting | Answer | None = None
        frames = self._reader.frames
        try:
            while frames:
                if self.phase is Phase.GREETING:
                    hello = codec.decode_bot_hello(frames.popleft())
                    self._move(Step.GREETED)
                    found = Greeting(hello.name, hello.version if isinstance(hello.version, str) else "")
                    continue
                act = codec.decode_act(frames.popleft())
                if act.req == self._req and self.phase is Phase.ASKED:
                    self._move(Step.ANSWERED)
                    self._owed = 0
                    found = Answer(act.choice)
                elif self._first <= act.req <= self._req:
                    self._move(Step.DROPPED)
                    self._dropped += 1
                    self._owed = max(0, self._owed - 1)
                    if self._dropped > DROPPED_MOST:
                        return self._flooded()
                else:
                    return self._break(Verdict.PROTOCOL, f"an act for req {act.req}, which was not asked")
        except RemoteProtocolError as error:
            return self._break(Verdict.PROTOCOL, error.detail)
        return found

    def _flooded(self) -> Breach:
        return self._break(Verdict.FLOODED, f"more than {DROPPED_MOST} acts that nobody asked for")

    def _break(self, verdict: Verdict, detail: str) -> Breach:
        if self.phase is Phase.GREETING:
            verdict = Verdict.START_FAILED
        self._move(Step.BREACH)
        self._reader = codec.FrameReader()
        self.breach = Breach(verdict, detail)
        return self.breach

    def _move(self, step: Step) -> None:
        try:
            self.phase = TRANSITIONS[self.phase][step]
        except KeyError:
            raise LocalProtocolError(f"{step.name} is not possible while {self.phase.name}") from None
