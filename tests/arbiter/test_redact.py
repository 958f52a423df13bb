"""Values of variables that a bot was handed never come out of what it writes, however
it is cut.
"""

from hypothesis import given
from hypothesis import strategies as st
from wording import sentence

from khiva_arena.arbiter.redact import SHORTEST, Redactor

LETTERS = st.text("abc", min_size=1, max_size=9)


def taken(redactor: Redactor, pieces: list[bytes]) -> list[bytes]:
    return [*map(redactor.take, pieces), redactor.rest()]


def test_the_name_stands_in_place_of_the_value() -> None:
    redactor = Redactor({"API_KEY": "sk-12345", "EMPTY": ""})
    assert taken(redactor, [b"my key is sk-12345!\n"]) == [b"my key is [API_KEY]!\n", b""]


def test_a_value_in_two_reads_is_struck_and_only_its_beginning_is_held() -> None:
    redactor = Redactor({"API_KEY": "sk-12345"})
    assert taken(redactor, [b"my key is sk-1", b"2345, and sk-", b"99"]) == [
        b"my key is ",
        b"[API_KEY], and ",
        b"sk-99",
        b"",
    ]
    assert taken(Redactor({"API_KEY": "sk-12345"}), [b"sk-1", b"x sk-"]) == [b"", b"sk-1x ", b"sk-"]


def test_a_value_that_the_end_cuts_off_is_struck_if_half_of_it_is_there() -> None:
    key = "sk-0123456789abcdefghi"
    for length in range(len(key)):
        said = b"".join(
            taken(
                Redactor({"KEY": key, "OTHER": "sk-0zzz"}), [f"my key is {key[:length]}".encode()]
            )
        )
        assert (
            said == f"my key is {key[:length] if length < 11 else '[KEY]'}".encode() or length == 4
        )


def test_the_longer_of_two_values_is_struck_whole() -> None:
    redactor = Redactor({"SHORT": "abcabc", "LONG": "abcabcdef"})
    assert (
        b"".join(taken(redactor, [b"abcabc", b"def abcabcd", b" xabcabc"]))
        == b"[LONG] [SHORT]d x[SHORT]"
    )


def test_a_short_value_leaves_words_as_they_are() -> None:
    said = [b"a bot that says what it sees: 1 of 12345\n"]
    assert taken(Redactor({"LETTER": "a", "DIGIT": "1", "FIVE": "12345"}), said) == [*said, b""]
    assert Redactor({"LETTER": "a", "DIGIT": "1"}).text("a bot: 1") == "a bot: 1"


def test_what_a_quotation_has_cut_or_turned_into_hex_shows_less_than_half_of_a_value() -> None:
    key = "sk-0123456789abcdefghi"
    for length in range(len(key) + 1):
        quoted = Redactor({"KEY": key}).text(f"a length of {key[:length]}")
        assert not [
            part for part in (key[:at] for at in range(len(key) // 2, len(key))) if part in quoted
        ]
    quoted = Redactor({"KEY": key}).text(
        f"not a frame: {key.encode().hex()} or {key.encode()[:20].hex(' ')}"
    )
    assert quoted == "not a frame: [KEY] or [KEY]"


OVERLAPPING = {
    "A": "abcabc",
    "LONG": "abcabcdef",
    "B": "defghi",
    "SELF": "xyxyxyxy",
    "E": "\u00e9\u00e9\u00e9abc",
}
"""One begins another, one ends as another begins, one overlaps itself, one has
characters of two bytes.
"""


def test_no_part_of_a_value_is_left_however_values_overlap_and_reads_cut_them() -> None:
    said = "abcabcdefghi+abcabcabc+xyxyxyxyxyx+\u00e9\u00e9\u00e9abcabcdefg+abcab".encode()
    whole = b"[LONG][B]+[A][A]+[SELF][SELF]x+[E][LONG]g+[LONG]"
    assert Redactor(OVERLAPPING).without_values(said) == whole
    for first in range(len(said) + 1):
        assert b"".join(taken(Redactor(OVERLAPPING), [said[:first], said[first:]])) == whole
        for second in range(first, len(said) + 1):
            assert (
                b"".join(
                    taken(Redactor(OVERLAPPING), [said[:first], said[first:second], said[second:]])
                )
                == whole
            )
    assert (
        b"".join(taken(Redactor(OVERLAPPING), [said[at : at + 1] for at in range(len(said))]))
        == whole
    )


def test_a_flood_that_repeats_a_value_is_not_held_back() -> None:
    redactor = Redactor({"KEY": "aaaaaaa"})
    shown = sum(len(redactor.take(b"a" * 4_096)) for _ in range(64))
    assert shown > 64 * 4_000
    assert len(redactor._pending) < 7


@given(st.dictionaries(st.sampled_from("XYZ"), LETTERS, max_size=3), st.lists(LETTERS, max_size=12))
def test_it_matters_nothing_how_it_is_cut(handed: dict[str, str], pieces: list[str]) -> None:
    found = b"".join(taken(Redactor(handed), [piece.encode() for piece in pieces]))
    assert found == Redactor(handed).without_values("".join(pieces).encode())
    for mark in "XYZ":
        found = found.replace(f"[{mark}]".encode(), b"\n")
    assert not [
        value for value in handed.values() if len(value) >= SHORTEST and value.encode() in found
    ]


def test_a_line_that_quotes_a_bot_has_no_beginning_of_a_value() -> None:
    key = "sk-" + "0123456789" * 9
    redactor = Redactor({"API_KEY": key})
    assert redactor.text(
        sentence("protocol", "message-type-expected", value=f"'{key[:78]}", tag="act")
    ) == sentence("protocol", "message-type-expected", value="'[API_KEY]", tag="act")
    assert redactor.text(f"{key}{key} {key[:10]}") == f"[API_KEY][API_KEY] {key[:10]}"
    assert Redactor({}).text(key) == key
