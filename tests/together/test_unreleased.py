"""What code of 0.3.0 wrote that no release has is told so, and never called damaged or
not sound.

The fixture is of commit 05aa35f4, two days older than the format that is read now: a
league by the wall clock with its bundle and a plan of its second batch, and the bundle
of an event in ticks with its modules.
"""

import gzip
import json
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from arena import arena
from module_cup import OwnMachine
from published import HERE, NEWER_LEAGUE, contents, unpack
from wording import sentence

from khiva_arena.errors import RecordError
from khiva_arena.extensions.checker import in_page
from khiva_arena.extensions.league.chain.links import read_link
from khiva_arena.records.replay.definition import Definition
from khiva_arena.records.replay.league_format import FORMAT, OtherFormat
from khiva_arena.records.store.db import FILE, Store

pytestmark = pytest.mark.slow
UNRELEASED = "unreleased-0.3.0"
SMALL = 25_000
"""The bytes that the fixture may have."""
OLD = sentence("league", "format-unreleased")
COMMANDS = {
    "verify": "verify league",
    "verify of a bundle": "verify league.khiva",
    "verify of modules": "verify modules.khiva",
    "standings": "standings league",
    "show": "show league",
    "report": "report league --out page.html",
    "report of a bundle": "report league.khiva --out page.html",
    "bundle": "bundle league new.khiva",
    "export": "export league --format csv",
    "merge": "merge league --out merged",
    "run into it": "run --shipped --seats 2 --out league",
    "run of its plan": (
        "run --from-plan batch.plan --bot shipped:python/greedy --bot shipped:python/random "
        "--out shard"
    ),
    "league status": "league status league",
    "league play": "league play league --batches 1",
    "league season": "league season league autumn",
    "league plan": "league plan league new.plan",
    "league author": "league author add league ann",
    "league serve": "league serve league --listen 127.0.0.1:0",
}


@pytest.fixture
def made(tmp_path: Path) -> Path:
    unpack(HERE / UNRELEASED, tmp_path)
    return tmp_path


def test_the_fixture_is_small() -> None:
    assert sum(path.stat().st_size for path in (HERE / UNRELEASED).iterdir()) < SMALL


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_a_command_says_that_unreleased_code_made_it(made: Path, words: str) -> None:
    before = contents(made)
    done = arena(*words.split(), cwd=made, code=2)
    assert OLD in done.stderr
    assert not re.search("damaged|sound", done.stdout + done.stderr)
    assert contents(made) == before


def test_a_chain_that_is_compared_is_told_so_too(made: Path) -> None:
    unpack(HERE / NEWER_LEAGUE, made / "now")
    done = arena("verify", "now/league", "--seen", "league/public/chain.jsonl", cwd=made, code=2)
    assert f"--seen league/public/chain.jsonl: {OLD}" in done.stderr


@pytest.mark.parametrize("name", ["league.khiva", "modules.khiva"])
def test_the_page_cannot_tell(made: Path, name: str) -> None:
    events: list[dict[str, Any]] = []
    in_page.check((made / name).read_bytes(), OwnMachine(), events.append)
    assert events[-1] == {
        "kind": "end",
        "verdict": in_page.CANNOT_TELL,
        "problems": [],
        "unknown": [OLD],
    }


def test_a_queue_that_is_not_yet_moved_into_its_file_is_told_so(made: Path) -> None:
    """As a kill leaves it: the number is in the -wal file alone."""
    queue, killed = made / "league" / "queue.db", made / "killed"
    killed.mkdir()
    with closing(sqlite3.connect(queue, isolation_level=None)) as connection:
        connection.execute("PRAGMA user_version = 0")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        connection.execute("PRAGMA user_version = 1")
        for name in ("league.toml", "arena.db", "queue.db", "queue.db-wal"):
            shutil.copy(made / "league" / name, killed)
    assert (killed / "queue.db-wal").stat().st_size
    assert OLD in arena("league", "status", "killed", cwd=made, code=2).stderr


def without(text: str) -> str:
    assert f'"format":{FORMAT},' in text
    return text.replace(f'"format":{FORMAT},', "")


def numbered(number: int) -> Callable[[str], str]:
    """Return a function that gives a text another number of a format."""

    def change(text: str) -> str:
        assert f'"format":{FORMAT},' in text
        return text.replace(f'"format":{FORMAT},', f'"format":{number},')

    return change


NEWER = sentence("league", "chain-format", format=str(FORMAT + 1), reads=str(FORMAT))
CHANGES = {
    "no number": (without, OLD),
    "1": (numbered(1), OLD),
    "a newer one": (numbered(FORMAT + 1), NEWER),
}


@pytest.mark.parametrize(("change", "said"), CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("part", ["chain", "batches"])
def test_a_store_says_of_which_format_its_league_is(
    tmp_path: Path, part: str, change: Callable[[str], str], said: str
) -> None:
    """Of batches alone the store of a shard of a league is made."""
    unpack(HERE / NEWER_LEAGUE, tmp_path)
    with closing(sqlite3.connect(tmp_path / "league" / FILE)) as connection, connection:
        connection.create_function("changed", 1, change)
        if part == "chain":
            connection.execute("UPDATE links SET text = changed(text) WHERE number = 0")
        else:
            connection.execute("DELETE FROM links")
            connection.execute(
                "UPDATE events SET definition = changed(definition) WHERE number = 2"
            )
    done = arena("verify", "league", cwd=tmp_path, code=2)
    assert f"league/{FILE}: {said}" in done.stderr


@pytest.mark.parametrize(("change", "said"), CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("kind", ["link", "event"])
def test_a_bundle_says_of_which_format_its_league_is(
    tmp_path: Path, kind: str, change: Callable[[str], str], said: str
) -> None:
    header, *lines, _ = (
        gzip.decompress((HERE / NEWER_LEAGUE / "bundle").read_bytes()).decode().splitlines()
    )
    at = next(at for at, line in enumerate(lines) if json.loads(line)["kind"] == kind)
    lines[at] = change(lines[at])
    (tmp_path / "bundle").write_bytes(
        gzip.compress("".join(f"{line}\n" for line in [header, *lines]).encode())
    )
    done = arena("verify", "bundle", cwd=tmp_path, code=2)
    assert f"bundle: {said}" in done.stderr


def test_the_text_of_a_link_or_a_definition_is_told_apart_from_a_damaged_one(
    tmp_path: Path,
) -> None:
    unpack(HERE / NEWER_LEAGUE, tmp_path)
    with Store.read(tmp_path / "league") as store:
        link, definition = store.links()[0].text, store.events()[0].text
    assert (read_link(link).number, Definition.read(definition).batch.format) == (0, FORMAT)
    for change, said in CHANGES.values():
        with pytest.raises(OtherFormat, match=re.escape(said)):
            read_link(change(link))
        with pytest.raises(OtherFormat, match=re.escape(said)):
            Definition.read(change(definition))
    with pytest.raises(RecordError):
        read_link(link.replace(f'"format":{FORMAT}', '"format":"two"'))
    with pytest.raises(ValueError, match="format"):
        Definition.read(definition.replace(f'"format":{FORMAT},', '"format":true,', 1))
