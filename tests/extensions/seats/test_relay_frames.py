"""The fuzzer of relays, as long as a test may take; ``python -m tests.tools
fuzz-relay`` goes on for as long as one likes.
"""

from collections import Counter
from random import Random

import fuzz_relay
import pytest


@pytest.mark.soak
def test_no_frame_makes_a_relay_raise_or_hold_more_than_it_may() -> None:
    words = fuzz_relay.fuzz(seed=17, frames=9_000)
    assert words["frames"] >= 9_000
    assert any(word.startswith("breach: ") for word in words)


@pytest.mark.soak
def test_no_greeting_makes_a_relay_raise() -> None:
    chance, words = Random(18), Counter[str]()
    for _ in range(150):
        fuzz_relay.greeting(chance, words)
    assert words["a final refusal"]
    assert words["greeted"]
