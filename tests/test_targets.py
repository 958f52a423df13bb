"""Every test is run by a target, and CI runs them all, but the long ones."""

import json
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
from tools import need

ROOT = Path(__file__).parent.parent
MARKS = ("slow", "soak", "language", "long")
OF_CI = ("test", "test-soak", "test-languages")
SITES = ("docs", "docs-oldest")
TYPED = re.compile(
    r"(?<=`make )[a-z][a-z -]*|(?<=^make )[a-z][a-z-]*|(?<=- run: make )[a-z][a-z-]*", re.MULTILINE
)
"""Targets that a text names: in a line of their own, between backquotes, in a
workflow.
"""
RECIPES = dict(
    re.findall(
        r"^([a-z-]+):[^\n]*\n((?:\t[^\n]*\n)*)", (ROOT / "Makefile").read_text(), re.MULTILINE
    )
)


def chosen_by(target: str) -> str:
    """The expression of marks by which a target chooses; it leaves no test out in any
    other way.
    """
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
    expected = {"long": "test-long", "language": "test-languages", "soak": "test-soak", "": "test"}[
        first
    ]
    assert [target for target in (*OF_CI, "test-long") if runs(target, marks)] == [expected]
    assert runs("test", marks) or not runs("test-fast", marks)


def test_the_targets_know_all_marks_and_nothing_else_leaves_a_test_out(
    pytestconfig: pytest.Config,
) -> None:
    ours = {line.partition(":")[0] for line in pytestconfig.getini("markers")}
    assert ours >= set(MARKS)
    assert pytestconfig.getini("testpaths") == ["tests"]
    assert pytestconfig.getini("addopts") == [
        "--strict-markers",
        "--strict-config",
        "--import-mode=importlib",
    ]
    makefile = (ROOT / "Makefile").read_text()
    assert re.findall(r"^TESTS = (.*)$", makefile, re.MULTILINE) == [
        "$(BIN)/pytest -n $(AT_A_TIME) --dist loadgroup -q"
    ]
    assert re.findall(r"AT_A_TIME := (.*)$", makefile, re.MULTILINE) == ["4", "5"]
    assert not [
        path
        for path in (ROOT / "tests").rglob("conftest.py")
        if re.search("collect_ignore|deselect", path.read_text())
    ]


def test_ci_begins_on_a_bare_machine_and_then_runs_what_needs_tools() -> None:
    """The test target by hand is the one of the bare machine; what is skipped there is
    chosen by the other.
    """
    text = (ROOT / ".ci" / "run").read_text()
    typed = [
        line
        for line in text.splitlines()
        if re.match(r"make |\.ci/|apt-get|python3 |export KHIVA", line.strip())
    ]
    first, *_, last = [line.strip() for line in typed]
    assert first == '.ci/bare "$ids"'
    assert last.startswith('python3 .ci/compare.py "$ids" ')
    targets = [
        target
        for line in typed
        if line.startswith("make ")
        for target in line.split()[1:]
        if target != "&" and not target.startswith(".venv/")
    ]
    assert targets == [*SITES, "check", "rehearse-wheel", "test-tools"]
    assert text.index("make docs") < text.index('wait "$sites"') < text.index("make test-tools")
    assert text.index("apt-get install") < text.index("KHIVA_TESTS=full") < text.index("make docs")
    assert re.findall(
        r"^corner (\w+ \d+ \w+ \S+)$", (ROOT / ".ci" / "bare").read_text(), re.MULTILINE
    ) == [
        "root 0 trusted test",
        "user 1234 basic test-fast",
    ]


@pytest.mark.parametrize("mark", ["level", "soak", "language", "skipped"])
def test_with_tools_ci_runs_the_tests_of_each_mark_but_the_long_ones(mark: str) -> None:
    marks = (*MARKS, "level", "skipped")
    expression = chosen_by("test-tools")
    assert eval(expression, {name: name == mark for name in marks})
    assert not eval(expression, {name: name in (mark, "long") for name in marks})
    assert not eval(expression, dict.fromkeys(marks, False))


@pytest.mark.parametrize(
    ("ran", "skipped", "missing"),
    [
        (["a"], {}, ["b"]),
        (["a", "b", "c"], {}, []),
        (["a"], {"b": "needs pandas"}, ["b"]),
        (["a"], {"b": "Skipped: NOT TESTED: this kernel has none"}, []),
    ],
)
def test_a_test_that_runs_on_neither_machine_is_named(
    ran: list[str], skipped: dict[str, str], missing: list[str], tmp_path: Path
) -> None:
    bare = {"ran": ["c"], "skipped": {"a": "NOT TESTED: no tool", "b": "NOT TESTED: no tool"}}
    for name, ids in {"bare": bare, "full": {"ran": ran, "skipped": skipped}}.items():
        (tmp_path / name).write_text(json.dumps(ids))
    words = [sys.executable, ROOT / ".ci" / "compare.py", tmp_path / "bare", tmp_path / "full"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()) == (bool(missing), missing)


@pytest.mark.parametrize("target", SITES)
def test_the_site_is_built_from_nothing_and_a_warning_is_an_error(target: str) -> None:
    assert RECIPES[target].startswith("\t@rm -rf docs/_build\n")
    assert RECIPES[target].splitlines()[1].endswith("/sphinx-build $(SITE)")
    (words,) = re.findall(r"^SITE := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert {"--fresh-env", "--fail-on-warning"} <= set(words.split())


def test_the_workflow_plays_modules_on_their_oldest_vm() -> None:
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text()
    typed = "run: .venv/bin/python -m tests.tools modules-oldest\n"
    assert typed in workflow.partition("\n  languages:")[2].partition("\n  macos:")[0]


def test_the_set_up_compiles_every_module_that_a_command_or_bot_imports(tmp_path: Path) -> None:
    (words,) = re.findall(
        r"^\t@\$\(BIN\)/python (-m compileall .*)$", (ROOT / "Makefile").read_text(), re.MULTILINE
    )
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
    compiled = {
        path.parent.parent / f"{path.name.split('.')[0]}.py" for path in tmp_path.rglob("*.pyc")
    }
    assert compiled == {tmp_path / source for source in sources[:3]}


@pytest.mark.usefixtures("makes")
def test_a_compiler_that_has_come_since_sets_up_again(tmp_path: Path) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    stamps = []
    for compiler in ("no-such-compiler", "no-such-compiler", "sh"):
        make("-s", ".venv/.compiler", f"CC={compiler}", folder=tmp_path)
        stamp = tmp_path / ".venv" / ".compiler"
        stamps.append((stamp.read_text().strip(), stamp.stat().st_mtime_ns))
    assert stamps[0] == stamps[1], "nothing is newer, so nothing is set up"
    assert stamps[0][0] == "none"
    assert stamps[2][0] == shutil.which("sh")
    assert (
        ".venv/.compiler"
        in re.findall(r"^\.venv/\.run: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)[
            0
        ].split()
    )


@pytest.mark.usefixtures("makes")
def test_a_python_without_pip_or_venv_is_named_with_the_package(tmp_path: Path) -> None:
    """As Debian's is, until its package python3-venv is installed."""
    python = tmp_path / "python3"
    lacks_pip = (
        'case "$*" in "-m pip"*|"-m venv .venv") echo "ensurepip is not available"; exit 1;; esac'
    )
    python.write_text(f'#!/bin/sh\n{lacks_pip}\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    (tmp_path / "pyproject.toml").touch()
    shutil.copy(ROOT / "Makefile", tmp_path)
    done = make("run", f"PYTHON={python}", folder=tmp_path)
    assert done.returncode == 2
    assert "ensurepip is not available\n" in done.stderr, "what Python says is not hidden"
    assert "apt install python3-venv\n" in done.stderr


@pytest.fixture
def makes() -> None:
    """Skip the test where make is missing."""
    need("make")


def make(*words: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run make, also if it is make that runs the tests: its flags are not ours."""
    ours = {
        name: value
        for name, value in os.environ.items()
        if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")
    }
    return subprocess.run(
        ["make", *words],
        cwd=folder,
        env=ours,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_every_target_and_tool_that_a_text_names_is_there() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    tools = runpy.run_path(str(ROOT / "tests" / "tools" / "__main__.py"), run_name="tools")["TOOLS"]
    named = {"targets": set(), "tools": set()}
    for name in listed.split("\0"):
        if (
            name.endswith((".md", ".py", ".toml", ".yml", ".sh"))
            and name != "CHANGELOG.md"
            and (ROOT / name).is_file()
        ):
            text = (ROOT / name).read_text("utf-8")
            words = " ".join(TYPED.findall(text)).split()
            named["targets"] |= {(name, word) for word in words}
            named["tools"] |= {
                (name, word) for word in re.findall(r"-m tests\.tools ([a-z][a-z-]*)", text)
            }
    assert [place for place in sorted(named["targets"]) if place[1] not in RECIPES] == []
    assert [place for place in sorted(named["tools"]) if place[1] not in tools] == []
    assert len(named["targets"]) > 40
    assert len(named["tools"]) > 40
