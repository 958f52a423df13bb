"""The quick bots of tests play alike in C and in Python."""

import subprocess
import sys

import msgpack
import pytest
from quick_bots import COMPILE, HERE, HOW

FRAMES = [
    {
        "type": "hello",
        "protos": [2, 1],
        "seed": 2**53 - 7,
        "rules": {"a": [1.5, None, True, -40_000]},
        "time": {"turn_ms": 1},
    },
    *(
        {"type": "decide", "req": req, "view": {"hand": ["x" * 300]}, "legal": list(range(count))}
        for req, count in ((9, 3), (2**40, 60_000))
    ),
    {"type": "event", "data": b"bytes"},
    {"type": "decide", "legal": [[1, 2]] * 17, "req": 2**31, "view": None},
]


@pytest.mark.usefixtures("cc")
@pytest.mark.parametrize("how", [*HOW.values(), "last 0 hello"])
def test_equal_requests_get_equal_answers_from_both(
    how: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("quick")
    subprocess.run([*COMPILE.split(), "-o", "bot", str(HERE / "quick.c")], cwd=folder, check=True)
    packed = [msgpack.packb(frame) for frame in FRAMES]
    sent = b"".join(len(frame).to_bytes(4, "big") + frame for frame in packed)
    starts = ([str(folder / "bot")], [sys.executable, "-I", "-S", str(HERE / "quick.py")])
    c, python = (
        subprocess.run([*start, *how.split()], input=sent, capture_output=True, check=False)
        for start in starts
    )
    assert (c.returncode, c.stdout, c.stderr) == (python.returncode, python.stdout, python.stderr)
    assert c.stdout
