"""How long readers of a league's pages wait: ``league_readers.py [READERS] [SECONDS]``,
while matches are played beside.

So many readers ask at once, each again and again after a pause, first a static file
server (Python's own, with the same pages as files) and then the server of the league.
Prints a JSON object for each: requests, failures, and latencies in milliseconds.
"""

import functools
import http.server
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))
sys.path.insert(0, str(ROOT / "tests" / "extensions" / "league" / "support"))

import trio  # noqa: E402 - behind the path of the helpers
from arena import C, bots  # noqa: E402
from league_serving import league_server  # noqa: E402
from public_league import ANN, league_folder, write_public  # noqa: E402

READERS, SECONDS = 500, 10.0
PAUSE = 1.0
"""Seconds between two requests of a reader."""
PATHS = (
    "/",
    "/batches",
    "/batches/3",
    "/bots/crow%20v2",
    f"/families/{ANN}f",
    "/feed.xml",
    "/api/league.json",
)
LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)


async def _ask(stream: trio.SocketStream, port: int, path: str) -> None:
    await stream.send_all(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
    data = b""
    while (length := LENGTH.search(data)) is None or b"\r\n\r\n" not in data:
        data += await _some(stream)
    assert data.split(b" ", 2)[1] == b"200", data[:100]
    while len(data.partition(b"\r\n\r\n")[2]) < int(length[1]):
        data += await _some(stream)


async def _some(stream: trio.SocketStream) -> bytes:
    data = await stream.receive_some(1 << 16)
    if not data:
        raise trio.BrokenResourceError("it was closed")
    return bytes(data)


async def _reader(
    port: int, paths: Sequence[str], number: int, waits: list[float], failures: Counter[str]
) -> None:
    await trio.sleep(PAUSE * number / READERS)
    at = number
    while True:
        try:
            begun = trio.current_time()
            async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
                while True:
                    await _ask(stream, port, paths[at % len(paths)])
                    waits.append(trio.current_time() - begun)
                    at += 1
                    await trio.sleep(PAUSE)
                    begun = trio.current_time()
        except (OSError, trio.BrokenResourceError, AssertionError) as error:
            failures[type(error).__name__] += 1


def measured(
    name: str, port: int, paths: Sequence[str], readers: int, seconds: float
) -> dict[str, object]:
    """Let readers ask, and return how long they waited."""
    waits: list[float] = []
    failures: Counter[str] = Counter()

    async def main() -> None:
        with trio.move_on_after(seconds):
            async with trio.open_nursery() as nursery:
                for number in range(readers):
                    nursery.start_soon(_reader, port, paths, number, waits, failures)

    trio.run(main)
    waits.sort()
    shares = {
        f"{share} %": round(1000 * waits[int(len(waits) * share / 100)], 1)
        for share in (50, 95, 99)
    }
    return {
        "server": name,
        "readers": readers,
        "requests": len(waits),
        "failures": dict(failures),
        **shares,
        "most": round(1000 * waits[-1], 1),
    }


class _Quiet(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass


class _Static(http.server.ThreadingHTTPServer):
    request_queue_size = 512


@contextmanager
def static_server(folder: Path) -> Iterator[int]:
    """Serve a folder by Python's own server of files, in a process of its own."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[2]); import league_readers; "
        "league_readers.serve_files(sys.argv[1])"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(folder), str(Path(__file__).parent)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout
        yield int(process.stdout.readline())
    finally:
        process.kill()
        process.communicate()


def serve_files(folder: str) -> None:
    """Serve files until the process is killed; prints the port."""
    server = _Static(("127.0.0.1", 0), functools.partial(_Quiet, directory=folder))
    print(server.server_address[1], flush=True)
    threading.stack_size(256 << 10)
    server.serve_forever()


@contextmanager
def playing(folder: Path) -> Iterator[None]:
    """Play matches one after another in a process, as the player of a league does."""
    words = [
        "run",
        *bots(C, str(ROOT / "bots" / "python" / "random")),
        "--seats",
        "2",
        "--seeds",
        "100000",
        "--out",
        str(folder / "out"),
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "khiva_arena", *words, "--trust-bots", "--isolation", "trusted"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        time.sleep(3)
        assert process.poll() is None, "no matches are played"
        yield
    finally:
        process.terminate()
        process.wait()


def main() -> None:
    """Measure both servers."""
    readers = int(sys.argv[1]) if len(sys.argv) > 1 else READERS
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else SECONDS
    with tempfile.TemporaryDirectory() as name, playing(Path(name)):
        os.chmod(name, 0o755)
        league = league_folder(Path(name, "spring"))
        write_public(league, batches=200)
        with league_server(league) as server:
            files = Path(name, "files")
            files.mkdir()
            for at, path in enumerate(PATHS):
                (files / f"{at}").write_bytes(server.ask(path).body)
            with static_server(files) as port:
                print(
                    json.dumps(
                        measured(
                            "files",
                            port,
                            tuple(f"/{at}" for at in range(len(PATHS))),
                            readers,
                            seconds,
                        )
                    ),
                    flush=True,
                )
            print(json.dumps(measured("league", server.port, PATHS, readers, seconds)), flush=True)


if __name__ == "__main__":
    main()
