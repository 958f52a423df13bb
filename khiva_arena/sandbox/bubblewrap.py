"""The command line of bubblewrap: separate namespaces with only the bot's readable paths and a scratch folder.

An ordinary user's arbiter makes a user namespace for it. Root's arbiter needs none, and has the bot drop to a user of its own.
"""

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import PurePosixPath
from typing import NamedTuple

import msgspec

from khiva_arena.sandbox import launch, proc_mask, readable_paths
from khiva_arena.sandbox.limits import MIB, Resources
from khiva_arena.sandbox.prepared import ETC, Prepared
from khiva_arena.sandbox.readable_paths import is_below
from khiva_arena.sandbox.rlimits import at_most, system_limits

SCRATCH = "/scratch"
SHARED_MEMORY = 24 * MIB
"""Bytes of /dev/shm, which nobody else sees. Erlang keeps the code that it compiles there, having no memfd_create. With less room
it ends by SIGBUS, since a file can be made larger than there is room for."""
WRAPPING = 2
"""Number of processes that are not the bot's: bwrap's, one outside and one inside."""
UNCOUNTED = 16
NAMESPACES = ("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")
NO_NETWORK = "--unshare-net"


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
    """Return the paths of bwrap, prlimit and setpriv. Raises FileNotFoundError naming the missing package."""
    paths = [shutil.which(name) for name in ("bwrap", "prlimit", "setpriv")]
    for name, path in zip(("bubblewrap", "util-linux (prlimit)", "util-linux (setpriv)"), paths, strict=True):
        if path is None:
            raise FileNotFoundError(f"{name} is not installed")
    return Tools(paths[0] or "", paths[1] or "", paths[2] or "")


def command(inside: Inside, filter_descriptor: int, launcher_descriptor: int | None, prepared: Prepared) -> list[str]:
    """Return the words that start a program inside.

    filter_descriptor: open on a seccomp program, at its beginning
    launcher_descriptor: open on the launcher in C, None if it is not built
    """
    bwrap, prlimit, setpriv = tools()
    words = [bwrap, *NAMESPACES, *([] if inside.network else [NO_NETWORK]), "--die-with-parent", "--cap-drop", "ALL"]
    if inside.user is None:
        words += ["--unshare-user", "--disable-userns"]
    else:
        # What makes it the bot's user needs these, and drops them.
        words += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_SETPCAP"]
    words += _mounts(inside, prepared)
    words += ["--chdir", inside.folder, "--seccomp", str(filter_descriptor), "--"]
    processes = at_most("NPROC", inside.resources.processes + (UNCOUNTED if inside.counted else 0))
    limits = system_limits(inside.resources, inside.argv[0]) | {"NPROC": (processes, processes)}
    if launcher_descriptor is not None:
        return [*words, *launch.argv_inside(launcher_descriptor, inside.argv, limits, inside.user)]
    if inside.user is not None:
        user = str(inside.user)
        words += [setpriv, "--reuid", user, "--regid", user, "--clear-groups", "--no-new-privs", "--inh-caps=-all"]
        words += ["--bounding-set=-all", "--"]
    return [*words, prlimit, *limit_words(limits), "--", *inside.argv]


def limit_words(limits: Mapping[str, tuple[int, int]]) -> list[str]:
    """Return soft and hard limits by their names as arguments of prlimit."""
    return [f"--{name.lower()}={soft}:{hard}" for name, (soft, hard) in limits.items()]


def _mounts(inside: Inside, prepared: Prepared) -> Iterator[str]:
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
    yield from _proc(prepared)
    yield from _devices()
    yield from ("--perms", "1777", "--size", str(max(inside.resources.scratch, 1)), "--tmpfs", SCRATCH)
    for path in inside.writable:
        yield from _parents(path, folders)
        yield from ("--bind", path, path)
    if inside.folder != "/" and not any(is_below(inside.folder, path) for path in (*inside.readable, *inside.writable)):
        yield from _parents(f"{inside.folder}/any", folders)  # a bare command's: empty except for the files that its words name
    for path in ("/", "/dev"):  # or a bot could fill these, which have no size
        yield from ("--remount-ro", path)
    yield from ("--remount-ro", proc_mask.PROC)  # or it could change how the system runs its own processes


def stays_a_link(path: str) -> bool:
    """Tell whether a path is a link inside as it is outside: /bin and its like, on a merged system, which hold nothing
    themselves."""
    return os.path.islink(path) and os.path.dirname(path) == "/"


def _proc(prepared: Prepared) -> Iterator[str]:
    """Yield the mounts over /proc: proc_mask.py lists the hidden and the replaced files."""
    folders, files = proc_mask.hidden()
    for path in folders:
        yield from ("--ro-bind", prepared.picture(path) or prepared.empty, path)
    for path in proc_mask.pictures():
        if not any(is_below(path, folder) for folder in folders):
            yield from ("--ro-bind", f"{prepared.folder}{path}", path)
    for path in files:
        yield from ("--ro-bind", "/dev/null", path)


def _devices() -> Iterator[str]:
    """Yield the mounts of /dev: no `zero`, which gives memory that nobody counts, and no terminals, which are few for a
    machine."""
    yield from ("--perms", "0755", "--tmpfs", "/dev")
    for path in readable_paths.DEVICES:
        yield from ("--dev-bind", path, path)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        yield from ("--symlink", f"/proc/self/fd/{number}", f"/dev/{name}")
    yield from ("--symlink", "/proc/self/fd", "/dev/fd")
    yield from ("--perms", "1777", "--size", str(SHARED_MEMORY), "--tmpfs", "/dev/shm")


def _parents(path: str, folders: set[str]) -> Iterator[str]:
    """Yield the folders on the way to a path, made so that the user inside may pass them whatever their modes are outside."""
    for parent in [*PurePosixPath(path).parents][::-1]:
        if str(parent) != "/" and str(parent) not in folders:
            folders.add(str(parent))
            yield from ("--perms", "0755", "--dir", str(parent))
