"""Shards of one event joined: as if one machine had played it, whatever is missing,
comes twice, or does not belong there.
"""

import shutil
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from forging import forge
from in_targets import long_but
from msgspec import structs
from synthesised import planned
from synthesised_shards import play_shard
from wording import sentence

import khiva_arena
from khiva_arena.errors import ConfigError, StoreError
from khiva_arena.extensions.shards.merge import Checks, merge
from khiva_arena.extensions.shards.merge_target import Merged
from khiva_arena.extensions.shards.shard import WHOLE, Shard, shard_of
from khiva_arena.games import registry
from khiva_arena.rating.schedule.names import Format
from khiva_arena.records.replay.record import run_digest
from khiva_arena.records.store.db import FILE, EventRow, Store
from khiva_arena.records.store.shard_note import NOTE

BESIDE = ("matches", "seats", "times", "page_faults", "voids", "void_causes")
TABLES = (*BESIDE, "reveals", "conclusions", "beacons", "engines", "bots")
WHEN = {"conclusions": "digest", "beacons": "text"}
"""Columns of tables whose others say when."""
SHAPES: dict[str, dict[str, object]] = {
    "all line-ups": {},
    "some line-ups": {"lineups": 2, "bots": 4, "seats": 3},
    "copies": {"copies": 2, "seats": 3, "bots": 2},
    "authors apart": {"authors_apart": True, "bots": 4},
    "gauntlet": {"format": Format.GAUNTLET, "bots": 4, "candidates": (0, 2)},
}


def shaped(game: str, shape: str) -> EventRow:
    changes = {"seats": registry.get(game).seats[0], **SHAPES[shape]}
    event = planned(game, seeds=5, **changes)
    if shape != "authors apart":
        return event
    authors = tuple(
        structs.replace(bot, author=f"author {max(1, n)}")
        for n, bot in enumerate(event.definition.bots)
    )
    return planned(game, seeds=5, **changes, entrants=authors)


def parts(folder: Path, event: EventRow, of: int, only: Sequence[int] = ()) -> list[Path]:
    return [
        play_shard(folder / f"{number}-of-{of}", event, Shard(number, of))
        for number in only or range(1, of + 1)
    ]


def joined(stores: Sequence[Path], out: Path, word: str | None = None, **how: Any) -> Merged:
    return merge(stores, out, lambda _: None, Checks(**how), word=word)


def rows(folder: Path, *tables: str) -> dict[str, list[tuple[object, ...]]]:
    """All that a store holds of its event, without sums and without when it was
    begun.
    """
    with closing(sqlite3.connect(folder / FILE)) as connection:
        return {
            table: sorted(
                connection.execute(f"SELECT {WHEN.get(table, '*')} FROM {table}").fetchall(),
                key=repr,
            )
            for table in tables or TABLES
        }


def refusal(stores: Sequence[Path], out: Path, **how: object) -> str:
    """Why a merge is refused: one line, and nothing that was recorded has changed."""
    before = {
        folder: rows(folder)
        for folder in (*stores, out)
        if (folder / FILE).is_file() and (folder / FILE).stat().st_size
    }
    with pytest.raises((ConfigError, StoreError)) as error:
        joined(stores, out, **how)
    assert error.value.exit_code == 2
    assert {folder: rows(folder) for folder in before} == before
    (line,) = error.value.problems or (str(error.value),)
    assert "\n" not in line
    return line


# --- the division ---


@pytest.mark.parametrize(("total", "of"), [(1, 1), (10, 3), (7, 7), (1000, 7), (23, 22)])
def test_shards_have_each_seed_once_and_are_equally_large(total: int, of: int) -> None:
    every = [Shard(number, of).seeds(total) for number in range(1, of + 1)]
    assert [seed for some in every for seed in some] == list(range(total))
    assert max(map(len, every)) - min(map(len, every)) <= 1
    assert all(a.stop == b.start for a, b in pairwise(every))


@pytest.mark.parametrize(
    "word", ["6/5", "0/5", "0/0", "1", "a/b", "-1/5", "2/5/5", "1/11", "٢/5", "1/99999999"]
)
def test_a_shard_that_is_none(word: str) -> None:
    with pytest.raises(ConfigError, match="--shard"):
        shard_of(word, 10)


# --- as on one machine ---


EACH = [(game, shape) for game in registry.NAMES for shape in SHAPES]
TELLING = [one for one in EACH if one[0] == "khiva" or one[1] == "all line-ups"]
"""Each shape and each game: which seats meet does not depend on the game."""


@pytest.mark.soak
@pytest.mark.parametrize(("game", "shape"), long_but(EACH, TELLING))
def test_digests_and_all_rows_are_those_of_one_machine(
    game: str, shape: str, tmp_path: Path
) -> None:
    event = shaped(game, shape)
    one = play_shard(tmp_path / "one", event, WHOLE)
    for of in (1, 2, 5):
        merged = joined(parts(tmp_path, event, of), tmp_path / f"out-{of}")
        with Store.read(one) as store:
            assert (
                merged.digest == store.conclusion(event.id) == run_digest(store.digests(event.id))
            )
        assert (merged.missing, merged.set_aside, merged.recorded) == ([], [], merged.planned)
        assert same(tmp_path / f"out-{of}") == same(one)
        assert khiva_arena.verify(tmp_path / f"out-{of}").sound


def same(folder: Path) -> dict[str, list[tuple[object, ...]]]:
    """Rows without the times of the day, and so without sums."""
    found = rows(folder)
    cut = {"matches": (11, 13), "voids": (8, 10), "seats": (18, 19), "bots": (7, 9)}
    return {
        table: [
            row[: cut[table][0]] + row[cut[table][1] :] if table in cut else row for row in some
        ]
        for table, some in found.items()
    }


@pytest.fixture(scope="module")
def event() -> EventRow:
    return planned(seeds=10)


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory, event: EventRow) -> Path:
    folder = tmp_path_factory.mktemp("shards")
    parts(folder, event, 3)
    return folder


@pytest.fixture
def three(tmp_path: Path, shards: Path) -> list[Path]:
    """The stores of three shards that are all of the event."""
    return [
        Path(shutil.copytree(shards / name, tmp_path / name))
        for name in ("1-of-3", "2-of-3", "3-of-3")
    ]


def test_what_lies_beside_a_record_comes_along(
    tmp_path: Path, event: EventRow, three: list[Path]
) -> None:
    joined(three, tmp_path / "out")
    for table in BESIDE:
        of_shards = sorted(
            (row for folder in three for row in rows(folder, table)[table]), key=repr
        )
        assert of_shards == rows(tmp_path / "out", table)[table]
        assert of_shards, f"no row in {table}: nothing was tested"


def test_merging_twice_changes_nothing(tmp_path: Path, three: list[Path]) -> None:
    first = joined(three, tmp_path / "out")
    content = (tmp_path / "out" / FILE).read_bytes()
    again = joined([*reversed(three), tmp_path / "out", three[0]], tmp_path / "out", jobs=2)
    assert (first.added, again.added) == (first.planned, 0)
    assert again.digest == first.digest
    assert (tmp_path / "out" / FILE).read_bytes() == content


def test_a_merged_store_is_sealed_and_merges_on(tmp_path: Path, three: list[Path]) -> None:
    joined(three[:2], tmp_path / "some")
    assert (tmp_path / "some" / "arena.seal").is_file()
    assert joined([tmp_path / "some", three[2]], tmp_path / "all").complete


def test_a_store_that_holds_some_shards_goes_on(
    tmp_path: Path, event: EventRow, three: list[Path]
) -> None:
    """Secrets of seeds are revealed with their last match, the run's only when all is
    there.
    """
    out = tmp_path / "out"
    some = joined([three[0]], out)
    assert (some.complete, some.recorded, some.planned) == (False, 18, 60)
    with Store.read(out) as store:
        assert store.reveals(event.id).keys() == set(range(3))
        assert store.conclusion(event.id) is None
    assert khiva_arena.verify(out).sound
    assert joined([three[2]], out).missing[0].shard == "2/3"
    assert joined([three[1]], out).complete
    with Store.read(out) as store:
        assert store.reveals(event.id).keys() == {-1, *range(10)}


def test_other_events_of_the_store_stay(tmp_path: Path, three: list[Path]) -> None:
    other = planned(seeds=1, secret=bytes(32))
    play_shard(tmp_path / "out", other, WHOLE)
    merged = joined(three, tmp_path / "out")
    assert merged.number == 2
    report = khiva_arena.verify(tmp_path / "out")
    assert [one.planned for one in report.events] == [6, 60]
    assert report.sound


def test_a_public_text_comes_along(tmp_path: Path) -> None:
    event = planned(seeds=4, public="6 aus 49")
    joined(parts(tmp_path, event, 2), tmp_path / "out")
    assert khiva_arena.verify(tmp_path / "out").events[0].public == "6 aus 49"
    silent = play_shard(tmp_path / "silent", structs.replace(event, public=None), Shard(1, 2))
    assert "'6 aus 49'" in refusal([silent, tmp_path / "2-of-2"], tmp_path / "other")


# --- what is missing ---


def test_a_missing_shard_is_told_with_its_command(tmp_path: Path, event: EventRow) -> None:
    stores = [play_shard(tmp_path / f"shard-{n:02}", event, Shard(n, 5)) for n in (1, 2, 5)]
    play_shard(tmp_path / "elsewhere", event, Shard(4, 5), most=2)
    merged = joined([*stores, tmp_path / "elsewhere"], tmp_path / "out")
    command = "khiva-arena run --from-plan cup.plan --shard"
    assert [(one.shard, one.seeds, one.command) for one in merged.missing] == [
        ("3/5", "4 to 5", f"{command} 3/5 --out {tmp_path}/shard-03"),
        ("4/5", "6 to 7", f"{command} 4/5 --out {tmp_path}/elsewhere"),
    ]


def test_without_notes_the_seeds_are_told_and_one_command_plays_them(
    tmp_path: Path, three: list[Path]
) -> None:
    for folder in three:
        (folder / NOTE).unlink()
    (missing,) = joined(three[1:], tmp_path / "out").missing
    assert missing == (
        "",
        "0 to 2",
        f"khiva-arena run --from-plan PLAN --out {tmp_path}/out",
        False,
    )


@pytest.mark.parametrize(
    "text", ["", "{", "[" * 100_000, '{"event":"other","plan":"p","shard":1,"of":3}', "x" * 20_000]
)
def test_a_note_that_is_damaged_is_none(tmp_path: Path, three: list[Path], text: str) -> None:
    for folder in three:
        (folder / NOTE).write_text(text)
    assert joined(three[1:], tmp_path / "out").missing[0].shard == ""


def test_a_table_that_was_set_aside_stays_told(tmp_path: Path, event: EventRow) -> None:
    """And once its shard has played it after all, it is recorded after the attempts
    that were void.
    """

    def fails(ordinal: int, _attempt: int) -> bool:
        return ordinal == 40

    first = play_shard(tmp_path / "shard-1", event, Shard(1, 2))
    second = play_shard(tmp_path / "shard-2", event, Shard(2, 2), fails)
    merged = joined([first, second], tmp_path / "out")
    assert merged.set_aside == [(6, 2)]
    assert [one.command.rpartition(" --out ")[2] for one in merged.missing] == [str(second)]
    assert len(rows(tmp_path / "out", "voids")["voids"]) > 2
    assert joined([second], tmp_path / "out").set_aside == [(6, 2)]
    play_shard(second, event, Shard(2, 2))
    done = joined([second], tmp_path / "out")
    assert (done.complete, done.set_aside) == (True, [])
    assert khiva_arena.verify(tmp_path / "out").sound
    with Store.read(tmp_path / "out") as store:
        match = store.match(event.id, 40)
        assert match is not None
        assert match.attempt == 3


# --- played twice ---


def test_overlapping_shards_that_came_out_equal_are_kept_once(
    tmp_path: Path, event: EventRow
) -> None:
    one = play_shard(tmp_path / "one", event, WHOLE)
    stores = [*parts(tmp_path, event, 5), *parts(tmp_path, event, 3, only=(1, 2)), one]
    merged = joined(stores, tmp_path / "out")
    with Store.read(one) as store:
        assert merged.digest == store.conclusion(event.id)
    assert khiva_arena.verify(tmp_path / "out").sound


def test_void_attempts_of_two_machines_are_counted_on(tmp_path: Path, event: EventRow) -> None:
    """One machine set a table aside which another one played."""
    aside = play_shard(tmp_path / "aside", event, Shard(1, 10), lambda ordinal, _: ordinal == 2)
    played = play_shard(
        tmp_path / "played",
        event,
        Shard(1, 10),
        lambda ordinal, attempt: (ordinal, attempt) == (2, 1),
    )
    joined([aside, played], tmp_path / "out")
    assert khiva_arena.verify(tmp_path / "out").sound
    with Store.read(tmp_path / "out") as store:
        match = store.match(event.id, 2)
        assert match is not None
        assert [void.attempt for void in store.voids(event.id)] == list(range(1, match.attempt))


def test_records_that_differ_are_refused_by_name(tmp_path: Path, event: EventRow) -> None:
    a = play_shard(tmp_path / "a", event, Shard(2, 5))
    b = play_shard(tmp_path / "b", event, Shard(1, 3), luck="another")
    line = refusal([a, b], tmp_path / "out")
    match = event.match_id(12)
    assert (
        f"match 12 ({match}) was played twice and its records differ: in {a} and {b}, as "
        "for 5 other matches" in line
    )
    assert not (tmp_path / "out").exists()
    joined([a], tmp_path / "out")
    line = refusal([b], tmp_path / "out")
    assert f"in {tmp_path}/out and {b}" in line
    assert (
        "nothing was merged: "
        + f"leave out {b}, or merge it without {tmp_path}/out, into a new store"
        in line
    )


# --- what does not belong there ---


def test_shards_of_another_event(tmp_path: Path, event: EventRow, three: list[Path]) -> None:
    redrawn = play_shard(tmp_path / "redrawn", planned(seeds=10, secret=bytes(32)), Shard(2, 3))
    assert f"{redrawn}: " + sentence(
        "shards", "another-event-same-settings", folder=three[0]
    ) in refusal([three[0], redrawn], tmp_path / "out")
    changed = (
        *event.definition.bots[:2],
        structs.replace(event.definition.bots[2], identity="f" * 64),
    )
    other = play_shard(tmp_path / "other", planned(seeds=10, entrants=changed), Shard(2, 3))
    line = refusal([three[0], other], tmp_path / "out")
    assert "bot bot2 (./bot2) has changed: identity 00000000 then, ffffffff now" in line
    more = (*changed, structs.replace(changed[2], name="bot3", identity="e" * 64))
    other = play_shard(tmp_path / "two-ways", planned(seeds=10, entrants=more), Shard(2, 3))
    line = refusal([three[0], other], tmp_path / "out")
    assert "ffffffff now; bot bot3 (./bot3) has been added; leave it out" in line
    isolated = play_shard(tmp_path / "isolated", planned(seeds=10, isolation="strict"), Shard(2, 3))
    assert "isolation was trusted, is strict" in refusal([three[0], isolated], tmp_path / "out")


def test_a_shard_of_another_draw_beside_an_event_that_is_not_over(
    tmp_path: Path, three: list[Path]
) -> None:
    redrawn = play_shard(tmp_path / "redrawn", planned(seeds=10, secret=bytes(32)), Shard(2, 3))
    out = tmp_path / "out"
    joined(three[:2], out)
    line = refusal([redrawn], out)
    assert f"{redrawn}: " + sentence("shards", "another-event-same-settings", folder=out) in line
    assert "give another --out" in line
    assert joined(three, out).complete
    assert joined([redrawn], out).number == 2  # what is over is no part of another's


def test_shards_of_another_engine(tmp_path: Path, event: EventRow, three: list[Path]) -> None:
    older = play_shard(tmp_path / "older", structs.replace(event, engines=("0.1.9",)), Shard(2, 3))
    stores = [three[0], older, three[2]]
    line = refusal(stores, tmp_path / "out")
    assert (
        f"{older}: planned or played by khiva-arena 0.1.9, {three[0]} by "
        f"{khiva_arena.__version__}; play its shard again"
    ) in line
    assert joined(stores, tmp_path / "out", any_engine=True).complete
    with Store.read(tmp_path / "out") as store:
        assert store.events()[0].engines == (khiva_arena.__version__, "0.1.9")
    assert khiva_arena.verify(tmp_path / "out").sound


def test_formats_without_shards(tmp_path: Path) -> None:
    swiss = planned(bots=4, seeds=2, format=Format.SWISS, rounds=2)
    with Store.write(tmp_path / "swiss") as store:
        store.add_event(swiss.id, swiss.text, "0.2.0", swiss.commitment, swiss.secret, swiss.bots)
    line = refusal([tmp_path / "swiss"], tmp_path / "out")
    assert (
        sentence("shards", "draws-round-results-before", form="swiss") + "; `--dask ADDRESS`"
        in line
    )


def spoilt_choice(connection: sqlite3.Connection) -> None:
    connection.execute(
        "UPDATE matches SET record = replace(record, '\"over\"', '\"forfeits\"') WHERE ordinal = 20"
    )
    forge(connection)


def lost_row(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM times WHERE ordinal = 20")


def changed_note(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE seats SET notes = 'other' WHERE ordinal = 20 AND seat = 0")


def other_secret(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE events SET secret = ?", (bytes(32),))
    forge(connection)


@pytest.mark.parametrize("spoil", [spoilt_choice, lost_row, changed_note, other_secret])
def test_a_store_that_is_not_sound(
    tmp_path: Path, three: list[Path], spoil: Callable[[sqlite3.Connection], None]
) -> None:
    with closing(sqlite3.connect(three[1] / FILE)) as connection:
        spoil(connection)
        connection.commit()
    line = refusal(three, tmp_path / "out")
    assert line.startswith(f"{three[1]}: not sound: ")
    assert f"`khiva-arena verify {three[1]}` says more" in line
    assert not (tmp_path / "out").exists()


def test_what_is_no_store(tmp_path: Path, event: EventRow, three: list[Path]) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file.bundle").write_bytes(b"x")
    with Store.write(tmp_path / "blank"):
        pass
    out = tmp_path / "out"
    assert "no results here" in refusal([*three, tmp_path / "empty"], out)
    assert "no results here (" + sentence("store", "no-such-file-folder") + ")" in refusal(
        [*three, tmp_path / "nothing"], out
    )
    assert sentence("shards", "file-only-folders-stores") in refusal(
        [*three, tmp_path / "file.bundle"], out
    )
    assert "in it yet; leave this" in refusal([*three, tmp_path / "blank"], out)
    assert "no event 'ff' in it" in refusal(three[:1], out, word="ff")
    assert "nothing to merge" in refusal([three[0]], three[0])
    assert "not a folder" in refusal(three, tmp_path / "file.bundle")


def test_a_store_in_use(tmp_path: Path, event: EventRow, three: list[Path]) -> None:
    with Store.write(three[1]):
        assert (
            f"{three[1]}: a run is at work on this store; wait for it, or stop it, and merge again"
            in refusal(three, tmp_path / "out")
        )
    joined(three[:1], tmp_path / "out")
    with Store.write(tmp_path / "out"):
        assert sentence("store", "another-arbiter-work-store") in refusal(three, tmp_path / "out")


def test_stores_with_several_events_in_common(tmp_path: Path, event: EventRow) -> None:
    other = planned(seeds=4, secret=bytes(32))
    for number in (1, 2):
        for one in (event, other):
            play_shard(tmp_path / str(number), one, Shard(number, 2))
    stores = [tmp_path / "1", tmp_path / "2"]
    assert sentence(
        "shards", "stores-several-events-common"
    ) + f" {', '.join(sorted([event.id, other.id]))}" in refusal(stores, tmp_path / "out")
    assert joined(stores, tmp_path / "out", word=other.id[:8]).planned == 24


def test_all_that_is_wrong_is_said_at_once(tmp_path: Path, three: list[Path]) -> None:
    with pytest.raises(ConfigError) as error:
        joined([tmp_path / "a", three[0], tmp_path / "b"], tmp_path / "out")
    assert [line.partition(":")[0] for line in error.value.problems] == [
        str(tmp_path / "a"),
        str(tmp_path / "b"),
    ]


def test_the_function_for_python(tmp_path: Path, three: list[Path]) -> None:
    merged = khiva_arena.merge(*map(str, three), out=tmp_path / "out", jobs=1)
    assert merged.complete
    assert merged.to_dict()["digest"] == merged.digest
    with pytest.raises(ConfigError, match="nothing to merge"):
        khiva_arena.merge(tmp_path / "out", out=tmp_path / "out")
