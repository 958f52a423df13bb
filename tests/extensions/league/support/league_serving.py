"""The server of a league as a process of its own, and requests to it by the library's
plain client.
"""

import http.client
import json
import os
import re
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

OTHER_USER = "nobody"


class Answered(NamedTuple):
    """An answer.

    status: its number.
    headers: by their names in small letters.
    body: all of it.
    """

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode()

    @property
    def data(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


class LeagueServer:
    """A server.

    process: its process, a ``Popen`` or a ``Fork``.
    port: where it listens.
    said: its line with the address.
    """

    def __init__(self, process: Any, said: str, context: ssl.SSLContext | None) -> None:
        self.process, self.said, self._context = process, said, context
        port = re.search(r":(\d+)/", said)
        assert port, said
        self.port = int(port[1])

    @property
    def origin(self) -> str:
        """The origin of its pages."""
        return f"http{'s' if self._context else ''}://127.0.0.1:{self.port}"

    def connection(self) -> http.client.HTTPConnection:
        """Return a new connection."""
        if self._context:
            return http.client.HTTPSConnection(
                "127.0.0.1", self.port, timeout=60, context=self._context
            )
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def ask(self, path: str, method: str = "GET", body: Any = None, **headers: str) -> Answered:
        """Ask something on a connection of its own. ``headers``: underscores stand for
        dashes.
        """
        connection = self.connection()
        try:
            connection.request(
                method,
                path,
                body,
                {name.replace("_", "-"): value for name, value in headers.items()},
            )
            answer = connection.getresponse()
            return Answered(
                answer.status,
                {name.lower(): value for name, value in answer.getheaders()},
                answer.read(),
            )
        finally:
            connection.close()


@contextmanager
def league_server(
    folder: Path,
    *words: str,
    context: ssl.SSLContext | None = None,
    is_killed: bool = False,
    is_forked: bool = False,
) -> Iterator[LeagueServer]:
    """Serve a league on a free port until the end of the block. Root's server becomes
    another user.

    context: to trust its certificate.
    is_killed: whether the block kills it.
    is_forked: whether it is a fork with all imports, which takes a tenth of the time.
        Where it begins to serve and how it ends are then not those of a command.
    """
    user = ["--user", OTHER_USER] if os.geteuid() == 0 else []
    command = [
        "khiva_arena",
        "league",
        "serve",
        str(folder),
        "--listen",
        "127.0.0.1:0",
        *user,
        *words,
    ]
    process = _started(command, is_forked)
    try:
        said = process.stderr.readline()
        assert " at http" in said, said + process.stderr.read()
        yield LeagueServer(process, said, context)
        assert is_killed or process.poll() in (None, 0), "it ended by itself"
    finally:
        process.kill()
        process.communicate()


def _started(command: list[str], is_forked: bool) -> Any:
    """Start a module of Python, as a process of its own or as a fork."""
    if not is_forked:
        return subprocess.Popen([sys.executable, "-m", *command], stderr=subprocess.PIPE, text=True)
    from forks import Fork, serve  # not above: few tests need the process that forks

    serve()
    return Fork(command, is_text=True)
