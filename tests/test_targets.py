"""Every test is run by a target, and CI runs those targets."""

import re
import shlex
from itertools import product
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MARKS = ("slow", "soak", "language")
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
def test_every_test_is_in_one_of_the_two_targets_of_ci(given: tuple[bool, ...]) -> None:
    marks = {mark for mark, is_given in zip(MARKS, given, strict=True) if is_given}
    assert runs("test", marks) != runs("test-languages", marks)
    assert runs("test", marks) or not runs("test-fast", marks)


def test_the_targets_know_all_marks_and_nothing_else_leaves_a_test_out(pytestconfig: pytest.Config) -> None:
    ours = {line.partition(":")[0] for line in pytestconfig.getini("markers")}
    assert ours >= set(MARKS)
    assert pytestconfig.getini("testpaths") == ["tests"]
    assert pytestconfig.getini("addopts") == ["--strict-markers", "--strict-config", "--import-mode=importlib"]
    makefile = (ROOT / "Makefile").read_text()
    assert re.findall(r"^TESTS := (.*)$", makefile, re.MULTILINE) == ["$(BIN)/pytest -n 4 --dist loadgroup -q"]
    assert not [path for path in (ROOT / "tests").rglob("conftest.py") if re.search("collect_ignore|deselect", path.read_text())]


def test_ci_runs_both() -> None:
    lines = (ROOT / ".ci" / "run").read_text().splitlines()
    assert [line for line in lines if line.startswith("make ")] == ["make test", "make test-languages"]
