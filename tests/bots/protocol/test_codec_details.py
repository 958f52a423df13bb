"""What a bot hears of its breach is a line, whatever it sent."""

import msgpack
import pytest
from wording import sentence

from khiva_arena.bots.protocol import codec
from khiva_arena.bots.protocol.codec import decode_act, decode_bot_hello, plain_value
from khiva_arena.errors import RemoteProtocolError


@pytest.mark.parametrize("decode", [decode_act, decode_bot_hello])
@pytest.mark.parametrize(
    "kind",
    ["x" * 60_000, ["\n" * 200] * 200, {"k" * 1000: "v" * 50_000}],
    ids=["text", "array", "map"],
)
def test_a_type_of_any_size_is_told_in_a_line(decode: object, kind: object) -> None:
    with pytest.raises(RemoteProtocolError) as caught:
        decode(msgpack.packb({"type": kind}))  # type: ignore[operator]
    assert len(caught.value.detail) < 200
    assert "\n" not in caught.value.detail


@pytest.mark.parametrize("decode", [decode_act, decode_bot_hello])
@pytest.mark.parametrize(
    "message",
    [{"\x1b[2J": 0.5}, {"\x1b]0;x\x07": [b""]}, {"type": "\x1b[2J"}, {"a\n" * 50: {"b\r": 0.5}}],
)
def test_no_control_character_of_a_bot_is_in_the_line(decode: object, message: object) -> None:
    with pytest.raises(RemoteProtocolError) as caught:
        decode(msgpack.packb(message))  # type: ignore[operator]
    assert caught.value.detail.isprintable()


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (0.5, "$"),
        ([1, [2, {"a": [0, 0.5]}]], "$[1][1].a[1]"),
        ({"ok": [[]] * 3, "{path}": {"b": [0.5]}}, "$.{path}.b[0]"),
        ({"k" * 60: 0.5}, "$." + "k" * 40),
        ({"\x1b": [[], [], 0.5]}, "$.'\\x1b'[2]"),
    ],
)
def test_a_breach_is_named_with_its_path(value: object, path: str) -> None:
    with pytest.raises(RemoteProtocolError) as caught:
        plain_value(msgpack.packb(value))
    assert caught.value.detail == f"a float at {path}; " + sentence(
        "protocol", "send-whole-number-integer"
    )


def test_too_many_levels_are_named_by_the_beginning_of_their_path() -> None:
    value: object = 1
    for _ in range(17):
        value = [{"a" * 10: value}]
    with pytest.raises(RemoteProtocolError) as caught:
        plain_value(msgpack.packb(value))
    assert caught.value.detail == "more than 16 levels at " + ("$" + "[0].aaaaaaaaaa" * 8)[:80]


def test_no_path_is_made_where_nothing_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """A frame of a bot holds up to 65,000 values: a path for each would cost more than
    all the rest.
    """
    made: list[str] = []
    monkeypatch.setattr(codec, "_safe", lambda key: made.append(key) or key)
    value = {f"k{number}": [[]] for number in range(1_000)}
    assert plain_value(msgpack.packb(value)) == value
    assert made == []
    with pytest.raises(RemoteProtocolError, match=r"a float at \$\.last\.x;"):
        plain_value(msgpack.packb({**value, "last": {"x": 0.5}}))
    assert made == ["x", "last"]
