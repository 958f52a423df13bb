"""Places of a swiss and a knockout as text and as JSON."""

from fractions import Fraction

from khiva_arena.report.places import Placed, Places, to_json, to_text

SWISS = Places(
    "e1",
    1,
    "swiss",
    2,
    3,
    (
        Placed(1, "a", "ann", Fraction(3, 4), 0, points=Fraction(3, 2), tables=2, opponents=Fraction(1, 3)),
        Placed(2, "b", "bob", None, 2, points=Fraction(0), tables=0),
    ),
)
KNOCKOUT = Places(
    "e2", 2, "knockout", 2, 2, (Placed(1, "a", "ann", Fraction(1), 1), Placed(2, "b", "bob", Fraction(1, 3), 0, out=2))
)


def test_text() -> None:
    assert to_text(SWISS).splitlines() == [
        "event 1, swiss, after round 2 of 3:",
        "place  bot  score%  points  tables  opponents%  byes",
        "    1  ann    75.0    1.50       2        33.3     0",
        "    2  bob     n/a    0.00       0         n/a     2",
    ]
    assert to_text(KNOCKOUT).splitlines() == [
        "event 2, knockout, over:",
        "place  bot  score%   out in  byes",
        "    1  ann   100.0      won     1",
        "    2  bob    33.3  round 2     0",
    ]


def test_who_is_left_in_a_knockout_that_is_not_over_has_not_won() -> None:
    still = Places("e2", 2, "knockout", 1, 2, KNOCKOUT.rows)
    assert "still in" in to_text(still)
    assert "won" not in to_text(still)


def test_json_has_the_keys_of_its_format() -> None:
    swiss, knockout = to_json(SWISS), to_json(KNOCKOUT)
    assert swiss["rows"][0] == {
        "place": 1,
        "bot": "a",
        "name": "ann",
        "score": 75.0,
        "byes": 0,
        "points": 1.5,
        "tables": 2,
        "opponents": 33.333,
    }
    assert swiss["rows"][1]["score"] is swiss["rows"][1]["opponents"] is None
    assert knockout["rows"][1] == {"place": 2, "bot": "b", "name": "bob", "score": 33.333, "byes": 0, "out": 2}
    assert (knockout["event"], knockout["format"], knockout["rounds"], knockout["of"]) == ("e2", "knockout", 2, 2)
