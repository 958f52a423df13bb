"""The tools are there, take --help, and get the words that are typed; what two of them start is what it should be."""

import argparse
import ast
import re
import runpy
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from cases import cases

from khiva_arena.common import shipped

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
    """Its words are parsed below the line that only a program reaches, or in a function of its own."""
    script, line = TOOLS[name]
    tree = ast.parse((HERE.parent / script).read_text("utf-8"))
    called = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    assert "argparse.ArgumentParser" in called
    assert any("__name__ == '__main__'" in ast.unparse(node.test) for node in tree.body if isinstance(node, ast.If))
    assert line[0].islower() or line[0].isdigit()


def test_a_program_of_several_tools_knows_each_of_them_by_name() -> None:
    assert {name for name, (script, _) in TOOLS.items() if script == MAIN["MORE"]} == more_tests.KINDS.keys()
    others = [script for script, _ in TOOLS.values() if script != MAIN["MORE"]]
    assert len(set(others)) == len(others)


def test_without_a_name_each_tool_is_listed_on_a_line() -> None:
    done = typed()
    assert done.returncode == 0
    rows = dict(re.findall(r"^  ([a-z-]+) +(.+)$", done.stdout, re.MULTILINE))
    assert rows == {name: line for name, (_, line) in TOOLS.items()}


@cases(
    ("words", "code", "shown"),
    [(("layout", "--help"), 0, "usage: "), (("vm", "--help"), 0, "vm [-h]"), (("nosuch",), 2, "nosuch")],
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


@pytest.mark.parametrize("game", strength.LADDERS)
def test_strength_plays_each_bot_of_a_game_against_the_one_below_it(game: str) -> None:
    rungs = strength.LADDERS[game]
    assert rungs[-1] == f"c/strong_{game}"
    assert {f"shipped:{rung}" for rung in rungs} <= shipped.bots().keys()
    assert strength.anchor(rungs[0]) == shipped.bots()[f"shipped:{rungs[0]}"].name
    events = strength.events(argparse.Namespace(game=game, seats=4, seeds=400, rungs=None), "out")
    for words, (below, above) in zip(events, pairwise(rungs), strict=True):
        line = " ".join(words)
        assert line.startswith("run --trust-bots ")
        assert f"--game {game} --format gauntlet --copies 3 --seats 4 --seeds 400 " in line
        assert line.endswith(f"--bot shipped:{above} --bot shipped:{below} --out out")
