"""The distributions that intervals need: Student's t for whole degrees of freedom, the
normal, chi-square.

The library that has all three is larger than everything else that is installed for this
program, and slow to import; the tests compare with it. Functions are named as there
(and as in Cephes).

Student's t: for whole degrees of freedom the distribution function is a finite sum of
positive terms (Abramowitz and Stegun 26.7.3, 26.7.4); beyond ``_MANY`` of them the
normal quantile with four terms in 1/df (26.7.5) is as exact. Chi-square: the incomplete
gamma function, as a series below its mean and as a continued fraction above (6.5.29,
6.5.31).
"""

from functools import cache
from math import erfc, exp, fsum, inf, lgamma, log, log1p, pi, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
_MANY = 1000
_STEPS = 200
_FAR_OUT = -10.0  # below, the continued fraction of the normal tail needs few levels
_LEVELS = 12


def stdtr(df: Ints | int, t: Floats | float) -> Floats:
    """Return P(T < t), by element, to 11 digits after the point and mostly 15. Raises
    ValueError for df < 1.
    """
    freedom, at = np.broadcast_arrays(df, t)
    chances = np.empty(at.shape)
    for degrees in np.unique(freedom).tolist():
        of_degrees = freedom == degrees
        chances[of_degrees] = 0.5 + np.sign(at[of_degrees]) * _within(degrees, at[of_degrees]) / 2
    return chances


def stdtrit(df: Ints | int, p: float) -> Floats:
    """Return the t with P(T < t) = p, by element, to 13 digits. Raises ValueError for
    df < 1 or p not between 0 and 1.
    """
    freedom = np.asarray(df)
    return np.array(
        [_quantile(degrees, p) for degrees in freedom.ravel().tolist()], dtype=np.float64
    ).reshape(freedom.shape)


def ndtr(x: Floats | float) -> Floats:
    """Return P(X < x) of the standard normal distribution, by element."""
    return np.asarray(_erfc(-np.asarray(x, dtype=np.float64) / sqrt(2)) / 2)


def log_ndtr(x: Floats) -> Floats:
    """Return ln P(X < x) of the standard normal distribution, by element; also if P
    itself is too small for a number.
    """
    chances = np.empty(x.shape)
    far = x < _FAR_OUT
    near, z = x[~far], -x[far]
    tail = _erfc(np.abs(near) / sqrt(2)) / 2
    chances[~far] = np.where(near > 0, np.log1p(-tail), np.log(np.where(near > 0, 1, tail)))
    fraction = z
    for level in range(_LEVELS, 0, -1):  # Abramowitz and Stegun 26.2.14
        fraction = z + level / fraction
    chances[far] = -z * z / 2 - np.log(fraction) - log(2 * pi) / 2
    return chances


def _erfc(x: Floats) -> Floats:
    return np.array(list(map(erfc, x.ravel().tolist()))).reshape(x.shape)


def chdtri(df: int, p: float) -> float:
    """Return the x that a chi-square variable exceeds with probability p. Raises
    ValueError for df < 1 or p not between 0 and 1.
    """
    if df < 1 or not 0 < p < 1:
        raise ValueError(f"no quantile {p} of chi-square with {df} degrees of freedom")
    a = df / 2
    z = NormalDist().inv_cdf(p)
    x = (
        a * max(1e-3, 1 - 1 / (9 * a) - z / (3 * sqrt(a))) ** 3
    )  # Wilson and Hilferty; x is half the quantile
    low, high = 0.0, inf
    for _ in range(_STEPS):
        below, above = _gamma_tails(a, x)
        beyond = above - p if p < 0.5 else (1 - p) - below  # the smaller tail is the more exact
        low, high = (x, high) if beyond > 0 else (low, x)
        density = exp((a - 1) * log(x) - x - lgamma(a))
        following = x + beyond / density if density else low
        if not low < following < high:
            following = 2 * x if high == inf else (low + high) / 2
        if abs(following - x) <= 1e-15 * x:
            break
        x = following
    return 2 * x


def _gamma_tails(a: float, x: float) -> tuple[float, float]:
    """Return P and Q of the incomplete gamma function."""
    scale = exp(a * log(x) - x - lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        n = a
        while term > 1e-17 * total:
            n += 1
            term *= x / n
            total += term
        return scale * total, 1 - scale * total
    tiny, b = 1e-300, x + 1 - a  # Lentz's method
    c, d = 1 / tiny, 1 / b
    fraction, step, n = d, 0.0, 0.0
    while abs(step - 1) > 1e-16:
        n += 1
        b += 2
        d = 1 / (b - n * (n - a) * d)
        c = b - n * (n - a) / c
        step = c * d
        fraction *= step
    return 1 - scale * fraction, scale * fraction


def _within(df: int, t: Floats) -> Floats:
    """Return P(|T| < |t|)."""
    if df < 1:
        raise ValueError(f"Student's t has 1 degree of freedom or more, not {df}")
    size = np.hypot(t, sqrt(df))
    sine, cosine2 = np.abs(t) / size, df / size**2
    odd = df % 2
    term: Any = np.sqrt(cosine2) if odd else np.ones_like(sine)
    total: Any = np.zeros_like(sine)
    ratio: Any = cosine2
    if not sine.ndim:  # one number alone is summed ten times as fast outside of numpy
        term, total, ratio = float(term), 0.0, float(cosine2)
    for k in range(2 + odd, df + 1, 2):
        total += term
        term = term * ratio * ((k - 1) / k)
    return np.asarray(
        2 / pi * (np.arctan2(np.abs(t), sqrt(df)) + sine * total) if odd else sine * total
    )


@cache
def _quantile(df: int, p: float) -> float:
    if df < 1 or not 0 < p < 1:
        raise ValueError(f"no quantile {p} of Student's t with {df} degrees of freedom")
    if p < 0.5:
        return -_quantile(df, 1 - p)
    t = _expansion(df, p)
    if df > _MANY:
        return t
    low, high = 0.0, inf
    for _ in range(_STEPS):
        short = 2 * p - 1 - float(_within(df, np.array(t)))
        low, high = (t, high) if short > 0 else (low, t)
        following = t + short / (2 * _density(t, df))
        if not low < following < high:  # Newton overshot, as it does with few degrees of freedom
            following = 2 * low + 1 if high == inf else (low + high) / 2
        if abs(following - t) <= 1e-15 * t:
            break
        t = following
    return t


def _density(t: float, df: int) -> float:
    return exp(lgamma((df + 1) / 2) - lgamma(df / 2) - (df + 1) / 2 * log1p(t * t / df)) / sqrt(
        df * pi
    )


def _expansion(df: int, p: float) -> float:
    z = NormalDist().inv_cdf(p)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + fsum(term / df ** (power + 1) for power, term in enumerate(terms))
