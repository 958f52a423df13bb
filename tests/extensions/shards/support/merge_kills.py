"""Merge stores into OUT and be killed, KILLS times at seeded instants; print as JSON
what was left behind each time, and what the merge comes to at the end, which nobody
kills. A process of its own, so that it can fork.

merge_kills.py SEED KILLS OUT STORE...
"""

import json
import os
import random
import shutil
import signal
import sqlite3
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from khiva_arena.errors import ArenaError
from khiva_arena.extensions.shards import merge, merge_target
from khiva_arena.interface.api.verify import verify

AWAITED = ("arena.lock", "arena.db-new", "arena.db", *("arena.db-wal",) * 4, "arena.seal-new")
WRITTEN = 2_000_000
"""Bytes that a whole merge writes beside the store, about."""
LONGEST = 60.0


def main(seed: str, kills: str, out: str, *stores: str) -> None:
    merge_target.MATCHES_AT_ONCE = 1  # so that there are many instants between two transactions
    chance, folder, parts = random.Random(int(seed)), Path(out), [Path(store) for store in stores]
    left: list[dict[str, object]] = []
    seconds = _seconds(folder, parts)
    before = 0
    while len(left) < int(kills):
        killed = _killed(folder, parts, chance, seconds)
        recorded = _recorded(folder)
        problems = _problems(folder) if recorded else []
        if killed:
            left.append(
                {"recorded": recorded, "lost": max(0, before - recorded), "problems": problems}
            )
        before = recorded
        if not killed or chance.random() < 0.1:
            if folder.exists():  # a kill may come before that
                shutil.rmtree(folder)
            before = 0
    end = merge.merge(parts, folder, lambda _: None)
    print(json.dumps({"left": left, "end": end.to_dict()}))


def _seconds(out: Path, stores: Sequence[Path]) -> float:
    """How long one takes that is left alone."""
    begun = time.monotonic()
    merge.merge(stores, out, lambda _: None)
    shutil.rmtree(out)
    return time.monotonic() - begun


def _killed(out: Path, stores: Sequence[Path], chance: random.Random, seconds: float) -> bool:
    """Merge in a process that is killed, unless it is over before that."""
    delay = chance.uniform(0, 1.2 * seconds) if chance.random() < 0.2 else LONGEST
    awaited = chance.choice(AWAITED)
    after = chance.choice((0.0, chance.uniform(0, 0.3 * seconds)))
    size = chance.randrange(WRITTEN) if awaited == "arena.db-wal" else 0
    child = os.fork()
    if not child:
        try:
            merge.merge(stores, out, lambda _: None)
        finally:
            os._exit(0)
    deadline = time.monotonic() + delay
    while (
        time.monotonic() < deadline
        and not _has(out / awaited, size)
        and os.waitid(os.P_PID, child, _LOOK) is None
    ):
        time.sleep(0.0005)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


_LOOK = os.WEXITED | os.WNOHANG | os.WNOWAIT


def _has(file: Path, size: int) -> bool:
    try:
        return file.stat().st_size >= size
    except FileNotFoundError:
        return False


def _recorded(folder: Path) -> int:
    """How many matches a store holds."""
    if not (folder / "arena.db").exists():
        return 0
    with closing(sqlite3.connect(folder / "arena.db")) as connection:
        return int(connection.execute("SELECT count(*) FROM matches").fetchone()[0])


def _problems(folder: Path) -> list[str]:
    try:
        result = verify(folder)
    except ArenaError as error:
        return [str(error)]
    return [*result.problems, *(problem for report in result.events for problem in report.problems)]


if __name__ == "__main__":
    main(*sys.argv[1:])
