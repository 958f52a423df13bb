"""What runtimes say at each start is no part of a bot's notes; whatever a bot itself
says is.
"""

from pathlib import Path

import pytest
from arena import RANDOM, arena, bots
from tools import need_language

from khiva_arena.arbiter.stderr import Quiet, noise_lines

pytestmark = pytest.mark.slow

NOISE = noise_lines("-XX:MaxRAM=1 -XX:ActiveProcessorCount=2")
OWN = b"my own line\n"


def kept(said: bytes, size: int) -> bytes:
    quiet = Quiet(NOISE)
    parts = [quiet.take(said[at : at + size]) for at in range(0, len(said), size)]
    return b"".join(parts) + quiet.rest()


@pytest.mark.parametrize("size", [1, 2, 7, 50, 10_000])
def test_only_whole_lines_at_the_beginning_are_left_out(size: int) -> None:
    for noise in NOISE:
        assert kept(noise, size) == b""
        assert kept(noise + OWN, size) == OWN
        assert kept(NOISE[0] + noise + noise + OWN, size) == OWN
        assert kept(OWN + noise, size) == OWN + noise
        for own in (noise[:-1], noise[:-1] + b" and more\n", b" " + noise, noise[:9] + OWN):
            assert kept(own, size) == own
    assert kept(NOISE[2].replace(b"=2", b"=8"), size) == NOISE[2].replace(b"=2", b"=8")
    assert kept(b"", size) == b""


@pytest.mark.language
@pytest.mark.parametrize("language", ["ruby", "csharp", "java"])
def test_a_bot_that_says_nothing_has_no_notes(language: str, tmp_path: Path) -> None:
    need_language(language)
    words = bots(f"shipped:{language}/random", RANDOM)
    said = arena(
        "match",
        *words,
        "--seed",
        "demo",
        "--start",
        "60s",
        "--bank",
        "60s",
        "--notes",
        cwd=tmp_path,
    ).stdout
    assert said.endswith("--- stderr of seat 0: nothing\n--- stderr of seat 1: nothing\n")
