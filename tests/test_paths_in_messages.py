"""No message, and no help, names a page by a path that exists in a checkout alone: who has installed a wheel has no checkout."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from arena import ROOT
from parsed import IN_ONE_PROCESS, nodes_of

pytestmark = IN_ONE_PROCESS
PATH = re.compile(r"(?<![\w/:.])(?:docs|bots|protocol|results|khiva_arena)/[\w./-]+\.(?:md|py)\b")


def _documentation(nodes: tuple[ast.AST, ...]) -> set[ast.AST]:
    """The docstrings of modules, classes, functions and values, which nobody is shown."""
    return {one.value for one in nodes if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)}


def _texts(path: Path) -> Iterator[tuple[int, str]]:
    nodes = nodes_of(path)
    hidden = set() if path.parent.name == "cli" else _documentation(nodes)  # the docstring of a command is its help
    for one in nodes:
        if isinstance(one, ast.Constant) and isinstance(one.value, str) and one not in hidden:
            yield one.lineno, one.value


def test_no_text_names_a_path_of_the_checkout() -> None:
    named = [
        (str(path.relative_to(ROOT)), line, match[0])
        for path in sorted((ROOT / "khiva_arena").rglob("*.py"))
        for line, text in _texts(path)
        if (match := PATH.search(text))
    ]
    assert named == []


def test_a_wheel_has_the_pages_that_messages_name() -> None:
    carried = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    pages = {
        match[1]
        for path in (ROOT / "khiva_arena").rglob("*.py")
        for match in re.finditer(r"folder\(['\"]docs['\"]\) / ['\"]([\w-]+\.md)", path.read_text("utf-8"))
    }
    assert len(pages) > 4
    assert {f"docs/{page}": f"khiva_arena/_shipped/docs/{page}" for page in pages}.items() <= carried.items()
