"""The files of a store."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor

from khiva_arena.records.store import file_errors, files, versions
from khiva_arena.records.store.db import Store


def test_what_a_store_must_hold_is_known_in_each_thread(tmp_path):
    """Threads may look at a store at once, and SQLite's connections are for one
    thread.
    """
    with Store.write(tmp_path / "out"):
        pass
    versions._columns.cache_clear()

    def look(table: str) -> list[str]:
        connection = sqlite3.connect(tmp_path / "out" / files.FILE)
        assert file_errors.damage(connection) == []
        connection.close()
        return [name for name, _, _ in versions.columns(table)]

    with (
        ThreadPoolExecutor(1) as one,
        ThreadPoolExecutor(1) as other,
    ):
        assert "name" in one.submit(look, "bots").result()
        assert "ordinal" in other.submit(look, "matches").result()
