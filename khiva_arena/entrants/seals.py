"""Seals of staged folders: a hash of the contents, noted beside the folder, by which a later change is noticed."""

import json
import os
from hashlib import file_digest, sha256
from pathlib import Path

from khiva_arena.entrants.sources import is_executable
from khiva_arena.replay.record import canonical


def seal(final: Path) -> None:
    """Note the contents of a staged folder beside it, since a bot that runs as this user could change them."""
    draft = path_of(final).with_suffix(".new")
    draft.write_text(json.dumps({"tree": _tree(final)}))
    draft.replace(path_of(final))


def is_as_sealed(final: Path) -> bool:
    """Tell whether nothing in a staged folder has changed since it was sealed."""
    try:
        return not final.is_symlink() and bool(json.loads(path_of(final).read_text()) == {"tree": _tree(final)})
    except (OSError, ValueError):
        return False


def path_of(final: Path) -> Path:
    """Return the path of the note beside a staged folder."""
    return final.with_name(f"{final.name}.json")


def _tree(folder: Path) -> str:
    """Return a hash over the names and contents of everything in a folder, built files included."""
    parts: list[tuple[str, str]] = []
    for path in sorted(folder.rglob("*")):
        if path.is_symlink():
            entry = f"link {os.readlink(path)}"
        elif path.is_file():
            with path.open("rb") as file:
                entry = f"{'program' if is_executable(path) else 'file'} {file_digest(file, 'sha256').hexdigest()}"
        else:
            entry = "folder"
        parts.append((path.relative_to(folder).as_posix(), entry))
    return sha256(b"khiva-tree-1\0" + canonical(parts)).hexdigest()
