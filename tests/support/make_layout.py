"""Print the layout of the package, with the first sentence of each module."""

import argparse
import ast
import re
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "khiva_arena"
_HEADING = re.compile(r"^(\w+) \((.+)\)$", re.MULTILINE)
_ROOM = re.compile(r"^    (\w+) +(.+)$", re.MULTILINE)


@cache
def docstring(file: Path) -> str:
    """Return the docstring of a module, "" if it has none."""
    return ast.get_docstring(ast.parse(file.read_text())) or ""


def first_sentence(file: Path) -> str:
    """Return the first sentence of a module's docstring, on one line, without its last
    full stop.
    """
    paragraph = " ".join(docstring(file).partition("\n\n")[0].split())
    return re.split(r"(?<=[^.])\.(?: |$)", paragraph, maxsplit=1)[0]


def headings() -> dict[str, tuple[str, dict[str, str]]]:
    """Return each heading of rooms, from the bottom up: a phrase about it, and its
    rooms with their lines.

    The package's docstring has them.
    """
    _, *parts = _HEADING.split(docstring(PACKAGE / "__init__.py"))
    return {
        name: (phrase, dict(_ROOM.findall(rooms)))
        for name, phrase, rooms in zip(*[iter(parts)] * 3, strict=True)
    }


def rooms() -> dict[str, str]:
    """Return the line of each room, from the bottom up."""
    return {room: line for _, lines in headings().values() for room, line in lines.items()}


def modules(folder: Path) -> list[Path]:
    """Return the modules in a folder of the package in alphabetical order; folders
    within it follow.
    """
    own = sorted(
        file for file in folder.glob("*.py") if file.name not in ("__init__.py", "__main__.py")
    )
    inner = sorted(path for path in folder.iterdir() if (path / "__init__.py").exists())
    return own + [file for path in inner for file in modules(path)]


def place_of(heading: str, room: str) -> Path:
    """Return the folder or the module of a room: in the folder of its heading, or in
    the package itself.
    """
    inner, own = PACKAGE / heading / room, PACKAGE / room
    return next(
        path
        for path in (inner, inner.with_suffix(".py"), own, own.with_suffix(".py"))
        if path.exists()
    )


def section(heading: str, room: str, line: str) -> str:
    """Return the part of the layout on one room, which is a folder of modules or a
    single module.
    """
    place = place_of(heading, room)
    name = place.relative_to(PACKAGE).as_posix()
    if not place.is_dir():
        return f"\n### {name}\n\n{line[0].upper()}{line[1:]}.\n"
    rows = [
        f"- `{file.relative_to(place).with_suffix('').as_posix()}`: {first_sentence(file)}"
        for file in modules(place)
    ]
    return f"\n### {name}/\n\n{line[0].upper()}{line[1:]}.\n\n" + "\n".join(rows) + "\n"


def layout() -> str:
    """Return the whole text, in Markdown."""
    text = "# Layout\n\nA room imports only rooms above it here.\n"
    for heading, (phrase, lines) in headings().items():
        text += f"\n## {heading}: {phrase}\n" + "".join(
            section(heading, room, line) for room, line in lines.items()
        )
    return text


if __name__ == "__main__":
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    print(layout(), end="")
