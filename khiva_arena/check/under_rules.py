"""A game under chosen rules: they are its default, and only the seat counts that they allow remain."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from khiva_arena.games.base import Event, Game, Plain, State

if TYPE_CHECKING:
    from khiva_arena.rng import Stream


class GameUnderRules(Game):
    """A game whose default rules are the chosen ones. ``samples`` is empty: these rules alone are looked at."""

    def __init__(self, game: Game, given: Mapping[str, Plain]) -> None:
        self._game, self._given = game, dict(given)
        self.name, self.title, self.rules_version = game.name, game.title, game.rules_version
        self.outside = game.outside  # type: ignore[misc]  # of the class, elsewhere
        self.seats = tuple(game.seats_of(game.rules(given)))

    @property
    def word(self) -> str:
        """The word of the game itself."""
        return self._game.word

    @property
    def variants(self) -> Mapping[str, str]:
        """The variants of the game itself."""
        return self._game.variants

    @property
    def scenery(self) -> Mapping[str, Plain]:
        """The scenery of the game itself."""
        return self._game.scenery

    def rules(self, given: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return the rules map of the game, with ``given`` laid over the chosen rules."""
        return self._game.rules({**self._given, **given})

    def new(self, seats: int, rules: Mapping[str, Plain], secret: bytes) -> tuple[State, list[Event]]:
        """Begin a match of the game."""
        return self._game.new(seats, rules, secret)

    def determinise(self, view: Mapping[str, Plain], rules: Mapping[str, Plain], stream: "Stream") -> State:
        """Return a state of the game that fits a view."""
        return self._game.determinise(view, rules, stream)
