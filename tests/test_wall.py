"""The core imports no extension, so that an extension can be left out."""

import subprocess
from collections.abc import Iterator
from fnmatch import fnmatch

import grimp
import pytest
from arena import ROOT
from extensions import EXTENSIONS, extensions_of

PACKAGE = ROOT / "khiva_arena"
LIST = "khiva_arena.extensions"
"""The only module of the core that imports extensions: their rows."""
STILL: set[str] = set()
"""The imports that are left, each from a file of the core. A hook takes the place of each; no other may be added."""


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    """All imports of the package, also those in functions and those for types."""
    return grimp.build_graph("khiva_arena", cache_dir=None)


def files() -> list[str]:
    """The files of the package that git knows, below it."""
    listed = subprocess.run(["git", "ls-files", "-z", "."], cwd=PACKAGE, check=True, capture_output=True, text=True).stdout
    return [path for path in listed.split("\0") if path]


def path_of(module: str) -> str:
    """Return the path of a module below the package."""
    place = PACKAGE.joinpath(*module.split(".")[1:])
    return str((place / "__init__.py" if place.is_dir() else place.with_suffix(".py")).relative_to(PACKAGE))


def from_the_core(graph: grimp.ImportGraph) -> Iterator[str]:
    """Yield each import of an extension's file by one of the core, but for those of the list of extensions."""
    for module in sorted(graph.modules - {LIST}):
        if not extensions_of(path_of(module)):
            for imported in sorted(graph.find_modules_directly_imported_by(module)):
                if extensions_of(path_of(imported)):
                    yield f"{module} -> {imported}"


def test_each_file_belongs_to_the_core_or_to_one_extension() -> None:
    assert [path for path in files() if len(extensions_of(path)) > 1] == []


def test_each_file_that_an_extension_names_is_there() -> None:
    named = [pattern for patterns in EXTENSIONS.values() for pattern in patterns]
    assert [pattern for pattern in named if not any(fnmatch(path, pattern) for path in files())] == []


def test_a_file_in_a_new_room_belongs_to_nobody_yet() -> None:
    with pytest.raises(ValueError, match="the room parlour"):
        extensions_of("parlour/games.py")


def test_the_core_imports_no_extension(graph: grimp.ImportGraph) -> None:
    found = set(from_the_core(graph))
    assert sorted(found - STILL) == [], "imports of extensions by the core"
    assert sorted(STILL - found) == [], "not imported any more: remove these from STILL"


def test_the_list_of_extensions_imports_rows_only(graph: grimp.ImportGraph) -> None:
    imported = graph.find_modules_directly_imported_by(LIST)
    assert {name for name in imported if extensions_of(path_of(name)) and not name.endswith(".row")} == set()
