"""An event in ticks in a store: played at any number of jobs, verified, bundled; a
forged tick is named.
"""

import importlib.util
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from arena import ROOT, arena
from bundling import forged, lines_of
from msgspec.structs import replace
from ticks_event import ALL, MODULES, OF_THE_FIRST, play, rerunner_of
from ticks_event import six_in_ticks as six_in_ticks
from wording import pattern, sentence

from khiva_arena.arbiter import match_queue
from khiva_arena.common.result import PRICE_LIST
from khiva_arena.competition.audit.audit_report import AuditResult, EventReport
from khiva_arena.competition.audit.store import audit_store
from khiva_arena.interface.commands import verify as verify_command
from khiva_arena.records.replay import ticks
from khiva_arena.records.replay.record import Record, canonical, run_digest
from khiva_arena.records.store.db import Store

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(six_in_ticks: Path) -> Path:
    arena("bundle", "store", "cup.khiva", cwd=six_in_ticks)
    return six_in_ticks


def test_the_run_digest_is_the_same_at_any_number_of_jobs(folder: Path, tmp_path: Path) -> None:
    with Store.read(folder / "store") as store:
        (row,) = store.events()
        digest = run_digest(match.digest for match in store.matches(row.id))
    assert play(tmp_path / "two", 2, 2) == digest


def test_a_store_and_a_bundle_of_it_are_verified(folder: Path) -> None:
    for place in ("store", "cup.khiva"):
        assert "6 of 6 matches are sound" in arena("verify", place, cwd=folder).stdout


def test_the_verifier_that_was_written_from_documents_takes_it(folder: Path) -> None:
    spec = importlib.util.spec_from_file_location(
        "verify_bundle", ROOT / "protocol" / "examples" / "verify_bundle.py"
    )
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.main(str(folder / "cup.khiva"), False)


def test_a_forged_tick_is_named_though_every_digest_fits(folder: Path, tmp_path: Path) -> None:
    lines = lines_of(folder / "cup.khiva")
    matches = [line for line in lines if line["kind"] == "match"]
    late = next(line for line in matches if "timeout" in json.dumps(line["record"]["steps"]))
    late["record"] = _forge(late["record"])
    over = next(line for line in lines if line["kind"] == "over")
    over["digest"] = run_digest(line["record"]["digest"] for line in matches)
    (tmp_path / "forged.khiva").write_bytes(forged(lines))
    done = arena("verify", "forged.khiva", cwd=tmp_path, code=1)
    number = "[0-9,]+"
    took = pattern("replay", "ticks-took", step=number, seat=number, ticks=number, most=number)
    assert re.search(took, done.stdout + done.stderr)


@pytest.fixture
def rerun(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., EventReport]:
    """Runs the modules of the event again, as doubles that do what they are named by,
    in the seats of the event's bots.
    """

    def run(*modules: str) -> EventReport:
        monkeypatch.setattr(match_queue, "HOST_WAITS", (0.0, 0.0, 0.0))
        rerunner = rerunner_of(monkeypatch, *modules)
        with Store.read(folder / "store") as store:
            (report,) = audit_store(store, (), rerunner=rerunner).events
        return report

    return run


def test_an_honest_event_comes_out_equal(rerun: Callable[..., EventReport]) -> None:
    report = rerun(*MODULES)
    assert (report.rerun, report.sound, report.unconfirmed, report.problems) == (6, 6, [], [])


def test_another_answer_is_not_sound(rerun: Callable[..., EventReport]) -> None:
    report = rerun("traps:1", *MODULES[1:])
    assert (report.rerun, report.sound, report.unsound_matches, report.unconfirmed) == (
        2,
        2,
        OF_THE_FIRST,
        [],
    )


@pytest.mark.parametrize(
    ("what", "unconfirmed"), [("backstop:1", OF_THE_FIRST), ("ends:2", ALL), ("short:1", ALL)]
)
def test_what_this_machine_cannot_do_accuses_nobody(
    rerun: Callable[..., EventReport], what: str, unconfirmed: list[int]
) -> None:
    """The backstop, which is a fault at its second time in play, and a runner that
    fails again and again.
    """
    report = rerun(what, *MODULES[1:])
    sound = len(ALL) - len(unconfirmed)
    assert (report.rerun, report.sound, report.problems, report.unsound_matches) == (
        sound,
        sound,
        [],
        [],
    )
    assert report.unconfirmed_matches == unconfirmed
    why = re.compile(pattern("audit", "not-here") + ".")
    assert all(why.search(line) for line in report.unconfirmed)
    result = AuditResult([report])
    assert (result.sound, result.confirmed) == (True, False)
    assert report.to_dict()["unconfirmed_matches"] == unconfirmed


def test_a_price_list_that_this_version_lacks_is_named_and_the_rest_verified(
    rerun: Callable[..., EventReport], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ticks, "SPOKEN_PRICE_LISTS", (PRICE_LIST + 1,))
    report = rerun(*MODULES)
    assert (report.rerun, report.sound, report.problems) == (0, 0, [])
    assert report.unconfirmed_matches == ALL
    lacking = (
        f"its ticks are of price list {PRICE_LIST}, and this khiva-arena has only list "
        f"{PRICE_LIST + 1}: take a version that has it"
    )
    assert report.unconfirmed == [f"match 1/{ordinal}: {lacking}" for ordinal in ALL]
    assert report.digest == rerun(*MODULES).digest


def test_verify_says_what_is_unconfirmed_and_ends_with_1(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    report = EventReport("e", 1, "c", sound=5, planned=6, digest="d", rerun=5)
    report.sound_matches, report.unconfirmed_matches = [0, 1, 2, 4, 5], [3]
    report.unconfirmed = ["match 1/3: because"]
    monkeypatch.setattr(verify_command, "verified", lambda *_: AuditResult([report]))
    words = {"as_json": False, "rerun_bots": True, "modules": ()}
    assert verify_command.verify(folder / "store", (), **words) == 1
    said, why = capsys.readouterr()
    assert (
        why
        == f"{folder / 'store'}: " + sentence("audit", "why-unconfirmed", matches="1 match") + "\n"
    )
    assert "5 of 6 matches are sound, 1 is unconfirmed; run digest d" in said
    assert "  unconfirmed: match 1/3: because" in said
    assert sentence("verify", "nobody-at-fault", matches="3") in said


def _forge(plain: dict[str, Any]) -> dict[str, Any]:
    """A record whose time-out is a tick short, its chain worked out again."""
    record = Record.from_json(canonical(plain).decode())
    assert record.ticks
    rows = [list(row) for row in record.ticks]
    places = [
        (n, i)
        for n, step in enumerate(record.steps, 1)
        for i, choice in enumerate(step)
        if choice.why == "timeout"
    ]
    rows[places[0][0]][places[0][1]] -= 1
    result: dict[str, Any] = json.loads(replace(record, ticks=tuple(map(tuple, rows))).to_json())
    return result
