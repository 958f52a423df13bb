"""The files of an instructor, kept from the bots: results where no bot can write, and
the secret of the deals.
"""

import os
import stat
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from khiva_arena.bots.sandbox import regular_files
from khiva_arena.bots.sandbox.readable_paths import is_below
from khiva_arena.entrants.staging import cache_folder
from khiva_arena.errors import ConfigError
from khiva_arena.records.store.new_file import check_new_file

SEED_FILE, RESULTS, JUNIT, OUT = "--seed-file", "--results", "--junit", "--out"
FEWEST_BYTES, MOST_BYTES = 16, 1 << 20
HOW_TO_MAKE = "`head -c 32 /dev/urandom | base64 >FILE; chmod 600 FILE` makes one"


class Written(NamedTuple):
    """A file that is written when the grading is over.

    flag: by which it was named.
    path: of the file.
    begins: the first bytes of each such file, so that an earlier one may be replaced.
    """

    flag: str
    path: Path
    begins: bytes


def check_written(files: Sequence[Written], out: Path | None, bot: str, ladder: Path) -> None:
    """Raise ConfigError if a bot may write to one of these files, or if one cannot be
    written.

    out: the folder for the matches, None if none was named
    bot: the folder of the bot, "" if it has none
    """
    problems = []
    if out is not None and (holder := _holder(out / "file", bot, ladder)):
        problems.append(f"{OUT} {out}: the matches would lie in {holder}; name a folder elsewhere")
    if len({os.path.realpath(file.path) for file in files}) < len(files):
        problems.append(f"{RESULTS} and {JUNIT} name one file; give two")
    for flag, path, begins in files:
        if holder := _holder(path, bot, ladder):
            problems.append(f"{flag} {path}: the file would lie in {holder}; name a file elsewhere")
        elif _is_open(path):
            problems.append(
                f"{flag} {path}: other users may write into its folder, and bots may be "
                "other users; chmod go-w it"
            )
        else:
            try:
                check_new_file(path, begins)
            except ConfigError as error:
                problems += [f"{flag} {problem}" for problem in error.problems]
    if problems:
        raise ConfigError(problems)


def secret_of(path: Path, bot: str) -> bytes:
    """Return the secret of the deals that a file holds. Raises ConfigError if a bot may
    know it.
    """
    shown = f"{SEED_FILE} {path}"
    if bot and is_below(os.path.realpath(path), os.path.realpath(bot)):
        raise ConfigError(
            f"{shown}: the file lies in the folder of the bot, which then knows each deal; "
            "name one elsewhere"
        )
    try:
        with regular_files.open_file(path) as file:
            mode = os.fstat(file.fileno()).st_mode
            text = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise ConfigError(f"{shown}: cannot be read: {error.strerror or error}") from None
    if stat.S_IMODE(mode) & 0o077:
        raise ConfigError(
            f"{shown}: other users may read the secret of the deals; chmod 600 {path}"
        )
    if len(text) > MOST_BYTES or len(text.strip()) < FEWEST_BYTES:
        raise ConfigError(
            f"{shown}: a secret has {FEWEST_BYTES} to {MOST_BYTES:,} bytes; {HOW_TO_MAKE}"
        )
    return sha256(b"khiva-ladder-1\0" + text.strip()).digest()


def seed_of(secret: bytes, rung: str) -> str:
    """Return the secret of a rung's deals in hex. Rungs have different deals, so that
    none tells of another.
    """
    return sha256(b"khiva-rung-1\0" + secret + rung.encode()).hexdigest()


def _holder(path: Path, bot: str, ladder: Path) -> str:
    """Return in words the place in which a file would lie and a bot might write, "" for
    none.

    The folder is looked at as the system finds it, so that no link leads elsewhere.
    """
    folder = os.path.realpath(path.parent)
    places = {
        "the folder of the bot": bot,
        "the ladder": str(ladder),
        "the cache of bots": str(cache_folder()),
    }
    return next(
        (
            words
            for words, place in places.items()
            if place and is_below(folder, os.path.realpath(place))
        ),
        "",
    )


def _is_open(path: Path) -> bool:
    """Tell whether another user could replace a file in its folder, or the folder
    itself.
    """
    folder = Path(os.path.realpath(path.parent))
    for place in (folder, *folder.parents):
        try:
            mode = place.stat().st_mode
        except OSError:
            return False  # which says more when the file is opened
        if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
            return True
    return False
