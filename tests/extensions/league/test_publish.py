"""What the player publishes: the standing, the history of the table, pages of what is
revealed, and no secret before its time.
"""

import json
import os
import shutil
import stat
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any

import pytest
from arena import arena
from leagues import ends_in
from made_league import PLAIN, MadeLeague, Shape
from msgspec import structs
from pages import text as unpacked
from printed_tables import bare_tables
from quick_leagues import quick_league as quick_league
from wording import sentence

from khiva_arena.bots.sandbox.reap import start_helper
from khiva_arena.competition.events.pool_tables import TableRequest, tables_of
from khiva_arena.display.page import html
from khiva_arena.extensions.league.chain.links import Season, StateChanged
from khiva_arena.extensions.league.chain.stored_chain import next_place
from khiva_arena.extensions.league.folder import CHAIN, PUBLIC, SETTINGS, SUMS
from khiva_arena.extensions.league.player import publish as module
from khiva_arena.extensions.league.player.publish import Publisher
from khiva_arena.extensions.league.player.published_before import NEWEST
from khiva_arena.extensions.league.public_state import (
    BATCH_LOG,
    BATCHES,
    FINALS,
    HISTORY,
    STATE,
    PublicLeague,
    read_history,
    read_state,
    season_file,
)
from khiva_arena.interface.api.notebook_tables import standings as api_standings
from khiva_arena.interface.api.verify import verify
from khiva_arena.interface.commands.standings import standings
from khiva_arena.records.store.db import EventRow, Store
from khiva_arena.records.store.files import FILE

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("forked")]

SMALL = Shape(seats=2, seeds=1)
"""Few matches: most of the time that a page takes is theirs."""
DELAYED = SMALL._replace(reveal_hours=1)
LONG_AGO = (datetime.now(UTC) - timedelta(hours=2)).isoformat(timespec="seconds")


without_pages = pytest.mark.parametrize("shape", [DELAYED], ids=["without pages"])
"""For what stands on no page of a batch: no batch is revealed."""


class Said(list[str]):
    def __call__(self, text: str, *, warning: bool = False) -> None:
        self.append(f"warning: {text}" if warning else text)


@pytest.fixture
def shape() -> Shape:
    return SMALL


@pytest.fixture
def as_processes(forked: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let processes of their own make tables and pages, as a player does."""
    monkeypatch.setattr("khiva_arena.competition.run.live_page.start_helper", start_helper)


@pytest.fixture
def league(tmp_path: Path, shape: Shape) -> Iterator[MadeLeague]:
    with MadeLeague(tmp_path / "spring", shape) as made:
        for number in (1, 2):
            made.enter(f"bot {number}", number, number)
        yield made


def publish(league: MadeLeague) -> list[str]:
    """Publish as a player does that was just started, until all is made. Return what
    was said.
    """
    said = Said()
    with Publisher(league.store, said) as public:
        public.publish(league.chain)
        public.finish()
    return said


def standing(league: MadeLeague) -> PublicLeague:
    state = read_state(league.folder)
    assert state is not None
    return state


def table_of(league: MadeLeague, *words: str) -> dict[str, Any]:
    """Return a table as `standings --json` prints it."""
    (table,) = tables_of(league.folder, words, TableRequest(names=("crosstable",)))
    return {"standings": [table.to_json()]}


def rows(league: MadeLeague) -> list[dict[str, Any]]:
    """Return the rows of the public table."""
    table = standing(league).table
    assert table is not None
    return list(table["standings"][0]["rows"])


def pages(league: MadeLeague) -> list[str]:
    return sorted(os.listdir(league.folder / PUBLIC / BATCHES))


# --- the standing ---


@pytest.mark.parametrize("shape", [PLAIN], ids=["two deals"])
def test_a_batch_stands_there_with_its_commitment_before_it_is_played(league: MadeLeague) -> None:
    event = league.draw()
    assert publish(league) == []
    state = standing(league)
    (batch,) = state.batches
    assert (batch.number, batch.event, batch.commitment) == (1, event.id, event.commitment)
    assert (batch.bots, batch.matches) == (4, 3 * 2 * 3)
    assert (batch.over_at, batch.run_digest, batch.revealed) == ("", "", False)
    assert (state.table, state.table_season, state.table_batch) == (None, "", 0)
    assert state.receipt == f"link {league.chain.links - 1} {league.chain.digest}"
    assert (league.folder / PUBLIC / CHAIN).read_text().count("\n") == league.chain.links


def test_the_table_is_that_of_all_batches_that_are_over(league: MadeLeague) -> None:
    for lost in ([], [0]):
        league.batch(lost)
    expected = table_of(league)
    league.play(league.draw(), most=4)
    assert publish(league) == []
    state = standing(league)
    assert state.table == expected
    assert state.table_batch == 2
    assert [batch.revealed for batch in state.batches] == [True, True, False]
    assert [batch.run_digest for batch in state.batches] == [
        *(link.run_digest for link in ends_in(league.store)),
        "",
    ]
    ((bots, *more),) = [batch.set_aside for batch in state.batches if batch.set_aside]
    assert len(bots) == 2
    assert more == []


@pytest.mark.parametrize("shape", [DELAYED._replace(seeds=2)], ids=["two deals"])
def test_bots_are_counted_by_batch_and_table(league: MadeLeague) -> None:
    lost = [league.batch([0]), league.batch([])]
    publish(league)
    tables: Counter[str] = Counter()
    for event in lost:
        assert event.definition.batch is not None
        for table in event.definition.batch.tables:
            tables.update({event.bots[bot].identity: event.definition.seeds for bot in table})
    state = standing(league)
    assert {bot.identity: bot.tables for bot in state.bots} == tables
    assert {bot.batches for bot in state.bots} == {2}
    assert sorted(bot.name for bot in state.bots if bot.left_out) == sorted(
        state.batches[0].set_aside[0]
    )


@without_pages
def test_a_bot_that_left_stands_there_with_the_reason(league: MadeLeague) -> None:
    league.batch()
    first = league.chain.active[-2].identity
    gone = league.chain.active[-1].identity
    league.add(
        StateChanged(**next_place(league.chain), identity=gone, state="retired", why="it was slow")
    )
    publish(league)
    states = {bot.identity: (bot.state, bot.why) for bot in standing(league).bots}
    assert states[gone] == ("retired", "it was slow")
    assert states[first] == ("active", "")


@without_pages
def test_the_table_is_that_of_the_season_from_its_first_batch_on(league: MadeLeague) -> None:
    first = league.batch()
    league.add(Season(**next_place(league.chain), name="summer"))
    publish(league)
    before = standing(league)
    assert (before.table, before.table_season) == (table_of(league, first.id), "season 1")
    second = league.batch()
    publish(league)
    state = standing(league)
    assert state.seasons == (("season 1", 1), ("summer", 2))
    assert (state.table, state.table_season) == (table_of(league, second.id), "summer")
    assert state.table != table_of(league)


@without_pages
def test_a_season_that_is_over_has_a_table_that_is_made_once(league: MadeLeague) -> None:
    first = league.batch()
    league.add(Season(**next_place(league.chain), name="summer"))
    league.batch()
    publish(league)
    path = league.folder / PUBLIC / season_file(1)
    assert json.loads(path.read_bytes()) == table_of(league, first.id)
    made = path.stat().st_mtime_ns
    league.batch()
    publish(league)
    assert path.stat().st_mtime_ns == made
    assert not (league.folder / PUBLIC / season_file(2)).exists()


@without_pages
def test_a_table_of_batches_that_were_taken_back_is_not_shown(league: MadeLeague) -> None:
    league.batch()
    publish(league)
    newest = league.folder / SUMS / NEWEST
    newest.write_bytes(newest.read_bytes().replace(league.chain.before.encode(), b"0" * 64))
    public = Publisher(league.store, Said())
    public.write(league.chain)
    assert standing(league).table is None
    publish(league)
    assert standing(league).table is not None


def test_what_is_only_written_starts_no_process(league: MadeLeague) -> None:
    league.batch()
    public = Publisher(league.store, Said())
    public.write(league.chain)
    assert not public._process.is_there
    assert [batch.number for batch in standing(league).batches] == [1]


# --- the history ---


@without_pages
def test_each_batch_has_one_line_however_often_it_is_published(league: MadeLeague) -> None:
    for number in (1, 2, 3):
        league.batch()
        publish(league)
        (league.folder / SUMS / NEWEST).unlink()  # as a kill before the table was stored
        publish(league)
        assert [line.batch for line in read_history(league.folder)] == list(range(1, number + 1))
    expected = [
        tuple(row[name] for name in ("bot", "elo", "error", "low", "high", "bound"))
        for row in rows(league)
    ]
    newest = read_history(league.folder)[-1].ratings
    assert [structs.astuple(rating) for rating in newest] == expected
    assert any(low is not None for _, _, _, low, _, _ in expected)


@without_pages
@pytest.mark.parametrize("left", [1, 40, -1])
def test_a_line_that_a_kill_cut_short_is_written_again(league: MadeLeague, left: int) -> None:
    for _ in range(2):
        league.batch()
        publish(league)
    path = league.folder / PUBLIC / HISTORY
    whole = path.read_bytes()
    first = whole.index(b"\n") + 1
    path.write_bytes(whole[:first] + whole[first:][:left])
    publish(league)
    assert path.read_bytes() == whole


@without_pages
def test_a_bot_that_left_has_no_more_lines(league: MadeLeague) -> None:
    gone = league.enter("late", 9, 9)
    league.batch()
    publish(league)
    league.add(StateChanged(**next_place(league.chain), identity=gone, state="retired"))
    league.batch()
    publish(league)
    assert [
        gone in [rating.identity for rating in line.ratings] for line in read_history(league.folder)
    ] == [True, False]
    assert gone in [row["bot"] for row in rows(league)]


# --- pages ---


def test_each_batch_that_is_revealed_has_a_page(league: MadeLeague) -> None:
    for _ in range(2):
        league.batch()
    assert publish(league) == []
    assert pages(league) == ["1.html", "2.html"]
    (league.folder / PUBLIC / BATCHES / "1.html").unlink()
    kept = (league.folder / PUBLIC / BATCHES / "2.html").stat()
    publish(league)
    assert (league.folder / PUBLIC / BATCHES / "1.html").read_bytes().startswith(html.BEGINNING)
    assert (league.folder / PUBLIC / BATCHES / "2.html").stat().st_mtime_ns == kept.st_mtime_ns


def test_a_final_is_named_before_it_is_played_and_has_no_page_until_it_is_over(
    league: MadeLeague,
) -> None:
    final_of(league)
    names = tuple(league.chain.bots[bot].name for bot in league.chain.finals[0].link.bots)
    assert publish(league) == []
    (final,) = standing(league).finals
    assert (final.number, final.link, final.link_digest) == (
        1,
        league.chain.links - 1,
        league.chain.digest,
    )
    assert (final.bots, sorted(names), final.over) == (names, ["bot 1", "bot 2"], False)
    assert list((league.folder / PUBLIC / FINALS).iterdir()) == []


def final_of(league: MadeLeague) -> Path:
    """Let the league decide on a final, which nobody has played. Return where its store
    would be.
    """
    league.batch()
    league.decide()
    return league.folder / "final-1"


def test_a_final_that_is_being_played_stops_no_player(league: MadeLeague) -> None:
    with Store.write(final_of(league)):
        assert publish(league) == []
    assert [final.over for final in standing(league).finals] == [False]


def test_a_league_is_verified_while_its_final_is_being_played(league: MadeLeague) -> None:
    with Store.write(final_of(league)):
        result = verify(league.folder)
    assert (result.sound, result.problems) == (True, [])


def test_a_final_that_cannot_be_read_is_a_warning(league: MadeLeague) -> None:
    out = final_of(league)
    out.mkdir()
    (out / FILE).write_bytes(b"noise" * 1000)
    (said,) = publish(league)
    assert said.startswith("warning: final 1 cannot be shown: ")
    page = league.folder / PUBLIC / FINALS / "1.html"
    page.write_text("its page, made before")
    assert publish(league) == []
    assert [final.over for final in standing(league).finals] == [True]


class LaterClock(datetime):
    """A clock that is ahead."""

    ahead = timedelta()

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
        return datetime.now(tz) + cls.ahead


def test_a_batch_that_becomes_public_while_a_table_waits_is_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "datetime", LaterClock)
    monkeypatch.setattr(LaterClock, "ahead", timedelta())
    with (
        MadeLeague(tmp_path / "spring", DELAYED) as league,
        Publisher(league.store, Said()) as public,
    ):
        league.enter("bot 1", 1, 1)
        league.batch()
        for hours, revealed in ((0, False), (0.9, False), (1.1, True)):
            LaterClock.ahead = timedelta(hours=hours)
            if not hours:
                public.publish(league.chain)
            public.look()
            public.finish()
            assert [batch.revealed for batch in standing(league).batches] == [revealed]
            assert pages(league) == ["1.html"] * revealed


def test_a_page_that_fails_is_a_warning_and_the_others_are_made(league: MadeLeague) -> None:
    for _ in range(2):
        league.batch()
    (league.folder / PUBLIC / BATCHES / "2.html.part").mkdir(parents=True)
    (said,) = publish(league)
    assert said.startswith(
        "warning: "
        + sentence(
            "league_public",
            "could-not-made",
            what=sentence("league_public", "page-of", subject="batch 2"),
        )
    )
    assert said.endswith("the player tries again when it is started anew")
    assert pages(league) == ["1.html", "2.html.part"]
    assert standing(league).table is not None


def test_many_pages_are_named_before_the_player_waits_for_them(
    league: MadeLeague, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(2):
        league.batch()
    assert publish(league) == []
    for page in (league.folder / PUBLIC / BATCHES).iterdir():
        page.unlink()
    monkeypatch.setattr(module, "FEW_TASKS", 1)
    assert publish(league) == [
        "2 pages of batches are still to be made; Ctrl-C leaves them to the next start"
    ]
    assert pages(league) == ["1.html", "2.html"]


def test_what_failed_is_not_tried_again_by_the_same_player(league: MadeLeague) -> None:
    league.batch()
    (league.folder / PUBLIC / BATCHES / "1.html.part").mkdir(parents=True)
    said = Said()
    with Publisher(league.store, said) as public:
        for _ in range(3):
            public.publish(league.chain)
            public.finish()
    assert len(said) == 1


def test_a_machine_without_processes_is_a_warning(
    league: MadeLeague, monkeypatch: pytest.MonkeyPatch
) -> None:
    league.batch()

    def fails(*_: object, **__: object) -> None:
        raise OSError("no more processes")

    monkeypatch.setattr("khiva_arena.competition.run.live_page.start_helper", fails)
    said = publish(league)
    assert [line.partition(":")[0] for line in said] == ["warning", "warning"]
    assert standing(league).batches[0].over_at


@pytest.mark.usefixtures("as_processes")
def test_a_stop_leaves_no_process(league: MadeLeague) -> None:
    league.batch()
    with Publisher(league.store, Said()) as public:
        public.publish(league.chain)
        process = public._process._process
        assert process is not None
    assert process.returncode == -9


def test_a_look_takes_what_was_made_and_begins_with_the_next(league: MadeLeague) -> None:
    league.batch()
    with Publisher(league.store, Said()) as public:
        public.publish(league.chain)
        first = public._process._process
        public.look()
        assert public._process._process is first
        public._process.wait()
        public.look()
        assert standing(league).table_batch == 1
        assert public._process._process is not first
        assert public._process.is_there


def test_a_page_is_made_between_two_tables(league: MadeLeague) -> None:
    league.batch()
    with Publisher(league.store, Said()) as public:
        public.publish(league.chain)
        league.batch()
        public.publish(league.chain)
        made = [task.words[-1] for task in public._tasks]
        second, first = (event.id for event in reversed(league.store.events()))
        assert made == [str(league.folder), second, str(league.folder), first]


# --- who may read what ---


def test_others_may_read_what_is_public_and_nothing_else(league: MadeLeague) -> None:
    before = os.umask(0o077)
    try:
        league.batch()
        publish(league)
    finally:
        os.umask(before)
    assert stat.S_IMODE(league.folder.stat().st_mode) == 0o711
    for path in league.folder.rglob("*"):
        mode = stat.S_IMODE(path.stat().st_mode)
        is_public = (league.folder / PUBLIC) in (path, *path.parents)
        assert (
            mode == (0o755 if path.is_dir() else 0o644)
            if is_public
            else mode & 0o077 == 0 or path.name == "league.toml"
        ), path


def secrets_of(event: EventRow) -> list[bytes]:
    return [event.secret, *map(event.seed_secret, range(event.definition.seeds))]


def holds(path: Path, secrets: list[bytes]) -> bool:
    """Tell whether a file has a secret in it, as bytes or in hex, what a page has
    packed included.
    """
    packed = unpacked(path).encode() if path.suffix == ".html" else b""
    content = path.read_bytes() + packed
    return any(secret in content or secret.hex().encode() in content.lower() for secret in secrets)


def test_nothing_public_has_a_secret_before_it_is_revealed(tmp_path: Path) -> None:
    with MadeLeague(tmp_path / "spring", DELAYED) as league:
        for number in (1, 2):
            league.enter(f"bot {number}", number, number)
        with Publisher(league.store, Said()) as public:
            revealed = league.batch(at=LONG_AGO)
            for _ in range(2):
                public.publish(league.chain)
                public.finish()
                hidden = [*league.store.events()[1:], league.draw()]
                public.publish(league.chain)
                play = league.play(hidden[-1], most=7)
                public.look()
                public.finish()
                files = [path for path in (league.folder / PUBLIC).rglob("*") if path.is_file()]
                assert {path.name for path in files} == {
                    STATE,
                    HISTORY,
                    CHAIN,
                    BATCH_LOG,
                    "1.html",
                    "1.json",
                }
                secrets = [secret for event in hidden for secret in secrets_of(event)]
                assert [path for path in files if holds(path, secrets)] == []
                assert [path.name for path in files if holds(path, secrets_of(revealed))] == [
                    "1.html"
                ]  # so it finds what is there
                league.end(league.play(play.event))
            assert [batch.revealed for batch in standing(league).batches] == [True, False, False]


def test_points_by_source_are_those_of_batches_that_are_public(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As a page of results, which tells no hand of a deal before its secret is public
    either.
    """
    none: dict[str, Any] = dict.fromkeys(
        ("event", "events", "only", "exclude", "anchors", "sets"), ()
    )
    words = {**none, "season": None, "effects": None}
    with MadeLeague(tmp_path / "spring", DELAYED) as league:
        (league.folder / SETTINGS).touch()
        for number in (1, 2):
            league.enter(f"bot {number}", number, number)
        events = [league.batch(at=LONG_AGO).id, league.batch().id]
        for names, shown in ((("points",), events[:1]), (("seats",), events)):
            standings(league.folder, wide=False, as_json=True, names=names, **words)
            (table,) = json.loads(capsys.readouterr().out)["standings"]
            assert table["events"] == shown
        (table,) = api_standings(league.folder, sections="points")
        assert table.to_dict()["events"] == events[:1]


@pytest.mark.usefixtures("confined")
@pytest.mark.usefixtures("as_processes")
def test_a_league_that_is_played_publishes_all_of_it(quick_league: Path, tmp_path: Path) -> None:
    shutil.copytree(quick_league / "spring", tmp_path / "spring")
    for batches in ("2", "1"):
        arena("league", "play", "spring", "--batches", batches, cwd=tmp_path)
    state = read_state(tmp_path / "spring")
    assert state is not None
    assert [(batch.number, batch.revealed) for batch in state.batches] == [
        (1, True),
        (2, True),
        (3, True),
    ]
    assert state.table == bare_tables(
        arena("standings", "spring", "--section", "crosstable", "--json", cwd=tmp_path).stdout
    )
    lines = [line.batch for line in read_history(tmp_path / "spring")]
    assert lines == sorted(
        {*lines, 3}
    )  # those of batches that follow fast on each other may be left out
    assert sorted(os.listdir(tmp_path / "spring" / PUBLIC / BATCHES)) == [
        "1.html",
        "2.html",
        "3.html",
    ]
