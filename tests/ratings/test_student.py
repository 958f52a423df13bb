"""Student's t and the normal distribution against scipy's."""

import numpy as np
import pytest
from scipy import special

from khiva_arena.ratings import student

FREEDOM = np.array([*range(1, 130), 249, 499, 500, 999, 1000, 1001, 1002, 4999, 10**4, 10**6])


@pytest.mark.parametrize("p", [0.01, 0.5, 0.8, 0.975, 0.995, 0.9999, 1 - 1e-6])
def test_quantiles(p: float) -> None:
    """In tails a rounding of p moves the quantile of few degrees of freedom far: what it leads back to counts there."""
    ours = student.stdtrit(FREEDOM, p)
    assert np.abs(special.stdtr(FREEDOM.astype(float), ours) - p).max() < 1e-14
    assert np.abs(ours - special.stdtrit(FREEDOM, p))[FREEDOM > 3].max() < 1e-8


def test_the_quantile_of_every_error() -> None:
    """The one that half widths are made of, as near as numbers can say."""
    assert np.abs(student.stdtrit(FREEDOM, 0.975) / special.stdtrit(FREEDOM, 0.975) - 1).max() < 1e-13


def test_probabilities() -> None:
    t = np.concatenate([-np.geomspace(1e-3, 1e3, 40), [0.0], np.geomspace(1e-3, 1e3, 40)])
    ours, theirs = student.stdtr(FREEDOM[:, None], t), special.stdtr(FREEDOM[:, None].astype(float), t)
    assert np.abs(ours - theirs).max() < 1e-11
    assert (student.stdtr(7, 0.0), float(student.stdtr(7, 1.25))) == (0.5, pytest.approx(special.stdtr(7, 1.25), abs=1e-15))


def test_the_normal_distribution() -> None:
    x = np.linspace(-9, 9, 500).reshape(50, 10)
    assert student.ndtr(x).shape == (50, 10)
    assert np.abs(student.ndtr(x) - special.ndtr(x)).max() < 1e-15


@pytest.mark.parametrize(("df", "p"), [(0, 0.5), (3, 0.0), (3, 1.0), (-1, 0.9)])
def test_what_has_no_quantile(df: int, p: float) -> None:
    with pytest.raises(ValueError, match="Student's t"):
        student.stdtrit(df, p)


def test_what_has_no_distribution() -> None:
    with pytest.raises(ValueError, match="1 degree"):
        student.stdtr(0, 1.0)
