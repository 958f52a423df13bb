"""Words that the ``notation.py`` of several games need."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from khiva_arena.games.base import Plain

Data = dict[str, Plain]
"""The data of an event."""
Names = Sequence[str]
"""Names by seat."""
Line = Callable[[Data, Names], str]


def lines_of(file: Mapping[str, Any]) -> dict[str, Line]:
    """Return the functions of a ``notation.py`` that make the line of an event, by type of event.

    file: the ``globals()`` of the ``notation.py``. Each of its functions with parameters ``d`` and ``names`` is named after a
        type of event, with _ before it.
    """
    arguments = {name: [*getattr(one, "__annotations__", ())] for name, one in file.items()}
    return {name.removeprefix("_"): file[name] for name, has in arguments.items() if has == ["d", "names", "return"]}


def standing(end: Mapping[str, Plain], names: Sequence[str]) -> str:
    """Return the end of a match as a line, from its event: cause, then places, names and scores, best first."""
    rows = sorted(zip(end["ranks"], range(len(names)), names, end["scores"], strict=True))
    return f"The end ({end['cause']}): " + ", ".join(f"{rank}. {name} {score}" for rank, _, name, score in rows)
