"""Write docs/layout.md from the first sentence of each module: ``make layout``."""

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "khiva_arena"
PAGE = ROOT / "docs" / "layout.md"
_ROOM = re.compile(r"^    (\w+) +(.+)$", re.MULTILINE)
_HEAD = """# Layout

Where each thing of the package stands, for whoever changes it. A room imports only rooms above it on this page. `make layout`
writes this page from the first sentence of each module; the line of a room is in `khiva_arena/__init__.py`.
"""


def docstring(file: Path) -> str:
    """Return the docstring of a module, "" if it has none."""
    return ast.get_docstring(ast.parse(file.read_text())) or ""


def first_sentence(file: Path) -> str:
    """Return the first sentence of a module's docstring, on one line, without its last full stop."""
    paragraph = " ".join(docstring(file).partition("\n\n")[0].split())
    return re.split(r"(?<=[^.])\.(?: |$)", paragraph, maxsplit=1)[0]


def rooms() -> dict[str, str]:
    """Return the line of each room, from the bottom up, as the package's docstring has them."""
    return dict(_ROOM.findall(docstring(PACKAGE / "__init__.py")))


def modules(folder: Path) -> list[Path]:
    """Return the modules in a folder of the package in alphabetical order; folders within it follow."""
    own = sorted(file for file in folder.glob("*.py") if file.name not in ("__init__.py", "__main__.py"))
    inner = sorted(path for path in folder.iterdir() if (path / "__init__.py").exists())
    return own + [file for path in inner for file in modules(path)]


def section(room: str, line: str) -> str:
    """Return the part of the page on one room, which is a folder of modules or a single module."""
    folder = PACKAGE / room
    if not folder.is_dir():
        return f"\n## {room}.py\n\n{line[0].upper()}{line[1:]}.\n"
    rows = [f"- `{file.relative_to(folder).with_suffix('').as_posix()}`: {first_sentence(file)}" for file in modules(folder)]
    return f"\n## {room}/\n\n{line[0].upper()}{line[1:]}.\n\n" + "\n".join(rows) + "\n"


def layout() -> str:
    """Return the whole page."""
    return _HEAD + "".join(section(room, line) for room, line in rooms().items())


if __name__ == "__main__" and "--write" in sys.argv:
    PAGE.write_text(layout())
