"""``khiva-arena report``: what it says, what it refuses, and what is never in a
page.
"""

import gzip
import json
import platform
import re
import shutil
import sqlite3
from pathlib import Path

import pytest
from arena import arena, bots
from forging import forge
from pages import FAULTS, REPLAY, SEED, blocks, films, text
from reported import folder, on_each_deal, stopped, whispering
from wording import pattern, sentence

from khiva_arena.records.replay.record import canonical
from khiva_arena.records.store.db import Store, VoidRow

__all__ = ["folder", "stopped"]

pytestmark = pytest.mark.slow


def test_it_is_written_and_replaced(folder: Path, tmp_path: Path) -> None:
    said = arena(
        "report", str(folder / "vault"), "--out", "page.html", "--title", "Spring cup", cwd=tmp_path
    )
    assert said.stdout == ""
    assert re.fullmatch(
        pattern("report", "open-browser-2", out=r"page\.html", kb="[0-9]+ kB") + r"\n", said.stderr
    )
    first = blocks(tmp_path / "page.html")
    assert first["data"]["title"] == "Spring cup"
    assert films(tmp_path / "page.html") == len(first["data"]["matches"]) == 18
    arena("report", str(folder / "vault"), "--out", "page.html", "--replays", "none", cwd=tmp_path)
    assert films(tmp_path / "page.html") == 0
    assert [match[:REPLAY] for match in blocks(tmp_path / "page.html")["data"]["matches"]] == [
        match[:REPLAY] for match in first["data"]["matches"]
    ]


def test_a_file_that_is_no_page_stays(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.html").write_text("<!doctype html>\n<p>mine")
    (tmp_path / "link.html").symlink_to(tmp_path / "mine.html")
    for name in ("mine.html", "link.html"):
        said = arena("report", str(folder / "vault"), "--out", name, cwd=tmp_path, code=2)
        assert sentence("store", "exists-already-not-changed", path=name) in said.stderr
    assert (tmp_path / "mine.html").read_text() == "<!doctype html>\n<p>mine"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nothing"], "nothing"),
        (["{folder}/vault", "7"], "no event '7' here; events here: 1 ("),
        (["{folder}/b.khiva", "1"], "a bundle is shown as a whole: leave out the events"),
        (
            ["{folder}/vault", "--out", "no/such/page.html"],
            "no/such/page.html: cannot be written: no such folder",
        ),
        (["{folder}/lair-of-ann/program"], "program: "),
    ],
)
def test_what_cannot_be_shown(folder: Path, tmp_path: Path, words: list[str], message: str) -> None:
    given = [word.format(folder=folder) for word in words]
    said = arena(
        "report",
        *given,
        *([] if "--out" in given else ["--out", "page.html"]),
        cwd=tmp_path,
        code=2,
    )
    assert message in said.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_bundle_that_was_changed_is_not_shown(folder: Path, tmp_path: Path) -> None:
    lines = gzip.decompress((folder / "b.khiva").read_bytes()).decode().splitlines(keepends=True)
    (tmp_path / "changed").write_bytes(
        gzip.compress("".join(line for line in lines if '"ordinal":3,' not in line).encode())
    )
    said = arena("report", "changed", "--out", "page.html", cwd=tmp_path, code=1)
    assert "changed: not sound: " in said.stderr
    assert not (tmp_path / "page.html").exists()


def test_a_match_of_a_store_that_does_not_replay_is_named(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "vault", tmp_path / "out")
    connection = sqlite3.connect(tmp_path / "out" / "arena.db")
    record = json.loads(
        connection.execute("SELECT record FROM matches WHERE ordinal = 3").fetchone()[0]
    )
    record["steps"][:2] = reversed(record["steps"][:2])
    connection.execute(
        "UPDATE matches SET record = ? WHERE ordinal = 3", (canonical(record).decode(),)
    )
    forge(connection)
    connection.close()
    said = arena("report", "out", "--out", "page.html", cwd=tmp_path, code=2).stderr
    assert said.startswith("khiva-arena: error: out: match 1/3 is damaged: ")
    assert said.endswith("; `khiva-arena verify out` says more\n")
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize("source", ["vault", "b.khiva"])
def test_nothing_private_is_in_it(folder: Path, tmp_path: Path, source: str) -> None:
    arena("report", str(folder / source), "--out", "page.html", cwd=tmp_path)
    shown = re.sub(
        r'(<script type="application/base64"[^>]*>)[^<]*', r"\1", text(tmp_path / "page.html")
    )  # unpacked behind it
    assert "Elo" in shown
    for word in (
        "WHISPER",
        "lair-of",
        "vault",
        "b.khiva",
        str(folder),
        str(tmp_path),
        platform.node(),
    ):
        assert not re.search(rf"(?<!\w){re.escape(word)}(?!\w)", shown), word


def test_the_folder_of_a_bot_that_cannot_be_started_is_not_in_it(tmp_path: Path) -> None:
    ann, bob = whispering(tmp_path, "ann"), whispering(tmp_path, "bob")
    (ann / "program").write_text(
        f"#!/bin/sh\n[ ! -e {tmp_path}/begun ] || rm -f {ann}/program\ntouch "
        f"{tmp_path}/begun\nexec {bob}/program\n"
    )
    arena(
        "run",
        *bots(str(ann / "program"), str(bob)),
        "--seats",
        "2",
        "--seeds",
        "1",
        "--isolation",
        "trusted",
        "--out",
        "out",
        cwd=tmp_path,
    )
    connection = sqlite3.connect(tmp_path / "out" / "arena.db")
    said = [
        text
        for row in connection.execute("SELECT faults, notes FROM seats")
        for text in row
        if "no such program" in text
    ]
    connection.close()
    assert len(said) == 2
    arena("report", "out", "--out", "page.html", "--notes", "--for-authors", "pages", cwd=tmp_path)
    for page in (tmp_path / "page.html", *(tmp_path / "pages").iterdir()):
        assert "crashed: cannot be started" in text(page)
        assert "no such program" not in text(page)
        assert "lair-of-ann" not in text(page)


def test_each_void_attempt_counts_once_in_a_store_and_in_its_bundle(
    folder: Path, tmp_path: Path
) -> None:
    shutil.copytree(folder / "vault", tmp_path / "out")
    with Store.write(tmp_path / "out") as store:
        event = store.events()[0].id
        match = next(one for one in store.matches(event) if one.ordinal == 4)
        sits = [seat.bot for seat in match.seats]
        for attempt in (1, 2):
            store.add_void(
                VoidRow(
                    event,
                    4,
                    attempt,
                    match.seed,
                    match.lineup,
                    sits,
                    "the host slept",
                    [0.1, 0.1],
                    "now",
                )
            )
    connection = sqlite3.connect(tmp_path / "out" / "arena.db")
    forge(connection, "UPDATE matches SET attempt = 3 WHERE ordinal = 4")
    connection.close()
    arena("bundle", "out", "b.khiva", cwd=tmp_path)
    for source in ("out", "b.khiva"):
        arena("report", source, "--out", "page.html", "--replays", "none", cwd=tmp_path)
        assert blocks(tmp_path / "page.html")["data"]["events"][0]["void"] == 2


def test_how_to_check_it_names_no_folder(folder: Path, tmp_path: Path) -> None:
    for words, verify in (
        (["vault"], "khiva-arena verify STORE"),
        (["vault", "1"], "khiva-arena verify STORE 1"),
        (["b.khiva"], "khiva-arena verify BUNDLE"),
    ):
        arena(
            "report",
            str(folder / words[0]),
            *words[1:],
            "--out",
            "page.html",
            "--replays",
            "none",
            cwd=tmp_path,
        )
        assert blocks(tmp_path / "page.html")["data"]["verify"] == verify


def test_of_a_deal_that_is_not_over_only_results_are_in_it(stopped: Path, tmp_path: Path) -> None:
    arena("report", str(stopped / "out"), "--out", "page.html", "--replays", "all", cwd=tmp_path)
    matches = blocks(tmp_path / "page.html")["data"]["matches"]
    deals = on_each_deal(stopped / "out")
    over = {seed for seed, many in deals.items() if many == 12}
    assert {match[SEED] for match in matches} == set(deals) > over
    for match in matches:
        assert (match[REPLAY] is not None) == (match[SEED] in over)
        details = [detail for _, _, _, detail in match[FAULTS]]
        assert details
        assert all(details) == any(details) == (match[SEED] in over)
    assert films(tmp_path / "page.html") == 12 * len(over)
    (event,) = blocks(tmp_path / "page.html")["data"]["events"]
    assert (event["over"], event["secret"], event["digest"]) == (False, "", "")
