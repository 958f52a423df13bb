"""What a page says of the rounds of an event."""

from collections.abc import Callable
from pathlib import Path

import pytest
from made_results import placed
from pages import blocks

from khiva_arena.common.result import Result
from khiva_arena.competition.pages.write import rounds_of
from khiva_arena.rating.schedule.formats import Terms
from khiva_arena.rating.schedule.timetable import Timetable

# Three bots at two seats: one has a bye, the other two play, and the final.
TERMS = Terms("knockout", bots=3, seats=2, seeds=1, seeded=True, key=bytes(32))


def first_round(ranks: list[tuple[int, int]], scores: list[tuple[int, int]]) -> list[Result]:
    """Bots 1 and 2, in both rotations."""
    bots = [(1, 2), (2, 1)]
    return [placed(0, 0, at, bots[at], ranks[at], scores[at], ordinal=at) for at in range(2)]


@pytest.mark.parametrize(
    ("ranks", "scores", "decided"),
    [
        ([(1, 2), (2, 1)], [(9, 1), (1, 9)], ""),
        ([(1, 2), (1, 2)], [(9, 1), (5, 4)], "more points"),
        ([(1, 2), (1, 2)], [(9, 1), (9, 1)], "the better seeding"),
    ],
)
def test_a_round_says_who_went_on_and_what_decided_it(
    ranks: list[tuple[int, int]], scores: list[tuple[int, int]], decided: str
) -> None:
    results = first_round(ranks, scores)
    first, final = rounds_of(
        Timetable(TERMS, lambda shape: results if shape.number == 0 else None), results
    )
    (table,) = first.line_ups
    assert first.byes == [0]
    assert [(one.bot, one.through) for one in table.sitters] == [(1, True), (2, False)]
    assert table.decided == decided
    assert first.matches == 2
    assert [(one.bot, one.score, one.through) for one in final.line_ups[0].sitters] == [
        (0, None, False),
        (1, None, False),
    ]


def test_no_round_is_said_to_be_decided_before_its_results() -> None:
    results = first_round([(1, 2), (2, 1)], [(9, 1), (1, 9)])[:1]
    (only,) = rounds_of(Timetable(TERMS), results)
    assert [one.through for one in only.line_ups[0].sitters] == [False, False]
    assert only.line_ups[0].decided == ""


def test_the_last_round_lights_the_winner() -> None:
    results = first_round([(1, 2), (2, 1)], [(9, 1), (1, 9)])
    ends = [
        placed(1, 0, 0, (0, 1), (2, 1), (1, 9), ordinal=2),
        placed(1, 0, 1, (1, 0), (1, 2), (9, 1), ordinal=3),
    ]
    *_, final = rounds_of(
        Timetable(TERMS, lambda shape: results if shape.number == 0 else None), [*results, *ends]
    )
    assert [(one.bot, one.score, one.through) for one in final.line_ups[0].sitters] == [
        (1, 100.0, True),
        (0, 0.0, False),
    ]


def test_a_format_without_rounds_has_none() -> None:
    assert (
        rounds_of(Timetable(Terms("round-robin", bots=3, seats=2, seeds=1, key=bytes(32))), [])
        == []
    )


@pytest.mark.slow
def test_the_sentence_on_top_names_the_winner_of_the_knockout_and_then_the_ratings(
    made: Callable[[str], tuple[Path, Path]],
) -> None:
    _, page = made("khiva-knockout")
    (table,) = blocks(page)["data"]["tables"]
    (of_event,) = table["table"]["places"]
    winner = next(row["name"] for row in of_event["rows"] if row["place"] == 1)
    assert table["verdict"].startswith(f"{winner} won the knockout; by ratings ")
    assert "more seeds" not in table["verdict"]
