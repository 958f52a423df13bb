"""Where two plain values differ that should say the same, such as standings that were told and those worked out anew."""

from collections.abc import Iterator
from math import isclose
from typing import Any

ROUNDING = 0.002  # of numbers with three digits behind the point, fitted on another machine
_SHOWN = 80


def differences(where: str, said: Any, given: Any, all_keys: bool) -> Iterator[str]:
    """Every difference, a line each: "rows.0.elo is 3.0, the records give 2.5". ``where``: what is compared, "" at the top.

    Fractional numbers may differ by their rounding. With ``all_keys`` false, maps are compared in the keys that both have:
    another engine may tell more or less.
    """
    if isinstance(said, dict) and isinstance(given, dict):
        for key in sorted(said.keys() | given.keys()):
            name = f"{where}.{key}" if where else key
            if key in said and key in given:
                yield from differences(name, said[key], given[key], all_keys)
            elif all_keys:
                yield f"{name} is {'missing' if key in given else 'none of theirs'}"
    elif isinstance(said, list) and isinstance(given, list) and len(said) == len(given):
        for place, (one, other) in enumerate(zip(said, given, strict=True)):
            yield from differences(f"{where}.{place}", one, other, all_keys)
    elif not _same(said, given):
        yield f"{where} is {str(said)[:_SHOWN]}, the records give {str(given)[:_SHOWN]}"


def _same(said: Any, given: Any) -> bool:
    if isinstance(said, float) and isinstance(given, float):
        return isclose(said, given, rel_tol=1e-6, abs_tol=ROUNDING)
    return type(said) is type(given) and bool(said == given)
