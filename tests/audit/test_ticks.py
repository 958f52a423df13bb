"""An event in ticks in a store: played at any number of jobs, verified, bundled; a forged tick is named."""

import importlib.util
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from arena import ROOT, arena
from bundling import forged, lines_of
from msgspec.structs import replace
from once import made_once
from synthesised import SECRET, planned
from wording import pattern

from khiva_arena import __version__
from khiva_arena.arbiter import pool
from khiva_arena.arbiter.match import Outcome
from khiva_arena.playing import jobs
from khiva_arena.playing.jobs import Play
from khiva_arena.replay import seeds
from khiva_arena.replay.record import Record, canonical, run_digest
from khiva_arena.result import Clock
from khiva_arena.sandbox.command import Command
from khiva_arena.sandbox.level import Level
from khiva_arena.shards.plan_file import event_of
from khiva_arena.store.db import EventRow, Store

pytestmark = pytest.mark.slow

DOUBLE = ROOT / "tests" / "support" / "double_runner.py"
MODULES = ("honest", "timeout:2", "traps:5")


def event() -> EventRow:
    """An event of three modules, two of which misbehave in every match."""
    by_the_wall = planned(seeds=1)
    definition = replace(by_the_wall.definition, clock=Clock.TICKS, meter=1, isolation="module", ponder=False)
    commitment = seeds.commitment(definition.digest, SECRET)
    return event_of(definition.text, __version__, commitment, SECRET, by_the_wall.bots)


def play(folder: Path, slots: int, workers: int) -> str:
    """Play the event into a store, and return its run digest."""
    made = event()
    commands = [Command((), "/", module=(what, "00" * 32, sys.executable, str(DOUBLE))) for what in MODULES]
    with Store.write(folder) as store:
        store.add_event(made.id, made.text, made.engines[0], made.commitment, made.secret, made.bots)
        row = store.event(made.id)
        assert row
        part = Play(store, row, commands)

        def take(outcome: Outcome) -> None:
            part.record(outcome, last=not outcome.again)

        for draw in part.rounds():
            pool.play(part.jobs(draw), slots, take, workers)
        assert part.complete
        return run_digest(match.digest for match in store.matches(made.id))


@pytest.fixture(autouse=True)
def _at_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The double needs packages that a cell does not have."""
    monkeypatch.setattr(jobs, "best", lambda: Level.TRUSTED)


@made_once
def folder(folder: Path) -> None:
    patch = pytest.MonkeyPatch()
    patch.setattr(jobs, "best", lambda: Level.TRUSTED)
    play(folder / "store", 1, 1)
    patch.undo()
    arena("bundle", "store", "cup.khiva", cwd=folder)


def test_the_run_digest_is_the_same_at_any_number_of_jobs(folder: Path, tmp_path: Path) -> None:
    with Store.read(folder / "store") as store:
        (row,) = store.events()
        digest = run_digest(match.digest for match in store.matches(row.id))
    assert play(tmp_path / "two", 2, 2) == digest


def test_a_store_and_a_bundle_of_it_are_verified(folder: Path) -> None:
    for place in ("store", "cup.khiva"):
        assert "6 of 6 matches are sound" in arena("verify", place, cwd=folder).stdout


def test_the_verifier_that_was_written_from_documents_takes_it(folder: Path) -> None:
    spec = importlib.util.spec_from_file_location("verify_bundle", ROOT / "protocol" / "examples" / "verify_bundle.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.main(str(folder / "cup.khiva"), False)


def test_a_forged_tick_is_named_though_every_digest_fits(folder: Path, tmp_path: Path) -> None:
    lines = lines_of(folder / "cup.khiva")
    matches = [line for line in lines if line["kind"] == "match"]
    late = next(line for line in matches if "timeout" in json.dumps(line["record"]["steps"]))
    late["record"] = _forge(late["record"])
    over = next(line for line in lines if line["kind"] == "over")
    over["digest"] = run_digest(line["record"]["digest"] for line in matches)
    (tmp_path / "forged.khiva").write_bytes(forged(lines))
    done = arena("verify", "forged.khiva", cwd=tmp_path, code=1)
    number = "[0-9,]+"
    took = pattern("replay", "ticks-took", step=number, seat=number, ticks=number, most=number)
    assert re.search(took, done.stdout + done.stderr)


def _forge(plain: dict[str, Any]) -> dict[str, Any]:
    """A record whose time-out is a tick short, its chain worked out again."""
    record = Record.from_json(canonical(plain).decode())
    assert record.ticks
    rows = [list(row) for row in record.ticks]
    places = [(n, i) for n, step in enumerate(record.steps, 1) for i, choice in enumerate(step) if choice.why == "timeout"]
    rows[places[0][0]][places[0][1]] -= 1
    result: dict[str, Any] = json.loads(replace(record, ticks=tuple(map(tuple, rows))).to_json())
    return result
