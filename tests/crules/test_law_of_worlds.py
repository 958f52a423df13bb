"""Worlds of Silk Road in C, which are the engine's draw by draw, follow their law in
all of a match: hands of the others are as often as all orders of the piles say, counted
without a walk.

At five seats, and often at four, there are too many hands to count. A position's
chi-square has 2,000 worlds in up to 60 cells. So it tells a total variation of .11 in
nine positions of ten, and the sum of 200 positions one of .02 that all of them have;
that of 40 positions, as many as are tried each time, one of .03: it goes with the
fourth root of their number.
"""

import random
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgpack
import numpy as np
import pytest
import scipy
from arena import ROOT
from tools import need

from khiva_arena import crules
from khiva_arena.env.coding import coding_of
from khiva_arena.games.silk_road import GAME
from khiva_arena.games.silk_road.trails import LARGE, Trail, trail

DRAWS, CELLS, LEAST = 2000, 60, 5
"""Worlds of a position; most cells of its chi-square; the least number expected in
one.
"""
OF_A_MATCH = 6
"""Most positions of one match."""
LAYER = 30_000
"""Positions in which more hands than that were possible at once are left out."""


class Law(NamedTuple):
    """The hands that the others may hold, four bits for each count by seat and good,
    and how likely each is.
    """

    hands: Any
    chances: Any


def by_counting(seen: Trail, me: int) -> Law | None:
    """Follow all hands that were possible, card by card. A pile's cards that are left
    are those that no hand has got.

    Return None if these are too many.
    """
    bit = {seat: 20 * i for i, seat in enumerate(seat for seat in range(seen.seats) if seat != me)}
    hands, weights, cards, pile = np.zeros(1, np.int64), np.ones(1), np.zeros(5, int), -1
    for seat, step in seen.steps:
        if 0 <= step < LARGE:
            while pile < seen.slots[step][1]:
                pile += 1
                cards += [seen.piles[pile].count(good) for good in range(5)]
            left = [
                cards[good] - sum(hands >> (at + 4 * good) & 15 for at in bit.values())
                for good in range(5)
            ]
            drawn = np.concatenate([hands + (1 << (bit[seat] + 4 * good)) for good in range(5)])
            hands, places = np.unique(drawn, return_inverse=True)
            weights = np.bincount(
                places, np.concatenate([weights * left[good] for good in range(5)])
            )
        elif step >= LARGE:
            hands = hands + (1 << (bit[seat] + 4 * (step - LARGE)))
            cards[step - LARGE] += 1
        else:
            at = bit[seat] + 4 * (-1 - step)
            weights = weights * ((hands >> at & 15) > 0)
            hands = hands - (1 << at)
            cards[-1 - step] -= 1
        hands, weights = hands[weights > 0], weights[weights > 0] / weights.sum()
        if len(hands) > LAYER:
            return None
    asked, kinds, wanted = seen.asked
    if asked in bit:
        has = [(hands >> (bit[asked] + 4 * good) & 15) > 0 for good in range(5)]
        weights = (
            weights
            * (sum(one.astype(int) for one in has) >= kinds)
            * (has[wanted] if wanted >= 0 else 1)
        )
    return Law(hands[weights > 0], weights[weights > 0] / weights.sum())


def positions(
    lots: random.Random, first: int, end: int
) -> Iterator[tuple[dict[str, Any], dict[str, Any], Law]]:
    """Yield rules, views and laws of positions of random matches; in half of these
    seats mostly repeat a choice.

    first, end: the fewest codes of the traffic, and one more than the most.
    """
    while True:
        seats, often, tastes, found = (
            lots.choice((2, 3, 3, 4)),
            lots.choice((0, 0, 0.5, 0.8)),
            dict[str, float](),
            0,
        )
        words = {"hand_dump": ("choose", "all"), "reshuffle": ("at_once", "when_needed")}
        rules = GAME.rules({key: lots.choice(values) for key, values in words.items()})
        state, _ = GAME.new(seats, rules, lots.randbytes(32))
        while not state.is_over and found < OF_A_MATCH and len(state.traffic) < end:
            if len(state.traffic) >= first and lots.random() < 0.06:
                view = state.view(lots.randrange(seats))
                law = by_counting(trail(view), view["seat"])
                if law and len(law.hands) > 1:
                    found += 1
                    yield rules, view, law
            choices = {}
            for seat, one in state.pending().items():
                is_alike = lots.random() < often
                share = tastes.setdefault(one.kind, lots.random()) if is_alike else lots.random()
                choices[seat] = int(share * len(one.legal))
            state.apply(choices)


def drawn(rules: dict[str, Any], view: dict[str, Any], stream: crules.StreamInC) -> Any:
    """Draw worlds of a view. Return the hands of the others as ``Law`` has them."""
    whole, seats = GAME.every_rule(rules), view["seats"]
    keys, read = coding_of(GAME, seats, whole).keys, crules.RulesInC(GAME.name, whole).view(view)
    without, others = (
        sum(1 << i for i, key in enumerate(keys) if key != "hand"),
        [s for s in range(seats) if s != view["seat"]],
    )
    worlds = [read.world(stream) for _ in range(DRAWS)]
    hands = np.array(
        [[world.observe(seat, without)[:] for seat in others] for world in worlds], np.int64
    )
    return hands.reshape(DRAWS, -1) @ (1 << 4 * np.arange(5 * len(others)))


def compared(law: Law, hands: Any) -> tuple[float, int, float]:
    """Return chi-square of hands that were drawn, its degrees of freedom, and the total
    variation of its cells. Hands that are near each other are one cell until enough of
    them are expected.
    """
    places = np.searchsorted(law.hands, hands)
    assert (law.hands[np.minimum(places, len(law.hands) - 1)] == hands).all()
    cells = np.floor(np.cumsum(law.chances) * CELLS - 1e-9).astype(int)
    expected = np.bincount(cells, DRAWS * law.chances)
    counts = np.bincount(cells, np.bincount(places, minlength=len(cells)))
    is_big = expected >= LEAST
    expected, counts = ([*all_[is_big], all_[~is_big].sum()] for all_ in (expected, counts))
    if expected[-1] < LEAST:
        expected, counts = ([all_[0] + all_[-1], *all_[1:-1]] for all_ in (expected, counts))
    pairs = [*zip(counts, expected, strict=True)]
    variation = sum(abs(count - mean) for count, mean in pairs) / 2 / DRAWS
    return sum((count - mean) ** 2 / mean for count, mean in pairs), len(pairs) - 1, variation


def assert_as_likely(found: list[tuple[float, int, float]]) -> None:
    """Hold chi-squares of positions, as ``compared`` returns them, against their law:
    the worst, the bad ones, and the sum.
    """
    chances = sorted(
        float(scipy.special.chdtrc(freedom, spread)) for spread, freedom, _ in found if freedom
    )
    spread, freedom = (sum(one[i] for one in found) for i in range(2))
    assert len(chances) > len(found) * 0.7
    assert chances[0] * len(chances) > 0.001
    for bound in (0.01, 0.05, 0.3):
        below = sum(one < bound for one in chances)
        assert below == 0 or scipy.special.bdtrc(below - 1, len(chances), bound) > 0.001, bound
    assert abs(spread - freedom) < 4 * (2 * freedom) ** 0.5


ONE_AFTER_ANOTHER = """
#include <stdio.h>
#include "silk_road.h"
static unsigned char data[1 << 20];
int main(int count, char **words)
{
    static silk_road_rules rules;
    static silk_road_view view;
    static silk_road_knowledge k;
    silk_road_state world;
    arena_stream stream;
    size_t size = fread(data, 1, sizeof data, stdin);
    kit_cursor hello = {data, data + size, 0}, seen;
    int seats, draws = atoi(words[count - 1]);
    if (silk_road_read_hello(hello, &rules, &seats) || !kit_find(hello, "view", &seen)
        || silk_road_read_view(seen, &rules, &view) || silk_road_think(&k, &rules, &view))
        return 1;
    arena_stream_quick(&stream, 7);
    for (int number = 1; number <= draws; number++) {
        if (silk_road_next_world(&world, NULL, &rules, &view, &k, &stream))
            return 1;
        if (number % 4 != 0)
            continue;
        for (int seat = 0; seat < seats; seat++)
            for (int good = 0; good < SILK_ROAD_GOODS; good++)
                printf("%d ", world.hand[seat][good]);
    }
    return 0;
}
"""
"""Draws one world after another, and prints the hands of every fourth: these are as
good as apart.
"""


@pytest.mark.slow
@pytest.mark.language
def test_worlds_that_go_on_from_the_one_before_have_the_same_law(tmp_path: Path) -> None:
    need("cc")
    (tmp_path / "worlds.c").write_text("#include <stdlib.h>\n" + ONE_AFTER_ANOTHER)
    words = [
        "cc",
        "-std=c99",
        "-O2",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-I",
        str(ROOT / "bots" / "rules"),
        "-o",
        "worlds",
        "worlds.c",
    ]
    subprocess.run(words, cwd=tmp_path, check=True)
    found: list[tuple[float, int, float]] = []
    for rules, view, law in positions(random.Random("one after another"), 40, 1000):
        hello = {
            "game": GAME.name,
            "rules_version": GAME.rules_version,
            "rules": GAME.every_rule(rules),
            "seats": view["seats"],
        }
        done = subprocess.run(
            ["./worlds", str(4 * DRAWS)],
            input=msgpack.packb(hello | {"view": view}),
            cwd=tmp_path,
            capture_output=True,
            check=True,
        )
        others = [seat for seat in range(view["seats"]) if seat != view["seat"]]
        hands = np.array(done.stdout.split(), np.int64).reshape(DRAWS, view["seats"], 5)[:, others]
        found.append(
            compared(law, hands.reshape(DRAWS, -1) @ (1 << 4 * np.arange(5 * len(others))))
        )
        if len(found) == 24:
            break
    assert_as_likely(found)


@pytest.mark.usefixtures("rules_in_c")
@pytest.mark.slow
@pytest.mark.parametrize(
    ("count", "first", "end"),
    [
        (10, 40, 1000),
        pytest.param(50, 8, 60, marks=pytest.mark.soak),
        pytest.param(30, 60, 120, marks=pytest.mark.soak),
        pytest.param(100, 8, 60, marks=pytest.mark.long),
        pytest.param(100, 60, 120, marks=pytest.mark.long),
        pytest.param(200, 120, 1000, marks=pytest.mark.long),
    ],
)
def test_worlds_are_as_often_as_they_are_likely(count: int, first: int, end: int) -> None:
    """Of all positions together, and of the worst one; so many are below any chance as
    should be.
    """
    lots, found = random.Random(f"law {first}"), []
    for rules, view, law in positions(lots, first, end):
        found.append(
            compared(law, drawn(rules, view, crules.QuickStreamInC(lots.randbytes(32), "worlds")))
        )
        if len(found) == count:
            break
    assert_as_likely(found)
