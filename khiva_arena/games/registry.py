"""The games there are, a line each. A game is imported when it is first needed: a command that plays one loads no other.

A game that does not come with the arena is known by its rules version, which ends in the hash of its code: "1+sha256:...". It
is opened, by the room ``outside``, when something of just that version is played or replayed, and only if a user has handed it
over: what a file of strangers names is never run.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module

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
handed: dict[str, Callable[[], Game]] = {}
"""By what its code is known by, what opens a game that a user has handed over."""


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
        game = handed[code]()
        if game.name == name and game.rules_version == version:
            return game
    if code:
        raise GameMissing(_missing(name, code))
    raise ConfigError(unknown(name, NAMES))


def unknown(name: str, names: Iterable[str]) -> str:
    """That there is no game of that name, with the names there are, and the nearest one."""
    from difflib import get_close_matches  # only for mistakes: every bot that searches with a game imports this file

    near = get_close_matches(name, names := list(names), n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    return f"there is no game {name!r}; there are: {', '.join(names)}.{hint}"


def _missing(name: str, code: str) -> str:
    """What a user is told whose command needs the code of a game."""
    kind, _, digest = code.partition(":")
    needs = {
        "sha256": f"the file whose SHA-256 is {digest}, as --game FILE",
        "folder": f"the folder whose hash is {digest}, as --game FOLDER",
    }
    if not digest:
        kind = kind.replace("-", " ", 1)
    package = f"the package {kind}{f' (hash {digest})' if digest else ''}, as --game NAME"
    other = f"; what was handed over is another: {', '.join(handed)}" if handed else ""
    needed = needs.get(kind, package)
    return f"the game {name!r} does not come with the arena, and is not run unless you hand it over: {needed}{other}"
