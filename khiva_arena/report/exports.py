"""Results for other programs, as lines of text: CSV, JSON lines, PGN. Pure; nothing is rated here.

CSV, a row for each seat of each match: ``event``, ``game``, ``match``, ``ordinal``, ``seed``, ``lineup``, ``rotation``,
``block``, ``rated``, ``seat``, ``bot``, ``identity``, ``rank``, ``score``, ``verdict``, ``faults``. ``block`` is equal if
equal deals were played, and errors cluster on it; ``rated`` is 1 if the whole table was played, which is what standings
rate; ``faults`` is every fault of the seat as ``illegal@3``, the gather behind the @, with spaces between. A name that begins
with one of = + - @ ' has a ' before it, since a spreadsheet takes the first four for the beginning of a formula; ``identity``
is never changed.

JSON lines, an object for each match, with the same keys except ``seat``; ``seats`` is a list by seat of objects with ``bot``,
``identity``, ``rank``, ``score``, ``verdict`` and ``faults`` [[fault, gather], ...].

PGN, a game without moves for each pair of seats of each match of a complete table, won by who finished ahead, for programs that
rate players of two. Which pairs count is what the arena's own fit counts (ratings/pairs.py): not two copies of one bot, and
if a seat failed to start only pairs with it. All pairs weigh alike there, and errors that such a program gives are too
small, since it takes all games for independent. White is the bot that was named first in its event if seed plus rotation is
even, else the other one, so that over two seeds each has White as often against each; it means nothing here. In names, which
such programs read to the next quotation mark, " and \\ become ' and /; bots that are then called alike have the beginning of
their identity added.
"""

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from khiva_arena.report.standings import ID_DIGITS, Entrant
from khiva_arena.result import Verdict

COLUMNS = (
    "event",
    "game",
    "match",
    "ordinal",
    "seed",
    "lineup",
    "rotation",
    "block",
    "rated",
    "seat",
    "bot",
    "identity",
    "rank",
    "score",
    "verdict",
    "faults",
)
FORMULA = ("=", "+", "-", "@", "'")
RESULTS = {-1: "1-0", 0: "1/2-1/2", 1: "0-1"}


@dataclass(frozen=True, slots=True)
class ResultSeat:
    """One seat of a match.

    position: of the bot among those of its event.
    bot, identity: its name and id.
    rank, score: how it ended, 1 is best.
    verdict: "ok", or why it forfeited.
    faults: (fault, step), strikes included, in order.
    """

    position: int
    bot: str
    identity: str
    rank: int
    score: int
    verdict: str
    faults: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class MatchResult:
    """A recorded match.

    event, number: id of its event, and its number in the store.
    game: what was played.
    match, ordinal: its id, and its place in the schedule.
    seed, lineup, rotation: who sat where, on which deal.
    block: names the deal.
    rated: whether its table is complete.
    seats: by seat.
    """

    event: str
    number: int
    game: str
    match: str
    ordinal: int
    seed: int
    lineup: int
    rotation: int
    block: str
    rated: bool
    seats: tuple[ResultSeat, ...]


def to_csv(matches: Iterable[MatchResult]) -> Iterator[str]:
    """The text of a CSV file, match by match."""
    yield _csv([COLUMNS])
    for match in matches:
        common = [getattr(match, column) for column in COLUMNS[:8]]
        yield _csv([*common, int(match.rated), number, *_columns(seat)] for number, seat in enumerate(match.seats))


def _columns(seat: ResultSeat) -> list[object]:
    name = f"'{seat.bot}" if seat.bot.startswith(FORMULA) else seat.bot
    faults = " ".join(f"{fault}@{gather}" for fault, gather in seat.faults)
    return [name, seat.identity, seat.rank, seat.score, seat.verdict, faults]


def _csv(rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def to_jsonl(matches: Iterable[MatchResult]) -> Iterator[str]:
    """The text of a JSON lines file, match by match."""
    for match in matches:
        seats = [{name: getattr(seat, name) for name in COLUMNS[10:]} for seat in match.seats]
        common = {name: getattr(match, name) for name in COLUMNS[:9]}
        yield json.dumps({**common, "seats": seats}) + "\n"


def to_pgn(matches: Iterable[MatchResult], names: Mapping[str, str]) -> Iterator[str]:
    """The text of a PGN file, match by match. ``names``: by identity, see ``pgn_names``."""
    for match in matches:
        if match.rated:
            yield "".join(_game(match, *pair, names) for pair in counted_pairs(match))


def counted_pairs(match: MatchResult) -> list[tuple[ResultSeat, ResultSeat]]:
    """The pairs of seats that say something of two bots."""
    failed = {seat: any(fault == Verdict.START_FAILED for fault, _ in seat.faults) for seat in match.seats}
    return [
        (one, other)
        for one, other in combinations(match.seats, 2)
        if one.identity != other.identity and (failed[one] or failed[other] or not any(failed.values()))
    ]


def _game(match: MatchResult, one: ResultSeat, other: ResultSeat, names: Mapping[str, str]) -> str:
    first, second = sorted((one, other), key=lambda seat: seat.position)
    white, black = (first, second) if (match.seed + match.rotation) % 2 == 0 else (second, first)
    result = RESULTS[(white.rank > black.rank) - (white.rank < black.rank)]
    tags = {
        "Event": f"{match.game} {match.event}",
        "Site": "-",
        "Date": "????.??.??",
        "Round": f"{match.number}.{match.ordinal}",
        "White": names[white.identity],
        "Black": names[black.identity],
        "Result": result,
    }
    return "".join(f'[{tag} "{value}"]\n' for tag, value in tags.items()) + f"\n{result}\n\n"


def pgn_names(bots: Sequence[Entrant]) -> dict[str, str]:
    """A name for each identity, all different."""
    plain = {bot.id: bot.name.replace('"', "'").replace("\\", "/") for bot in bots}
    often = Counter(plain.values())
    found = {bot: name if often[name] == 1 else f"{name}#{bot[:ID_DIGITS]}" for bot, name in plain.items()}
    if len(set(found.values())) < len(found):  # a bot bears another's name with its mark
        found = {bot: f"{name}#{bot}" for bot, name in plain.items()}
    return found
