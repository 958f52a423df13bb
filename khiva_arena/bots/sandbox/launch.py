"""The words that start a bot by the launcher in C (``native/launch.c``), where it is
built.
"""

import os
import resource
from collections.abc import Iterable, Mapping, Sequence

from khiva_arena.native import build

SAYS = "khiva-arena launcher: "
"""The beginning of the line in which either launcher says that it failed."""
DESCRIPTORS = "/proc/self/fd"
SAME_USER = "-1"
SLOW = (
    "Starts of bots are slower: set-up found no C compiler, or its launcher is damaged. Set up "
    "again with one."
)
"""Said on Linux where ``program()`` is empty."""


def program() -> str:
    """Return the path of the launcher, "" if it was not built."""
    return build.program("launch")


def each(order: str, values: Iterable[str]) -> list[str]:
    """Return the words that give an order once for each value."""
    return [word for value in values for word in (order, value)]


def argv(
    bot: Sequence[str],
    limits: Mapping[str, tuple[int, int]],
    user: int | None = None,
    before: Sequence[str] = (),
    after: Sequence[str] = (),
) -> list[str]:
    """Return the words that start a bot, whose life is tied to that of the thread that
    starts it.

    bot: the words of its program
    limits: soft and hard values of RLIMIT_<name>
    user: the number that it runs as, None for the user of the arbiter
    before: orders that are carried out before all others
    after: orders that are carried out after all others
    """
    of_user = [] if user is None else ["-u", str(user)]
    # A change of the user would undo -p.
    return [
        program(),
        *before,
        *_of_limits(limits),
        *of_user,
        "-p",
        str(os.getpid()),
        *after,
        "--",
        *bot,
    ]


def argv_inside(
    descriptor: int,
    bot: Sequence[str],
    limits: Mapping[str, tuple[int, int]],
    before: Sequence[str] = (),
    after: Sequence[str] = (),
) -> list[str]:
    """Return the words that start a bot inside namespaces, which do not show the
    launcher's file.

    descriptor: open on the launcher, which closes it
    bot: the words of its program
    limits: soft and hard values of RLIMIT_<name>
    before: orders that are carried out before all others
    after: orders that are carried out after all others
    """
    closed = str(descriptor)
    return [
        f"{DESCRIPTORS}/{closed}",
        "-c",
        closed,
        *before,
        *_of_limits(limits),
        *after,
        "--",
        *bot,
    ]


def _of_limits(limits: Mapping[str, tuple[int, int]]) -> list[str]:
    values = []
    for name, (soft, hard) in limits.items():
        number = getattr(resource, f"RLIMIT_{name}")
        values.append(f"{number}:{soft}:{hard}")
    return each("-l", values)
