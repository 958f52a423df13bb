"""The isolation levels for tests: fixtures that skip a test where its level does not
work, and bots that start at each.
"""

import os
import sys
from functools import cache
from pathlib import Path

import pytest
from tools import lacks

from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.detect import best, levels, remedy
from khiva_arena.bots.sandbox.level import Level

ROOT = Path(__file__).parent.parent.parent
SUPPORT = Path(__file__).parent
BROKEN = str(ROOT / "bots" / "broken")
SYSTEM_PYTHON = "/usr/bin/python3"
EVERY_LEVEL = pytest.mark.parametrize("level", list(Level), indirect=True)
KEEPING = pytest.mark.parametrize(
    "level", [Level.STRICT, Level.STANDARD, Level.BASIC], indirect=True
)
FIXTURES = {"level", "standard", "basic", "confined"}
"""The fixtures below: conftest.py gives each test that uses one the mark ``level``."""


@pytest.fixture
def level(request: pytest.FixtureRequest) -> Level:
    """Return the level of a parametrised test, which is skipped where that level does
    not work. In CI only strict, which few machines give, may be missing.
    """
    _need(request.param)
    return Level(request.param)


@pytest.fixture
def standard() -> None:
    """Skip the test where standard does not work."""
    _need(Level.STANDARD)


@pytest.fixture
def basic() -> None:
    """Skip the test where basic does not work."""
    _need(Level.BASIC)


@pytest.fixture(scope="session")
def confined() -> Level:
    """Return the best level that works here for bots in Python. The test is skipped
    where only trusted does: a league, whose bots are strangers', refuses to play there.
    """
    if not (found := best()).confines:
        lacks("isolation: no level works here", install=isolation_tool())
    return found


def _need(wanted: Level) -> None:
    if why := levels()[wanted]:
        lacks(
            f"isolation: {wanted} does not work here: {why}",
            may=wanted is Level.STRICT,
            install=isolation_tool(),
        )


def isolation_tool() -> str:
    """Return the command that gives this machine isolation levels, "" if they work or
    no command is known.
    """
    why = levels()[Level.STANDARD]
    return remedy(Level.STANDARD, why) if why else ""


def trust_where_nothing_confines() -> None:
    """Have commands play at trusted where no level works, by the variables that click
    reads: most tests are of other things.

    A test of a refusal, a consent or a level deletes them: see the fixture
    ``distrusting``.
    """
    if not best().confines:
        os.environ.update(trusting())


def open_folders_where_bots_are_other_users(config: pytest.Config) -> None:
    """Let everybody enter pytest's folders where basic is the best level and root runs
    the tests.

    There root's bots are users of their own, and tests write bots into these folders.
    """
    if os.geteuid() or best() is not Level.BASIC:
        return
    factory: pytest.TempPathFactory = config._tmp_path_factory  # type: ignore[attr-defined]
    mktemp, base = factory.mktemp, factory.getbasetemp()

    def opened(basename: str, numbered: bool = True) -> Path:
        path = mktemp(basename, numbered)
        path.chmod(0o755)
        return path

    factory.mktemp = opened  # type: ignore[method-assign]
    for folder in (base, *base.parents):
        if folder.stat().st_uid == os.geteuid() and folder.name.startswith(("pytest-", "popen-")):
            folder.chmod(0o755)


def trusting() -> dict[str, str]:
    """Return the variables by which commands trust bots: of ``--trust-bots`` where a
    command plays what its user names, of ``--isolation`` where it plays what a store
    names.
    """
    variables = {
        f"KHIVA_ARENA_{command}_TRUST_BOTS": "1"
        for command in ("RUN", "SPRT", "MATCH", "PLAY", "GRADE")
    }
    return variables | {"KHIVA_ARENA_REPLAY_ISOLATION": Level.TRUSTED}


@cache
def python_at(level: Level) -> str:
    """A Python that starts at a level: ours, unless another user, as bots are under
    root, cannot come to it.
    """
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
