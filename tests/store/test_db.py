"""The store: one writer, one transaction a match, versions, and errors in plain words."""

import sqlite3
from pathlib import Path

import pytest

from khiva_arena.errors import StoreError
from khiva_arena.store.db import FILE, BotRow, MatchRow, SeatRow, Store, VoidRow

BOTS = [BotRow("a", "1" * 64, "", True, "bots/a", "/x"), BotRow("b", "2" * 64, "1", False, "./b", "/x")]


def seat(number: int) -> SeatRow:
    return SeatRow(number, number, number + 1, 10, "ok", [["timeout", "no answer came", 3]], 5, 0.1, 0.05, 9.0, 0.2, 0, "note", 4)


def match(ordinal: int, event: str = "e1") -> MatchRow:
    return MatchRow(
        event,
        ordinal,
        f"{event}-{ordinal}",
        ordinal // 2,
        0,
        ordinal % 2,
        f"d{ordinal}",
        "{}",
        1,
        7,
        0.5,
        "now",
        (seat(0), seat(1)),
    )


def filled(folder: Path, matches: int = 4) -> Path:
    with Store.write(folder) as store:
        store.add_event("e1", '{"seats":2}', "0.1", "c", bytes(32), BOTS)
        for ordinal in range(matches):
            store.issue("e1", ordinal, 1)
            store.fix(match(ordinal))
    return folder


def test_what_is_fixed_is_read_back(tmp_path: Path) -> None:
    filled(tmp_path)
    with Store.read(tmp_path) as store:
        (event,) = store.events()
        assert (event.id, event.number, event.definition, event.bots) == ("e1", 1, {"seats": 2}, tuple(BOTS))
        assert list(store.matches("e1")) == [match(n) for n in range(4)]
        assert store.digests("e1") == ["d0", "d1", "d2", "d3"]
        assert store.fixed("e1") == {0, 1, 2, 3}
        assert store.event("nothing") is None


def test_a_match_cannot_be_fixed_twice(tmp_path: Path) -> None:
    filled(tmp_path)
    with Store.write(tmp_path) as store:
        with pytest.raises(StoreError, match="UNIQUE"):
            store.fix(match(2))
        assert len(list(store.matches("e1"))) == 4


def test_fixing_is_all_or_nothing(tmp_path: Path) -> None:
    filled(tmp_path)
    bad = match(9)
    broken = MatchRow(**{name: getattr(bad, name) for name in bad.__slots__ if name != "seats"}, seats=(seat(0), seat(0)))
    with Store.write(tmp_path) as store:
        with pytest.raises(StoreError):
            store.fix(broken)
        assert 9 not in store.fixed("e1")
        store.fix(match(9))


def test_events_are_numbered_in_order(tmp_path: Path) -> None:
    with Store.write(tmp_path) as store:
        for name in ("b", "a", "c"):
            store.add_event(name, "{}", "0.1", "c", bytes(32), BOTS)
        assert [(event.number, event.id) for event in store.events()] == [(1, "b"), (2, "a"), (3, "c")]


def test_engines_that_went_on_are_kept(tmp_path: Path) -> None:
    filled(tmp_path)
    with Store.write(tmp_path) as store:
        store.add_engine("e1", "0.2")
        assert [event.engines for event in store.events()] == [("0.1", "0.2")]


def test_voids_and_reveals(tmp_path: Path) -> None:
    filled(tmp_path)
    row = VoidRow("e1", 3, 1, 1, 0, [0, 1], "the host slept", [0.1, 0.2], "now")
    with Store.write(tmp_path) as store:
        store.void(row)
        store.reveal("e1", 0, b"x" * 32)
        store.reveal("e1", 0, b"y" * 32)
        assert store.voids("e1") == [row]
        assert store.reveals("e1") == {0: b"x" * 32}


def test_a_second_writer_is_refused_and_a_reader_is_not(tmp_path: Path) -> None:
    filled(tmp_path)
    with Store.write(tmp_path) as first:
        with pytest.raises(StoreError, match="another arbiter is at work"):
            Store.write(tmp_path)
        with Store.read(tmp_path) as reader:
            first.fix(match(8))
            assert 8 in reader.fixed("e1")
    Store.write(tmp_path).close()


def test_no_store_here(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no store here"):
        Store.read(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_another_version_is_refused(tmp_path: Path) -> None:
    filled(tmp_path)
    connection = sqlite3.connect(tmp_path / FILE)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    for open_ in (Store.read, Store.write, Store.check):
        with pytest.raises(StoreError, match="version 99; this engine reads version 1"):
            open_(tmp_path)


def test_a_foreign_database_is_refused(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / FILE)
    connection.execute("CREATE TABLE t (x)")
    connection.close()
    with pytest.raises(StoreError, match="not a store of Khiva Arena"):
        Store.check(tmp_path)


@pytest.mark.parametrize("content", [b"not a database at all" * 100, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_file_is_refused_in_words(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(StoreError, match=r"arena\.db: .*"):
        Store.read(tmp_path)


def test_a_file_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    with pytest.raises(StoreError, match="not a folder"):
        Store.check(tmp_path / "out")
    with pytest.raises(StoreError):
        Store.write(tmp_path / "out")
