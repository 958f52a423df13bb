"""docs/formats.md says numbers; each is worked out again here."""

from collections import Counter
from fractions import Fraction
from itertools import combinations

import pytest
from arena import ROOT
from competing import first_round, play
from made_results import placed

from khiva_arena.rating.schedule.formats import Format, Terms, places, shapes
from khiva_arena.rating.schedule.knockout import advance_of, bracket
from khiva_arena.rating.schedule.swiss import default_rounds

KEY = bytes(range(32))
PAGE = (ROOT / "docs" / "formats.md").read_text()


def said(*words):
    """The page says all of these, in whatever lines."""
    flat = " ".join(PAGE.split())
    return all(word in flat for word in words)


def table_after(words):
    """Rows of the first table after some words: the bots, and a cell for each seat
    count.
    """
    table = PAGE[PAGE.index("| bots |", PAGE.index(words)) :].split("\n\n")[0]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in table.split("\n")]
    assert cells[0] == ["bots", "2 seats", "3 seats", "4 seats", "5 seats"]
    return {int(row[0]): row[1:] for row in cells[2:]}


def line_ups(form, bots, seats, **settings):
    return first_round(Terms(form, bots, seats, 1, key=KEY, **settings)).line_ups


def test_score():
    found = places(
        Terms(Format.ROUND_ROBIN, 3, 3, 1, key=KEY),
        [[placed(0, 0, 0, (0, 1, 2), (1, 2, 2), (0, 0, 0))]],
    )
    assert [place.score for place in found] == [1, Fraction(1, 4), Fraction(1, 4)]
    assert said("ranks 1, 2 and 2 give the scores 1, 1/4 and 1/4")


def test_round_robin():
    terms = Terms(Format.ROUND_ROBIN, 5, 3, 20, key=KEY)
    assert sum(shape.matches for shape in shapes(terms)) == 600
    found = line_ups(Format.ROUND_ROBIN, 5, 3)
    assert len(found) == 10
    assert set(
        Counter(pair for line_up in found for pair in combinations(line_up, 2)).values()
    ) == {3}
    assert len(line_ups(Format.ROUND_ROBIN, 5, 3, copies=2)) == 30
    assert said(
        "5 bots at 3 seats have 10 line-ups; on 20 seeds in 3 rotations these are 600 matches"
    )
    assert said(
        "sit together in 3 line-ups",
        "`--copies 2` line-ups may hold a bot twice; there are 30 then",
    )


def test_gauntlet():
    counts = [
        len(line_ups(Format.GAUNTLET, 5, 3)),
        len(line_ups(Format.GAUNTLET, 5, 3, copies=2)),
        len(line_ups(Format.GAUNTLET, 6, 3, candidates=(0, 1))),
    ]
    assert counts == [6, 10, 12]
    assert said(
        "1 candidate and 4 others at 3 seats have 6 line-ups, 10 with `--copies 2`; 2 "
        "candidates and 4 others have 12"
    )


def test_authors():
    assert len(line_ups(Format.ROUND_ROBIN, 5, 3, authors=(0, 0, 1, 2, 3))) == 7
    assert said("5 bots of which 2 have one author make 7 line-ups of 3")


def test_swiss():
    assert line_ups(Format.SWISS, 9, 3, seeded=True) == ((0, 5, 6), (1, 4, 7), (2, 3, 8))
    assert said("9 bots at 3 seats make the tables 1 6 7, 2 5 8 and 3 4 9")
    terms = Terms(Format.SWISS, 10, 3, 5, key=KEY)
    assert sum(shape.matches for shape in shapes(terms)) == 180
    every, _ = play(terms)
    assert [(len(drawn.line_ups), len(drawn.byes)) for drawn in every] == [(3, 1)] * 4
    assert said(
        "10 bots at 3 seats: 4 rounds of 3 tables and 1 bye. On 5 seeds a round these are "
        "180 matches"
    )


def test_rounds_of_a_swiss():
    for bots, cells in table_after("rounded up, plus one").items():
        assert cells == [str(default_rounds(bots, seats)) for seats in (2, 3, 4, 5)]


def test_knockout():
    assert line_ups(Format.KNOCKOUT, 8, 2, seeded=True) == ((0, 7), (1, 6), (2, 5), (3, 4))
    assert said("8 bots at 2 seats meet 1 8, 2 7, 3 6, 4 5")
    terms = Terms(Format.KNOCKOUT, 10, 4, 1, key=KEY)
    every, results = play(terms)
    assert [(len(drawn.line_ups), len(drawn.byes)) for drawn in every] == [(2, 2), (1, 2), (1, 0)]
    assert [place.place for place in places(terms, results)] == [1, 2, 3, 4, 5, 5, 7, 7, 7, 7]
    assert said(
        "in the round before it share place 5, and the four of the first round share place 7"
    )


def test_rounds_of_a_knockout():
    for bots, cells in table_after("bots left / tables / byes").items():
        for seats, cell in zip((2, 3, 4, 5), cells, strict=True):
            advance = advance_of(Terms(Format.KNOCKOUT, bots, seats, 1, key=KEY))
            every = bracket(bots, seats, advance)
            assert cell == ", ".join(
                f"{s.left}/{s.tables}/{s.left - s.tables * seats}" for s in every
            )


@pytest.mark.parametrize(
    "form", [Format.ROUND_ROBIN, Format.GAUNTLET, Format.SWISS, Format.KNOCKOUT]
)
def test_every_format_is_on_the_page(form):
    assert said(f"`--format {form}")
