"""What a page of results holds, as values: it is written into the page as JSON, which the modules in ``page/`` draw.

Nothing stands here that is private before its time, or at all unless it was asked for: no hand or view of a deal of which a match
is still to be played, no stderr, no folder, no name of a machine. Lists by bot are in the order of the event's bots.
"""

from typing import Any

from msgspec import Struct

from khiva_arena.report.shapes import AfterSeeds

Took = float | list[float]
"""Milliseconds; of a decision that took longer than a turn with the whole milliseconds that were left in the bank after it."""


class PageBot(Struct, frozen=True):
    """A bot of an event.

    id: its identity.
    name: as the page calls it, in the table, too.
    version: as the bot says.
    complete: whether the identity is over all its files.
    marks: what it had that others may lack, and what that means.
    env: names of the variables that it was handed.
    """

    id: str
    name: str
    version: str
    complete: bool
    marks: dict[str, str]
    env: list[str]


class PageSitter(Struct, frozen=True):
    """A bot at a table of a round.

    bot: its position in the event.
    score: its mean pair score in percent; null without a match.
    points: the sum of its scores in the game.
    through: whether it is in the round after this one; in the last: whether it won.
    """

    bot: int
    score: float | None
    points: int
    through: bool


class PageLineUp(Struct, frozen=True):
    """A table of a round.

    sitters: those that went on first, and the best of them.
    decided: what parted bots of equal score of which one went on; "" if the score did.
    """

    sitters: list[PageSitter]
    decided: str


class PageRound(Struct, frozen=True):
    """A round of an event, as its schedule has it.

    number: from 1.
    first, matches: the ordinal of its first match, and how many it has.
    byes: the bots that sit it out.
    line_ups: its tables, in the order of the schedule.
    """

    number: int
    first: int
    matches: int
    byes: list[int]
    line_ups: list[PageLineUp]


class PageEvent(Struct, frozen=True):
    """An event, and what a stranger needs to check it.

    number, id: in the store.
    format, stage: what is played; "" without stages.
    about: what such a format is.
    after: the id of the event before it that its bots come from; "" if there is none.
    candidates: of a gauntlet or a sequential test, by position.
    game, title, rules_version: its game.
    rules: the rules map, for drawings.
    changed: what in it differs from the game's default rules; all of it, of a game from outside.
    played: the title, and what of the rules tells this from other games.
    seats, seeds, matches: of the schedule.
    recorded: matches that are.
    void: attempts that the host spoilt.
    over: whether all is recorded.
    time, policy, isolation, limits, ponder: the conditions.
    engines: versions of the arena that played it.
    begun: when, UTC; "" if that is not known.
    commitment, digest, secret, public: see protocol/SPEC.md; digest and secret are "" before the event is over.
    bots: by position.
    rounds: those that are drawn; empty for a format that is not played in rounds.
    """

    number: int
    id: str
    format: str
    stage: str
    about: str
    after: str
    candidates: list[int]
    game: str
    title: str
    rules_version: str
    rules: dict[str, Any]
    changed: dict[str, Any]
    played: str
    seats: int
    seeds: int
    matches: int
    recorded: int
    void: int
    over: bool
    time: dict[str, int]
    policy: str
    isolation: str
    limits: dict[str, str]
    ponder: bool
    engines: list[str]
    begun: str
    commitment: str
    digest: str
    secret: str
    public: str
    bots: list[PageBot]
    rounds: list[PageRound]


class PageMatch(Struct, frozen=True, array_like=True):
    """A recorded match; in JSON a list in this order. Lists are by seat.

    event, ordinal, seed, lineup, rotation: its place.
    id: 16 hex digits.
    bots: positions in the event.
    ranks, scores, verdicts: how it ended.
    faults: [seat, verdict, step, detail] of each, strikes included.
    rated: whether its table is.
    seconds: that it took; null if that is not known.
    replay: [block, place in it]; the address of the page that holds it, if that is another one; null if none does.
    """

    event: int
    ordinal: int
    seed: int
    lineup: int
    rotation: int
    id: str
    bots: list[int]
    ranks: list[int]
    scores: list[int]
    verdicts: list[str]
    faults: list[list[Any]]
    rated: bool
    seconds: float | None
    replay: list[int] | str | None


class PageColumn(Struct, frozen=True):
    """A column of the table: its head, the field of a row that it shows, what it means, and its text by row."""

    head: str
    field: str
    doc: str
    left: bool
    texts: list[str]


class PageTimes(Struct, frozen=True):
    """How long the decisions of a bot took, over all matches of a table.

    bot: its id.
    decisions: how many there are.
    median_ms, p95_ms, p99_ms, slowest_ms: of them; p99: a hundredth took longer.
    bars: how many there are in each tenth of a decade, from 10 microseconds on; those that are shorter are in the first.
    """

    bot: str
    decisions: int
    median_ms: float
    p95_ms: float
    p99_ms: float
    slowest_ms: float
    bars: list[int]


class PageTable(Struct, frozen=True):
    """A rating table.

    title: what was played, and under which conditions.
    columns: as they are printed, from left to right.
    notes: what stands below it.
    table: as ``standings --json`` gives it, with the sections crosstable and seats.
    meanings: what each of these sections says, and each number of the places.
    by_seeds: Elo of each bot after so many seeds.
    turn_ms: how long a turn may be.
    times: how long decisions took, by bot; without those for which that is not known, or not shown.
    verdict: who won, and whether that could be luck, in a sentence; "" without ratings.
    """

    title: str
    columns: list[PageColumn]
    notes: list[str]
    table: dict[str, Any]
    meanings: dict[str, str]
    by_seeds: list[AfterSeeds]
    turn_ms: int
    times: list[PageTimes]
    verdict: str = ""


class PageData(Struct, frozen=True):
    """A page.

    title: of the page.
    engine: the version of the arena that made it.
    source: "store" or "bundle".
    verify: the command that checks what the page says.
    events, tables: what is shown, with the matches, which ``html.MatchList`` holds.
    scenery: by game, what its drawing needs.
    legal: lists of choices that several replays share, see ``replay/frames.py``.
    home: of a page that only holds replays, the address of the one with the results; "" of that one itself.
    """

    title: str
    engine: str
    source: str
    verify: str
    events: list[PageEvent]
    tables: list[PageTable]
    scenery: dict[str, dict[str, Any]]
    legal: list[Any]
    home: str = ""
