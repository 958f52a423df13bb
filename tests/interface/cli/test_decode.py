"""``decode``: captured bytes as lines, whatever they are and however they are cut."""

import io
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import msgpack
import pytest
from arena import arena
from hypothesis import given
from hypothesis import strategies as st
from scripted import frame
from wording import sentence

from khiva_arena.arbiter.transcript import SKIPPED_MOST, Cutter, Piece
from khiva_arena.bots.protocol.messages import FRAME_MOST_TO_ARBITER

HELLO = frame({"type": "hello", "proto": 1, "name": "x"})
ACT = frame({"type": "act", "req": 3, "choice": 1})
FAULT = frame({"type": "fault", "code": "illegal", "detail": "choice 9 of 2", "strikes": 1})
JUNK = st.one_of(
    st.sampled_from([HELLO, ACT, FAULT, b"\0\0\0\0", b"text\n", b"\0", b"\0\0\0\5abcde"]),
    st.binary(max_size=8),
)


def decode(data: bytes, *words: str, tmp_path: Path, code: int = 0) -> str:
    (tmp_path / "frames").write_bytes(data)
    return arena("decode", "frames", *words, cwd=tmp_path, code=code).stdout


def test_frames_are_lines(tmp_path: Path) -> None:
    lines = decode(HELLO + ACT + FAULT, tmp_path=tmp_path).splitlines()
    assert [line.split(maxsplit=4) for line in lines] == [
        ["1", "0", str(len(HELLO)), "hello", '{"proto":1,"name":"x"}'],
        ["2", str(len(HELLO)), str(len(ACT)), "act", '{"req":3,"choice":1}'],
        [
            "3",
            str(len(HELLO + ACT)),
            str(len(FAULT)),
            "fault",
            '{"code":"illegal","detail":"choice 9 of 2","strikes":1}',
        ],
    ]


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (
            b"thinking hard\n",
            "WRONG " + sentence("arbiter", "not-frame-text", start="b'thinking hard\\n'"),
        ),
        (b"\n", "line ends that were added or changed? The stream must be in binary mode"),
        (b"\0\0\0\0", "a length of 0 bytes; one has 1 to 1048576"),
        (b"\xff" * 40, "a length of 4294967295 bytes"),
        (frame({"type": "act", "req": 3, "choice": 1.0}), "a float at $.choice"),
        (frame({"type": "act", "req": 3}), "act: Object missing required field `choice`"),
        (frame({b"type": "act"}), "binary data as a key at $"),
        (frame({"type": "decide", "req": 1}), "decide: Object missing required field"),
        (frame({"type": 3}), "no string type"),
        (b"\0\0\0\5abcde", sentence("protocol", "not-whole-msgpack-value")),
    ],
)
def test_what_is_wrong_is_said_and_it_goes_on(bad: bytes, says: str, tmp_path: Path) -> None:
    lines = decode(HELLO + bad + ACT, tmp_path=tmp_path, code=1).splitlines()
    assert [line.split()[3] for line in lines] == ["hello", "WRONG", "act"]
    assert says in lines[1]
    assert lines[1].split()[:3] == ["2", str(len(HELLO)), str(len(bad))]


def test_the_end_in_the_middle_of_a_frame(tmp_path: Path) -> None:
    assert "a frame of 22 bytes has begun; 3 bytes of it came, then no more" in decode(
        ACT + ACT[:7], tmp_path=tmp_path, code=1
    ).replace(f"of {len(ACT) - 4} bytes", "of 22 bytes")
    assert "whose length is not whole" in decode(ACT + ACT[:2], tmp_path=tmp_path, code=1)


def test_directions_have_bounds_and_messages(tmp_path: Path) -> None:
    large = frame({"type": "decide", "text": "x" * 70_000})
    assert "one has 1 to 65536" in decode(large, "--to-arbiter", tmp_path=tmp_path, code=1)
    assert "missing required field" in decode(large, "--to-bot", tmp_path=tmp_path, code=1)
    assert 'a bot sends only "hello" and "act"' in decode(
        FAULT, "--to-arbiter", tmp_path=tmp_path, code=1
    )
    assert " fault " in decode(FAULT, "--to-bot", tmp_path=tmp_path)
    assert " later " in decode(
        frame({"type": "later"}), "--to-bot", tmp_path=tmp_path
    )  # a bot is to ignore it


def test_hex_is_seen_by_itself(tmp_path: Path) -> None:
    plain = decode(HELLO + ACT, tmp_path=tmp_path)
    spaced = (HELLO + ACT).hex(" ", 3).upper().encode()
    assert decode(spaced, tmp_path=tmp_path) == plain
    assert decode(b"\n".join(spaced.split(b" ")), "--hex", tmp_path=tmp_path) == plain
    (tmp_path / "frames").write_bytes(b"0000 00x1")
    assert (
        "'x' after 3 bytes in hex"
        in arena("decode", "--hex", "frames", cwd=tmp_path, code=2).stderr
    )
    (tmp_path / "frames").write_bytes(b"00000")
    assert (
        sentence("decode", "hex-ends-middle-byte")
        in arena("decode", "frames", cwd=tmp_path, code=2).stderr
    )


def test_stdin_and_what_is_not_there(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "khiva_arena", "decode"]
    done = subprocess.run(
        command, input=HELLO, capture_output=True, cwd=tmp_path, timeout=60, check=True
    )
    assert b'hello {"proto":1' in done.stdout
    assert "No such file" in arena("decode", "nothing", cwd=tmp_path, code=2).stderr
    (tmp_path / "empty").touch()
    assert "nothing in it" in arena("decode", "empty", cwd=tmp_path, code=2).stderr


def test_stdin_may_be_one_that_does_not_block(tmp_path: Path) -> None:
    ours, theirs = os.pipe()
    os.set_blocking(ours, False)
    command = [sys.executable, "-m", "khiva_arena", "decode"]
    with subprocess.Popen(
        command, stdin=ours, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
    ) as process:
        os.close(ours)
        for part in (HELLO, ACT[:5], ACT[5:]):
            time.sleep(0.5)
            os.write(theirs, part)
        os.close(theirs)
        out, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (0, b"")
    assert [line.split()[3] for line in out.splitlines()] == [b"hello", b"act"]


def test_several_files_are_told_apart(tmp_path: Path) -> None:
    for name, data in {"a": HELLO, "b": ACT + b"text", "c": FAULT}.items():
        (tmp_path / name).write_bytes(data)
    lines = arena("decode", "a", "b", "c", cwd=tmp_path, code=1).stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["a:", "1", "b:", "1", "2", "c:", "1"]
    found = [
        json.loads(line)
        for line in arena("decode", "--json", "a", "b", cwd=tmp_path, code=1).stdout.splitlines()
    ]
    assert [(row["file"], row["number"], row["offset"]) for row in found] == [
        ("a", 1, 0),
        ("b", 1, 0),
        ("b", 2, len(ACT)),
    ]
    assert arena("decode", "a", "c", cwd=tmp_path).stdout.count("\n") == 4
    (tmp_path / "b").write_bytes(b"")
    done = arena("decode", "a", "b", cwd=tmp_path, code=2)
    assert ("hello" in done.stdout, "b: nothing in it" in done.stderr) == (True, True)


def test_json_lines_hold_all_of_it(tmp_path: Path) -> None:
    found = [
        json.loads(line)
        for line in decode(HELLO + b"text" + ACT, "--json", tmp_path=tmp_path, code=1).splitlines()
    ]
    assert [row["number"] for row in found] == [1, 2, 3]
    assert found[0] == {
        "file": "frames",
        "number": 1,
        "offset": 0,
        "length": len(HELLO),
        "message": {"type": "hello", "proto": 1, "name": "x"},
        "wrong": "",
    }
    assert found[1]["hex"] == b"text".hex()
    assert found[1]["wrong"]


def test_nothing_of_it_reaches_into_a_terminal(tmp_path: Path) -> None:
    nasty = "\x1b[2J\x9b\u202e\x7f"
    data = b"".join(
        [
            frame({"type": nasty, nasty: nasty}),
            frame({"type": "act", nasty: 1.0}),
            frame({"type": "hello", "proto": 1, "name": nasty}),
            nasty.encode(),
            frame({"type": "act", "req": nasty, "choice": nasty}),
        ]
    )
    for words in ((), ("--to-arbiter",), ("--to-bot",), ("--json",)):
        said = decode(data, *words, tmp_path=tmp_path, code=1)
        assert all(letter.isprintable() or letter == "\n" for letter in said)


def cut(data: bytes, size: int) -> list[Piece]:
    cutter = Cutter(FRAME_MOST_TO_ARBITER)
    source = io.BytesIO(data)
    found = [
        piece for chunk in iter(lambda: source.read(size), b"") for piece in cutter.feed(chunk)
    ]
    return found + cutter.end()


@given(st.lists(JUNK, max_size=12).map(b"".join), st.integers(1, 40))
def test_pieces_cover_every_byte_however_they_come(data: bytes, size: int) -> None:
    pieces = cut(data, len(data) + 1)
    assert cut(data, size) == pieces
    at = 0
    for piece in pieces:
        assert piece.offset == at
        assert piece.wrong or data[at + 4 : at + piece.length] == piece.data
        at += piece.length
    assert at == len(data)


@given(st.lists(st.sampled_from([HELLO, ACT, FAULT]), min_size=1), st.integers(1, 40))
def test_whole_frames_are_all_found(frames: list[bytes], size: int) -> None:
    assert [msgpack.unpackb(piece.data) for piece in cut(b"".join(frames), size)] == [
        msgpack.unpackb(one[4:]) for one in frames
    ]


def test_garbage_is_not_kept_and_a_piece_at_least_every_mebibyte() -> None:
    cutter = Cutter(FRAME_MOST_TO_ARBITER)
    pieces = [piece for _ in range(192) for piece in cutter.feed(b"\xff" * 65_536)] + cutter.end()
    assert [(piece.offset, piece.length, len(piece.data)) for piece in pieces] == [
        (number * SKIPPED_MOST, SKIPPED_MOST, 32) for number in range(192 * 65_536 // SKIPPED_MOST)
    ]
    assert ["still" in piece.wrong for piece in pieces] == [False] + [True] * (len(pieces) - 1)


@pytest.mark.slow
def test_zeros_without_end_are_told_of(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "khiva_arena", "decode", "/dev/zero"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=tmp_path) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline().split() for _ in range(2)]
        process.kill()
    assert [line[:3] for line in lines] == [
        [b"1", b"0", b"1048576"],
        [b"2", b"1048576", b"1048576"],
    ]


@pytest.mark.soak
@pytest.mark.parametrize("fill", [b"\xff", b"\0", b"\0\0\0\1"])
@pytest.mark.parametrize("around", [-5, -4, -3, -1, 0, 1, 3, 4])
def test_a_frame_at_the_end_of_a_mebibyte_is_found(fill: bytes, around: int) -> None:
    """However the bytes come: what may begin a frame is looked at again where a piece
    ends.
    """
    garbage = (fill * SKIPPED_MOST)[: SKIPPED_MOST + around]
    data = garbage + HELLO + b"x"
    pieces = cut(data, len(data))
    for size in (65_536, 7_919):
        assert cut(data, size) == pieces
    assert sum(piece.length for piece in pieces) == len(data)
    assert all(piece.length for piece in pieces)
    if fill == b"\xff":
        assert HELLO[4:] in [piece.data for piece in pieces if not piece.wrong]
