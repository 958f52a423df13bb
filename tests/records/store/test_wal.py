"""The -wal file of a writer: bounded, and emptied once no reader holds the
checkpoint.
"""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from khiva_arena.common.result import Measured
from khiva_arena.records.store import wal
from khiva_arena.records.store.db import FILE, BotRow, MatchRow, SeatRow, Store

RECORD = random.Random(1).randbytes(60_000).hex()


def match(ordinal: int) -> MatchRow:
    seat = SeatRow(0, 0, 1, 5, "ok", [], 1, 0.1, 0.1, 1.0, 0, "", 0, 0, Measured(0.1))
    return MatchRow(
        "e", ordinal, f"m{ordinal}", 0, 0, ordinal, f"d{ordinal}", RECORD, 1, 1, 0.5, "now", (seat,)
    )


def size(folder: Path) -> int:
    return (folder / f"{FILE}-wal").stat().st_size


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An open store with an event."""
    with Store.write(tmp_path) as opened:
        opened._connection.execute("PRAGMA synchronous = OFF")  # no test cuts the power
        opened.add_event("e", "{}", "1", "c", b"s", [BotRow("a", "1", "", True, "a", "/")])
        yield opened


def grow(store: Store, most: int) -> int:
    """Record matches, beside a reader who holds the checkpoint, until the -wal file is
    larger than this. Return how many.
    """
    with Store.read(store.folder) as reader:
        assert reader.event_ids() == ["e"]
        for ordinal in range(1_000):
            store.add_match(match(ordinal), {})
            if size(store.folder) > most:
                assert not store.empty_wal()
                assert size(store.folder) > most
                return ordinal + 1
    raise AssertionError


def test_it_is_emptied_once_the_reader_has_gone(tmp_path: Path, store: Store) -> None:
    recorded = grow(store, wal.LIMIT)
    assert store.empty_wal()
    assert size(tmp_path) == 0
    store.add_match(match(recorded), {})
    assert store.recorded("e") == set(range(recorded + 1))
    assert store.damage() == []


def test_without_a_reader_it_is_cut_to_its_limit(tmp_path: Path, store: Store) -> None:
    recorded = grow(store, 4 * wal.LIMIT)
    while size(tmp_path) > wal.LIMIT:
        store.add_match(match(recorded), {})
        recorded += 1
        assert recorded < 1_000
    assert store.damage() == []
