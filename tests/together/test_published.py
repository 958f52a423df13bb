"""What was published stays good: the stores of every version are read, the interrupted
ones resume under their old ids and come to the same digests, the bundles verify.
Written by make.py, each by the engine of its version.
"""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from arena import arena
from in_targets import long_but
from published import HERE, published
from published_forms import EXTRA, REMOTE, command

from khiva_arena.records.replay.record import run_digest
from khiva_arena.records.store.db import FILE, VERSION, Store

pytestmark = pytest.mark.soak

CASES = [
    (folder.name, case.name)
    for folder in sorted(HERE.glob("[0-9]*"))
    for case in sorted(folder.iterdir())
]
INTERRUPTED = [(version, case) for version, case in CASES if not case.endswith(REMOTE)]
READ = ("khiva-", "bidding-", "emira-round-robin", "silk_road-round-robin")
"""Each format and each game of every version; the others are a format of Khiva's,
written by the same code for another game.
"""
every_case = pytest.mark.parametrize(
    ("version", "case"), long_but(CASES, [one for one in CASES if one[1].startswith(READ)])
)


def unpacked(version: str, case: str, into: Path) -> list[dict[str, object]]:
    """Unpack the stores of a case; what its events were when it was made."""
    place = HERE / version / case
    published(case, into, version)
    found: list[dict[str, object]] = json.loads((place / "events.json").read_text())
    return found


def digests(store_folder: Path) -> list[dict[str, object]]:
    with Store.read(store_folder) as store:
        return [
            {"id": row.id, "commitment": row.commitment, "digests": store.digests(row.id)}
            for row in store.events()
        ]


def handed_over(case: str) -> list[str]:
    """Return the flag that hands over the game of a case, if it is not one of the
    arena.
    """
    return ["--game", str(HERE / "bidding.py")] if case.startswith("bidding-") else []


def test_there_are_fixtures_of_each_game_and_format() -> None:
    assert sum(version == "0.1.0" for version, _ in CASES) == 18
    assert sum(version == "0.2.0" for version, _ in CASES) == 18 + len(EXTRA)


@every_case
def test_a_finished_store_is_read_and_sound(version: str, case: str, tmp_path: Path) -> None:
    events = unpacked(version, case, tmp_path)
    assert digests(tmp_path / "finished") == events
    found = json.loads(
        arena("verify", "finished", "--json", *handed_over(case), cwd=tmp_path).stdout
    )
    assert [event["digest"] for event in found["events"]] == [
        run_digest(event["digests"]) for event in events
    ]
    tables = json.loads(arena("standings", "finished", "--json", cwd=tmp_path).stdout)
    assert tables["standings"]
    shown = arena("show", "finished", cwd=tmp_path).stdout
    assert all(event["id"] in shown for event in events)


RESUMED = [
    *(("0.1.0", case) for case in ("khiva-round-robin", "khiva-gauntlet", "khiva-knockout")),
    *(("0.2.0", case) for case in ("khiva-sprt", "khiva-stages", "khiva-extended")),
    *(("0.2.0", case) for case in ("bidding-own-game", "emira-knockout", "silk_road-swiss")),
]
"""Each format and each game once, of the one version or the other; test_auto.py goes on
with line-ups of 0.2.0.
"""


@pytest.mark.parametrize(("version", "case"), long_but(INTERRUPTED, RESUMED))
def test_an_interrupted_store_resumes_under_its_old_ids(
    version: str, case: str, tmp_path: Path
) -> None:
    events = unpacked(version, case, tmp_path)
    before = digests(tmp_path / "interrupted")
    game, _, form = case.partition("-")
    words = command(game, form, tmp_path, tmp_path / "interrupted")
    arena(*words, "--any-engine", cwd=tmp_path, code=None)
    after = digests(tmp_path / "interrupted")
    assert after == events
    for one, whole in zip(before, after, strict=False):
        assert set(one["digests"]) <= set(whole["digests"])
    arena("verify", "interrupted", *handed_over(case), cwd=tmp_path)


@every_case
def test_a_bundle_verifies(version: str, case: str, tmp_path: Path) -> None:
    arena("verify", str(HERE / version / case / "bundle"), *handed_over(case), cwd=tmp_path)


def test_an_interrupted_store_still_has_matches_to_play(tmp_path: Path) -> None:
    for version, case in INTERRUPTED:
        events = unpacked(version, case, tmp_path)
        left = digests(tmp_path / "interrupted")
        assert (
            0
            < sum(len(event["digests"]) for event in left)
            < sum(len(event["digests"]) for event in events)
        ), case
        (tmp_path / "interrupted" / f"{FILE}-wal").unlink(missing_ok=True)


def test_a_store_of_version_2_is_brought_up_to_date_when_its_first_row_is_written(
    tmp_path: Path,
) -> None:
    unpacked("0.1.0", "khiva-round-robin", tmp_path)
    with Store.read(tmp_path / "finished") as store:
        assert store.damage() == []
        assert [store.changed(event.id) for event in store.events()] == [[]]
    Store.write(tmp_path / "finished").close()
    assert version_of(tmp_path / "finished") == 2
    with Store.write(tmp_path / "finished") as store:
        store.add_engine(store.events()[0].id, "9.9")
    assert version_of(tmp_path / "finished") == VERSION
    with Store.read(tmp_path / "finished") as store:
        assert store.damage() == []
        assert [store.changed(event.id) for event in store.events()] == [[]]


def version_of(folder: Path) -> int:
    with closing(sqlite3.connect(f"{(folder / FILE).as_uri()}?mode=ro", uri=True)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])
