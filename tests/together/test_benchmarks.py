"""What benchmarks say of their figures. That they run is for ``python -m tests.tools
bench``.
"""

import random
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from arena import arena

import khiva_arena
from khiva_arena.extensions.shards.plan_file import read_plan

HERE = Path(__file__).parents[1] / "benchmarks"
sys.path.append(str(HERE))

from bench import ROOT, sampled  # noqa: E402 - found beside these tests
from large import BOTS, cost, made, planned  # noqa: E402 - found beside these tests
from spread import LEAST, Spread, spread, told  # noqa: E402 - found beside these tests
from stages import REST, STAGES, Line, stage_of, stages  # noqa: E402


def test_few_samples_say_nothing() -> None:
    with pytest.raises(ValueError, match="6 samples say nothing"):
        spread([1.0] * (LEAST - 1))


def test_the_interval_is_that_of_order_statistics() -> None:
    """By tables of the sign test: at most 2.5 % on either side."""
    assert spread(range(7)) == Spread(3, 0, 6, 7)
    assert spread(range(9)) == Spread(4, 1, 7, 9)
    assert spread(range(20)) == Spread(9.5, 5, 14, 20)
    assert spread(range(41)) == Spread(20, 13, 27, 41)


def test_the_interval_holds_the_median_as_often_as_it_says() -> None:
    """Of a skewed distribution, as times are; 2,000 times, so that 93 % would be four
    errors away from 95.
    """
    rng = random.Random(20261121)
    true = 0.6931471805599453  # of the exponential distribution
    for n in (7, 15, 30):
        found = [spread([rng.expovariate(1.0) for _ in range(n)]) for _ in range(2_000)]
        assert sum(one.low <= true <= one.high for one in found) / 2_000 > 0.945


@pytest.mark.parametrize(
    ("ratio", "lower", "says"),
    [
        (Spread(0.9, 0.85, 0.95, 9), True, "faster"),
        (Spread(0.9, 0.85, 0.95, 9), False, "slower"),
        (Spread(1.1, 1.05, 1.2, 9), True, "slower"),
        (Spread(1.1, 1.05, 1.2, 9), False, "faster"),
        (Spread(1.01, 0.98, 1.04, 9), True, "not told"),
        (Spread(1.0, 1.0, 1.0, 9), False, "not told"),
    ],
)
def test_what_a_ratio_says(ratio: Spread, lower: bool, says: str) -> None:
    assert told(ratio, lower_is_better=lower) == says


@pytest.mark.slow
def test_what_is_measured_is_the_version_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where ``python -m tests.tools bench`` runs, there is another version in the
    working folder.
    """
    shutil.copytree(
        ROOT / "khiva_arena", tmp_path / "khiva_arena", ignore=shutil.ignore_patterns("__pycache__")
    )
    (tmp_path / "khiva_arena" / "__main__.py").write_text("raise SystemExit(3)\n")
    monkeypatch.chdir(ROOT)
    assert sampled(ROOT, ("command", "--version"))[""] > 0
    with pytest.raises(SystemExit, match="returned non-zero exit status 3"):
        sampled(tmp_path, ("command", "--version"))


def test_each_stage_of_make_run_is_a_line_of_its_recipes() -> None:
    done = subprocess.run(
        ["make", "--dry-run", "--always-make", "run"],
        cwd=HERE.parent.parent,
        capture_output=True,
        text=True,
    )
    lines = done.stdout.replace("\\\n", " ").splitlines()
    found = Counter(map(stage_of, lines))
    assert {stage: found[stage] for stage in STAGES} == dict.fromkeys(STAGES, 1) | {"venv": 2}
    assert [stage for stage in dict.fromkeys(map(stage_of, lines)) if stage != REST] == [*STAGES]


def test_stages_are_summed_and_the_first_table_counts_from_the_beginning() -> None:
    first = ".venv/bin/khiva-arena run --shipped --trust-bots --seats 3 --seeds 9"
    lines = [
        Line(10, 11, "echo"),
        Line(11, 13, "python3 -m venv .venv"),
        Line(13, 14, "x -m venv y"),
        Line(14.5, 20, first),
    ]
    none = {"packages": 0.0, "second_event": 0.0, "report": 0.0}
    whole = {"first_table_after": 10.0, "all": 10.0}
    assert stages(lines) == {"venv": 3.0, "first_event": 5.5, REST: 1.0, **none, **whole}


@pytest.mark.parametrize(
    ("word", "says"),
    [
        (
            "stockfish=/bin/true",
            (
                "'stockfish=/bin/true' is not NAME=PROGRAM with one of c-chess-cli, fastchess, "
                "cutechess"
            ),
        ),
        ("fastchess", "fastchess: '' is no program"),
        ("fastchess=/bin", "fastchess: '/bin' is no program"),
    ],
)
def test_peers_that_are_not_there_are_refused(word: str, says: str) -> None:
    done = subprocess.run(
        [sys.executable, str(HERE / "peers.py"), word], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (1, f"bench-peers: {says}\n")


def test_the_knights_of_the_chess_engine_keep_the_rules_and_repeat_when_it_says() -> None:
    """Each moves as a knight to a square where nobody is, and gives no check. A
    position is there for the third time after 48.
    """
    source = (HERE / "uci.c").read_text()
    tables = [source.partition(f"{side}[] = ")[2].partition("}")[0] for side in ("white", "black")]
    white, black = (re.findall(r"[a-h][1-8][a-h][1-8]", table) for table in tables)
    at, kings = ["g1", "b8"], ["e8", "e1"]
    seen = Counter([(*at, 0)])
    for ply in range(48):
        assert max(seen.values()) < 3
        side = ply % 2
        walk = (white, black)[side]
        move = walk[ply // 2 % len(walk)]
        was, to = move[:2], move[2:]
        assert was == at[side]
        assert leap(was, to)
        assert to != at[1 - side]
        assert to[1] not in "1278" or to in ("g1", "b8")
        assert not leap(to, kings[side])
        at[side] = to
        seen[(*at, 1 - side)] += 1
    assert max(seen.values()) == 3


def leap(one: str, other: str) -> bool:
    """Whether a knight goes from one square to another."""
    return sorted(abs(ord(a) - ord(b)) for a, b in zip(one, other, strict=True)) == [1, 2]


@pytest.mark.soak
def test_the_matches_of_a_large_store_are_valid_and_its_event_goes_on(tmp_path: Path) -> None:
    """What is measured on them says something of real ones only if every check
    passes.
    """
    for number in range(BOTS):
        arena("new", "python", f"bots/bot-{number}", cwd=tmp_path)
    plan, store = planned(tmp_path, 30), tmp_path / "store"
    assert made(store, read_plan(plan).event, leave=3) == 27
    assert [(event.sound, event.missing) for event in khiva_arena.verify(store).events] == [(27, 3)]
    cost(["run", "--from-plan", str(plan), "--out", str(store)])
    result = khiva_arena.verify(store)
    assert result.sound
    assert [(event.sound, event.planned) for event in result.events] == [(30, 30)]
