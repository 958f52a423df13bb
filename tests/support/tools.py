"""Tools that tests need beyond Python. Without one a test fails in CI, where .ci/run installs it, and elsewhere is skipped with
the reason."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import NoReturn

import pytest

from khiva_arena import shipped
from khiva_arena.entrants import interpreters

_only_python = False


def need(tool: str) -> None:
    """A program."""
    if not shutil.which(tool):
        lacks(f"{tool} is not on this machine")


@contextmanager
def only_of_python() -> Iterator[None]:
    """Around a test that is not marked ``language``, and so is not in the target in which other languages are. It finds no
    interpreter that this checkout has built, to compile which takes ten seconds: it goes as in a checkout that has built none."""
    global _only_python
    _only_python, built = True, interpreters._built
    interpreters._built = lambda: built().with_name("not-built")
    try:
        yield
    finally:
        _only_python, interpreters._built = False, built


def need_language(name: str) -> None:
    """All that the kit of a language needs."""
    assert name == "python" or not _only_python, f"mark this test: @pytest.mark.language, it needs {name}"
    if not _here(name):
        language = shipped.languages()[name]
        lacks(f"{language.title} is not on this machine ({shipped.remedy(language)})")


def need_module_tools(name: str) -> None:
    """All that makes a language's bots WebAssembly modules."""
    assert not _only_python, f"mark this test: @pytest.mark.language, it needs {name}"
    tools = shipped.languages()[name].module
    assert tools
    if shipped.lacks(tools):
        lacks(f"modules cannot be made of {name} on this machine ({shipped.remedy(tools)})")


@cache
def _here(name: str) -> bool:
    return shipped.is_here(shipped.languages()[name])


def lacks(why: str, *, may: bool = False) -> NoReturn:
    """End a test that cannot be made: in CI it fails, elsewhere it is skipped with the reason.

    may: CI's machine may lack it too.
    """
    text = f"NOT TESTED: {why}"
    if os.environ.get("CI") and not may:
        pytest.fail(text)
    pytest.skip(text)
