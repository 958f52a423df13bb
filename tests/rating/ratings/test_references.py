"""The fit against published numbers and against statsmodels."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from made_results import rated
from sandwich import standard_errors, without_prior

from khiva_arena.rating.ratings.elo import rate

HERE = Path(__file__).parent
HEADLINE = json.loads((HERE / "headline_reference_set.json").read_text())
PRIOR = json.loads((HERE / "prior_reference.json").read_text())
KINDS = {
    "model": "model_se",
    "cr0": "cr0_se",
    "cr1": "cr1_se",
    "cr3": "cr3_onestep_se",
    "jackknife": "jackknife_refit_se",
}


def headline_matches():
    for game in HEADLINE["games"]:
        ranks = tuple(
            1 + sum(other > score for other in game["scores"]) for score in game["scores"]
        )
        yield rated(
            game["block"], tuple(HEADLINE["bots"].index(name) for name in game["players"]), ranks
        )


@pytest.mark.parametrize("kind", KINDS)
def test_headline_set_without_a_prior_to_all_digits_printed(kind):
    at = list(headline_matches()), len(HEADLINE["bots"]), HEADLINE["bots"].index("anchor")
    elo = without_prior(lambda prior: rate(*at, prior=prior).elo)
    ses = without_prior(
        lambda prior: (
            rate(*at, prior=prior).se if kind == "cr3" else standard_errors(kind, *at, prior=prior)
        )
    )
    for bot, name in enumerate(HEADLINE["bots"]):
        if name == "anchor":
            assert elo[bot] == 0
            assert ses[bot] == (0 if kind == "cr3" else pytest.approx(0, abs=1e-5))
        else:
            assert round(float(elo[bot]), 6) == HEADLINE["expected"]["elo"][name]
            assert round(float(ses[bot]), 6) == HEADLINE["expected"][KINDS[kind]][name]


@pytest.mark.parametrize("name", PRIOR)
@pytest.mark.parametrize("kind", KINDS)
def test_with_the_prior_as_statsmodels(name, kind):
    data = PRIOR[name]
    matches = [
        rated(g["block"], tuple(g["bots"]), tuple(g["ranks"]), tuple(g["unstarted"]))
        for g in data["games"]
    ]
    ratings = rate(matches, data["bots"], data["anchor"])
    assert ratings.elo == pytest.approx(data["expected"]["elo"], abs=2e-8)
    ses = (
        ratings.se
        if kind == "cr3"
        else standard_errors(kind, matches, data["bots"], data["anchor"])
    )
    assert ses == pytest.approx(data["expected"]["se"][kind], abs=2e-8)
    if kind == "cr3":
        np.testing.assert_allclose(
            ratings.covariance, data["expected"]["cr3_covariance"], atol=2e-6
        )


@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec("statsmodels") is None, reason="statsmodels is in the test extra"
)
def test_the_prior_reference_is_what_the_script_makes():
    made = subprocess.run(
        [sys.executable, str(HERE / "make_prior_reference.py")],
        capture_output=True,
        text=True,
        check=True,
    )
    again = json.loads(made.stdout)
    assert again.keys() == PRIOR.keys()
    for name, data in again.items():
        assert data["games"] == PRIOR[name]["games"]
        assert data["expected"]["elo"] == pytest.approx(PRIOR[name]["expected"]["elo"], abs=1e-6)
        for kind, ses in data["expected"]["se"].items():
            assert ses == pytest.approx(PRIOR[name]["expected"]["se"][kind], abs=1e-6)
