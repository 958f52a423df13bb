"""Hubs and relays for tests, all on loopback."""

import os
import queue
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from arena import ROOT, descendants, file_of, living
from jobs import SECRET, job
from sound_bot import sound

from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.reap import MARK
from khiva_arena.entrants import guests
from khiva_arena.extensions.seats.hub_process import Hub
from khiva_arena.extensions.seats.relay_program import WATCHDOG
from khiva_arena.records.replay.verify import verify

FAULTY = str(ROOT / "tests" / "support" / "faulty.py")
BROKEN = str(ROOT / "bots" / "broken" / "main.py")
TOKEN = "a token that nobody else has"
TIME = {"startup_ms": 5_000, "turn_ms": 300, "bank_ms": 3_000}
SECONDS = 120.0


@contextmanager
def hub(
    *names: str, kept: bool = False, reconnect: float = 2.0, tls: list[str] | None = None
) -> Iterator[tuple[Hub, int]]:
    """One that waits for relays of these names; with its port."""
    with Hub() as one:
        relays = {
            name: {"token": TOKEN, "file": "token", "kept": kept} for name in names or ("ann",)
        }
        order = {
            "listen": ["127.0.0.1", 0],
            "tls": tls,
            "reconnect_s": reconnect,
            "waits_s": reconnect,
            "relays": relays,
        }
        one.say({"socket": one.socket, **order})
        yield one, one.hear()["port"]


@contextmanager
def relay(
    script: Path, port: int, *bot: str, name: str = "ann", options: tuple[str, ...] = ()
) -> Iterator[subprocess.Popen[str]]:
    """A relay with a bot."""
    words = [
        sys.executable,
        "-I",
        str(script),
        *options,
        "--token",
        str(script.with_name("token")),
        f"127.0.0.1:{port}",
        name,
        "--",
    ]
    process = subprocess.Popen(
        [*words, sys.executable, *bot], stderr=subprocess.PIPE, text=True, env=OURS
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
        process.wait(SECONDS)
        assert process.stderr
        process.stderr.close()


@contextmanager
def wire_between(port: int, delay: float = 0.0) -> Iterator[tuple[int, Callable[[bool], None]]]:
    """A forwarder to a port, on which bytes take ``delay`` seconds each way: its own
    port, and a function that cuts all connections and says whether it takes new ones.
    """
    listener = socket.create_server(("127.0.0.1", 0))
    pairs: list[socket.socket] = []
    up = threading.Event()
    up.set()

    def give(
        coming: queue.SimpleQueue[tuple[float, bytes]], one: socket.socket, other: socket.socket
    ) -> None:
        with suppress(OSError):
            while (piece := coming.get())[1]:
                time.sleep(max(0.0, piece[0] - time.monotonic()))
                other.sendall(piece[1])
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def pump(one: socket.socket, other: socket.socket) -> None:
        coming: queue.SimpleQueue[tuple[float, bytes]] = queue.SimpleQueue()
        threading.Thread(target=give, args=(coming, one, other), daemon=True).start()
        with suppress(OSError):
            while data := one.recv(65_536):
                coming.put((time.monotonic() + delay, data))
        coming.put((0.0, b""))

    def accept() -> None:
        with suppress(OSError):
            while True:
                one, _ = listener.accept()
                try:
                    if not up.is_set():
                        raise ConnectionError
                    other = socket.create_connection(("127.0.0.1", port))
                except ConnectionError:  # it is cut, or nobody listens there yet
                    one.close()
                    continue
                pairs.extend((one, other))
                for ends in ((one, other), (other, one)):
                    ends[0].setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    threading.Thread(target=pump, args=ends, daemon=True).start()

    def cut(again: bool = True) -> None:
        up.set() if again else up.clear()
        for end in pairs:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield listener.getsockname()[1], cut
    finally:
        cut(False)
        listener.close()
        for end in pairs:
            end.close()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


def token_in(folder: Path, name: str = "ann") -> dict[str, str]:
    """A token below a folder, as the environment in which commands find it."""
    tokens = folder / "khiva-arena" / "tokens"
    tokens.mkdir(parents=True, exist_ok=True)
    (tokens / name).write_text(TOKEN)
    (tokens / name).chmod(0o600)
    return {"XDG_CONFIG_HOME": str(folder)}


@contextmanager
def relay_command(
    folder: Path, port: int, *bot: str, name: str = "ann"
) -> Iterator[subprocess.Popen[str]]:
    """`khiva-arena relay`, which knows the token in a folder."""
    words = [sys.executable, "-m", "khiva_arena", "relay", f"127.0.0.1:{port}", name, "--"]
    words += bot if bot[0].startswith("shipped:") else (sys.executable, *bot)
    with subprocess.Popen(
        words, env=OURS | token_in(folder, name), stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.terminate()


def bots_of(process: subprocess.Popen[str]) -> set[int]:
    """All that a relay has started and that lives, without its guard."""
    alive = living(descendants(process.pid))
    return {pid for pid in alive if WATCHDOG.encode() not in file_of(pid, "cmdline")}


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Its exit code and what it said."""
    assert process.stderr
    said = process.stderr.read()
    return process.wait(SECONDS), said


def until_here(one: Hub) -> dict[str, Any]:
    """Until a relay is there."""
    while "here" not in (message := one.hear()):
        pass
    return message


def local(*bot: str) -> Command:
    return Command((sys.executable, *bot), "/tmp")


HONEST = (FAULTY, "honest", "0")
OURS = {**os.environ, MARK: f"{os.getpid()}-relay"}
"""Marks a child of this process that is no bot's, so that no match ends it."""
OURS.pop(
    "PYTHONUNBUFFERED", None
)  # the bot behind a relay has its environment, one of this machine a bare one


def match(
    ordinal: int = 0,
    seat: int = 1,
    other: tuple[str, ...] = (),
    policy: str = "strict",
    **limits: int,
) -> Job:
    """A relay's seat beside a local one, of a sound bot if nothing else is said."""
    beside = local(*other) if other else sound()
    commands = [beside, beside]
    commands[seat] = guests.command("remote:ann")
    return job(commands, ordinal, policy=policy, **TIME | limits)


def blamed(outcome: Outcome, seat: int = 1) -> tuple[str, str]:
    """Verdict and detail of a seat; the other one is sound, and the match replays."""
    assert outcome.record is not None, outcome.void
    verify(outcome.record, SECRET)
    assert outcome.record.verdicts[1 - seat] == "ok", outcome.seats[1 - seat].faults
    faults = outcome.seats[seat].faults
    return str(outcome.record.verdicts[seat]), faults[-1].detail if faults else ""
