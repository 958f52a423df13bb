"""Bots of an event in ticks, made by a compiler of C: each is its module, plays the
same everywhere, and is run again.
"""

import json
import re
import shutil
from pathlib import Path

import pytest
from arena import arena, bots
from compiled_bots import EVENT, RUN_AGAIN, digest
from compiled_bots import played as played
from wording import pattern, sentence

from khiva_arena.bots.sandbox.detect import best
from khiva_arena.common.manual import where

pytestmark = [pytest.mark.language, pytest.mark.slow]

SPENT = r"{}: [\d,]+ ticks to start, \d+ decisions: least [\d,]+, median [\d,]+, most [\d,]+ ticks"


def test_any_number_of_jobs_gives_the_same_run_digest(played: Path) -> None:
    one, two = (
        arena("run", *EVENT, *bots("greedy", "random"), "--out", f"of-{n}", "-j", n, cwd=played)
        for n in "12"
    )
    assert digest(one) == digest(two) == digest(arena("verify", "cup", cwd=played))


def test_the_bots_are_run_again(played: Path) -> None:
    assert re.search(
        RUN_AGAIN, arena("verify", "cup", "--rerun-bots", "-j", "2", cwd=played).stdout
    )


def test_a_store_and_a_bundle_hold_what_another_machine_needs(
    played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(tmp_path / "cache"))
    arena("bundle", "cup", "with.khiva", "--with-modules", cwd=played)
    arena("bundle", "cup", "without.khiva", cwd=played)
    for name in ("with.khiva", "cup"):
        shutil.rmtree(tmp_path / "cache", ignore_errors=True)
        assert re.search(RUN_AGAIN, arena("verify", name, "--rerun-bots", cwd=played).stdout)
    shutil.rmtree(tmp_path / "cache")
    (played / "cup" / "modules").rename(played / "brought")
    for name in ("without.khiva", "cup"):
        lacking = arena("verify", name, "--rerun-bots", cwd=played, code=2).stderr
        assert sentence("audit", "modules-not-here", names="greedy, random") in lacking
        assert re.search(
            RUN_AGAIN,
            arena("verify", name, "--rerun-bots", "--modules", "brought", cwd=played).stdout,
        )
        shutil.rmtree(tmp_path / "cache")
    assert (
        "--with-modules: the module of greedy is neither in"
        in arena("bundle", "cup", "other.khiva", "--with-modules", cwd=played, code=2).stderr
    )
    (played / "brought").rename(played / "cup" / "modules")


def flip(file: Path) -> None:
    """Change the last byte of a file."""
    data = file.read_bytes()
    file.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))


def test_a_module_that_was_damaged_in_the_cache_does_not_play(
    played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither for a run, whose bots are built again, nor for one that verifies,
    whichever folder of modules it is given.
    """
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(tmp_path / "cache"))
    whole = digest(arena("verify", "cup", cwd=played))
    one, other = (path.stem for path in (played / "cup" / "modules").glob("*.wasm"))
    for words in (("--modules", str(played / "cup" / "modules")), ()):
        shutil.rmtree(tmp_path / "cache", ignore_errors=True)
        kept = tmp_path / "cache" / "modules"
        shutil.copytree(played / "cup" / "modules", kept)
        shutil.copy(kept / f"{other}.wasm", kept / f"{one}.wasm")
        assert re.search(
            RUN_AGAIN, arena("verify", "cup", "--rerun-bots", *words, cwd=played).stdout
        )
        shutil.rmtree(tmp_path / "cache" / "staged")
        shutil.copy(kept / f"{other}.wasm", kept / f"{one}.wasm")
        out = str(tmp_path / f"again-{len(words)}")
        assert (
            digest(arena("run", *EVENT, *bots("greedy", "random"), "--out", out, cwd=played))
            == whole
        )


def test_a_module_that_was_damaged_in_a_store_is_named_and_replaced(
    played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(played / "cup", tmp_path / "cup")
    file = next((tmp_path / "cup" / "modules").glob("*.wasm"))
    flip(file)
    out = str(tmp_path / "cup")
    said = arena("verify", out, cwd=played, code=1)
    assert (
        sentence("events", "module-damaged", kind="module", copy=file) in said.stdout + said.stderr
    )
    with monkeypatch.context() as patch:
        patch.setenv("KHIVA_ARENA_CACHE", str(tmp_path / "empty"))
        lacking = arena("verify", out, "--rerun-bots", cwd=played, code=2).stderr
        assert sentence("audit", "modules-damaged", copies=file) in lacking
        nowhere = arena(
            "bundle", out, str(tmp_path / "b"), "--with-modules", cwd=played, code=2
        ).stderr
        assert re.search(
            pattern(
                "events",
                "module-damaged-too",
                kind="module",
                name="[a-z]+",
                copies=re.escape(str(file)),
            ),
            nowhere,
        )
    arena("run", *EVENT, *bots("greedy", "random"), "--out", out, cwd=played)
    assert digest(arena("verify", out, cwd=played)) == digest(arena("verify", "cup", cwd=played))


def test_a_match_says_how_its_runner_is_kept(played: Path) -> None:
    words = ("match", "--clock", "ticks", "--seed", "a", *bots("greedy", "random"))
    here = str(best())
    assert (
        sentence("replay", "kept-at", level=here)
        in arena(*words, cwd=played).stdout.splitlines()[0]
    )
    said = arena(*words, "--json", cwd=played)
    assert json.loads(said.stdout)["header"]["isolation"] == "module"
    assert sentence("replay", "kept-at", level=here) in said.stderr
    again = ("match", "--from", "cup", "1/0")
    assert (
        sentence("replay", "kept-at", level=here)
        in arena(*again, cwd=played).stdout.splitlines()[0]
    )
    assert json.loads(arena(*again, "--json", cwd=played).stdout)["cell"] == here


def test_a_bot_is_identified_by_its_module_whatever_it_was_built_from(
    played: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(played / "greedy", copy)
    with next(copy.glob("*.c")).open("a") as source:
        source.write("\n/* a comment is not in the module */\n")
    refused = arena(
        "run", *EVENT, *bots("greedy", str(copy)), "--out", "twins", cwd=played, code=2
    ).stderr
    assert f"{copy}: {sentence('entrants', 'same-bot')} greedy" in refused


def test_a_match_shows_what_each_seat_spent_and_its_bots_may_be_the_same(played: Path) -> None:
    words = ("match", "--clock", "ticks", "--seed", "a", *bots("greedy", "greedy"))
    lines = arena(*words, cwd=played).stdout.splitlines()
    for name in ("greedy#0", "greedy#1"):
        assert any(re.fullmatch(SPENT.format(name), line) for line in lines)


def test_where_ticks_were_spent_is_told_by_function_and_changes_none(played: Path) -> None:
    words = ("match", "--clock", "ticks", "--seed", "a", *bots("greedy", "random"))
    text = arena(*words, "--by-function", cwd=played).stdout
    plain = arena(*words, cwd=played).stdout
    assert text.startswith(plain)
    heads = ("greedy#0 by function:", "random#1 by function:")
    lines = text.removeprefix(plain).splitlines()
    assert [line for line in lines if not line.startswith("  ")] == list(heads)
    for head, after in zip(heads, (heads[1], None), strict=True):
        rows = lines[lines.index(head) + 1 : lines.index(after) if after else None]
        assert any("kit_find" in row for row in rows)
        assert len(rows) == 6, "five functions and the others"
        assert sum(float(row.split(" % ")[0]) for row in rows) == pytest.approx(100, abs=0.5)
    refused = arena("match", "--by-function", *bots("greedy", "random"), cwd=played, code=2).stderr
    assert "--by-function says where modules spent their ticks: add --clock ticks" in refused


def test_a_stored_match_is_played_again_to_the_tick(played: Path) -> None:
    again = arena("match", "--from", "cup", "1/0", "--by-function", cwd=played)
    assert "by function:\n" in again.stdout
    assert not again.stderr
    stored = json.loads(arena("show", "cup", "1/0", "--json", cwd=played).stdout)
    assert (
        json.loads(arena("match", "--from", "cup", "1/0", "--json", cwd=played).stdout)["record"]
        == stored["record"]
    )
    other = arena(
        "match", "--from", "cup", "1/0", *bots("greedy", "shipped:perl/random"), cwd=played, code=2
    ).stderr
    assert "--bot shipped:perl/random: " + sentence("entrants", "ticks-no-module") in other
    replayed = arena("replay", "cup", "1/0", "--seat", "0", cwd=played)
    assert sentence("replay", "choices-same") in replayed.stdout
    assert not replayed.stderr


def test_a_check_shows_what_a_module_spends(played: Path) -> None:
    report = json.loads(arena("check", "--quick", "greedy", "--json", cwd=played).stdout)
    (step,) = (step for step in report["steps"] if step["id"] == "ticks")
    rows = step["said"].partition("seat 0 by function:\n")[2].splitlines()
    assert (len(rows), "others" in rows[-1]) == (6, True)
    said = arena("check", "--quick", "greedy", cwd=played).stdout
    assert re.search(r"^ {15,16}[\d.]+ % kit_find$", said, re.MULTILINE)
    page = re.escape(where("modules"))
    assert re.search(
        rf"^In ticks \({page}\): khiva-arena match .*--bot greedy --bot greedy .*--clock ticks$",
        said,
        re.MULTILINE,
    )
    assert step["status"] == "ok"
    assert re.match(SPENT.format("seat 0"), step["said"])
    assert " % kit_find" in step["said"]
