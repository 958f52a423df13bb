"""One byte of a store is flipped, many times: what differs is said, what is called
sound is, and nothing is a bug.
"""

import json
import random
import shutil
import sqlite3
from pathlib import Path

import pytest
from arena import FAULTY, C, arena, bots

from khiva_arena.interface.cli.main import run

pytestmark = pytest.mark.soak

SEED = 7
PAGE = 4096
HEADER = 100  # of the file
STRUCTURE = 64  # of a page: where its cells are
TABLES = (
    "events",
    "engines",
    "bots",
    "matches",
    "seats",
    "voids",
    "reveals",
    "conclusions",
    "beacons",
    "page_faults",
    "void_causes",
    "times",
    "closures",
    "cells",
    "tallies",
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two events, 14 matches, with strikes, forfeits, notes and a void."""
    folder = tmp_path_factory.mktemp("store")
    words = bots(C, f"{FAULTY} illegal 2", f"{FAULTY} raise 2")
    arena(
        "run", *words, "--seats", "2", "--seeds", "2", "--seed", "demo", "--out", "out", cwd=folder
    )
    arena(
        "run",
        *words[:4],
        "--seats",
        "2",
        "--seeds",
        "1",
        "--turn",
        "2s",
        "--out",
        "out",
        cwd=folder,
    )
    return folder / "out"


def opened(folder: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(f"file:{folder / 'arena.db'}?mode=ro&immutable=1", uri=True)
    connection.text_factory = bytes
    return connection


def contents(folder: Path) -> list[list[tuple[object, ...]]] | None:
    """All that is stored, table by table, None where SQLite cannot read it."""
    connection = opened(folder)
    try:
        return [
            connection.execute(f"SELECT * FROM {table} NOT INDEXED").fetchall() for table in TABLES
        ]
    except (sqlite3.Error, UnicodeDecodeError):
        return None
    finally:
        connection.close()


def of_match(folder: Path, event: str, ordinal: int) -> list[tuple[object, ...]]:
    """The rows of one match, found by its place: a damaged page may hide it from
    whoever reads all of a table.
    """
    connection = opened(folder)
    place = (event, ordinal)
    found = connection.execute(
        "SELECT * FROM matches WHERE event = ? AND ordinal = ?", place
    ).fetchall()
    found += connection.execute(
        "SELECT * FROM seats WHERE event = ? AND ordinal = ? ORDER BY seat", place
    ).fetchall()
    connection.close()
    return found


def offset(chance: random.Random, size: int) -> int:
    """Anywhere, or, as often, where it hurts most: the header of the file, or the
    beginning of a page.
    """
    kind = chance.randrange(4)
    if kind == 0:
        return chance.randrange(HEADER)
    if kind == 1:
        return PAGE * chance.randrange(size // PAGE) + chance.randrange(STRUCTURE)
    return chance.randrange(size)


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = run(list(words))
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    return code, out, err


@pytest.mark.parametrize("flips", [60, pytest.param(150, marks=pytest.mark.long)])
def test_flipped_bytes(
    flips: int, store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chance = random.Random(SEED)
    data = (store / "arena.db").read_bytes()
    before = contents(store)
    assert before is not None
    printed = {name: said(capsys, name, str(store))[1] for name in ("standings", "show")}
    copy = tmp_path / "copy"
    ends = {0: 0, 1: 0, 2: 0}
    for _ in range(flips):
        at, mask = offset(chance, len(data)), chance.choice([1 << chance.randrange(8), 0xFF])
        where = f"byte {at} ^ {mask:#x}"
        shutil.rmtree(copy, ignore_errors=True)
        copy.mkdir()
        flipped = bytearray(data)
        flipped[at] ^= mask
        (copy / "arena.db").write_bytes(flipped)
        after = contents(copy)
        code, out, err = said(capsys, "verify", str(copy), "--json")
        ends[code] += 1  # and no other code
        if code == 2:  # so damaged that nothing can be read, or no store of ours
            assert err.count("\n") == 1, where
            assert "arena.db: " in err, where
            continue
        assert err.count("\n") == code, where  # why the code is 1
        assert err.startswith(f"{copy}: " if code else ""), where
        assert code or after == before, f"{where}: a change that verify does not see"
        found = json.loads(out)
        assert bool(code) == bool(
            found["file"] or any(event["problems"] for event in found["events"])
        ), where
        for event in found["events"]:
            for ordinal in event["sound_matches"]:
                assert of_match(copy, event["event"], ordinal) == of_match(
                    store, event["event"], ordinal
                ), where
        for name, text in printed.items():
            code, out, err = said(capsys, name, str(copy))
            if code == 0:
                assert after == before, (
                    f"{where}: {name} printed a store whose contents were changed"
                )
                assert out.replace(str(copy), str(store)) == text, f"{where}: {name}"
            else:
                assert (code, out, err.count("\n")) == (2, "", 1), f"{where}: {name}: {err}"
    assert min(ends.values()) > flips // 20, ends
