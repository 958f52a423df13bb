"""The files of a store."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor

from khiva_arena.store import files
from khiva_arena.store.db import Store


def test_what_a_store_must_hold_is_known_in_each_thread(tmp_path):
    """Threads may look at a store at once, and SQLite's connections are for one thread."""
    with Store.write(tmp_path / "out"):
        pass
    files.columns.cache_clear()

    def look(table: str) -> list[str]:
        with ThreadPoolExecutor(1) as alone:
            connection = alone.submit(sqlite3.connect, tmp_path / "out" / files.FILE, check_same_thread=False).result()
            assert alone.submit(files.damage, connection).result() == []
            connection.close()
            return [name for name, _, _ in alone.submit(files.columns, table).result()]

    assert look("bots")
    assert "ordinal" in look("matches")
