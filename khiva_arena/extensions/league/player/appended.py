"""A public file of a league to which lines are added, so that a write costs what has
changed and not what was.
"""

import os
from pathlib import Path

from khiva_arena.bots.sandbox import regular_files
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.league.folder import PUBLIC, write_public
from khiva_arena.records.store.new_file import Unwritten, to_disk


class AppendedFile:
    """A public file that only grows.

    size: in bytes, of the lines that are known to be whole and on the disk.
    """

    def __init__(self, folder: Path, name: str, size: int) -> None:
        """Name a file of the league in a folder."""
        self._folder, self._name, self.size = folder, name, size

    def is_kept(self, last_line: bytes) -> bool:
        """Tell whether the lines that are known to be whole are there, and end with
        this one.
        """
        try:
            with regular_files.open_file(
                self._folder / PUBLIC / self._name, root=self._folder
            ) as file:
                file.seek(max(0, self.size - len(last_line)))
                return file.read(len(last_line)) == last_line
        except OSError:
            return False

    def mend(self) -> None:
        """Cut off what a kill has left behind the lines that are known to be whole.
        Raises ConfigError.
        """
        path = self._folder / PUBLIC / self._name
        try:
            if self.size:
                os.truncate(path, self.size)
        except OSError as error:
            raise ConfigError(f"{path}: cannot be written: {error.strerror or error}") from None

    def add(self, lines: bytes) -> None:
        """Add lines behind those that are known to be whole. The first lines make the
        file anew. Raises ConfigError or Unwritten.
        """
        if not lines:
            return
        path = self._folder / PUBLIC / self._name
        if not self.size:
            remove(path)
            write_public(self._folder, self._name, lines)
        else:
            try:
                with path.open("r+b", buffering=0) as file:
                    file.seek(self.size)
                    _write_all(file.fileno(), lines)
                    to_disk(file.fileno())
            except FileNotFoundError:
                raise ConfigError(
                    f"{path}: was removed while the league was played; the next start makes it anew"
                ) from None
            except OSError as error:
                raise Unwritten(f"{path}: cannot be written: {error.strerror or error}") from None
        self.size += len(lines)


def remove(path: Path) -> None:
    """Remove a file if it is there. Raises ConfigError if that is not possible."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be removed: {error.strerror or error}") from None


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
