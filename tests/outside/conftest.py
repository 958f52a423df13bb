"""What tests of games from outside share."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from own_games import Made, changed

from khiva_arena.games import registry
from khiva_arena.outside import opening
from khiva_arena.outside.calls import VARIABLE


@pytest.fixture(autouse=True)
def _nothing_handed() -> Iterator[None]:
    """Each test hands over what it needs, as each command does."""
    yield
    for game in opening._open.values():
        game.close()
    opening._open.clear()
    registry.handed.clear()
    os.environ.pop(VARIABLE, None)


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """Makes the template with texts replaced: made(("old", "new"), ...)."""

    def make(*changes: tuple[str, str], name: str = "game.py") -> Path:
        return changed(tmp_path / name, *changes)

    return make
