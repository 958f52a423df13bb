"""Rules maps: defaults, variants, every mistake at once, messages that stay short."""

import ast
import importlib
import random
from pathlib import Path

import pytest
from drawn_rules import drawn_rules
from parsed import nodes_of

from khiva_arena.errors import RulesError
from khiva_arena.games import __name__ as package
from khiva_arena.games.registry import NAMES, get
from khiva_arena.games.rules_map import Valued, brief, defaults_of, filled_in, lay_over

KEYS = ("colour", "size", "chart")
NAMED = {"colour": ("red", "green")}
VALUED = {
    "size": Valued(3, lambda x: x if type(x) is int and x > 0 else None, "is a number above 0")
}


def deep(levels):
    nest = []
    for _ in range(levels):
        nest = [nest]
    return nest


def test_defaults_in_the_order_of_the_keys():
    assert lay_over("Test", ("size", "colour"), NAMED, VALUED, {}) == (
        {"size": 3, "colour": "red"},
        [],
    )


def test_what_is_given_is_laid_over_and_other_keys_are_the_callers():
    assert lay_over("Test", KEYS, NAMED, VALUED, {"colour": "green", "chart": 1}) == (
        {"colour": "green", "size": 3},
        [],
    )


def test_a_later_key_is_left_out_while_it_has_its_default():
    for later in (("size",), ("colour", "size")):
        rules, problems = lay_over(
            "Test", ("size", "colour"), NAMED, VALUED, {"size": 3, "colour": "red"}, later
        )
        assert (set(rules), problems) == ({"size", "colour"} - set(later), [])
        assert filled_in(("size", "colour"), defaults_of(later, NAMED, VALUED), rules) == {
            "size": 3,
            "colour": "red",
        }
    assert lay_over("Test", ("size", "colour"), NAMED, VALUED, {"size": 4}, ("size",)) == (
        {"size": 4, "colour": "red"},
        [],
    )


def test_a_mistake_in_a_later_key_is_told():
    assert lay_over("Test", ("size",), NAMED, VALUED, {"size": 0}, ("size",)) == (
        {},
        ["size is a number above 0, not 0"],
    )


def test_every_mistake_is_found_at_once_and_its_key_left_out():
    rules, problems = lay_over(
        "Test", KEYS, NAMED, VALUED, {"colour": "blue", "size": 0, "weight": 1}
    )
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
    assert lay_over("Test", KEYS, NAMED, VALUED, {"colour": wrong})[1] == [
        f"colour is one of red, green, not {wrong!r}"
    ]


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


# --- the variants of each game ---

VARIANTS = {name: importlib.import_module(f"{package}.{name}.variants") for name in NAMES}
EACH_GAME = pytest.mark.parametrize("name", NAMES)


def another(variants, rules, key, value):
    """The rules with another value of one key; None if it does not go with the
    others.
    """
    try:
        return variants.canonical({**rules, key: value})
    except RulesError:
        return None


@EACH_GAME
def test_each_variant_changes_the_rules_that_the_engine_reads(name):
    variants, lots = VARIANTS[name], random.Random(name)
    without = {
        (key, word)
        for key in variants.KEYS
        for word in variants.NAMED.get(key, ("", "another"))[1:]
    }
    for _ in range(2_000):
        rules, drawn = drawn_rules(get(name), lots), drawn_rules(get(name), lots)
        for key, word in sorted(without):
            words = variants.NAMED.get(key)
            others = [another(variants, rules, key, value) for value in (words or [drawn[key]])]
            ours = another(variants, rules, key, word) if words else rules
            compiled = [
                variants.compile_rules(other) for other in others if other and other != ours
            ]
            if ours and compiled and variants.compile_rules(ours) not in compiled:
                without.remove((key, word))
        if not without:
            break
    assert not without, "no code reads these variants"


@EACH_GAME
def test_the_engine_reads_each_rule(name):
    variants = VARIANTS[name]
    files = [
        file for file in Path(variants.__file__).parent.glob("*.py") if file.stem != "variants"
    ]
    nodes = [node for file in files for node in nodes_of(file)]
    assert set(variants.Ruleset._fields) <= {
        node.attr for node in nodes if isinstance(node, ast.Attribute)
    }
    texts = {node.value for node in nodes if isinstance(node, ast.Constant)}
    for key in variants.NAMED:
        if variants.Ruleset.__annotations__.get(key) is str:
            assert len(set(variants.NAMED[key]) - texts) <= 1, (
                "the engine tells words apart, the last one by 'else'"
            )


@EACH_GAME
def test_the_page_of_the_rules_has_each_variant(name):
    variants = VARIANTS[name]
    page = (Path(variants.__file__).parent / "RULES.md").read_text("utf-8")
    assert [key for key in variants.KEYS if f"`{key}" not in page] == []
    assert [
        (key, word) for key, words in variants.NAMED.items() for word in words if word not in page
    ] == []
