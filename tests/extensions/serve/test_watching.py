"""``run --web`` and ``watch --web`` from outside: what is served, when it ends, and who
cannot hold it up.
"""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from arena import C_GREEDY, NAIVE, C, arena, bots, descendants, kill, until_gone
from arena import started as process_started
from flooding import flood, used
from forked_command import started
from in_targets import in_long
from sample_stream import begin
from waiting import until
from wording import sentence

from khiva_arena.common import hooks
from khiva_arena.common.stream import encoded
from khiva_arena.display.page import html
from khiva_arena.display.terminal.viewer import open_source
from khiva_arena.extensions.serve import served_page
from khiva_arena.extensions.serve.served_page import ServedPage
from khiva_arena.extensions.serve.serving import BACKLOG
from khiva_arena.extensions.serve.watching import LiveBoard

pytestmark = pytest.mark.slow

ENDLESS = (
    "run",
    *bots(C_GREEDY, C),
    "--seats",
    "2",
    "--seeds",
    "2000",
    "--trust-bots",
    "--out",
    "out",
    "--web",
)
SOON = 30.0
REFUSALS = 200


def address_of(process: subprocess.Popen[str]) -> str:
    """What the command prints before its first match."""
    assert process.stderr
    for line in process.stderr:
        if found := re.search(r"http://127\.0\.0\.1:\d+/[\w-]{32}/", line):
            return found[0]
    raise AssertionError("it printed no address")


@contextmanager
def playing(
    folder: Path, *words: str, start: Callable[..., subprocess.Popen[str]] = started
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    process = start(*(words or ENDLESS), cwd=folder)
    try:
        yield process, address_of(process)
    finally:
        if process.poll() is None:
            process.terminate()
        process.communicate(timeout=60)


@contextmanager
def connected(address: str, path: str = "") -> Iterator[http.client.HTTPResponse]:
    where = urlsplit(address)
    with closing(http.client.HTTPConnection(where.netloc, timeout=SOON)) as talk:
        talk.request("GET", where.path + path)
        with talk.getresponse() as response:
            yield response


def states(address: str) -> Generator[dict[str, Any], None, None]:
    """What a reader is sent, until it ends."""
    with connected(address, "events") as events:
        for line in events:
            if line.startswith(b"data: "):
                yield (state := json.loads(line[6:]))
                if state["closed"]:
                    return


def refused(address: str) -> bool:
    """Whether the port is closed, soon."""
    where = urlsplit(address)

    def refuses() -> bool:
        try:
            socket.create_connection((where.hostname or "", where.port or 0), timeout=5).close()
        except OSError:
            return True
        return False

    return until(refuses)


def cost_of_a_refusal(process: subprocess.Popen[str], address: str) -> float:
    """Return the processor time that the server takes to refuse a request without a
    token, as this machine is now.
    """
    netloc, before = urlsplit(address).netloc, used(process.pid).cpu
    for _ in range(REFUSALS):
        with connected(f"http://{netloc}/") as page:
            assert page.status == 403
    return (used(process.pid).cpu - before) / REFUSALS


@pytest.mark.soak
@pytest.mark.parametrize(
    "kind", ["reset", "storm", "busy", "silent", "half a head", "deaf", *in_long(["gone"])]
)
def test_another_user_of_the_machine_without_a_token_keeps_neither_owner_nor_server(
    tmp_path: Path, kind: str
) -> None:
    """The owner waits at most until all are refused who came before. On a busy host
    that may take any time on the clock, so it is the server's processor time, beside
    that of refusals when nobody else is there. The server is a process: a child of the
    tests takes twice as much, and twice the memory.
    """
    (tmp_path / "events.jsonl").write_text("")
    with playing(tmp_path, "watch", "events.jsonl", "--web", start=process_started) as (
        process,
        address,
    ):
        where = urlsplit(address)
        longest = 2 * BACKLOG * cost_of_a_refusal(process, address)
        before = used(process.pid)
        with flood(kind, "127.0.0.1", str(where.port)) as machine:
            machine.hear()
            for _ in range(3):
                begins = used(process.pid).cpu
                with connected(address) as page:
                    assert page.status == 200
                assert used(process.pid).cpu - begins <= longest
        assert until(lambda: used(process.pid).files <= before.files)
        after = used(process.pid)
        assert after.memory <= before.memory + 48
        with connected(address) as page:
            assert page.status == 200
        assert used(process.pid).cpu - after.cpu <= longest / 4


def test_marks_are_among_what_a_reader_is_sent(tmp_path: Path) -> None:
    stream = tmp_path / "events.jsonl"
    names = ["plain", "\x1b[2J", "c", "d", "e", "f"]
    stream.write_bytes(
        encoded(begin(bots=names, marks=[[], ["network"], [], ["remote", "kept"], [], []]))
    )
    source = open_source(stream)
    board = LiveBoard(source, ServedPage(None))
    assert board.data()["marks"] == ""
    board.look()
    assert board.data()["marks"] == "\\x1b[2J: network; d: remote, kept"
    source.close()


@pytest.mark.soak
def test_a_run_is_shown_as_it_goes_and_the_page_of_each_complete_seed(tmp_path: Path) -> None:
    words = (
        "run",
        *bots(NAIVE, C),
        "--seats",
        "2",
        "--seeds",
        "20",
        "--trust-bots",
        "--out",
        "out",
        "--web",
    )
    with playing(tmp_path, *words) as (process, address):
        with connected(address) as first:
            text = first.read().decode()
            assert text.startswith(html.BEGINNING.decode())
            assert "connect-src 'self'" in (first.headers["content-security-policy"] or "")
        seen = list(states(address))
        assert process.wait(timeout=60) == 0
    assert [state["recorded"] for state in seen] == sorted(state["recorded"] for state in seen)
    last = seen[-1]
    assert (last["recorded"], last["matches"], last["seeds"], last["how"], last["closed"]) == (
        40,
        40,
        20,
        "complete",
        True,
    )
    assert last["title"] == "round-robin, khiva at 2 seats"
    assert last["page"] >= 1
    assert refused(address)
    assert not any(path.name.endswith(".html") for path in tmp_path.iterdir())


def test_the_address_is_in_no_file_of_the_store_and_in_no_command_line(tmp_path: Path) -> None:
    with playing(tmp_path) as (process, address):
        token = urlsplit(address).path.strip("/").encode()
        for pid in {process.pid, *descendants(process.pid)}:
            try:
                assert token not in Path(f"/proc/{pid}/cmdline").read_bytes()
            except OSError:
                continue  # it has ended
        assert not any(
            token in path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()
        )


def test_it_ends_when_the_command_is_killed_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    process = started(*ENDLESS, cwd=tmp_path)
    address = address_of(process)
    assert list(tmp_path.glob("khiva-arena-web-*"))
    pids = descendants(process.pid)
    kill(process)
    process.communicate(timeout=60)
    assert refused(address)
    assert until_gone(pids)
    assert not list(tmp_path.glob("khiva-arena-web-*"))


@pytest.mark.soak
def test_readers_that_never_read_hold_up_neither_the_run_nor_its_end(tmp_path: Path) -> None:
    words = (
        "run",
        *bots(NAIVE, C),
        "--seats",
        "2",
        "--seeds",
        "20",
        "--trust-bots",
        "--out",
        "out",
        "--web",
    )
    with playing(tmp_path, *words) as (process, address):
        where = urlsplit(address)
        sockets = []
        for number in range(20):
            one = socket.create_connection((where.hostname or "", where.port or 0))
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
            path = where.path + ("events" if number % 2 else "")
            one.sendall(
                f"GET {path} HTTP/1.1\r\nHost: {where.netloc}\r\n\r\n".encode()
                * (1 if number % 2 else 20)
            )
            sockets.append(one)
        assert process.wait(timeout=60) == 0
        for one in sockets:
            one.close()
    assert refused(address)


@pytest.mark.soak
def test_a_server_that_stands_still_holds_up_neither(tmp_path: Path) -> None:
    words = (
        "run",
        *bots(NAIVE, C),
        "--seats",
        "2",
        "--seeds",
        "4",
        "--trust-bots",
        "--out",
        "out",
        "--web",
    )
    with playing(tmp_path, *words) as (process, address):
        (server,) = (
            pid
            for pid in descendants(process.pid)
            if b"extensions.serve.watching" in Path(f"/proc/{pid}/cmdline").read_bytes()
        )
        os.kill(server, signal.SIGSTOP)
        assert process.wait(timeout=60) == 0
    assert refused(address)


def test_an_interrupt_is_said_to_readers(tmp_path: Path) -> None:
    with playing(tmp_path) as (process, address):
        seen = states(address)
        next(state for state in seen if state["recorded"])
        process.send_signal(signal.SIGINT)
        last = list(seen)[-1]
        assert (last["how"], last["closed"]) == ("interrupted", True)
        process.communicate(timeout=60)
        assert process.returncode == 130


def test_an_event_that_is_over_is_not_served(tmp_path: Path) -> None:
    words = (
        "run",
        *bots(C_GREEDY, C),
        "--seats",
        "2",
        "--seeds",
        "1",
        "--trust-bots",
        "--out",
        "out",
    )
    arena(*words, cwd=tmp_path)
    done = arena(*words, "--web", cwd=tmp_path)
    assert (
        "--web: nothing is played, so nothing is served; `khiva-arena report` makes a page "
        "of what is recorded" in done.stderr
    )
    assert "http://" not in done.stderr


def test_watch_serves_what_another_run_writes_until_ctrl_c(tmp_path: Path) -> None:
    words = (
        "run",
        *bots(C_GREEDY, C),
        "--seats",
        "2",
        "--seeds",
        "2",
        "--trust-bots",
        "--out",
        "out",
    )
    arena(*words, "--events-file", "events.jsonl", "--report", "page.html", cwd=tmp_path)
    with playing(tmp_path, "watch", "events.jsonl", "--web", "--report", "page.html") as (
        process,
        address,
    ):
        with closing(states(address)) as seen:
            state = next(state for state in seen if state["page"] and state["how"])
        assert (state["recorded"], state["how"], state["closed"]) == (4, "complete", False)
        with connected(address) as page:
            assert 'id="data"' in page.read().decode()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        assert process.returncode == 0  # it was seen to its end
    assert refused(address)


def test_watch_without_a_page_says_so_in_the_page(tmp_path: Path) -> None:
    (tmp_path / "events.jsonl").write_text("")
    with playing(tmp_path, "watch", "events.jsonl", "--web") as (process, address):
        with connected(address) as page:
            assert (
                "Only the progress is shown. To see results, give `khiva-arena watch` the "
                "--report of the run." in page.read().decode()
            )
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        assert process.returncode == 130


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("--report", "page.html"),
            "--report needs --web; without it, open that page in a browser",
        ),
        (
            ("--web", "--report", "mine.txt"),
            "--report mine.txt: not a page of results of khiva-arena ",
        ),
    ],
)
def test_what_cannot_be_served_is_said(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / "events.jsonl").write_text("")
    assert said in arena("watch", "events.jsonl", *words, cwd=tmp_path, code=2).stderr


def test_a_file_that_is_no_stream_is_said(tmp_path: Path) -> None:
    (tmp_path / "events.jsonl").write_text("hello\n")
    done = arena("watch", "events.jsonl", "--web", cwd=tmp_path, code=2)
    assert "events.jsonl: " + sentence("watch", "not-stream-events") in done.stderr


@pytest.mark.parametrize(
    "words", [(*ENDLESS,), ("sprt", C_GREEDY, C, "--web"), ("watch", "events.jsonl", "--web")]
)
def test_without_the_extra_there_is_one_line_with_what_to_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setattr(hooks, "find_spec", lambda _: None)
    (tmp_path / "events.jsonl").write_text("")
    done = arena(*words, cwd=tmp_path, code=2)
    assert done.stderr.splitlines()[-1].endswith(
        sentence("hooks", "not-installed-pip-install", extra="web")
    )
    assert not (tmp_path / "out").exists()


def test_a_file_of_somebody_else_is_never_served(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    shown = served_page.ServedPage(page)
    begins, policy = (
        html.BEGINNING.decode(),
        '<meta http-equiv="Content-Security-Policy" content="{}">',
    )
    loose = (
        begins
        + '0.2.0">\n'
        + policy.format("default-src *; script-src 'unsafe-inline'")
        + "<script>alert(1)</script>"
    )
    other = loose.replace(
        "default-src *; script-src 'unsafe-inline'", html.policy("alert(1)", html.page_style())
    )
    for text in (
        b"mine",
        b"\xff\xff",
        b"",
        loose.encode(),
        other.encode(),
        f"{begins}{policy.format('')}".encode(),
    ):
        page.write_bytes(text)
        assert not shown.look()
        assert shown.number == 0
        page.unlink()
