"""A league that is played without a process, one that takes uploads, and forks instead
of the processes that make pages.
"""

import shutil
from pathlib import Path

import pytest
from leagues import played
from uploads import new_league

from khiva_arena.bots.sandbox.level import Level
from khiva_arena.extensions.league.settings import League

__all__ = ["forked", "played"]


@pytest.fixture
def forked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let forks make the tables and the pages of a league, in a tenth of the time of
    processes of their own.
    """
    import forks  # not above: few tests need the process that forks

    forks.serve()
    monkeypatch.setattr(
        "khiva_arena.competition.run.live_page.start_helper",
        lambda _name, words, **_: forks.Fork(words),
    )


@pytest.fixture(scope="module")
def template(confined: Level, tmp_path_factory: pytest.TempPathFactory) -> League:
    """A league that nobody has entered."""
    return new_league(tmp_path_factory.mktemp("league") / "spring")


@pytest.fixture
def league(template: League, tmp_path: Path) -> League:
    """A copy of it, with its anchors where they were."""
    shutil.copytree(template.folder, tmp_path / "spring")
    return template._replace(folder=tmp_path / "spring")
