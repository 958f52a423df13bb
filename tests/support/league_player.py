"""``khiva-arena league`` with secrets that follow from how far the league is, and a time that stands still: whenever it is killed
and started again, its chain is the one of a league that nobody disturbed. Words: as of the command line, from ``league`` on."""

import sqlite3
import sys
from contextlib import closing
from hashlib import sha256
from pathlib import Path

from khiva_arena.cli.main import run
from khiva_arena.league.chain import stored_chain
from khiva_arena.league.folder import QUEUE
from khiva_arena.league.player import player
from khiva_arena.league.submissions import queue
from khiva_arena.store.db import Store

TIME = "2026-11-25T00:00:00+00:00"


def main(*words: str) -> int:
    folder = Path(words[1])

    def token_bytes(size: int) -> bytes:
        with Store.read(folder) as store:
            return sha256(b"secret of batch %d" % len(store.events())).digest()[:size]

    def token_hex(size: int) -> str:
        with closing(sqlite3.connect(folder / QUEUE)) as connection:  # which reads beside a transaction of the queue
            tables = ("authors", "families", "entries")
            number = sum(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables)
        return sha256(b"id %d" % number).hexdigest()[: 2 * size]

    player.secrets = type("Secrets", (), {"token_bytes": staticmethod(token_bytes)})  # type: ignore[assignment]
    fixed = type("Secrets", (), {"token_hex": staticmethod(lambda size: "ab" * size)})
    stored_chain.secrets = fixed  # type: ignore[assignment]
    queue.secrets = type("Secrets", (), {"token_hex": staticmethod(token_hex)})  # type: ignore[assignment]
    stored_chain.now = lambda: TIME
    return run(["league", *words])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
