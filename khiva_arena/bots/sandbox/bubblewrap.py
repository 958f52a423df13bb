"""The command line of bubblewrap: separate namespaces with only the bot's readable
paths and a scratch folder.

An ordinary user's arbiter makes a user namespace for it. Root's arbiter needs none, and
has the bot drop to a user of its own.
"""

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import PurePosixPath
from typing import NamedTuple

import msgspec

from khiva_arena.bots.sandbox import launch, proc_mask, readable_paths
from khiva_arena.bots.sandbox.limits import MIB, Resources
from khiva_arena.bots.sandbox.prepared import ETC, Prepared
from khiva_arena.bots.sandbox.proc_mask import EMPTY
from khiva_arena.bots.sandbox.readable_paths import is_below
from khiva_arena.bots.sandbox.rlimits import at_most, system_limits

SCRATCH = "/scratch"
SHARED_MEMORY = 24 * MIB
"""Bytes of /dev/shm, which nobody else sees. Erlang keeps the code that it compiles
there, having no memfd_create. With less room it ends by SIGBUS, since a file can be
made larger than there is room for.
"""
WRAPPING = 2
"""Number of processes that are not the bot's: bwrap's, one outside and one inside."""
UNCOUNTED = 16
NAMESPACES = ("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")
NO_NETWORK = "--unshare-net"
SOURCES = f"{proc_mask.PROC}/fs"
"""The folder of /proc at which the launcher in C finds the sources of covers. It is
covered last; every kernel has it.
"""
TO_CHANGE_USER = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP")
TO_FORBID_NAMESPACES = ("CAP_SYS_RESOURCE", "CAP_SETPCAP")
"""Capabilities by which the launcher forbids further user namespaces, and gives all
capabilities up. bubblewrap would forbid them from a second namespace, in which nobody
may mount anything.
"""


class Inside(msgspec.Struct, frozen=True):
    """The parts of a start inside the namespaces.

    argv: words of the program; the first is an absolute path
    folder: where it starts
    readable: paths that it sees, as they are outside
    writable: paths that it may write to
    resources: the limits
    user: the number it runs as under root's arbiter, else None
    counted: a control group counts its processes, so that this limit need not
    network: it shares the machine's network
    """

    argv: Sequence[str]
    folder: str
    readable: Sequence[str]
    writable: Sequence[str]
    resources: Resources
    user: int | None
    counted: bool = False
    network: bool = False


class Tools(NamedTuple):
    """The paths of the programs that start a bot inside."""

    bwrap: str
    prlimit: str
    setpriv: str


@cache
def tools() -> Tools:
    """Return the paths of bwrap, prlimit and setpriv. Raises FileNotFoundError naming
    the missing package.
    """
    paths = [shutil.which(name) for name in ("bwrap", "prlimit", "setpriv")]
    for name, path in zip(
        ("bubblewrap", "util-linux (prlimit)", "util-linux (setpriv)"), paths, strict=True
    ):
        if path is None:
            raise FileNotFoundError(f"{name} is not installed")
    return Tools(paths[0] or "", paths[1] or "", paths[2] or "")


def command(
    inside: Inside, filter_descriptor: int, launcher_descriptor: int | None, prepared: Prepared
) -> list[str]:
    """Return the words that start a program inside.

    filter_descriptor: open on a seccomp program, at its beginning
    launcher_descriptor: open on the launcher in C, None if it is not built
    """
    _, prlimit, setpriv = tools()
    # What makes it the bot's user needs capabilities, and drops them.
    words = _namespaces(inside, () if inside.user is None else TO_CHANGE_USER)
    if inside.user is None:
        words.append("--disable-userns")
    words += _mounts(inside, prepared, _covers(prepared))
    # Or it could change how the system runs its own processes.
    words += [
        "--remount-ro",
        proc_mask.PROC,
        "--chdir",
        inside.folder,
        "--seccomp",
        str(filter_descriptor),
        "--",
    ]
    limits = _limits(inside)
    if launcher_descriptor is not None:
        becomes = [] if inside.user is None else ["-k", str(inside.user)]
        return [
            *words,
            *launch.argv_inside(launcher_descriptor, inside.argv, limits, after=becomes),
        ]
    if inside.user is not None:
        user = str(inside.user)
        words += [
            setpriv,
            "--reuid",
            user,
            "--regid",
            user,
            "--clear-groups",
            "--no-new-privs",
            "--inh-caps=-all",
        ]
        words += ["--bounding-set=-all", "--"]
    return [*words, prlimit, *limit_words(limits), "--", *inside.argv]


def command_that_covers(
    inside: Inside, filter_descriptor: int, launcher_descriptor: int, prepared: Prepared
) -> list[str]:
    """Return the words of ``command`` for a launcher in C that covers files of /proc
    itself, with the same result.

    bubblewrap reads the list of all mounts for each cover, which takes ten times as
    long.
    """
    own = TO_FORBID_NAMESPACES if inside.user is None else TO_CHANGE_USER
    words = _namespaces(inside, (*own, "CAP_SYS_ADMIN"))
    shown = ("--ro-bind", prepared.folder, SOURCES)
    words += _mounts(inside, prepared, shown)
    words += ["--chdir", inside.folder, "--"]
    before: list[str] = []
    user = str(inside.user)
    if inside.user is None:
        before += ["-n", "0"]
        user = launch.SAME_USER
    for source, path in proc_mask.covers(SOURCES):
        if path != SOURCES:
            before += ["-m", f"{source}:{path}"]
    before += ["-m", f"{SOURCES}{EMPTY}:{SOURCES}"]
    before += ["-o", proc_mask.PROC]
    # The filter comes last, since it refuses mounts.
    after = ["-k", user, "-e", str(filter_descriptor)]
    return [
        *words,
        *launch.argv_inside(launcher_descriptor, inside.argv, _limits(inside), before, after),
    ]


def _namespaces(inside: Inside, capabilities: Sequence[str]) -> list[str]:
    words = [
        tools().bwrap,
        *NAMESPACES,
        "--die-with-parent",
        "--cap-drop",
        "ALL",
        *launch.each("--cap-add", capabilities),
    ]
    if inside.user is None:
        words.append("--unshare-user")
    return words if inside.network else [*words, NO_NETWORK]


def _limits(inside: Inside) -> dict[str, tuple[int, int]]:
    processes = at_most("NPROC", inside.resources.processes + (UNCOUNTED if inside.counted else 0))
    return system_limits(inside.resources, inside.argv[0]) | {"NPROC": (processes, processes)}


def limit_words(limits: Mapping[str, tuple[int, int]]) -> list[str]:
    """Return soft and hard limits by their names as arguments of prlimit."""
    return [f"--{name.lower()}={soft}:{hard}" for name, (soft, hard) in limits.items()]


def _mounts(inside: Inside, prepared: Prepared, over_proc: Iterable[str]) -> Iterator[str]:
    folders: set[str] = set()
    # One mount for /etc, unless a path in it is asked for that has no place there.
    etc = all(prepared.holds(path) for path in (*inside.readable, *inside.writable, inside.folder))
    if etc:
        yield from ("--ro-bind", prepared.etc, ETC)
    for path in inside.readable:
        if etc and path in prepared.copies:
            continue
        if stays_a_link(path):
            yield from ("--symlink", os.readlink(path), path)
        else:
            yield from _parents(path, folders)
            yield from ("--ro-bind", path, path)
    yield from ("--proc", "/proc")
    yield from over_proc
    yield from _devices()
    yield from (
        "--perms",
        "1777",
        "--size",
        str(max(inside.resources.scratch, 1)),
        "--tmpfs",
        SCRATCH,
    )
    for path in inside.writable:
        yield from _parents(path, folders)
        yield from ("--bind", path, path)
    if inside.folder != "/" and not any(
        is_below(inside.folder, path) for path in (*inside.readable, *inside.writable)
    ):
        yield from _parents(
            f"{inside.folder}/any", folders
        )  # a bare command's: empty except for the files that its words name
    for path in ("/", "/dev"):  # or a bot could fill these, which have no size
        yield from ("--remount-ro", path)


def stays_a_link(path: str) -> bool:
    """Tell whether a path is a link inside as it is outside: /bin and its like, on a
    merged system, which hold nothing themselves.
    """
    return os.path.islink(path) and os.path.dirname(path) == "/"


def _covers(prepared: Prepared) -> Iterator[str]:
    for source, path in proc_mask.covers(prepared.folder):
        yield from ("--ro-bind", source, path)


def _devices() -> Iterator[str]:
    """Yield the mounts of /dev: no `zero`, which gives memory that nobody counts, and
    no terminals, which are few for a machine.
    """
    yield from ("--perms", "0755", "--tmpfs", "/dev")
    for path in readable_paths.DEVICES:
        yield from ("--dev-bind", path, path)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        yield from ("--symlink", f"/proc/self/fd/{number}", f"/dev/{name}")
    yield from ("--symlink", "/proc/self/fd", "/dev/fd")
    yield from ("--perms", "1777", "--size", str(SHARED_MEMORY), "--tmpfs", "/dev/shm")


def _parents(path: str, folders: set[str]) -> Iterator[str]:
    """Yield the folders on the way to a path, made so that the user inside may pass
    them whatever their modes are outside.
    """
    for parent in [*PurePosixPath(path).parents][::-1]:
        if str(parent) != "/" and str(parent) not in folders:
            folders.add(str(parent))
            yield from ("--perms", "0755", "--dir", str(parent))
