"""Bots that play from other machines, here all on loopback."""

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from arena import descendants, living, until_gone
from jobs import job
from relaying import (
    FAULTY,
    HONEST,
    SECONDS,
    TIME,
    blamed,
    bots_of,
    ended,
    hub,
    local,
    match,
    relay,
    until_here,
    wire_between,
)
from sound_bot import sound
from waiting import until
from wording import sentence

from khiva_arena.arbiter import match_queue
from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.arbiter.pool import play, play_one
from khiva_arena.extensions.seats.relay_command import as_one_file
from khiva_arena.extensions.seats.relay_protocol import read_token

pytestmark = pytest.mark.soak


def test_a_relay_plays_as_a_local_bot_does(script: Path) -> None:
    equal_records(script, 20)


@pytest.mark.long
def test_200_matches_over_a_relay_are_those_of_a_local_bot(script: Path) -> None:
    equal_records(script, 200)


def equal_records(script: Path, matches: int) -> None:
    limits = {"turn_ms": 5_000}
    by_relay: dict[int, str] = {}
    by_local: dict[int, str] = {}
    with hub() as (one, port), relay(script, port, *HONEST) as process:
        assert until_here(one)["rtt_ms"] < 1_000
        play(
            (match(number, number % 2, **limits) for number in range(matches)),
            2,
            lambda o: _keep(by_relay, o),
            1,
        )
        one.say({"over": True})
        while "figures" not in (message := one.hear()):
            pass
        assert ended(process)[0] == 0
    seats = ([local(*HONEST), sound()], [sound(), local(*HONEST)])
    jobs = (
        job(seats[number % 2], number, policy="strict", **TIME | limits)
        for number in range(matches)
    )
    play(jobs, 2, lambda o: _keep(by_local, o), 1)
    assert len(by_relay) == matches
    assert by_relay == by_local
    assert message["figures"][0]["away"] == 0


def _keep(digests: dict[int, str], outcome: Outcome) -> None:
    assert outcome.record is not None, outcome.void
    digests[outcome.ordinal] = outcome.record.digest


def test_the_one_file_needs_no_new_python_and_no_arena() -> None:
    import ast

    text = as_one_file()
    ast.parse(text, feature_version=(3, 9))
    imported = re.findall(r"^(?:from|import) (\w+)", text, re.MULTILINE)
    assert set(imported) <= sys.stdlib_module_names


# --- lost links ---


def test_a_connection_that_is_cut_again_and_again_loses_no_byte(script: Path) -> None:
    with (
        hub(reconnect=10.0) as (one, port),
        wire_between(port) as (between, cut),
        relay(script, between, *HONEST),
    ):
        until_here(one)
        done = threading.Event()
        cut_off = []

        def cuts() -> None:
            while not done.wait(0.35):
                cut(True)
                cut_off.append(True)

        def matches() -> Iterator[Job]:
            """Until it was cut off four times, however fast they are."""
            for number in range(200):
                if len(cut_off) < 4:
                    yield match(number, turn_ms=20_000, startup_ms=20_000)

        thread = threading.Thread(target=cuts)
        thread.start()
        outcomes: list[Outcome] = []
        try:
            play(matches(), 1, outcomes.append, 1)
        finally:
            done.set()
            thread.join()
        assert outcomes
        assert [blamed(outcome) for outcome in outcomes] == [("ok", "")] * len(outcomes)
        one.say({"over": True})
        while "figures" not in (message := one.hear()):
            pass
        assert message["figures"][0]["away"] > 1


PHASES = {
    "before hello": ("start-silent", ("start_failed", "crashed: link lost")),
    "while deciding": ("silent", ("crashed", "link lost")),
    "at the end": ("end-orphaned 0", ("ok", "")),
}


@pytest.mark.parametrize("phase", PHASES)
def test_a_relay_that_is_killed_is_lost_in_every_phase_and_may_come_back(
    script: Path, phase: str
) -> None:
    """By us, while its bot says nothing; at the end by its bot, once that has got the
    end.
    """
    how, expected = PHASES[phase]
    with hub(reconnect=1.0) as (one, port):
        with relay(script, port, FAULTY, *how.split()) as process:
            until_here(one)
            kill = threading.Timer(1.2, process.kill)
            if phase != "at the end":
                kill.start()
            assert blamed(play_one(match(turn_ms=60_000, startup_ms=60_000))) == expected
            process.wait(SECONDS)
        with relay(script, port, *HONEST):
            until_here(one)
            assert blamed(play_one(match(1))) == ("ok", "")


def test_a_relay_that_is_killed_between_decisions_loses_the_match_alone(script: Path) -> None:
    with hub(reconnect=1.0) as (one, port):
        with relay(script, port, *HONEST) as process:
            until_here(one)
            kill = threading.Timer(0.8, process.kill)
            kill.start()
            outcome = play_one(match(other=(FAULTY, "late", "2", "3"), turn_ms=60_000))
            assert blamed(outcome) == ("crashed", "link lost")
            kill.join()
        with relay(script, port, *HONEST):
            until_here(one)
            assert blamed(play_one(match(1))) == ("ok", "")


def test_a_relay_that_is_away_for_longer_than_a_turn_is_late(script: Path) -> None:
    with (
        hub(reconnect=30.0) as (one, port),
        wire_between(port) as (between, cut),
        relay(script, between, FAULTY, "silent"),
    ):
        until_here(one)
        threading.Timer(0.6, cut, (False,)).start()
        began = time.monotonic()
        verdict, _ = blamed(play_one(match()))
        assert verdict == "timeout"
        assert time.monotonic() - began < SECONDS


def test_a_hub_that_dies_is_the_hosts_fault(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_queue, "HOST_WAITS", (0.1,) * len(match_queue.HOST_WAITS))
    with hub() as (one, port), relay(script, port, FAULTY, "silent"):
        until_here(one)
        threading.Timer(1.0, one._process.kill).start()
        outcome = play_one(match(turn_ms=5_000))
        assert outcome.record is None
        assert outcome.void == sentence("arbiter", "process-players-arrive-ended")


def test_no_relay_ever_comes(script: Path) -> None:
    with hub(reconnect=0.5):
        assert blamed(play_one(match())) == ("start_failed", "crashed: link lost")


# --- a relay that is killed, and its bot ---

STUBBORN = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGHUP, signal.SIG_IGN)
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
time.sleep(600)
"""


@pytest.mark.parametrize("kept", [False, True])
def test_no_bot_outlives_a_relay_that_is_killed(script: Path, tmp_path: Path, kept: bool) -> None:
    """Not even one that reads nothing, with a child that holds none of its pipes'
    ends.
    """
    bot = tmp_path / "bot.py"
    bot.write_text(STUBBORN)
    options = ("--keep",) if kept else ()
    with (
        hub(reconnect=0.5, kept=kept) as (one, port),
        relay(script, port, str(bot), options=options) as process,
    ):
        until_here(one)
        playing = threading.Thread(target=play_one, args=(match(startup_ms=60_000),))
        playing.start()
        assert until(lambda: len(bots_of(process)) >= 2)
        everything = living(descendants(process.pid))
        process.kill()
        assert until_gone(everything)
        playing.join(SECONDS)


# --- who may come ---


def test_a_second_relay_of_one_name_is_refused_while_the_first_is_there(script: Path) -> None:
    with hub() as (one, port), relay(script, port, *HONEST):
        until_here(one)
        with relay(script, port, *HONEST) as second:
            code, said = ended(second)
        assert code == 2
        assert "relay: a relay of the name ann is connected already; one bot, one name" in said
        assert blamed(play_one(match())) == ("ok", "")


def test_a_wrong_token_a_wrong_name_and_a_process_that_is_kept_are_refused(
    script: Path, tmp_path: Path
) -> None:
    other = tmp_path / "relay.py"
    other.write_text(script.read_text())
    wrong = tmp_path / "token"
    wrong.write_text("another token, just as long")
    wrong.chmod(0o600)
    with hub() as (_, port):
        with relay(other, port, *HONEST) as process:
            # Nothing is final that somebody says who has not shown the token.
            assert first_line(process).endswith(
                ": " + sentence("seats", "no-relay-name-token", name="ann") + "; trying again\n"
            )
            assert process.poll() is None
        with relay(script, port, *HONEST, name="bob") as process:
            assert sentence(
                "seats", "no-relay-name-token", name="bob"
            ) + "; trying again" in first_line(process)
        with relay(script, port, *HONEST, options=("--keep",)) as process:
            assert "the organiser has to allow --keep, by --kept ann" in ended(process)[1]
    wrong.chmod(0o644)
    with relay(other, 1, *HONEST) as process:
        assert (
            "other users may read this token; chmod 600 it, or let the arena make another one"
            in ended(process)[1]
        )


def test_a_token_of_another_user_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "token"
    file.write_text("a token, just long enough")
    file.chmod(0o600)
    assert read_token(file) == "a token, just long enough"
    monkeypatch.setattr(os, "geteuid", lambda: file.stat().st_uid + 1)
    with pytest.raises(
        ValueError,
        match=(
            "belongs to another user, who knows this token; let the arena make another "
            "one, or copy it as yourself"
        ),
    ):
        read_token(file)


def first_line(process: subprocess.Popen[str]) -> str:
    assert process.stderr
    return process.stderr.readline()


@pytest.mark.parametrize(
    ("token", "bot", "said"),
    [
        ("token", "./nope", "./nope: no such program here"),
        (
            "nowhere",
            sys.executable,
            (
                "nowhere: no such file; copy the token there from the arena's machine, or name "
                "it by --token FILE"
            ),
        ),
    ],
)
def test_what_is_not_there_is_said_before_anything_is_tried(
    script: Path, token: str, bot: str, said: str
) -> None:
    words = [sys.executable, "-I", str(script), "--token", token, "127.0.0.1:1", "ann", "--", bot]
    done = subprocess.run(
        words, cwd=script.parent, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert (done.returncode, done.stderr) == (2, f"relay: {said}\n")
