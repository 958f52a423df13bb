"""A league elsewhere, as far as ``khiva-arena submit`` meets one: it answers whatever a
test tells it to, over TLS or plainly.

It is a process of its own, so that no test sees its sockets among those that a command
has left open.
"""

import json
import multiprocessing
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

from dask_cluster import MAKE
from tools import need

from khiva_arena.extensions.league.submissions import sending

TOKEN = "t" * 43
SENT = {"entry": 7, "league": "spring", "link": 12, "digest": "d" * 64, "commitment": "c" * 64}
TERMS = {"publish_bots": False}
Answer = tuple[int, Any] | bytes
"""A status with a value, or bytes to be written as they are."""


class Asked(NamedTuple):
    """A request that came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class FakeLeague:
    """A league that runs. ``url``: where."""

    def __init__(self, url: str, control: Connection) -> None:
        self.url, self._control = url, control

    def answers(self, *answers: Answer, drips: float = 0.0, terms: Answer = (200, TERMS)) -> None:
        """Set the answers to come, in order.

        drips: seconds between the bytes of those that are bytes.
        terms: the answer to each question for the terms, which is none of these.
        """
        self._control.send((answers, drips, terms))
        self._control.recv()

    @property
    def asked(self) -> list[Asked]:
        """The requests that came so far, without questions for the terms."""
        self._control.send(None)
        found: list[Asked] = self._control.recv()
        return found


@contextmanager
def fake_league(tls: Path | None = None) -> Iterator[FakeLeague]:
    """Serve one. ``tls``: a folder with cert.pem and key.pem."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(
        target=_serve, args=(theirs, tls), daemon=True
    )
    process.start()
    try:
        yield FakeLeague(ours.recv(), ours)
    finally:
        process.kill()
        process.join()
        ours.close()
        theirs.close()


def _serve(control: Connection, tls: Path | None) -> None:
    answers: list[Answer] = []
    asked: list[Asked] = []
    pauses = [0.0]
    terms: list[Answer] = [(200, TERMS)]

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            is_of_terms = self.path == sending.TERMS
            if not is_of_terms:
                asked.append(Asked(self.command, self.path, dict(self.headers.items()), body))
            answer = terms[0] if is_of_terms else answers.pop(0)
            if isinstance(answer, bytes):
                for part in (
                    [answer[at : at + 1] for at in range(len(answer))] if pauses[0] else [answer]
                ):
                    self.wfile.write(part)
                    time.sleep(pauses[0])
                return
            status, value = answer
            data = value if isinstance(value, bytes) else json.dumps(value).encode()
            self.send_response(status)
            if 300 <= status < 400:
                self.send_header("Location", data.decode("latin-1"))
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None:
            pass  # a client that has gone

    server = Server(("127.0.0.1", 0), Handler)
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(tls / "cert.pem", tls / "key.pem")
        server.socket = context.wrap_socket(server.socket, server_side=True)

    def obey() -> None:
        with suppress(EOFError):
            while True:
                order = control.recv()
                if order is None:
                    control.send(list(asked))
                    continue
                answers[:], pauses[0], terms[0] = list(order[0]), *order[1:]
                control.send("set")

    threading.Thread(target=obey, daemon=True).start()
    control.send(f"{'https' if tls else 'http'}://127.0.0.1:{server.server_address[1]}")
    server.serve_forever()


def certificate(folder: Path) -> Path:
    """Make a certificate for this machine alone, which nobody trusts yet."""
    need("openssl")
    folder.mkdir()
    named = ["-subj", "/CN=league", "-addext", "subjectAltName=IP:127.0.0.1"]
    words = [*MAKE, *named, "-keyout", "key.pem", "-out", "cert.pem"]
    subprocess.run(words, cwd=folder, check=True, capture_output=True)
    return folder
