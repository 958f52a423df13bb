"""Makes sessions.json, what an arbiter makes of what a bot sends, step by step, and
conversations.json, what a bot makes of what an arbiter sends. ``python
tests/bots/protocol/make_frames.py --write`` writes them.

What should come of each step is said here by hand, so that the arena's own session can
be held against it.
"""

from pathlib import Path
from typing import Any

from golden import VECTORS, framed, packed, rows

REQ = 1_234_567
HELLO_MESSAGE = {"type": "hello", "proto": 1, "name": "my-bot"}
ABOUT = (
    "Each session is a list of steps. A step of the arbiter has `arbiter`: HELLO, ASK (with "
    "`req`), LATE or END. A step of the bot has `hex`, the bytes it sends, `json`, the messages in "
    "them (null where there is none), and `opened`, what the arbiter makes of all that is there "
    "now, in order: greeting (the name), answer (the choice), dropped (the req), or breach (the "
    "verdict). `phase` is where the session stands at last."
)
ABOUT_CONVERSATIONS = (
    "A bot is sent the frames, then its input ends. It has to answer as `answers` says, in order, "
    "with nothing else on standard output: hello, or the act for a req with a choice from 0 to "
    "choices - 1. Then it exits; where `exit` is 0, with that code."
)
GREETED = {"greeting": "my-bot"}


def step(name: str, **more: Any) -> dict[str, Any]:
    return {"arbiter": name, **more}


def ask(n: int = 0) -> dict[str, Any]:
    return step("ASK", req=REQ + n)


def act(n: int = 0, choice: int = 1, **more: Any) -> dict[str, Any]:
    return {"type": "act", "req": REQ + n, "choice": choice, **more}


def bot(parts: list[Any], *opened: dict[str, Any]) -> dict[str, Any]:
    """What the bot sends, messages and raw bytes, and what comes of it."""
    data = b"".join(part if isinstance(part, bytes) else packed(part) for part in parts)
    return {
        "hex": data.hex(),
        "json": [None if isinstance(part, bytes) else part for part in parts],
        "opened": list(opened),
    }


def answer(choice: int = 1) -> dict[str, int]:
    return {"answer": choice}


def dropped(n: int = 0) -> dict[str, int]:
    return {"dropped": REQ + n}


def breach(verdict: str = "protocol") -> dict[str, str]:
    return {"breach": verdict}


START = [step("HELLO"), bot([HELLO_MESSAGE], GREETED)]
TEXT = b"hello, world\n"
FLOAT = {"type": "act", "req": REQ, "choice": 1.0}


def sessions() -> list[dict[str, Any]]:
    """All sessions, in the order of the file."""
    made: list[dict[str, Any]] = []

    def add(name: str, reason: str, phase: str, *steps: dict[str, Any], start: bool = True) -> None:
        made.append(
            {
                "name": name,
                "reason": reason,
                "phase": phase,
                "steps": [*(START if start else ()), *steps],
            }
        )

    _starts(add)
    _answers(add)
    _strays(add)
    _breaches(add)
    _ends(add)
    return made


def _starts(add: Any) -> None:
    def start(name: str, reason: str, phase: str, *steps: dict[str, Any]) -> None:
        add(name, reason, phase, step("HELLO"), *steps, start=False)

    start("hello", "the bot's hello is its first message", "IDLE", bot([HELLO_MESSAGE], GREETED))
    more = {**HELLO_MESSAGE, "version": "2", "caps": ["later"], "author": "somebody"}
    start(
        "hello-more-fields",
        "optional and unknown fields, a capability not offered",
        "IDLE",
        bot([more], GREETED),
    )
    whole = packed(HELLO_MESSAGE)
    pieces = [bot([whole[:3]]), bot([whole[3:9]]), bot([whole[9:]], GREETED)]
    start("hello-in-pieces", "where a read ends means nothing", "IDLE", *pieces)
    failed = breach("start_failed")
    start("banner", "before the hello every breach is start_failed", "BROKEN", bot([TEXT], failed))
    start(
        "act-for-a-hello",
        "another message where the hello is expected",
        "BROKEN",
        bot([act()], failed),
    )
    start(
        "wrong-proto",
        "a version that was not offered",
        "BROKEN",
        bot([{**HELLO_MESSAGE, "proto": 2}], failed),
    )
    start(
        "no-name",
        "a required field is missing",
        "BROKEN",
        bot([{"type": "hello", "proto": 1}], failed),
    )
    start("empty-frame-for-a-hello", "a length of zero", "BROKEN", bot([bytes(4)], failed))
    start(
        "banner-then-hello",
        "nothing is read behind a breach",
        "BROKEN",
        bot([TEXT, HELLO_MESSAGE], failed),
    )
    behind = bot([HELLO_MESSAGE, TEXT], GREETED, breach())
    start(
        "breach-behind-a-hello",
        "the hello counts, and the breach is a fault of the next decision",
        "BROKEN",
        behind,
    )
    second = bot([HELLO_MESSAGE, HELLO_MESSAGE], GREETED, breach())
    start(
        "second-hello", "no message but an act is taken once the bot has greeted", "BROKEN", second
    )
    early = bot([HELLO_MESSAGE, act()], GREETED, breach())
    start("act-behind-a-hello", "an act before anything was asked", "BROKEN", early)


def _answers(add: Any) -> None:
    add("answer", "the act with the open req", "IDLE", ask(), bot([act()], answer()))
    add(
        "two-answers",
        "requests rise one by one",
        "IDLE",
        ask(),
        bot([act()], answer()),
        ask(1),
        bot([act(1, 0)], answer(0)),
    )
    add(
        "answer-unknown-fields",
        "unknown fields are ignored",
        "IDLE",
        ask(),
        bot([act(why="x", more=[{}])], answer()),
    )
    whole = packed(act())
    add(
        "answer-in-pieces",
        "where a read ends means nothing",
        "IDLE",
        ask(),
        *map(bot, ([whole[:5]], [whole[5:8]])),
        bot([whole[8:]], answer()),
    )
    add(
        "half-an-answer",
        "a frame that has not ended is nothing yet",
        "ASKED",
        ask(),
        bot([whole[:-1]]),
    )
    add(
        "late-half-an-answer",
        "nor is it when the time is up",
        "IDLE",
        ask(),
        bot([whole[:-1]]),
        step("LATE"),
    )
    add(
        "choice-beyond",
        "whether a choice is legal is the game's to say",
        "IDLE",
        ask(),
        bot([act(choice=99)], answer(99)),
    )
    add(
        "choice-negative",
        "whether a choice is legal is the game's to say",
        "IDLE",
        ask(),
        bot([act(choice=-1)], answer(-1)),
    )


def _strays(add: Any) -> None:
    late = [ask(), step("LATE")]
    add(
        "late-act",
        "the answer to a request that ran out of time is dropped",
        "IDLE",
        *late,
        bot([act()], dropped()),
    )
    add(
        "late-act-while-asked",
        "it stands before the awaited one",
        "ASKED",
        *late,
        ask(1),
        bot([act()], dropped()),
    )
    both = bot([act(), act(1)], dropped(), answer())
    add("late-act-and-answer", "then the awaited one counts", "IDLE", *late, ask(1), both)
    one = bot([act(1)], answer())
    add("late-act-never-sent", "a late answer need not come", "IDLE", *late, ask(1), one)
    two = bot([act(), act(choice=0)], answer(), dropped())
    add(
        "second-act",
        "the second act for a request is dropped, whatever it chooses",
        "IDLE",
        ask(),
        two,
    )
    again = [
        ask(),
        bot([act()], answer()),
        ask(1),
        bot([act(choice=0)], dropped()),
        bot([act(1)], answer()),
    ]
    add(
        "act-for-the-request-before",
        "an act for an earlier request changes nothing",
        "IDLE",
        *again,
    )
    many = bot([act()] * 17, answer(), *[dropped()] * 16)
    add(
        "16-dropped",
        "16 in a match are no fault",
        "IDLE",
        ask(),
        many,
        ask(1),
        bot([act(1)], answer()),
    )
    flood = bot([act()] * 18, answer(), *[dropped()] * 16, breach("flooded"))
    add("17-dropped", "the 17th is", "BROKEN", ask(), flood)
    nine = bot([act()] * 10, answer(), *[dropped()] * 9)
    rest = bot([act(1)] * 9, answer(), *[dropped(1)] * 7, breach("flooded"))
    add(
        "17-dropped-of-two-requests",
        "they are counted over the whole match",
        "BROKEN",
        ask(),
        nine,
        ask(1),
        rest,
    )
    before = bot([act()] * 17 + [act(1)], *[dropped()] * 16, breach("flooded"))
    add(
        "17-dropped-before-the-answer",
        "the answer behind them does not count",
        "BROKEN",
        *late,
        ask(1),
        before,
    )
    bad = bot([FLOAT], breach())
    add(
        "late-act-with-a-float",
        "what will be dropped has to keep to the profile, too",
        "BROKEN",
        *late,
        bad,
    )


def _breaches(add: Any) -> None:
    def bad(name: str, reason: str, *parts: Any, opened: tuple[dict[str, Any], ...] = ()) -> None:
        add(name, reason, "BROKEN", ask(), bot(list(parts), *opened, breach()))

    bad("text", "text on standard output", TEXT)
    bad("empty-frame", "a length of zero", bytes(4))
    bad(
        "too-long-frame",
        "a length of 65,537, refused before anything of the payload is there",
        b"\0\1\0\1",
    )
    bad("float", "a choice that is a float", FLOAT)
    bad("not-a-map", "a payload that is no map", framed(b"\x93\x01\x02\x03"))
    bad("unknown-message", "bots send no messages but hello and act", {"type": "later"})
    bad("req-of-the-future", "a req that was not asked yet", act(1))
    bad("req-before-the-first", "a req below the first one of the match", act(-1))
    bad("req-0", "a req that was not asked", act(-REQ))
    bad("req-negative", "a req that was not asked", act(-REQ - 1))
    bad(
        "breach-behind-an-answer",
        "the answer counts, the breach is a fault of the next decision",
        act(),
        TEXT,
        opened=(answer(),),
    )
    bad(
        "next-answer-behind-an-answer",
        "the next one was not asked yet",
        act(),
        act(1),
        opened=(answer(),),
    )
    bad("answer-behind-a-breach", "nothing is read behind a breach", TEXT, act())
    bad("answer-behind-a-bad-frame", "nothing is read behind a breach", FLOAT, act())
    bad(
        "breach-behind-a-dropped-act",
        "frames are taken in their order",
        act(),
        act(),
        TEXT,
        opened=(answer(), dropped()),
    )
    add("act-before-the-first-request", "nothing was asked", "BROKEN", bot([act()], breach()))
    early = [ask(), bot([act()], answer()), bot([act(1)], breach())]
    add("answer-before-it-is-asked", "between two requests no answer is awaited", "BROKEN", *early)
    add(
        "text-while-nothing-is-asked",
        "a breach, whenever it comes",
        "BROKEN",
        ask(),
        step("LATE"),
        bot([TEXT], breach()),
    )
    add(
        "nothing-behind-a-breach",
        "what comes later is not read either",
        "BROKEN",
        ask(),
        bot([TEXT], breach()),
        bot([act()]),
    )


def _ends(add: Any) -> None:
    add("end", "the match is over", "ENDED", ask(), bot([act()], answer()), step("END"))
    add(
        "end-then-an-act",
        "nothing is read behind the end",
        "ENDED",
        ask(),
        bot([act()], answer()),
        step("END"),
        bot([act(1)]),
    )
    add("end-then-text", "nothing is read behind the end", "ENDED", step("END"), bot([TEXT]))
    add(
        "end-while-asked",
        "the end may come while a request is open",
        "ENDED",
        ask(),
        step("END"),
        bot([act()]),
    )
    add(
        "end-while-greeting",
        "the end may come before the bot has greeted",
        "ENDED",
        step("HELLO"),
        step("END"),
        start=False,
    )


# --- what bots have to do ---

ARBITER_HELLO = {
    "type": "hello",
    "protos": [1],
    "caps": [],
    "game": "khiva",
    "rules": {},
    "rules_version": "1",
    "match": "example-1",
    "seat": 1,
    "seats": 2,
    "seed": 5,
    "time": {"startup_ms": 10_000, "turn_ms": 1_000, "bank_ms": 10_000},
    "commit": "00ff" * 16,
}
FAULT = {"type": "fault", "code": "timeout", "detail": "no answer came", "strikes": 1}
END = {"type": "end", "reason": "over", "ranks": [1, 2], "scores": [3, 2]}
LATER = {"type": "later", "req": REQ, "legal": [[0], [1]], "view": {}}


def decide(n: int = 0, choices: int = 3, **more: Any) -> dict[str, Any]:
    view = {"seat": 1, "seats": 2, "turn": n + 1}
    legal = [[i] for i in range(choices)]
    request = {
        "type": "decide",
        "req": REQ + n,
        "kind": "later",
        "turn_ms": 1_000,
        "bank_ms": 10_000,
        "view": view,
    }
    return {**request, "events": [], "legal": legal, **more}


def conversations() -> list[dict[str, Any]]:
    """All conversations, in the order of the file."""
    made: list[dict[str, Any]] = []

    def add(name: str, reason: str, *parts: Any, clean: bool = True) -> None:
        sent, answers, deaf = [], [], False
        for part in parts:
            data = part if isinstance(part, bytes) else packed(part)
            sent.append({"json": None if isinstance(part, bytes) else part, "hex": data.hex()})
            deaf = deaf or isinstance(part, bytes) or 1 not in part.get("protos", [1])
            if not deaf and part["type"] == "hello":
                answers.append({"type": "hello"})
            elif not deaf and part["type"] == "decide":
                answers.append({"type": "act", "req": part["req"], "choices": len(part["legal"])})
        made.append(
            {
                "name": name,
                "reason": reason,
                "frames": sent,
                "answers": answers,
                "exit": 0 if clean else None,
            }
        )

    add(
        "match",
        "one answer to each request, in their order",
        ARBITER_HELLO,
        *map(decide, range(5)),
        END,
    )
    add("no-end", "the end of input ends a bot, with or without an `end`", ARBITER_HELLO, decide())
    add("nothing", "the end of input before the hello")
    add("hello-only", "no decision is asked, as where the others forfeit", ARBITER_HELLO, END)
    later = {**ARBITER_HELLO, "protos": [1, 2], "caps": ["later"], "later": {"x": [1]}}
    add(
        "later-arbiter",
        "more protocols, capabilities and fields",
        later,
        decide(later=[None, {}]),
        END,
    )
    offered = {**ARBITER_HELLO, "caps": ["spent"]}
    add(
        "spent-offered",
        "a bot may report what it spends, and need not",
        offered,
        decide(),
        decide(1),
        END,
    )
    add("unknown-message", "not answered", ARBITER_HELLO, LATER, decide(), LATER, decide(1), END)
    add(
        "fault",
        "not answered, and the match goes on",
        ARBITER_HELLO,
        decide(),
        FAULT,
        decide(1),
        END,
    )
    add(
        "req-gaps",
        "all a bot may rely on is that requests rise",
        ARBITER_HELLO,
        decide(),
        decide(7),
        decide(2**40),
        END,
    )
    add("req-most", "the largest integer", ARBITER_HELLO, decide(2**53 - 1 - REQ), END)
    add(
        "many-choices",
        "a long list",
        ARBITER_HELLO,
        decide(choices=1_000),
        decide(1, choices=2),
        END,
    )
    add(
        "unknown-kind-and-event",
        "of a later game",
        ARBITER_HELLO,
        decide(kind="x", events=[{"type": "x", "y": [{}]}]),
        END,
    )
    none = {**ARBITER_HELLO, "protos": [2]}
    add(
        "no-common-protocol", "a bot that speaks none of `protos` does not greet", none, clean=False
    )
    add("ends-in-a-length", "the end of input inside a length", ARBITER_HELLO, decide(), b"\0\0")
    add(
        "ends-in-a-payload",
        "the end of input inside a payload",
        ARBITER_HELLO,
        decide(),
        packed(decide(1))[:-1],
    )
    bad = [
        (bytes(4), "empty-frame", "a length of zero"),
        (b"\0\x10\0\1", "too-long-frame", "1,048,577 bytes"),
    ]
    bad += [(b"\xff\xff\xff\xff", "4-gib-frame", "4 GiB")]
    for length, name, reason in bad:
        add(
            name,
            f"{reason}: refused before the payload is read",
            ARBITER_HELLO,
            decide(),
            length + bytes(10),
            clean=False,
        )
    return made


def files() -> dict[Path, str]:
    """What this module makes."""
    return {
        VECTORS / "sessions.json": rows({"about": ABOUT}, "sessions", sessions()),
        VECTORS / "conversations.json": rows(
            {"about": ABOUT_CONVERSATIONS}, "conversations", conversations()
        ),
    }
