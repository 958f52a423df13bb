"""The choice that a bot would make in a person's seat, from the messages to that seat
and nothing else.
"""

import subprocess
from collections.abc import Sequence
from contextlib import suppress

import trio

from khiva_arena.bots.protocol import codec
from khiva_arena.errors import RemoteProtocolError

SECONDS = 20.0
CHUNK = 65_536


class Hints:
    """A bot that is given the requests of the seat from the first on. It is a shipped
    one, so it runs without a cell.

    name: its name.
    argv, folder, environment: how it is started.
    """

    def __init__(
        self, name: str, argv: Sequence[str], folder: str, environment: dict[str, str]
    ) -> None:
        self.name = name
        self._start = (list(argv), folder, environment)
        self._at_a_time = trio.Lock()

    async def of(self, requests: Sequence[bytes]) -> int | None:
        """Return the bot's choice for the last of these requests; None if it fails or
        takes longer than SECONDS.

        The first request is the hello.
        """
        argv, folder, environment = self._start
        async with self._at_a_time:
            with trio.move_on_after(SECONDS):
                process = await trio.lowlevel.open_process(
                    argv,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    cwd=folder,
                    env=environment,
                )
                try:
                    return await self._answer_of(process, requests)
                except (RemoteProtocolError, trio.BrokenResourceError):
                    return None
                finally:
                    with suppress(ProcessLookupError):
                        process.kill()
                    with trio.CancelScope(shield=True):
                        await process.wait()
                        for end in (process.stdin, process.stdout):
                            if end:
                                await end.aclose()
        return None

    async def _answer_of(self, process: trio.Process, requests: Sequence[bytes]) -> int | None:
        assert process.stdin
        assert process.stdout
        reader = codec.FrameReader()
        answer: bytes = b""
        for request in requests:
            await process.stdin.send_all(request)
            while not reader.frames:
                data = await process.stdout.receive_some(CHUNK)
                if not data:
                    return None
                reader.feed(bytes(data))
            answer = reader.frames.popleft()
        return codec.decode_act(answer).choice
