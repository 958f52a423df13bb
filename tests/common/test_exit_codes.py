"""The table of exit codes: each command has one meaning a code, and what comes first
when several would do.
"""

import pytest

from khiva_arena import errors
from khiva_arena.common.exit_codes import (
    BAD_RESULT,
    DONE,
    FORFEITED,
    NOT_BETTER,
    SAME_BOT,
    TABLE,
    UNDECIDED,
    VerdictWord,
    answers_of,
    code_of,
    concluded,
    rows_of,
    with_forfeit,
)

ANSWERS = {
    VerdictWord.BETTER: DONE,
    VerdictWord.NOT_BETTER: NOT_BETTER,
    VerdictWord.OPEN: UNDECIDED,
    VerdictWord.SAME: SAME_BOT,
}


@pytest.mark.parametrize("command", ["run", "match", "sprt", "compare", "standings"])
def test_a_command_has_each_code_once(command: str) -> None:
    codes = [row.code for row in rows_of(command)]
    assert codes == sorted(set(codes))
    assert codes[:3] == [0, 1, 2]
    assert codes[-2:] == [70, 130]


def test_each_error_ends_with_a_code_of_every_command() -> None:
    raised = {
        error.exit_code
        for error in vars(errors).values()
        if isinstance(error, type) and hasattr(error, "exit_code")
    }
    assert raised <= {row.code for row in TABLE if not row.commands}


def test_each_verdict_has_one_row_a_command_and_one_code() -> None:
    rows = {(row.verdict, row.code) for row in TABLE if row.verdict}
    assert sorted(verdict for verdict, _ in rows) == sorted(VerdictWord)
    for command in ("sprt", "compare"):
        told = [row.verdict for row in rows_of(command) if row.verdict]
        assert len(told) == len(set(told))


def test_a_comparison_ends_with_the_codes_of_its_answers() -> None:
    assert {
        row.verdict: row.code for row in rows_of("compare") if row.verdict and row.commands
    } == {
        VerdictWord.BETTER: 0,
        VerdictWord.WORSE: 3,
        VerdictWord.OPEN: 4,
        VerdictWord.SAME: 5,
        VerdictWord.FORFEITED: 6,
    }


@pytest.mark.parametrize(
    ("is_finished", "has_forfeited", "first"),
    [
        (False, False, BAD_RESULT),
        (False, True, BAD_RESULT),
        (True, True, FORFEITED),
        (True, False, None),
    ],
)
@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("accepted", [(), tuple(ANSWERS)], ids=["none accepted", "all accepted"])
def test_missing_matches_come_before_a_forfeit_and_a_forfeit_before_the_answer(
    is_finished: bool,
    has_forfeited: bool,
    first: int | None,
    answer: VerdictWord,
    accepted: tuple[VerdictWord, ...],
) -> None:
    of_answer = DONE if accepted else ANSWERS[answer]
    verdict = concluded(answer, is_finished=is_finished, has_forfeited=has_forfeited)
    assert code_of(verdict, accepted) == (of_answer if first is None else first)


@pytest.mark.parametrize(
    ("code", "has_forfeited", "then"),
    [
        (DONE, False, DONE),
        (DONE, True, FORFEITED),
        (BAD_RESULT, False, BAD_RESULT),
        (BAD_RESULT, True, BAD_RESULT),
    ],
)
def test_a_bad_result_comes_before_a_forfeit(code: int, has_forfeited: bool, then: int) -> None:
    assert with_forfeit(code, has_forfeited) == then


def test_only_answers_can_be_accepted() -> None:
    assert answers_of("sprt") == list(ANSWERS)
