"""Forged events in ticks, whose every digest and sum fits: the bots that are run again tell each from an honest one."""

import json
import os
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from arena import NAIVE, C, arena, bots
from bundling import forged, lines_of
from msgspec.structs import replace
from once import made_once
from tools import need_module_tools
from wording import sentence

from khiva_arena.api.verify import verify
from khiva_arena.arbiter import pool
from khiva_arena.arbiter.match import Outcome
from khiva_arena.entrants.bots import load
from khiva_arena.playing.jobs import Play
from khiva_arena.replay.record import Choice, Record, canonical, run_digest
from khiva_arena.replay.ticks import TICKS_A_SECOND
from khiva_arena.sandbox.detect import best
from khiva_arena.settings.one_match import stage_all
from khiva_arena.store.db import Store

pytestmark = [pytest.mark.language, pytest.mark.slow]

FORGERIES = int(os.environ.get("FORGERIES", "40"))
"""`make forgeries` tries 1,000."""
MATCHES = 6
# The first bot of the event runs out of ticks now and then: it counts to a number of its seat's lot in each decision.
LATE = """\
#include "kit.h"
static long choose(const kit_decide *decide, const kit_match *match, void *own)
{
    static uint64_t lots;
    volatile uint64_t count = kit_below(&lots, 8) ? 0 : 100000000;
    (void)own;
    lots += match->seed;
    while (count > 0)
        count--;
    return (long)kit_below(&lots, decide->choices);
}
int main(void)
{
    return kit_play("late", choose, NULL);
}
"""
Forge = Callable[[Record, random.Random], Record]


@pytest.fixture(scope="module", autouse=True)
def _compiler() -> None:
    need_module_tools("c")


@made_once
def cup(folder: Path) -> None:
    """An event of a greedy bot and of one that is late now and then, as a store and as a bundle."""
    arena("new", "shipped:c/greedy", "greedy", "--module", cwd=folder)
    arena("new", "c", "late", "--module", cwd=folder)
    (folder / "late" / "bot.c").write_text(LATE)
    words = ("--clock", "ticks", "--seats", "2", "--seeds", str(MATCHES // 2), "--turn", "20ms", "--bank", "30ms")
    arena("run", *words, *bots("late", "greedy"), "--out", "honest", cwd=folder)
    arena("bundle", "honest", "honest.khiva", "--with-modules", cwd=folder)


def test_an_honest_event_is_not_accused(cup: Path) -> None:
    for place in ("honest", "honest.khiva"):
        result = verify(cup / place, rerun_bots=True, jobs=2)
        assert (result.sound, result.events[0].rerun) == (True, MATCHES)
    lines = lines_of(cup / "honest.khiva")
    assert any(choice.why == "timeout" for record in records(lines) for step in record.steps for choice in step)


def records(lines: list[dict[str, Any]]) -> list[Record]:
    return [Record.from_json(canonical(line["record"]).decode()) for line in lines if line["kind"] == "match"]


def place_of(record: Record, rng: random.Random, late: bool | None = None) -> tuple[int, int]:
    """A choice, by its step and its place there: one of those that are late, one of the others, or any one."""
    places = [
        (at, place)
        for at, step in enumerate(record.steps)
        for place, choice in enumerate(step)
        if late in (None, choice.why == "timeout") and choice.why in ("", "timeout")
    ]
    return rng.choice(places)


def with_ticks(record: Record, row: int, place: int, change: Callable[[int], int]) -> Record:
    assert record.ticks
    rows = [list(one) for one in record.ticks]
    rows[row][place] = change(rows[row][place])
    return replace(record, ticks=tuple(map(tuple, rows)))


def with_choice(record: Record, at: int, place: int, choice: Choice) -> Record:
    steps = [list(step) for step in record.steps]
    steps[at][place] = choice
    return replace(record, steps=tuple(map(tuple, steps)))


def a_tick_of_a_decision(record: Record, rng: random.Random) -> Record:
    at, place = place_of(record, rng, late=False)
    return with_ticks(record, at + 1, place, lambda ticks: ticks + rng.choice((-1, 1)))


def a_tick_of_a_start(record: Record, rng: random.Random) -> Record:
    return with_ticks(record, 0, rng.randrange(2), lambda ticks: ticks + rng.choice((-1, 1, 1_000)))


def another_choice(record: Record, rng: random.Random) -> Record:
    at, place = place_of(record, rng, late=False)
    seat, choice, why = record.steps[at][place]
    return with_choice(record, at, place, Choice(seat, choice - 1 if choice else 1, why))


def a_fault_that_was_none(record: Record, rng: random.Random) -> Record:
    at, place = place_of(record, rng, late=False)
    seat = record.steps[at][place].seat
    late = with_choice(record, at, place, Choice(seat, 0, "timeout"))
    return with_ticks(late, at + 1, place, lambda _: TICKS_A_SECOND // 50)


def a_fault_that_is_left_out(record: Record, rng: random.Random) -> Record:
    at, place = place_of(record, rng, late=True)
    seat, choice, _ = record.steps[at][place]
    return with_ticks(with_choice(record, at, place, Choice(seat, choice)), at + 1, place, lambda ticks: ticks - 1)


def ticks_of_each_other(record: Record, rng: random.Random) -> Record:
    """The ticks of two decisions change places."""
    assert record.ticks
    one, other = place_of(record, rng, late=False), place_of(record, rng, late=False)
    both = [record.ticks[at + 1][place] for at, place in (one, other)]
    if both[0] == both[1]:
        return a_tick_of_a_decision(record, rng)
    for (at, place), ticks in zip((one, other), reversed(both), strict=True):
        record = with_ticks(record, at + 1, place, lambda _, ticks=ticks: ticks)  # type: ignore[misc]
    return record


def a_forfeit_that_was_none(record: Record, rng: random.Random) -> Record:
    """The word of the machine that played is taken only where everything else goes with it."""
    at, place = place_of(record, rng)
    seat = record.steps[at][place].seat
    verdicts, forfeited = list(record.verdicts), list(record.forfeited_at)
    verdicts[seat], forfeited[seat] = type(verdicts[0])("resource"), at + 1
    return replace(record, verdicts=tuple(verdicts), forfeited_at=tuple(forfeited))


def another_score(record: Record, rng: random.Random) -> Record:
    scores = [score + rng.choice((-1, 1)) for score in record.scores]
    return replace(record, scores=tuple(scores))


KINDS: tuple[Forge, ...] = (
    a_tick_of_a_decision,
    a_tick_of_a_start,
    another_choice,
    a_fault_that_was_none,
    a_fault_that_is_left_out,
    ticks_of_each_other,
    a_forfeit_that_was_none,
    another_score,
)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_forged_match_is_named_and_no_other(cup: Path, tmp_path: Path, kind: Forge) -> None:
    rng = random.Random(kind.__name__)
    honest = lines_of(cup / "honest.khiva")
    for number in range(FORGERIES // len(KINDS)):
        lines = [dict(line) for line in honest]
        matches = [line for line in lines if line["kind"] == "match"]
        able = [line for line in matches if kind is not a_fault_that_is_left_out or "timeout" in str(line["record"]["steps"])]
        victim = rng.choice(able)
        (record,) = records([victim])
        changed = kind(record, rng)
        assert changed != record
        victim["record"] = json.loads(changed.to_json())  # its chain worked out again
        next(line for line in lines if line["kind"] == "over")["digest"] = run_digest(
            line["record"]["digest"] for line in matches
        )
        file = tmp_path / f"{number}.khiva"
        file.write_bytes(forged(lines))
        (report,) = verify(file, rerun_bots=True).events
        assert report.unsound_matches == [victim["ordinal"]], (kind, number)
        assert re.search(rf"^match 1/{victim['ordinal']}\b", report.problems[0])


def test_matches_that_another_module_played_are_found_where_the_rules_find_nothing(cup: Path) -> None:
    """Every answer is legal, every digest fits, and the ticks are those of a module: of another one."""
    with Store.read(cup / "honest") as store:
        (event,) = store.events()
    (command,) = stage_all([load(str(cup / "greedy"))], event.definition.sandbox(best()))
    with Store.write(cup / "lies") as store:
        store.add_event(event.id, event.text, event.engines[0], event.commitment, event.secret, event.bots)
        row = store.event(event.id)
        assert row
        part = Play(store, row, [command, command])

        def take(outcome: Outcome) -> None:
            part.record(outcome, last=not outcome.again)

        for draw in part.rounds():
            pool.play(part.jobs(draw), 1, take, 1)
    assert verify(cup / "lies").sound
    (report,) = verify(cup / "lies", rerun_bots=True).events
    assert sorted(report.unsound_matches) == list(range(MATCHES))
    assert all(re.search(r"^match 1/\d+: .*seat [01]", problem) for problem in report.problems)


@pytest.mark.parametrize("how", ["another byte", "a part is missing", "of no bot", "twice", "out of place"])
def test_a_module_that_is_not_the_bots_is_named(cup: Path, tmp_path: Path, how: str) -> None:
    lines = lines_of(cup / "honest.khiva")
    (at, other) = (number for number, line in enumerate(lines) if line["kind"] == "module")
    line = lines[at]
    if how == "another byte":
        line["wasm"] = line["wasm"][:-8] + ("AAAAAAAA" if line["wasm"][-8:] != "AAAAAAAA" else "BBBBBBBB")
    elif how == "a part is missing":
        line["rest"] = 1
    elif how == "of no bot":
        line["identity"] = "a" * 64
    elif how == "twice":
        lines[other] = dict(line)
    else:
        lines.append(lines.pop(at))
    file = tmp_path / "forged.khiva"
    file.write_bytes(forged(lines))
    done = arena("verify", str(file), "--rerun-bots", cwd=tmp_path, code=1)
    assert done.stdout + done.stderr


def test_only_events_in_ticks_have_modules(tmp_path: Path) -> None:
    arena("run", "--seats", "2", "--seeds", "1", "--trust-bots", *bots(C, NAIVE), "--out", "wall", cwd=tmp_path)
    refused = arena("bundle", "wall", "wall.khiva", "--with-modules", cwd=tmp_path, code=2).stderr
    assert sentence("events", "modules-of-ticks") in refused
    assert not (tmp_path / "wall.khiva").exists()
