"""The count of the commands and matches that tests start, and its bounds."""

import subprocess
import sys
from pathlib import Path

import pytest
import work
from arena import C, arena, bots
from once import filled
from work import COUNTS, ELSEWHERE, TESTS, Work

HERE = Path(__file__)
slow = pytest.mark.slow


def counted(kind: str) -> int:
    return COUNTS[Work("test", ELSEWHERE, kind)]


@slow
def test_a_command_and_each_of_its_matches_are_counted_for_the_test_that_starts_them(tmp_path: Path) -> None:
    commands, matches = counted("commands"), counted("matches")
    arena("match", *bots(C, C), "--isolation", "trusted", "--seed", "x", cwd=tmp_path, code=None)
    assert (counted("commands"), counted("matches")) == (commands + 1, matches + 1)
    subprocess.run([sys.executable, "-m", "khiva_arena", "--version"], check=True, capture_output=True)
    assert (counted("commands"), counted("matches")) == (commands + 2, matches + 1)


def test_what_is_made_once_counts_for_the_room_that_makes_it(tmp_path_factory: pytest.TempPathFactory) -> None:
    before, mine = COUNTS[Work("test", "support", "commands")], counted("commands")
    with work.charged_to(TESTS / "support" / "stores.py"):
        arena("--version", cwd=HERE.parent)
    assert (COUNTS[Work("test", "support", "commands")], counted("commands")) == (before + 1, mine)
    filled(tmp_path_factory, "counted", lambda folder: arena("--version", cwd=folder))
    assert counted("commands") == mine + 1


def test_what_a_machine_decides_how_often_it_is_started_counts_as_a_test_says() -> None:
    before = counted("commands")
    with work.counted_as(2):
        for _ in range(3):
            work.count("commands")
    assert counted("commands") == before + 2


def test_each_room_that_is_above_a_bound_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    most = {Work("test", "cli", "commands"): 2, Work("test", "cli", "matches"): 3}
    assert work.above(most, most) == []
    (sentence,) = work.above({**most, Work("test", "cli", "commands"): 3}, most)
    assert sentence.startswith("tests of cli in target test start 3 commands, and may start 2: ")
    (sentence,) = work.above({Work("soak", "cli", "commands"): 1}, most)
    assert sentence.startswith("tests of cli in target soak start 1 commands, and may start 0: ")
    assert work.above({Work("long", "cli", "commands"): 1}, most) == [], "make test-long never passed"
    monkeypatch.setenv("MATCHES", "1000")
    assert work.above({Work("soak", "cli", "commands"): 1}, most) == [], "make modules-soak never passed"


def test_the_bounds_are_of_rooms_and_targets_that_there_are() -> None:
    rooms = {path.name for path in TESTS.iterdir() if path.is_dir()} | {ELSEWHERE}
    for bound in work.bounds():
        assert bound.room in rooms, bound
        assert bound.target in ("test", *work.TARGETS), bound
        assert bound.kind in ("commands", "matches"), bound


@slow
def test_a_run_of_tests_fails_if_a_room_starts_more_than_its_bound(tmp_path: Path) -> None:
    """The whole way, over two processes of pytest: the test itself passes."""
    (tmp_path / "work.toml").write_text("[test.cli]\ncommands = 0\n")
    code = (
        "import sys, pytest, pathlib\n"
        f"sys.path.insert(0, {str(TESTS / 'support')!r})\n"
        "import work\n"
        f"work.BOUNDS = pathlib.Path({str(tmp_path / 'work.toml')!r})\n"
        "sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', *sys.argv[1:]]))\n"
    )
    one = f"{TESTS / 'cli' / 'test_help.py'}::test_unknown_command_and_option"
    words = [sys.executable, "-c", code, "-n", "1", str(one)]
    done = subprocess.run(words, capture_output=True, text=True, cwd=TESTS.parent, check=False)
    assert "1 passed" in done.stdout, done.stdout + done.stderr
    assert "tests of cli in target test start " in done.stdout
    assert done.returncode == 1
