"""The agent of a match, a client of the Model Context Protocol on the command's own
streams. Only this module imports ``mcp``.
"""

import os
import signal
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any

import anyio
import mcp_types
import trio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage

from khiva_arena import __version__
from khiva_arena.arbiter.person import Person
from khiva_arena.extensions.seats.hub_messages import tell
from khiva_arena.extensions.seats.links import Seated
from khiva_arena.extensions.seats.mcp_chair import AgentChair, RefusedCall

CHUNK = 65_536
LONGEST_LINE = 1 << 20
"""The most bytes of a message of the client: all that its calls need is far shorter."""
INSTRUCTIONS = (
    "You have a seat in one match of a game. Call view: it waits for your decision and shows the "
    "table. Call legal for the numbered choices, and act with the number of one. Go on until view "
    "says that the match is over. rules has the game's rules."
)
_NOTHING: dict[str, Any] = {"type": "object", "properties": {}}
_CHOICE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "choice": {"type": "integer", "description": "The number of a choice, as legal lists it."}
    },
    "required": ["choice"],
}
_READS = mcp_types.ToolAnnotations(read_only_hint=True)
TOOLS = [
    mcp_types.Tool(
        name="view",
        description="Show the table as your seat sees it now, in words and as JSON. Waits up to 30 "
        "seconds for your decision.",
        input_schema=_NOTHING,
        annotations=_READS,
    ),
    mcp_types.Tool(
        name="legal",
        description="List the choices of your decision, each with its number.",
        input_schema=_NOTHING,
        annotations=_READS,
    ),
    mcp_types.Tool(
        name="act", description="Make your decision. It cannot be taken back.", input_schema=_CHOICE
    ),
    mcp_types.Tool(
        name="rules",
        description="Show the rules of the game.",
        input_schema=_NOTHING,
        annotations=_READS,
    ),
]


NO_MESSAGE = mcp_types.JSONRPCError(
    jsonrpc="2.0",
    id=None,
    error=mcp_types.ErrorData(
        code=mcp_types.PARSE_ERROR,
        message=f"a line is no message, or longer than {LONGEST_LINE} bytes",
    ),
)


class LineCutter:
    """A buffer that cuts a client's bytes into lines, and drops each line that is
    longer than LONGEST_LINE.
    """

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._is_dropping = False

    def feed(self, data: bytes) -> list[bytes | None]:
        """Return each line that has ended, None for one that was too long."""
        *ended, rest = data.split(b"\n")
        lines: list[bytes | None] = []
        for piece in ended:
            self._take(piece)
            lines.append(None if self._is_dropping else bytes(self._buffer))
            self._buffer.clear()
            self._is_dropping = False
        self._take(rest)
        return lines

    def _take(self, piece: bytes) -> None:
        if self._is_dropping or len(self._buffer) + len(piece) > LONGEST_LINE:
            self._is_dropping = True
            self._buffer.clear()
        else:
            self._buffer += piece


class Agent:
    """The one seat of a match whose agent is a client of the Model Context Protocol,
    from the command's first order.

    Under ``mcp`` the order has the descriptors of the client's streams, and the process
    of the command.
    """

    def __init__(self, order: dict[str, Any]) -> None:
        seat = order["persons"][0]
        person = Person(seat["name"], seat["seat"], order["names"], order["marks"])
        self._chair = AgentChair(person, order["game"], order["rules"])
        self._source, self._sink, self._command = order["mcp"]
        self._gone = trio.Event()
        self._writing = trio.Lock()
        self._over = False

    def seats(self) -> dict[str, Seated]:
        """Return the function that seats the agent, by name."""
        return {self._chair.person.name: self._chair.seated}

    async def serve(self, *, task_status: trio.TaskStatus[dict[str, Any]]) -> None:
        """Serve the client until cancelled. Reports once it calls a tool, so that the
        match may begin, or whether it has ``gone`` before that.
        """
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._talk)
            await self._until_first_call()
            has_begun = self._chair.called.is_set()
            task_status.started({"by_name": {}, "gone": not has_begun})
            await self._gone.wait()
            if self._over:
                tell({"closed": True})
            elif has_begun:
                await (
                    self._chair.until_asked()
                )  # an agent that has made its last choice is not asked again, and has its match
                if not self._over:
                    # Nobody can come back to this seat, so the match ends as by Ctrl-C.
                    # The command may ignore SIGHUP.
                    os.kill(self._command, signal.SIGINT)
            await trio.sleep_forever()

    async def _until_first_call(self) -> None:
        """Wait until the client calls a tool or has gone, or the command has ended: it
        sends no second order before that.
        """
        async with trio.open_nursery() as first:

            async def end_after(wait: Callable[[], Awaitable[object]]) -> None:
                await wait()
                first.cancel_scope.cancel()

            for wait in (
                self._chair.called.wait,
                self._gone.wait,
                partial(trio.lowlevel.wait_readable, 0),
            ):
                first.start_soon(end_after, wait)

    async def order(self, order: dict[str, Any]) -> None:
        """Take the command's order, which says that the match is over."""
        self._over = True
        await self._chair.over(order)
        if self._gone.is_set():
            tell({"closed": True})

    async def _talk(self) -> None:
        """Serve the client until it has gone."""
        server: Server[Any] = Server(
            "khiva-arena",
            version=__version__,
            instructions=INSTRUCTIONS,
            on_list_tools=self._list,
            on_call_tool=self._call,
        )
        to_server, from_client = anyio.create_memory_object_stream[SessionMessage | Exception]()
        to_client, from_server = anyio.create_memory_object_stream[SessionMessage]()
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._read, to_server, to_client.clone())
                nursery.start_soon(self._write, from_server, nursery.cancel_scope.cancel)
                await server.run(from_client, to_client, server.create_initialization_options())
                nursery.cancel_scope.cancel()
        finally:
            self._gone.set()

    async def _read(
        self,
        to: MemoryObjectSendStream[SessionMessage | Exception],
        back: MemoryObjectSendStream[SessionMessage],
    ) -> None:
        """Hand the client's messages to the server, and answer lines that are none."""
        lines = LineCutter()
        async with to, back, trio.lowlevel.FdStream(self._source) as stream:
            while data := await _received(stream):
                for line in lines.feed(data):
                    if line is not None and not line.strip():
                        continue
                    async with self._writing:
                        # a client that reads no answers is read no further, so that
                        # they do not pile up
                        pass
                    try:
                        message = mcp_types.jsonrpc_message_adapter.validate_json(
                            line or b"", by_name=False
                        )
                    except ValueError:
                        await back.send(SessionMessage(NO_MESSAGE))
                    else:
                        await to.send(SessionMessage(message))

    async def _write(
        self, source: MemoryObjectReceiveStream[SessionMessage], end: Callable[[], None]
    ) -> None:
        """Hand the server's messages to the client. ``end``: called if the client takes
        no more.
        """
        async with source, trio.lowlevel.FdStream(self._sink) as stream:
            async for sent in source:
                data = (
                    sent.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
                )
                async with self._writing:
                    try:
                        await stream.send_all(data)
                    except trio.BrokenResourceError:
                        # before ``source`` is closed, which the server would meet as a
                        # fault of its own
                        end()

    async def _list(self, _context: object, _params: object) -> mcp_types.ListToolsResult:
        return mcp_types.ListToolsResult(tools=TOOLS)

    async def _call(
        self, _context: object, params: mcp_types.CallToolRequestParams
    ) -> mcp_types.CallToolResult:
        try:
            texts = await self._texts(params.name, params.arguments or {})
        except RefusedCall as refusal:
            return _result([str(refusal)], is_error=True)
        return _result(texts)

    async def _texts(self, tool: str, arguments: Mapping[str, object]) -> list[str]:
        if tool == "view":
            return await self._chair.view()
        if tool == "legal":
            return [self._chair.legal()]
        if tool == "act":
            return [await self._chair.act(arguments.get("choice"))]
        if tool == "rules":
            return [self._chair.rules()]
        raise RefusedCall(
            f"There is no such tool. The tools are {', '.join(one.name for one in TOOLS)}."
        )


async def _received(stream: trio.lowlevel.FdStream) -> bytes:
    """Return bytes of the client; b"" at their end, or if the client has closed a
    socket whose answers it had not read.
    """
    try:
        return bytes(await stream.receive_some(CHUNK))
    except trio.BrokenResourceError:
        return b""


def _result(texts: Sequence[str], is_error: bool = False) -> mcp_types.CallToolResult:
    return mcp_types.CallToolResult(
        content=[mcp_types.TextContent(text=text) for text in texts], is_error=is_error
    )
