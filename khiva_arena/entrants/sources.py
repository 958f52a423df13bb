"""The files of a bot: found by the globs of its bot.toml, measured before any is
opened, hashed in pieces.
"""

import os
import stat
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from khiva_arena.bots.sandbox import regular_files
from khiva_arena.entrants.loading import DEFAULT, Bounds, Loading, in_words
from khiva_arena.entrants.source_walk import (
    STORE,
    FolderEntry,
    SourceWalk,
    is_shipped,
    printable,
    shipped_folder,
)
from khiva_arena.errors import ConfigError
from khiva_arena.records.replay.record import canonical

MOST_GLOBS = 1_000
Sources = tuple[tuple[str, Path], ...]


def sources(
    folder: Path, manifest: Path, globs: Sequence[str], includes: Sequence[str], loading: Loading
) -> Sources:
    """Return each staged path with its file, sorted. Caches and hidden files are never
    part of a bot.

    manifest: its bot.toml, for messages

    Raises ConfigError for a link, for a file outside of its folder that ``loading``
    refuses, and beyond the bounds.
    """
    is_link, folder, bounds = (
        os.path.islink(os.path.abspath(folder)),
        Path(os.path.realpath(folder)),
        loading.bounds,
    )
    for key, words in (("files", globs), ("include", includes)):
        if len(words) > MOST_GLOBS:
            raise ConfigError(
                f"{manifest}: {key} has {len(words):,} entries, {MOST_GLOBS:,} at most; "
                "name them by a wider glob"
            )
    files_found = SourceWalk(
        folder, manifest, [_parts(glob, manifest) for glob in globs], bounds
    ).files(globs)
    included = [(name, _included(folder, manifest, name)) for name in includes]
    outside = [str(path) for path in outside_of(folder, [path for _, path in included])]
    if outside and is_link:
        raise ConfigError(
            f"{manifest}: include takes files outside of the folder, which is a link here; "
            "name the folder itself"
        )
    if outside:
        loading.include(manifest, outside)
    for name, path in included:
        if files_found.setdefault(path.name, path) != path:
            raise ConfigError(
                f"{manifest}: include names {name!r}, but the folder has a {path.name} of its own"
            )
    _measure(files_found, manifest, bounds)
    return tuple(sorted(files_found.items()))


def lead_below(globs: Sequence[str], manifest: Path, path: str) -> bool:
    """Tell whether globs may fit a file below a folder of the bot, whose files nobody
    can see.

    path: of that folder, from the bot's own
    """
    walk = SourceWalk(
        manifest.parent, manifest, [_parts(glob, manifest) for glob in globs], DEFAULT
    )
    places = walk.first()
    for name in path.split("/"):
        places = walk.below(FolderEntry(name, is_folder=True, is_link=False), places)
    return bool(places) and "__pycache__" not in path.split("/")


def identity_of_files(
    files: Sources,
    run: Sequence[str],
    build: Sequence[str],
    most: int,
    home: str,
    *,
    reports: bool = False,
) -> str:
    """Return the identity of a bot of these files, each of ``most`` bytes at most, and
    commands. Raises OSError.

    home: the bot's folder
    reports: as in ``identity``
    """
    return identity(
        [_hashed(name, path, most, home) for name, path in files], run, build, reports=reports
    )


def _hashed(name: str, path: Path, most: int, home: str) -> tuple[str, str, bool]:
    with open_source(path, home) as file:
        return name, regular_files.digest_of(file, most, path), runs(file)


def open_source(path: Path, home: str) -> BinaryIO:
    """Open a file of a bot. No part of its path that lies below the bot's folder, or
    beside it, may be a link.

    home: the bot's folder; "" if the file stands alone. A shipped bot may have links:
        who installed it made them

    Raises OSError.
    """
    if is_shipped(path):
        return regular_files.open_file(path)
    path, folder = Path(os.path.abspath(path)), Path(os.path.realpath(home))
    roots = [root for root in (folder, folder.parent) if home and path.is_relative_to(root)]
    return regular_files.open_file(path, root=[*roots, path.parent][0])


def outside_of(folder: Path, paths: Sequence[Path]) -> list[Path]:
    """Return the files that lie outside of a bot's folder; [] for a bot that comes with
    the arena. Links are resolved.
    """
    return [] if is_shipped(folder) else [path for path in paths if not path.is_relative_to(folder)]


def identity(
    files: Sequence[tuple[str, str, bool]],
    run: Sequence[str],
    build: Sequence[str],
    *,
    reports: bool = False,
) -> str:
    """Return 64 hex digits over files (name, SHA-256 in hex, True for a program), run
    and build lines.

    reports: the bot is offered to report what it spends. It is sent another hello then,
        so it is another bot.
    """
    also = {"reports": True} if reports else {}
    return sha256(
        b"khiva-bot-1\0" + canonical({"files": files, "run": run, "build": build, **also})
    ).hexdigest()


def runs(file: BinaryIO) -> bool:
    """Tell whether the owner of an open file may run it."""
    return bool(os.fstat(file.fileno()).st_mode & stat.S_IXUSR)


# --- globs ---


def _parts(glob: str, manifest: Path) -> tuple[str, ...]:
    """Split a glob into its parts, of which ** stands for any folders. Raises
    ConfigError.
    """
    if glob.startswith("/") or ".." in PurePosixPath(glob).parts:
        raise ConfigError(
            f"{manifest}: files names {glob!r}, which is outside the folder; use include for that"
        )
    parts = PurePosixPath(glob).parts
    if not parts or any("**" in part and part != "**" for part in parts):
        reason = "** is a whole part of it, or none" if parts else "it is empty"
        raise ConfigError(f"{manifest}: files names {glob!r}, which is not a glob: {reason}")
    return tuple(
        part for n, part in enumerate(parts) if part != "**" or parts[n - 1 : n] != ("**",)
    )


# --- the files found ---


def _measure(files: dict[str, Path], manifest: Path, bounds: Bounds) -> None:
    """Raise ConfigError if the files are too large. Nothing is opened, and a sparse
    file is as large as it says.
    """
    total = 0
    for name, path in files.items():
        total += (size := path.stat().st_size)
        if size > bounds.bot_file_size:
            limit = in_words("bot_file_size", bounds.bot_file_size)
            problem = (
                f"{printable(name)} has {in_words('bot_file_size', size)}, a file {limit} at most"
            )
            raise ConfigError(
                f"{manifest}: {problem}; leave it out by files, or raise --limit bot_file_size"
            )
    if total > bounds.bot_size:
        limit = in_words("bot_size", bounds.bot_size)
        problem = f"its files have {in_words('bot_size', total)}, {limit} at most"
        raise ConfigError(f"{manifest}: {problem}; name fewer in files, or raise --limit bot_size")


def _included(folder: Path, manifest: Path, name: str) -> Path:
    """Return the file that a word of ``include`` names. Raises ConfigError."""
    path, problem = Path(os.path.normpath(folder / name)), f"{manifest}: include names {name!r}"
    if any(part.startswith(".") and part != ".." for part in PurePosixPath(name).parts):
        raise ConfigError(
            f"{problem}; what begins with a dot is never included: put a copy into the "
            "folder under another name"
        )
    if not os.path.isfile(path):
        raise ConfigError(f"{problem}, which is not a file")
    if not _may_include(folder, path):
        raise ConfigError(
            f"{problem}; only a kit beside the folder can be, and no other bot's file"
        )
    try:
        open_source(path, str(folder)).close()
    except OSError as error:
        raise ConfigError(f"{problem}: {error.strerror}") from None
    return path


def _may_include(folder: Path, path: Path) -> bool:
    """Tell whether ``include`` may name a path: only beside the bot's folder, of a
    shipped bot beside any shipped one, and never another bot's file.

    A stranger wrote the bot.toml, and the files it names are copied with the arbiter's
    rights.
    """
    root = shipped_folder() if is_shipped(folder) else folder.parent
    others = [
        up
        for up in path.parents
        if root in up.parents and up != folder and (up / "bot.toml").exists()
    ]
    return path.is_relative_to(root) and not others and not (path.parent / STORE).exists()
