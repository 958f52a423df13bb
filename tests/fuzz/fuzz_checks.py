"""What must hold for any bytes: each check raises AssertionError, or lets a foreign
exception through, and returns a word for how it went.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random

import fuzz_grow as grow
import fuzz_oracle as oracle

from khiva_arena.bots.protocol import codec, messages
from khiva_arena.bots.protocol.session import (
    DROPPED_MOST,
    Answer,
    Breach,
    Greeting,
    Phase,
    Session,
    SessionOutcome,
)
from khiva_arena.errors import LocalProtocolError, RemoteProtocolError

HELLO = messages.Hello([1], [], "khiva", {}, "1", "m", 0, 2, 7, messages.Time(1, 1, 1), "00")
END = messages.End("over", [1, 2], [3, 4])
LINE = 1_500
DECODERS = ("decode_act", "decode_bot_hello", "_decode_act", "_decode_hello", "plain_value")

# Steps of a conversation: what the arbiter does, or bytes that come.
Program = list[tuple[str, bytes]]


def payload(data: bytes) -> str:
    """The codec takes and refuses what the specification does, with the same values,
    and refuses in a line.
    """
    words = []
    for name, decode, expected in (
        ("act", _act, oracle.act_of),
        ("hello", _hello, oracle.hello_of),
    ):
        wanted, why = _outcome(expected, data)
        found, detail = _outcome(decode, data)
        assert (found is None) == (wanted is None), (
            f"{name}: {found} ({detail}), by the specification {wanted} ({why})"
        )
        assert found == wanted, f"{name}: {found}, by the specification {wanted}"
        _check_line(detail)
        words += [name] if found else []
    return words[0] if words else "refused"


def _outcome(decode: Callable[[bytes], object], data: bytes) -> tuple[object, str]:
    try:
        return decode(data), ""
    except (RemoteProtocolError, oracle.Breach) as error:
        return None, str(error)


def _check_line(detail: str) -> None:
    """A detail is a line for people, whatever the bot sent."""
    assert not detail or detail.isprintable(), detail
    assert len(detail) < LINE


def _act(data: bytes) -> object:
    act = codec.decode_act(data)
    return act.req, act.choice


def _hello(data: bytes) -> object:
    hello = codec.decode_bot_hello(data)
    return hello.name, hello.version if isinstance(hello.version, str) else ""


def program(chance: Random) -> Program:
    """A conversation through any of the phases, with hostile bytes in all of them; some
    keep to the rules for long.
    """
    steps: Program = []
    calm = chance.choice((0.0, 0.7, 0.95))
    if chance.random() < 0.1:
        steps.append(("bytes", grow.stream(chance, grow.REQ)))
    steps += [("hello", b""), ("bytes", grow.hello(chance)), ("open", b"")]
    req = grow.REQ
    for _ in range(chance.choice((1, 3, 6, 25))):
        if chance.random() < 0.2:
            steps.append(("bytes", grow.stream(chance, req - 1, calm)))
        steps += [
            ("ask", b""),
            ("bytes", grow.stream(chance, req, calm)),
            (chance.choice(("open", "open", "open", "late")), b""),
        ]
        req += 1
    if chance.random() < 0.3:
        steps += [("end", b""), ("bytes", grow.stream(chance, req)), ("open", b"")]
    return steps


def conversation(steps: Program, chance: Random) -> str:
    """However the bytes are cut, the session says what the specification says, and
    opens nothing before its time.
    """
    whole = _heard(steps, lambda data: [data])
    assert whole == _told(steps), f"{whole}, the specification says {_told(steps)}"
    for cut in (
        lambda data: _cut(chance, data),
        lambda data: [data[i : i + 1] for i in range(min(len(data), 2_000))] + [data[2_000:]],
    ):
        assert _heard(steps, cut) == whole, "it depends on how the bytes are cut"
    last = next(
        (each for each in reversed(whole) if each is not None and each[0] != "listens"),
        ("nothing",),
    )
    return str(last[-1] if last[0] == "breach" else last[0])


def _cut(chance: Random, data: bytes) -> list[bytes]:
    ends = sorted(chance.randrange(len(data) + 1) for _ in range(chance.randrange(6)))
    return [data[a:b] for a, b in zip([0, *ends], [*ends, len(data)], strict=True)]


def _heard(steps: Program, cut: Callable[[bytes], list[bytes]]) -> list[tuple[object, ...] | None]:
    """What the arena's session makes of it: an outcome for each opening, and after
    bytes whether more is read and enough is in.

    As the arbiter does, a seat is asked only when all that came before was opened.
    """
    session, out, req = Session(), [], grow.REQ
    for step, data in steps:
        if step == "bytes":
            with _sealed():
                listens = [session.receive(piece) for piece in cut(data)]
            out.append(("listens", listens[-1], "ready", session.ready))
            _check_bounds(session, len(data))
        elif step == "hello":
            session.hello(HELLO)
        elif step == "end":
            if session.phase not in (Phase.BROKEN, Phase.ENDED):
                session.end(END)
        elif session.phase is Phase.ENDED:
            _check_nothing_is_said(session)
        elif step == "ask":
            was_idle = session.phase is Phase.IDLE
            out.append(_word(session.open()))
            if was_idle and session.phase is Phase.IDLE:
                session.ask(messages.Decide(req, "play_pass", 1000, 0, {}, [], [[0], [1]]), req)
                req += 1
        else:
            out.append(_word(session.open(session.sealed if step == "late" else None)))
            if step == "late" and session.phase is Phase.ASKED:
                session.late()
    return out


def _told(steps: Program) -> list[tuple[object, ...] | None]:
    """What the specification says of the same."""
    talk, out, req = oracle.Talk(), [], grow.REQ
    for step, data in steps:
        if step == "bytes":
            talk.receive(data)
            out.append(("listens", talk.listens, "ready", talk.ready))
        elif step == "hello":
            talk.phase = "GREETING"
        elif step == "end":
            talk.phase = talk.phase if talk.phase == "BROKEN" else "ENDED"
        elif talk.phase != "ENDED":
            was_idle = talk.phase == "IDLE"
            out.append(talk.open())
            if step == "ask" and was_idle and talk.phase == "IDLE":
                talk.asked.append(req)
                talk.phase = "ASKED"
                req += 1
            elif step == "late" and talk.phase == "ASKED":
                talk.phase = "IDLE"
                talk.owed += 1
    return out


def _word(outcome: SessionOutcome) -> tuple[object, ...] | None:
    """An outcome as the oracle writes it: a breach's detail quotes what was there, and
    is not compared.
    """
    if isinstance(outcome, Breach):
        _check_line(outcome.detail)
        return ("breach", str(outcome.verdict))
    if isinstance(outcome, Greeting):
        return ("greeting", *outcome)
    assert outcome is None or isinstance(outcome, Answer)
    return None if outcome is None else ("answer", outcome.choice)


def _check_bounds(session: Session, piece: int) -> None:
    """Of sealed frames there are never more than are allowed and what one read brought
    behind them.
    """
    held = sum(map(len, session._reader.frames)) + session.partial
    assert held <= (DROPPED_MOST + 2) * messages.FRAME_MOST_TO_ARBITER + codec.HEADER + piece


def _check_nothing_is_said(session: Session) -> None:
    """After the end nothing is read; opening what was left there is the arbiter's own
    mistake, and said to be.
    """
    assert not session.receive(b"\0")
    sealed = session.sealed
    try:
        assert session.open() is None
        assert not sealed
    except LocalProtocolError:
        assert sealed


@contextmanager
def _sealed() -> Iterator[None]:
    """Inside nothing may be decoded, by whatever way."""
    kept = {name: getattr(codec, name) for name in DECODERS}
    for name in DECODERS:
        setattr(codec, name, _never)
    try:
        yield
    finally:
        for name, function in kept.items():
            setattr(codec, name, function)


def _never(_: bytes) -> None:
    raise AssertionError("a sealed frame was decoded")


def reproduced(kind: str, data: bytes | Program) -> str:
    """What to hand to ``run.py --again`` to see a failure once more."""
    if isinstance(data, bytes):
        return f"{kind}:{data.hex()}"
    return f"{kind}:" + ",".join(f"{step}={each.hex()}" for step, each in data)


def again(text: str) -> None:
    """Check what ``reproduced`` wrote."""
    kind, _, rest = text.partition(":")
    if kind == "payload":
        payload(bytes.fromhex(rest))
        return
    steps = [
        (step, bytes.fromhex(data))
        for step, _, data in (part.partition("=") for part in rest.split(","))
    ]
    for seed in range(20):
        conversation(steps, Random(seed))
