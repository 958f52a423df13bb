"""Steps about messages to a bot: in pieces, in other forms, and with unknown fields and
messages.
"""

import json
from collections.abc import Mapping
from functools import partial
from typing import Any

import trio

from khiva_arena.bots.protocol import codec
from khiva_arena.bots.protocol.messages import FRAME_MOST_TO_BOT, INT_MOST
from khiva_arena.common.shipped import folder
from khiva_arena.competition.conformance.context import RunningCheck, Skipped
from khiva_arena.competition.conformance.encodings import Encoder
from khiva_arena.competition.conformance.positions import crowded, hello_of, place
from khiva_arena.competition.conformance.talk import Talk, talking
from khiva_arena.entrants.hints.failed import Failed

PAUSE = 0.002
LATER_FIELDS = {"later": {"x": [1, None, True, {"deep": []}]}, "also_later": -5}
LATER_EVENT = {"type": "later_event", "seat": 0, "more": [[1, 2], {"a": None}]}
LATER_MESSAGES = (
    {"type": "later"},
    {"type": "later", "req": 1, "x": []},
    {"type": "ping", "legal": [[0], [1]], "view": {}},
)
# Messages that an answer came after its deadline: as a fault to the bot, and as an
# event to all seats.
FAULT = {
    "type": "fault",
    "code": "timeout",
    "detail": "only `khiva-arena check` says this",
    "strikes": 1,
}
DEFAULT = {"type": "default", "why": "timeout", "strikes": 1}
LONG = "x" * 70_000
SIZES = (150_000, 400_000, FRAME_MOST_TO_BOT)
REQS = (
    *(1, 2, 9, 10, 13, 127, 128, 255, 256, 2_570, 3_338, 65_535, 65_536, 168_626_701, 218_763_522),
    *(2**31 - 2, 2**31 - 1, 2**31, 2**31 + 1, 2**32 - 1, 2**32, 2**52, INT_MOST - 1, INT_MOST),
)
"""Request numbers: rising, with gaps, with the bytes of line ends, and around every
width that a language may keep numbers in.
"""
VECTOR_REQ = 1_234_567
AFTER_FORFEIT = 3


async def start(running: RunningCheck) -> str:
    """Check that the bot answers the arbiter's hello with its own."""
    async with talking(running) as talk:
        hello = await talk.greet()
    version = f" {hello.version}" if isinstance(hello.version, str) else ""
    return (
        f"after {running.starts[-1] * 1000:.0f} ms of {running.limits.startup_ms:,} ms, as "
        f"{hello.name!r}{version}"
    )


async def later_hello(running: RunningCheck) -> str:
    """Check the answers to a hello as a later arbiter may send it."""
    async with talking(running) as talk:
        time = hello_of(talk.where, running.limits)["time"] | {"later_ms": 5}
        await talk.greet(
            {"protos": [1, 2], "caps": ["later", "batch"], "time": time} | LATER_FIELDS
        )
        await talk.turn()
    return "protos [1, 2], capabilities and fields that it cannot know"


async def answers(running: RunningCheck) -> str:
    """Check the answers to three plain requests."""
    async with talking(running) as talk:
        await talk.greet()
        for _ in range(3):
            question = talk.table.next() or talk.last
            talk.play(question, await talk.ask(question, legal=True))
    return "3 requests, each answered once with a legal choice"


async def fragmented(running: RunningCheck) -> str:
    """Check the answers to messages whose bytes are sent one by one."""

    async def dribble(frame: bytes) -> None:
        talk.sent.append(frame)
        for at in range(len(frame)):
            talk.wire.send(0, frame[at : at + 1])
            if at < 8 or at == len(frame) - 2 or at % 128 == 0:
                await trio.sleep(PAUSE)  # so that the bot reads this byte alone

    async with talking(running) as talk:
        await talk.greeted(codec.encode(hello_of(talk.where, running.limits)), dribble)
        for _ in range(2):
            question = talk.table.next() or talk.last
            req, message = talk.decide(question)
            await dribble(codec.encode(message))
            talk.play(
                question,
                await talk.answer(req, len(question.legal), request=question.kind, on_clock=False),
            )
    return "a hello and 2 requests, byte by byte"


async def coalesced(running: RunningCheck) -> str:
    """Check the answers to a hello, a request, the next one as if that had timed out,
    and the end, all in one write.
    """
    async with talking(running) as talk:
        first = talk.table.next() or talk.last
        first_req, decide_one = talk.decide(first)
        talk.play(first, 0)
        second = talk.table.next() or first
        two, decide_two = talk.decide(second)
        parts = (hello_of(talk.where, running.limits), decide_one, decide_two, talk.table.end())
        await talk.greeted(b"".join(codec.encode(part) for part in parts))
        await talk.answer(first_req, len(first.legal), request=first.kind, on_clock=False)
        await talk.answer(two, len(second.legal), request=second.kind, on_clock=False)
    return "4 of them in one write: a hello, 2 requests and the end"


async def vectors(running: RunningCheck) -> str:
    """Check the answers to the golden frames, sent byte for byte except ``req``, which
    has to rise.
    """
    path = folder("protocol") / "vectors" / "frames.json"
    frames = json.loads(path.read_text())
    frames = [vector for vector in frames if vector["direction"] == "to_bot"]
    hellos = [vector for vector in frames if vector["message"] == "hello"]
    ends = [vector for vector in frames if vector["message"] == "end"]
    rest = [vector for vector in frames if vector["message"] not in ("hello", "end")]
    rest.sort(
        key=lambda vector: vector["json"].get("req", 0) if vector["message"] == "decide" else 0
    )
    games = {vector["json"]["game"] for vector in hellos}
    if not games <= {game.name for game in running.games}:
        raise Skipped(
            f"they are of {', '.join(sorted(games))}, games that this bot is not checked with"
        )
    names: set[str] = set()
    for turn in range(max(len(hellos), len(ends))):
        hello, end = hellos[turn % len(hellos)], ends[turn % len(ends)]
        async with talking(running) as talk:
            await talk.greeted(bytes.fromhex(hello["hex"]))
            for number, vector in enumerate(rest):
                await _vector(talk, vector, number)
            talk.send(bytes.fromhex(end["hex"]))
            ending = await talk.finish(say_end=False)
            if ending.rest:
                raise Failed(
                    f"nothing after the vector {end['name']!r}: {end['reason']}", ending.rest
                )
        names |= {vector["name"] for vector in (hello, *rest, end)}
    return f"{len(names)} frames of {path}"


async def _vector(talk: Talk, vector: Mapping[str, Any], number: int) -> None:
    frame, req = bytes.fromhex(vector["hex"]), vector["json"].get("req")
    if req == VECTOR_REQ:
        old, req = VECTOR_REQ.to_bytes(4, "big"), VECTOR_REQ + number
        frame = frame.replace(old, req.to_bytes(4, "big"))
    talk.send(frame)
    if vector["message"] == "decide":
        try:
            await talk.answer(req, len(vector["json"]["legal"]), request=vector["name"], legal=True)
        except Failed as failure:
            failure.expected += f" to the vector {vector['name']!r}: {vector['reason']}"
            raise


async def encodings(running: RunningCheck) -> str:
    """Check the answers to messages in longer forms than needed."""
    widest, narrow = Encoder(widest=True), Encoder(widest=False)
    for encoder, rounds in ((widest, 2), (narrow, 4)):
        async with talking(running) as talk:
            await talk.greet(encode=encoder.frame)
            for _ in range(rounds):
                await talk.turn(encode=encoder.frame)
    return "map32, array32, str32, int64 and all other forms, for small things too"


async def unknown_fields(running: RunningCheck) -> str:
    """Check the answers to requests with fields and events of a later version."""
    async with talking(running) as talk:
        await talk.greet(LATER_FIELDS)
        for _ in range(3):
            question = talk.table.next() or talk.last
            change = {**LATER_FIELDS, "events": [LATER_EVENT, *question.events, LATER_EVENT]}
            talk.play(question, await talk.ask(question, change=change))
    return "in a hello and 3 requests, and events of an unknown type"


async def unknown_messages(running: RunningCheck) -> str:
    """Check that messages of a later version, before requests and between, get no
    answer.
    """
    async with talking(running) as talk:
        await talk.greet()
        for message in LATER_MESSAGES:
            await talk.turn(before=(message,))
    return f"{len(LATER_MESSAGES)} of them, none of them answered"


async def fault(running: RunningCheck) -> str:
    """Check that a message about a fault gets no answer, and a code of a later version
    none either.
    """
    async with talking(running) as talk:
        await talk.greet()
        await talk.turn()
        await talk.turn(before=(FAULT,))
        await talk.turn(before=(FAULT | {"code": "later", "strikes": 2},))
    return "2 of them, one with an unknown code, none of them answered"


async def events(running: RunningCheck) -> str:
    """Check the answers after events that any game may bring.

    They tell of the bot's own fault, the default having been played, and of another
    seat's forfeit.
    """
    table_place = place(running.games[0], crowded(running.games[0]), 1)
    async with talking(running, table_place) as talk:
        await talk.greet()
        late = talk.table.next() or talk.last
        await talk.ask(late)
        talk.play(late, 0)
        talk.table.announce(DEFAULT | {"seat": table_place.seat})
        await talk.turn()  # without the fault message, which is a step of its own
        talk.table.forfeit(0)
        for _ in range(AFTER_FORFEIT):
            await talk.turn()
    return (
        f"{{type: default}} of its own seat and {{type: forfeit}} of another one, at "
        f"{table_place.seats} seats"
    )


async def reqs(running: RunningCheck) -> str:
    """Check that the number of a request comes back unchanged."""
    async with talking(running) as talk:
        await talk.greet()
        for req in REQS:
            await talk.turn(req=req)
    return f"{len(REQS)} numbers from 1 to 2**53 - 1, rising, with gaps"


async def large(running: RunningCheck) -> str:
    """Check the answers to large frames, up to the largest that is allowed; they are
    longer than a pipe holds.
    """
    async with talking(running) as talk:
        await talk.greet()
        for size in SIZES[-1:] if running.quick else SIZES:
            await talk.turn(encode=partial(_with_padding, size=size))
    return f"a request of {FRAME_MOST_TO_BOT:,} bytes"


def _with_padding(message: Mapping[str, Any], size: int) -> bytes:
    """Encode a frame whose payload has just this size by an unknown field, which is a
    long string.
    """
    probe = codec.encode({**message, "later": LONG})
    return codec.encode(
        {**message, "later": "x" * (len(LONG) + size - (len(probe) - codec.HEADER))}
    )
