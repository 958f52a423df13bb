"""``run --budget``: line-ups and seeds that fit into a time, from measured matches; and
the estimated time of every start.
"""

import re
import shutil
from math import sqrt
from pathlib import Path

import pytest
from arena import C, arena, bots
from once import made_once
from stores import GREEDY, NAIVE, RANDOM, TRUSTED
from terminal import Terminal
from wording import pattern, sentence

from khiva_arena.common.time_in_words import in_time
from khiva_arena.competition.events.durations import MatchTime, around_matches, mean_time, of_store
from khiva_arena.competition.run import budget_try
from khiva_arena.records.store.db import Store

HOW = ["--seats", "2", *TRUSTED, "--rule", "max_turns=6", "--out", "out", "-j", "2"]
RUN = ["run", *bots(C, NAIVE, RANDOM), *HOW]


@made_once
def played(folder: Path) -> None:
    """An event of six seeds in "out"."""
    arena(*RUN, "--seeds", "6", cwd=folder)


def seeds_and_line_ups(said: str) -> tuple[int, int]:
    found = re.search(
        r"^(\d+) seeds? x (\d+) line-ups? x 2 rotations = \d+ matches at ", said, re.MULTILINE
    )
    assert found, said
    return int(found[1]), int(found[2])


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.5, "0.5 s"),
        (42.4, "42 s"),
        (90, "1 min 30 s"),
        (150, "2 min 30 s"),
        (594.6, "9 min 55 s"),
        (900, "15 min"),
        (3600, "1 h"),
        (12_060, "3 h 21 min"),
        (190_800, "2 d 5 h"),
    ],
)
def test_durations_in_words(seconds: float, words: str) -> None:
    assert in_time(seconds) == words


def test_a_mean_has_the_error_of_a_mean() -> None:
    found = mean_time([1.0, 3.0], "two")
    assert found is not None
    assert (found.seconds, found.error) == (2.0, pytest.approx(2 * sqrt(2) / sqrt(2)))
    within = sentence("events", "load-machine-stays-within")
    assert found.of(60, 2) == f"about 1 min (0 s to 2 min 30 s {within})"
    assert (
        MatchTime(2.0, None, "one").of(60, 1) == f"about 2 min (1 min 30 s to 3 min 45 s {within})"
    )
    assert mean_time([], "none") is None


def ends(*seconds: float) -> list[str]:
    return [
        f"2026-11-22T{int(at) // 3600:02}:{int(at) // 60 % 60:02}:{int(at) % 60:02}+00:00"
        for at in seconds
    ]


@pytest.mark.parametrize("jobs", [1, 2, 4])
@pytest.mark.parametrize("gap", [0.0, 0.1, 0.3])
def test_what_is_between_matches_is_in_their_time(jobs: int, gap: float) -> None:
    """So many places, each taken by matches of two seconds and what is around them; for
    an hour in between nothing is played.
    """
    finished = [
        (2 + gap) * (1 + n // jobs) + 0.5 * (n % jobs) + (3600 if n > 100 else 0)
        for n in range(200)
    ]
    around = around_matches([2.0] * 200, ends(*finished))
    assert 1 + gap / 2 == pytest.approx(around, abs=0.03)


def test_of_few_seconds_what_is_between_matches_is_a_guess() -> None:
    assert around_matches([0.5, 0.5], ends(0, 1)) == 1.2 == around_matches([], [])


@pytest.mark.soak
def test_the_time_of_a_start_is_estimated_from_what_is_recorded(
    played: Path, tmp_path: Path
) -> None:
    run = [*RUN, "-j", "1"]
    first = arena(*run, "--seeds", "1", cwd=tmp_path)
    assert re.search("= 6 matches$", first.stderr, re.MULTILINE)
    assert "estimated" not in first.stderr
    second = arena(*run, "--seeds", "2", cwd=tmp_path)
    interval = (
        pattern("events", "about-load-machine", about=".*", low=".*", high=".*")
        + r" .*\), from 6 matches of event 1 in this store"
    )
    assert re.search(f"= 6 matches; estimated time: {interval}", second.stderr), second.stderr
    other = arena(*run, "--seeds", "1", "--turn", "3s", cwd=tmp_path)
    assert "estimated" not in other.stderr


@pytest.mark.slow
def test_what_fits_follows_from_how_long_matches_took(played: Path) -> None:
    with Store.read(played / "out") as store:
        (event,) = store.events()
        seconds = store.seconds(event.id)
        assert seconds == [match.seconds for match in store.matches(event.id)]
        assert store.ends(event.id) == [match.finished for match in store.matches(event.id)]
        took = of_store(store, event.definition)
        assert took is not None
        assert took.seconds == pytest.approx(
            sum(seconds) / len(seconds) * around_matches(seconds, store.ends(event.id))
        )
    done = arena(*RUN, "--budget", "1h", "--new-event", cwd=played, code=2)
    assert sentence("competition", "it-takes-about", time="1 h") in done.stderr
    assert (
        sentence(
            "competition",
            "budget-match-takes-s",
            seconds=f"{took.seconds:.3g}",
            source="36 matches of event 1 in this store",
        )
        in done.stderr
    )
    gone = float(re.findall(r"in this store; ([\d.]+) s are gone", done.stderr)[0])
    assert seeds_and_line_ups(done.stderr)[1] == 3
    assert seeds_and_line_ups(done.stderr)[0] == pytest.approx(
        (3600 - gone - 2) * 2 / took.high / 2 / 3, abs=2
    )
    assert re.search(
        r"errors to expect with 6 seeds of event 1 and these: \+/- \d+( to \d+)? Elo "
        r"against the anchor",
        done.stderr,
    )
    assert done.stderr.splitlines()[-1].endswith(
        "play this? " + sentence("terminal", "nobody-can-asked-here", flag="--yes")
    )
    with Store.read(played / "out") as store:
        assert len(store.events()) == 1
    little = arena(*RUN, "--budget", "1ms", "--new-event", cwd=played, code=2)
    assert "--budget: 0.001 s is too little: one seed of 3 line-ups takes about" in little.stderr


@pytest.fixture
def slow_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a try find that a match takes a second, so that few fit into a budget."""
    monkeypatch.setattr(
        budget_try, "mean_time", lambda seconds, *more: mean_time([1.0] * len(seconds), *more)
    )


@pytest.mark.slow
def test_a_short_budget_is_played_unasked_and_knows_the_time_from_a_store_beside_it(
    played: Path, tmp_path: Path
) -> None:
    shutil.copytree(played / "out", tmp_path / "results" / "before")
    said = arena(*RUN[:-4], "--out", "results/now", "--budget", "3s", cwd=tmp_path).stderr
    source = "36 matches of event 1 in results/before"
    assert re.search(
        pattern("competition", "budget-match-takes-s", seconds=r"[\d.]+", source=source), said
    )
    assert "a try" not in said
    seeds, line_ups = seeds_and_line_ups(said)
    with Store.read(tmp_path / "results" / "now") as store:
        (event,) = store.events()
        assert len(store.recorded(event.id)) == seeds * line_ups * 2


@pytest.mark.slow
@pytest.mark.usefixtures("slow_matches")
def test_a_budget_that_the_try_used_up_plays_one_seed_and_says_so(tmp_path: Path) -> None:
    said = arena(*RUN, "--budget", "10ms", cwd=tmp_path).stderr
    assert seeds_and_line_ups(said) == (1, 3)
    assert sentence("competition", "little-of-budget-left") in said
    with Store.read(tmp_path / "out") as store:
        (event,) = store.events()
        assert len(store.recorded(event.id)) == 6


@pytest.mark.soak
@pytest.mark.usefixtures("slow_matches")
def test_a_try_that_is_not_recorded_then_the_same_command_again(tmp_path: Path) -> None:
    words = [*RUN, "--budget", "25s", "--yes"]
    first = arena(*words, cwd=tmp_path)
    assert re.search(
        pattern(
            "competition", "budget-match-takes-s", seconds=r"[\d.]+", source=r"a try of \d+ matches"
        ),
        first.stderr,
    )
    assert sentence("competition", "errors-expect-about") + " " in first.stderr
    seeds, line_ups = seeds_and_line_ups(first.stderr)
    with Store.read(tmp_path / "out") as store:
        (event,) = store.events()
        assert event.definition.seeds == seeds
        assert len(store.recorded(event.id)) == seeds * line_ups * 2
    again = arena(*words, cwd=tmp_path)
    assert "event 1 is over" in again.stderr
    assert "a try" not in again.stderr


@pytest.mark.slow
def test_other_line_ups_are_of_an_event_of_their_own(played: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(played, tmp_path / "copy"))
    fewer = arena(*RUN, "--budget", "1h", "--lineups", "2", cwd=copy, code=2).stderr
    assert seeds_and_line_ups(fewer)[1] == 2
    kept = arena(*RUN, "--budget", "1h", cwd=copy).stderr
    assert (
        "the 6 seeds of event 1, which is over, stay; --seeds N instead of --budget "
        "extends it, with N above 6" in kept
    )


@pytest.mark.slow
def test_errors_are_those_of_the_table_that_the_seeds_will_be_in(played: Path) -> None:
    for other in (["--turn", "2s"], ["--bot", GREEDY]):
        said = arena(*RUN, *other, "--budget", "1h", cwd=played, code=2).stderr
        assert sentence("competition", "errors-expect-about") + " " in said
        assert "of event 1" not in said.partition("errors to expect")[2]


@pytest.mark.soak
@pytest.mark.usefixtures("slow_matches")
def test_a_warning_comes_once_and_who_is_left_out_stays_so(tmp_path: Path) -> None:
    (tmp_path / "silent").mkdir()
    (tmp_path / "silent/bot.toml").write_text(
        'name = "silent"\nrun = "{python} main.py"\nfiles = ["*.py"]\n'
    )
    (tmp_path / "silent/main.py").write_text("raise SystemExit(1)\n")
    said = arena(
        *RUN, "--bot", "silent", "--skip-broken", "--budget", "25s", "--yes", cwd=tmp_path
    ).stderr
    assert said.count("warning: isolation trusted") == 1
    assert said.count("silent is left out: ") == 1
    assert "warning: --skip-broken leaves out silent" in said


@pytest.mark.slow
def test_nothing_is_played_unless_the_user_agrees(played: Path) -> None:
    asked = Terminal([*RUN, "--budget", "1h", "--new-event"], played, stdout=True, columns=200)
    assert asked.until(lambda text: "[y/N]" in text)
    asked.type(b"n\n")
    assert asked.end() == 0
    assert "nothing was played" in asked.shown.text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--budget", "8x"], sentence("settings", "not-time-write-s", text="--budget: '8x'")),
        (["--budget", "9999d"], "longer than a year"),
        (["--budget", "1h", "--seeds", "3"], "leave --seeds out"),
        (["--budget", "1h", "--format", "swiss"], "give --seeds"),
        (
            ["--budget", "1h", "--bot", "remote:ann"],
            sentence("competition", "budget-plays-elsewhere-cannot", option="--budget"),
        ),
        (["--yes"], "--yes needs --budget"),
    ],
)
def test_what_does_not_go_together(words: list[str], said: str, tmp_path: Path) -> None:
    assert said in arena(*RUN, *words, cwd=tmp_path, code=2).stderr
    assert not (tmp_path / "out").exists()
