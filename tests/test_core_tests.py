"""The core names no extension. Its tests and helpers need none: they name no module,
import no helper and type no command of one.

``tests/support/sides.py`` tells which are the core's.
"""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

import pytest
from parsed import IN_ONE_PROCESS
from sides import (
    COMMANDS,
    EXTENSIONS,
    OF_THE_CHECKOUT,
    PACKAGE,
    TESTS,
    TOGETHER,
    core_files,
    core_tests,
    extension_of,
)

pytestmark = IN_ONE_PROCESS

MODULE = re.compile(r"\bkhiva_arena(?:[./]\w+)+")
RUNS = ("arena", "arena_forked", "arena_process", "started", "Terminal")
"""The helpers that are given the words of a command."""
ELSEWHERE = "test_core_tests.py"
"""The file that names modules of extensions so that no other file of the core does."""


def helpers_of_extensions() -> set[str]:
    return {file.stem for folder in TOGETHER for file in (TESTS / folder).rglob("support/*.py")}


def needs(tree: ast.AST, helpers: set[str]) -> Iterator[str]:
    """Yield what a file needs of an extension: modules that it imports anywhere or
    names in a string, helpers, and commands.
    """
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (
                    alias.name
                    for alias in names
                    if extension_of(alias.name) or alias.name in helpers
                )
            case ast.ImportFrom(module=str(module), names=names):
                named = [f"{module}.{alias.name}" for alias in names]
                yield from (name for name in named if extension_of(name) or module in helpers)
            case ast.Constant(value=str(text)):
                named = [
                    word.removesuffix(".py").replace("/", ".") for word in MODULE.findall(text)
                ]
                yield from (name for name in named if extension_of(name))
            case ast.Call(func=function, args=[ast.Constant(value=str(word)), *_]):
                if ast.unparse(function) in RUNS and word in COMMANDS:
                    yield f"khiva-arena {word}"
            case ast.List(elts=words):
                texts = [ast.unparse(one).strip("'") for one in words]
                yield from (
                    f"khiva-arena {word}"
                    for name, word in pairwise(texts)
                    if name == "khiva_arena" and word in COMMANDS
                )


@pytest.mark.slow
def test_a_file_of_the_core_needs_no_extension() -> None:
    helpers = helpers_of_extensions()
    assert "made_league" in helpers
    files = [file for file in core_files() if str(file.relative_to(TESTS)) != ELSEWHERE]
    assert len(files) > 500
    found = {
        file: sorted(set(needs(ast.parse(file.read_text("utf-8")), helpers))) for file in files
    }
    assert {str(file.relative_to(TESTS)): names for file, names in found.items() if names} == {}


def test_no_file_of_the_core_holds_the_name_of_a_module_of_an_extension() -> None:
    files = [
        file for file in PACKAGE.rglob("*.py") if not file.is_relative_to(PACKAGE / "extensions")
    ]
    assert len(files) > 400
    assert [
        str(file.relative_to(PACKAGE)) for file in files if "extensions." in file.read_text("utf-8")
    ] == []


def test_each_extension_has_tests_and_each_file_of_the_checkout_is_there() -> None:
    assert {folder.name for folder in (TESTS / "extensions").iterdir() if folder.is_dir()} - {
        "__pycache__"
    } == set(EXTENSIONS)
    assert [folder for folder in TOGETHER if not (TESTS / folder).is_dir()] == []
    assert [name for name in OF_THE_CHECKOUT if not (TESTS / name).is_file()] == []
    assert len(core_tests()) > 350


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import khiva_arena.extensions.league", ["khiva_arena.extensions.league"]),
        (
            "def late():\n    from khiva_arena.extensions.shards import plan",
            ["khiva_arena.extensions.shards.plan"],
        ),
        ("from khiva_arena.extensions import league", ["khiva_arena.extensions.league"]),
        ("from made_league import Shape", ["made_league.Shape"]),
        (
            'run([python, "-m", "khiva_arena.extensions.serve.watching"])',
            ["khiva_arena.extensions.serve.watching"],
        ),
        (
            'files("khiva_arena/extensions/own_games/template/game.py")',
            ["khiva_arena.extensions.own_games.template.game"],
        ),
        ('arena("merge", "one", "two")', ["khiva-arena merge"]),
        ('[python, "-m", "khiva_arena", "play", *bots]', ["khiva-arena play"]),
        ('sentence("merge", "not-complete")', []),
        ("from khiva_arena.display.page import write", []),
    ],
)
def test_what_is_found(source: str, found: list[str]) -> None:
    assert list(needs(ast.parse(source), {"made_league"})) == found
