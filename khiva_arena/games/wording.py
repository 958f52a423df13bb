"""Words that the ``notation.py`` of several games need."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from khiva_arena.games.base import Plain

Data = dict[str, Plain]
"""Of an event."""
Names = Sequence[str]
"""By seat."""
Line = Callable[[Data, Names], str]


def lines_of(file: Mapping[str, Any]) -> dict[str, Line]:
    """What makes a line of each event, by the event's type, from a ``notation.py`` (its ``globals()``): each of its functions of
    ``d`` and ``names`` has the name of a type, with _ before it."""
    arguments = {name: [*getattr(one, "__annotations__", ())] for name, one in file.items()}
    return {name.removeprefix("_"): file[name] for name, has in arguments.items() if has == ["d", "names", "return"]}


def standing(end: Mapping[str, Plain], names: Sequence[str]) -> str:
    """The end of a match, from its event: cause, then places, names and scores, best first."""
    rows = sorted(zip(end["ranks"], range(len(names)), names, end["scores"], strict=True))
    return f"The end ({end['cause']}): " + ", ".join(f"{rank}. {name} {score}" for rank, _, name, score in rows)
