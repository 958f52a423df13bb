"""The note beside a staged bot that tells whether its files are still those that were
staged.

A bot whose files are damaged or gone fails to start, and so does one that is broken.
The seal tells the two apart: damage is the host's fault, and the match is void.
"""

import json
import os
import stat
from hashlib import blake2b, sha256
from pathlib import Path

from khiva_arena.bots.sandbox import regular_files
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.limits import MOST
from khiva_arena.records.replay.record import canonical

LARGEST_CODE = 1 << 30
"""Bytes of compiled code that is looked at."""


def seal(final: Path) -> None:
    """Note the contents of a staged folder beside it, since a bot that runs as this
    user could change them.
    """
    draft = seal_of(final).with_suffix(".new")
    draft.write_text(json.dumps({"tree": _tree(final)}))
    draft.replace(seal_of(final))


def is_as_sealed(final: Path) -> bool:
    """Tell whether nothing in a staged folder has changed since it was sealed."""
    try:
        return not final.is_symlink() and bool(
            json.loads(seal_of(final).read_text()) == {"tree": _tree(final)}
        )
    except (OSError, ValueError):
        return False


def seal_of(final: Path) -> Path:
    """Return the path of the note beside a staged folder."""
    return final.with_name(f"{final.name}.json")


def damage_of(command: Command) -> str:
    """Return in words what has changed of the files that a bot is started from, "" if
    nothing has, or nobody can know.
    """
    if command.module:
        noted = {"compiled code": command.module, "payload": command.payload}
        changed = [
            name for name, file in noted.items() if file and not _is_noted(Path(file[0]), file[1])
        ]
        what, is_sound = " and ".join(changed), not changed
    elif command.staged:
        what, is_sound = "staged copy", is_as_sealed(Path(command.folder))
    else:
        return ""
    if not is_sound:
        return f"its {what} has changed, or is gone, since it was made"
    return "" if all(map(os.path.exists, command.readable)) else "a part of its runtime is gone"


def _is_noted(path: Path, digest: str) -> bool:
    try:
        return (
            blake2b(
                regular_files.read(path, LARGEST_CODE, follow=False), digest_size=32
            ).hexdigest()
            == digest
        )
    except OSError:
        return False


def _tree(folder: Path) -> str:
    """Return a hash over the names and contents of everything in a folder, built files
    included.

    Copies under seals of khiva-tree-1 were never compared with the identity that they
    lie under.
    """
    parts: list[tuple[str, str]] = []
    for path in sorted(folder.rglob("*")):
        if path.is_symlink():
            entry = f"link {os.readlink(path)}"
        elif path.is_file():
            with regular_files.open_file(path, follow=False) as file:
                digest = regular_files.digest_of(file, MOST, path)
                runs = os.fstat(file.fileno()).st_mode & stat.S_IXUSR
                entry = f"{'program' if runs else 'file'} {digest}"
        else:
            entry = "folder"
        parts.append((path.relative_to(folder).as_posix(), entry))
    return sha256(b"khiva-tree-2\0" + canonical(parts)).hexdigest()
