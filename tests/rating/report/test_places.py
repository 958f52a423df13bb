"""Places of a swiss and a knockout as text and as JSON."""

from fractions import Fraction

from khiva_arena.rating.report.places import Placed, Places, to_json, to_text


def swiss(
    points: float, tables: int, opponents: float | None
) -> tuple[tuple[str, str, float | None, str], ...]:
    return (
        ("points", "points", points, f"{points:.2f}"),
        ("tables", "tables", tables, str(tables)),
        ("opponents", "opponents%", opponents, "n/a" if opponents is None else f"{opponents:.1f}"),
    )


SWISS = Places(
    "e1",
    1,
    "swiss",
    2,
    3,
    (
        Placed(1, "a", "ann", Fraction(3, 4), 0, swiss(1.5, 2, 33.333)),
        Placed(2, "b", "bob", None, 2, swiss(0, 0, None)),
    ),
)
KNOCKOUT = Places(
    "e2",
    2,
    "knockout",
    2,
    2,
    (
        Placed(1, "a", "ann", Fraction(1), 1, (("out", "out in", None, "won"),)),
        Placed(2, "b", "bob", Fraction(1, 3), 0, (("out", "out in", 2, "round 2"),)),
    ),
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
    assert knockout["rows"][1] == {
        "place": 2,
        "bot": "b",
        "name": "bob",
        "score": 33.333,
        "byes": 0,
        "out": 2,
    }
    assert (knockout["event"], knockout["format"], knockout["rounds"], knockout["of"]) == (
        "e2",
        "knockout",
        2,
        2,
    )
