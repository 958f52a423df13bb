"""Scratch folders on the host's disk, for the levels that cannot give a bot a file
system of its own.
"""

import os
import shutil
import stat
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

from khiva_arena.bots.sandbox import pid_namespaces, proc_usage, system, uids
from khiva_arena.bots.sandbox.limits import MOST_FILES, WORDS, Resources, too_much

PREFIX = "khiva-arena-scratch-"


def make(user: int | None) -> str:
    """Make a new empty folder that only the bot's user may enter. It is named by the
    arbiter's process, so that it can be swept.
    """
    path = tempfile.mkdtemp(prefix=f"{PREFIX}{pid_namespaces.namespace('self')}-{os.getpid()}-")
    if user is not None:
        try:
            os.chown(path, user, user)
        except OSError:
            os.rmdir(path)
            raise
    return path


def remove(path: str) -> None:
    """Remove a scratch folder, whatever a bot has put there."""
    with suppress(OSError):
        os.rmdir(path)  # nearly always it is empty
        return
    # Modes that lock this user out, trees deeper than Python recurses: the system's
    # tools cope with both.
    for words in (["chmod", "-R", "u+rwX", path], ["rm", "-rf", "--one-file-system", path]):
        tool = shutil.which(words[0])
        if tool is not None:
            subprocess.run(
                [tool, *words[1:]], stdin=subprocess.DEVNULL, capture_output=True, check=False
            )


def exceeded_limit(path: str, pids: list[int], resources: Resources) -> str:
    """Describe in words the excess in a scratch folder; "" if there is none.

    pids: the bot's processes, which may hold files there that have no name any more
    """
    size, entries = proc_usage.scratch_use(path, MOST_FILES + 1)
    if entries > MOST_FILES:
        return (
            f"{WORDS['scratch']}: more than {MOST_FILES} files, or folders that cannot be "
            "looked into"
        )
    size += proc_usage.nameless_size(pids, path)
    return too_much("scratch", size, resources) if size > resources.scratch else ""


def sweep() -> None:
    """Remove the scratch folders that dead arbiters have left."""
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        namespace, _, rest = path.name.removeprefix(PREFIX).partition("-")
        owner = rest.partition("-")[0]
        # A process number of another container says nothing here about its arbiter.
        if (
            namespace == str(pid_namespaces.namespace("self"))
            and not system.lives(owner)
            and _is_ours(path)
        ):
            remove(str(path))


def _is_ours(path: Path) -> bool:
    """Tell whether a folder belongs to this user or a bot: anyone may put things into
    the temporary folder, links to elsewhere, too.
    """
    with suppress(OSError):
        status = path.lstat()
        return stat.S_ISDIR(status.st_mode) and (
            status.st_uid == os.geteuid() or uids.is_ours(status.st_uid)
        )
    return False
