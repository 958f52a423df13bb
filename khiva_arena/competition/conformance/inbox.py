"""The stdout of a bot under check, cut into frames as it comes by the arbiter's own
reader.
"""

from khiva_arena.bots.protocol import codec
from khiva_arena.competition.conformance.bot_process import BotProcess
from khiva_arena.entrants.hints.describe import as_bytes, in_brief, whole_frames
from khiva_arena.errors import RemoteProtocolError
from khiva_arena.words import count

RECEIVED_KEPT = 1 << 18
FRAMES_MOST = 64
"""Most unread frames: beyond that a bot counts as flooding, and nothing more of its
output is kept.
"""


class Inbox:
    """The bytes and frames that came from a bot.

    received: bytes from the beginning.
    trouble: the error in them, "" for none.
    closed: True if nothing more can come.
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
        """The number of bytes that are there of a frame which is not whole yet."""
        return self._reader.partial

    async def next(self, deadline: float) -> bytes | None:
        """Return the next payload, or None: time is up, or nothing more can come."""
        await self.listen(deadline)
        return self.frames.popleft() if self.frames else None

    async def listen(self, until: float) -> None:
        """Take in bytes until a whole frame is there, nothing more can come, or time is
        up.
        """
        while (
            not self.frames and not self.trouble and not self.closed and await self.take_in(until)
        ):
            continue

    async def take_in(self, deadline: float) -> bool:
        """Take in the bytes that come next, by ``deadline``. Return True if any
        came.
        """
        arrivals = await self._wire.receive(deadline)
        for arrival in arrivals:
            self.closed = self.closed or not arrival.data
            self.received += arrival.data[: RECEIVED_KEPT - len(self.received)]
            if not self.trouble:
                try:
                    self._reader.feed(arrival.data)
                except RemoteProtocolError as error:
                    self.trouble = error.detail
                if len(self.frames) > FRAMES_MOST:
                    self.trouble = f"more than {FRAMES_MOST} frames that nobody asked for"
        return bool(arrivals)

    def rest(self) -> str:
        """Describe in words the bytes that nobody has taken, "" if there are none."""
        if self.frames:
            return f"{frames_text(len(self.frames))} more, the first: {in_brief(self.frames[0])}"
        if self.trouble:
            return (
                "bytes that are no frame: "
                f"{as_bytes(bytes(self.received[whole_frames(self.received) :]))}: {self.trouble}"
            )
        return f"{self.partial} bytes of a frame that does not end" if self.partial else ""


def frames_text(frames: int) -> str:
    """Format a number of whole frames in words."""
    return count(frames, "whole frame")
