"""Each promise of docs/policy.md has a test, and each format that is written says its
version.
"""

import ast
import gzip
import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from arena import ROOT, arena
from published import (
    HERE,
    KEYS,
    NEWER_EVENT,
    NEWER_LEAGUE,
    contents,
    newer_event,
    published,
    schema_keys,
    unpack,
)
from published_formats import PAGE, rows

from khiva_arena import __version__
from khiva_arena.common.stream import Note, encoded
from khiva_arena.display.page.html import BEGINNING
from khiva_arena.entrants.bots import load
from khiva_arena.entrants.packing import pack
from khiva_arena.entrants.payloads import HEAD
from khiva_arena.extensions.league.folder import QUEUE_VERSION
from khiva_arena.records.replay.league_format import FORMAT
from khiva_arena.records.store.db import Store
from khiva_arena.records.store.versions import VERSION

WRITERS = {
    "interface/commands/export.py": "export",
    "interface/commands/init.py": "settings of a user",
    "extensions/grading/reports.py": "marks as Gradescope and JUnit name their fields",
    "extensions/league/commands/league.py": "settings of a user",
    "extensions/checker/page_command.py": "page that checks",
    "entrants/only_modules.py": "modules as they are, by their hashes",
    "competition/events/bundling.py": "bundle",
    "extensions/league/failures.py": "traces for people, which no program reads",
    "extensions/league/folder.py": "public files of a league",
    "extensions/league/kept.py": "sums, which are made anew",
    "extensions/league/player/newest_table.py": "sums, which are made anew",
    "display/page/folder.py": "page of results",
    "competition/pages/write.py": "page of results",
    "extensions/shards/plan_file.py": "plan",
    "records/store/new_file.py": "whatever the others write",
}
"""What the modules write that write a file whole."""


def test_the_tests_that_hold_promises_are_there() -> None:
    promises = rows("The test that holds each promise", (ROOT / "CONTRIBUTING.md").read_text())
    assert all("`tests/" in row[1] for row in promises)
    named = [
        found for row in promises for found in re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", row[1])
    ]
    assert [
        f"{file}::{name}" for file, name in named if f"def {name}(" not in (ROOT / file).read_text()
    ] == []


def number(file: Path) -> int:
    with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


@pytest.mark.slow
def test_every_format_says_its_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unpack(HERE / NEWER_LEAGUE, tmp_path)
    unpack(HERE / NEWER_EVENT, tmp_path)
    monkeypatch.setenv("KHIVA_ARENA_INTERPRETERS", str(tmp_path / "bots" / "interpreters"))
    arena(*newer_event("none")[:-2], "--plan", "cup.plan", cwd=tmp_path)
    league, public = tmp_path / "league", tmp_path / "league" / "public"
    with Store.write(tmp_path / "new"):
        pass
    lines = [
        json.loads(line)
        for line in gzip.decompress((HERE / NEWER_EVENT / "bundle").read_bytes()).splitlines()
    ]
    record = next(line["record"] for line in lines if line["kind"] == "match")
    state = json.loads((public / "league.json").read_text())
    arena("report", "finished", "--out", "page.html", cwd=tmp_path)
    page = (tmp_path / "page.html").read_bytes().removeprefix(BEGINNING).split(b'"')[0].decode()
    payload = max(
        (tmp_path / "finished" / "modules").glob("*.payload"), key=lambda file: file.stat().st_size
    )
    versions: dict[str, tuple[Any, Any]] = {
        "store, `arena.db`": (number(tmp_path / "new" / "arena.db"), VERSION),
        "queue of a league, `queue.db`": (number(league / "queue.db"), QUEUE_VERSION),
        "bundle": (lines[0]["format"], 1),
        "plan": (json.loads((tmp_path / "cup.plan").read_text())["format"], 1),
        "record of a match": (record["header"]["format"], 2),
        "chain of a league, `chain.jsonl`, and its batches": (
            json.loads((public / "chain.jsonl").read_text().splitlines()[0])["format"],
            FORMAT,
        ),
        "public files of a league, `league.json` and those beside it": (state["format"], 1),
        "stream of events": (json.loads(encoded(Note(t=0.0, text="", warning=False)))["v"], 1),
        "page of results": (page, __version__),
        "payload of a bot that an interpreter runs": (
            payload.read_bytes().split(b"\n")[0],
            HEAD.strip(),
        ),
        "bot as a league takes it, `.entry`": (
            pack(load("shipped:python/random")).split(b"\n")[0],
            b"khiva-bot-files-1",
        ),
    }
    assert [row[0] for row in rows("Formats")] == list(versions)
    assert {name: said for name, (said, _) in versions.items()} == {
        name: wanted for name, (_, wanted) in versions.items()
    }
    assert str(VERSION) in rows("Formats")[0][1]


def test_every_module_that_writes_a_file_whole_writes_a_format_that_is_known() -> None:
    package = ROOT / "khiva_arena"
    writers = {
        str(path.relative_to(package))
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if (isinstance(node, ast.Call) and ast.unparse(node.func) == "new_file")
        or (isinstance(node, ast.FunctionDef) and node.name == "new_file")
    }
    assert writers == set(WRITERS)


def test_no_key_of_0_3_0_is_gone() -> None:
    """Keys may be added; whoever wrote a program for a version finds each key that it
    read then.
    """
    now = schema_keys()
    for place, keys in json.loads((HERE / KEYS).read_text()).items():
        assert set(keys) <= set(now.get(place, ())), place


def test_every_key_that_a_command_prints_is_kept() -> None:
    """`python tests/together/make_newer.py` keeps new ones, so that the test above sees
    when one goes.
    """
    outputs = {place: keys for place, keys in schema_keys().items() if "/output/" in place}
    known = json.loads((HERE / KEYS).read_text())
    assert {place: keys for place, keys in known.items() if "/output/" in place} == outputs


@pytest.mark.slow
@pytest.mark.parametrize("version", ["0.1.0", "0.2.0"])
def test_a_command_that_reads_changes_nothing(version: str, tmp_path: Path) -> None:
    published("khiva-round-robin", tmp_path, version)
    for store in ("finished", "interrupted"):
        before = contents(tmp_path / store)
        for command in ("standings", "show"):
            arena(command, store, cwd=tmp_path)
        assert contents(tmp_path / store) == before


@pytest.mark.slow
def test_a_store_of_shards_of_0_2_0_is_merged(tmp_path: Path) -> None:
    published("khiva-merged", tmp_path, "0.2.0")
    arena("merge", "finished", "--out", "joined", cwd=tmp_path)
    shown = [
        json.loads(arena("verify", store, "--json", cwd=tmp_path).stdout)
        for store in ("finished", "joined")
    ]
    assert shown[0]["events"][0]["digest"] == shown[1]["events"][0]["digest"]


def test_what_is_experimental_says_so_where_it_is_met() -> None:
    section = PAGE.partition("## Experimental\n")[2].partition("\n## ")[0]
    pages = re.findall(r"\]\(([\w-]+\.md)", section)
    assert len(pages) > 2
    assert [
        name
        for name in pages
        if "[experimental](policy.md#experimental)" not in (ROOT / "docs" / name).read_text()
    ] == []
