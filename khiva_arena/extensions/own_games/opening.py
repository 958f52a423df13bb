"""The registry of games that users hand over.

A game is hashed at once, and run when something of just that hash is played or
replayed.
"""

import os
from collections.abc import Iterable

import msgspec

from khiva_arena.common.handed import VARIABLE, GameSource
from khiva_arena.extensions.own_games.game import OutsideGame
from khiva_arena.extensions.own_games.game_source import source_of
from khiva_arena.games import registry
from khiva_arena.games.base import Game

_open: dict[str, OutsideGame] = {}
_shown: dict[str, GameSource] = {}


def open_game(word: str) -> Game:
    """Return the game that a user wants to play.

    word: a file, a folder, or the entry point of an installed package. Raises
        ConfigError if there is none, GameFault if it is no game.
    """
    return _open_source(_offer(word))


def show(word: str) -> GameSource:
    """Return the source that a word names, for the user to agree to. From now on the
    word opens these very bytes. Raises ConfigError.
    """
    _shown[word] = source_of(word)
    return _shown[word]


def offer(words: Iterable[str]) -> None:
    """Allow these games to run if something of just that code is to be replayed. None
    of them runs now. Raises ConfigError.
    """
    for word in words:
        _offer(word)


def forget() -> None:
    """End the processes of all games that were handed over, and hand over none."""
    for game in _open.values():
        game.close()
    _open.clear()
    _shown.clear()
    registry.handed.clear()
    os.environ.pop(VARIABLE, None)


def _offer(word: str) -> GameSource:
    source = _shown.get(word) or source_of(word)
    registry.handed[source.code] = registry.Handed(word, lambda: _open_source(source))
    words = msgspec.json.decode(os.environ.get(VARIABLE, "[]"), type=list[str])
    os.environ[VARIABLE] = msgspec.json.encode(list(dict.fromkeys([*words, source.word]))).decode()
    return source


def _open_source(source: GameSource) -> OutsideGame:
    if source.code not in _open:
        _open[source.code] = OutsideGame(source)
    return _open[source.code]
