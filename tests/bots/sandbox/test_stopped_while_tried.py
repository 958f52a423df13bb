"""A stop signal to all processes while isolation is tried ends the probe before the
arbiter hears of it: that says nothing of the level, and no worse one is chosen because
of it.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from arena import NAIVE, RANDOM, bots
from levels import EVERY_LEVEL
from wording import sentence

from khiva_arena.bots.sandbox import detect, stops
from khiva_arena.bots.sandbox.level import Level

pytestmark = pytest.mark.slow

FAKE = """#!/bin/sh
(sleep 0.2; kill -{signal} $PPID) >/dev/null 2>&1 </dev/null &
kill -{signal} $$
"""


class Stopped:
    """Has the first probes end by a signal. ``probes``: how many were started."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *codes: int) -> None:
        self.probes = 0
        self._codes = codes
        self._run = subprocess.run
        monkeypatch.setattr(stops, "SETTLES_SECONDS", 0.01)
        monkeypatch.setattr(detect.subprocess, "run", self)

    def __call__(self, *words: Any, **how: Any) -> subprocess.CompletedProcess[bytes]:
        done = self._run(*words, **how)
        self.probes += 1
        if self.probes <= len(self._codes):
            done.returncode = self._codes[self.probes - 1]
        return done


@EVERY_LEVEL
@pytest.mark.parametrize("number", [*stops.SIGNALS, signal.SIGKILL])
def test_a_level_whose_probe_was_stopped_is_tried_again(
    level: Level, number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    Stopped(monkeypatch, -number, 128 + number)
    assert detect.why_not(level) == ""


def test_no_worse_level_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = detect.best()
    for code in (-signal.SIGTERM, 128 + signal.SIGHUP):
        Stopped(monkeypatch, code, code)
        assert detect.best() is expected


def test_one_that_always_ends_so_does_not_work(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = Stopped(monkeypatch, *[-signal.SIGTERM] * detect.TRIES)
    assert detect.why_not(Level.TRUSTED) == "exit code -15"
    assert stopped.probes == detect.TRIES


def test_a_level_that_cannot_be_prepared_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """No program ran, so none was stopped: every command would wait for a stop on a
    machine that lacks a level.
    """
    tries = []

    def no_cell(*words: object) -> None:
        tries.append(words)
        raise OSError("no cgroup")

    monkeypatch.setattr(detect.isolation, "cell", no_cell)
    monkeypatch.setattr(detect.time, "sleep", lambda seconds: pytest.fail(f"waited {seconds} s"))
    assert detect.why_not(Level.TRUSTED) == "no cgroup"
    assert len(tries) == 1


@pytest.mark.usefixtures("standard")
@pytest.mark.parametrize(
    ("how", "isolation"), [("TERM", ()), ("HUP", ()), ("INT", ("--isolation", "standard"))]
)
def test_a_stop_while_isolation_is_tried_is_a_stop(
    how: str, isolation: tuple[str, ...], tmp_path: Path
) -> None:
    """The probe first, and the arbiter a moment later."""
    fake = tmp_path / "bin" / "bwrap"
    fake.parent.mkdir()
    fake.write_text(FAKE.format(signal=how))
    fake.chmod(0o755)
    words = (
        "run",
        *bots(RANDOM, NAIVE),
        "--seats",
        "2",
        "--seeds",
        "1",
        "--trust-bots",
        *isolation,
        "--out",
        "out",
    )
    done = subprocess.run(
        [sys.executable, "-m", "khiva_arena", *words],
        cwd=tmp_path,
        env=os.environ | {"PATH": f"{fake.parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 130, done.stderr
    assert sentence("doctor", "not-work-here-2") not in done.stderr
    assert not (tmp_path / "out").exists()
