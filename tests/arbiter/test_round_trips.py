"""The way to a player who is elsewhere: measured, kept, and given back up to a bound.
Local seats have none.
"""

from itertools import pairwise
from pathlib import Path

import pytest
from jobs import SECRET, header
from scripted import Bot, ScriptedWire, act, hello, honest
from scripted import play as play_scripted

from khiva_arena.arbiter import round_trip
from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.arbiter.seat import Bank
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.common.result import Verdict
from khiva_arena.records.replay.conditions import TimeLimits


def slow(seconds: float) -> Bot:
    """Every answer takes so long."""
    return lambda m: (
        hello() if m["type"] == "hello" else act(m, delay=seconds) if m["type"] == "decide" else []
    )


def run(
    *bots: Bot, trips: dict[int, float], allowance: float = 0.0, **time: int
) -> tuple[Outcome, ScriptedWire]:
    here, elsewhere = (
        Command(("x",), "/"),
        Command(("x",), "/", ours=True, link="file", allowance=allowance),
    )
    commands = tuple(elsewhere if seat in trips else here for seat in range(len(bots)))
    job = Job(0, 1, header(len(bots), **time), SECRET, commands)
    return play_scripted(job, list(bots), trips=trips)


def test_what_is_given_back_is_charged_neither_to_the_turn_nor_to_the_bank() -> None:
    outcome, wire = run(slow(1.2), honest, trips={0: 0.3}, allowance=0.5)
    assert not outcome.seats[0].faults
    assert {round(took, 6) for took in outcome.seats[0].times.values()} == {0.9}
    assert {m["bank_ms"] for to, m in wire.sent if to == 0 and m["type"] == "decide"} == {2000}
    assert set(outcome.seats[0].round_trips.values()) == {0.3}
    assert outcome.seats[0].round_trips.keys() == outcome.seats[0].times.keys()
    assert not outcome.seats[1].round_trips


def test_no_more_than_the_bound_is_given_back_whatever_was_measured() -> None:
    """A relay may hold its pings up as long as it likes."""
    outcome, wire = run(slow(1.2), honest, trips={0: 9.0}, allowance=0.1)
    told = [m["bank_ms"] for to, m in wire.sent if to == 0 and m["type"] == "decide"]
    assert [before - after for before, after in pairwise(told)][:5] == [
        pytest.approx(100, abs=1)
    ] * 5
    assert set(outcome.seats[0].round_trips.values()) == {9.0}


def test_the_deadline_is_later_by_what_is_given_back_and_not_by_more() -> None:
    limits = {"turn_ms": 1000, "bank_ms": 0}
    assert not run(slow(1.299), honest, trips={0: 0.3}, allowance=0.5, **limits)[0].seats[0].faults
    late = run(slow(1.301), honest, trips={0: 0.3}, allowance=0.5, **limits)[0].seats[0]
    assert late.faults[0].verdict is Verdict.TIMEOUT
    assert late.times[1] == pytest.approx(1.0, abs=0.01)


def test_without_an_allowance_a_round_trip_is_noted_and_nothing_else() -> None:
    there, _ = run(slow(1.2), honest, trips={0: 0.3})
    here, _ = run(slow(1.2), honest, trips={})
    assert there.seats[0].times == here.seats[0].times
    assert there.seats[0].bank_left == here.seats[0].bank_left


def test_other_seats_are_asked_answer_and_are_charged_as_ever() -> None:
    """The record of a local seat beside a remote one does not know of the allowance."""
    outcomes = [
        run(slow(0.4), slow(1.2), trips=trips, allowance=0.3)[0] for trips in ({}, {0: 0.3})
    ]
    first, second = (outcome.seats[1] for outcome in outcomes)
    assert (first.times, first.bank_left, first.faults) == (
        second.times,
        second.bank_left,
        second.faults,
    )
    assert outcomes[0].record
    assert outcomes[1].record
    assert outcomes[0].record.digest == outcomes[1].record.digest


def test_the_start_has_no_allowance() -> None:
    late: Bot = lambda m: hello(5.1) if m["type"] == "hello" else act(m)  # noqa: E731
    outcome, _ = run(late, honest, trips={0: 0.5}, allowance=0.5)
    assert outcome.seats[0].faults[0].verdict is Verdict.START_FAILED


def test_a_bank_gives_back_what_it_took_for_the_way() -> None:
    bank = Bank(TimeLimits(10_000, 1_000, 1_000))
    bank.credit = 0.25
    assert bank.allowance() == 2.25
    assert bank.charge(1.5) == 1.25
    assert bank.balance == 0.75
    assert bank.charge(0.1) == 0.0
    assert bank.balance == 0.75


def test_the_file_has_the_last_number_or_none(tmp_path: Path) -> None:
    file = str(tmp_path / "trip")
    assert round_trip.get(file) is None
    for seconds in (0.000123456789, 12.0):
        round_trip.put(file, seconds)
        assert round_trip.get(file) == seconds
    assert [path.name for path in tmp_path.iterdir()] == ["trip"]
