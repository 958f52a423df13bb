"""What a newcomer sees of a bot that fails before its hello: all that it said, how it
ended, and what to do next.
"""

import json
import re
from pathlib import Path

import pytest
import tick_bots
from arena import arena, bots, without_trust
from echo import FAILS
from module_cup import vectors
from stores import NAIVE, RANDOM
from wording import sentence

from khiva_arena.arbiter.redact import Redactor
from khiva_arena.arbiter.stderr_tap import KEPT, LINES_MOST, BotOutput
from khiva_arena.bots.modules.meter.maxima import with_memory
from khiva_arena.entrants import interpreters

pytestmark = pytest.mark.slow

PRINTS = """
import sys, time
print("Loading the weights \\x1b[2J", flush=True)
time.sleep(0.1)
print("\\n".join(f"layer {number}" for number in range(9)), flush=True)
print("no weights", file=sys.stderr)
raise SystemExit(3)
"""
SHOWN = """  its end: it exited with code 3
  its output, 97 bytes:
    Loading the weights \\x1b[2J
    layer 0
    layer 1
    layer 2
    layer 3
    layer 4
    layer 5
    layer 6
    layer 7
    layer 8
  its stderr:
    no weights
  next: khiva-arena check '{python} prints.py'
"""


@pytest.fixture
def prints(tmp_path: Path) -> str:
    (tmp_path / "prints.py").write_text(PRINTS)
    return "{python} prints.py"


@pytest.mark.parametrize("verb", ["match", "run"])
def test_all_that_it_said_is_shown(verb: str, prints: str, tmp_path: Path) -> None:
    more = ["--seats", "2", "--out", "out"] if verb == "run" else []
    done = arena(verb, *bots(prints, RANDOM), *more, cwd=tmp_path, code=2)
    assert without_trust(done.stderr).startswith(
        "khiva-arena: error: prints: start_failed: "
        + sentence("arbiter", "not-frame")
        + " b'Loading the weights "
    )
    assert done.stderr.endswith(SHOWN)
    assert done.stdout == ""


def test_the_next_command_gives_the_bot_what_it_had(prints: str, tmp_path: Path) -> None:
    given = ("--network", "prints", "--env", "prints=API_KEY")
    done = arena(
        "match",
        *bots(prints, RANDOM),
        *given,
        cwd=tmp_path,
        code=2,
        env={"API_KEY": "sk-not-to-be-told"},
    )
    assert done.stderr.endswith(
        f"  next: khiva-arena check '{{python}} prints.py' {' '.join(given)}\n"
    )


def test_the_trial_start_is_traced_where_it_fails(prints: str, tmp_path: Path) -> None:
    done = arena("match", *bots(prints, NAIVE), "--trace", cwd=tmp_path, code=2)
    lines = [line for line in done.stderr.splitlines() if re.match(r" *\d+\.\d ms  ", line)]
    assert [line.split()[2:5] for line in lines[:2]] == [
        ["prints#0", ">", "hello"],
        ["naive#1", ">", "hello"],
    ]
    assert any("prints#0 < ? 4c6f6164" in line for line in lines)
    assert any(line.endswith("prints#0 | no weights") for line in lines)
    assert sum("prints#0 x is out" in line for line in lines) == 1
    assert any("naive#1 < hello " in line for line in lines)
    assert done.stderr.endswith(SHOWN)


def test_the_raw_bytes_of_a_failed_start_are_kept(prints: str, tmp_path: Path) -> None:
    done = arena("match", *bots(NAIVE, prints), "--capture", "raw", cwd=tmp_path, code=2)
    assert "its output is in raw: khiva-arena decode raw/seat-1.from-bot" in done.stderr
    kept = (tmp_path / "raw" / "seat-1.from-bot").read_bytes()
    assert kept == b"Loading the weights \x1b[2J\n" + b"".join(
        b"layer %d\n" % number for number in range(9)
    )
    assert "4c6f6164696e6720" in arena("decode", "raw/seat-1.from-bot", cwd=tmp_path, code=1).stdout


def test_each_of_several_that_fail_has_an_error_of_its_own(prints: str, tmp_path: Path) -> None:
    (tmp_path / "mute.py").write_text("raise SystemExit(4)")
    lines = without_trust(
        arena("match", *bots(prints, "{python} mute.py"), cwd=tmp_path, code=2).stderr
    ).splitlines()
    assert [line.split()[2] for line in lines if not line.startswith("  ")] == ["prints:", "mute:"]
    assert [line for line in lines if "its end" in line] == [
        ("  its end: " + sentence("check", "exited-code") + f" {code}") for code in (3, 4)
    ]


def test_a_capture_of_bots_that_wrote_nothing_is_not_kept_and_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "mute.py").write_text("raise SystemExit(3)")
    done = arena(
        "match", *bots(NAIVE, "{python} mute.py"), "--capture", "raw", cwd=tmp_path, code=2
    )
    assert (
        "nothing is kept in raw: no bot that failed wrote anything on stdout" + "\n" in done.stderr
    )
    assert not (tmp_path / "raw").exists()


def test_the_notes_of_a_failed_start_are_printed(prints: str, tmp_path: Path) -> None:
    done = arena("match", *bots(NAIVE, prints), "--notes", cwd=tmp_path, code=2)
    assert done.stdout == "--- stderr of seat 1 (11 bytes)\n  no weights\n"


def test_a_trial_start_that_goes_well_leaves_no_trace(tmp_path: Path) -> None:
    done = arena(
        "match", *bots(RANDOM, NAIVE), "--seed", "demo", "--trace", "--capture", "raw", cwd=tmp_path
    )
    assert sum(" > hello " in line for line in done.stderr.splitlines()) == 2
    assert (tmp_path / "raw" / "seat-0.from-bot").read_bytes().count(b"proto") == 1


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        (
            "import time; time.sleep(60)",
            ["timeout: ", "  its end: the bot still ran, and was killed", "  its output: nothing"],
        ),
        (
            "import os; os.kill(os.getpid(), 11)",
            ["  its end: it was ended by SIGSEGV", "  its stderr: nothing"],
        ),
        (
            "import os\nwhile True: os.write(1, bytes(range(256)) * 9)",
            [
                "    00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f  ................",
                "    40 41 42 43 44 45 46 47 48 49 4a 4b 4c 4d 4e 4f  @ABCDEFGHIJKLMNO",
                " bytes more",
            ],
        ),
    ],
)
def test_each_way_to_fail_is_told(code: str, shown: list[str], tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(code)
    said = arena(
        "match", *bots("{python} bad.py", RANDOM), "--start", "2s", cwd=tmp_path, code=2
    ).stderr
    for text in shown:
        assert text in said
    assert len(said) < 8_000


def test_a_module_in_ticks_is_told_by_its_fault_alone(tmp_path: Path) -> None:
    """Its runner goes on for the other seats, and how that one ended says nothing of
    it.
    """
    (tmp_path / "exits.wasm").write_bytes(tick_bots.bot(at_the_start=tick_bots.EXITS))
    said = arena(
        "match", "--clock", "ticks", *bots("exits.wasm", "exits.wasm"), cwd=tmp_path, code=2
    ).stderr
    fault = (
        "exits: start_failed: crashed: exited with code 3\n  its output: nothing\n  its "
        "stderr:\n    no idea\n  next: "
    )
    assert said.count(fault) == 2


@pytest.mark.parametrize(
    ("interpreter", "files"),
    [
        (FAILS, {"main.py": "\npython: an error that cannot be shown\n", "os.py": ""}),
        (tick_bots.bot(at_the_start="i32.const 0 $proc_exit\n"), {"main.py": "import khiva_kit\n"}),
        (
            tick_bots.bot(at_the_start="i32.const 1 $proc_exit\n"),
            {"main.py": "import sys\nsys.exit(1)\n"},
        ),
    ],
    ids=["an own os.py", "the kit is not started", "silent"],
)
def test_a_bot_of_an_interpreter_gets_the_hint_of_check_wherever_it_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interpreter: bytes, files: dict[str, str]
) -> None:
    """In ticks a bot is played as a module and a payload, and the hint needs its own
    files.
    """
    monkeypatch.setenv(interpreters.FOLDER, str(tmp_path))
    interpreters._module.cache_clear()
    for name, module in {
        "python": with_memory(interpreter, 16),
        **vectors({"honest": "honest", "late": "late"}),
    }.items():
        (tmp_path / f"{name}.wasm").write_bytes(module)
    (tmp_path / "fails").mkdir()
    for name, text in {
        "bot.toml": 'name = "fails"\ninterpreter = "python main.py"\n',
        **files,
    }.items():
        (tmp_path / "fails" / name).write_text(text)
    checked = json.loads(
        arena("check", "--quick", interpreters.FLAG, "fails", "--json", cwd=tmp_path, code=1).stdout
    )
    (hint,) = [step["hint"] for step in checked["steps"] if step["status"] == "failed"]
    seated = (
        "--clock",
        "ticks",
        "--turn",
        "10ms",
        "--bank",
        "0s",
        interpreters.FLAG,
        *bots("honest.wasm", "fails"),
    )
    assert f"  hint: {hint}\n  next: " in arena("match", *seated, cwd=tmp_path, code=2).stderr
    words = ("run", *seated, *bots("late.wasm"), "--seats", "2", "--seeds", "1", "--out", "out")
    assert f"  hint: {hint}\n  next: " in arena(*words, cwd=tmp_path, code=2).stderr
    (line,) = [
        line
        for line in arena(*words, "--skip-broken", cwd=tmp_path).stderr.splitlines()
        if "is left out: " in line
    ]
    assert f"; hint: {hint}; next: " in line
    assert hint in " ".join(arena("standings", "out", "--wide", cwd=tmp_path).stdout.split())


def test_what_is_shown_is_bounded_and_harmless() -> None:
    output = BotOutput()
    for _ in range(1_000):
        output.add(b"\x1b]0;owned\x07 some words\xff\n")
    lines = output.text(Redactor({})).split("\n")
    assert len(lines) == LINES_MOST + 1
    assert lines[0] == "\\x1b]0;owned\\x07 some words\\xff"
    assert lines[-1] == f"... and {23 * (1_000 - LINES_MOST)} bytes more"
    wide = BotOutput()
    wide.add("\u20ac".encode() * 5_000)
    assert wide.text(Redactor({})).count("\u20ac") == KEPT // 3
    assert BotOutput().text(Redactor({})) == ""


def test_a_key_that_is_cut_by_what_is_kept_is_not_shown() -> None:
    key = "sk-0123456789abcdefghi"
    for begins in range(KEPT - len(key), KEPT):
        output = BotOutput()
        output.add(b"x" * begins + key.encode() + b"y" * 99)
        assert "sk-" not in output.text(Redactor({"KEY": key}))
    output = BotOutput()
    output.add(b"ends like one: sk-0")
    assert output.text(Redactor({"KEY": key})) == "ends like one: sk-0"
