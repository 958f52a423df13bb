"""What 0.3.0 brought stays good: its event in ticks is read, verified, run again, and goes on;
tests/extensions/league/test_newer.py has its league."""

import runpy
from pathlib import Path

import pytest
from arena import ROOT, arena
from newer import check_sound, events, there
from published import HERE, NEWER_EVENT, NEWER_LEAGUE, newer_event

from khiva_arena.records.store.db import Store

pytestmark = pytest.mark.slow
SMALL = 300_000
"""The bytes that both fixtures may have together."""


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


@pytest.mark.parametrize("fixture", [NEWER_EVENT, NEWER_LEAGUE])
def test_the_standard_library_alone_checks_a_bundle(fixture: str, capsys: pytest.CaptureFixture[str]) -> None:
    check = runpy.run_path(str(ROOT / "protocol" / "examples" / "verify_bundle.py"))["main"]
    check(str(HERE / fixture / "bundle"), False)
    assert "records are sound" in capsys.readouterr().out
