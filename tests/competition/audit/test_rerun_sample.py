"""Samples of matches whose bots are run again: how often they have a forged match,
where some matches cannot be confirmed.
"""

import random
import re
from collections.abc import Sequence
from itertools import permutations
from math import comb

import pytest
from wording import pattern, sentence

from khiva_arena.competition.audit.sample import (
    MOST_UNCONFIRMED,
    RerunFindings,
    RerunSample,
    Unconfirmed,
    chance_found,
    lots,
    run_drawn,
)

SEEDS = 3_000
SIGMAS = 4
UNKNOWN = Unconfirmed("no memory", ("alpha", "beta"))


def run_with(
    order: Sequence[int],
    wanted: int,
    unconfirmed: Sequence[int],
    forged: Sequence[int] = (),
    *,
    take: bool = True,
) -> RerunSample:
    """Draw in an order, where some matches cannot be confirmed, and some others are
    forged.
    """

    def run(ordinals: Sequence[int]) -> RerunFindings:
        return RerunFindings(
            {one: "another answer" for one in ordinals if one in forged},
            {one: UNKNOWN for one in ordinals if one in unconfirmed},
        )

    return run_drawn(order, wanted, run, take_unconfirmed=take)


@pytest.mark.parametrize("among", range(1, 6))
def test_the_chance_is_that_of_all_orders_that_there_are(among: int) -> None:
    """Of the matches that can be confirmed, however many cannot: each number of matches
    that are wanted, and of forged ones.
    """
    orders = list(permutations(range(among)))
    for known in range(1, among + 1):
        for wanted in range(1, among + 1):
            for forged in range(1, known + 1):
                outcomes = [
                    run_with(order, wanted, range(known, among), range(forged)) for order in orders
                ]
                share = sum(bool(one.unequal) for one in outcomes) / len(orders)
                assert share == pytest.approx(chance_found(known, min(wanted, known), forged))


@pytest.mark.parametrize("among", range(1, 6))
def test_no_more_is_claimed_than_is_so_in_any_order(among: int) -> None:
    for known in range(among + 1):
        for wanted in range(1, among + 1):
            for order in permutations(range(among)):
                sample = run_with(order, wanted, range(known, among))
                assert sample.confirmed == min(wanted, known)
                if not sample.confirmed:
                    assert (sample.one_found, sample.sure_from) == (0.0, None)
                    continue
                assert sample.one_found <= chance_found(known, sample.confirmed, 1) + 1e-12
                assert sample.sure_from
                assert (
                    sample.sure_from > known
                    or chance_found(known, sample.confirmed, sample.sure_from) > 0.95
                )


@pytest.mark.parametrize(
    ("among", "wanted", "unknown", "forged"),
    [(60, 3, 0, 4), (60, 12, 8, 3), (400, 80, 10, 2), (40, 40, 2, 1)],
)
def test_drawn_by_lot_they_find_forged_ones_as_often_as_is_so(
    among: int, wanted: int, unknown: int, forged: int
) -> None:
    found = 0
    for seed in range(SEEDS):
        order = lots(range(among), random.Random(seed))
        found += bool(run_with(order, wanted, range(among - unknown, among), range(forged)).unequal)
    chance = chance_found(among - unknown, min(wanted, among - unknown), forged)
    assert abs(found / SEEDS - chance) <= SIGMAS * (chance * (1 - chance) / SEEDS) ** 0.5


@pytest.mark.parametrize("wanted", [1, 3, 19, 20, 57, 60])
def test_a_part_is_refused_exactly_above_one_draw_in_twenty(wanted: int) -> None:
    """And no forged part gets through by that: it is taken as often as one without
    matches that cannot be confirmed, or less.
    """
    among, taken = 60, 0
    for seed in range(SEEDS // 10):
        rng = random.Random(seed)
        unknown = rng.sample(range(among), rng.randrange(8))
        order = lots(range(among), rng)
        sample, whole = (run_with(order, wanted, unknown, take=take) for take in (False, True))
        unconfirmed = len(sample.unconfirmed)
        assert sample.too_many == (
            unconfirmed > 1 and MOST_UNCONFIRMED * unconfirmed > sample.drawn
        )
        assert sample.too_many == whole.too_many, (
            "it stops early only where all draws would come to the same"
        )
        assert sample.too_many or sample == whole
        assert sample.drawn <= whole.drawn
        taken += not sample.too_many
    assert taken


def test_a_part_whose_bots_nobody_can_run_is_given_up_soon() -> None:
    order = lots(range(10_000), random.Random(0))
    assert run_with(order, 500, range(10_000), take=False).drawn == 256
    assert run_with(order, 500, range(10_000), take=True).drawn == 10_000


def test_what_a_sample_says_of_matches_that_could_not_be_confirmed() -> None:
    order = lots(range(400), random.Random(1))
    sample = run_with(order, 40, order[:2])
    assert (sample.drawn, sample.confirmed, sample.by_bot) == (42, 40, {"alpha": 2, "beta": 2})
    said = sample.finds()
    which = " " + sentence("audit", "that-can-be")
    many = sentence("audit", "forged-many", surely=sample.sure_from)
    assert (
        sentence("audit", "forged-found", which=which, one=f"{100 * 40 / 398:.2g} %", many=many)
        in said
    )
    assert said.endswith(
        sentence(
            "audit",
            "not-confirmed",
            more="2 more that were",
            bots="alpha 2, beta 2",
            why="no memory",
        )
    )
    none = run_with(order, 40, order).finds()
    assert not re.search(pattern("audit", "forged-found", which=".*", one=".*", many=".*"), none), (
        "nothing is claimed of none"
    )


def test_the_chance_of_a_sample_without_such_matches_is_as_before() -> None:
    sample = run_with(range(60), 3, ())
    assert sample.one_found == pytest.approx(3 / 60)
    (less, least) = (sample.sure_from or 0) - 1, sample.sure_from or 0
    missed = [comb(60 - wrong, 3) / comb(60, 3) for wrong in (less, least)]
    assert missed[0] >= 0.05 > missed[1]
