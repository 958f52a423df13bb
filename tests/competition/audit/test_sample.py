"""A sample of an event's matches, and what it proves."""

import json
import random
import sqlite3
from contextlib import closing
from itertools import pairwise
from math import comb
from pathlib import Path
from typing import Any

import msgspec
import pytest
from arena import arena, bots
from bundling import forged, lines_of
from forging import forge
from forked_command import arena_forked
from once import made_once
from stores import NAIVE, RANDOM
from wording import sentence

import khiva_arena
from khiva_arena.competition.audit.sample import CHANCE, Sample, at_most_wrong
from khiva_arena.records.replay.record import Record, canonical, run_digest

JOBS = {"1": arena, "2": arena_forked}
"""By number of jobs: how a command is called, since other jobs are forked from its
process.
"""


@made_once
def played(folder: Path) -> None:
    """Thirty matches in "out"."""
    how = ["--seats", "2", "--isolation", "trusted", "--seeds", "15"]
    arena("run", *bots(RANDOM, NAIVE), *how, "--out", "out", cwd=folder)


def unseen(among: int, drawn: int, wrong: int) -> float:
    """How likely a sample shows none of so many wrong ones."""
    return comb(among - wrong, drawn) / comb(among, drawn)


@pytest.mark.parametrize(
    ("among", "drawn"), [(1, 1), (10, 3), (50, 49), (200, 20), (1000, 300), (997, 0)]
)
def test_the_bound_is_that_of_all_possible_samples(among: int, drawn: int) -> None:
    most = at_most_wrong(among, drawn)
    assert unseen(among, drawn, most) >= CHANCE
    assert most == among - drawn or unseen(among, drawn, most + 1) < CHANCE


def test_three_hundred_of_very_many_leave_one_percent() -> None:
    assert at_most_wrong(1_000_000, 300) / 1_000_000 == pytest.approx(0.00994, abs=1e-5)
    bounds = [at_most_wrong(10_000, drawn) for drawn in (10, 100, 1_000, 10_000)]
    assert all(more > fewer for more, fewer in pairwise(bounds))
    assert bounds[-1] == 0


def test_what_a_sample_says() -> None:
    sample = Sample.draw(range(1_000), 300)
    assert (len(sample.ordinals), sample.among) == (300, 1_000)
    assert sample.ordinals < set(range(1_000))
    assert "none is wrong: 95 % sure, at most 8 of all (0.8 %) are" in sample.says(300, 0)
    assert sentence("audit", "not-sound-verify-rest") in sample.says(299, 1)
    assert Sample.draw(range(3), 300).says(3, 0).endswith("replayed: all of them")
    assert sample.to_dict(299, 1)["at_most_wrong"] is None


def test_what_a_sample_says_of_matches_that_could_not_be_run_again() -> None:
    """It is said of all that can be, of which those that could be are drawn at
    random.
    """
    sample = Sample.draw(range(1_000), 300, rng=random.Random(1))
    of = sentence("audit", "all-that-can-be")
    bound = at_most_wrong(990, 290)
    assert f"95 % sure, at most {bound} of {of} ({100 * bound / 990:.2g} %) are" in sample.says(
        290, 0, 10
    )
    assert sample.to_dict(290, 0, 10) == {"drawn": 300, "among": 1_000, "at_most_wrong": bound}
    assert bound >= at_most_wrong(1_000, 300)
    assert sample.says(0, 0, 300).endswith(
        "and none could be run again here: nothing is known of the others"
    )
    assert sample.to_dict(0, 0, 300)["at_most_wrong"] is None
    assert sentence("audit", "not-sound-verify-rest") in sample.says(289, 0, 10)


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_only_the_sample_is_replayed(played: Path, jobs: str) -> None:
    whole = json.loads(arena("verify", "out", "--json", cwd=played).stdout)["events"][0]
    done = JOBS[jobs]("verify", "out", "--sample", "10", "--jobs", jobs, "--json", cwd=played)
    (event,) = json.loads(done.stdout)["events"]
    assert event["sample"] == {"drawn": 10, "among": 30, "at_most_wrong": at_most_wrong(30, 10)}
    assert (event["sound"], len(set(event["sound_matches"])), event["missing"]) == (10, 10, 0)
    assert event["digest"] == whole["digest"]
    assert "sample" not in whole
    text = arena("verify", "out", "--sample", "10", cwd=played).stdout
    assert "10 of 10 drawn matches are sound" in text
    assert (
        "10 of 30 recorded matches were drawn at random and replayed, and none is wrong: 95 % sure"
        in text
    )


@pytest.mark.slow
def test_what_is_changed_is_found_in_a_sample_that_holds_it_and_by_sums_always(
    played: Path, tmp_path: Path
) -> None:
    for name, by_design in (("forged", True), ("damaged", False)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "arena.db").write_bytes((played / "out" / "arena.db").read_bytes())
        with closing(sqlite3.connect(folder / "arena.db")) as connection:
            connection.execute(
                "UPDATE matches SET record = replace(record, '\"why\":\"\"', '') || ' ' "
                "WHERE ordinal = 7"
            )
            if by_design:
                forge(connection)
            connection.commit()
        arena("verify", str(folder), "--sample", "30", cwd=tmp_path, code=1)
        few = arena("verify", str(folder), "--sample", "1", cwd=tmp_path, code=None)
        assert (few.returncode == 0) or sentence("audit", "not-sound-verify-rest") in few.stdout
        if not by_design:
            assert few.returncode == 1
            assert "match 1/7" in few.stdout


# --- bundles ---


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_of_a_bundle_only_the_sample_is_replayed(played: Path, tmp_path: Path, jobs: str) -> None:
    arena("bundle", str(played / "out"), "b", cwd=tmp_path)
    done = JOBS[jobs]("verify", "b", "--sample", "10", "--jobs", jobs, "--json", cwd=tmp_path)
    said = json.loads(done.stdout)
    (event,) = said["events"]
    assert event["sample"] == {"drawn": 10, "among": 30, "at_most_wrong": at_most_wrong(30, 10)}
    assert (event["sound"], len(set(event["sound_matches"])), event["missing"]) == (10, 10, 0)
    assert (
        event["digest"]
        == json.loads(arena("verify", "b", "--json", cwd=tmp_path).stdout)["events"][0]["digest"]
    )
    text = arena("verify", "b", "--sample", "10", cwd=tmp_path).stdout
    assert "95 % sure" in text
    assert "of the others only places, hash chains and commitments were checked" in text
    assert sentence("verify", "standings-those-records-give") in text
    assert khiva_arena.verify(tmp_path / "b", sample=3).sound


def lying(lines: list[dict[str, Any]], ordinal: int, **changes: Any) -> None:
    """Let a match say something else, with its chain and the run digest worked out
    again.
    """
    matches = [line for line in lines if line["kind"] == "match"]
    text = next(line for line in matches if line["ordinal"] == ordinal)
    record = Record.from_json(canonical(text["record"]).decode())
    text["record"] = json.loads(msgspec.structs.replace(record, **changes).to_json())
    over = next(line for line in lines if line["kind"] == "over")
    over["digest"] = run_digest(line["record"]["digest"] for line in matches)


@pytest.mark.slow
def test_a_lie_in_a_bundle_is_found_in_a_sample_that_holds_it(played: Path, tmp_path: Path) -> None:
    arena("bundle", str(played / "out"), "b", cwd=tmp_path)
    lines = lines_of(tmp_path / "b")
    lying(lines, 7, scores=(99, 98))  # the ranks stay, so the standings do
    (tmp_path / "lies").write_bytes(forged(lines))
    found = [khiva_arena.verify(tmp_path / "lies", sample=drawn) for drawn in (30, 1)]
    assert any("scores are [99, 98]" in problem for problem in found[0].events[0].problems)
    assert found[1].sound or "match 1/7" in found[1].events[0].problems[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"ranks": (1, 3)}, "are not ranks"),
        ({"scores": (1,)}, "one for each"),
        ({"forfeited_at": (3, None)}, sentence("replay", "not-go-together")),
    ],
)
def test_what_no_result_can_be_is_found_without_replaying_it(
    played: Path, tmp_path: Path, changes: dict[str, Any], why: str
) -> None:
    arena("bundle", str(played / "out"), "b", cwd=tmp_path)
    lines = lines_of(tmp_path / "b")
    for ordinal in range(30):
        lying(lines, ordinal, **changes)
    (tmp_path / "lies").write_bytes(forged(lines))
    problems = khiva_arena.verify(tmp_path / "lies", sample=1).events[0].problems
    assert len([problem for problem in problems if why in problem]) >= 29


def test_a_damaged_bundle_is_as_damaged_in_a_sample(played: Path, tmp_path: Path) -> None:
    arena("bundle", str(played / "out"), "b", cwd=tmp_path)
    whole = (tmp_path / "b").read_bytes()
    (tmp_path / "half").write_bytes(whole[: len(whole) // 2])
    one, other = (
        khiva_arena.verify(tmp_path / "half"),
        khiva_arena.verify(tmp_path / "half", sample=3),
    )
    assert not one.sound
    assert one.problems == other.problems != []
