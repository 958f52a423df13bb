"""The files of a bot: found by the globs of its bot.toml, measured before any is
opened, hashed in pieces.

A folder is walked once for all globs. A glob is a list of parts, and each folder has
the set of parts that may match next. So ``**/**/**`` costs no more than ``**``, and a
folder that no glob leads to is not entered.
"""

import os
import re
import stat
from collections.abc import Iterator, Sequence
from fnmatch import translate
from functools import cache
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import BinaryIO, NamedTuple

from khiva_arena.bots.sandbox import regular_files
from khiva_arena.common import shipped
from khiva_arena.entrants.loading import DEFAULT, Bounds, Loading, in_words
from khiva_arena.errors import ConfigError
from khiva_arena.records.replay.record import canonical

STORE = "arena.db"
ALL = "**/*"
MOST_GLOBS = 1_000
LOOKS_PER_FILE = 40
"""Comparisons of a name with a part of a glob, for each file that a bot may have;
finding a name counts as several.
"""
LOOKS_PER_NAME = 4

Sources = tuple[tuple[str, Path], ...]
GlobPlaces = frozenset[tuple[int, int]]


class _Entry(NamedTuple):
    name: str
    is_folder: bool
    is_link: bool


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
    files_found = _Walk(folder, manifest, [_parts(glob, manifest) for glob in globs], bounds).files(
        globs
    )
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
    walk = _Walk(manifest.parent, manifest, [_parts(glob, manifest) for glob in globs], DEFAULT)
    places = walk.first()
    for name in path.split("/"):
        places = walk.below(_Entry(name, is_folder=True, is_link=False), places)
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


def is_shipped(path: Path) -> bool:
    """Tell whether a path is that of a bot that comes with the arena."""
    return path.is_relative_to(_shipped_folder())


@cache
def _shipped_folder() -> Path:
    return shipped.folder("bots").resolve()


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


@cache
def _pattern(part: str) -> re.Pattern[str]:
    return re.compile(translate(part))


class _Walk:
    """A walk through a folder. A place is a pair: a glob, and the index of its part
    that comes next.
    """

    def __init__(
        self, folder: Path, manifest: Path, globs: Sequence[tuple[str, ...]], bounds: Bounds
    ) -> None:
        self._folder = folder
        self._manifest = manifest
        self._globs = globs
        self._bounds = bounds
        self._looks = LOOKS_PER_FILE * bounds.bot_files
        self._used_globs: set[int] = set()

    def files(self, globs: Sequence[str]) -> dict[str, Path]:
        """Return each file that a glob fits, by its path inside the folder. Raises
        ConfigError if a glob fits none.
        """
        files: dict[str, Path] = {}
        todo: list[tuple[str, int, GlobPlaces]] = [("", 0, self.first())]
        while todo:
            inside, depth, places = todo.pop()
            if depth > self._bounds.bot_depth:
                limit = self._bounds.bot_depth
                self._refuse(
                    f"has folders more than {limit} deep; leave them out by files, or "
                    "raise --limit bot_depth"
                )
            a_store = os.path.exists(os.path.join(self._folder, inside, STORE))
            for entry in self._entries(inside):
                path = f"{inside}{entry.name}"
                if entry.is_folder:
                    if below := self.below(entry, places):
                        self._refuse_link(entry, path)
                        todo.append((f"{path}/", depth + 1, below))
                # A store changes with every match, and holds secrets that no bot may
                # know.
                elif (
                    (fits := self._fits(entry, places))
                    and not a_store
                    and os.path.isfile(self._folder / path)
                ):
                    self._refuse_link(entry, path)
                    self._used_globs |= fits
                    files[path] = self._folder / path
                    if len(files) > self._bounds.bot_files:
                        limit = self._bounds.bot_files
                        self._refuse(
                            f"names more than {limit:,} files; give files narrower globs, "
                            "or raise --limit bot_files"
                        )
        for number, glob in enumerate(globs):
            if number not in self._used_globs and glob != ALL:
                raise ConfigError(f"{self._manifest}: files names {glob!r}, which matches nothing")
        return files

    def _entries(self, inside: str) -> Iterator[_Entry]:
        """Yield the entries of a folder, except hidden ones, caches, and a folder that
        may not be read.
        """
        try:
            with os.scandir(os.path.join(self._folder, inside)) as entries:
                for entry in entries:
                    self._look(LOOKS_PER_NAME)
                    if not entry.name.startswith(".") and entry.name != "__pycache__":
                        is_link = entry.is_symlink()
                        yield _Entry(
                            entry.name,
                            os.path.isdir(entry.path) if is_link else entry.is_dir(),
                            is_link,
                        )
        except PermissionError:
            return

    def _fits(self, entry: _Entry, places: GlobPlaces) -> set[int]:
        """Return the globs that end with this name."""
        self._look(len(places))
        return {
            glob
            for glob, at in places
            if at == len(self._globs[glob]) - 1
            and self._globs[glob][at] != "**"
            and _pattern(self._globs[glob][at]).match(entry.name)
        }

    def first(self) -> GlobPlaces:
        """Return the places at which all globs begin."""
        return self._open({(number, 0) for number in range(len(self._globs))})

    def below(self, entry: _Entry, places: GlobPlaces) -> GlobPlaces:
        """Return the places that may match next in a folder below this one; ** passes a
        link by.
        """
        self._look(len(places))
        below: set[tuple[int, int]] = set()
        for glob, at in places:
            part = self._globs[glob][at]
            if part == "**":
                below |= set() if entry.is_link else {(glob, at)}
            elif at + 1 < len(self._globs[glob]) and _pattern(part).match(entry.name):
                below.add((glob, at + 1))
        return self._open(below)

    def _open(self, places: set[tuple[int, int]]) -> GlobPlaces:
        """Return the places and those after each **, which may stand for no folder at
        all.
        """
        behind = {
            (glob, at + 1)
            for glob, at in places
            if self._globs[glob][at] == "**" and at + 1 < len(self._globs[glob])
        }
        return frozenset(places | behind)

    def _look(self, count: int) -> None:
        self._looks -= count
        if self._looks < 0:
            self._refuse(
                "has too many files, or too many globs for them, to go through; name "
                "fewer, or raise --limit bot_files"
            )

    def _refuse_link(self, entry: _Entry, path: str) -> None:
        if entry.is_link and not is_shipped(self._folder):
            self._refuse(f"{_printable(path)} is a link, which is not followed; put a copy there")

    def _refuse(self, reason: str) -> None:
        raise ConfigError(f"{self._manifest}: {reason}")


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
                f"{_printable(name)} has {in_words('bot_file_size', size)}, a file {limit} at most"
            )
            raise ConfigError(
                f"{manifest}: {problem}; leave it out by files, or raise --limit bot_file_size"
            )
    if total > bounds.bot_size:
        limit = in_words("bot_size", bounds.bot_size)
        problem = f"its files have {in_words('bot_size', total)}, {limit} at most"
        raise ConfigError(f"{manifest}: {problem}; name fewer in files, or raise --limit bot_size")


def _printable(name: str) -> str:
    """Return a file's name, chosen by a stranger, harmless on a terminal."""
    return name if name.isprintable() else ascii(name)


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
    root = _shipped_folder() if is_shipped(folder) else folder.parent
    others = [
        up
        for up in path.parents
        if root in up.parents and up != folder and (up / "bot.toml").exists()
    ]
    return path.is_relative_to(root) and not others and not (path.parent / STORE).exists()
