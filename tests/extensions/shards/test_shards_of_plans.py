"""The shards of a plan, played, killed, closed and merged."""

import json
import re
import shlex
import shutil
import signal
from pathlib import Path

import pytest
from arena import RANDOM as PYTHON
from arena import arena, bots, kill, wait_for_matches
from cups import cup, digest, plan, play, refused, words
from forked_command import started
from msgspec import structs
from stores import NAIVE, RANDOM
from wording import pattern, sentence

import khiva_arena
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.competition.settings.isolation import keep_private, private_places
from khiva_arena.competition.settings.settings import settings_from
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.shards import merge_command as merging_command
from khiva_arena.records.store.db import FILE, Store

__all__ = ["cup", "plan"]
pytestmark = pytest.mark.slow


def test_a_shard_is_shown_as_a_part(cup: Path) -> None:
    done = arena("run", "--from-plan", "cup.plan", "--shard", "2/5", "--out", "two", cwd=cup)
    assert "shard 2/5 of it: seed 1, 2 matches" in done.stderr
    assert "run digest" not in done.stderr
    assert "partial: 2 of 10 matches of event 1" in " ".join(done.stdout.split())
    (table,) = json.loads(arena("standings", "two", "--json", cwd=cup).stdout)["standings"]
    assert table["partial"] == [{"event": table["events"][0], "recorded": 2, "planned": 10}]
    again = arena("run", "--from-plan", "cup.plan", "--shard", "2/5", "--out", "two", cwd=cup)
    assert "shard 2/5 of event" in again.stderr
    assert "is complete: nothing is played" in again.stderr
    assert again.stdout == done.stdout


@pytest.mark.soak
def test_a_shard_that_was_killed_resumes(tmp_path: Path) -> None:
    slow = [
        word if word != RANDOM else PYTHON for word in words(seeds=12)
    ]  # so that the kill comes in time
    arena(*slow, "--plan", "cup.plan", cwd=tmp_path)
    said = ["run", "--from-plan", "cup.plan", "--shard", "2/2", "--out", "two"]
    running = started(*said, cwd=tmp_path)
    wait_for_matches(tmp_path / "two" / FILE, 3)
    kill(running, signal.SIGKILL)
    running.communicate(timeout=60)
    done = arena(*said, cwd=tmp_path)
    assert sentence("competition", "recorded-before") in done.stderr
    play(tmp_path, "1/2")
    assert arena("merge", "two", "shard-1-2", "--out", "cup", cwd=tmp_path).returncode == 0


def test_shards_in_one_store_and_what_is_missing_in_a_merged_one(cup: Path) -> None:
    """The truth is in the store: whichever part of the event is asked for, what is
    there is not played again.
    """
    for shard in ("1/5", "4/5"):
        arena("run", "--from-plan", "cup.plan", "--shard", shard, "--out", "both", cwd=cup)
    done = arena("merge", "both", "--out", "cup", cwd=cup, code=1)
    assert "4 of 10 matches, 4 of them new" in done.stdout
    assert done.stdout.count("missing: ") == 3
    command = next(line for line in done.stdout.splitlines() if "shard 2/5" in line).partition(
        "to play: khiva-arena "
    )[2]
    assert command.startswith("run --from-plan cup.plan --shard 2/5 --out ")
    arena(*command.split(), cwd=cup)
    assert (
        arena("merge", command.split()[-1], "--out", "cup", cwd=cup, code=1).stdout.count(
            "missing: "
        )
        == 2
    )
    whole = arena("run", "--from-plan", "cup.plan", "--out", "cup", cwd=cup)
    assert "6 " + sentence("competition", "recorded-before") in whole.stderr
    alone = arena("run", "--from-plan", "cup.plan", "--out", "alone", cwd=cup)
    assert digest(whole.stderr) == digest(alone.stderr)
    assert digest(arena("merge", "alone", "--out", "cup", cwd=cup).stdout) == digest(alone.stderr)


def test_closing_what_was_merged_so_far_says_what_that_means(cup: Path) -> None:
    play(cup, "1/2")
    arena("merge", "shard-1-2", "--out", "cup", cwd=cup, code=1)
    said = arena("close", "cup", "1", "--yes", cwd=cup).stderr
    assert (
        "into this store shards were merged of cup.plan: "
        + sentence("competition", "deals-shards-become-known")
        in said
    )


def test_a_shard_that_was_closed_is_neither_joined_nor_continued(cup: Path) -> None:
    """Its run's secret is revealed, and so is every deal of the other shards."""
    play(cup, "1/2", "2/2")
    shutil.copytree(cup / "shard-2-2", cup / "open")
    said = arena("close", "shard-1-2", "1", "--yes", cwd=cup).stderr
    assert (
        "this is shard 1/2 of cup.plan: " + sentence("competition", "deals-shards-become-known")
        in said
    )
    for stores in (("shard-1-2", "shard-2-2"), ("shard-2-2", "shard-1-2")):
        assert "shard-1-2: event 1 was closed at " in refused(cup, "merge", *stores, "--out", "cup")
    assert not (cup / "cup").exists()
    assert "and all its deals are known: no shard can join it; `khiva-arena standings" in refused(
        cup, "merge", "shard-2-2", "--out", "shard-1-2"
    )
    for shard in (["--shard", "1/2"], ["--shard", "2/2"], []):
        done = arena(
            "run", "--from-plan", "cup.plan", *shard, "--out", "shard-1-2", cwd=cup, code=1
        )
        assert "is never continued: nothing is played" in done.stderr
    assert "4 of 10 matches are sound" in arena("verify", "shard-1-2", cwd=cup).stdout


def test_the_time_of_a_shard_leaves_out_what_others_have_played(cup: Path) -> None:
    said = [
        arena("run", "--from-plan", "cup.plan", "--shard", shard, "--out", "s", cwd=cup).stderr
        for shard in ("1/5", "2/5")
    ]
    assert re.search("seed 0, 2 matches$", said[0], re.MULTILINE)
    time = re.search(r"seed 1, 2 matches; estimated time: about (\S+) s ", said[1])
    with Store.read(cup / "s") as store:
        (event,) = store.events()
        of_two = sum(store.seconds(event.id)[:2])
    assert time
    assert float(time[1]) == pytest.approx(
        1.2 * of_two, rel=0.05
    )  # with what is guessed to be around them


def test_a_merged_event_is_extended_as_any_other(cup: Path) -> None:
    arena("merge", *play(cup, "1/2", "2/2"), "--out", "cup", cwd=cup)
    done = arena(*words(seeds=6), "--out", "cup", cwd=cup)
    assert (
        "it extends event 1, " + sentence("events", "whose-results-known") + ", from 5 to 6 seeds"
        in done.stderr
    )
    assert sentence("shards", "stores-several-events-common") in refused(
        cup, "merge", "cup", "--out", "copy"
    )
    ids = [
        event["event"]
        for event in json.loads(arena("verify", "cup", "--json", cwd=cup).stdout)["events"]
    ]
    for event in ids:
        arena("merge", "cup", "--event", event, "--out", "copy", cwd=cup)
    assert "it extends event 1" in arena("verify", "copy", cwd=cup).stdout


def test_a_bot_that_does_not_count_in_the_table_of_a_shard(tmp_path: Path) -> None:
    arena(*words(seeds=2), *bots(NAIVE), "--plan", "cup.plan", cwd=tmp_path)
    (store,) = play(tmp_path, "1/2")
    assert "; event 1; without naive; partial: 6 of 12 matches" in " ".join(
        arena("standings", store, "--exclude", "naive", cwd=tmp_path).stdout.split()
    )


def test_the_store_of_a_shard_is_not_extended(cup: Path) -> None:
    (store,) = play(cup, "1/2")
    wrong = refused(cup, *words(seeds=6), "--out", store)
    assert (
        sentence(
            "events",
            "seeds-event-not-over",
            wanted="6",
            number="1",
            how_far="4 of 10 matches are recorded",
            what="it has 5 seeds",
            total="5",
        )
        in wrong
    )


def test_values_of_variables_stand_in_no_plan_and_no_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = [
        *words(seeds=2),
        "--env",
        "random=SHARD_KEY",
        "--network",
        "random",
        "--plan",
        "cup.plan",
    ]
    assert "SHARD_KEY is not set" in refused(tmp_path, *said)
    monkeypatch.setenv("SHARD_KEY", "a-value-of-one-machine")
    arena(*said, cwd=tmp_path)
    plan = (tmp_path / "cup.plan").read_bytes()
    assert (plan.count(b"SHARD_KEY"), plan.count(b"a-value-of")) == (1, 0)
    monkeypatch.delenv("SHARD_KEY")
    assert "SHARD_KEY is not set" in refused(
        tmp_path, "run", "--from-plan", "cup.plan", "--out", "out"
    )
    monkeypatch.setenv("SHARD_KEY", "a-value-of-another")
    stores = play(tmp_path, "1/2", "2/2")
    arena("merge", *stores, "--out", "cup", cwd=tmp_path)
    assert (
        "random=network"
        in arena(
            "run", "--from-plan", "cup.plan", "--shard", "1/2", "--out", "s", cwd=tmp_path
        ).stderr
    )
    assert not [
        file
        for file in tmp_path.rglob("*")
        if file.is_file() and b"a-value-of" in file.read_bytes()
    ]


def test_a_public_text_is_given_to_each_shard(cup: Path) -> None:
    for number in (1, 2):
        said = [
            "run",
            "--from-plan",
            "cup.plan",
            "--shard",
            f"{number}/2",
            "--public",
            "6 aus 49",
            "--out",
            f"s{number}",
        ]
        assert "public text '6 aus 49'" in arena(*said, cwd=cup).stderr
    arena("merge", "s1", "s2", "--out", "cup", cwd=cup)
    assert "public text '6 aus 49'" in arena("verify", "cup", cwd=cup).stdout


def test_what_is_told_of_a_missing_shard_plays_it_as_the_others_were_played(cup: Path) -> None:
    said = ["run", "--from-plan", "cup.plan", "--public", "6 aus 49"]
    arena(*said, "--shard", "1/2", "--out", "s1", cwd=cup)
    line = arena("merge", "s1", "--out", "cup", cwd=cup, code=1).stdout.splitlines()[-1]
    what, _, command = line.partition("to play: khiva-arena ")
    assert what == "  missing: shard 2/2, seeds 2 to 4; "
    arena(*shlex.split(command), cwd=cup)
    line = arena("merge", "s1", "--out", "cup", cwd=cup, code=1).stdout.splitlines()[-1]
    what, _, command = line.partition("to merge: khiva-arena ")
    assert what == "  missing: shard 2/2, seeds 2 to 4; played, but not merged yet; "
    assert "10 of 10 matches" in arena(*shlex.split(command), cwd=cup).stdout


def test_a_merge_prints_json(cup: Path) -> None:
    stores = play(cup, "1/2")
    found = json.loads(arena("merge", *stores, "--out", "cup", "--json", cwd=cup, code=1).stdout)
    assert (found["recorded"], found["planned"], found["digest"]) == (4, 10, None)
    (missing,) = found["missing"]
    command = "khiva-arena run --from-plan cup.plan --shard 2/2 --out shard-2"
    assert missing == {"shard": "2/2", "seeds": "2 to 4", "command": command, "played": False}


def test_a_merge_that_is_refused_writes_nothing(cup: Path) -> None:
    stores = play(cup, "1/2")
    (cup / "x.bundle").write_bytes(b"x")
    assert sentence("shards", "file-only-folders-stores") in refused(
        cup, "merge", *stores, "x.bundle", "--out", "cup"
    )
    assert "no results here" in refused(cup, "merge", *stores, "nothing", "--out", "cup")
    assert "--out DIR is missing" in refused(cup, "merge", *stores)
    assert not (cup / "cup").exists()


def test_an_interrupted_merge_says_that_it_goes_on(
    cup: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(*_words: object, **_more: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(merging_command, "merge_stores", stopped)
    with pytest.raises(KeyboardInterrupt):
        merging_command.merge(
            [cup / "one"], cup / "out", None, as_json=False, jobs=1, any_engine=False
        )
    assert "interrupted: what was merged stays; the same command goes on" in capsys.readouterr().err


@pytest.mark.soak
def test_a_shard_from_python(cup: Path) -> None:
    first = khiva_arena.run(from_plan=cup / "cup.plan", shard="1/2", jobs=1, out=cup / "one")
    assert sorted(match.ordinal for match in first) == [0, 1, 2, 3]
    assert (first.complete, first.progress.recorded, first.progress.planned) == (True, 4, 4)
    assert "partial" in first.standings()[0].title
    again = khiva_arena.run(from_plan=cup / "cup.plan", shard="1/2", out=cup / "one")
    assert len(list(again)) == 4
    khiva_arena.run(from_plan=cup / "cup.plan", shard="2/2", out=cup / "two").wait()
    merged = khiva_arena.merge(cup / "one", cup / "two", out=cup / "all")
    assert merged.complete
    assert khiva_arena.verify(cup / "all").events[0].digest == merged.digest
    with pytest.raises(
        ConfigError, match="shard needs from_plan, a file that `khiva-arena run --plan FILE` writes"
    ):
        khiva_arena.run(shard="1/2")
    with pytest.raises(ConfigError, match="seeds: " + pattern("shards", "plan-says-leave-out")):
        khiva_arena.run(from_plan=cup / "cup.plan", seeds=3)
    with pytest.raises(
        ConfigError,
        match="^" + pattern("shards", "shard-no-such-shard", word="3/2").removeprefix(r"\-\-"),
    ):
        khiva_arena.run(from_plan=cup / "cup.plan", shard="3/2")


def test_a_plan_that_bots_may_read(tmp_path: Path) -> None:
    """As in the folder of a runtime."""
    settings = settings_from({"bots": ("a", "b"), "out": str(tmp_path / "out")})
    runtime = tmp_path / "runtime"
    runtime.mkdir()
    sandbox = Sandbox(Level.STANDARD, settings.resources, settings.ponder)
    command = Command(("/bin/sh",), str(tmp_path), readable=(str(runtime),))
    keep_private(private_places(settings, tmp_path / "cup.plan"), sandbox, [command])
    with pytest.raises(
        ConfigError,
        match=f"--from-plan {runtime}/cup.plan: "
        + pattern("settings", "bots-may-read", holder=f"{runtime}"),
    ):
        keep_private(private_places(settings, runtime / "cup.plan"), sandbox, [command])
    for flag in ("dask_tls", "tls_key", "tokens"):
        keys = structs.replace(
            settings, of_extensions={**settings.of_extensions, flag: runtime / "keys"}
        )
        with pytest.raises(
            ConfigError,
            match=f"--{flag.replace('_', '-')} {runtime}/keys: "
            + pattern("settings", "bots-may-read", holder=f"{runtime}"),
        ):
            keep_private(private_places(keys), sandbox, [command])
