"""Matches with known effects, and what statsmodels makes of them: an oracle that knows
nothing of khiva_arena.rating.ratings.
"""

import random
from itertools import combinations
from math import log

import numpy as np
from made_results import rated

C = 400 / log(10)
GHOST = "ghost"
"""What stands for the block of a draw that the prior adds: it has none."""
BOTH_SIZES = ((3, 4, 5), (2, 3), (4,))


def played(seed, sizes=(3, 4, 5), bots=7, blocks=24, seat=0.0, gift=0.0, noise=1.0, line_ups=1):
    """Line-ups in all rotations. Bot b has strength b / 4; sitting first gives
    ``seat``, sitting after bot 1 gives ``gift``.
    """
    rng = random.Random(seed)
    some = []
    for block in range(blocks):
        for n in range(line_ups):
            k = sizes[(block + n) % len(sizes)]
            line_up = rng.sample(range(bots), k)
            for r in range(k):
                order = tuple(line_up[(i + r) % k] for i in range(k))
                points = [
                    b / 4 + seat * (i == 0) + gift * (order[i - 1] == 1) + rng.gauss(0, noise)
                    for i, b in enumerate(order)
                ]
                points = [round(2 * p) / 2 for p in points]
                some.append(
                    rated(block, order, tuple(1 + sum(o > p for o in points) for p in points))
                )
    return some


def oracle(matches, bots, anchor, prior):
    """By statsmodels, with terms written out: the last seat of each size, and the last
    neighbour, are less the sum of the others.

    Columns: bots, seats, neighbours. Returns names, numbers and covariances in Elo by
        kind; plain loops throughout.
    """
    import statsmodels.api as sm

    sizes = sorted({len(m.bots) for m in matches})
    width = bots + sum(k - 1 for k in sizes) + bots - 1

    def side(match, i):
        x = np.zeros(width)
        x[match.bots[i]] += 1
        k = len(match.bots)
        at = bots + sum(other - 1 for other in sizes if other < k)
        if i < k - 1:
            x[at + i] += 1
        else:
            x[at : at + k - 1] -= 1
        at = bots + sum(other - 1 for other in sizes)
        neighbour = match.bots[(i - 1) % k]
        if k > 2 and neighbour < bots - 1:
            x[at + neighbour] += 1
        elif k > 2:
            x[at : at + bots - 1] -= 1
        return x

    names, effects = [], []
    at = bots
    for k in sizes:
        for s in range(k):
            x = np.zeros(width)
            x[at : at + k - 1] = np.eye(k - 1)[s] if s < k - 1 else -1
            names.append((k, s, None))
            effects.append(x)
        at += k - 1
    for bot in range(bots):
        x = np.zeros(width)
        x[at : at + bots - 1] = np.eye(bots - 1)[bot] if bot < bots - 1 else -1
        names.append((None, None, bot))
        effects.append(x)
    x, s, w, block = [], [], [], []
    for match in matches:
        for i, j in combinations(range(len(match.bots)), 2):
            x.append(side(match, i) - side(match, j))
            s.append((1 + np.sign(match.ranks[j] - match.ranks[i])) / 2)
            w.append(3 / (len(match.bots) + 1))
            block.append(match.block)
    for row in [*np.eye(bots, width), *effects]:  # the ghost
        x.append(row)
        s.append(0.5)
        w.append(prior)
        block.append(GHOST)
    x, s, w, block = np.array(x), np.array(s), np.array(w), np.array(block)
    model = sm.GLM(s, x, family=sm.families.Binomial(), var_weights=w)
    result = model.fit(tol=1e-15, maxiter=200, scale=1.0)
    scores, factor = (
        model.score_obs(result.params, scale=1.0),
        model.hessian_factor(result.params, scale=1.0, observed=False),
    )
    h = (x.T * factor) @ x  # cov_params is that of the step before the last
    bread = np.linalg.inv(h)
    cr0, cr3 = np.zeros((width, width)), np.zeros((width, width))
    blocks = sorted(set(block.tolist()) - {GHOST})
    for name in blocks:
        mine = block == name
        u = scores[mine].sum(axis=0)
        cr0 += np.outer(bread @ u, bread @ u)
        left = np.linalg.solve(h - (x[mine].T * factor[mine]) @ x[mine], u)
        cr3 += np.outer(left, left) * (len(blocks) - 1) / len(blocks)
    to_anchor = np.eye(bots, width)
    to_anchor[:, anchor] -= 1
    wanted = C * np.vstack([to_anchor, effects])
    kinds = {"model": bread, "cr0": cr0, "cr1": cr0 * len(blocks) / (len(blocks) - 1), "cr3": cr3}
    return names, wanted @ result.params, {kind: wanted @ v @ wanted.T for kind, v in kinds.items()}
