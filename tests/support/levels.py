"""The isolation levels for tests: which there are, and bots that start at each."""

import os
import sys
from functools import cache
from pathlib import Path

import pytest
from tools import lacks

from khiva_arena.sandbox.command import Command
from khiva_arena.sandbox.detect import levels
from khiva_arena.sandbox.level import Level

ROOT = Path(__file__).parent.parent.parent
SUPPORT = Path(__file__).parent
BROKEN = str(ROOT / "bots" / "broken")
SYSTEM_PYTHON = "/usr/bin/python3"
EVERY_LEVEL = pytest.mark.parametrize("level", list(Level))
KEEPING = pytest.mark.parametrize("level", [Level.STRICT, Level.STANDARD, Level.BASIC])


def need_level(level: Level) -> None:
    """A level that this machine lacks is skipped with the reason; in CI only strict, which few machines give, may be missing."""
    if why := levels()[level]:
        lacks(f"isolation {level} does not work here: {why}", may=level is Level.STRICT)


@cache
def python_at(level: Level) -> str:
    """A Python that starts at a level: ours, unless another user, as bots are under root, cannot come to it."""
    if level is Level.BASIC and os.geteuid() == 0 and not _open_to_all(sys.executable):
        return SYSTEM_PYTHON
    return sys.executable


def _open_to_all(path: str) -> bool:
    return all(os.stat(parent).st_mode & 0o001 for parent in (*Path(path).resolve().parents, path))


def script_at(level: Level, script: str, *words: str) -> Command:
    """A script of tests/support that needs no library but the zoo's kit, as a bot."""
    path = str(SUPPORT / script)
    environment = {"PYTHONPATH": BROKEN, "PYTHONDONTWRITEBYTECODE": "1"}
    return Command((python_at(level), path, *words), "/", environment, (path, BROKEN))
