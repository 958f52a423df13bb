"""The law of a cap, by simulation: it holds as long as no table is dearer than the
dearest known, and else is passed by that.
"""

import random
from collections.abc import Callable

from cases import cases

from khiva_arena.extensions.spending.cap_law import CapLaw
from khiva_arena.extensions.spending.spend_cap import millionths
from khiva_arena.rating.report.capped import money

Draw = Callable[[random.Random], int]
CAP, MATCHES = 1_000, 2


def played(law: CapLaw, rng: random.Random, cost: Draw, places: int) -> tuple[list[int], list[int]]:
    """Play tables in their order at so many places, as the arena does. Return the cost
    of each, and by how much each of those that were under way at last was dearer than
    the dearest known when it began.
    """
    costs: list[int] = []
    beyond: list[int] = []
    at_last: list[int] = []
    under_way: dict[int, list[int]] = {}  # with the matches that are left
    while True:
        while len(under_way) < places and law.fits((len(costs), 0)):
            table = len(costs)
            amount = cost(rng)
            first = rng.randint(0, amount)
            costs.append(amount)
            beyond.append(max(0, amount - law.dearest))
            law.begin((table, 0), MATCHES)
            under_way[table] = [first, amount - first]
            at_last = [beyond[one] for one in under_way]
        if not under_way:
            return costs, at_last
        table = rng.choice([*under_way])
        law.add((table, 0), under_way[table].pop(), is_recorded=True)
        if not under_way[table]:
            del under_way[table]


@cases("places", [1, 2, 4, 9])
@cases(
    "cost",
    [
        lambda rng: rng.randint(1, 60),
        lambda rng: rng.choice((1, 60)),
        lambda rng: min(60, int(rng.expovariate(0.1))),
    ],
)
def test_a_cap_holds_if_no_table_is_dearer_than_the_dearest_known(cost: Draw, places: int) -> None:
    for seed in range(60):
        law = CapLaw(CAP, MATCHES, dearest=60)
        costs, _ = played(law, random.Random(seed), cost, places)
        assert sum(costs) == law.spent < CAP
        assert law.spent + law.dearest >= CAP, "another table would have fitted"


@cases("places", [1, 4])
def test_dearer_tables_pass_it_by_no_more_than_they_are_dearer(places: int) -> None:
    """Costs without an end, and nothing known before: each table adds at most what it
    is dearer than the dearest of its time.
    """
    passed = 0
    for seed in range(300):
        law = CapLaw(CAP, MATCHES)
        costs, beyond = played(
            law, random.Random(seed), lambda rng: int(rng.paretovariate(1.2) * 10), places
        )
        assert sum(costs) - CAP < max(1, sum(beyond))
        passed += sum(costs) >= CAP
    assert 0 < passed < 100, "only the last tables of a few events"


def test_one_table_at_a_time_begins_while_nothing_is_known() -> None:
    law = CapLaw(CAP, MATCHES)
    assert law.fits((0, 0))
    law.begin((0, 0), 2)
    assert not law.fits((1, 0))
    law.add((0, 0), 40, is_recorded=True)
    assert (law.spent, law.foreseen, law.dearest) == (40, 80, 80), (
        "its matches may all cost as much"
    )
    law.add((0, 0), 10, is_recorded=True)
    assert (law.spent, law.foreseen) == (50, 50)


def test_void_attempts_count_and_a_table_that_was_set_aside_holds_nothing_back() -> None:
    law = CapLaw(CAP, MATCHES, before=100, tables={(0, 0): 200})
    law.begin((1, 0), 2)
    law.add((1, 0), 100, is_recorded=False)
    assert (law.spent, law.foreseen) == (400, 500)
    law.add((1, 0), 100, is_recorded=False)
    law.add((1, 0), 100, is_recorded=True)
    assert (law.spent, law.dearest) == (600, 300)
    assert law.fits((2, 0))
    law.begin((2, 0), 2)
    assert not law.fits((3, 0))
    law.none_under_way()
    assert law.foreseen == 600


@cases(
    ("word", "amount"),
    [
        ("5.00", 5_000_000),
        ("0.000001", 1),
        ("7", 7_000_000),
        *(
            (word, None)
            for word in (
                "0",
                "0.0000001",
                "-1",
                "1e3",
                "",
                ".5",
                "5,00",
                "nan",
                "٣",
                "1_0",
                "9" * 10,
            )
        ),
    ],
)
def test_amounts(word: str, amount: int | None) -> None:
    assert millionths(word) == amount


def test_amounts_in_words() -> None:
    assert [money(amount, "EUR") for amount in (0, 1, 2_500_000, 1_234_567_890)] == [
        "0.00 EUR",
        "0.000001 EUR",
        "2.50 EUR",
        "1,234.56789 EUR",
    ]
    assert money(1_000_000, "", at_least=True) == "at least 1.00"
