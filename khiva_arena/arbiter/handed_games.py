"""Games that users hand over: the hook of the extension that runs them, and the
functions by which the arena calls it.
"""

import os
from collections.abc import Iterable, Sequence
from importlib.resources.abc import Traversable
from typing import Protocol

from khiva_arena.common.handed import LIBRARY, GameSource, to_forget
from khiva_arena.common.hooks import Hook, absent, row_of
from khiva_arena.errors import ConfigError
from khiva_arena.games.base import Game
from khiva_arena.games.registry import NAMES, unknown

EXTENSION = "own_games"


class OwnGames(Protocol):
    """Games that do not come with the arena. A word is a file, a folder, or the entry
    point of an installed package.
    """

    def source_of(self, word: str) -> GameSource:
        """Return the source that a word names. Raises ConfigError."""

    def show(self, word: str) -> GameSource:
        """Return the source that a word names, for the user to agree to. From now on
        the word opens these very bytes. Raises ConfigError.
        """

    def open_game(self, word: str) -> Game:
        """Return the game that a user wants to play. Raises ConfigError if there is
        none, GameFault if it is no game.
        """

    def offer(self, words: Iterable[str]) -> None:
        """Allow these games to run if something of just that code is to be replayed.
        None of them runs now. Raises ConfigError.
        """

    def forget(self) -> None:
        """End the processes of all games that were handed over, and hand over none."""

    def check_games(
        self, words: Sequence[str], rule: Sequence[str], *, as_json: bool, quiet: bool = False
    ) -> int:
        """Check that games, also those of the arena, keep their contract, and print the
        results. Returns the exit code.

        rule: the words of --rule, for one game alone.
        quiet: whether only steps that are not ok are printed.
        """

    def template(self) -> Traversable:
        """Return the folder with the files that a new game begins with."""


OWN_GAMES: Hook[OwnGames] = Hook(EXTENSION)


def why_none() -> str:
    """Return why no game can be handed over here, "" if games can be."""
    return "" if row_of(EXTENSION) else f"--game {absent(EXTENSION)}"


def source_of(word: str) -> GameSource:
    """Return the source that a word names. Raises ConfigError."""
    return _games_for(word).source_of(word)


def show(word: str) -> GameSource:
    """Return the source that a word names, for the user to agree to. From now on the
    word opens these very bytes. Raises ConfigError.
    """
    return _games_for(word).show(word)


def open_game(word: str) -> Game:
    """Return the game that a user wants to play. Raises ConfigError if there is none,
    GameFault if it is no game.
    """
    return _games_for(word).open_game(word)


def offer(words: Iterable[str]) -> None:
    """Allow these games to run if something of just that code is to be replayed. None
    of them runs now. Those of the arena may run anyway. Raises ConfigError.
    """
    if own := [word for word in words if word not in NAMES]:
        _games_for(own[0]).offer(own)


def check_games(
    words: Sequence[str], rule: Sequence[str], *, as_json: bool, quiet: bool = False
) -> int:
    """Check that games keep their contract, and print the results. Returns the exit
    code. rule, quiet: as of ``OwnGames``.
    """
    return _filled(f"check --game {words[0]}").check_games(
        words, rule, as_json=as_json, quiet=quiet
    )


def template() -> Traversable:
    """Return the folder with the files that a new game begins with. Raises
    ConfigError.
    """
    return OWN_GAMES.get("new game").template()


def _games_for(word: str) -> OwnGames:
    """Return the extension for a game that does not come with the arena. Raises
    ConfigError if it is not installed.
    """
    if why_none() and not (word == LIBRARY or word.endswith(".py") or os.path.lexists(word)):
        raise ConfigError(f"{unknown(word, NAMES)} A game of your own {absent(EXTENSION)}")
    return _filled(f"the game {word}")


def _filled(purpose: str) -> OwnGames:
    games = OWN_GAMES.get(purpose)
    to_forget.add(games.forget)
    return games
