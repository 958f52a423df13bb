"""``khiva-arena check`` as its user has it: text, JSON, exit codes, and nothing left
behind when it is interrupted.
"""

import json
import os
import re
import shutil
import signal
from pathlib import Path

import jsonschema
import pytest
from arena import ROOT, arena, descendants, file_of, living
from forked_command import started
from javascript import interpreter
from make_schemas import FOLDER
from waiting import until
from wording import sentence

from khiva_arena.bots.sandbox.detect import python_closed
from khiva_arena.bots.sandbox.level import Level
from khiva_arena.common.manual import where
from khiva_arena.competition.conformance import check_plan

pytestmark = pytest.mark.slow

BOTS = ROOT / "bots"
SCHEMA = FOLDER / "output" / "check.json"
LOUD = """\
import sys
print("I am ready")
sys.stdout.flush()
sys.stdin.buffer.read()
"""


def folder(home: Path, main: str, more: str = "") -> str:
    home.mkdir()
    (home / "main.py").write_text(main)
    (home / "bot.toml").write_text(f'name = "mine"\nrun = "{{python}} main.py"\n{more}')
    return str(home)


@pytest.mark.soak
def test_a_shipped_bot_passes(tmp_path: Path) -> None:
    """One in C and one in C# do in tests/shipped_bots/test_readmes.py, and by make
    test-long one of each other language.
    """
    done = arena("check", str(BOTS / "python" / "random"), cwd=tmp_path)
    *lines, counts, following, loss, page = done.stdout.splitlines()
    assert "--clock ticks" not in done.stdout, "an ordinary bot hears of ticks only from the pages"
    assert counts.startswith(
        f"{sum(bool(re.match(' *[0-9]+  [a-z]', line)) for line in lines)} steps: "
    )
    assert "             " + sentence("check", "decisions-time-took") + ":" in lines
    assert ", 0 failed, " in counts
    ask = "khiva-arena replay games 1/0 --seat 0 --bot shipped:python/search"
    assert loss.startswith(f"After a loss in a run with --out games: {ask} ")
    assert following.startswith(sentence("check", "keeps-protocol-next") + ": khiva-arena match ")
    assert page == f"How to make it better: {where('improve-a-bot')}"
    for kinds in ("4 of 4", "22 of 22", "11 of 11"):
        assert f"{kinds} kinds" in done.stdout


@pytest.mark.language
@pytest.mark.xdist_group("python")
def test_a_bot_in_python_is_told_its_ticks(tmp_path: Path) -> None:
    interpreter("python")
    steps = json.loads(
        arena("check", str(BOTS / "python" / "random"), "--quick", "--json", cwd=tmp_path).stdout
    )["steps"]
    (step,) = (step for step in steps if step["id"] == "ticks")
    assert step["status"] == "ok"
    assert re.fullmatch(
        r"(seat \d: [\d,]+ ticks to start, \d+ decisions: .* ticks\n){2,}a turn has [\d,]+",
        step["said"],
    )


@pytest.mark.soak
def test_what_comes_next_works(tmp_path: Path) -> None:
    bot = folder(
        tmp_path / "mine",
        (BOTS / "python" / "random" / "main.py").read_text(),
        'games = ["emira"]\n',
    )
    shutil.copy(BOTS / "python" / "kit" / "khiva_kit.py", bot)
    done = arena("check", bot, "--quick", cwd=tmp_path)
    (words,) = (
        line.split("Next: khiva-arena ")[1].split()
        for line in done.stdout.splitlines()
        if "Next: khiva-arena " in line
    )
    assert words[:5] == ["match", "--game", "emira", "--bot", bot]
    assert "3 seats" not in arena(*words, cwd=tmp_path).stderr


def test_json_is_as_its_schema_says(tmp_path: Path) -> None:
    done = arena(
        "check",
        str(BOTS / "python" / "random"),
        "--quick",
        "--json",
        "--game",
        "khiva",
        cwd=tmp_path,
    )
    found = json.loads(done.stdout)
    jsonschema.validate(found, json.loads(SCHEMA.read_text()))
    assert found["passed"]
    assert found["counts"]["failed"] == 0
    assert sum(found["counts"].values()) == len(found["steps"])
    assert [step["number"] for step in found["steps"]] == list(range(1, len(found["steps"]) + 1))
    ids = [step["id"] for step in found["steps"]]
    assert ids[:4] == ["settings", "build", "start", "answers"]
    assert [word for word in ids if word.startswith("game:")] == ["game:khiva"]
    assert len(set(ids)) == len(ids)


def test_a_bot_that_fails_is_told_where_to_begin(tmp_path: Path) -> None:
    bot = folder(tmp_path / "loud", LOUD)
    done = arena("check", bot, "--start", "5s", cwd=tmp_path, code=1)
    lines = done.stdout.splitlines()
    at = next(number for number, line in enumerate(lines) if "FAILED" in line)
    assert lines[at] == "  3  FAILED  it starts and says hello in time"
    assert [line.split(":")[0].strip() for line in lines[at + 1 : at + 4]] == [
        "expected",
        "got",
        "hint",
    ]
    assert "b'I am ready\\n'" in lines[at + 2]
    assert sentence("check", "say-stderr") + ": print(..., file=sys.stderr)" in lines[at + 3]
    assert lines[at + 4].startswith("  4  skipped steps 4 to ")
    assert lines[at + 4].endswith(": not tried: " + sentence("check", "not-start"))
    assert lines[-1] == "It does not keep the protocol yet: begin with step 3."
    found = json.loads(arena("check", bot, "--start", "5s", "--json", cwd=tmp_path, code=1).stdout)
    jsonschema.validate(found, json.loads(SCHEMA.read_text()))
    assert not found["passed"]


def test_a_module_alone_is_not_the_bot_of_the_folder_it_lies_in(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text('name = "another"\nrun = "another"\n')
    (tmp_path / "bot.wasm").write_bytes(b"\0asm\1\0\0\0")
    assert (
        "only a WebAssembly module, bot.wasm"
        in arena("check", "bot.wasm", cwd=tmp_path, code=1).stdout
    )
    folder_of_that_name = tmp_path / "in" / "bot.wasm"
    folder_of_that_name.mkdir(parents=True)
    (folder_of_that_name / "bot.toml").write_text('name = "mine"\nmodule = "bot.wasm"\n')
    (folder_of_that_name / "bot.wasm").write_bytes(b"\0asm\1\0\0\0")
    assert "bot.toml is read" in arena("check", "in/bot.wasm", cwd=tmp_path, code=1).stdout


def test_a_build_that_fails_is_a_step(tmp_path: Path) -> None:
    bot = folder(
        tmp_path / "unbuilt", LOUD, "build = \"sh -c 'echo no such header >&2; exit 3'\"\n"
    )
    lines = arena("check", bot, cwd=tmp_path, code=1).stdout.splitlines()
    assert lines[2] == "  2  FAILED  its build"
    assert "exited with code 3" in lines[4]
    assert "no such header" in lines[5]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere/at-all"], sentence("entrants", "no-such-folder-command")),
        (["BOT", "--game", "chess"], sentence("games", "no-game") + " 'chess'"),
        (["BOT", "--game", "emira"], "--game emira: mine plays khiva by its bot.toml"),
        (
            ["BOT", "--turn", "soon"],
            sentence("settings", "not-time-write-s", text="--turn: 'soon'"),
        ),
        (["BOT", "--limit", "memory=much"], "--limit: memory: 'much' is not a size"),
        (
            ["BOT", "--isolation", "best"],
            sentence("settings", "isolation-not-level", asked="'best'"),
        ),
        (["ODD"], "games in bot.toml: " + sentence("games", "no-game") + " 'khva'"),
        (["EMPTY"], "the folder has no bot.toml"),
    ],
)
def test_mistakes_of_the_user(words: list[str], said: str, tmp_path: Path) -> None:
    named = {
        "BOT": folder(tmp_path / "mine", LOUD, 'games = ["khiva"]\n'),
        "ODD": folder(tmp_path / "odd", LOUD, 'games = ["khva"]\n'),
        "EMPTY": str(tmp_path),
    }
    done = arena("check", *(named.get(word, word) for word in words), cwd=tmp_path, code=2)
    assert said in done.stderr
    assert done.stdout == ""


@pytest.mark.usefixtures("basic")
@pytest.mark.skipif(
    os.geteuid() != 0, reason="NOT TESTED: only " + sentence("sandbox", "roots-bots-run-users")
)
def test_a_level_that_cannot_start_the_bot_is_said_before_any_step(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    program = closed / "program"
    shutil.copy("/bin/cat", program)
    for bot in (str(program), folder(tmp_path / "mine", "", more="")):
        if bot == str(program) or python_closed(Level.BASIC):
            done = arena("check", bot, "--isolation", "basic", cwd=tmp_path, code=2)
            assert done.stdout == ""
            assert "--isolation basic: " in done.stderr
            assert "may not pass " in done.stderr


def test_help_names_the_schema(tmp_path: Path) -> None:
    said = " ".join(arena("check", "--help", cwd=tmp_path).stdout.split())
    assert SCHEMA.relative_to(ROOT).as_posix() in said


def test_texts_name_files_that_are_there() -> None:
    for text in (check_plan.FRAMES, check_plan.EVENTS, check_plan.ALL_FORMS):
        assert where("spec") in text
        assert all(Path(path).exists() for path in re.findall(r"(?<!\S)(/\S+?)[,;]? ", text))


def test_an_interrupt_leaves_nothing_behind(tmp_path: Path) -> None:
    bot = folder(tmp_path / "deaf", "import time\ntime.sleep(60)\n")
    process = started("check", bot, "--start", "30s", cwd=tmp_path)
    assert until(
        lambda: any(b"main.py" in file_of(pid, "cmdline") for pid in descendants(process.pid))
    )
    found = descendants(process.pid)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "interrupted" in said
    assert found
    assert not living(found)
