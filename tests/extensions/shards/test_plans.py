"""A plan, its shards on machines that know nothing of each other, and the merge, as
they are typed.
"""

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from arena import SHIPPED, arena, bots
from cups import cup, digest, plan, play, refused, words
from forked_command import arena_forked
from printed_tables import bare_tables
from stores import NAIVE, RANDOM
from wording import sentence

import khiva_arena
from khiva_arena.common.version import shown
from khiva_arena.competition.settings import isolation
from khiva_arena.extensions.shards.plan_file import read_plan
from khiva_arena.records.store.db import FILE

__all__ = ["cup", "plan"]

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "game",
    [
        "khiva",
        pytest.param("silk_road", marks=pytest.mark.soak),
        pytest.param("emira", marks=pytest.mark.long),
    ],
)
def test_digests_of_one_machine_and_of_shards_are_equal(game: str, tmp_path: Path) -> None:
    arena(*words(game), "--seed", "each", "--plan", "cup.plan", cwd=tmp_path)
    commitment = read_plan(tmp_path / "cup.plan").event.commitment
    alone = arena(*words(game), "--seed", "each", "--out", "alone", cwd=tmp_path).stderr
    assert f"commitment {commitment}" in alone
    for of in (1, 2, 5) if game == "khiva" else (2, 5):
        stores = play(tmp_path, *(f"{number}/{of}" for number in range(1, of + 1)))
        done = (arena_forked if of == 5 else arena)(
            "merge", *stores, "--out", f"cup-{of}", "-j", str(1 + of // 5), cwd=tmp_path
        )
        assert digest(done.stdout) == digest(alone)
        assert digest(arena("verify", f"cup-{of}", cwd=tmp_path).stdout) == digest(alone)
    arena("bundle", "cup-5", "cup.bundle", cwd=tmp_path)
    assert digest(arena("verify", "cup.bundle", cwd=tmp_path).stdout) == digest(alone)
    tables = [
        bare_tables(arena("standings", out, "--json", cwd=tmp_path).stdout)
        for out in ("alone", "cup-5")
    ]
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
    assert "no/cup.plan: cannot be written: No such file" in refused(
        cup, *words(), "--plan", "no/cup.plan"
    )


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
    assert f"--shard {word}" in refused(
        cup, "run", "--from-plan", "cup.plan", "--shard", word, "--out", "out"
    ).replace("'", "")
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
    (tmp_path / "stages.toml").write_text(
        "[[stage]]\nname = 'a'\n[[stage]]\nname = 'b'\ntake = 2\n"
    )
    for flags in (["--plan", "cup.plan"], ["--shard", "1/2"]):
        line = refused(tmp_path, *words(), *more, *flags)
        assert why in line
        assert "`--dask ADDRESS` plays every format on many machines" in line
    assert os.listdir(tmp_path) == ["stages.toml"]


@pytest.mark.parametrize(
    "flags", [["--plan", "cup.plan"], ["--shard", "1/2"], ["--from-plan", "cup.plan"]]
)
def test_a_sequential_test_says_why_it_has_no_shards(tmp_path: Path, flags: list[str]) -> None:
    line = refused(tmp_path, "sprt", SHIPPED, RANDOM, *flags)
    assert (
        "a sequential test looks at the results of all seeds so far before it plays the next"
        in line
    )
    assert "--dask" in line


@pytest.mark.parametrize(
    ("flags", "why"),
    [
        (
            ["--shard", "1/5"],
            "machines share one secret: write a plan with --plan FILE, then give --from-plan FILE",
        ),
        (
            ["--plan", "p", "--shard", "1/5"],
            "--plan and --shard: the plan is of the whole event; --from-plan plays a shard of it",
        ),
        (
            ["--plan", "p", "--commit"],
            "--plan and --commit: a plan prints the commitment, too; leave --commit out",
        ),
        (["--plan", "p", "--public", "x"], "publish the commitment first"),
        (
            ["--plan", "p", "--web"],
            "--plan and --web: a plan plays nothing; give --web to a run --from-plan",
        ),
        (
            ["--plan", "p", "--new-event"],
            "--plan and --new-event: each plan is of an event of its own; leave it out",
        ),
        (["--plan", "p", "--any-engine"], "of this version"),
        (
            ["--plan", "p", "--skip-broken"],
            sentence(
                "shards",
                "plan-leaves-out",
                option="--skip-broken",
                names=sentence("shards", "plan-names-bots"),
            ),
        ),
        (
            ["--plan", "p", "--probation"],
            sentence(
                "shards",
                "plan-leaves-out",
                option="--probation",
                names=sentence("shards", "plan-names-bots"),
            ),
        ),
        (
            ["--plan", "p", "--from-plan", "cup.plan"],
            "--plan and --from-plan: a plan is written once, then played",
        ),
        (["--from-plan", "cup.plan", "--new-event"], "make a new plan"),
        (
            ["--from-plan", "cup.plan", "--commit"],
            "--commit: the commitment was printed when the plan was made; leave it out",
        ),
    ],
)
def test_flags_that_do_not_go_together(cup: Path, flags: list[str], why: str) -> None:
    assert why in refused(cup, *words(), *flags)


def test_settings_beside_a_plan(cup: Path) -> None:
    said = refused(
        cup,
        "run",
        "--from-plan",
        "cup.plan",
        "--seeds",
        "6",
        "--turn",
        "2s",
        "--limit",
        "memory=2G",
        lines=3,
    )
    assert all(
        f"--{flag}: " + sentence("shards", "plan-says-leave-out") in said
        for flag in ("seeds", "turn", "limit")
    )
    arena(
        "run",
        "--from-plan",
        "cup.plan",
        "--shard",
        "1/5",
        "--limit",
        "bot_size=2M",
        "-j",
        "1",
        "--out",
        "out",
        cwd=cup,
    )
    assert "--shipped: the plan names its bots; leave it out" in refused(
        cup, "run", "--from-plan", "cup.plan", "--shipped"
    )
    (cup / "c.toml").write_text("")
    assert "the plan has the settings; leave the file out" in refused(
        cup, "run", "c.toml", "--from-plan", "cup.plan"
    )


def test_a_plan_in_the_folder_of_a_bot(tmp_path: Path) -> None:
    arena("new", "python", "my-bot", cwd=tmp_path)
    line = refused(
        tmp_path,
        "run",
        *bots("my-bot", RANDOM),
        "--seats",
        "2",
        "--isolation",
        "trusted",
        "--plan",
        "my-bot/cup.plan",
    )
    assert sentence("settings", "lies-folder-bot", name="my-bot") in line


def test_a_seat_that_only_one_machine_has(tmp_path: Path) -> None:
    line = refused(
        tmp_path,
        "run",
        *bots("remote:ann", RANDOM),
        "--seats",
        "2",
        "--isolation",
        "trusted",
        "--plan",
        "cup.plan",
    )
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
    assert "the plan has no such bot" in refused(
        b, "run", "--from-plan", "cup.plan", *named, "--bot", RANDOM
    )
    assert (
        "bot my-bot (./my-bot) of the plan is not named; give a --bot for each bot, with "
        "its place here" in refused(b, "run", "--from-plan", "cup.plan", *named[:2])
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
        arena(
            "run",
            *bots(RANDOM, NAIVE),
            "--seats",
            "2",
            "--seeds",
            "2",
            "--plan",
            name,
            cwd=tmp_path,
        )
    arena("run", "--from-plan", "one", "--shard", "1/2", "--out", "out", cwd=tmp_path)
    before = (tmp_path / "out" / FILE).read_bytes()
    said = arena(
        "run", "--from-plan", "other", "--shard", "2/2", "--out", "out", cwd=tmp_path, code=2
    ).stderr
    assert "since it began: the same settings have got another draw" in said
    assert "give another --out for the plan" in said
    assert (tmp_path / "out" / FILE).read_bytes() == before


def test_another_engine(cup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("extensions.shards.plan_settings", "competition.events.stored"):
        monkeypatch.setattr(f"khiva_arena.{module}.__version__", "9.9.9")
    line = refused(cup, "run", "--from-plan", "cup.plan", "--shard", "1/5", "--out", "out")
    assert (
        sentence("shards", "khiva-arena-made", engines=khiva_arena.__version__, version=shown())
        in line
    )
    arena(
        "run", "--from-plan", "cup.plan", "--shard", "1/5", "--out", "out", "--any-engine", cwd=cup
    )
    assert f"arena {khiva_arena.__version__}, 9.9.9" in " ".join(
        arena("standings", "out", cwd=cup).stdout.split()
    )


def test_an_isolation_that_does_not_work_here(cup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation, "why_not", lambda _level: "it is switched off")
    line = refused(cup, "run", "--from-plan", "cup.plan", "--shard", "1/5", "--out", "out")
    assert (
        sentence("settings", "isolation-not-work-here", level="trusted") + ": it is switched off"
        in line
    )
