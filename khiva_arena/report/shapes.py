"""What ``standings --json`` and ``plan --json`` print, as types: JSON is made from them, and so are its schemas.

Elo, errors and percent have 3 digits. null is "n/a". Lists by bot, rows and columns of matrices alike, are in the order of
``rows``. STANDINGS.md says what each number means.
"""

from typing import Any

from msgspec import UNSET, Struct, UnsetType

Matrix = list[list[float | None]]


class LeftOut(Struct, frozen=True):
    """Fixed matches that are not rated, and the tables [event, table] they belong to."""

    matches: int
    incomplete: list[list[str]]
    set_aside: list[list[str]]


class Row(Struct, frozen=True):
    """One bot; see ``report.standings.Standing``. ``score``, ``ties`` and ``los_next`` are percent. ``low`` and ``high`` are the
    ends of the 95 % interval of ``elo``: one is null where all points between bot and anchor flow one way, and ``error`` with it.
    ``rough``: from fewer than five seeds, so that the error is hardly known itself."""

    rank: int | None
    rank_interval: list[int] | None
    bot: str
    name: str
    elo: float | None
    error: float | None
    low: float | None
    high: float | None
    rough: bool
    bound: str
    los_next: float | None
    matches: int
    seeds: int
    score: float | None
    ties: float | None
    finishes: list[int]
    faults: dict[str, int]
    voids: int
    cpu_s: float | None
    paused: int
    caused: int
    page_faults: int | None
    fault_free_elo: float | None
    fault_free_error: float | None
    fault_free_bound: str
    differs: bool | None
    pool_error: float | None
    quasi_se: float | None
    design_effect: float | None
    opponents: float | None


class Anchor(Struct, frozen=True):
    """A bot whose Elo was given, and where the results of the others would put it: ``z`` standard errors away.
    ``contradicts``: that is too far for luck, at 95 %."""

    bot: str
    given: float
    sd: float
    found: float | None
    z: float | None
    contradicts: bool | None


class Pair(Struct, frozen=True):
    """What the bot of a row made of the bot of a column: percent, its 95 % interval, and what the ratings expect."""

    score: float
    low: float | None
    high: float | None
    significant: bool
    expected: float | None
    seeds: int
    matches: int


class SeatScore(Struct, frozen=True):
    """Mean pair score of whoever sits in a seat, in percent, with its 95 % interval; ``seats`` at the table."""

    seats: int
    seat: int
    score: float
    low: float | None
    high: float | None
    matches: int
    seeds: int


class Neighbour(Struct, frozen=True):
    """How much better, in percent of pair score, others do in the seat that this bot passes to than elsewhere, with its 95 %
    interval; in how many matches and seeds that could be told."""

    bot: str
    effect: float | None
    low: float | None
    high: float | None
    matches: int
    seeds: int


class Seats(Struct, frozen=True):
    """Whether seats and neighbours matter."""

    seats: list[SeatScore]
    neighbours: list[Neighbour]


class Cycles(Struct, frozen=True):
    """How much of the differences no single number per bot can tell, in percent: ``raw`` as it is, ``noise`` what luck alone
    makes of that, ``share`` what is left, and its 95 % interval. All null where there is nothing to say."""

    share: float | None
    low: float | None
    high: float | None
    raw: float | None
    noise: float | None


class Connectivity(Struct, frozen=True):
    """Bots that the results place at a finite distance from each other, as lists of ids, the largest first."""

    connected: bool
    components: list[list[str]]


class Effect(Struct, frozen=True):
    """An effect in Elo with its 95 % half width. ``of``: "seat" with ``seats`` and ``seat``, or "neighbour" with ``bot``."""

    of: str
    elo: float | None
    error: float | None
    seats: int | None = None
    seat: int | None = None
    bot: str | None = None


class Rating(Struct, frozen=True):
    """A bot's Elo and its 95 % half width, relative to the anchor. ``bound``: as in a row, what the results alone say of it."""

    bot: str
    elo: float | None
    error: float | None
    bound: str


class Effects(Struct, frozen=True):
    """A second fit that allows for what seats and neighbours do. ``fitted``: which of these."""

    fitted: list[str]
    rows: list[Rating]
    effects: list[Effect]


class Stage(Struct, frozen=True):
    """After an event: the ratings from all events so far, and from this one alone."""

    event: str
    number: int
    matches: int
    seeds: int
    so_far: list[Rating]
    alone: list[Rating]


class Sections(Struct, frozen=True, omit_defaults=True):
    """What was asked for with --section."""

    crosstable: list[list[Pair | None]] | UnsetType = UNSET
    los: Matrix | UnsetType = UNSET
    surprise: Matrix | UnsetType = UNSET
    seats: Seats | UnsetType = UNSET
    cycles: Cycles | UnsetType = UNSET
    connectivity: Connectivity | UnsetType = UNSET
    covariance: Matrix | UnsetType = UNSET
    effects: Effects | UnsetType = UNSET
    history: list[Stage] | UnsetType = UNSET


class Rated(Struct, frozen=True):
    """One table."""

    anchor: str
    anchors: list[Anchor]
    blocks: int
    tables: int
    matches: int
    fault_free_matches: int
    left_out: LeftOut
    confidence: float
    meaning: str
    rows: list[Row]
    sections: Sections


class PlacedBot(Struct, frozen=True, omit_defaults=True):
    """One bot of a swiss (``points`` over ``tables``, its ``opponents``' score) or a knockout (the round it went ``out`` in).
    ``score`` and ``opponents`` are percent."""

    place: int
    bot: str
    name: str
    score: float | None
    byes: int
    points: float | UnsetType | None = UNSET
    tables: int | UnsetType | None = UNSET
    opponents: float | UnsetType | None = UNSET
    out: int | UnsetType | None = UNSET


class Places(Struct, frozen=True):
    """Who came in where in an event whose format has places; ``rounds`` of ``of`` are complete."""

    event: str
    number: int
    format: str
    rounds: int
    of: int
    rows: list[PlacedBot]


class Pool(Rated, frozen=True, kw_only=True):
    """One table, and what its events have in common. ``places``: of those events that have them."""

    events: list[str]
    seats: list[int]
    game: str
    rules_version: str
    time: dict[str, int]
    policy: str
    isolation: str
    limits: dict[str, Any]
    ponder: bool
    places: list[Places] | UnsetType = UNSET


class Output(Struct, frozen=True):
    """``khiva-arena standings --json``."""

    standings: list[Pool]
