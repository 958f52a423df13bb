"""The bots of a table, by the names that it has for them. Nothing here needs numpy."""

from collections import Counter
from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

ID_DIGITS = 4


class Entrant(msgspec.Struct, frozen=True):
    """A bot that may appear.

    id: the hash it plays under.
    name: for people.
    marks: its advantages over others, as in ``columns.MARKS``.
    """

    id: str
    name: str
    marks: tuple[str, ...] = ()


def with_unique_names(bots: Sequence[Entrant]) -> tuple[Entrant, ...]:
    """Return the bots with unique names: if several have one name, as two versions of a
    bot do, the beginning of their ids is added.
    """
    often = Counter(bot.name for bot in bots)
    return tuple(
        bot if often[bot.name] == 1 else replace(bot, name=f"{bot.name}#{bot.id[:ID_DIGITS]}")
        for bot in bots
    )
