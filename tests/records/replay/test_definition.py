"""An event's definition: its text is the one that was stored, and whatever else stands
there is refused in one line.
"""

import json

import pytest
from cases import cases
from wording import pattern

from khiva_arena.common.result import Comparison
from khiva_arena.records.replay.definition import Definition
from khiva_arena.records.replay.record import canonical

DEFINED = {
    "anchor": "a",
    "bots": [{"identity": "00", "name": "a"}, {"identity": "01", "name": "b"}],
    "candidates": [1],
    "copies": 1,
    "format": "sprt",
    "game": "khiva",
    "hypotheses": {"alpha": 0.05, "beta": 0.05, "elo0": 0.0, "elo1": 10.0, "model": "logistic"},
    "isolation": "basic",
    "limits": {
        "cpu": 1,
        "file_size": 1,
        "memory": 1,
        "open_files": 1,
        "processes": 1,
        "scratch": 1,
    },
    "lineups": None,
    "policy": "lenient",
    "ponder": True,
    "rules": {"overshoot": "bounce", "turns": [3, 4]},
    "rules_version": "1",
    "seats": 2,
    "seed": None,
    "seeds": 5,
    "time": {"bank_ms": 10, "startup_ms": 10, "turn_ms": 10},
}
TEXT = canonical(DEFINED).decode()


def test_its_plain_values_stand_in_the_order_of_its_text() -> None:
    read = Definition.read(TEXT)
    assert read.text == TEXT
    assert json.dumps(read.plain(), separators=(",", ":")) == TEXT


def with_rule(**rules: object) -> str:
    return canonical(
        {**{key: value for key, value in DEFINED.items() if key != "hypotheses"}, **rules}
    ).decode()


def test_a_sequential_test_has_one_rule_by_which_it_stops() -> None:
    rule = {"error": 0.025, "sharpest": 8}
    read = Definition.read(with_rule(comparison=rule))
    assert (read.comparison, read.hypotheses) == (Comparison(0.025, 8), None)
    assert json.loads(read.text)["comparison"] == rule
    for rules in ({}, {"comparison": rule, "hypotheses": DEFINED["hypotheses"]}):
        with pytest.raises(
            ValueError, match=pattern("replay", "hypotheses-belong-sequential-test")
        ):
            Definition.read(with_rule(**rules))
    with pytest.raises(ValueError, match=pattern("replay", "hypotheses-belong-sequential-test")):
        Definition.read(
            canonical({**json.loads(with_rule(comparison=rule)), "format": "gauntlet"}).decode()
        )


def changed(old: str, new: str) -> str:
    assert old in TEXT
    return TEXT.replace(old, new)


@cases(
    "text",
    [
        "",
        "[]",
        TEXT[:-1],
        TEXT + " ",
        TEXT + "\0",
        "\ufeff" + TEXT,
        changed('"seeds":5', '"seeds":"5"'),
        changed('"seeds":5', '"seeds":5.0'),
        changed('"seeds":5', '"seeds":5e0'),
        changed('"seeds":5', '"seeds":true'),
        changed('"seeds":5', '"seeds":0'),
        changed('"seeds":5', '"seeds":5,"seeds":5'),
        changed('"seeds":5', f'"seeds":{"9" * 5000}'),
        changed('"seeds":5', '"seeds":5,"unknown":1'),
        changed('"seeds":5,', ""),
        changed('"elo0":0.0', '"elo0":0'),
        changed('"elo0":0.0', '"elo0":NaN'),
        changed('"elo1":10.0', '"elo1":1e999'),
        changed('"game":"khiva"', '"game":5'),
        changed('"game":"khiva"', '"game":"\\ud800"'),
        changed('"game":"khiva"', '"game":"kh\u00efva"'),
        changed('"name":"a"', '"name":"a\\u0000"'),
        changed('"rules_version":"1"', '"rounds":null,"rules_version":"1"'),
        changed('"candidates":[1]', '"candidates":[]'),
        changed("[3,4]", "NaN"),
        changed("[3,4]", "[" * 100_000 + "]" * 100_000),
        changed("[3,4]", '{"a":' * 100_000 + "1" + "}" * 100_000),
    ],
)
def test_a_text_that_no_run_has_written_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(ValueError, match=r"\A[^\n]{1,200}\Z"):
        Definition.read(text)
