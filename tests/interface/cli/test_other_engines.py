"""A bundle of another engine version is held to its records, counts and places; fits
that differ by now are a note.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bundling import forged, lines_of
from published import HERE
from wording import sentence

from khiva_arena import __version__
from khiva_arena.common.version import shown
from khiva_arena.interface.cli.main import run

SWISS = HERE / "0.1.0" / "khiva-swiss" / "bundle"
Lines = list[dict[str, Any]]


@pytest.fixture
def lines() -> Lines:
    return lines_of(SWISS)


def verified(
    lines: Lines, where: Path, capsys: pytest.CaptureFixture[str]
) -> tuple[int, str, dict[str, Any]]:
    """Exit code and text of ``verify`` on a bundle of these lines, and what it says as
    JSON.
    """
    (where / "b").write_bytes(forged(lines))
    code = run(["verify", str(where / "b")])
    text = capsys.readouterr().out
    assert run(["verify", str(where / "b"), "--json"]) == code
    return code, text, json.loads(capsys.readouterr().out)


def other_fits(lines: Lines) -> None:
    """Every fitted number another one, and ranks, intervals and the order of rows with
    them.
    """
    rows = lines[-1]["table"]["rows"]
    for place, row in enumerate(reversed(rows), 1):
        row["elo"], row["error"], row["rank"], row["rank_interval"] = (
            10.0 * place,
            1.0,
            place,
            [place, place],
        )
    rows.reverse()


def test_fits_of_another_version_that_differ_are_a_note(
    lines: Lines, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert lines[0]["engine"] == "0.1.0" != __version__
    other_fits(lines)
    code, text, said = verified(lines, tmp_path, capsys)
    assert code == 0
    assert said["file"] == []
    assert any(".elo is 50.0, the records give" in note for note in said["notes"])
    assert any(".rank is 1, the records give" in note for note in said["notes"])
    assert f"computed by khiva-arena 0.1.0; this is {shown()}" in text
    assert "the counts and places of the standings match the records; bundle" in text
    assert sentence("verify", "standings-those-records-give") not in text


def test_fits_of_this_version_that_differ_are_a_failure(
    lines: Lines, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other_fits(lines)
    lines[0]["engine"] = __version__
    code, _, said = verified(lines, tmp_path, capsys)
    assert (code, said["notes"]) == (1, [])
    assert any(".elo is" in problem for problem in said["file"])


def first_row(lines: Lines) -> Any:
    return lines[-1]["table"]["rows"][0]


COUNTED: list[tuple[Callable[[Lines], Any], str]] = [
    (lambda lines: first_row(lines).update(matches=7), ".matches is 7, the records give 6"),
    (
        lambda lines: first_row(lines).update(finishes=[6, 0, 0]),
        ".finishes.0 is 6, the records give 4",
    ),
    (lambda lines: first_row(lines).update(voids=1), ".voids is 1, the records give 0"),
    (lambda lines: first_row(lines).update(score=99.0), ".score is 99.0, the records give 83.3"),
    (lambda lines: first_row(lines).update(name="last"), ".name is last, the records give first"),
    (
        lambda lines: first_row(lines)["faults"].update(crashed=1),
        ".faults.crashed is 1, the records give 0",
    ),
    (lambda lines: first_row(lines).pop("matches"), ".matches is missing"),
    (lambda lines: lines[-1]["table"]["rows"].pop(), " is missing"),
    (lambda lines: lines[-1]["table"].update(rows=[]), " is missing"),
    (lambda lines: lines[-1]["table"].update(rows=3), "rows is 3, the records give"),
    (lambda lines: lines[-1]["table"]["rows"].append({**first_row(lines)}), "rows is ["),
    (lambda lines: lines[-1]["table"].update(matches=8), "matches is 8, the records give 9"),
    (lambda lines: lines[-1]["table"].update(blocks=8), "blocks is 8, the records give 3"),
    (lambda lines: lines[-1]["table"].pop("places"), "places is missing"),
    (
        lambda lines: lines[-1]["table"]["places"][0]["rows"][0].update(place=2),
        "places.0.rows.0.place is 2, the records give 1",
    ),
    (lambda lines: lines[-1]["table"]["places"][0]["rows"].reverse(), "places.0.rows.0.bot is"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("change", "said"), COUNTED, ids=[said for _, said in COUNTED])
def test_counts_and_places_are_held_to_whatever_wrote_them(
    lines: Lines,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    change: Callable[[Lines], Any],
    said: str,
) -> None:
    change(lines)
    code, _, found = verified(lines, tmp_path, capsys)
    assert code == 1
    assert any(said in problem for problem in found["file"]), found["file"]


def test_records_are_held_to_whatever_wrote_them(
    lines: Lines, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other_fits(lines)
    match = next(line for line in lines if line["kind"] == "match")
    match["record"]["scores"][0] += 1
    code, text, found = verified(lines, tmp_path, capsys)
    assert code == 1
    assert (
        "match 1/0: " + sentence("replay", "hash-chain-ends") in found["events"][0]["problems"][0]
    )
    assert "the standings were not checked, since the matches behind them are not sound" in text
