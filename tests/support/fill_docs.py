"""Fill docstrings and comments to the width that ``max-doc-length`` in pyproject.toml
sets.

    .venv/bin/python tests/support/fill_docs.py [FILE...]

Without a FILE, the script fills all tracked Python files that ruff checks. It touches
only a paragraph with a line that is too long. It keeps what is laid out by hand:
tables, commands, prompts, indented blocks. Before it writes a file, it compares the
code and all words with those of the file that it read.
"""

import ast
import io
import re
import subprocess
import sys
import textwrap
import tokenize
import tomllib
from collections.abc import Iterator
from inspect import cleandoc
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parents[2]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["ruff"]
WIDTH: int = SETTINGS["lint"]["pycodestyle"]["max-doc-length"]
LEFT_OUT: list[str] = SETTINGS["extend-exclude"]

ITEM = re.compile(r"(?:[-*] |\d+\. |\(\w\) )\s*")
"""A line that begins so is an item of a list."""
ENTRY = re.compile(r"`{0,2}[A-Za-z_][\w.*-]*`{0,2}(?:, `{0,2}[A-Za-z_][\w.*-]*`{0,2})*: ")
"""A line that begins so is an entry for a name, if the line before it is the end of
something.
"""
LAID_OUT = re.compile(r"\S  +\S|^\s*(?:>>>|\.\.\.|\||\+-|```|\.\. |\\b|:\w+)|::$|\\$")
"""A paragraph with such a line is kept."""
PRAGMA = re.compile(r"(?:noqa|type:|fmt:|ruff:|mypy:|pragma|pyright:|!|:)")
"""A comment that begins so is read by a tool."""
GLUE = "\0"
"""A space at which no line may end."""


def files() -> list[Path]:
    """Return the tracked Python files that ruff checks."""
    tracked = subprocess.run(
        ["git", "ls-files", "*.py"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.splitlines()
    found = [ROOT / name for name in tracked if not any(_is_in(name, out) for out in LEFT_OUT)]
    return [path for path in found if path.is_file()]


def _is_in(name: str, left_out: str) -> bool:
    return Path(name).is_relative_to(left_out.removesuffix("/*"))


def filled(source: str, width: int = WIDTH) -> str:
    """Return a module's ``source`` with its docstrings and comments filled to ``width``
    columns.

    Raises:
        ValueError: If anything but line ends would change.
    """
    lines = source.split("\n")
    for first, last, text in sorted(_texts(source, lines, width), reverse=True):
        lines[first:last] = text
    result = "\n".join(lines)
    if _words(result) != _words(source):
        raise ValueError("filling would change more than line ends")
    return result


def unwrapped(text: str) -> str:
    """Return a docstring with each paragraph, item and entry on one line."""
    return "\n".join(_fill(cleandoc(text).split("\n"), 0, sys.maxsize, 0, only_wide=False))


def _texts(source: str, lines: list[str], width: int) -> Iterator[tuple[int, int, list[str]]]:
    """Yield the new lines of each docstring and block of comments, with those they
    replace.
    """
    for first, last in _docstrings(source):
        if any(len(line) > width for line in lines[first:last]):
            yield first, last, _docstring(lines[first:last], width)
    for first, last in _comments(source, lines):
        if any(len(line) > width for line in lines[first:last]):
            yield first, last, _comment(lines[first:last], width)


def _docstrings(source: str) -> Iterator[tuple[int, int]]:
    """Yield the first line, from 0, and the one after the last of each string that is a
    statement.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            segment = ast.get_source_segment(source, node) or ""
            if isinstance(node.value.value, str) and re.match(r'r?"""', segment):
                yield node.lineno - 1, node.end_lineno or node.lineno


def _comments(source: str, lines: list[str]) -> Iterator[tuple[int, int]]:
    """Yield the lines of each block of comments that have their lines to themselves."""
    alone = [
        token.start
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT and not token.line[: token.start[1]].strip()
    ]
    free = [at for at in alone if not PRAGMA.match(lines[at[0] - 1].strip("# "))]
    begin = 0
    for index, (here, after) in enumerate(pairwise([*free, (0, 0)])):
        if after != (here[0] + 1, here[1]):
            yield free[begin][0] - 1, here[0]
            begin = index + 1


def _docstring(lines: list[str], width: int) -> list[str]:
    """Return the lines of one docstring, filled."""
    text = "\n".join(lines)
    head = re.match(r'(\s*)r?"""', text)
    assert head is not None
    indent, opening = head[1], head[0]
    body = text.removeprefix(opening).rstrip().removesuffix('"""')
    inside = [indent + line if not at else line for at, line in enumerate(body.split("\n"))]
    if not inside[-1].strip():
        inside.pop()
    # The opening quotes take room in the first line only.
    quotes = len(opening) - len(indent)
    new = _fill(inside, len(indent), width, quotes)
    if len(new) == 1 and len(new[0]) + quotes + 3 > width:
        new = _fill(inside, len(indent), width - 3, quotes)
    new[0] = opening + new[0].strip()
    return [new[0] + '"""'] if len(new) == 1 else [*new, f'{indent}"""']


def _comment(lines: list[str], width: int) -> list[str]:
    """Return the lines of one block of comments, filled."""
    indent = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
    inside = [line.strip().removeprefix("#").removeprefix(" ") for line in lines]
    new = _fill(inside, 0, width - len(indent) - 2, 0)
    return [f"{indent}# {line}".rstrip() for line in new]


def _fill(
    lines: list[str], base: int, width: int, quotes: int, *, only_wide: bool = True
) -> list[str]:
    """Fill the paragraphs that have a line wider than ``width``, or all.

    Args:
        lines: the text, each line with its indentation.
        base: the columns by which the text is indented. A paragraph that begins farther
            to the right is kept.
        width: columns.
        quotes: columns that the first line has before its text.
    """
    new: list[str] = []
    for paragraph in _paragraphs(lines):
        room = quotes if not new else 0
        wide = any(len(line) + room * (not at) > width for at, line in enumerate(paragraph))
        kept = any(LAID_OUT.search(line) for line in paragraph) or _indent(paragraph[0]) > base
        if (wide or not only_wide) and not kept and paragraph[0].strip():
            named = bool(new) and ENTRY.match(paragraph[0].strip()) is not None
            new += _units(paragraph, width, room, named=named)
        else:
            new += paragraph
    return new


def _paragraphs(lines: list[str]) -> Iterator[list[str]]:
    """Yield the paragraphs and, each as one, the empty lines between them."""
    paragraph: list[str] = []
    for line in lines:
        if line.strip():
            paragraph.append(line)
            continue
        if paragraph:
            yield paragraph
        paragraph = []
        yield [line]
    if paragraph:
        yield paragraph


def _units(paragraph: list[str], width: int, room: int, *, named: bool) -> Iterator[str]:
    """Yield the lines of a paragraph, each of its items and entries filled for itself.

    room: columns that the first line has before its text.
    named: True if the paragraph is a list of entries.
    """
    at = 0
    while at < len(paragraph):
        first = paragraph[at]
        is_entry = _is_entry(paragraph, at, named)
        hanging = _hanging(paragraph, at, is_entry)
        goes_on = {hanging, _indent(first)} if is_entry else {hanging}
        end = at + 1
        while end < len(paragraph) and _indent(paragraph[end]) in goes_on:
            if ITEM.match(paragraph[end].strip()) or _is_entry(paragraph, end, named):
                break
            end += 1
        words = " ".join(line.strip() for line in paragraph[at:end])
        yield from _wrapped(words, width, _indent(first), hanging, 0 if at else room)
        at = end


def _hanging(paragraph: list[str], at: int, is_entry: bool) -> int:
    """Return the indentation of the lines that go on with the unit of line ``at``."""
    indent = _indent(paragraph[at])
    after = paragraph[at + 1] if at + 1 < len(paragraph) else ""
    if item := ITEM.match(paragraph[at].strip()):
        return indent + len(item[0])
    if _indent(after) > indent and not paragraph[at].rstrip().endswith(":"):
        return _indent(after)
    return indent + 4 if is_entry else indent


def _is_entry(paragraph: list[str], at: int, named: bool) -> bool:
    """Say whether line ``at`` begins an entry, ``name: words``.

    In a list of entries each line like it does, as far to the left as the first.
    Elsewhere the line before has to be the end of something.
    """
    if ENTRY.match(paragraph[at].strip()) is None:
        return False
    if named:
        return _indent(paragraph[at]) == _indent(paragraph[0])
    return at > 0 and paragraph[at - 1].rstrip().endswith((".", ":"))


def _wrapped(words: str, width: int, indent: int, hanging: int, room: int) -> list[str]:
    """Wrap ``words`` so that no later line begins as an item, an entry or a pragma
    would.
    """
    while True:
        new = textwrap.wrap(
            words,
            width,
            initial_indent=" " * (indent + room),
            subsequent_indent=" " * hanging,
            break_long_words=False,
            break_on_hyphens=False,
        )
        wrong = [at for at in range(1, len(new)) if _misleads(new[at - 1], new[at].strip())]
        if not wrong:
            return [
                (line[room:] if not at else line).replace(GLUE, " ") for at, line in enumerate(new)
            ]
        before = " ".join(line.strip() for line in new[: wrong[0]])
        words = before + GLUE + words[len(before) + 1 :]
        if before.count(GLUE) > len(words) // 2:
            raise ValueError(f"no place to end a line: {words}")


def _misleads(before: str, line: str) -> bool:
    entry = before.endswith((".", ":")) and ENTRY.match(line) is not None
    return entry or any(found.match(line) for found in (ITEM, PRAGMA, LAID_OUT))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _words(source: str) -> tuple[str, list[str]]:
    """Return the code with the white space of docstrings made one, and the words of
    comments.
    """
    tree = ast.parse(source)
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Expr) else None
        if isinstance(text, ast.Constant) and isinstance(text.value, str):
            text.value = " ".join(text.value.split())
    comments = [
        word
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
        for word in token.string.removeprefix("#").split()
    ]
    return ast.dump(tree), comments


def main() -> None:
    """Fill the files named, or all."""
    for path in map(Path, sys.argv[1:]) if sys.argv[1:] else files():
        source = path.read_text()
        try:
            new = filled(source)
        except ValueError as wrong:
            sys.exit(f"{path}: {wrong}")
        if new != source:
            path.write_text(new)


if __name__ == "__main__":
    main()
