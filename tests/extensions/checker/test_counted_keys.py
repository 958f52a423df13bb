"""Each key of a table that is counted, forged alone: `verify` and a page both find it,
whoever is said to have written it.
"""

import json
import re
from pathlib import Path
from typing import Any, NoReturn

import pytest
from arena import ROOT, arena, bots
from bundling import forged, lines_of
from module_cup import BOTS, of_kind, vectors
from once import made_once

from khiva_arena import __version__
from khiva_arena.arbiter.wire import HostFault
from khiva_arena.extensions.checker import in_page
from khiva_arena.interface.api.verify import verify
from khiva_arena.rating.report.differences import COUNTED, OF_A_BOT

pytestmark = pytest.mark.slow

LEAGUE = ROOT / "tests" / "published" / "league-0.3.0" / "bundle"
"""A bundle whose table has the keys of a league."""
ENGINES = (__version__, "0.2.0", "9.9.9")
"""Who may have written a bundle: `verify` compares all of it, or what is counted."""


@made_once
def cups(folder: Path) -> None:
    """Play an event of other rules, one that extends it, and one with places, and write
    "cup.khiva".
    """
    for name, module in vectors(BOTS).items():
        (folder / f"{name}.wasm").write_bytes(module)
    words = (
        "--clock",
        "ticks",
        "--seats",
        "2",
        "--turn",
        "10ms",
        "--bank",
        "0s",
        "--seed",
        "cup",
        "--out",
        "store",
    )
    entrants = bots(*(f"{name}.wasm" for name in BOTS))
    changed = ("--game", "silk_road", "--rule", "max_turns=8")
    for seeds in ("1", "2"):
        arena("run", *words, *changed, *entrants, "--seeds", seeds, cwd=folder)
    arena(
        "run", *words, *entrants, "--format", "swiss", "--rounds", "2", "--seeds", "1", cwd=folder
    )
    arena("bundle", "store", "cup.khiva", cwd=folder)


class NoMachine:
    """A machine that can run nothing: tables are counted without the bots."""

    def take(self, digest: str, data: bytes) -> None:
        pass

    def run(self, *_words: Any) -> NoReturn:
        raise HostFault("it can run nothing")


def verdicts(lines: list[dict[str, Any]], folder: Path) -> tuple[list[str], list[str]]:
    """The problems that `verify` and a page find in a bundle of these lines."""
    path = folder / "forged.khiva"
    path.write_bytes(forged(lines))
    result = verify(path)
    events: list[dict[str, Any]] = []
    in_page.check(
        path.read_bytes(), NoMachine(), lambda event: events.append(json.loads(json.dumps(event)))
    )
    told = [line for table in of_kind(events, "table") for line in table["differs"]]
    assert (events[-1]["verdict"] == "differs") == bool(events[-1]["problems"]) == bool(told)
    return [
        *result.problems,
        *(problem for event in result.events for problem in event.problems),
    ], events[-1]["problems"]


def other(value: Any) -> Any:
    """Another value of the same form."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str():
            return value + "x"
        case list():
            return [other(value[0]), *value[1:]] if value else [["x", "y"]]
        case dict():
            first = min(value)
            return {**value, first: other(value[first])}
    return 1


def one_by_one(value: Any) -> list[Any]:
    """A value of the same form for each part of a map that may be forged."""
    return (
        [{**value, key: other(part)} for key, part in value.items()]
        if isinstance(value, dict)
        else [other(value)]
    )


def places_of(key: str, lines: list[dict[str, Any]], *, of_a_bot: bool) -> list[dict[str, Any]]:
    """The tables of a bundle, or their rows, that have a key."""
    tables = [line["table"] for line in of_kind(lines, "standings")]
    every = [row for table in tables for row in table["rows"]] if of_a_bot else tables
    return [one for one in every if key in one]


def with_key(
    key: str, cups: Path, *, of_a_bot: bool
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The lines of a bundle with a key, and what has it in them."""
    for path in (cups / "cup.khiva", LEAGUE):
        lines = lines_of(path)
        if found := places_of(key, lines, of_a_bot=of_a_bot):
            return lines, found[0]
    raise AssertionError(f"no table has {key}: have another one made")


KEYS = [*((key, False) for key in COUNTED), *((key, True) for key in OF_A_BOT)]


@pytest.mark.parametrize("engine", ENGINES)
def test_nothing_is_found_in_honest_tables(cups: Path, tmp_path: Path, engine: str) -> None:
    for path in (cups / "cup.khiva", LEAGUE):
        lines = lines_of(path)
        lines[0]["engine"] = engine
        assert verdicts(lines, tmp_path) == ([], []), path


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("key", "of_a_bot"), KEYS, ids=lambda value: {True: "row", False: "table"}.get(value, value)
)
def test_a_counted_key_that_is_forged_is_found(
    cups: Path, tmp_path: Path, key: str, of_a_bot: bool, engine: str
) -> None:
    lines, place = with_key(key, cups, of_a_bot=of_a_bot)
    lines[0]["engine"] = engine
    for value in one_by_one(place[key]):
        place[key] = value
        for problems in verdicts(lines, tmp_path):
            assert problems, key
            assert key == "bot" or any(re.search(rf"\b{key}\b", problem) for problem in problems), (
                problems
            )


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("key", "of_a_bot"), KEYS, ids=lambda value: {True: "row", False: "table"}.get(value, value)
)
def test_a_counted_key_that_is_taken_out_is_found(
    cups: Path, tmp_path: Path, key: str, of_a_bot: bool, engine: str
) -> None:
    """Tables of 0.2.0 lack some of them, but no event in ticks was played by it."""
    lines, place = with_key(key, cups, of_a_bot=of_a_bot)
    lines[0]["engine"] = engine
    del place[key]
    assert all(verdicts(lines, tmp_path)), key


@pytest.mark.parametrize("engine", ENGINES)
def test_rows_that_are_none_are_a_difference(cups: Path, tmp_path: Path, engine: str) -> None:
    lines, table = with_key("rules", cups, of_a_bot=False)
    lines[0]["engine"] = engine
    for rows in ({"a": 1}, {row["bot"]: row for row in table["rows"]}, 3):
        table["rows"] = rows
        assert all(verdicts(lines, tmp_path))
