"""``check --format``: what CI shows of a check, whatever a bot wrote."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from arena import C, arena
from hypothesis import given, settings
from hypothesis import strategies as st
from wording import sentence

from khiva_arena.competition.conformance.check_report import (
    CheckReport,
    CheckStep,
    Status,
    count_by_status,
)
from khiva_arena.competition.conformance.formats import junit, markdown

STEPS = [
    CheckStep(1, "start", "it starts", Status.OK),
    CheckStep(2, "time", sentence("check", "time-decisions"), Status.WARNING, said="slow"),
    CheckStep(
        3,
        "stdout",
        "nothing but frames",
        Status.FAILED,
        said="it wrote text",
        expected="a frame",
        got="hello",
        hint="use stderr",
    ),
    CheckStep(4, "exit", "it exits", Status.SKIPPED, said="step 3 failed"),
]


def report_of(steps: list[CheckStep], name: str = "mine") -> CheckReport:
    passed = not any(step.status is Status.FAILED for step in steps)
    return CheckReport(
        *(
            f"./{name}",
            name,
            "ab" * 32,
            "python",
            "standard",
            True,
            passed,
            count_by_status(steps),
            steps,
            3,
            {},
            [],
            [],
            0,
            1.5,
        ),
        *(1, "", []),
    )


def test_junit_has_a_case_for_each_step() -> None:
    suite = ElementTree.fromstring(junit(report_of(STEPS)))
    assert (
        suite.tag,
        suite.get("tests"),
        suite.get("failures"),
        suite.get("skipped"),
        suite.get("errors"),
    ) == (*("testsuite", "4", "1", "1", "0"),)
    cases = suite.findall("testcase")
    assert [case.get("name") for case in cases] == [step.title for step in STEPS]
    assert [[child.tag for child in case] for case in cases] == [
        [],
        ["system-out"],
        ["failure"],
        ["skipped"],
    ]
    failure = cases[2].find("failure")
    assert failure is not None
    assert failure.get("message") == "it wrote text"
    assert failure.text == "expected: a frame\ngot: hello\nhint: use stderr"


def test_markdown_says_what_failed_first_and_then_lists_all() -> None:
    lines = markdown(report_of(STEPS), "Begin with step 3.").splitlines()
    assert lines[0] == "### mine does not keep the protocol"
    assert "4 steps: 1 ok, 1 warning, 1 failed, 1 skipped. Begin with step 3." in lines[2]
    assert (
        lines.index("```") < lines.index("got: hello") < lines.index("| 4 | it exits | skipped |")
    )


@pytest.mark.soak
@settings(max_examples=40)
@given(st.text(), st.text())
def test_what_a_bot_wrote_becomes_no_markup(text: str, name: str) -> None:
    step = CheckStep(1, "stdout", "frames", Status.FAILED, said=text, got=text, stderr=text)
    report = report_of([step], name)
    suite = ElementTree.fromstring(junit(report))
    assert [child.tag for child in suite.iter()] == [
        "testsuite",
        "properties",
        *["property"] * 3,
        "testcase",
        "failure",
    ]
    lines = markdown(report, "").splitlines()
    fences = [number for number, line in enumerate(lines) if set(line) == {"`"}]
    assert len(fences) in (0, 2)  # none if nothing was written
    outside = lines[: fences[0]] + lines[fences[1] + 1 :] if fences else lines
    assert len(outside) == 10
    assert not any("<" in line or "@" in line for line in outside)


@pytest.mark.slow
def test_the_command_prints_them(tmp_path: Path) -> None:
    said = arena(
        "check",
        C,
        "--game",
        "khiva",
        "--quick",
        "--isolation",
        "trusted",
        "--format",
        "junit",
        cwd=tmp_path,
    ).stdout
    assert said.startswith("<?xml")
    assert ElementTree.fromstring(said).get("failures") == "0"
    said = arena("check", "no-such-bot", "--format", "markdown", cwd=tmp_path, code=2).stderr
    assert "no-such-bot" in said
    said = arena("check", C, "--format", "junit", "--json", cwd=tmp_path, code=2).stderr
    assert "--json and --format junit: give one of them" in said
