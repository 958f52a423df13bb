"""Tools that tests need beyond Python. Without one a test fails in CI, where .ci/run installs it, and elsewhere is skipped with
the reason."""

import os
import shutil
from functools import cache

import pytest

from khiva_arena import shipped


def need(tool: str) -> None:
    """A program."""
    if not shutil.which(tool):
        _lacks(tool)


def need_language(name: str) -> None:
    """All that the kit of a language needs."""
    if not _here(name):
        language = shipped.languages()[name]
        _lacks(f"{language.title} ({shipped.remedy(language)})")


@cache
def _here(name: str) -> bool:
    return shipped.here(shipped.languages()[name])


def _lacks(what: str) -> None:
    text = f"NOT TESTED: {what} is not on this machine"
    if os.environ.get("CI"):
        pytest.fail(text)
    pytest.skip(text)
