"""What a bot is told of its breach is a line, whatever it sent."""

import msgpack
import pytest

from khiva_arena.errors import RemoteProtocolError
from khiva_arena.protocol.codec import decode_act, decode_bot_hello


@pytest.mark.parametrize("decode", [decode_act, decode_bot_hello])
@pytest.mark.parametrize("kind", ["x" * 60_000, ["\n" * 200] * 200, {"k" * 1000: "v" * 50_000}], ids=["text", "array", "map"])
def test_a_type_of_any_size_is_told_in_a_line(decode: object, kind: object) -> None:
    with pytest.raises(RemoteProtocolError) as caught:
        decode(msgpack.packb({"type": kind}))  # type: ignore[operator]
    assert len(caught.value.detail) < 200
    assert "\n" not in caught.value.detail


@pytest.mark.parametrize("decode", [decode_act, decode_bot_hello])
@pytest.mark.parametrize("message", [{"\x1b[2J": 0.5}, {"\x1b]0;x\x07": [b""]}, {"type": "\x1b[2J"}, {"a\n" * 50: {"b\r": 0.5}}])
def test_no_control_character_of_a_bot_is_in_the_line(decode: object, message: object) -> None:
    with pytest.raises(RemoteProtocolError) as caught:
        decode(msgpack.packb(message))  # type: ignore[operator]
    assert caught.value.detail.isprintable()
