"""Numbers as they are written in a module, and the maximum of its memory."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wording import pattern

from khiva_arena.bots.modules.meter.maxima import MoreAtTheStart, with_memory
from khiva_arena.bots.modules.meter.pieces import leb, sleb

NEAR = [
    sign * (1 << 7 * places + shift) + off
    for sign in (1, -1)
    for places in range(9)
    for shift in (6, 7)
    for off in (-1, 0, 1)
]
"""Where one more byte is needed, on both sides."""
HEAD = b"\0asm\1\0\0\0"
PAGES = 32
"""Of 64 KiB each: two MiB."""


def _read(data: bytes) -> int:
    """Return a signed number in LEB128, by its definition: groups of seven bits, the
    last one's top bit is the sign.
    """
    groups = [byte & 0x7F for byte in data]
    assert [byte >> 7 for byte in data] == [1] * (len(data) - 1) + [0]
    return sum(group << 7 * place for place, group in enumerate(groups)) - (
        groups[-1] >> 6 << 7 * len(groups)
    )


@given(st.sampled_from(NEAR) | st.integers(-(1 << 63), (1 << 63) - 1))
def test_a_signed_number_is_read_back_and_is_as_short_as_can_be(value: int) -> None:
    written = sleb(value)
    assert _read(written) == value
    least = -1 << 7 * (len(written) - 1) - 1 if len(written) > 1 else 0
    assert len(written) == 1 or not least <= value < -least


@given(st.sampled_from(NEAR).map(abs) | st.integers(0, (1 << 64) - 1))
def test_an_unsigned_number_is_read_back_and_is_as_short_as_can_be(value: int) -> None:
    written = leb(value)
    assert sum((byte & 0x7F) << 7 * place for place, byte in enumerate(written)) == value
    assert len(written) == 1 or value >> 7 * (len(written) - 1)


def test_a_memory_that_begins_with_its_maximum_is_taken_and_one_that_begins_with_more_is_not() -> (
    None
):
    def module(most: int) -> bytes:
        limits = b"\1\1" + leb(PAGES) + leb(most)
        return HEAD + bytes([5, len(limits)]) + limits

    assert with_memory(module(100), 2) == module(PAGES)
    assert with_memory(module(100), 4) == module(2 * PAGES)
    with pytest.raises(
        MoreAtTheStart, match=pattern("modules", "more-pages-than-maximum", pages="32", mib="1")
    ):
        with_memory(module(100), 1)
