"""An event that version 0.2.0 began with ``--lineups auto``, whose definition has a number and no word on the draw: the same
command goes on with it, by the draw of then. auto-0.2.0 was written by that version, as make.py writes the other fixtures."""

import json
from pathlib import Path
from typing import Any

import pytest
from arena import arena
from published import BOTS, HERE, unpack
from wording import sentence

from khiva_arena.records.replay.record import run_digest
from khiva_arena.records.store.db import Store

pytestmark = pytest.mark.soak


def command(out: str, *more: str, seeds: int = 2) -> list[str]:
    bots = [part for bot in BOTS for part in ("--bot", str(HERE / "bots" / bot))]
    how = [
        "--seats",
        "3",
        "--lineups",
        "auto",
        "--seed",
        "published auto",
        "--isolation",
        "trusted",
        "--allow-include",
        "-j",
        "2",
    ]
    return ["run", *bots, *how, "--seeds", str(seeds), "--out", out, *more]


@pytest.fixture
def there(tmp_path: Path) -> Path:
    unpack(HERE / "auto-0.2.0", tmp_path)
    return tmp_path


def events(folder: Path) -> list[dict[str, Any]]:
    with Store.read(folder) as store:
        return [{"id": row.id, "commitment": row.commitment, "digests": store.digests(row.id)} for row in store.events()]


def draws(folder: Path) -> list[tuple[int | None, str]]:
    with Store.read(folder) as store:
        return [(row.definition.lineups, row.definition.draw) for row in store.events()]


def test_the_same_command_goes_on_with_an_event_of_0_2_0(there: Path) -> None:
    expected = json.loads((HERE / "auto-0.2.0" / "events.json").read_text())
    assert events(there / "finished") == expected
    before = events(there / "interrupted")
    assert 0 < len(before[0]["digests"]) < len(expected[0]["digests"])
    done = arena(*command("interrupted", "--any-engine"), cwd=there)
    assert "of 10 possible line-ups " + sentence("competition", "balanced-set-played", line_ups=5) in done.stderr
    assert events(there / "interrupted") == expected
    verified = json.loads(arena("verify", "interrupted", "--json", cwd=there).stdout)
    assert [event["digest"] for event in verified["events"]] == [run_digest(event["digests"]) for event in expected]


def test_what_is_over_is_not_played_again_and_more_seeds_extend_it_by_its_own_draw(there: Path) -> None:
    again = arena(*command("finished"), cwd=there)
    over = sentence("competition", "no-other-event-these-2", which="event 1 is over")
    assert f"{over}: nothing is played" in again.stderr
    more = arena(*command("finished", seeds=3), cwd=there)
    assert "it extends event 1" in more.stderr
    arena(*command("finished", "--new-event", "--seed", "another", "--commit"), cwd=there)
    assert draws(there / "finished") == [(5, ""), (5, ""), (5, "all-meet")]


def test_with_another_setting_only_that_is_named_as_what_has_changed(there: Path) -> None:
    changed = arena(*command("interrupted", "--turn", "3s"), cwd=there, code=2).stderr
    assert "since it began: turn was 1000 ms, is 3000 ms" in changed
    assert "line-up" not in changed
