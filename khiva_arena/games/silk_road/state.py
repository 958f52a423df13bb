"""The data of a Silk Road position: every piece and its place, the memory of each seat,
the open tasks.

No rule is here: the files above change a position, ``observation.py`` shows one seat
its part. Goods, camels, places and tiles are the numbers of ``tables.py`` and
``board.py``.
"""

from collections import Counter
from typing import Any, Self

from khiva_arena.games.base import NOBODY, Pending
from khiva_arena.games.silk_road.tables import (
    COLOURLESS,
    COLOURS,
    DRIVERS,
    GOODS,
    MARKERS,
    SIZES,
    TILES,
)
from khiva_arena.games.silk_road.variants import Ruleset

Task = tuple[Any, ...]
"""A task still to be done in this turn: its name in ``rules.STEPS``, then its own
values.
"""

GONE = -1
"""Place of a caravan that has left the game."""


class Position:
    """The position of a match. Lists are by seat unless their text says otherwise;
    ``clone`` copies all that can change.
    """

    __slots__ = (
        "active",
        "asked",
        "bag",
        "camels",
        "cities",
        "colourless",
        "discard",
        "displays",
        "doing",
        "drawn",
        "drivers",
        "ending",
        "fresh",
        "hands",
        "idle",
        "jewels",
        "known",
        "markers",
        "open",
        "over",
        "pile",
        "places",
        "played",
        "pool",
        "queue",
        "removed",
        "robbed",
        "ruleset",
        "seats",
        "secret",
        "shuffles",
        "targets",
        "tasks",
        "tiles",
        "traffic",
        "turn",
    )

    seats: int
    ruleset: Ruleset
    secret: bytes
    """Secret of the match; reshuffles draw from its streams."""
    turn: int
    """Number of the turn being played, from 1, or of the last one played when over."""
    active: int
    """The seat whose turn it is."""
    hands: list[list[int]]
    """Cards in hand: counts by good."""
    displays: list[list[int]]
    """Cards in the display: counts by good."""
    open: list[int]
    """Open cards: counts by good."""
    pile: list[int]
    """Goods in the pile; the top is the last item."""
    discard: list[int]
    """Goods in the discard pile; the top is the last item."""
    tiles: tuple[int, ...]
    """Tile of each village."""
    places: list[int]
    """Places by caravan, the one of size 1 first, here and below."""
    targets: list[int]
    camels: list[list[int]]
    """Camels by caravan, falling."""
    queue: list[int]
    """Camels in the caravanserai; the head is the first item."""
    bag: list[int]
    """Colours of jewels in the order they will be drawn, the last item first."""
    cities: list[list[int]]
    """Colours of the jewels that lie in each city, rising."""
    removed: list[int]
    """Jewels that left the game: counts by colour."""
    jewels: list[list[int]]
    """Jewels won: counts by colour."""
    colourless: list[int]
    markers: list[int]
    drivers: list[int]
    played: tuple[int, int, int, int] | None
    """This turn's move: good, number of cards, size of the caravan, place it came
    from.
    """
    robbed: int
    """Bit mask of the seats robbed in this turn's chain."""
    idle: int
    """Turns in a row in which a seat had no card and could not draw."""
    ending: str | None
    """The reason why the match ends or ended: "bag" from the last but one caravan's end
    on, or "stalled"; None before.
    """
    over: bool
    known: list[list[int]]
    """Number of cards of each good in a hand that everybody knows to be there."""
    drawn: list[list[int]]
    """Goods that a seat drew unseen by others, the first hand included, in order."""
    fresh: list[list[int]]
    """Counts by good of the cards that a seat drew from the pile since its last
    shuffle.
    """
    pool: list[int]
    """Counts by good of the pile at its last shuffle, less the cards that all saw leave
    it.
    """
    shuffles: list[list[int]]
    """Counts by good of the pile at each reshuffle."""
    traffic: list[int]
    """Cards that went to and from hands and pile, as everybody saw them; codes in
    ``cards.py``.
    """
    tasks: list[Task]
    """Tasks to be done; the next one is the last item."""
    doing: Task
    """The task whose question is open."""
    asked: Pending

    def __init__(self, seats: int, ruleset: Ruleset, secret: bytes) -> None:
        """Make an empty table."""
        goods, colours, board = len(GOODS), len(COLOURS), ruleset.board
        self.seats = seats
        self.ruleset = ruleset
        self.secret = secret
        self.turn = self.active = 0
        self.hands = [[0] * goods for _ in range(seats)]
        self.displays = [[0] * goods for _ in range(seats)]
        self.open = [0] * goods
        self.pile, self.discard = [], []
        self.tiles = ruleset.tiles
        self.places, self.targets = board.starts[:], board.targets[:]
        self.camels = [[] for _ in SIZES]
        self.queue, self.bag = [], []
        self.cities = [[] for _ in range(board.cities)]
        self.removed = [0] * colours
        self.jewels = [[0] * colours for _ in range(seats)]
        self.colourless = [0] * seats
        self.markers = [0] * seats
        self.drivers = [0] * seats
        self.played = None
        self.robbed = 0
        self.idle = 0
        self.ending = None
        self.over = False
        self.known = [[0] * goods for _ in range(seats)]
        self.drawn = [[] for _ in range(seats)]
        self.fresh = [[0] * goods for _ in range(seats)]
        self.pool = [0] * goods
        self.shuffles, self.traffic = [], []
        self.tasks = []
        self.doing = ()
        self.asked = NOBODY

    def clone(self) -> Self:
        """Return an independent copy."""
        cls = type(self)
        new = cls.__new__(cls)
        new.seats = self.seats
        new.ruleset = self.ruleset
        new.secret = self.secret
        new.turn = self.turn
        new.active = self.active
        new.hands = [hand[:] for hand in self.hands]
        new.displays = [display[:] for display in self.displays]
        new.open = self.open[:]
        new.pile = self.pile[:]
        new.discard = self.discard[:]
        new.tiles = self.tiles
        new.places = self.places[:]
        new.targets = self.targets[:]
        new.camels = [camels[:] for camels in self.camels]
        new.queue = self.queue[:]
        new.bag = self.bag[:]
        new.cities = [jewels[:] for jewels in self.cities]
        new.removed = self.removed[:]
        new.jewels = [jewels[:] for jewels in self.jewels]
        new.colourless = self.colourless[:]
        new.markers = self.markers[:]
        new.drivers = self.drivers[:]
        new.played = self.played
        new.robbed = self.robbed
        new.idle = self.idle
        new.ending = self.ending
        new.over = self.over
        new.known = [known[:] for known in self.known]
        new.drawn = [drawn[:] for drawn in self.drawn]
        new.fresh = [fresh[:] for fresh in self.fresh]
        new.pool = self.pool[:]
        new.shuffles = [counts[:] for counts in self.shuffles]
        new.traffic = self.traffic[:]
        new.tasks = self.tasks[:]
        new.doing = self.doing
        new.asked = self.asked
        return new

    def components(self) -> dict[str, int]:
        """Return every piece by name, wherever it lies; colourless jewels and markers
        only if their supply is limited (O6).
        """
        pieces: Counter[str] = Counter()
        for good, name in enumerate(GOODS):
            held = sum(counts[good] for counts in (*self.hands, *self.displays, self.open))
            pieces[f"good {name}"] = held + self.pile.count(good) + self.discard.count(good)
        pieces.update(
            f"camel {camel:02}"
            for camel in (*self.queue, *(c for camels in self.camels for c in camels))
        )
        for colour, name in enumerate(COLOURS):
            held = sum(counts[colour] for counts in (*self.jewels, self.removed))
            pieces[f"jewel {name}"] = held + sum(
                jewels.count(colour) for jewels in (self.bag, *self.cities)
            )
        pieces.update(f"driver {driver}" for driver in (*self.drivers, *self.spare_drivers()))
        pieces.update(f"tile {TILES[tile]}" for tile in self.tiles)
        if self.ruleset.capped:
            pieces["colourless"] = self.colourless_left() + sum(self.colourless)
            pieces["marker"] = self.markers_left() + sum(self.markers)
        return dict(sorted(pieces.items()))

    def spare_drivers(self) -> list[int]:
        """Return the driver cards that no seat holds."""
        return [driver for driver in DRIVERS if driver not in self.drivers]

    def colourless_left(self) -> int:
        """Return the colourless jewels in the supply; below zero when it is taken as
        unlimited (O6).
        """
        return COLOURLESS - sum(self.colourless)

    def markers_left(self) -> int:
        """Return the markers in the supply; below zero when it is taken as unlimited
        (O6).
        """
        return MARKERS - sum(self.markers)
