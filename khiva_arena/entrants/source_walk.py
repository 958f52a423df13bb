"""Walk through a bot's folder by the globs of its bot.toml, with bounds on its size.

A folder is walked once for all globs. A glob is a list of parts, and each folder has
the set of parts that may match next. So ``**/**/**`` costs no more than ``**``, and a
folder that no glob leads to is not entered.
"""

import os
import re
from collections.abc import Iterator, Sequence
from fnmatch import translate
from functools import cache
from pathlib import Path
from typing import NamedTuple

from khiva_arena.common import shipped
from khiva_arena.entrants.loading import Bounds
from khiva_arena.errors import ConfigError

STORE = "arena.db"
ALL = "**/*"
LOOKS_PER_FILE = 40
"""Comparisons of a name with a part of a glob, for each file that a bot may have;
finding a name counts as several.
"""
LOOKS_PER_NAME = 4
GlobPlaces = frozenset[tuple[int, int]]


class FolderEntry(NamedTuple):
    name: str
    is_folder: bool
    is_link: bool


def is_shipped(path: Path) -> bool:
    """Tell whether a path is that of a bot that comes with the arena."""
    return path.is_relative_to(shipped_folder())


@cache
def shipped_folder() -> Path:
    return shipped.folder("bots").resolve()


@cache
def _pattern(part: str) -> re.Pattern[str]:
    return re.compile(translate(part))


class SourceWalk:
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

    def _entries(self, inside: str) -> Iterator[FolderEntry]:
        """Yield the entries of a folder, except hidden ones, caches, and a folder that
        may not be read.
        """
        try:
            with os.scandir(os.path.join(self._folder, inside)) as entries:
                for entry in entries:
                    self._look(LOOKS_PER_NAME)
                    if not entry.name.startswith(".") and entry.name != "__pycache__":
                        is_link = entry.is_symlink()
                        yield FolderEntry(
                            entry.name,
                            os.path.isdir(entry.path) if is_link else entry.is_dir(),
                            is_link,
                        )
        except PermissionError:
            return

    def _fits(self, entry: FolderEntry, places: GlobPlaces) -> set[int]:
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

    def below(self, entry: FolderEntry, places: GlobPlaces) -> GlobPlaces:
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

    def _refuse_link(self, entry: FolderEntry, path: str) -> None:
        if entry.is_link and not is_shipped(self._folder):
            self._refuse(f"{printable(path)} is a link, which is not followed; put a copy there")

    def _refuse(self, reason: str) -> None:
        raise ConfigError(f"{self._manifest}: {reason}")


def printable(name: str) -> str:
    """Return a file's name, chosen by a stranger, harmless on a terminal."""
    return name if name.isprintable() else ascii(name)
