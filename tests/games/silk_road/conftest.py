"""A Silk Road table for tests: put cards, camels and tiles where a test wants them,
then play by name.

Goods are written as counts and letters, "3K 1T": Ivory, Spice, Porcelain, silK, Tea.
Camels are numbers. Seats are numbers. Unless a test says otherwise caravan 1 is [8] at
r5 on its way to Isfahan, so that a step of 1 leads to r6, caravan 2 is [9, 7] at
Amritsar on its way to Samarkand, caravan 3 is [6, 4, 3] at r9 on its way to Byzanz, and
the queue is 10, 5, 2, 1.
"""

from collections import Counter
from collections.abc import Sequence

import pytest

from khiva_arena.games.base import NOBODY, Event
from khiva_arena.games.silk_road import GAME, SilkRoadState, rules
from khiva_arena.games.silk_road.state import GONE
from khiva_arena.games.silk_road.tables import COLOURS, JEWELS_PER_COLOUR, PER_GOOD, TILE

LETTERS = "ISPKT"
I, S, P, K, T = range(5)  # noqa: E741 - the letters of the goods


def counts(text: str) -> list[int]:
    found = [0] * 5
    for word in text.split():
        found[LETTERS.index(word[-1])] += int(word[:-1] or 1)
    return found


def listed(text: str) -> list[int]:
    return [LETTERS.index(letter) for letter in text.replace(" ", "")]


class Table:
    """A match that a test arranges. ``state`` is the real thing."""

    def __init__(
        self, seats: int = 4, secret: bytes = bytes(32), arrange: bool = True, **given: object
    ) -> None:
        self.rules = GAME.rules(given)
        self.state: SilkRoadState
        self.state, self.opening = GAME.new(seats, self.rules, secret)
        self.board = self.state.ruleset.board
        self.log: list[Event] = list(self.opening)
        if arrange:
            self.deal()
            self.drivers(*range(1, seats + 1))
            self.caravan(1, "r5", "Isfahan", [8]).caravan(2, "Amritsar", "Samarkand", [9, 7])
            self.caravan(3, "r9", "Byzanz", [6, 4, 3]).queue(10, 5, 2, 1)
            self.jewels(Isfahan="B", Samarkand="BY", Byzanz="BYG")

    # --- arranging ---

    def deal(
        self,
        hands: Sequence[str] = (),
        displays: Sequence[str] = (),
        open: str = "1I 1S 1P",
        discard: str = "",
        top: str = "",
    ) -> "Table":
        """All goods cards dealt again; each hand is one tea unless it is
        given. ``top``: goods on top of the pile, first to come first; the rest of the
        pile is in order. ``discard``: the last one named is on top.
        """
        state = self.state
        seats = range(state.seats)
        state.hands = [counts(hands[s]) if s < len(hands) else counts("1T") for s in seats]
        state.displays = [counts(displays[s]) if s < len(displays) else [0] * 5 for s in seats]
        state.open, state.discard = counts(open), listed(discard)
        state.pile = listed(top)[::-1]
        used = Counter(state.pile + state.discard)
        for pile in (*state.hands, *state.displays, state.open):
            used.update(dict(enumerate(pile)))
        assert max(used.values()) <= PER_GOOD
        state.pile = [good for good in range(5) for _ in range(PER_GOOD - used[good])] + state.pile
        state.known = [[0] * 5 for _ in seats]
        state.fresh = [hand[:] for hand in state.hands]
        state.drawn = [
            [good for good in range(5) for _ in range(hand[good])] for hand in state.hands
        ]
        state.pool = [
            state.pile.count(good) + sum(hand[good] for hand in state.hands) for good in range(5)
        ]
        state.traffic, state.shuffles = [], []
        return self

    def pile(self, goods: str) -> "Table":
        """The pile is just these, first to come first; the other cards of it are put
        into the display of the last seat.
        """
        state = self.state
        rest = Counter(state.pile)
        state.pile = listed(goods)[::-1]
        rest.subtract(state.pile)
        for good, count in rest.items():
            state.displays[-1][good] += count
        assert min(rest.values()) >= 0
        hidden = [
            state.pile,
            *([good for good in range(5) for _ in range(hand[good])] for hand in state.hands),
        ]
        state.pool = [sum(part.count(good) for part in hidden) for good in range(5)]
        return self

    def gone(self, size: int) -> "Table":
        """That caravan has left the game: the end has begun."""
        state = self.state
        state.places[size - 1] = state.targets[size - 1] = GONE
        state.camels[size - 1], state.ending = [], "bag"
        return self

    def drivers(self, *drivers: int) -> "Table":
        self.state.drivers = list(drivers)
        return self

    def caravan(self, size: int, place: str, target: str, camels: list[int]) -> "Table":
        state = self.state
        state.places[size - 1], state.targets[size - 1] = (
            self.board.index[place],
            self.board.index[target],
        )
        state.camels[size - 1] = sorted(camels, reverse=True)
        return self

    def queue(self, *camels: int) -> "Table":
        self.state.queue = list(camels)
        return self

    def jewels(self, bag: int | None = None, **cities: str) -> "Table":
        """Jewels on cities (Changan for Chang'an), as letters BYGRV; the rest is in the
        bag, or as many as ``bag`` says.
        """
        state = self.state
        state.cities = [[] for _ in range(self.board.cities)]
        left = [colour for colour in range(len(COLOURS)) for _ in range(JEWELS_PER_COLOUR)]
        for city, letters in cities.items():
            jewels = sorted("BYGRV".index(letter) for letter in letters)
            state.cities[self.board.index[city.replace("Changan", "Chang'an")]] = jewels
            for colour in jewels:
                left.remove(colour)
        state.jewels = [[0] * 5 for _ in range(state.seats)]
        size = len(left) if bag is None else bag
        state.bag = left[:size]
        state.removed = [left[size:].count(colour) for colour in range(len(COLOURS))]
        return self

    def tile(self, village: str, tile: str) -> "Table":
        """That tile lies there; it changes places with another one."""
        tiles, here = list(self.state.tiles), self.board.index[village] - self.board.cities
        there = tiles.index(TILE[tile])
        tiles[here], tiles[there] = tiles[there], tiles[here]
        self.state.tiles = tuple(tiles)
        return self

    def start(self, seat: int = 0) -> "Table":
        """That seat's turn begins."""
        state = self.state
        state.tasks, state.asked, state.active = [("turn",)], NOBODY, seat - 1
        self.log = []
        self._pieces = state.components()
        rules._run(state, self.log)
        return self

    # --- playing ---

    def play(self, *entry: int | str) -> list[Event]:
        """The open question gets that entry."""
        ((seat, decision),) = self.state.pending().items()
        events = self.state.apply({seat: decision.legal.index(list(entry))})
        assert self.state.components() == self._pieces, "a piece was lost or made"
        self.log += events
        return events

    def play_on(self, *entry: int | str) -> "Table":
        """The same, for a chain of calls."""
        self.play(*entry)
        return self

    def step(
        self, good: int = T, *draws: int | str, size: int = 1, count: int = 1, place: str = "r6"
    ) -> "Table":
        """The asked seat plays cards of a good, moves a caravan and draws, blind unless
        ``draws`` says otherwise.
        """
        self.play(good, count, size, place)
        draws = draws or ("pile", "nothing")
        for draw in draws:
            if self.asked == "draw" and self.about["why"] in ("turn", "match"):
                self.play(draw)
        return self

    def visit(self, tile: str, seat: int = 0, good: int = T, **how: object) -> "Table":
        """That seat's turn: caravan 1 goes one step to r6, where that tile lies."""
        return self.tile("r6", tile).start(seat).step(good, **how)

    def default_until(self, *kinds: str) -> "Table":
        """Defaults up to a question of these kinds, or the end."""
        while not self.state.is_over and self.asked not in kinds:
            ((_, decision),) = self.state.pending().items()
            self.play(*decision.legal[0])
        return self

    # --- looking ---

    @property
    def asked(self) -> str | None:
        return next((decision.kind for decision in self.state.pending().values()), None)

    @property
    def seat(self) -> int | None:
        return next(iter(self.state.pending()), None)

    @property
    def legal(self) -> list[list[object]]:
        ((_, decision),) = self.state.pending().items()
        return list(decision.legal)

    @property
    def words(self) -> list[object]:
        """First values of the entries."""
        return [entry[0] for entry in self.legal]

    @property
    def about(self) -> dict[str, object]:
        return self.state.view(0)["ask"]

    def moves(self, size: int) -> set[tuple[int, str]]:
        """(cards, place) that the asked seat can choose for a caravan."""
        return {(entry[1], entry[3]) for entry in self.legal if entry[2] == size}

    def events(self, *kinds: str) -> list[dict[str, object]]:
        """Data of all events of these types since ``start``."""
        return [event.data for event in self.log if event.data["type"] in kinds]

    def where(self, size: int) -> str:
        return self.board.names[self.state.places[size - 1]]


@pytest.fixture
def table() -> type[Table]:
    return Table
