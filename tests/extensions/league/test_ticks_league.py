"""A league by the clock of ticks: bots are modules, and every answer of theirs is
worked out again.
"""

from pathlib import Path

import pytest
from arena import arena
from tools import need_module_tools

from khiva_arena.interface.api.verify import verify

pytestmark = pytest.mark.language


def test_a_league_of_modules_is_run_again(tmp_path: Path) -> None:
    need_module_tools("c")
    arena("league", "new", "summer", "--seats", "2", "--clock", "ticks", cwd=tmp_path)
    arena("new", "shipped:c/search", "better", "--module", cwd=tmp_path)
    arena("league", "enter", "summer", "better", "--author", "ann", cwd=tmp_path)
    arena("league", "play", "summer", "--batches", "1", cwd=tmp_path)
    arena("league", "plan", "summer", "batch.json", cwd=tmp_path)
    elsewhere = (
        tmp_path / "elsewhere"
    )  # a machine that has the plan and its modules, and no source of a bot
    elsewhere.mkdir()
    for name in ("batch.json", "batch.json.modules"):
        (tmp_path / name).rename(elsewhere / name)
    arena("run", "--from-plan", "batch.json", "--out", "shard", cwd=elsewhere)
    arena("merge", "elsewhere/shard", "--rerun-bots", "100%", "--out", "summer", cwd=tmp_path)
    arena("league", "play", "summer", "--batches", "1", cwd=tmp_path)
    arena("bundle", "summer", "summer.bundle", "--with-modules", cwd=tmp_path)
    for path in (tmp_path / "summer", tmp_path / "summer.bundle"):
        result = verify(path, rerun_bots=True)
        assert result.sound, result.problems
        assert [report.rerun for report in result.events] == [
            report.planned for report in result.events
        ]
        assert "1-2" in result.chain
