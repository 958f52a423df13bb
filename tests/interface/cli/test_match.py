"""``match``, ``show`` and ``match --from``: one match to read, and to play again."""

import json
import re
import shlex
import sys
from pathlib import Path

import pytest
from arena import FAULTY, ROOT, arena, bots
from once import made_once
from stores import GREEDY, NAIVE, RANDOM, STRIKES
from wording import sentence

from khiva_arena.bots.sandbox.detect import best

pytestmark = pytest.mark.slow

TWO = bots(RANDOM, NAIVE)


def hint() -> str:
    """Return the end of a next line on a store that was played at the best level
    here.
    """
    return "" if best().confines else sentence("show", "if-yours", flags="--isolation trusted")


@made_once
def store(folder: Path) -> None:
    arena("run", *TWO, "--seats", "2", "--seeds", "2", "--seed", "demo", "--out", "out", cwd=folder)


def test_a_match_is_told_turn_by_turn_and_repeats(tmp_path: Path) -> None:
    words = ["match", *bots(RANDOM, NAIVE, GREEDY), "--seed", "demo"]
    first, second = arena(*words, cwd=tmp_path), arena(*words, cwd=tmp_path)
    assert first.stdout == second.stdout
    lost = next(
        seat
        for seat in range(3)
        if f"  1. {('random', 'naive', 'greedy')[seat]}#" not in first.stdout
    )
    ask = f"khiva-arena replay games 1/0 --seat {lost} --bot shipped:python/search"
    assert (
        f"after a loss: `khiva-arena run` with --out games keeps matches, and {ask} "
        in first.stderr
    )
    assert first.stdout.startswith("match ")
    assert "random#0, naive#1, greedy#2" in first.stdout
    assert "Turn 1:" in first.stdout
    assert first.stdout.splitlines()[-1].startswith("digest ")
    assert arena(*words[:-1], "other", cwd=tmp_path).stdout != first.stdout
    assert list(tmp_path.iterdir()) == []


def test_without_a_seed_the_drawn_one_is_named(tmp_path: Path) -> None:
    first = arena("match", *TWO, cwd=tmp_path)
    seed = first.stderr.split("--seed ")[1].split()[0]
    assert arena("match", *TWO, "--seed", seed, cwd=tmp_path).stdout == first.stdout


def test_a_match_with_a_fault_says_who_and_why(tmp_path: Path) -> None:
    done = arena("match", *bots(RANDOM, f"{FAULTY} print 3"), "--seed", "demo", cwd=tmp_path)
    assert "faulty#1 forfeits: protocol" in done.stdout
    assert "all but one have forfeited" in done.stdout
    assert "thinking hard" in done.stdout


RAISES = """
def choose(decide, match):
    global asked
    asked += 1
    print("asked", asked)
    return decide["view"]["no such field"] if asked == 4 else 0
asked = 0
"""


@pytest.mark.parametrize("more", [[], ["--json"], ["--notes"], ["--network", "my bot"]])
def test_a_bot_that_crashes_in_the_middle_is_told_as_one_that_does_not_start(
    more: list[str], tmp_path: Path
) -> None:
    arena("new", "python", "my bot", cwd=tmp_path)
    (tmp_path / "my bot" / "main.py").write_text(
        f"from khiva_kit import play\n{RAISES}\nplay('x', choose)\n"
    )
    done = arena("match", *bots("my bot", RANDOM), "--seed", "demo", *more, cwd=tmp_path)
    lines = done.stderr.splitlines()
    at = next(
        number for number, line in enumerate(lines) if line.startswith("my bot#0: crashed at step ")
    )
    assert lines[at].endswith(": exited with code 1")
    given = " --network 'my bot'" if "--network" in more else ""
    assert f"  next: khiva-arena check 'my bot'{given}" in lines[at:]
    shown = "" if more == ["--notes"] else done.stderr
    assert ("    KeyError: 'no such field'\n" in shown) == bool(shown)
    assert "KeyError: 'no such field'" in done.stdout + done.stderr


def test_a_strike_says_what_to_do_next_and_no_stderr_that_is_not_there(tmp_path: Path) -> None:
    done = arena("match", *bots(RANDOM, STRIKES), "--seed", "demo", cwd=tmp_path)
    assert "strikes#1: illegal at step " in done.stderr
    assert "  its stderr: nothing" in done.stderr
    assert f"  next: khiva-arena check {STRIKES}" in done.stderr
    assert (
        "khiva-arena replay" not in done.stderr or "1. strikes#1" in done.stdout
    )  # its faults come first
    assert (
        "next: khiva-arena check" not in arena("match", *TWO, "--seed", "demo", cwd=tmp_path).stderr
    )


def test_match_json_is_a_record(tmp_path: Path) -> None:
    record = json.loads(arena("match", *TWO, "--seed", "demo", "--json", cwd=tmp_path).stdout)
    assert set(record) >= {"header", "steps", "ranks", "scores", "digest"}


def test_show_ends_with_the_line_that_plays_it_again(store: Path) -> None:
    shown = arena("show", "out", "1/1", cwd=store).stdout
    ask, line = shown.splitlines()[-2:]
    (seat,) = re.findall(r"^  2\. \w+#(\d)", shown, re.MULTILINE)
    stronger = f"khiva-arena replay out 1/1 --seat {seat} --bot shipped:python/search"
    assert ask == f"what a stronger bot would have chosen: {stronger}" + hint()
    assert (
        line
        == sentence("show", "play-it-again", command="khiva-arena match --from out 1/1") + hint()
    )
    again = arena(*line.removesuffix(hint()).split("khiva-arena ")[1].split(), cwd=store).stdout
    digest = next(row for row in shown.splitlines() if row.startswith("digest"))
    assert again == sentence("replay", "every-choice-same") + f"; {digest}\n"


def test_the_end_has_points_by_source(store: Path) -> None:
    lines = arena("show", "out", "1/1", cwd=store).stdout.splitlines()
    at = next(
        number
        for number, line in enumerate(lines)
        if line.startswith(sentence("replay", "points-by-source"))
    )
    assert lines[at + 1].split() == [
        "teapots",
        "salt",
        "carpets",
        "gems",
        "points",
        "(undelivered",
        "carpets)",
    ]
    seats = json.loads(arena("show", "out", "1/1", "--json", cwd=store).stdout)
    for line in lines[at + 2 : at + 4]:
        name, *numbers = line.split()
        points = seats["points"][int(name[-1])]
        score = seats["record"]["scores"][int(name[-1])]
        assert [*map(int, numbers)] == [
            *points["counted"].values(),
            score,
            *points["uncounted"].values(),
        ]
        assert sum(points["counted"].values()) == score


def test_match_names_by_ordinal_and_id(store: Path) -> None:
    listed = json.loads(arena("show", "out", "--json", cwd=store).stdout)["matches"]
    by_id = arena("show", "out", listed[1]["id"][:10], cwd=store).stdout
    assert (
        by_id
        == arena("show", "out", "1", cwd=store).stdout
        == arena("show", "out", "1/1", cwd=store).stdout
    )
    assert (
        "this is match 1/1; `khiva-arena show out` lists all matches"
        in arena("show", "out", "1", cwd=store).stderr
    )
    assert arena("show", "out", "1/1", cwd=store).stderr == ""
    assert "no recorded match" in arena("show", "out", "77", cwd=store, code=2).stderr
    assert "no event" in arena("show", "out", "9/0", cwd=store, code=2).stderr


def test_another_bot_is_found_out_at_its_first_choice(store: Path) -> None:
    other = bots(RANDOM, GREEDY)
    done = arena("match", "--from", "out", "1/0", *other, cwd=store, code=1)
    assert done.stdout.startswith("step ")
    assert " then, choice " in done.stdout
    assert (
        "--bot: 1 given"
        in arena("match", "--from", "out", "1/0", "--bot", RANDOM, cwd=store, code=2).stderr
    )
    assert (
        "only --bot"
        in arena("match", "--from", "out", "1/0", "--turn", "1s", cwd=store, code=2).stderr
    )


def test_the_line_that_plays_it_again_is_quoted(tmp_path: Path) -> None:
    arena("run", *TWO, "--seats", "2", "--seeds", "1", "--out", "my results", cwd=tmp_path)
    line = arena("show", "my results", "1/0", cwd=tmp_path).stdout.splitlines()[-1]
    command = line.removesuffix(hint()).split(": ")[1]
    assert (
        sentence("replay", "every-choice-same-digest")
        in arena(*shlex.split(command)[1:], cwd=tmp_path).stdout
    )


def test_a_relative_command_is_found_again_from_another_folder(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "bot.py").write_text((ROOT / "tests" / "support" / "faulty.py").read_text())
    (mine / "go").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (mine / "go").chmod(0o755)
    words = bots(NAIVE, "./go bot.py honest 0")
    arena("run", *words, "--seats", "2", "--seeds", "1", "--out", "out", cwd=mine)
    again = arena("match", "--from", "mine/out", "1/0", cwd=tmp_path)
    assert (sentence("replay", "every-choice-same-digest") in again.stdout, again.stderr) == (
        True,
        "",
    )
    mine.rename(tmp_path / "moved")
    gone = arena("match", "--from", "moved/out", "1/0", cwd=tmp_path, code=2).stderr
    assert "but is not there; looking for it here" in gone
    assert "--bot ./go bot.py honest 0: " + sentence("entrants", "no-such-folder-command") in gone


def test_one_bot_alone_is_told_how_many_play(tmp_path: Path) -> None:
    said = arena("match", "--bot", RANDOM, cwd=tmp_path, code=2).stderr
    assert said == "khiva-arena: error: --bot: khiva is played with 2 to 5 bots, not 1\n"
