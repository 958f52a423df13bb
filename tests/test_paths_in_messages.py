"""No message, and no help, names a page by a path that exists in a checkout alone: who
has installed a wheel has no checkout.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from arena import ROOT
from parsed import IN_ONE_PROCESS, nodes_of

from khiva_arena.common import manual
from khiva_arena.common.address import ADDRESS

pytestmark = IN_ONE_PROCESS
PATH = re.compile(r"(?<![\w/:.])(?:docs|bots|protocol|results|khiva_arena)/[\w./-]+\.(?:md|py)\b")


def _documentation(nodes: tuple[ast.AST, ...]) -> set[ast.AST]:
    """The docstrings of modules, classes, functions and values, which nobody is
    shown.
    """
    return {
        one.value
        for one in nodes
        if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)
    }


def _texts(path: Path) -> Iterator[tuple[int, str]]:
    nodes = nodes_of(path)
    hidden = (
        set() if path.parent.name == "cli" else _documentation(nodes)
    )  # the docstring of a command is its help
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


def _named_pages() -> Iterator[tuple[str, str, str]]:
    """Yield the place, the key and the heading of every call of ``where`` in the
    package.
    """
    for path in sorted((ROOT / "khiva_arena").rglob("*.py")):
        if "khiva_arena.common.manual import where" not in path.read_text("utf-8"):
            continue
        for one in nodes_of(path):
            if (
                isinstance(one, ast.Call)
                and isinstance(one.func, ast.Name)
                and one.func.id == "where"
            ):
                words = [arg.value for arg in one.args if isinstance(arg, ast.Constant)]
                assert len(words) == len(one.args), (
                    f"{path}: a page is named by words, so that this test can follow them"
                )
                yield (
                    f"{path.relative_to(ROOT)}:{one.lineno}",
                    str(words[0]),
                    str(words[1]) if words[1:] else "",
                )


def test_every_page_and_heading_that_a_message_names_is_there() -> None:
    named = list(_named_pages())
    assert len(named) > 8
    absent = []
    for place, key, heading in named:
        file = ROOT / manual.files().get(key, "no page")
        headings = (
            re.findall(r"^#+ (.*)$", file.read_text("utf-8"), re.MULTILINE)
            if file.is_file()
            else []
        )
        if not headings or (heading and heading not in headings):
            absent.append((place, key, heading))
    assert absent == []


def test_a_message_names_a_page_by_its_file_or_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    path = ROOT / "docs" / "install.md"
    monkeypatch.setattr(manual, "ADDRESS", ADDRESS._replace(site=""))
    assert manual.where("install") == str(path)
    assert manual.where("install", "Windows: WSL2") == f'{path}, "Windows: WSL2"'
    monkeypatch.setattr(manual, "ADDRESS", ADDRESS._replace(site="https://example.org/khiva"))
    assert manual.where("install") == "https://example.org/khiva/docs/install.html"
    assert (
        manual.where("install", "Windows: WSL2")
        == "https://example.org/khiva/docs/install.html#windows-wsl2"
    )
