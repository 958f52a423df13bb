"""The rooms of the package, their headings, and what prints them agree."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import count_code
from make_layout import PACKAGE, first_sentence, headings, layout, modules, rooms
from parsed import IN_ONE_PROCESS, nodes_of

from khiva_arena import __name__ as package

pytestmark = IN_ONE_PROCESS
CONTRIBUTING = (PACKAGE.parent / "CONTRIBUTING.md").read_text()


def room_of(file: Path) -> str:
    return file.relative_to(PACKAGE).parts[0].removesuffix(".py")


def rooms_imported_by(file: Path) -> Iterator[str]:
    for node in nodes_of(file):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        yield from (name.split(".")[1] for name in names if name.startswith(f"{package}."))


def test_each_room_has_a_line_and_each_line_a_room() -> None:
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    files = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__", "__main__"}
    listed = [room for _, lines in headings().values() for room in lines]
    assert sorted(listed) == sorted(folders | files), f"the docstring of {package}/__init__.py has a line a room"


def test_a_room_imports_only_rooms_above_it_in_the_list() -> None:
    place = {room: number for number, room in enumerate(rooms())}
    files = [file for file in count_code.modules() if room_of(file) in place and "template" not in file.parts]
    arrows = [(file, room_of(file), room) for file in files for room in rooms_imported_by(file) if room in place]
    assert len(arrows) > 3_000
    assert [f"{file}: {room} imports {other}" for file, room, other in arrows if place[other] > place[room]] == []


def test_contributing_has_the_headings_and_their_rooms() -> None:
    table = CONTRIBUTING.partition("| heading |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| (\w+) \| (.+) \| (.+) \|$", table, re.MULTILINE)
    assert [(name, phrase, names.split(", ")) for name, phrase, names in rows] == [
        (name, phrase, list(lines)) for name, (phrase, lines) in headings().items()
    ]
    assert len(rows) == 11


def test_each_module_begins_with_a_sentence_that_the_layout_prints() -> None:
    text = layout()
    for file in modules(PACKAGE):
        assert first_sentence(file), f"{file} has no docstring"
        assert f": {first_sentence(file)}\n" in text or file.parent == PACKAGE, file


def test_contracts_stand_in_one_file() -> None:
    """Those in pyproject.toml would not be checked: lint-imports reads one file, and .importlinter comes first."""
    assert "importlinter" not in tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text())["tool"]
    assert "[importlinter]\n" in (PACKAGE.parent / ".importlinter").read_text()
