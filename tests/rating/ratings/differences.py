"""How far the ratings are from each reference: ``python
tests/rating/ratings/differences.py`` prints set, what, largest difference.

References are published answers, whose sources are in the files beside this one, or
programs that know nothing of these ratings, run here: choix and statsmodels, from the
test extra. Elo is in Elo, logarithms of strengths are in nats.
"""

import csv
import json
import random
import sys
from collections.abc import Iterator
from math import log
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
sys.path[:] = [
    str(HERE.parent.parent / "support"),
    *(p for p in sys.path if Path(p).resolve() != HERE),
]  # a file here is named as a package

from made_results import rated  # noqa: E402
from sandwich import NO_PRIOR, covariance_of, standard_errors, without_prior  # noqa: E402

from khiva_arena.common.result import Result  # noqa: E402
from khiva_arena.rating.ratings.effects import EffectsToFit  # noqa: E402
from khiva_arena.rating.ratings.elo import ELO_PER_NAT, rate  # noqa: E402
from khiva_arena.rating.ratings.quasi import quasi_variances  # noqa: E402

HEADLINE = json.loads((HERE / "headline_reference_set.json").read_text())
PRIOR = json.loads((HERE / "prior_reference.json").read_text())
CHOIX = json.loads((HERE / "choix_vectors.json").read_text())
PUDDING = json.loads((HERE / "davidson1970_pudding_expected.json").read_text())
KINDS = {
    "model": "model_se",
    "cr0": "cr0_se",
    "cr1": "cr1_se",
    "cr3": "cr3_onestep_se",
    "jackknife": "jackknife_refit_se",
}
Row = tuple[str, str, float]


def headline_matches() -> Iterator[Result]:
    for game in HEADLINE["games"]:
        ranks = tuple(
            1 + sum(other > score for other in game["scores"]) for score in game["scores"]
        )
        yield rated(
            game["block"], tuple(HEADLINE["bots"].index(name) for name in game["players"]), ranks
        )


def prior_matches(name: str) -> Iterator[Result]:
    for game in PRIOR[name]["games"]:
        yield rated(
            game["block"], tuple(game["bots"]), tuple(game["ranks"]), tuple(game["unstarted"])
        )


def largest(found: object, wanted: object) -> float:
    return float(np.abs(np.asarray(found, dtype=float) - np.asarray(wanted, dtype=float)).max())


def headline() -> Iterator[Row]:
    names = HEADLINE["bots"]
    others = [bot for bot, name in enumerate(names) if name != "anchor"]
    at = list(headline_matches()), len(names), names.index("anchor")
    elo = without_prior(lambda prior: rate(*at, prior=prior).elo)
    for kind, key in KINDS.items():
        found = without_prior(lambda prior, kind=kind: standard_errors(kind, *at, prior=prior))
        wanted = HEADLINE["expected"]
        if kind == "model":
            yield (
                "headline set",
                "Elo",
                largest([elo[b] for b in others], [wanted["elo"][names[b]] for b in others]),
            )
        ses = [wanted[key][names[b]] for b in others]
        yield (
            "headline set",
            f"Elo, standard errors {kind}",
            largest([found[b] for b in others], ses),
        )


def prior() -> Iterator[Row]:
    for name, data in PRIOR.items():
        at = list(prior_matches(name)), data["bots"], data["anchor"]
        ratings = rate(*at)
        for kind in KINDS:
            if kind == "model":
                yield (
                    f"statsmodels with prior draws, {name}",
                    "Elo",
                    largest(ratings.elo, data["expected"]["elo"]),
                )
            errors = largest(standard_errors(kind, *at), data["expected"]["se"][kind])
            yield f"statsmodels with prior draws, {name}", f"Elo, standard errors {kind}", errors


def centred_nats(ratings: object) -> np.ndarray:
    nats = np.array(ratings.elo, dtype=float) / ELO_PER_NAT  # type: ignore[attr-defined]
    return nats - nats.mean()


def choix_published() -> Iterator[Row]:
    for case in CHOIX["cases"]:
        if case["kind"] == "pairwise":
            found = rate(
                [rated(0, pair, (1, 2)) for pair in case["data"]],
                case["n_items"],
                0,
                prior=NO_PRIOR,
            )
            yield (
                "choix, published vector",
                f"log-strengths: {case['desc']}",
                largest(centred_nats(found), case["ml_est"]),
            )


def choix_random(trials: int = 20) -> Iterator[Row]:
    """Random comparisons of 12, without a prior, against choix's own optimiser."""
    import choix

    worst = 0.0
    for seed in range(trials):
        rng = random.Random(seed)
        pairs = [tuple(rng.sample(range(12), 2)) for _ in range(400)]
        pairs = [
            pair if rng.random() < 1 / (1 + 2.718 ** ((pair[1] - pair[0]) / 6)) else pair[::-1]
            for pair in pairs
        ]
        wanted = choix.ilsr_pairwise(12, pairs, tol=1e-12)
        found = centred_nats(
            rate([rated(0, pair, (1, 2)) for pair in pairs], 12, 0, prior=NO_PRIOR)
        )
        worst = max(worst, largest(found, wanted - wanted.mean()))
    yield f"choix, {trials} random sets run here", "log-strengths", worst


def pudding() -> Iterator[Row]:
    """Davidson's model is not ours, but its published quasi standard errors are a
    function of any covariance.
    """
    with (HERE / "davidson1970_pudding.csv").open() as file:
        rows = [{key: int(value) for key, value in row.items()} for row in csv.DictReader(file)]
    covariance = davidson_covariance(rows, PUDDING["converged_R"])
    found = quasi_variances(covariance)
    assert found is not None
    ses = np.sqrt(np.diag(covariance))[1:]
    yield (
        "Davidson's pudding, R",
        "log-worths, standard errors (input)",
        largest(ses, PUDDING["converged_R"]["se_vs_item1"][1:]),
    )
    yield (
        "Davidson's pudding, R",
        "log-worths, quasi standard errors",
        largest(np.sqrt(found[0]), PUDDING["converged_R"]["quasi_se"]),
    )


def davidson_covariance(rows: list[dict[str, int]], solution: dict) -> np.ndarray:
    """(6, 6) of the log-worths against item 1, at the converged solution: inverse of
    the expected information of (log-worths, log of the tie parameter), each pair's
    games being multinomial over win, tie, loss.
    """
    worth = np.log(np.array(solution["worth"]))
    information = np.zeros((7, 7))
    for row in rows:
        i, j = row["i"] - 1, row["j"] - 1
        terms = np.zeros((3, 7))  # of win, loss, tie: derivatives of the logarithms
        terms[0, i] = terms[1, j] = 1
        terms[2, [i, j]] = 0.5
        terms[2, 6] = 1
        logs = np.array([worth[i], worth[j], log(solution["delta2"]) + (worth[i] + worth[j]) / 2])
        p = np.exp(logs - np.logaddexp.reduce(logs))
        off = terms - p @ terms
        information += row["r_ij"] * (off.T * p) @ off
    covariance = np.zeros((6, 6))
    covariance[1:, 1:] = np.linalg.inv(information[1:, 1:])[:5, :5]
    return covariance


def effects() -> Iterator[Row]:
    from rating_oracle import BOTH_SIZES, oracle, played

    for sizes in BOTH_SIZES:
        matches = played(1, sizes, seat=0.6, gift=0.8, blocks=30)
        _, numbers, variances = oracle(matches, 7, 2, 1.0)
        both = EffectsToFit(seats=True, neighbours=True)
        found = rate(matches, 7, 2, effects=both)
        for kind in ("model", "cr0", "cr1", "cr3"):
            covariance, of_effects = covariance_of(kind, matches, 7, 2, effects=both)
            at = f"statsmodels with seat and neighbour terms, K = {', '.join(map(str, sizes))}"
            if kind == "model":
                yield (
                    at,
                    "Elo and effects",
                    largest([*found.elo, *(e.elo for e in found.effects)], numbers),
                )
            ses = np.sqrt([*np.maximum(0, np.diag(covariance)), *of_effects])
            yield (
                at,
                f"Elo and effects, standard errors {kind}",
                largest(ses, np.sqrt(np.maximum(0, np.diag(variances[kind])))),
            )


def main() -> None:
    for part in (headline, prior, choix_published, choix_random, pudding, effects):
        for reference, what, difference in part():
            print(f"{reference:<55} {what:<75} {difference:.1e}")


if __name__ == "__main__":
    main()
