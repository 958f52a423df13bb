"""Forgeries of events in ticks that the rules cannot find: each is named once the bots
are run again, and no honest match is.
"""

import gzip
import os
import random
import re
import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import forged_ticks
import pytest
from arena import arena, bots
from bundling import packed
from forged_ticks import Forge
from once import made_once
from scripted_modules import command, of_row, script, scripted
from wording import pattern

from khiva_arena.arbiter.match import Job
from khiva_arena.arbiter.pool import play_one
from khiva_arena.bots.sandbox.detect import best
from khiva_arena.bots.sandbox.level import Sandbox
from khiva_arena.entrants import only_modules, staging
from khiva_arena.entrants.bots import load
from khiva_arena.interface.api.verify import verify
from khiva_arena.records.replay.definition import ModuleFile
from khiva_arena.records.replay.record import Record
from khiva_arena.records.replay.ticks import unconfirmed
from khiva_arena.records.store.db import Store

pytestmark = [pytest.mark.language, pytest.mark.slow]

FORGERIES = int(os.environ.get("FORGERIES", "40"))
"""How many matches are forged; ``python -m tests.tools modules-soak`` forges 1,000."""
MODULES = {
    "honest": b"",
    "slow": script("t", command("s", 20), command("a"), at=3),
    "illegal": of_row("choice-beyond"),
    "late": script("t", command("h"), at=5),
    "traps": script("t", command("d"), at=6),
}
KINDS: tuple[Forge, ...] = (
    forged_ticks.choice,
    forged_ticks.tick_of_a_start,
    forged_ticks.tick_of_a_question,
    forged_ticks.fault_added,
    forged_ticks.fault_taken_away,
    forged_ticks.answers_swapped,
    forged_ticks.verdict,
)
"""What running the bots again finds. A forfeit by the backstop is listed, which is the
eighth kind.
"""


@made_once
def cup(folder: Path) -> None:
    """An event of five modules at tables of three, three of which misbehave in every
    match: 30 matches.
    """
    for name, text in MODULES.items():
        (folder / f"{name}.wasm").write_bytes(scripted(text))
    words = ("--clock", "ticks", "--seats", "3", "--seeds", "1", "--turn", "50ms", "--bank", "0s")
    arena("run", *words, *bots(*(f"{name}.wasm" for name in MODULES)), "--out", "store", cwd=folder)
    arena("bundle", "store", "cup.khiva", cwd=folder)


def records_of(store: Path) -> dict[int, tuple[Record, bytes]]:
    """The records of the one event of a store, by ordinal, with the secret of each
    seed. Its modules are kept for ``backstop``: another process may have made the
    store.
    """
    for module in (store / "modules").iterdir():
        only_modules.keep("module", module.read_bytes())
    with Store.read(store) as opened:
        (event,) = opened.events()
        return {
            row.ordinal: (Record.from_json(row.record), event.seed_secret(row.seed))
            for row in opened.matches(event.id)
        }


def backstop(record: Record, secret: bytes, rng: random.Random) -> Record:
    """A record in which a seat is out by the backstop, that its machine alone claims:
    all other answers are what the bots say.
    """
    place = rng.choice([place for place in forged_ticks.places(record) if not place.why])
    level = best()
    modules = [only_modules.kept(ModuleFile("module", seat.bot)) for seat in record.header.seats]
    commands = tuple(staging.stage(load(str(module)), level) for module in modules)
    job = Job(
        0, 1, record.header, secret, commands, Sandbox(level), forced=((place.seat, place.step),)
    )
    claim = play_one(job).record
    assert claim
    return claim


def test_forged_matches_are_named_and_no_other(cup: Path, tmp_path: Path) -> None:
    honest = records_of(cup / "store")
    counts: Counter[str] = Counter()
    while counts.total() < FORGERIES:
        rng = random.Random(counts.total())
        forged, claimed = {}, {}
        for ordinal in rng.sample(sorted(honest), 2 * len(honest) // 3):
            for kind in sorted(
                (*KINDS, backstop), key=lambda kind: (counts[kind.__name__], rng.random())
            ):
                record = kind(*honest[ordinal], rng)
                if record is not None and record != honest[ordinal][0]:
                    (claimed if kind is backstop else forged)[ordinal] = record
                    counts[kind.__name__] += 1
                    break
        store = tmp_path / "store"
        shutil.copytree(cup / "store", store)
        with closing(sqlite3.connect(store / "arena.db")) as connection:
            forged_ticks.add_voids(connection, claimed)
            forged_ticks.forge_store(connection, {**forged, **claimed})
        (report,) = verify(store).events
        assert report.problems == [], "what the rules find needs no bots"
        (report,) = verify(store, rerun_bots=True).events
        assert sorted(report.unsound_matches) == sorted(forged), counts
        for ordinal, problem in zip(sorted(forged), report.problems, strict=True):
            assert re.match(rf"match 1/{ordinal}: (step [0-9]+, )?seat [0-2]\b", problem)
        listed = {tuple(map(int, re.findall(r"[0-9]+", line)[1:])) for line in report.unconfirmed}
        assert listed == {
            (ordinal, step, seat)
            for ordinal, one in claimed.items()
            for seat, step in unconfirmed(one)
        }
        shutil.rmtree(store)
    assert len(counts) == len(KINDS) + 1, counts


def test_no_backstop_is_believed_of_a_bot_that_made_no_match_void(
    cup: Path, tmp_path: Path
) -> None:
    """The first one makes a match void, so that a forfeit without a void is found
    without the bots.
    """
    ordinal, (record, secret) = next(iter(records_of(cup / "store").items()))
    store, claim = tmp_path / "store", backstop(record, secret, random.Random(0))
    for others in ((), (ordinal,)):
        shutil.rmtree(store, ignore_errors=True)
        shutil.copytree(cup / "store", store)
        with closing(sqlite3.connect(store / "arena.db")) as connection:
            forged_ticks.add_voids(connection, others)
            forged_ticks.forge_store(connection, {ordinal: claim})
        bundle = f"claim{len(others)}.khiva"
        arena("bundle", "store", bundle, cwd=tmp_path)
        for place in (store, tmp_path / bundle):
            (report,) = verify(place).events
            assert report.problems == (
                []
                if others
                else [
                    (
                        f"match 1/{ordinal}: a seat is out by the backstop, but no attempt at "
                        "a match of its bot was void"
                    )
                ]
            )


def test_an_honest_event_is_not_accused(cup: Path) -> None:
    for place in ("store", "cup.khiva"):
        result = verify(cup / place, rerun_bots=True)
        (report,) = result.events
        assert (result.sound, report.rerun, report.unconfirmed) == (True, report.planned, [])
    faults = {
        choice.why
        for record, _ in records_of(cup / "store").values()
        for step in record.steps
        for choice in step
    }
    assert {"timeout", "crashed"} <= faults


def test_another_module_under_the_same_name_is_not_run(cup: Path, tmp_path: Path) -> None:
    identity = min(
        seat.bot for record, _ in records_of(cup / "store").values() for seat in record.header.seats
    )
    folder, cache = tmp_path / "modules", tmp_path / "cache"
    folder.mkdir()
    file = only_modules.named(folder, ModuleFile("module", identity))
    file.write_bytes(scripted(of_row("exit-0")))
    words, env = ("verify", "cup.khiva", "--rerun-bots"), {"KHIVA_ARENA_CACHE": str(cache)}
    refused = arena(*words, "--modules", str(folder), cwd=cup, env=env, code=2).stderr
    assert re.search(pattern("audit", "modules-not-here", names="[a-z, ]+"), refused)
    shutil.copytree(cup / "store" / "modules", cache / "modules", dirs_exist_ok=True)
    shutil.copy(file, cache / "modules")
    refused = arena(*words, cwd=cup, env=env, code=2).stderr
    assert re.search(pattern("audit", "modules-damaged", copies=f".*{identity}.wasm"), refused)


def test_an_altered_bundle_is_not_sound(cup: Path, tmp_path: Path) -> None:
    """One byte of its text is another one, of the many that it has."""
    text = gzip.decompress((cup / "cup.khiva").read_bytes())
    rng = random.Random("altered")
    for _ in range(max(10, FORGERIES // 10)):
        at = rng.randrange(len(text))
        altered = text[:at] + bytes([text[at] ^ 1]) + text[at + 1 :]
        (tmp_path / "altered.khiva").write_bytes(packed(altered))
        assert arena("verify", "altered.khiva", cwd=tmp_path, code=None).returncode in (1, 2), (
            at,
            text[at - 20 : at + 20],
        )
