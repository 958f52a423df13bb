"""The games there are, a line each. A game is imported when it is first needed: a command that plays one loads no other.

A game that does not come with the arena is known by its rules version, which ends in the hash of its code: "1+sha256:...". It
is opened, by the room ``outside``, when something of just that version is played or replayed, and only if a user has handed it
over: what a file of strangers names is never run.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import NamedTuple

from khiva_arena.errors import ConfigError, GameMissing
from khiva_arena.games.base import Game

NAMES = (
    "khiva",
    "emira",
    "silk_road",
)
"""Each is the name of a folder here."""
HASHED = "+"
"""Between a rules version of the game's own and what its code is known by."""
GROUP = "khiva_arena.games"
"""The group of entry points of packages that bring games."""


class Handed(NamedTuple):
    """A game that a user has handed over.

    word: what names it, as it was typed.
    open: runs it.
    """

    word: str
    open: Callable[[], Game]


handed: dict[str, Handed] = {}
"""By what its code is known by."""


class _Games(Mapping[str, Game]):
    def __getitem__(self, name: str) -> Game:
        if name not in NAMES:
            raise KeyError(name)
        game: Game = import_module(f"khiva_arena.games.{name}").GAME
        return game

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)


GAMES: Mapping[str, Game] = _Games()
"""By name."""


def get(name: str, version: str = "") -> Game:
    """The game of that name. ``version``: its rules version, of a game that may not come with the arena.

    Raises ConfigError with the names there are, and the nearest one; and GameMissing with what is to be handed over.
    """
    if name in NAMES:
        return GAMES[name]
    code = version.partition(HASHED)[2]
    if code in handed:
        game = handed[code].open()
        if game.name == name and game.rules_version == version:
            return game
    if code:
        raise GameMissing(_missing(name, code))
    raise ConfigError(unknown(name, NAMES))


def handing(games: Iterable[tuple[str, str]], here: bool = False) -> str:
    """What a command needs beside a store of these games, each by its name and rules version, to replay their matches.

    here: whether the command is for whoever typed this one, so that the words are those that were typed.
    """
    from shlex import quote  # not above: every bot that searches with a game imports this file

    coded = {code: name for name, version in games if (code := version.partition(HASHED)[2])}
    words = [quote(handed[code].word) if here and code in handed else _word(name, code) for code, name in coded.items()]
    return "".join(f" --game {word}" for word in words)


def unknown(name: str, names: Iterable[str]) -> str:
    """That there is no game of that name, with the names there are, and the nearest one."""
    from difflib import get_close_matches  # only for mistakes

    near = get_close_matches(name, names := list(dict.fromkeys(names)), n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    return f"there is no game {name!r}; there are: {', '.join(names)}.{hint}"


def _missing(name: str, code: str) -> str:
    """What a user is told whose command needs the code of a game."""
    kind, _, digest = code.partition(":")
    package = " ".join(kind.rsplit("-", 1)) + (f" (hash {digest})" if digest else "")
    needed = {"sha256": f"the file whose SHA-256 is {digest}", "folder": f"the folder whose hash is {digest}"}
    word = _word(name, code)
    how = f"--game {word}" + (", the name of its entry point" if word == "NAME" else "")
    several = "hand over several with a --game each; `khiva-arena verify STORE EVENT` needs that of the event alone"
    other = f"; what was handed over is another: {', '.join(handed)}; {several}" if handed else ""
    return (
        f"the game {name!r} does not come with the arena, and is not run unless you hand it over: "
        f"{needed.get(kind, f'the package {package}')}, as {how}{other}"
    )


def _word(name: str, code: str) -> str:
    """What a game of this name and code is handed over as by somebody else: a word to replace, or its own."""
    kind, _, digest = code.partition(":")
    if kind in ("sha256", "folder") or not digest:
        return {"sha256": "FILE", "folder": "FOLDER"}.get(kind, name)
    from importlib import metadata  # not above: few games are a package's

    points = metadata.entry_points(group=GROUP)
    return next((one.name for one in points if one.dist and f"{one.dist.name}-{one.dist.version}" == kind), "NAME")
