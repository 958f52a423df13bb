"""Values of variables that a bot was handed never come out of what it writes, however it is cut."""

from hypothesis import given
from hypothesis import strategies as st

from khiva_arena.arbiter.strike import Strike

LETTERS = st.text("abc", min_size=1, max_size=5)


def taken(strike: Strike, pieces: list[bytes]) -> list[bytes]:
    return [*map(strike.take, pieces), strike.rest()]


def test_the_name_stands_in_place_of_the_value() -> None:
    strike = Strike({"API_KEY": "sk-12345", "EMPTY": ""})
    assert taken(strike, [b"my key is sk-12345!\n"]) == [b"my key is [API_KEY]!\n", b""]


def test_a_value_in_two_reads_is_struck_and_only_its_beginning_is_held() -> None:
    strike = Strike({"API_KEY": "sk-12345"})
    assert taken(strike, [b"my key is sk-1", b"2345, and sk-", b"99"]) == [b"my key is ", b"[API_KEY], and ", b"sk-99", b""]
    assert taken(Strike({"API_KEY": "sk-12345"}), [b"sk-123"]) == [b"", b"sk-123"]


def test_the_longer_of_two_values_is_struck_whole() -> None:
    strike = Strike({"SHORT": "abc", "LONG": "abcdef"})
    assert b"".join(taken(strike, [b"abc", b"def abcd", b" xabc"])) == b"[LONG] [SHORT]d x[SHORT]"


@given(st.dictionaries(st.sampled_from("XYZ"), LETTERS, max_size=3), st.lists(LETTERS, max_size=12))
def test_it_matters_nothing_how_it_is_cut(handed: dict[str, str], pieces: list[str]) -> None:
    found = b"".join(taken(Strike(handed), [piece.encode() for piece in pieces]))
    assert found == Strike(handed).struck("".join(pieces).encode())
    for mark in "XYZ":
        found = found.replace(f"[{mark}]".encode(), b"\n")
    assert not [value for value in handed.values() if value.encode() in found]


def test_a_line_that_quotes_a_bot_has_no_beginning_of_a_value() -> None:
    key = "sk-" + "0123456789" * 9
    strike = Strike({"API_KEY": key})
    assert (
        strike.text(f'the message has type \'{key[:78]}; "act" is expected')
        == 'the message has type \'[API_KEY]; "act" is expected'
    )
    assert strike.text(f"{key}{key} {key[:10]}") == f"[API_KEY][API_KEY] {key[:10]}"
    assert Strike({}).text(key) == key
