"""Each of the 16 goals, written out as all ways to fulfil it, against palaces that just
do and just do not.
"""

import pytest

from khiva_arena.games.emira.events import goal_face
from khiva_arena.games.emira.scoring import fulfils
from khiva_arena.games.emira.tables import EMIRA_OF, GOALS, LEAST_PRINCESSES, MOST_PRINCESSES
from khiva_arena.games.emira.values import has_talents

WITH = {
    "I": ["Albina", "Zainab", "Zahrah"],
    "M": ["Halimah", "Nibal", "Fatima"],
    "C": ["Asima", "Rasha", "Firyal"],
    "R": ["Thara", "Samira", "Layla"],
}
SHEET = [
    (5, ["I M R"]),
    (5, ["I C R"]),
    (5, ["M C R"]),
    (5, ["I I M"]),
    (5, ["I I C"]),
    (5, ["I I R", "I R R"]),
    (5, ["M M C", "M C C"]),
    (4, ["I M C R"]),
    (4, ["I I M C"]),
    (4, ["I M M R", "I M R R"]),
    (4, ["I I C R", "I C C R"]),
    (4, ["M M C R", "M C C R", "M C R R"]),
    (3, ["I I M C R"]),
    (3, ["I I M M C", "I M M C C"]),
    (3, ["I I M M R", "I I M R R"]),
    (3, ["I I C C R", "I I C R R", "I C C R R"]),
]
LETTER = {"intelligence": "I", "household": "M", "cooking": "C", "romance": "R"}


def palace(way):
    """Princesses with one talent each, as ``way`` wants them."""
    spare = {letter: iter(names) for letter, names in WITH.items()}
    return [EMIRA_OF[next(spare[letter])] for letter in way.split()]


CASES = [
    (seats, ways, [n for n, _ in SHEET[:i]].count(seats)) for i, (seats, ways) in enumerate(SHEET)
]


@pytest.mark.parametrize(
    ("seats", "ways", "card"), CASES, ids=[f"{seats}p {ways[0]}" for seats, ways, _ in CASES]
)
def test_goal(seats, ways, card):
    goal = GOALS[seats][card]
    assert sorted(
        " ".join(sorted(LETTER[talent] for talent in way)) for way in goal_face(goal)
    ) == sorted(" ".join(sorted(way.split())) for way in ways)
    for way in ways:
        princesses = palace(way)
        assert has_talents(princesses, goal)
        for i in range(len(princesses)):
            assert not has_talents(princesses[:i] + princesses[i + 1 :], goal), f"{way=} {i=}"
    wrong = {tuple(sorted(letters)) for letters in (way.split() for way in ways)}
    for letter in "IMCR":
        for way in ways:
            other = (*way.split()[1:], letter)
            assert has_talents(palace(" ".join(other)), goal) == (tuple(sorted(other)) in wrong), (
                f"{letter=} {way=}"
            )


def test_there_are_no_other_goals():
    assert [len(GOALS[seats]) for seats in (3, 4, 5)] == [4, 5, 7]
    assert len(SHEET) == 16


@pytest.mark.parametrize(("seats", "least", "most"), [(3, 6, 8), (4, 5, 7), (5, 4, 6)])
def test_how_many_princesses_it_takes(table, seats, least, most):
    assert (LEAST_PRINCESSES[seats], MOST_PRINCESSES[seats]) == (least, most)
    goal = SHEET[{5: 0, 4: 7, 3: 12}[seats]][1][0]
    filling = ["Malika", "Farah", "Adara", "Anisah", "Badra", "Noor"]
    t = table(seats).has(0, goal=goal)
    t.state.princesses[0] = palace(goal)
    for name in filling[: least - 1 - len(t.state.princesses[0])]:
        t.state.princesses[0].append(EMIRA_OF[name])
    assert not fulfils(t.state, 0)
    t.state.princesses[0].append(EMIRA_OF["Zafirah"])
    assert len(t.state.princesses[0]) == least
    assert fulfils(t.state, 0)
    t.state.princesses[0] = [
        EMIRA_OF[name] for name in (*WITH["C"], *WITH["R"], "Zafirah", "Sahar")
    ][: most - 1]
    assert not fulfils(t.state, 0)
    t.state.princesses[0].append(EMIRA_OF["Raidah"])
    assert fulfils(t.state, 0)


@pytest.mark.parametrize(
    ("names", "way", "holds"),
    [
        ("Noor Hind Thara", "I M R", True),
        ("Noor Janan Thara", "I M R", True),
        ("Noor Hind Janan", "I M R", True),
        ("Noor Hind Halimah", "I M R", True),
        ("Noor Halimah Nibal", "I M R", False),
        ("Hind Xenia Albina", "I M R", True),
        ("Hind Albina Zainab", "I M R", False),
    ],
)
def test_a_princess_with_two_talents_serves_with_one(names, way, holds):
    goal = next(
        ways for ways in GOALS[5] if goal_face(ways)[0] == ["intelligence", "household", "romance"]
    )
    assert has_talents([EMIRA_OF[name] for name in names.split()], goal) == holds
