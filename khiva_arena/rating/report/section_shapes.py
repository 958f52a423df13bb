"""The types of the sections of ``standings --json``: pairs, seats, cycles, stages."""

from msgspec import UNSET, Struct, UnsetType

from khiva_arena.rating.report.points_shapes import PointsBySource

Matrix = list[list[float | None]]


class Pair(Struct, frozen=True):
    """The score of the bot of a row against the bot of a column, in percent.

    score, low, high: mean pair score, and its 95 % interval.
    significant: whether the interval leaves out 50.
    expected: by the ratings.
    seeds, matches: in which they met.
    certain: whether ``ranks`` tell the two apart, sure of all pairs at once.
    """

    score: float
    low: float | None
    high: float | None
    significant: bool
    expected: float | None
    seeds: int
    matches: int
    certain: bool


class SeatScore(Struct, frozen=True):
    """The score of a seat, whichever bot sits there.

    seats, seat: at the table, and which of them.
    score, low, high: mean pair score in percent, and its 95 % interval.
    matches, seeds: that it comes from.
    """

    seats: int
    seat: int
    score: float
    low: float | None
    high: float | None
    matches: int
    seeds: int


class Neighbour(Struct, frozen=True):
    """The advantage of other bots in the seat that a bot passes to, over other seats.

    bot: its id.
    effect, low, high: in percent of pair score, and its 95 % interval.
    matches, seeds: that it comes from.
    """

    bot: str
    effect: float | None
    low: float | None
    high: float | None
    matches: int
    seeds: int


class Seats(Struct, frozen=True):
    """The effects of seats and neighbours.

    seats: the score of each seat.
    neighbours: the effect of each bot on its neighbour.
    """

    seats: list[SeatScore]
    neighbours: list[Neighbour]


class Cycles(Struct, frozen=True):
    """The share of the differences that no single number per bot can express, in
    percent. All null if the results do not say.

    share, low, high: without luck, and its 95 % interval.
    raw: as measured.
    noise: the part of ``raw`` that luck alone makes.
    """

    share: float | None
    low: float | None
    high: float | None
    raw: float | None
    noise: float | None


class Connectivity(Struct, frozen=True):
    """The groups of bots that the results place at a finite distance from each other.

    connected: whether all.
    components: lists of ids, the largest first.
    """

    connected: bool
    components: list[list[str]]


class Effect(Struct, frozen=True):
    """The effect of a seat or a neighbour.

    of: "seat" or "neighbour".
    elo, error: the effect, and its 95 % half width.
    seats, seat: of a seat: how many there are, and which.
    bot: of a neighbour: its id.
    """

    of: str
    elo: float | None
    error: float | None
    seats: int | None = None
    seat: int | None = None
    bot: str | None = None


class Rating(Struct, frozen=True):
    """A bot's Elo in another fit than that of the rows.

    bot: its id.
    elo, error: relative to the anchor, and its 95 % half width.
    bound: as in a row.
    """

    bot: str
    elo: float | None
    error: float | None
    bound: str


class EffectsSection(Struct, frozen=True):
    """A second fit, together with the effects of seats and neighbours.

    fitted: "seats", "neighbours", or both.
    rows: the ratings.
    effects: beside them.
    """

    fitted: list[str]
    rows: list[Rating]
    effects: list[Effect]


class Stage(Struct, frozen=True):
    """An event in the history.

    event, number: its id, and its number in the store.
    matches, seeds: rated ones in it.
    so_far: ratings from all events up to it.
    alone: ratings from it alone.
    """

    event: str
    number: int
    matches: int
    seeds: int
    so_far: list[Rating]
    alone: list[Rating]


class AfterSeeds(Struct, frozen=True):
    """Ratings as they stood after so many seeds.

    seeds, matches: rated ones so far.
    rows: the ratings.
    """

    seeds: int
    matches: int
    rows: list[Rating]


class Sections(Struct, frozen=True, omit_defaults=True):
    """The sections that --section names. Matrices are in the order of the rows.

    crosstable: the score of each bot against each other.
    los: how likely the bot of a row is stronger than that of a column, in percent.
    surprise: score less the score that the ratings expect, in standard errors.
    seats: of seats and neighbours.
    cycles: differences that no single number per bot can express.
    connectivity: which bots the results compare.
    covariance: of the Elo numbers, in Elo squared.
    effects: a second fit, with seats and neighbours.
    history: event by event.
    points: where the points of each bot come from.
    """

    crosstable: list[list[Pair | None]] | UnsetType = UNSET
    los: Matrix | UnsetType = UNSET
    surprise: Matrix | UnsetType = UNSET
    seats: Seats | UnsetType = UNSET
    cycles: Cycles | UnsetType = UNSET
    connectivity: Connectivity | UnsetType = UNSET
    covariance: Matrix | UnsetType = UNSET
    effects: EffectsSection | UnsetType = UNSET
    history: list[Stage] | UnsetType = UNSET
    points: PointsBySource | UnsetType = UNSET
