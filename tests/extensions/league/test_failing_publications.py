"""Errors that nobody foresaw, while a league's player plays a match or publishes: it
goes on, and says so.
"""

import os
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from arena import arena
from failing import Said, fails, fails_for, traces
from leagues import Played, ends_in, enter, league_in
from made_league import MadeLeague, Shape
from module_cup import vectors
from quick_leagues import quick_league
from uploads import MUCH, folder_of_files, new_league
from wording import sentence

from khiva_arena.arbiter import match_queue, pool
from khiva_arena.arbiter.failure import failure_of
from khiva_arena.arbiter.live import void
from khiva_arena.extensions.league import failures
from khiva_arena.extensions.league.folder import CHAIN, PUBLIC
from khiva_arena.extensions.league.player import match_lists, publish
from khiva_arena.extensions.league.public_state import BATCHES, read_state
from khiva_arena.extensions.league.submissions.queue import Queue
from khiva_arena.interface.api.verify import verify
from khiva_arena.records.store.db import Store
from khiva_arena.words import count

__all__ = ["quick_league"]
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("forked")]


def without_waits(quick_league: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Copy a league into a place, and let it try matches again at once."""
    shutil.copytree(quick_league / "spring", place / "spring")
    toml = place / "spring" / "league.toml"
    toml.write_text(toml.read_text().replace("retry_minutes = 60", "retry_minutes = 0"))
    monkeypatch.setattr(match_queue, "HOST_WAITS", (0.0, 0.0, 0.0))


@pytest.mark.usefixtures("confined")
def test_a_match_that_the_arena_fails_at_is_void_and_the_batch_goes_on(
    quick_league: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_waits(quick_league, tmp_path, monkeypatch)
    monkeypatch.setattr(
        pool,
        "play_live",
        fails_for(pool.play_live, lambda job, *_: job.ordinal == 0 and job.attempt > 0),
    )
    done = arena("league", "play", "spring", "-j", "1", "--batches", "1", cwd=tmp_path)
    words = sentence("league", "match-void", match=0, batch=1)
    assert words in done.stderr
    assert traces(tmp_path / "spring") == ["match-1-0"]
    with Store.read(tmp_path / "spring") as store:
        (event,) = store.events()
        assert 0 not in store.recorded(event.id)
        assert store.recorded(event.id)
        assert {row.why for row in store.voids(event.id)} == {failure_of(RuntimeError()).why}
        assert event.set_aside
    assert verify(tmp_path / "spring").sound


@pytest.mark.usefixtures("confined")
def test_tables_that_stay_void_while_the_machine_spoils_all_are_counted(
    quick_league: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """None of them is set aside yet: after four voids in a row no more is tried."""
    without_waits(quick_league, tmp_path, monkeypatch)
    real, tried = pool.play_live, list[int]()

    async def spoilt_at_first(job: Any, *words: Any, **more: Any) -> Any:
        tried.append(job.ordinal)
        return void(job, "the host slept") if len(tried) <= 4 else await real(job, *words, **more)

    monkeypatch.setattr(pool, "play_live", spoilt_at_first)
    done = arena("league", "play", "spring", "-j", "1", "--batches", "1", cwd=tmp_path)
    with Store.read(tmp_path / "spring") as store:
        (event,) = store.events()
        tables = {(row.seed, row.lineup) for row in store.voids(event.id)}
        assert len(ends_in(store)) == 1
    (told,) = [
        line for line in done.stderr.splitlines() if sentence("league", "tried-again-at") in line
    ]
    assert f"{count(len(tables), 'table')} stayed void" in told


def test_a_match_that_cannot_be_recorded_is_void(
    tmp_path: Path, played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    league = league_in(tmp_path)
    enter(league, "ann", "quick")
    real, tried = Store.add_match, list[int]()

    def add(store: Store, row: Any, reveals: Any) -> None:
        if row.ordinal == 1:
            tried.append(row.attempt)
            if len(tried) < 3:
                fails()
        real(store, row, reveals)

    monkeypatch.setattr(Store, "add_match", add)
    played(league, 1)
    assert len(tried) == 3
    with Store.read(tmp_path) as store:
        (event,) = store.events()
        assert len(store.recorded(event.id)) == 6
        assert event.set_aside == ()
        assert -1 in store.reveals(event.id)
    assert traces(tmp_path) == ["match-1-1"]
    assert verify(tmp_path).sound


@pytest.fixture
def made(tmp_path: Path) -> Iterator[MadeLeague]:
    with MadeLeague(tmp_path / "spring", Shape(seats=2, seeds=1)) as league:
        for number in (1, 2):
            league.enter(f"bot {number}", number, number)
        for _ in range(2):
            league.batch()
        yield league


def published(league: MadeLeague) -> Said:
    said = Said()
    with publish.Publisher(league.store, said) as public:
        public.publish(league.chain)
        public.finish()
    return said


def pages(league: MadeLeague) -> list[str]:
    return sorted(os.listdir(league.folder / PUBLIC / BATCHES))


def test_a_task_that_the_arena_fails_at_is_told_and_the_others_are_made(
    made: MadeLeague, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publish.Publisher, "_take_table", fails)
    (told,) = published(made)
    path = made.folder / failures.FOLDER / "page.txt"
    assert sentence("league", "trace-is-in", path=path) in told
    assert pages(made) == ["1.html", "2.html"]


def test_a_process_that_cannot_be_asked_for_is_told(
    made: MadeLeague, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = publish.Background.start
    asked = fails_for(real, lambda _self, _name, words: words[-1] == made.store.event_ids(1, 1)[0])
    monkeypatch.setattr(publish.Background, "start", asked)
    assert len(published(made)) == 1
    assert pages(made) == ["2.html"]


def test_a_list_of_matches_that_the_arena_fails_at_is_told_and_the_other_is_made(
    made: MadeLeague, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = match_lists.MatchLists._matches_of
    monkeypatch.setattr(
        match_lists.MatchLists,
        "_matches_of",
        fails_for(real, lambda _self, batch: batch.number == 1),
    )
    (told,) = published(made)
    assert (
        sentence("league", "trace-is-in", path=made.folder / failures.FOLDER / "list-1.txt") in told
    )
    assert [path.name for path in (made.folder / PUBLIC / "matches").iterdir()] == ["2.json"]


def test_a_standing_that_cannot_be_written_is_told_once_and_written_later(
    made: MadeLeague, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The public chain has each link once all the same."""
    said = Said()
    with publish.Publisher(made.store, said) as public:
        with monkeypatch.context() as failing:
            failing.setattr(
                publish.Published,
                "read",
                fails_for(publish.Published.read, lambda *words: words[-1].number == 4),
            )
            for _ in range(2):
                public.publish(made.chain)
            tried = Said()
            failing.setattr(public, "_write", lambda: tried.append("again"))
            for _ in range(3):
                public.look()
            assert tried == []
            public._next_reveal = datetime.now(UTC)
            public.look()
            assert tried == ["again"]
        assert len(said) == 1
        assert read_state(made.folder) is None
        public.publish(made.chain)
        public.finish()
    state = read_state(made.folder)
    assert state is not None
    assert state.link == made.chain.links - 1
    assert len((made.folder / PUBLIC / CHAIN).read_text().splitlines()) == made.chain.links
    assert traces(made.folder) == ["standing"]


def test_a_disk_that_fails_between_two_public_files_doubles_no_link(
    made: MadeLeague, monkeypatch: pytest.MonkeyPatch
) -> None:
    with publish.Publisher(made.store, Said()) as public:
        with monkeypatch.context() as failing:
            failing.setattr(public._log, "add", fails)
            public.publish(made.chain)
        public.publish(made.chain)
    assert len((made.folder / PUBLIC / CHAIN).read_text().splitlines()) == made.chain.links


def test_a_wish_that_the_arena_fails_at_is_told(made: MadeLeague) -> None:
    said = Said()
    with publish.Publisher(made.store, said) as public:
        public.wish = fails
        public.publish(made.chain)
        public.finish()
    assert len(said) == 1
    assert pages(made) == ["1.html", "2.html"]


@pytest.mark.usefixtures("confined")
def test_two_uploads_with_bad_names_stop_no_league_in_ticks(tmp_path: Path) -> None:
    """Their builds leave files whose names no payload can hold."""
    spring = new_league(tmp_path / "spring").folder
    modules = vectors({"greedy": "honest", "random": "late", "third": "illegal three times"})
    for name, module in modules.items():
        (spring / f"{name}.wasm").write_bytes(module)
    values = {
        "bots": '["greedy.wasm", "random.wasm"]',
        "clock": '"ticks"',
        "turn": '"10ms"',
        "bank": '"0s"',
    }
    lines = [
        line
        for line in (spring / "league.toml").read_text().splitlines()
        if line.partition(" = ")[0] not in (*values, "ponder")
    ]
    head = [f"{key} = {value}" for key, value in values.items()]
    pin = f'interpreters = {{ javascript = "{"0" * 64}" }}'
    (spring / "league.toml").write_text(
        "\n".join([*head, *(line for line in lines if "interpreters = " not in line), pin, ""])
    )
    toml = 'name = "a"\ninterpreter = "javascript main.js"\nbuild = "sh build.sh"\n'
    with Queue(spring) as queue:
        whose = queue.add_author("mallory").id
        for name in ("bad\\377", "worse\\200"):
            script = f'touch "$(printf "{name}")"\n'
            queue.add_upload(
                whose,
                f"bot {name[:3]}",
                folder_of_files({"main.js": "", "build.sh": script}, toml),
                MUCH,
            )
        other = queue.add_author("ann").id
        third = folder_of_files({"bot.wasm": modules["third"]}, 'name = "a"\nmodule = "bot.wasm"\n')
        queue.add_upload(other, "third", third, MUCH)
    arena("league", "play", "spring", "--batches", "1", cwd=tmp_path)
    with Queue(spring) as queue:
        reports = {entry.family_name: entry.report for entry in queue.entries()}
        states = {entry.family_name: entry.state for entry in queue.entries()}
    assert sentence("entrants", "name-no-utf-8", name="bad\\xff") in reports["bot bad"]
    assert sentence("entrants", "name-no-utf-8", name="worse\\x80") in reports["bot wor"]
    assert states == dict.fromkeys(("bot bad", "bot wor", "third"), "refused")
    assert reports["third"].startswith(
        "its check failed:"
    )  # the check of the next entry was run to its end
    assert not (spring / failures.FOLDER).exists()
    with Store.read(spring) as store:
        assert len(ends_in(store)) == 1
