"""Input of every odd shape is refused in one line with exit code 2; nothing of it is a
bug of the arena.
"""

import errno
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from arena import arena, bots
from sides import NEEDS_ALL
from stores import NAIVE, RANDOM
from wording import sentence

from khiva_arena.competition.settings.settings import settings_from
from khiva_arena.errors import ConfigError
from khiva_arena.interface.cli.error_words import why_no_path

TWO = [*bots(RANDOM, NAIVE), "--seats", "2"]
RAW = b"\xff".decode("utf-8", "surrogateescape")

REFUSED = {
    "a command with a long name": (
        ["--bot", "x" * 300, "--bot", NAIVE],
        sentence("entrants", "no-such-folder-no"),
    ),
    "a folder with a long name": (
        ["--bot", "./" + "x" * 300, "--bot", NAIVE],
        sentence("entrants", "no-such-folder-command"),
    ),
    "a long out": ([*TWO, "--out", "x" * 300], "File name too long"),
    "a turn of many digits": ([*TWO, "--turn", "9" * 400 + "s"], "is longer than a day"),
    "a seed that is not Unicode": ([*TWO, "--seed", RAW], "not valid Unicode"),
    "an out that is not Unicode": ([*TWO, "--out", RAW], "not valid Unicode"),
    "a bot that is not Unicode": (["--bot", RAW, "--bot", NAIVE], "not valid Unicode"),
    "too many seeds": ([*TWO, "--seeds", "1000001"], "--seeds: 1,000,000 at most, not 1000001"),
    "seeds of many digits": ([*TWO, "--seeds", "9" * 5000], "is not a valid integer"),
    "too many jobs": ([*TWO, "--jobs", "100000000"], "--jobs: 10,000 at most"),
    "a rule nested too deep": ([*TWO, "--rule", "overshoot=" + "[" * 100_000], "overshoot"),
    "a rule that is a list": ([*TWO, "--rule", "overshoot=[1]"], "overshoot"),
    "a rule that is NaN": ([*TWO, "--rule", "overshoot=NaN"], "overshoot"),
    "a runtime that is not there": (
        [*bots("{torch} x", NAIVE), "--seats", "2", "--runtime", "torch=nowhere"],
        sentence("entrants", "neither-folder-program", path="nowhere"),
    ),
}


@pytest.mark.parametrize(("words", "said"), REFUSED.values(), ids=REFUSED)
def test_flags(tmp_path: Path, words: list[str], said: str) -> None:
    error = arena(
        "run", *(["--out", "out"] if "--out" not in words else []), *words, cwd=tmp_path, code=2
    ).stderr
    assert said in error
    assert error.startswith("khiva-arena: error: ")
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


LONG = "x" * 300


@pytest.mark.parametrize(
    "words",
    [
        ["run", LONG],
        ["standings", LONG],
        ["verify", LONG],
        ["report", LONG, "--out", "a.html"],
        pytest.param(["league", "status", LONG], marks=NEEDS_ALL),
    ],
)
def test_a_path_that_the_system_does_not_take_is_no_bug(words: list[str], tmp_path: Path) -> None:
    error = arena(*words, cwd=tmp_path, code=2).stderr
    assert error.startswith("khiva-arena: error: xxx")
    assert error.endswith("File name too long\n")
    assert error.count("\n") == 1


def test_an_error_of_the_system_that_no_typed_path_explains_is_a_bug() -> None:
    denied = PermissionError(errno.EACCES, "Permission denied", "a/b")
    for arguments, why in (
        (["run", "a/b"], "a/b: cannot be read: Permission denied"),
        (["run", "--out=a"], "a/b: cannot be read: Permission denied"),
        (["run", "a/b/c", "b", ""], ""),
    ):
        assert why_no_path(denied, arguments) == why
    assert why_no_path(OSError(errno.EIO, "Input/output error", "a/b"), ["a/b"]) == ""


FILES = {
    "game is a number": ("game = 5", "c.toml:2: game: a name is expected"),
    "game is a list": ('game = ["khiva"]', "c.toml:2: game: a name is expected"),
    "bots is a number": ("bots = 5", "c.toml:1: bots: a list of folders or commands is expected"),
    "bots is a table": ("bots = {}", "c.toml:1: bots: a list of folders or commands is expected"),
    "a bot with a NUL": (
        'bots = ["a\\u0000b"]',
        sentence("api", "not-valid-unicode", value="x00b'"),
    ),
    "an out with a NUL": ('out = "a\\u0000b"', "c.toml:2: out: 'a"),
    "a seed with a NUL": ('seed = "a\\u0000b"', "c.toml:2: seed: 'a"),
    "seats is a date": ("seats = 1979-05-27", "c.toml:2: seats: datetime"),
    "policy is a list": ("policy = [1]", "c.toml:2: policy: [1] is not a policy"),
    "turn is infinite": (
        "turn = inf",
        sentence("settings", "not-time-write-s", text="c.toml:2: turn: inf"),
    ),
    "nested too deep": ("x = " + "[" * 100_000, "not TOML"),
}


@pytest.mark.parametrize("shipped", [[], ["--shipped"]], ids=["", "shipped"])
@pytest.mark.parametrize(("text", "said"), FILES.values(), ids=FILES)
def test_files(tmp_path: Path, text: str, said: str, shipped: list[str]) -> None:
    two = "" if text.startswith("bots") else f'bots = ["{RANDOM}", "{NAIVE}"]\n'
    (tmp_path / "c.toml").write_text(two + text)
    env = {"PATH": str(tmp_path)}  # no language is there, and none is looked for long
    error = arena("run", "c.toml", *shipped, cwd=tmp_path, code=2, env=env).stderr
    assert said in error
    assert "Traceback" not in error
    assert all(
        line.startswith(("khiva-arena: error: ", "/")) or "left out" in line
        for line in error.splitlines()
    )


def test_a_long_command_in_a_file_is_a_command(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text(f'bots = ["{"x" * 300}", "{NAIVE}"]\nseats = 2\n')
    assert "no such command" in arena("run", "c.toml", cwd=tmp_path, code=2).stderr


def test_the_environment_is_not_read_for_bots(tmp_path: Path) -> None:
    env = {"KHIVA_ARENA_RUN_BOTS": f"{RANDOM} {NAIVE}", "KHIVA_ARENA_RUN_BOT": NAIVE}
    assert "no bots" in arena("run", cwd=tmp_path, code=2, env=env).stderr
    said = " ".join(arena("run", "--help", cwd=tmp_path).stdout.split())
    assert "Not read from the environment." in said


def test_text_of_the_environment_is_checked(tmp_path: Path) -> None:
    error = arena("run", *TWO, cwd=tmp_path, code=2, env={"KHIVA_ARENA_RUN_SEED": RAW}).stderr
    assert error.startswith("khiva-arena: error: --seed: ")
    assert "not valid Unicode" in error


@pytest.mark.parametrize(
    "words",
    [
        ["rnu"],
        ["run", "--sets", "3"],
        ["standings"],
        ["run", "--seats", "x"],
        ["show", "a", "b", "c"],
    ],
)
def test_usage_errors_are_one_line(tmp_path: Path, words: list[str]) -> None:
    error = arena(*words, cwd=tmp_path, code=2).stderr
    assert error.startswith("khiva-arena: error: ")
    assert error.count("\n") == 1
    assert "khiva-arena" in error.split("See `")[1]


def test_what_was_meant_is_guessed(tmp_path: Path) -> None:
    assert "Did you mean 'run'?" in arena("rnu", cwd=tmp_path, code=2).stderr
    assert "--seats" in arena("run", "--sets", "3", cwd=tmp_path, code=2).stderr


def test_a_number_of_5000_digits_names_no_match(tmp_path: Path) -> None:
    arena("run", *TWO, "--seeds", "1", "--out", "out", cwd=tmp_path)
    assert "no recorded match" in arena("show", "out", "9" * 5000, cwd=tmp_path, code=2).stderr


@pytest.mark.slow
def test_a_million_seeds_are_begun_in_little_memory(tmp_path: Path) -> None:
    """Neither what is still to be played nor the schedule is held."""
    script = f"""
from khiva_arena.arbiter import pool
from khiva_arena.interface.cli import main
def some(jobs, slots, take, **how):
    next(iter(jobs))
    raise KeyboardInterrupt
pool.play = some
print(main.run(["run", *{TWO!r}, "--seeds", "1000000", "--out", "out"]))
print(main.run(["verify", "out"]))
# ru_maxrss would be that of the process that started this one, if it was larger
status = open("/proc/self/status").read()
print(status.split("VmHWM:")[1].split()[0])
"""
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))  # noqa: E731
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        preexec_fn=limit,
    )
    lines = done.stdout.split("\n")
    assert lines[0] == "130", done.stderr
    assert lines[1] == "2"
    assert sentence("audit", "nothing-verify-no-match", named="of it") in done.stderr
    assert int(lines[2]) < 150_000


def test_the_limit_is_a_million() -> None:
    given = {"bots": (RANDOM, NAIVE), "seats": 2}
    assert settings_from({**given, "seeds": 1_000_000}).seeds == 1_000_000
    with pytest.raises(ConfigError, match="1,000,000 at most"):
        settings_from({**given, "seeds": 1_000_001})
