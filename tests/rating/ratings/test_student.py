"""Student's t, the normal and the chi-square distribution, and roots, against
scipy's.
"""

import ast
from pathlib import Path

import numpy as np
import pytest
import scipy
from cases import cases

from khiva_arena.rating.ratings import student
from khiva_arena.rating.ratings.stopping import root

FREEDOM = np.array([*range(1, 130), 249, 499, 500, 999, 1000, 1001, 1002, 4999, 10**4, 10**6])


@pytest.mark.parametrize("p", [0.01, 0.5, 0.8, 0.975, 0.995, 0.9999, 1 - 1e-6])
def test_quantiles(p: float) -> None:
    """In tails a rounding of p moves the quantile of few degrees of freedom far: what
    it leads back to counts there.
    """
    ours = student.stdtrit(FREEDOM, p)
    assert np.abs(scipy.special.stdtr(FREEDOM.astype(float), ours) - p).max() < 1e-14
    assert np.abs(ours - scipy.special.stdtrit(FREEDOM, p))[FREEDOM > 3].max() < 1e-8


def test_the_quantile_of_every_error() -> None:
    """The one that half widths are made of, as near as numbers can say."""
    assert (
        np.abs(student.stdtrit(FREEDOM, 0.975) / scipy.special.stdtrit(FREEDOM, 0.975) - 1).max()
        < 1e-13
    )


@pytest.mark.slow
def test_probabilities() -> None:
    t = np.concatenate([-np.geomspace(1e-3, 1e3, 40), [0.0], np.geomspace(1e-3, 1e3, 40)])
    ours, theirs = (
        student.stdtr(FREEDOM[:, None], t),
        scipy.special.stdtr(FREEDOM[:, None].astype(float), t),
    )
    assert np.abs(ours - theirs).max() < 1e-11
    assert (student.stdtr(7, 0.0), float(student.stdtr(7, 1.25))) == (
        0.5,
        pytest.approx(scipy.special.stdtr(7, 1.25), abs=1e-15),
    )


def test_the_normal_distribution() -> None:
    x = np.linspace(-9, 9, 500).reshape(50, 10)
    assert student.ndtr(x).shape == (50, 10)
    assert np.abs(student.ndtr(x) - scipy.special.ndtr(x)).max() < 1e-15


@pytest.mark.parametrize(("df", "p"), [(0, 0.5), (3, 0.0), (3, 1.0), (-1, 0.9)])
def test_what_has_no_quantile(df: int, p: float) -> None:
    with pytest.raises(ValueError, match="Student's t"):
        student.stdtrit(df, p)


def test_what_has_no_distribution() -> None:
    with pytest.raises(ValueError, match="1 degree"):
        student.stdtr(0, 1.0)


@pytest.mark.parametrize("p", [1e-12, 1e-9, 1e-6, 1e-3, 0.2, 0.999, 1 - 1e-9, 1 - 1e-12])
def test_quantiles_in_the_tails_lead_back_to_their_probability(p: float) -> None:
    assert (
        np.abs(scipy.special.stdtr(FREEDOM.astype(float), student.stdtrit(FREEDOM, p)) - p).max()
        < 1e-14
    )


def test_the_tail_of_the_normal_distribution() -> None:
    """As exact beside its own size, down to where a number ends."""
    x = np.linspace(-37, 0, 3701)
    np.testing.assert_allclose(student.ndtr(x), scipy.special.ndtr(x), rtol=1e-12)


def test_the_logarithm_of_the_normal_distribution() -> None:
    sizes = np.geomspace(1e-12, 1e8, 2000)
    for x in (np.linspace(-60, 37, 9701), -sizes, sizes, np.array([[0.0, -10.0], [10.0, -1e150]])):
        ours = student.log_ndtr(x)
        assert ours.shape == x.shape
        np.testing.assert_allclose(ours, scipy.special.log_ndtr(x), rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize(
    "p", [1e-12, 1e-6, 1e-3, 0.025, 0.3, 0.5, 0.7, 0.975, 0.999, 1 - 1e-6, 1 - 1e-9]
)
def test_quantiles_of_chi_square(p: float) -> None:
    """Where scipy's own quantile is less exact, with many degrees of freedom, the
    probability that it leads back to counts.
    """
    for df in FREEDOM.tolist():
        found = student.chdtri(df, p)
        assert found == pytest.approx(
            scipy.special.chdtri(df, p), rel=1e-11 if df < 10**5 else 1e-9
        )
        assert scipy.special.chdtrc(df, found) == pytest.approx(p, rel=1e-8)
        assert scipy.special.chdtr(df, found) == pytest.approx(1 - p, rel=1e-8)


@pytest.mark.parametrize(("df", "p"), [(0, 0.5), (3, 0.0), (3, 1.0), (-1, 0.9)])
def test_what_has_no_quantile_of_chi_square(df: int, p: float) -> None:
    with pytest.raises(ValueError, match="chi-square"):
        student.chdtri(df, p)


@cases("bend", [0.1, 1.0, 30.0, 1e4])
@cases("target", [1e-6, 1e-3, 0.025, 0.5, 0.975, 1 - 1e-6])
@cases(("low", "high"), [(0.0, 1.0), (0.4, 0.9999), (1.0, -3.0)])
def test_roots(bend: float, target: float, low: float, high: float) -> None:
    """Of falling and rising functions, steep, flat and bent ones."""
    at_low, at_high = (float(scipy.special.ndtr(bend * (x - 0.45))) for x in (low, high))

    def function(x: float) -> float:
        return float(scipy.special.ndtr(bend * (x - 0.45))) - at_low - target * (at_high - at_low)

    theirs = scipy.optimize.brentq(function, low, high, xtol=1e-14)
    for found in (root(function, low, high), root(lambda x: -function(x), high, low)):
        assert (
            found == pytest.approx(theirs, abs=2e-12) or abs(function(found)) < 3e-16
        )  # so flat that rounding decides


def test_a_root_takes_few_steps() -> None:
    asked = []
    root(lambda x: asked.append(x) or scipy.special.ndtr(40 * (0.52 - x)) - 0.025, 0.5, 0.6)
    assert len(asked) < 16


def test_no_module_imports_scipy() -> None:
    """It is five times as large as the rest of what ratings need, and there only to be
    compared with.
    """
    import khiva_arena

    for path in Path(khiva_arena.__file__).parent.rglob("*.py"):
        text = path.read_text()
        for node in ast.walk(ast.parse(text)) if "scipy" in text else ():
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not any(name.split(".")[0] == "scipy" for name in names), path
