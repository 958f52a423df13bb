"""``run --probation``: a bot that forfeits its trial match is left out before the
event, which is that of the others.
"""

import os
import re
import shutil
import signal
import sys
from pathlib import Path

import pytest
from arena import arena, bots, started
from module_cup import vectors
from once import made_once
from pages import blocks, text
from trial_bots import (
    CRASHES,
    GOOD,
    ILLEGAL,
    digest_of,
    names_tried,
    sleeps,
    sleeps_with,
    waits_for,
    write,
    write_uncompiled,
)
from waiting import until
from wording import sentence

from khiva_arena.common.time_in_words import in_time
from khiva_arena.records.store import trial_results
from khiva_arena.records.store.db import Store
from khiva_arena.records.store.files import TRIALS
from khiva_arena.records.store.rows import Why

pytestmark = pytest.mark.slow
QUICK = ["--isolation", "trusted", "--seats", "2", "--seeds", "1", "--seed", "x"]
STRICT = [*QUICK, "--policy", "strict", "--turn", "3s", "--bank", "0s", "--jobs", "2"]
OUT = {"slow": "timeout", "wrong": "illegal", "crash": "crashed"}
"""The bots that forfeit their trials, and their faults."""


def settings(folder: Path, entries: str, out: str) -> None:
    (folder / f"{out}.toml").write_text(
        f'bots = ["{entries}/*"]\nprobation = true\nout = "{out}"\n'
    )


@made_once
def cup(folder: Path) -> None:
    """Play in "out" the cup of "entries", of which two are good, and in "alone" that of
    just these two, which lie in "good".
    """
    write(folder / "good", ann=GOOD, bob=GOOD + "  # bob")
    shutil.copytree(folder / "good", folder / "entries")
    write(folder / "entries", slow=sleeps(30), wrong=ILLEGAL, crash=CRASHES)
    write_uncompiled(folder / "entries")
    for entries, out in (("entries", "out"), ("good", "alone")):
        settings(folder, entries, out)
        done = arena("run", f"{out}.toml", *STRICT, cwd=folder)
        (folder / f"{out}.txt").write_text(done.stderr)


def test_each_is_named_before_the_event_with_its_fault_its_words_and_what_to_do(cup: Path) -> None:
    said = (cup / "out.txt").read_text()
    before, event, _ = said.partition("event ")
    assert event
    lines = dict(re.findall(r"warning: (\w+) is left out: (.*)", before))
    assert lines.keys() == {*OUT, "uncompiled"}
    assert lines["uncompiled"].endswith("next: khiva-arena check entries/uncompiled")
    for name, verdict in OUT.items():
        assert re.match(rf"{Why.FORFEITED}: {verdict} at step \d+: ", lines[name])
        assert (
            f"; next: khiva-arena match --bot entries/{name} --bot shipped:python/random --seed "
            in lines[name]
        )
    assert "choice 999 of" in lines["wrong"]
    assert "it wrote last: I choose 999; next: " in lines["wrong"]
    assert "it wrote last: KeyError: 'the ninth'; next: " in lines["crash"]
    assert sentence("probation", "once-more", name="slow") in before
    assert "--probation leaves out uncompiled, " in said


def test_the_command_that_is_named_plays_the_same_deal_again(cup: Path) -> None:
    (words,) = re.findall(
        r"next: khiva-arena (match --bot entries/crash .*)", (cup / "out.txt").read_text()
    )
    (step,) = re.findall(r"crash is left out: .* at step (\d+): ", (cup / "out.txt").read_text())
    done = arena(*words.split(), cwd=cup)
    assert f"crashed at step {step}: " in done.stdout + done.stderr


def test_the_command_that_is_named_has_the_runtime_and_the_consent_that_the_bot_needs(
    tmp_path: Path,
) -> None:
    write(tmp_path, ann=GOOD, bob=GOOD + "  # bob", crash=CRASHES)
    (tmp_path / "kit").mkdir()
    (tmp_path / "crash" / "khiva_kit.py").rename(tmp_path / "kit" / "khiva_kit.py")
    line = 'run = "{mine} main.py"\nfiles = ["*.py"]\ninclude = ["../kit/khiva_kit.py"]\n'
    (tmp_path / "crash" / "bot.toml").write_text(f'name = "crash"\n{line}')
    needs = ["--runtime", f"mine={sys.executable}", "--allow-include"]
    said = arena(
        "run",
        *bots("ann", "bob", "crash"),
        *QUICK,
        *needs,
        "--probation",
        "--out",
        "out",
        cwd=tmp_path,
    ).stderr
    (words,) = re.findall(r"crash is left out: .*; next: khiva-arena (match .*)", said)
    done = arena(*words.split(), cwd=tmp_path)
    assert "crashed at step " in done.stdout + done.stderr


def test_the_event_is_that_of_the_bots_that_passed(cup: Path) -> None:
    assert digest_of((cup / "out.txt").read_text()) == digest_of((cup / "alone.txt").read_text())
    for out in ("out", "alone"):
        arena("bundle", out, f"{out}.khiva", cwd=cup)
    assert (cup / "out.khiva").read_bytes() == (cup / "alone.khiva").read_bytes()


def test_the_same_command_again_tries_no_bot(cup: Path, tmp_path: Path) -> None:
    shutil.copytree(cup, tmp_path / "cup")
    kept = (cup / "out" / TRIALS).read_bytes()
    assert {*names_tried(cup / "out")} == {"ann", "bob", *OUT}
    for more in ([], ["--new-event", "--seed", "y"]):
        again = arena("run", "out.toml", *STRICT, *more, cwd=tmp_path / "cup")
        assert "slow is left out: " in again.stderr
        assert (tmp_path / "cup" / "out" / TRIALS).read_bytes() == kept
    arena(
        "run",
        "out.toml",
        *STRICT[:-2],
        "--bank",
        "1s",
        "--policy",
        "strict",
        "--commit",
        cwd=tmp_path / "cup",
        code=None,
    )
    assert len(names_tried(tmp_path / "cup" / "out")) == 2 * len(names_tried(cup / "out")), (
        "under other limits all are tried"
    )


def test_standings_and_pages_name_them(cup: Path) -> None:
    words = " ".join(
        arena("standings", "out", cwd=cup)
        .stdout.partition(sentence("report", "not-played"))[2]
        .split()
    )
    for name, verdict in OUT.items():
        assert f"{name}: {Why.FORFEITED}: {verdict} at step " in words
    arena("report", "out", "--out", "page.html", "--for-authors", "authors", cwd=cup)
    shown = {bot["name"]: bot for bot in blocks(cup / "page.html")["data"]["not_played"]}
    for name, verdict in OUT.items():
        assert re.fullmatch(rf"{Why.FORFEITED}: {verdict} at step \d+", shown[name]["why"])
    assert "I choose 999" not in text(cup / "page.html")
    (own,) = (cup / "authors").glob("wrong-*.html")
    (report,) = [bot["report"] for bot in blocks(own)["data"]["not_played"] if bot["report"]]
    assert re.search(r"step \d+: illegal: choice 999 of \d+ legal ones\n", report)
    assert "  I choose 999" in report
    assert "khiva-arena match --bot entries/wrong " in report


def test_too_few_that_pass_end_the_run_with_the_reasons(tmp_path: Path) -> None:
    write(tmp_path / "entries", ann=GOOD, wrong=ILLEGAL)
    settings(tmp_path, "entries", "out")
    done = arena("run", "out.toml", *STRICT, cwd=tmp_path, code=2)
    assert f"wrong is left out: {Why.FORFEITED}: illegal at step " in done.stderr
    assert done.stderr.splitlines()[-1].endswith("(wrong: left out by --probation)")
    assert not (tmp_path / "out" / "arena.db").exists()


@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGINT], ids=["kill", "Ctrl-C"])
def test_a_stop_among_the_trials_costs_only_those_in_progress(
    tmp_path: Path, stop: signal.Signals
) -> None:
    patient = ["--turn", "2m", "--jobs", "2"]
    write(
        tmp_path / "entries",
        ann=GOOD,
        bob=GOOD + "  # bob",
        late=waits_for(tmp_path / "go"),
        wrong=ILLEGAL,
    )
    for out in ("out", "unkilled"):
        settings(tmp_path, "entries", out)
    run = started("run", "out.toml", *QUICK, *patient, cwd=tmp_path)
    with run:
        until(
            lambda: (tmp_path / "out" / TRIALS).exists() and len(names_tried(tmp_path / "out")) == 3
        )
        os.killpg(run.pid, stop)
    assert run.returncode == (130 if stop is signal.SIGINT else -signal.SIGKILL)
    before = names_tried(tmp_path / "out")
    assert sorted(before) == ["ann", "bob", "wrong"]
    (tmp_path / "go").touch()
    done = arena("run", "out.toml", *QUICK, *patient, cwd=tmp_path)
    assert names_tried(tmp_path / "out") == [*before, "late"]
    assert digest_of(done.stderr) == digest_of(
        arena("run", "unkilled.toml", *QUICK, *patient, cwd=tmp_path).stderr
    )


def test_a_bot_that_fails_later_keeps_its_losses_and_the_page_says_what_that_took(
    tmp_path: Path,
) -> None:
    write(tmp_path / "entries", ann=GOOD, later=sleeps_with(tmp_path / "stop"))
    settings(tmp_path, "entries", "out")
    words = ["run", "out.toml", *QUICK, "--turn", "1s", "--bank", "0s"]
    arena(*words, "--commit", cwd=tmp_path)
    (tmp_path / "stop").touch()
    done = arena(*words, cwd=tmp_path)
    assert " is left out: " not in done.stderr
    assert "Faults of later: 6 timeout." in done.stdout
    arena("report", "out", "--out", "page.html", cwd=tmp_path)
    (table,) = blocks(tmp_path / "page.html")["data"]["tables"]
    with Store.read(tmp_path / "out") as store:
        (event,) = store.events()
        rows = list(store.matches(event.id))
    spent = [
        spent
        for row in rows
        for seat in row.seats
        if event.bots[seat.bot].name == "later"
        for spent in row.times[seat.seat]
    ]
    late = sum(microseconds for _, microseconds in spent) / 1e6
    assert len(spent) == 6, "it was late with each of its decisions until it was out"
    told = [in_time(late), in_time(late), in_time(sum(row.seconds for row in rows))]
    assert (
        sentence(
            "page", "time-outs-took", name="later", late=told[0], decisions=told[1], matches=told[2]
        )
        in table["notes"]
    )
    arena("report", "out", "--for-authors", "authors", cwd=tmp_path)
    pages = {path.name.rpartition("-")[0]: text(path) for path in (tmp_path / "authors").iterdir()}
    assert ["Time-outs of" in pages[name] for name in ("later", "ann")] == [True, False], (
        "an author sees the times of one bot"
    )


def test_a_budget_and_a_commitment_try_each_bot_once(tmp_path: Path) -> None:
    write(tmp_path / "entries", ann=GOOD, bob=GOOD + "  # bob", crash=CRASHES)
    settings(tmp_path, "entries", "out")
    words = ["run", "out.toml", *QUICK[:4], "--budget", "30s", "--yes"]
    said = arena(*words, "--commit", cwd=tmp_path).stderr
    assert f"crash is left out: {Why.FORFEITED}: " in said
    assert f"crash is left out: {Why.FORFEITED}: " in arena(*words, cwd=tmp_path).stderr
    assert sorted(names_tried(tmp_path / "out")) == ["ann", "bob", "crash"]
    assert not any(result.void for result in trial_results.read(tmp_path / "out").values())


def test_a_test_of_one_bot_has_no_probation(tmp_path: Path) -> None:
    write(tmp_path, ann=GOOD)
    assert (
        "--probation"
        in arena("sprt", "ann", "shipped:python/random", "--probation", cwd=tmp_path, code=2).stderr
    )
    assert "--probation" not in arena("sprt", "--help", cwd=tmp_path).stdout
    arena("run", *bots("ann"), "--probation", "--from-plan", "plan", cwd=tmp_path, code=2)


def test_modules_are_tried_in_ticks(tmp_path: Path) -> None:
    modules = {
        "honest": "honest",
        "other": "illegal once",
        "wrong": "illegal three times",
        "late": "late",
    }
    for name, module in vectors(modules).items():
        (tmp_path / f"{name}.wasm").write_bytes(module)
    words = [
        "--clock",
        "ticks",
        "--seats",
        "2",
        "--seeds",
        "1",
        "--turn",
        "10ms",
        "--bank",
        "0s",
        "--seed",
        "cup",
        "--jobs",
        "2",
    ]
    seated = bots("honest.wasm", "other.wasm", "wrong.wasm", "late.wasm")
    said = arena("run", *seated, *words, "--probation", "--out", "out", cwd=tmp_path).stderr
    assert re.search(r"wrong is left out: .*: illegal at step \d+: .* --clock ticks", said)
    assert sorted(names_tried(tmp_path / "out")) == ["honest", "late", "other", "wrong"]
    assert sentence("probation", "once-more", name="late") not in said, (
        "in ticks a match is the same again"
    )
