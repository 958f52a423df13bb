"""The fuzzer, as long as a test may take: the same cases in each run.

``python -m tests.tools fuzz`` goes on for as long as you like.
"""

import tracemalloc
from random import Random

import fuzz_checks as checks
import fuzz_grow as grow
import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from khiva_arena.bots.protocol import codec
from khiva_arena.bots.protocol.session import Session
from khiva_arena.errors import RemoteProtocolError

# Chance is hypothesis's own, so that it can make a failing case smaller; derandomised,
# so that a build is green or red for good.
CHANCE = st.randoms(use_true_random=False)
stable = settings(derandomize=True, deadline=None, max_examples=250)


@stable
@given(CHANCE)
def test_payloads_grown_from_nothing(chance: Random) -> None:
    checks.payload(grow.message(chance))


@stable
@given(CHANCE)
def test_mutated_payloads_of_real_frames(chance: Random) -> None:
    checks.payload(grow.mutate(chance, chance.choice(grow.corpus())))


@pytest.mark.slow
@settings(stable, max_examples=100)
@given(CHANCE)
def test_conversations(chance: Random) -> None:
    checks.conversation(checks.program(chance), chance)


@pytest.mark.slow
def test_as_many_as_time_allows_of_a_plain_seed() -> None:
    """Hypothesis prefers small cases; these are not."""
    words: dict[str, int] = {}
    for seed in range(3_000):
        chance = Random(seed)
        word = (
            checks.payload(grow.payload(chance))
            if seed % 4
            else checks.conversation(checks.program(chance), chance)
        )
        words[word] = words.get(word, 0) + 1
    # A fuzzer that comes to nothing but refusals tests nothing else.
    assert all(
        words.get(word, 0) >= 8
        for word in ("act", "hello", "refused", "answer", "protocol", "flooded", "start_failed")
    ), words


@pytest.mark.parametrize(
    "payload",
    [
        msgpack.packb({"type": "act", "note": [None] * 65_000}),
        b"\x82\xa4type\xa3act\xa4note\xdc\xff\x00" + b"\x80" * 65_280,
        b"\x82\xa4type\xa3act\xa4note\xde\x7f\x00" + b"\xa0\x90" * 0x7F00,
        b"\x82\xa4type\xa3act\xa4note" + b"\xdd\xff\xff\xff\xff" * 13_000,
        b"\x82\xa4type\xa3act\xa4note" + b"\xdf\x00\x00\xff\xff\xa0" * 10_900,
        b"\x82\xa4type\xa3act\xa4note" + b"\x91" * 65_000,
        b"\x82\xa4type\xa3act\xa4note\xda\xff\x00" + "\u20ac".encode() * 21_760,
    ],
    ids=["nils", "maps", "pairs", "array headers", "map headers", "nesting", "wide text"],
)
def test_what_a_frame_can_make_the_arbiter_allocate(payload: bytes) -> None:
    assert len(payload) <= 65_536
    tracemalloc.start()
    try:
        with pytest.raises(RemoteProtocolError):
            codec.decode_act(payload)
        assert tracemalloc.get_traced_memory()[1] < 32 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "piece",
    [b"\0\0\xff\xff" + bytes(65_535), b"\0\0\0\x01\x80" * 13_000, b"\0\0\xff\xff" + bytes(60_000)],
)
def test_what_a_flood_can_make_the_arbiter_keep(piece: bytes) -> None:
    session = Session()
    session.hello(checks.HELLO)
    tracemalloc.start()
    try:
        for _ in range(1_000):
            session.receive(piece)
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()
