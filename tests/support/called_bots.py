"""Functions and objects that play, in a module that imports nothing of the tests: their
processes load it at each start.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any


def last(decide: Mapping[str, Any], match: Mapping[str, Any]) -> int:
    return len(decide["legal"]) - 1


def third(decide: Mapping[str, Any], match: Mapping[str, Any], *, least: int) -> int:
    return min(least, len(decide["legal"]) - 1)


class Threshold:
    def __init__(self, least: int) -> None:
        self.least = least

    def __call__(self, decide: Mapping[str, Any], match: Mapping[str, Any]) -> int:
        return min(self.least, len(decide["legal"]) - 1)

    def choose(self, decide: Mapping[str, Any], match: Mapping[str, Any]) -> int:
        return self(decide, match)


def load(path: Path) -> Callable[[Mapping[str, Any], Mapping[str, Any]], int]:
    """Plays the index that a file says, the last one if there are fewer."""
    print("on stdout, which harms nobody")
    wanted = int((path / "weights" / "w.txt" if path.is_dir() else path).read_text())
    return lambda decide, match: min(wanted, len(decide["legal"]) - 1)
