"""What running bots again may take: as many ticks as the records say, whatever limits
they claim and whatever the bots do.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from arena import arena
from bundling import forged, lines_of
from msgspec.structs import replace
from scripted import frame
from scripted_table import Module, answer, honest, job_in_ticks, on_decide, play
from ticks_event import MODULES, rerunner_of
from ticks_event import six_in_ticks as six_in_ticks
from wording import sentence

from khiva_arena.arbiter.tick_batches import Reply, RunEnd
from khiva_arena.competition.audit.bundle import audit_bundle
from khiva_arena.competition.audit.compared import as_recorded, compared
from khiva_arena.competition.audit.cost import RerunCost
from khiva_arena.competition.audit.store import audit_store
from khiva_arena.records.replay.record import FORFEITED, Record
from khiva_arena.records.replay.ticks import granted
from khiva_arena.records.store.db import Store

Message = dict[str, Any]


def does(what: str) -> Module:
    """Return a module that does something at its second decision, and honestly keeps to
    the ticks that it is given.
    """

    def act(message: Message | None, _: int) -> Reply:
        asked = message or {}
        return {
            "honest": lambda: answer(asked, choice=len(asked["legal"]) - 1),
            "dear": lambda: answer(asked, 5_000_000, choice=len(asked["legal"]) - 1),
            "late": lambda: Reply(RunEnd.TIMEOUT, 77),
            "traps": lambda: Reply(RunEnd.TRAPPED, 9, b"", "divided"),
            "breach": lambda: Reply(RunEnd.ANSWERED, 8, frame("text")),
            "unasked": lambda: answer(asked, 0),
            "illegal": lambda: answer(asked, 12, choice=99),
            "another": lambda: answer(asked),
        }[what]()

    module = on_decide(2, act)

    def within(message: Message | None, ticks: int) -> Reply:
        reply = module(message, ticks) if ticks else Reply(RunEnd.TIMEOUT, 0)
        return reply if reply.spent <= ticks else Reply(RunEnd.TIMEOUT, ticks)

    return within


def recorded(what: str) -> Record:
    record = play(job_in_ticks(2), [does(what), honest])[0].record
    assert record
    return record


KINDS = ("honest", "dear", "late", "traps", "breach", "unasked", "illegal", "another")


@pytest.mark.parametrize("what", KINDS)
def test_an_honest_record_comes_out_equal_within_its_own_ticks(what: str) -> None:
    record = recorded(what)
    outcome, table = play(as_recorded(job_in_ticks(2), record), [does(what), honest])
    assert compared(record, outcome).difference == ""
    assert outcome.record == record
    most = {(seat, step): ticks for seat, step, ticks in granted(record)}
    assert sum(ticks for batch in table.batches for ticks in batch.values()) <= sum(most.values())


@pytest.mark.parametrize("what", KINDS)
@pytest.mark.parametrize("other", KINDS)
def test_whatever_a_module_does_it_takes_no_more_than_its_record_claims(
    what: str, other: str
) -> None:
    record = recorded(what)
    outcome, table = play(as_recorded(job_in_ticks(2), record), [does(other), honest])
    assert (
        sum(ticks for batch in table.batches for ticks in batch.values())
        <= RerunCost().with_match(record.ticks).ticks
    )
    if recorded(other) != record:
        assert compared(record, outcome).difference


def test_a_module_that_takes_more_than_its_record_is_named() -> None:
    outcome, _ = play(
        as_recorded(job_in_ticks(2), record := recorded("honest")), [does("dear"), honest]
    )
    assert "more than 50,000 ticks" in compared(record, outcome).difference
    outcome, _ = play(
        as_recorded(job_in_ticks(2), record),
        [lambda _, ticks: Reply(RunEnd.TIMEOUT, ticks), honest],
    )
    assert "1,001 or more" in compared(record, outcome).difference


@pytest.mark.parametrize("is_before", [True, False])
def test_a_difference_before_the_backstop_is_named_and_one_behind_it_is_not_known(
    is_before: bool,
) -> None:
    """Else a bot that takes too much of the machine at its end would hide what it was
    said to do before.
    """
    record = recorded("honest")
    at = next(
        number
        for number, step in enumerate(record.steps, 1)
        if number > 2 and any(choice.seat == 0 for choice in step)
    )
    rows = [list(row) for row in record.ticks or ()]
    rows[at - is_before][0] += 1
    forged = replace(record, ticks=tuple(map(tuple, rows)))
    again = play(
        replace(as_recorded(job_in_ticks(2), forged), forced=((0, at),)), [does("honest"), honest]
    )[0]
    one = compared(forged, again)
    assert (bool(one.difference), bool(one.unconfirmed)) == (is_before, not is_before)


def test_a_question_of_a_record_is_granted_one_tick_more_and_a_seat_that_is_out_none() -> None:
    record = recorded("traps")
    assert record.ticks
    assert granted(record)[:2] == ((0, 0, record.ticks[0][0] + 1), (1, 0, record.ticks[0][1] + 1))
    asked = [
        (choice.seat, number)
        for number, step in enumerate(record.steps, 1)
        for choice in step
        if choice.why != FORFEITED
    ]
    assert [(seat, step) for seat, step, _ in granted(record)[2:]] == asked
    took = [ticks for row in record.ticks[1:] for ticks in row if ticks]
    assert [most - 1 for _, _, most in granted(record)[2:] if most > 1] == took


@pytest.mark.parametrize(
    "claim", [None, 7, "ticks", {"a": 1}, [None, 5], [["x", -3, 1.5, True, 2**60, None]], [[], {}]]
)
def test_what_is_no_list_of_ticks_counts_nothing(claim: object) -> None:
    assert RerunCost(2, 5).with_match(claim) == RerunCost(3, 5)


def test_the_cost_is_said_in_the_unit_that_fits() -> None:
    words = {"matches": "1 match", "ticks": "1,000,000,000,000"}
    assert RerunCost(1, 10**12).says == sentence(
        "audit", "cost", **words, best="100 s", worst="83 minutes"
    )
    nothing = {
        "matches": "0 matches",
        "ticks": "0",
        "best": (less := "less than 0.1 s"),
        "worst": less,
    }
    assert RerunCost(0, 0).says == sentence("audit", "cost", **nothing)
    assert "; 3 days of" in RerunCost(9, 2_592 * 10**12).says


@pytest.mark.slow
@pytest.mark.parametrize("place", ["store", "bundle"])
def test_the_cost_is_said_before_any_bot_is_run(
    six_in_ticks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """Of a stranger's bundle before its matches are checked, too: they may claim any
    limits.
    """
    said: list[str] = []
    rerunner = rerunner_of(monkeypatch, *MODULES, say=lambda text, **_: said.append(text))
    monkeypatch.setattr(
        rerunner, "findings", lambda *_: pytest.fail("a bot was run") if not said else _nothing()
    )
    if place == "store":
        with Store.read(six_in_ticks / "store") as store:
            (report,) = audit_store(store, (), rerunner=rerunner).events
    else:
        arena("bundle", "store", str(tmp_path / "b"), cwd=six_in_ticks)
        (report,) = audit_bundle(tmp_path / "b", rerunner=rerunner).events
    assert report.rerun_cost
    assert said == [report.rerun_cost.says]
    assert report.to_dict()["rerun_cost"] == report.rerun_cost.to_dict()
    assert json.dumps(report.to_dict())
    assert report.rerun_cost.matches == 6
    said.clear()
    if place == "bundle":
        (few,) = audit_bundle(tmp_path / "b", sample=2, rerunner=rerunner).events
        assert few.rerun_cost
        assert (few.rerun_cost.matches, said) == (2, [few.rerun_cost.says])


@pytest.mark.slow
def test_a_bundle_that_claims_no_sense_is_still_read(
    six_in_ticks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arena("bundle", "store", str(tmp_path / "b"), cwd=six_in_ticks)
    lines = lines_of(tmp_path / "b")
    record = next(line for line in lines if line["kind"] == "match")["record"]
    record["ticks"] = [["no"], 5]
    (tmp_path / "nonsense").write_bytes(forged(lines))
    said: list[str] = []
    rerunner = rerunner_of(monkeypatch, *MODULES, say=lambda text, **_: said.append(text))
    monkeypatch.setattr(rerunner, "findings", lambda *_: _nothing())
    result = audit_bundle(tmp_path / "nonsense", rerunner=rerunner)
    assert (result.sound, result.events[0].unsound_matches) == (False, [0])
    assert "6 matches" in said[0]


def _nothing() -> Any:
    from khiva_arena.competition.audit.sample import RerunFindings

    return RerunFindings({}, {})
