"""Sums over rows: what a changed value, a lost row and an added one do to them."""

import shutil
import sqlite3
from pathlib import Path

import pytest

from khiva_arena.common.result import Measured
from khiva_arena.errors import StoreError
from khiva_arena.records.store import file_errors, sums, versions
from khiva_arena.records.store.db import FILE, BotRow, MatchRow, SeatRow, Store, VoidRow

SEAT = SeatRow(
    0,
    0,
    1,
    5,
    "ok",
    [["timeout", "late", 3]],
    5,
    1.0,
    0,
    9.0,
    None,
    "note",
    4,
    0,
    Measured(0.2, page_faults=0),
)
MATCH = MatchRow("e", 0, "m", 0, 0, 0, "d", "{}", 1, 7, 2, "now", (SEAT,))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    with Store.write(folder) as store:
        store.add_event("e", "{}", "0.1", "c", bytes(32), [BotRow("a", "1", "", True, "a", "/")])
        store.add_engine("e", "0.2")
        store.add_void(VoidRow("e", 1, 1, 0, 0, [0], "the host slept", [0.5], "now"))
        store.add_match(MATCH, {0: b"x", -1: b"y"})
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "store"))


def findings(folder: Path) -> list[str]:
    """Everything that is not as it was written."""
    with Store.read(folder) as store:
        (event,) = store.events()
        rows = [
            f"match {row.ordinal}"
            for row in store.matches("e")
            if not row.intact or len(row.seats) != 1
        ]
        rows += [f"void {row.ordinal}" for row in store.voids("e") if not row.intact]
        return [*event.changed, *rows, *store.changed("e")]


def run(folder: Path, statement: str) -> None:
    connection = sqlite3.connect(folder / FILE)
    connection.execute(statement)
    connection.commit()
    connection.close()


def test_whole_numbers_and_reals_are_read_back_as_written(folder: Path) -> None:
    assert findings(folder) == []
    with Store.read(folder) as store:
        assert store.match("e", 0) == MATCH


COLUMNS = [
    (table, name, kind)
    for table in (
        "events",
        "engines",
        "bots",
        "matches",
        "seats",
        "voids",
        "reveals",
        "conclusions",
        "tallies",
    )
    for name, kind, _ in versions.columns(table)
    if (table, name) != ("events", "id") and name != "event"
]
OTHER = {"TEXT": "'?'", "INTEGER": "77", "REAL": "0.123", "BLOB": "x'00'"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "name", "kind"), COLUMNS, ids=[f"{table}.{name}" for table, name, _ in COLUMNS]
)
def test_every_column_is_covered(folder: Path, table: str, name: str, kind: str) -> None:
    run(folder, f"UPDATE {table} SET {name} = {OTHER[kind]} WHERE rowid = 1")
    assert findings(folder)


@pytest.mark.parametrize(
    "table", ["engines", "bots", "voids", "reveals", "conclusions", "seats", "tallies"]
)
def test_a_row_that_is_lost_is_missed(folder: Path, table: str) -> None:
    run(folder, f"DELETE FROM {table} WHERE rowid = 1")
    assert any("tally" in line for line in findings(folder))


def test_a_damaged_value_is_of_its_column_s_type_all_the_same() -> None:
    columns = versions.columns("seats")
    ((row, intact),) = sums.check_all("seats", columns, [[b"?"] * len(columns)])
    assert not intact
    assert {name: type(row[name]) for name, kind, _ in columns if name != "sum"} == {
        name: sums.EMPTY[kind][0] for name, kind, _ in columns if name != "sum"
    }


def test_what_no_column_can_be_named_after_is_an_error_in_words(folder: Path) -> None:
    with pytest.raises(StoreError, match="malformed"), file_errors.explain_errors(folder):
        b"\xff".decode()
