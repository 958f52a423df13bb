"""Words that the ``notation.py`` of several games need."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from khiva_arena.games.base import Plain

Data = dict[str, Plain]
"""The data of an event."""
Names = Sequence[str]
"""Names by seat."""
Line = Callable[[Data, Names], str]
SEAT_FIELDS = ("seat", "to", "victim")
"""Fields of events with the number of a seat, in all events that a template writes."""


def lines_of(file: Mapping[str, Any]) -> dict[str, Line]:
    """Return the functions of a ``notation.py`` that make the line of an event, by type
    of event.

    file: the ``globals()`` of the ``notation.py``. Each of its functions with
        parameters ``d`` and ``names`` is named after a type of event, with _ before it.
    """
    arguments = {name: [*getattr(one, "__annotations__", ())] for name, one in file.items()}
    return {
        name.removeprefix("_"): file[name]
        for name, has in arguments.items()
        if has == ["d", "names", "return"]
    }


def filled(
    templates: Mapping[str, str], words: Mapping[str, Callable[[Any], str]]
) -> dict[str, Line]:
    """Return functions that make the line of an event, by type of event, from templates
    such as ``"{seat} takes {good}"``.

    templates: texts with fields of the event in braces, by type of event. A seat stands
        as its name.
    words: functions that put the value of a field in words; a value of another field
        stands as it is.
    """
    return {kind: partial(_fill, template, words) for kind, template in templates.items()}


def _fill(template: str, words: Mapping[str, Callable[[Any], str]], d: Data, names: Names) -> str:
    seats = {field: names[d[field]] for field in SEAT_FIELDS if field in d}
    return template.format(
        **d | {field: in_words(d[field]) for field, in_words in words.items() if field in d} | seats
    )


def standing(end: Mapping[str, Plain], names: Sequence[str]) -> str:
    """Return the end of a match as a line, from its event: cause, then places, names
    and scores, best first.
    """
    rows = sorted(zip(end["ranks"], range(len(names)), names, end["scores"], strict=True))
    return f"The end ({end['cause']}): " + ", ".join(
        f"{rank}. {name} {score}" for rank, _, name, score in rows
    )
