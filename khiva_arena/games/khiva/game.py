"""Khiva put together: the state that the arbiter gets, and the game that makes it."""

from collections.abc import Mapping

from khiva_arena.games.adapter import AdaptedGame, PositionState
from khiva_arena.games.base import Plain
from khiva_arena.games.khiva import notation, observation, rules, scoring, variants
from khiva_arena.games.khiva.state import Position
from khiva_arena.games.khiva.tables import SCENERY, SEATS


class KhivaState(Position, PositionState):
    """A Khiva match in progress: the data of ``Position``, answering with the functions
    of the files imported above.
    """

    apply = rules.apply
    view = observation.view
    public = observation.public
    private = observation.private
    scores = property(scoring.scores)  # K18
    points_by_source = property(scoring.points_by_source)  # K18
    ranks = property(scoring.ranks)  # K19


class Khiva(AdaptedGame[KhivaState]):
    """The game Khiva, by Johannes Goupy and Guillaume Scholz (The Flying Games): 2 to 5
    seats.
    """

    name = "khiva"
    title = "Khiva"
    rules_version = "1"
    seats = SEATS
    state = KhivaState
    variants_file = variants
    rules_file = rules
    notation_file = notation
    scenery = SCENERY

    def points(self, view: Mapping[str, Plain]) -> list[int]:
        """Return the points of all seats, counted from one seat's view."""
        return scoring.points(view)


GAME = Khiva()
