"""Matches in ticks through real processes: a double of the runner for the table, or for
each seat.
"""

import dataclasses
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import pytest
import trio
from cases import cases
from double_jobs import DOUBLE, a_job, assert_equal_however_many_at_a_time
from jobs import SECRET
from levels import EVERY_LEVEL, python_at
from msgspec.structs import replace
from tools import lacks
from wording import sentence

import khiva_arena
from khiva_arena.arbiter import pool, runners
from khiva_arena.arbiter.clock import LagMeter
from khiva_arena.arbiter.fork_servers import ForkServers
from khiva_arena.arbiter.lifetimes import describe_status
from khiva_arena.arbiter.live import play_live
from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.arbiter.preflight import PreflightFailed, preflight
from khiva_arena.arbiter.stderr import MARK
from khiva_arena.bots.modules.runner import line
from khiva_arena.bots.protocol import codec
from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.common.result import TICKS_A_MS, Verdict
from khiva_arena.entrants.bots_of_an_event import broken
from khiva_arena.errors import StagingError
from khiva_arena.interface.commands import traced
from khiva_arena.interface.commands.traced import Tracing
from khiva_arena.records.replay.requests import requests
from khiva_arena.records.replay.verify import verify

SPINS = "the runner did not answer in time, and used more than 1 s of CPU"

SEATED = [broken(word, "") for word in ("a", "b")]
"""Two bots of which nothing is known but a word."""


async def _play(job: Job) -> Outcome:
    async with ForkServers() as servers:
        return await play_live(job, LagMeter(), servers, alone=True)


def played(*modules: str, warned: tuple[int, ...] = ()) -> Outcome:
    job = replace(a_job(*modules), warned=warned)

    outcome = trio.run(_play, job)
    if outcome.record:
        verify(outcome.record, SECRET)
    return outcome


def test_equal_matches_are_equal_to_the_tick() -> None:
    one, other = played("honest", "honest", "honest"), played("honest", "honest", "honest")
    assert one.record
    assert one.record == other.record
    assert one.record.verdicts == (Verdict.OK,) * 3


@pytest.mark.parametrize(
    ("module", "verdict", "detail"),
    [
        ("exits:2", Verdict.CRASHED, describe_status(3)),
        ("traps:2", Verdict.CRASHED, sentence("modules", "division-zero") + ", in choose"),
        ("overflows:2", Verdict.CRASHED, sentence("modules", "calls-too-deep")),
        ("refused", Verdict.START_FAILED, "it imports what there is not"),
        (
            "traps:0",
            Verdict.START_FAILED,
            "crashed: " + sentence("modules", "division-zero") + ", in choose",
        ),
    ],
)
def test_a_module_that_ends_is_out_and_the_table_plays_on(
    module: str, verdict: Verdict, detail: str
) -> None:
    outcome = played("honest", module, "honest")
    assert outcome.record
    assert outcome.record.verdicts == (Verdict.OK, verdict, Verdict.OK)
    assert outcome.seats[1].faults[0][:2] == (verdict, detail)
    assert outcome.record.reason == "over"
    # what a module writes cannot look like a mark of the arbiter's
    written = f"{MARK}[step 2: play_pass]\nlast\\x1e words\n"
    remark = f"{MARK}[step {outcome.seats[1].faults[0].step}: {verdict}: {detail}]\n"
    assert outcome.seats[1].ending.notes == (written if module.startswith("exits") else "") + remark


def test_a_timeout_costs_a_strike_and_the_bank() -> None:
    outcome = played("timeout:2", "honest")
    assert outcome.record
    assert outcome.record.verdicts == (Verdict.OK, Verdict.OK)
    assert (outcome.seats[0].faults[0].verdict, outcome.seats[0].bank_left) == (
        Verdict.TIMEOUT,
        0.0,
    )


def test_the_backstop_is_void_and_then_a_fault() -> None:
    assert (played("honest", "backstop:1").causes, played("honest", "backstop:1").record) == (
        (1,),
        None,
    )
    outcome = played("honest", "backstop:1", warned=(1,))
    assert outcome.record
    assert outcome.record.verdicts[1] is Verdict.RESOURCE


def test_a_seat_that_met_the_backstop_at_its_start_is_never_opened() -> None:
    """It is not run again, as where a record that says so is worked out once more."""
    outcome = trio.run(_play, replace(a_job("honest", "honest", "honest"), forced=((1, 0),)))
    assert outcome.record
    assert outcome.record.verdicts == (Verdict.OK, Verdict.RESOURCE, Verdict.OK)


@pytest.mark.parametrize("module", ["ends:0", "ends:2", "short:1", "other:1"])
def test_a_runner_that_fails_is_nobodys_fault(module: str) -> None:
    outcome = played("honest", module)
    assert (outcome.record, outcome.causes, outcome.host) == (None, (), True)


@pytest.mark.soak
def test_a_runner_is_given_up_only_if_it_stands_still_or_spins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A loaded machine may take long over what a module may do, and its answer is the
    same.
    """
    monkeypatch.setattr(runners, "SLOWEST", 0)
    monkeypatch.setattr(runners, "GRACE", 0.2)
    monkeypatch.setattr(runners, "SPINS", 5)
    for module, why in (
        ("stands:1", "the runner did not answer in time, and stood still for 0 s"),
        ("spins:1", SPINS),
    ):
        outcome = played("honest", module)
        assert (outcome.record, outcome.void, outcome.host) == (None, why, True)
    assert played("honest", "works:1").record == played("honest", "honest").record


@pytest.mark.parametrize("granted", [None, ()])
def test_a_match_that_is_run_again_grants_nothing_behind_its_end(
    monkeypatch: pytest.MonkeyPatch, granted: tuple[()] | None
) -> None:
    ends: list[int] = []

    async def exchange(_: object, orders: Mapping[int, tuple[int, int, int, bytes]]) -> list[Any]:
        ends.extend(order[2] for order in orders.values())
        return []

    async def close(_: float) -> list[Any]:
        return []

    monkeypatch.setattr(runners.Runners, "_exchange", exchange)
    job = replace(a_job("honest", "honest"), granted=granted)
    trio.run(runners.Runners(job, (None, None), cast(Any, None), close).close, 1.0)
    assert ends == [job.header.time["turn_ms"] * TICKS_A_MS if granted is None else 0] * 2


@pytest.mark.soak
def test_matches_are_equal_however_many_are_played_at_a_time() -> None:
    modules = [("honest", "timeout:2"), ("traps:3", "honest"), ("honest", "honest")] * 2
    jobs = [replace(a_job(*words), ordinal=ordinal) for ordinal, words in enumerate(modules)]
    assert_equal_however_many_at_a_time(jobs)


@pytest.mark.slow
def test_the_second_backstop_of_a_match_is_a_fault() -> None:
    outcomes: list[Outcome] = []
    pool.play([a_job("honest", "backstop:1")], 1, outcomes.append, 1)
    assert [(outcome.attempt, outcome.causes) for outcome in outcomes] == [(1, (1,)), (2, ())]
    assert outcomes[1].record
    assert outcomes[1].record.verdicts[1] is Verdict.RESOURCE


def test_a_trial_start_whose_runner_fails_twice_is_the_machines_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("khiva_arena.arbiter.preflight.HOST_WAITS", (0.0,))
    job = a_job("honest", "ends:0")
    with pytest.raises(StagingError):
        preflight(["a", "b"], job.commands, job.header, job.sandbox)


def test_the_trial_start_names_a_module_that_is_refused() -> None:
    job = a_job("honest", "refused", "honest")
    with pytest.raises(PreflightFailed) as error:
        preflight(["a", "b", "c"], job.commands, job.header, job.sandbox)
    assert [failure.seat for failure in error.value.failures] == [1]
    assert "it imports what there is not" in str(error.value)


@pytest.mark.parametrize("module", ["honest", "traps:3", "exits:2", "timeout:1"])
def test_a_match_in_ticks_is_traced_and_captured_and_the_same(
    module: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    job = a_job("honest", module)
    record = played("honest", module).record
    assert record
    plain, shown = (
        traced.play(job, Tracing(*how, False), SEATED).outcome.record
        for how in ((False, None), (True, tmp_path / "raw"))
    )
    assert plain == shown == record
    for seat in range(2):
        sent = [codec.encode_for_module(one.message) for one in requests(record, SECRET, seat, {})]
        assert (tmp_path / "raw" / f"seat-{seat}.to-bot").read_bytes() == b"".join(sent)
    traced_lines = capfd.readouterr().err.splitlines()
    assert " bot0#0 < hello {" in traced_lines[2]
    assert traced_lines[2].endswith(f" in {(record.ticks or [[0]])[0][0]:,} ticks")
    ends = {
        "honest": "> end",
        "traps:3": "< trapped in 6 ticks: a division by zero, in choose",
        "exits:2": "| last",
        "timeout:1": "< timeout in ",
    }
    assert any(f"bot1#1 {ends[module]}" in one for one in traced_lines)


def test_what_a_module_wrote_that_does_not_start_is_captured(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(PreflightFailed):
        traced.play(a_job("honest", "text:0"), Tracing(False, tmp_path / "raw", False), SEATED)
    assert (tmp_path / "raw" / "seat-1.from-bot").read_bytes() == b"What now?"
    assert "seat-1.from-bot" in capfd.readouterr().err


@EVERY_LEVEL
def test_every_level_plays_the_same(level: Level) -> None:
    if python_at(level) != sys.executable:
        lacks(
            "bots of root, who are another user at this level, cannot come to the tests' Python",
            may=True,
        )
    readable = (str(DOUBLE.parent), str(Path(khiva_arena.__file__).parents[1]))
    job = a_job("honest", "traps:3")
    commands = tuple(dataclasses.replace(command, readable=readable) for command in job.commands)
    outcome = trio.run(_play, replace(job, commands=commands, sandbox=Sandbox(level)))
    expected = played("honest", "traps:3")
    assert outcome.record
    assert outcome.record == expected.record


@cases("cut", range(1, 30))
def test_a_batch_comes_back_and_a_cut_one_is_refused(cut: int) -> None:
    items = [(1, line.ASK, 1 << 63, b"frame"), (2, line.SAY, 0, b"")]
    data = line.batch(items)
    assert (line.missing(data), line.items_of(data)) == (0, items)
    assert line.missing(data[:cut]) > 0
    assert line.missing(data + b"x") == -1
    if cut not in (4, len(data) - 14):
        with pytest.raises(ValueError, match=sentence("arbiter", "item-cut-off")):
            line.items_of(data[: max(5, cut)])


def test_a_batch_that_is_too_large_is_refused_before_it_is_read() -> None:
    with pytest.raises(ValueError, match="a batch of 4,294,967,295 bytes"):
        line.missing(b"\xff" * 4)
