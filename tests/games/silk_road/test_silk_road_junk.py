"""Whatever stands in a rules map, it is taken or refused with a RulesError whose message is short."""

import pytest

from khiva_arena.errors import RulesError
from khiva_arena.games.silk_road import GAME
from khiva_arena.games.silk_road.board import KEYS as MAP_KEYS
from khiva_arena.games.silk_road.board import MAPS
from khiva_arena.games.silk_road.variants import KEYS

LONGEST = 3000


def nest(wrap):
    """Deeper than any recursion goes."""
    value = []
    for _ in range(100_000):
        value = wrap(value)
    return value


JUNK = {
    "deep list": nest(lambda x: [x]),
    "deep tuple": nest(lambda x: (x,)),
    "deep table": nest(lambda x: {"r0": x}),
    "long int": 10**5000,
    "long negative int": -(10**5000),
    "long ints": [10**5000] * 30,
    "nan": float("nan"),
    "infinity": float("inf"),
    "float": 1.0,
    "none": None,
    "bytes": b"x" * 100_000,
    "bytearray": bytearray(b"r1"),
    "set": {"r0", "r1"},
    "frozenset": frozenset({"bazaar"}),
    "long text": "x" * 1_000_000,
    "half a character": "\ud800",
    "long list": ["x" * 40] * 100_000,
    "list of sets": [{1}, {2}],
    "odd keys": {10**5000: 1, ("a",): 2, None: 3, b"b": 4},
    "long key": {"k" * 100_000: 1},
    "range": range(3),
    "ellipsis": ...,
}
"""None of it is right anywhere."""


def refused(given):
    with pytest.raises(RulesError) as caught:
        GAME.rules(given)
    message = str(caught.value)
    assert 0 < len(message) < LONGEST
    return message


@pytest.mark.parametrize("junk", JUNK.values(), ids=JUNK.keys())
@pytest.mark.parametrize("key", KEYS)
def test_junk_for_a_rule_is_refused(key, junk):
    assert key in refused({key: junk})


@pytest.mark.parametrize("junk", JUNK.values(), ids=JUNK.keys())
@pytest.mark.parametrize("key", MAP_KEYS)
def test_junk_in_a_map_is_refused(key, junk):
    for value in (junk, [junk], [["r0", junk]], {"r0": junk}, {"r0": {"Byzanz": junk}}):
        assert "map: " in refused({"map": {**MAPS["r1"], key: value}})


@pytest.mark.parametrize("junk", JUNK.values(), ids=JUNK.keys())
def test_junk_among_tiles_and_in_a_layout_is_refused(junk):
    assert refused({"tiles": {"bazaar": junk}}).startswith("tiles is ")
    assert refused({"layout": ["bazaar"] * 21 + [junk]}).startswith("layout is ")


@pytest.mark.parametrize("key", [10**5000, ("a",), None, b"b", "k" * 100_000, 1.5], ids=range(6))
def test_junk_as_a_key_is_refused(key):
    assert "unknown rule" in refused({key: 1})
    assert "unknown key" in refused({"map": {**MAPS["r1"], key: 1}})


def test_a_map_of_very_many_wrong_keys_is_refused_in_few_words():
    """Fifty mistakes in full may be more text than junk of one kind brings."""
    with pytest.raises(RulesError) as caught:
        GAME.rules({"map": {f"k{i}": i for i in range(200_000)}})
    assert (len(caught.value.problems), len(str(caught.value)) < 3 * LONGEST) == (51, True)
