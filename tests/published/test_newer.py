"""What 0.3.0 brought stays good: its event in ticks and its league are read, verified, run again, and go on. Written by
make_newer.py."""

import json
import runpy
from pathlib import Path

import pytest
from arena import ROOT, arena
from published import HERE, NEWER_EVENT, NEWER_LEAGUE, newer_event, unpack

from khiva_arena.api.verify import verify
from khiva_arena.entrants import interpreters
from khiva_arena.league.submissions import examine
from khiva_arena.replay.record import run_digest
from khiva_arena.store.db import Store

pytestmark = pytest.mark.slow
SMALL = 300_000
"""The bytes that both fixtures may have together."""


def there(fixture: str, into: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    """Unpack a fixture, install its interpreter, and return what its events were when it was made."""
    unpack(HERE / fixture, into)
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(into / "cache"))
    monkeypatch.setenv(interpreters.FOLDER, str(into / "bots" / "interpreters"))
    interpreters._module.cache_clear()
    return json.loads((HERE / fixture / "events.json").read_text())


def events(folder: Path) -> list[dict[str, object]]:
    with Store.read(folder) as store:
        return [{"id": row.id, "commitment": row.commitment, "digests": store.digests(row.id)} for row in store.events()]


def check_sound(path: Path, expected: list[dict[str, object]], *, rerun: bool, **how: object) -> None:
    """Check that all events are sound and have the digests of then, and with ``rerun`` that their bots play so again."""
    result = verify(path, rerun_bots=rerun, **how)
    assert result.sound, result.problems
    assert [report.digest for report in result.events] == [run_digest(event["digests"]) for event in expected]
    assert [report.rerun for report in result.events] == [len(event["digests"]) if rerun else None for event in expected]


def test_fixtures_are_small() -> None:
    files = [path for name in (NEWER_EVENT, NEWER_LEAGUE) for path in (HERE / name).iterdir()]
    assert sum(path.stat().st_size for path in files) < SMALL


def test_an_event_in_ticks_is_read_verified_and_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = there(NEWER_EVENT, tmp_path, monkeypatch)
    assert events(tmp_path / "finished") == expected
    check_sound(tmp_path / "finished", expected, rerun=False)
    check_sound(HERE / NEWER_EVENT / "bundle", expected, rerun=True)
    with Store.read(tmp_path / "finished") as store:
        bots = store.events()[0].definition.bots
    assert [bool(bot.payload) for bot in bots] == [False, True, True]


def test_an_interrupted_event_in_ticks_goes_on_to_the_same_digests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = there(NEWER_EVENT, tmp_path, monkeypatch)
    assert 0 < len(events(tmp_path / "interrupted")[0]["digests"]) < len(expected[0]["digests"])
    arena(*newer_event("interrupted"), "--any-engine", cwd=tmp_path)
    assert events(tmp_path / "interrupted") == expected


def test_a_league_is_read_verified_and_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
def test_a_league_goes_on_with_what_was_submitted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there(NEWER_LEAGUE, tmp_path, monkeypatch)
    monkeypatch.setattr(examine, "_verdict", lambda *_: examine.Finding(True, ""))  # these bots keep to no more than matches need
    arena("league", "play", "league", "--batches", "1", "--any-engine", cwd=tmp_path)
    status = json.loads(arena("league", "status", "league", "--json", cwd=tmp_path).stdout)
    assert ("others v2", "active") in {(bot["name"], bot["state"]) for bot in status["bots"]}
    result = verify(tmp_path / "league", seen=[tmp_path / "receipts"])
    assert result.sound, result.problems
    assert len(result.events) == 3


@pytest.mark.parametrize("fixture", [NEWER_EVENT, NEWER_LEAGUE])
def test_the_standard_library_alone_checks_a_bundle(fixture: str, capsys: pytest.CaptureFixture[str]) -> None:
    check = runpy.run_path(str(ROOT / "protocol" / "examples" / "verify_bundle.py"))["main"]
    check(str(HERE / fixture / "bundle"), False)
    assert "records are sound" in capsys.readouterr().out
