"""``khiva-arena play --mcp``: the seat of an agent."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing
from arena import C, arena, bots, descendants, file_of, living, until_gone
from forked_command import started
from scripted_person import play as play_pages
from seat_client import Seat, addresses
from terminal import Terminal
from wording import sentence

from khiva_arena.arbiter.person import FrameCutter, Person
from khiva_arena.common import hooks
from khiva_arena.extensions.seats.mcp_chair import (
    MOST_WAITING,
    WAITS_SECONDS,
    AgentChair,
    RefusedCall,
)
from khiva_arena.games.registry import get
from khiva_arena.records.replay.record import Record

WORDS = [*bots("person", C), "--seed", "demo", "--isolation", "trusted"]
SOON = 40
"""Seconds that are fewer than those after which a match that the machine has spoilt is
tried for the last time.
"""
BIG = 100 << 20
MOST_KB = 200_000
"""The hub with all that the package brings takes less than half of it, and much less
than the longest line.
"""

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "game",
    [
        "khiva",
        pytest.param("emira", marks=pytest.mark.soak),
        pytest.param("silk_road", marks=pytest.mark.soak),
    ],
)
def test_the_packages_own_client_plays_to_the_end_and_the_record_is_that_of_a_page(
    tmp_path: Path, game: str
) -> None:
    from agent_client import play  # not above: the package takes a second

    other = {"khiva": C}.get(game, "shipped:python/random")
    words = [
        *bots("person", other, other),
        "--game",
        game,
        "--seed",
        "demo",
        "--isolation",
        "trusted",
    ]
    played = play(tmp_path, *words)
    assert played.tools == ["view", "legal", "act", "rules"]
    assert len(played.views) > 10
    text, view = played.views[0].rsplit("\n", 1)
    assert "Choose " in text or "?" in text
    assert json.loads(view)["seat"] == 0
    assert get(game).title in played.rules
    assert sentence("seats", "match-over") in played.views[-1]
    assert "points by source" in played.views[-1]
    assert (
        sentence("play", "every-choice-replays-digest") in played.errors
    )  # for people, who do not see the protocol
    assert played.digest == of_page(tmp_path, words)


def of_page(folder: Path, words: list[str]) -> str:
    """Return the digest of the match of the same choices at a page."""
    process = started("play", "--no-open", "--no-hints", "--json", *words, cwd=folder)
    pages = [Seat(address) for address in addresses(process)]
    play_pages(pages)
    pages[0].close()
    out, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    return Record.from_json(out.rstrip("\n")).digest


@pytest.mark.parametrize("how", ["leaves", "reads no more", "SIGINT", "SIGTERM"])
def test_a_client_that_goes_ends_the_match_and_every_process(tmp_path: Path, how: str) -> None:
    from agent_client import Wire

    client = Wire(tmp_path, *WORDS)
    client.call("view")
    processes = descendants(client.process.pid)
    assert len(processes) >= 3  # the hub, the link of the seat, the bot
    if how == "reads no more":
        assert client.process.stdout
        client.process.stdout.close()
        client.write(b"garbage")  # which has an answer
        assert client.process.wait(SOON) == 130
    elif how != "leaves":
        client.process.send_signal(getattr(signal, how))
    code, out, errors = client.end()
    assert (code, out) == (130, b"")
    assert errors.rstrip().endswith("khiva-arena: interrupted")
    assert "Traceback" not in errors
    assert until_gone(processes)


def test_a_client_that_calls_nothing_starts_no_match(tmp_path: Path) -> None:
    from agent_client import Wire

    client = Wire(tmp_path, *WORDS)
    assert "K1" in client.call("rules")
    assert len(living(descendants(client.process.pid))) == 1  # the hub
    code, _, errors = client.end()
    assert code == 0
    assert "the client left before it called a tool: no match was played" in errors


@pytest.mark.soak
def test_nothing_that_a_client_sends_breaks_the_seat_or_fills_the_memory(tmp_path: Path) -> None:
    from agent_client import Wire

    client = Wire(tmp_path, *WORDS)
    for line in (
        b"garbage",
        b"\xff\xfe",
        b"{}",
        b"[1]",
        b"null",
        b'{"jsonrpc":"2.0","id":{},"method":5}',
        b"[" * 500_000,
    ):
        client.write(b"\r\n" + line)
        assert client.read()["error"]["code"] == -32700
    client.write(b"a" * BIG)
    assert client.read()["error"]["code"] == -32700
    assert "error" in client.ask("tools/call", {"name": 5, "arguments": []})
    assert "error" in client.ask("no/such", {})
    assert client.call("no_tool").startswith("refused: There is no such tool.")
    client.call("view", more=["anything"])
    client.call("legal")
    for wrong in (0, -1, 10**30, 1.5, True, None, [1], "1"):
        assert client.call("act", choice=wrong).startswith("refused: "), wrong
    assert client.call("act", choice=1).startswith("You chose: ")
    assert client.call("act", choice=1).startswith(
        "refused: "
    )  # for the next decision, which was not seen
    hub = next(
        pid for pid in descendants(client.process.pid) if b"seats.hub" in file_of(pid, "cmdline")
    )
    peak = next(
        line for line in file_of(hub, "status").decode().splitlines() if line.startswith("VmHWM")
    )
    assert int(peak.split()[1]) < MOST_KB
    code, _, errors = client.end()
    assert code == 130
    assert "Traceback" not in errors


def test_a_dead_hub_ends_the_command_at_once(tmp_path: Path) -> None:
    from agent_client import Wire

    client = Wire(tmp_path, *WORDS)
    client.call("view")
    _ends_with_its_hub(client.process)
    page = started("play", "--no-open", "--no-hints", *WORDS, cwd=tmp_path)
    seat = Seat(addresses(page)[0])
    while not seat.next().get("ask"):
        pass
    _ends_with_its_hub(page)
    seat.close()


def _ends_with_its_hub(process: subprocess.Popen[Any]) -> None:
    """Kill the hub of a command, which must say so and end."""
    processes = descendants(process.pid)
    os.kill(
        next(pid for pid in processes if b"seats.hub" in file_of(pid, "cmdline")), signal.SIGKILL
    )
    assert process.wait(SOON) == 70
    assert until_gone(processes)
    assert "has ended, with status -9" in str(process.communicate()[1])


def test_an_agent_is_told_that_a_bot_does_not_start(tmp_path: Path) -> None:
    from agent_client import Wire

    client = Wire(tmp_path, *bots("person", "false"), "--isolation", "trusted")
    assert "start_failed" in client.call("view")
    assert client.call("act", choice=1).startswith("refused: The match is over")
    code, _, errors = client.end()
    assert code == 2
    assert "start_failed" in errors


def test_at_a_terminal_it_says_how_a_client_starts_it(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "person").mkdir()
    words = ["play", "--mcp", *bots("person", C), "--seed", "mine"]
    run = Terminal(
        [*words, "--bot", "mine", "--bot=mine", "--out", "new"],
        tmp_path,
        rows=50,
        columns=60,
        stdout=True,
    )
    assert run.end() == 0
    settings, _, said = run.shown.text.partition(
        "A client of the Model Context Protocol starts this command."
    )
    assert "paths of other files" in " ".join(said.split())
    server = json.loads(settings)["mcpServers"]["khiva-arena"]
    mine, new = str(tmp_path / "mine"), str(tmp_path / "new")
    end = [*words, "--bot", mine, f"--bot={mine}", "--out", new]
    assert server["args"][-len(end) :] == end
    started_so = [server["command"], *server["args"][: -len(end)], "--version"]
    assert (
        "khiva-arena"
        in subprocess.run(started_so, cwd="/", check=True, capture_output=True, text=True).stdout
    )


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_a_closed_stream_is_refused_in_words(tmp_path: Path, closed: str) -> None:
    line = f'exec "$0" -m khiva_arena play --mcp {closed}'
    done = subprocess.run(
        ["sh", "-c", line, sys.executable], cwd=tmp_path, input="", capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (2, "")
    said = "khiva-arena: error: --mcp: standard input, output and error must be open\n"
    assert done.stderr == ("" if closed == "2>&-" else said)


def test_what_does_not_go_with_it_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for more in ("--json", "--terminal"):
        assert (
            "--mcp goes with neither"
            in arena("play", "--mcp", more, *WORDS, cwd=tmp_path, code=2).stderr
        )
    two = bots("person:ann", "person:bob", C)
    assert (
        "--mcp: an agent takes one seat"
        in arena("play", "--mcp", *two, cwd=tmp_path, code=2).stderr
    )
    for missing in ("mcp", "mcp_types"):  # version 1 of the package brings only the first
        monkeypatch.setattr(hooks, "find_spec", lambda name, missing=missing: name != missing)
        done = arena("play", "--mcp", *WORDS, cwd=tmp_path, code=2)
        assert done.stderr.rstrip().endswith(
            sentence("hooks", "not-installed-pip-install", extra="mcp")
        )


class _Link:
    """The link of the chair, which keeps the frames that it was to send."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []

    async def send(self, data: bytes) -> bool:
        self.sent.append(data)
        return True


def _chair() -> tuple[AgentChair, _Link]:
    """A chair at a match of Khiva, whose hello has come."""
    chair, link = (
        AgentChair(Person("ann", 0, ["you", "bob"], [[], []]), "khiva", {"boost": "on"}),
        _Link(),
    )
    chair._link = link  # type: ignore[assignment]
    return chair, link


async def _take(chair: AgentChair, **message: Any) -> None:
    await chair.tell(chair.person.take(b"", message).messages)


async def _ask(chair: AgentChair, state: Any, req: int) -> None:
    decision = state.pending()[0]
    shown = {
        "kind": decision.kind,
        "view": json.loads(json.dumps(state.view(0))),
        "legal": json.loads(json.dumps(decision.legal)),
    }
    await _take(chair, type="decide", req=req, turn_ms=60_000, bank_ms=0, events=[], **shown)


def test_a_view_waits_for_the_question_and_no_longer_than_it_says() -> None:
    async def main() -> None:
        chair, link = _chair()
        game = get("khiva")
        hello = {"game": "khiva", "rules_version": game.rules_version, "rules": game.rules({})}
        await _take(chair, type="hello", **hello)
        assert (await chair.view())[0].startswith("It is not your turn")
        assert trio.current_time() == pytest.approx(WAITS_SECONDS)
        state, _ = game.new(2, game.rules({}), bytes(32))
        async with trio.open_nursery() as nursery:
            for _ in range(MOST_WAITING):
                nursery.start_soon(chair.view)
            await trio.testing.wait_all_tasks_blocked()
            with pytest.raises(RefusedCall, match="wait already"):
                await chair.view()
            with pytest.raises(RefusedCall, match="not your turn"):
                chair.legal()
            await _ask(chair, state, 1)
        assert trio.current_time() == pytest.approx(WAITS_SECONDS)  # the question woke them
        with pytest.raises(RefusedCall, match="not seen"):
            await chair.act(1)
        assert "You have 60 s." in (await chair.view())[0]
        listed = chair.legal().splitlines()
        assert (await chair.act(2)).startswith(f"You chose: {listed[2].removeprefix('2  ')}.")
        [act] = link.sent
        assert FrameCutter().feed(act[5:])[0][1] == {"type": "act", "req": 1, "choice": 1}
        await _ask(chair, state, 2)
        chair.legal()
        await _take(chair, type="fault", code="timeout", detail="", strikes=1)
        await _ask(chair, state, 3)
        with pytest.raises(
            RefusedCall, match="not seen"
        ):  # a number for the question whose time ran out
            await chair.act(1)
        assert "ran out" in (await chair.view())[0]
        await chair.over({"match": None, "text": "all of it", "since": []})
        assert await chair.view() == ["The match is over.\nall of it"]
        with pytest.raises(RefusedCall, match="over"):
            await chair.act(1)

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


def test_lines_are_cut_alike_wherever_the_pipe_cuts_them(monkeypatch: pytest.MonkeyPatch) -> None:
    from khiva_arena.extensions.seats import mcp_server

    monkeypatch.setattr(mcp_server, "LONGEST_LINE", 5)
    data, lines = b"one\n\nfives\nlonger\ntwo\n", [b"one", b"", b"fives", None, b"two"]
    for size in range(1, len(data) + 1):
        cutter = mcp_server.LineCutter()
        assert [
            line for at in range(0, len(data), size) for line in cutter.feed(data[at : at + size])
        ] == lines


def test_a_socket_that_the_client_closes_before_it_has_read_all_is_at_its_end() -> None:
    from khiva_arena.extensions.seats import mcp_server

    async def main() -> None:
        ours, theirs = socket.socketpair()
        ours.send(b"an answer")
        theirs.close()
        async with trio.lowlevel.FdStream(ours.detach()) as stream:
            assert await mcp_server._received(stream) == b""

    trio.run(main)
