"""Silk Road put together: the state that the arbiter gets, and the game that makes it."""

from collections.abc import Mapping, Sequence

from khiva_arena.games import base
from khiva_arena.games.silk_road import notation, observation, scoring
from khiva_arena.games.silk_road import rules as flow
from khiva_arena.games.silk_road.state import Position
from khiva_arena.games.silk_road.tables import SEATS, Asked
from khiva_arena.games.silk_road.variants import VARIANTS, canonical, compile_rules, every_rule


class SilkRoadState(Position, base.State):
    """A Silk Road match in progress: the data of ``Position``, answering with the functions of the files above it."""

    def pending(self) -> Asked:
        """Who is asked what: one seat, never more. The same frozen mapping until the next ``apply``."""
        return self.asked

    def apply(self, choices: Mapping[int, int]) -> list[base.Event]:
        """See ``base.State``."""
        return flow.apply(self, choices)

    def view(self, seat: int) -> dict[str, base.Plain]:
        """See ``base.State``; RULES.md has the keys."""
        return observation.view(self, seat)

    @property
    def is_over(self) -> bool:
        """No decision is left."""
        return self.over

    @property
    def scores(self) -> list[int]:
        """Points by seat as they stand (S18)."""
        return scoring.scores(self)

    @property
    def ranks(self) -> list[int]:
        """Places by seat as they stand (S18)."""
        return scoring.ranks(self)


class SilkRoad(base.Game):
    """Silk Road (Seidenstraße), by Hanno and Wilfried Kuhn (ddd Verlag): 2 to 5 seats."""

    name = "silk_road"
    title = "Silk Road"
    rules_version = "1"
    seats = SEATS
    variants = VARIANTS

    def rules(self, given: Mapping[str, base.Plain]) -> dict[str, base.Plain]:
        """The canonical rules map; RulesError names every mistake (see ``variants.py``)."""
        return canonical(given)

    def every_rule(self, rules: Mapping[str, base.Plain]) -> dict[str, base.Plain]:
        """See ``base.Game``."""
        return every_rule(rules)

    def new(self, seats: int, rules: Mapping[str, base.Plain], secret: bytes) -> tuple[SilkRoadState, list[base.Event]]:
        """Set up a match from a canonical rules map and a 32-byte secret."""
        self.check_seats(seats)
        state = SilkRoadState(seats, compile_rules(rules), secret)
        return state, flow.set_up(state)

    def narrate(self, event: base.Event, names: Sequence[str]) -> str:
        """One line of text for an event."""
        return notation.narrate(event, names)

    def sketch(self, state: base.State, names: Sequence[str]) -> str:
        """The whole position as text, hidden things included."""
        if not isinstance(state, SilkRoadState):
            raise TypeError(f"sketch takes a Silk Road state, not {type(state).__name__}")
        return notation.sketch(state, names)


GAME = SilkRoad()
