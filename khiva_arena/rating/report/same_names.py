"""The bots that came with the same name, each with the numbered name that it got."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from khiva_arena.common.text import printable

DIGITS = 8


class Named(Protocol):
    """A bot as it was named, in a store or for one. ``asked_as`` is "" in a bundle."""

    @property
    def name(self) -> str: ...
    @property
    def identity(self) -> str: ...
    @property
    def asked_as(self) -> str: ...
    @property
    def folder(self) -> str: ...


def namesakes(names: Sequence[str]) -> list[list[int]]:
    """Return positions of bots whose names were numbered, in groups; each group begins
    with the bot that kept the plain name.
    """
    by_name: dict[str, list[int]] = {}
    for position, name in enumerate(names):
        plain, _, number = name.rpartition("-")
        if plain in names[:position] and number.isdigit():
            by_name.setdefault(plain, [names.index(plain)]).append(position)
    return list(by_name.values())


def of_one_name(events: Iterable[Sequence[Named]]) -> list[list[Named]]:
    """Return the bots of events that share a name, in groups, each bot once."""
    groups: dict[str, dict[str, Named]] = {}
    for bots in events:
        plain = [bot.name for bot in bots]
        for group in namesakes(plain):
            for position in group:
                plain[position] = bots[group[0]].name
        for name, bot in zip(plain, bots, strict=True):
            groups.setdefault(name, {}).setdefault(bot.identity, bot)
    return [list(group.values()) for group in groups.values() if len(group) > 1]


def place_of_each(group: Sequence[Named]) -> list[tuple[str, str]]:
    """Return identity and place of each bot. The place is the word by which it was
    named, else with its folder, else the beginning of its identity.
    """
    words = [bot.asked_as for bot in group]
    places = []
    for bot in group:
        place = (
            bot.asked_as
            if words.count(bot.asked_as) == 1
            else os.path.join(bot.folder, bot.asked_as)
        )
        places.append(
            (
                bot.identity,
                printable(place.encode("utf-8", "replace")).replace("\n", "\\n")
                or bot.identity[:DIGITS],
            )
        )
    return places


def in_a_line(bots: Sequence[Named]) -> list[str]:
    """Return a line for each group of bots that have one name, before they play."""
    names = {bot.identity: bot.name for bot in bots}
    return [
        f"{len(group)} bots have one name: "
        + ", ".join(f"{names[identity]} is {place}" for identity, place in place_of_each(group))
        for group in of_one_name([bots])
    ]


def under_a_table(events: Iterable[Sequence[Named]], names: Mapping[str, str]) -> str:
    """Return the text below a table that names the bots of one name, "" if there are
    none. ``names``: names by identity, as the table has them.
    """
    rows = [
        (names.get(identity, ""), place)
        for group in of_one_name(events)
        for identity, place in place_of_each(group)
    ]
    wide = max((len(name) for name, _ in rows), default=0)
    lines = [f"  {name.ljust(wide)}  {place}" for name, place in rows if name]
    return "\n".join(["Bots of one name:", *lines, ""]) if lines else ""
