"""Times of decisions, from the arbiter's clock to the page."""

from bisect import bisect_right
from pathlib import Path

import pytest
from arena import arena, bots
from hypothesis import given
from hypothesis import strategies as some
from pages import blocks, page_of
from published import published
from stores import NAIVE, RANDOM

from khiva_arena.arbiter.seat import Bank
from khiva_arena.common.result import Result
from khiva_arena.competition.pages.page_source import RecordedMatch
from khiva_arena.competition.pages.replays import Private
from khiva_arena.competition.pages.times import PER_DECADE, SHORTEST, Spread, by_step
from khiva_arena.competition.pages.write import write_page
from khiva_arena.records.replay.conditions import TimeLimits
from khiva_arena.records.store.db import Store

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("times")
    arena(
        "run",
        *bots(NAIVE, RANDOM),
        "--seats",
        "2",
        "--trust-bots",
        "--seeds",
        "2",
        "--out",
        "out",
        cwd=folder,
    )
    return folder / "out"


def test_the_store_has_one_time_for_each_decision_of_the_record(store: Path) -> None:
    with Store.read(store) as opened:
        for match in opened.matches(opened.events()[0].id):
            asked = [
                [
                    step
                    for step, at in enumerate(match.parsed().steps, 1)
                    for one in at
                    if one.seat == seat
                ]
                for seat in (0, 1)
            ]
            assert match.times is not None
            assert [[step for step, _ in times] for times in match.times] == asked
            for seat, times in zip(match.seats, match.times, strict=True):
                took = [microseconds / 1e6 for _, microseconds in times]
                assert (seat.decisions, seat.slowest) == (
                    len(took),
                    pytest.approx(max(took), abs=1e-6),
                ), f"{seat=}"
                assert seat.thought == pytest.approx(sum(took), abs=1e-6 * len(took)), f"{seat=}"


def test_the_page_counts_each_of_them_once(store: Path, tmp_path: Path) -> None:
    write_page(tmp_path / "page.html", page_of(store))
    data = blocks(tmp_path / "page.html")["data"]
    (table,) = data["tables"]
    with Store.read(store) as opened:
        event = opened.events()[0]
        every = [
            (event.bots[seat.bot].identity, took)
            for one in opened.matches(event.id)
            for seat, took in zip(one.seats, one.times or (), strict=True)
        ]
    assert table["turn_ms"] == 1000
    for one in table["times"]:
        took = sorted(
            microseconds for bot, times in every if bot == one["bot"] for _, microseconds in times
        )
        assert one["decisions"] == sum(one["bars"]) == len(took)
        assert one["slowest_ms"] == pytest.approx(took[-1] / 1000, rel=5e-3)
        for share, key in ((95, "p95_ms"), (99, "p99_ms")):
            assert one[key] == pytest.approx(took[len(took) * share // 100] / 1000, rel=5e-3), (
                f"{share=} {key=}"
            )
        assert one["median_ms"] == pytest.approx(took[len(took) // 2] / 1000, rel=5e-3)
        for at, often in enumerate(one["bars"]):
            low, high = 10 * 10 ** (at / 10) if at else 0, 10 * 10 ** ((at + 1) / 10)
            assert often == sum(
                round(low) <= microseconds < round(high) for microseconds in took
            ), f"{at=} {often=}"
    assert {one["bot"] for one in table["times"]} == {bot.identity for bot in event.bots}


def test_each_step_of_a_replay_has_the_time_of_each_seat_that_was_asked(
    store: Path, tmp_path: Path
) -> None:
    write_page(tmp_path / "page.html", page_of(store))
    block = blocks(tmp_path / "page.html")["replay-0"]
    with Store.read(store) as opened:
        first = next(opened.matches(opened.events()[0].id))
    assert first.times is not None
    known = [dict(times) for times in first.times]
    for step, (asked, times) in enumerate(zip(block["asked"][0], block["times"][0], strict=True)):
        assert times == [pytest.approx(known[who[0]][step] / 1000, rel=5e-3) for who in asked]


def test_those_of_one_bot_alone(store: Path, tmp_path: Path) -> None:
    with Store.read(store) as opened:
        mine = opened.events()[0].bots[1].identity
    write_page(tmp_path / "page.html", page_of(store, private=Private(times=mine.__eq__)))
    held = blocks(tmp_path / "page.html")
    assert [one["bot"] for one in held["data"]["tables"][0]["times"]] == [mine]
    block, bots_of = held["replay-0"], [match[6] for match in held["data"]["matches"]]
    for seats, asked, times in zip(bots_of, block["asked"], block["times"], strict=False):
        for who, took in (
            (who, took)
            for step in zip(asked, times, strict=True)
            for who, took in zip(*step, strict=True)
        ):
            assert (took is None) == (seats[who[0]] != 1), f"{seats=} {who=}"


def test_what_an_older_version_recorded_has_none(tmp_path: Path) -> None:
    write_page(tmp_path / "page.html", page_of(published("khiva-round-robin", tmp_path)))
    held = blocks(tmp_path / "page.html")
    assert [table["times"] for table in held["data"]["tables"]] == [[]]
    assert "times" not in held["replay-0"]


def test_what_is_left_in_a_bank_is_what_the_arbiter_counted() -> None:
    took = [400_000, 1_500_000, 1_000_000, 1_250_400, 2_000_000, 10, 1_000_001]
    bank = Bank(TimeLimits(10_000, 1_000, 1_000))
    due: list[object] = []
    for microseconds in took:
        bank.charge(microseconds / 1e6)
        ms = pytest.approx(microseconds / 1000, rel=5e-3)
        due.append(ms if microseconds <= 1_000_000 else [ms, bank.left_ms])
    match = RecordedMatch(Result(bots=(0, 1)), "", times=(tuple(enumerate(took, 1)), ((1, 7),)))
    first, second = by_step(
        match, TimeLimits(startup_ms=1, turn_ms=1000, bank_ms=1000), [True, False]
    )
    assert list(first) == list(range(1, 8))
    assert list(first.values()) == due
    assert second == {}


@given(
    some.lists(some.lists(some.integers(0, 10**9), max_size=3_000), min_size=1, max_size=4).filter(
        any
    )
)
def test_times_held_by_how_often_are_those_of_the_whole_list(parts: list[list[int]]) -> None:
    spread = Spread()
    for part in parts:
        spread.extend(part)
    times = sorted(time for part in parts for time in part)
    places = [len(times) // 2, len(times) * 95 // 100, len(times) * 99 // 100, len(times) - 1]
    assert spread.percentiles(50, 95, 99, 100) == [
        float(f"{times[place] / 1000:.3g}") for place in places
    ]
    edges = [round(SHORTEST * 10 ** (at / PER_DECADE)) for at in range(1, 8 * PER_DECADE)]
    bars = [0] * (bisect_right(edges, times[-1]) + 1)
    for time in times:
        bars[bisect_right(edges, time)] += 1
    assert (spread.bars(), len(spread)) == (bars, len(times))
