"""The live screen of a run, in a process of its own, so that it takes nothing from the arbiter: ``python -m`` with the descriptor
of the stream, the bytes of it that were told already, and the arbiter's process number. It draws on stderr until its stdin ends.
"""

import os
import select
import sys
from contextlib import suppress

from khiva_arena.arbiter.usage import children

NICENESS = 10
FIRST_SECONDS = 0.5
"""A run that is over by then needs no screen; nothing heavy is imported before."""


def _ended(seconds: float) -> bool:
    """Whether the arbiter is done or dead: it holds the other side of our stdin, and writes nothing."""
    return bool(select.select([0], [], [], seconds)[0])


def spent_by(arbiter: int) -> float:
    """CPU seconds of the run: of the arbiter, its workers, and the bots that have ended."""
    ticks = 0
    for pid in [arbiter, *(child for child in children(arbiter) if child != os.getpid())]:
        with suppress(OSError, ValueError):  # it has ended, and the arbiter has its count by now
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                ticks += sum(map(int, file.read().rpartition(")")[2].split()[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def main() -> int:
    """Draw. Returns 1 where the terminal or the stream has gone."""
    descriptor, fresh, arbiter = map(int, sys.argv[1:4])
    os.nice(NICENESS)  # bots come first
    if _ended(FIRST_SECONDS):
        return 0
    from khiva_arena.cli.watching.follow import Source, follow
    from khiva_arena.cli.watching.stream import NoStream
    from khiva_arena.cli.watching.terminal import in_front

    stream = sys.stderr
    try:
        follow(
            Source(descriptor, fresh),
            stream,
            _ended,
            gone=lambda: _ended(0),
            front=lambda: in_front(arbiter, stream),
            spent=lambda: spent_by(arbiter),
        )
    except (OSError, NoStream):
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
