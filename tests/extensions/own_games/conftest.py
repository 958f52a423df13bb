"""What tests of games from outside share."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from own_games import Made, changed

from khiva_arena.extensions.own_games import opening


@pytest.fixture(autouse=True)
def _nothing_handed() -> Iterator[None]:
    """Each test hands over what it needs, as each command does."""
    yield
    opening.forget()


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """Makes the template with texts replaced: made(("old", "new"), ...)."""

    def make(*changes: tuple[str, str], name: str = "game.py") -> Path:
        return changed(tmp_path / name, *changes)

    return make
