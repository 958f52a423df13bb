"""A merge that runs the bots of some matches again: how often it finds who has forged some, and what it says of that."""

import json
import os
import random
import re
import sqlite3
from contextlib import closing
from itertools import combinations
from math import sqrt
from pathlib import Path
from shutil import copytree

import forged_ticks
import pytest
from arena import C, arena, bots
from once import made_once
from scripted_modules import script, scripted
from stores import NAIVE
from wording import pattern, sentence

from khiva_arena.audit.sample import Sample, chance_found, share_of
from khiva_arena.errors import ConfigError
from khiva_arena.replay.record import Record
from khiva_arena.store.db import Store

MERGES = int(os.environ.get("FORGERIES", "100")) // 4
"""How often a shard with forged matches is merged; ``make modules-soak`` does it ten times as often."""
MATCHES, DRAWN, FORGED = 6, 2, 2
"""Of a shard: its matches, those that a third of it is, and those that are forged."""
SIGMAS = 4


@pytest.mark.parametrize("among", range(1, 8))
def test_the_chance_is_that_of_all_samples_that_there_are(among: int) -> None:
    for drawn in range(among + 1):
        for wrong in range(among + 1):
            samples = [set(sample) for sample in combinations(range(among), drawn)]
            share = sum(bool(sample & set(range(wrong))) for sample in samples) / len(samples)
            assert chance_found(among, drawn, wrong) == pytest.approx(share)


@pytest.mark.parametrize(("among", "share", "wrong"), [(20, 0.05, 1), (60, 0.05, 6), (100, 0.01, 40), (7, 0.5, 2), (400, 0.2, 3)])
def test_samples_find_wrong_matches_as_often_as_they_say(among: int, share: float, wrong: int) -> None:
    tries = 3_000
    hits = sum(bool(Sample.draw_share(range(among), share).ordinals & set(range(wrong))) for _ in range(tries))
    chance = chance_found(among, len(Sample.draw_share(range(among), share).ordinals), wrong)
    assert abs(hits / tries - chance) <= SIGMAS * sqrt(chance * (1 - chance) / tries)


def test_the_number_that_is_surely_found_is_the_least_one() -> None:
    for among, drawn in ((1, 1), (60, 3), (1_000, 50), (5, 5), (40, 0)):
        sample = Sample(frozenset(range(drawn)), among)
        least = sample.sure_from
        assert least == among + 1 or chance_found(among, drawn, least) > 0.95
        assert chance_found(among, drawn, least - 1) <= 0.95


def test_a_sample_says_what_it_finds() -> None:
    assert re.search(pattern("audit", "drawn-rerun", drawn="3"), says := Sample(frozenset(range(3)), 60).finds())
    assert re.search(pattern("audit", "forged-found", one="5 %", surely="38"), says)
    assert re.search(pattern("audit", "forged-surely"), Sample(frozenset(range(999)), 1_000).finds())
    assert "chance" not in Sample(frozenset(range(60)), 60).finds(), "all of them leave nothing to chance"


@pytest.mark.parametrize(("word", "share"), [("5%", 0.05), ("100 %", 1.0), ("0.5%", 0.005)])
def test_a_share_is_a_percentage(word: str, share: float) -> None:
    assert share_of(word) == pytest.approx(share)


@pytest.mark.parametrize("word", ["0%", "101%", "5", "-5%", "%", "", "5%%", "\u0665%", "1e2%"])
def test_what_is_no_share(word: str) -> None:
    with pytest.raises(ConfigError, match=pattern("audit", "no-share", option="--rerun-bots", word=re.escape(repr(word)))):
        share_of(word)


def test_an_event_by_the_wall_clock_has_nothing_to_run_again(tmp_path: Path) -> None:
    words = ("--seats", "2", "--seeds", "2", "--isolation", "trusted")
    arena("run", *words, *bots(C, NAIVE), "--plan", "cup.plan", cwd=tmp_path)
    arena(
        "run",
        "--from-plan",
        "cup.plan",
        "--shard",
        "1/2",
        "--out",
        "one",
        *bots(C, NAIVE),
        "--isolation",
        "trusted",
        cwd=tmp_path,
    )
    refused = arena("merge", "one", "--out", "cup", "--rerun-bots", "5%", cwd=tmp_path, code=2).stderr
    assert re.search(pattern("shards", "rerun-not-in-ticks", folder="one"), refused)
    nothing = arena("merge", "one", "--out", "cup", "--rerun-bots", "", cwd=tmp_path, code=2).stderr
    assert re.search(pattern("audit", "no-share", option="--rerun-bots", word="''"), nothing), "an empty variable of a shell"
    for words in (["merge", "one", "--out", "cup"], ["verify", "one"]):
        refused = arena(*words, "--modules", ".", cwd=tmp_path, code=2).stderr
        assert re.search(pattern("audit", "modules-unused"), refused)


# --- real modules ---


@made_once
def shards(folder: Path) -> None:
    """Two shards of an event in ticks, of which the second has forged matches that the rules find nothing wrong with."""
    for name, text in {"honest": b"", "other": script("t")}.items():
        (folder / f"{name}.wasm").write_bytes(scripted(text))
    words = ("--clock", "ticks", "--seats", "2", "--seeds", str(MATCHES), "--turn", "50ms", "--bank", "0s")
    said = arena("run", *words, *bots("honest.wasm", "other.wasm"), "--plan", "cup.plan", cwd=folder).stderr
    assert sentence("plan", "modules-everywhere") in said
    assert "--isolation" not in said
    for shard in (1, 2):
        arena("run", "--from-plan", "cup.plan", "--shard", f"{shard}/2", "--out", str(shard), cwd=folder)
    copytree(folder / "2", folder / "forged")
    with Store.read(folder / "2") as store:
        (event,) = store.events()
        rows = list(store.matches(event.id))
        secrets = {row.ordinal: event.seed_secret(row.seed) for row in rows}
    forged = {}
    for row in rows[:FORGED]:
        record, secret = Record.from_json(row.record), secrets[row.ordinal]
        forged[row.ordinal] = forged_ticks.tick_of_a_question(record, secret, random.Random(row.ordinal))
    with closing(sqlite3.connect(folder / "forged" / "arena.db")) as connection:
        forged_ticks.forge_store(connection, {ordinal: record for ordinal, record in forged.items() if record})


@pytest.mark.language
@pytest.mark.slow
def test_honest_shards_are_merged_with_what_the_sample_proves(shards: Path, tmp_path: Path) -> None:
    words = ("merge", str(shards / "1"), str(shards / "2"), "--out", str(tmp_path / "cup"), "--rerun-bots", "34%")
    done = arena(*words, cwd=tmp_path)
    assert len(re.findall(pattern("audit", "drawn-rerun", drawn="3"), done.stderr)) == 2
    told = json.loads(arena(*words, "--json", cwd=tmp_path).stdout)["rerun"]
    assert [(row["drawn"], row["among"], row["one_found"], row["sure_from"]) for row in told] == [(3, MATCHES, 0.5, 4)] * 2
    assert [Path(row["store"]).name for row in told] == ["1", "2"]


@pytest.mark.language
@pytest.mark.slow
def test_a_shard_with_forged_matches_is_refused_whole_and_they_are_named(shards: Path, tmp_path: Path) -> None:
    stores = (str(shards / "1"), str(shards / "forged"))
    refused = arena("merge", *stores, "--out", "cup", "--rerun-bots", "100%", cwd=tmp_path, code=2).stderr
    assert re.search(r"forged: not sound: match 1/\d+: step \d+, seat [01]: ", refused)
    assert not (tmp_path / "cup").exists()
    arena("merge", *stores, "--out", "cup", cwd=tmp_path)  # the rules find nothing wrong with it
    assert re.search(r"match 1/\d+: step \d+, seat [01]: ", arena("verify", "cup", "--rerun-bots", cwd=tmp_path, code=1).stdout)


@pytest.mark.language
@pytest.mark.slow
def test_a_lying_shard_is_found_as_often_as_predicted(shards: Path, tmp_path: Path) -> None:
    share = f"{100 * DRAWN / MATCHES - 1:.0f}%"
    words = ("merge", str(shards / "forged"), "--rerun-bots", share, "--out")
    codes = [arena(*words, f"cup{number}", cwd=tmp_path, code=None).returncode for number in range(MERGES)]
    assert {*codes} <= {1, 2}, "merged, with a shard missing; or refused"
    chance = chance_found(MATCHES, DRAWN, FORGED)
    assert abs(codes.count(2) / MERGES - chance) <= SIGMAS * sqrt(chance * (1 - chance) / MERGES)
