"""Count what the package is made of: ``python tests/support/count_code.py`` prints
files, lines of code and the largest parts.
"""

import ast
import io
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from parsed import nodes_of

PACKAGE = Path(__file__).parents[2] / "khiva_arena"
MANY = 7
"""Parameters from which on a function has many."""
_LAYOUT = (
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
)


class Counts(NamedTuple):
    """What the package is made of.

    files: how many modules.
    code: lines of Python without docstrings, comments and blank lines.
    tokens: on these lines, in the mean.
    width: of these lines, the 90th percentile in characters.
    longest: lines of the longest module, all counted.
    many: functions with ``MANY`` parameters or more, as module:function.
    """

    files: int
    code: int
    tokens: float
    width: int
    longest: int
    many: list[str]


def modules() -> list[Path]:
    """Return the modules of the package, without copies that a build puts beside
    them.
    """
    return [path for path in sorted(PACKAGE.rglob("*.py")) if "_shipped" not in path.parts]


def text_lines(nodes: tuple[ast.AST, ...]) -> set[int]:
    """Return the numbers of the lines of docstrings and other bare strings."""
    bare = (
        node
        for node in nodes
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    )
    strings = (
        node
        for node in bare
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    )
    return {
        line
        for node in strings
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }


def parameters(nodes: tuple[ast.AST, ...]) -> Iterator[tuple[str, int]]:
    """Yield each function with the number of its parameters, ``self`` and ``cls`` not
    counted.
    """
    methods = {id(child) for node in nodes if isinstance(node, ast.ClassDef) for child in node.body}
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            words = node.args
            names = [word.arg for word in (*words.posonlyargs, *words.args, *words.kwonlyargs)]
            bound = id(node) in methods and names[:1] in (["self"], ["cls"])
            yield (
                node.name,
                len(names) - bound + (words.vararg is not None) + (words.kwarg is not None),
            )


@cache
def count() -> Counts:
    """Return the counts of the package as it is."""
    code = tokens = longest = 0
    widths: list[int] = []
    many: list[str] = []
    for path in modules():
        text = path.read_text(encoding="utf-8")
        nodes, lines = nodes_of(path), text.splitlines()
        skipped, used = text_lines(nodes), set[int]()
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type not in _LAYOUT and token.start[0] not in skipped:
                tokens += 1
                used.update(range(token.start[0], token.end[0] + 1))
        code, longest = code + len(used), max(longest, len(lines))
        widths += [len(lines[number - 1]) for number in used]
        name = path.relative_to(PACKAGE).with_suffix("").as_posix()
        many += [f"{name}:{function}" for function, number in parameters(nodes) if number >= MANY]
    return Counts(
        len(modules()), code, tokens / code, sorted(widths)[len(widths) * 9 // 10], longest, many
    )


if __name__ == "__main__":
    counted = count()
    print(
        f"{counted.files} modules, {counted.code} lines of code, {counted.tokens:.2f} tokens a line"
    )
    print(
        f"nine lines in ten have at most {counted.width} characters; the longest module "
        f"has {counted.longest} lines"
    )
    print(
        f"{len(counted.many)} functions with {MANY} parameters or more:", *counted.many, sep="\n  "
    )
