"""A sample of an event's matches, and what it proves."""

import json
import sqlite3
from contextlib import closing
from itertools import pairwise
from math import comb
from pathlib import Path

import pytest
from arena import NAIVE, C, arena, arena_process, bots
from forging import forge
from once import made_once

import khiva_arena
from khiva_arena.competition.audit_sample import CHANCE, Sample, at_most_wrong
from khiva_arena.errors import ConfigError


@made_once
def played(folder: Path) -> None:
    """Thirty matches in "out"."""
    how = ["--seats", "2", "--isolation", "trusted", "--seeds", "15"]
    arena("run", *bots(C, NAIVE), *how, "--out", "out", cwd=folder)


def unseen(among: int, drawn: int, wrong: int) -> float:
    """How likely a sample shows none of so many wrong ones."""
    return comb(among - wrong, drawn) / comb(among, drawn)


@pytest.mark.parametrize(("among", "drawn"), [(1, 1), (10, 3), (50, 49), (200, 20), (1000, 300), (997, 0)])
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
    sample = Sample.drawn(range(1_000), 300)
    assert (len(sample.ordinals), sample.among) == (300, 1_000)
    assert sample.ordinals < set(range(1_000))
    assert "none is wrong: 95 % sure, at most 8 of all (0.8 %) are" in sample.says(300, 0)
    assert "not all is sound: verify the rest, too" in sample.says(299, 1)
    assert Sample.drawn(range(3), 300).says(3, 0).endswith("replayed: all that there are")
    assert sample.to_dict(299, 1)["at_most_wrong"] is None


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_only_the_sample_is_replayed(played: Path, jobs: str) -> None:
    whole = json.loads(arena("verify", "out", "--json", cwd=played).stdout)["events"][0]
    done = arena_process("verify", "out", "--sample", "10", "--jobs", jobs, "--json", cwd=played)
    (event,) = json.loads(done.stdout)["events"]
    assert event["sample"] == {"drawn": 10, "among": 30, "at_most_wrong": at_most_wrong(30, 10)}
    assert (event["sound"], len(set(event["sound_matches"])), event["missing"]) == (10, 10, 0)
    assert event["digest"] == whole["digest"]
    assert "sample" not in whole
    text = arena("verify", "out", "--sample", "10", cwd=played).stdout
    assert "10 of 10 drawn of 30 matches are sound" in text
    assert "10 of 30 recorded matches were drawn at random and replayed, and none is wrong: 95 % sure" in text


@pytest.mark.slow
def test_what_is_changed_is_found_in_a_sample_that_holds_it_and_by_sums_always(played: Path, tmp_path: Path) -> None:
    for name, forged in (("forged", True), ("damaged", False)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "arena.db").write_bytes((played / "out" / "arena.db").read_bytes())
        with closing(sqlite3.connect(folder / "arena.db")) as connection:
            connection.execute("UPDATE matches SET record = replace(record, '\"why\":\"\"', '') || ' ' WHERE ordinal = 7")
            if forged:
                forge(connection)
            connection.commit()
        arena("verify", str(folder), "--sample", "30", cwd=tmp_path, code=1)
        few = arena("verify", str(folder), "--sample", "1", cwd=tmp_path, code=None)
        assert (few.returncode == 0) or "not all is sound" in few.stdout
        if not forged:
            assert few.returncode == 1
            assert "match 1/7" in few.stdout


@pytest.mark.slow
def test_a_bundle_is_verified_as_a_whole(played: Path, tmp_path: Path) -> None:
    arena("bundle", str(played / "out"), "b", cwd=tmp_path)
    assert "--sample: a bundle is verified as a whole" in arena("verify", "b", "--sample", "3", cwd=tmp_path, code=2).stderr
    with pytest.raises(ConfigError, match="as a whole"):
        khiva_arena.verify(tmp_path / "b", sample=3)
    assert khiva_arena.verify(played / "out", sample=3).sound
