"""The syntax trees of sources, each made once for all tests of a process that look at
them.
"""

import ast
import gc
from functools import cache
from pathlib import Path

import pytest

IN_ONE_PROCESS = pytest.mark.xdist_group("source")
"""On each module of tests that reads the trees of the whole package, so that one
process makes them.
"""


@cache
def tree_of(path: Path) -> ast.Module:
    """Return the syntax tree of a file, which nobody may change. The garbage collector
    would go through all trees that are there again and again, for two thirds of the
    time.
    """
    gc.disable()
    try:
        return ast.parse(path.read_text(encoding="utf-8"))
    finally:
        gc.enable()


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """Return all nodes of the syntax tree of a file."""
    return tuple(ast.walk(tree_of(path)))
