"""The line that says how far a long command has come."""

import io
import re
from pathlib import Path

import pytest
from arena import arena, bots
from once import made_once
from stores import round_robin as round_robin
from terminal import Terminal as RealTerminal
from tick_bots import write_bot

from khiva_arena.competition.events.in_bundle import opened_bundle
from khiva_arena.display.terminal import passing
from khiva_arena.display.terminal.passing import (
    EVERY_SECONDS,
    FIRST_SECONDS,
    PassingLine,
    PassingMatches,
)
from khiva_arena.records.store.db import Store

ERASED = "\r\x1b[2K"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_it_is_shown_now_and_then_and_is_gone_before_something_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    now, out = [0.0], Terminal()
    line = PassingLine(out, lambda: now[0])
    line.say("1 of 9")
    line.clear()
    assert out.getvalue() == ""
    for text in ("2 of 9", "3 of 9"):  # the second comes too soon
        now[0] = EVERY_SECONDS
        line.say(text)
    line.clear()
    line.clear()
    assert out.getvalue() == f"{ERASED}2 of 9{ERASED}"
    line.say("4 of 9")
    assert out.getvalue().endswith("4 of 9"), (
        "where a line was taken away, the next part shows its own at once"
    )


def test_nothing_is_written_where_nobody_watches() -> None:
    now, out = [0.0], io.StringIO()
    line = PassingLine(out, lambda: now[0])
    now[0] = 99.0
    line.say("5 of 9")
    line.clear()
    assert out.getvalue() == ""


def test_how_long_it_still_takes_follows_from_how_far_it_has_come(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    now, out = [0.0], Terminal()
    progress = PassingMatches(PassingLine(out, lambda: now[0], FIRST_SECONDS), lambda: now[0])
    shown = []
    for at, done in (
        (0.0, 0),
        (0.9, 9),
        (1.0, 10),
        (1.1, 11),
        (2.0, 20),
        (3.0, 0),
        (4.0, 50),
    ):  # at last once more, faster
        now[0] = at
        before = len(out.getvalue())
        progress.far("event 1", done, 100)
        shown.append(out.getvalue()[before:].replace(ERASED, ""))
    assert shown[:3] == ["", "", "event 1: 10 of 100 matches, 9 s left"]
    assert shown[3:5] == ["", "event 1: 20 of 100 matches, 8 s left"]
    assert shown[5:] == ["event 1: 0 of 100 matches", "event 1: 50 of 100 matches, 1 s left"]


def test_a_store_is_watched_match_by_match_and_piece_by_piece(
    round_robin: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(passing, "EVERY_SECONDS", 0.0)
    out = Terminal()
    with Store.read(round_robin / "out") as store:
        PassingMatches(PassingLine(out, after=-1.0)).watch(store)
        (event,) = store.event_ids()
        for first in range(0, 24, 7):
            list(store.matches(event, first, first + 6))
        assert re.findall(r"event 1: (\d+) of 24 matches", out.getvalue()) == [
            str(number) for number in range(1, 25)
        ]
        assert out.getvalue().endswith(ERASED), "a fit may follow, which tells nothing"
        list(store.matches(event))
        assert re.findall(r"event 1: (\d+) of 24 matches", out.getvalue())[24:] == [
            str(number) for number in range(1, 25)
        ]


def test_a_bundle_is_watched_until_it_is_read(
    round_robin: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(passing, "EVERY_SECONDS", 0.0)
    out = Terminal()
    with opened_bundle(
        round_robin / "out.khiva", PassingMatches(PassingLine(out, after=-1.0))
    ) as reader:
        list(reader.lines())
    assert re.search(r"out\.khiva: [\d,]+ of [\d,]+ kB", out.getvalue())
    assert out.getvalue().endswith(ERASED)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "unit"),
    [
        ("verify out", "matches"),
        ("verify out -j 2", "matches"),
        ("verify out.khiva", "kB"),
        ("report out --out page.html", "matches"),
        ("report out.khiva --out page.html", "kB"),
        ("bundle out new.khiva", "matches"),
        ("standings out", "matches"),
    ],
)
def test_long_commands_say_how_far_they_have_come(
    round_robin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, unit: str
) -> None:
    monkeypatch.setattr(passing, "EVERY_SECONDS", 0.0)
    monkeypatch.setattr(passing, "FIRST_SECONDS", -1.0)
    for name in ("out", "out.khiva"):
        (tmp_path / name).symlink_to(round_robin / name)
    run = RealTerminal(words.split(), tmp_path)
    assert run.end() == 0
    line = rf"(event 1|out\.khiva): [\d,]+ of [\d,]+ {unit}"
    assert re.search(line.encode(), run.raw)
    assert not re.search(line, run.shown.text), "it is gone at the end"
    (tmp_path / "new.khiva").unlink(missing_ok=True)
    assert not re.search(line, arena(*words.split(), cwd=tmp_path).stderr), "only on a terminal"


@made_once
def in_ticks(folder: Path) -> None:
    """Play four matches in ticks into "out"; "out.khiva" is the bundle, with the
    modules.
    """
    seated = bots(
        *(write_bot(folder / name, rounds=number) for number, name in enumerate(("one", "two"), 1))
    )
    arena(
        "run",
        *seated,
        "--clock",
        "ticks",
        "--seats",
        "2",
        "--seeds",
        "2",
        "--seed",
        "x",
        "--out",
        "out",
        cwd=folder,
    )
    arena("bundle", "out", "out.khiva", "--with-modules", cwd=folder)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["out", "out.khiva"])
def test_bots_that_run_again_have_a_line_of_their_own(
    in_ticks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(passing, "EVERY_SECONDS", 0.0)
    monkeypatch.setattr(passing, "FIRST_SECONDS", -1.0)
    (tmp_path / name).symlink_to(in_ticks / name)
    run = RealTerminal(["verify", name, "--rerun-bots"], tmp_path)
    assert run.end() == 0
    for done in range(5):
        assert re.search(rf"running bots again: {done} of 4 matches".encode(), run.raw)
    assert "running bots again: " not in run.shown.text
