"""One word for one concept: pages, help and messages use none of the words that the
glossary's table "Use these words" replaces.

The second column of the table holds words and phrases between commas: whole words, in
any case, with or without a plural's s. ``N`` is any number. A remark in brackets is for
readers, but ``in pages`` in it leaves messages out. A place where such a word is right
is a line of words_allowed.toml. Words in capitals, such as STORE, are arguments of
commands.
"""

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from arena import ROOT
from cases import cases
from parsed import IN_ONE_PROCESS, nodes_of

pytestmark = [pytest.mark.slow, IN_ONE_PROCESS]
PAGES = (
    "README.md",
    "SECURITY.md",
    "docs/**/*.md",
    "bots/*.md",
    "bots/*/README.md",
    "results/*.md",
)
TABLE = "## Use these words"
CODE = re.compile(
    r"\s*(?:SELECT|INSERT|UPDATE|DELETE|PRAGMA|CREATE|DROP|ATTACH|WITH|BEGIN|ALTER|import|from|def|class)\b"
)
"""How a text begins that is a program: SQL or Python."""


@cache
def allowed() -> dict[str, dict[str, list[str]]]:
    """Return the places where such words are right: of pages and of messages, by
    file.
    """
    return tomllib.loads((ROOT / "tests" / "words_allowed.toml").read_text("utf-8"))


def rows_of(glossary: str) -> list[tuple[str, re.Pattern[str], bool]]:
    """Return each word that is not used, with the word to use, its pattern, and whether
    messages are searched for it, too.
    """
    table = glossary.partition(f"{TABLE}\n")[2].partition("\n## ")[0]
    cells = [
        [cell.strip() for cell in line.strip("| ").split("|")]
        for line in table.splitlines()
        if line.startswith("|")
    ]
    rows = []
    for use, not_used, *_ in cells[2:]:
        for phrase in re.split(r",\s*", not_used):
            bare, _, remark = phrase.partition(" (")
            words = [r"\d[\d,]*" if word == "N" else re.escape(word) for word in bare.split()]
            text = r"(?<![\w-])" + r"\s+".join(words) + r"s?(?![\w-]|\.\w)"
            rows.append(
                (f"{bare}: say {use}", re.compile(text, re.IGNORECASE), "in pages" not in remark)
            )
    return rows


@cache
def rows() -> list[tuple[str, re.Pattern[str], bool]]:
    return rows_of((ROOT / "docs" / "glossary.md").read_text("utf-8"))


def prose(page: str) -> str:
    """Return a page with blanks instead of blocks and pieces of code, comments, targets
    of links, and the table.
    """

    def blank(found: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", found[0])

    for pattern in (
        rf"^{TABLE}\n.*?(?=^## |\Z)",
        r"^ *(```+).*?^ *\1",
        r"<!--.*?-->",
        r"(`+)(?!`).*?(?<!`)\1(?!`)",
        r"(?<=\])\([^)]*\)",
        r"\bhttps?://\S+",
    ):
        page = re.sub(pattern, blank, page, flags=re.MULTILINE | re.DOTALL)
    return page


def _piece(text: str) -> re.Pattern[str]:
    """Return the pattern of a piece of text that is allowed; of one word, its plural,
    too.
    """
    return re.compile(r"\s+".join(map(re.escape, text.split())) + "s?", re.IGNORECASE)


def _told(file: str, kind: str, text: str, first: int, is_page: bool) -> Iterator[tuple[str, str]]:
    """Yield each place with such a word, and the exception that allows it, "" if none
    does.
    """
    free = allowed()[kind].get(file, []) + allowed()[kind].get("*", [])
    spans = [(one, found.span()) for one in free for found in _piece(one).finditer(text)]
    for words, pattern, everywhere in rows():
        for found in pattern.finditer(text) if everywhere or is_page else ():
            if found[0].isupper():
                continue
            start, end = found.span()
            line = first + text[:start].count("\n")
            around = " ".join(text[max(0, start - 40) : end + 30].split())
            excuse = next(
                (one for one, (begins, ends) in spans if begins <= start and end <= ends), ""
            )
            yield f"{file}:{line}: {words}: ... {around}", excuse


def in_pages() -> Iterator[tuple[str, str]]:
    for path in sorted({path for room in PAGES for path in ROOT.glob(room)}):
        if "_build" not in path.parts:
            yield from _told(
                str(path.relative_to(ROOT)), "pages", prose(path.read_text("utf-8")), 1, True
            )


def in_messages() -> Iterator[tuple[str, str]]:
    """Those of the package in Python, and the help of commands."""
    for path in sorted((ROOT / "khiva_arena").rglob("*.py")):
        file = str(path.relative_to(ROOT))
        if not any(path.match(one) for one in allowed()["messages"]["released"]):
            for line, text in _texts(path):
                yield from _told(file, "messages", text, line, False)


def _texts(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the texts of a file that a user may be shown, with a number in place of
    each value in them.
    """
    nodes = nodes_of(path)
    hidden = {
        id(one.value)
        for one in nodes
        if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)
    }
    hidden |= {id(part) for one in nodes if isinstance(one, ast.JoinedStr) for part in one.values}
    commands = [
        one
        for one in nodes
        if isinstance(one, ast.FunctionDef) and any(map(_makes_a_command, one.decorator_list))
    ]
    hidden -= {
        id(one.body[0].value) for one in commands if isinstance(one.body[0], ast.Expr)
    }  # its docstring is its help
    for one in nodes:
        match one:
            case ast.JoinedStr(values=values):
                text = "".join(
                    str(part.value) if isinstance(part, ast.Constant) else "1" for part in values
                )
            case ast.Constant(value=str(text)) if id(one) not in hidden:
                pass
            case _:
                continue
        if " " in text.strip() and not CODE.match(text):
            yield one.lineno, text


def _makes_a_command(decorator: ast.expr) -> bool:
    """Tell whether a decorator is ``click.command(...)``, that of a group, or of one of
    its verbs.
    """
    made = decorator.func if isinstance(decorator, ast.Call) else decorator
    if isinstance(made, ast.Name):
        return made.id == "verb"
    return isinstance(made, ast.Attribute) and made.attr in ("command", "group")


def test_the_help_of_every_command_is_read() -> None:
    """Wherever its file is: an extension keeps commands in files of other names."""
    for file in (
        "interface/cli/run.py",
        "extensions/seats/play_options.py",
        "extensions/league/cli/league.py",
    ):
        path = ROOT / "khiva_arena" / file
        texts = {text for _, text in _texts(path)}
        helps = [
            ast.get_docstring(one, clean=False)
            for one in nodes_of(path)
            if isinstance(one, ast.FunctionDef)
        ]
        assert any(text in texts for text in helps if text), file


def test_pages_use_the_words_of_the_glossary() -> None:
    assert len(rows()) > 10
    places = [place for place, excuse in in_pages() if not excuse]
    assert not places, f"{len(places)} places\n" + "\n".join(places)


def test_messages_and_help_use_the_words_of_the_glossary() -> None:
    places = [place for place, excuse in in_messages() if not excuse]
    assert not places, f"{len(places)} places\n" + "\n".join(places)


def test_every_exception_is_needed() -> None:
    for kind, found in (("pages", in_pages()), ("messages", in_messages())):
        used = {(place.partition(":")[0], excuse) for place, excuse in found}
        used |= {("*", excuse) for _, excuse in used}
        given = [
            (file, one)
            for file, ones in allowed()[kind].items()
            if file != "released"
            for one in ones
        ]
        assert [(file, one) for file, one in given if (file, one) not in used] == [], (
            f"{kind}: no such place needs these"
        )
    assert all(list(ROOT.glob(one)) for one in allowed()["messages"]["released"])


@cases(
    ("text", "found"),
    [
        ("Two cells, an excellent\nCELL.", 2),
        ("some 39 bots, some bots", 1),
        ("your\n  word is kept", 1),
        ("`cell` and [a](cell.md) <!-- cell -->\n```\ncell\n```\n", 0),
        ("a shop, a shopkeeper", 1),
    ],
)
def test_a_word_is_found_in_prose(text: str, found: int) -> None:
    table = f"{TABLE}\nSay:\n\n| use | do not use | for |\n|---|---|---|\n"
    table += (
        "| sandbox | cell | walls |\n| about N | some N | |\n| consent | your word, shop (in "
        "pages) | |\n\n## More\n"
    )
    assert [everywhere for _, _, everywhere in rows_of(table)] == [True, True, True, False]
    assert (
        sum(len(pattern.findall(prose(table + text))) for _, pattern, _ in rows_of(table)) == found
    )
