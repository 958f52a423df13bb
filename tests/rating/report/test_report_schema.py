"""The published schemas are those of the types, and real output of every kind fits
them, with nothing in it that they do not list.
"""

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import jsonschema
import msgspec
import pytest
from cases import cases
from made_results import listed
from make_schemas import FOLDER, REPORTS, strict

from khiva_arena.common.result import Measured, Result, Verdict
from khiva_arena.rating.report import plan
from khiva_arena.rating.report.rating_table import to_json
from khiva_arena.rating.report.section_names import NAMES as SECTIONS
from khiva_arena.rating.report.sections import SectionRequest, sections
from khiva_arena.rating.report.standings import AnchorAt, Entrant, Standings, standings

BOTS = tuple(Entrant(f"id-{name}", name) for name in "abcde")
TERMS = {
    "events": ["e"],
    "seats": [3],
    "game": "khiva",
    "rules_version": "1",
    "time": {"turn_ms": 1},
    "policy": "lenient",
    "isolation": "trusted",
    "limits": {"memory": 1},
    "ponder": True,
}


def rows(seeds: int) -> list[Result]:
    """Every three bots on each seed in all rotations; c crashes on some seeds, and e
    never plays.
    """
    found = []
    for seed in range(seeds):
        for line_up, bots in enumerate(("abc", "abd", "acd", "bcd")):
            for r in range(3):
                order = bots[r:] + bots[:r]
                points = {bot: (ord(bot) * (seed + 3) + line_up * seed) % 5 for bot in order}
                ranks = tuple(
                    1 + sum(other > points[bot] for other in points.values()) for bot in order
                )
                faults = tuple(
                    (Verdict.CRASHED,) if bot == "c" and seed % 4 == 1 else () for bot in order
                )
                seats = tuple("abcde".index(bot) for bot in order)
                measured = tuple(Measured(cpu_s) for cpu_s in (0.5, None, 1.0))
                found.append(
                    listed(
                        "e",
                        f"{seed}/{line_up}",
                        r,
                        f"s{seed}",
                        seats,
                        ranks,
                        faults,
                        measured=measured,
                    )
                )
    return found


def printed(key: str, row: dict[str, Any]) -> dict[str, Any]:
    """Return what a command prints of one table, whose own values are in ``row``."""
    said = {"sentence": "a won."}
    return {"v": 1, **said, key: [{"next": [], **TERMS, **row, **said}]}


@pytest.mark.parametrize("name", [*REPORTS, "events"])
def test_schemas_are_schemas_and_let_keys_be_added(name: str) -> None:
    text = (FOLDER / "output" / f"{name}.json").read_text()
    jsonschema.Draft202012Validator.check_schema(json.loads(text))
    assert '"additionalProperties": false' not in text


TABLES: dict[str, Callable[[], Standings]] = {
    "many seeds": lambda: standings(rows(8), BOTS),
    "one seed": lambda: standings(rows(1), BOTS),
    "nothing": lambda: standings([], BOTS),
    "given anchors": lambda: standings(
        rows(8), BOTS, anchors=[AnchorAt("a", 100), AnchorAt("b", 50, 30)]
    ),
    "no anchor played": lambda: standings(rows(8), BOTS, "e"),
    "apart": lambda: standings([row for row in rows(8) if "id-a" not in row.bots], BOTS, "b"),
}


@cache
def table_of(name: str) -> Standings:
    return TABLES[name]()


@pytest.mark.slow
@cases("name", TABLES)
@cases("asked", [(), *((name,) for name in SECTIONS), SECTIONS])
def test_every_section_of_every_table_fits(name: str, asked: tuple[str, ...]) -> None:
    table = table_of(name)
    found = sections(table, SectionRequest(asked, [("e", 1), ("later", 2)]))
    output = printed("standings", to_json(table, found))
    strict(REPORTS["standings"]).validate(json.loads(json.dumps(output, allow_nan=False)))


@pytest.mark.parametrize("name", TABLES)
def test_every_plan_fits(name: str) -> None:
    table = table_of(name)
    for one in (plan.for_error(table, 20), plan.for_gap(table, 30, 0.8)):
        output = printed("plans", msgspec.to_builtins(one))
        strict(REPORTS["plan"]).validate(json.loads(json.dumps(output, allow_nan=False)))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("blocks",), "8"),
        (("rows", 0, "elo"), "12"),
        (("rows", 0, "unknown"), 1),
        (("left_out",), None),
        (("sections", "los"), {}),
    ],
    ids=str,
)
def test_what_is_wrong_does_not_fit(path: tuple[Any, ...], value: Any) -> None:
    output = printed("standings", to_json(standings(rows(2), BOTS)))
    strict(REPORTS["standings"]).validate(output)
    at: Any = output["standings"][0]
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    with pytest.raises(jsonschema.ValidationError):
        strict(REPORTS["standings"]).validate(output)
