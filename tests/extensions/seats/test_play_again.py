"""The commands that a page names after a match: once more, and the same deal in another
seat.
"""

from types import SimpleNamespace
from typing import Any

import pytest

from khiva_arena.extensions.seats.play_again import way_again

WORDS = ["person", "shipped:python/greedy", "shipped:c/greedy"]
NEXT = "--bot shipped:c/greedy --bot person --bot shipped:python/greedy"


@pytest.mark.parametrize(
    ("typed", "secret", "again", "same"),
    [
        (["play"], b"\1", "khiva-arena play", f"khiva-arena play {NEXT} --seed 01"),
        (
            ["play", "--seed", "a b", "--no-open"],
            None,
            "khiva-arena play --no-open",
            f"khiva-arena play --no-open {NEXT} --seed 'a b'",
        ),
        (
            ["play", "--bot=person", "--bot", "x", "--seed=s"],
            None,
            "khiva-arena play --bot=person --bot x",
            f"khiva-arena play {NEXT} --seed s",
        ),
    ],
)
def test_a_match_is_played_again_or_in_another_seat(
    typed: list[str], secret: bytes | None, again: str, same: str
) -> None:
    setup: Any = SimpleNamespace(words=WORDS, random_secret=secret, then=None)
    assert [command for _, command in way_again(setup, typed)] == [again, same]


def test_a_match_that_was_played_on_has_no_such_command() -> None:
    assert (
        way_again(
            SimpleNamespace(words=WORDS, random_secret=None, then=object()),
            ["play", "--from", "games"],
        )
        == []
    )  # type: ignore[arg-type]
