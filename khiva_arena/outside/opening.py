"""Where users hand over games: what they name is hashed, and run when something of just that hash is played or replayed."""

import os
from collections.abc import Iterable

import msgspec

from khiva_arena.games import registry
from khiva_arena.games.base import Game
from khiva_arena.outside.calls import VARIABLE
from khiva_arena.outside.game import OutsideGame
from khiva_arena.outside.source import GameSource, source_of

_open: dict[str, OutsideGame] = {}


def opened(word: str) -> Game:
    """The game that a user wants to play. Raises ConfigError if there is none, GameFault if it is none."""
    return _opened(_offered(word))


def offer(words: Iterable[str]) -> None:
    """Let these be run if something of just that code is to be replayed. None of it is run for that. Raises ConfigError."""
    for word in words:
        if word not in registry.NAMES:
            _offered(word)


def forget() -> None:
    """End the processes of all games that were handed over, and hand over none."""
    for game in _open.values():
        game.close()
    _open.clear()
    registry.handed.clear()
    os.environ.pop(VARIABLE, None)


def _offered(word: str) -> GameSource:
    source = source_of(word)
    registry.handed[source.code] = registry.Handed(word, lambda: _opened(source))
    known = msgspec.json.decode(os.environ.get(VARIABLE, "[]"), type=list[str])
    os.environ[VARIABLE] = msgspec.json.encode(list(dict.fromkeys([*known, source.word]))).decode()
    return source


def _opened(source: GameSource) -> OutsideGame:
    if source.code not in _open:
        _open[source.code] = OutsideGame(source)
    return _open[source.code]
