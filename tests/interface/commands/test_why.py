"""``verify`` that ends with exit code 1 says in one line of stderr what is wrong,
whatever it prints beside it.
"""

import json
from pathlib import Path

import pytest
from wording import sentence

from khiva_arena.competition.audit.audit_report import AuditResult, EventReport
from khiva_arena.interface.commands import verify as verify_command

WRONG = "match 1/0: seat 0 has another score"


def of_event(*problems: str, unconfirmed: int = 0) -> EventReport:
    report = EventReport(
        "e", 1, "c", sound=1, planned=2, digest="d", rerun=1 if unconfirmed else None
    )
    report.sound_matches, report.unsound_matches = [1], [0] if problems else []
    report.problems = list(problems)
    report.unconfirmed_matches = list(range(unconfirmed))
    report.unconfirmed = [f"match 1/{number}: because" for number in range(unconfirmed)]
    return report


NOT_SOUND = sentence("audit", "why-not-sound", problem=WRONG)
PATHS = {
    "all is sound": (AuditResult([of_event()]), ""),
    "a match": (AuditResult([of_event(WRONG)]), NOT_SOUND),
    "several": (
        AuditResult([of_event(WRONG, "b"), of_event("c")], ["d"]),
        f"{NOT_SOUND}; and 3 more",
    ),
    "the file": (AuditResult([of_event()], [WRONG]), NOT_SOUND),
    "nothing could be read": (AuditResult([], [WRONG]), NOT_SOUND),
    "the chain": (AuditResult([of_event()], [WRONG], chain="2 links follow"), NOT_SOUND),
    "unconfirmed": (
        AuditResult([of_event(unconfirmed=2)]),
        sentence("audit", "why-unconfirmed", matches="2 matches"),
    ),
    "both": (AuditResult([of_event(WRONG), of_event(unconfirmed=1)]), NOT_SOUND),
}


@pytest.mark.parametrize("place", ["store", "bundle"])
@pytest.mark.parametrize("as_json", [True, False])
@pytest.mark.parametrize("what", PATHS)
def test_verify_says_why_it_ends_with_1(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    what: str,
    as_json: bool,
    place: str,
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
        assert "the matches that are sound: number 1; that are not: number 0" in out, (
            "no number looks like a count"
        )
