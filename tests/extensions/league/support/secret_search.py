"""Run as a server of a league, at the moment when it would begin to answer: open all
that can be opened, and look for a secret.

``argv``: a file with paths, a line each; the secret in hex; "confined" or "open"; the
    words of the command. Prints JSON: opened, how many paths, and hits, those in which
    the secret is.
"""

import json
import os
import stat
import sys
from pathlib import Path
from typing import Any

MOST = 64 << 20
BESIDE = ("../arena.db", "../arena.db-wal", "../league.toml", "../queue.db", "link", "league.json")


def read(path: str, folder: int | None = None) -> bytes | None:
    """Return what a path holds, None if it cannot be opened."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK, dir_fd=folder)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        try:
            return file.read(MOST) or b""
        except OSError:  # memory that is not there
            return b""


def open_folders() -> list[int]:
    """Return the descriptors of folders that this process has open."""
    found = []
    for descriptor in range(100):
        try:
            if stat.S_ISDIR(os.fstat(descriptor).st_mode):
                found.append(descriptor)
        except OSError:
            continue
    return found


def main() -> None:
    """Start the server, and search in place of answering."""
    paths = Path(sys.argv[1]).read_text().splitlines()
    secret = bytes.fromhex(sys.argv[2])
    is_confined, words = sys.argv[3] == "confined", sys.argv[4:]
    import khiva_arena.extensions.league.routes.server as server
    from khiva_arena.interface.cli.start import main as command

    def search(*_: Any) -> None:
        contents = {path: read(path) for path in paths}
        for folder in open_folders():
            contents |= {f"{folder}:{name}": read(name, folder) for name in BESIDE}
        held = {path: data for path, data in contents.items() if data is not None}
        hits = [
            path for path, data in held.items() if secret in data or secret.hex().encode() in data
        ]
        print(json.dumps({"opened": sorted(held), "hits": hits}))

    server.trio.run = search  # type: ignore[assignment]
    if not is_confined:
        server.own_cell.confine = lambda *_: None
    sys.argv = ["khiva-arena", *words]
    command()


if __name__ == "__main__":
    main()
