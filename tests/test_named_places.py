"""Every module, name and file of the package that a text names is there.

Programs find much by a string: child processes, package data, the modules that the page
holds. A move breaks such a string in silence, since neither an import nor a type
checker reads it.
"""

import ast
import re
import subprocess
from functools import cache
from pathlib import Path

import pytest
from arena import ROOT

READ = (
    "khiva_arena",
    "protocol",
    ".ci",
    ".github",
    "interpreters",
    "docs",
    "tests",
    "bots",
    "*.md",
    "Makefile",
    "pyproject.toml",
    ".importlinter",
)
"""Where names are looked for, among the files that git knows."""
KEPT = (
    "tests/published/",
    "CHANGELOG.md",
    "khiva_arena/records/store/schema.sql",
    "tests/test_named_places.py",
)
"""Files that name what was there in older versions, the tables of a store, whose text
stays, and this one.
"""
DOTTED = re.compile(r"(?<![\w./-])khiva_arena((?:\.\w+)+)(?![\w{*-]|\.\{|/)")
PATH = re.compile(r"(?<![\w.-])khiva_arena(?:/[\w.*-]+)+(?![\w{])")
BUILT = re.compile(r"khiva_arena/_shipped(?:/|$)|.*/(?:NAME|GAME)\b")
"""Paths that only a wheel has, and those with a word that a reader replaces."""
OF_ITS_PACKAGE = re.compile(r"\{__package__\}\.(\w+)")
"""A module that a file names by the package that both lie in."""
MADE_UP = ("khiva_arena.no_such_name",)
"""Names that tests want not to be there."""


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    """Each text file that may name a place, by its path."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", *READ], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    found = {}
    for name in listed.split("\0"):
        if name and not name.startswith(KEPT) and (ROOT / name).is_file():
            try:
                found[name] = (ROOT / name).read_text("utf-8")
            except UnicodeDecodeError:  # a picture, an archive
                continue
    return found


def test_every_module_that_a_text_names_is_there(texts: dict[str, str]) -> None:
    named = {(name, match[0]) for name, text in texts.items() for match in DOTTED.finditer(text)}
    absent = sorted(
        f"{name}: {word}"
        for name, word in named
        if word not in MADE_UP and not is_there(tuple(word.split(".")))
    )
    assert not absent


def test_every_module_that_is_named_by_its_package_is_there(texts: dict[str, str]) -> None:
    """Child programs have such names: ``f"{__package__}.hub"``."""
    named = [
        (name, word)
        for name, text in texts.items()
        for word in OF_ITS_PACKAGE.findall(text)
        if name.endswith(".py")
    ]
    assert len(named) > 3
    assert [
        place for place in named if not (ROOT / place[0]).with_name(f"{place[1]}.py").is_file()
    ] == []


def test_every_file_that_a_text_names_is_there(texts: dict[str, str]) -> None:
    named = {
        (name, match[0].rstrip("."))
        for name, text in texts.items()
        for match in PATH.finditer(text)
    }
    absent = sorted(
        f"{name}: {path}"
        for name, path in named
        if not BUILT.match(path) and not (any(ROOT.glob(path)) or any(ROOT.glob(f"{path}.md")))
    )
    assert not absent


@pytest.mark.parametrize(
    ("word", "is_one"),
    [
        ("khiva_arena.errors.ConfigError", True),
        ("khiva_arena.match", True),
        ("khiva_arena.env.aec", True),
        ("khiva_arena.records.store.db", True),
        ("khiva_arena.records.store.dbs", False),
        ("khiva_arena.errors.ConfigErrors", False),
    ],
)
def test_what_is_taken_for_a_name(word: str, is_one: bool) -> None:
    assert is_there(tuple(word.split("."))) is is_one


def is_there(parts: tuple[str, ...]) -> bool:
    """Tell whether there is a module of these parts, or one that binds the name behind
    it.
    """
    place, rest = ROOT / parts[0], list(parts[1:])
    while rest and (place / rest[0]).is_dir():
        place /= rest.pop(0)
    if not rest:
        return True
    module = place / f"{rest[0]}.py"
    if module.is_file():
        return len(rest) == 1 or rest[1] in names_in(module)
    return rest[0].startswith("__") or rest[0] in names_in(place / "__init__.py")


@cache
def names_in(file: Path) -> frozenset[str]:
    """Return the names that a module binds or imports anywhere, and of a package also
    the words of its tables of late imports.
    """
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))) if file.is_file() else ():
        match node:
            case (
                ast.ClassDef(name=name)
                | ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
            ):
                names.add(name)
            case ast.alias(name=name, asname=asname):
                names.add(asname or name)
            case ast.Name(id=name, ctx=ast.Store()):
                names.add(name)
            case ast.Constant(value=str(word)) if file.name == "__init__.py":
                names.add(word)
    return frozenset(names)


def test_every_module_that_is_named_within_a_package_is_there() -> None:
    """Programs are started, and games found, as ``f"{__package__}.name"``, which a move
    of the folder does not break.
    """
    absent, found = [], 0
    for file in sorted((ROOT / "khiva_arena").rglob("*.py")):
        origins = {"__package__": file.parent}
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            match node:
                case ast.ImportFrom(module=str(origin)):
                    places = {
                        alias.asname or alias.name: f"{origin}.{alias.name}" for alias in node.names
                    }
                    origins |= {
                        f"{name}.__name__": ROOT.joinpath(*place.split("."))
                        for name, place in places.items()
                    }
                case ast.JoinedStr(
                    values=[ast.FormattedValue(value=whole), ast.Constant(value=str(rest))]
                ):
                    if rest.startswith(".") and (folder := origins.get(ast.unparse(whole))):
                        found += 1
                        absent += [f"{file}: {rest}"] * (not (folder / f"{rest[1:]}.py").is_file())
    assert absent == []
    assert found >= 8


def test_every_folder_of_which_git_ignores_files_is_there() -> None:
    ignored = [
        line
        for line in (ROOT / ".gitignore").read_text().splitlines()
        if line.startswith("khiva_arena/")
    ]
    assert ignored
    assert not [line for line in ignored if not (ROOT / line).parent.is_dir()]
