"""Many cases as one test lose none of what each of them would have found."""

import pytest
from cases import cases


def test_every_case_is_run_and_each_that_fails_is_told() -> None:
    tried: list[tuple[int, str]] = []

    @cases("word", ["a", "b"])
    @cases(("number", "least"), [(1, 1), (2, 3), (0, 1)], ids=["equal", "less", "none"])
    def test(number: int, least: int, word: str) -> None:
        tried.append((number, word))
        assert number >= least
        with pytest.raises(ZeroDivisionError):
            1 // (word == "b")

    with pytest.raises(BaseExceptionGroup, match="2 of 2 cases") as caught:
        test()
    assert tried == [(number, word) for word in "ab" for number in (1, 2, 0)]
    told = [
        (group.__notes__, [(type(error), error.__notes__) for error in group.exceptions])
        for group in caught.value.exceptions
        if isinstance(group, BaseExceptionGroup)
    ]
    failed = [(AssertionError, ["in the case less"]), (AssertionError, ["in the case none"])]
    not_raised = (pytest.fail.Exception, ["in the case equal"])
    assert told == [(["in the case 'a'"], failed), (["in the case 'b'"], [not_raised, *failed])]


@cases("number", [1, 2])
def test_fixtures_are_given_beside_the_cases(
    number: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert tmp_path_factory.mktemp(str(number)).is_dir()


def test_no_case_at_all_is_a_mistake() -> None:
    with pytest.raises(AssertionError):
        cases("number", [])
