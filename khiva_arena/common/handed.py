"""How the arena names games that do not come with it, before any of their code is read,
and how it ends those that it has run.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

LIBRARY = "openspiel"
"""The name of the games that OpenSpiel brings."""
VARIABLE = "KHIVA_ARENA_HANDED_GAMES"
"""The environment variable that holds the games that a command was handed."""
to_forget: set[Callable[[], None]] = set()
"""Functions that end the games which this process was handed, and hand over none."""


class GameSource(NamedTuple):
    """The code of a game.

    word: names the game anywhere on this machine, the path made absolute.
    shown: the name of the code, for people, in messages.
    code: the hash by which the code is known: the end of the rules version.
    module: its name in the process that runs it.
    path: of its file, "" for a module that is installed.
    folder: the beginning of the paths of its own code, "" for OpenSpiel's, which is the
        library's.
    content: of its file, so that the hashed bytes are run; None for a folder or a
        package.
    attribute: the name of the game in the module, "": GAME, or the only one that there
        is.
    files: of a folder or a package, the bytes that were hashed, by path.
    """

    word: str
    shown: str
    code: str
    module: str
    path: str = ""
    folder: str = ""
    content: bytes | None = None
    attribute: str = ""
    files: Mapping[str, bytes] = {}


def forget() -> None:
    """End the processes of all games that this process was handed, and hand over
    none.
    """
    while to_forget:
        to_forget.pop()()
