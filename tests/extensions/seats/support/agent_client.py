"""Clients of the Model Context Protocol at ``khiva-arena play --mcp``: the package's
own, and one that may send any bytes.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from scripted_person import choice_of

COMMAND = ["-m", "khiva_arena", "play", "--mcp"]
OPENING = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "a test", "version": "1"},
}


class Played(NamedTuple):
    """A match that was played by tools: their names, each text of ``view``, that of
    ``rules``, and the command's stderr.
    """

    tools: list[str]
    views: list[str]
    rules: str
    errors: str

    @property
    def digest(self) -> str:
        return re.findall(r"digest ([0-9a-f]{64})", self.views[-1])[0]


def play(folder: Path, *words: str) -> Played:
    """Play a match by the package's own client, which chooses by the rule of
    ``scripted_person``.
    """
    with (folder / "stderr").open("w+") as errors:
        tools, views, rules = anyio.run(_play, folder, words, errors, backend="trio")
        errors.seek(0)
        return Played(tools, views, rules, errors.read())


async def _play(
    folder: Path, words: tuple[str, ...], errors: Any
) -> tuple[list[str], list[str], str]:
    command = StdioServerParameters(
        command=sys.executable, args=[*COMMAND, *words], env=dict(os.environ), cwd=folder
    )
    views: list[str] = []
    async with stdio_client(command, errlog=errors) as streams, ClientSession(*streams) as session:
        await session.initialize()
        tools = [tool.name for tool in (await session.list_tools()).tools]
        rules = await _call(session, "rules")
        while "digest" not in (view := await _call(session, "view")):
            numbers = [
                int(number)
                for number in re.findall(r"^(\d+)  ", await _call(session, "legal"), re.MULTILINE)
            ]
            await _call(session, "act", choice=numbers[choice_of(len(views), len(numbers))])
            views.append(view)
        return tools, [*views, view], rules


async def _call(session: ClientSession, tool: str, **arguments: object) -> str:
    result = await session.call_tool(tool, arguments)
    assert not result.is_error, result
    return "\n".join(part.text for part in result.content)


class Wire:
    """A client that writes lines and reads them."""

    def __init__(self, folder: Path, *words: str) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            [sys.executable, *COMMAND, *words], cwd=folder, stdin=pipe, stdout=pipe, stderr=pipe
        )
        self._number = 0
        self.ask("initialize", OPENING)
        self.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}).encode())

    def write(self, line: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def read(self) -> dict[str, Any]:
        assert self.process.stdout
        return dict(json.loads(self.process.stdout.readline()))

    def ask(self, method: str, params: object) -> dict[str, Any]:
        """Send a request, and return its answer, which must be the next line."""
        self._number += 1
        self.write(
            json.dumps(
                {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
            ).encode()
        )
        answer = self.read()
        assert answer["id"] == self._number
        return answer

    def call(self, tool: str, **arguments: object) -> str:
        """Return the text of a call, behind "refused: " if it is an error."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]
        return "refused: " * result["isError"] + result["content"][0]["text"]

    def end(self) -> tuple[int, bytes, str]:
        """Close the client's side. Returns the exit code, the rest of the output, and
        stderr.
        """
        out, errors = self.process.communicate(timeout=120)
        return self.process.returncode, out, errors.decode()
