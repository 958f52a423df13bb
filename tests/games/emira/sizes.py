"""How large matches of cautious bidders get: ``python tests/games/emira/sizes.py
[MATCHES]`` prints the table of page.md.

Everybody outbids everybody by 10 as long as he can, takes the grant if he may, and
spends nothing that upkeep may need; else choices are random. Sizes are those of the
views of all decisions in msgpack.
"""

import re
import sys
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random

import msgpack

from khiva_arena.games.emira import GAME

PAGE = Path(__file__).with_name("page.md")
WEIGHED = 8
"""One view in so many is weighed with its bids one by one, which takes long."""


@cache
def unpacking():
    """The function by which the page of the game unpacks bids."""
    (code,) = re.findall(r"```python\n(def bids\(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    names = {}
    exec(code, names)
    return names["bids"]


def unpacked(view):
    """The bids as the page of the game unpacks them."""
    return unpacking()(view)


def cautious(decision, gold, random):
    """What such a bidder chooses."""
    if decision.kind == "bid":
        return next((i for i, entry in enumerate(decision.legal) if type(entry[0]) is int), 0)
    if decision.kind == "action":
        grant = list(decision.legal[-1]) == ["grant"]
        return (
            len(decision.legal) - 1
            if grant
            else random.randrange(len(decision.legal))
            if gold > 800
            else 0
        )
    return random.randrange(len(decision.legal))


def weigh(seats, deal, weighed=WEIGHED):
    """Of one match: decisions, bytes of all views, of their bids, of the same bids one
    by one (about), of the largest view.
    """
    random = Random(deal)
    state, _ = GAME.new(seats, GAME.rules({}), sha256(f"sizes {deal}".encode()).digest())
    decisions = views = bids = one_by_one = largest = 0
    while pending := state.pending():
        for seat in pending:
            view = state.view(seat)
            decisions += 1
            size = len(msgpack.packb(view))
            views, largest = views + size, max(largest, size)
            bids += len(msgpack.packb(view["bids"]))
            if decisions % weighed == 0:
                one_by_one += weighed * len(
                    msgpack.packb([number for bid in unpacked(view) for number in bid])
                )
        state.apply(
            {
                seat: cautious(decision, state.gold[seat], random)
                for seat, decision in pending.items()
            }
        )
    return decisions, views, bids, one_by_one, largest


def row(seats, matches):
    """A row of the table: the means of so many matches, and the largest view of them
    all.
    """
    every = [weigh(seats, deal) for deal in range(matches)]
    decisions, views, bids, one_by_one, _ = (
        sum(values) / matches for values in zip(*every, strict=True)
    )
    largest = max(values[-1] for values in every)
    sizes = " | ".join(f"{size / 1e6:.1f}" for size in (views, bids, one_by_one))
    return f"| {seats} | {decisions:.0f} | {sizes} | {largest / 1e3:.1f} |"


def main():
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else 6
    for seats in GAME.seats:
        print(row(seats, matches))


if __name__ == "__main__":
    main()
