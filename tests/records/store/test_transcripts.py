"""Transcripts: whole by step however a bot writes, bounded, and no bytes of a stranger
are taken for one.
"""

import random
import tracemalloc
import zlib

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from khiva_arena.common.result import Transcript
from khiva_arena.records.store.transcripts import (
    ENTRIES_MOST,
    PACKED_MOST,
    UNPACKED_MOST,
    Packer,
    check_size,
    unpacked,
)


def packed_of(reads: list[tuple[int, bytes]], most: int = PACKED_MOST) -> Transcript:
    packer = Packer(most)
    for step, data in reads:
        packer.begin_step(step)
        packer.add(data)
    return packer.end()


@given(st.lists(st.tuples(st.integers(0, 3), st.binary(max_size=40)), max_size=20))
def test_every_byte_is_kept_under_its_step(reads: list[tuple[int, bytes]]) -> None:
    steps = 0
    rising = [(steps := steps + more, data) for more, data in reads]
    whole: dict[int, bytes] = {}
    for step, data in rising:
        if data:
            whole[step] = whole.get(step, b"") + data
    made = packed_of(rising)
    assert unpacked(made.packed) == [*whole.items()]
    assert made.total == sum(map(len, whole.values()))
    assert bool(made.packed) == bool(whole)


NOISE = random.Random(7).randbytes(3 * PACKED_MOST)


@cases("most", [600, 5_000, 70_000, PACKED_MOST, 10 * PACKED_MOST])
@cases("flood", [NOISE, b"a" * (2 * UNPACKED_MOST), b"a key\n" * PACKED_MOST])
def test_a_flood_is_kept_from_its_beginning_within_the_bound(flood: bytes, most: int) -> None:
    made = packed_of(
        [
            (0, b"begin\n"),
            *((step, flood[step << 15 : (step + 1) << 15]) for step in range(len(flood) >> 15)),
        ],
        most,
    )
    kept = b"".join(data for _, data in unpacked(made.packed))
    bound, size, is_beginning = (
        min(most, PACKED_MOST),
        len(made.packed),
        (b"begin\n" + flood).startswith(kept),
    )
    is_all, is_full = len(kept) == made.total, size > bound * 0.7 or len(kept) > UNPACKED_MOST * 0.9
    assert made.total == len(flood) + 6
    assert size <= bound
    assert len(kept) < UNPACKED_MOST
    assert is_beginning
    assert is_all or is_full


def test_a_flood_takes_little_memory() -> None:
    read = b"line after line after line\n" * 2_000
    Packer(PACKED_MOST).add(read)
    tracemalloc.start()
    packer = Packer(PACKED_MOST)
    for step in range(5_000):  # 270 MB
        packer.begin_step(step)
        packer.add(read)
    assert packer.end().total == 5_000 * len(read)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 * PACKED_MOST


def deflated(data: bytes) -> bytes:
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    return deflate.compress(data) + deflate.flush()


GOOD = packed_of([(1, b"one"), (2, b"two")]).packed
HOSTILE = {
    "no DEFLATE": b"\xff\xff\xff",
    "no end": GOOD[:-2],
    "more behind the end": GOOD + b"\0",
    "a bomb": deflated(bytes(UNPACKED_MOST + 1)),
    "larger than any": deflated(NOISE),
    "half a head": deflated(b"\0\0\0\1\0\0"),
    "no bytes behind a head": deflated(b"\0\0\0\1\0\0\0\2x"),
    "a step back": deflated(b"\0\0\0\2\0\0\0\1x\0\0\0\1\0\0\0\1x"),
    "nothing at a step": deflated(b"\0\0\0\1\0\0\0\0"),
    "entries without number": deflated(b"\0\0\0\1\0\0\0\1x" * (ENTRIES_MOST + 1)),
    "a step of no match": deflated(b"\xff\0\0\0\0\0\0\1x"),
}


@cases("packed", [*HOSTILE.values()], ids=[*HOSTILE])
def test_bytes_that_no_packer_wrote_are_refused(packed: bytes) -> None:
    with pytest.raises(ValueError, match="transcript"):
        unpacked(packed)
    with pytest.raises(ValueError, match="transcript"):
        check_size(packed, PACKED_MOST)


def test_a_check_makes_no_text_and_bytes_that_come_one_by_one_make_few_entries() -> None:
    made = packed_of([(1, b"\x01")] * (3 * ENTRIES_MOST) + [(1, b"\x01" * 2**16)] * 64)
    tracemalloc.start()
    check_size(made.packed, made.total)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3 * made.total
    with pytest.raises(ValueError, match=f"holds {made.total}"):
        check_size(made.packed, made.total - 1)
