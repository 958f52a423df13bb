"""The games there are, a line each. A game is imported when it is first needed: a
command that plays one loads no other.

A game that does not come with the arena is known by its rules version, which ends in
the hash of its code: "1+sha256:...". The room ``outside`` opens it when something of
just that version is played or replayed, and only if a user has handed it over. A game
that a stranger's file names is never run.
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
"""The names of the games' folders here."""
HASHED = "+"
"""The sign between a game's own rules version and the hash of its code."""
GROUP = "khiva_arena.games"
"""The group of entry points of packages that bring games."""


class Handed(NamedTuple):
    """A game that a user has handed over.

    word: names the game, as it was typed.
    open: runs the game.
    """

    word: str
    open: Callable[[], Game]


handed: dict[str, Handed] = {}
"""The games that a user has handed over, by the hash of their code."""


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
"""The games that come with the arena, by name."""


def get(name: str, version: str = "") -> Game:
    """Return the game of a name.

    version: the rules version, which a game that does not come with the arena needs.

    Raises ConfigError with the known names, and the nearest one. Raises GameMissing
    with the code that has to be handed over.
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
    """Return the ``--game`` options that a command needs to replay matches of these
    games from a store.

    games: name and rules version of each.
    here: whether the same person runs the command, so that the words are repeated as
        they were typed.
    """
    from shlex import quote  # not above: every bot that searches with a game imports this file

    coded = {code: name for name, version in games if (code := version.partition(HASHED)[2])}
    words = [
        quote(handed[code].word) if here and code in handed else _word(name, code)
        for code, name in coded.items()
    ]
    return "".join(f" --game {word}" for word in words)


def unknown(name: str, names: Iterable[str]) -> str:
    """Return the message that there is no game of a name, with the known names, and the
    nearest one.
    """
    from difflib import get_close_matches  # only for mistakes

    near = get_close_matches(name, names := list(dict.fromkeys(names)), n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    return f"there is no game {name!r}; there are: {', '.join(names)}.{hint}"


def _missing(name: str, code: str) -> str:
    """Return the message for a user whose command needs the code of a game."""
    kind, _, digest = code.partition(":")
    package = " ".join(kind.rsplit("-", 1)) + (f" (hash {digest})" if digest else "")
    needed = {
        "sha256": f"the file whose SHA-256 is {digest}",
        "folder": f"the folder whose hash is {digest}",
    }
    word = _word(name, code)
    how = f"--game {word}" + (", the name of its entry point" if word == "NAME" else "")
    several = (
        "hand over several with a --game each; `khiva-arena verify STORE EVENT` needs that of "
        "the event alone"
    )
    other = f"; what was handed over is another: {', '.join(handed)}; {several}" if handed else ""
    return (
        f"the game {name!r} does not come with the arena, and is not run unless you hand it over: "
        f"{needed.get(kind, f'the package {package}')}, as {how}{other}"
    )


def _word(name: str, code: str) -> str:
    """Return the word by which another person hands over a game of this name and code:
    a placeholder, or the game's own word.
    """
    kind, _, digest = code.partition(":")
    if kind in ("sha256", "folder") or not digest:
        return {"sha256": "FILE", "folder": "FOLDER"}.get(kind, name)
    from importlib import metadata  # not above: few games are a package's

    points = metadata.entry_points(group=GROUP)
    return next(
        (one.name for one in points if one.dist and f"{one.dist.name}-{one.dist.version}" == kind),
        "NAME",
    )
