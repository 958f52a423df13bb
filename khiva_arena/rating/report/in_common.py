"""The published shape of what the events of a table have in common. Nothing here needs
numpy.
"""

from typing import Any

from msgspec import UNSET, Struct, UnsetType


class InCommon(Struct, frozen=True):
    """The settings that the events of one table have in common.

    events: their ids.
    seats: how many seats their tables have.
    game, rules_version: the game, and the version of its rules.
    time: start, turn and bank, in ms; link_ms: the most of each turn that a remote
        bot's round trip gives back, if anything.
    policy: the cost of a fault.
    isolation, limits: the isolation level and the limits of bots.
    ponder: whether they could think while it was not their turn.
    clock, meter: "ticks" and the number of their price list, in events in ticks; such a
        millisecond is 10,000,000 ticks.
    """

    events: list[str]
    seats: list[int]
    game: str
    rules_version: str
    time: dict[str, int]
    policy: str
    isolation: str
    limits: dict[str, Any]
    ponder: bool
    clock: str | UnsetType = UNSET
    meter: int | UnsetType = UNSET
