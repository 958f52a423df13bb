"""The store: one writer, one transaction a match, versions, and errors in plain
words.
"""

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from forging import forge
from msgspec import structs
from wording import pattern, sentence

from khiva_arena.bots.sandbox.level import Level
from khiva_arena.common.result import Measured, Spent
from khiva_arena.errors import StoreError
from khiva_arena.records.replay.record import run_digest
from khiva_arena.records.store.db import (
    FILE,
    RUN_SECRET,
    UNREADABLE,
    VERSION,
    BotRow,
    MatchRow,
    SeatRow,
    Store,
    VoidRow,
)
from khiva_arena.records.store.files import open_to_write
from khiva_arena.records.store.rows import CapRow, TranscriptRow
from khiva_arena.records.store.seal import SEAL

BOTS = [
    BotRow("a", "1" * 64, "", True, "bots/a", "/x"),
    BotRow("b", "2" * 64, "1", False, "./b", "/x"),
]


def seat(number: int) -> SeatRow:
    faults, measured = [["timeout", "no answer came", 3]], Measured(0.2, page_faults=0)
    return SeatRow(
        number,
        number,
        number + 1,
        10,
        "ok",
        faults,
        5,
        0.1,
        0.05,
        9.0,
        0,
        "note",
        4,
        measured=measured,
    )


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
            store.add_match(match(ordinal), {})
    return folder


def test_what_is_fixed_is_read_back(tmp_path: Path) -> None:
    filled(tmp_path)
    with Store.read(tmp_path) as store:
        (event,) = store.events()
        assert (event.id, event.number, event.text, event.bots) == (
            "e1",
            1,
            '{"seats":2}',
            tuple(BOTS),
        )
        assert list(store.matches("e1")) == [match(n) for n in range(4)]
        assert store.digests("e1") == ["d0", "d1", "d2", "d3"]
        assert store.recorded("e1") == {0, 1, 2, 3}
        assert store.event("nothing") is None


def test_what_is_recorded_has_reached_the_disk(tmp_path: Path) -> None:
    """On macOS, too, where a disk keeps it in its own cache unless the second is
    set.
    """
    filled(tmp_path)
    with closing(open_to_write(tmp_path)) as connection:
        said = {
            name: connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("synchronous", "fullfsync", "journal_mode")
        }
    assert said == {"synchronous": 2, "fullfsync": 1, "journal_mode": "wal"}


def test_a_match_cannot_be_fixed_twice(tmp_path: Path) -> None:
    filled(tmp_path)
    with Store.write(tmp_path) as store:
        with pytest.raises(StoreError, match="UNIQUE"):
            store.add_match(match(2), {})
        assert len(list(store.matches("e1"))) == 4


def test_fixing_is_all_or_nothing(tmp_path: Path) -> None:
    filled(tmp_path)
    bad = match(9)
    broken = MatchRow(
        **{name: getattr(bad, name) for name in bad.__struct_fields__ if name != "seats"},
        seats=(seat(0), seat(0)),
    )
    with Store.write(tmp_path) as store:
        with pytest.raises(StoreError):
            store.add_match(broken, {})
        assert 9 not in store.recorded("e1")
        store.add_match(match(9), {})


def test_events_are_numbered_in_order(tmp_path: Path) -> None:
    with Store.write(tmp_path) as store:
        for name in ("b", "a", "c"):
            store.add_event(name, "{}", "0.1", "c", bytes(32), BOTS)
        assert [(event.number, event.id) for event in store.events()] == [
            (1, "b"),
            (2, "a"),
            (3, "c"),
        ]


def test_engines_that_went_on_are_kept(tmp_path: Path) -> None:
    filled(tmp_path)
    with Store.write(tmp_path) as store:
        store.add_engine("e1", "0.2")
        assert [event.engines for event in store.events()] == [("0.1", "0.2")]


def test_voids_and_reveals(tmp_path: Path) -> None:
    filled(tmp_path)
    row = VoidRow("e1", 3, 1, 1, 0, [0, 1], "the host slept", [0.1, 0.2], "now")
    with Store.write(tmp_path) as store:
        store.add_void(row)
        assert store.voids("e1") == [row]
        store.add_void(structs.replace(row, attempt=2, causes=(1,)))
        assert [one.causes for one in store.voids("e1")] == [(), (1,)]
        store.add_void(
            structs.replace(row, attempt=3, spent=(None, Spent({"cost": 7}, 2, currency="EUR")))
        )
        assert [one.spent for one in store.voids("e1")][1:] == [
            (),
            (None, Spent({"cost": 7}, 2, currency="EUR")),
        ]
        store.add_match(match(4), {0: b"x" * 32})
        assert (store.reveals("e1"), store.conclusion("e1")) == ({0: b"x" * 32}, None)
        store.add_match(match(5), {1: b"y" * 32, RUN_SECRET: bytes(32)})
        assert store.reveals("e1") == {0: b"x" * 32, 1: b"y" * 32, RUN_SECRET: bytes(32)}
        assert store.conclusion("e1") == run_digest([f"d{n}" for n in range(6)])


def test_caps_are_kept_in_their_order(tmp_path: Path) -> None:
    filled(tmp_path)
    rows = [
        CapRow("e1", number, 5_000_000, "EUR", 4_900_000, number == 1, 70_000, 12)
        for number in (0, 1)
    ]
    with Store.write(tmp_path) as store:
        for row in reversed(rows):
            store.add_cap(row)
        assert store.caps("e1") == rows
        assert store.changed("e1") == []
    with closing(sqlite3.connect(tmp_path / FILE)) as connection, connection:
        connection.execute("UPDATE caps SET spent = 1 WHERE number = 1")
    with Store.read(tmp_path) as store:
        assert store.caps("e1") == rows[:1], "a damaged one says nothing"
        assert "the row in caps was changed" in store.changed("e1")[0]


def test_page_faults_are_kept_beside_the_seats(tmp_path: Path) -> None:
    filled(tmp_path)
    some = match(4)
    with Store.write(tmp_path) as store:
        store.add_match(
            structs.replace(
                some,
                seats=(
                    some.seats[0],
                    structs.replace(some.seats[1], measured=Measured(0.2, page_faults=17)),
                ),
            ),
            {},
        )
        found = store.match("e1", 4)
        assert found is not None
        assert [seat.measured.page_faults for seat in found.seats] == [0, 17]
        assert found.intact
        assert store.changed("e1") == []
    connection = sqlite3.connect(tmp_path / FILE)
    connection.execute("UPDATE page_faults SET major = 1")
    connection.commit()
    connection.close()
    with Store.read(tmp_path) as store:
        found = store.match("e1", 4)
        assert found is not None
        assert not found.intact


def test_times_of_decisions_are_kept_beside_the_match(tmp_path: Path) -> None:
    filled(tmp_path)
    times = (((1, 250), (3, 1_000_000)), ((1, 17),))
    with Store.write(tmp_path) as store:
        assert {one.times for one in store.matches("e1")} == {None}  # as of an older engine
        store.add_match(structs.replace(match(4), times=times), {})
        assert [one.times for one in store.matches("e1")][-1] == times
        assert store.changed("e1") == []
    for damage in ("[[[1,251]],[]]", "what?"):
        connection = sqlite3.connect(tmp_path / FILE)
        connection.execute("UPDATE times SET by_seat = ?", (damage,))
        connection.commit()
        connection.close()
        with Store.read(tmp_path) as store:
            found = store.match("e1", 4)
            assert found is not None
            assert not found.intact
            assert (found.times is None) == (damage == "what?")


@pytest.mark.parametrize(
    "times",
    ["[]", "[[[1,5]]]", "[[[1,5]],[],[]]", "[[[1,-5]],[]]", "[[[1,99999999999999999999]],[]]"],
)
def test_times_that_no_arbiter_writes_are_damage_whatever_their_sum(
    tmp_path: Path, times: str
) -> None:
    filled(tmp_path)
    with Store.write(tmp_path) as store:
        store.add_match(structs.replace(match(4), times=((), ())), {})
    with closing(sqlite3.connect(tmp_path / FILE)) as connection:
        forge(connection, f"UPDATE times SET by_seat = '{times}'")
    with Store.read(tmp_path) as store:
        assert store.changed("e1") == []
        found = store.match("e1", 4)
        assert found is not None
        assert (found.times, found.intact) == (None, False)


def test_the_cell_of_a_runner_is_kept_beside_the_match(tmp_path: Path) -> None:
    filled(tmp_path)
    with Store.write(tmp_path) as store:
        assert store.cells(["e1"]) == ()
        store.add_match(structs.replace(match(4), cell=Level.TRUSTED), {})
        store.add_match(structs.replace(match(5), cell=Level.BASIC), {})
        assert [one.cell for one in store.matches("e1")] == [
            *[None] * 4,
            Level.TRUSTED,
            Level.BASIC,
        ]
        assert store.cells(["e1"]) == (Level.BASIC, Level.TRUSTED)
        assert store.damage() == store.changed("e1") == []
    with closing(sqlite3.connect(tmp_path / FILE)) as connection:
        connection.execute("UPDATE cells SET level = 'strict' WHERE ordinal = 4")
        forge(connection, "UPDATE cells SET level = 'palace' WHERE ordinal = 5")
        connection.execute("UPDATE cells SET level = 'standard' WHERE ordinal = 4")
        connection.commit()
    with Store.read(tmp_path) as store:
        changed, unknown = list(store.matches("e1"))[4:]
        assert (changed.cell, changed.intact) == (Level.STANDARD, False)
        assert (unknown.cell, unknown.intact) == (None, False)
        assert store.cells(["e1"]) == (Level.STANDARD,)


def test_a_store_of_version_3_is_read_as_it_is_and_gets_times_when_it_is_written(
    tmp_path: Path,
) -> None:
    filled(tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE)) as connection:
        later = "".join(
            f"DROP TABLE {name};"
            for name in (
                "times",
                "closures",
                "cells",
                "set_aside",
                "links",
                "spent",
                "void_spent",
                "caps",
                "transcripts",
            )
        )
        connection.executescript(f"{later} PRAGMA user_version = 3")
    with Store.read(tmp_path) as store:
        assert {one.times for one in store.matches("e1")} == {None}
        assert store.damage() == store.changed("e1") == []
    with closing(sqlite3.connect(tmp_path / FILE)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (3,)
    times = (((1, 250),), ((2, 17),))
    with Store.write(tmp_path) as store:
        store.add_match(structs.replace(match(4), times=times), {})
        assert [one.times for one in store.matches("e1")] == [*[None] * 4, times]
        assert store.damage() == store.changed("e1") == []
    with closing(sqlite3.connect(tmp_path / FILE)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)


def test_a_match_that_is_refused_leaves_no_times_and_no_transcript(tmp_path: Path) -> None:
    transcripts = (TranscriptRow(1, 0, b"packed", 9, 100),)
    filled(tmp_path)
    with Store.write(tmp_path) as store:
        with pytest.raises(StoreError):
            store.add_match(structs.replace(match(3), times=((), ()), transcripts=transcripts), {})
        assert [one.times for one in store.matches("e1")] == [None] * 4
        assert store.transcripts("e1", 3) == store.changed("e1") == []
        store.add_match(structs.replace(match(4), transcripts=transcripts), {})
        assert store.transcripts("e1", 4) == [*transcripts]
        assert store.changed("e1") == []


def test_a_second_writer_is_refused_and_a_reader_is_not(tmp_path: Path) -> None:
    filled(tmp_path)
    with Store.write(tmp_path) as first:
        with pytest.raises(StoreError, match=pattern("store", "another-arbiter-work-store")):
            Store.write(tmp_path)
        with Store.read(tmp_path) as reader:
            first.add_match(match(8), {})
            assert 8 in reader.recorded("e1")
    Store.write(tmp_path).close()


def test_no_store_here(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no results here"):
        Store.read(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_another_version_is_refused(tmp_path: Path) -> None:
    filled(tmp_path)
    connection = sqlite3.connect(tmp_path / FILE)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    for open_ in (Store.read, Store.write, Store.check):
        with pytest.raises(
            StoreError,
            match=pattern(
                "store",
                "store-version-engine-reads",
                version="99",
                readable="2",
                version_2=f"{VERSION}:",
            ),
        ):
            open_(tmp_path)


def test_a_foreign_database_is_refused(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / FILE)
    connection.execute("CREATE TABLE t (x)")
    connection.close()
    with pytest.raises(StoreError, match="not a store of Khiva Arena; give another folder"):
        Store.check(tmp_path)


@pytest.mark.parametrize(
    "content", [b"not a database at all" * 100, b"SQLite format 3\0" + b"\xff" * 5000]
)
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


# --- what a full disk or a kill leaves ---


def test_a_store_that_was_never_finished_being_made_is_begun_again(tmp_path: Path) -> None:
    """SQLite writes the first page when the journal mode is set, long before there is a
    table.
    """
    connection = sqlite3.connect(tmp_path / FILE)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    assert (tmp_path / FILE).stat().st_size > 0
    Store.check(tmp_path)
    with pytest.raises(StoreError, match="an empty store"):
        Store.read(tmp_path)
    filled(tmp_path)
    with Store.read(tmp_path) as store:
        assert store.recorded("e1") == {0, 1, 2, 3}


def test_a_kill_while_a_store_is_made_leaves_no_half_of_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def killed(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", killed)
        with pytest.raises(Killed):
            Store.write(tmp_path)
    assert not (tmp_path / FILE).exists()
    Store.check(tmp_path)
    filled(tmp_path)
    assert not list(tmp_path.glob("arena.db-new*"))


class Refusing:
    """A connection on a full disk: it refuses one statement, and every ROLLBACK, since
    SQLite has rolled back itself.
    """

    def __init__(self, refused: str) -> None:
        self.refused = refused
        self.in_transaction = False
        self.said: list[str] = []

    def execute(self, statement: str, values: object = ()) -> Any:
        word = statement.split()[0]
        self.said.append(word)
        if word == "ROLLBACK" and not self.in_transaction:
            raise sqlite3.OperationalError("cannot rollback - no transaction is active")
        self.in_transaction = word not in ("COMMIT", "ROLLBACK", self.refused) or (
            word == self.refused == "COMMIT"
        )
        if word == self.refused:
            raise sqlite3.OperationalError(sentence("store", "database-disk-full"))
        return self

    def fetchone(self) -> None:
        return None


@pytest.mark.parametrize("refused", ["INSERT", "COMMIT"])
def test_a_full_disk_is_called_so(tmp_path: Path, refused: str) -> None:
    connection = Refusing(refused)
    store = Store(tmp_path, connection, None)  # type: ignore[arg-type]
    with pytest.raises(StoreError, match="disk is full; free some space"):
        store.add_engine("e1", "0.2")
    assert not connection.in_transaction
    assert connection.said[-1] == ("INSERT" if refused == "INSERT" else "ROLLBACK")


# --- reading where nothing can be written, and while an arbiter is at work ---


def test_a_copy_of_the_one_file_is_whole(tmp_path: Path) -> None:
    """Even where another program still has it open, so that SQLite itself does not tidy
    up at the end.
    """
    folder = tmp_path / "out"
    store = Store.write(folder)
    other = sqlite3.connect(folder / FILE)
    store.add_event("e1", '{"seats":2}', "0.1", "c", bytes(32), BOTS)
    store.add_match(match(0), {})
    assert other.execute("SELECT count(*) FROM matches").fetchone() == (1,)
    store.close()
    (tmp_path / "copy").mkdir()
    shutil.copy(folder / FILE, tmp_path / "copy")
    other.close()
    with Store.read(tmp_path / "copy") as copy:
        assert copy.recorded("e1") == {0}


def test_a_folder_that_cannot_be_written_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(tmp_path)
    real = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK and real(path, mode))
    before = sorted(path.name for path in tmp_path.iterdir())
    with Store.read(tmp_path) as store:
        assert store.recorded("e1") == {0, 1, 2, 3}
        assert (
            sorted(path.name for path in tmp_path.iterdir()) == before == [FILE, "arena.lock", SEAL]
        )
    Store.check(tmp_path)


def test_what_a_kill_left_beside_the_file_is_never_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.write(tmp_path) as store:
        store.add_event("e1", '{"seats":2}', "0.1", "c", bytes(32), BOTS)
        store.add_match(match(0), {})
        shutil.copytree(tmp_path, tmp_path / "killed")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with Store.read(tmp_path / "killed") as killed:
        assert killed.recorded("e1") == {0}


def test_a_reader_sees_one_moment(tmp_path: Path) -> None:
    filled(tmp_path)
    with Store.write(tmp_path) as writer, Store.read(tmp_path) as reader:
        rows = reader.matches("e1")
        first = next(rows)
        writer.add_match(match(8), {4: b"x" * 32})
        assert [first.ordinal, *(row.ordinal for row in rows)] == [0, 1, 2, 3]
        assert reader.reveals("e1") == {}


# --- damage ---


def test_damaged_texts_are_told_apart_and_end_nothing(tmp_path: Path) -> None:
    filled(tmp_path)
    with Store.write(tmp_path) as store:
        store.add_void(VoidRow("e1", 3, 1, 1, 0, [0, 1], "the host slept", [0.1, 0.2], "now"))
    connection = sqlite3.connect(tmp_path / FILE)
    deep = "[" * 100_000
    for statement in (
        "UPDATE events SET definition = ?",
        "UPDATE seats SET faults = ? WHERE ordinal = 1",
        "UPDATE voids SET bots = ?, cpu = '[\"x\"]'",
    ):
        connection.execute(statement, (deep,))
    connection.commit()
    connection.close()
    with Store.read(tmp_path) as store:
        assert [event.text for event in store.events()] == [deep]
        faults = [[seat.faults for seat in row.seats] for row in store.matches("e1")]
        assert [fault[0] for fault in faults[1][0]] == [UNREADABLE]
        assert faults[0][0] == [["timeout", "no answer came", 3]]
        assert [(row.bots, row.cpu) for row in store.voids("e1")] == [([], [])]


def looks(store: Store) -> list[str]:
    """The statements by which a store looks for damage, all it says included."""
    done: list[str] = []
    store._connection.set_trace_callback(done.append)
    found = [store.first_damage(), *store.changed("e1")]
    store._connection.set_trace_callback(None)
    return [line for line in done if "integrity_check" in line or "tallies" in line] + [
        line for line in found if line
    ]


@pytest.mark.parametrize("open_", [Store.read, Store.write])
def test_what_nobody_has_written_since_is_not_looked_at_again(tmp_path: Path, open_: Any) -> None:
    filled(tmp_path)
    (tmp_path / SEAL).unlink()
    with open_(tmp_path) as store:
        assert len(looks(store)) == 2
        assert looks(store) == looks(store) == []


def test_a_writer_looks_again_once_it_or_another_program_has_written(tmp_path: Path) -> None:
    filled(tmp_path)
    (tmp_path / SEAL).unlink()
    with Store.write(tmp_path) as store, closing(sqlite3.connect(tmp_path / FILE)) as other:
        looks(store)
        store.add_match(match(4), {})
        assert len(looks(store)) == 2
        with other:
            other.execute("DELETE FROM seats WHERE ordinal = 4")
        assert "its tally says" in looks(store)[-1]


def test_a_name_that_is_too_long(tmp_path: Path) -> None:
    for open_ in (Store.read, Store.write, Store.check):
        with pytest.raises(StoreError, match="File name too long"):
            open_(tmp_path / ("x" * 300))
