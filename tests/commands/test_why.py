"""``verify`` and ``merge`` that end with exit code 1 say in one line of stderr what is wrong, whatever they print beside it."""

import json
from pathlib import Path

import pytest
from wording import sentence

from khiva_arena.audit.report import AuditResult, EventReport
from khiva_arena.commands import merge as merge_command
from khiva_arena.commands import verify as verify_command
from khiva_arena.league.folder import SETTINGS
from khiva_arena.league.settings import league_text
from khiva_arena.shards.merge import Merged
from khiva_arena.shards.missing import MissingShard

WRONG = "match 1/0: seat 0 has another score"


def of_event(*problems: str, unconfirmed: int = 0) -> EventReport:
    report = EventReport("e", 1, "c", sound=1, planned=2, digest="d", rerun=1 if unconfirmed else None)
    report.sound_matches, report.unsound_matches = [1], [0] if problems else []
    report.problems = list(problems)
    report.unconfirmed_matches = list(range(unconfirmed))
    report.unconfirmed = [f"match 1/{number}: because" for number in range(unconfirmed)]
    return report


NOT_SOUND = sentence("audit", "why-not-sound", problem=WRONG)
PATHS = {
    "all is sound": (AuditResult([of_event()]), ""),
    "a match": (AuditResult([of_event(WRONG)]), NOT_SOUND),
    "several": (AuditResult([of_event(WRONG, "b"), of_event("c")], ["d"]), f"{NOT_SOUND}; and 3 more"),
    "the file": (AuditResult([of_event()], [WRONG]), NOT_SOUND),
    "nothing could be read": (AuditResult([], [WRONG]), NOT_SOUND),
    "the chain": (AuditResult([of_event()], [WRONG], chain="2 links follow"), NOT_SOUND),
    "unconfirmed": (AuditResult([of_event(unconfirmed=2)]), sentence("audit", "why-unconfirmed", matches="2 matches")),
    "both": (AuditResult([of_event(WRONG), of_event(unconfirmed=1)]), NOT_SOUND),
}


@pytest.mark.parametrize("place", ["store", "bundle"])
@pytest.mark.parametrize("as_json", [True, False])
@pytest.mark.parametrize("what", PATHS)
def test_verify_says_why_it_ends_with_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], what: str, as_json: bool, place: str
) -> None:
    result, why = PATHS[what]
    path = tmp_path / place
    path.mkdir() if place == "store" else path.touch()
    monkeypatch.setattr(verify_command, "verified", lambda *_: result)
    code = verify_command.verify(path, (), as_json=as_json, rerun_bots=False, modules=())
    out, said = capsys.readouterr()
    assert (code, said) == ((1, f"{path}: {why}\n") if why else (0, ""))
    if as_json:
        json.loads(out)
    elif "match" in what:
        assert sentence("verify", "sound-and-not", sound="number 1", unsound="number 0") in out, "no number looks like a count"


def merged(**changes: object) -> Merged:
    fields = {"event": "e", "number": 1, "recorded": 4, "planned": 6, "added": 4, "digest": None}
    return Merged(**{**fields, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize("as_json", [True, False])
@pytest.mark.parametrize("is_league", [True, False])
@pytest.mark.parametrize(
    "result",
    [
        merged(),
        merged(missing=[MissingShard("2/2", "4 to 7", "khiva-arena run")]),
        merged(set_aside=[(0, 1)], recorded=5),
        merged(digest="d" * 64, recorded=6),
    ],
)
def test_merge_says_why_it_ends_with_1(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    result: Merged,
    is_league: bool,
    as_json: bool,
) -> None:
    monkeypatch.setattr(merge_command, "merge_stores", lambda *_, **__: result)
    (tmp_path / "cup").mkdir()
    if is_league:
        (tmp_path / "cup" / SETTINGS).write_text(league_text({"bots": []}))
    code = merge_command.merge([], tmp_path / "cup", None, as_json=as_json)
    out, said = capsys.readouterr()
    assert (code, len(said.splitlines())) == (0 if result.complete else 1, 1)
    lacking = {4: "2 matches are", 5: "1 match is"}
    missing = sentence("merge", "not-complete", matches=lacking.get(result.recorded, "0 matches are"))
    assert (missing in said) is not result.complete
    assert "next: " in said
    if as_json:
        assert json.loads(out)["recorded"] == result.recorded
