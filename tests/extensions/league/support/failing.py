"""Functions that fail, and what a player says."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from khiva_arena.extensions.league import failures


class Said(list[str]):
    def __call__(self, text: str, *, warning: bool = False) -> None:
        self.append(text)


def fails(*_: object, **__: object) -> NoReturn:
    raise RuntimeError("within")


def fails_for(real: Callable[..., Any], is_poison: Callable[..., bool]) -> Callable[..., Any]:
    """A function that raises for what is poison, and else does as it did."""

    def called(*words: Any, **more: Any) -> Any:
        return fails() if is_poison(*words) else real(*words, **more)

    return called


def traces(folder: Path) -> list[str]:
    """The names of the traces that a league keeps."""
    return sorted(path.stem for path in (folder / failures.FOLDER).glob("*.txt"))
