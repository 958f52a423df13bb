"""A program that reads the arena: JSON on stdout that fits its schema, errors as JSON
on stderr, exit codes, and short texts.
"""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from arena import arena, bots
from make_schemas import REPORTS, strict
from once import made_once
from stores import GREEDY, NAIVE, RANDOM, SHORT, TRUSTED
from wording import sentence

from khiva_arena.display.terminal.capped import FULL, LAST, MOST, Capped
from khiva_arena.interface.cli.json_error import commands_in
from khiva_arena.interface.cli.main import wants_json

pytestmark = pytest.mark.slow
NEW_BOT = " ".join(("khiva-arena", "new", "python", "my-bot"))
LEFT_OUT = sentence("terminal", "lines-left-out")
QUICK = (*TRUSTED, "--quick", "--game", "khiva")


def printed(folder: Path, kind: str, code: int, *words: str) -> dict[str, Any]:
    """Return what a command prints with ``--json``, which fits its schema, says its
    version and has a sentence.
    """
    found: dict[str, Any] = json.loads(arena(*words, "--json", cwd=folder, code=code).stdout)
    strict(REPORTS[kind]).validate(found)
    assert found["v"] == 1
    assert found["sentence"]
    assert "\n" not in found["sentence"]
    return found


def failed(folder: Path, code: int, *words: str) -> dict[str, Any]:
    """Return the error of a command, the last line on its stderr. It prints nothing
    else.
    """
    done = arena(*words, cwd=folder, code=code)
    assert done.stdout == ""
    found: dict[str, Any] = json.loads(done.stderr.splitlines()[-1])
    strict(REPORTS["error"]).validate(found)
    assert found["code"] == code
    return found


@made_once
def played(folder: Path) -> None:
    """In "out" a match of three bots, of which naive lost."""
    arena(
        "run",
        *bots(GREEDY, NAIVE, RANDOM),
        "--seeds",
        "1",
        *SHORT,
        "--seed",
        "a",
        "--out",
        "out",
        cwd=folder,
    )


def test_a_program_walks_from_new_to_replay(tmp_path: Path) -> None:
    """By exit codes, ``next`` and ``verdict``; it never reads a text."""
    made = printed(tmp_path, "new", 0, "new", "python", "my-bot")
    assert "main.py" in made["files"]
    program, *check = shlex.split(made["next"][0])
    assert program == "khiva-arena"
    checked = printed(tmp_path, "check", 0, *check, *QUICK)
    assert checked["passed"]
    assert shlex.split(checked["next"][0])[:2] == ["khiva-arena", "match"]
    how = (*TRUSTED, *SHORT, "--seed", "walk", "--matches", "10", "--json")
    done = arena("compare", "my-bot", GREEDY, *how, cwd=tmp_path, code=None)
    compared = json.loads(done.stdout)
    assert {0: "better", 3: "worse", 4: "open"}[done.returncode] == compared["verdict"]
    assert (compared["code"], compared["faults"]) == (done.returncode, 0)
    assert all(shlex.split(line)[0] == "khiva-arena" for line in compared["next"])
    asked = printed(
        tmp_path, "replay-lost", 1, "replay", "results/compare", "--lost", "my-bot", "--bot", GREEDY
    )
    assert sum(kind["differ"] for kind in asked["kinds"].values()) > 0
    _, *both = shlex.split(asked["next"][0])
    assert len(printed(tmp_path, "match-try", 0, *both)["now"]) == 2
    first = asked["matches"][0]
    one = printed(
        tmp_path,
        "replay",
        1,
        "replay",
        "results/compare",
        first["match"],
        "--bot",
        GREEDY,
        "--seat",
        str(first["seat"]),
    )
    assert not one["same"]
    _, *otherwise = shlex.split(one["next"][0])
    assert printed(tmp_path, "match-try", 0, *otherwise)["now"]


def test_a_bot_that_fails_is_told_by_code_and_step(tmp_path: Path) -> None:
    printed(tmp_path, "new", 0, "new", "python", "my-bot")
    (tmp_path / "my-bot" / "main.py").write_text("raise SystemExit(3)\n")
    checked = printed(tmp_path, "check", 1, "check", "my-bot", *QUICK)
    assert (checked["passed"], checked["next"]) == (False, [])
    failures = [step for step in checked["steps"] if step["status"] == "failed"]
    assert f"step {failures[0]['number']}, {failures[0]['title']}" in checked["sentence"]


@pytest.mark.parametrize(
    "words",
    [
        ("python", "a"),
        ("game", "b"),
        ("ladder", "c"),
        ("repository", "d"),
        (),
        ("--search",),
        ("python", "e", "--search"),
    ],
    ids=" ".join,
)
def test_each_kind_of_new_fits_its_schema(words: tuple[str, ...], tmp_path: Path) -> None:
    made = printed(tmp_path, "new", 0, "new", *words)
    assert made["next"]
    if "folder" in made:
        assert all((tmp_path / made["folder"] / file).is_file() for file in made["files"])


def test_a_match_is_its_record_with_the_result_in_words(played: Path, tmp_path: Path) -> None:
    found = printed(
        tmp_path, "match", 0, "match", *bots(GREEDY, NAIVE), *SHORT[:2], *TRUSTED, "--seed", "m"
    )
    winner = found["ranks"].index(1)
    assert found["sentence"].startswith(f"{found['header']['seats'][winner][0]}#{winner} won: ")
    assert found["faults"] == [0, 0]
    assert printed(played, "match-from", 0, "match", "--from", "out", "1/0")["same"]
    tried = printed(
        played,
        "match-try",
        0,
        "match",
        "--from",
        "out",
        "1/0",
        "--step",
        "1",
        "--seat",
        "0",
        "--try",
        "0,1",
    )
    assert [end["choice"] for end in tried["now"]] == [0, 1]
    assert tried["sentence"].startswith("best of 2 choices: choice ")


def test_a_bot_that_chooses_as_it_did_is_the_same(played: Path) -> None:
    same = printed(played, "replay", 0, "replay", "out", "1/0", "--seat", "0")
    assert (same["same"], same["differences"], same["next"]) == (True, [], [])


def test_tables_have_their_sentence(played: Path) -> None:
    found = printed(played, "standings", 0, "standings", "out")
    assert found["sentence"] == found["standings"][0]["sentence"]
    assert found["sentence"] in " ".join(arena("standings", "out", cwd=played).stdout.split())
    planned = printed(played, "plan", 0, "plan", "out", "--error", "20")
    assert planned["sentence"] == planned["plans"][0]["sentence"]


def test_the_machine_and_a_game_fit_their_schemas(tmp_path: Path) -> None:
    doctor = json.loads(arena("doctor", "--json", cwd=tmp_path, code=None).stdout)
    strict(REPORTS["doctor"]).validate(doctor)
    assert doctor["best"] in doctor["sentence"]
    assert printed(tmp_path, "check-game", 0, "check", "--game", "silk_road")[
        "sentence"
    ].startswith("silk_road: ")


@pytest.mark.parametrize(
    ("words", "code", "next_lines"),
    [
        (("check", "my-bot", "--json"), 2, [NEW_BOT]),
        (("check", "--json"), 2, ["khiva-arena check my-bot", "khiva-arena check -h"]),
        (("standings", "--jsn", "--json"), 2, ["khiva-arena standings -h"]),
        (("new", "python", "--json"), 2, [NEW_BOT]),
        (("standings", "nowhere", "--json"), 2, None),
        (("compare", "a", "b", "--json"), 2, None),
        (("sprt", "a", "b", "--seats", "x", "--json"), 2, None),
        (("check", "my-bot", "--format", "json"), 2, [NEW_BOT]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_an_error_is_one_object_on_stderr(
    words: tuple[str, ...], code: int, next_lines: list[str] | None, tmp_path: Path
) -> None:
    error = failed(tmp_path, code, *words)
    assert next_lines is None or error["next"] == next_lines
    text = arena(
        *(word for word in words if word != "--json" and not word.endswith("json")),
        cwd=tmp_path,
        code=code,
    ).stderr
    if "--format" not in words:
        assert error["message"].splitlines() == [
            line.removeprefix("khiva-arena: error: ") for line in text.splitlines()
        ]


def test_several_errors_are_lines_of_one_message(tmp_path: Path) -> None:
    bots_of_khiva = bots("shipped:python/greedy", "shipped:python/naive")
    error = failed(tmp_path, 2, "match", "--game", "silk_road", *bots_of_khiva, "--json")
    assert [line.split()[1].rpartition("/")[2] for line in error["message"].splitlines()] == [
        "greedy:",
        "naive:",
    ]


def test_a_bug_is_one_object_with_its_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("khiva_arena.interface.commands.doctor.levels", lambda: 1 // 0)
    error = failed(tmp_path, 70, "doctor", "--json")
    assert error["message"].startswith("Traceback ")
    assert "ZeroDivisionError" in error["message"]


FORGED = (
    "`khiva-arena match --bot $(id)`\nnext: khiva-arena match --bot x --isolation trusted\n  "
    "next: khiva-arena check $(id)\n"
)


def test_a_bot_forges_no_command_of_an_error(tmp_path: Path) -> None:
    """Its stderr is in the message, and a program types the commands of ``next``."""
    arena("new", "python", "my-bot", cwd=tmp_path)
    (tmp_path / "my-bot" / "main.py").write_text(f"raise SystemExit({FORGED!r})\n")
    error = failed(tmp_path, 2, "match", *bots("my-bot", RANDOM), *TRUSTED, "--json")
    assert "--isolation trusted" in error["message"]
    assert error["next"] == ["khiva-arena check my-bot"]


@pytest.mark.parametrize(
    ("problem", "commands"),
    [
        ("no such bot; `khiva-arena bots` lists them", ["khiva-arena bots"]),
        ("name a folder: khiva-arena new python my-bot", ["khiva-arena new python my-bot"]),
        ("x; `khiva-arena verify 'a b;c'` says more", ["khiva-arena verify 'a b;c'"]),
        ("x: failed\n  next: khiva-arena check 'a b'", ["khiva-arena check 'a b'"]),
        ("x: failed\n  next: khiva-arena check a b", []),
        ("x: failed\n  next: khiva-arena check --bot", []),
        ("x: failed\n  next: khiva-arena check 'a", []),
        ("x: failed: `khiva-arena bots`\n  its stderr:\n    next: khiva-arena check a", []),
        ("it wrote `khiva-arena check $(id)`", []),
        ("it wrote: khiva-arena check a | sh", []),
        ("it wrote `khiva-arena match --bot a --isolation=trusted`", []),
        ("it wrote `khiva-arena close results`", []),
        ("`khiva-arena typed`: no such bot", []),
    ],
)
def test_a_command_is_found_where_the_arena_names_it(problem: str, commands: list[str]) -> None:
    assert list(commands_in(problem, ["check", "`khiva-arena typed`"])) == commands


@pytest.mark.parametrize("words", [("ladder",), ("python",)], ids=" ".join)
def test_odd_names_of_folders_are_quoted_in_next(words: tuple[str, ...], tmp_path: Path) -> None:
    odd = "a;`b` $(c)"
    made = printed(tmp_path, "new", 0, "new", *words, odd)
    assert odd in shlex.split(made["next"][0])
    if words == ("python",):
        assert odd in shlex.split(printed(tmp_path, "check", 0, "check", odd, *QUICK)["next"][0])


def test_json_is_asked_for_where_click_reads_it() -> None:
    assert wants_json(["run", "--json"])
    assert wants_json(["check", "a", "--format=json"])
    assert not wants_json(["relay", "ann", "--", "bot", "--json"])
    assert not wants_json(["export", "out", "--format", "json"])


# --- short texts ---


def test_a_quiet_check_prints_what_is_not_ok(tmp_path: Path) -> None:
    arena("new", "python", "my-bot", cwd=tmp_path)
    steps = json.loads(arena("check", "my-bot", *QUICK, "--json", cwd=tmp_path).stdout)["steps"]
    quiet = arena("check", "my-bot", *QUICK, "--quiet", cwd=tmp_path).stdout
    titles = {step["title"] for step in steps if step["status"] == "ok"}
    assert titles
    assert [title for title in titles if f" {title}" in quiet] == []
    assert ("warning" in quiet) == any(step["status"] == "warning" for step in steps)
    (tmp_path / "my-bot" / "main.py").write_text("raise SystemExit(3)\n")
    assert "FAILED" in arena("check", "my-bot", *QUICK, "--quiet", cwd=tmp_path, code=1).stdout
    assert arena("check", "--game", "silk_road", "--quiet", cwd=tmp_path).stdout == ""
    error = failed(tmp_path, 2, "check", "my-bot", "--quiet", "--json")
    assert sentence("check", "quiet-is-for-text") in error["message"]


def test_a_long_match_has_two_hundred_lines_unless_all_are_asked_for(tmp_path: Path) -> None:
    words = ["match", *bots(*[GREEDY] * 5), *TRUSTED, "--seed", "long"]
    whole = arena(*words, FULL, cwd=tmp_path).stdout.splitlines()
    short = arena(*words, cwd=tmp_path).stdout.splitlines()
    assert len(whole) > MOST == len(short)
    [gap] = [number for number, line in enumerate(short) if line.startswith("... ")]
    assert short[:gap] == whole[:gap]
    assert short[gap + 1 :] == whole[-LAST:]
    assert short[gap] == f"... {len(whole) - MOST + 1} {LEFT_OUT}; {FULL} prints all"


class Kept:
    """A stream that keeps what is written."""

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> int:
        self.text += text
        return len(text)


@pytest.mark.parametrize("lines", [0, 1, 9, 10, 11, 12, 50])
@pytest.mark.parametrize("end", ["", "no end"])
def test_lines_are_left_out_only_beyond_the_most(lines: int, end: str) -> None:
    stream = Kept()
    capped = Capped(stream, 10, 3)  # type: ignore[arg-type]
    whole = "".join(f"{number}\n" for number in range(lines)) + end
    for letter in whole:
        capped.write(letter)
    capped.finish()
    if lines <= 10:
        assert stream.text == whole
    else:
        gap = f"... {lines - 9} {LEFT_OUT}; {FULL} prints all"
        kept = [*map(str, range(6)), gap, *map(str, range(lines - 3, lines)), end]
        assert stream.text.split("\n") == kept
