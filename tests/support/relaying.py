"""Hubs and relays for tests, all on loopback."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arena import ROOT
from jobs import SECRET, job

from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.entrants import guests
from khiva_arena.replay.verify import verify
from khiva_arena.sandbox.command import Command
from khiva_arena.sandbox.reap import MARK
from khiva_arena.web.hub_process import Hub

FAULTY = str(ROOT / "tests" / "support" / "faulty.py")
BROKEN = str(ROOT / "bots" / "broken" / "main.py")
TOKEN = "a token that nobody else has"
TIME = {"startup_ms": 5_000, "turn_ms": 300, "bank_ms": 3_000}
SECONDS = 20.0


@contextmanager
def hub(*names: str, kept: bool = False, reconnect: float = 2.0, tls: list[str] | None = None) -> Iterator[tuple[Hub, int]]:
    """One that waits for relays of these names; with its port."""
    with Hub() as one:
        relays = {name: {"token": TOKEN, "file": "token", "kept": kept} for name in names or ("ann",)}
        order = {"listen": ["127.0.0.1", 0], "tls": tls, "reconnect_s": reconnect, "waits_s": reconnect, "relays": relays}
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
    process = subprocess.Popen([*words, sys.executable, *bot], stderr=subprocess.PIPE, text=True, env=OURS)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
        process.wait(SECONDS)
        assert process.stderr
        process.stderr.close()


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
OURS = os.environ | {MARK: f"{os.getpid()}-relay"}
"""Marks a child of this process that is no bot's, so that no match ends it."""


def match(ordinal: int = 0, seat: int = 1, other: tuple[str, ...] = HONEST, policy: str = "strict", **limits: int) -> Job:
    """A relay's seat beside a local one."""
    commands = [local(*other), local(*other)]
    commands[seat] = guests.command("remote:ann")
    return job(commands, ordinal, policy=policy, **TIME | limits)


def blamed(outcome: Outcome, seat: int = 1) -> tuple[str, str]:
    """Verdict and detail of a seat; the other one is sound, and the match replays."""
    assert outcome.record is not None, outcome.void
    verify(outcome.record, SECRET)
    assert outcome.record.verdicts[1 - seat] == "ok", outcome.seats[1 - seat].faults
    faults = outcome.seats[seat].faults
    return str(outcome.record.verdicts[seat]), faults[-1].detail if faults else ""
