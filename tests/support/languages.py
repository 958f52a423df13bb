"""Tests of every language that has a kit: one worker builds and plays all of a
language, so that nothing is built twice.
"""

from collections.abc import Container, Iterable

import pytest

from khiva_arena.common import shipped

ALL = tuple(shipped.languages())
WITH_GREEDY = ("python", "c", "cpp", "javascript", "rust", "go", "java")


def each(names: Iterable[str], bot: str = "", first: Container[str] = ALL) -> pytest.MarkDecorator:
    """Parametrize ``name`` over languages, or over a bot of each: ``python/random``.

    first: the languages that are not left to make test-long
    """
    values = [
        pytest.param(f"{name}/{bot}" if bot else name, marks=_marks(name, name in first))
        for name in names
    ]
    return pytest.mark.parametrize("name", values)


def _marks(name: str, is_first: bool) -> list[pytest.MarkDecorator]:
    more = [] if name == "python" else [pytest.mark.language]
    return [pytest.mark.xdist_group(name), *more, *([] if is_first else [pytest.mark.long])]
