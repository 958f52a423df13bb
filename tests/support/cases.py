"""Many small cases as one test. One of its own costs ten milliseconds of CPU, in the
four workers that collect it, in the one that runs it, and in the process that is told
of it; most cases take less.
"""

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

import pytest


def cases(
    names: str | tuple[str, ...], values: Iterable[Any], ids: Iterable[str] | None = None
) -> Callable[..., Any]:
    """As ``pytest.mark.parametrize``, in one test: all cases are run, and each that
    fails is told with its words in ``ids``, else with its values. It is for cases that
    skip nothing, and leave fixtures as they were.
    """
    parts = (names,) if isinstance(names, str) else names
    given = list(values)
    rows = [(value,) if isinstance(names, str) else tuple(value) for value in given]
    told = [repr(value) for value in given] if ids is None else list(ids)
    assert rows
    assert {len(row) for row in rows} == {len(parts)}

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def all_cases(**fixtures: Any) -> None:
            failed: list[BaseException] = []
            for row, words in zip(rows, told, strict=True):
                try:
                    test(**fixtures, **dict(zip(parts, row, strict=True)))
                except (Exception, BaseExceptionGroup, pytest.fail.Exception) as error:
                    error.add_note(f"in the case {words}")
                    failed.append(error)
            if failed:
                raise BaseExceptionGroup(f"{len(failed)} of {len(rows)} cases", failed)

        signature = inspect.signature(test)
        left = [word for name, word in signature.parameters.items() if name not in parts]
        assert len(left) == len(signature.parameters) - len(parts)
        all_cases.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return all_cases

    return decorate
