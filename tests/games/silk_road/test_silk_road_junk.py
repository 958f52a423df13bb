"""Whatever stands in a rules map, it is taken or refused with a RulesError whose
message is short.
"""

from itertools import product

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


@pytest.fixture(scope="module")
def all_junk():
    """Values of which none is right anywhere, by name."""
    return {
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


def refused(given, what):
    """The message by which these rules are refused. ``what`` says which they are, if
    they are not.
    """
    try:
        GAME.rules(given)
    except RulesError as error:
        message = str(error)
    except Exception as error:
        error.add_note(what)
        raise
    else:
        pytest.fail(f"{what}: taken")
    assert 0 < len(message) < LONGEST, what
    return message


def test_junk_for_any_rule_is_refused(all_junk):
    for key, (kind, junk) in product(KEYS, all_junk.items()):
        assert key in refused({key: junk}, f"{kind} for {key}"), f"{kind} for {key}"


def test_junk_anywhere_in_a_map_is_refused(all_junk):
    for key, (kind, junk) in product(MAP_KEYS, all_junk.items()):
        for depth, value in enumerate(
            (junk, [junk], [["r0", junk]], {"r0": junk}, {"r0": {"Byzanz": junk}})
        ):
            what = f"{kind} in a map's {key}, in the way {depth}"
            assert "map: " in refused({"map": {**MAPS["r1"], key: value}}, what), what


def test_junk_among_tiles_and_in_a_layout_is_refused(all_junk):
    for kind, junk in all_junk.items():
        assert refused({"tiles": {"bazaar": junk}}, kind).startswith("tiles is "), kind
        assert refused({"layout": ["bazaar"] * 21 + [junk]}, kind).startswith("layout is "), kind


@pytest.mark.parametrize(
    "key",
    [10**5000, ("a",), None, b"b", "k" * 100_000, 1.5],
    ids=["a long number", "a tuple", "None", "bytes", "a long text", "a float"],
)
def test_junk_as_a_key_is_refused(key):
    assert "unknown rule" in refused({key: 1}, "a rule")
    assert "unknown key" in refused({"map": {**MAPS["r1"], key: 1}}, "a map")


@pytest.mark.slow
def test_a_map_of_very_many_wrong_keys_is_refused_in_few_words():
    """Fifty mistakes in full may be more text than junk of one kind brings."""
    with pytest.raises(RulesError) as caught:
        GAME.rules({"map": {f"k{i}": i for i in range(20_000)}})
    assert (len(caught.value.problems), len(str(caught.value)) < 3 * LONGEST) == (51, True)
