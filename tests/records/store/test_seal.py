"""A store that was found sound is sealed, and not checked again as long as no byte of
it has changed.
"""

import contextlib
import os
import random
import shutil
import sqlite3
import stat
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from interrupt_at import InterruptAt

from khiva_arena.common.result import Measured
from khiva_arena.records.store import db, locks, reads, seal, sums, versions
from khiva_arena.records.store.db import FILE, BotRow, MatchRow, SeatRow, Store
from khiva_arena.records.store.seal import DRAFT, SEAL

FLIPS = 150
SEED = 16


def match(ordinal: int) -> MatchRow:
    place = ("e1", ordinal, f"m{ordinal}", ordinal, 0, 0)
    seats = [
        SeatRow(
            seat,
            seat,
            seat + 1,
            10,
            "ok",
            [],
            5,
            0.1,
            0.05,
            9.0,
            0,
            "note",
            4,
            measured=Measured(0.2),
        )
        for seat in range(2)
    ]
    return MatchRow(*place, "d", "{}", 1, 7, 0.5, "now", tuple(seats))


def filled(folder: Path, matches: int = 4) -> Path:
    with Store.write(folder) as store:
        store.add_event(
            "e1", '{"seats":2}', "0.1", "c", bytes(32), [BotRow("a", "1" * 64, "", True, "a", "/")]
        )
        for ordinal in range(matches):
            store.add_match(match(ordinal), {})
    return folder


def looks(store: Store) -> list[str]:
    """The statements by which a store looks for damage."""
    done: list[str] = []
    store._connection.set_trace_callback(done.append)
    assert [store.first_damage(), *store.changed("e1")][1:] == []
    store._connection.set_trace_callback(None)
    return [line for line in done if "integrity_check" in line or "tallies" in line]


def sealed(folder: Path, matches: int = 4) -> Path:
    """A store that its writer sealed."""
    filled(folder, matches)
    assert (folder / SEAL).exists()
    return folder


@pytest.fixture
def worked_out(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The tables whose rows had their sums worked out."""
    tables: list[str] = []
    real = sums._sums

    def counted(table: str, *rest: Any) -> list[str]:
        tables.append(table)
        return real(table, *rest)

    monkeypatch.setattr(sums, "_sums", counted)
    return tables


@pytest.fixture
def opened_files() -> Iterator[None]:
    """No file is left open."""
    before = len(os.listdir("/dev/fd"))
    yield
    assert len(os.listdir("/dev/fd")) == before


def everything(store: Store) -> list[Any]:
    rows = [
        store.events(),
        list(store.matches("e1")),
        store.match("e1", 1),
        store.voids("e1"),
        store.reveals("e1"),
    ]
    return [*rows, store.conclusion("e1"), store.first_damage(), store.changed("e1")]


def is_believed(folder: Path) -> bool:
    with Store.read(folder) as store:
        found = looks(store)
        assert len(found) in (0, 2)
        return not found


@pytest.mark.usefixtures("opened_files")
@pytest.mark.parametrize("open_", [Store.read, Store.write])
def test_a_sealed_store_is_read_without_its_sums(
    tmp_path: Path, open_: Any, worked_out: list[str]
) -> None:
    sealed(tmp_path)
    worked_out.clear()
    with open_(tmp_path) as store:
        known = everything(store)
        assert (worked_out, looks(store)) == ([], [])
    (tmp_path / SEAL).unlink()
    with open_(tmp_path) as store:
        assert everything(store) == known
        assert {"events", "bots", "matches", "seats"} <= set(worked_out)


def test_who_does_not_trust_checks_everything(tmp_path: Path, worked_out: list[str]) -> None:
    sealed(tmp_path)
    worked_out.clear()
    with Store.read(tmp_path, trusting=False) as store:
        everything(store)
        assert {"events", "bots", "matches", "seats"} <= set(worked_out)
    assert is_believed(tmp_path)


def test_any_byte_that_changes_in_the_file_or_the_seal_ends_it(tmp_path: Path) -> None:
    sealed(tmp_path)
    chance = random.Random(SEED)
    size = (tmp_path / FILE).stat().st_size
    places = [(FILE, chance.randrange(size)) for _ in range(FLIPS)] + [
        (SEAL, at) for at in range((tmp_path / SEAL).stat().st_size)
    ]
    for name, at in places:
        path = tmp_path / name
        data = path.read_bytes()
        path.write_bytes(data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :])
        connection = sqlite3.connect(f"file:{tmp_path / FILE}?mode=ro", uri=True)
        assert not seal.Seal(tmp_path / FILE, connection, trusted=True).holds(), (name, at)
        connection.close()
        path.write_bytes(data)
    assert is_believed(tmp_path)


@pytest.mark.parametrize("content", [b"", b"x", b"khiva-seal-1", b"\xff" * 10_000], ids=len)
def test_a_seal_that_is_none_costs_nothing_but_time(tmp_path: Path, content: bytes) -> None:
    sealed(tmp_path)
    (tmp_path / SEAL).write_bytes(content)
    assert not is_believed(tmp_path)
    Store.write(tmp_path).close()
    assert is_believed(tmp_path)


def test_a_seal_that_cannot_be_a_file_costs_nothing_but_time(tmp_path: Path) -> None:
    sealed(tmp_path)
    (tmp_path / SEAL).unlink()
    os.mkfifo(tmp_path / SEAL)
    assert not is_believed(tmp_path)
    (tmp_path / SEAL).unlink()
    (tmp_path / SEAL).mkdir()
    with Store.write(tmp_path) as store:
        store.add_match(match(4), {})
    assert not is_believed(tmp_path)
    with Store.read(tmp_path) as store:
        assert store.recorded("e1") == {0, 1, 2, 3, 4}


def test_a_link_is_replaced_and_what_it_leads_to_is_not(tmp_path: Path) -> None:
    sealed(tmp_path / "out")
    (tmp_path / "other").write_text("mine")
    for name in (SEAL, DRAFT):
        (tmp_path / "out" / name).unlink(missing_ok=True)
        (tmp_path / "out" / name).symlink_to(tmp_path / "other")
    Store.write(tmp_path / "out").close()
    assert (tmp_path / "other").read_text() == "mine"
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [FILE, locks.LOCK, SEAL]
    found = (tmp_path / "out" / SEAL).lstat()
    assert (stat.S_ISREG(found.st_mode), stat.S_IMODE(found.st_mode)) == (True, 0o600)
    assert is_believed(tmp_path / "out")


def test_what_a_writer_adds_is_sealed_with_the_rest(tmp_path: Path) -> None:
    with Store.write(sealed(tmp_path)) as store:
        store.add_match(match(4), {})
        assert store.is_known_sound()
        assert not is_believed(tmp_path), "what lies in the -wal file is not sealed"
    assert is_believed(tmp_path)


def test_a_store_whose_writer_is_interrupted_after_any_call_is_sealed(tmp_path: Path) -> None:
    """An interrupt can leave a transaction open, which the writer undoes as it closes
    the store.
    """
    tried = 0
    sealed(tmp_path)
    while True:
        interrupt = InterruptAt(tried + 1, (db, reads, contextlib))
        try:
            with Store.write(tmp_path) as store:
                store.add_match(match(4 + 2 * tried), {})
                sys.setprofile(interrupt.see)
                store.add_match(match(5 + 2 * tried), {})
                sys.setprofile(None)
            break
        except KeyboardInterrupt:
            tried += 1
        assert is_believed(tmp_path), interrupt.where
    assert tried > 20
    assert not interrupt.where, "it went on after an interrupt"


@pytest.mark.parametrize(
    "statement",
    ["UPDATE seats SET score = 11", "DELETE FROM seats WHERE seat = 1", "DELETE FROM tallies"],
)
def test_what_is_not_sound_is_not_sealed(tmp_path: Path, statement: str) -> None:
    sealed(tmp_path)
    (tmp_path / SEAL).unlink()
    with closing(sqlite3.connect(tmp_path / FILE)) as other, other:
        other.execute(statement)
    Store.write(tmp_path).close()
    assert not (tmp_path / SEAL).exists()


def test_what_others_write_while_a_store_is_open_is_not_sealed(tmp_path: Path) -> None:
    with Store.write(filled(tmp_path)) as store, closing(sqlite3.connect(tmp_path / FILE)) as other:
        assert all(row.intact for row in store.matches("e1"))
        with other:
            other.execute("UPDATE seats SET score = 11")
        assert not store.is_known_sound()
    assert not is_believed(tmp_path)


def damage(path: Path) -> None:
    """Change a byte of a seat's notes, behind which stands their length, as a disk
    might.
    """
    at = path.read_bytes().index(b"note\x04")
    with path.open("r+b") as file:
        file.seek(at)
        file.write(b"N")


@pytest.mark.parametrize("was_sealed", [True, False])
def test_damage_on_the_disk_while_a_store_is_written_is_not_sealed(
    tmp_path: Path, was_sealed: bool
) -> None:
    """The connection that writes may hold the page as it was, so it sees nothing."""
    sealed(tmp_path, 200)
    if not was_sealed:
        (tmp_path / SEAL).unlink()
    with Store.write(tmp_path) as store:
        assert all(row.intact for row in store.matches("e1"))
        damage(tmp_path / FILE)
        store.add_match(match(200), {})
    assert not is_believed(tmp_path)
    with Store.read(tmp_path) as store:
        assert [row.ordinal for row in store.matches("e1") if not row.intact] != []


def test_damage_after_the_look_is_not_sealed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hash is taken before the rows are read, and is that of what was read."""
    real = Store._is_sound_on_disk

    def then_damaged(store: Store) -> bool:
        found = real(store)
        damage(tmp_path / FILE)
        return found

    monkeypatch.setattr(Store, "_is_sound_on_disk", then_damaged)
    filled(tmp_path)
    assert (tmp_path / SEAL).exists()
    assert not is_believed(tmp_path)


def test_a_store_that_shows_no_event_is_not_sealed(tmp_path: Path) -> None:
    """Damage may hide them."""
    Store.write(tmp_path).close()
    assert not (tmp_path / SEAL).exists()


def test_what_others_write_to_a_sealed_store_that_is_open_is_seen(tmp_path: Path) -> None:
    with Store.write(sealed(tmp_path)) as store, closing(sqlite3.connect(tmp_path / FILE)) as other:
        assert all(row.intact for row in store.matches("e1"))
        with other:
            other.execute("UPDATE seats SET score = 11 WHERE ordinal = 2")
        assert [row.intact for row in store.matches("e1")] == [True, True, False, True]
        assert not store.is_known_sound()
    assert not is_believed(tmp_path)


def test_a_file_that_is_edited_while_it_is_read_is_checked(tmp_path: Path) -> None:
    with Store.read(sealed(tmp_path)) as store:
        assert all(row.intact for row in store.matches("e1"))
        data = (tmp_path / FILE).read_bytes()
        with (tmp_path / FILE).open("r+b") as file:
            file.seek(data.index(b"note"))
            file.write(b"NOTE")
        store._connection.execute("PRAGMA shrink_memory")  # else SQLite still has the page
        assert not all(row.intact for row in store.matches("e1"))


def test_a_kill_between_a_commit_and_the_seal_leaves_an_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def killed(*_: object) -> None:
        raise Killed

    sealed(tmp_path / "out")
    with Store.write(tmp_path / "out") as store:
        store.add_match(match(4), {})
        shutil.copytree(tmp_path / "out", tmp_path / "killed")
        with monkeypatch.context() as patch:
            patch.setattr(Path, "replace", killed)
            with pytest.raises(Killed):
                store.close()
        shutil.copytree(tmp_path / "out", tmp_path / "drafted")
    assert (tmp_path / "drafted" / DRAFT).exists()
    for name in ("killed", "drafted"):
        assert not is_believed(tmp_path / name)
        with Store.write(tmp_path / name) as store:
            assert store.recorded("e1") == {0, 1, 2, 3, 4}
        assert is_believed(tmp_path / name)
        assert not (tmp_path / name / DRAFT).exists()


def test_an_arena_without_seals_adds_matches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        sealed(tmp_path)
        patch.setattr(seal.Seal, "put", lambda *_: None)
        with Store.write(tmp_path) as store:
            store.add_match(match(4), {})
    assert not is_believed(tmp_path)


def test_a_copy_is_sealed_if_the_seal_is_copied(tmp_path: Path) -> None:
    sealed(tmp_path / "out")
    (tmp_path / "copy").mkdir()
    shutil.copy(tmp_path / "out" / FILE, tmp_path / "copy")
    assert not is_believed(tmp_path / "copy")
    shutil.copy(tmp_path / "out" / SEAL, tmp_path / "copy")
    assert is_believed(tmp_path / "copy")
    sealed(tmp_path / "longer", 5)
    shutil.copy(tmp_path / "longer" / SEAL, tmp_path / "copy")
    assert not is_believed(tmp_path / "copy"), "the seal of another store"


def test_where_nothing_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sealed(tmp_path)
    before = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    real = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK and real(path, mode))
    with Store.read(tmp_path) as store:
        assert looks(store) == []
    assert {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == before


def test_a_system_that_does_not_list_open_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sealed(tmp_path)
    monkeypatch.setattr(seal, "OPEN_FILES", str(tmp_path / "none"))
    assert not is_believed(tmp_path)
    with Store.write(tmp_path) as store:
        store.add_match(match(4), {})


def test_values_of_other_types_are_never_let_through(tmp_path: Path) -> None:
    """A stranger can write a seal."""
    rows = [["e1", 0, "x", 1, 2, 3, "ok", "[]", 5, 0.1, 0.1, 9.0, 0.2, 0, "note", 4, 0, 0, "sum"]]
    ((row, intact),) = sums.check_rows("seats", versions.columns("seats"), rows, sealed=True)
    assert (row[2], intact) == (-1, False)


def test_a_row_that_leads_to_no_match_or_void_is_noticed(tmp_path: Path) -> None:
    filled(tmp_path)
    of_void = "'e1', 9, 1, '[]'"
    of_match = (("times", "'e1', 9, '[]'"), ("page_faults", "'e1', 9, 0, 1"))
    for table, columns in (*of_match, ("void_causes", of_void), ("void_spent", of_void)):
        with closing(sqlite3.connect(tmp_path / FILE)) as connection, connection:
            connection.execute(f"INSERT INTO {table} VALUES ({columns}, '0000000000000000')")
        with Store.read(tmp_path) as store:
            assert f"the row in {table} belongs to no row in " in store.changed("e1")[0]
        with closing(sqlite3.connect(tmp_path / FILE)) as connection, connection:
            connection.execute(f"DELETE FROM {table}")
    with Store.read(tmp_path) as store:
        assert store.changed("e1") == []
