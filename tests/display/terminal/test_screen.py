"""What the live screen shows, without a terminal: states, rates, ratings and frames as
pure functions.
"""

import io
import os
import subprocess
import sys
from dataclasses import replace
from math import sqrt
from pathlib import Path
from random import Random
from statistics import mean, stdev
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_results import rated
from rich.cells import cell_len
from rich.console import Console
from sample_stream import (
    ALL,
    LINE_UPS,
    NAMES,
    SEATS,
    SEEDS,
    begin,
    fault,
    matches,
    replace_line,
    round_,
)
from wording import sentence

from khiva_arena.common import stream
from khiva_arena.common.text import harmless
from khiva_arena.display.terminal.ratings_so_far import MatchesSoFar
from khiva_arena.display.terminal.screen import ScreenData, draw_rows, frame
from khiva_arena.display.terminal.screen_process import cpu_seconds_of
from khiva_arena.display.terminal.state import FAULTS_KEPT, RunState, heading, rate, state_after
from khiva_arena.display.terminal.stream_messages import RunLines, text_of
from khiva_arena.display.terminal.viewer import Source, Viewer
from khiva_arena.rating.ratings import swiss_factors
from khiva_arena.rating.ratings.elo import rate as elo_of
from khiva_arena.rating.ratings.looks import planned, unplanned
from khiva_arena.rating.ratings.student import stdtrit
from khiva_arena.rating.ratings.widening import Widening


def state_of(*lines: stream.Any_line) -> RunState:
    state = RunState()
    for line in lines:
        state = state_after(state, line)
    return state


def rows_of(data: ScreenData, width: int = 80, height: int = 24, now: float = 30.0) -> list[str]:
    console = Console(
        file=io.StringIO(), width=width, height=height, markup=False, emoji=False, highlight=False
    )
    return [line.rstrip() for line in draw_rows(console, frame(data, width, height, now))]


def data_of(count: int, *more: stream.Any_line, rated: bool = True, **values: Any) -> ScreenData:
    """After so many matches."""
    began = begin(**values)
    so_far, played = MatchesSoFar(began), list(matches())[:count]
    so_far.add_round(round_())
    for match in played:
        so_far.add(match)
    ratings = so_far.ratings(20.0, fitted=rated)
    return ScreenData(state_of(began, round_(), *played, *more), ratings, so_far.seeds)


# --- the state ---


def test_counts_are_of_the_event_and_the_rate_is_of_this_run() -> None:
    played = list(matches())
    state = state_of(
        begin(before=2),
        replace_line(played[0], before=True, t=0.0),
        replace_line(played[1], before=True, t=0.0),
        fault(before=True),
        *played[2:10],
        fault(),
        fault(detail="another"),
        stream.Paused(t=3.0, match=2, bot=0, seat=0, times=3, before=False),
        stream.VoidRecorded(t=3.0, match=99, attempt=1, bots=[0, 1, 2], why="late", before=False),
        stream.SetAside(t=3.0, seed=1, lineup=0),
    )
    assert (
        state.recorded,
        state.played,
        state.faults,
        state.pauses,
        state.voids,
        state.set_aside,
    ) == (10, 8, 3, 3, 1, 1)
    assert [(line.detail, times) for line, times in state.last_faults] == [("another", 2)]
    assert state_after(state, begin()) == RunState(began=begin())


def test_a_state_does_not_grow_with_the_run() -> None:
    state = state_of(begin(matches=10**6))
    for match in matches():
        for second in range(5):
            state = state_after(
                state_after(state, replace_line(match, t=match.t + second)),
                fault(verdict=f"{second} of {match.ordinal}"),
            )
    assert len(state.last_faults) == FAULTS_KEPT
    assert len(state.recent) <= 31


def test_the_rate_is_that_of_the_last_half_minute() -> None:
    played = list(matches(per_second=4.0))
    state = state_of(begin(), *played[:160])
    speed = rate(state, 40.2)
    assert speed.rate == pytest.approx(4.0, rel=0.05)
    assert speed.left == pytest.approx((ALL - 160) / 4.0, rel=0.05)
    assert speed.error is not None
    assert speed.error < 0.1
    slowed = rate(state, 55.2)
    assert slowed.rate == pytest.approx(2.0, rel=0.05)
    assert slowed.error is not None
    assert slowed.error > 0.2


def test_what_cannot_be_told_yet_is_not() -> None:
    played = list(matches(per_second=4.0))
    assert rate(state_of(begin()), 10.0) == rate(state_of(begin(), *played[:4]), 10.0)
    assert rate(state_of(begin(), *played[:4]), 10.0).rate is None
    assert rate(state_of(begin(), *played[:19]), 4.9).rate is None
    assert rate(RunState(), 100.0).rate is None
    slow = [replace_line(match, t=30.0 * n) for n, match in enumerate(played[:8])]
    assert rate(state_of(begin(), *slow), 240.0).rate == pytest.approx(8 / 240)


def test_nobody_knows_when_a_sequential_test_ends() -> None:
    state = state_of(begin(format="sprt"), *list(matches())[:160])
    assert rate(state, 40.0).rate is not None
    assert rate(state, 40.0).left is None


@given(st.lists(st.integers(0, 20), min_size=30, max_size=30))
def test_the_error_of_a_rate_is_that_of_a_mean_of_seconds(counts: list[int]) -> None:
    one = next(matches())
    state = state_of(
        begin(),
        *(
            replace_line(one, t=second + 0.5)
            for second, count in enumerate(counts)
            for _ in range(count)
        ),
    )
    found = rate(state, 30.0)
    if sum(counts) < 5:
        assert found.error is None
    else:
        assert found.rate == pytest.approx(mean(counts))
        assert found.error == pytest.approx(1.96 * stdev(counts) / sqrt(30) / mean(counts))


# --- ratings so far ---


def test_a_bot_that_is_marked_is_marked_on_the_screen_and_in_words() -> None:
    marks = [[], ["network"], [], ["remote", "kept"], [], []]
    rows = rows_of(data_of(97, marks=marks))
    of_bots = {
        row.split()[1]: row.split()[6:]
        for row in rows
        if row.split()[:1] in ([str(n)] for n in range(1, 7))
    }
    assert of_bots == dict(zip(NAMES, marks, strict=True))
    assert rows_of(data_of(97)) == [
        row.removesuffix("  network").removesuffix("  remote  kept") for row in rows
    ]
    assert text_of(begin(marks=marks), NAMES) == "marked  greedy=network  random-js=remote,kept"
    assert text_of(begin(), NAMES) == ""


def test_marks_of_a_stream_fit_its_bots() -> None:
    """One of an older version has none; one that has too many is no stream."""
    line = stream.encoded(begin())
    assert b'"marks":[]' in line
    (older,) = stream.StreamReader().feed(line.replace(b',"marks":[]', b""))
    assert isinstance(older, stream.Begin)
    assert older.marked() == {}
    with pytest.raises(stream.NotAStream):
        list(stream.StreamReader().feed(stream.encoded(begin(marks=[["network"]]))))


def test_ratings_are_those_of_a_fit_over_complete_tables() -> None:
    played = list(matches())[:97]  # the last table has one of three matches
    data = data_of(97)
    whole = [rated(m.seed, tuple(m.bots), tuple(m.ranks), _unstarted(m)) for m in played[:96]]
    expected = elo_of(whole, len(NAMES), 5, widening=Widening(looks=unplanned(SEEDS)))
    assert data.ratings is not None
    assert data.ratings.tables == 32
    assert [row.elo for row in data.ratings.rows] == sorted(
        (elo for elo in expected.elo if elo is not None), reverse=True
    )
    for row in data.ratings.rows:
        assert (row.elo, row.error, row.score) == (
            expected.elo[row.bot],
            expected.error[row.bot],
            expected.score[row.bot],
        )
        assert row.matches == sum(row.bot in match.bots for match in played), "the last match too"


def _unstarted(match: stream.MatchRecorded) -> tuple[int, ...]:
    return tuple(seat for seat, verdict in enumerate(match.verdicts) if verdict == "start_failed")


def test_the_score_before_a_fit_is_that_of_the_fit() -> None:
    quick = data_of(ALL, rated=False).ratings
    scores = elo_of(
        [rated(m.seed, tuple(m.bots), tuple(m.ranks), _unstarted(m)) for m in matches()],
        len(NAMES),
        5,
    ).score
    assert quick is not None
    for row in quick.rows:
        assert row.score == pytest.approx(scores[row.bot])
        assert (row.elo, row.error) == (None, None)
    assert [row.score for row in quick.rows] == sorted(
        (row.score or 0 for row in quick.rows), reverse=True
    )


def test_the_order_in_which_matches_come_does_not_matter() -> None:
    played = list(matches())
    Random(5).shuffle(played)
    so_far = MatchesSoFar(begin())
    so_far.add_round(round_())
    for match in played:
        so_far.add(match)
    assert so_far.seeds == SEEDS
    assert so_far.tables == SEEDS * len(LINE_UPS)
    found, expected = so_far.ratings(1.0, fitted=True).rows, data_of(ALL).ratings
    assert expected is not None
    assert [row.bot for row in found] == [row.bot for row in expected.rows]
    assert [row.elo for row in found] == pytest.approx([row.elo for row in expected.rows])


def test_errors_hold_at_any_look_until_the_last_match_and_at_those_that_were_planned() -> None:
    """As in the standings of an event that may be stopped, since somebody looks at the
    screen and stops it.
    """

    def errors(count: int, **values: Any) -> list[float]:
        so_far = data_of(count, **values).ratings
        assert so_far is not None
        said = rows_of(data_of(count, **values))[-1]
        assert (" at any look, " in said) == so_far.looked
        return [row.error for row in so_far.rows if row.error]

    plain = errors(ALL)
    as_planned = Widening(looks=planned(2, 2 * SEEDS))
    short = elo_of(
        [rated(m.seed, tuple(m.bots), tuple(m.ranks), _unstarted(m)) for m in list(matches())[:-3]],
        len(NAMES),
        5,
    )
    mixture = Widening(looks=unplanned(SEEDS)).factor(SEEDS)
    assert mixture > 1.5
    assert sorted(errors(ALL - 3)) == pytest.approx(
        sorted(mixture * one for one in short.error if one)
    )
    assert sorted(errors(ALL - 3, format="sprt")) == pytest.approx(
        sorted(one for one in short.error if one)
    )
    assert errors(ALL, looks=2) == pytest.approx(
        [float(as_planned.factor(SEEDS)) * one for one in plain]
    )
    assert errors(ALL, looks=2**40) == pytest.approx(
        [float(mixture) * one for one in plain]
    )  # a stream may hold anything


def test_errors_of_a_swiss_are_as_wide_as_equal_bots_need_from_the_second_round_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shapes = []
    monkeypatch.setattr(
        swiss_factors, "by_shape", lambda *shape: shapes.append(shape) or (6.0, 9.0)
    )

    def errors(form: str, rounds: int) -> list[float]:
        so_far = MatchesSoFar(begin(format=form, rounds=rounds))
        for number in range(rounds):
            so_far.add_round(round_(number=number))
        for match in matches():
            so_far.add(match)
        return [row.error for row in so_far.ratings(1.0, fitted=True).rows if row.error]

    plain = errors("round-robin", 1)
    assert errors("swiss", 1) == errors("knockout", 4) == plain
    assert not shapes
    wide = errors("swiss", 4)
    assert shapes == [(len(NAMES), SEATS, 4, SEEDS // 4)]
    assert [one / other for one, other in zip(wide, plain, strict=True)] == pytest.approx(
        [6 / stdtrit(SEEDS - 1, 0.975)] * len(wide)
    )


def test_without_a_match_of_the_anchor_there_is_no_elo() -> None:
    so_far = MatchesSoFar(begin(anchor=5))
    for match in matches():
        if 5 not in match.bots:
            so_far.add(match)
    assert {(row.elo, row.error, row.bound) for row in so_far.ratings(1.0, fitted=True).rows} == {
        (None, None, "")
    }


def test_a_seed_is_over_with_all_its_tables() -> None:
    so_far = MatchesSoFar(begin())
    so_far.add_round(round_())
    seen = []
    for match in matches():
        so_far.add(match)
        seen.append(so_far.seeds)
    per_seed = ALL // SEEDS
    assert seen[per_seed - 2 : per_seed] == [0, 1]
    assert seen[-1] == SEEDS


# --- what is said ---


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (
            fault(),
            (
                "fault  match=7  bot=greedy  seat=0  verdict=timeout  step=2  detail=no answer "
                "within 1000 ms"
            ),
        ),
        (fault(before=True), ""),
        (
            stream.Paused(t=3.0, match=2, bot=0, seat=1, times=3, before=False),
            (
                "paused  match=2  bot=search  seat=1  times=3  why=it kept a seat that was "
                "asked, or the arbiter, from a core"
            ),
        ),
        (
            stream.VoidRecorded(
                t=3.0, match=9, attempt=1, bots=[0, 1, 2], why="late", before=False
            ),
            "warning: void  match=9  attempt=1  why=late",
        ),
        (stream.SetAside(t=3.0, seed=1, lineup=2), "warning: set aside  seed=1  line-up=2"),
        (
            stream.Llr(t=3.0, llr=3.0, low=-2.94, high=2.94, seeds=9, decision="H1"),
            "LLR 3.00 (-2.94 to 2.94) after 9 seeds: H1",
        ),
        (stream.Llr(t=3.0, llr=1.0, low=-2.94, high=2.94, seeds=8, decision=""), ""),
        (stream.Note(t=3.0, text="a word", warning=True), "warning: a word"),
        (
            stream.RunEnded(t=3.0, how="complete", fixed=4, seconds=3.0, digest=None),
            sentence("terminal", "run-ended-matches-recorded", how="complete", fixed="4"),
        ),
        (round_(), ""),
    ],
)
def test_a_line_as_text(line: stream.Any_line, text: str) -> None:
    assert text_of(line, NAMES) == text


def test_a_match_is_named_as_show_takes_it() -> None:
    known = begin(in_store=3)
    assert text_of(fault(), NAMES, 3).startswith("fault  3/7  bot=greedy  seat=0  ")
    void = stream.VoidRecorded(t=3.0, match=9, attempt=1, bots=[0, 1, 2], why="late", before=False)
    assert text_of(void, NAMES, 3) == "warning: void  3/9  attempt=1  why=late"
    assert any(
        "3/7  greedy" in row
        for row in rows_of(ScreenData(state_of(known, fault()), None, 0, 0), now=4.0)
    )


def test_many_faults_of_one_bot_are_a_line_with_a_count() -> None:
    lines = RunLines()
    said = lines.of(begin(in_store=1))
    for match in range(25):
        said += lines.of(fault(match=match))
    said += lines.of(fault(bot=4, verdict="crashed", detail="code 1"))
    said += lines.of(stream.RunEnded(t=9.0, how="complete", fixed=4, seconds=3.0, digest=None))
    assert said == [
        "fault  1/0  bot=greedy  seat=0  verdict=timeout  step=2  detail=no answer within 1000 ms",
        "fault  bot=greedy  verdict=timeout  times=10  last=1/9",
        f"fault  1/7  bot={NAMES[4]}  seat=0  verdict=crashed  step=2  detail=code 1",
        "fault  bot=greedy  verdict=timeout  times=25  last=1/24",
        sentence("terminal", "run-ended-matches-recorded", how="complete", fixed="4"),
    ]
    state = state_of(begin(in_store=1), *(fault(match=match) for match in range(25)), fault(bot=4))
    rows = [row for row in rows_of(ScreenData(state, None, 0, 0), now=4.0) if "timeout" in row]
    assert [row.split()[:2] for row in rows] == [["1/24", "greedy"], ["1/7", NAMES[4]]]
    assert "25 times" in rows[0]
    assert "times" not in rows[1]


# --- what is drawn ---


def test_a_frame_at_80_by_24() -> None:
    lines = rows_of(
        data_of(160, fault(), fault(bot=4, detail="exit status 1", verdict="crashed")), now=40.5
    )
    assert lines[0] == "round-robin, khiva at 3 seats"
    assert lines[1].endswith("  160/240 matches 66 %")
    assert lines[2].startswith("4.0 matches/s   left 0:20 +/- 0:0")
    assert lines[2].endswith("   seeds 2/4")
    assert lines[3] == "faults 2   voids 0   pauses 0"
    assert lines[4].split() == ["bot", "elo", "+/-", "score%", "matches"]
    assert lines[5].split()[:2] == ["1", "search"]
    assert lines[10].split()[:4] == ["6", "random", "0.0", "n/a"]
    assert lines[11] == "Elo after 53 whole tables, 0:20 ago; +/- is 95 % at any look, from random"
    assert lines[12] == "match 7  greedy  timeout  no answer within 1000 ms"
    assert lines[13] == "match 7  随机机器人  crashed  exit status 1"
    assert len({cell_len(line) for line in lines[4:11]}) == 1  # the columns stand below each other


def test_what_is_not_known_says_so() -> None:
    lines = rows_of(data_of(2, rated=False), now=1.0)
    assert lines[2] == "n/a matches/s   left n/a   seeds 0/4"
    assert lines[5].split() == ["1", "search", "n/a", "n/a", "n/a", "2"]
    assert lines[11] == "after 0 whole tables; Elo is not fitted yet"
    assert rows_of(ScreenData(RunState())) == [sentence("terminal", "waiting-first-match")]


def test_a_sequential_test_between_its_bounds() -> None:
    llr = stream.Llr(t=3.0, llr=0.0, low=-2.94, high=2.94, seeds=40, decision="")
    data = data_of(100, llr, format="sprt")
    lines = rows_of(data)
    assert lines[1].endswith("  100 of at most 240 matches")
    row = next(line for line in lines if line.startswith("[-2.94 "))
    assert row.endswith(" 2.94]  LLR 0.00 after 40 seeds")
    dashes = row.removeprefix("[-2.94 ").partition(" ")[0]
    assert set(dashes) == {"-", "|"}
    assert abs(dashes.index("|") - len(dashes) / 2) <= 1
    for beyond in (-50.0, 50.0):
        line = stream.Llr(t=3.0, llr=beyond, low=-2.94, high=2.94, seeds=40, decision="H1")
        after = replace(data, state=state_after(data.state, line))
        assert any(f"LLR {beyond:.2f} after 40 seeds: H1" in row for row in rows_of(after))


def test_a_comparison_shows_its_interval() -> None:
    line = stream.EloDifference(t=3.0, elo=60.2, low=-20.0, high=None, seeds=12, decision="")
    words = sentence(
        "terminal", "elo-after-seeds", elo="60", low="-20", high="none", seeds="12 seeds"
    )
    assert words in rows_of(data_of(24, line, format="sprt"))


def test_a_round_of_several_is_named() -> None:
    data = data_of(10, round_(number=1), rounds=3, stage="final")
    assert rows_of(data)[0] == "final: round-robin, khiva at 3 seats, round 2 of 3"


def test_the_heading_says_which_game_of_its_name() -> None:
    began = begin(game="openspiel", which=" with game=chess()", seats=2)
    assert heading(began) == "round-robin, openspiel with game=chess() at 2 seats"
    assert heading(begin(format="sprt", called="compare", game="g")) == "compare, g at 3 seats"
    assert (
        heading(begin(game="g", which=" with " + "x" * 999 + "\x1b"))
        == f"round-robin, g with {'x' * 54}... at 3 seats"
    )


@given(st.integers(1, 200), st.integers(1, 60), st.sampled_from([0, 1, 100, ALL]))
def test_a_frame_fits_any_terminal(width: int, height: int, count: int) -> None:
    more = [
        fault(detail="x" * 500),
        stream.Llr(t=1.0, llr=1.0, low=-3.0, high=3.0, seeds=3, decision=""),
    ]
    lines = rows_of(data_of(count, *more, rated=False), width, height)
    assert 1 <= len(lines) <= max(1, height - 1)
    assert all(cell_len(line) <= width for line in lines)
    assert not any("\n" in line or "\r" in line for line in lines)


HOSTILE = st.text(st.characters(codec="utf-8"), min_size=1, max_size=60)


@pytest.mark.slow
@given(HOSTILE, HOSTILE, st.integers(10, 100))
def test_nothing_that_bots_wrote_is_an_order_to_the_terminal(
    name: str, detail: str, width: int
) -> None:
    began = begin(bots=[name, *NAMES[1:]], stage=name, format=detail, game=detail)
    state = state_of(began, fault(bot=0, detail=detail, verdict=detail))
    so_far = MatchesSoFar(began)
    data = ScreenData(state, so_far.ratings(1.0, fitted=False))
    for line in rows_of(data, width):
        assert line.isprintable(), line
    assert harmless(text_of(fault(bot=0, detail=detail), state.bots)).isprintable()


@pytest.mark.parametrize(
    "evil",
    [
        "\x1b[2J",
        "\x9b2J",
        "\x1b]0;title\x07",
        "a\rb",
        "a\nb",
        "\u202eabc",
        "\u2066x",
        "\x7f",
        "[red]x[/red]",
    ],
)
def test_control_characters_are_seen_and_markup_is_text(evil: str) -> None:
    text = "\n".join(rows_of(data_of(30, fault(detail=evil))))
    assert harmless(evil) in text
    assert harmless(evil).isprintable()
    assert evil in text if evil.startswith("[") else evil not in text


# --- what it may cost ---


def lines_to(path: Path, *lines: stream.Any_line) -> None:
    with path.open("ab") as file:
        file.write(b"".join(map(stream.encoded, lines)))


def test_a_fit_comes_with_each_tenth_of_a_run_and_counts_with_each_match(tmp_path: Path) -> None:
    """Even if the run cannot bear the cost of any: ten fits are few."""
    path, played = tmp_path / "events", [replace_line(match, t=9.0) for match in matches()]
    lines_to(path, begin(), round_())
    fits: list[int] = []
    with path.open("rb") as file:
        viewer = Viewer(Source(file.fileno()), lambda: 0.0)
        for number, match in enumerate(played, 1):
            lines_to(path, match)
            viewer.take()
            before = viewer.ratings
            viewer.fit()
            fits += [number] if viewer.ratings is not before else []
            ratings = viewer.data().ratings
            assert ratings is not None
            assert sum(row.matches for row in ratings.rows) == 3 * number
            if number % 3 == 0:
                expected = data_of(number, rated=False).ratings
                assert expected is not None
                assert {row.bot: row.score for row in ratings.rows} == {
                    row.bot: row.score for row in expected.rows
                }
    assert len(fits) == 10
    assert all(fit - 10 * part * ALL // 100 < 3 for part, fit in enumerate(fits, 1)), (
        "with the first whole table after it"
    )


def test_a_fit_waits_until_the_run_bears_its_cost(tmp_path: Path) -> None:
    path = tmp_path / "events"
    lines_to(path, begin(), round_(), *list(matches())[: ALL // 10 - 1])
    for spent, is_fitted in ((0.0, False), (1e6, True)):
        with path.open("rb") as file:
            viewer = Viewer(Source(file.fileno()), lambda spent=spent: spent)
            viewer.take()
            viewer.fit()
            assert viewer.data().ratings is not None
            assert viewer.data().ratings.fitted is is_fitted
            assert (viewer.pace() > 0) is True
            viewer.fit(last=True)
            assert viewer.data().ratings.fitted


@pytest.mark.slow
def test_the_cpu_of_a_run_is_that_of_all_its_processes() -> None:
    before = cpu_seconds_of(os.getpid())
    burn = "import time\nwhile time.process_time() < 0.25: pass"
    subprocess.run([sys.executable, "-c", burn], check=True)
    assert cpu_seconds_of(os.getpid()) - before >= 0.225
    with subprocess.Popen(
        [sys.executable, "-c", burn + "\ninput()"], stdin=subprocess.PIPE
    ) as living:
        now = cpu_seconds_of(os.getpid())
        while (cpu_seconds_of(os.getpid()) - now) < 0.15 and living.poll() is None:
            pass
        assert living.poll() is None
    assert cpu_seconds_of(-1) == 0.0
