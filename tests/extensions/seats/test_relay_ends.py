"""How relays end: with bots that fail, with lies, with signals, with arenas that are
killed.
"""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest
from arena import ROOT, arena, descendants, until_gone
from relaying import (
    FAULTY,
    HONEST,
    OURS,
    SECONDS,
    TOKEN,
    blamed,
    bots_of,
    ended,
    free_port,
    hub,
    match,
    relay,
    until_here,
)
from waiting import until
from wording import sentence

from khiva_arena.arbiter.match import Outcome
from khiva_arena.arbiter.pool import play_one
from khiva_arena.extensions.seats.relay_protocol import MOST, WINDOW, packed, packed_json, proof

pytestmark = pytest.mark.soak


class Hostile:
    """A relay that does as it likes."""

    def __init__(self, port: int, kept: bool = False) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), SECONDS)
        nonce = json.loads(self.frame()[2])["nonce"]
        said = proof(TOKEN, "relay", "ann", nonce, "mine")
        hello = {
            "relay": 1,
            "name": "ann",
            "life": "evil",
            "run": "",
            "got": 0,
            "kept": kept,
            "nonce": "mine",
            "proof": said,
        }
        self.socket.sendall(packed_json(b"H", **hello))
        assert self.frame()[0] == b"W"

    def frame(self) -> tuple[bytes, int, bytes]:
        head = self._exactly(9)
        return (
            head[:1],
            int.from_bytes(head[1:5], "big"),
            self._exactly(int.from_bytes(head[5:], "big")),
        )

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
    with (
        hub() as (one, port),
        relay(script, port, FAULTY, how, "0" if how == "last-notes" else "2") as process,
    ):
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
            [*words, f"127.0.0.1:{port}", "ann", "--", str(bot)],
            stderr=subprocess.DEVNULL,
            env=OURS,
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
def test_a_relay_that_is_told_to_end_while_it_ends_says_so_in_a_line(
    script: Path, at_the_end: bool
) -> None:
    words = [
        "--token",
        str(script.with_name("token")),
        f"127.0.0.1:{free_port()}",
        "ann",
        "--",
        sys.executable,
        *HONEST,
    ]
    command = [sys.executable, "-c", TWICE.format(at_the_end=at_the_end), *words]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=SECONDS, env=OURS, cwd=ROOT, check=False
    )
    assert done.returncode == 143
    assert "Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1] == "relay: " + sentence("seats", "ended-signal")


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
    with (
        hub(kept=True) as (one, port),
        relay(script, port, str(bot), options=("--keep",)) as process,
    ):
        assert until_here(one)["kept"]
        pids = set()
        for number in range(5):
            assert blamed(play_one(match(number, turn_ms=5_000))) == ("ok", "")
            pids |= {frozenset(bots_of(process))}
        assert len(pids) == 1
        # a match that does not end by itself takes the process with it, and another one
        # is there
        assert (
            blamed(play_one(match(9, other=(FAULTY, "exit", "1"), turn_ms=5_000)), 0)[0]
            == "crashed"
        )
        assert blamed(play_one(match(6, turn_ms=5_000))) == ("ok", "")


def test_an_arena_that_is_killed_takes_the_bot_behind_a_relay_along(tmp_path: Path) -> None:
    environment = os.environ | {"XDG_CONFIG_HOME": str(tmp_path)}
    port = free_port()
    words = [sys.executable, "-m", "khiva_arena"]
    seats = [
        "--bot",
        "remote:ann",
        "--bot",
        f"{sys.executable} {FAULTY} silent",
        "--seats",
        "2",
        "--turn",
        "60s",
        "--trust-bots",
    ]
    run = subprocess.Popen(
        [
            *words,
            "run",
            *seats,
            "--listen",
            f"127.0.0.1:{port}",
            "--isolation",
            "trusted",
            "--out",
            str(tmp_path / "out"),
        ],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert run.stderr
    said = ""
    while "waiting for ann" not in said:
        said = run.stderr.readline()
        assert said
    assert (
        f"khiva-arena relay 127.0.0.1:{port} ann --token {tmp_path}/khiva-arena/tokens/ann "
        "-- COMMAND" in said
    )
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
    words = [
        sys.executable,
        "-m",
        "khiva_arena",
        "relay",
        f"127.0.0.1:{port}",
        "ann",
        "--",
        sys.executable,
        *HONEST,
    ]
    with subprocess.Popen(
        words, env=OURS | environment, stderr=subprocess.PIPE, text=True
    ) as process:
        seats = [
            "--bot",
            "remote:ann",
            "--bot",
            other,
            "--seats",
            "2",
            "--seeds",
            "2",
            "--isolation",
            "trusted",
            "--jobs",
            "2",
        ]
        done = arena(
            "run",
            *seats,
            "--listen",
            f"127.0.0.1:{port}",
            "--out",
            "out",
            cwd=tmp_path,
            env=environment,
        )
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
        (
            ["--network", "ann"],
            "plays on another machine; give its network and variables to its relay there",
        ),
        (["--bot", "person"], sentence("entrants", "person-plays-khiva-arena")),
    ],
)
def test_what_cannot_be_is_said_in_one_line(words: list[str], said: str, tmp_path: Path) -> None:
    seats = [
        "--bot",
        "remote:ann",
        "--bot",
        "shipped:python/random",
        "--seats",
        "2",
        "--isolation",
        "trusted",
    ]
    done = arena(
        "run", *seats, *words, cwd=tmp_path, code=None, env={"XDG_CONFIG_HOME": str(tmp_path)}
    )
    assert done.returncode == 2
    assert said in done.stderr


def test_tls_with_a_certificate_of_ones_own(script: Path, tmp_path: Path) -> None:
    made = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "30",
        "-subj",
        "/CN=arena",
    ]
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
