"""Rules maps: defaults, variants, every mistake at once, messages that stay short."""

import pytest

from khiva_arena.games.rules_map import Valued, brief, defaults_of, filled_in, lay_over

KEYS = ("colour", "size", "chart")
NAMED = {"colour": ("red", "green")}
VALUED = {"size": Valued(3, lambda x: x if type(x) is int and x > 0 else None, "is a number above 0")}


def deep(levels):
    nest = []
    for _ in range(levels):
        nest = [nest]
    return nest


def test_defaults_in_the_order_of_the_keys():
    assert lay_over("Test", ("size", "colour"), NAMED, VALUED, {}) == ({"size": 3, "colour": "red"}, [])


def test_what_is_given_is_laid_over_and_other_keys_are_the_callers():
    assert lay_over("Test", KEYS, NAMED, VALUED, {"colour": "green", "chart": 1}) == ({"colour": "green", "size": 3}, [])


def test_a_later_key_is_left_out_while_it_has_its_default():
    for later in (("size",), ("colour", "size")):
        rules, problems = lay_over("Test", ("size", "colour"), NAMED, VALUED, {"size": 3, "colour": "red"}, later)
        assert (set(rules), problems) == ({"size", "colour"} - set(later), [])
        assert filled_in(("size", "colour"), defaults_of(later, NAMED, VALUED), rules) == {"size": 3, "colour": "red"}
    assert lay_over("Test", ("size", "colour"), NAMED, VALUED, {"size": 4}, ("size",)) == ({"size": 4, "colour": "red"}, [])


def test_a_mistake_in_a_later_key_is_told():
    assert lay_over("Test", ("size",), NAMED, VALUED, {"size": 0}, ("size",)) == ({}, ["size is a number above 0, not 0"])


def test_every_mistake_is_found_at_once_and_its_key_left_out():
    rules, problems = lay_over("Test", KEYS, NAMED, VALUED, {"colour": "blue", "size": 0, "weight": 1})
    assert rules == {}
    assert problems == [
        "unknown rule 'weight'; Test has colour, size, chart",
        "colour is one of red, green, not 'blue'",
        "size is a number above 0, not 0",
    ]


def test_many_mistakes_are_told_by_their_number():
    _, problems = lay_over("Test", KEYS, NAMED, VALUED, {str(n): n for n in range(1000)})
    assert len(problems) == 51
    assert problems[-1] == "and 950 mistakes more"


@pytest.mark.parametrize("wrong", [True, ["red"], None, 1])
def test_a_word_of_another_type_is_no_word(wrong):
    assert lay_over("Test", KEYS, NAMED, VALUED, {"colour": wrong})[1] == [f"colour is one of red, green, not {wrong!r}"]


HUGE = {
    "deep": lambda: deep(100_000),
    "number": lambda: 10**6000,
    "number in a list": lambda: [10**6000],
    "text": lambda: "x" * 10**6,
    "list": lambda: [1] * 10**6,
    "table": lambda: {"k" * 999: deep(9)},
}


@pytest.mark.parametrize("make", HUGE.values(), ids=HUGE)
def test_a_message_is_short_however_long_or_deep_the_value(make):
    assert len(brief(make())) < 300


def test_short_values_are_told_in_full():
    assert brief({"a": [1, "b", None, -3]}) == "{'a': [1, 'b', None, -3]}"
