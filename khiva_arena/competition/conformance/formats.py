"""A check in forms that other programs show: JUnit XML for CI, Markdown for the summary
of a run.

The bot's own text is in it, so none of that may become markup: XML escapes it, in
Markdown it stands in fences of its own.
"""

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from khiva_arena.common.text import harmless
from khiva_arena.competition.conformance.check_report import (
    MARKS,
    CheckReport,
    CheckStep,
    Status,
    closing_text,
)

_MARKUP = re.compile(r"([\\`*_{}\[\]()<>#+\-!|~&@])")
_FENCE = re.compile(r"`{3,}")


def junit(report: CheckReport) -> str:
    """Format a check as one test suite with a test case a step. A warning is a case
    that passed, with the warning as its output.
    """
    counts = report.counts
    suite = ElementTree.Element(
        "testsuite",
        name=f"khiva-arena check {_plain(report.bot)}",
        tests=str(len(report.steps)),
        failures=str(counts[Status.FAILED]),
        errors="0",
        skipped=str(counts[Status.SKIPPED]),
        time=f"{report.seconds:.3f}",
    )
    facts = ElementTree.SubElement(suite, "properties")
    for name in ("identity", "language", "isolation"):
        ElementTree.SubElement(facts, "property", name=name, value=_plain(getattr(report, name)))
    for step in report.steps:
        case = ElementTree.SubElement(
            suite,
            "testcase",
            classname=f"khiva-arena.check.{_plain(report.name)}",
            name=_plain(step.title),
        )
        if step.status is Status.FAILED:
            failure = ElementTree.SubElement(
                case, "failure", message=_plain(step.said or step.expected)
            )
            failure.text = "\n".join(_details(step))
        elif step.status is Status.SKIPPED:
            ElementTree.SubElement(case, "skipped", message=_plain(step.said))
        elif step.status is Status.WARNING:
            ElementTree.SubElement(case, "system-out").text = "\n".join(
                ("warning: " + _plain(step.said), *_details(step))
            )
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True)


def markdown(report: CheckReport, next_step: str) -> str:
    """Format failures and warnings in full, then a table of all steps. ``next_step``:
    the next thing to do, a line.
    """
    result = "keeps the protocol" if report.passed else "does not keep the protocol"
    lines = [f"### {_escape(report.name)} {result}", ""]
    counts = closing_text(report, "").splitlines()[-1]
    lines += [
        f"{_escape(report.bot)} at isolation {report.isolation}: {counts}. {_escape(next_step)}",
        "",
    ]
    for step in report.steps:
        if step.status in (Status.FAILED, Status.WARNING):
            lines += [
                (
                    f"**Step {step.number}, {_escape(step.title)}: {MARKS[step.status]}.** "
                    f"{_escape(step.said)}"
                ),
                "",
            ]
            lines += [*_in_fence(_details(step)), ""]
    lines += ["| step | what was tried | result |", "|---:|---|---|"]
    lines += [
        f"| {step.number} | {_escape(step.title)} | {MARKS[step.status]} |" for step in report.steps
    ]
    return "\n".join(lines)


def _details(step: CheckStep) -> list[str]:
    lines = []
    for name in ("expected", "got", "stderr", "hint"):
        if text := getattr(step, name):
            first, *rest = map(harmless, text.expandtabs().splitlines())
            lines += [f"{name}: {first}", *(f"  {line}" for line in rest)]
    return lines


def _in_fence(lines: Sequence[str]) -> list[str]:
    """Return the lines unchanged, in a fence that is longer than any in them."""
    longest = max((len(fence) for line in lines for fence in _FENCE.findall(line)), default=2)
    fence = "`" * (longest + 1)
    return [fence, *lines, fence] if lines else []


def _plain(text: str) -> str:
    return harmless(" ".join(text.split()))


def _escape(text: str) -> str:
    """Return a line in which nothing is markup."""
    return _MARKUP.sub(
        lambda sign: f"&#{ord(sign[1])};" if sign[1] in "<>&@" else f"\\{sign[1]}", _plain(text)
    )
