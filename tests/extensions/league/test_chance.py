"""Simulations of organisers who choose deals for a friend: what each gains, and what
``verify`` says of it.
"""

import re
from datetime import timedelta
from functools import cache
from pathlib import Path

import pytest
from chosen_deals import BEACON, ORGANISERS, Result, Size, league_of, line_of
from wording import sentence

from khiva_arena.competition.audit.audit_report import AuditResult
from khiva_arena.extensions.league import beacon as beacons
from khiva_arena.interface.api.verify import verify

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("chosen deals"),
]  # one worker makes each league once
SIZE = Size(batches=16)
MUCH = 75
"""Elo that nobody gains who is as good as the others, beyond two standard deviations of
such a league's.
"""
CHOOSES = {
    "tries secrets, no beacon": True,
    "tries secrets, with a beacon": False,
    "draws late, with a beacon": True,
    "writes a false line, with a beacon": True,
}
"""Whether an organiser chose deals."""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory):
    """The league of an organiser, made when it is first asked for."""
    return cache(
        lambda said: league_of(
            tmp_path_factory.mktemp("chance") / "league", *ORGANISERS[said], SIZE
        )
    )


def seen_before(result: Result, tmp_path: Path, seconds: int) -> Path:
    """Return a file in which an outsider kept each link that draws a batch, so many
    seconds before its round.
    """
    lines = []
    for link in result.drawn:
        at = (BEACON.moment_of(link.round or 1) - timedelta(seconds=seconds)).isoformat(
            timespec="seconds"
        )
        lines.append(f"link {link.number} {link.digest} commitment - at {at} from https://spring\n")
    file = tmp_path / "receipts.txt"
    file.write_text("".join(lines))
    return file


def verified(result: Result, receipts: Path, monkeypatch: pytest.MonkeyPatch) -> AuditResult:
    monkeypatch.setattr(beacons, "line_of", lambda _command, number, _look: line_of(number))
    return verify(result.folder, seen=[receipts], beacon="true")


@pytest.mark.soak
@pytest.mark.parametrize("said", CHOOSES)
def test_who_chooses_deals_gains_much_unless_a_line_comes_later(results, said: str) -> None:
    """With a beacon only who draws late, or writes a false line, gains; the tests below
    show how that is found.
    """
    elo = results(said).elo
    assert elo > MUCH if CHOOSES[said] else abs(elo) < MUCH


def test_without_a_beacon_deals_are_called_the_organisers_word(results) -> None:
    result = verify(results("tries secrets, no beacon").folder)
    assert result.sound
    assert (
        "deals are the organiser's word, since no text from outside was mixed into them"
        in result.chain
    )


def test_drawn_in_time_is_shown_by_receipts(
    results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = results("tries secrets, with a beacon")
    result = verified(made, seen_before(made, tmp_path, 5), monkeypatch)
    assert result.sound
    assert result.confirmed
    assert sentence("league", "witnessed", events="batches 1-16") in result.chain
    assert "16 lines of the beacon, " + sentence("league", "compared") in result.chain


def test_who_draws_late_has_no_witness(
    results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """His links and lines fit, but nobody can have held the links before the rounds."""
    made = results("draws late, with a beacon")
    result = verified(made, seen_before(made, tmp_path, -5), monkeypatch)
    assert result.sound
    assert sentence("league", "unwitnessed") in result.chain


def test_a_false_line_is_another_than_the_beacons(
    results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = results("writes a false line, with a beacon")
    result = verified(made, seen_before(made, tmp_path, 5), monkeypatch)
    words = (
        r"round [0-9]+ of the beacon is '[0-9a-f]+', and the league mixed '[0-9a-f]+' into its "
        r"deals"
    )
    assert len(result.problems) == SIZE.batches
    for number, problem in enumerate(result.problems, 1):
        assert re.fullmatch(f"batch {number}: {words}", problem)
