"""The rooms of the package, its modules and the page that lists them agree."""

from make_layout import PACKAGE, PAGE, first_sentence, layout, modules, rooms

from khiva_arena import __name__ as package


def test_each_room_has_a_line_and_each_line_a_room() -> None:
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    files = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__", "__main__"}
    assert set(rooms()) == folders | files, f"the docstring of {package}/__init__.py has a line a room"


def test_each_module_begins_with_a_sentence() -> None:
    assert [str(file) for file in modules(PACKAGE) if not first_sentence(file)] == []


def test_the_page_says_what_the_modules_say() -> None:
    assert PAGE.read_text() == layout(), "`make layout` writes docs/layout.md again"
