"""A run leaves a sealed store. The seal changes what is read again, never what is
said.
"""

import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest
from arena import arena, bots
from forging import forge
from once import made_once
from stores import NAIVE, RANDOM, STRIKES, TRUSTED

from khiva_arena.competition.events import find
from khiva_arena.records.store import sums
from khiva_arena.records.store.db import FILE, Store
from khiva_arena.records.store.seal import HEAD, SEAL

pytestmark = pytest.mark.slow

SHORT = (*TRUSTED, "--rule", "max_turns=6")
RUN = [
    "run",
    *bots(RANDOM, STRIKES),
    *SHORT,
    "--seats",
    "2",
    "--seed",
    "demo",
    "--out",
    "out",
    "--seeds",
]
COMMANDS = [
    ["standings", "out"],
    ["show", "out"],
    ["show", "out", "1/0"],
    ["export", "out", "--format", "csv"],
    ["verify", "out"],
]


@made_once
def store(folder: Path) -> None:
    """4 matches, found sound by the run that recorded them."""
    arena(*RUN, "2", cwd=folder)


@pytest.fixture
def copy(store: Path, tmp_path: Path) -> Path:
    shutil.copytree(store / "out", tmp_path / "out")
    return tmp_path


def change(folder: Path, statements: str, *, forged: bool) -> None:
    with closing(sqlite3.connect(folder / "out" / FILE)) as connection:
        if forged:
            forge(connection, statements)
        else:
            connection.executescript(statements)


def is_sealed(folder: Path) -> bool:
    with Store.read(folder / "out") as opened:
        return opened.is_known_sound()


def test_what_a_run_leaves_is_read_without_a_sum_and_verified_with_all(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worked_out: list[str] = []
    real = sums._sums

    def counted(
        table: str, names: tuple[str, ...], columns: Sequence[Sequence[object]]
    ) -> list[str]:
        worked_out.extend([table] * len(columns[0]))  # a row each
        return real(table, names, columns)

    monkeypatch.setattr(sums, "_sums", counted)
    with_seal = [arena(*words, cwd=copy).stdout for words in COMMANDS[:-1]]
    arena(*RUN, "2", cwd=copy)  # it is over
    assert worked_out == []
    assert "4 of 4 matches are sound" in arena("verify", "out", cwd=copy).stdout
    assert worked_out.count("matches") >= 4
    (copy / "out" / SEAL).unlink()
    worked_out.clear()
    assert [arena(*words, cwd=copy).stdout for words in COMMANDS[:-1]] == with_seal
    assert {"events", "matches", "seats"} <= set(worked_out)


def test_a_run_that_goes_on_works_out_no_sum_of_a_sealed_store(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.write(copy / "out") as opened, monkeypatch.context() as patch:
        (event,) = find.events_of(opened, ())
        patch.setattr(sums, "_sums", None)
        find.check_event(opened, event)
    assert is_sealed(copy)


CHANGES = {
    "a score": ("UPDATE seats SET score = score + 1 WHERE ordinal = 1", False),
    "a record with spaces": (
        "UPDATE matches SET record = replace(record, ',', ', ') WHERE ordinal = 2",
        False,
    ),
    "times of another match": ("UPDATE times SET ordinal = 9 WHERE ordinal = 2", False),
    "seats are missing": ("DELETE FROM seats WHERE ordinal = 2", False),
    "another secret of a seed": ("UPDATE reveals SET secret = zeroblob(32) WHERE seed = 1", False),
    "a damaged definition": ("UPDATE events SET definition = 'x'", False),
    "a seat of an unknown bot, with sums": ("UPDATE seats SET bot = 9 WHERE ordinal = 0", True),
    "another rotation, with sums": ("UPDATE matches SET rotation = 1 WHERE ordinal = 0", True),
    "a bot is missing, with sums": ("DELETE FROM bots WHERE position = 1", True),
    "ranks swapped, with sums": ("UPDATE seats SET rank = 3 - rank WHERE ordinal = 3", True),
    "a view too many": ("CREATE VIEW more AS SELECT 1", False),
}


@pytest.mark.soak
@pytest.mark.parametrize(("statements", "forged"), CHANGES.values(), ids=CHANGES)
def test_what_is_damaged_is_damaged_with_a_seal_beside_it(
    copy: Path, statements: str, forged: bool
) -> None:
    assert is_sealed(copy)
    change(copy, statements, forged=forged)

    def said() -> list[tuple[int, str, str]]:
        done = [arena(*words, cwd=copy, code=None) for words in (*COMMANDS, [*RUN, "2"])]
        return [(one.returncode, one.stdout, one.stderr) for one in done]

    with_seal = said()
    assert with_seal[-2][0] in (1, 2)
    (copy / "out" / SEAL).unlink()
    assert said() == with_seal


def seal_again(folder: Path) -> None:
    """As anybody can who has sha256sum."""
    data = (folder / "out" / FILE).read_bytes()
    (folder / "out" / SEAL).write_text(f"{HEAD} {len(data)} {sha256(data).hexdigest()}\n")


FORGERIES = {
    "places": "UPDATE seats SET rank = 3 - rank WHERE ordinal = 3",
    "points": "UPDATE seats SET score = score + 1 WHERE ordinal = 3 AND seat = 0",
    "bots": "UPDATE seats SET bot = 1 - bot WHERE ordinal = 3",
    "a name": "UPDATE bots SET name = 'x' WHERE position = 0",
    "verdicts": "UPDATE seats SET verdict = 'crashed' WHERE ordinal = 3 AND seat = 0",
    "faults": "UPDATE seats SET faults = '[]' WHERE faults <> '[]'",
    "more faults": (
        """UPDATE seats SET faults = '[["timeout", "late", 1]]' WHERE ordinal = 3 AND seat = 0"""
    ),
    "a digest": "UPDATE matches SET digest = printf('%064d', 1) WHERE ordinal = 3",
    "an id": "UPDATE matches SET id = printf('%016d', 1) WHERE ordinal = 3",
    "a record": "UPDATE matches SET record = 'x' WHERE ordinal = 3",
    "a record of another match": (
        "UPDATE matches SET record = (SELECT record FROM matches WHERE ordinal = 1) WHERE "
        "ordinal = 3"
    ),
}


@pytest.mark.soak
@pytest.mark.parametrize("statement", FORGERIES.values(), ids=FORGERIES)
def test_a_seal_that_a_forger_wrote_hides_no_seat_that_is_not_the_records(
    copy: Path, statement: str
) -> None:
    change(copy, statement, forged=True)
    seal_again(copy)
    assert is_sealed(copy)
    commands = [
        *COMMANDS[:2],
        ["show", "out", "1/3"],
        COMMANDS[3],
        ["report", "out", "--out", "page.html"],
        [*RUN, "3"],
    ]
    if "fault" in statement:
        commands.remove(["show", "out", "1/3"])  # which match has the fault differs
    for words in commands:
        done = arena(*words, cwd=copy, code=2)
        assert "is damaged: its " in done.stderr, words
        assert "`khiva-arena verify out` says more" in done.stderr
    arena("verify", "out", cwd=copy, code=1)


def test_damage_while_a_run_goes_on_is_not_sealed(tmp_path: Path) -> None:
    """A byte of a row changes on the disk after the run has found it sound."""
    damaging = """
import sys
from khiva_arena.interface.cli import main
from khiva_arena.records.store.db import FILE, Store
real = Store.add_match
def damaged(store, match, reveals):
    real(store, match, reveals)
    if match.ordinal == 6:
        store._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        path = store.folder / FILE
        at = path.read_bytes().index(b'"ranks":[')
        with path.open("r+b") as file:
            file.seek(at + 9)
            file.write(b"9")
Store.add_match = damaged
main.main()
"""
    words = [sys.executable, "-c", damaging, *RUN, "4"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "run digest" in done.stderr
    assert not is_sealed(tmp_path)
    for words in (command for command in COMMANDS if command != ["show", "out", "1/0"]):
        assert arena(*words, cwd=tmp_path, code=None).returncode == (
            1 if words[0] == "verify" else 2
        ), words


def test_a_run_to_the_end_finds_out_what_nobody_had_to_know(copy: Path) -> None:
    """As after a kill, which leaves no seal, in a store with other events."""
    (copy / "out" / SEAL).unlink()
    another = ["run", *bots(RANDOM, NAIVE), "--seats", "2", "--seeds", "1", "--out", "out"]
    arena(*another, cwd=copy)
    assert is_sealed(copy)
    first = "(SELECT id FROM events WHERE number = 1)"
    change(
        copy,
        f"UPDATE seats SET score = score + 1 WHERE ordinal = 1 AND event = {first}",
        forged=False,
    )
    arena(*another, "--new-event", cwd=copy)
    assert not is_sealed(copy)
    problems = [
        event["problems"]
        for event in json.loads(arena("verify", "out", "--json", cwd=copy, code=1).stdout)["events"]
    ]
    assert list(map(bool, problems)) == [True, False, False]
