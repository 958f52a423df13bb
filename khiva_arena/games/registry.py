"""The games there are: one line each."""

from difflib import get_close_matches

from khiva_arena.errors import ConfigError
from khiva_arena.games.base import Game
from khiva_arena.games.emira import GAME as EMIRA
from khiva_arena.games.khiva import GAME as KHIVA
from khiva_arena.games.silk_road import GAME as SILK_ROAD

GAMES: dict[str, Game] = {game.name: game for game in (KHIVA, EMIRA, SILK_ROAD)}
"""By name."""


def get(name: str) -> Game:
    """The game of that name. Raises ConfigError with the names there are, and the nearest one."""
    if name in GAMES:
        return GAMES[name]
    near = get_close_matches(name, GAMES, n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    raise ConfigError(f"there is no game {name!r}; there are: {', '.join(GAMES)}.{hint}")
