"""Bots that play from other machines, here all on loopback."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from arena import ROOT, arena, descendants, living, until_gone
from jobs import job
from relaying import (
    FAULTY,
    HONEST,
    OURS,
    SECONDS,
    TIME,
    TOKEN,
    blamed,
    bots_of,
    ended,
    free_port,
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
from khiva_arena.extensions.seats.relay_protocol import MOST, WINDOW, packed, packed_json, proof, read_token

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
        play((match(number, number % 2, **limits) for number in range(matches)), 2, lambda o: _keep(by_relay, o), 1)
        one.say({"over": True})
        while "figures" not in (message := one.hear()):
            pass
        assert ended(process)[0] == 0
    seats = ([local(*HONEST), sound()], [sound(), local(*HONEST)])
    jobs = (job(seats[number % 2], number, policy="strict", **TIME | limits) for number in range(matches))
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
    with hub(reconnect=10.0) as (one, port), wire_between(port) as (between, cut), relay(script, between, *HONEST):
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
def test_a_relay_that_is_killed_is_lost_in_every_phase_and_may_come_back(script: Path, phase: str) -> None:
    """By us, while its bot says nothing; at the end by its bot, once that has got the end."""
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
    with hub(reconnect=30.0) as (one, port), wire_between(port) as (between, cut), relay(script, between, FAULTY, "silent"):
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
    """Not even one that reads nothing, with a child that holds none of its pipes' ends."""
    bot = tmp_path / "bot.py"
    bot.write_text(STUBBORN)
    options = ("--keep",) if kept else ()
    with hub(reconnect=0.5, kept=kept) as (one, port), relay(script, port, str(bot), options=options) as process:
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


def test_a_wrong_token_a_wrong_name_and_a_process_that_is_kept_are_refused(script: Path, tmp_path: Path) -> None:
    other = tmp_path / "relay.py"
    other.write_text(script.read_text())
    wrong = tmp_path / "token"
    wrong.write_text("another token, just as long")
    wrong.chmod(0o600)
    with hub() as (_, port):
        with relay(other, port, *HONEST) as process:
            # Nothing is final that somebody says who has not shown the token.
            assert first_line(process).endswith(": " + sentence("seats", "no-relay-name-token", name="ann") + "; trying again\n")
            assert process.poll() is None
        with relay(script, port, *HONEST, name="bob") as process:
            assert sentence("seats", "no-relay-name-token", name="bob") + "; trying again" in first_line(process)
        with relay(script, port, *HONEST, options=("--keep",)) as process:
            assert "the organiser has to allow --keep, by --kept ann" in ended(process)[1]
    wrong.chmod(0o644)
    with relay(other, 1, *HONEST) as process:
        assert "other users may read this token; chmod 600 it, or let the arena make another one" in ended(process)[1]


def test_a_token_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "token"
    file.write_text("a token, just long enough")
    file.chmod(0o600)
    assert read_token(file) == "a token, just long enough"
    monkeypatch.setattr(os, "geteuid", lambda: file.stat().st_uid + 1)
    with pytest.raises(
        ValueError,
        match=("belongs to another user, who knows this token; let the arena make another one, or copy it as yourself"),
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
            "nowhere: no such file; copy the token there from the arena's machine, or name it by --token FILE",
        ),
    ],
)
def test_what_is_not_there_is_said_before_anything_is_tried(script: Path, token: str, bot: str, said: str) -> None:
    words = [sys.executable, "-I", str(script), "--token", token, "127.0.0.1:1", "ann", "--", bot]
    done = subprocess.run(words, cwd=script.parent, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert (done.returncode, done.stderr) == (2, f"relay: {said}\n")


# --- hostile relays ---


class Hostile:
    """A relay that does as it likes."""

    def __init__(self, port: int, kept: bool = False) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), SECONDS)
        nonce = json.loads(self.frame()[2])["nonce"]
        said = proof(TOKEN, "relay", "ann", nonce, "mine")
        hello = {"relay": 1, "name": "ann", "life": "evil", "run": "", "got": 0, "kept": kept, "nonce": "mine", "proof": said}
        self.socket.sendall(packed_json(b"H", **hello))
        assert self.frame()[0] == b"W"

    def frame(self) -> tuple[bytes, int, bytes]:
        head = self._exactly(9)
        return head[:1], int.from_bytes(head[1:5], "big"), self._exactly(int.from_bytes(head[5:], "big"))

    def _exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            more = self.socket.recv(size - len(data))
            if not more:
                raise EOFError
            data += more
        return data

    def until(self, kind: bytes) -> int:
        """Answer pings until this comes; its session."""
        while True:
            got, session, data = self.frame()
            if got == kind:
                return session
            if got == b"p":
                self.socket.sendall(packed(b"q", 0, data))


LIES = {
    "a huge frame": lambda s: packed(b"1", s)[:5] + b"\xff\xff\xff\xff",
    "more than its window": lambda s: packed(b"2", s, bytes(MOST)) * (WINDOW // MOST * 3),
    "another session": lambda s: packed(b"1", s + 1, b"x"),
    "session 0": lambda s: packed(b"1", 0, b"x"),
    "an unknown kind": lambda s: packed(b"?", s),
    "a kind of the arena": lambda s: packed(b"o", s),
    "an impossible window": lambda s: packed(b"c", s, b"\xff\xff\xff\xff"),
    "a short number": lambda s: packed(b"c", s, b"\1"),
    "an impossible count": lambda s: packed(b"a", 0, b"\xff" * 8),
    "a count that is not new": lambda s: packed(b"a", 0, bytes(8)),
    "a ping's echo": lambda s: packed(b"q", 0, b"12345678"),
    "no exit status": lambda s: packed(b"x", s, b"0x1"),
    "a long exit status": lambda s: packed(b"x", s, b"9" * 5000),
    "bytes behind the end": lambda s: packed(b"x", s, b"0") + packed(b"1", s, b"x"),
    "an end twice": lambda s: packed(b"1", s) * 2,
    "another hello": lambda s: packed_json(b"H", name="ann"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_relay_that_lies_is_cut_off_and_the_match_goes_on(lie: str) -> None:
    with hub(reconnect=1.0) as (one, port):
        hostile = Hostile(port)
        outcomes: list[Outcome] = []
        thread = threading.Thread(target=lambda: outcomes.append(lied(hostile, lie)))  # type: ignore[arg-type, func-returns-value]
        thread.start()
        outcome = play_one(match())
        thread.join(SECONDS)
        verdict, detail = blamed(outcome)
        assert verdict == "start_failed"
        assert "link lost" in detail or "exited with code 0" in detail
        while "why" not in (message := one.hear()) or not message["why"]:
            pass
        assert message["away"] == "ann"


def lied(hostile: Hostile, lie: str) -> None:
    session = hostile.until(b"o")
    with suppress(OSError):
        hostile.socket.sendall(LIES[lie](session))
    with suppress(EOFError, OSError):
        hostile.until(b"never")
    hostile.socket.close()


def test_an_exit_status_is_never_more_than_an_end() -> None:
    """A stop in place of an end, or the status by which a link says that it is lost."""
    for status, expected in (
        (b"-19", "was ended by SIGKILL"),
        (b"75", "exited with code 255"),
        (b"3221225477", "exited with code 255"),
    ):
        with hub() as (_, port):
            hostile = Hostile(port)

            def says(hostile: Hostile = hostile, status: bytes = status) -> None:
                hostile.socket.sendall(packed(b"x", hostile.until(b"o"), status))

            thread = threading.Thread(target=says)
            thread.start()
            verdict, detail = blamed(play_one(match()))
            thread.join(SECONDS)
            hostile.socket.close()
            assert (verdict, detail) == ("start_failed", f"crashed: {expected}")


# --- faulty bots behind an honest relay ---

FAULTS = {
    "exit": ("crashed", "^exited with code 3$"),
    "segv": ("crashed", "^was ended by SIGSEGV$"),
    "raise": ("crashed", "^exited with code 1$"),
    "silent": ("timeout", "^no answer came"),
    "stop": ("timeout", "^no answer came"),
    "print": ("protocol", "thinking hard"),
    "illegal": ("illegal", ""),
    "half": ("timeout", sentence("arbiter", "bytes-frame-came-no", partial="^3")),
    "flood": ("protocol", "a frame of 0 bytes"),
    "answers": ("flooded", "more than 16 acts"),
    "notes": ("timeout|ok", ""),
    "close": ("crashed", "^" + sentence("arbiter", "closed-output-lives") + "$"),
    "deaf": ("crashed|timeout", "^closed its input$|^no answer came"),
    "daemon": ("crashed", "^exited with code 0$"),
    "start-exit": ("start_failed", "crashed: exited with code 1"),
    "start-text": ("start_failed", "Hello"),
    "last-notes": ("ok", ""),
}


@pytest.mark.parametrize("how", FAULTS)
def test_a_faulty_bot_behind_a_relay_is_blamed_as_beside_it(script: Path, how: str) -> None:
    verdict, detail = FAULTS[how]
    with hub() as (one, port), relay(script, port, FAULTY, how, "0" if how == "last-notes" else "2") as process:
        until_here(one)
        began = time.monotonic()
        found = blamed(play_one(match(startup_ms=2_000, turn_ms=1_000, bank_ms=0)))
        assert time.monotonic() - began < SECONDS
        assert re.fullmatch(verdict, found[0]), found
        assert re.search(detail, found[1]), found
        assert until(lambda: not bots_of(process)), bots_of(process)


def test_a_bot_that_cannot_be_started_says_so(script: Path, tmp_path: Path) -> None:
    bot = tmp_path / "bot"
    bot.write_text("#!/nowhere/python\n")
    bot.chmod(0o755)
    with hub() as (one, port):
        words = [sys.executable, "-I", str(script), "--token", str(script.with_name("token"))]
        with subprocess.Popen(
            [*words, f"127.0.0.1:{port}", "ann", "--", str(bot)], stderr=subprocess.DEVNULL, env=OURS
        ) as process:
            until_here(one)
            outcome = play_one(match())
            assert blamed(outcome) == ("start_failed", "crashed: exited with code 127")
            assert f"{bot}: No such file" in outcome.seats[1].ending.notes
            process.terminate()


def test_a_relay_that_is_told_to_end_says_so_in_a_line(script: Path) -> None:
    with hub() as (one, port), relay(script, port, *HONEST) as process:
        until_here(one)
        process.terminate()
        code, said = ended(process)
    assert code == 143
    assert said.splitlines()[-1] == "relay: " + sentence("seats", "ended-signal")


TWICE = """
import os, signal, sys
from khiva_arena.extensions.seats import relay; from khiva_arena.extensions.seats import relay_talk
end = relay_talk.Relay._end_all
def again(self):
    os.kill(os.getpid(), signal.SIGTERM)
    end(self)
relay_talk.Relay._end_all = again
if {at_the_end}:
    def over(self, seconds):
        raise relay_talk.Ended(0, "the run is over")
else:
    def over(self, seconds):
        os.kill(os.getpid(), signal.SIGTERM)
relay_talk.Relay._wait = over
sys.exit(relay.main(sys.argv[1:]))
"""
"""A relay that is told to end while it ends, and the first time before that or not."""


@pytest.mark.parametrize("at_the_end", [False, True])
def test_a_relay_that_is_told_to_end_while_it_ends_says_so_in_a_line(script: Path, at_the_end: bool) -> None:
    words = ["--token", str(script.with_name("token")), f"127.0.0.1:{free_port()}", "ann", "--", sys.executable, *HONEST]
    command = [sys.executable, "-c", TWICE.format(at_the_end=at_the_end), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, env=OURS, cwd=ROOT, check=False)
    assert done.returncode == 143
    assert "Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1] == "relay: " + sentence("seats", "ended-signal")


# --- a process that is kept ---


def test_a_kept_process_plays_one_match_after_another(script: Path, tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    kit = ROOT / "bots" / "python" / "kit"
    bot.write_text(
        f"import sys, os; sys.path.insert(0, {str(kit)!r})\n"
        "from khiva_kit import note, play\n"
        "note('STARTED', os.getpid())\n"
        "played = []\n"
        "def choose(decide, match):\n"
        "    if match['seat'] not in played or decide['req'] == 1: played.append(match['seat'])\n"
        "    return 0\n"
        "play('kept', choose)\n"
    )
    with hub(kept=True) as (one, port), relay(script, port, str(bot), options=("--keep",)) as process:
        assert until_here(one)["kept"]
        pids = set()
        for number in range(5):
            assert blamed(play_one(match(number, turn_ms=5_000))) == ("ok", "")
            pids |= {frozenset(bots_of(process))}
        assert len(pids) == 1
        # a match that does not end by itself takes the process with it, and another one is there
        assert blamed(play_one(match(9, other=(FAULTY, "exit", "1"), turn_ms=5_000)), 0)[0] == "crashed"
        assert blamed(play_one(match(6, turn_ms=5_000))) == ("ok", "")


# --- the commands ---


def test_an_arena_that_is_killed_takes_the_bot_behind_a_relay_along(tmp_path: Path) -> None:
    environment = os.environ | {"XDG_CONFIG_HOME": str(tmp_path)}
    port = free_port()
    words = [sys.executable, "-m", "khiva_arena"]
    seats = ["--bot", "remote:ann", "--bot", f"{sys.executable} {FAULTY} silent", "--seats", "2", "--turn", "60s", "--trust-bots"]
    run = subprocess.Popen(
        [*words, "run", *seats, "--listen", f"127.0.0.1:{port}", "--isolation", "trusted", "--out", str(tmp_path / "out")],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert run.stderr
    said = ""
    while "waiting for ann" not in said:
        said = run.stderr.readline()
        assert said
    assert f"khiva-arena relay 127.0.0.1:{port} ann --token {tmp_path}/khiva-arena/tokens/ann -- COMMAND" in said
    assert (tmp_path / "khiva-arena" / "tokens" / "ann").stat().st_mode & 0o777 == 0o600
    relay_words = [*words, "relay", f"127.0.0.1:{port}", "ann", "--", sys.executable, *HONEST]
    with subprocess.Popen(relay_words, env=environment, stderr=subprocess.DEVNULL) as process:
        while "run digest" not in said and "commitment" not in said:
            said = run.stderr.readline()
            assert said
        bots = until(lambda: bots_of(process))
        assert bots
        time.sleep(0.5)
        ours = descendants(run.pid)
        run.kill()
        assert until_gone(bots)
        assert until_gone(ours)
        assert process.poll() is None  # it waits for the arena to come back
        process.send_signal(signal.SIGINT)
        assert process.wait(SECONDS) == 130
    run.stderr.close()
    run.wait()


def test_a_run_of_a_relay_is_marked_and_needs_no_more_than_the_two_commands(tmp_path: Path) -> None:
    environment = {"XDG_CONFIG_HOME": str(tmp_path)}
    port = free_port()
    other = f"{sys.executable} {FAULTY} honest 0"
    tokens = tmp_path / "khiva-arena" / "tokens"
    tokens.mkdir(parents=True)
    (tokens / "ann").write_text(TOKEN)
    (tokens / "ann").chmod(0o600)
    words = [sys.executable, "-m", "khiva_arena", "relay", f"127.0.0.1:{port}", "ann", "--", sys.executable, *HONEST]
    with subprocess.Popen(words, env=OURS | environment, stderr=subprocess.PIPE, text=True) as process:
        seats = ["--bot", "remote:ann", "--bot", other, "--seats", "2", "--seeds", "2", "--isolation", "trusted", "--jobs", "2"]
        done = arena("run", *seats, "--listen", f"127.0.0.1:{port}", "--out", "out", cwd=tmp_path, env=environment)
        assert process.wait(SECONDS) == 0
        assert process.stderr
        assert process.stderr.read().endswith("relay: " + sentence("seats", "run-over") + "\n")
    assert re.search(r"^ann is connected: round trip [0-9.]+ ms", done.stderr, re.MULTILINE)
    assert re.search(r"^ann: round trip [0-9.]+ ms", done.stderr, re.MULTILINE)
    assert "remote" in done.stdout
    arena("verify", "out", cwd=tmp_path)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--listen", "0.0.0.0:7421"], "--tls-cert FILE and --tls-key FILE, or stay at 127.0.0.1"),
        (["--listen", "here"], "is not an address; write HOST:PORT, as 127.0.0.1:7421"),
        (["--tls-cert", "x"], "--tls-cert and --tls-key: give both or neither"),
        (["--kept", "bob"], "--kept bob: there is no --bot remote:bob"),
        (["--network", "ann"], "plays on another machine; give its network and variables to its relay there"),
        (["--bot", "person"], sentence("entrants", "person-plays-khiva-arena")),
    ],
)
def test_what_cannot_be_is_said_in_one_line(words: list[str], said: str, tmp_path: Path) -> None:
    seats = ["--bot", "remote:ann", "--bot", "shipped:python/random", "--seats", "2", "--isolation", "trusted"]
    done = arena("run", *seats, *words, cwd=tmp_path, code=None, env={"XDG_CONFIG_HOME": str(tmp_path)})
    assert done.returncode == 2
    assert said in done.stderr


def test_tls_with_a_certificate_of_ones_own(script: Path, tmp_path: Path) -> None:
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=arena"]
    made += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "arena.key", "-out", "arena.pem"]
    subprocess.run(made, cwd=tmp_path, check=True, capture_output=True)
    files = [str(tmp_path / "arena.pem"), str(tmp_path / "arena.key")]
    with hub(tls=files) as (one, port):
        with relay(script, port, *HONEST, options=("--ca", files[0])):
            until_here(one)
            assert blamed(play_one(match())) == ("ok", "")
        with relay(script, port, *HONEST, options=("--tls",)) as process:
            assert process.stderr
            assert "its certificate is not trusted" in process.stderr.readline()
