"""A run leaves a sealed store. The seal changes what is read again, never what is said."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from arena import FAULTY, NAIVE, RANDOM, arena, bots
from forging import forge
from once import made_once

from khiva_arena.competition import find
from khiva_arena.store import sums
from khiva_arena.store.db import FILE, Store
from khiva_arena.store.seal import SEAL

pytestmark = pytest.mark.slow

RUN = ["run", *bots(RANDOM, f"{FAULTY} illegal 2"), "--seats", "2", "--seed", "demo", "--out", "out", "--seeds"]
COMMANDS = [
    ["standings", "out"],
    ["show", "out"],
    ["show", "out", "1/0"],
    ["export", "out", "--format", "csv"],
    ["verify", "out"],
]


@made_once
def store(folder: Path) -> None:
    """4 matches, found sound by the run that recorded them."""
    arena(*RUN, "2", cwd=folder)


@pytest.fixture
def copy(store: Path, tmp_path: Path) -> Path:
    shutil.copytree(store / "out", tmp_path / "out")
    return tmp_path


def change(folder: Path, statements: str, *, forged: bool) -> None:
    with closing(sqlite3.connect(folder / "out" / FILE)) as connection:
        if forged:
            forge(connection, statements)
        else:
            connection.executescript(statements)


def is_sealed(folder: Path) -> bool:
    with Store.read(folder / "out") as opened:
        return all(opened.is_known_sound(event.id) for event in opened.events())


def test_what_a_run_leaves_is_read_without_a_sum_and_verified_with_all(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    worked_out: list[str] = []
    real = sums._sums
    monkeypatch.setattr(sums, "_sums", lambda table, *rest: (worked_out.append(table), real(table, *rest))[1])
    with_seal = [arena(*words, cwd=copy).stdout for words in COMMANDS[:-1]]
    arena(*RUN, "2", cwd=copy)  # it is over
    assert worked_out == []
    assert "4 of 4 matches are sound" in arena("verify", "out", cwd=copy).stdout
    assert worked_out.count("matches") >= 4
    (copy / "out" / SEAL).unlink()
    worked_out.clear()
    assert [arena(*words, cwd=copy).stdout for words in COMMANDS[:-1]] == with_seal
    assert {"events", "matches", "seats"} <= set(worked_out)


def test_a_run_that_goes_on_reads_no_match_of_a_sealed_store(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.write(copy / "out") as opened, monkeypatch.context() as patch:
        (event,) = find.events_of(opened, ())
        patch.setattr(find, "matches_of", None)
        find.check_event(opened, event)
        opened.add_engine(event.id, "0.3")  # as a run may, before it checks
        find.check_event(opened, event)
    assert is_sealed(copy)


CHANGES = [
    ("UPDATE seats SET score = score + 1 WHERE ordinal = 1", False),
    ("UPDATE matches SET record = replace(record, ',', ', ') WHERE ordinal = 2", False),
    ("UPDATE times SET ordinal = 9 WHERE ordinal = 2", False),
    ("DELETE FROM seats WHERE ordinal = 2", False),
    ("UPDATE reveals SET secret = zeroblob(32) WHERE seed = 1", False),
    ("UPDATE events SET definition = 'x'", False),
    ("UPDATE seats SET bot = 9 WHERE ordinal = 0", True),
    ("UPDATE matches SET rotation = 1 WHERE ordinal = 0", True),
    ("DELETE FROM bots WHERE position = 1", True),
    ("UPDATE seats SET rank = 3 - rank WHERE ordinal = 3", True),
    ("CREATE VIEW more AS SELECT 1", False),
]


@pytest.mark.parametrize(("statements", "forged"), CHANGES, ids=range(len(CHANGES)))
def test_what_is_damaged_is_damaged_with_a_seal_beside_it(copy: Path, statements: str, forged: bool) -> None:
    assert is_sealed(copy)
    change(copy, statements, forged=forged)

    def said() -> list[tuple[int, str, str]]:
        done = [arena(*words, cwd=copy, code=None) for words in (*COMMANDS, [*RUN, "2"])]
        return [(one.returncode, one.stdout, one.stderr) for one in done]

    with_seal = said()
    assert with_seal[-2][0] in (1, 2)
    (copy / "out" / SEAL).unlink()
    assert said() == with_seal


def test_a_run_to_the_end_finds_out_what_nobody_had_to_know(copy: Path) -> None:
    """As after a kill, which leaves no seal, in a store with other events."""
    (copy / "out" / SEAL).unlink()
    another = ["run", *bots(RANDOM, NAIVE), "--seats", "2", "--seeds", "1", "--out", "out"]
    arena(*another, cwd=copy)
    assert is_sealed(copy)
    first = "(SELECT id FROM events WHERE number = 1)"
    change(copy, f"UPDATE seats SET score = score + 1 WHERE ordinal = 1 AND event = {first}", forged=False)
    arena(*another, "--new-event", cwd=copy)
    assert not is_sealed(copy)
    problems = [event["problems"] for event in json.loads(arena("verify", "out", "--json", cwd=copy, code=1).stdout)["events"]]
    assert list(map(bool, problems)) == [True, False, False]
