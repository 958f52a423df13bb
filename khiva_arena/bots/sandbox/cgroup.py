"""Level strict: a control group (version 2) for each bot, below one that was delegated
to the arbiter.

A group bounds memory of every kind and processes of the whole tree, counts both
exactly, and is killed as a whole.
"""

import itertools
import os
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

from khiva_arena.bots.sandbox import system
from khiva_arena.bots.sandbox.bubblewrap import WRAPPING
from khiva_arena.bots.sandbox.limits import Resources

NEEDED = ("memory", "pids")
ARBITERS = "khiva-arena-arbiter"
BOTS = "khiva-arena-bot"
DELEGATE = "systemd-run --user --scope -p Delegate=yes --"
COUNTERS = ("memory.events", "pids.events")
REMOVE_SECONDS = 2.0
SWEEP_SECONDS = 0.2
_count = itertools.count()


@cache
def home() -> Path:
    """Return the group below which bots get theirs, made ready. Raises OSError that
    names the missing rights or controllers.

    The arbiter moves into a leaf of its own, since a group with processes cannot hand
    controllers on.
    """
    group = own_group()
    in_leaf = (
        group.name == ARBITERS
    )  # put there by the arbiter that started this process, or by the maker of the group
    if in_leaf:
        group = group.parent
    have = (group / "cgroup.controllers").read_text().split()
    missing = [name for name in NEEDED if name not in have]
    if missing:
        raise OSError(f"cgroup {group} was not given {' and '.join(missing)}")
    if not os.access(group / "cgroup.subtree_control", os.W_OK) or not os.access(group, os.W_OK):
        raise OSError(f"cgroup {group} is not delegated to this user")
    leaf = group / ARBITERS
    if not in_leaf:
        leaf.mkdir(exist_ok=True)
        (leaf / "cgroup.procs").write_text("0")
    try:
        (group / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in NEEDED))
    except OSError as error:
        if not in_leaf:
            with suppress(OSError):  # as it was
                (group / "cgroup.procs").write_text("0")
                leaf.rmdir()
        raise OSError(f"cgroup {group} has other processes in it ({error.strerror})") from None
    return group


def own_group() -> Path:
    """Return the group of version 2 that this process is in. Raises OSError if there is
    none.
    """
    path = next(
        (
            line[3:]
            for line in Path("/proc/self/cgroup").read_text().splitlines()
            if line.startswith("0::")
        ),
        None,
    )
    if path is None:
        raise OSError("this process is in no cgroup of version 2")
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        if after.startswith("cgroup2 "):
            return Path(before.split()[4] + path)
    raise OSError("no cgroup of version 2 is mounted")


class Group:
    """A control group of one bot."""

    def __init__(self, resources: Resources, parent: Path | None = None) -> None:
        """Make the group below ``parent`` (by default ``home()``). Raises OSError."""
        # The name has the arbiter's number: `sweep` removes only groups of arbiters
        # that are dead.
        self.path = (parent or home()) / f"{BOTS}-{os.getpid()}-{next(_count)}"
        self._counted: dict[str, str] = {}
        self.path.mkdir()
        try:
            self._set("memory.max", resources.memory)
            # The processes that wrap the bot are in its group, too.
            self._set("pids.max", resources.processes + WRAPPING)
            # Swapped memory would not count, and without the second the system would
            # end one process of a bot and leave the rest.
            for name, value in (("memory.swap.max", 0), ("memory.oom.group", 1)):
                if (self.path / name).exists():  # a kernel without swap accounting lacks the first
                    self._set(name, value)
        except OSError:
            with suppress(OSError):
                self.path.rmdir()
            raise

    def _set(self, name: str, value: int) -> None:
        (self.path / name).write_text(str(value))

    def entering(self, words: list[str]) -> list[str]:
        """Return the command that enters the group and then becomes ``words``."""
        # The shell enters and becomes the program, so that no process of a bot is ever
        # outside of its limits.
        return [
            "/bin/sh",
            "-c",
            'echo 0 > "$0" && exec "$@"',
            str(self.path / "cgroup.procs"),
            *words,
        ]

    def event(self, name: str, key: str) -> int:
        """Return a counter of memory.events or pids.events, its last value once the
        group is removed; 0 if it cannot be read.
        """
        self._count(name)
        for line in self._counted.get(name, "").splitlines():
            word, _, number = line.partition(" ")
            if word == key:
                return int(number)
        return 0

    def _count(self, name: str) -> None:
        with suppress(OSError):
            self._counted[name] = (self.path / name).read_text()

    def kill(self) -> None:
        """Send SIGKILL to everything in the group, at once. Before Linux 5.14 that is
        left to the end of the namespace.
        """
        with suppress(OSError):
            self._set("cgroup.kill", 1)

    def freeze(self, frozen: bool) -> None:
        """Stop all processes of the group, or let them continue."""
        with suppress(FileNotFoundError):
            self._set("cgroup.freeze", int(frozen))

    def remove(self) -> None:
        """Remove the group once it is empty; its counters can still be asked for.
        Raises OSError if it does not become empty.
        """
        for name in COUNTERS:
            self._count(name)
        _remove(self.path, REMOVE_SECONDS)


def _remove(path: Path, seconds: float) -> None:
    until = time.monotonic() + seconds
    while True:
        try:
            path.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            # A killed process stays in its group for a moment, and a group with
            # processes cannot be removed.
            if time.monotonic() > until:
                raise
            time.sleep(0.0005)


def sweep(parent: Path) -> None:
    """Kill and remove the groups that dead arbiters have left."""
    for path in parent.glob(f"{BOTS}-*"):
        owner = path.name.split("-")[-2]
        if not system.lives(owner):
            with suppress(OSError):
                (path / "cgroup.kill").write_text("1")
                _remove(path, SWEEP_SECONDS)
