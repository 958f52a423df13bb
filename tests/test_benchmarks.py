"""What benchmarks say of their figures. That they run is for ``make bench``."""

import random
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent / "benchmarks"))

from spread import LEAST, Spread, spread, told


def test_few_samples_say_nothing() -> None:
    with pytest.raises(ValueError, match="6 samples say nothing"):
        spread([1.0] * (LEAST - 1))


def test_the_interval_is_that_of_order_statistics() -> None:
    """By tables of the sign test: at most 2.5 % on either side."""
    assert spread(range(7)) == Spread(3, 0, 6, 7)
    assert spread(range(9)) == Spread(4, 1, 7, 9)
    assert spread(range(20)) == Spread(9.5, 5, 14, 20)
    assert spread(range(41)) == Spread(20, 13, 27, 41)


def test_the_interval_holds_the_median_as_often_as_it_says() -> None:
    """Of a skewed distribution, as times are; 2,000 times, so that 93 % would be four errors away from 95."""
    rng = random.Random(20261121)
    true = 0.6931471805599453  # of the exponential distribution
    for n in (7, 15, 30):
        found = [spread([rng.expovariate(1.0) for _ in range(n)]) for _ in range(2_000)]
        assert sum(one.low <= true <= one.high for one in found) / 2_000 > 0.945


@pytest.mark.parametrize(
    ("ratio", "lower", "says"),
    [
        (Spread(0.9, 0.85, 0.95, 9), True, "faster"),
        (Spread(0.9, 0.85, 0.95, 9), False, "slower"),
        (Spread(1.1, 1.05, 1.2, 9), True, "slower"),
        (Spread(1.1, 1.05, 1.2, 9), False, "faster"),
        (Spread(1.01, 0.98, 1.04, 9), True, "not told"),
        (Spread(1.0, 1.0, 1.0, 9), False, "not told"),
    ],
)
def test_what_a_ratio_says(ratio: Spread, lower: bool, says: str) -> None:
    assert told(ratio, lower_is_better=lower) == says
