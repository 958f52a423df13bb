"""The values of a page of results, written into the page as JSON, which the modules in
``display/page/browser`` draw.

They leave out everything that is private before its time: any hand or view of a deal of
which a match is still to be played. They leave out stderr, folders, and names of
machines, too, except stderr that was asked for. Lists by bot are in the order of the
event's bots.
"""

from typing import Any

from msgspec import Struct

from khiva_arena.rating.report.section_shapes import AfterSeeds

Took = float | list[float]
"""Milliseconds. A decision longer than a turn adds the whole milliseconds that were
left in the bank after it.
"""


class PageBot(Struct, frozen=True):
    """A bot of an event.

    id: its identity.
    name: as the page calls it, in the table, too.
    version: as the bot says.
    complete: whether the identity is over all its files.
    marks: the marks that others may lack, each with its meaning.
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
    decided: the tie-break between bots of equal score of which one went on; "" if the
        score decided.
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
    """An event, and everything that a stranger needs to check it.

    number, id: in the store.
    format, stage: of the event; stage is "" without stages.
    about: a description of the format.
    after: the id of the event before it that its bots come from; "" if there is none.
    candidates: of a gauntlet or a sequential test, by position.
    game, title, rules_version: its game.
    rules: the rules map, for drawings.
    changed: the rules that differ from the game's default rules; all rules of a game
        from outside.
    played: the title, and the rules that tell this from other games.
    seats, seeds, matches: of the schedule.
    recorded: the number of recorded matches.
    void: attempts that the host spoilt.
    over: whether all is recorded.
    time, policy, isolation, limits, ponder: the conditions.
    engines: versions of the arena that played it.
    begun: when, UTC; "" if that is not known.
    commitment, digest, secret, public: see protocol/SPEC.md; digest and secret are ""
        before the event is over.
    bots: by position.
    rounds: those that are drawn; empty for a format that is not played in rounds.
    adviser: the word of a bot to ask what it would have chosen, "" if none comes with
        the arena.
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
    adviser: str


class PageMatch(Struct, frozen=True, array_like=True):
    """A recorded match; in JSON a list in this order. Lists are by seat.

    event, ordinal, seed, lineup, rotation: its place.
    id: 16 hex digits.
    bots: positions in the event.
    ranks, scores, verdicts: how it ended.
    faults: [seat, verdict, step, detail] of each, strikes included.
    rated: whether its table is.
    seconds: that it took; null if that is not known.
    replay: [block, place in it]; the address of the page that holds it, if that is
        another one; null if none does.
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
    """A column of the table: its head, the field of a row that it shows, its meaning,
    and its text by row.
    """

    head: str
    field: str
    doc: str
    left: bool
    texts: list[str]


class PageTimes(Struct, frozen=True):
    """Durations of a bot's decisions over all matches of a table.

    bot: its id.
    decisions: their number.
    median_ms, p95_ms, p99_ms, slowest_ms: of the durations; p99: a hundredth took
        longer.
    bars: the number of decisions in each tenth of a decade, from 10 microseconds on;
        shorter ones are in the first.
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

    title: the game and the conditions.
    columns: as they are printed, from left to right.
    notes: the lines below it.
    table: as ``standings --json`` gives it, with the sections crosstable, seats and
        points.
    meanings: the meaning of each of these sections, and of each number of the places.
    by_seeds: Elo of each bot after so many seeds.
    turn_ms: the length of a turn.
    times: durations of decisions, by bot; bots whose durations are not known, or not
        shown, are absent.
    verdict: the winner, whether that could be luck, and which source of points explains
        it, in sentences; "" without ratings.
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


class PageNotPlayed(Struct, frozen=True):
    """A bot that was left out of an event, or a file or folder among its bots that is
    none.

    event: the number of the event.
    name: of the bot, or of the file.
    why: the reason, in words that tell nothing of what is in it.
    report: all that is known, with words of the bot; "" unless its author reads the
        page, or notes were asked for.
    """

    event: int
    name: str
    why: str
    report: str


class PageData(Struct, frozen=True):
    """A page.

    title: of the page.
    engine: the version of the arena that made it.
    source: "store" or "bundle".
    verify: the command that checks the page's numbers.
    events, tables: as shown; the matches are held by ``html.MatchList``.
    scenery: by game, the data that its drawing needs.
    legal: lists of choices that several replays share, see
        ``records/replay/frames.py``.
    home: on a page that only holds replays, the address of the page with the results;
        "" on that page.
    receipt: the newest link of the league's chain when the page was made; "" without a
        league.
    checker: how its reader checks it in a browser, in sentences.
    not_played: the bots that were left out.
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
    receipt: str = ""
    checker: str = ""
    not_played: list[PageNotPlayed] = []
