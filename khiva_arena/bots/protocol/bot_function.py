"""Types of a bot that is a Python function: ``choose(decide, match)`` gives an index
into ``decide["legal"]``.
"""

from collections.abc import Callable
from typing import Any, TypedDict

Choose = Callable[[Any, Any], int]
"""A function ``choose(decide, match)``: takes a ``BotRequest`` and a ``BotMatch``, or
mappings with as much in them.
"""


class BotTime(TypedDict):
    """The limits of a match, in milliseconds: to start, for each decision, and for the
    whole match beyond its turns.
    """

    startup_ms: int
    turn_ms: int
    bank_ms: int


class BotMatch(TypedDict):
    """The match of a bot function: the arbiter's hello, handed over as ``match``.
    protocol/SPEC.md says more of each key.

    seed: the seat's own number, for chance of the bot's own.
    """

    type: str
    protos: list[int]
    caps: list[str]
    game: str
    rules: dict[str, Any]
    rules_version: str
    match: str
    seat: int
    seats: int
    seed: int
    time: BotTime
    commit: str


class BotRequest(TypedDict):
    """The question to a bot function: the message ``decide``.

    view: the seat's knowledge. events: seen since the seat was asked before. legal: the
        choices.
    """

    type: str
    req: int
    kind: str
    turn_ms: int
    bank_ms: int
    view: dict[str, Any]
    events: list[dict[str, Any]]
    legal: list[list[Any]]
