"""Calls of the runner are paid for what they take: no way to call it makes a tick last
much longer than another one does.
"""

import pytest
from runner_calls import calls, nanoseconds

pytestmark = pytest.mark.slow

TICKS = 3 * 10**7
MOST_TIMES = 50
"""A tick of the usual call lasts some 0.1 ns; three times the worst class of METER.md,
where the backstop is, are 14.
"""


def test_no_call_is_much_cheaper_than_the_time_that_it_takes() -> None:
    rounds = [
        {name: nanoseconds(module, TICKS) for name, module in calls()} for _ in range(3)
    ]  # a busy machine is slow for all
    lasts = {name: min(each[name] for each in rounds) for name in rounds[0]}
    usual = lasts["clock_time_get"]
    assert {name: each / usual for name, each in lasts.items() if each > MOST_TIMES * usual} == {}
