"""The conversation with one seat, without I/O or clock: bytes in, outcomes out, one
transition table.

The arbiter's side of the dialogue moves by the arbiter's own steps (HELLO, ASK, LATE,
END) and by steps that follow from the bot's bytes (GREETED, ANSWERED, BREACH). Payloads
stay sealed: ``receive`` looks at lengths alone, ``open`` decodes.
"""

from collections.abc import Callable
from enum import Enum, auto
from typing import TYPE_CHECKING, NamedTuple

from khiva_arena.bots.protocol import codec
from khiva_arena.bots.protocol.messages import End, Fault, Hello
from khiva_arena.common.result import Spent, Verdict
from khiva_arena.errors import LocalProtocolError, RemoteProtocolError

if TYPE_CHECKING:  # few bots report what they spend
    from khiva_arena.bots.protocol.spent import SpentReports

DROPPED_MOST = 16


class Phase(Enum):
    """The state of a conversation."""

    __hash__ = (
        object.__hash__
    )  # members are singletons; Enum's own hash is Python code, and runs for each message

    NEW = auto()
    GREETING = auto()
    IDLE = auto()
    ASKED = auto()
    ENDED = auto()
    BROKEN = auto()


class Move(Enum):
    """A step of a conversation. HELLO, ASK, LATE and END are done by the arbiter; the
    others follow from the bot's bytes.
    """

    __hash__ = object.__hash__

    HELLO = auto()
    GREETED = auto()
    ASK = auto()
    ANSWERED = auto()
    LATE = auto()
    DROPPED = auto()
    END = auto()
    BREACH = auto()


TRANSITIONS: dict[Phase, dict[Move, Phase]] = {
    Phase.NEW: {Move.HELLO: Phase.GREETING},
    Phase.GREETING: {Move.GREETED: Phase.IDLE, Move.BREACH: Phase.BROKEN, Move.END: Phase.ENDED},
    Phase.IDLE: {
        Move.ASK: Phase.ASKED,
        Move.DROPPED: Phase.IDLE,
        Move.BREACH: Phase.BROKEN,
        Move.END: Phase.ENDED,
    },
    Phase.ASKED: {
        Move.ANSWERED: Phase.IDLE,
        Move.LATE: Phase.IDLE,
        Move.DROPPED: Phase.ASKED,
        Move.BREACH: Phase.BROKEN,
        Move.END: Phase.ENDED,
    },
    Phase.ENDED: {},
    Phase.BROKEN: {},
}


class Greeting(NamedTuple):
    """The accepted hello of a bot.

    name: the bot's.
    version: "" if it gave none.
    """

    name: str
    version: str


class Answer(NamedTuple):
    """The answer to the open request. The game decides whether ``choice`` is legal."""

    choice: int


class Breach(NamedTuple):
    """A breach of the protocol by the bot; the conversation is over.

    verdict: the fault.
    detail: one line for the bot's author.
    """

    verdict: Verdict
    detail: str


SessionOutcome = Greeting | Answer | Breach | None
FLOOD = Breach(Verdict.FLOODED, f"more than {DROPPED_MOST} acts that nobody asked for")


def _new_reports() -> "SpentReports":
    # not above: few bots report what they spend
    from khiva_arena.bots.protocol.spent import SpentReports

    return SpentReports()


class Session:
    """The conversation with a seat. Raises LocalProtocolError if the arbiter takes a
    step that the table does not allow.

    A bot's bytes are taken in their own order, however they were cut into pieces. The
    awaited answer counts even if a breach stands behind it; the breach is found when
    the rest is opened.
    """

    __slots__ = (
        "_dropped_acts",
        "_encode",
        "_first",
        "_late_answers",
        "_reader",
        "_req",
        "_spent",
        "_trouble",
        "breach",
        "phase",
    )

    def __init__(
        self, encode: Callable[[object], bytes] = codec.encode, *, reports: bool = False
    ) -> None:
        """Begin before the hello. ``encode``: makes a frame of a message. ``reports``:
        the bot is offered to report totals.
        """
        self._encode = encode
        self._spent = _new_reports() if reports else None
        self.phase = Phase.NEW
        self.breach: Breach | None = None
        self._reader = codec.FrameReader()
        # A breach after the sealed frames: nothing more is read.
        self._trouble: Breach | None = None
        self._first = 0
        self._req = -1
        self._dropped_acts = 0
        # Requests that ran out of time and whose answers may still come: those come
        # before the awaited answer.
        self._late_answers = 0

    # --- steps of the arbiter ---

    def hello(self, message: Hello) -> bytes:
        """Return the frame that opens the conversation."""
        self._move(Move.HELLO)
        return self._encode(message)

    def ask(self, message: object, req: int) -> bytes:
        """Return the frame of a request; ``req`` is one more than the seat's last."""
        if self._req < 0:
            self._first = req
        elif req != self._req + 1:
            raise LocalProtocolError(f"req {req} does not follow {self._req}")
        self._move(Move.ASK)
        self._req = req
        return self._encode(message)

    def late(self) -> None:
        """Note that the open request ran out of time: an answer that still comes for it
        will be dropped.
        """
        self._move(Move.LATE)
        self._late_answers += 1

    def fault(self, message: Fault) -> bytes:
        """Return the frame that reports a fault to the bot."""
        return self._encode(message)

    def end(self, message: End) -> bytes:
        """Return the frame that ends the conversation."""
        self._move(Move.END)
        return self._encode(message)

    # --- bytes of the bot ---

    def receive(self, data: bytes) -> bool:
        """Take in bytes, looking at lengths alone. Return False when nothing more will
        be read from this bot.

        Its framing is broken then, or it floods. The exact breach is found when the
        frames are opened.
        """
        if self._trouble is not None or self.phase in (Phase.BROKEN, Phase.ENDED):
            return False
        try:
            self._reader.feed(data)
        except RemoteProtocolError as error:
            self._trouble = Breach(Verdict.PROTOCOL, error.detail)
        if len(self._reader.frames) > DROPPED_MOST + 1 - self._dropped_acts:
            self._trouble = self._trouble or FLOOD
        return self._trouble is None

    @property
    def sealed(self) -> int:
        """The number of items that wait to be opened: whole frames, and the breach
        after them if there is one.
        """
        return len(self._reader.frames) + (self._trouble is not None)

    @property
    def ready(self) -> bool:
        """True if enough frames have come that the awaited one must be among them, even
        if late answers to earlier requests come first.
        """
        return len(self._reader.frames) > self._late_answers or self._trouble is not None

    @property
    def strayed(self) -> bool:
        """True if acts for earlier requests have come or may still come: the next frame
        may be one of them.
        """
        return self._dropped_acts > 0 or self._late_answers > 0

    @property
    def partial(self) -> int:
        """The number of bytes of a frame that has begun and not ended."""
        return self._reader.partial

    def spent(self, decisions: int) -> Spent | None:
        """Return the totals that the bot reported last, None if it was not offered
        to. ``decisions``: asked of the seat.
        """
        return None if self._spent is None else self._spent.so_far(decisions, self._req)

    def open(self, limit: int | None = None) -> SessionOutcome:
        """Decode sealed frames, ``limit`` at the most, up to the awaited greeting or
        answer. Return that, a breach, or None if neither is there.

        Frames after the awaited one stay sealed.
        """
        for _ in range(self.sealed if limit is None else limit):
            if not self._reader.frames:
                return self._break(self._trouble) if self._trouble else None
            try:
                outcome = self._take(self._reader.frames.popleft())
            except RemoteProtocolError as error:
                return self._break(Breach(Verdict.PROTOCOL, error.detail))
            if outcome is not None:
                return outcome
        return None

    def _take(self, payload: bytes) -> SessionOutcome:
        if self.phase is Phase.GREETING:
            hello = codec.decode_bot_hello(payload)
            if self._spent is not None:
                self._spent.greet(payload)
            self._move(Move.GREETED)
            return Greeting(hello.name, hello.version if isinstance(hello.version, str) else "")
        act = codec.decode_act(payload) if self._spent is None else self._spent.act(payload)
        if act.req == self._req and self.phase is Phase.ASKED:
            self._move(Move.ANSWERED)
            self._late_answers = 0
            return Answer(act.choice)
        if not self._first <= act.req <= self._req:
            raise RemoteProtocolError(f"an act for req {act.req}, which was not asked")
        self._move(Move.DROPPED)
        self._dropped_acts += 1
        self._late_answers = max(0, self._late_answers - 1)
        return self._break(FLOOD) if self._dropped_acts > DROPPED_MOST else None

    def _break(self, breach: Breach) -> Breach:
        if self.phase is Phase.GREETING:
            breach = breach._replace(verdict=Verdict.START_FAILED)
        self._move(Move.BREACH)
        self._reader = codec.FrameReader()
        self._trouble = None
        self.breach = breach
        return breach

    def _move(self, step: Move) -> None:
        try:
            self.phase = TRANSITIONS[self.phase][step]
        except KeyError:
            raise LocalProtocolError(
                f"{step.name} is not possible while {self.phase.name}"
            ) from None
