"""What is said before the start of who sits next after whom, held against a count of
all matches.
"""

import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import permutations
from math import ceil

import pytest
from wording import sentence

from khiva_arena.rating.schedule import seating
from khiva_arena.rating.schedule.formats import Terms
from khiva_arena.rating.schedule.neighbours import off_balance
from khiva_arena.rating.schedule.orders import BLOCK_SEEDS, Order, block_orders
from khiva_arena.rating.schedule.timetable import Timetable


@pytest.fixture(autouse=True, scope="module")
def _each_block_once() -> Iterator[None]:
    """Draw each block once: what is said and what is counted is of the same few."""

    @cache
    def drawn(
        line_ups: tuple[tuple[int, ...], ...], key: bytes, block: int
    ) -> tuple[tuple[Order, ...], ...]:
        return tuple(block_orders(line_ups, key, block))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            seating,
            "block_orders",
            lambda line_ups, key, block: iter(drawn(tuple(line_ups), key, block)),
        )
        yield


def event(
    bots: int, seats: int, seeds: int, form: str = "round-robin", copies: int = 1
) -> Timetable:
    return Timetable(
        Terms(form, bots, seats, seeds, copies, key=bytes(32), seeded=form == "knockout")
    )


def counted(timetable: Timetable) -> int:
    """By how many tables, rounded up, the furthest pair is off its share, over the
    whole event.
    """
    matches = filter(None, map(timetable.match, range(0, timetable.matches, timetable.seats)))
    tables = [match.bots for match in matches]
    pairs = Counter(
        (a, b) for bots in tables for a, b in zip(bots, bots[1:] + bots[:1], strict=True)
    )
    met = Counter(pair for bots in tables for pair in permutations(bots, 2))
    found = [
        abs(pairs[pair] - Fraction(times, timetable.seats - 1))
        for pair, times in met.items()
        if pair[0] != pair[1]
    ]
    return ceil(max(found))


@pytest.mark.parametrize(
    ("bots", "seats", "seeds", "copies"),
    [(8, 8, 2, 1), (9, 8, 11, 1), (7, 6, 13, 1), (10, 10, 1, 1), (4, 6, 3, 2)],
)
def test_what_is_said_is_what_is_counted(bots: int, seats: int, seeds: int, copies: int) -> None:
    timetable = event(bots, seats, seeds, copies=copies)
    said = off_balance(timetable, seeds)
    assert f"over every {BLOCK_SEEDS[seats]} seeds at {seats} seats: with {seeds} a bot" in said
    assert f" up to {counted(timetable)} table" in said
    enough = int(re.findall(r"--seeds (\d+) balances it$", said)[0])
    assert counted(event(bots, seats, enough, copies=copies)) == 0
    assert off_balance(event(bots, seats, enough, copies=copies), enough) == ""


def test_of_very_many_tables_no_number_is_said() -> None:
    timetable = Timetable(Terms("round-robin", 20, 6, 1, 1, most=20_000, key=bytes(32)))
    assert sentence(
        "schedule", "bot-sits-next-after", how="more or less often than its share", seeds_2="10"
    ) in off_balance(timetable, 1)


def test_of_an_extension_the_seeds_are_all_there_are() -> None:
    """Ten after twenty, at eight seats in blocks of seven: four more make two whole
    blocks.
    """
    assert off_balance(event(8, 8, 10), 30).endswith("--seeds 34 balances it")


@pytest.mark.parametrize(
    "timetable",
    [
        event(5, 5, 1),
        event(6, 4, 3),
        event(9, 3, 1),
        event(8, 8, 14),
        event(1, 8, 1, copies=8),
        event(16, 8, 1, "knockout"),
    ],
)
def test_nothing_is_said_of_what_is_near_balance_or_not_drawn(timetable: Timetable) -> None:
    assert off_balance(timetable, timetable.seeds) == ""
