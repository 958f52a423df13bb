"""The syntax trees of sources, each made once for all tests of a process that look at them."""

import ast
from functools import cache
from pathlib import Path

import pytest

IN_ONE_PROCESS = pytest.mark.xdist_group("source")
"""On each module of tests that reads the trees of the whole package, so that one process makes them."""


@cache
def tree_of(path: Path) -> ast.Module:
    """Return the syntax tree of a file, which nobody may change."""
    return ast.parse(path.read_text(encoding="utf-8"))
