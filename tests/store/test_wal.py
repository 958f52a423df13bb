"""The -wal file of a writer: bounded, and emptied once no reader holds the checkpoint."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from leagues import enter, league_in, player_of_names

from khiva_arena.api.verify import verify
from khiva_arena.league.submissions.queue import Queue
from khiva_arena.result import Measured
from khiva_arena.store import wal
from khiva_arena.store.db import FILE, BotRow, MatchRow, SeatRow, Store

RECORD = random.Random(1).randbytes(60_000).hex()


def match(ordinal: int) -> MatchRow:
    seat = SeatRow(0, 0, 1, 5, "ok", [], 1, 0.1, 0.1, 1.0, 0, "", 0, 0, Measured(0.1))
    return MatchRow("e", ordinal, f"m{ordinal}", 0, 0, ordinal, f"d{ordinal}", RECORD, 1, 1, 0.5, "now", (seat,))


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
    """Record matches, beside a reader who holds the checkpoint, until the -wal file is larger than this. Return how many."""
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


def test_a_player_tries_after_each_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader holds the checkpoint over the first batch and the second, and leaves at the end of that."""
    league = league_in(tmp_path)
    enter(league, "ann", "quick")
    held: list[Store] = []
    begun: list[int] = []  # the sizes of the -wal file at the first match of each batch

    def fails(ordinal: int, _attempt: int) -> bool:
        if ordinal == 0:
            begun.append(size(tmp_path))
        if not held:
            held.append(Store.read(tmp_path))
            assert held[0].events()
        if len(begun) == 2 and ordinal:
            held[0].close()
        return False

    with Queue(tmp_path) as queue:  # else the player's own connection, the last one, would move all of it
        player_of_names(monkeypatch)(league, 3, fails=fails)
        assert (tmp_path / "queue.db-wal").stat().st_size == 0
        assert queue.entries()
    first, second, third = begun
    assert first < second > third
    assert verify(tmp_path).sound
