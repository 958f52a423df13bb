"""The files of a grading for other programs: Gradescope's results.json and JUnit XML.
Every word of a bot is made harmless.
"""

import json
from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape, quoteattr

from khiva_arena.common.text import harmless
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.grading.marks import GradeOutput, RungMark
from khiva_arena.extensions.grading.safe_places import Written
from khiva_arena.records.store.new_file import new_file
from khiva_arena.words import count

BEGINS_RESULTS = b'{\n "score"'
BEGINS_JUNIT = b'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="khiva-arena grade"'
LONGEST = 20_000
"""The most characters of a problem in a report."""


def gradescope(grade: GradeOutput) -> bytes:
    """Return a results.json, as Gradescope's autograders write it."""
    tests = [
        {
            "name": mark.rung,
            "score": mark.points,
            "max_score": mark.most,
            "status": "passed" if mark.points else "failed",
            "output": _text(mark.text),
            "output_format": "text",
            "visibility": "visible",
        }
        for mark in grade.rungs
    ]
    report = {
        "score": grade.points,
        "output": _text(_head(grade)),
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "extra_data": {"ladder": grade.ladder, "seeds": grade.seeds},
        "tests": tests,
    }
    return json.dumps(report, indent=1).encode() + b"\n"


def junit(grade: GradeOutput) -> bytes:
    """Return JUnit XML: a test case for each rung."""
    return "\n".join(
        [BEGINS_JUNIT.decode() + f"{_counts(grade)}>", *_suite(grade), "</testsuites>", ""]
    ).encode()


def _suite(grade: GradeOutput) -> Iterator[str]:
    yield f"<testsuite name={quoteattr(f'ladder {grade.ladder[:12]}')}{_counts(grade)}>"
    for mark in grade.rungs:
        yield f'<testcase classname="ladder" name={quoteattr(harmless(mark.rung))}>'
        yield from _outcome(grade, mark)
        yield "</testcase>"
    yield "</testsuite>"


def _outcome(grade: GradeOutput, mark: RungMark) -> Iterator[str]:
    if mark.points:
        yield f"<system-out>{escape(_text(mark.text))}</system-out>"
        return
    body = f"\n{_text(grade.problem)}" if grade.problem else ""
    yield (
        '<failure type="not passed" '
        f"message={quoteattr(harmless(mark.text))}>{escape(_text(mark.text) + body)}</failure>"
    )


def _counts(grade: GradeOutput) -> str:
    failed = sum(not mark.points for mark in grade.rungs)
    return f' tests="{len(grade.rungs)}" failures="{failed}" errors="0"'


def _head(grade: GradeOutput) -> str:
    ladder = f"ladder {grade.ladder[:12]}, {count(grade.seeds, 'seed')} a rung"
    if grade.problem:
        return f"Your bot could not play, so it has no points ({ladder}).\n{grade.problem}"
    return f"{grade.points} of {count(grade.most, 'point')} ({ladder})."


def _text(text: str) -> str:
    return harmless(text, LONGEST, keep="\n")


def write(files: Sequence[Written], contents: Sequence[bytes]) -> None:
    """Write the files, each completely or not at all. Raises ConfigError, Unwritten."""
    for (flag, path, begins), content in zip(files, contents, strict=True):
        try:
            with new_file(path, begins) as file:
                file.write(content)
        except ConfigError as error:
            raise ConfigError([f"{flag} {problem}" for problem in error.problems]) from None
