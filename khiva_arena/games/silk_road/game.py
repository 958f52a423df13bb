"""Silk Road put together: the state that the arbiter gets, and the game that makes
it.
"""

from collections.abc import Mapping

from khiva_arena.games.adapter import AdaptedGame, PositionState
from khiva_arena.games.base import Plain
from khiva_arena.games.silk_road import notation, observation, rules, scoring, variants
from khiva_arena.games.silk_road.state import Position
from khiva_arena.games.silk_road.tables import SCENERY, SEATS

_SCENERY = {**SCENERY, "places": {name: notation.place(name) for name in notation.PLACES}}


class SilkRoadState(Position, PositionState):
    """A Silk Road match in progress: the data of ``Position``, answering with the
    functions of the files imported above.
    """

    apply = rules.apply
    view = observation.view
    scores = property(scoring.scores)  # S18
    points_by_source = property(scoring.points_by_source)  # S18
    ranks = property(scoring.ranks)  # S18


class SilkRoad(AdaptedGame[SilkRoadState]):
    """The game Silk Road (Seidenstraße), by Hanno and Wilfried Kuhn (ddd Verlag): 2 to
    5 seats.
    """

    name = "silk_road"
    title = "Silk Road"
    rules_version = "1"
    seats = SEATS
    state = SilkRoadState
    variants_file = variants
    rules_file = rules
    notation_file = notation
    scenery = _SCENERY

    def points(self, view: Mapping[str, Plain]) -> list[int]:
        """Return the points of all seats, counted from one seat's view."""
        return scoring.points(view["jewels"], view["colourless"], view["markers"])

    def every_rule(self, rules: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return a canonical map completed by the rules that it leaves out."""
        return variants.every_rule(rules)


GAME = SilkRoad()
