"""Results of replayed draws, kept in the user's cache folder.

They are never kept beside the store, which may be read-only or a stranger's. A file
counts only if this user owns it, nobody else may write it, and it names the key under
which it was sought. For any other file the replays are made again.
"""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

import msgspec

from khiva_arena.bots.sandbox import regular_files
from khiva_arena.errors import ConfigError
from khiva_arena.rating.ratings.swiss_factors import Factors

_LONGEST = 1_000  # bytes
_MOST = 1_000.0  # standard errors


class KeptFactors(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of one file.

    key: 64 hex digits, the key under which the factors were kept.
    pair, ranks: as in ``swiss_factors.Factors``.
    """

    key: str
    pair: float
    ranks: float


def kept_factors(key: str) -> Factors | None:
    """Return the factors for pairs and ranks that were kept under a key; None if no
    reliable file has them.
    """
    folder = _folder()
    if folder is None:
        return None
    try:
        # in a shared folder a link could lead elsewhere, and a pipe would block
        with regular_files.open_file(folder / f"{key}.json", follow=False) as file:
            status = os.fstat(file.fileno())
            if status.st_uid != os.geteuid() or status.st_mode & 0o022:
                return None
            kept = msgspec.json.decode(file.read(_LONGEST), type=KeptFactors)
    except (OSError, msgspec.DecodeError):
        return None
    in_range = all(0 <= number <= _MOST for number in (kept.pair, kept.ranks))
    return Factors(kept.pair, kept.ranks) if kept.key == key and in_range else None


def keep_factors(key: str, pair: float, ranks: float) -> None:
    """Keep factors under a key, if the folder can be written: otherwise they are worked
    out again next time.
    """
    folder = _folder()
    if folder is None:
        return
    part = None
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        number, part = tempfile.mkstemp(prefix="part-", dir=folder)
        with os.fdopen(number, "wb") as file:
            file.write(msgspec.json.encode(KeptFactors(key, pair, ranks)))
        os.replace(part, folder / f"{key}.json")
    except OSError:
        if part is not None:
            with suppress(OSError):
                os.unlink(part)


def _folder() -> Path | None:
    from khiva_arena.entrants.staging import cache_folder  # not above: most tables need no replays

    try:
        return cache_folder() / "replays"
    except ConfigError:
        return None
