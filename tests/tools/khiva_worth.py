"""The worth of gems, cards and camels on their way in Khiva, in points by which a seat
is further ahead at the end.

``python -m tests.tools khiva-worth --seats 2 --minutes 3``. In matches of bots that
search, a seat's view is taken at the start of turns, and the same view with one thing
changed: a gem more, another card in the hand, a camel elsewhere. Worlds of both are
played to the end, everybody by habits that learn (``attempt`` of
``khiva_arena.crules.khiva``). The difference is the worth of the thing for seats that
play so. A row has the mean over the views, and its error at 95 %, by matches. Ctrl-C
ends it with the rows until then.
"""

import argparse
import copy
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from math import sqrt
from random import Random
from statistics import fmean, stdev
from typing import Any

from tabulate import tabulate

from khiva_arena.crules import QuickStreamInC
from khiva_arena.crules.khiva import KhivaHabits, KhivaRules
from khiva_arena.errors import ConfigError
from khiva_arena.games import registry
from khiva_arena.games.base import State

GAME = registry.get("khiva")
RULES = GAME.rules({})
TO_THE_END, AHEAD = 16, 4
"""Turns of the playouts that measure, and of those by which the bots of the matches
choose.
"""
WORLDS, TRIED = 3, 60
"""Of a decision of the bots: the worlds, and the choices that are tried in each of
them.
"""
Changed = tuple[str, dict[str, Any]]


@cache
def played() -> KhivaRules:
    """Return the rules in C of the matches. Raises ConfigError where they are not
    built.
    """
    return KhivaRules(GAME.every_rule(RULES))


def variants(view: Mapping[str, Any], lots: Random) -> Iterator[Changed]:
    """Yield a view with one thing changed, and the name of the row."""
    me = view["seat"]
    for more in (1, 2, 3):
        new = copy.deepcopy(dict(view))
        new["gems"][me] += more
        yield f"{more} more gem{'s' * (more > 1)}", new
    yield from other_cards(view, lots)
    yield from other_places(view, me)


def other_cards(view: Mapping[str, Any], lots: Random) -> Iterator[Changed]:
    """Yield views in which one card in the hand is another one that nobody has seen.
    Others would contradict the history.
    """
    seen = {tuple(card) for key in ("hand", "discard", "shown") for card in view[key]}
    seen |= {tuple(card) for _, card, _ in view["passed"]}
    unseen = [
        [colour, value]
        for colour in range(5)
        for value in range(1, 6)
        if (colour, value) not in seen
    ]
    if not unseen:
        return
    for value in (1, 2, 4, 5):
        olds = [card for card in view["hand"] if card[1] == 3]
        news = [card for card in unseen if card[1] == value]
        if olds and news:
            new = copy.deepcopy(dict(view))
            new["hand"].remove(lots.choice(olds))
            new["hand"] = sorted(
                [*new["hand"], lots.choice(news)], key=lambda card: (-card[1], card[0])
            )
            yield f"a {value} instead of a 3", new


def other_places(view: Mapping[str, Any], me: int) -> Iterator[Changed]:
    """Yield views in which a camel that is in its tent is on the seat's own path, at a
    shop that is free.
    """
    taken = {shop for path, shop, _ in view["camels"] if path == me}
    for camel, (path, _, teapot) in enumerate(view["camels"]):
        if path < 0 and teapot:
            for shop in {1, 2, 3, 4} - taken:
                new = copy.deepcopy(dict(view))
                new["camels"][camel] = [me, shop, teapot]
                yield f"a camel at shop {shop} of the own path, not in its tent", new
            return


def lead(view: Mapping[str, Any], playouts: int, number: int) -> float:
    """Return how far the seat is ahead at the end, by mean of worlds. Raises
    ConfigError for a view that fits no position.
    """
    seen, habits, stream = (
        played().view(view),
        KhivaHabits(played()),
        QuickStreamInC(number.to_bytes(32, "big"), "worth"),
    )
    learnt, counted = playouts // 3, []
    for at in range(playouts):
        (result,) = seen.world(stream).attempt_all(habits, view["seat"], [None], TO_THE_END, stream)
        if at >= learnt:
            counted.append(result)
    return fmean(counted)


def chosen(state: State, seat: int, number: int) -> int:
    """Return the choice of a bot that searches a little."""
    view = state.view(seat)
    seen, habits, stream = (
        played().view(view),
        KhivaHabits(played()),
        QuickStreamInC(number.to_bytes(32, "big"), "chosen"),
    )
    legal = len(state.pending()[seat].legal)
    choices = range(legal) if legal <= TRIED else sorted(Random(number).sample(range(legal), TRIED))
    sums = [0.0] * len(choices)
    for _ in range(WORLDS if legal > 1 else 0):
        leads = seen.world(stream).attempt_all(habits, seat, choices, AHEAD, stream)
        sums = [one + other for one, other in zip(sums, leads, strict=True)]
    return choices[sums.index(max(sums))]


def measure(
    seats: int, until: float, playouts: int, lots: Random, rows: dict[str, list[float]]
) -> None:
    """Write by row the mean difference in each match, of matches that are played until
    a time.
    """
    while time.process_time() < until:
        state, _ = GAME.new(seats, RULES, lots.randbytes(32))
        found: dict[str, list[float]] = defaultdict(list)
        while not state.is_over:
            if len(state.pending()) == seats and lots.random() < 0.3:
                view, number = state.view(lots.randrange(seats)), lots.getrandbits(64)
                before = lead(view, playouts, number)
                for name, changed in variants(view, lots):
                    try:
                        found[name].append(lead(changed, playouts, number) - before)
                    except ConfigError:  # the change contradicts what the seat remembers
                        continue
            state.apply(
                {seat: chosen(state, seat, lots.getrandbits(64)) for seat in state.pending()}
            )
        for name, differences in found.items():
            rows[name].append(fmean(differences))


def main() -> int:
    """Measure, print the rows, and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="khiva-worth",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seats", type=int, default=2, choices=(2, 3, 4, 5), help="default: 2")
    parser.add_argument(
        "--minutes", type=float, default=3.0, help="of processor time, 3 unless you say so"
    )
    parser.add_argument(
        "--playouts", type=int, default=300, help="of each view, 300 unless you say so"
    )
    parser.add_argument("--seed", type=int, default=1, help="default: 1")
    options = parser.parse_args()
    rows: dict[str, list[float]] = defaultdict(list)
    with suppress(KeyboardInterrupt):  # then the rows are those of the matches until now
        measure(
            options.seats,
            time.process_time() + 60 * options.minutes,
            options.playouts,
            Random(options.seed),
            rows,
        )
    table = [
        (name, f"{fmean(found):.2f}", f"{1.96 * stdev(found) / sqrt(len(found)):.2f}", len(found))
        for name, found in sorted(rows.items())
        if len(found) > 1
    ]
    print(tabulate(table, headers=("change", "points", "+/-", "matches"), disable_numparse=True))
    return 0


if __name__ == "__main__":
    sys.exit(main())
