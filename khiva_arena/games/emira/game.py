"""Emira put together: the state that the arbiter gets, and the game that makes it."""

from khiva_arena.games.adapter import AdaptedGame, PositionState
from khiva_arena.games.emira import notation, observation, rules, scoring, variants
from khiva_arena.games.emira.state import Position
from khiva_arena.games.emira.tables import SCENERY, SEATS


class EmiraState(Position, PositionState):
    """An Emira match in progress: the data of ``Position``, answering with the
    functions of the files imported above.
    """

    apply = rules.apply
    view = observation.view
    scores = property(scoring.scores)  # E33
    points_by_source = property(scoring.points_by_source)  # E33
    ranks = property(scoring.ranks)  # E33


class Emira(AdaptedGame[EmiraState]):
    """The game Emira, by Liesbeth Vanzeir and Paul Van Hove (Phalanx Games, 2006): 3 to
    5 seats.
    """

    name = "emira"
    title = "Emira"
    rules_version = "1"
    seats = SEATS
    state = EmiraState
    variants_file = variants
    rules_file = rules
    notation_file = notation
    scenery = SCENERY


GAME = Emira()
