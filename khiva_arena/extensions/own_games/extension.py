"""The hook that the extension ``own_games`` fills: games that users hand over, and the
check of a game.
"""

from collections.abc import Iterable, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable

from khiva_arena.arbiter.handed_games import OWN_GAMES
from khiva_arena.common.handed import GameSource
from khiva_arena.extensions import own_games as outside
from khiva_arena.games.base import Game

# Each function imports what it needs when it is called: a hash needs no process.


class _OwnGames:
    """Games of users, as ``handed_games.OwnGames`` wants them."""

    def source_of(self, word: str) -> GameSource:
        from khiva_arena.extensions.own_games.game_source import source_of

        return source_of(word)

    def show(self, word: str) -> GameSource:
        from khiva_arena.extensions.own_games.opening import show

        return show(word)

    def open_game(self, word: str) -> Game:
        from khiva_arena.extensions.own_games.opening import open_game

        return open_game(word)

    def offer(self, words: Iterable[str]) -> None:
        from khiva_arena.extensions.own_games.opening import offer

        offer(words)

    def forget(self) -> None:
        from khiva_arena.extensions.own_games.opening import forget

        forget()

    def check_games(
        self, words: Sequence[str], rule: Sequence[str], *, as_json: bool, quiet: bool = False
    ) -> int:
        from khiva_arena.extensions.own_games.check_game import check_games

        return check_games(words, rule, as_json=as_json, quiet=quiet)

    def template(self) -> Traversable:
        return files(outside) / "template"


EXTENSION = (OWN_GAMES.filled(_OwnGames()),)
