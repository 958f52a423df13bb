"""The words that name events and matches."""

import pytest

from khiva_arena.competition.events.find import begins


@pytest.mark.parametrize(
    ("word", "begun"),
    [
        ("7", False),
        ("71902", False),
        ("719023", True),
        ("719023ab", True),
        ("719023abc", False),
        ("71902a", False),
        ("", True),
    ],
)
def test_a_number_is_never_the_beginning_of_an_id(word: str, begun: bool) -> None:
    """Else event 7 of a store that has one event would be that event, for one id in
    sixteen.
    """
    assert begins("719023ab", word) is begun
