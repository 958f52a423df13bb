"""A batch of a league as a plan, whose shards machines play that know nothing of each
other: the chain is the one of a league that one machine played.
"""

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from arena import arena, bots
from league_player import same_each_time
from leagues import ends_in
from made_league import MadeLeague
from msgspec import structs
from quick_leagues import quick_league as quick_league
from stores import NAIVE, RANDOM
from synthesised import void
from wording import pattern, sentence

from khiva_arena.bots.sandbox.command import Command
from khiva_arena.common.say import say_nothing
from khiva_arena.competition.events.stored import open_batch
from khiva_arena.errors import ConfigError, StoreError
from khiva_arena.extensions.league.chain.stored_chain import chain_of
from khiva_arena.extensions.league.player.batch_play import BatchPlay
from khiva_arena.extensions.shards.merge import merge
from khiva_arena.interface.api.verify import verify
from khiva_arena.records.store.db import EventRow, Store
from khiva_arena.records.store.rows import SET_ASIDE_VOIDS

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("forked")]

SEEDS = 3
OTHERS = (*bots(NAIVE, RANDOM), "--seats", "2", "--seeds", "1")


@pytest.fixture
def league_at(quick_league: Path) -> Callable[[Path], Path]:
    """Make a league of two seats and three deals a batch in a folder, with one bot
    beside its anchors.
    """

    def made(folder: Path) -> Path:
        shutil.copytree(quick_league, folder)
        settings = folder / "spring" / "league.toml"
        settings.write_text(settings.read_text().replace("\nseeds = 1\n", f"\nseeds = {SEEDS}\n"))
        return folder

    return made


@pytest.fixture
def folder(league_at: Callable[[Path], Path], tmp_path: Path) -> Path:
    """The folder of such a league, "spring"."""
    return league_at(tmp_path / "shared")


def league(folder: Path, verb: str, *words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Type a verb of a league whose secrets follow from how far it is."""
    with same_each_time(folder / "spring"):
        return arena("league", verb, *words, cwd=folder, code=code)


def shard(folder: Path, number: int) -> str:
    """Play a shard of the plan that lies in a folder. Return the name of its store."""
    name = f"shard-{number}"
    arena(
        "run",
        "--from-plan",
        "batch.json",
        "--shard",
        f"{number}/{SEEDS}",
        "--out",
        name,
        cwd=folder,
    )
    return name


@pytest.mark.soak
def test_a_batch_of_shards_is_that_of_one_machine(
    league_at: Callable[[Path], Path], tmp_path: Path
) -> None:
    calm, shared = league_at(tmp_path / "calm"), league_at(tmp_path / "shared")
    league(calm, "play", "spring", "--batches", "2")
    league(shared, "play", "spring", "--batches", "1")

    planned = league(shared, "plan", "spring", "batch.json", "--json")
    values = json.loads(planned.stdout)
    assert (values["seeds"], values["planned"]) == (SEEDS, SEEDS * 3 * 2)
    assert (shared / "batch.json").stat().st_mode & 0o077 == 0
    chain = (shared / "spring" / "public" / "chain.jsonl").read_text()
    assert values["commitment"] in chain  # it is public before the first match
    again = league(shared, "plan", "spring", "batch.json", "--json")  # nothing is drawn twice
    assert again.stdout == planned.stdout
    assert (shared / "spring" / "public" / "chain.jsonl").read_text() == chain

    stores = [shard(shared, 1), shard(shared, 3)]
    told = arena("merge", *stores, "--out", "spring", cwd=shared, code=1)
    assert "shard 2/3" in told.stdout
    assert (
        sentence("league", "plays-and-ends", way=sentence("league", "way-to-play", league="spring"))
        in told.stderr
    )
    arena("verify", "spring", cwd=shared)
    league(
        shared, "play", "spring", "--batches", "1"
    )  # plays what no shard did, and ends the batch

    chains = []
    for folder in (calm, shared):
        result = verify(folder / "spring")
        assert result.sound, result.problems
        with Store.read(folder / "spring") as store:
            links = chain_of(store)
            assert links is not None
            chains.append((links.digest, [over.run_digest for over in ends_in(store)]))
    assert chains[0] == chains[1]

    late = arena("merge", *stores, "--out", "spring", cwd=shared, code=2)
    assert sentence("league", "not-its-batch", league="spring") in late.stderr


@pytest.mark.usefixtures("confined")
def test_what_is_drawn_is_published_again_if_a_kill_came_before_that(folder: Path) -> None:
    league(folder, "plan", "spring", "batch.json")
    chain = folder / "spring" / "public" / "chain.jsonl"
    links = chain.read_text()
    chain.write_text("".join(links.splitlines(keepends=True)[:-1]))
    league(
        folder, "play", "spring", "--batches", "0"
    )  # which publishes, and leaves the open batch alone
    assert chain.read_text() == links
    chain.write_text("".join(links.splitlines(keepends=True)[:-1]))
    league(folder, "plan", "spring", "batch.json")
    assert chain.read_text() == links
    with Store.read(folder / "spring") as store:
        assert store.recorded(open_batch(store)) == set()


@pytest.mark.usefixtures("confined")
def test_the_line_after_a_plan_works_as_it_is_printed_with_a_beacon_too(folder: Path) -> None:
    settings = folder / "spring" / "league.toml"
    beacon = (
        'beacon = "a test"\nbeacon_begins = "2026-01-01T00:00:00Z"\nbeacon_seconds = '
        "1\nbeacon_ahead = 0\n"
    )
    text = settings.read_text().replace("beacon_seconds = 0", "").replace("beacon_ahead = 60", "")
    settings.write_text(f"{text}\n{beacon}")
    printed = arena(
        "league", "plan", "spring", "batch.json", "--beacon", "echo a line", cwd=folder
    ).stderr
    (line,) = re.findall(r"`khiva-arena (league play .*)`", printed)
    arena(*shlex.split(line), "--batches", "1", cwd=folder)
    with Store.read(folder / "spring") as store:
        assert len(ends_in(store)) == 1


@pytest.mark.soak
def test_a_plan_of_an_earlier_batch_stays_and_no_batch_is_drawn_for_it(folder: Path) -> None:
    league(folder, "plan", "spring", "batch.json")
    arena("run", "--from-plan", "batch.json", "--out", "shard", cwd=folder)
    done = arena("merge", "shard", "--out", "spring", cwd=folder)
    assert (
        sentence("league", "ends-the-batch", way=sentence("league", "way-to-play", league="spring"))
        in done.stderr
    )
    league(folder, "play", "spring", "--batches", "1")
    chain, plan = (
        (folder / "spring" / "public" / "chain.jsonl").read_text(),
        (folder / "batch.json").read_text(),
    )
    (folder / "words.txt").write_text("words")
    for file, words in (
        ("batch.json", sentence("league", "another-plan", file="batch.json")),
        ("nowhere/batch.json", "no such folder"),
        ("words.txt", "not a plan"),
    ):
        assert words in league(folder, "plan", "spring", file, code=2).stderr
    assert (folder / "batch.json").read_text() == plan
    assert (folder / "spring" / "public" / "chain.jsonl").read_text() == chain
    league(folder, "plan", "spring", "next.json")
    late = league(folder, "plan", "spring", "other.json", "--new-terms", code=2)
    assert "--new-terms: batch 2 is drawn already, on the terms before; leave it out" in late.stderr
    arena(
        "run", "--from-plan", "next.json", "--out", "shard", cwd=folder
    )  # beside the shard of the batch before
    assert "--event" in arena("merge", "shard", "--out", "spring", cwd=folder, code=2).stderr
    with Store.read(folder / "spring") as store:
        batch = open_batch(store)
    arena("merge", "shard", "--event", batch, "--out", "spring", cwd=folder)


@pytest.mark.usefixtures("confined")
def test_a_league_that_is_not_founded_takes_nothing(
    folder: Path, league_at: Callable[[Path], Path]
) -> None:
    refused = arena("run", *OTHERS, "--out", "spring", cwd=folder, code=2)
    assert sentence("league", "played-by-league-play") in refused.stderr
    arena("run", *OTHERS, "--out", "other", cwd=folder)
    refused = arena("merge", "other", "--out", "spring", cwd=folder, code=2)
    assert sentence("league", "played-by-league-play") in refused.stderr
    other = league_at(folder / "elsewhere")
    league(other, "plan", "spring", "batch.json")
    (other / "batch.json").rename(folder / "batch.json")
    refused = league(folder, "plan", "spring", "batch.json", code=2)
    assert sentence("league", "another-plan", file="batch.json") in refused.stderr
    refused = league(folder, "play", "spring", "--batches", "0", code=2)
    assert (
        "not founded yet, so nothing is due; --batches 1 plays the first batch, which founds it"
        in refused.stderr
    )


@pytest.mark.soak
def test_a_shard_of_another_batch_is_refused(folder: Path) -> None:
    arena("run", *OTHERS, "--out", "other", cwd=folder)
    league(folder, "play", "spring", "--batches", "1")
    for _ in range(2):
        refused = arena("merge", "other", "--out", "spring", cwd=folder, code=2)
        assert sentence("league", "not-its-batch", league="spring") in refused.stderr
        league(folder, "plan", "spring", "batch.json")
    refused = arena("run", "--from-plan", "batch.json", "--out", "spring", cwd=folder, code=2)
    assert sentence("league", "played-by-league-play") in refused.stderr


@pytest.mark.usefixtures("confined")
def test_no_plan_lies_where_bots_or_the_server_read(folder: Path) -> None:
    (folder / "link").symlink_to(folder / "spring")
    (folder / "anchor").mkdir()
    arena("new", "shipped:python/greedy", "outside", cwd=folder)
    settings = folder / "spring" / "league.toml"
    text = settings.read_text().replace("bots/anchors/greedy", str(folder / "outside"))
    settings.write_text(text.replace('anchor = "greedy"', 'anchor = "random"'))
    for file in ("spring/batch.json", "anchor/../spring/bots/batch.json", "link/batch.json"):
        within = league(folder, "plan", "spring", file, code=2)
        assert sentence("league", "plan-within", file=file) in within.stderr
    of_an_anchor = league(folder, "plan", "spring", "outside/batch.json", code=2)
    assert sentence("league", "plan-of-a-bot", file="outside/batch.json") in of_an_anchor.stderr
    assert not Store.check(folder / "spring")


# --- shards that a stranger made ---


@pytest.fixture
def drawn(tmp_path: Path) -> EventRow:
    """The batch that the league ``spring`` has drawn, and an empty shard of it."""
    with MadeLeague(tmp_path / "spring") as made:
        made.enter("bot 1", 1)
        event = made.draw()
    with Store.write(tmp_path / "shard") as store:
        store.add_event(
            event.id, event.text, event.engines[0], event.commitment, event.secret, event.bots
        )
    return event


def test_a_table_is_set_aside_by_the_tries_of_the_league_alone(
    tmp_path: Path, drawn: EventRow
) -> None:
    with Store.write(tmp_path / "shard") as store:
        play = BatchPlay(store, drawn, [Command(("none",), "/")] * len(drawn.bots))
        for attempt in range(SET_ASIDE_VOIDS):
            for one in play.rounds():
                for job in play.jobs(one):
                    play.record(void(structs.replace(job, attempt=attempt + 1)), last=True)
            play.try_again()
        assert play.given_up()
    merge([tmp_path / "shard"], tmp_path / "spring", say_nothing)
    with Store.read(tmp_path / "spring") as store:
        assert store.voids(drawn.id) == []


def test_a_public_text_of_a_shard_is_no_part_of_a_batch(tmp_path: Path, drawn: EventRow) -> None:
    with Store.write(tmp_path / "shard") as store:
        store.add_public(drawn.id, "dice")
    with pytest.raises(
        ConfigError,
        match=pattern(
            "league", "public-of-a-shard", part=str(tmp_path / "shard"), right="without --public"
        ),
    ):
        merge([tmp_path / "shard"], tmp_path / "spring", say_nothing)
    with Store.read(tmp_path / "spring") as store:
        assert [event.public for event in store.events()] == [None]


def test_a_chain_that_cannot_be_read_takes_no_shard(tmp_path: Path, drawn: EventRow) -> None:
    with Store.write(tmp_path / "spring") as store:
        assert open_batch(store) == drawn.id
        store._connection.execute("UPDATE links SET text = '{\"kind\": 3}' WHERE number = 1")
        with pytest.raises(
            StoreError, match=pattern("league", "unreadable-link", folder=str(tmp_path / "spring"))
        ):
            open_batch(store)
