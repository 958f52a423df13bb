"""``khiva-arena sprt`` with real bots: it stops by itself, at the same seed at any -j
and after any kill, and verifies.
"""

import json
import re
import shutil
import signal
import sqlite3
from fractions import Fraction
from pathlib import Path

import pytest
from arena import RANDOM as PYTHON
from arena import C, arena, kill, started, wait_for_matches
from stores import GREEDY, NAIVE, RANDOM
from wording import sentence

pytestmark = pytest.mark.slow

FAST = ["--isolation", "trusted", "--seed", "x", "--rule", "max_turns=4"]
SHORT = [
    "--elo1",
    "200",
    "--alpha",
    "0.2",
    "--beta",
    "0.2",
]  # decides at the first seed that it may decide at
EITHER = ["--accept", "better,not-better"]


def digest(said: str) -> str:
    found = re.search(r"run digest (\w{64})", said)
    assert found, said
    return found[1]


def scores(store: Path) -> list[Fraction]:
    """By seed, the candidate's mean pair score, from the seats in the store alone; two
    seats.
    """
    connection = sqlite3.connect(store / "arena.db")
    try:
        found = connection.execute(
            "SELECT seed, sum(rank = 1 AND NOT tied), sum(tied), count(*) FROM (SELECT "
            "seed, bot, rank, "
            "count(*) OVER (PARTITION BY ordinal, rank) = 2 AS tied FROM matches JOIN "
            "seats USING (event, ordinal)) "
            "WHERE bot = 0 GROUP BY seed ORDER BY seed"
        ).fetchall()
    finally:
        connection.close()
    return [Fraction(2 * won + tied, 2 * count) for _, won, tied, count in found]


def test_it_stops_by_itself_and_tells_what_it_found(decided: Path) -> None:
    stdout = (decided / "stdout").read_text()
    assert "at most 10000 seeds x 1 line-up x 2 rotations" in (decided / "stderr").read_text()
    said = r"naive is (better|less than 200 Elo above them)$"
    assert re.search(rf"^H[01] accepted after \d+ seeds, \d+ matches: {said}", stdout, re.MULTILINE)
    aims = sentence(
        "report", "aims-wrong-decisions-candidate", value="20", value_2="20", elo0="0", elo1="200"
    )
    assert aims in stdout.replace("\n ", "")
    assert "LLR " in stdout
    assert "table scores:" in stdout
    found = json.loads(
        arena(
            "sprt", NAIVE, C, *FAST, *SHORT, *EITHER, "--out", "out", "--json", cwd=decided
        ).stdout
    )
    seen = scores(decided / "out")
    assert found["seeds"] == len(seen) >= found["fewest"] == 32
    assert found["histogram"] == [[round(float(v), 6), seen.count(v)] for v in sorted(set(seen))]
    assert found["score"]["value"] == pytest.approx(float(100 * sum(seen) / len(seen)), abs=1e-3)
    low, high = found["bounds"]
    assert not low < found["llr"] < high
    assert found["decision"] == ("H1" if found["llr"] > 0 else "H0")
    matches = found["matches"]
    assert f"{matches} of {matches} matches are sound" in arena("verify", "out", cwd=decided).stdout
    assert "rank  bot" in arena("standings", "out", cwd=decided).stdout


@pytest.mark.soak
def test_it_stops_at_the_same_seed_at_any_jobs_and_after_kills(tmp_path: Path) -> None:
    words = [
        "sprt",
        C,
        PYTHON,
        *FAST,
        *SHORT,
        *EITHER,
    ]  # one that starts slowly, so that kills come in time
    whole = arena(*words, "-j", "1", "--out", "one", cwd=tmp_path)
    for after, number in ((9, signal.SIGKILL), (31, signal.SIGINT)):
        running = started(*words, "-j", "3", "--out", "out", cwd=tmp_path)
        wait_for_matches(tmp_path / "out" / "arena.db", after)
        kill(running, number)
        printed, _ = running.communicate(timeout=30)
    assert running.returncode == 130
    assert "LLR " in str(printed), "the test as far as it is played"
    resumed = arena(*words, "-j", "3", "--out", "out", cwd=tmp_path)
    assert digest(resumed.stderr) == digest(whole.stderr)
    assert resumed.stdout == whole.stdout
    assert scores(tmp_path / "out") == scores(tmp_path / "one")


@pytest.mark.soak
def test_more_seats_and_more_opponents(tmp_path: Path) -> None:
    rates = ["--elo0", "-200", "--elo1", "300", "--alpha", "0.3", "--beta", "0.3"]
    words = ["sprt", NAIVE, RANDOM, GREEDY, "--seats", "4", *FAST, *rates]
    found = json.loads(arena(*words, "--out", "out", "--json", cwd=tmp_path, code=None).stdout)
    assert (found["candidate"], found["opponents"], found["seats"]) == (
        "naive",
        ["random", "greedy"],
        4,
    )
    assert found["seeds"] >= 32
    connection = sqlite3.connect(tmp_path / "out" / "arena.db")
    tables = {
        sits
        for (sits,) in connection.execute("SELECT group_concat(bot) FROM seats GROUP BY ordinal")
    }
    connection.close()
    assert {sits.count("0") for sits in tables} == {1}, "the candidate sits once at each table"
    assert {tuple(sorted(sits.split(","))) for sits in tables} == {
        ("0", "1", "1", "2"),
        ("0", "1", "2", "2"),
    }


def test_a_test_without_a_decision_says_so_and_is_sound(tmp_path: Path) -> None:
    words = [
        "sprt",
        RANDOM,
        C,
        *FAST,
        "--elo1",
        "2",
        "--alpha",
        "0.001",
        "--beta",
        "0.001",
        "--seeds",
        "32",
    ]
    done = arena(*words, "--out", "out", cwd=tmp_path, code=4)
    assert (
        sentence("report", "no-decision-after-seeds", after="32 seeds, 64 matches") in done.stdout
    )
    assert "64 of 64 matches are sound" in arena("verify", "out", cwd=tmp_path).stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([RANDOM], "is missing"),
        ([RANDOM, NAIVE, "--elo0", "5", "--elo1", "5"], sentence("ratings", "h-s-must-lower")),
        ([RANDOM, NAIVE, "--alpha", "0.7"], "alpha is 0.7"),
        (
            [RANDOM, NAIVE, "--seeds", "31"],
            "--" + sentence("playing", "seeds-no-test-decides", fewest_blocks="32", seeds="31"),
        ),
        ([RANDOM, NAIVE, "--bot", C], "No such option"),
        ([RANDOM, NAIVE, "--seats", "6"], "2 to 5 seats"),
        (
            [RANDOM, NAIVE, "--network", "nobody"],
            sentence("settings", "network-no-bot-called-2") + " 'nobody'",
        ),
        ([RANDOM, NAIVE, "--env", "random=NO_SUCH_KEY"], "NO_SUCH_KEY is not set"),
        ([RANDOM, "shipped:python/greedy_emira"], "emira"),
        ([RANDOM, NAIVE, "--normalized", "--elo1", "900"], "normalised Elo is at most"),
    ],
)
def test_what_makes_no_test(tmp_path: Path, words: list[str], said: str) -> None:
    assert said in arena("sprt", *words, cwd=tmp_path, code=2).stderr
    assert list(tmp_path.iterdir()) == []


def test_a_match_after_the_decision_is_noticed(decided: Path, tmp_path: Path) -> None:
    """A later decision than the results give, as a forger would have it who wants more
    seeds.
    """
    shutil.copytree(decided / "out", tmp_path / "out")
    connection = sqlite3.connect(tmp_path / "out" / "arena.db")
    connection.execute("UPDATE seats SET rank = 3 - rank WHERE bot IN (0, 1) AND ordinal < 40")
    connection.commit()
    connection.close()
    assert "; that are not: number 0-39" in arena("verify", "out", cwd=tmp_path, code=1).stdout
