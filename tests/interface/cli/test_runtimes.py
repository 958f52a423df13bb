"""Runtimes as an organiser has them: named by flag or in the settings, part of the
event only where a bot names one, and hints of ``check``. And that no bot may read what
another entrant has sent.
"""

import json
import os
import re
import shlex
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from arena import ROOT, arena
from levels import SYSTEM_PYTHON
from quick_bots import quick_program
from runtime import PACKAGE, make_runtime, set_version
from stores import NAIVE, RANDOM
from wording import pattern, sentence

pytestmark = pytest.mark.slow

MAIN = f"""import {PACKAGE}
from khiva_kit import play


def choose(decide, match):
    return {PACKAGE}.SEVEN % len(decide["legal"])


play("mine", choose)
"""
KIT = ROOT / "bots" / "python" / "kit" / "khiva_kit.py"
SHORT = (
    "--seats",
    "2",
    "--seeds",
    "1",
    "--seed",
    "demo",
    "--rule",
    "max_turns=1",
    "--isolation",
    "standard",
)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """One that other users may enter, as bots are under root; pytest's own folders are
    closed to them.
    """
    with tempfile.TemporaryDirectory(prefix="khiva-arena-test-") as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


@pytest.fixture
def place(standard: None, open_folder: Path) -> Path:
    """A folder with a runtime ``venv``, a bot ``mine`` that names it, and one ``plain``
    that should.
    """
    make_runtime(
        open_folder / "venv", SYSTEM_PYTHON if os.path.exists(SYSTEM_PYTHON) else sys.executable
    )
    for name, run, main in (("mine", "{torch} main.py", MAIN), ("plain", "{python} main.py", MAIN)):
        bot = open_folder / "entries" / name
        bot.mkdir(parents=True)
        (bot / "bot.toml").write_text(f'name = "{name}"\nrun = "{run}"\n')
        (bot / "main.py").write_text(main)
        shutil.copy(KIT, bot)
    return open_folder


def definition(folder: Path) -> dict[str, object]:
    """Of the newest event of a store."""
    with closing(sqlite3.connect(folder / "arena.db")) as store:
        (text,) = store.execute("SELECT definition FROM events ORDER BY number DESC").fetchone()
    found: dict[str, object] = json.loads(text)
    return found


def test_a_bot_of_a_runtime_plays_by_flag_and_by_settings_file(place: Path) -> None:
    """Each is the same event: where a runtime lies is no part of it, what it is and has
    is.
    """
    bots = ("--bot", "entries/mine", "--bot", RANDOM)
    said = arena("run", *bots, *SHORT, "--runtime", "torch=venv", "--out", "flag", cwd=place)
    assert "no fault" not in said.stdout
    (place / "elsewhere").mkdir()
    (place / "elsewhere" / "cup.toml").write_text(
        f'bots = ["../entries/mine", "{RANDOM}"]\n[runtimes]\ntorch = "../venv"\n'
    )
    arena(
        "run",
        "elsewhere/cup.toml",
        *SHORT,
        "--runtime",
        "torch=elsewhere/../venv",
        "--out",
        "file",
        cwd=place,
    )
    found = definition(place / "flag")
    assert found == definition(place / "file")
    (name, runtime) = next(iter(found["runtimes"].items()))  # type: ignore[attr-defined]
    assert (name, runtime["packages"]) == ("torch", [f"{PACKAGE.replace('_', '-')} 1.5"])
    assert (
        sentence("replay", "every-choice-same-digest")
        in arena("match", "--from", "flag", "1/0", "--runtime", "torch=venv", cwd=place).stdout
    )
    again = arena(
        "replay", "flag", "1/0", "--seat", "0", "--runtime", "torch=venv", cwd=place
    ).stdout
    assert re.search(
        "^"
        + pattern("replay", "choices-same-2", asked=r"\d+")
        + "|"
        + pattern("replay", "one-choice-same")
        + "$",
        again,
        re.MULTILINE,
    )
    assert "are sound" in arena("verify", "flag", cwd=place).stdout


def test_an_event_whose_bots_name_no_runtime_is_what_it_was(place: Path) -> None:
    pair = ("--bot", NAIVE, "--bot", RANDOM)
    events = []
    for number, more in enumerate(((), ("--runtime", "torch=venv"))):
        arena("run", *pair, *SHORT, *more, "--out", f"out{number}", cwd=place)
        events.append(definition(place / f"out{number}"))
    assert events[0] == events[1]
    assert "runtimes" not in events[0]


def test_another_version_of_a_package_is_another_event(place: Path) -> None:
    bots = ("--bot", "entries/mine", "--bot", RANDOM)
    words = ("run", *bots, *SHORT, "--runtime", "torch=venv", "--out", "out")
    arena(*words, cwd=place)
    with closing(sqlite3.connect(place / "out" / "arena.db")) as store:
        first = store.execute("SELECT id FROM events").fetchall()
    set_version(place / "venv", "1.6")
    arena(*words, cwd=place)
    with closing(sqlite3.connect(place / "out" / "arena.db")) as store:
        assert store.execute("SELECT id FROM events ORDER BY number").fetchall()[0] == first[0]
        assert store.execute("SELECT count(*) FROM events").fetchone() == (2,)
    said = arena("match", "--from", "out", "1/0", "--runtime", "torch=venv", cwd=place).stderr
    assert "warning: the runtime torch has changed since it was played with" in said


def test_a_runtime_that_is_not_there_is_refused_with_what_to_do(place: Path) -> None:
    bots = ("--bot", "entries/mine", "--bot", "shipped:python/random")
    for words in (
        ("match", *bots),
        ("run", *bots, "--seats", "2"),
        ("sprt", "entries/mine", "shipped:python/random"),
        ("check", "entries/mine"),
    ):
        said = arena(*words, cwd=place, code=2).stderr
        assert (
            "run "
            + sentence(
                "entrants",
                "names-runtime-not",
                word="{torch}",
                there="{python}",
                by_the_organiser=sentence("entrants", "organiser-names-runtime") + " NAME=DIR",
            )
            in said
        )
        assert "Traceback" not in said
    said = arena("match", *bots, "--runtime", "torch", cwd=place, code=2).stderr
    assert said == "khiva-arena: error: --runtime torch: write --runtime NAME=DIR\n"
    said = arena("match", *bots, "--runtime", "torch=entries", cwd=place, code=2).stderr
    assert (
        sentence(
            "entrants",
            "no-name-program-itself",
            path=f"--runtime: torch: {place}/entries",
            pythons="bin/python3",
        )
        in said
    )
    (place / "c.toml").write_text('bots = ["entries/mine"]\n\n[runtimes]\ntorch = 3\n')
    said = arena("run", "c.toml", cwd=place, code=2).stderr
    assert "c.toml:4: torch: " + sentence("entrants", "folder-program-expected") in said


def hint(place: Path, *words: str) -> str:
    report = json.loads(
        arena(
            "check", *words, "--quick", "--json", "--isolation", "standard", cwd=place, code=1
        ).stdout
    )
    return next(str(step["hint"]) for step in report["steps"] if step["status"] == "failed")


def test_check_names_a_missing_module_and_the_runtimes_there_are(place: Path) -> None:
    missing = f"the module {PACKAGE} is missing"
    how = f"python3 -m venv DIR && DIR/bin/pip install msgpack {PACKAGE}, then --runtime NAME=DIR"
    then = f'the organiser makes one ({how}), and run = "{{NAME}} main.py" takes it'
    assert hint(place, "entries/plain") == f"{missing}: no runtime is named here" + f"; {then}"
    assert hint(place, "entries/plain", "--runtime", "torch=venv") == (
        f'{missing}: the runtime torch has it: run = "{{torch}} main.py"'
    )
    shutil.rmtree(place / "other", ignore_errors=True)
    make_runtime(
        place / "other", SYSTEM_PYTHON if os.path.exists(SYSTEM_PYTHON) else sys.executable
    )
    (site,) = (place / "other").glob("lib/python3*/site-packages")
    (site / f"{PACKAGE}.py").unlink()
    said = hint(place, "entries/plain", "--runtime", "jax=other")
    assert said == f"{missing}: the runtimes here (jax) do not have it" + f"; {then}"
    assert hint(place, "entries/mine", "--runtime", "torch=other") == (
        f"{missing} in the runtime torch: {place}/other/bin/pip install {PACKAGE}, and "
        "msgpack, which the kit needs"
    )


@pytest.mark.soak
def test_what_check_says_comes_next_works_with_a_runtime(place: Path) -> None:
    done = arena(
        "check",
        "entries/mine",
        "--quick",
        "--isolation",
        "standard",
        "--runtime",
        "torch=venv",
        cwd=place,
    )
    (line,) = (line for line in done.stdout.splitlines() if "Next: khiva-arena " in line)
    words = shlex.split(line.split("Next: khiva-arena ")[1])
    assert words[-2:] == ["--runtime", f"torch={place}/venv/bin/python3"]
    arena(*words, "--rule", "max_turns=1", cwd=place)


def test_no_bot_may_read_what_another_entrant_has_sent(place: Path, tmp_path: Path) -> None:
    """Neither by a runtime that holds it, nor by a program of it that is on the
    organiser's PATH.
    """
    (place / "bin").mkdir()
    (place / "bin" / "python3").symlink_to(place / "venv" / "bin" / "python3")
    words = (
        "--bot",
        str(place / "entries" / "mine"),
        "--bot",
        str(place / "entries" / "plain"),
        "--isolation",
        "standard",
    )
    for command in (("match",), ("run", "--seats", "2", "--out", "out")):
        said = arena(*command, *words, "--runtime", f"torch={place}", cwd=tmp_path, code=2).stderr
        assert (
            sentence(
                "settings",
                "bot-may-read-folder-2",
                name="mine",
                where=f"all of {place}, where {place}/entries/plain lies",
                name_2="plain",
            )
            in said
        )
    tool = place / "entries" / "plain" / "bin" / "tool"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    (place / "entries" / "mine" / "bot.toml").write_text('name = "mine"\nrun = "tool"\n')
    said = arena(
        "match", *words, cwd=tmp_path, code=2, env={"PATH": f"{tool.parent}:{os.environ['PATH']}"}
    )
    assert (
        sentence(
            "settings",
            "bot-may-read-folder",
            name="mine",
            where=f"{tool}, which lies in {place}/entries/plain",
            name_2="plain",
        )
        in said.stderr
    )


# --- bots of one name ---


@pytest.mark.soak
def test_two_entries_of_one_name_are_told_before_the_first_match_and_in_the_table(
    place: Path,
) -> None:
    for name in ("ann", "bob"):
        (place / name).mkdir()
        (place / name / "bot.toml").write_text('name = "best"\nrun = "./program lots"\n')
        (place / name / "program").write_bytes(quick_program())
        (place / name / "program").chmod(0o755)
        (place / name / "whose").write_text(name)
    bots = ("--bot", "ann", "--bot", RANDOM, "--bot", "bob")
    done = arena("run", *bots, *SHORT, "--out", "out", cwd=place)
    lines = done.stderr.splitlines()
    told = lines.index(
        "warning: "
        + sentence("report", "bots-name-2", group="2", group_2="best is ann, best-2 is bob")
    )
    assert told < next(number for number, line in enumerate(lines) if line.startswith("run digest"))
    table = sentence("report", "bots-name") + ":\n  best    ann\n  best-2  bob\n"
    assert table in done.stdout
    assert table in arena("standings", "out", cwd=place).stdout
    test = arena(
        "sprt", "ann", "bob", "--seeds", "32", *SHORT[4:], "--out", "test", cwd=place, code=None
    )
    assert table in test.stdout
    alone = arena("run", "--bot", "ann", "--bot", RANDOM, *SHORT, "--out", "alone", cwd=place)
    assert "one name" not in alone.stdout + alone.stderr


# --- a bot in a game that it does not play ---


def test_match_refuses_a_bot_in_a_game_that_its_bot_toml_excludes(tmp_path: Path) -> None:
    """In the words of ``run``."""
    bots = [
        word
        for name in ("naive", "random", "random")
        for word in ("--bot", f"shipped:python/{name}")
    ]
    said = arena("match", "--game", "emira", *bots, cwd=tmp_path, code=2).stderr
    assert (
        said == "khiva-arena: error: --bot shipped:python/naive: its bot.toml lists khiva, not "
        "emira; it plays with --game khiva\n"
    )
    run = arena(
        "run", "--game", "emira", *bots[:4], "--copies", "2", "--seats", "3", cwd=tmp_path, code=2
    ).stderr
    assert said in run
    pair = ("--bot", "shipped:python/random", "--bot", "shipped:python/random")
    arena(
        "run",
        *pair[:2],
        "--copies",
        "2",
        "--game",
        "silk_road",
        *SHORT[:6],
        "--rule",
        "map=r1",
        "--out",
        "out",
        cwd=tmp_path,
    )
    said = arena(
        "match",
        "--from",
        "out",
        "1/0",
        "--bot",
        "shipped:python/naive",
        *pair[:2],
        cwd=tmp_path,
        code=2,
    ).stderr
    assert (
        said == "khiva-arena: error: --bot shipped:python/naive: its bot.toml lists khiva, not "
        "silk_road; it plays with --game khiva\n"
    )
