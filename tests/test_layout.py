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


def room_of(name: str) -> str:
    """Return the room of a dotted name of the package: within a folder that is a
    heading, the part behind that.
    """
    parts = name.split(".")[1:]
    return ".".join(parts[:1] if not set(parts[:1]) & set(headings()) else parts[1:2])


def name_of(file: Path) -> str:
    return ".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(
        ".__init__"
    )


def rooms_imported_by(file: Path) -> Iterator[str]:
    for node in nodes_of(file):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        yield from (room_of(name) for name in names if name.startswith(f"{package}."))


def test_each_room_has_a_line_and_each_line_a_room() -> None:
    files = [
        path for pattern in ("*.py", "*/*.py", "*/*/__init__.py") for path in PACKAGE.glob(pattern)
    ]
    rooms_there = {
        room_of(name_of(file))
        for file in files
        if file.parent != PACKAGE or file.stem not in ("__init__", "__main__")
    }
    listed = [room for _, lines in headings().values() for room in lines]
    assert sorted(listed) == sorted(rooms_there - {"", "_shipped"}), (
        f"the docstring of {package}/__init__.py has a line a room"
    )


def test_each_folder_of_the_package_has_a_file() -> None:
    """A folder that has only compiled code left can still be imported; ``make`` removes
    it.
    """
    folders = [
        path
        for path in PACKAGE.rglob("*")
        if path.is_dir() and not {"__pycache__", "_shipped"} & set(path.parts)
    ]
    assert [
        folder
        for folder in folders
        if not any(file.is_file() and file.suffix != ".pyc" for file in folder.rglob("*"))
    ] == []


def test_a_room_imports_only_rooms_above_it_in_the_list() -> None:
    place = {room: number for number, room in enumerate(rooms())}
    files = [
        file
        for file in count_code.modules()
        if room_of(name_of(file)) in place and "template" not in file.parts
    ]
    arrows = [
        (file, room_of(name_of(file)), room)
        for file in files
        for room in rooms_imported_by(file)
        if room in place
    ]
    assert len(arrows) > 3_000
    assert [
        f"{file}: {room} imports {other}"
        for file, room, other in arrows
        if place[other] > place[room]
    ] == []


def test_contributing_has_the_headings_and_their_rooms() -> None:
    table = CONTRIBUTING.partition("| folder | what is in it | its rooms |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| (\w+) \| (.+) \| (.+) \|$", table, re.MULTILINE)
    assert [(name, phrase, names.split(", ")) for name, phrase, names in rows] == [
        (name, phrase, list(lines)) for name, (phrase, lines) in headings().items()
    ]
    assert len(rows) == 12


def test_each_module_begins_with_a_sentence_that_the_layout_prints() -> None:
    text = layout()
    for file in modules(PACKAGE):
        assert first_sentence(file), f"{file} has no docstring"
        assert f": {first_sentence(file)}\n" in text or file.parent in (
            PACKAGE,
            PACKAGE / "common",
        ), file


def test_contracts_stand_in_one_file() -> None:
    """Those in pyproject.toml would not be checked: lint-imports reads one file, and
    .importlinter comes first.
    """
    assert (
        "importlinter" not in tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text())["tool"]
    )
    assert "[importlinter]\n" in (PACKAGE.parent / ".importlinter").read_text()
