"""What lay in a staged folder when it was staged, noted beside it, so that a change is noticed."""

import json
import os
from hashlib import file_digest, sha256
from pathlib import Path

from khiva_arena.entrants.sources import is_executable
from khiva_arena.replay.record import canonical


def seal(final: Path) -> None:
    """Note beside a staged folder what is in it, since a bot that runs as this user could change it."""
    draft = path_of(final).with_suffix(".new")
    draft.write_text(json.dumps({"tree": _tree(final)}))
    draft.replace(path_of(final))


def is_as_sealed(final: Path) -> bool:
    """Whether nothing in a staged folder has changed since."""
    try:
        return not final.is_symlink() and bool(json.loads(path_of(final).read_text()) == {"tree": _tree(final)})
    except (OSError, ValueError):
        return False


def path_of(final: Path) -> Path:
    """The note beside a staged folder."""
    return final.with_name(f"{final.name}.json")


def _tree(folder: Path) -> str:
    """A hash over the names and contents of all that is in a folder, what was built included."""
    parts: list[tuple[str, str]] = []
    for path in sorted(folder.rglob("*")):
        if path.is_symlink():
            what = f"link {os.readlink(path)}"
        elif path.is_file():
            with path.open("rb") as file:
                what = f"{'program' if is_executable(path) else 'file'} {file_digest(file, 'sha256').hexdigest()}"
        else:
            what = "folder"
        parts.append((path.relative_to(folder).as_posix(), what))
    return sha256(b"khiva-tree-1\0" + canonical(parts)).hexdigest()
