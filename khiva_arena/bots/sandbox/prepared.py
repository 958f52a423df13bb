"""The read-only contents of a cell of namespaces that all bots share, laid out once for
this process.

They are replacements for files of /proc, and copies of the settings in /etc. One mount
shows a folder of them, where each file would need a mount at each start.
"""

import atexit
import os
import shutil
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import msgspec

from khiva_arena.bots.sandbox import proc_mask, readable_paths, scratch
from khiva_arena.bots.sandbox.readable_paths import is_below

ETC = "/etc"
FEW, SMALL = 16, 1 << 20
"""Most entries and bytes of a copy: to copy more would take longer than to mount it at
some starts.
"""


class Prepared(msgspec.Struct, frozen=True):
    """A folder of this process's, of which `etc`, `proc` and an empty folder may be
    shown.

    folder: its path
    copies: paths in /etc that are there as copies
    mounts: paths in /etc for which there is a place to mount them
    """

    folder: str
    copies: frozenset[str]
    mounts: frozenset[str]

    @property
    def etc(self) -> str:
        return f"{self.folder}{ETC}"

    def holds(self, path: str) -> bool:
        """Tell whether a path needs no place in /etc that is missing here."""
        return path in self.copies or path in self.mounts or not is_below(path, ETC)


_of_process: dict[int, Prepared] = {}


def prepare() -> Prepared:
    """Return the prepared folder of this process, made at the first call. Raises
    OSError.
    """
    current = _of_process.get(os.getpid())  # a forked process has its own: this one may end first
    # A system may remove files that are days old.
    if current is None or not os.path.exists(f"{current.folder}{proc_mask.PROC}/stat"):
        current = _of_process[os.getpid()] = _lay_out(proc_mask.pictures())
    return current


def _lay_out(pictures: Mapping[str, bytes]) -> Prepared:
    folder = scratch.make(None)
    atexit.register(partial(_remove, folder, os.getpid()))
    for name in (ETC, proc_mask.PROC, proc_mask.EMPTY):
        _folders(folder, name)
    for path, text in pictures.items():
        _folders(folder, os.path.dirname(path))
        file = Path(f"{folder}{path}")
        file.write_bytes(text)
        file.chmod(0o444)
    copies: set[str] = set()
    mounts: set[str] = set()
    for path in readable_paths.system():
        if is_below(path, ETC):
            _folders(folder, os.path.dirname(path))
            (copies if _copy(path, folder) else mounts).add(path)
    for path in mounts:
        place = f"{folder}{path}"
        if os.path.isdir(path):
            _folders(folder, path)
        else:
            Path(place).touch(0o444)
    return Prepared(folder, frozenset(copies), frozenset(mounts))


def _folders(top: str, path: str) -> None:
    """Make a folder and those on the way; bots may pass them whatever the arbiter's
    umask is.
    """
    for part in [*[str(parent) for parent in Path(path).parents][-2::-1], path]:
        if not os.path.isdir(f"{top}{part}"):
            os.mkdir(f"{top}{part}")
            os.chmod(f"{top}{part}", 0o755)


def _copy(path: str, folder: str) -> bool:
    """Copy a setting, with modes as they are, so that a bot may read no more than
    before. Return False if it cannot be copied.
    """
    copy = f"{folder}{path}"
    try:
        if not _is_small(path):
            return False
        if os.path.isdir(path):
            shutil.copytree(path, copy, symlinks=True)
        else:
            shutil.copy2(path, copy)
    except (
        OSError
    ):  # shutil.Error is one, too: the folder holds files that the arbiter may not read
        if os.path.isdir(copy):
            shutil.rmtree(copy)
        else:
            Path(copy).unlink(missing_ok=True)
        return False
    return True


def _is_small(path: str) -> bool:
    entries, size = 0, 0 if os.path.isdir(path) else os.stat(path).st_size
    for folder, folders, files in os.walk(path):
        entries += len(folders) + len(files)
        if entries > FEW:
            return False
        size += sum(os.lstat(os.path.join(folder, name)).st_size for name in files)
    return size <= SMALL


def _remove(folder: str, owner: int) -> None:
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)
