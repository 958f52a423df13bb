"""``merge`` that ends with exit code 1 says in one line of stderr what is wrong,
whatever it prints beside it.
"""

import json
from pathlib import Path

import pytest
from wording import sentence

from khiva_arena.extensions.league.folder import SETTINGS
from khiva_arena.extensions.league.settings import league_text
from khiva_arena.extensions.shards import merge_command as merge_command
from khiva_arena.extensions.shards.merge_target import Merged
from khiva_arena.extensions.shards.missing import MissingShard


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
    missing = sentence(
        "merge", "not-complete", matches=lacking.get(result.recorded, "0 matches are")
    )
    assert (missing in said) is not result.complete
    assert "next: " in said
    if as_json:
        assert json.loads(out)["recorded"] == result.recorded
