"""The messages of wire protocol 1, one typed struct each: the single source of the JSON
Schemas in ``protocol/schema/``.

The arbiter's structs are encoded, never decoded, by the arena; the bots' structs are
decoded strictly. An unknown field sends the frame down the slow path of ``codec.py``,
which knows the whole profile.
"""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

PROTOCOL = 1
SPENT = "spent"
"""The capability by which a bot reports what it spends; see ``spent.py``."""
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
    """The limits of the match, in milliseconds.

    startup_ms: to the bot's hello.
    turn_ms: for each decision.
    bank_ms: for the whole match, beyond its turns.
    """

    startup_ms: Natural
    turn_ms: Natural
    bank_ms: Natural


class Hello(Struct, tag="hello", frozen=True):
    """The arbiter's first message. SPEC.md says more of each field.

    protos: protocol versions that the arbiter offers.
    caps: capabilities that it offers.
    game: the game's name.
    rules: the rules map of the match.
    rules_version: version of the game's rules.
    match: the match's id.
    seat, seats: this bot's seat, from 0, and how many there are.
    seed: the seat's own number, for chance of the bot's own.
    time: the limits of the match.
    commit: 64 hex digits that bind the deal.
    """

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
    """A decision that this seat is asked for.

    req: number of the request.
    kind: of decision.
    turn_ms, bank_ms: milliseconds for this decision, and what is left in the bank.
    view: all that this seat knows.
    events: what this seat saw since its last request.
    legal: the choices; an answer is an index into this list.
    """

    req: Natural
    kind: str
    turn_ms: Natural
    bank_ms: Natural
    view: dict[str, Plain]
    events: list[dict[str, Plain]]
    legal: Annotated[list[list[Plain]], Meta(min_length=2)]


class Fault(Struct, tag="fault", frozen=True):
    """A fault of this bot. No answer is expected.

    code: a verdict word.
    detail: one line for the bot's author.
    strikes: how many the bot has now.
    """

    code: str
    detail: str
    strikes: Natural


class End(Struct, tag="end", frozen=True):
    """The match is over. The end of input follows, on which a bot exits.

    reason: "over" or "forfeits".
    ranks: by seat, 1 is best.
    scores: by seat.
    """

    reason: str
    ranks: list[Natural]
    scores: list[Int]


class BotHello(Struct, frozen=True, forbid_unknown_fields=True):
    """A bot's first message.

    type: "hello".
    proto: the protocol version that it chooses.
    name: the bot's name.
    version: the bot's, for people.
    caps: capabilities that it takes up.
    """

    # A field, not a msgspec tag: a typed decoder takes a message that lacks its tag.
    type: Literal["hello"]
    proto: Literal[1]
    name: Text
    version: Text | UnsetType = UNSET
    caps: list[Text] | UnsetType = UNSET


class Act(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A bot's answer to a ``decide``.

    type: "act".
    req: that of the ``decide``.
    choice: an index into ``legal``.
    """

    type: Literal["act"]
    req: Int
    choice: Int


FROM_ARBITER = (Hello, Decide, Fault, End)
FROM_BOT = (BotHello, Act)
