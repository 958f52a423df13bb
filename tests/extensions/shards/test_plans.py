"""A plan, its shards on machines that know nothing of each other, and the merge, as they are typed."""

import json
import os
import re
import shlex
import shutil
import signal
from collections.abc import Sequence
from pathlib import Path

import pytest
from arena import RANDOM as PYTHON
from arena import SHIPPED, arena, bots, kill, wait_for_matches
from forked_command import arena_forked, started
from msgspec import structs
from printed_tables import bare_tables
from stores import NAIVE, RANDOM
from wording import pattern, sentence

import khiva_arena
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.common.version import shown
from khiva_arena.competition.settings import isolation
from khiva_arena.competition.settings.isolation import keep_private, private_places
from khiva_arena.competition.settings.settings import settings_from
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.shards import merge_command as merging_command
from khiva_arena.extensions.shards.plan_file import read_plan
from khiva_arena.records.store.db import FILE, Store

pytestmark = pytest.mark.slow

SEATS = {"khiva": "2", "emira": "3", "silk_road": "2"}


def words(game: str = "khiva", seeds: int = 5) -> list[str]:
    copies = ["--copies", "2"] if SEATS[game] == "3" else []
    shape = ["--game", game, "--seats", SEATS[game], *copies, "--seeds", str(seeds), "--isolation", "trusted"]
    short = ["--rule", "max_turns=6"] if game == "khiva" else []
    return ["run", *bots(SHIPPED, RANDOM), *shape, *short]


def digest(text: str) -> str:
    return next(line for line in text.splitlines() if "run digest" in line).rpartition(" ")[2]


def refused(folder: Path, *said: str, lines: int = 1) -> str:
    """The only lines of a command that is refused."""
    done = arena(*said, cwd=folder, code=2)
    wrong = [line for line in done.stderr.splitlines() if line.startswith("khiva-arena: error: ")]
    assert len(wrong) == lines, done.stderr
    assert "Traceback" not in done.stderr
    return "\n".join(wrong)


def play(folder: Path, *shards: str) -> list[str]:
    """Play these shards of cup.plan. Returns the folders of their stores."""
    made = []
    for shard in shards:
        made.append(f"shard-{shard.replace('/', '-')}")
        arena("run", "--from-plan", "cup.plan", "--shard", shard, "--out", made[-1], cwd=folder)
    return made


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plan that this process has made: it may play what it opens."""
    folder = tmp_path_factory.mktemp("plan")
    arena(*words(), "--plan", "cup.plan", cwd=folder)
    return folder / "cup.plan"


@pytest.fixture
def cup(plan: Path, tmp_path: Path) -> Path:
    shutil.copy(plan, tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "game", ["khiva", pytest.param("silk_road", marks=pytest.mark.soak), pytest.param("emira", marks=pytest.mark.long)]
)
def test_digests_of_one_machine_and_of_shards_are_equal(game: str, tmp_path: Path) -> None:
    arena(*words(game), "--seed", "each", "--plan", "cup.plan", cwd=tmp_path)
    commitment = read_plan(tmp_path / "cup.plan").event.commitment
    alone = arena(*words(game), "--seed", "each", "--out", "alone", cwd=tmp_path).stderr
    assert f"commitment {commitment}" in alone
    for of in (1, 2, 5) if game == "khiva" else (2, 5):
        stores = play(tmp_path, *(f"{number}/{of}" for number in range(1, of + 1)))
        done = (arena_forked if of == 5 else arena)("merge", *stores, "--out", f"cup-{of}", "-j", str(1 + of // 5), cwd=tmp_path)
        assert digest(done.stdout) == digest(alone)
        assert digest(arena("verify", f"cup-{of}", cwd=tmp_path).stdout) == digest(alone)
    arena("bundle", "cup-5", "cup.bundle", cwd=tmp_path)
    assert digest(arena("verify", "cup.bundle", cwd=tmp_path).stdout) == digest(alone)
    tables = [bare_tables(arena("standings", out, "--json", cwd=tmp_path).stdout) for out in ("alone", "cup-5")]
    for table in tables:
        for row in table["standings"][0]["rows"]:
            for measured in ("cpu_s", "page_faults", "paused", "voids", "caused"):
                del row[measured]  # which no two machines have alike
    assert tables[0] == tables[1]


# --- a plan ---


@pytest.mark.parametrize("more", [(), ("--bank", "0s")])
def test_short_turns_with_strict_policy_make_no_plan(tmp_path: Path, more: tuple[str, ...]) -> None:
    refused(tmp_path, *words(), "--turn", "1ms", "--policy", "strict", *more, "--plan", "cup.plan")
    assert not (tmp_path / "cup.plan").exists()


def test_a_plan_plays_nothing_and_is_for_its_owner_alone(tmp_path: Path) -> None:
    before = os.umask(0o002)
    try:
        done = arena(*words(), "--plan", "cup.plan", "--out", "out", cwd=tmp_path)
    finally:
        os.umask(before)
    plan = read_plan(tmp_path / "cup.plan").event
    assert (tmp_path / "cup.plan").stat().st_mode & 0o777 == 0o600
    assert done.stdout.splitlines() == [
        f"event {plan.id}: 5 seeds, 10 matches",
        f"definition {plan.definition.digest}",
        f"commitment {plan.commitment}",
    ]
    assert plan.secret.hex() not in done.stdout + done.stderr
    assert "khiva-arena run --from-plan cup.plan --shard 1/5 --out shard-1" in done.stderr
    assert sorted(os.listdir(tmp_path)) == ["cup.plan"]
    as_json = json.loads(arena(*words(), "--plan", "other.plan", "--json", cwd=tmp_path).stdout)
    assert (as_json["seeds"], as_json["planned"]) == (5, 10)
    assert as_json["commitment"] != plan.commitment


def test_a_file_that_is_there_stays(cup: Path) -> None:
    before = (cup / "cup.plan").read_bytes()
    again = arena(*words(), "--plan", "cup.plan", cwd=cup)
    assert "cup.plan has this plan already; it stays" in again.stderr
    assert read_plan(cup / "cup.plan").event.commitment in again.stdout
    assert "other contents" in refused(cup, *words(seeds=6), "--plan", "cup.plan")
    assert "other contents" in refused(cup, *words(), "--seed", "x", "--plan", "cup.plan")
    (cup / "notes").write_text("mine")
    assert "other contents" in refused(cup, *words(), "--plan", "notes")
    assert ((cup / "cup.plan").read_bytes(), (cup / "notes").read_text()) == (before, "mine")
    assert "no/cup.plan: cannot be written: No such file" in refused(cup, *words(), "--plan", "no/cup.plan")


def test_a_plan_that_others_may_read(cup: Path) -> None:
    (cup / "cup.plan").chmod(0o640)
    line = refused(cup, "run", "--from-plan", "cup.plan", "--shard", "1/5", "--out", "out")
    assert "others may read it (mode 640)" in line
    assert "`chmod 600 cup.plan`" in line
    assert not (cup / "out").exists()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"seeds": 5', '"seeds": 6'),
        ('"turn_ms": 1000', '"turn_ms": 9000'),
        ('"asked_as": "', '"asked_as": "./'),
        ('"secret": "', '"secret": "0'),
    ],
)
def test_a_plan_that_was_edited(cup: Path, old: str, new: str) -> None:
    text = (cup / "cup.plan").read_text()
    assert old in text
    (cup / "cup.plan").write_text(text.replace(old, new))
    line = refused(cup, "run", "--from-plan", "cup.plan", "--out", "out")
    assert sentence("shards", "changed-since-written-2") in line or "damaged" in line
    assert not (cup / "out").exists()


@pytest.mark.parametrize("text", ["", "{}", "[" * 100_000, '{"kind":"khiva-plan"}', "\x00"])
def test_what_is_no_plan(tmp_path: Path, text: str) -> None:
    (tmp_path / "cup.plan").write_text(text)
    assert "not a plan" in refused(tmp_path, "run", "--from-plan", "cup.plan")
    assert "cannot be read: No such file" in refused(tmp_path, "run", "--from-plan", "nothing")
    assert "cannot be read" in refused(tmp_path, "run", "--from-plan", ".")


@pytest.mark.parametrize("word", ["6/5", "0/5", "1/6", "two", "1/0"])
def test_a_shard_that_is_none(cup: Path, word: str) -> None:
    assert f"--shard {word}" in refused(cup, "run", "--from-plan", "cup.plan", "--shard", word, "--out", "out").replace("'", "")
    assert not (cup / "out").exists()


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (["--format", "swiss"], "a swiss draws each round"),
        (["--format", "knockout"], "a knockout draws each round"),
        (["stages.toml"], sentence("shards", "stage-played-those-did")),
    ],
)
def test_formats_without_shards_say_why(tmp_path: Path, more: list[str], why: str) -> None:
    (tmp_path / "stages.toml").write_text("[[stage]]\nname = 'a'\n[[stage]]\nname = 'b'\ntake = 2\n")
    for flags in (["--plan", "cup.plan"], ["--shard", "1/2"]):
        line = refused(tmp_path, *words(), *more, *flags)
        assert why in line
        assert "`--dask ADDRESS` plays every format on many machines" in line
    assert os.listdir(tmp_path) == ["stages.toml"]


@pytest.mark.parametrize("flags", [["--plan", "cup.plan"], ["--shard", "1/2"], ["--from-plan", "cup.plan"]])
def test_a_sequential_test_says_why_it_has_no_shards(tmp_path: Path, flags: list[str]) -> None:
    line = refused(tmp_path, "sprt", SHIPPED, RANDOM, *flags)
    assert "a sequential test looks at the results of all seeds so far before it plays the next" in line
    assert "--dask" in line


@pytest.mark.parametrize(
    ("flags", "why"),
    [
        (["--shard", "1/5"], "machines share one secret: write a plan with --plan FILE, then give --from-plan FILE"),
        (
            ["--plan", "p", "--shard", "1/5"],
            "--plan and --shard: the plan is of the whole event; --from-plan plays a shard of it",
        ),
        (["--plan", "p", "--commit"], "--plan and --commit: a plan prints the commitment, too; leave --commit out"),
        (["--plan", "p", "--public", "x"], "publish the commitment first"),
        (["--plan", "p", "--web"], "--plan and --web: a plan plays nothing; give --web to a run --from-plan"),
        (["--plan", "p", "--new-event"], "--plan and --new-event: each plan is of an event of its own; leave it out"),
        (["--plan", "p", "--any-engine"], "of this version"),
        (
            ["--plan", "p", "--skip-broken"],
            sentence("shards", "plan-leaves-out", option="--skip-broken", names=sentence("shards", "plan-names-bots")),
        ),
        (
            ["--plan", "p", "--probation"],
            sentence("shards", "plan-leaves-out", option="--probation", names=sentence("shards", "plan-names-bots")),
        ),
        (["--plan", "p", "--from-plan", "cup.plan"], "--plan and --from-plan: a plan is written once, then played"),
        (["--from-plan", "cup.plan", "--new-event"], "make a new plan"),
        (["--from-plan", "cup.plan", "--commit"], "--commit: the commitment was printed when the plan was made; leave it out"),
    ],
)
def test_flags_that_do_not_go_together(cup: Path, flags: list[str], why: str) -> None:
    assert why in refused(cup, *words(), *flags)


def test_settings_beside_a_plan(cup: Path) -> None:
    said = refused(cup, "run", "--from-plan", "cup.plan", "--seeds", "6", "--turn", "2s", "--limit", "memory=2G", lines=3)
    assert all(f"--{flag}: " + sentence("shards", "plan-says-leave-out") in said for flag in ("seeds", "turn", "limit"))
    arena("run", "--from-plan", "cup.plan", "--shard", "1/5", "--limit", "bot_size=2M", "-j", "1", "--out", "out", cwd=cup)
    assert "--shipped: the plan names its bots; leave it out" in refused(cup, "run", "--from-plan", "cup.plan", "--shipped")
    (cup / "c.toml").write_text("")
    assert "the plan has the settings; leave the file out" in refused(cup, "run", "c.toml", "--from-plan", "cup.plan")


def test_a_plan_in_the_folder_of_a_bot(tmp_path: Path) -> None:
    arena("new", "python", "my-bot", cwd=tmp_path)
    line = refused(
        tmp_path, "run", *bots("my-bot", RANDOM), "--seats", "2", "--isolation", "trusted", "--plan", "my-bot/cup.plan"
    )
    assert sentence("settings", "lies-folder-bot", name="my-bot") in line


def test_a_seat_that_only_one_machine_has(tmp_path: Path) -> None:
    line = refused(tmp_path, "run", *bots("remote:ann", RANDOM), "--seats", "2", "--isolation", "trusted", "--plan", "cup.plan")
    assert "--plan: bot ann is seated by only one machine, so it plays in no shard" in line


# --- on another machine ---


@pytest.fixture
def laptops(tmp_path: Path) -> Sequence[Path]:
    """Two folders with the same plan and the same bot of a user."""
    (tmp_path / "a").mkdir()
    arena("new", "python", "my-bot", cwd=tmp_path / "a")
    shape = ["--seats", "2", "--seeds", "2", "--isolation", "trusted"]
    arena("run", *bots("./my-bot", SHIPPED), *shape, "--plan", "cup.plan", cwd=tmp_path / "a")
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    return tmp_path / "a", tmp_path / "b"


def test_bots_are_known_by_their_hashes_wherever_they_lie(laptops: Sequence[Path]) -> None:
    a, b = laptops
    play(a, "1/2")
    (b / "my-bot").rename(b / "elsewhere")
    line = refused(b, "run", "--from-plan", "cup.plan")
    assert (
        "--from-plan cup.plan: --bot ./my-bot: "
        + sentence("entrants", "no-such-folder-command")
        + ": "
        + "the name is the plan's; give a --bot for each bot"
        in line
    )
    named = bots(SHIPPED, "elsewhere")
    arena("run", "--from-plan", "cup.plan", *named, "--shard", "2/2", "--out", "shard-2-2", cwd=b)
    assert digest(arena("merge", "a/shard-1-2", "b/shard-2-2", "--out", "cup", cwd=a.parent).stdout)
    assert "the plan has no such bot" in refused(b, "run", "--from-plan", "cup.plan", *named, "--bot", RANDOM)
    assert "bot my-bot (./my-bot) of the plan is not named; give a --bot for each bot, with its place here" in refused(
        b, "run", "--from-plan", "cup.plan", *named[:2]
    )


def test_a_bot_that_differs_in_a_byte(laptops: Sequence[Path]) -> None:
    _, b = laptops
    with (b / "my-bot" / "main.py").open("a") as file:
        file.write("#")
    line = refused(b, "run", "--from-plan", "cup.plan", "--shard", "2/2", "--out", "out")
    assert sentence("shards", "other-bot", name="my-bot", word="./my-bot") in line
    assert not (b / "out").exists()


def test_a_plan_of_another_draw_in_a_store_that_is_not_over(tmp_path: Path) -> None:
    for name in ("one", "other"):
        arena("run", *bots(RANDOM, NAIVE), "--seats", "2", "--seeds", "2", "--plan", name, cwd=tmp_path)
    arena("run", "--from-plan", "one", "--shard", "1/2", "--out", "out", cwd=tmp_path)
    before = (tmp_path / "out" / FILE).read_bytes()
    said = arena("run", "--from-plan", "other", "--shard", "2/2", "--out", "out", cwd=tmp_path, code=2).stderr
    assert "since it began: the same settings have got another draw" in said
    assert "give another --out for the plan" in said
    assert (tmp_path / "out" / FILE).read_bytes() == before


def test_another_engine(cup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("extensions.shards.plan", "competition.events.stored"):
        monkeypatch.setattr(f"khiva_arena.{module}.__version__", "9.9.9")
    line = refused(cup, "run", "--from-plan", "cup.plan", "--shard", "1/5", "--out", "out")
    assert sentence("shards", "khiva-arena-made", engines=khiva_arena.__version__, version=shown()) in line
    arena("run", "--from-plan", "cup.plan", "--shard", "1/5", "--out", "out", "--any-engine", cwd=cup)
    assert f"arena {khiva_arena.__version__}, 9.9.9" in " ".join(arena("standings", "out", cwd=cup).stdout.split())


def test_an_isolation_that_does_not_work_here(cup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation, "why_not", lambda _level: "it is switched off")
    line = refused(cup, "run", "--from-plan", "cup.plan", "--shard", "1/5", "--out", "out")
    assert sentence("settings", "isolation-not-work-here", level="trusted") + ": it is switched off" in line


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
    slow = [word if word != RANDOM else PYTHON for word in words(seeds=12)]  # so that the kill comes in time
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
    """The truth is in the store: whichever part of the event is asked for, what is there is not played again."""
    for shard in ("1/5", "4/5"):
        arena("run", "--from-plan", "cup.plan", "--shard", shard, "--out", "both", cwd=cup)
    done = arena("merge", "both", "--out", "cup", cwd=cup, code=1)
    assert "4 of 10 matches, 4 of them new" in done.stdout
    assert done.stdout.count("missing: ") == 3
    command = next(line for line in done.stdout.splitlines() if "shard 2/5" in line).partition("to play: khiva-arena ")[2]
    assert command.startswith("run --from-plan cup.plan --shard 2/5 --out ")
    arena(*command.split(), cwd=cup)
    assert arena("merge", command.split()[-1], "--out", "cup", cwd=cup, code=1).stdout.count("missing: ") == 2
    whole = arena("run", "--from-plan", "cup.plan", "--out", "cup", cwd=cup)
    assert "6 " + sentence("competition", "recorded-before") in whole.stderr
    alone = arena("run", "--from-plan", "cup.plan", "--out", "alone", cwd=cup)
    assert digest(whole.stderr) == digest(alone.stderr)
    assert digest(arena("merge", "alone", "--out", "cup", cwd=cup).stdout) == digest(alone.stderr)


def test_closing_what_was_merged_so_far_says_what_that_means(cup: Path) -> None:
    play(cup, "1/2")
    arena("merge", "shard-1-2", "--out", "cup", cwd=cup, code=1)
    said = arena("close", "cup", "1", "--yes", cwd=cup).stderr
    assert "into this store shards were merged of cup.plan: " + sentence("competition", "deals-shards-become-known") in said


def test_a_shard_that_was_closed_is_neither_joined_nor_continued(cup: Path) -> None:
    """Its run's secret is revealed, and so is every deal of the other shards."""
    play(cup, "1/2", "2/2")
    shutil.copytree(cup / "shard-2-2", cup / "open")
    said = arena("close", "shard-1-2", "1", "--yes", cwd=cup).stderr
    assert "this is shard 1/2 of cup.plan: " + sentence("competition", "deals-shards-become-known") in said
    for stores in (("shard-1-2", "shard-2-2"), ("shard-2-2", "shard-1-2")):
        assert "shard-1-2: event 1 was closed at " in refused(cup, "merge", *stores, "--out", "cup")
    assert not (cup / "cup").exists()
    assert "and all its deals are known: no shard can join it; `khiva-arena standings" in refused(
        cup, "merge", "shard-2-2", "--out", "shard-1-2"
    )
    for shard in (["--shard", "1/2"], ["--shard", "2/2"], []):
        done = arena("run", "--from-plan", "cup.plan", *shard, "--out", "shard-1-2", cwd=cup, code=1)
        assert "is never continued: nothing is played" in done.stderr
    assert "4 of 10 matches are sound" in arena("verify", "shard-1-2", cwd=cup).stdout


def test_the_time_of_a_shard_leaves_out_what_others_have_played(cup: Path) -> None:
    said = [arena("run", "--from-plan", "cup.plan", "--shard", shard, "--out", "s", cwd=cup).stderr for shard in ("1/5", "2/5")]
    assert re.search("seed 0, 2 matches$", said[0], re.MULTILINE)
    time = re.search(r"seed 1, 2 matches; estimated time: about (\S+) s ", said[1])
    with Store.read(cup / "s") as store:
        (event,) = store.events()
        of_two = sum(store.seconds(event.id)[:2])
    assert time
    assert float(time[1]) == pytest.approx(1.2 * of_two, rel=0.05)  # with what is guessed to be around them


def test_a_merged_event_is_extended_as_any_other(cup: Path) -> None:
    arena("merge", *play(cup, "1/2", "2/2"), "--out", "cup", cwd=cup)
    done = arena(*words(seeds=6), "--out", "cup", cwd=cup)
    assert "it extends event 1, " + sentence("events", "whose-results-known") + ", from 5 to 6 seeds" in done.stderr
    assert sentence("shards", "stores-several-events-common") in refused(cup, "merge", "cup", "--out", "copy")
    ids = [event["event"] for event in json.loads(arena("verify", "cup", "--json", cwd=cup).stdout)["events"]]
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


def test_values_of_variables_stand_in_no_plan_and_no_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = [*words(seeds=2), "--env", "random=SHARD_KEY", "--network", "random", "--plan", "cup.plan"]
    assert "SHARD_KEY is not set" in refused(tmp_path, *said)
    monkeypatch.setenv("SHARD_KEY", "a-value-of-one-machine")
    arena(*said, cwd=tmp_path)
    plan = (tmp_path / "cup.plan").read_bytes()
    assert (plan.count(b"SHARD_KEY"), plan.count(b"a-value-of")) == (1, 0)
    monkeypatch.delenv("SHARD_KEY")
    assert "SHARD_KEY is not set" in refused(tmp_path, "run", "--from-plan", "cup.plan", "--out", "out")
    monkeypatch.setenv("SHARD_KEY", "a-value-of-another")
    stores = play(tmp_path, "1/2", "2/2")
    arena("merge", *stores, "--out", "cup", cwd=tmp_path)
    assert "random=network" in arena("run", "--from-plan", "cup.plan", "--shard", "1/2", "--out", "s", cwd=tmp_path).stderr
    assert not [file for file in tmp_path.rglob("*") if file.is_file() and b"a-value-of" in file.read_bytes()]


def test_a_public_text_is_given_to_each_shard(cup: Path) -> None:
    for number in (1, 2):
        said = ["run", "--from-plan", "cup.plan", "--shard", f"{number}/2", "--public", "6 aus 49", "--out", f"s{number}"]
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
    assert sentence("shards", "file-only-folders-stores") in refused(cup, "merge", *stores, "x.bundle", "--out", "cup")
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
        merging_command.merge([cup / "one"], cup / "out", None, as_json=False, jobs=1, any_engine=False)
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
    with pytest.raises(ConfigError, match="shard needs from_plan, a file that `khiva-arena run --plan FILE` writes"):
        khiva_arena.run(shard="1/2")
    with pytest.raises(ConfigError, match="seeds: " + pattern("shards", "plan-says-leave-out")):
        khiva_arena.run(from_plan=cup / "cup.plan", seeds=3)
    with pytest.raises(ConfigError, match="^" + pattern("shards", "shard-no-such-shard", word="3/2").removeprefix(r"\-\-")):
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
        ConfigError, match=f"--from-plan {runtime}/cup.plan: " + pattern("settings", "bots-may-read", holder=f"{runtime}")
    ):
        keep_private(private_places(settings, runtime / "cup.plan"), sandbox, [command])
    for flag in ("dask_tls", "tls_key", "tokens"):
        keys = structs.replace(settings, of_extensions={**settings.of_extensions, flag: runtime / "keys"})
        with pytest.raises(
            ConfigError,
            match=f"--{flag.replace('_', '-')} {runtime}/keys: " + pattern("settings", "bots-may-read", holder=f"{runtime}"),
        ):
            keep_private(private_places(keys), sandbox, [command])
