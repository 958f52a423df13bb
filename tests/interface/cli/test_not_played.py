"""Bots that were left out, and files among ``entries/*`` that are none, are named by
standings and pages.
"""

import json
import re
import shutil
from pathlib import Path

import pytest
from arena import arena
from browser import PHONE, WIDE, Page
from once import made_once
from pages import blocks, text
from stores import NAIVE, RANDOM
from wording import sentence

from khiva_arena.entrants.bot_words import why_not_taken
from khiva_arena.records.store.files import NOT_PLAYED
from khiva_arena.records.store.rows import Why

pytestmark = pytest.mark.slow
WHISPER = "WHISPER of silent"


@made_once
def cup(folder: Path) -> None:
    """Play in "out" the bots of "cup.toml": of its entries one is not built, one does
    not start, one cannot be read, one is an archive of another kind and one is empty.
    """
    entries = folder / "entries"
    bots = {
        "unread": 'name = "unread"\n',
        "unbuilt": (
            'name = "unbuilt"\nrun = "{python} main.py"\nbuild = "{python} fails.py"\nfiles = '
            '["*.py"]\n'
        ),
        "silent": 'name = "silent"\nrun = "{python} main.py"\nfiles = ["*.py"]\n',
        "empty": "",
    }
    for name, toml in bots.items():
        (entries / name).mkdir(parents=True)
        if toml:
            (entries / name / "bot.toml").write_text(toml)
        (entries / name / "main.py").write_text(f"raise SystemExit('{WHISPER}')\n")
        (entries / name / "fails.py").write_text(
            "print('main.c:1:2: error: x')\nprint('end')\nraise SystemExit(3)\n"
        )
    (entries / "late.rar").write_bytes(b"PK")
    settings = (
        f'bots = ["entries/*", "{RANDOM}", "{NAIVE}"]\nskip_broken = true\nseats = 2\nseeds = '
        '1\nseed = "x"\n'
    )
    (folder / "cup.toml").write_text(f'{settings}out = "out"\n')
    arena("run", "cup.toml", "--isolation", "trusted", cwd=folder)


def test_standings_name_them_with_the_reason(cup: Path) -> None:
    said = arena("standings", "out", cwd=cup).stdout
    table, section = said.split(f"\n{sentence('report', 'not-played')}\n")
    assert re.search(r"[^\n]\n\Z", table), "there is one empty line before it"
    assert "next: " not in section, (
        "the run has said how to check the bots, which a reader of the table may not have"
    )
    words = " ".join(section.split())
    for part in (
        f"late.rar: {Why.NO_BOT}: {why_not_taken('late.rar')}",
        f"empty: {Why.NO_BOT}: {why_not_taken(str(cup / 'entries' / 'empty'))}",
        f"unread: {Why.UNREAD}: entries/unread/bot.toml: ",
        "its first error: main.c:1:2: error: x",
        f"it wrote last: {WHISPER}",
    ):
        assert part in words
    (pool,) = json.loads(arena("standings", "out", "--json", cwd=cup).stdout)["standings"]
    assert {bot["name"]: bot["why"] for bot in pool["not_played"]} == {
        "unread": Why.UNREAD,
        "unbuilt": Why.UNBUILT,
        "silent": Why.NOT_STARTED,
        "late.rar": Why.NO_BOT,
        "empty": Why.NO_BOT,
    }
    assert {bot["event"] for bot in pool["not_played"]} == {*pool["events"]}


def test_the_event_and_its_bundle_know_nothing_of_them(cup: Path, tmp_path: Path) -> None:
    text = (
        (cup / "cup.toml")
        .read_text()
        .replace("entries/*", "")
        .replace('"", ', "")
        .replace('"out"', '"alone"')
    )
    (cup / "alone.toml").write_text(text)
    arena("run", "alone.toml", "--isolation", "trusted", cwd=cup)
    assert arena("verify", "out", cwd=cup).stdout == arena("verify", "alone", cwd=cup).stdout
    for store in ("out", "alone"):
        arena("bundle", store, f"{store}.khiva", cwd=cup)
    assert (cup / "out.khiva").read_bytes() == (cup / "alone.khiva").read_bytes()
    assert sentence("report", "not-played") not in arena("standings", "alone", cwd=cup).stdout
    shutil.copytree(cup / "out", tmp_path / "out")
    (tmp_path / "out" / NOT_PLAYED).unlink()
    assert (
        arena("standings", "out", cwd=tmp_path).stdout
        == arena("standings", "alone", cwd=cup).stdout
    )


def test_a_page_names_them_and_keeps_their_words_for_their_authors(cup: Path) -> None:
    arena("report", "out", "--out", "page.html", "--for-authors", "authors", cwd=cup)
    shown = blocks(cup / "page.html")["data"]["not_played"]
    assert {(bot["name"], bot["why"], bot["report"]) for bot in shown} == {
        ("unread", Why.UNREAD, ""),
        ("unbuilt", Why.UNBUILT, ""),
        ("silent", Why.NOT_STARTED, ""),
        ("late.rar", Why.NO_BOT, ""),
        ("empty", Why.NO_BOT, ""),
    }
    assert WHISPER not in text(cup / "page.html")
    assert str(cup) not in text(cup / "page.html")
    pages = {path.name.rpartition("-")[0]: path for path in (cup / "authors").iterdir()}
    assert set(pages) == {"random", "naive", "silent", "unbuilt", "unread", "late.rar", "empty"}
    for name, path in pages.items():
        reports = {
            bot["name"]: bot["report"]
            for bot in blocks(path)["data"]["not_played"]
            if bot["report"]
        }
        assert set(reports) == {name} - {"random", "naive"}
        assert name not in ("late.rar", "empty") or reports[name] == why_not_taken(
            str(cup / "entries" / name)
        )
        assert (WHISPER in text(path)) == (name == "silent")
    assert "main.c:1:2: error: x" in text(pages["unbuilt"])
    arena("report", "out", "--out", "page.html", "--notes", cwd=cup)
    assert WHISPER in text(cup / "page.html")


def test_other_names_hold_for_them_too(cup: Path) -> None:
    (cup / "names.toml").write_text('silent = "Team 1"\n"late.rar" = "Team 2"\n')
    arena("report", "out", "--out", "page.html", "--names", "names.toml", cwd=cup)
    assert {"Team 1", "Team 2", "unread"} < {
        bot["name"] for bot in blocks(cup / "page.html")["data"]["not_played"]
    }
    assert '"silent"' not in text(cup / "page.html")


def test_a_reader_sees_them(page: Page, cup: Path) -> None:
    arena("report", "out", "--out", "page.html", "--notes", cwd=cup)
    for size in (WIDE, PHONE):
        page.size(size)
        page.open(cup / "page.html")
        page.until("return document.querySelector('.not-played')")
        assert len(page.texts(".not-played h2")) == 1
        assert page.texts(".not-played b") == ["silent", "unbuilt", "unread", "empty", "late.rar"]
        assert page.js("return document.documentElement.scrollWidth <= innerWidth")
    assert page.wrong() == []
