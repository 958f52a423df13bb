"""The golden frames hold for the arena's codec, for its framing and for a second
codec.
"""

import json
import struct
from pathlib import Path
from typing import Any

import msgpack
import msgspec
import pytest
from cases import cases
from wording import sentence

from khiva_arena.bots.protocol import codec, messages
from khiva_arena.common.result import Verdict
from khiva_arena.errors import RemoteProtocolError

ROOT = Path(__file__).parents[3]
VECTORS: list[dict[str, Any]] = json.loads(
    (ROOT / "protocol" / "vectors" / "frames.json").read_text()
)
TO_ARBITER = [v for v in VECTORS if v["direction"] == "to_arbiter"]
TO_BOT = [v for v in VECTORS if v["direction"] == "to_bot"]
ARBITER_STRUCTS = {
    "hello": messages.Hello,
    "decide": messages.Decide,
    "fault": messages.Fault,
    "end": messages.End,
}


def _each(vectors: list[dict[str, Any]]) -> Any:
    return cases("vector", vectors, ids=[v["name"] for v in vectors])


def _decode(vector: dict[str, Any], pieces: list[bytes]) -> Any:
    """What the arbiter makes of these bytes: the message, or RemoteProtocolError."""
    reader = codec.FrameReader()
    for piece in pieces:
        reader.feed(piece)
    if not reader.frames:
        raise RemoteProtocolError(
            sentence("arbiter", "bytes-frame", partial=f"the input ended with {reader.partial}")
        )
    assert len(reader.frames) == 1
    assert reader.partial == 0
    decode = codec.decode_bot_hello if vector["message"] == "hello" else codec.decode_act
    return decode(reader.frames[0])


def _known(vector: dict[str, Any]) -> dict[str, Any]:
    """The value without the fields that the protocol does not know."""
    kind = messages.BotHello if vector["message"] == "hello" else messages.Act
    return {
        "type": vector["json"]["type"],
        **{k: v for k, v in vector["json"].items() if k in kind.__struct_fields__},
    }


def test_names_are_unique_and_both_verdicts_have_many() -> None:
    assert len({v["name"] for v in VECTORS}) == len(VECTORS)
    assert sum(v["verdict"] == "accept" for v in TO_ARBITER) >= 30
    assert sum(v["verdict"] == "reject" for v in TO_ARBITER) >= 60


@_each(TO_ARBITER)
def test_the_arbiter_takes_and_refuses_what_the_vector_says(vector: dict[str, Any]) -> None:
    frame = bytes.fromhex(vector["hex"])
    if vector["verdict"] == "reject":
        assert vector["json"] is None
        with pytest.raises(RemoteProtocolError):
            _decode(vector, [frame])
    else:
        assert msgspec.to_builtins(_decode(vector, [frame])) == _known(vector)


@_each([v for v in TO_ARBITER if len(v["hex"]) < 4000])
def test_the_verdict_does_not_depend_on_how_the_bytes_arrive(vector: dict[str, Any]) -> None:
    frame = bytes.fromhex(vector["hex"])
    drops = [frame[i : i + 1] for i in range(len(frame))]
    if vector["verdict"] == "reject":
        with pytest.raises(RemoteProtocolError):
            _decode(vector, drops)
    else:
        assert msgspec.to_builtins(_decode(vector, drops)) == _known(vector)


def test_frames_that_arrive_together_are_cut_apart() -> None:
    good = [bytes.fromhex(v["hex"]) for v in TO_ARBITER if v["verdict"] == "accept"]
    reader = codec.FrameReader()
    reader.feed(b"".join(good))
    assert [struct.pack(">I", len(payload)) + payload for payload in reader.frames] == good


@_each([v for v in VECTORS if v["verdict"] == "accept"])
def test_accepted_values_are_within_the_profile_for_both_codecs(vector: dict[str, Any]) -> None:
    payload = bytes.fromhex(vector["hex"])[4:]
    assert codec.plain_value(payload) == vector["json"]
    assert msgpack.unpackb(payload) == vector["json"]
    assert msgspec.msgpack.decode(payload) == vector["json"]


@_each(TO_BOT)
def test_frames_for_bots_have_the_fields_of_the_arbiter_s_messages(vector: dict[str, Any]) -> None:
    frame = bytes.fromhex(vector["hex"])
    assert 0 < struct.unpack(">I", frame[:4])[0] == len(frame) - 4 <= messages.FRAME_MOST_TO_BOT
    kind = ARBITER_STRUCTS.get(vector["message"])
    if kind is None:
        return
    message = msgspec.convert(vector["json"], kind)
    again = msgpack.unpackb(codec.encode(message)[4:])
    assert {k: vector["json"][k] for k in again} == again


def test_the_verdict_words_of_the_spec_are_the_arena_s() -> None:
    spec = (ROOT / "protocol" / "SPEC.md").read_text()
    table = spec.split("## 7. Verdicts")[1].split("What a fault costs")[0]
    words = [line.split("|")[1].strip() for line in table.splitlines() if line.startswith("| ")][1:]
    assert words == [str(verdict) for verdict in Verdict]
