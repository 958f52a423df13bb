"""The session's table, its sealing, and hypothesis throwing bytes at it: only typed
outcomes, never a foreign exception.
"""

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted import frame

from khiva_arena.bots.protocol import messages
from khiva_arena.bots.protocol.session import (
    DROPPED_MOST,
    TRANSITIONS,
    Answer,
    Breach,
    Greeting,
    Move,
    Phase,
    Session,
)
from khiva_arena.common.result import Verdict
from khiva_arena.errors import LocalProtocolError

HELLO = messages.Hello([1], [], "khiva", {}, "1", "m", 0, 2, 7, messages.Time(1, 1, 1), "00")
BOT_HELLO = frame({"type": "hello", "proto": 1, "name": "b"})


def decide(req: int) -> messages.Decide:
    return messages.Decide(req, "play_pass", 1000, 0, {}, [], [[0], [1]])


def act(req: int, choice: int = 0) -> bytes:
    return frame({"type": "act", "req": req, "choice": choice})


def greeted() -> Session:
    session = Session()
    session.hello(HELLO)
    session.receive(BOT_HELLO)
    assert session.open() == Greeting("b", "")
    return session


def test_every_phase_has_a_row_and_every_step_is_used() -> None:
    assert set(TRANSITIONS) == set(Phase)
    assert {step for row in TRANSITIONS.values() for step in row} == set(Move)


@pytest.mark.parametrize("action", ["ask", "late"])
def test_what_the_table_does_not_allow_is_our_own_bug(action: str) -> None:
    session = Session()
    with pytest.raises(LocalProtocolError, match="not possible while NEW"):
        session.ask(decide(1), 1) if action == "ask" else session.late()


@pytest.mark.parametrize("first", [0, 5])
def test_req_must_rise_by_one(first: int) -> None:
    session = greeted()
    session.ask(decide(first), first)
    session.late()
    with pytest.raises(LocalProtocolError):
        session.ask(decide(first + 2), first + 2)


def test_answer() -> None:
    session = greeted()
    session.ask(decide(5), 5)
    assert session.receive(act(5, 1))
    assert session.ready
    assert session.phase is Phase.ASKED
    assert session.open() == Answer(1)
    assert session.phase is Phase.IDLE


def test_sealed_means_not_decoded() -> None:
    """A payload that breaks the protocol is only found when it is opened; a frame that
    breaks it, at once.
    """
    session = greeted()
    session.ask(decide(5), 5)
    assert session.receive(b"\0\0\0\1\xc1")
    assert session.ready
    assert session.breach is None
    assert session.open() == session.breach
    assert isinstance(session.breach, Breach)

    other = greeted()
    other.ask(decide(5), 5)
    assert not other.receive(b"text")
    assert other.ready
    assert isinstance(other.open(), Breach)


def test_an_answer_before_a_breach_counts_and_the_breach_is_found_afterwards() -> None:
    """In one piece or in two: what is behind the awaited frame is opened with the next
    look.
    """
    for pieces in ([act(5, 1) + b"text"], [act(5, 1), b"text"]):
        session = greeted()
        session.ask(decide(5), 5)
        for piece in pieces:
            session.receive(piece)
        assert session.open() == Answer(1)
        outcome = session.open()
        assert isinstance(outcome, Breach)
        assert outcome.verdict is Verdict.PROTOCOL


def test_a_hello_before_a_breach_counts() -> None:
    session = Session()
    session.hello(HELLO)
    session.receive(BOT_HELLO + act(1))
    assert session.open() == Greeting("b", "")
    outcome = session.open()
    assert isinstance(outcome, Breach)
    assert outcome.verdict is Verdict.PROTOCOL


def test_only_as_much_is_opened_as_was_there_in_time() -> None:
    session = greeted()
    session.ask(decide(5), 5)
    session.late()
    session.ask(decide(6), 6)
    session.receive(act(5))
    in_time = session.sealed
    session.receive(act(6, 1))
    assert session.open(in_time) is None
    session.late()
    assert session.sealed == 1
    assert session.open() is None


def test_a_bot_has_strayed_if_an_act_for_an_earlier_request_is_owed_or_has_come() -> None:
    session = greeted()
    session.ask(decide(5), 5)
    assert not session.strayed
    session.late()
    assert session.strayed
    session.ask(decide(6), 6)
    session.receive(act(6, 1))
    assert session.open() == Answer(1)
    assert not session.strayed
    session.receive(act(5))
    assert session.open() is None
    assert session.strayed


def test_a_seat_that_owes_an_answer_is_ready_at_the_second_frame() -> None:
    session = greeted()
    session.ask(decide(5), 5)
    session.late()
    session.ask(decide(6), 6)
    session.receive(act(5))
    assert not session.ready
    session.receive(act(6, 1))
    assert session.ready
    assert session.open() == Answer(1)
    session.ask(decide(7), 7)
    session.receive(act(7))
    assert session.ready


def test_a_late_answer_that_came_leaves_the_others_owed() -> None:
    session = greeted()
    for req in (5, 6):
        session.ask(decide(req), req)
        session.late()
    session.ask(decide(7), 7)
    session.receive(act(5))
    assert session.open() is None
    session.receive(act(6))
    assert not session.ready
    session.receive(act(7))
    assert session.ready


def test_dropped_answers_are_counted_over_the_match() -> None:
    session = greeted()
    for req in range(5, 5 + DROPPED_MOST):
        session.ask(decide(req), req)
        session.receive(act(req) + act(req))
        assert session.open() == Answer(0)
        assert session.open() is None
    session.ask(decide(5 + DROPPED_MOST), 5 + DROPPED_MOST)
    session.receive(act(5) + act(5 + DROPPED_MOST))
    assert session.open() == Breach(Verdict.FLOODED, "more than 16 acts that nobody asked for")


def test_sealed_frames_are_bounded() -> None:
    session = greeted()
    session.ask(decide(5), 5)
    taken = sum(session.receive(act(5)) for _ in range(100))
    assert taken == DROPPED_MOST + 1
    assert (
        session.sealed == DROPPED_MOST + 3
    )  # the frame that was too many, and the breach behind it
    assert session.open() == Answer(0)
    outcome = session.open()
    assert isinstance(outcome, Breach)
    assert outcome.verdict is Verdict.FLOODED


def test_sealed_frames_are_bounded_by_the_dropped_ones_that_are_left() -> None:
    """Nine dropped of 16: seven more and the awaited one are taken, the ninth frame is
    not.
    """
    session = greeted()
    session.ask(decide(5), 5)
    session.receive(act(5) * 10)
    opened = [session.open() for _ in range(10)]
    assert opened[0] == Answer(0)
    session.ask(decide(6), 6)
    assert [session.receive(act(6)) for _ in range(DROPPED_MOST - 9 + 2)] == [True] * (
        DROPPED_MOST - 9 + 1
    ) + [False]


@pytest.mark.parametrize("req", [4, 6, 0, -1, 2**53 - 1])
def test_a_req_that_was_not_asked(req: int) -> None:
    session = greeted()
    session.ask(decide(5), 5)
    session.receive(act(req))
    outcome = session.open()
    assert isinstance(outcome, Breach)
    assert outcome.verdict is Verdict.PROTOCOL


def test_a_breach_before_the_hello_is_start_failed() -> None:
    session = Session()
    session.hello(HELLO)
    assert not session.receive(b"Hello, world\n")
    outcome = session.open()
    assert isinstance(outcome, Breach)
    assert outcome.verdict is Verdict.START_FAILED
    assert "stderr" in outcome.detail


def test_after_a_breach_nothing_is_read() -> None:
    session = greeted()
    session.ask(decide(5), 5)
    assert not session.receive(b"text")
    assert not session.receive(act(5))
    first = session.open()
    assert isinstance(first, Breach)
    assert not session.receive(act(5))
    assert (session.sealed, session.breach, session.phase) == (0, first, Phase.BROKEN)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats()
    | st.text(max_size=8)
    | st.binary(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=8) | st.integers(-9, 9), inner, max_size=4)
    ),
    max_leaves=12,
)
MESSAGES = st.fixed_dictionaries(
    {"type": st.sampled_from(["act", "hello", "x"])},
    optional={"req": VALUES, "choice": VALUES, "name": VALUES},
)


@st.composite
def streams(draw: st.DrawFn) -> bytes:
    parts = []
    for _ in range(draw(st.integers(1, 5))):
        kind = draw(st.integers(0, 4))
        if kind == 0:
            parts.append(draw(st.binary(max_size=40)))
            continue
        payload = (
            act(draw(st.integers(4, 6)))[4:]
            if kind == 1
            else msgpack.packb(draw(MESSAGES if kind < 4 else VALUES))
        )
        if draw(st.booleans()):
            at, byte = draw(st.integers(0, len(payload) - 1)), draw(st.integers(0, 255))
            payload = payload[:at] + bytes([byte]) + payload[at + 1 :]
        parts.append(len(payload).to_bytes(4, "big") + payload)
    return b"".join(parts)


@given(streams(), st.booleans(), st.lists(st.integers(1, 30), max_size=20))
def test_hostile_bytes_give_typed_outcomes(data: bytes, in_greeting: bool, cuts: list[int]) -> None:
    session = Session()
    session.hello(HELLO)
    if not in_greeting:
        session.receive(BOT_HELLO)
        session.open()
        session.ask(decide(5), 5)
    at = 0
    for cut in [*cuts, len(data)]:
        session.receive(data[at : at + cut])
        at += cut
    for _ in range(20):
        outcome = session.open()
        assert outcome is None or isinstance(outcome, Greeting | Answer | Breach)


@given(streams(), st.lists(st.integers(1, 30), max_size=20))
def test_how_bytes_are_cut_changes_nothing(data: bytes, cuts: list[int]) -> None:
    def outcome(pieces: list[bytes]) -> object:
        session = greeted()
        session.ask(decide(5), 5)
        for piece in pieces:
            session.receive(piece)
        found = [session.open() for _ in range(20)]
        return [
            each.verdict if isinstance(each, Breach) else each for each in found
        ]  # a detail quotes what was there

    pieces, at = [], 0
    for cut in cuts:
        pieces.append(data[at : at + cut])
        at += cut
    assert outcome([*pieces, data[at:]]) == outcome([bytes([byte]) for byte in data])
