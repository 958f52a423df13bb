"""Results for other programs, as lines of text: CSV, JSON lines, PGN. Pure; nothing is
rated here.

CSV, a row for each seat of each match: ``event``, ``game``, ``match``, ``ordinal``,
``seed``, ``lineup``, ``rotation``, ``block``, ``rated``, ``seat``, ``bot``,
``identity``, ``rank``, ``score``, ``verdict``, ``faults``, ``marks``, ``extends``.
``block`` is equal if equal deals were played, and errors cluster on it; ``rated`` is 1
if the whole table was played, as standings require; ``faults`` is every fault of the
seat as ``illegal@3``, the step behind the @, with spaces between; ``marks`` is the help
of the bot in this event that others may lack, as in the standings; ``extends`` is the
id of the event that this one adds its seeds to, whose results were known by then, if it
does. A name that begins with one of = + - @ ' has a ' before it, since a spreadsheet
takes the first four for the beginning of a formula; ``identity`` is never changed.

Where points come from, if it is asked for, stands behind ``extends``: ``points_gems``
for each source, and ``uncounted_undelivered_carpets`` for what counts nothing; empty
for a deal that is not over, and for a game that does not say.

JSON lines, an object for each match, with the same keys except ``seat``; ``seats`` is a
list by seat of objects with ``bot``, ``identity``, ``rank``, ``score``, ``verdict``
``faults`` [[fault, step], ...] and ``marks``; and ``points``, if it is asked for:
``counted`` and ``uncounted`` points by source, or null.

Payoffs, as CSV: a row for each ordered pair of bots that met, event by event, over
complete tables: ``event``, ``game``, ``bot``, ``identity``, ``other``,
``other_identity``, ``pairs`` (how often they sat at one table), ``seeds`` (on how many
deals), ``score`` (the share of pairs in which the bot finished ahead, a tie half),
``score_se``, ``points`` (how many more it had, on average), ``points_se``. Standard
errors are over deals, and empty below two of them.

PGN, a game without moves for each pair of seats of each match of a complete table, won
by the one ahead, for programs that rate players of two. The same pairs count as in the
arena's own fit (rating/ratings/pairs.py): not two copies of one bot, and if a seat
failed to start only pairs with it. All pairs weigh alike there, and errors that such a
program gives are too small, since it takes all games for independent. White is the bot
that was named first in its event if seed plus rotation is even, else the other one. So
over two seeds each has White as often against each; it means nothing here. In names,
which such programs read to the next quotation mark, " and \\ become ' and /; bots that
are then called alike have the beginning of their identity added.
"""

import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from math import fsum, sqrt
from operator import attrgetter
from typing import Any

from khiva_arena.common.result import Result
from khiva_arena.common.text import harmless
from khiva_arena.games.base import SeatPoints
from khiva_arena.rating.ratings.matches import is_complete
from khiva_arena.rating.report.entrants import ID_DIGITS, Entrant

_OF_A_MATCH = ("event", "game", "match", "ordinal", "seed", "lineup", "rotation", "block", "rated")
_OF_A_SEAT = ("bot", "identity", "rank", "score", "verdict", "faults", "marks")
COLUMNS = (*_OF_A_MATCH, "seat", *_OF_A_SEAT, "extends")
_OF_A_PAIR = ("bot", "identity", "other", "other_identity", "pairs", "seeds")
PAYOFFS = ("event", "game", *_OF_A_PAIR, "score", "score_se", "points", "points_se")
FORMULA = ("=", "+", "-", "@", "'")
RESULTS = {-1: "1-0", 0: "1/2-1/2", 1: "0-1"}


@dataclass(frozen=True, slots=True)
class EventResults:
    """The results of an event.

    event, number: its id, and its number in the store.
    extends: the id of the event that it adds its seeds to, None for none.
    game: the name of the game.
    bots: in its order.
    results: in schedule order, read once, those set aside included, which no file
        shows.
    points: returns where the points of each seat of a match come from, None if that may
        not be shown or is not known; None if nobody asks.
    """

    event: str
    number: int
    extends: str | None
    game: str
    bots: tuple[Entrant, ...]
    results: Iterable[Result]
    points: Callable[[Result], Sequence[SeatPoints] | None] | None = None

    def recorded(self) -> Iterator[tuple[Result, bool]]:
        """Yield the recorded matches, each with whether its table is complete: the
        matches of a table come one after another.
        """
        for _, table in groupby(self.results, attrgetter("seed", "lineup")):
            matches = list(table)
            complete = is_complete(matches)
            yield from ((match, complete) for match in matches if not match.set_aside)


def to_csv(events: Iterable[EventResults], sources: Sequence[str] = ()) -> Iterator[str]:
    """Yield the text of a CSV file, match by match. ``sources``: the columns of points
    by source, see ``points_columns``.
    """
    yield _csv([[*COLUMNS, *sources]])
    for event in events:
        for match, rated in event.recorded():
            common = _common(event, match, int(rated)).values()
            seats = (_seat(event, match, seat) for seat in range(len(match.bots)))
            columns = [*map(points_columns, _points(event, match))]
            more = (
                [event.extends, *(points.get(source, "") for source in sources)]
                for points in columns
            )
            yield _csv(
                [*common, number, *_in_a_sheet(**seat), *rest]
                for number, (seat, rest) in enumerate(zip(seats, more, strict=True))
            )


def points_columns(points: SeatPoints | None) -> dict[str, int]:
    """Return the points of a seat by the name of a column, which begins with "points"
    or "uncounted" and has no spaces.
    """
    parts = points._asdict() if points else {}
    words = {"counted": "points", "uncounted": "uncounted"}
    return {
        f"{words[part]}_{source.replace(' ', '_')}": value
        for part, values in parts.items()
        for source, value in values.items()
    }


def _points(event: EventResults, match: Result) -> Sequence[SeatPoints | None]:
    return (event.points and event.points(match)) or [None] * len(match.bots)


def _common(event: EventResults, match: Result, rated: int) -> dict[str, object]:
    values = (event.event, event.game, harmless(match.match), match.ordinal)
    deal = (match.seed, match.lineup, match.rotation, match.block, rated)
    return dict(zip(_OF_A_MATCH, (*values, *deal), strict=True))


def _seat(event: EventResults, match: Result, seat: int) -> dict[str, Any]:
    bot = event.bots[match.bots[seat]]
    values = (
        bot.name,
        bot.id,
        match.ranks[seat],
        match.scores[seat],
        harmless(match.verdicts[seat]),
        match.faults[seat],
        bot.marks,
    )
    return dict(zip(_OF_A_SEAT, values, strict=True))


def _in_a_sheet(
    bot: str, faults: Iterable[tuple[str, int]], marks: Iterable[str], **rest: object
) -> list[object]:
    return [
        _in_a_cell(bot),
        *rest.values(),
        " ".join(f"{fault}@{step}" for fault, step in faults),
        " ".join(marks),
    ]


def _in_a_cell(name: str) -> str:
    return f"'{name}" if name.startswith(FORMULA) else name


def _csv(rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def to_jsonl(events: Iterable[EventResults]) -> Iterator[str]:
    """Yield the text of a JSON lines file, match by match."""
    for event in events:
        for match, rated in event.recorded():
            seats = [_seat(event, match, seat) for seat in range(len(match.bots))]
            if event.points:
                for seat, points in zip(seats, _points(event, match), strict=True):
                    seat["points"] = points and points._asdict()
            yield (
                json.dumps(
                    {**_common(event, match, rated), "seats": seats, "extends": event.extends}
                )
                + "\n"
            )


def to_payoffs(events: Iterable[EventResults]) -> Iterator[str]:
    """Yield the text of a CSV file with the gains of each bot against each other
    one.
    """
    yield _csv([PAYOFFS])
    for event in events:
        deals: dict[tuple[int, int], dict[str, list[tuple[float, float]]]] = {}
        for match, rated in event.recorded():
            for seats in counted_pairs(match) if rated else ():
                for seat, opponent in (seats, seats[::-1]):
                    ahead = (
                        1
                        + (match.ranks[opponent] > match.ranks[seat])
                        - (match.ranks[opponent] < match.ranks[seat])
                    ) / 2
                    pair = deals.setdefault((match.bots[seat], match.bots[opponent]), {})
                    pair.setdefault(match.block, []).append(
                        (ahead, match.scores[seat] - match.scores[opponent])
                    )
        for (seat, opponent), blocks in sorted(deals.items()):
            bots = [
                part
                for number in (seat, opponent)
                for part in (_in_a_cell(event.bots[number].name), event.bots[number].id)
            ]
            numbers = [
                part
                for column in (0, 1)
                for part in _mean([[gain[column] for gain in deal] for deal in blocks.values()])
            ]
            yield _csv(
                [
                    [
                        event.event,
                        event.game,
                        *bots,
                        sum(map(len, blocks.values())),
                        len(blocks),
                        *numbers,
                    ]
                ]
            )


def _mean(deals: Sequence[Sequence[float]]) -> tuple[str, str]:
    """Return the mean over all pairs, and its standard error over deals, "" below two
    of them.
    """
    count, sums = sum(map(len, deals)), [fsum(deal) for deal in deals]
    mean = fsum(sums) / count
    if len(deals) < 2:
        return f"{mean:.6g}", ""
    squares = fsum((each - len(deal) * mean) ** 2 for each, deal in zip(sums, deals, strict=True))
    return f"{mean:.6g}", f"{sqrt(squares * len(deals) / (len(deals) - 1)) / count:.6g}"


def to_pgn(events: Iterable[EventResults], names: Mapping[str, str]) -> Iterator[str]:
    """Yield the text of a PGN file, match by match. ``names``: by identity, see
    ``pgn_names``.
    """
    for event in events:
        for match, rated in event.recorded():
            if rated:
                yield "".join(_game(event, match, *pair, names) for pair in counted_pairs(match))


def counted_pairs(match: Result) -> list[tuple[int, int]]:
    """Return the pairs of seats that count for two bots: of different bots, and if a
    seat failed to start, with such a seat.
    """
    unstarted = match.unstarted
    return [
        (first, second)
        for first, second in combinations(range(len(match.bots)), 2)
        if match.bots[first] != match.bots[second]
        and (not unstarted or first in unstarted or second in unstarted)
    ]


def _game(
    event: EventResults, match: Result, one: int, other: int, names: Mapping[str, str]
) -> str:
    first, second = sorted((one, other), key=lambda seat: match.bots[seat])
    white, black = (first, second) if (match.seed + match.rotation) % 2 == 0 else (second, first)
    ranks = match.ranks
    result = RESULTS[(ranks[white] > ranks[black]) - (ranks[white] < ranks[black])]
    tags = {
        "Event": f"{event.game} {event.event}",
        "Site": "-",
        "Date": "????.??.??",
        "Round": f"{event.number}.{match.ordinal}",
        "White": names[event.bots[match.bots[white]].id],
        "Black": names[event.bots[match.bots[black]].id],
        "Result": result,
    }
    return "".join(f'[{tag} "{value}"]\n' for tag, value in tags.items()) + f"\n{result}\n\n"


def pgn_names(bots: Sequence[Entrant]) -> dict[str, str]:
    """Return a name for each identity, all different."""
    plain = {bot.id: bot.name.replace('"', "'").replace("\\", "/") for bot in bots}
    often = Counter(plain.values())
    names = {
        bot: name if often[name] == 1 else f"{name}#{bot[:ID_DIGITS]}"
        for bot, name in plain.items()
    }
    if len(set(names.values())) < len(names):  # a bot bears another's name with its mark
        names = {bot: f"{name}#{bot}" for bot, name in plain.items()}
    return names
