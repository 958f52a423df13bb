"""Leagues of a long year: what a start, a write and a table read and write does not
grow with the batches that are over.

Counted are links, rows and bytes, not seconds: ``python -m tests.tools bench-league``
has those.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest
from leagues import Played, enter, league_in
from made_league import MadeLeague, Shape
from msgspec import structs
from wording import sentence

from khiva_arena.common.say import say_nothing
from khiva_arena.competition.events.league_batches import public_words_of, words_of
from khiva_arena.competition.events.selection import StoreSelection
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.league import walked as module
from khiva_arena.extensions.league.chain.links import LeagueTerms, Renewed, Season, StateChanged
from khiva_arena.extensions.league.chain.stored_chain import chain_of, next_place
from khiva_arena.extensions.league.draw.counts import Counts
from khiva_arena.extensions.league.draw.next_batch import next_batch
from khiva_arena.extensions.league.folder import CHAIN, PUBLIC, SUMS
from khiva_arena.extensions.league.player import player, published
from khiva_arena.extensions.league.player.final import _rated
from khiva_arena.extensions.league.player.newest_table import newest_table
from khiva_arena.extensions.league.player.publish import Publisher
from khiva_arena.extensions.league.player.refusals import HowLong
from khiva_arena.extensions.league.public_state import (
    BATCH_LOG,
    BATCHES,
    STATE,
    batches_in,
    read_state,
)
from khiva_arena.extensions.league.seasons import ALL, batches_of
from khiva_arena.extensions.league.submissions.beside_entries import MOST_WISHES
from khiva_arena.extensions.league.submissions.queue import Queue
from khiva_arena.extensions.league.walked import WALKED, LeagueSoFar, keep_walked, walked
from khiva_arena.interface.api.verify import verify
from khiva_arena.records.store.db import EventRow, LinkRow, Store
from khiva_arena.records.store.seal import SEAL

SMALL = Shape(seats=2, seeds=1, fewest_batches=5)
NOTHING = StoreSelection((), (), (), ())


@pytest.fixture(scope="module")
def six_batches(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a league of six batches in seasons of two, whose player has kept
    what it knows.
    """
    folder = tmp_path_factory.mktemp("long") / "spring"
    with MadeLeague(folder, SMALL) as made:
        seasons_of(made, 2)
        made.enter("bot", 1, 1)
        for _ in range(6):
            made.batch()
        publish(made)
    return folder


@pytest.fixture
def league(six_batches: Path, tmp_path: Path) -> Iterator[MadeLeague]:
    shutil.copytree(six_batches, tmp_path / "spring")
    with MadeLeague(tmp_path / "spring", SMALL) as made:
        yield made


def seasons_of(league: MadeLeague, batches: int) -> None:
    terms = structs.replace(league.chain.terms, season_batches=batches)
    league.add(Renewed(**next_place(league.chain), terms=terms))


def publish(league: MadeLeague) -> None:
    """Write what a player writes after a link."""
    Publisher(league.store, say_nothing).write(league.chain)
    keep_walked(league.store, league.so_far)


def public(league: MadeLeague, name: str) -> Path:
    return league.folder / PUBLIC / name


class Reads(list[str]):
    """The links and events that were read from a store."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__()
        links, event, events = Store.links, Store.event, Store.events

        def read_links(store: Store, *where: int) -> list[LinkRow]:
            rows = links(store, *where)
            self.extend(f"link {row.number}" for row in rows)
            return rows

        def read_event(store: Store, name: str) -> EventRow | None:
            self.append(f"event {name}")
            return event(store, name)

        def read_events(store: Store) -> list[EventRow]:
            rows = events(store)
            self.extend(f"event {row.id}" for row in rows)
            return rows

        for name, reader in (("links", read_links), ("event", read_event), ("events", read_events)):
            monkeypatch.setattr(Store, name, reader)


# --- a start ---


def test_a_start_follows_no_link_that_was_followed_before(
    league: MadeLeague, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = Reads(monkeypatch)
    newest = f"link {league.chain.links - 1}"
    now = walked(league.store)
    assert set(reads) == {newest}
    assert now is not None
    assert now.chain == league.chain
    reads.clear()
    Publisher(league.store, say_nothing).write(league.chain)
    assert set(reads) == {newest}


def test_a_start_follows_the_links_since(
    league: MadeLeague, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = league.chain.links
    league.batch()
    event = league.draw()
    reads = Reads(monkeypatch)
    now = walked(league.store)
    assert now is not None
    assert sorted({read for read in reads if "link" in read}) == [
        f"link {number}" for number in range(kept - 1, kept + 3)
    ]
    assert event.id in {read.partition(" ")[2] for read in reads}
    monkeypatch.undo()
    assert_equal(now, league)


def assert_equal(now: LeagueSoFar, league: MadeLeague) -> None:
    """Compare what was kept and followed with what follows from all links and
    events.
    """
    whole = chain_of(league.store)
    assert now.chain == whole
    assert [*now.chain.bots] == [*whole.bots]  # in their order, which a draw follows
    assert now.counts.so_far() == league.counts.so_far()
    assert now.batches == league.batches
    if now.chain.open is None:
        assert next_batch(now.chain, now.counts) == next_batch(whole, league.counts)


@pytest.mark.parametrize("seed", range(4))
def test_what_was_kept_at_any_link_and_followed_is_what_all_links_give(
    tmp_path: Path, seed: int
) -> None:
    draw = Random(seed)
    with MadeLeague(
        tmp_path / "spring", SMALL._replace(reveal_hours=draw.choice((0, 5)))
    ) as league:
        seasons_of(league, 2)
        for number in range(5):
            if draw.random() < 0.7:
                league.enter(f"bot {number}", number + 1, number + 1)
            bots = [bot for bot in league.chain.active if bot.author]
            if bots and draw.random() < 0.3:
                league.add(
                    StateChanged(
                        **next_place(league.chain), identity=bots[0].identity, state="retired"
                    )
                )
            if draw.random() < 0.5:
                keep_walked(league.store, league.so_far)
            event = league.draw()
            if draw.random() < 0.5:
                keep_walked(league.store, league.so_far)
            league.end(league.play(event))
            now = walked(league.store)
            assert now is not None
            assert_equal(now, league)


def test_what_is_damaged_or_of_another_chain_is_worked_out_anew(
    league: MadeLeague, tmp_path: Path
) -> None:
    path = league.folder / SUMS / WALKED
    whole = path.read_bytes()
    draw = Random(51)
    with MadeLeague(tmp_path / "other", SMALL) as other:
        for _ in range(3):
            other.batch()
        keep_walked(other.store, other.so_far)
        of_another = (other.folder / SUMS / WALKED).read_bytes()
    damaged = [
        whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]
        for at in (0, 20, 70, *draw.sample(range(len(whole)), 8))
    ]
    for content in (b"", whole[:-1], whole + b"x", of_another, *damaged):
        path.write_bytes(content)
        now = walked(league.store)
        assert now is not None
        assert_equal(now, league)
    path.unlink()
    assert_equal(walked(league.store) or pytest.fail("no league"), league)


def test_another_version_of_the_arena_works_it_out_anew(
    league: MadeLeague, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "HEAD", b"khiva-walked-1 9.9\n")
    reads = Reads(monkeypatch)
    assert walked(league.store) is not None
    assert len({read for read in reads if "link" in read}) == league.chain.links


def test_verify_walks_what_a_player_trusts(league: MadeLeague) -> None:
    connection = league.store._connection
    connection.execute(
        "UPDATE links SET text = replace(text, '\"versions\":2', '\"versions\":3') WHERE number = 0"
    )
    connection.commit()
    assert walked(league.store) is not None
    assert not verify(league.folder).sound


def test_counts_that_were_kept_count_on(league: MadeLeague) -> None:
    again = Counts(league.counts.so_far())
    assert again.recent_meetings == league.counts.recent_meetings
    for _ in range(12):  # so that batches are forgotten that were kept
        again.add([["a", "b"], ["b", "c"]], ["a", "b", "c"])
        league.counts.add([["a", "b"], ["b", "c"]], ["a", "b", "c"])
    assert again.so_far() == league.counts.so_far()


def test_what_was_public_once_stays_so_and_only_later_ends_are_held(league: MadeLeague) -> None:
    assert (league.chain.public, league.chain.hidden) == (6, ())
    league.add(
        Renewed(
            **next_place(league.chain), terms=structs.replace(league.chain.terms, reveal_hours=5)
        )
    )
    league.batch()
    assert [end.batch for end in league.chain.hidden] == [7]
    assert league.chain.revealed(league.chain.made) == 6
    assert league.chain.revealed(league.chain.made + timedelta(hours=5)) == 7


def test_a_stop_of_a_player_reads_no_row_again(
    tmp_path: Path, played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A seal costs a look at the whole file, at the end and at each start."""
    league = league_in(tmp_path)
    enter(league, "ann", "quick")
    write = Store.write
    trusted: list[bool] = []

    def wrote(folder: Path, *, trusting: bool = True) -> Store:
        trusted.append(trusting)
        return write(folder, trusting=trusting)

    monkeypatch.setattr(Store, "write", wrote)
    played(league)
    with player._player(league, HowLong(0), say_nothing):
        pass
    assert trusted[-1] is False
    with Store.write(tmp_path / "new", trusting=False) as store:
        monkeypatch.setattr(Store, "_is_sound_on_disk", lambda _: pytest.fail("it reads all"))
        assert store.folder.exists()
    assert not (tmp_path / "new" / SEAL).exists()


# --- a write ---


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the state have the newest two batches itself."""
    monkeypatch.setattr(published, "NEWEST_BATCHES", 2)


@pytest.mark.usefixtures("few")
def test_a_write_adds_what_is_new_and_its_other_files_stay_as_large(league: MadeLeague) -> None:
    sizes = []
    for _ in range(3):
        league.batch()
        files = [public(league, name) for name in (CHAIN, BATCH_LOG)]
        before = [(path.stat().st_ino, path.read_bytes()) for path in files]
        publish(league)
        for (inode, content), path in zip(before, files, strict=True):
            assert path.stat().st_ino == inode
            assert path.read_bytes().startswith(content)
            assert path.read_bytes()[len(content) :].count(b"\n") == 2
        sizes.append(
            [
                public(league, STATE).stat().st_size,
                *(path.stat().st_size for path in (league.folder / SUMS).glob("[pw]*")),
            ]
        )
    first, *others = sizes
    for later in others:
        assert all(abs(now - then) < 100 for now, then in zip(later, first, strict=True)), sizes
    state = read_state(league.folder)
    assert state is not None
    assert [batch.number for batch in state.batches] == [8, 9]


def texts_of(league: MadeLeague) -> bytes:
    return "".join(f"{row.text}\n" for row in league.store.links()).encode()


ENDS: list[Callable[[bytes], bytes]] = [
    lambda whole: whole + b'{"kind":"ba',
    lambda whole: whole[:-1],
    lambda whole: whole[:-30],
    lambda whole: whole[: len(whole) // 2],
    lambda whole: whole[:-3] + b"xx\n",
    lambda _whole: b"",
    lambda _whole: b"something else",
    lambda whole: whole + b"\0" * 20_000,
]


@pytest.mark.parametrize("end", range(len(ENDS)))
@pytest.mark.parametrize("is_newer", [False, True], ids=["nothing new", "a batch more"])
def test_a_torn_end_is_mended_from_the_store(league: MadeLeague, end: int, is_newer: bool) -> None:
    expected = public(league, BATCH_LOG).read_bytes()
    for name in (CHAIN, BATCH_LOG):
        path = public(league, name)
        path.write_bytes(ENDS[end](path.read_bytes()))
    if is_newer:
        league.batch()
    publish(league)
    assert public(league, CHAIN).read_bytes() == texts_of(league)
    league.batch()
    publish(league)
    assert public(league, CHAIN).read_bytes() == texts_of(league)
    assert public(league, BATCH_LOG).read_bytes().startswith(expected)
    batches: list[published.PublicBatch] = []
    batches_in(public(league, BATCH_LOG).read_bytes(), batches)
    assert [batch.number for batch in batches] == list(range(1, league.chain.batches + 1))
    assert all(batch.over_at for batch in batches)


@pytest.mark.parametrize("lost", [CHAIN, BATCH_LOG])
def test_a_file_that_was_removed_is_made_anew(league: MadeLeague, lost: str) -> None:
    before = public(league, lost).read_bytes()
    public(league, lost).unlink()
    publish(league)
    assert public(league, lost).read_bytes() == before


def test_an_older_store_that_was_put_back_has_its_own_chain(
    league: MadeLeague, tmp_path: Path
) -> None:
    league.batch()
    publish(league)
    with MadeLeague(tmp_path / "older", SMALL) as older:
        older.batch()
        for name in (PUBLIC, SUMS):
            shutil.copytree(league.folder / name, older.folder / name)
        publish(older)
        assert public(older, CHAIN).read_bytes() == texts_of(older)


# --- tables and seasons ---


def test_seasons_begin_by_themselves_and_verify_agrees(league: MadeLeague) -> None:
    assert [(season.name, season.first) for season in league.chain.seasons] == [
        ("season 1", 1),
        ("season 2", 3),
        ("season 3", 5),
    ]
    assert [batches_of(league.folder, season.name) for season in league.chain.seasons] == [
        tuple(event.id for event in league.store.events()[first : first + 2]) for first in (0, 2, 4)
    ]
    assert verify(league.folder).sound


def test_a_name_that_is_taken_is_passed_over(league: MadeLeague) -> None:
    league.add(Season(**next_place(league.chain), name="season 5"))
    for _ in range(3):
        league.batch()
    assert [season.name for season in league.chain.seasons[3:]] == ["season 5", "season 6"]


def test_seasons_need_not_begin_by_themselves(league: MadeLeague) -> None:
    seasons_of(league, 0)
    for _ in range(3):
        league.batch()
    assert len(league.chain.seasons) == 3
    assert LeagueTerms({}, 2, 1, None, True, 2, "random").season_batches == 250


def test_a_season_shows_no_batch_that_is_not_public_yet_unless_it_is_named(
    league: MadeLeague,
) -> None:
    league.batch()
    league.add(
        Renewed(
            **next_place(league.chain),
            terms=structs.replace(league.chain.terms, reveal_hours=10_000),
        )
    )
    league.batch()
    *_, public, hidden = league.store.event_ids()
    said: list[str] = []
    season = NOTHING._replace(season=league.chain.seasons[-1].name)
    assert public_words_of(league.folder, season, said.append) == (public,)
    assert said == ["1 batch is not public yet, and left out; name them to see them"]
    assert public_words_of(league.folder, NOTHING._replace(event=(hidden,)), said.append) == (
        hidden,
    )
    assert len(public_words_of(league.folder, NOTHING._replace(season=ALL), said.append)) == 7
    league.batch()
    only_hidden = NOTHING._replace(season=league.chain.seasons[-1].name)
    with pytest.raises(ConfigError, match="no batch of season 5 is public yet"):
        public_words_of(league.folder, only_hidden, said.append)


def test_a_table_reads_the_batches_of_its_season_alone(
    league: MadeLeague, monkeypatch: pytest.MonkeyPatch
) -> None:
    league.batch()
    publish(league)
    reads = Reads(monkeypatch)
    newest_table(league.store)
    events = league.store.event_ids()
    assert {read.partition(" ")[2] for read in reads if "event" in read} == {events[-1]}
    season = league.chain.seasons[-1].link
    assert {int(read.partition(" ")[2]) for read in reads if "link" in read} == {season, season + 1}


def test_a_final_is_decided_by_the_batches_of_its_season_alone(
    league: MadeLeague, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(league)
    reads = Reads(monkeypatch)
    now = walked(league.store)
    assert now is not None
    (row,) = _rated(league.store, now)
    assert row.batches == 5
    assert {read.partition(" ")[2] for read in reads if "event" in read} <= {
        *league.store.event_ids(5, 6)
    }
    assert {read for read in reads if "link" in read} == {f"link {league.chain.links - 1}"}


def test_the_table_that_is_printed_is_the_season_s(league: MadeLeague) -> None:
    said: list[str] = []

    def say(text: str, **_: bool) -> None:
        said.append(text)

    assert words_of(league.folder, NOTHING, say) == batches_of(league.folder, "season 3")
    assert said == ["the table of season 3; --season all counts all batches"]
    assert words_of(league.folder, NOTHING._replace(season="all")) == ()
    assert words_of(league.folder, NOTHING._replace(event=("1",)), say) == ("1",)


# --- pages on demand ---


def test_wishes_are_few_and_taken_once(tmp_path: Path) -> None:
    with Queue(tmp_path) as queue:
        assert queue.take_wish() is None
        for batch in [*range(1, MOST_WISHES + 5), 3]:
            queue.add_wish(batch)
        assert [queue.take_wish() for _ in range(MOST_WISHES + 1)] == [
            *range(MOST_WISHES, 0, -1),
            None,
        ]


@pytest.mark.usefixtures("few")
def test_a_page_that_a_reader_asks_for_is_made_and_older_ones_go(league: MadeLeague) -> None:
    folder = public(league, BATCHES)
    folder.mkdir(exist_ok=True)
    for number in range(1, 7):
        (folder / f"{number}.html").touch()
    (league.folder / SUMS / "published").unlink()
    asked = iter([1, 99, 2])
    with Publisher(league.store, say_nothing) as publisher:
        publisher.wish = lambda: next(asked, None)
        publisher.write(league.chain)
        assert [
            task.what for task in publisher._tasks if "page" in task.what
        ] == []  # all are there
        (folder / "1.html").unlink()
        tasks = []
        for _ in range(3):
            publisher._tasks.clear()
            publisher._next_wish = 0.0
            publisher._take_wish()
            tasks += [task.what for task in publisher._tasks]
        assert tasks == [sentence("league_public", "page-of", subject="batch 1")]
        asked = iter([3])
        publisher._take_wish()
        assert next(asked) == 3  # after a pause


def test_pages_that_nobody_asked_for_lately_go(
    league: MadeLeague, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(published, "NEWEST_BATCHES", 2)
    monkeypatch.setattr("khiva_arena.extensions.league.player.missing_pages.OLDER_PAGES", 1)
    (league.folder / SUMS / "published").unlink()
    folder = public(league, BATCHES)
    folder.mkdir(exist_ok=True)
    for at, number in enumerate((1, 3, 4, 2, 5, 6)):
        (folder / f"{number}.html").touch()
        os.utime(folder / f"{number}.html", (at, at))
    publish(league)
    assert sorted(path.name for path in folder.iterdir()) == ["2.html", "5.html", "6.html"]
