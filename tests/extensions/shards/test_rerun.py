"""A merge that runs the bots of some matches again: how often it finds who has forged
some, and what it says of that.
"""

import json
import random
import re
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from itertools import combinations
from math import ceil, sqrt
from pathlib import Path
from shutil import copytree
from typing import cast

import forged_ticks
import pytest
from arena import C, arena, bots
from once import made_once
from scripted_modules import script, scripted
from stores import NAIVE
from ticks_event import MODULES, OF_THE_FIRST, commands, rerunner_of
from ticks_event import six_in_ticks as six_in_ticks
from wording import pattern, sentence

from khiva_arena.arbiter import pool
from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.bots.sandbox.level import TRUSTING
from khiva_arena.competition.audit.compared import as_recorded, compared
from khiva_arena.competition.audit.rerun import Rerunner
from khiva_arena.competition.audit.sample import (
    RerunFindings,
    RerunSample,
    Sample,
    Unconfirmed,
    chance_found,
    lots,
    share_of,
)
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.shards import merge as merge_room
from khiva_arena.extensions.shards.merge_function import merge
from khiva_arena.extensions.shards.parts import opened_parts
from khiva_arena.extensions.shards.rerun import RerunPart, rerun_parts
from khiva_arena.records.replay.definition import Definition
from khiva_arena.records.replay.record import Record
from khiva_arena.records.store.db import Store

MATCHES, FORGED = 6, 2
"""Of a shard: its matches, and those that are forged."""
SEEDS = 3_000
SIGMAS = 4


@pytest.mark.parametrize("among", range(1, 8))
def test_the_chance_is_that_of_all_samples_that_there_are(among: int) -> None:
    for drawn in range(among + 1):
        for wrong in range(among + 1):
            samples = [set(sample) for sample in combinations(range(among), drawn)]
            share = sum(bool(sample & set(range(wrong))) for sample in samples) / len(samples)
            assert chance_found(among, drawn, wrong) == pytest.approx(share)


@pytest.mark.parametrize(
    ("among", "share", "wrong"),
    [(20, 0.05, 1), (60, 0.05, 6), (100, 0.01, 40), (7, 0.5, 2), (400, 0.2, 3)],
)
def test_samples_find_wrong_matches_as_often_as_they_say(
    among: int, share: float, wrong: int
) -> None:
    """Over the lots of many seeds, which are the same in every run of this test."""
    drawn = ceil(share * among)
    orders = (lots(range(among), random.Random(seed)) for seed in range(SEEDS))
    hits = sum(bool({*order[:drawn]} & {*range(wrong)}) for order in orders)
    samples = (Sample.draw(range(among), drawn, rng=random.Random(seed)) for seed in range(SEEDS))
    hits_of_samples = sum(bool(sample.ordinals & {*range(wrong)}) for sample in samples)
    chance = chance_found(among, drawn, wrong)
    for number in (hits, hits_of_samples):
        assert abs(number / SEEDS - chance) <= SIGMAS * sqrt(chance * (1 - chance) / SEEDS)


def test_lots_are_the_systems_and_no_two_draws_are_alike() -> None:
    orders = {tuple(lots(range(60))) for _ in range(20)}
    assert len(orders) == 20
    assert all(sorted(order) == [*range(60)] for order in orders)


def test_the_number_that_is_surely_found_is_the_least_one() -> None:
    for among, drawn in ((1, 1), (60, 3), (1_000, 50), (5, 5)):
        least = RerunSample(among, drawn, {}, {}).sure_from
        assert least
        assert least == among + 1 or chance_found(among, drawn, least) > 0.95
        assert chance_found(among, drawn, least - 1) <= 0.95


def test_a_sample_says_what_it_finds() -> None:
    assert re.search(
        pattern("audit", "drawn-rerun", drawn="3"), says := RerunSample(60, 3, {}, {}).finds()
    )
    many = sentence("audit", "forged-many", surely="38")
    assert re.search(pattern("audit", "forged-found", which="", one="5 %", many=many), says)
    assert re.search(
        ": a single forged match is found with a chance of more than 95 %",
        RerunSample(1_000, 999, {}, {}).finds(),
    )
    assert "chance" not in RerunSample(60, 60, {}, {}).finds(), (
        "all of them leave nothing to chance"
    )


@pytest.mark.parametrize(("word", "share"), [("5%", 0.05), ("100 %", 1.0), ("0.5%", 0.005)])
def test_a_share_is_a_percentage(word: str, share: float) -> None:
    assert share_of(word) == pytest.approx(share)


@pytest.mark.parametrize("word", ["0%", "101%", "5", "-5%", "%", "", "5%%", "\u0665%", "1e2%"])
def test_what_is_no_share(word: str) -> None:
    with pytest.raises(
        ConfigError,
        match=pattern("audit", "no-share", option="--rerun-bots", word=re.escape(repr(word))),
    ):
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
    refused = arena(
        "merge", "one", "--out", "cup", "--rerun-bots", "5%", cwd=tmp_path, code=2
    ).stderr
    assert re.search(
        (
            "--rerun-bots: the event of one is not in ticks, and what bots thought by the "
            "wall clock is not kept"
        ),
        refused,
    )
    nothing = arena("merge", "one", "--out", "cup", "--rerun-bots", "", cwd=tmp_path, code=2).stderr
    assert re.search(pattern("audit", "no-share", option="--rerun-bots", word="''"), nothing), (
        "an empty variable of a shell"
    )
    unused = arena(
        "merge", "one", "--out", "cup", "--take-unconfirmed", cwd=tmp_path, code=2
    ).stderr
    assert (
        "--take-unconfirmed: only with --rerun-bots some match could not be confirmed; add it"
        in unused
    )
    for words in (["merge", "one", "--out", "cup"], ["verify", "one"]):
        refused = arena(*words, "--modules", ".", cwd=tmp_path, code=2).stderr
        assert re.search("--modules: only --rerun-bots runs them; add it", refused)


# --- real modules ---


@made_once
def shards(folder: Path) -> None:
    """Two shards of an event in ticks, of which the second has forged matches that the
    rules find nothing wrong with.
    """
    for name, text in {"honest": b"", "other": script("t")}.items():
        (folder / f"{name}.wasm").write_bytes(scripted(text))
    words = (
        "--clock",
        "ticks",
        "--seats",
        "2",
        "--seeds",
        str(MATCHES),
        "--turn",
        "50ms",
        "--bank",
        "0s",
    )
    said = arena(
        "run", *words, *bots("honest.wasm", "other.wasm"), "--plan", "cup.plan", cwd=folder
    ).stderr
    assert (
        "every machine runs the modules itself, in wasmtime: pip install "
        "'khiva-arena[modules]' there" in said
    )
    assert "--isolation" not in said
    for shard in (1, 2):
        arena(
            "run",
            "--from-plan",
            "cup.plan",
            "--shard",
            f"{shard}/2",
            "--out",
            str(shard),
            cwd=folder,
        )
    copytree(folder / "2", folder / "forged")
    with Store.read(folder / "2") as store:
        (event,) = store.events()
        rows = list(store.matches(event.id))
        secrets = {row.ordinal: event.seed_secret(row.seed) for row in rows}
    forged = {}
    for row in rows[:FORGED]:
        record, secret = Record.from_json(row.record), secrets[row.ordinal]
        forged[row.ordinal] = forged_ticks.tick_of_a_question(
            record, secret, random.Random(row.ordinal)
        )
    with closing(sqlite3.connect(folder / "forged" / "arena.db")) as connection:
        forged_ticks.forge_store(
            connection, {ordinal: record for ordinal, record in forged.items() if record}
        )


@pytest.mark.language
@pytest.mark.slow
def test_honest_shards_are_merged_with_what_the_sample_proves(shards: Path, tmp_path: Path) -> None:
    words = (
        "merge",
        str(shards / "1"),
        str(shards / "2"),
        "--out",
        str(tmp_path / "cup"),
        "--rerun-bots",
        "34%",
    )
    done = arena(*words, cwd=tmp_path)
    assert len(re.findall(pattern("audit", "drawn-rerun", drawn="3"), done.stderr)) == 2
    told = json.loads(arena(*words, "--json", cwd=tmp_path).stdout)["rerun"]
    assert [(row["drawn"], row["among"], row["one_found"], row["sure_from"]) for row in told] == [
        (3, MATCHES, 0.5, 4)
    ] * 2
    assert [Path(row["store"]).name for row in told] == ["1", "2"]


@pytest.mark.language
@pytest.mark.slow
def test_a_shard_with_forged_matches_is_refused_whole_and_they_are_named(
    shards: Path, tmp_path: Path
) -> None:
    stores = (str(shards / "1"), str(shards / "forged"))
    refused = arena(
        "merge", *stores, "--out", "cup", "--rerun-bots", "100%", cwd=tmp_path, code=2
    ).stderr
    assert re.search(r"forged: not sound: match 1/\d+: step \d+, seat [01]: ", refused)
    assert not (tmp_path / "cup").exists()
    arena("merge", *stores, "--out", "cup", cwd=tmp_path)  # the rules find nothing wrong with it
    assert re.search(
        r"match 1/\d+: step \d+, seat [01]: ",
        arena("verify", "cup", "--rerun-bots", cwd=tmp_path, code=1).stdout,
    )


# --- the parts of an event of doubles ---


@pytest.fixture(scope="module")
def doubles(six_in_ticks: Path) -> Path:
    """Six matches in ticks of three doubles: as a part of an event, and as one with a
    forged tick.
    """
    copytree(six_in_ticks / "store", six_in_ticks / "forged")
    with Store.read(six_in_ticks / "store") as store:
        (event,) = store.events()
        row = next(iter(store.matches(event.id)))
        record = forged_ticks.tick_of_a_question(
            row.parsed(), event.seed_secret(row.seed), random.Random(0)
        )
    with closing(sqlite3.connect(six_in_ticks / "forged" / "arena.db")) as connection:
        assert record
        forged_ticks.forge_store(connection, {row.ordinal: record})
    return six_in_ticks


class Stub:
    """Stands for what runs bots again, and remembers what it was given.

    unconfirmed: matches that it cannot run.
    forged: those that do not come out equal.
    """

    def __init__(self, unconfirmed: Sequence[int] = (), forged: Sequence[int] = ()) -> None:
        self._unconfirmed, self._forged = unconfirmed, forged
        self.runs: list[list[int]] = []

    def findings(self, _: Definition, matches: Mapping[int, tuple[Record, bytes]]) -> RerunFindings:
        self.runs.append([*matches])
        unconfirmed = {
            one: Unconfirmed("no memory", (NAME,)) for one in self._unconfirmed if one in matches
        }
        return RerunFindings(
            {one: "step 1, seat 0: another answer" for one in self._forged if one in matches},
            unconfirmed,
        )


NAME = "greedy"


Rerun = tuple[RerunPart, list[str]]


def rerun(
    store: Path, stub: Stub | Rerunner, share: float, seed: int = 0, *, take: bool = False
) -> Rerun:
    """Run the bots of a share of a store's matches again, drawn by the lots of a seed.
    Return also what is said.
    """
    said: list[str] = []
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        patch.setattr(random, "SystemRandom", lambda: random.Random(seed))
        parts = opened_parts(stack, [store], store.with_name("cup"), None)
        again = cast("Rerunner", stub)
        (part,) = rerun_parts(
            parts, again, share, lambda text, **_: said.append(text), take_unconfirmed=take
        )
    return part, said


@pytest.mark.slow
def test_a_sound_part_is_run_again_and_its_cost_said(
    doubles: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part, said = rerun(doubles / "store", rerunner_of(monkeypatch, *MODULES), 0.5)
    plain = part.to_dict()
    assert (plain["drawn"], plain["among"], plain["confirmed"], plain["unconfirmed"]) == (
        3,
        6,
        3,
        {},
    )
    assert (plain["one_found"], plain["sure_from"]) == (0.5, 4)
    assert said == [f"{doubles / 'store'}: {part.cost.says}"]
    cost = plain["cost"]
    assert cost["ticks"] > 0
    assert cost["cpu_s_worst"] == pytest.approx(50 * cost["cpu_s_best"])
    words = {
        "matches": "3 matches",
        "ticks": f"{cost['ticks']:,}",
        "best": "[0-9]+ s",
        "worst": "[0-9]+ minutes",
    }
    assert re.search(pattern("audit", "cost", **words), said[0])


@pytest.mark.slow
def test_another_match_is_drawn_for_one_that_cannot_be_confirmed(doubles: Path) -> None:
    for seed in range(30):
        stub = Stub(OF_THE_FIRST)
        part, said = rerun(doubles / "store", stub, 0.3, seed, take=True)
        sample, drawn = part.sample, [one for run in stub.runs for one in run]
        assert sample.confirmed == 2
        assert drawn == lots(range(MATCHES), random.Random(seed))[: len(drawn)], (
            "by lot, and none twice"
        )
        assert {*sample.unconfirmed} == {*drawn} & {*OF_THE_FIRST}
        assert part.to_dict()["unconfirmed_by_bot"] == (
            {NAME: len(sample.unconfirmed)} if sample.unconfirmed else {}
        )
        assert sample.one_found == pytest.approx(2 / (MATCHES - len(sample.unconfirmed)))
        assert (len(said), part.cost.matches) == (len(stub.runs), len(drawn))


@pytest.mark.slow
def test_a_part_that_makes_itself_uncheckable_is_refused_unless_it_is_taken(doubles: Path) -> None:
    with pytest.raises(ConfigError) as refusal:
        rerun(doubles / "store", Stub(range(6)), 1.0)
    example = pattern(
        "shards", "too-many-example", bots=f"{NAME} 6", event="1", match="[0-5]", why="no memory"
    )
    words = {"folder": ".*store", "number": "6", "drawn": "6", "example": example}
    assert re.fullmatch(pattern("shards", "too-many-unconfirmed", **words), str(refusal.value))
    assert refusal.value.exit_code == 2
    taken, _ = rerun(doubles / "store", Stub(range(6)), 1.0, take=True)
    assert (taken.sample.one_found, taken.sample.sure_from, taken.sample.drawn) == (0.0, None, 6)


@pytest.mark.slow
def test_a_claimed_backstop_counts_as_unconfirmed(doubles: Path) -> None:
    """Else a part could let anybody forfeit, and say that only its machine can know."""
    with Store.read(doubles / "store") as store:
        (row,) = store.events()
        match = next(iter(store.matches(row.id)))
    record = match.parsed()
    job = Job(
        0,
        1,
        record.header,
        row.seed_secret(match.seed),
        tuple(commands(*MODULES[:2])),
        TRUSTING,
        forced=((1, 1),),
    )
    claim = pool.play_one(job).record
    assert claim
    one = compared(claim, pool.play_one(as_recorded(job, claim))).unconfirmed
    assert one
    assert (one.is_claim, one.bots) == (True, (record.header.seats[1].name,))


@pytest.mark.slow
def test_a_match_that_meets_the_backstop_is_not_run_again_a_second_time(doubles: Path) -> None:
    """So that no more ticks are run than was said."""
    with Store.read(doubles / "store") as store:
        (row,) = store.events()
        match = next(iter(store.matches(row.id)))
    record = match.parsed()
    job = Job(
        0,
        1,
        record.header,
        row.seed_secret(match.seed),
        tuple(commands("backstop:1", MODULES[1])),
        TRUSTING,
    )
    tries: list[Outcome] = []
    pool.play_one(as_recorded(job, record), tell=tries.append)
    assert len(tries) == 1
    assert compared(record, tries[0]).unconfirmed


@pytest.mark.slow
def test_a_forged_match_is_found_when_it_is_drawn_and_never_else(doubles: Path) -> None:
    drawn = [0 in lots(range(MATCHES), random.Random(seed))[:3] for seed in range(60)]
    assert abs(sum(drawn) - 30) < SIGMAS * sqrt(60 * 0.25)
    for seed, is_drawn in enumerate(drawn):
        if is_drawn:
            with pytest.raises(
                ConfigError, match="store: not sound: match 1/0: step 1, seat 0: another answer; "
            ):
                rerun(doubles / "store", Stub(forged=[0]), 0.5, seed)
        else:
            part, _ = rerun(doubles / "store", Stub(forged=[0]), 0.5, seed)
            assert part.sample.one_found == 0.5


@pytest.mark.slow
def test_a_forged_tick_is_named(doubles: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match=r"forged: not sound: match 1/0: step \d+, seat [01]: "):
        rerun(doubles / "forged", rerunner_of(monkeypatch, *MODULES), 1.0)


@pytest.mark.slow
def test_a_merge_takes_a_part_that_cannot_be_confirmed_only_if_it_is_told_to(
    doubles: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merge_room, "_rerunner", lambda *_: Stub([2, 4]))
    with pytest.raises(ConfigError):
        merge(doubles / "store", out=tmp_path / "cup", rerun_bots="100%")
    assert not (tmp_path / "cup").exists()
    merged = merge(
        doubles / "store", out=tmp_path / "cup", rerun_bots="100%", take_unconfirmed=True
    )
    (row,) = merged.to_dict()["rerun"]
    assert (row["drawn"], row["confirmed"]) == (6, 4)
    assert (row["unconfirmed"], row["unconfirmed_by_bot"]) == (
        {"2": "no memory", "4": "no memory"},
        {NAME: 2},
    )
    assert json.dumps(row)
    monkeypatch.setattr(merge_room, "_rerunner", lambda *_: Stub([2]))
    merge(doubles / "store", out=tmp_path / "alone", rerun_bots="100%")  # one alone says nothing
    with pytest.raises(ConfigError, match="take_unconfirmed: "):
        merge(doubles / "store", out=tmp_path / "cup", take_unconfirmed=True)
