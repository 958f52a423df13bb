"""What 0.3.0 brought stays good: its league is read, verified, run again, and goes
on.
"""

import json
from pathlib import Path

import pytest
from arena import arena
from newer import check_sound, events, there
from published import HERE, NEWER_LEAGUE

from khiva_arena.extensions.league.submissions import examine, trial_table
from khiva_arena.interface.api.verify import verify

pytestmark = pytest.mark.slow


def test_a_league_is_read_verified_and_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = there(NEWER_LEAGUE, tmp_path, monkeypatch)
    assert events(tmp_path / "league") == expected
    check_sound(tmp_path / "league", expected, rerun=True, seen=[tmp_path / "receipts"])
    check_sound(HERE / NEWER_LEAGUE / "bundle", expected, rerun=False, seen=[tmp_path / "receipts"])
    status = json.loads(arena("league", "status", "league", "--json", cwd=tmp_path).stdout)
    assert [(bot["name"], bot["state"], bot["author"]) for bot in status["bots"]] == [
        ("plain", "active", ""),
        ("weights", "active", ""),
        ("script v1", "retired", "bob"),
        ("others v1", "active", "ann"),
    ]
    assert "script v1" in arena("standings", "league", cwd=tmp_path).stdout


@pytest.mark.soak
def test_a_league_goes_on_with_what_was_submitted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there(NEWER_LEAGUE, tmp_path, monkeypatch)
    monkeypatch.setattr(
        examine, "verdict_of", lambda *_: trial_table.Finding(True, "")
    )  # these bots keep to no more than matches need
    arena("league", "play", "league", "--batches", "1", "--any-engine", cwd=tmp_path)
    status = json.loads(arena("league", "status", "league", "--json", cwd=tmp_path).stdout)
    assert ("others v2", "active") in {(bot["name"], bot["state"]) for bot in status["bots"]}
    result = verify(tmp_path / "league", seen=[tmp_path / "receipts"])
    assert result.sound, result.problems
    assert len(result.events) == 3
