"""The tools are there, take --help, and get the words that are typed; what two of them
start is what it should be.
"""

import argparse
import ast
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from cases import cases

from khiva_arena.common import shipped
from khiva_arena.common.strength import BotStep
from khiva_arena.entrants import bots

HERE = Path(__file__).parent
sys.path.append(str(HERE))

import more_tests  # noqa: E402 - found beside this file
import strength  # noqa: E402

MAIN = runpy.run_path(str(HERE / "__main__.py"), run_name="tools")
TOOLS: dict[str, tuple[str, str]] = MAIN["TOOLS"]


def typed(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.tools", *words]
    return subprocess.run(command, cwd=HERE.parents[1], capture_output=True, text=True, check=False)


@cases("name", TOOLS)
def test_a_tool_is_a_program_that_takes_help(name: str) -> None:
    """Its words are parsed below the line that only a program reaches, or in a function
    of its own.
    """
    script, line = TOOLS[name]
    tree = ast.parse((HERE.parent / script).read_text("utf-8"))
    called = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    assert "argparse.ArgumentParser" in called
    assert any(
        "__name__ == '__main__'" in ast.unparse(node.test)
        for node in tree.body
        if isinstance(node, ast.If)
    )
    assert line[0].islower() or line[0].isdigit()


def test_a_program_of_several_tools_knows_each_of_them_by_name() -> None:
    assert {
        name for name, (script, _) in TOOLS.items() if script == MAIN["MORE"]
    } == more_tests.KINDS.keys()
    others = [script for script, _ in TOOLS.values() if script != MAIN["MORE"]]
    assert len(set(others)) == len(others)


def test_without_a_name_each_tool_is_listed_on_a_line() -> None:
    done = typed()
    assert done.returncode == 0
    rows = dict(re.findall(r"^  ([a-z-]+) +(.+)$", done.stdout, re.MULTILINE))
    assert rows == {name: line for name, (_, line) in TOOLS.items()}


@cases(
    ("words", "code", "shown"),
    [
        (("layout", "--help"), 0, "usage: "),
        (("vm", "--help"), 0, "vm [-h]"),
        (("nosuch",), 2, "nosuch"),
    ],
)
def test_a_name_runs_a_tool(words: tuple[str, ...], code: int, shown: str) -> None:
    done = typed(*words)
    assert done.returncode == code
    assert shown in done.stdout + done.stderr


def test_the_oldest_packages_and_vm_are_those_of_the_project() -> None:
    found = more_tests.project()
    newest, oldest = more_tests.vms()
    assert newest in found["optional-dependencies"]["modules"]
    pinned = dict(line.split("==") for line in more_tests.bounds())
    assert oldest == f"wasmtime=={pinned['wasmtime']}.*"
    assert {re.match(r"[\w-]+", one)[0] for one in found["dependencies"]} <= pinned.keys()


# --- the ladders ---


@pytest.mark.parametrize("game", strength.BOTS)
def test_strength_plays_each_bot_of_a_game_against_a_weaker_one(game: str) -> None:
    names, steps = strength.BOTS[game], strength.STEPS[game]
    assert {f"shipped:{bot}" for bot in names.values()} <= shipped.bots().keys()
    assert {name for step in steps for name in step} == set(names)
    order = list(names)
    assert all(order.index(bot) > order.index(over) for bot, over in steps)
    options = argparse.Namespace(game=game, seats=4, seeds=400, rungs=None, bots=None)
    for bot, over in strength.steps_of(options):
        line = " ".join(
            strength.run_words(
                options, strength.word_of(options, bot), strength.word_of(options, over), "out"
            )
        )
        assert line.startswith("run --trust-bots ")
        assert f"--game {game} --format gauntlet --copies 3 --seats 4 --seeds 400 " in line
        assert line.endswith(
            f"--bot shipped:{names[bot]} --bot shipped:{names[over]} --out out --json"
        )


def step(
    bot: str,
    over: str,
    elo: float | None,
    error: float | None,
    deals: int = 10,
    least: float | None = None,
) -> BotStep:
    return BotStep(bot, over, elo, error, deals, "2026-11", least)


def test_a_scale_adds_steps_up_and_their_errors_as_squares() -> None:
    found = strength.scale(
        [
            step("greedy", "naive", 300, 30),
            step("search", "greedy", 100, 30),
            step("strong", "search", 50, 40),
        ]
    )
    assert found == {
        "greedy": (0, 0),
        "naive": (-300, 30),
        "search": (100, 30),
        "strong": (150, 50),
    }


def test_a_bot_that_two_ways_lead_to_lies_between_them_by_their_errors() -> None:
    """100 with an error of 30, and 100 + 100 with one of sqrt(30^2 + 30^2): weights 2
    to 1.
    """
    steps = [
        step("search", "greedy", 100, 30),
        step("strong", "search", 100, 30),
        step("strong", "greedy", 100, 30),
    ]
    elo, error = strength.scale(steps)["strong"]
    assert elo == pytest.approx((2 * 100 + 200) / 3, abs=0.1)
    assert error == pytest.approx(30 * (2 / 3) ** 0.5, abs=0.1)


def test_a_bot_that_no_step_joins_to_greedy_has_no_place_and_one_way_gives_a_bound() -> None:
    steps = [
        step("strong", "search_deep", 149, 26),
        step("greedy", "naive", None, None, least=277.4),
    ]
    rungs = {rung.name: rung for rung in strength.rungs("khiva", steps, {"strong": 15.0})}
    assert list(rungs) == ["greedy", *(name for name in strength.BOTS["khiva"] if name != "greedy")]
    assert (rungs["strong"].elo, rungs["strong"].in_words, rungs["strong"].ms) == (
        None,
        "n/a",
        15.0,
    )
    assert rungs["naive"].in_words == "below -277"
    assert rungs["greedy"].in_words == "0"


def test_of_two_measures_of_a_step_that_with_more_deals_stays() -> None:
    old = [step("search", "greedy", 139, 26, 400), step("greedy", "naive", 700, 99, 10)]
    new = [step("search", "greedy", 204, 55, 100), step("greedy", "naive", 414, 68, 60)]
    assert strength.merged(old, new, "khiva") == [new[1], old[0]]


def test_the_file_is_what_follows_from_its_steps() -> None:
    """If it is not, type `.venv/bin/python -m tests.tools strength --write --seeds 0`
    with the game and the seats.
    """
    data = strength.read()
    assert strength.text_of(data) == strength.DATA.read_text("utf-8")
    assert data.seconds.keys() == set(strength.SHOWN_SECONDS)
    assert data.in_vain.keys() == data.ladders.keys() == strength.BOTS.keys()
    for game, by_seats in data.ladders.items():
        for ladder in by_seats.values():
            ms = {rung.name: rung.ms for rung in ladder.rungs}
            assert tuple(strength.rungs(game, ladder.steps, ms)) == ladder.rungs
            assert {(one.bot, one.over) for one in ladder.steps} <= set(strength.STEPS[game])


@pytest.mark.parametrize("game", strength.LEVERS)
def test_twice_the_time_is_measured_by_a_number_that_the_bot_has(game: str) -> None:
    lever = strength.LEVERS[game]
    (source,) = {
        path
        for name, path in bots.load(f"shipped:{lever.bot}").sources
        if Path(name).name == lever.file
    }
    text = source.read_text("utf-8")
    made = {strength.changed(text, game, wanted) for wanted in (lever.less, lever.more)}
    assert len(made) == 2
    assert [lever.less in one for one in made].count(True) == 1
    numbers = [
        [int(number) for number in re.findall(r"(?<=[ {])\d+", wanted)]
        for wanted in (lever.less, lever.more)
    ]
    ratios = [more / less for less, more in zip(*numbers, strict=True) if less != more]
    assert [round(ratio / 2**lever.doublings, 1) for ratio in ratios] == [1.0] * len(ratios)
    with pytest.raises(LookupError):
        strength.changed("", game, lever.less)


ROW = {"elo": 0.0, "error": 0.0, "low": 0.0, "high": 0.0, "bound": ""}


@cases(
    ("anchor", "other", "found"),
    [
        ("new", {"elo": -100.0, "error": 40.0}, (100.0, 40.0, None)),
        ("old", {"elo": 100.0, "error": 40.0}, (100.0, 40.0, None)),
        (
            "new",
            {"elo": -794.8, "error": None, "low": None, "high": -277.4, "bound": "<="},
            (None, None, 277.4),
        ),
        (
            "old",
            {"elo": 794.8, "error": None, "low": 277.4, "high": None, "bound": ">="},
            (None, None, 277.4),
        ),
        (
            "new",
            {"elo": 794.8, "error": None, "low": 277.4, "high": None, "bound": ">="},
            (None, None, None),
        ),
    ],
)
def test_a_step_is_read_from_the_side_of_its_first_bot(
    anchor: str, other: dict[str, object], found: tuple[float | None, ...]
) -> None:
    rows = [
        {**ROW, "bot": name} if name == anchor else {**ROW, **other, "bot": name}
        for name in ("new", "old")
    ]
    table = {"anchor": anchor, "rows": rows}
    assert (*strength.difference(table, "new"), strength.least(table, "new")) == found
