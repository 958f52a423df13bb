"""The message for a value of a wrong type that a game gave, in the terms of the game's author."""

import re
from collections.abc import Mapping

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


def in_words(error: Exception, whole: str, subjects: Mapping[str, str] = OF_A_STEP) -> str:
    """Return msgspec's words for a value of a wrong type, as "view(): a key is a whole number, and must be a text".

    whole: the source of the value.
    subjects: the names of places in it that have a name of their own.
    """
    match = _TEXT.match(str(error))
    if match is None:
        return f"{whole} gives what it must not: {error}"
    expected, actual, key, place = match.groups(default="")
    for begins, name in OF_A_REPLAY.items():
        place = name + place.removeprefix(begins) if place.startswith(begins) and subjects is OF_A_STEP else place
    # Only the second number of a place names a part; the other numbers are counters.
    numbers = iter(range(9))
    place = re.sub(r"\[\d+\]", lambda at: at[0] if next(numbers) == 1 else "[n]", place)
    part, inner, _ = place.partition("[")
    subject = subjects.get(place) or (f"{whole}: {part}" if part else whole) + (": a part of it" if inner else "")
    if key:
        subject = f"{subject.partition(':')[0]}: a key"
    return f"{subject} is {KINDS.get(actual, actual)}, and must be {KINDS.get(expected, expected)}"
