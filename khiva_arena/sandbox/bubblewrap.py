"""The command line of bubblewrap: separate namespaces for the bot, in which there is only what it may read, and a scratch folder.

An ordinary user's arbiter makes a user namespace for it. Root's arbiter needs none, and has the bot drop to a user of its own.
"""

import os
import shutil
from collections.abc import Generator, Iterator, Mapping, Sequence
from functools import cache
from pathlib import PurePosixPath

import msgspec

from khiva_arena.sandbox import proc_mask, stops
from khiva_arena.sandbox.limits import MIB, Resources
from khiva_arena.sandbox.proc_mask import PROC
from khiva_arena.sandbox.readable_paths import is_below
from khiva_arena.sandbox.rlimits import at_most, system_limits

SCRATCH = "/scratch"
SHARED_MEMORY = 24 * MIB
"""Of /dev/shm, which nobody else sees. Erlang keeps the code that it compiles there, having no memfd_create; in less it ends by
SIGBUS, since a file can be made larger than there is room for."""
WRAPPING = 2
"""Processes that are not the bot's: bwrap's, one outside and one inside."""
UNCOUNTED = 16
OF_PROC = 256 * 1024
"""Bytes for the few settings that replace /proc/sys."""
NAMESPACES = ("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")
NO_NETWORK = "--unshare-net"


class Inside(msgspec.Struct, frozen=True):
    """What a program finds inside.

    argv: its words; the first is an absolute path
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


@cache
def tools() -> tuple[str, str, str]:
    """bwrap, prlimit and setpriv. Raises FileNotFoundError naming what is missing."""
    paths = [shutil.which(name) for name in ("bwrap", "prlimit", "setpriv")]
    for name, path in zip(("bubblewrap", "util-linux (prlimit)", "util-linux (setpriv)"), paths, strict=True):
        if path is None:
            raise FileNotFoundError(f"{name} is not installed")
    return paths[0] or "", paths[1] or "", paths[2] or ""


def command(inside: Inside, filter_descriptor: int, pictures: Mapping[str, int]) -> list[str]:
    """The words that start a program inside. The descriptors are open on a seccomp program and, by path, on what files of /proc
    are to hold, each at its beginning."""
    bwrap, prlimit, setpriv = tools()
    words = [bwrap, *NAMESPACES, *([] if inside.network else [NO_NETWORK]), "--die-with-parent", "--cap-drop", "ALL"]
    if inside.user is None:
        words += ["--unshare-user", "--disable-userns"]
    else:
        words += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_SETPCAP"]
    words += _mounts(inside, pictures)
    words += ["--chdir", inside.folder, "--seccomp", str(filter_descriptor), "--"]
    if inside.user is not None:
        user = str(inside.user)
        words += [setpriv, "--reuid", user, "--regid", user, "--clear-groups", "--no-new-privs", "--inh-caps=-all"]
        words += ["--bounding-set=-all", "--"]
    processes = at_most("NPROC", inside.resources.processes + (UNCOUNTED if inside.counted else 0))
    limits = limit_words(inside.resources, inside.argv[0])
    return [*words, prlimit, f"--nproc={processes}", *limits, "--", *stops.open_to_signals(), *inside.argv]


def limit_words(resources: Resources, program: str) -> list[str]:
    """The limits as prlimit takes them, except that of processes, which the system counts by user."""
    return [f"--{name.lower()}={soft}:{hard}" for name, (soft, hard) in system_limits(resources, program).items()]


def _mounts(inside: Inside, pictures: Mapping[str, int]) -> Iterator[str]:
    folders: set[str] = set()
    for path in inside.readable:
        if stays_a_link(path):
            yield from ("--symlink", os.readlink(path), path)
        else:
            yield from _parents(path, folders)
            yield from ("--ro-bind", path, path)
    yield from ("--proc", "/proc", "--dev", "/dev")
    covered = yield from _proc(pictures)
    yield from ("--ro-bind", "/dev/null", "/dev/zero")  # mapped, it gives memory that nobody counts
    yield from ("--perms", "1777", "--size", str(SHARED_MEMORY), "--tmpfs", "/dev/shm")
    yield from ("--perms", "1777", "--size", str(max(inside.resources.scratch, 1)), "--tmpfs", SCRATCH)
    for path in inside.writable:
        yield from _parents(path, folders)
        yield from ("--bind", path, path)
    if inside.folder != "/" and not any(is_below(inside.folder, path) for path in (*inside.readable, *inside.writable)):
        yield from _parents(f"{inside.folder}/any", folders)  # a bare command's: empty except for the files that its words name
    for path in ("/", "/dev", *covered):  # or a bot could fill these, the first of which have no size
        yield from ("--remount-ro", path)


def stays_a_link(path: str) -> bool:
    """Whether a path is a link inside as it is outside: /bin and its like, on a merged system, which hold nothing themselves."""
    return os.path.islink(path) and os.path.dirname(path) == "/"


def _proc(pictures: Mapping[str, int]) -> Generator[str, None, tuple[str, ...]]:
    """The mounts over /proc, as proc_mask.py has them. Returns the folders that were covered by empty ones."""
    folders, files = proc_mask.hidden()
    for path in folders:
        yield from ("--perms", "0555", "--size", str(OF_PROC), "--tmpfs", path)
    covered: set[str] = {PROC, *folders}
    for path, descriptor in pictures.items():
        if any(is_below(path, folder) for folder in folders):  # no mount of its own
            yield from _parents(path, covered)
            yield from ("--perms", "0444", "--file", str(descriptor), path)
        else:
            yield from ("--perms", "0444", "--ro-bind-data", str(descriptor), path)
    for path in files:
        yield from ("--ro-bind", "/dev/null", path)
    return folders


def _parents(path: str, made: set[str]) -> Iterator[str]:
    """Folders on the way, made so that the user inside may pass them whatever their modes are outside."""
    for parent in [*PurePosixPath(path).parents][::-1]:
        if str(parent) != "/" and str(parent) not in made:
            made.add(str(parent))
            yield from ("--perms", "0755", "--dir", str(parent))
