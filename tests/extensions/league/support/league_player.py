"""``khiva-arena league`` with secrets that follow from how far the league is, and a
time that stands still: whenever it is killed and started again, its chain is the one of
a league that nobody disturbed. Words: as of the command line, from ``league`` on.
"""

import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from hashlib import sha256
from pathlib import Path

from khiva_arena.extensions.league.chain import stored_chain
from khiva_arena.extensions.league.folder import QUEUE
from khiva_arena.extensions.league.player import player
from khiva_arena.extensions.league.submissions import queue
from khiva_arena.interface.cli.main import run
from khiva_arena.records.store.db import Store

TIME = "2026-11-25T00:00:00+00:00"


@contextmanager
def same_each_time(folder: Path) -> Iterator[None]:
    """Let the secrets of the league in a folder follow from how far it is, and the time
    stand still; then put both back.
    """

    def token_bytes(size: int) -> bytes:
        with Store.read(folder) as store:
            return sha256(b"secret of batch %d" % len(store.events())).digest()[:size]

    def token_hex(size: int) -> str:
        with closing(
            sqlite3.connect(folder / QUEUE)
        ) as connection:  # which reads beside a transaction of the queue
            tables = ("authors", "families", "entries")
            number = sum(
                connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
                for table in tables
            )
        return sha256(b"id %d" % number).hexdigest()[: 2 * size]

    def secrets(**functions: Callable[[int], object]) -> type:
        return type(
            "Secrets", (), {name: staticmethod(function) for name, function in functions.items()}
        )

    with ExitStack() as stack:
        for module, name, value in (
            (player, "secrets", secrets(token_bytes=token_bytes)),
            (stored_chain, "secrets", secrets(token_hex=lambda size: "ab" * size)),
            (queue, "secrets", secrets(token_hex=token_hex)),
            (stored_chain, "now", lambda: TIME),
        ):
            stack.callback(setattr, module, name, getattr(module, name))
            setattr(module, name, value)
        yield


def main(*words: str) -> int:
    with same_each_time(Path(words[1])):
        return run(["league", *words])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
