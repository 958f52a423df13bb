"""The answers of a game from outside, held against the contract before any of our code
relies on them.

The message for a value of a wrong type names it in the terms of the game's author.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from khiva_arena.common.handed import LIBRARY
from khiva_arena.common.text import harmless
from khiva_arena.errors import GameFault
from khiva_arena.games.base import NOBODY, Decision, Event, Pending
from khiva_arena.games.plain import check_plain
from khiva_arena.games.registry import NAMES

MOST_LEGAL = 10_000
MOST_SEATS = 10
MOST_ASKED = 900_000
"""Bytes of one request, view and legal choices together, beside the events: a frame to
a bot has 1,048,576 at the most.
"""
OF_A_GAME = {
    **{
        name: f"its {name}"
        for name in ("name", "title", "rules_version", "seats", "variants", "samples", "scenery")
    },
    "seats[n]": "its seats: one of them",
    "samples[n]": "its samples: one of them",
}
"""Names of the constants of a game, for messages."""
_NAME, _VERSION = re.compile(r"[a-z][a-z0-9_]{0,31}"), re.compile(r"[A-Za-z0-9._-]{1,32}")
_encode = msgspec.msgpack.Encoder().encode

KINDS = {
    "str": "a text",
    "int": "a whole number",
    "bool": "True or False",
    "array": "a list",
    "object": "a dict",
    "array | null": "a list or None",
    "float": "a number with a point",
    "null": "None",
}
OF_A_STEP = {
    "events[n][0]": "an event: its data",
    "events[n][1]": "an event: whom it goes to",
    "events[n][1][n]": "an event: a seat that it goes to",
    "pending[n][0]": "pending(): a seat",
    "pending[n][1]": "pending(): the kind of a decision",
    "pending[n][2]": "pending(): legal",
    "pending[n][2][n]": "pending(): an entry of legal",
    "views[n]": "view(): what it returns",
    "over": "is_over",
    "scores[n]": "scores: one of them",
    "ranks[n]": "ranks: one of them",
}
"""Subjects of messages, by place in a game's answer after a step."""
OF_A_REPLAY = {"[0]": "pending", "[1]": "over", "[2]": "scores", "[3]": "ranks"}
"""Subjects of messages in a replay, by the beginning of a place."""
_TEXT = re.compile(r"Expected `([^`]+)`, got `([^`]+)`(?: - at (`key` in )?`\$\.?([^`]*)`)?")


class Front(msgspec.Struct, frozen=True):
    """The constants of a game; see ``games/base.py``."""

    name: str
    title: str
    rules_version: str
    seats: list[int]
    variants: dict[str, str]
    samples: list[dict[str, Any]]
    scenery: dict[str, Any]


class Told(msgspec.Struct, frozen=True):
    """The answer of a game after each step, not yet checked.

    events: each with the seats that it goes to, None for all.
    pending: seat, kind and legal choices of each asked seat.
    views: of the asked seats, in that order.
    over, scores, ranks: the standing.
    """

    events: list[tuple[dict[str, Any], list[int] | None]]
    pending: list[tuple[int, str, list[list[Any]]]]
    views: list[dict[str, Any]]
    over: bool
    scores: list[int]
    ranks: list[int]


class Step(msgspec.Struct, frozen=True):
    """The checked answer of a game after a step, in the terms of the contract."""

    events: list[Event]
    pending: Pending
    views: dict[int, dict[str, Any]]
    over: bool
    scores: list[int]
    ranks: list[int]


_decode_answer = msgspec.msgpack.Decoder(Told).decode
_stands = msgspec.msgpack.Decoder(
    tuple[list[tuple[int, str, int]], bool, list[int], list[int]]
).decode


def front_of(raw: Any, game_name: str, library: bool = False) -> Front:
    """Return the checked constants of a game. Raises GameFault.

    library: whether the game is the one that holds OpenSpiel's games.
    """
    try:
        front = msgspec.convert(raw, Front)
    except msgspec.ValidationError as error:
        raise GameFault(
            f"game {game_name}: {in_words(error, 'its constants', OF_A_GAME)}"
        ) from None
    seats = front.seats
    name, version = harmless(front.name, 40), harmless(front.rules_version, 40)
    points = {
        f"its name {name!r} is not of small letters, digits and _": _NAME.fullmatch(front.name),
        f"its name is that of a game of the arena, {front.name}: give it another": front.name
        not in NAMES,
        f"its name, {LIBRARY}, is that of OpenSpiel's games: give it another": front.name != LIBRARY
        or library,
        f"its rules_version {version!r} is not a short word": _VERSION.fullmatch(
            front.rules_version
        ),
        "it has no title": front.title.strip(),
        "its title has a sign that cannot be printed": front.title.isprintable(),
        "its title has more than 80 signs": len(front.title) <= 80,
        f"its seats {seats} are not rising numbers of 2 to {MOST_SEATS}": seats
        and seats == sorted(set(seats))
        and seats[0] >= 2
        and seats[-1] <= MOST_SEATS,
    }
    for problem, holds in points.items():
        if not holds:
            raise GameFault(f"game {game_name}: {problem}")
    return front


def step_of(value: msgspec.Raw, call: str, seats: int, game_name: str) -> Step:
    """Return the checked answer of a game after ``call``. Raises GameFault for the
    first point in which it breaks the contract.
    """
    try:
        answer = _decode_answer(value)
        wrong = _wrong(answer, seats)
    except msgspec.MsgspecError as error:
        wrong = in_words(error, f"{call}()")
    except RecursionError:
        wrong = f"{call}() gives what is nested too deep"
    if wrong:
        raise GameFault(f"game {game_name}: {harmless(wrong, 400)}")
    pending = {seat: Decision(kind, legal) for seat, kind, legal in answer.pending}
    return Step(
        [Event(data, None if to is None else tuple(to)) for data, to in answer.events],
        pending or NOBODY,
        dict(zip(pending, answer.views, strict=True)),
        answer.over,
        answer.scores,
        answer.ranks,
    )


def stands_of(value: msgspec.Raw, seats: int, game_name: str) -> Step:
    """Return the checked standing of a match in a replay that shows nothing: the
    choices are only counted. Raises GameFault.
    """
    try:
        questions, over, scores, ranks = _stands(value)
        pending = {
            seat: Decision(kind, [[]] * min(size, MOST_LEGAL)) for seat, kind, size in questions
        }
        wrong = _wrong_standing(list(pending), Told([], [], [], over, scores, ranks), seats)
    except msgspec.MsgspecError as error:
        wrong = in_words(error, "apply()")
    if wrong:
        raise GameFault(f"game {game_name}: {harmless(wrong, 400)}")
    return Step([], pending or NOBODY, {}, over, scores, ranks)


def _wrong(answer: Told, seats: int) -> str:
    """Return the point in which an answer breaks the contract, "" if it keeps the
    contract.
    """
    if wrong := _wrong_standing([seat for seat, _, _ in answer.pending], answer, seats):
        return wrong
    for (seat, kind, legal), view in zip(answer.pending, answer.views, strict=True):
        if wrong := _wrong_question(kind, legal, view):
            return f"pending() or view() of seat {seat}: {wrong}"
    return next(
        (wrong for data, to in answer.events if (wrong := _wrong_event(data, to, seats))), ""
    )


def _wrong_standing(seats_asked: list[int], answer: Told, seats: int) -> str:
    """Return the point in which the asked seats or the standing break the contract, ""
    if they keep it.
    """
    if seats_asked != sorted(set(seats_asked)) or not set(seats_asked) <= set(range(seats)):
        return f"pending() asks seats {seats_asked}, of {seats}, which is not in seat order"
    if answer.over != (not seats_asked):
        return (
            f"pending() asks {'somebody' if seats_asked else 'nobody'}, and is_over is "
            f"{answer.over}"
        )
    if len(answer.scores) != seats:
        return f"scores are {answer.scores}, not one for each of {seats} seats"
    if wrong := check_plain(answer.scores):
        return f"scores: {wrong}"
    if (
        answer.ranks != [1 + sum(better < rank for better in answer.ranks) for rank in answer.ranks]
        or len(answer.ranks) != seats
    ):
        return (
            f"ranks are {answer.ranks}: 1 is best, ties share a place and the next one is left "
            "out, as 1, 2, 2, 4"
        )
    return ""


def _wrong_question(kind: str, legal: Sequence[list[Any]], view: Mapping[str, Any]) -> str:
    if not kind or not kind.isprintable() or len(kind) > 64:
        return f"its kind {kind[:80]!r} is not a word"
    if not 2 <= len(legal) <= MOST_LEGAL:
        alone = "" if legal[1:] else "; a question with one choice is not asked"
        return f"legal has {len(legal):,} entries, and a decision has 2 to {MOST_LEGAL:,}{alone}"
    if wrong := check_plain(legal):
        return f"legal: {wrong}"
    if len({repr(entry) for entry in legal}) != len(legal):
        return "legal has an entry twice"
    if wrong := check_plain(view):
        return f"the view: {wrong}"
    size = len(_encode(view)) + len(_encode(legal))
    return (
        f"view and legal have {size:,} bytes, more than {MOST_ASKED:,}" if size > MOST_ASKED else ""
    )


def _wrong_event(data: dict[str, Any], to: list[int] | None, seats: int) -> str:
    if type(data.get("type")) is not str or not data["type"]:
        return f"an event has no type: {str(data)[:80]}"
    if data["type"] in ("default", "forfeit"):
        return f"an event has the type {data['type']!r}, which is one of the arena's own"
    if wrong := check_plain(data):
        return f"an event {data['type']}: {wrong}"
    return (
        ""
        if to is None or set(to) <= set(range(seats))
        else f"an event {data['type']} goes to seats {to} of {seats}"
    )


def in_words(error: Exception, whole: str, subjects: Mapping[str, str] = OF_A_STEP) -> str:
    """Return msgspec's words for a value of a wrong type, as "view(): a key is a whole
    number, and must be a text".

    whole: the source of the value.
    subjects: the names of places in it that have a name of their own.
    """
    match = _TEXT.match(str(error))
    if match is None:
        return f"{whole} gives what it must not: {error}"
    expected, actual, key, place = match.groups(default="")
    for begins, name in OF_A_REPLAY.items():
        place = (
            name + place.removeprefix(begins)
            if place.startswith(begins) and subjects is OF_A_STEP
            else place
        )
    # Only the second number of a place names a part; the other numbers are counters.
    numbers = iter(range(9))
    place = re.sub(r"\[\d+\]", lambda at: at[0] if next(numbers) == 1 else "[n]", place)
    part, inner, _ = place.partition("[")
    subject = subjects.get(place) or (f"{whole}: {part}" if part else whole) + (
        ": a part of it" if inner else ""
    )
    if key:
        subject = f"{subject.partition(':')[0]}: a key"
    return f"{subject} is {KINDS.get(actual, actual)}, and must be {KINDS.get(expected, expected)}"
