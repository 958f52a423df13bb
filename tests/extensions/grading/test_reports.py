"""Results.json and JUnit XML: their fields, and words of strangers that try to be more
than words.
"""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from ladders import ladder

from khiva_arena.common.result import Result
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.grading import reports
from khiva_arena.extensions.grading.interval import SAME_BOT, RungScore
from khiva_arena.extensions.grading.ladder import Ladder, read_ladder
from khiva_arena.extensions.grading.marks import graded, mark_of, not_played
from khiva_arena.extensions.grading.safe_places import Written

HOSTILE = "\x1b[2J]]><!-- </failure>&lt;\x00\ud800\ufffe\u202e\r\n\"'<script>"
PASSED, FAILED = RungScore(0.7, 147.0, 0.1, 300.0), RungScore(0.5, 1.0, 0.0, 9.0)


@pytest.fixture
def course(tmp_path: Path) -> Ladder:
    return read_ladder(ladder(tmp_path / "course"))


def match(*faults: tuple[str, int], verdict: str = "ok") -> Result:
    return Result(
        bots=(1, 0), ranks=(1, 2), ordinal=5, verdicts=("ok", verdict), faults=((), faults)
    )


def test_points_are_given_if_the_lower_end_is_above_the_threshold(course: Ladder) -> None:
    rung = course.rungs[0]
    for score, points in (
        (PASSED, 10),
        (FAILED, 0),
        (SAME_BOT, 0),
        (RungScore(1, 900, None, None), 0),
    ):
        assert mark_of(rung, score, [match()]).points == points
        assert mark_of(rung._replace(threshold=0.1), score, [match()]).points == 0
    assert mark_of(rung._replace(threshold=-1), SAME_BOT, ()).points == 10


def test_a_results_file_has_the_fields_of_gradescope(course: Ladder) -> None:
    marks = graded(
        course,
        "ann",
        [mark_of(course.rungs[0], PASSED, [match()]), mark_of(course.rungs[1], FAILED, [match()])],
    )
    text = reports.gradescope(marks)
    assert text.startswith(reports.BEGINS_RESULTS)
    report = json.loads(text)
    assert (report["score"], report["stdout_visibility"], report["visibility"]) == (
        10,
        "hidden",
        "visible",
    )
    assert report["extra_data"] == {"ladder": course.digest, "seeds": 3}
    named = [
        (one["name"], one["score"], one["max_score"], one["visibility"]) for one in report["tests"]
    ]
    assert named == [("first", 10, 10, "visible"), ("lots", 0, 20, "visible")]
    assert [one["output"].split(":")[0] for one in report["tests"]] == ["Passed", "Not passed"]
    assert sum(one["score"] for one in report["tests"]) == report["score"]


def test_faults_are_told_with_their_step(course: Ladder) -> None:
    mark = mark_of(
        course.rungs[0],
        FAILED,
        [match(("timeout", 3)), match(("illegal", 4), ("crashed", 12), verdict="crashed")],
    )
    assert mark.forfeits == 1
    assert "3 faults" in mark.text
    assert "crashed at step 12 of match 5" in mark.text


def test_junit_has_a_test_case_a_rung(course: Ladder) -> None:
    marks = graded(
        course,
        "ann",
        [mark_of(course.rungs[0], PASSED, [match()]), mark_of(course.rungs[1], FAILED, [match()])],
    )
    text = reports.junit(marks)
    assert text.startswith(reports.BEGINS_JUNIT)
    (suite,) = root = ElementTree.fromstring(text)
    assert (root.get("tests"), root.get("failures")) == ("2", "1")
    assert [case.get("name") for case in suite] == ["first", "lots"]
    assert [[part.tag for part in case] for case in suite] == [["system-out"], ["failure"]]


def test_words_of_a_bot_are_no_more_than_words(course: Ladder) -> None:
    marks = not_played(course, HOSTILE, HOSTILE)
    report = json.loads(reports.gradescope(marks))
    (suite,) = root = ElementTree.fromstring(reports.junit(marks))
    assert {part.tag for part in root.iter()} == {"testsuites", "testsuite", "testcase", "failure"}
    shown = [report["output"], *(part.text for part in suite.iter("failure"))]
    for text in shown:
        assert text.replace("\n", "").isprintable()
        assert "</failure>&lt;" in text  # as it was written, so read by a parser
    assert (report["score"], {one["score"] for one in report["tests"]}) == (0, {0})


def test_a_very_long_problem_is_cut(course: Ladder) -> None:
    assert len(reports.gradescope(not_played(course, "", "x" * 1_000_000))) < 30_000


def test_no_other_file_is_overwritten(course: Ladder, tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    for before, kept in ((b"{}", True), (reports.BEGINS_RESULTS + b": 1}", False)):
        file.write_bytes(before)
        written = [Written("--results", file, reports.BEGINS_RESULTS)]
        if kept:
            with pytest.raises(ConfigError, match=r"^--results "):
                reports.write(written, [b"new"])
        else:
            reports.write(written, [b"new"])
        assert (file.read_bytes() == before) == kept
    assert sorted(path.name for path in tmp_path.iterdir()) == ["course", "results.json"]
