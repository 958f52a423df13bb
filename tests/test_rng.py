"""khiva-stream-1: the published numbers, the vectors, and what a stream promises."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from khiva_arena.rng import Stream

VECTORS = json.loads(
    (Path(__file__).parents[1] / "protocol" / "vectors" / "streams.json").read_text(
        encoding="utf-8"
    )
)


def test_the_published_numbers():
    stream = Stream(bytes(range(32)), "match", "deal", "3")
    assert [stream.u64() for _ in range(5)] == [
        13962190998707154320,
        10044046480419089030,
        7472673060174765673,
        4447822967356769038,
        9437571874996025728,
    ]
    assert [stream.below(6) for _ in range(20)] == [
        0,
        1,
        2,
        1,
        2,
        3,
        1,
        5,
        1,
        4,
        1,
        5,
        1,
        1,
        5,
        1,
        3,
        0,
        4,
        5,
    ]
    items = list(range(20))
    stream.shuffle(items)
    assert items == [9, 15, 4, 17, 1, 5, 13, 18, 10, 0, 12, 7, 2, 6, 3, 11, 8, 16, 19, 14]


@pytest.mark.parametrize(
    "vector", VECTORS["streams"], ids=lambda v: f"{v['secret'][:4]}-{'/'.join(v['labels'])}"
)
def test_vectors(vector):
    stream = Stream(bytes.fromhex(vector["secret"]), *vector["labels"])
    for draw in vector["draws"]:
        if draw["op"] == "u64":
            assert [str(stream.u64()) for _ in draw["values"]] == draw["values"]
        elif draw["op"] == "below":
            assert [str(stream.below(int(draw["n"]))) for _ in draw["values"]] == draw["values"]
        else:
            items = list(range(draw["n"]))
            stream.shuffle(items)
            assert items == draw["order"]


class Counting(Stream):
    """Counts the numbers taken."""

    __slots__ = ("taken",)

    def __init__(self, *args):
        super().__init__(*args)
        self.taken = 0

    def u64(self):
        self.taken += 1
        return super().u64()


def test_numbers_that_would_bias_are_thrown_away():
    stream = Counting(bytes(32), "bias")
    for _ in range(1000):
        assert stream.below(2**63 + 1) <= 2**63
    assert 1800 < stream.taken < 2200
    stream = Counting(bytes(32), "no bias")
    for _ in range(100):
        stream.below(2**63)
    assert stream.taken == 100


def test_labels_are_not_joined():
    first = {
        Stream(bytes(32), *labels).u64()
        for labels in ((), ("",), ("", ""), ("ab", "c"), ("a", "bc"), ("abc",))
    }
    assert len(first) == 6


def test_a_secret_has_32_bytes():
    with pytest.raises(ValueError, match="32 bytes, not 31"):
        Stream(bytes(31), "x")


@pytest.mark.parametrize("n", [0, -1])
def test_below_takes_at_least_1(n):
    with pytest.raises(ValueError, match="at least 1"):
        Stream(bytes(32)).below(n)


@given(
    st.binary(min_size=32, max_size=32),
    st.lists(st.text(max_size=5), max_size=3),
    st.integers(1, 2**64),
)
def test_draws_stay_in_bounds_and_repeat(secret, labels, n):
    one, two = Stream(secret, *labels), Stream(secret, *labels)
    drawn = [one.below(n) for _ in range(5)]
    assert all(0 <= x < n for x in drawn)
    assert [two.below(n) for _ in range(5)] == drawn


@given(st.lists(st.integers(), max_size=30))
def test_a_shuffle_keeps_all_items(items):
    shuffled = items[:]
    Stream(bytes(32), "shuffle").shuffle(shuffled)
    assert sorted(shuffled) == sorted(items)


def test_whole_blocks_are_the_same_numbers():
    one, other = Stream(bytes(32), "blocks"), Stream(bytes(32), "blocks")
    numbers = [one.u64() for _ in range(20)]
    three = other.blocks(3)
    assert [int.from_bytes(three[at : at + 8], "big") for at in range(0, 96, 8)] == numbers[:12]
    assert other.u64() == numbers[12]
    assert other.blocks(1) == b"".join(
        number.to_bytes(8, "big") for number in numbers[16:20]
    )  # the begun one is thrown away
