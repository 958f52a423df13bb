"""Tests of every language that has a kit: one worker builds and plays all of a language, so that nothing is built twice."""

from collections.abc import Iterable

import pytest

from khiva_arena import shipped

ALL = tuple(shipped.languages())
WITH_GREEDY = ("python", "c", "cpp", "javascript", "rust", "go", "java")


def each(names: Iterable[str], bot: str = "") -> pytest.MarkDecorator:
    """Parametrize ``name`` over languages, or over a bot of each: ``python/random``."""
    values = [pytest.param(f"{name}/{bot}" if bot else name, marks=_marks(name)) for name in names]
    return pytest.mark.parametrize("name", values)


def _marks(name: str) -> list[pytest.MarkDecorator]:
    return [pytest.mark.xdist_group(name), *([] if name == "python" else [pytest.mark.language])]
