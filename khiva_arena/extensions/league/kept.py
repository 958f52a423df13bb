"""Values that follow from a league's store, kept in files so that they need not be
worked out again.

Each file begins with a line that names its kind, and has a hash over the rest. A file
that is lost, cut short or of another kind counts as none. The hash finds damage, not
deceit.
"""

from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from khiva_arena.bots.sandbox import regular_files
from khiva_arena.records.store import private
from khiva_arena.records.store.new_file import begins, new_file

_DIGEST_BYTES = 32
_BEGINNING = b"khiva-"
"""The beginning of every line that names a kind."""


def keep(path: Path, head: bytes, packed: bytes) -> None:
    """Keep bytes in a file, in place of an older one. ``head``: the line that names
    their kind.

    Raises ConfigError or Unwritten.
    """
    private.make_folder(path.parent)
    if not begins(path, _BEGINNING):
        with suppress(OSError):  # then it cannot be written either, which is told
            path.unlink(missing_ok=True)
    with new_file(path, replaces=_BEGINNING, mode=private.FILE) as file:
        file.write(head + sha256(packed).digest() + packed)


def kept(path: Path, head: bytes) -> bytes | None:
    """Return the bytes that a file keeps, None if it keeps none of this kind. ``head``:
    as in ``keep``.
    """
    with suppress(OSError, ValueError):
        with regular_files.open_file(path, root=path.parent.parent) as file:
            content = file.read()
        hashed, packed = content[len(head) :][:_DIGEST_BYTES], content[len(head) + _DIGEST_BYTES :]
        if content.startswith(head) and sha256(packed).digest() == hashed:
            return packed
    return None
