"""Decode the answers of a game by their types, and say which rule of the contract they
break.
"""

import json
from typing import Any

import msgspec

from khiva_arena.errors import GameFault
from khiva_arena.extensions.own_games.answers import in_words
from khiva_arena.games.base import Plain, SeatPoints
from khiva_arena.games.conformance import Findings

LONGEST_TEXT = 200_000
LEAK = "equal observations"
"""The beginning of the points of the conformance check that a leak breaks."""
finding_list = msgspec.msgpack.Decoder(Findings).decode
plain_map = msgspec.msgpack.Decoder(dict[str, Any]).decode
whole_number = msgspec.msgpack.Decoder(int).decode
numbers_of = msgspec.msgpack.Decoder(list[int]).decode
points_of_sources = msgspec.msgpack.Decoder(list[SeatPoints] | None).decode
point_list = msgspec.msgpack.Decoder(list[int] | None).decode
plain_text = msgspec.msgpack.Decoder(str).decode
counts_by_name = msgspec.msgpack.Decoder(dict[str, int]).decode


def breach(point: str) -> str:
    """Return the message for a broken point of the contract, or for an error that shows
    one.
    """
    if point.startswith(LEAK):
        return (
            f"a seat sees in its view or its choices what no event told it (a breach of: {point})"
        )
    return point if point.startswith("it ") else f"breaks the contract, by which {point}"


def type_name(value: Plain) -> str:
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def decoded(decode: Any, value: msgspec.Raw, call: str, game_name: str) -> Any:
    try:
        return decode(value)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise GameFault(
            f"game {game_name}: {in_words(error, f'what {call}() returns', {})}"
        ) from None
