"""What has changed since an unfinished event began is refused with what it is, or taken
as another event.
"""

import json
import re
import shutil
import signal
from pathlib import Path

import pytest
from arena import NAIVE, RANDOM, ROOT, C, arena, bots, started
from once import made_once
from waiting import until

pytestmark = pytest.mark.soak

SHAPE = ["--seats", "2", "--seeds", "300", "--seed", "x", "--out", "out"]


def write_mine(folder: Path) -> None:
    """A bot of its own in a folder."""
    (folder / "mine").mkdir()
    toml = 'name = "mine"\nrun = "{python} main.py"\nfiles = ["*.py"]\n'
    shutil.copy(ROOT / "bots/python/kit/khiva_kit.py", folder / "mine")
    (folder / "mine" / "bot.toml").write_text(toml)
    (folder / "mine" / "main.py").write_text(
        (ROOT / "bots/python/random/main.py").read_text() + "# mine\n"
    )


@made_once
def begun(folder: Path) -> None:
    """A folder with a bot of its own and an event that was interrupted."""
    write_mine(folder)
    running = started("run", *bots("mine", NAIVE), *SHAPE, cwd=folder)
    assert until(lambda: recorded(folder) >= 3)
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=60)
    assert running.returncode == 130


def recorded(folder: Path) -> int:
    if not (folder / "out" / "arena.db").exists():
        return 0
    return len(json.loads(arena("show", "out", "--json", cwd=folder).stdout)["matches"])


@pytest.fixture
def copy(begun: Path, tmp_path: Path) -> Path:
    shutil.copytree(begun, tmp_path / "copy")
    return tmp_path / "copy"


def edited(folder: Path) -> None:
    with (folder / "mine" / "main.py").open("a") as file:
        file.write("# another opinion\n")


CHANGED: list[tuple[list[str], list[str]]] = [
    ([*bots("mine", NAIVE), *SHAPE, "--turn", "2s"], ["turn was 1000 ms, is 2000 ms"]),
    ([*bots("mine", NAIVE), *SHAPE, "--seed", "y"], ["another seed was given"]),
    ([*bots("mine", NAIVE), *SHAPE[:-4], "--out", "out"], ["the seed was given, is drawn"]),
    ([*bots("mine", NAIVE), *SHAPE, "--policy", "strict"], ["policy was lenient, is strict"]),
    ([*bots("mine", NAIVE), *SHAPE, "--lineups", "1"], ["lineups was not set, is 1"]),
    (
        [*bots("mine", NAIVE), *SHAPE, "--rule", "overshoot=bounce"],
        ["rule overshoot was stop_at_outpost, is bounce"],
    ),
    ([*bots("mine", RANDOM), *SHAPE, "--game", "silk_road"], ["game was khiva, is silk_road"]),
    (
        [*bots(NAIVE, "mine"), *SHAPE],
        ["the bots are in another order: mine, naive then; naive, mine now"],
    ),
    (
        [*bots("mine", RANDOM), *SHAPE],
        ["python/naive) does not play any more", "python/random) has been added"],
    ),
    (
        [*bots("mine", NAIVE), *SHAPE, "--turn", "2s", "--bank", "0s"],
        ["turn was 1000 ms", "bank was 10000 ms, is 0 ms"],
    ),
]


def test_another_number_of_seeds_is_refused_with_the_one_that_goes_on(copy: Path) -> None:
    error = arena("run", *bots("mine", NAIVE), *SHAPE, "--seeds", "301", cwd=copy, code=2).stderr
    assert re.search(
        "--seeds 301: event 1 is not over, [0-9]+ of 600 matches are recorded, and it has "
        "300 seeds: --seeds 300 ",
        error,
    )
    assert "--new-event" in error
    assert len(error.splitlines()) == 1


@pytest.mark.parametrize(("words", "said"), CHANGED, ids=[said[0] for _, said in CHANGED])
def test_other_settings_are_refused_with_what_differs(
    copy: Path, words: list[str], said: list[str]
) -> None:
    error = arena("run", *words, cwd=copy, code=2).stderr
    lines = error.splitlines()
    assert all(line.startswith("khiva-arena: error: ") for line in lines)
    assert "event 1 is not over" in lines[0]
    assert "of 600 matches are recorded" in lines[0]
    for part in said:
        assert part in error
    assert "--new-event" in lines[-1]
    assert len(lines) == len(said) + 1


def test_a_bot_that_was_edited_is_refused_or_another_entrant(copy: Path) -> None:
    before = recorded(copy)
    edited(copy)
    words = ["run", *bots("mine", NAIVE), *SHAPE]
    refused = arena(*words, cwd=copy, code=2)
    assert "bot mine (mine) has changed: identity " in refused.stderr
    assert refused.stderr.count("\n") == 2
    assert recorded(copy) == before
    small = [*words[:-6], "--seeds", "1", *words[-4:]]
    done = arena(*small, "--new-event", cwd=copy)
    assert "1 seed x 1 line-up x 2 rotations = 2 matches" in done.stderr
    arena(*small, cwd=copy)  # it is in the store now, and is over
    table = json.loads(arena("standings", "out", "--json", cwd=copy).stdout)["standings"][0]
    mine = [row for row in table["rows"] if row["name"].startswith("mine")]
    assert len({row["name"] for row in mine}) == len({row["bot"] for row in mine}) == 2
    assert all(row["name"] == f"mine#{row['bot'][:4]}" for row in mine)
    assert arena("verify", "out", cwd=copy).stdout.count("are sound") == 2


def test_a_bot_that_was_edited_since_an_event_that_is_over_is_named(tmp_path: Path) -> None:
    write_mine(tmp_path)
    words = ["run", *bots("mine", C), "--seats", "2", "--seeds", "1", "--out", "out"]
    assert "changed since" not in arena(*words, cwd=tmp_path).stderr
    edited(tmp_path)
    assert "mine changed since event 1: this is event 2\n" in arena(*words, cwd=tmp_path).stderr
    assert (
        "changed since" not in arena(*words, "--turn", "2s", cwd=tmp_path).stderr
    )  # event 2 had this one


def test_an_event_that_is_over_stands_in_nobody_s_way(tmp_path: Path) -> None:
    words = ["run", *bots(RANDOM, NAIVE), "--seats", "2", "--seeds", "1", "--out", "out"]
    arena(*words, cwd=tmp_path)
    arena(*words, "--turn", "2s", cwd=tmp_path)
    assert arena("verify", "out", cwd=tmp_path).stdout.count("2 of 2 matches are sound") == 2
