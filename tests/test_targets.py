"""Every test is run by a target, and CI runs those targets, but that of long tests."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from khiva_arena import shipped

ROOT = Path(__file__).parent.parent
MARKS = ("slow", "soak", "language", "long")
OF_CI = ("test", "test-soak", "test-languages")
SITES = ("docs", "docs-oldest")
RECIPES = dict(re.findall(r"^([a-z-]+):[^\n]*\n((?:\t[^\n]*\n)*)", (ROOT / "Makefile").read_text(), re.MULTILINE))


def chosen_by(target: str) -> str:
    """The expression of marks by which a target chooses; it leaves no test out in any other way."""
    (line,) = re.findall(r"^\t\$\(TESTS\) (.*)$", RECIPES[target], re.MULTILINE)
    flag, expression = shlex.split(line)
    assert flag == "-m"
    return expression


def runs(target: str, marks: set[str]) -> bool:
    return bool(eval(chosen_by(target), {mark: mark in marks for mark in MARKS}))


@pytest.mark.parametrize("given", list(product((False, True), repeat=len(MARKS))))
def test_every_test_is_in_one_target_of_ci_or_long(given: tuple[bool, ...]) -> None:
    marks = {mark for mark, is_given in zip(MARKS, given, strict=True) if is_given}
    first = next((mark for mark in ("long", "language", "soak") if mark in marks), "")
    expected = {"long": "test-long", "language": "test-languages", "soak": "test-soak", "": "test"}[first]
    assert [target for target in (*OF_CI, "test-long") if runs(target, marks)] == [expected]
    assert runs("test", marks) or not runs("test-fast", marks)


def test_the_targets_know_all_marks_and_nothing_else_leaves_a_test_out(pytestconfig: pytest.Config) -> None:
    ours = {line.partition(":")[0] for line in pytestconfig.getini("markers")}
    assert ours >= set(MARKS)
    assert pytestconfig.getini("testpaths") == ["tests"]
    assert pytestconfig.getini("addopts") == ["--strict-markers", "--strict-config", "--import-mode=importlib"]
    makefile = (ROOT / "Makefile").read_text()
    assert re.findall(r"^TESTS = (.*)$", makefile, re.MULTILINE) == ["$(BIN)/pytest -n $(AT_A_TIME) --dist loadgroup -q"]
    assert re.findall(r"AT_A_TIME := (.*)$", makefile, re.MULTILINE) == ["4", "5"]
    assert not [path for path in (ROOT / "tests").rglob("conftest.py") if re.search("collect_ignore|deselect", path.read_text())]


def test_ci_builds_the_site_types_the_first_commands_and_runs_them_all() -> None:
    lines = (ROOT / ".ci" / "run").read_text().splitlines()
    targets = [line.removeprefix("make ") for line in lines if line.startswith("make ")]
    assert targets == [*SITES, "rehearse-wheel", *OF_CI]


@pytest.mark.parametrize("target", SITES)
def test_the_site_is_built_from_nothing_and_a_warning_is_an_error(target: str) -> None:
    assert RECIPES[target].startswith("\t@rm -rf docs/_build\n")
    assert RECIPES[target].splitlines()[1].endswith("/sphinx-build $(SITE)")
    (words,) = re.findall(r"^SITE := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert {"--fresh-env", "--fail-on-warning"} <= set(words.split())


def test_the_workflow_plays_modules_on_their_oldest_vm() -> None:
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text()
    assert "run: make modules-oldest\n" in workflow.partition("\n  languages:")[2].partition("\n  macos:")[0]
    assert "OTHER_VMS=" in RECIPES["modules-oldest"]


def test_the_set_up_compiles_every_module_that_a_command_or_bot_imports(tmp_path: Path) -> None:
    (words,) = re.findall(r"^\t@\$\(BIN\)/python (-m compileall .*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    site = ".venv/lib/python3.11/site-packages"
    sources = (
        "khiva_arena/rng.py",
        "khiva_arena/games/khiva/worlds.py",
        f"{site}/msgpack/__init__.py",
        f"{site}/pip/__init__.py",
    )
    for source in sources:
        (tmp_path / source).parent.mkdir(parents=True)
        (tmp_path / source).write_text("")
    subprocess.run([sys.executable, *shlex.split(words)], cwd=tmp_path, check=True)
    compiled = {path.parent.parent / f"{path.name.split('.')[0]}.py" for path in tmp_path.rglob("*.pyc")}
    assert compiled == {tmp_path / source for source in sources[:3]}


def strength(*words: str) -> subprocess.CompletedProcess[str]:
    """What the target would do, and says, also if it is make that runs the tests: its flags are not ours."""
    make = ["make", "-n", "-o", ".venv/.run", "strength", *words]
    ours = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    return subprocess.run(make, cwd=ROOT, env=ours, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
@pytest.mark.parametrize("game", ["emira", "khiva", "silk_road"])
def test_strength_plays_each_bot_of_a_game_against_the_one_below_it(game: str) -> None:
    lines = strength(f"GAME={game}", "SEATS=4").stdout.splitlines()
    first, words = lines[0].partition("; ")[0], " ".join(lines)
    rungs = first.removeprefix("set -- ").split()
    assert rungs[-1] == f"c/strong_{game}"
    assert {f"shipped:{rung}" for rung in rungs} <= shipped.bots().keys()
    assert "--bot shipped:$2 --bot shipped:$1" in words
    assert "while [ $# -gt 1 ]; do" in words
    assert "|| exit; shift; done" in words
    assert "--copies $((4 - 1)) --seats 4 --seeds 400" in words
    assert f"bots/{rungs[0]}/bot.toml" in lines[-1]
    assert f"standings results/strength/{game}-4 --anchor" in lines[-1]


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_strength_of_a_game_that_it_does_not_know_is_refused_in_a_line() -> None:
    done = strength("GAME=nosuch")
    assert done.returncode == 2
    assert done.stdout == ""
    assert re.fullmatch(
        r"Makefile:\d+: \*\*\* GAME=nosuch: there is no ladder of it, but of emira khiva silk_road\.  Stop\.\n",
        done.stderr,
    )
