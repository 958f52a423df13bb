"""The paths that a bot may read besides its own folder: system programs and libraries,
some settings, its toolchain.

Never readable are a home folder, /tmp, the changing parts of /var, and the folder where
the arbiter was started.
"""

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from khiva_arena.bots.sandbox import regular_files

PROGRAMS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
# For runtimes, in /etc: the linker's cache, alternatives (java, cc), certificates'
# settings, time zone, own settings.
SETTINGS = ("ld.so.cache", "alternatives", "ssl/openssl.cnf", "localtime")
OF_RUNTIMES = (
    "java*",
    "php*",
    "perl",
    "lua*",
    "ruby*",
    "nim",
    "mono/config",
    "R",
    "racket",
    "sbclrc",
)
# These a bot may write to as well.
DEVICES = ("/dev/null", "/dev/full", "/dev/random", "/dev/urandom")
# Debian keeps the list of GHC's libraries here; a link in /usr leads to it.
ELSEWHERE = ("/var/lib/ghc/package.conf.d",)
# Files that a bot with a network reads besides: how names are looked up, and whose
# certificates are believed.
NETWORK = (
    *(
        "/etc/resolv.conf",
        "/etc/hosts",
        "/etc/host.conf",
        "/etc/nsswitch.conf",
        "/etc/gai.conf",
        "/etc/services",
    ),
    *(
        "/etc/protocols",
        "/etc/ssl/certs",
        "/etc/ssl/cert.pem",
        "/etc/pki/tls/certs",
        "/etc/pki/tls/cert.pem",
    ),
    *("/etc/pki/ca-trust/extracted", "/etc/ca-certificates/extracted"),
    *("/usr/share/ca-certificates", "/usr/local/share/ca-certificates"),
)
LONGEST_FIRST_LINE = 256
LONGEST_SETTINGS = 65_536
BARE_PATH = "/usr/local/bin:/usr/bin:/bin"
RUSTUP_SECONDS = 5.0


@cache
def system() -> tuple[str, ...]:
    """Return folders and files of the system that exist here."""
    paths = [path for path in (*PROGRAMS, *ELSEWHERE) if os.path.isdir(path)]
    paths += [
        str(path)
        for pattern in (*SETTINGS, *OF_RUNTIMES)
        for path in sorted(Path("/etc").glob(pattern))
    ]
    return tuple(paths)


def of_the_network(visible: Sequence[str]) -> tuple[str, ...]:
    """Return the paths of ``NETWORK`` that exist here and are not below the ``visible``
    paths anyway.
    """
    return tuple(
        path
        for path in NETWORK
        if os.path.exists(path) and not any(is_below(path, folder) for folder in visible)
    )


@cache
def interpreter() -> tuple[str, ...]:
    """Return the paths for the arbiter's own Python: its prefixes, and the arena's
    package, which bots may take as their model.
    """
    package = str(Path(__file__).parents[2])
    return outermost(
        [sys.prefix, sys.base_prefix, sys.exec_prefix, os.path.realpath(sys.prefix), package]
    )


def toolchain(program: str) -> tuple[str, ...]:
    """Return the paths that a bot needs to read to run a program outside of the system,
    with the targets of links.

    They are its venv, else the prefix that it is installed under, else only the
    program.
    """
    if os.path.realpath(program) == os.path.realpath(sys.executable):
        return interpreter()
    paths: list[str] = []
    for path in dict.fromkeys((os.path.abspath(program), os.path.realpath(program))):
        paths += _around(path)
    return outermost(paths)


def _around(program: str) -> list[str]:
    folder = os.path.dirname(program)
    prefix = os.path.dirname(folder)
    if os.path.isfile(os.path.join(prefix, "pyvenv.cfg")):
        return [prefix, *base_of_venv(prefix)]
    is_one = os.path.basename(folder) == "bin" and os.path.isdir(os.path.join(prefix, "lib"))
    return [prefix] if is_one and not private_in(prefix) else [program]


def private_in(prefix: str) -> str:
    """Return a path in a folder which shows that the folder is not a prefix, "" for
    none.

    It is a home, or a competition in a folder that happens to have a bin and a lib.
    """
    private = [os.path.realpath(path) for path in (*_homes(), Path("."))]
    return next((path for path in private if is_below(path, os.path.realpath(prefix))), "")


def _homes() -> tuple[Path, ...]:
    """Return where a user may have programs of their own; none if that is not known, as
    for a number that belongs to no user.
    """
    try:
        home = Path.home()
    except RuntimeError:
        return ()
    return home, home / ".local"


def base_of_venv(prefix: str) -> list[str]:
    """Return the folder that a virtual environment's interpreter comes from; none if
    the folder is not a virtual environment.
    """
    try:
        text = regular_files.read(os.path.join(prefix, "pyvenv.cfg"), LONGEST_SETTINGS).decode(
            errors="replace"
        )
    except OSError:
        return []
    for line in text.splitlines():
        key, _, value = line.partition("=")
        if key.strip() == "home":
            return [os.path.dirname(os.path.realpath(value.strip()))]
    return []


def outermost(paths: Iterable[str]) -> tuple[str, ...]:
    """Return the paths, each once, without those below another one and those that are
    part of the system anyway.
    """
    outer: list[str] = []
    for path in sorted(set(paths), key=len):
        if not _is_system(path) and not any(is_below(path, folder) for folder in outer):
            outer.append(path)
    return tuple(outer)


def is_below(path: str, folder: str) -> bool:
    """Tell whether a path is the folder or in it, by their names."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


class NotExecutable(PermissionError):
    """A program that is there and may not be run. The text says which."""


def program_path(program: str, folder: str) -> str | None:
    """Return the absolute path of a program: one with a slash is relative to
    ``folder``, others are on the PATH.

    None if it is not there, or may not be run.
    """
    if "/" not in program:
        path = shutil.which(program)
        if path and not os.path.isabs(
            path
        ):  # by an entry of the PATH relative to the working folder, where anything may lie
            return os.path.abspath(path)
        return _behind_rustup(path)[0] if path else None
    path = os.path.join(folder, program)
    return path if os.access(path, os.X_OK) and os.path.isfile(path) else None


def why_not_found(program: str, folder: str) -> OSError:
    """Return the error to raise for a program that is not found."""
    path = os.path.join(folder, program)
    if "/" in program and os.path.isfile(path):
        return NotExecutable(
            f"{path} may not be executed: chmod +x it, unless its file system forbids that (noexec)"
        )
    if "/" not in program and (proxy := shutil.which(program)):
        _, why = _behind_rustup(proxy)
        return FileNotFoundError(
            f"{proxy} is rustup's, which names no {program} that it would start: {why}"
        )
    return FileNotFoundError(f"no such program: {program}")


@cache
def _behind_rustup(path: str) -> tuple[str | None, str]:
    """Return the program that a proxy of rustup starts, or None with the reason; any
    other program unchanged.

    A proxy is rustup under another name. It finds toolchains by files in the user's
    home, which a bot cannot read.
    """
    rustup, name = os.path.join(os.path.dirname(path), "rustup"), os.path.basename(path)
    proxy = name != "rustup" and os.path.isfile(rustup) and os.path.samefile(path, rustup)
    if not proxy or not _is_ours(rustup):
        return path, ""
    try:
        # Not in the working folder, which may have a toolchain of its own.
        program = subprocess.run(
            [rustup, "which", name],
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=RUSTUP_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return None, str(error)
    binary = program.stdout.strip()
    if program.returncode == 0 and os.path.isabs(binary) and os.access(binary, os.X_OK):
        return binary, ""
    return None, (
        program.stderr.strip().splitlines()
        or [f"`rustup which {name}` named {binary or 'nothing'}"]
    )[-1]


def _is_ours(program: str) -> bool:
    """Tell whether a program and its folder belong to nobody but this user and root.

    Their modes say nothing: images for containers have them writable for all.
    """
    paths = (
        program,
        os.path.dirname(program),
        os.path.realpath(program),
        os.path.dirname(os.path.realpath(program)),
    )
    return all(os.stat(path).st_uid in (0, os.geteuid()) for path in paths)


def search_path(program: str) -> str:
    """Return the PATH inside.

    It has the program's folder if that is elsewhere, then the system's own PATH, then
    other system folders on the arbiter's PATH, such as /usr/local/go/bin.
    """
    folder = os.path.dirname(program)
    folders = [] if _is_system(folder) else [folder]
    rest = [
        os.path.normpath(entry)
        for entry in os.get_exec_path()
        if _is_system(os.path.normpath(entry))
    ]
    return ":".join(dict.fromkeys([*folders, *BARE_PATH.split(":"), *rest]))


def _is_system(folder: str) -> bool:
    return any(is_below(folder, path) for path in PROGRAMS)


def is_of_the_system(path: str) -> bool:
    """Tell whether a path is the system's, the same for every bot: programs, libraries,
    devices.
    """
    return _is_system(path) or is_below(path, "/dev") or is_below(path, "/proc")


def leads_out(program: str, own_folder: str, extra: Sequence[str]) -> str:
    """Return a path outside of a bot's ``own_folder`` that is needed to start a program
    in it, "" if none is, or it may be read anyway.

    A link that a build has made may lead anywhere, and so may the first line of a
    script.
    """
    readable = (*PROGRAMS, *interpreter(), *extra, os.path.realpath(own_folder))
    runner = named_first(program)
    elsewhere = [
        os.path.realpath(program),
        *([os.path.normpath(f"/{runner.lstrip('/')}")] if runner else []),
    ]
    return next(
        (path for path in elsewhere if not any(is_below(path, folder) for folder in readable)), ""
    )


def all_of(program: str, extra: Sequence[str], own_folder: str = "") -> tuple[str, ...]:
    """Return all paths that a bot may read except its own folder. ``own_folder``: that
    folder; nothing in it makes another folder readable.
    """
    if own_folder and is_below(program, own_folder):
        runner = named_first(program) if not leads_out(program, own_folder, extra) else ""
        return (
            *system(),
            *outermost(
                [*interpreter(), *(toolchain(runner) if _is_system(runner) else ()), *extra]
            ),
        )
    runner = named_first(program)
    return (
        *system(),
        *outermost(
            [*interpreter(), *toolchain(program), *(toolchain(runner) if runner else ()), *extra]
        ),
    )


def named_first(program: str) -> str:
    """Return the interpreter that a script names in its first line, "" if it is not a
    script.
    """
    try:
        with regular_files.open_file(program) as file:
            first = file.read(LONGEST_FIRST_LINE).split(b"\n")[0]
    except OSError:
        return ""  # a file that cannot be read is not a script either
    words = first[2:].split() if first.startswith(b"#!") else []
    return os.fsdecode(words[0]) if words and os.path.isabs(words[0]) else ""


def real_paths(program: str, extra: Sequence[str], own_folder: str = "") -> tuple[str, ...]:
    """Return the paths that a program may read, with links resolved."""
    return tuple(map(os.path.realpath, all_of(program, extra, own_folder)))


def path_holding(folder: str, program: str, extra: Sequence[str], own_folder: str = "") -> str:
    """Return the path that a program may read which holds a folder, "" if none does."""
    real = os.path.realpath(folder)
    return next(
        (
            path
            for path in all_of(program, extra, own_folder)
            if is_below(real, os.path.realpath(path))
        ),
        "",
    )


def path_inside(folder: str, program: str, extra: Sequence[str], own_folder: str = "") -> str:
    """Return a path that a program may read which lies in a folder, "" if none does."""
    real = os.path.realpath(folder)
    return next(
        (
            path
            for path in all_of(program, extra, own_folder)
            if is_below(os.path.realpath(path), real)
        ),
        "",
    )


@cache
def closed_to_others(program: str) -> str:
    """Return the path that keeps a user who is neither the owner nor of the group out,
    "" if none does.

    It is the first folder on the way to a program or a folder whose modes do so, or the
    program or folder itself.
    """
    for path in dict.fromkeys((os.path.abspath(program), os.path.realpath(program))):
        for part in [str(parent) for parent in reversed(Path(path).parents)] + [path]:
            if not os.stat(part).st_mode & stat.S_IXOTH:
                return part
    return ""
