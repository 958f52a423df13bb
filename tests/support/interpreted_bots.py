"""Bots that an interpreter runs, a small module instead of one of a language, which is
the only one of this machine.
"""

from pathlib import Path

import pytest
from echo import ECHO

from khiva_arena.bots.modules.meter.maxima import with_memory
from khiva_arena.entrants import interpreters
from khiva_arena.entrants.loading import Interpreters, Loading

LINE = 'interpreter = "echo main.js"'
TAKEN = Loading(interpreters=Interpreters(unreleased=True))
OTHER = with_memory(ECHO + b"\0\2\1x", 16)
"""Another interpreter of the same word: the same code, and a section of its own."""


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the one interpreter that this machine has; and an empty cache."""
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(tmp_path / "cache"))
    (tmp_path / "interpreters").mkdir()
    monkeypatch.setenv(interpreters.FOLDER, str(tmp_path / "interpreters"))
    interpreters._module.cache_clear()
    file = tmp_path / "interpreters" / "echo.wasm"
    file.write_bytes(with_memory(ECHO, 16))
    return file


def folder(place: Path, *lines: str, **files: str) -> Path:
    """Write a bot of these lines and files into a folder."""
    place.mkdir()
    (place / "bot.toml").write_text("\n".join([f'name = "{place.name}"', *lines]) + "\n")
    for name, text in ({"main.js": "one"} | files).items():
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text(text)
    return place
