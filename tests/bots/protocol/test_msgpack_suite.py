"""The public MessagePack test suite (msgpack_test_suite.LICENSE says where it is from):
what the profile allows is read with the right value in every encoding, the rest is
refused for the right reason, and the two libraries agree.
"""

from typing import Any

import msgpack
import msgpack_suite
import msgspec
import pytest
from cases import cases

from khiva_arena.bots.protocol import codec
from khiva_arena.bots.protocol.messages import Act, BotHello
from khiva_arena.errors import RemoteProtocolError

CASES = msgpack_suite.cases()
REFUSED = msgpack_suite.refused()
HEAD = b"\x84\xa4type\xa3act\xa3req\x07\xa6choice\x05\xa1x"
HELLO = b"\x84\xa4type\xa5hello\xa5proto\x01\xa4name\xa1b\xa1x"

each_case = cases(
    ("value", "encodings"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
each_refused = cases(
    ("data", "reason"),
    [case[1:] for case in REFUSED],
    ids=[f"{name}-{data[:4].hex()}" for name, data, _ in REFUSED],
)


def same(found: Any, value: Any) -> bool:
    """Equal, and of the same kind: 1 is not true."""
    return found == value and type(found) is type(value)


def test_the_suite_is_all_there() -> None:
    assert len(CASES) == 49
    assert sum(len(encodings) for *_, encodings in CASES) == 165
    assert len(REFUSED) == 68


@each_case
def test_what_the_profile_allows_is_read_in_every_encoding(
    value: Any, encodings: list[bytes]
) -> None:
    for data in encodings:
        assert same(codec.plain_value(data), value)
        assert same(msgpack.unpackb(data), value)
        assert same(msgspec.msgpack.decode(data), value)
        assert codec.decode_act(HEAD + data) == Act("act", 7, 5)
        assert codec.decode_bot_hello(HELLO + data) == BotHello("hello", 1, "b")


@each_case
def test_what_the_arena_encodes_is_the_shortest_encoding(
    value: Any, encodings: list[bytes]
) -> None:
    assert codec.encode({"x": value})[7:] == msgpack.packb(value) == min(encodings, key=len)


@each_refused
def test_what_the_profile_does_not_allow_is_refused(data: bytes, reason: str) -> None:
    for decode in (
        lambda: codec.plain_value(data),
        lambda: codec.decode_act(HEAD + data),
        lambda: codec.decode_bot_hello(HELLO + data),
    ):
        with pytest.raises(RemoteProtocolError, match=reason.replace("*", r"\*")):
            decode()
