"""A person's page without a browser: the WebSocket of a seat, and all that came on
it.
"""

import json
import re
import socket
import subprocess
from typing import Any
from urllib.parse import urlsplit

from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, CloseConnection, RejectConnection, Request, TextMessage

SECONDS = 120.0


class Refused(Exception):
    """The server does not open the socket; the text is the status."""


class Seat:
    """An open page. ``captured``: each text that it was sent."""

    def __init__(self, address: str, origin: str | None = None) -> None:
        parts = urlsplit(address)
        self.captured: list[str] = []
        self._held: list[str] = []
        self._begun = ""
        self._ended = False
        self._protocol = WSConnection(ConnectionType.CLIENT)
        self._socket = socket.create_connection((parts.hostname, parts.port), SECONDS)
        headers = [(b"origin", (origin or f"http://{parts.netloc}").encode())]
        self._open = False
        try:
            self._send(
                Request(host=parts.netloc, target=f"{parts.path}seat", extra_headers=headers)
            )
            while not self._open:
                self._receive()
        except BaseException:
            self.close()
            raise

    def _send(self, event: Any) -> None:
        self._socket.sendall(self._protocol.send(event))

    def _receive(self) -> None:
        data = self._socket.recv(65_536)
        self._protocol.receive_data(data or None)
        for event in self._protocol.events():
            if isinstance(event, AcceptConnection):
                self._open = True
            elif isinstance(event, RejectConnection):
                raise Refused(str(event.status_code))
            elif isinstance(event, TextMessage):
                self._begun += event.data
                if event.message_finished:
                    self._held.append(self._begun)
                    self._begun = ""
            elif isinstance(event, CloseConnection):
                self._ended = True
        if (not data or self._ended) and not self._held:
            raise EOFError

    def next(self) -> dict[str, Any]:
        """The next message. Raises EOFError at the end."""
        while not self._held:
            self._receive()
        text = self._held.pop(0)
        self.captured.append(text)
        message: dict[str, Any] = json.loads(text)
        return message

    def until(self, *kinds: str) -> dict[str, Any]:
        """The next message of one of these types."""
        while (message := self.next())["type"] not in kinds:
            pass
        return message

    def say(self, message: object) -> None:
        """Send an object, or a text as it is."""
        self._send(TextMessage(message if isinstance(message, str) else json.dumps(message)))

    def play(self) -> dict[str, Any]:
        """The middle choice each time, until the match is over; returns what is said
        then.
        """
        ask = self.until("table")["ask"]
        while True:
            if ask:
                self.say({"type": "choose", "req": ask["req"], "choice": len(ask["legal"]) // 2})
            message = self.until("ask", "over")
            if message["type"] == "over":
                return message
            ask = message["ask"]

    def close(self) -> None:
        self._socket.close()


def addresses(process: subprocess.Popen[str], many: int = 1) -> list[str]:
    """Those that ``khiva-arena play`` prints."""
    assert process.stderr
    found: list[str] = []
    while len(found) < many:
        line = process.stderr.readline()
        assert line, "it has ended"
        found += re.findall(r"plays here: (http://\S+)", line)
    return found
