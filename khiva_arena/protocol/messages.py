"""The messages of wire protocol 1, one typed struct each: the single source of the JSON Schemas in ``protocol/schema/``.

The arbiter's structs are encoded, never decoded, by the arena; the bots' structs are decoded strictly: an unknown field
sends the frame down the slow path of ``codec.py``, which knows the whole profile.
"""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

PROTOCOL = 1
INT_MOST = 2**53 - 1
NAME_MOST = 64
FRAME_MOST_TO_ARBITER = 65_536
FRAME_MOST_TO_BOT = 1_048_576
DEPTH_MOST = 16

Int = Annotated[int, Meta(ge=-INT_MOST, le=INT_MOST)]
Natural = Annotated[int, Meta(ge=0, le=INT_MOST)]
Text = Annotated[str, Meta(min_length=1, max_length=NAME_MOST)]
Plain = Any


class Time(Struct, frozen=True):
    """The limits of the match, in milliseconds: to the bot's hello, for each decision, and the bank for the whole match."""

    startup_ms: Natural
    turn_ms: Natural
    bank_ms: Natural


class Hello(Struct, tag="hello", frozen=True):
    """The arbiter's first message. ``seed`` is the seat's own number; ``commit`` binds the deal, see SPEC.md."""

    protos: list[int]
    caps: list[str]
    game: str
    rules: dict[str, Plain]
    rules_version: str
    match: str
    seat: Natural
    seats: Natural
    seed: Natural
    time: Time
    commit: str


class Decide(Struct, tag="decide", frozen=True, gc=False):
    """A decision asked. A choice is an index into ``legal``; ``events`` is what this seat saw since its last message."""

    req: Natural
    kind: str
    turn_ms: Natural
    bank_ms: Natural
    view: dict[str, Plain]
    events: list[dict[str, Plain]]
    legal: Annotated[list[list[Plain]], Meta(min_length=2)]


class Fault(Struct, tag="fault", frozen=True):
    """A fault of this bot: ``code`` is a verdict word, ``strikes`` how many it has now. No answer is expected."""

    code: str
    detail: str
    strikes: Natural


class End(Struct, tag="end", frozen=True):
    """The match is over. ``ranks`` and ``scores`` are by seat. End of input follows, on which a bot exits."""

    reason: str
    ranks: list[Natural]
    scores: list[Int]


class BotHello(Struct, frozen=True, forbid_unknown_fields=True):
    """A bot's first message."""

    # A field, not a msgspec tag: a typed decoder takes a message that lacks its tag.
    type: Literal["hello"]
    proto: Literal[1]
    name: Text
    version: Text | UnsetType = UNSET
    caps: list[Text] | UnsetType = UNSET


class Act(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A bot's answer to the ``decide`` with the same ``req``."""

    type: Literal["act"]
    req: Int
    choice: Int


FROM_ARBITER = (Hello, Decide, Fault, End)
FROM_BOT = (BotHello, Act)
