"""The games there are, a line each. A game is imported when it is first needed: a command that plays one loads no other."""

from collections.abc import Iterator, Mapping
from importlib import import_module

from khiva_arena.errors import ConfigError
from khiva_arena.games.base import Game

NAMES = (
    "khiva",
    "emira",
    "silk_road",
)
"""Each is the name of a folder here."""


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


def get(name: str) -> Game:
    """The game of that name. Raises ConfigError with the names there are, and the nearest one."""
    if name in NAMES:
        return GAMES[name]
    from difflib import get_close_matches  # only for mistakes: every bot that searches with a game imports this file

    near = get_close_matches(name, NAMES, n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    raise ConfigError(f"there is no game {name!r}; there are: {', '.join(NAMES)}.{hint}")
