"""The exit codes that tell a verdict or a forfeit, each brought about by real
matches.
"""

import json
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest
from arena import RANDOM as SLOWER
from arena import arena, bots, kill, wait_for_matches
from forked_command import started
from once import made_once
from stores import FORFEITS, GREEDY, NAIVE, RANDOM, STRIKES, TRUSTED
from wording import sentence

import khiva_arena
from khiva_arena.errors import ConfigError

pytestmark = pytest.mark.slow
PLAY = (*TRUSTED, "--seed", "x", "--rule", "max_turns=4")
CLEAR = (*PLAY, "--elo1", "200", "--alpha", "0.2", "--beta", "0.2", "--out", "out")
UNCLEAR = (
    *PLAY,
    "--elo1",
    "2",
    "--alpha",
    "0.001",
    "--beta",
    "0.001",
    "--seeds",
    "32",
    "--out",
    "out",
)
ALL = "better,not-better,open,same"


def verdict_of(folder: Path, code: int, *words: str) -> dict[str, Any]:
    """Return what ``sprt --json`` prints, which has the exit code of the command."""
    found: dict[str, Any] = json.loads(
        arena("sprt", *words, "--json", cwd=folder, code=code).stdout
    )
    assert found["code"] == code
    return found


@pytest.fixture
def twin(tmp_path: Path) -> str:
    """A copy of a bot, which is the same bot in another folder."""
    shutil.copytree(GREEDY, tmp_path / "twin")
    return "twin"


@made_once
def forfeited(folder: Path) -> None:
    """In "out" a test whose candidate forfeited all its matches, and so lost them."""
    arena("sprt", FORFEITS, RANDOM, *CLEAR, cwd=folder, code=6)


@made_once
def undecided(folder: Path) -> None:
    """In "out" a test that came to no decision."""
    arena("sprt", RANDOM, NAIVE, *UNCLEAR, cwd=folder, code=4)


def test_a_better_candidate_ends_with_0_though_its_opponent_forfeits(tmp_path: Path) -> None:
    found = verdict_of(tmp_path, 0, GREEDY, FORFEITS, *CLEAR)
    assert (found["verdict"], found["decision"], found["forfeits"]) == ("better", "H1", 0)


def test_a_candidate_that_is_not_better_ends_with_3_and_its_strikes_do_not_count(
    tmp_path: Path,
) -> None:
    found = verdict_of(tmp_path, 3, STRIKES, RANDOM, *CLEAR)
    assert (found["verdict"], found["decision"], found["forfeits"]) == ("not-better", "H0", 0)
    rows = json.loads(arena("standings", "out", "--json", cwd=tmp_path).stdout)["standings"][0][
        "rows"
    ]
    assert {row["name"]: row["faults"]["illegal"] for row in rows} == {
        "strikes": found["matches"],
        "random": 0,
    }


def test_an_open_test_ends_with_4(undecided: Path) -> None:
    assert verdict_of(undecided, 4, RANDOM, NAIVE, *UNCLEAR)["verdict"] == "open"
    said = arena("sprt", RANDOM, NAIVE, *UNCLEAR, cwd=undecided, code=4).stderr.splitlines()[-1]
    assert said.startswith("exit code 4: undecided")


def test_the_same_bot_ends_with_5_before_anything_is_played(tmp_path: Path, twin: str) -> None:
    found = verdict_of(tmp_path, 5, GREEDY, twin, *CLEAR)
    assert (found["verdict"], found["matches"], found["event"]) == ("same", 0, "")
    done = arena("sprt", GREEDY, RANDOM, twin, *CLEAR, cwd=tmp_path, code=5)
    assert sentence("report", "no-match-same-bot", candidate="greedy") in done.stdout
    assert not (tmp_path / "out").exists()


@pytest.mark.language
def test_bots_whose_modules_are_equal_are_the_same_bot_in_ticks(tmp_path: Path) -> None:
    from scripted_modules import scripted  # not above: it takes rows of bots/broken

    for version in ("1", "2"):
        (tmp_path / version).mkdir()
        (tmp_path / version / "bot.wasm").write_bytes(scripted(b""))
        (tmp_path / version / "bot.toml").write_text(
            f'name = "honest"\nversion = "{version}"\nmodule = "bot.wasm"\n'
        )
    assert (
        verdict_of(tmp_path, 5, "./1", "./2", "--clock", "ticks", "--out", "out")["verdict"]
        == "same"
    )
    assert not (tmp_path / "out").exists()


def test_a_mistake_beside_the_same_bot_ends_with_2(tmp_path: Path, twin: str) -> None:
    error = arena("sprt", GREEDY, twin, *CLEAR, "--network", "nobody", cwd=tmp_path, code=2).stderr
    assert sentence("settings", "network-no-bot-called-2") in error
    assert (
        sentence("entrants", "same-bot")
        in arena("sprt", RANDOM, GREEDY, twin, *CLEAR, cwd=tmp_path, code=2).stderr
    )


def test_a_candidate_that_forfeited_ends_with_6_and_nobody_can_accept_that(forfeited: Path) -> None:
    found = verdict_of(forfeited, 6, FORFEITS, RANDOM, *CLEAR, "--accept", ALL)
    assert (found["verdict"], found["decision"], found["forfeits"]) == (
        "forfeited",
        "H0",
        found["matches"],
    )
    said = arena("sprt", FORFEITS, RANDOM, *CLEAR, cwd=forfeited, code=6).stderr.splitlines()[-1]
    assert said.endswith(f": forfeits in {found['matches']} matches")


def test_missing_matches_end_with_1_though_the_candidate_forfeited(tmp_path: Path) -> None:
    words = ("sprt", FORFEITS, SLOWER, *UNCLEAR)
    running = started(*words, cwd=tmp_path)
    wait_for_matches(tmp_path / "out" / "arena.db", 1)
    kill(running, signal.SIGINT)
    running.communicate(timeout=60)
    assert running.returncode == 130
    arena("close", "out", "1", "--yes", cwd=tmp_path)
    found = verdict_of(tmp_path, 1, *words[1:], "--accept", ALL)
    assert (found["verdict"], found["decision"]) == ("unfinished", "")
    assert found["forfeits"] > 0


def test_accepted_verdicts_end_with_0(undecided: Path, tmp_path: Path, twin: str) -> None:
    assert (
        verdict_of(undecided, 0, RANDOM, NAIVE, *UNCLEAR, "--accept", "better, open")["verdict"]
        == "open"
    )
    assert (
        verdict_of(undecided, 4, RANDOM, NAIVE, *UNCLEAR, "--accept", "same")["verdict"] == "open"
    )
    done = arena("sprt", GREEDY, twin, *CLEAR, "--accept", "same", cwd=tmp_path)
    assert done.stderr.splitlines()[-1] == sentence("cli", "accepted", code=0, verdict="same")


@pytest.mark.parametrize("words", ["opne", "forfeited", "unfinished", "open,,same", "4", ","])
def test_unknown_verdicts_are_refused_with_the_list(words: str, tmp_path: Path) -> None:
    error = arena("sprt", GREEDY, RANDOM, *CLEAR, "--accept", words, cwd=tmp_path, code=2).stderr
    assert ALL in error
    assert ("(did you mean open?)" in error) == (words == "opne")
    assert not (tmp_path / "out").exists()


def test_python_has_the_word_of_a_test(forfeited: Path, tmp_path: Path) -> None:
    test = khiva_arena.sprt(
        *(FORFEITS, RANDOM),
        isolation="trusted",
        seed="x",
        rules={"max_turns": 4},
        elo1=200,
        alpha=0.2,
        beta=0.2,
        out=forfeited / "out",
    )
    assert test.result().verdict == "forfeited"
    shutil.copytree(GREEDY, tmp_path / "twin")
    with pytest.raises(ConfigError, match=sentence("entrants", "same-bot")):
        khiva_arena.sprt(GREEDY, tmp_path / "twin", isolation="trusted", out=tmp_path / "out")


# --- --fail-on-fault ---

RUN = (*PLAY, "--seats", "2", "--seeds", "1", "--out", "out")


def test_a_run_fails_on_a_forfeit_if_asked(tmp_path: Path) -> None:
    words = ("run", *bots(FORFEITS, GREEDY), *RUN)
    arena(*words, cwd=tmp_path)
    said = arena(*words, "--fail-on-fault", cwd=tmp_path, code=6).stderr.splitlines()[-1]
    assert said.endswith(": forfeits in 2 matches"), "it counts recorded matches, too"


def test_a_strike_fails_no_run_and_no_match(tmp_path: Path) -> None:
    arena("run", *bots(STRIKES, GREEDY), *RUN, "--fail-on-fault", cwd=tmp_path)
    arena("match", *bots(STRIKES, GREEDY), *PLAY, "--fail-on-fault", cwd=tmp_path)


def test_a_run_that_was_closed_ends_with_1_before_it_fails_on_a_forfeit(tmp_path: Path) -> None:
    words = (
        "run",
        *bots(FORFEITS, SLOWER),
        *RUN[:-4],
        "--seeds",
        "20000",
        "--out",
        "out",
        "--fail-on-fault",
    )
    running = started(*words, cwd=tmp_path)
    wait_for_matches(tmp_path / "out" / "arena.db", 1)
    kill(running, signal.SIGINT)
    running.communicate(timeout=60)
    arena("close", "out", "1", "--yes", cwd=tmp_path)
    arena(*words, cwd=tmp_path, code=1)


def test_a_match_fails_on_a_forfeit_if_asked(tmp_path: Path) -> None:
    words = ("match", *bots(GREEDY, FORFEITS), *PLAY)
    arena(*words, cwd=tmp_path)
    assert (
        arena(*words, "--fail-on-fault", cwd=tmp_path, code=6)
        .stderr.splitlines()[-1]
        .endswith(": forfeits#1")
    )


def test_a_stored_match_that_is_played_again_fails_on_a_forfeit_too(tmp_path: Path) -> None:
    arena("run", *bots(FORFEITS, GREEDY), *RUN, cwd=tmp_path)
    again = ("match", "--from", "out", "1/0", "--fail-on-fault")
    arena(*again, cwd=tmp_path, code=6)
    arena(*again, *bots(NAIVE, FORFEITS), cwd=tmp_path, code=1)
    other = ("--step", "1", "--seat", "0", "--try", "0")  # where both seats choose
    arena(*again, *other, cwd=tmp_path, code=6)
    arena(*again, *other, *bots(NAIVE, GREEDY), cwd=tmp_path)
