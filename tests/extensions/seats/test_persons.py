"""``khiva-arena play``: what a person's seat is told, sends and survives, without a
browser.
"""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from arena import NAME_OF_C, C, arena, arena_process, bots
from forked_command import started
from seat_client import Refused, Seat, addresses
from stores import bytes_in
from stores import games as games
from waiting import until
from wording import sentence

from khiva_arena.competition.events.find import match_of
from khiva_arena.games.base import Event, State
from khiva_arena.records.replay.record import Choice, Record
from khiva_arena.records.replay.seeds import run_secret, seed_secret
from khiva_arena.records.replay.verify import verify
from khiva_arena.records.store.db import Store

TWO = [*bots("person:ann", C, "person:bob"), "--seed", "demo", "--isolation", "trusted"]
ONE = [*bots("person", C), "--seed", "demo", "--isolation", "trusted"]

pytestmark = pytest.mark.slow


@contextmanager
def playing(*words: str, cwd: Path) -> Iterator["subprocess.Popen[str]"]:
    process = started("play", "--no-open", *words, cwd=cwd)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)


def closed(address: str) -> bool:
    """Whether nobody listens there any more."""
    with socket.socket() as probe:
        return probe.connect_ex((urlsplit(address).hostname, urlsplit(address).port)) != 0


@pytest.mark.soak
@pytest.mark.parametrize("game", ["khiva", "emira", "silk_road"])
def test_two_people_never_receive_what_is_not_theirs(game: str, tmp_path: Path) -> None:
    """What each page was sent before the end is exactly the view of its seat, and
    events that this seat may see.
    """
    third = {"khiva": C, "emira": "shipped:python/random", "silk_road": "shipped:python/random"}[
        game
    ]
    words = [
        *bots("person:ann", third, "person:bob"),
        "--game",
        game,
        "--seed",
        "demo",
        "--isolation",
        "trusted",
        "--json",
    ]
    with playing(*words, cwd=tmp_path) as process:
        pages = [Seat(address) for address in addresses(process, 2)]
        ends = _played(pages)
        assert process.stdout
        record = Record.from_json(process.stdout.readline().rstrip("\n"))
        for page in pages:
            page.close()
        assert process.wait(20) == 0
    assert [end["over"]["match"]["scores"] for end in ends] == [list(record.scores)] * 2
    seen = _what_each_seat_saw(record, seed_secret(run_secret("demo"), 0))
    for seat, page in ((0, pages[0]), (2, pages[1])):
        messages = [json.loads(text) for text in page.captured]
        assert messages[0]["marks"] == [["person"], [], ["person"]]
        frames = [frame for one in messages if one["type"] == "table" for frame in one["frames"]]
        frames += [one["frame"] for one in messages if one["type"] == "ask"]
        assert len(frames) > 10
        for frame in frames:
            at = seen[seat].views.index(frame["all"])
            assert frame["scores"] == (
                [] if game == "emira" else seen[seat].scores[at]
            )  # Emira's hang on secret goals
            assert [own for other, own in enumerate(frame["own"]) if other != seat] == [None, None]
            assert all(event["data"] in seen[seat].events for event in frame["events"])
        before_the_end = "".join(
            text for text in page.captured if json.loads(text)["type"] != "over"
        )
        assert '"block":' not in before_the_end


class _Seen:
    def __init__(self) -> None:
        self.views: list[dict[str, Any]] = []
        self.events: list[dict[str, Any]] = []
        self.scores: list[list[int]] = []


def _what_each_seat_saw(record: Record, secret: bytes) -> list[_Seen]:
    seen = [_Seen() for _ in record.header.seats]

    def watch(_step: int, state: State, events: Sequence[Event]) -> None:
        for seat, one in enumerate(seen):
            one.views.append(json.loads(json.dumps(state.view(seat))))
            one.scores.append(list(state.scores))
            one.events += [
                json.loads(json.dumps(event.data))
                for event in events
                if event.to is None or seat in event.to
            ]

    verify(record, secret, watch)
    return seen


def _played(pages: Sequence[Seat]) -> list[dict[str, Any]]:
    """Both at one table: whoever is asked chooses, until both know that it is over."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(len(pages)) as pool:
        return list(pool.map(Seat.play, pages))


def test_a_match_with_a_person_prints_its_end_and_is_verified(tmp_path: Path) -> None:
    with playing(*ONE, cwd=tmp_path) as process:
        page = Seat(addresses(process)[0])
        page.play()
        page.close()
        out, err = process.communicate(timeout=20)
    assert process.returncode == 0
    assert sorted(line.split(". ")[1].split("  ")[0] for line in out.splitlines()[:2]) == sorted(
        [NAME_OF_C, "you"]
    )
    assert sentence("play", "every-choice-replays-digest") + " " in out
    assert "the replay is in the page, all hands open, until you close it or press Ctrl-C" in err
    assert list(tmp_path.iterdir()) == []


def test_a_seat_of_a_stored_match_is_taken_over(games: Path) -> None:
    """The others do in that step as they did; the choice counts from then on, and
    nothing is stored.
    """
    with Store.read(games / "out") as opened:
        then = match_of(opened, "1/0").row.parsed()
    before = bytes_in(games / "out")
    step = len(then.steps) - 4
    seat = then.steps[step - 1][0].seat
    place = ["--from", "out", "1/0", "--step", str(step), "--seat", str(seat)]
    with playing(*place, "--no-hints", "--turn", "60s", "--json", cwd=games) as process:
        page = Seat(addresses(process)[0])
        first = page.until("ask") if (table := page.until("table"))["ask"] is None else table
        assert first["ask"]["turn_ms"] == 60_000
        page.say({"type": "choose", "req": first["ask"]["req"], "choice": 1})
        while (message := page.until("ask", "over"))["type"] == "ask":
            page.say({"type": "choose", "req": message["ask"]["req"], "choice": 0})
        assert process.stdout
        now = Record.from_json(process.stdout.readline().rstrip("\n"))
        page.close()
        assert process.wait(20) == 0
    assert now.steps[: step - 1] == then.steps[: step - 1]
    assert now.steps[step - 1] == (Choice(seat, 1), *then.steps[step - 1][1:])
    assert bytes_in(games / "out") == before


def test_a_page_that_is_loaded_again_is_told_everything_and_a_second_one_that_the_seat_is_taken(
    tmp_path: Path,
) -> None:
    with playing(*ONE, "--no-hints", cwd=tmp_path) as process:
        address = addresses(process)[0]
        page = Seat(address)
        first = page.until("table", "ask")
        assert first.get("hints", False) is False
        ask = first["ask"] or page.until("ask")["ask"]
        page.say({"type": "choose", "req": ask["req"], "choice": 0})
        second = page.until("ask")
        page.close()
        again = _opened(address)
        table = again.until("table")
        assert table["hints"] is False
        assert table["ask"].pop("age_ms") < 60_000
        assert table["ask"] == second["ask"]
        assert table["frames"][-1] == second["frame"]
        assert len(table["frames"]) == 2
        assert table["over"] is None
        other = Seat(address)
        assert other.next() == {
            "type": "refused",
            "text": sentence("seats", "seat-open-another-page-2"),
        }
        with pytest.raises(EOFError):
            other.next()
        other.close()
        again.say({"type": "choose", "req": second["ask"]["req"], "choice": 0})  # the match goes on
        assert again.until("chosen", "said")["type"] == "chosen"
        again.close()


def _opened(address: str) -> Seat:
    """The page that was there before may still be leaving."""
    while True:
        seat = Seat(address)
        message = seat.next()
        if message["type"] == "table":
            seat._held.insert(0, json.dumps(message))
            return seat
        seat.close()


NOT_SENT: list[tuple[str | dict[str, object], str]] = [
    ("{", sentence("seats", "page-sent-something-no")),
    ('["choose"]', sentence("seats", "page-sent-something-no")),
    (
        {"type": "choose", "req": "R", "choice": 99_999},
        sentence("seats", "no-choice-2", choice="99999") + " ",
    ),
    ({"type": "choose", "req": "R", "choice": -1}, sentence("seats", "no-choice-2", choice="-1")),
    (
        {"type": "choose", "req": "R", "choice": True},
        sentence("seats", "no-choice-2", choice="True"),
    ),
    ({"type": "choose", "req": "R", "choice": "0"}, sentence("seats", "no-choice-2", choice="'0'")),
    ({"type": "choose", "req": "R"}, sentence("seats", "no-choice-2", choice="None")),
]


def test_what_a_page_may_not_send_is_answered_in_a_sentence(tmp_path: Path) -> None:
    """One at a decision."""
    with playing(*ONE, "--turn", "60s", cwd=tmp_path) as process:
        page = Seat(addresses(process)[0])
        ask = page.until("table")["ask"]
        for said, answer in NOT_SENT:
            ask = ask or page.until("ask")["ask"]
            page.say(said if isinstance(said, str) else {**said, "req": ask["req"]})
            assert page.until("said")["text"].startswith(answer), said
            page.say(
                {"type": "choose", "req": ask["req"] - 1, "choice": 0}
            )  # of a decision that is over: nothing happens
            page.say({"type": "choose", "req": ask["req"], "choice": 0})
            assert page.until("chosen", "said")["type"] == "chosen", said
            ask = None
        page.close()


def test_a_person_who_is_late_plays_the_first_choice_and_then_forfeits(tmp_path: Path) -> None:
    with playing(*ONE, "--turn", "1s", "--bank", "0s", cwd=tmp_path) as process:
        page = Seat(addresses(process)[0])
        said = []
        while (message := page.until("said", "over"))[
            "type"
        ] == "said":  # a page that opens late misses the first of them
            said.append(message["text"])
        page.close()
        assert set(said[:-1]) == {
            "Your time for this decision ran out: the first choice was played for you."
        }
        assert (
            said[-1] == "You are not asked any more: your time ran out, or the match was stopped."
        )
        assert len(said) <= 3
        assert message["over"]["match"]["verdicts"][0] == "timeout"
        assert process.wait(20) == 0


def test_who_closes_the_page_in_the_middle_forfeits_by_the_clock(tmp_path: Path) -> None:
    with playing(*ONE, "--turn", "2s", "--bank", "0s", cwd=tmp_path) as process:
        page = Seat(addresses(process)[0])
        for _ in range(2):
            ask = page.until("table", "ask")
            req = (ask.get("ask") or page.until("ask")["ask"])["req"]
            page.say({"type": "choose", "req": req, "choice": 0})
            page.until("chosen")
        page.close()
        out, _ = process.communicate(timeout=60)
    assert "timeout" in next(line for line in out.splitlines() if "you" in line)
    assert "every choice replays" in out


def test_a_hint_is_what_the_bot_would_play_from_this_seat_alone(tmp_path: Path) -> None:
    with playing(*ONE, cwd=tmp_path) as process:
        page = Seat(addresses(process)[0])
        ask = None
        while ask is None:  # a page that was there before the match began is told the table again
            message = page.until("table", "ask")
            assert message.get("hints", True) is True
            ask = message["ask"]
        for _ in range(3):
            page.say({"type": "hint"} | {"req": ask["req"]})
            hint = page.until("hint")
            assert hint["by"] == "search"
            assert 0 <= hint["choice"] < len(ask["legal"])
            page.say({"type": "choose", "req": ask["req"], "choice": hint["choice"]})
            ask = page.until("ask")["ask"]
        page.close()


def test_wrong_addresses_and_other_origins_are_refused(tmp_path: Path) -> None:
    with playing(*TWO, cwd=tmp_path) as process:
        ann, bob = addresses(process, 2)
        assert ann.split("/")[:4] == bob.split("/")[:4]
        assert ann.split("/")[4] != bob.split("/")[4]
        for wrong in (ann[:-2] + "/", ann.replace(ann.split("/")[3], "a" * 32)):
            with pytest.raises(Refused, match=r"403|404"):
                Seat(wrong)
        with pytest.raises(Refused, match="403"):
            Seat(ann, origin="http://evil.example")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_the_port_closes_when_the_command_ends(tmp_path: Path, number: signal.Signals) -> None:
    process = started("play", "--no-open", *ONE, cwd=tmp_path)
    address = addresses(process)[0]
    page = Seat(address)
    page.until("table")
    process.send_signal(number)
    with pytest.raises(EOFError):
        page.until("nothing more")
    process.communicate(timeout=30)
    assert process.returncode == (130 if number == signal.SIGINT else -signal.SIGKILL)
    assert until(lambda: closed(address))  # the hub is no child of ours that could be waited for
    page.close()


def test_a_command_that_is_killed_leaves_no_folder_of_its_hub(tmp_path: Path) -> None:
    words = (sys.executable, "-m", "khiva_arena", "play", "--no-open", *ONE)
    env = os.environ | {"TMPDIR": str(tmp_path)}
    pipe = subprocess.PIPE
    with subprocess.Popen(words, cwd=tmp_path, stdout=pipe, stderr=pipe, text=True, env=env) as one:
        addresses(one)
        [folder] = tmp_path.glob("khiva-arena-hub-*")
        one.kill()
    assert until(lambda: not folder.exists())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["play", *bots("person", "person:person", C)],
            "two persons have one name; give each another, as --bot person:ann",
        ),
        (["play", *bots("person:a b", C)], sentence("entrants", "name-up-letters-digits")),
        (["play", *bots("remote:a b", C)], sentence("entrants", "name-up-letters-digits")),
        (
            ["run", *bots("person", C), "--seats", "2", "--out", "o"],
            sentence("entrants", "person-plays-khiva-arena"),
        ),
        (["match", *bots("person", C)], sentence("entrants", "person-plays-khiva-arena")),
    ],
)
def test_where_no_person_can_sit(tmp_path: Path, words: list[str], said: str) -> None:
    assert said in arena(*words, cwd=tmp_path, code=2).stderr
    assert list(tmp_path.iterdir()) == []


def test_a_port_that_is_taken_is_said_in_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        said = arena("play", "--no-open", *ONE, "--port", port, cwd=tmp_path, code=2).stderr
    assert said.splitlines()[-1].startswith(f"khiva-arena: error: --port {port}: ")
    assert "Traceback" not in said


def test_without_a_screen_no_browser_takes_the_terminal(tmp_path: Path) -> None:
    """And nobody, at no page, is late like anybody."""
    bare = {"DISPLAY": "", "WAYLAND_DISPLAY": "", "BROWSER": "false"}
    done = arena_process("play", *ONE, "--turn", "50ms", "--bank", "0s", cwd=tmp_path, env=bare)
    assert (
        "there is no screen here to open a browser on: open the address yourself, or play "
        "with --terminal" in done.stderr
    )
    assert "you  " in done.stdout
    assert "timeout" in done.stdout


def asked_for(address: str, by: str = "") -> str:
    """What a request of another process is answered: the status, and where it
    leads. ``by``: what that process does first.
    """
    parts = urlsplit(address)
    head = f"GET {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n"
    words = (
        f"import os, socket\n{by}\nask = socket.socket()\nask.connect(('127.0.0.1', "
        f"{parts.port}))\n"
    )
    words += f"ask.sendall({head.encode()!r})\n"
    words += "print(ask.makefile('rb').read().decode())"
    answer = subprocess.run(
        [sys.executable, "-c", words], capture_output=True, text=True, check=True
    ).stdout
    leads = re.search(r"^location: (\S+)", answer, re.MULTILINE)
    return f"{answer.split()[1]} {leads and leads[1]}"


def test_a_command_line_of_a_browser_shows_nothing_that_others_could_use(tmp_path: Path) -> None:
    """Every user of a machine can read it."""
    (tmp_path / "browser").write_text('#!/bin/sh\necho "$@" > seen.part && mv seen.part seen\n')
    (tmp_path / "browser").chmod(0o755)
    environment = os.environ | {"BROWSER": f"{tmp_path}/browser %s", "DISPLAY": ":9"}
    words = [sys.executable, "-m", "khiva_arena", "play", *ONE]
    process = subprocess.Popen(
        words, cwd=tmp_path, env=environment, stdout=-1, stderr=-1, text=True
    )
    try:
        (address,) = addresses(process, 1)
        assert until((tmp_path / "seen").exists)
        shown = (tmp_path / "seen").read_text().strip()
        token = urlsplit(address).path.split("/")[1]
        assert token not in shown
        if os.geteuid() == 0:
            assert asked_for(shown, "os.setuid(1234)") == "403 None"
        assert asked_for(shown) == f"303 {urlsplit(address).path}"
        assert asked_for(shown) == "403 None"  # whoever reads it later
        with pytest.raises(Refused):
            Seat(shown)
        Seat(address).close()
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)


def test_without_the_extra_one_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "hypercorn", None)
    said = arena("play", *ONE, cwd=tmp_path, code=2).stderr
    assert "pip install 'khiva-arena[web]'" in said
    assert said.count("\n") == 1
