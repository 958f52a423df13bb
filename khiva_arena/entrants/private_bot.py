"""A bot whose files are laid out in a private folder: those of a commit, or those of an
archive.
"""

import atexit
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from khiva_arena.bots.sandbox import scratch
from khiva_arena.common.text import file_name
from khiva_arena.entrants.loading import Loading
from khiva_arena.errors import ConfigError


class PrivateBot(NamedTuple):
    """A bot's folder that nobody named: a private copy.

    folder: its place on the disk.
    word: the word that names the bot from now on.
    loading: how the folder is loaded.
    shown: the words of a message for each private path, the longest path first.
    commit: the hash of the commit that it was read from; "" for an archive.
    """

    folder: Path
    word: str
    loading: Loading
    shown: tuple[tuple[str, str], ...]
    commit: str = ""

    @contextmanager
    def in_words(self) -> Iterator[None]:
        """Raise each error as a ConfigError with the words that the user knows for
        private paths.
        """
        try:
            yield
        except ConfigError as error:
            raise ConfigError([self.in_a_message(problem) for problem in error.problems]) from None
        except OSError as error:
            place = file_name(self.in_a_message(os.fspath(error.filename or "")))
            raise ConfigError(f"{place}: {error.strerror or error}") from None

    def in_a_message(self, text: str) -> str:
        """Return a text with the words that the user knows for private paths."""
        for path, word in self.shown:
            text = text.replace(path, word)
        return text


def new_parent(name: str) -> Path:
    """Return the path of a folder, not made yet, that is to hold a private one. It is
    removed when this process ends.
    """
    top = os.path.realpath(scratch.make(None))
    atexit.register(_remove, top, os.getpid())
    return Path(top, name)


def _remove(folder: str, owner: int) -> None:
    if os.getpid() == owner:  # and not in a child that it has forked
        scratch.remove(folder)
