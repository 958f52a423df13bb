"""Events of bots that do not exist as the matches of a store, with deals that all
line-ups share, or a deal for each table.
"""

from itertools import combinations

import numpy as np
from made_results import rated

from khiva_arena.rating.ratings.match_arrays import Matches, SameSize


def dealt(rng, bots, seats, seeds, *, luck=1.0, suits=0.0, spread=0.0, line_ups=None, shared=True):
    """All line-ups, or those numbered, on each seed in all rotations of a drawn
    order. luck, suits: standard deviations of what a seat, and a bot, gets of a deal,
    beside a noise of 1. spread: strength of the last bot above the first. shared:
    whether all tables of a seed are on one deal.
    """
    tables = np.array(list(combinations(range(bots), seats)))[
        slice(None) if line_ups is None else line_ups
    ]
    shape = (seeds, len(tables), seats, seats)
    order = rng.permuted(np.broadcast_to(tables, (seeds, *tables.shape)), axis=2)
    turned = np.stack([np.roll(order, -r, axis=2) for r in range(seats)], axis=2)
    deals = 1 if shared else len(tables)
    suited = rng.normal(0, suits, (seeds, deals, 1, bots)) + np.linspace(0, spread, bots)
    points = np.take_along_axis(np.broadcast_to(suited, (*shape[:3], bots)), turned, axis=3)
    points = points + rng.normal(0, luck, (seeds, deals, 1, seats)) + rng.normal(0, 1, shape)
    ranks = 1 + (points[..., None, :] > points[..., :, None]).sum(-1)
    seed, line_up, rotation = (one.ravel() for one in np.indices(shape[:3]))
    none = np.zeros(len(seed), dtype=np.bool_)
    columns = SameSize(
        row=np.arange(len(seed)),
        event=np.zeros(len(seed), dtype=np.int32),
        block=seed.astype(np.int32),
        seed=seed,
        lineup=line_up.astype(np.int32),
        rotation=rotation.astype(np.int32),
        set_aside=none,
        faulty=none,
        bots=turned.reshape(-1, seats).astype(np.int32),
        ranks=ranks.reshape(-1, seats).astype(np.int16),
        unstarted=np.zeros((len(seed), seats), dtype=np.bool_),
    )
    return Matches(("event",), (columns,))


def whole_deals(rng, bots, seats, seeds, matches, p):
    """All line-ups, so many matches of each on a seed. Bot 0 is first in all matches of
    a deal, with probability ``p``, or last in all; the others are equal, and each of
    their matches is a chance of its own.
    """
    found = []
    for block in range(seeds):
        wins = rng.random() < p
        for line_up in combinations(range(bots), seats):
            for k in range(matches):
                order = line_up[k % seats :] + line_up[: k % seats]
                points = [(9.0 if wins else -9.0) if bot == 0 else rng.random() for bot in order]
                found.append(
                    rated(block, order, tuple(1 + sum(o > p for o in points) for p in points))
                )
    return found
