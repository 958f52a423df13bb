"""What a browser draws of a match."""

from collections.abc import Callable
from pathlib import Path

from browser import Page

Made = Callable[[str], tuple[Path, Path]]


def opened(page: Page, made: Made, case: str, view: str = "") -> Path:
    store, file = made(case)
    page.open(file, view)
    return store
