"""Remote seats in every command and call that seats bots, and what a run says of their
links while it goes on.
"""

import json
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from arena import arena
from forked_command import Forked
from relaying import FAULTY, HONEST, SECONDS, bots_of, free_port, relay_command, token_in
from seat_client import Seat
from waiting import until
from wording import sentence

import khiva_arena

OTHER = f"{sys.executable} {FAULTY} honest 0"
TRUSTED = ("--isolation", "trusted")


def test_match_seats_a_remote_bot(tmp_path: Path) -> None:
    port = free_port()
    with relay_command(tmp_path, port, *HONEST) as process:
        words = [
            "match",
            "--bot",
            "remote:ann",
            "--bot",
            OTHER,
            *TRUSTED,
            "--seed",
            "a",
            "--link-allowance",
            "50ms",
        ]
        done = arena(*words, "--listen", f"127.0.0.1:{port}", cwd=tmp_path, env=token_in(tmp_path))
        assert process.wait(SECONDS) == 0
    assert "waiting for ann: khiva-arena relay 127.0.0.1" in done.stderr
    assert "ann: round trip " in done.stderr
    assert done.stdout.startswith("seat 0 is marked: remote\n")
    assert done.stdout.splitlines()[-1].startswith("digest ")


@pytest.mark.soak
def test_check_tries_what_can_be_seen_of_a_remote_bot_and_says_what_cannot(tmp_path: Path) -> None:
    port = free_port()
    with relay_command(tmp_path, port, "shipped:c/random"):
        words = [
            "check",
            "remote:ann",
            "--quick",
            "--game",
            "khiva",
            "--json",
            "--listen",
            f"127.0.0.1:{port}",
        ]
        done = arena(*words, cwd=tmp_path, env=token_in(tmp_path))
    report = json.loads(done.stdout)
    by_id = {step["id"]: step for step in report["steps"]}
    assert report["passed"]
    assert by_id["start"]["status"] == by_id["answers"]["status"] == by_id["exit"]["status"] == "ok"
    assert "its relay starts it; nothing is copied or built here" in by_id["build"]["said"]
    assert "the way to its relay and back included" in by_id["time"]["said"]
    why = sentence("check", "not-tried-runs-another")
    skipped = {id for id, step in by_id.items() if step["said"] == why}
    assert {"children", "processor", "memory"} < skipped
    assert all(id.startswith("level:") for id in skipped - {"children", "processor", "memory"})
    assert report["memory_bytes"] is None


def test_a_check_of_a_person_is_refused_in_a_line(tmp_path: Path) -> None:
    done = arena("check", "person", cwd=tmp_path, code=2)
    assert sentence("entrants", "person-plays-khiva-arena") in done.stderr


@pytest.mark.soak
def test_the_api_seats_remote_bots_and_says_what_to_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    settings: dict[str, Any] = {
        "isolation": "trusted",
        "listen": f"127.0.0.1:{(port := free_port())}",
    }
    with relay_command(tmp_path, port, *HONEST):
        played = khiva_arena.match("remote:ann", OTHER, seed="a", **settings)
    assert played.bots[0] == "ann"
    assert played.verdicts == ("ok", "ok")
    assert "waiting for ann: khiva-arena relay 127.0.0.1" in capsys.readouterr().err
    with relay_command(tmp_path, port, *HONEST):
        run = khiva_arena.run(
            bots=["remote:ann", OTHER],
            seats=2,
            seeds=1,
            out=tmp_path / "out",
            link_allowance="1s",
            **settings,
        )
        assert run.wait().complete
    assert any(line.startswith("ann: round trip ") for line in run.messages)
    assert "waiting for ann" in capsys.readouterr().err


def test_a_person_and_a_remote_bot_sit_at_one_table(tmp_path: Path) -> None:
    port = free_port()
    environment = token_in(tmp_path)
    words = ["play", "--bot", "remote:ann", "--bot", "person", "--no-open", "--no-hints"]
    with Forked(
        [*words, *TRUSTED, "--listen", f"127.0.0.1:{port}"],
        cwd=tmp_path,
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            with relay_command(tmp_path, port, *HONEST):
                assert process.stderr
                said = ""
                while " plays here: " not in (line := process.stderr.readline()):
                    assert line
                    said += line
                assert "ann is connected: round trip " in said
                page = Seat(line.rsplit(" ", 1)[1].strip())
                page.play()
                page.close()
                out, err = process.communicate(timeout=SECONDS)
        finally:
            process.kill()
    assert process.returncode == 0, err
    assert re.search(r"^  [12]\. ann \(remote\)  \d+ points?$", out, re.MULTILINE)
    assert sentence("play", "every-choice-replays-digest") + " " in out
    assert "ann: round trip " in err


# --- a link that comes and goes while a run goes on ---


def test_a_run_says_at_once_that_a_link_is_lost_and_back(tmp_path: Path) -> None:
    """In its stream, in its log and on stderr, long before its end."""
    port = free_port()
    other = f"{sys.executable} {FAULTY} late 2 3"  # takes its time
    words = ["run", "--bot", "remote:ann", "--bot", other, "--seats", "2", "--seeds", "50"]
    files = [
        "--events-file",
        "events",
        "--out",
        "out",
        "--listen",
        f"127.0.0.1:{port}",
        "--reconnect",
        "20s",
        "--turn",
        "30s",
    ]
    said: list[str] = []
    with Forked(
        [*words, *files, *TRUSTED],
        cwd=tmp_path,
        env=os.environ | token_in(tmp_path),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as run:
        assert run.stderr
        reader = threading.Thread(target=lambda: said.extend(iter(run.stderr.readline, "")))  # type: ignore[union-attr]
        reader.start()
        try:
            with relay_command(tmp_path, port, *HONEST) as first:
                _until(said, "commitment")
                assert until(lambda: bots_of(first))
                first.kill()
                _until(
                    said,
                    "warning: "
                    + sentence("terminal", "link-lost-clock-runs", name="ann", seconds="20"),
                )
            with relay_command(tmp_path, port, *HONEST):
                _until(said, "ann is connected again after ")
                assert run.poll() is None
                run.send_signal(signal.SIGINT)
                run.wait(SECONDS)
        finally:
            run.kill()
            reader.join()
    assert any(
        line.startswith("ann: round trip ") and "its link was lost 1 time, for " in line
        for line in said
    )
    kinds = [json.loads(line) for line in (tmp_path / "events").read_text().splitlines()]
    assert [line["what"] for line in kinds if line["type"] == "link"] == [
        "away",
        "again",
        "figures",
    ]
    logged = [
        json.loads(line) for line in (tmp_path / "out" / "log.jsonl").read_text().splitlines()
    ]
    assert [line["level"] for line in logged if "the link to ann" in line["event"]] == ["warning"]


def _until(said: list[str], text: str) -> None:
    assert until(lambda: any(text in line for line in said)), said
