"""What a bot reports of its spending: offered to few, read beside its choices, and
never a breach.
"""

from collections.abc import Callable
from typing import Any

import msgpack
import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st
from jobs import job, sound
from scripted import act, frame, hello, honest, play

from khiva_arena.arbiter.match import Outcome
from khiva_arena.bots.protocol import codec, messages
from khiva_arena.bots.protocol.messages import SPENT as CAPABILITY
from khiva_arena.bots.protocol.session import Answer, Session
from khiva_arena.bots.protocol.spent import without_spent
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.common.result import Spent

HELLO = messages.Hello(
    [1], [CAPABILITY], "khiva", {}, "1", "m", 0, 2, 7, messages.Time(1, 1, 1), "00"
)
NOBODY, REPORTER = Command((), ""), Command((), "", reports=True)
TAKES = {"caps": ["spent"], "currency": "EUR"}
PAIR = b"\xa5spent"


def decide(req: int) -> messages.Decide:
    return messages.Decide(req, "play_pass", 1000, 0, {}, [], [[0], [1]])


def session(**fields: Any) -> Session:
    begun = Session(reports=True)
    begun.hello(HELLO)
    begun.receive(hello(**TAKES | fields)[0][1])
    begun.open()
    begun.ask(decide(5), 5)
    return begun


def nested(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(values, max_size=20) | st.dictionaries(
        st.text(max_size=40), values, max_size=20
    )


def with_raw(value: bytes) -> bytes:
    """A frame of an act whose ``spent`` is these bytes."""
    payload = b"\x84" + msgpack.packb({"type": "act", "req": 5, "choice": 1})[1:] + PAIR + value
    return len(payload).to_bytes(4, "big") + payload


HOSTILE = {
    "nine names": msgpack.packb({str(i): 1 for i in range(9)}),
    "thousands of names": msgpack.packb({str(i): 1 for i in range(9_000)}),
    "a float": msgpack.packb({"lot": 1.0}),
    "a boolean": msgpack.packb({"lot": True}),
    "below zero": msgpack.packb({"lot": -1}),
    "beyond 53 bits": msgpack.packb({"lot": 2**53}),
    "64 bits": msgpack.packb({"lot": 2**64 - 1}),
    "no text": b"\x81\xa2\xff\xfe\x01",
    "no name": msgpack.packb({"": 1}),
    "a long name": msgpack.packb({"x" * 33: 1}),
    "an escape": msgpack.packb({"\x1b[2J": 1}),
    "a blank": msgpack.packb({" ": 1}),
    "an array": msgpack.packb([1]),
    "a number": msgpack.packb(3),
    "nested": msgpack.packb({"lot": {"x": 1}}),
    "very deep": b"\x91" * 60_000 + b"\x01",
    "an extension": msgpack.packb({"lot": msgpack.ExtType(3, b"abcde")}),
    "number as a name": msgpack.packb({1: 1}),
}


@cases("name", HOSTILE)
def test_totals_that_are_none_are_dropped_and_counted_and_the_choice_counts(name: str) -> None:
    begun = session()
    begun.receive(with_raw(HOSTILE[name]))
    assert begun.open() == Answer(1)
    assert begun.spent(1) == Spent({}, 1, dropped=1, currency="EUR")
    begun.ask(decide(6), 6)
    begun.receive(
        frame({"type": "act", "req": 6, "choice": 0, "spent": {"lot": 2}, "later": [None]})
    )
    assert begun.open() == Answer(0)
    assert begun.spent(2) == Spent({"lot": 2}, 2, True, 1, "EUR")


BREACHES = {
    "cut short": with_raw(b"\x82\xa3lot\x01"),
    "claims a million names": with_raw(b"\xdf\x00\x0f\x42\x40"),
    "bytes behind": with_raw(b"\x80\x01"),
    "a float beside it": frame({"type": "act", "req": 5, "choice": 1, "x": 1.5, "spent": {}}),
    "a float under a key that loses": with_raw(b"\x80")[:4] + b"\x84\xa6choice\xca\0\0\0\0",
}


@cases("name", BREACHES)
def test_a_breach_elsewhere_in_the_frame_is_the_breach_that_it_is_without_totals(name: str) -> None:
    begun, plain = session(), session(caps=[])
    data = BREACHES[name][4:]
    for one in (begun, plain):
        one.receive(len(data).to_bytes(4, "big") + data)
    assert type(begun.open()).__name__ == type(plain.open()).__name__ == "Breach"


@cases("wrong", ["", "x" * 17, "\x1b[2J", " ", 3, None, ["EUR"], {"EUR": 1}])
def test_a_currency_that_is_none_is_left_out_and_the_totals_are_read(wrong: object) -> None:
    begun = session(currency=wrong)
    begun.receive(with_raw(msgpack.packb({"cost": 3})))
    assert begun.open() == Answer(1)
    assert begun.spent(1) == Spent({"cost": 3}, 1, True, int(wrong != ""))


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats()
    | st.text()
    | st.binary(),
    nested,
)


@given(
    st.dictionaries(st.sampled_from(["spent", "spend", "req", ""]) | st.text(), VALUES),
    st.binary(max_size=3),
)
def test_the_rest_of_any_map_stays_as_it_was(message: dict[str, Any], behind: bytes) -> None:
    whole = msgpack.packb(message)
    rest, spent = without_spent(whole + behind)
    left = {key: value for key, value in message.items() if key != CAPABILITY}
    assert (spent is None) == (CAPABILITY not in message)
    assert msgpack.packb(msgpack.unpackb(rest[: len(rest) - len(behind)])) == msgpack.packb(left)
    assert spent is None or spent == msgpack.packb(message[CAPABILITY])
    for end in range(len(whole)):
        assert without_spent(whole[:end]) == (whole[:end], None)


@given(st.binary(max_size=200))
def test_no_bytes_are_too_strange_to_be_cut(data: bytes) -> None:
    rest, spent = without_spent(data)
    assert (rest == data) == (spent is None)


class Reporting:
    """A bot that reports the req of each request if it is offered to, and answers the
    second one late.
    """

    def __init__(self) -> None:
        self._more: dict[str, Any] = {}
        self._asked = 0

    def __call__(self, message: dict[str, Any]) -> list[tuple[float, bytes]]:
        if message["type"] == "hello":
            self._more = TAKES if CAPABILITY in message["caps"] else {}
            return hello(**self._more)
        if message["type"] != "decide":
            return []
        self._asked += 1
        totals = {"spent": {"tokens_in": message["req"]}} if self._more else {}
        return act(message, delay=3.5 if self._asked == 2 else 0.001, **totals)


def played(
    command: Command,
) -> tuple[Outcome, list[tuple[int, dict[str, Any]]], list[tuple[int, bytes]]]:
    outcome, wire = play(job([NOBODY, command]), [honest, Reporting()])
    return outcome, wire.sent, wire.frames


def test_a_late_act_counts_for_what_is_spent_and_not_as_an_answer() -> None:
    outcome, sent, _ = played(REPORTER)
    sound(outcome)
    reqs = [message["req"] for seat, message in sent if seat == 1 and message["type"] == "decide"]
    assert [str(fault.verdict) for fault in outcome.seats[1].faults] == ["timeout"]
    assert outcome.seats[1].spent == Spent({"tokens_in": reqs[-1]}, len(reqs), True, 0, "EUR")
    assert outcome.seats[0].spent is None
    begun = session()
    begun.late()
    begun.receive(with_raw(msgpack.packb({"lot": 7})))
    assert begun.open() is None
    begun.ask(decide(6), 6)
    assert begun.spent(2) == Spent({"lot": 7}, 2, currency="EUR"), "the last act is missing"


def counted(decode: Callable[[bytes], Any], decoded: list[bytes]) -> Callable[[bytes], Any]:
    def counting(payload: bytes) -> Any:
        decoded.append(payload)
        return decode(payload)

    return counting


def test_the_others_get_the_bytes_of_before_and_their_acts_are_decoded_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    decoded: list[bytes] = []
    for name in ("decode_act", "decode_bot_hello", "plain_value"):
        monkeypatch.setattr(codec, name, counted(getattr(codec, name), decoded))
    counts = []
    for command in (NOBODY, REPORTER):
        decoded.clear()
        outcome, sent, frames = played(command)
        sound(outcome)
        acts = [payload for payload in decoded if b"\xa3act" in payload]
        assert len(acts) == sum(message["type"] == "decide" for _, message in sent)
        counts.append((len(acts), [data for seat, data in frames if seat == 0]))
        assert [message["caps"] for _, message in sent[:2]] == [
            [],
            ["spent"] if command.reports else [],
        ]
    assert counts[0] == counts[1], "a neighbour that may report changes nothing for the others"


@pytest.mark.parametrize("caps", [[], ["later"]])
def test_a_bot_that_does_not_take_the_offer_up_is_read_as_any_other(caps: list[str]) -> None:
    begun = session(caps=caps)
    begun.receive(frame({"type": "act", "req": 5, "choice": 1, "spent": {"lot": 1}}))
    assert begun.open() == Answer(1)
    assert begun.spent(1) == Spent({}, 1)
