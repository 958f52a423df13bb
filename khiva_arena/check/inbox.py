"""What a bot writes on stdout, taken in as it comes and cut into frames by the arbiter's own reader."""

from khiva_arena.check.bot_process import BotProcess
from khiva_arena.check.describe import as_bytes, shown, whole_frames
from khiva_arena.errors import RemoteProtocolError
from khiva_arena.protocol import codec
from khiva_arena.words import count

RECEIVED_KEPT = 1 << 18
FRAMES_MOST = 64
"""Unread, until a bot is taken for one that floods, and nothing more is kept of what it writes."""


class Inbox:
    """What came from a bot.

    received: bytes from the beginning.
    trouble: what is wrong with them, "" for nothing.
    closed: whether nothing more can come.
    frames: payloads that nobody has taken yet.
    """

    def __init__(self, wire: BotProcess) -> None:
        self.received = bytearray()
        self.trouble = ""
        self.closed = False
        self._wire = wire
        self._reader = codec.FrameReader()
        self.frames = self._reader.frames

    @property
    def partial(self) -> int:
        """How many bytes of a frame that is not whole yet are there."""
        return self._reader.partial

    async def next(self, deadline: float) -> bytes | None:
        """The next payload, or None: time is up, or nothing more can come."""
        await self.listen(deadline)
        return self.frames.popleft() if self.frames else None

    async def listen(self, until: float) -> None:
        """Take in what comes until then, or until a whole frame is there, or nothing more can come."""
        while not self.frames and not self.trouble and not self.closed and await self.take_in(until):
            continue

    async def take_in(self, deadline: float) -> bool:
        """Take in what comes next, by then. Returns whether anything has."""
        came = await self._wire.receive(deadline)
        for arrival in came:
            self.closed = self.closed or not arrival.data
            self.received += arrival.data[: RECEIVED_KEPT - len(self.received)]
            if not self.trouble:
                try:
                    self._reader.feed(arrival.data)
                except RemoteProtocolError as error:
                    self.trouble = error.detail
                if len(self.frames) > FRAMES_MOST:
                    self.trouble = f"more than {FRAMES_MOST} frames that nobody asked for"
        return bool(came)

    def rest(self) -> str:
        """What came that nobody has taken, in words, "" if nothing did."""
        if self.frames:
            return f"{frames_text(len(self.frames))} more, the first: {shown(self.frames[0])}"
        if self.trouble:
            return f"what is not a frame: {as_bytes(bytes(self.received[whole_frames(self.received) :]))}: {self.trouble}"
        return f"{self.partial} bytes of a frame that does not end" if self.partial else ""


def frames_text(frames: int) -> str:
    """So many whole frames, in words."""
    return count(frames, "whole frame")
