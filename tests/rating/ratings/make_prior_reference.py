"""Ratings with the ghost prior, by statsmodels and plain loops, as an oracle for
khiva_arena.rating.ratings. Knows nothing of it.

    python tests/rating/ratings/make_prior_reference.py            prints the reference
                                                                   as JSON
    python tests/rating/ratings/make_prior_reference.py --write    writes
                                                                   prior_reference.json

The ghost is extra rows of a weighted binomial GLM: one drawn game of weight 1 for each
bot. Its scores are left out of the sandwich, its information stays in the bread. The
jackknife is full refits by statsmodels.
"""

import argparse
import json
import random
from itertools import combinations
from math import log
from pathlib import Path

import numpy as np
import statsmodels.api as sm

HERE = Path(__file__).parent
C = 400 / log(10)


def headline_games() -> dict:
    data = json.loads((HERE / "headline_reference_set.json").read_text())
    games = []
    for game in data["games"]:
        ranks = [1 + sum(other > score for other in game["scores"]) for score in game["scores"]]
        bots = [data["bots"].index(name) for name in game["players"]]
        games.append({"block": game["block"], "bots": bots, "ranks": ranks, "unstarted": []})
    return {"bots": len(data["bots"]), "anchor": 0, "games": games}


def faulty_games() -> dict:
    """5 bots, tables of 2 to 5, copies, forfeits ranked last, seats that failed to
    start, an anchor that is not bot 0.
    """
    rng = random.Random(20261121)
    strength = [0.0, 0.8, -0.5, 0.3, 1.5]
    games = []
    for block in range(25):
        seats = 2 + block % 4
        bots = [rng.randrange(5) for _ in range(seats)]
        luck = [rng.gauss(0, 1) for _ in range(seats)]
        for rotation in range(seats):
            order = [bots[(i + rotation) % seats] for i in range(seats)]
            skill = [round(strength[b] + luck[i] + rng.gauss(0, 1)) for i, b in enumerate(order)]
            keys = [(0, -s) for s in skill]
            unstarted = [i for i in range(seats) if rng.random() < 0.04]
            for i in range(seats):
                if i in unstarted:
                    keys[i] = (1, 0)
                elif rng.random() < 0.05:
                    keys[i] = (1, -1 - rng.randrange(3))
            ranks = [1 + sum(other < key for other in keys) for key in keys]
            games.append({"block": block, "bots": order, "ranks": ranks, "unstarted": unstarted})
    return {"bots": 5, "anchor": 2, "games": games}


def rows_of(data: dict) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Design matrix, outcome, weight and block of every counted pair; block -1 is the
    ghost.
    """
    x, s, w, block = [], [], [], []
    for game in data["games"]:
        seats = len(game["bots"])
        for i, j in combinations(range(seats), 2):
            a, b = game["bots"][i], game["bots"][j]
            if a == b or (
                game["unstarted"] and i not in game["unstarted"] and j not in game["unstarted"]
            ):
                continue
            row = [0.0] * data["bots"]
            row[a], row[b] = 1.0, -1.0
            x.append(row)
            s.append(
                0.5
                if game["ranks"][i] == game["ranks"][j]
                else float(game["ranks"][i] < game["ranks"][j])
            )
            w.append(3 / (seats + 1))
            block.append(game["block"])
    for bot in range(data["bots"]):
        x.append([float(bot == other) for other in range(data["bots"])])
        s.append(0.5)
        w.append(1.0)
        block.append(-1)
    return np.array(x), np.array(s), np.array(w), np.array(block)


def fitted(x: np.ndarray, s: np.ndarray, w: np.ndarray) -> tuple[sm.GLM, np.ndarray, np.ndarray]:
    model = sm.GLM(s, x, family=sm.families.Binomial(), var_weights=w)
    result = model.fit(tol=1e-15, maxiter=200, scale=1.0)
    return model, result.params, result.cov_params()


def reference(data: dict) -> dict:
    x, s, w, block = rows_of(data)
    model, params, bread = fitted(x, s, w)
    scores = model.score_obs(params, scale=1.0)
    factor = model.hessian_factor(params, scale=1.0, observed=False)
    blocks = sorted(set(block.tolist()) - {-1})
    n, b = data["bots"], len(blocks)
    h = np.linalg.inv(bread)
    cr0, cr3 = np.zeros((n, n)), np.zeros((n, n))
    refits = []
    for name in blocks:
        mine = block == name
        u = scores[mine].sum(axis=0)
        h_b = (x[mine].T * factor[mine]) @ x[mine]
        cr0 += np.outer(bread @ u, bread @ u)
        j = np.linalg.solve(h - h_b, u)
        cr3 += np.outer(j, j) * (b - 1) / b
        refits.append(fitted(x[~mine], s[~mine], w[~mine])[1])
    off = np.array(refits) - np.mean(refits, axis=0)
    shift = np.eye(n)
    shift[:, data["anchor"]] -= 1  # relative to the anchor
    kinds = {
        "model": bread,
        "cr0": cr0,
        "cr1": cr0 * b / (b - 1),
        "cr3": cr3,
        "jackknife": off.T @ off * (b - 1) / b,
    }
    relative = {kind: C * C * shift @ v @ shift.T for kind, v in kinds.items()}
    return {
        "elo": [round(v, 8) for v in (C * shift @ params).tolist()],
        "se": {
            kind: [round(float(np.sqrt(max(0.0, v))), 8) for v in np.diag(m)]
            for kind, m in relative.items()
        },
        "cr3_covariance": [[round(v, 6) for v in row] for row in relative["cr3"].tolist()],
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--write", action="store_true", help="write tests/rating/ratings/prior_reference.json"
    )
    options = parser.parse_args()
    sets = {"headline": headline_games(), "faulty": faulty_games()}
    text = (
        json.dumps({name: {**data, "expected": reference(data)} for name, data in sets.items()})
        + "\n"
    )
    if options.write:
        (HERE / "prior_reference.json").write_text(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
